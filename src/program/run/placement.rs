//! The ranks and threads of a run, compared with the cores that they share.

use cloth_core::error::{Error, Result};
use cloth_core::ranks::launch;

use crate::program::cli::Computing;
use crate::program::words::plural;
#[cfg(feature = "mpi")]
use cloth_core::ranks::{World, launch::HostBinding, message};
#[cfg(feature = "mpi")]
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most processors (ranks times threads) for each core, unless `--oversubscribe` is given.
const PROCESSORS_PER_CORE: usize = 4;

/// The ranks and threads of a run, and the cores of this rank's machine.
#[derive(Debug, Clone)]
pub struct Placement {
    /// Ranks of the run, on all machines.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Whether the user chose the number of threads.
    threads_are_chosen: bool,
    /// The cores of a machine, and its ranks.
    machine: Share,
    /// Words that describe these cores, for messages.
    whose: &'static str,
    /// The cores to which a launcher has bound a rank, and the ranks that are bound to them.
    binding: Option<Share>,
}

/// Some cores, and the ranks that share them.
#[derive(Debug, Clone, Copy)]
struct Share {
    ranks: usize,
    cores: usize,
}

impl Share {
    /// Compares the numbers of ranks for each core.
    #[cfg(feature = "mpi")]
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        (self.ranks * other.cores).cmp(&(other.ranks * self.cores))
    }
}

/// What a rank knows of its cores.
#[cfg(feature = "mpi")]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct RankCores {
    /// A number that is equal for ranks with the same machine and cores.
    binding: u64,
    /// Cores that the rank may use.
    usable: u64,
    /// Ranks on its machine.
    neighbours: u64,
    /// Cores of its machine.
    machine: u64,
}

#[cfg(feature = "mpi")]
impl RankCores {
    /// The cores of all ranks, on every rank. Collective.
    fn of_all(world: &dyn World) -> Result<Vec<Self>> {
        let mut binding = DefaultHasher::new();
        HostBinding::here().hash(&mut binding);
        let mine = Self {
            binding: binding.finish(),
            usable: launch::usable_cores() as u64,
            neighbours: world.neighbours() as u64,
            machine: launch::cores_of_this_machine() as u64,
        };
        message::all_gather_v(world, &[mine])
    }
}

impl Placement {
    /// `ranks` ranks as threads of this process.
    ///
    /// # Errors
    /// When they are far too many for its cores.
    pub fn in_process(computing: &Computing, ranks: usize) -> Result<Self> {
        let cores = launch::usable_cores();
        let placement = Self {
            ranks,
            threads: computing.threads.map_or((cores / ranks).max(1), |threads| threads as usize),
            threads_are_chosen: computing.threads.is_some(),
            machine: Share { ranks, cores },
            whose: "that this process may use",
            binding: None,
        };
        placement.check("--ranks, --threads", computing.oversubscribe)?;
        Ok(placement)
    }

    /// Ranks as processes. The placement is that of the machine with the most ranks for each core.
    /// By default, the number of threads of a rank is the number of cores that it is bound to,
    /// divided by the number of ranks with the same binding. The smallest such number holds for
    /// all ranks. All ranks get the same placement. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    #[cfg(feature = "mpi")]
    pub fn under_mpi(computing: &Computing, world: &dyn World) -> Result<Self> {
        let ranks = RankCores::of_all(world)?;
        let bindings = ranks.iter().map(|it| {
            let same = ranks.iter().filter(|other| other.binding == it.binding).count();
            Share { ranks: same, cores: it.usable as usize }
        });
        let bindings = Vec::from_iter(bindings);
        let fewest = bindings.iter().map(|it| it.cores / it.ranks).min().unwrap_or(1).max(1);
        let of_machine =
            |it: &RankCores| Share { ranks: it.neighbours as usize, cores: it.machine as usize };
        let fullest = ranks.iter().map(of_machine).max_by(Share::compare);
        Ok(Self {
            ranks: world.size(),
            threads: computing.threads.map_or(fewest, |threads| threads as usize),
            threads_are_chosen: computing.threads.is_some(),
            machine: fullest.unwrap_or(Share { ranks: 1, cores: 1 }),
            whose: "of their machine",
            binding: bindings.into_iter().max_by(Share::compare),
        })
    }

    /// Refuses a number of threads that would take all memory and never end. `place` names the
    /// options that set it.
    ///
    /// # Errors
    /// When there are far too many for the cores.
    pub fn check(&self, place: &str, oversubscribe: bool) -> Result<()> {
        let Share { ranks, cores } = self.machine;
        let most = PROCESSORS_PER_CORE * cores;
        if oversubscribe || ranks * self.threads <= most {
            return Ok(());
        }
        let cause = format!(
            "{} are more than {PROCESSORS_PER_CORE} times the {} {}",
            self.processors(ranks),
            plural(cores, "core"),
            self.whose
        );
        let remedy = format!(
            "use at most {most} in all; as many as there are cores is fastest; \
             --oversubscribe allows more"
        );
        Err(Error::input(place, cause, remedy))
    }

    /// A warning if there are more processors than cores, or more than patches of cloth. `patches`
    /// is `None` without cloth.
    pub fn warning(&self, patches: Option<usize>) -> Option<String> {
        let of_patches = patches.and_then(|patches| self.more_than_patches(patches));
        let excess = [self.more_than_cores(), of_patches];
        let excess: Vec<String> = excess.into_iter().flatten().collect();
        (!excess.is_empty())
            .then(|| format!("warning: {}; fewer are faster", excess.join(", and ")))
    }

    fn more_than_cores(&self) -> Option<String> {
        let of_machine = (self.machine, self.whose);
        let of_launcher = self.binding.map(|it| (it, "to which the launcher bound them"));
        let tightest = [Some(of_machine), of_launcher].into_iter().flatten();
        let exceeded = |(it, _): &(Share, _)| it.ranks * self.threads > it.cores;
        tightest.into_iter().find(exceeded).map(|(Share { ranks, cores }, whose)| {
            let processors = self.processors(ranks);
            format!("{processors} are more than the {} {whose}", plural(cores, "core"))
        })
    }

    /// Warns only of a number of threads that the user has chosen.
    fn more_than_patches(&self, patches: usize) -> Option<String> {
        let threads = if self.threads_are_chosen { self.threads } else { 1 };
        (self.ranks * threads > patches).then(|| {
            let empty = self.ranks.saturating_sub(patches);
            let (processors, patches) = (self.processors(self.ranks), plural(patches, "patch"));
            let without = match empty {
                0 => String::new(),
                _ => {
                    format!(" ({} without a patch only search for contacts)", plural(empty, "rank"))
                }
            };
            format!("{processors} are more than the {patches} of the cloth{without}")
        })
    }

    /// "2 ranks x 4 threads".
    fn processors(&self, ranks: usize) -> String {
        format!("{} x {}", plural(ranks, "rank"), plural(self.threads, "thread"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(ranks: usize, threads: usize, cores: usize) -> Placement {
        Placement {
            ranks,
            threads,
            threads_are_chosen: true,
            machine: Share { ranks, cores },
            whose: "of this test",
            binding: None,
        }
    }

    #[test]
    fn four_processors_a_core_are_the_most() {
        assert!(placement(4, 2, 2).check("--ranks", false).is_ok());
        let refused = placement(9, 1, 2).check("--ranks", false).unwrap_err().to_string();
        assert!(
            refused.contains("9 ranks x 1 thread are more than 4 times the 2 cores"),
            "{refused}"
        );
        assert!(refused.contains("at most 8") && refused.contains("--oversubscribe"), "{refused}");
        assert!(placement(4096, 1, 2).check("--ranks", true).is_ok());
    }

    #[test]
    fn one_line_warns_of_cores_and_patches() {
        assert_eq!(placement(2, 1, 2).warning(Some(2)), None);
        let text = placement(3, 1, 2).warning(Some(9)).unwrap();
        assert!(text.contains("3 ranks x 1 thread are more than the 2 cores"), "{text}");
        let text = placement(3, 1, 4).warning(Some(1)).unwrap();
        assert!(text.contains("the 1 patch of the cloth (2 ranks without"), "{text}");
        let text = placement(3, 2, 2).warning(Some(4)).unwrap();
        assert!(text.contains("2 cores") && text.contains("4 patches") && !text.contains('\n'));
        let unchosen = Placement { threads_are_chosen: false, ..placement(1, 64, 64) };
        assert_eq!(unchosen.warning(Some(14)), None);
    }

    #[test]
    fn threads_beyond_the_binding_of_a_launcher_are_named() {
        let bound =
            Placement { binding: Some(Share { ranks: 1, cores: 1 }), ..placement(2, 4, 16) };
        let text = bound.warning(Some(100)).unwrap();
        assert!(text.contains("1 rank x 4 threads are more than the 1 core to which"), "{text}");
    }
}

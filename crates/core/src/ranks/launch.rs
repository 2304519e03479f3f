//! How this process was started, and where it runs.

use serde::{Deserialize, Serialize};

/// Launchers, and the variables in which they give each process the number of processes and its
/// own number. A launcher may start another one (a step of `srun` runs `mpirun`), so the innermost
/// one comes first. Only steps of `srun` have the variable of Slurm: a batch script is no launcher.
const LAUNCHERS: [(&str, &str, &str); 6] = [
    ("mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"),
    ("mpirun_rsh of MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    ("mpiexec of MPICH, Intel MPI or Cray (PMI)", "PMI_SIZE", "PMI_RANK"),
    ("flux run", "FLUX_JOB_SIZE", "FLUX_TASK_RANK"),
    ("srun of Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];
/// Launchers that give the number of a process, but not how many there are.
const RANKS_ONLY: [(&str, &str); 2] =
    [("mpiexec of Cray PALS", "PALS_RANKID"), ("a PMIx launcher", "PMIX_RANK")];

/// What a launcher (`mpirun`, `mpiexec`, `srun`) tells about the processes that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The program that started this process, for messages.
    pub launcher: &'static str,
    /// The variable that shows it.
    pub variable: &'static str,
    /// Number of processes; `None` if the launcher does not say.
    pub size: Option<usize>,
    /// Number of this process, from 0; `None` if the launcher does not say.
    pub rank: Option<usize>,
}

impl Launch {
    /// The launcher that started this process, or `None` if a shell did. `variable` looks up an
    /// environment variable (see [`environment`]).
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse().ok();
        let sized = LAUNCHERS.iter().find_map(|&(launcher, size, rank)| {
            let (count, rank) = (number(size)?, number(rank));
            Some(Self { launcher, variable: size, size: Some(count), rank })
        });
        sized.or_else(|| {
            RANKS_ONLY.iter().find_map(|&(launcher, name)| {
                let rank = Some(number(name)?);
                Some(Self { launcher, variable: name, size: None, rank })
            })
        })
    }

    /// Whether a world of `size` ranks, this one being `rank`, is the one that was launched.
    pub fn fits(&self, rank: usize, size: usize) -> bool {
        match self.size {
            Some(launched) => launched == size,
            None => self.rank.is_none_or(|launched| launched == rank),
        }
    }

    /// The variable and its value, as in `PMI_SIZE=2`.
    pub fn evidence(&self) -> String {
        let value = self.size.or(self.rank).unwrap_or_default();
        format!("{}={value}", self.variable)
    }
}

/// The process's own environment, for [`Launch::find`].
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Cores of this machine, whatever this process is bound to.
#[cfg(target_os = "linux")]
pub fn cores_of_this_machine() -> usize {
    let cores = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN);
    cores.ok().flatten().map_or(1, |cores| cores as usize)
}

/// Cores of this machine. Other systems bind no process.
#[cfg(not(target_os = "linux"))]
pub fn cores_of_this_machine() -> usize {
    usable_cores()
}

/// Cores that this process may use: its binding and the quota of its container count.
pub fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The machine and the cores of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HostBinding {
    /// Name of the machine; empty if the system does not give it.
    pub host: String,
    /// Cores that the calling thread may use, for example `0-3,8`; empty if the system does
    /// not give them.
    pub cpus_allowed: String,
}

impl HostBinding {
    /// The machine and the cores of the calling thread.
    pub fn here() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let host = read("/proc/sys/kernel/hostname").trim().to_owned();
        let host = if host.is_empty() { environment("HOSTNAME").unwrap_or_default() } else { host };
        Self { host, cpus_allowed: cpus_allowed(&read("/proc/thread-self/status")).to_owned() }
    }
}

/// The list of cores in the text of `/proc/thread-self/status`.
fn cpus_allowed(status: &str) -> &str {
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched_with(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::find(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn every_launcher_gives_its_size_and_rank() {
        for (launcher, size, rank) in LAUNCHERS {
            let launch = launched_with(&[(rank, "3"), (size, "4")]).unwrap();
            assert_eq!((launch.size, launch.rank), (Some(4), Some(3)), "{launcher}");
            assert_eq!((launch.launcher, launch.evidence()), (launcher, format!("{size}=4")));
        }
    }

    #[test]
    fn the_innermost_launcher_counts() {
        let of_slurm = [("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2")];
        let launch = launched_with(&[&of_slurm[..], &[("PMI_SIZE", "8")]].concat()).unwrap();
        assert_eq!((launch.variable, launch.size, launch.rank), ("PMI_SIZE", Some(8), None));
    }

    #[test]
    fn a_shell_and_a_batch_script_are_no_launchers() {
        assert_eq!(launched_with(&[]), None);
        assert_eq!(launched_with(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), None);
        assert_eq!(launched_with(&[("PMI_SIZE", "many")]), None);
    }

    #[test]
    fn a_launcher_without_a_size_is_known_by_its_rank() {
        let launch = launched_with(&[("PMIX_RANK", "1")]).unwrap();
        assert_eq!((launch.size, launch.rank), (None, Some(1)));
        assert!(launch.fits(1, 2) && !launch.fits(0, 1));
        let sized = launched_with(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]).unwrap();
        assert!(sized.fits(0, 2) && !sized.fits(0, 1));
    }

    #[test]
    fn cores_are_read_from_the_status_text() {
        let status = "Name:\trank 0\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n";
        assert_eq!(cpus_allowed(status), "0-3,8");
        assert_eq!(cpus_allowed(""), "");
    }
}

//! Decides when patches change their ranks during a run, and to which ranks. One rank decides for
//! all.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `W_r` | s | work of rank r in a frame, of phases that wait for the slowest rank |
//! | `W` | s | mean of `W_r` over the ranks |
//! | `C` | s | cost of the last repartition; at first the time to build the rows |
//!
//! Each frame loses `max_r W_r - W` to uneven work. When the sum of these losses since the last
//! decision reaches `C`, a new partition is sought with the work of the last frame as weights. It
//! is used if it would have paid off: its gain in a frame, times the frames since the last
//! decision, is at least `C`. So no more is lost to uneven work than about twice what an oracle
//! would lose (the rule of ski rental), and work that does not move causes no second move.
//!
//! Source: ours; a rule of the same kind is that of Menon et al. 2012, "Automated load balancing
//! invocation based on application characteristics".

use crate::partition::distribute::Partition;
use crate::partition::measures::part_loads;
use crate::partition::methods::{PartitionSettings, Partitioner, Repartition, named_after};
use crate::partition::patch_graph::PatchGraph;
use crate::{Result, Vec3};

/// Fraction of the largest work that a new partition must save. Less is noise, because METIS
/// leaves 3 %.
const LEAST_GAIN: f64 = 0.03;

/// The time that uneven work has lost since the last decision, beside the cost of a new division: the
/// rule of ski rental.
#[derive(Debug)]
pub struct Losses {
    when: Repartition,
    lost_s: f64,
    cost_s: f64,
}

impl Losses {
    /// Nothing is lost yet, and a division is expected to take `cost_s` (s).
    pub fn new(when: Repartition, cost_s: f64) -> Self {
        Self { when, lost_s: 0.0, cost_s }
    }

    /// Adds what a frame lost (s). Returns true if it is time to decide.
    pub fn add(&mut self, lost_s: f64) -> bool {
        self.lost_s += lost_s;
        match self.when {
            Repartition::Never => false,
            Repartition::Always => true,
            Repartition::Auto => self.lost_s >= self.cost_s,
        }
    }
}

/// The mean and the largest of the `loads` of all ranks.
pub fn mean_and_most(loads: &[f64]) -> [f64; 2] {
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    [mean, loads.iter().copied().fold(0.0, f64::max)]
}

/// Decides after each frame whether patches change their ranks.
#[derive(Debug)]
pub struct Rebalancer {
    method: Box<dyn Partitioner>,
    graph: PatchGraph,
    losses: Losses,
    /// Frames since the last decision.
    frames: u32,
}

impl Rebalancer {
    /// A rebalancer with the method of `settings` for the patches of `graph`. `cost_s` is the
    /// estimated cost of the first repartition, s.
    ///
    /// # Errors
    /// Those of the method's settings.
    pub fn new(settings: &PartitionSettings, graph: PatchGraph, cost_s: f64) -> Result<Self> {
        let losses = Losses::new(settings.repartition, cost_s);
        Ok(Self { method: settings.build()?, graph, losses, frames: 0 })
    }

    /// The new owner of each patch after a frame in which the patches had the work `work_s` (s).
    /// `None` if no patch moves. `centres` are the positions of the patches, m.
    ///
    /// # Errors
    /// Those of the method.
    pub fn after_frame(
        &mut self,
        partition: &Partition,
        work_s: &[f64],
        centres: impl FnOnce() -> Vec<Vec3>,
    ) -> Result<Option<Vec<u32>>> {
        let (owners, ranks) = (&partition.rank_of_patch, partition.ranks);
        let [mean, most] = mean_and_most(&part_loads(owners, work_s, ranks));
        self.frames += 1;
        if !self.losses.add(most - mean) || mean <= 0.0 {
            return Ok(None);
        }
        let method = &mut *self.method;
        let parts = self.graph.divide_work(method, &centres(), work_s, ranks)?;
        let proposed = named_after(owners, &parts, &partition.patches.work(), ranks);
        let gain_s = most - mean_and_most(&part_loads(&proposed, work_s, ranks))[1];
        let Losses { when, lost_s, cost_s } = &mut self.losses;
        let pays = gain_s >= LEAST_GAIN * most && gain_s * f64::from(self.frames) >= *cost_s;
        (*lost_s, self.frames) = (0.0, 0);
        Ok(match when {
            Repartition::Always => {
                Some(proposed.into_iter().map(|rank| (rank + 1) % ranks as u32).collect())
            }
            _ => (pays && proposed != *owners).then_some(proposed),
        })
    }

    /// A repartition took `cost_s` (s). The next one is expected to take as long.
    pub fn moved(&mut self, cost_s: f64) {
        self.losses.cost_s = cost_s;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::partition::graph::Graph;
    use crate::partition::methods::Method;
    use crate::partition::patches::Patches;

    /// A row of patches of one vertex each, the first half on rank 0.
    fn row(patches: u32, repartition: Repartition, cost_s: f64) -> (Partition, Rebalancer) {
        let edges: Vec<[u32; 2]> = (1..patches).map(|v| [v - 1, v]).collect();
        let graph = Graph::from_cliques(patches as usize, edges.iter().map(|edge| &edge[..]));
        let of_vertex = Vec::from_iter(0..patches);
        let patches = Arc::new(Patches::from_vertices(of_vertex, patches as usize));
        let patch_graph = PatchGraph::new(&graph, &patches);
        let half = patches.len() as u32 / 2;
        let rank_of_patch = (0..patches.len() as u32).map(|patch| patch / half).collect();
        let settings = PartitionSettings { method: Method::MetisRecursive, repartition };
        let rebalancer = Rebalancer::new(&settings, patch_graph, cost_s).unwrap();
        (Partition { patches, rank_of_patch, ranks: 2 }, rebalancer)
    }

    /// The work of 20 patches of 1 s each, but the first one has `first_s`.
    fn work(first_s: f64) -> [f64; 20] {
        let mut work_s = [1.0; 20];
        work_s[0] = first_s;
        work_s
    }

    /// Frames until the first move, of at most 100, and the new owners.
    fn first_move(
        partition: &Partition,
        rebalancer: &mut Rebalancer,
        work_s: &[f64],
    ) -> Option<(u32, Vec<u32>)> {
        let centres = || vec![Vec3::zeros(); 20];
        let mut after = |_| rebalancer.after_frame(partition, work_s, centres).unwrap();
        (1..=100).find_map(|frame| Some((frame, after(frame)?)))
    }

    #[test]
    fn patches_move_when_what_was_lost_pays_for_it() {
        // Rank 0 has 19 s, rank 1 10 s: each frame loses 4.5 s.
        let (partition, mut rebalancer) = row(20, Repartition::Auto, 20.0);
        let (frame, owners) = first_move(&partition, &mut rebalancer, &work(10.0)).unwrap();
        assert_eq!(frame, 5);
        let [mean, most] = mean_and_most(&part_loads(&owners, &work(10.0), 2));
        assert!(most < 1.05 * mean, "{most} of {mean} s");
        // The patches that stay on a rank keep its number.
        assert_eq!((owners[0], owners[19]), (0, 1));
        // Work that stays causes no second move.
        rebalancer.moved(1.0);
        let partition = partition.with_owners(&owners).unwrap();
        assert_eq!(first_move(&partition, &mut rebalancer, &work(10.0)), None);
    }

    #[test]
    fn patches_stay_where_no_partition_is_better() {
        let (partition, mut rebalancer) = row(20, Repartition::Auto, 0.1);
        assert_eq!(first_move(&partition, &mut rebalancer, &work(1.0)), None);
        let mut alone = [0.0; 20];
        alone[0] = 1.0;
        let (partition, mut rebalancer) = row(20, Repartition::Auto, 0.1);
        assert_eq!(first_move(&partition, &mut rebalancer, &alone), None);
        let (partition, mut rebalancer) = row(20, Repartition::Never, 0.0);
        assert_eq!(first_move(&partition, &mut rebalancer, &work(10.0)), None);
    }
}

//! Methods that divide weighted points among ranks, and what they have in common.
//!
//! | method | needs | source |
//! |---|---|---|
//! | [`Metis`] | a graph | Karypis & Kumar 1998 |
//! | [`Hilbert`] | positions | Skilling 2004 (index); Tsuzuki & Aoki 2016 (cuts) |
//! | [`Power`] | positions | Wretborn 2026, *A practical partitioner for distributed simulations* |
//!
//! The measures of a partition are in [`crate::partition::measures`], apart from all methods.

mod halves;
mod hilbert;
mod metis;
pub mod power;
mod problem;
mod settings;

use std::fmt::Debug;

pub use self::halves::halves;
pub use self::hilbert::Hilbert;
pub(super) use self::metis::k_way;
pub use self::metis::{Metis, MetisKind};
pub use self::power::{Power, PowerSettings};
pub use self::problem::{Couplings, WeightedPoints};
pub use self::settings::{Method, PartitionSettings, Repartition};
use crate::{Result, Vec3};

/// A method that divides weighted points into parts of about equal work.
///
/// The result depends on the problem and on what the method remembers of its last call; it is the
/// same for any number of threads.
pub trait Partitioner: Debug + Send {
    /// The name of the method, as in a scene.
    fn name(&self) -> &'static str;

    /// The part of each point, below `parts`. If there are no more points than parts, each point
    /// is its own part and the other parts are empty.
    ///
    /// # Errors
    /// If `parts` is 0, a weight or position is no number, no point has work, or the problem lacks
    /// what the method needs.
    fn partition(&mut self, problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>>;
}

/// The nearest of `sites` for each of `points`; of equally near sites the first. It extends a
/// partition to points that came after it (Wretborn 2026, eq. 17).
pub fn nearest_sites(sites: &[Vec3], points: &[Vec3]) -> Vec<u32> {
    let potentials = vec![0.0; sites.len()];
    let diagram = power::Diagram { sites: sites.to_vec(), potentials };
    points.iter().map(|x| diagram.site_of(x)).collect()
}

/// Gives each of `parts` the number of the rank that owned most of it before, so that little
/// moves. The largest overlap chooses first. `sizes` are the sizes of the points.
pub fn named_after(before: &[u32], parts: &[u32], sizes: &[f64], ranks: usize) -> Vec<u32> {
    let mut overlaps = vec![0.0; ranks * ranks];
    for ((&rank, &part), size) in before.iter().zip(parts).zip(sizes) {
        overlaps[part as usize * ranks + rank as usize] += size;
    }
    let mut order: Vec<usize> = (0..ranks * ranks).collect();
    order.sort_by(|&a, &b| overlaps[b].total_cmp(&overlaps[a]));
    let mut rank_of_part = vec![None; ranks];
    let mut taken = vec![false; ranks];
    for pair in order {
        let (part, rank) = (pair / ranks, pair % ranks);
        if rank_of_part[part].is_none() && !taken[rank] {
            (rank_of_part[part], taken[rank]) = (Some(rank as u32), true);
        }
    }
    parts.iter().map(|&part| rank_of_part[part as usize].unwrap_or(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_keeps_the_number_of_the_rank_that_has_most_of_it() {
        let before = [0, 0, 0, 1, 1, 2, 2];
        let parts = [2, 2, 1, 1, 1, 0, 0];
        assert_eq!(named_after(&before, &parts, &[1.0; 7], 3), [0, 0, 1, 1, 1, 2, 2]);
        // A rank that has not chosen gets a part that is left.
        assert_eq!(named_after(&[0, 0, 0], &[1, 1, 0], &[1.0; 3], 2), [0, 0, 1]);
    }
}

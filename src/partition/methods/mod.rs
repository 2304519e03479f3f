//! Methods that divide weighted points among ranks, and what they have in common.
//!
//! | method | needs | source |
//! |---|---|---|
//! | [`Metis`] | a graph | Karypis & Kumar 1998 |
//! | [`Hilbert`] | positions | Skilling 2004 (index); Tsuzuki & Aoki 2016 (cuts) |
//! | [`Power`] | positions | Wretborn 2026, *A practical partitioner for distributed simulations* |
//!
//! The measures of a partition are in [`crate::partition::quality`], apart from all methods.

mod hilbert;
mod metis;
pub mod power;
mod problem;
mod settings;

use std::fmt::Debug;

pub use self::hilbert::Hilbert;
pub(super) use self::metis::k_way;
pub use self::metis::{Metis, MetisKind};
pub use self::power::{Power, PowerSettings};
pub use self::problem::{Couplings, WeightedPoints};
pub use self::settings::{Method, PartitionSettings, Repartition};
use crate::error::Result;
use crate::math::Vec3;

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

/// The nearest of `sites` for each of `points`, the first of equally near ones: extends a partition
/// to points that came after it (Wretborn 2026, eq. 17).
pub fn nearest_sites(sites: &[Vec3], points: &[Vec3]) -> Vec<u32> {
    let potentials = vec![0.0; sites.len()];
    let diagram = power::Diagram { sites: sites.to_vec(), potentials };
    points.iter().map(|x| diagram.site_of(x)).collect()
}

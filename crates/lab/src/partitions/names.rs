//! Names of the files that `cloth-lab partition` writes.

use cloth_sim::program::output::names::whole;

/// Measures of divisions: a row for each method and number of ranks.
pub const TABLE: &str = "partition_table.csv";
/// Each rank of each division.
pub const RANKS: &str = "partition_ranks.csv";
/// The owner of each cloth vertex in each division.
pub const OWNERS: &str = "partition_owners.csv";

/// Whether `cloth-lab partition` may write a file of this name.
pub fn is_own(name: &str) -> bool {
    [TABLE, RANKS, OWNERS].contains(&whole(name))
}

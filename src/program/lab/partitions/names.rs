//! Names of the files that `cloth-sim partition` writes.

use cloth_sim::partition::methods::Method;

use crate::program::output::names::whole;

/// Measures of divisions: a row for each method and number of ranks.
pub const TABLE: &str = "partition_table.csv";
/// Each rank of each division.
pub const RANKS: &str = "partition_ranks.csv";
/// The owner of each cloth vertex in each division.
pub const OWNERS: &str = "partition_owners.csv";
/// All divisions beside each other.
pub const OVERVIEW: &str = "partition_overview.png";

/// Files of `cloth-sim partition` with one name each.
const WITH_ONE_NAME: [&str; 4] = [TABLE, RANKS, OWNERS, OVERVIEW];
const PICTURE: &str = "partition_";

/// The picture of the division by `method` among `ranks` ranks.
pub fn picture(method: &str, ranks: usize) -> String {
    format!("{PICTURE}{method}_{ranks}.png")
}

/// Whether `cloth-sim partition` may write a file of this name.
pub fn is_own(name: &str) -> bool {
    let name = whole(name);
    let is_picture = |name: &str| {
        let name = name.strip_prefix(PICTURE)?.strip_suffix(".png")?;
        let (method, ranks) = name.split_once('_')?;
        let is_method = Method::ALL.iter().any(|known| known.name() == method);
        (is_method && is_number(ranks)).then_some(())
    };
    WITH_ONE_NAME.contains(&name) || is_picture(name).is_some()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::names::PARTITION;

    #[test]
    fn files_are_recognised_by_their_names() {
        for name in [&*picture("Power", 16), OWNERS, OVERVIEW] {
            assert!(is_own(name), "{name}");
        }
        for name in [PARTITION, "partition_mine.png", "partition_Power_x.png", "partition_4.png"] {
            assert!(!is_own(name), "{name}");
        }
    }
}

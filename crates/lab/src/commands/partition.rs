//! The subcommand `partition`: divides a cloth among ranks by several methods.

use cloth_core::error::Result;
use cloth_core::partition::methods::Method;

use crate::cli::{Methods, PartitionArguments};
use crate::partitions::{DividedCloth, Division, OutFolder, names, table};
use cloth_sim::program::print;

/// Divides the cloth by each method and for each number of ranks. Prints the measures, and writes
/// tables.
///
/// # Errors
/// No scene and no run, more ranks than patches, a folder that cannot be written or holds files
/// that would be replaced.
pub fn partition(arguments: &PartitionArguments) -> Result<()> {
    // 1. The cloth, and the folder for tables.
    let cloth = DividedCloth::read(arguments)?;
    let ranks = cloth.ranks(&arguments.ranks)?;
    let methods = methods(&arguments.methods);
    let folder = arguments.out.as_ref().unwrap_or(&cloth.default_out);
    let folder = OutFolder::claim(folder, arguments.overwrite, &cloth.inputs)?;
    // 2. The divisions and their measures.
    let pairs = ranks.iter().flat_map(|&ranks| methods.iter().map(move |&method| (method, ranks)));
    let divisions = pairs.map(|(method, ranks)| Division::new(&cloth, method, ranks));
    let divisions = divisions.collect::<Result<Vec<_>>>()?;
    print::line(format_args!("{}\n", cloth.describe()))?;
    print::line(table::text(&divisions))?;
    // 3. Tables.
    folder.clear()?;
    folder.write(names::TABLE, &table::measures(&divisions))?;
    folder.write(names::RANKS, &table::ranks(&divisions))?;
    let patches = &cloth.model.partition.patches;
    folder.write(names::OWNERS, &table::owners(patches, &divisions))?;
    print::line(format_args!(
        "  folder    {}\n  tables    {} (this one), {} (each rank), {} (each vertex)",
        folder.path().display(),
        names::TABLE,
        names::RANKS,
        names::OWNERS,
    ))
}

/// The methods that are asked for, each once, in the order of [`Method::ALL`].
fn methods(wanted: &[Methods]) -> Vec<Method> {
    let is_wanted = |method: &Method| {
        wanted.iter().any(|it| *it == Methods::All || *it == Methods::One(*method))
    };
    Method::ALL.into_iter().filter(is_wanted).collect()
}

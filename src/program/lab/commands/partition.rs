//! The subcommand `partition`: divides a cloth among ranks by several methods.

use cloth_sim::error::Result;
use cloth_sim::partition::methods::Method;

use crate::program::lab::cli::{Methods, PartitionArguments};
use crate::program::lab::partitions::{
    self, DividedCloth, Division, OutFolder, View, names, table,
};
use crate::program::print;
use crate::program::profile::png;
use crate::program::words::plural;

/// Divides the cloth by each method and for each number of ranks. Prints the measures, and writes
/// tables and pictures.
///
/// # Errors
/// No scene and no run, more ranks than patches, a folder that cannot be written or holds files
/// that would be replaced.
pub fn partition(arguments: &PartitionArguments) -> Result<()> {
    // 1. The cloth, and the folder for tables and pictures.
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
    ))?;
    // 4. Pictures.
    if png::MISSING.is_some() {
        png::say_if_missing();
        return Ok(());
    }
    let view = View::new(&cloth.model.initial, &cloth.faces);
    for division in &divisions {
        partitions::draw(&cloth, &view, division, folder.path())?;
    }
    partitions::draw_overview(&cloth, &view, &divisions, folder.path())?;
    print::line(format_args!(
        "  pictures  {} (all), and {} of single divisions",
        names::OVERVIEW,
        plural(divisions.len(), "picture")
    ))
}

/// The methods that are asked for, each once, in the order of [`Method::ALL`].
fn methods(wanted: &[Methods]) -> Vec<Method> {
    let is_wanted = |method: &Method| {
        wanted.iter().any(|it| *it == Methods::All || *it == Methods::One(*method))
    };
    Method::ALL.into_iter().filter(is_wanted).collect()
}

//! The measures of divisions as text and as CSV files.

use std::fmt::Write;

use cloth_core::partition::Patches;

use crate::partitions::Division;
use cloth_sim::program::words::{grouped, plural};

/// A row for each division, and what the columns mean.
pub fn text(divisions: &[Division]) -> String {
    let mut text = format!(
        "  {:>5}  {:<14}  {:>10}  {:>13}  {:>9}  {:>9}  {:>6}  {:>8}\n",
        "ranks", "method", "load index", "surface index", "cut", "ghosts", "pieces", "time, ms"
    );
    let mut ranks = None;
    for division in divisions {
        if ranks.replace(division.ranks.len()).is_some_and(|above| above != division.ranks.len()) {
            text += "\n";
        }
        let _ = writeln!(
            text,
            "  {:>5}  {:<14}  {:>10.4}  {:>13.4}  {:>9}  {:>9}  {:>6}  {:>8.2}",
            division.ranks.len(),
            division.method.name(),
            division.load_index,
            division.surface_index,
            grouped(division.cut),
            grouped(division.ghosts() as u64),
            division.most_pieces(),
            1e3 * division.time_s
        );
    }
    text += "\n  \
        load index     largest distance of a rank's vertices from the equal share, over the share\n  \
        surface index  ghosts over own vertices, the largest of all ranks\n  \
        cut            coupled pairs of vertices that have two owners\n  \
        ghosts         vertices of others that a rank receives in an exchange, sum of all ranks\n  \
        pieces         connected parts of what a rank owns, the most of all ranks\n  \
        time           processor time of the method, one call\n";
    for division in divisions.iter().filter(|division| division.idle_ranks() > 0) {
        let _ = writeln!(
            text,
            "\nnote: {} leaves {} of {} without a patch",
            division.method.name(),
            division.idle_ranks(),
            plural(division.ranks.len(), "rank")
        );
    }
    text + &few_patches(divisions)
}

/// With fewer patches for each rank than this, shares can be uneven with any method.
const ENOUGH_PATCHES: usize = 8;
const UNEVEN: f64 = 0.05;

/// A remark if there are too few patches for even shares.
fn few_patches(divisions: &[Division]) -> String {
    let patches = |it: &Division| it.ranks.iter().map(|share| share.patches).sum::<usize>();
    let is_uneven =
        |it: &&Division| it.load_index > UNEVEN && patches(it) < ENOUGH_PATCHES * it.ranks.len();
    let Some(first) = divisions.iter().find(is_uneven) else { return String::new() };
    format!(
        "\nnote: {} are few for {}. Smaller ones can be shared more evenly: try --set patch_vertices=64.\n\
         The frames of a run depend on patch_vertices, but not on method and ranks.\n",
        plural(patches(first), "patch"),
        plural(first.ranks.len(), "rank")
    )
}

/// The table as CSV, with exact numbers.
pub fn measures(divisions: &[Division]) -> String {
    let mut text =
        String::from("method,ranks,load_index,surface_index,cut,ghosts,most_pieces,time_s\n");
    for division in divisions {
        let Division { method, ranks, load_index, surface_index, cut, time_s, .. } = division;
        let (ghosts, pieces) = (division.ghosts(), division.most_pieces());
        let _ = writeln!(
            text,
            "{},{},{load_index},{surface_index},{cut},{ghosts},{pieces},{time_s}",
            method.name(),
            ranks.len()
        );
    }
    text
}

/// A row for each rank of each division.
pub fn ranks(divisions: &[Division]) -> String {
    let mut text = String::from("method,ranks,rank,patches,vertices,ghosts,neighbours,pieces\n");
    for division in divisions {
        for (rank, share) in division.ranks.iter().enumerate() {
            let _ = writeln!(
                text,
                "{},{},{rank},{},{},{},{},{}",
                division.method.name(),
                division.ranks.len(),
                share.patches,
                share.vertices,
                share.ghosts,
                share.neighbours,
                share.pieces
            );
        }
    }
    text
}

/// A row for each vertex: its patch, and its rank in each division.
pub fn owners(patches: &Patches, divisions: &[Division]) -> String {
    let mut text = String::from("vertex,patch");
    for division in divisions {
        let _ = write!(text, ",{}_{}", division.method.name(), division.ranks.len());
    }
    text.push('\n');
    for (vertex, patch) in patches.of_vertex.iter().enumerate() {
        let _ = write!(text, "{vertex},{patch}");
        for division in divisions {
            let _ = write!(text, ",{}", division.rank_of_vertex[vertex]);
        }
        text.push('\n');
    }
    text
}

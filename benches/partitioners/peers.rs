//! Cells for other programs (`benches/peers/partitioners.cpp`), and measures of what they made.

use std::fs::{File, read};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cloth_sim::partition::{Buckets, measures};

use crate::Plan;
use crate::cases::{Course, Domain, moving_cases};
use crate::shapes::Still;

const FOLDER: &str = "out/partitioner_peers";

/// The methods of `benches/peers/partitioners.cpp`.
const METHODS: [&str; 6] =
    ["metis-kway", "metis-recursive", "scotch", "scotch-remap", "rcb", "hsfc"];

/// Cases with their names: one frame if nothing moves.
fn cases(plan: &Plan, ranks: usize) -> Vec<(&'static str, Vec<Buckets>)> {
    let still = Still::ALL.map(|shape| (shape.name(), vec![shape.buckets(plan.per_rank * ranks)]));
    // As in docs/partitioning.md: moving cases have fewer cells.
    still.into_iter().chain(moving_cases(plan.per_rank / 4, ranks)).collect()
}

fn path(case: &str, ranks: usize, frame: usize) -> PathBuf {
    let case = case.replace(' ', "-");
    PathBuf::from(FOLDER).join(format!("{case}_{ranks}_{frame:02}.cells"))
}

/// Writes the cells of all cases.
pub fn export(plan: &Plan) {
    std::fs::create_dir_all(FOLDER).expect("a folder");
    for &ranks in &plan.ranks {
        for (case, frames) in cases(plan, ranks) {
            for (frame, buckets) in frames.iter().enumerate() {
                let file = File::create(path(case, ranks, frame)).expect("a file");
                write(buckets, BufWriter::new(file)).expect("cells are written");
            }
        }
    }
}

fn write(buckets: &Buckets, mut file: impl Write) -> std::io::Result<()> {
    file.write_all(&buckets.spacing_m.to_le_bytes())?;
    file.write_all(&(buckets.len() as u64).to_le_bytes())?;
    for number in buckets.cells().as_flattened() {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()
}

/// What a peer made of a frame: processor time of graph and method (s), and the parts.
fn parts(case: &str, ranks: usize, frame: usize, method: &str) -> Option<([f64; 2], Vec<u32>)> {
    let mut path = path(case, ranks, frame).into_os_string();
    path.push(format!(".{method}.parts"));
    let bytes = read(path).ok()?;
    let number = |at: usize| f64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8"));
    let part = |four: &[u8]| u32::from_le_bytes(four.try_into().expect("4"));
    Some(([number(0), number(1)], bytes[16..].chunks_exact(4).map(part).collect()))
}

/// Prints the tables of all parts that are there.
pub fn judge(plan: &Plan) {
    println!(
        "| case | ranks | method | worst load | mean surface | mean temporal | mean processor time, s | graph, s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &ranks in &plan.ranks {
        for (case, frames) in cases(plan, ranks) {
            let domains: Vec<Domain> = frames.into_iter().map(Domain::new).collect();
            for method in METHODS {
                judge_one(case, &domains, ranks, method);
            }
        }
    }
}

fn judge_one(case: &str, domains: &[Domain], ranks: usize, method: &str) {
    let mut course = Course::default();
    let mut graph = 0.0;
    let mut last: Option<(&Domain, Vec<u32>)> = None;
    for (frame, domain) in domains.iter().enumerate() {
        let Some(([graph_s, time_s], part_of)) = parts(case, ranks, frame, method) else { return };
        assert_eq!(part_of.len(), domain.centres.len(), "export with the same numbers");
        let before =
            last.as_ref().map(|(earlier, part_of)| domain.extended(earlier, part_of, ranks));
        course.add(domain, before.as_deref(), (&part_of, time_s), ranks);
        graph += graph_s;
        last = Some((domain, part_of));
    }
    let Some((domain, part_of)) = last else { return };
    let graph = graph / domains.len() as f64;
    let pieces = measures::connected_pieces(&domain.graph, &part_of, ranks);
    let most = pieces.iter().max().unwrap_or(&0);
    println!("| {case} | {ranks} | {method} | {} | {graph:.3} | {most} |", course.columns());
}

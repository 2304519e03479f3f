//! Partitioners on the shapes of Wretborn 2026: measures, times and memory.
//!
//! `cargo bench --bench partitioners -- WHAT [cells per rank] [ranks] [methods]`, for example
//! `still 70000 2,4,8 Power,Hilbert`. A method is chosen by a part of its name.
//!
//! | what | |
//! |---|---|
//! | `still` | River, Plume and Waves |
//! | `moving` | the turning box and the splash, 24 frames |
//! | `turning` | the turning box at several speeds |
//! | `scaling` | time against cells and ranks; the first number is the cells of all ranks |
//! | `memory` | memory of each method |
//! | `rounds` | load index after each Lloyd round (figure 5) |
//! | `pictures` | River, Plume, Waves and the box in the colours of the ranks |
//! | `export`, `judge` | writes cells for `benches/peers/partitioners.sh`; measures what it made |

mod cases;
mod peers;
mod pictures;
mod shapes;
mod tables;

use cloth_sim::partition::methods::{Hilbert, Metis, MetisKind, Partitioner, Power, PowerSettings};

/// A method with its name in the tables.
type Named = (&'static str, Box<dyn Partitioner>);

/// What is measured, and how much of it.
#[derive(Debug)]
struct Plan {
    per_rank: usize,
    ranks: Vec<usize>,
    /// Parts of the names of methods; all if empty.
    chosen: Vec<String>,
}

impl Plan {
    /// The methods that were asked for, without memory of earlier calls.
    fn methods(&self) -> Vec<Named> {
        let all: Vec<Named> = vec![
            ("METIS k-way", Box::new(Metis { kind: MetisKind::KWay })),
            ("METIS recursive", Box::new(Metis { kind: MetisKind::Recursive })),
            ("Hilbert", Box::new(Hilbert)),
            ("Power, published", power(published)),
            ("Power", power(|_| ())),
        ];
        let wanted = |name: &str| {
            self.chosen.is_empty() || self.chosen.iter().any(|part| part == name || part == "all")
        };
        all.into_iter().filter(|(name, _)| wanted(name)).collect()
    }
}

fn main() {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let list = |at: usize| -> Vec<String> {
        let text = arguments.get(at).map_or("", String::as_str);
        text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let ranks: Vec<usize> = list(2).iter().map(|rank| rank.parse().expect("ranks")).collect();
    let plan = Plan {
        per_rank: arguments.get(1).map_or(7_000, |text| text.parse().expect("cells per rank")),
        ranks: if ranks.is_empty() { vec![2, 4, 8, 16, 32] } else { ranks },
        chosen: list(3),
    };
    match arguments.first().map_or("still", String::as_str) {
        "still" => tables::still(&plan),
        "moving" => tables::moving(&plan),
        "turning" => tables::turning(&plan),
        "scaling" => tables::scaling(&plan),
        "memory" => tables::memory(&plan),
        "rounds" => tables::rounds(&plan),
        "pictures" => pictures::pictures(&plan),
        "export" => peers::export(&plan),
        "judge" => peers::judge(&plan),
        other => panic!(
            "{other} is none of still, moving, turning, scaling, memory, rounds, pictures, export, judge"
        ),
    }
}

fn power(change: impl FnOnce(&mut PowerSettings)) -> Box<Power> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut settings = PowerSettings { threads, ..PowerSettings::default() };
    change(&mut settings);
    Box::new(Power::new(settings).expect("threads"))
}

/// Power as in the paper: one random start, offsets of a whole cell, Sinkhorn iterations alone.
fn published(settings: &mut PowerSettings) {
    settings.starts = 0;
    settings.offset = 1.0;
    settings.newton_steps = 0;
    settings.iterations = 2000;
    settings.calm = false;
    settings.far_limit = f64::INFINITY;
    settings.overflow = 1e-12;
}

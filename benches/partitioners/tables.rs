//! The tables of docs/partitioning.md.

use cloth_sim::partition::measures;
use cloth_sim::partition::methods::{Metis, Partitioner, named_after};

use crate::cases::{Call, Course, Domain, box_spacing, moving_cases};
use crate::shapes::{Still, turned_box};
use crate::{Named, Plan, power};

/// A modelled Poisson solve: sweeps,
const SWEEPS: f64 = 100.0;
/// time of a sweep over an own cell (8^3 voxels, 1 ns each), s,
const CELL_S: f64 = 0.5e-6;
/// time to receive a ghost cell (2 kB at 20 Gb/s), s,
const GHOST_S: f64 = 0.8e-6;
/// and of a message, s.
const MESSAGE_S: f64 = 0.2e-3;

/// The modelled time of a Poisson solve, s.
fn poisson_s(cells: usize, ranks: usize, load: f64, surface: f64) -> f64 {
    let own = cells as f64 / ranks as f64 * (1.0 + load);
    SWEEPS * (own * (CELL_S + surface * GHOST_S) + MESSAGE_S)
}

/// The fastest of up to three first calls, as long as they are short.
fn best_call(plan: &Plan, domain: &Domain, at: usize, ranks: usize) -> Call {
    let mut best: Option<Call> = None;
    for _ in 0..3 {
        let (_, mut method) = plan.methods().swap_remove(at);
        let call = domain.call(&mut *method, ranks);
        let long = call.wall_s > 2.0;
        best = Some(match best {
            Some(before) => Call {
                wall_s: before.wall_s.min(call.wall_s),
                processor_s: before.processor_s.min(call.processor_s),
                part_of: call.part_of,
            },
            None => call,
        });
        if long {
            break;
        }
    }
    best.expect("a call")
}

pub fn still(plan: &Plan) {
    println!(
        "| shape | ranks | cells | method | load | surface | pieces | wall, s | processor, s | graph, s | Poisson, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for shape in Still::ALL {
        for &ranks in &plan.ranks {
            let domain = Domain::new(shape.buckets(plan.per_rank * ranks));
            let cells = domain.centres.len();
            for (at, (name, _)) in plan.methods().into_iter().enumerate() {
                let call = best_call(plan, &domain, at, ranks);
                let pieces = measures::connected_pieces(&domain.graph, &call.part_of, ranks);
                let load = measures::load_index(&call.part_of, &domain.weights, ranks);
                let surface = measures::surface_index(&domain.graph, &call.part_of, ranks);
                let graph_s = if name.starts_with("METIS") { domain.graph_s } else { 0.0 };
                println!(
                    "| {} | {ranks} | {cells} | {name} | {load:.4} | {surface:.4} | {} | {:.3} | {:.3} | {graph_s:.3} | {:.2} |",
                    shape.name(),
                    pieces.iter().max().unwrap_or(&0),
                    call.wall_s,
                    call.processor_s,
                    poisson_s(cells, ranks, load, surface),
                );
            }
        }
    }
}

pub fn moving(plan: &Plan) {
    heading("case");
    for &ranks in &plan.ranks {
        for (case, frames) in moving_cases(plan.per_rank, ranks) {
            let domains: Vec<Domain> = frames.into_iter().map(Domain::new).collect();
            moving_case(plan, case, &domains, ranks);
        }
    }
}

/// How much the speed of the box matters.
pub fn turning(plan: &Plan) {
    heading("degrees a frame");
    for &ranks in &plan.ranks {
        let spacing = box_spacing(plan.per_rank * ranks);
        for turn_deg in [2.5, 5.0, 10.0, 15.0] {
            let turn = |frame: u32| turned_box(spacing, turn_deg * f64::from(frame));
            let domains: Vec<Domain> = (0..12).map(|frame| Domain::new(turn(frame))).collect();
            moving_case(plan, &turn_deg.to_string(), &domains, ranks);
        }
    }
}

fn heading(first: &str) {
    println!(
        "| {first} | ranks | method | worst load | mean surface | mean temporal | mean processor time, s |"
    );
    println!("|---|---|---|---|---|---|---|");
}

fn moving_case(plan: &Plan, case: &str, domains: &[Domain], ranks: usize) {
    for (name, mut method) in plan.methods() {
        let mut course = Course::default();
        // The same parts with the numbers of the ranks that had most of them.
        let mut renamed = Course::default();
        let mut last: Option<(&Domain, Vec<u32>)> = None;
        let mut last_renamed: Option<Vec<u32>> = None;
        for domain in domains {
            let call = domain.call(&mut *method, ranks);
            let extended = |part_of: &[u32]| {
                last.as_ref().map(|(earlier, _)| domain.extended(earlier, part_of, ranks))
            };
            let before = last.as_ref().and_then(|(_, part_of)| extended(part_of));
            course.add(domain, before.as_deref(), (&call.part_of, call.processor_s), ranks);
            let before = last_renamed.as_ref().and_then(|part_of| extended(part_of));
            let named = match &before {
                Some(before) => named_after(before, &call.part_of, &domain.weights, ranks),
                None => call.part_of.clone(),
            };
            renamed.add(domain, before.as_deref(), (&named, call.processor_s), ranks);
            last = Some((domain, call.part_of));
            last_renamed = Some(named);
        }
        println!("| {case} | {ranks} | {name} | {} |", course.columns());
        if name.starts_with("METIS") {
            println!("| {case} | {ranks} | {name}, renamed | {} |", renamed.columns());
        }
    }
}

/// Processor time against cells and against ranks.
pub fn scaling(plan: &Plan) {
    println!(
        "| cells | ranks | Power, first call, s | its wall time, s | Power, next call, s | load | Hilbert, s | METIS k-way, s | graph, s | Poisson, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let cells = [125_000, 250_000, 500_000, 1_000_000, 2_000_000].map(|cells| (cells, 32));
    let ranks = [8, 16, 64, 128, 256, 512, 1024].map(|ranks| (500_000, ranks));
    let with_metis = plan.chosen.is_empty();
    for (cells, ranks) in cells.into_iter().chain(ranks) {
        let domain = Domain::new(Still::Waves.buckets(cells));
        let (mut first, mut wall, mut next) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut part_of = Vec::new();
        for _ in 0..3 {
            let mut own = power(|settings| settings.calm = false);
            let call = domain.call(&mut *own, ranks);
            first = first.min(call.processor_s);
            wall = wall.min(call.wall_s);
            next = next.min(domain.call(&mut *own, ranks).processor_s);
            part_of = call.part_of;
        }
        let load = measures::load_index(&part_of, &domain.weights, ranks);
        let surface = measures::surface_index(&domain.graph, &part_of, ranks);
        let hilbert = domain.call(&mut cloth_sim::partition::methods::Hilbert, ranks).processor_s;
        let metis =
            if with_metis { domain.call(&mut Metis::default(), ranks).processor_s } else { 0.0 };
        let count = domain.centres.len();
        println!(
            "| {count} | {ranks} | {first:.3} | {wall:.3} | {next:.3} | {load:.4} | {hilbert:.3} | {metis:.3} | {:.3} | {:.2} |",
            domain.graph_s,
            poisson_s(count, ranks, load, surface),
        );
    }
}

/// Memory that a method takes beyond the problem: each in its own process, since memory that was
/// freed stays in a process.
pub fn memory(plan: &Plan) {
    if plan.chosen.len() == 1 {
        let cells = plan.per_rank * plan.ranks[0];
        let domain = Domain::new(Still::Waves.buckets(cells));
        let before = resident("VmRSS");
        std::fs::write("/proc/self/clear_refs", "5").expect("the peak is set back");
        let (name, mut method): Named = plan.methods().swap_remove(0);
        let call = domain.call(&mut *method, plan.ranks[0]);
        let bytes = (resident("VmHWM") - before) * 1024.0 / domain.centres.len() as f64;
        println!("| {} | {} | {name} | {bytes:.0} |", call.part_of.len(), plan.ranks[0]);
        return;
    }
    println!("| cells | ranks | method | memory at most, bytes a cell |");
    println!("|---|---|---|---|");
    let own = std::env::current_exe().expect("this program");
    for ranks in &plan.ranks {
        for (name, _) in plan.methods() {
            let mut child = std::process::Command::new(&own);
            child.args(["memory", &plan.per_rank.to_string(), &ranks.to_string(), name]);
            assert!(child.status().expect("a process").success(), "{name}");
        }
    }
}

/// A field of `/proc/self/status`, KiB.
fn resident(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with(field)).expect("a field");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

/// Figure 5: a box of about 10,000 cells a rank; ten Lloyd rounds, whatever the load index.
pub fn rounds(plan: &Plan) {
    println!("| method | ranks | load index after round 1, 2, .. |");
    println!("|---|---|---|");
    for as_published in [true, false] {
        let name = if as_published { "Power, published" } else { "Power" };
        for &ranks in &plan.ranks {
            let side = (10_000.0 * ranks as f64).cbrt() as i32;
            let cells = (0..side * side * side)
                .map(|i| [i % side, i / side % side, i / (side * side)])
                .collect();
            let domain = Domain::new(cloth_sim::partition::Buckets::new(1.0, cells));
            let mut method = power(|settings| {
                if as_published {
                    crate::published(settings);
                }
                settings.load_tolerance = 1e-12;
            });
            method.partition(&domain.problem(), ranks).expect("a partition");
            let loads: Vec<String> =
                method.rounds().iter().map(|round| format!("{:.4}", round.load_index)).collect();
            println!("| {name} | {ranks} | {} |", loads.join(", "));
        }
    }
}

//! The tables.

use cloth_sim::rigid::Phase;
use cloth_sim::rigid::Synchronisation;

use crate::measure::{Measured, Run, measure};
use crate::plan::Plan;
use crate::scenes::Scene;

const BOTH: [(&str, Synchronisation); 2] =
    [("next", Synchronisation::NextNeighbour), ("shadow", Synchronisation::ShadowOwner)];

/// One scene.
pub fn speed(plan: &Plan) {
    let scene = plan.scene(plan.get("count", 100_000));
    let measured = plan.fastest(&scene, &plan.run(20, 100));
    println!(
        "| scene | bodies | cores | 10^6 updates/s/core | contacts/body | overlap/radius | energy |"
    );
    println!("|---|---|---|---|---|---|---|");
    println!("{}", speed_row(scene.name, &measured));
    println!("{}", phases_row(&measured));
    let rows = [
        ("scene", scene.name.to_owned()),
        ("bodies", measured.bodies.to_string()),
        ("cores", measured.cores.to_string()),
        ("pupcs", measured.updates_per_s().to_string()),
        ("overlap", measured.overlap.to_string()),
    ];
    plan.record("speed", &rows);
}

fn speed_row(name: &str, measured: &Measured) -> String {
    let [before, after] = measured.energy;
    format!(
        "| {name} | {} | {} | {:.2} | {:.2} | {:.4} | {:.5} |",
        measured.bodies,
        measured.cores,
        measured.updates_per_s() * 1e-6,
        measured.contacts / measured.bodies as f64,
        measured.overlap,
        after / before,
    )
}

/// Nanoseconds of a body in each phase.
fn phases_row(measured: &Measured) -> String {
    let updates = f64::from(measured.steps) * measured.bodies as f64 / measured.cores as f64;
    let names = ["forces", "motion", "synchronisation", "contacts", "response"];
    let parts = names.iter().zip(measured.phases_s);
    let parts: Vec<_> = parts.map(|(name, s)| format!("{name} {:.0}", s / updates * 1e9)).collect();
    format!("ns a body: {}", parts.join(", "))
}

/// Cost of a body against their number.
pub fn sizes(plan: &Plan) {
    println!("| bodies | ns a body | ratio |");
    println!("|---|---|---|");
    let mut first = None;
    for count in [1_000, 10_000, 100_000, 1_000_000] {
        let scene = plan.scene(count);
        let steps = (20_000_000 / count).clamp(20, 2_000) as u32;
        let measured = plan.fastest(&scene, &plan.run(20, steps));
        let cost = 1e9 / measured.updates_per_s();
        let ratio = cost / *first.get_or_insert(cost);
        println!("| {} | {cost:.0} | {ratio:.2} |", measured.bodies);
        let (bodies, cost) = (measured.bodies.to_string(), cost.to_string());
        let scene = scene.name.to_owned();
        plan.record("sizes", &[("scene", scene), ("bodies", bodies), ("ns", cost)]);
    }
}

/// The same spheres on grids of one, two and three dimensions: time of all ranks on processors.
/// Published: 266 : 390 : 545 s for 15,625 spheres a process, because each neighbour gets a message
/// of its own.
pub fn strong(plan: &Plan) {
    let along = plan.get("along", 32);
    let scene = plan.with_response(Scene::sparse([along; 3]));
    println!("| ranks | grid | s | ratio | messages/rank | kB/rank | copies/body |");
    println!("|---|---|---|---|---|---|---|");
    for grids in [[[8, 1, 1], [4, 2, 1], [2, 2, 2]], [[27, 1, 1], [9, 3, 1], [3, 3, 3]]] {
        let mut first = None;
        for (grid, dimensions) in grids.into_iter().zip(1..) {
            let ranks = grid.iter().product::<u32>() as usize;
            let run = Run { grid, ranks, ..plan.run(60, 50) };
            let measured = plan.fastest(&scene, &run);
            let seconds = measured.processor_s;
            let ratio = seconds / *first.get_or_insert(seconds);
            println!(
                "| {ranks} | {dimensions}D | {seconds:.2} | {ratio:.2} | {:.1} | {:.0} | {:.3} |",
                measured.messages,
                measured.bytes * 1e-3,
                measured.copies as f64 / measured.bodies as f64
            );
            let row = [
                ("ranks", ranks.to_string()),
                ("dimensions", dimensions.to_string()),
                ("seconds", seconds.to_string()),
                ("ratio", ratio.to_string()),
            ];
            plan.record("strong", &row);
        }
    }
}

/// Messages and bytes of one rank in a step while the number of ranks grows: each has one subdomain
/// with as many spheres.
pub fn weak(plan: &Plan) {
    println!("| method | ranks | messages/rank | kB/rank | copies/rank | bodies |");
    println!("|---|---|---|---|---|---|");
    let along = plan.get("along", 6);
    for (name, synchronisation) in BOTH {
        for blocks in [2, 3, 4, 5, 6, 8] {
            let ranks = (blocks as usize).pow(3);
            let scene = plan.with_response(Scene::sparse([blocks * along; 3]));
            let run = Run { grid: [blocks; 3], ranks, synchronisation, ..plan.run(60, 20) };
            let measured = measure(&scene, &run).expect("a run");
            let copies = measured.copies as f64 / ranks as f64;
            println!(
                "| {name} | {ranks} | {:.1} | {:.1} | {copies:.0} | {} |",
                measured.messages,
                measured.bytes * 1e-3,
                measured.bodies
            );
            let row = [
                ("method", name.to_owned()),
                ("ranks", ranks.to_string()),
                ("messages", measured.messages.to_string()),
                ("bytes", measured.bytes.to_string()),
            ];
            plan.record("weak", &row);
        }
    }
}

/// Shadow owners over next neighbours, and the share of synchronisation in a step. Published: 0.83
/// and 25 % sparse, about 0.9 and 7 % dense.
pub fn methods(plan: &Plan) {
    println!("| scene | method | bodies | 10^6 updates/s/core | over next | synchronisation |");
    println!("|---|---|---|---|---|---|");
    let blocks = plan.get("blocks", 2);
    let sparse = Scene::sparse([20 * blocks, 20, 20]);
    let dense = Scene::dense([20 * blocks, 10, 20]);
    for scene in [sparse, dense].map(|scene| plan.with_response(scene)) {
        let run = |synchronisation| Run {
            grid: [blocks, 1, 1],
            ranks: 2,
            synchronisation,
            ..plan.run(60, 50)
        };
        // In turn, so that both meet the same load of the machine.
        let mut best = [None::<Measured>; 2];
        for _ in 0..plan.get("repeat", 3) {
            for (best, (_, method)) in best.iter_mut().zip(BOTH) {
                let measured = measure(&scene, &run(method)).expect("a run");
                if best.is_none_or(|best| measured.processor_s < best.processor_s) {
                    *best = Some(measured);
                }
            }
        }
        let next_s = best[0].map_or(f64::NAN, |next| next.processor_s);
        for (measured, (name, _)) in best.into_iter().flatten().zip(BOTH) {
            let (ratio, share) =
                (next_s / measured.processor_s, measured.share(Phase::Synchronisation as usize));
            let updates = f64::from(measured.steps) * measured.bodies as f64;
            println!(
                "| {} | {name} | {} | {:.2} | {ratio:.2} | {:.1} % |",
                scene.name,
                measured.bodies,
                updates / measured.processor_s * 1e-6,
                100.0 * share
            );
            let row = [
                ("scene", scene.name.to_owned()),
                ("method", name.to_owned()),
                ("ratio", ratio.to_string()),
                ("share", share.to_string()),
            ];
            plan.record("methods", &row);
        }
    }
}

/// A sphere that reaches into most of 64 subdomains.
pub fn large(plan: &Plan) {
    let scene = plan.with_response(Scene::large());
    for (name, synchronisation) in BOTH {
        let run = Run { grid: [4; 3], ranks: 8, synchronisation, ..plan.run(60, 50) };
        match measure(&scene, &run) {
            Err(error) => println!("{name}: {error}"),
            Ok(measured) => println!(
                "{name}: {} bodies, {} copies, {} contacts/step, {:.1} messages and {:.1} kB a rank and \
                 step, {:.2} 10^6 updates/s",
                measured.bodies,
                measured.copies,
                measured.contacts,
                measured.messages,
                measured.bytes * 1e-3,
                f64::from(measured.steps) * measured.bodies as f64 / measured.processor_s * 1e-6,
            ),
        }
    }
}

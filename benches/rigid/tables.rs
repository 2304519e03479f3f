//! The tables.

use cloth_sim::rigid::step::Phase;
use cloth_sim::rigid::sync::Synchronisation;

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
pub fn strong(_: &Plan) {}
pub fn weak(_: &Plan) {}
pub fn methods(_: &Plan) {}
pub fn large(_: &Plan) {}

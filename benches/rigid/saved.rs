//! What it costs to save the state, to go on from it, and to hash it.

use std::time::Instant;

use cloth_sim::ranks::in_process;
use cloth_sim::rigid::RigidSimulation;
use cloth_sim::rigid::simulation::shared_out;

use crate::plan::Plan;

/// Saves and restores the state of one scene on its ranks.
pub fn saved(plan: &Plan) {
    let (scene, run) = (plan.scene(plan.get("count", 1_000_000)), plan.run(2, 1));
    let model = scene.model(run.grid, run.synchronisation);
    let rows = in_process::run(run.ranks, |world| {
        let rank_of = shared_out(model.subdomains.count(), run.ranks);
        let bodies = scene.bodies();
        let mut simulation =
            RigidSimulation::new(model.clone(), rank_of, bodies, world, run.threads)?;
        for _ in 0..run.warm_up {
            simulation.step()?;
        }
        let start = Instant::now();
        simulation.step()?;
        let step = start.elapsed();
        let start = Instant::now();
        let mut bytes = simulation.save()?;
        let saved = start.elapsed();
        let length = bytes.len();
        world.broadcast(0, &mut bytes)?;
        let start = Instant::now();
        let hash = simulation.hash()?;
        let hashed = start.elapsed();
        let start = Instant::now();
        simulation.restore(&bytes)?;
        let restored = start.elapsed();
        assert_eq!(simulation.hash()?, hash);
        Ok((length, [step, saved, restored, hashed].map(|time| time.as_secs_f64())))
    });
    let rows = rows.expect("a run");
    let (length, [step, saved, restored, hashed]) = rows[0];
    println!(
        "{}: {:.1} MB; step {step:.3} s, save {saved:.3} s, restore {restored:.3} s, hash {hashed:.3} s",
        scene.name,
        length as f64 * 1e-6,
    );
}

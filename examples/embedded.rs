//! A simulation that is kept in a struct of your own: it steps, saves its state, and goes on from
//! it to the same bits.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::engine::Engine;
use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::{Model, Simulation, scene};

/// A towel on a peg. The simulation owns its world of one rank, so it borrows nothing.
struct Towel {
    simulation: Simulation<'static>,
    saved: Vec<u8>,
}

impl Towel {
    fn new() -> cloth_sim::Result<Self> {
        let text = r#"(cloths: [(
            shape: Sheet(width_m: 0.3, length_m: 0.3, columns: 12, rows: 12),
            material: Fabric("cotton"),
        )],
        obstacles: [(shape: Sphere(radius_m: 0.05), transform: (translation_m: (0, -0.06, 0)))])"#;
        let scene = scene::complete(scene::parse(text, "towel.ron")?, Path::new("towel.ron"))?;
        let bodies = scene::build(&scene, Path::new("."))?;
        let model = Model::new(scene.settings(), bodies, |partition| partition(1))?;
        let simulation = Simulation::new(Arc::new(model), in_process::alone(), 1)?;
        Ok(Self { saved: simulation.save()?, simulation })
    }

    /// The lowest vertex after some steps.
    fn lowest_after(&mut self, steps: u64) -> cloth_sim::Result<Vec3> {
        for _ in 0..steps {
            self.simulation.step()?;
        }
        let by_height = |a: &&Vec3, b: &&Vec3| a.y.total_cmp(&b.y);
        let lowest = self.simulation.positions().iter().min_by(by_height);
        Ok(lowest.copied().unwrap_or_default())
    }

    fn save(&mut self) -> cloth_sim::Result<()> {
        self.saved = self.simulation.save()?;
        Ok(())
    }

    fn go_back(&mut self) -> cloth_sim::Result<()> {
        self.simulation.restore(&self.saved)
    }
}

/// What works with any engine: here, how far it is.
fn progress(engine: &impl Engine) -> String {
    format!("{}: step {}, {:.3} s", engine.kind(), engine.steps(), engine.time_s())
}

fn main() -> cloth_sim::Result<()> {
    let mut towel = Towel::new()?;
    towel.lowest_after(40)?;
    towel.save()?;
    println!("{}", progress(&towel.simulation));
    let (lowest, hash) = (towel.lowest_after(40)?, towel.simulation.hash()?);
    towel.go_back()?;
    assert_eq!((towel.lowest_after(40)?, towel.simulation.hash()?), (lowest, hash));
    assert!(lowest.y < -0.01);
    println!("{}: lowest vertex at {:.4} m, twice", progress(&towel.simulation), lowest.y);
    Ok(())
}

//! A scene, a model, two ranks, and a hook after each step: the tour of the library's
//! documentation.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::{Model, Simulation, scene};

fn main() -> cloth_sim::Result<()> {
    // 1. A scene: from a file with scene::load, or from text.
    let text = r#"(
    cloths: [(
        shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 8, rows: 8),
        material: Fabric("cotton"),
        pins: [(select: Box(min_m: (-1, -1, -0.11), max_m: (1, 1, -0.09)))],
    )],
    obstacles: [(shape: Sphere(radius_m: 0.03), transform: (translation_m: (0, -0.05, 0.05)))],
)"#;
    let here = Path::new("tour.ron"); // names the scene; meshes are sought beside it
    let scene = scene::complete(scene::parse(text, "tour.ron")?, here)?;

    // 2. Bodies, and what all ranks know alike.
    let bodies = scene::build(&scene, Path::new("."))?;
    let model = Arc::new(Model::new(scene.settings(), bodies, |partition| partition(2))?);

    // 3. Two ranks as threads of this process; under MPI a rank is a process.
    let lowest = in_process::run(2, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let mut lowest = f64::INFINITY;
        // 4. Steps, with a hook after each: here it watches the cloth and lifts its held edge.
        simulation.run(50, |simulation, report| {
            let heights = simulation.positions().iter().map(|x| x.y);
            lowest = heights.fold(lowest, f64::min);
            assert!(report.get(cloth_sim::step::Counter::Solves) > 0);
            let lifted: Vec<Vec3> =
                simulation.handle(0).iter().map(|x| x + Vec3::y() * 1e-4).collect();
            simulation.set_handle(0, &lifted)
        })?;
        assert!((simulation.handle(0)[0].y - 50.0 * 1e-4).abs() < 1e-12);
        Ok(lowest)
    })?;
    assert!(lowest[0] < -1e-3 && lowest[0] == lowest[1]);
    Ok(())
}

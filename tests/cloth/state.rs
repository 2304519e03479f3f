//! Room `step`: the saved state of cloth is complete. A saved simulation goes on with the same
//! bits on any number of ranks, and its hash covers each saved byte.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::error::Error;
use cloth_sim::ranks::in_process;
use cloth_sim::scene;
use cloth_sim::step::{Counter, Model, Simulation, StepReport};

/// About ten vertices with everything that a state has: contacts, pins that take hold late, and an
/// obstacle that comes too near to another one, so that it waits.
const SMALL: &str = r#"(
    frames: 10, steps_per_frame: 10, patch_vertices: 4,
    contact: (on_pinch: Hold),
    cloths: [(
        shape: Sheet(width_m: 0.1, length_m: 0.1, columns: 3, rows: 3),
        material: Fabric("cotton"), transform: (translation_m: (0, 0.005, 0)),
        pins: [(select: Nearest((-0.05, 0.005, -0.05)), start_s: 0.002)],
    )],
    obstacles: [
        (name: "floor", shape: Box(size_m: (0.3, 0.02, 0.3)), transform: (translation_m: (0, -0.0115, 0))),
        (name: "lid", shape: Box(size_m: (0.2, 0.02, 0.2)), transform: (translation_m: (0, 0.03, 0)),
            motion: (keyframes: [(time_s: 0), (time_s: 0.1, translation_m: (0, -0.06, 0))])),
    ],
)"#;

/// The model of a scene of the tests, or of a RON text, for `ranks` ranks.
fn model(scene: &str, ranks: usize) -> Arc<Model> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = if scene.ends_with(".ron") { home.join(scene) } else { home.join("small.ron") };
    let scene = match scene.ends_with(".ron") {
        true => scene::load(&path).unwrap(),
        false => scene::complete(scene::parse(scene, "small.ron").unwrap(), &path).unwrap(),
    };
    let setup = scene::build(&scene, path.parent().unwrap()).unwrap();
    Arc::new(Model::new(scene.settings(), setup, |build| build(ranks)).unwrap())
}

/// The state that a simulation of `scene` on `ranks` ranks saves before each of `steps` steps, and
/// the results after the step that do not depend on the number of ranks.
fn undisturbed(scene: &str, ranks: usize, steps: u64) -> Vec<(Vec<u8>, Mark)> {
    let model = model(scene, ranks);
    let ran = in_process::run(ranks, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let mut all = Vec::new();
        for _ in 0..steps {
            let saved = simulation.save()?;
            let report = simulation.step()?;
            all.push((saved, mark(&simulation, &report)));
        }
        Ok(all)
    });
    ran.unwrap().swap_remove(0)
}

/// The results after a step that do not depend on the number of ranks.
type Mark = (u64, u64, f64);

fn mark(simulation: &Simulation, report: &StepReport) -> Mark {
    (simulation.hash().unwrap(), report.get(Counter::CgIterations), report.energy_j)
}

/// Goes on from each saved state for `more` steps, on `ranks` ranks.
fn goes_on(scene: &str, ranks: usize, all: &[(Vec<u8>, Mark)], more: usize) {
    let model = model(scene, ranks);
    in_process::run(ranks, |world| {
        // The earlier steps of this simulation do not matter.
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(2, |_, _| Ok(()))?;
        for (step, (saved, _)) in all.iter().enumerate() {
            simulation.restore(saved)?;
            for (_, expected) in all[step..].iter().take(more) {
                let report = simulation.step()?;
                let (hash, iterations, energy_j) = mark(&simulation, &report);
                let same = (hash, iterations) == (expected.0, expected.1)
                    && energy_j.to_bits() == expected.2.to_bits();
                assert!(same, "{scene}, {ranks} ranks, from step {step}");
            }
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_saved_simulation_goes_on_with_the_same_bits_on_any_number_of_ranks() {
    let loads = "tests/scenes/loads.ron";
    for scene in [SMALL, "tests/scenes/layers.ron", "tests/scenes/rolling.ron", loads] {
        let all = undisturbed(scene, 2, 24);
        [1, 2, 3].into_iter().for_each(|ranks| goes_on(scene, ranks, &all, 3));
    }
}

/// What BDF2 knows of the last step is saved, also after a step that was divided.
#[test]
fn a_state_of_bdf2_goes_on_after_divided_steps() {
    let scene = "tests/scenes/bdf2.ron";
    let model = model(scene, 1);
    let divided = in_process::run(1, |world| {
        let (mut simulation, mut divided) = (Simulation::new(model.clone(), world, 1)?, 0);
        simulation.run(72, |_, report| {
            divided += u64::from(report.get(Counter::Fast) > 0);
            Ok(())
        })?;
        Ok(divided)
    });
    assert!(divided.unwrap()[0] > 0);
    let all = undisturbed(scene, 2, 72);
    [1, 2, 3].into_iter().for_each(|ranks| goes_on(scene, ranks, &all, 2));
}

#[test]
fn bodies_that_wait_go_on_too() {
    let scene = "tests/scenes/limbs.ron";
    goes_on(scene, 2, &undisturbed(scene, 1, 60), 2);
}

#[test]
fn the_hash_covers_each_byte_that_is_saved() {
    let all = undisturbed(SMALL, 1, 24);
    let (saved, _) = all.last().unwrap();
    let model = model(SMALL, 1);
    in_process::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.restore(saved)?;
        let hash = simulation.hash()?;
        assert!(!simulation.waiting().is_empty() && !simulation.state().contacts.is_empty());
        assert!(!simulation.handle(0).is_empty());
        // The last bytes are the owners of the patches, which change no result.
        let covered = saved.len() - 2 - model.partition.patches.len();
        let mut refused = 0;
        for (place, bit) in (0..covered).flat_map(|place| [0, 3, 7].map(|bit| (place, bit))) {
            let mut bytes = saved.clone();
            bytes[place] ^= 1 << bit;
            match simulation.restore(&bytes) {
                Ok(()) => assert_ne!(simulation.hash()?, hash, "bit {bit} of byte {place}"),
                Err(Error::Input { .. }) => refused += 1,
                Err(other) => panic!("byte {place}: {other}"),
            }
        }
        // Most bytes belong to numbers.
        assert!(refused < covered, "{refused} of {}", 3 * covered);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_state_of_another_scene_is_refused_and_nothing_changes() {
    let of_another = undisturbed("tests/scenes/layers.ron", 1, 1).swap_remove(0).0;
    let whole = undisturbed(SMALL, 1, 1).swap_remove(0).0;
    let model = model(SMALL, 1);
    in_process::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(3, |_, _| Ok(()))?;
        let hash = simulation.hash()?;
        let longer = [&*whole, &[0]].concat();
        for bytes in [&*of_another, &whole[..whole.len() - 1], &longer, &[]] {
            let error = simulation.restore(bytes).unwrap_err();
            assert!(error.to_string().contains("the saved state"), "{error}");
            assert_eq!(simulation.hash()?, hash);
        }
        Ok(())
    })
    .unwrap();
}

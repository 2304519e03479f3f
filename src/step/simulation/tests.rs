//! What a caller may set between two steps.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::ranks::in_process;
use crate::scene;
use crate::step::{Model, Simulation};

/// A sheet with a pin at each of three corners: one stays, one has a motion, one ends soon.
const PINNED: &str = r#"(
    steps_per_frame: 40,
    cloths: [(
        shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 4, rows: 4),
        material: Fabric("cotton"),
        pins: [
            (select: Nearest((-0.1, 0, -0.1))),
            (select: Nearest((0.1, 0, -0.1)), motion: (keyframes: [(time_s: 0)])),
            (select: Nearest((0.1, 0, 0.1)), end_s: 0.001),
        ],
    )],
)"#;

/// Calls `work` after three steps of the pinned sheet.
fn after_three_steps(work: impl Fn(&mut Simulation) -> Result<()> + Sync) {
    let parsed = scene::parse(PINNED, "pinned.ron").unwrap();
    let scene = scene::complete(parsed, Path::new("pinned.ron")).unwrap();
    let setup = scene::build(&scene, Path::new(".")).unwrap();
    let model = Model::new(scene.settings(), setup, |partition| partition(1)).unwrap();
    let model = Arc::new(model);
    let ran = in_process::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(3, |_, _| Ok(()))?;
        work(&mut simulation)
    });
    ran.unwrap();
}

fn is_refused(result: Result<()>, words: &str) -> bool {
    matches!(result, Err(Error::Input { cause, .. }) if cause.contains(words))
}

#[test]
fn a_handle_is_a_pin_that_holds_now_and_has_no_motion() {
    after_three_steps(|simulation| {
        let place = simulation.handle(0)[0];
        assert!(is_refused(simulation.set_handle(0, &[place; 2]), "does not hold 2 vertices"));
        assert!(is_refused(simulation.set_handle(1, &[place]), "motion of its own"));
        assert!(is_refused(simulation.set_handle(2, &[place]), "does not hold 1 vertices now"));
        assert!(is_refused(simulation.set_handle(3, &[]), "does not hold"));
        let nowhere = Vec3::new(0.0, f64::NAN, 0.0);
        assert!(is_refused(simulation.set_handle(0, &[nowhere]), "place 0 is not finite"));
        assert_eq!(simulation.handle(0), [place]);
        simulation.set_handle(0, &[place + Vec3::y() * 1e-4])?;
        simulation.step()?;
        assert!((simulation.positions()[0] - place).y > 0.9e-4);
        Ok(())
    });
}

#[test]
fn a_motion_has_a_position_and_a_velocity_for_each_vertex() {
    after_three_steps(|simulation| {
        let (x, v) = (simulation.positions().to_vec(), simulation.velocities().to_vec());
        assert!(is_refused(simulation.set_motion(&x[1..], &v), "24 vectors for 25 cloth vertices"));
        assert!(is_refused(simulation.set_motion(&x, &v[1..]), "24 vectors for 25 cloth vertices"));
        assert_eq!((simulation.positions(), simulation.velocities()), (&x[..], &v[..]));
        simulation.set_motion(&x, &v)
    });
}

//! What a caller may set between two steps.

use std::path::Path;
use std::sync::Arc;

use crate::{Measure, Model, Simulation};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::ranks::in_process;

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

/// Calls `work` after `steps` steps of the pinned sheet.
fn after_steps(steps: u64, work: impl Fn(&mut Simulation) -> Result<()> + Sync) {
    let parsed = cloth_scene::parse(PINNED, "pinned.ron").unwrap();
    let scene = cloth_scene::complete(parsed, Path::new("pinned.ron")).unwrap();
    let setup = cloth_scene::build(&scene, Path::new(".")).unwrap();
    let model = Model::new(scene.settings(), setup, |partition| partition(1)).unwrap();
    let model = Arc::new(model);
    let ran = in_process::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(steps, |_, _| Ok(()))?;
        work(&mut simulation)
    });
    ran.unwrap();
}

fn is_refused(result: Result<()>, words: &str) -> bool {
    matches!(result, Err(Error::Input { cause, .. }) if cause.contains(words))
}

#[test]
fn a_handle_is_a_pin_that_holds_now_and_has_no_motion() {
    after_steps(3, |simulation| {
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
fn a_handle_leads_from_the_start_and_one_in_place_changes_no_bit() {
    after_steps(0, |simulation| {
        let (start, place) = (simulation.save()?, simulation.handle(0)[0]);
        assert_eq!(place, simulation.positions()[0]);
        simulation.step()?;
        let undisturbed = simulation.hash()?;
        for (up_m, is_same) in [(0.0, true), (1e-4, false)] {
            simulation.restore(&start)?;
            let to = place + Vec3::y() * up_m;
            simulation.set_handle(0, &[to])?;
            simulation.step()?;
            assert!((simulation.positions()[0] - to).norm() < 1e-15);
            assert_eq!(simulation.hash()? == undisturbed, is_same);
        }
        Ok(())
    });
}

#[test]
fn a_motion_has_a_position_and_a_velocity_for_each_vertex() {
    after_steps(3, |simulation| {
        let (x, v) = (simulation.positions().to_vec(), simulation.velocities().to_vec());
        assert!(is_refused(simulation.set_motion(&x[1..], &v), "24 vectors for 25 cloth vertices"));
        assert!(is_refused(simulation.set_motion(&x, &v[1..]), "24 vectors for 25 cloth vertices"));
        assert_eq!((simulation.positions(), simulation.velocities()), (&x[..], &v[..]));
        simulation.set_motion(&x, &v)
    });
}

#[test]
fn places_where_cloth_lies_in_itself_are_refused_and_earlier_ones_are_not() {
    after_steps(3, |simulation| {
        let (x, v) = (simulation.positions().to_vec(), simulation.velocities().to_vec());
        simulation.run(20, |_, _| Ok(()))?;
        let before = simulation.hash()?;
        let flat = Vec::from_iter(x.iter().map(|x| Vec3::new(0.0, x.y, x.z)));
        assert!(is_refused(simulation.set_motion(&flat, &v), "nearer than contact.clearance_m"));
        assert_eq!(simulation.hash()?, before);
        simulation.set_motion(&x, &v)
    });
}

/// Closed form: without gravity and drag, forces in proportion to mass move every vertex alike, by
/// `F/m t` a second. Each push acts in its own step only.
#[test]
fn forces_act_in_their_step_and_their_work_is_counted() {
    let text = r#"(gravity_m_per_s2: (0, 0, 0), air: (density_kg_per_m3: 1e-30),
        solver: (relative_residual: 1e-12), cloths: [(
        shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 4, rows: 4),
        material: Fabric("cotton"), imperfection_m: 0,
    )])"#;
    let scene =
        cloth_scene::complete(cloth_scene::parse(text, "free.ron").unwrap(), Path::new("free.ron"));
    let scene = scene.unwrap();
    let setup = cloth_scene::build(&scene, Path::new(".")).unwrap();
    let model = Arc::new(Model::new(scene.settings(), setup, |build| build(1)).unwrap());
    let mut simulation = Simulation::new(model.clone(), in_process::alone(), 1).unwrap();
    let forces = Vec::from_iter(model.cloth.masses.iter().map(|mass| Vec3::x() * (2.0 * mass)));
    assert!(is_refused(
        simulation.step_under(&forces[1..], &mut ()).map(drop),
        "24 vectors for 25"
    ));
    let mut wrong = forces.clone();
    wrong[7].y = f64::NAN;
    assert!(is_refused(
        simulation.step_under(&wrong, &mut ()).map(drop),
        "on vertex 7 is not finite"
    ));
    assert_eq!(simulation.steps(), 0);
    let (mut work_j, step_s) = (0.0, scene.step_s());
    for _ in 0..10 {
        let report = simulation.step_under(&forces, &mut ()).unwrap();
        work_j += report.measured(Measure::Work);
        assert_eq!(report.energy_rise().filter(|rise| rise.is_fault()), None);
    }
    simulation.step().unwrap();
    let speed = 2.0 * 10.0 * step_s;
    let is_exact = |v: &Vec3| (v - Vec3::x() * speed).norm() < 1e-8 * speed;
    assert!(simulation.velocities().iter().all(is_exact), "{:?}", simulation.velocities()[0]);
    // Implicit Euler moves by the speed at the end of each step: n (n + 1) / 2 of its speeds.
    let mass: f64 = model.cloth.masses.iter().sum();
    let exact_j = mass * 2.0 * 2.0 * step_s * step_s * 55.0;
    assert!((work_j - exact_j).abs() < 1e-8 * exact_j, "{work_j} J, {exact_j} J");
}

//! Energy from nothing is found, at its place and on all ranks alike.

use std::path::Path;
use std::sync::Arc;

use crate::{Counter, EnergyRise, Measure, Model, Simulation, StepReport};
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::ranks::in_process;

/// A sheet that hangs from an edge. Another edge is led along.
const HANGING: &str = r#"(
    steps_per_frame: 40, patch_vertices: 16,
    cloths: [(
        shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 8, rows: 8),
        material: Fabric("cotton"),
        pins: [
            (select: Box(min_m: (-1, -1, -1), max_m: (-0.099, 1, 1))),
            (select: Box(min_m: (0.099, -1, -1), max_m: (1, 1, 1)), motion: (keyframes: [
                (time_s: 0), (time_s: 1, translation_m: (-0.1, 0.1, 0))])),
        ],
    )],
)"#;

/// The report of the step after `change`, on every one of `ranks`.
fn after(ranks: usize, change: impl Fn(&mut Simulation) -> Result<()> + Sync) -> Vec<StepReport> {
    let parsed = cloth_scene::parse(HANGING, "hanging.ron").unwrap();
    let scene = cloth_scene::complete(parsed, Path::new("hanging.ron")).unwrap();
    let setup = cloth_scene::build(&scene, Path::new(".")).unwrap();
    let model =
        Arc::new(Model::new(scene.settings(), setup, |partition| partition(ranks)).unwrap());
    let ran = in_process::run(ranks, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(5, |_, report| {
            assert!(!report.energy_rise().is_some_and(|rise| rise.is_fault()));
            Ok(())
        })?;
        change(&mut simulation)?;
        simulation.step()
    });
    ran.unwrap()
}

/// Pulls at a vertex, unseen by the watch: in the next step it springs back.
fn pull(simulation: &mut Simulation) -> Result<()> {
    simulation.state.positions[40].y += 0.03;
    Ok(())
}

#[test]
fn a_vertex_that_springs_back_is_found_on_any_number_of_ranks() {
    let alone = after(1, pull);
    let rise = alone[0].energy_rise().unwrap();
    let EnergyRise { unexplained_j, limit_j, vertex, at_m } = rise;
    assert!(unexplained_j > limit_j && unexplained_j > 0.05, "{rise:?}");
    assert!(alone[0].get(Counter::Redone) > 0, "no smaller step was tried");
    // In the step it shares its motion with its neighbours.
    assert!([31, 32, 39, 40, 41, 48, 49].contains(&vertex), "{rise:?}");
    assert!(at_m[0].hypot(at_m[2]) < 0.05, "{rise:?}");
    let measures = [Measure::Work, Measure::UnexplainedRise];
    for ranks in [2, 3] {
        let reports = after(ranks, pull);
        assert!(reports.iter().all(|report| report.energy_rise() == Some(rise)));
        for measure in measures {
            let bits = |report: &StepReport| report.measured(measure).to_bits();
            assert_eq!(bits(&reports[0]), bits(&alone[0]), "{ranks} ranks: {measure:?}");
            assert!(reports[1..].iter().all(|report| report.measured(measure) == 0.0));
        }
    }
}

#[test]
fn a_motion_that_the_caller_sets_is_no_rise() {
    let reports = after(2, |simulation| {
        let (x, mut v) = (simulation.positions().to_vec(), simulation.velocities().to_vec());
        v[40] = Vec3::new(0.0, 80.0, 0.0);
        // The pins must stop this, with negative work.
        v[80] = v[40];
        simulation.set_motion(&x, &v)
    });
    for report in reports {
        assert!(report.energy_rise().is_none(), "{report:?}");
        assert_eq!(report.measured(Measure::UnexplainedRise), 0.0);
    }
}

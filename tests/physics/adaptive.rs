//! Steps that the run chooses.

use std::iter::zip;

use cloth_sim::bodies::Setup;
use cloth_sim::math::Vec3;
use cloth_sim::scene::Scene;
use cloth_sim::step::{Choice, Integrator, Measure, StepsPerFrame};

use crate::bdf2::{pendulum, scene_with, square};
use crate::contact::level_plane;
use crate::physics::*;

/// Frames of 40 ms, with steps of 10 ms and smaller as the error (m) allows.
fn adaptive(integrator: Integrator, error_m: f64) -> Scene {
    let mut scene = scene_with(integrator, 0.04);
    let choice = Choice::Adaptive { at_most: 1 << 12, at_least: 4, error_m };
    scene.steps_per_frame = StepsPerFrame::Chosen(choice);
    scene.contact.distance_m = 1e-3;
    scene
}

/// Sizes of the steps of one frame in free fall, s.
fn sizes_in_fall(integrator: Integrator, error_m: f64) -> Vec<f64> {
    simulate(&adaptive(integrator, error_m), alone(square()), |simulation| {
        let (mut sizes, mut before_s) = (Vec::new(), 0.0);
        while before_s < 0.04 - 1e-9 {
            simulation.step()?;
            sizes.push(simulation.time_s() - before_s);
            before_s = simulation.time_s();
        }
        Ok(sizes)
    })
}

/// Euler errs by `g h^2 / 2` in a step, and BDF2 not at all. A step doubles if the larger one would
/// have 0.7 of the error.
#[test]
fn free_fall_takes_the_largest_steps_that_the_error_allows() {
    for exponent in 2..10 {
        let h = 0.04 / f64::from(1 << exponent);
        let allowed_m = 0.5 * G * h * h / 0.7;
        for (factor, size) in [(1.01, h), (0.99, h / 2.0)] {
            let sizes = sizes_in_fall(Integrator::Euler, factor * allowed_m);
            let largest = sizes.iter().copied().fold(0.0, f64::max);
            assert!((largest - size).abs() < 1e-9 * size, "{factor}: {largest} s, not {size} s");
        }
    }
    let sizes = sizes_in_fall(Integrator::Bdf2, 1e-9);
    assert!(sizes.iter().any(|size| (size - 0.01).abs() < 1e-9), "{sizes:?}");
}

/// Where a pendulum of cloth is after 0.4 s, and the number of steps that it took.
fn swing(scene: &Scene) -> (Vec<Vec3>, u32) {
    simulate(scene, alone(pendulum().0), |simulation| {
        let mut steps = 0;
        while simulation.time_s() < 0.4 - 1e-9 {
            simulation.step()?;
            steps += 1;
        }
        Ok((simulation.positions().to_vec(), steps))
    })
}

#[test]
fn a_swing_is_as_accurate_as_asked() {
    let (reference, _) = swing(&scene_with(Integrator::Bdf2, 2e-4));
    let run = |integrator, error_m: f64| {
        let (end, steps) = swing(&adaptive(integrator, error_m));
        let sum: f64 = zip(&end, &reference).map(|(a, b)| (a - b).norm_squared()).sum();
        let off_m = (sum / end.len() as f64).sqrt();
        println!("{integrator:?}, {error_m:e} m: {steps} steps, off by {off_m:.2e} m");
        (off_m, steps)
    };
    for error_m in [1e-4, 1e-5] {
        let [euler, bdf2] = [Integrator::Euler, Integrator::Bdf2].map(|it| run(it, error_m));
        assert!(2.0 * bdf2.0 < euler.0 && bdf2.1 < euler.1, "BDF2 gains nothing");
        // As many steps of equal size would be off by 9 and 1.1 mm.
        let most_m = [240.0 * error_m, 120.0 * error_m];
        assert!(euler.0 < f64::max(most_m[0], 5e-3) && bdf2.0 < f64::max(most_m[1], 2e-3));
    }
}

/// Large steps of the fall end within the contact distance. The small ones that follow push cloth
/// out, at the pace of large steps: faster ones would throw it up.
#[test]
fn small_steps_after_large_ones_push_no_harder() {
    for integrator in [Integrator::Euler, Integrator::Bdf2] {
        let (mut scene, mut cloth) = (adaptive(integrator, 3e-4), square());
        scene.contact.distance_m = 2e-3;
        cloth.positions.iter_mut().for_each(|p| p.y = 5e-3 + 1e-3 * p.x);
        let setup =
            Setup { cloths: vec![cloth], obstacles: vec![level_plane()], ..Setup::default() };
        let [gain_j, start_j] = simulate(&scene, setup, |simulation| {
            let (start_j, mut gain_j) = (simulation.total_energy()?, 0.0);
            while simulation.time_s() < 0.12 - 1e-9 {
                gain_j += simulation.step()?.measured(Measure::UnexplainedRise);
            }
            Ok([gain_j, start_j])
        });
        println!("{integrator:?}: gains {gain_j:.1e} J of {start_j:.1e} J");
        assert!(gain_j < 0.4 * start_j, "more than that of a lift by the contact distance");
    }
}

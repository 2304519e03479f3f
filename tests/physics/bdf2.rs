//! The time scheme BDF2 in the real step, against closed forms and beside Euler.

use std::iter::zip;
use std::ops::Range;

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::scene::Scene;
use cloth_sim::step::{Counter, Integrator, Simulation};

use crate::contact::level_plane;
use crate::physics::*;

const DENSITY: f64 = 0.2;

/// A scene with steps of `step_s` (s) of this scheme.
pub fn scene_with(integrator: Integrator, step_s: f64) -> Scene {
    let mut scene = scene(step_s);
    scene.solver.integrator = integrator;
    scene
}

fn fabric() -> Material {
    Material::isotropic(DENSITY, 500.0, 0.3, 1e-5)
}

/// A square of 12 x 12 cells of 1 cm.
pub fn square() -> ClothSetup {
    cloth(sheet(0.12, 0.12, 12, 12, Diagonal::Alternating), fabric())
}

/// The largest distance between the places of a vertex in `a` and in `b`.
fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    zip(a, b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// The parabola and its velocity, after each step, from rest and from a throw.
#[test]
fn free_fall_is_the_parabola() {
    let (h, steps, gravity) = (4e-3, 250, Vec3::y() * -G);
    for thrown in [Vec3::zeros(), Vec3::new(1.0, 3.0, -0.5)] {
        let mut cloth = square();
        let turn = rotation(Vec3::new(1.0, 0.3, -0.2), 40.0);
        cloth.positions.iter_mut().for_each(|p| *p = turn * *p);
        let start = cloth.positions.clone();
        let [off_m, off_m_per_s] =
            simulate(&scene_with(Integrator::Bdf2, h), alone(cloth), |simulation| {
                simulation.set_motion(&start, &vec![thrown; start.len()])?;
                let mut off = [0.0_f64; 2];
                for step in 1..=steps {
                    simulation.step()?;
                    let t = h * f64::from(step);
                    let way = thrown * t + gravity * (0.5 * t * t);
                    let exact = Vec::from_iter(start.iter().map(|x| x + way));
                    let speeds = vec![thrown + gravity * t; start.len()];
                    off[0] = off[0].max(largest_distance(simulation.positions(), &exact));
                    off[1] = off[1].max(largest_distance(simulation.velocities(), &speeds));
                }
                Ok(off)
            });
        println!("thrown at {} m/s: off by {off_m:.1e} m, {off_m_per_s:.1e} m/s", thrown.norm());
        assert!(off_m < 1e-11 && off_m_per_s < 1e-11);
    }
}

/// A sheet that hangs from one edge, released without velocity at 45 degrees, and its height of
/// fall (m): that of its centre down to the vertical.
pub fn pendulum() -> (ClothSetup, f64) {
    let (width, length) = (0.2, 0.5);
    let mut cloth = cloth(sheet(width, length, 8, 20, Diagonal::Alternating), fabric());
    hold(&mut cloth, |p| p.z < -0.5 * length + 1e-9);
    let turn = rotation(Vec3::x(), 45.0);
    cloth.positions.iter_mut().for_each(|p| *p = turn * (*p + Vec3::z() * (0.5 * length)));
    (cloth, 0.5 * length * (1.0 - 45f64.to_radians().cos()))
}

fn pendulum_scene(integrator: Integrator, step_s: f64) -> Scene {
    let mut scene = scene_with(integrator, step_s);
    scene.contact.distance_m = 1e-3;
    scene
}

/// The parts of the energy of its fall that the pendulum loses in a full swing, and by which its
/// energy is above that of the start at most. A full swing: its centre comes back to the side of
/// the release and turns.
fn swing(integrator: Integrator, step_s: f64) -> [f64; 2] {
    let (cloth, height) = pendulum();
    let scene = pendulum_scene(integrator, step_s);
    simulate(&scene, alone(cloth), |simulation| {
        let masses = simulation.model().cloth.masses.clone();
        let fall_j = masses.iter().sum::<f64>() * G * height;
        let along =
            |s: &Simulation| zip(s.velocities(), &masses).map(|(v, m)| v.z * m).sum::<f64>();
        let start = simulation.total_energy()?;
        let (mut turns, mut before, mut highest) = (0, 0.0, start);
        while turns < 2 {
            simulation.step()?;
            let now = along(simulation);
            turns += u32::from(before * now < 0.0);
            before = now;
            highest = highest.max(simulation.total_energy()?);
            assert!(simulation.time_s() < 2.0, "no full swing");
        }
        let lost = (start - simulation.total_energy()?) / fall_j;
        let above = (highest - start) / fall_j;
        println!(
            "{integrator:?}, {step_s} s: loses {:.2} % in a swing of {:.3} s, is above the start \
             by {above:.1e}",
            100.0 * lost,
            simulation.time_s()
        );
        Ok([lost, above])
    })
}

/// At the start BDF2 takes held cloth for cloth that has fallen freely. After the first step its
/// energy is above that of the start, by a part that falls with the third power of the step.
#[test]
fn a_pendulum_of_cloth_keeps_its_energy() {
    for (step_s, loss, rise) in [(4e-3, 0.02, 2e-5), (1e-2, 0.06, 3e-4)] {
        let [lost, above] = swing(Integrator::Bdf2, step_s);
        assert!(lost < loss && above < rise);
    }
    assert!(swing(Integrator::Euler, 4e-3)[0] > 0.12);
}

/// A pendulum loses one half of its pins as it swings, then the other. From there on its centre flies on
/// the parabola, but for the two half steps of Euler, which fall by `g h^2 / 4` too far.
#[test]
fn cloth_that_pins_let_go_flies_on_the_parabola() {
    for step_s in [2e-3, 4e-3, 1e-2] {
        let (mut cloth, _) = pendulum();
        let mut pin = cloth.pins[0].clone();
        pin.vertices = cloth.pins[0].vertices.split_off(4);
        (cloth.pins[0].end_s, pin.end_s) = (0.12, 0.2);
        cloth.pins.push(pin);
        let scene = pendulum_scene(Integrator::Bdf2, step_s);
        let off_m = simulate(&scene, alone(cloth), |simulation| {
            let masses = simulation.model().cloth.masses.clone();
            let all = masses.iter().sum::<f64>();
            let centre = |of: &[Vec3]| zip(of, &masses).map(|(v, m)| v * *m).sum::<Vec3>() / all;
            let steps = |time_s: f64| (time_s / step_s).round() as u64;
            simulation.run(steps(0.2), |_, _| Ok(()))?;
            let [x, v] = [simulation.positions(), simulation.velocities()].map(centre);
            assert!(v.norm() > 0.5);
            simulation.run(steps(0.16), |_, _| Ok(()))?;
            let parabola = x + v * 0.16 - Vec3::y() * (0.5 * G * 0.16 * 0.16);
            Ok((centre(simulation.positions()) - parabola).norm())
        });
        println!("{step_s} s: off by {off_m:.1e} m");
        // A step that its energy divides further adds as much.
        assert!(off_m < G * step_s * step_s, "{step_s}: {off_m}");
    }
}

/// Places of a soft strip after 0.2 s in `steps` steps, m. It flies without gravity and swings in
/// its plane along its length, from its rest shape: no force acts at the start.
fn swung(integrator: Integrator, steps: u32) -> Vec<Vec3> {
    let mut scene = scene_with(integrator, 0.2 / f64::from(steps));
    scene.gravity_m_per_s2 = [0.0; 3];
    let (length, along) = (0.5, 25);
    let material = Material::isotropic(DENSITY, 2.0, 0.0, 1e-6);
    let cloth = cloth(strip(along, 2, length / f64::from(along), Cut::Rising), material);
    simulate(&scene, alone(cloth), |simulation| {
        let x = simulation.positions().to_vec();
        let mode = |p: &Vec3| Vec3::x() * (0.2 * (std::f64::consts::PI * p.x / length).cos());
        simulation.set_motion(&x, &Vec::from_iter(x.iter().map(mode)))?;
        simulation.run(u64::from(steps), |_, _| Ok(()))?;
        Ok(simulation.positions().to_vec())
    })
}

/// Half the step divides the error by four, and that of Euler by two.
#[test]
fn the_error_falls_with_the_square_of_the_step() {
    let ratio = |integrator: Integrator| {
        let exact = swung(integrator, 400);
        let errors = [50, 100].map(|steps| largest_distance(&swung(integrator, steps), &exact));
        let [coarse, fine] = errors;
        println!("{integrator:?}: errors {coarse:.2e} and {fine:.2e} m, {:.2}", coarse / fine);
        coarse / fine
    };
    assert!(ratio(Integrator::Bdf2) > 3.0);
    assert!(ratio(Integrator::Euler) < 2.5);
}

/// A sheet over another one, askew.
fn two_sheets() -> Setup {
    let sheet = || cloth(sheet(0.1, 0.1, 8, 8, Diagonal::Alternating), fabric());
    let (mut upper, lower) = (sheet(), sheet());
    let turn = rotation(Vec3::new(1.0, 0.5, 0.3), 8.0);
    for p in &mut upper.positions {
        *p = turn * *p + Vec3::new(0.01, 0.02, 0.005);
    }
    Setup { cloths: vec![upper, lower], obstacles: Vec::new(), ..Setup::default() }
}

/// A sheet flies into another one. Contacts between cloth and cloth keep the momentum to the
/// solver's tolerance, also that of the velocities that BDF2 makes from those of two steps and from
/// what impacts have changed. (No repair of a part of the cloth occurs here. Such repairs do not keep
/// it.)
#[test]
fn sheets_that_collide_keep_their_momentum() {
    for (speed, friction) in [(0.5, 0.0), (0.5, 0.4), (1.0, 0.4)] {
        let mut scene = scene_with(Integrator::Bdf2, 4e-3);
        scene.gravity_m_per_s2 = [0.0; 3];
        scene.solver.relative_residual = 1e-12;
        scene.contact.friction_cloth = friction;
        let (worst, passed) = simulate(&scene, two_sheets(), |simulation| {
            let masses = simulation.model().cloth.masses.clone();
            let half = masses.len() / 2;
            let momentum = |s: &Simulation, vertices: Range<usize>| -> Vec3 {
                vertices.map(|v| s.velocities()[v] * masses[v]).sum()
            };
            let x = simulation.positions().to_vec();
            let mut v = vec![Vec3::new(0.4, -1.0, 0.2) * speed; x.len()];
            v[half..].fill(Vec3::zeros());
            simulation.set_motion(&x, &v)?;
            let start = momentum(simulation, 0..2 * half);
            let mut worst = 0.0_f64;
            simulation.run((40.0 / speed) as u64, |simulation, report| {
                let change = momentum(simulation, 0..2 * half) - start;
                worst = worst.max(change.norm() / start.norm());
                let repaired = report.get(Counter::RepairedNodes);
                assert_eq!(repaired, report.get(Counter::Repairs) * 2 * half as u64);
                Ok(())
            })?;
            Ok((worst, momentum(simulation, half..2 * half).norm() / start.norm()))
        });
        println!(
            "{speed} m/s, mu {friction}: momentum changes by {worst:.1e}, {passed:.2} of it passes"
        );
        assert!(worst < 1e-9 && passed > 0.3);
    }
}

/// A square of cloth `above_m` (m) over a plane.
fn over_a_plane(above_m: f64) -> Setup {
    let mut cloth = square();
    cloth.positions.iter_mut().for_each(|p| p.y += above_m);
    Setup { cloths: vec![cloth], obstacles: vec![level_plane()], ..Setup::default() }
}

#[test]
fn a_sheet_on_a_plane_rests_and_weighs_what_it_weighs() {
    let scene = scene_with(Integrator::Bdf2, 4e-3);
    let (speed, load) = simulate(&scene, over_a_plane(scene.contact.distance_m), |simulation| {
        simulation.run(100, |_, _| Ok(()))?;
        let mut speed = 0.0_f64;
        simulation.run(50, |simulation, _| {
            speed = speed.max(fastest(simulation));
            Ok(())
        })?;
        let weight = simulation.model().cloth.masses.iter().sum::<f64>() * G;
        let load: f64 = simulation.state().contacts.iter().map(|it| it.normal_force).sum();
        Ok((speed, load / weight))
    });
    println!("rests at {speed:.1e} m/s, weighs {load:.9} of its weight");
    assert!(speed < 1e-6 && (load - 1.0).abs() < 1e-6);
}

/// The sheet as a whole: its single vertices rise faster after the impact, by up to half of its
/// speed.
#[test]
fn a_sheet_that_falls_flat_does_not_rebound() {
    for (step_s, above_m) in [(4e-3, 0.03), (4e-3, 0.031), (4e-3, 0.0325), (1e-2, 0.03)] {
        let scene = scene_with(Integrator::Bdf2, step_s);
        let [impact, up, vertex] = simulate(&scene, over_a_plane(above_m), |simulation| {
            let mut most = [0.0_f64; 3];
            simulation.run((0.3 / step_s) as u64, |simulation, _| {
                let heights = simulation.velocities().iter().map(|v| v.y);
                let mean = heights.clone().sum::<f64>() / heights.len() as f64;
                let now = [-mean, mean, heights.fold(0.0, f64::max)];
                most = [0, 1, 2].map(|k| most[k].max(now[k]));
                Ok(())
            })?;
            Ok(most)
        });
        println!(
            "{step_s} s, {above_m} m: hits at {impact:.3} m/s, rises at {up:.1e}, a vertex at \
             {vertex:.1e} m/s"
        );
        assert!(impact > 0.6 && up < 0.1 * impact);
    }
}

//! Settings that differ from place to place, soft pins and the strain limit, against closed forms.

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material, MembraneStiffness};
use cloth_sim::bodies::cloth::pins::PinSprings;
use cloth_sim::bodies::cloth::setup::{ClothSetup, Force, Pin};
use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::bodies::timed::AmplitudeKey;
use cloth_sim::math::Vec3;
use cloth_sim::scene::Scene;
use cloth_sim::step::Measure;

use crate::contact::level_plane;
use crate::physics::*;

const CELL: f64 = 0.02;
const LENGTH: f64 = 1.0;
const WIDTH: f64 = 2.0 * CELL;

/// A strip of length 1 m along x.
fn flat(modulus: f64, rigidity: f64) -> ClothSetup {
    let material = Material {
        mass_damping_per_s: 4.0,
        ..Material::new(
            0.2,
            MembraneStiffness::isotropic(modulus, 0.0),
            BendingStiffness::isotropic(rigidity, 0.0),
        )
    };
    cloth(strip(50, 2, CELL, Cut::Rising), material)
}

/// A factor of each face: `of` its middle along the strip, m.
fn of_faces(cloth: &ClothSetup, of: impl Fn(f64) -> f64) -> Vec<f64> {
    let middle = |face: &[u32; 3]| face.map(|v| cloth.rest[v as usize].x).iter().sum::<f64>() / 3.0;
    cloth.faces.iter().map(|face| of(middle(face))).collect()
}

/// The integral of `of` from 0 to 1 m, by its value in the middle of many parts.
fn along(of: impl Fn(f64) -> f64) -> f64 {
    let parts = 10_000;
    (0..parts).map(|i| of((f64::from(i) + 0.5) / f64::from(parts))).sum::<f64>() / f64::from(parts)
}

/// Lets the strip hang from x = 0, and returns how far it is stretched, m.
fn stretch_of_hanging(mut cloth: ClothSetup) -> f64 {
    cloth.positions.iter_mut().for_each(|p| *p = Vec3::new(p.z, -p.x, 0.0));
    hold(&mut cloth, |p| p.x == 0.0);
    let ends = vertices_where(&cloth.rest, |p| p.x > LENGTH - 1e-9);
    simulate(&statics(0.01), alone(cloth), |simulation| {
        settle(simulation, 1e-6, 60.0)?;
        Ok(-mean(&ends, |v| simulation.positions()[v].y) - LENGTH)
    })
}

/// With the density `d(s)` and the stiffness `k(s)`, the tension at s is `g` times the mass below, so
/// the strip gets longer by the integral of `g mass(s) / k(s)`.
#[test]
fn a_hanging_strip_stretches_by_its_density_and_stiffness() {
    let (density, modulus) = (0.2, 50.0);
    let (heavier, stiffer) = (|s: f64| 1.0 + 4.0 * s, |s: f64| 3.0 - 2.0 * s);
    let mass_below = |s: f64| density * ((1.0 - s) + 2.0 * (1.0 - s * s));
    for (is_stiffer, exact) in [
        (false, along(|s| G * mass_below(s) / modulus)),
        (true, along(|s| G * mass_below(s) / (modulus * stiffer(s)))),
    ] {
        let mut cloth = flat(modulus, 1e-9);
        cloth.factors.density = of_faces(&cloth, heavier);
        if is_stiffer {
            cloth.factors.stiffness = of_faces(&cloth, stiffer);
        }
        let found = stretch_of_hanging(cloth);
        println!("stretch {found:.6} m, exact {exact:.6} m");
        assert!((found / exact - 1.0).abs() < 2e-3, "{found} m, exact {exact} m");
    }
}

/// A chain with the density `d(s)` between two places at the same height: where the horizontal force
/// is H, `H tan(angle(s)) = g mass(0..s) - V`. H and V follow from where it ends.
fn chain(mass_to: impl Fn(f64) -> f64, span: f64) -> Vec<[f64; 2]> {
    let parts = 2000;
    let shape = |h: f64, v: f64| {
        let mut places = vec![[0.0, 0.0]];
        let mut at = [0.0, 0.0];
        for i in 0..parts {
            let slope = (G * mass_to((f64::from(i) + 0.5) / f64::from(parts)) - v) / h;
            let part = 1.0 / f64::from(parts) / (1.0 + slope * slope).sqrt();
            at = [at[0] + part, at[1] + slope * part];
            places.push(at);
        }
        places
    };
    let end = |h: f64, v: f64| *shape(h, v).last().unwrap();
    // The more V, the lower the end; the more H, the wider the span.
    let upright = |h: f64| bisect(0.0, G * mass_to(1.0), |v| end(h, v)[1]);
    let h = bisect(1e-4, 100.0, |h| span - end(h, upright(h))[0]);
    shape(h, upright(h))
}

#[test]
fn a_chain_of_rising_density_hangs_as_its_catenary() {
    let span = 0.8;
    let mut cloth = flat(2e4, 1e-8);
    cloth.factors.density = of_faces(&cloth, |s| 0.4 + 3.2 * s);
    let exact = chain(|s| 0.2 * WIDTH * (0.4 * s + 1.6 * s * s), span);
    // It starts as a parabola of about its length.
    for p in &mut cloth.positions {
        let s = p.x;
        *p = Vec3::new(s * span, -1.03 * s * (1.0 - s), p.z);
    }
    hold(&mut cloth, |p| p.x == 0.0 || p.x > LENGTH - 1e-9);
    let rest = cloth.rest.clone();
    let x = simulate(&statics(0.01), alone(cloth), |simulation| {
        settle(simulation, 1e-4, 60.0)?;
        Ok(simulation.positions().to_vec())
    });
    let lowest = exact.iter().map(|place| place[1]).fold(0.0, f64::min);
    let off = rest.iter().zip(&x).map(|(rest, x)| {
        let at = (rest.x / LENGTH * (exact.len() - 1) as f64).round() as usize;
        let [along, down] = exact[at];
        (x.x - along).hypot(x.y - down)
    });
    let most = off.fold(0.0, f64::max);
    println!("lowest {lowest:.4} m, at most {most:.5} m off");
    assert!(most < 0.01 * lowest.abs(), "{most} m off, lowest point {lowest} m");
    // One of uniform density hangs elsewhere.
    let even = chain(|s| 0.2 * WIDTH * 2.0 * s, span);
    let apart = exact.iter().zip(&even).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
    assert!(apart.fold(0.0, f64::max) > 10.0 * most);
}

/// The deflection of the end of a clamped strip by a small force F at its end is the integral of
/// `F (1 - s)^2 / (D(s) w)` from its last held column on.
#[test]
fn a_clamped_strip_bends_by_its_rigidity() {
    let (rigidity, force) = (1.0, 2e-3);
    let stiffer = |s: f64| 4.0 - 3.0 * s;
    let bend = |s: f64| force * (1.0 - s).powi(2) / (rigidity * stiffer(s) * WIDTH);
    let exact = along(|s| if s > CELL { bend(s) } else { 0.0 });
    let mut cloth = flat(2e4, rigidity);
    cloth.factors.bending = of_faces(&cloth, stiffer);
    hold(&mut cloth, |p| p.x < 1.5 * CELL);
    let ends = vertices_where(&cloth.rest, |p| p.x > LENGTH - 1e-9);
    let force_n = Vec3::new(0.0, force, 0.0);
    cloth.loads.forces.push(Force { vertices: ends.clone(), force_n, amplitude: Vec::new() });
    let scene = Scene { gravity_m_per_s2: [0.0; 3], ..statics(0.02) };
    let found = simulate(&scene, alone(cloth), |simulation| {
        settle(simulation, 1e-7, 200.0)?;
        Ok(mean(&ends, |v| simulation.positions()[v].y))
    });
    println!("deflection {found:.6} m, exact {exact:.6} m");
    assert!((found / exact - 1.0).abs() < 0.002, "{found} m, exact {exact} m");
}

/// Springs of `stiffness` (N/m) for all vertices of the strip.
fn soft_pin(cloth: &ClothSetup, stiffness: f64) -> Pin {
    let vertices = Vec::from_iter(0..cloth.rest.len() as u32);
    let stiffness_n_per_m = vec![stiffness; vertices.len()];
    let springs = Some(PinSprings { stiffness_n_per_m, strength: Vec::new() });
    Pin { vertices, start_s: 0.0, end_s: f64::INFINITY, motion: None, follow: None, springs }
}

/// It sinks by `m g / k` on average, and rings about there with the frequency `sqrt(k / m)`.
#[test]
fn springs_of_a_pin_hold_the_weight_at_their_offset() {
    let mut cloth = flat(500.0, 1e-5);
    let stiffness = 2.0;
    cloth.pins.push(soft_pin(&cloth, stiffness));
    let (mass, count) = (0.2 * LENGTH * WIDTH, cloth.rest.len());
    let exact = mass * G / (stiffness * count as f64);
    let found = simulate(&scene(0.01), alone(cloth), |simulation| {
        settle(simulation, 1e-9, 60.0)?;
        Ok(-simulation.positions().iter().map(|p| p.y).sum::<f64>() / count as f64)
    });
    println!("offset {found:.8} m, exact {exact:.8} m");
    assert!((found / exact - 1.0).abs() < 1e-6, "{found} m, exact {exact} m");
}

/// Springs that are moved, fade and let go give no energy beyond their work, at any step.
#[test]
fn springs_of_a_pin_invent_no_energy() {
    for step_s in [1e-3, 4e-3, 1e-2] {
        let mut cloth = flat(500.0, 1e-5);
        cloth.material.mass_damping_per_s = 0.0;
        let mut pin = soft_pin(&cloth, 1.0);
        let key = |time_s, x| Keyframe {
            time_s,
            translation: Vec3::new(x, 0.1 * x, 0.0),
            axis: Vec3::z(),
            angle_deg: 90.0 * x,
        };
        let keyframes = vec![key(0.0, 0.0), key(0.4, 0.3), key(0.8, -0.2)];
        pin.motion = Some(KeyframedMotion { center: Vec3::zeros(), keyframes });
        pin.end_s = 1.1;
        let key = |time_s, factor| AmplitudeKey { time_s, factor };
        let strength = vec![key(0.2, 1.0), key(0.6, 3.0), key(1.0, 0.2)];
        pin.springs.as_mut().unwrap().strength = strength;
        cloth.pins.push(pin);
        let (unexplained, place) = simulate(&scene(step_s), alone(cloth), |simulation| {
            let (mut unexplained, mut place) = (0.0, Vec3::zeros());
            while simulation.time_s() < 1.5 {
                unexplained += simulation.step()?.measured(Measure::UnexplainedRise);
                if (simulation.time_s() - 0.8).abs() < 0.5 * step_s {
                    place = simulation.positions()[0];
                }
            }
            Ok((unexplained, place))
        });
        println!("{step_s} s: unexplained {unexplained:.1e} J, at {place:?}");
        assert!(unexplained < 1e-6, "{step_s} s: {unexplained} J");
        assert!(place.norm() > 0.05, "the springs lead nowhere: {place:?}");
    }
}

/// It slides without friction, and is braked by `mu g` from 0.2 s on.
#[test]
fn friction_follows_its_keys() {
    let mut cloth = flat(500.0, 1e-5);
    cloth.material.mass_damping_per_s = 0.0;
    cloth.positions.iter_mut().for_each(|p| *p += Vec3::new(-0.5, 1e-3, 0.0));
    cloth.loads.start.velocity = Vec3::new(0.0, 0.0, 0.5);
    let mut scene = scene(2e-3);
    scene.contact.friction_obstacle = 0.1;
    let key = |time_s, factor| AmplitudeKey { time_s, factor };
    scene.friction_keyframes = vec![key(0.199, 0.0), key(0.201, 1.0)];
    let setup = Setup { cloths: vec![cloth], obstacles: vec![level_plane()], ..Setup::default() };
    let speeds = simulate(&scene, setup, |simulation| {
        let mut speeds = Vec::new();
        for end_s in [0.19, 0.4] {
            while simulation.time_s() < end_s - 1e-9 {
                simulation.step()?;
            }
            let count = simulation.velocities().len() as f64;
            speeds.push(simulation.velocities().iter().map(|v| v.z).sum::<f64>() / count);
        }
        Ok(speeds)
    });
    println!("{speeds:?}");
    assert!((speeds[0] - 0.5).abs() < 1e-4);
    assert!((speeds[1] - (0.5 - 0.1 * G * 0.2)).abs() < 0.01 * 0.5);
}

/// A strip with the strain limit `limit` that a force of `force_n` (N) pulls at.
fn pulled(limit: f64, force_n: f64) -> (ClothSetup, Vec<u32>) {
    let mut cloth = flat(500.0, 1e-7);
    cloth.material.strain_limit = Some(limit);
    hold(&mut cloth, |p| p.x == 0.0);
    let ends = vertices_where(&cloth.rest, |p| p.x > LENGTH - 1e-9);
    let force_n = Vec3::new(force_n, 0.0, 0.0);
    cloth.loads.forces.push(Force { vertices: ends.clone(), force_n, amplitude: Vec::new() });
    (cloth, ends)
}

/// A load of up to 13 times that at which the membrane alone would reach the limit stays below it.
/// The law of tension is that of its docstring: `k w r^2 / (1 - r)`.
#[test]
fn strain_stays_below_its_limit() {
    let (limit, modulus) = (0.05, 500.0);
    let scene = Scene { gravity_m_per_s2: [0.0; 3], ..statics(0.01) };
    for times in [0.5, 0.9, 2.0, 6.0, 13.0] {
        let force_n = times * modulus * limit * WIDTH;
        let (mut cloth, ends) = pulled(limit, force_n);
        cloth.material.mass_damping_per_s = 100.0;
        let found = simulate(&scene, alone(cloth), |simulation| {
            settle(simulation, 1e-6, 60.0)?;
            Ok(mean(&ends, |v| simulation.positions()[v].x) - LENGTH)
        });
        let tension = |strain: f64| {
            let r = ((strain - 0.8 * limit) / (0.2 * limit)).max(0.0);
            let last = 1.0 - 1.0 / 32.0;
            let k = modulus * 0.2 * limit;
            modulus * strain
                + match r < last {
                    true => k * r * r / (1.0 - r),
                    false => k * (last * last / (1.0 - last) + 1023.0 * (r - last)),
                }
        };
        let exact = bisect(0.0, 10.0, |strain| force_n / WIDTH - tension(strain));
        println!("{times}: strain {found:.6}, exact {exact:.6}");
        // Tension narrows the strip nowhere (no Poisson effect), so that it is the same all along.
        assert!((found - exact).abs() < 2e-4, "{times}: strain {found}, exact {exact}");
        assert!(found < limit, "{times}: strain {found}");
    }
}

/// A weight that falls into the limit: 5 times the weight that would stretch the membrane to it.
#[test]
fn a_jerk_at_the_limit_invents_no_energy() {
    for step_s in [1e-3, 4e-3, 1e-2] {
        let limit = 0.05;
        let (mut cloth, ends) = pulled(limit, 5.0 * 500.0 * limit * WIDTH);
        cloth.material.mass_damping_per_s = 0.0;
        let scene = Scene { gravity_m_per_s2: [0.0; 3], ..scene(step_s) };
        let (unexplained, most) = simulate(&scene, alone(cloth), |simulation| {
            let (mut unexplained, mut most) = (0.0, 0.0_f64);
            while simulation.time_s() < 0.5 {
                unexplained += simulation.step()?.measured(Measure::UnexplainedRise);
                most = most.max(mean(&ends, |v| simulation.positions()[v].x) - LENGTH);
            }
            Ok((unexplained, most))
        });
        println!("{step_s} s: unexplained {unexplained:.1e} J, most {most:.5}");
        assert!(unexplained < 1e-4, "{step_s} s: {unexplained} J");
        assert!(most < 1.05 * limit, "{step_s} s: strain {most}");
    }
}

//! Cloth on cloth, cloth round a cylinder and cloth hit by a fast ball, through the real step.

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::bodies::prescribed::{
    Keyframe, KeyframedMotion, Motion, ObstacleSetup, PrescribedPose, Transform,
};
use cloth_sim::error::Error;
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::shapes::{Cylinder, Diagonal, Plane, ShapeKind, Sphere, sheet};
use cloth_sim::mesh::{Mesh, SurfaceMesh};
use cloth_sim::report::Report;
use cloth_sim::scene::Scene;
use cloth_sim::step::{Counter, Simulation, StepReport};

use crate::contact::check_slide;
use crate::physics::*;

const FABRIC: Material = Material::isotropic(0.2, 500.0, 0.3, 1e-5);

fn named(name: &str, mesh: Mesh) -> ClothSetup {
    ClothSetup { name: name.to_owned(), ..cloth(mesh, FABRIC) }
}

pub fn obstacle(
    name: &str,
    mesh: Mesh,
    placement: Transform,
    motion: Option<KeyframedMotion>,
) -> ObstacleSetup {
    let surface = SurfaceMesh::from_mesh(mesh).expect("a sound mesh");
    ObstacleSetup {
        name: name.to_owned(),
        shape: surface.document.positions.clone(),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        placement,
        motion: motion.map(Motion::Keyframes),
        yields: None,
    }
}

fn raised(by: Vec3) -> Transform {
    Transform { translation: by, ..Default::default() }
}

/// A patch of cloth, 10 cm wide, at rest at the contact distance above a larger sheet. All
/// vertices of the sheet are held, and it slopes down by `slope_deg` degrees towards +x.
fn cloth_on_cloth(slope_deg: f64, distance_m: f64) -> Setup {
    let tilt = Transform { rotation: rotation(Vec3::z(), -slope_deg), ..Default::default() };
    let mut patch = named("patch", sheet(0.1, 0.1, 10, 10, Diagonal::Alternating));
    for p in &mut patch.positions {
        *p = tilt.apply(*p - 0.2 * Vec3::x() + distance_m * Vec3::y());
    }
    let mut bed = named("bed", sheet(0.8, 0.3, 53, 21, Diagonal::Same));
    hold(&mut bed, |_| true);
    bed.positions.iter_mut().for_each(|p| *p = tilt.apply(*p));
    Setup { cloths: vec![patch, bed], obstacles: Vec::new(), ..Setup::default() }
}

/// Mean position of the patch along the slope at each of `times` (s), m.
fn slide(step_s: f64, slope_deg: f64, friction: f64, times: &[f64]) -> Vec<f64> {
    let mut scene = scene(step_s);
    scene.contact.friction_cloth = friction;
    scene.contact.friction_obstacle = 0.0;
    let angle = f64::to_radians(slope_deg);
    let along = Vec3::new(angle.cos(), -angle.sin(), 0.0);
    simulate(&scene, cloth_on_cloth(slope_deg, scene.contact.distance_m), |simulation| {
        let mut places = Vec::new();
        for &time in times {
            while simulation.time_s() < time - 1e-9 {
                simulation.step()?;
            }
            let patch = &simulation.positions()[..121];
            places.push(patch.iter().map(|x| x.dot(&along)).sum::<f64>() / patch.len() as f64);
        }
        Ok(places)
    })
}

#[test]
fn cloth_sticks_to_cloth_below_the_angle_of_friction_without_creep() {
    for (slope_deg, friction) in [(10.0, 0.2), (25.0, 0.5)] {
        let places = slide(1e-3, slope_deg, friction, &[0.2, 0.7]);
        let creep = (places[1] - places[0]).abs() / 0.5;
        println!("{slope_deg} degrees, mu {friction}: creeps at {creep:.1e} m/s");
        assert!(creep < 1e-6);
    }
}

/// a = g (sin - mu cos). At 4 ms rounding decides which vertices touch: turned, or with other
/// residuals, the same patch is off by 0.4 to 4.7 % of g.
#[test]
fn cloth_slides_on_cloth_above_the_angle_of_friction() {
    for (step_s, limit) in [(1e-3, 0.004), (4e-3, 0.05)] {
        for (slope_deg, friction) in [(20.0, 0.2), (35.0, 0.5)] {
            let places = slide(step_s, slope_deg, friction, &[0.1, 0.2, 0.3]);
            check_slide([step_s, slope_deg, friction, limit], places);
        }
    }
}

/// Ten sheets dropped on each other and on a plane.
fn stack(layers: usize, spacing_m: f64) -> Setup {
    let layer = |k: usize| {
        let mut layer =
            named(&format!("layer {k}"), sheet(0.12, 0.12, 6, 6, Diagonal::Alternating));
        // It stands for air drag on the overhanging corners.
        layer.material.mass_damping_per_s = 5.0;
        let turn = rotation(Vec3::y(), 90.0 / 11.0 * k as f64);
        layer
            .positions
            .iter_mut()
            .for_each(|p| *p = turn * *p + (k + 1) as f64 * spacing_m * Vec3::y());
        layer
    };
    let floor = obstacle(
        "floor",
        Plane { width_m: 1.0, length_m: 1.0, edge_m: Some(0.1) }.mesh(),
        Transform::default(),
        None,
    );
    Setup { cloths: (0..layers).map(layer).collect(), obstacles: vec![floor], ..Setup::default() }
}

fn rms_speed(simulation: &Simulation) -> f64 {
    let v = simulation.velocities();
    (v.iter().map(|v| v.norm_squared()).sum::<f64>() / v.len() as f64).sqrt()
}

/// A stack of ten sheets falls in steps of `step_s`. After 1 s it is at rest, its gaps differ from
/// the contact distance by less than the part `gap_error` of it, and its energy never exceeded
/// that of the start.
fn assert_comes_to_rest(step_s: f64, gap_error: f64) {
    let scene = scene(step_s);
    let (speed, energies, heights) = simulate(&scene, stack(10, 0.003), |simulation| {
        let mut energies = vec![simulation.total_energy()?];
        while simulation.time_s() < 1.0 {
            simulation.step()?;
            energies.push(simulation.total_energy()?);
        }
        let heights = simulation.positions().chunks(49).map(|layer| {
            let inner = layer.iter().filter(|x| x.x.hypot(x.z) < 0.05);
            inner.clone().map(|x| x.y).sum::<f64>() / inner.count() as f64
        });
        Ok((rms_speed(simulation), energies, heights.collect::<Vec<_>>()))
    });
    let d = scene.contact.distance_m;
    let gaps = heights.windows(2).map(|pair| pair[1] - pair[0]).chain([heights[0]]);
    let worst = gaps.map(|gap| (gap / d - 1.0).abs()).fold(0.0, f64::max);
    let rise = energies.iter().fold(f64::MIN, |most, e| most.max(e - energies[0]));
    println!("{step_s} s: RMS {speed:.1e} m/s, gaps off by {worst:.3}, energy rises {rise:.1e} J");
    assert!(speed < 1e-4);
    assert!(rise <= 0.0);
    assert!(worst < gap_error);
}

#[test]
fn a_stack_of_ten_sheets_comes_to_rest_in_steps_of_1_ms() {
    assert_comes_to_rest(1e-3, 0.1);
}

#[test]
fn a_stack_of_ten_sheets_comes_to_rest_in_steps_of_4_ms() {
    assert_comes_to_rest(4e-3, 0.5);
}

#[test]
fn a_stack_of_ten_sheets_comes_to_rest_in_steps_of_10_ms() {
    assert_comes_to_rest(1e-2, 0.5);
}

#[test]
fn two_free_sheets_that_collide_keep_their_momentum_and_gain_no_energy() {
    let mut scene = scene(1e-3);
    scene.gravity_m_per_s2 = [0.0; 3];
    let mut lower = named("lower", sheet(0.2, 0.2, 12, 12, Diagonal::Alternating));
    let upper = named("upper", sheet(0.2, 0.2, 10, 10, Diagonal::Same));
    let turn = rotation(Vec3::new(0.2, 1.0, 0.1), 30.0);
    lower.positions.iter_mut().for_each(|p| *p = turn * *p - 0.06 * Vec3::y());
    let count = lower.positions.len();
    let setup = Setup { cloths: vec![lower, upper], obstacles: Vec::new(), ..Setup::default() };
    let (before, after, energies) = simulate(&scene, setup, |simulation| {
        let x = simulation.positions().to_vec();
        let v = |i: usize| if i < count { Vec3::new(0.1, 2.0, 0.0) } else { Vec3::zeros() };
        simulation.set_motion(&x, &(0..x.len()).map(v).collect::<Vec<_>>())?;
        let masses = simulation.model().cloth.masses.clone();
        let momentum = |s: &Simulation| -> Vec3 {
            s.velocities().iter().zip(&masses).map(|(v, m)| v * *m).sum()
        };
        let before = momentum(simulation);
        let mut energies = vec![simulation.total_energy()?];
        while simulation.time_s() < 0.15 {
            simulation.step()?;
            energies.push(simulation.total_energy()?);
        }
        Ok((before, momentum(simulation), energies))
    });
    let drift = (after - before).norm() / before.norm();
    let rise = energies.iter().fold(f64::MIN, |most, e| most.max(e - energies[0]));
    println!("momentum drifts by {drift:.1e}, energy {rise:+.1e} J");
    assert!(drift < 0.01 && rise <= 1e-12 * energies[0]);
    assert!(energies[energies.len() - 1] < 0.9 * energies[0], "they did not collide");
}

/// A ball that flies at 50 m/s, 5 cm in a step of 1 ms, through the middle of a sheet.
fn shot(pinned: bool) -> (Scene, Setup) {
    let mut scene = scene(1e-3);
    scene.gravity_m_per_s2 = [0.0; 3];
    let mut target = named("target", sheet(0.3, 0.3, 16, 16, Diagonal::Alternating));
    if pinned {
        hold(&mut target, |p| p.x.abs() > 0.149 || p.z.abs() > 0.149);
    }
    let key = |time_s, y| Keyframe {
        time_s,
        translation: Vec3::new(0.0, y, 0.0),
        axis: Vec3::y(),
        angle_deg: 0.0,
    };
    let motion =
        KeyframedMotion { center: Vec3::zeros(), keyframes: vec![key(0.0, 0.0), key(0.02, -1.0)] };
    let ball = Sphere { radius_m: 0.02, edge_m: Some(0.008) }.mesh();
    let ball = obstacle("ball", ball, raised(Vec3::new(0.003, 0.06, 0.004)), Some(motion));
    (scene, Setup { cloths: vec![target], obstacles: vec![ball], ..Setup::default() })
}

/// Height of the sheet's middle over the ball's centre after 18 steps, m, and how often obstacle
/// or border left no room.
fn shoot(pinned: bool) -> (f64, u64) {
    let (scene, setup) = shot(pinned);
    let middle = setup.cloths[0].rest.iter().position(|p| p.norm() < 1e-9).expect("a middle");
    simulate(&scene, setup, |simulation| {
        let (mut total, mut ball_y) = (StepReport::default(), 0.06);
        for _ in 0..18 {
            match simulation.step() {
                Ok(report) => total.add(&report),
                // A pinch must be reported, never ignored.
                Err(Error::Step { cause, .. }) => {
                    assert!(cause.contains("no room"), "{cause}");
                    total.count(Counter::Pinches, 1);
                    break;
                }
                Err(error) => return Err(error),
            }
            // The ball may wait, so its present place counts.
            let pose = simulation.obstacle_poses()[0];
            let rigid = pose.and_then(PrescribedPose::rigid);
            ball_y = rigid.map_or(0.06, |pose| pose.apply(Vec3::new(0.0, 0.06, 0.0)).y);
        }
        Ok((simulation.positions()[middle].y - ball_y, total.get(Counter::Pinches)))
    })
}

/// A sheet that meets nothing else cannot pass a ball without being cut. Its middle stays below
/// the ball.
#[test]
fn a_fast_ball_never_passes_a_sheet() {
    for pinned in [false, true] {
        let (height, pinches) = shoot(pinned);
        println!("pinned {pinned}: middle {height:.4} m above the ball, {pinches} pinches");
        assert!(height < -0.019);
    }
}

/// Tension (N) at which a strip of `weight` (N/m) begins to slip round a cylinder of `radius`
/// (m), if the tension at its other end is `light` (N): `dT = mu (T + w R sin) + w R cos`.
fn capstan(light: f64, weight: f64, radius: f64, friction: f64) -> f64 {
    let n = 10_000;
    let step = std::f64::consts::PI / f64::from(n);
    (0..n).fold(light, |tension, i| {
        let angle = (f64::from(i) + 0.5) * step;
        let normal = tension + weight * radius * angle.sin();
        tension + step * (friction * normal + weight * radius * angle.cos())
    })
}

/// How far a strip slips round a cylinder in a fifth of a second, m. The ratio of the loads at
/// its ends is that of the capstan equation, times `load`.
fn slip(load: f64) -> f64 {
    let (friction, radius, light) = (0.3, 0.03, 0.06);
    let scene = {
        let mut scene = scene(1e-3);
        scene.contact.friction_obstacle = friction;
        scene
    };
    let r = radius + scene.contact.distance_m;
    let heavy = load * capstan(light, 1.0, r, friction);
    let arc = std::f64::consts::PI * r;
    let length = light + arc + heavy;
    let (across, cell) = (4, 0.006);
    let along = (length / cell).round() as u32;
    let mut strip = named("strip", strip(along, across, length / f64::from(along), Cut::Rising));
    for p in &mut strip.positions {
        let s = p.x;
        let at = |x: f64, y: f64| Vec3::new(x, y, p.z);
        *p = if s < light {
            at(-r, s - light)
        } else if s < light + arc {
            let angle = (s - light) / r;
            at(-r * angle.cos(), r * angle.sin())
        } else {
            at(r, light + arc - s)
        };
    }
    let count = strip.positions.len();
    let lying = Transform { rotation: rotation(Vec3::x(), 90.0), ..Default::default() };
    let cylinder = obstacle(
        "cylinder",
        Cylinder { radius_m: radius, length_m: 0.1, edge_m: Some(0.003) }.mesh(),
        lying,
        None,
    );
    let setup = Setup { cloths: vec![strip], obstacles: vec![cylinder], ..Setup::default() };
    simulate(&scene, setup, |simulation| {
        let heavy_end = |s: &Simulation| s.positions()[count - 1].y;
        let mut places = Vec::new();
        for end in [0.2, 0.4] {
            while simulation.time_s() < end {
                simulation.step()?;
            }
            places.push(heavy_end(simulation));
        }
        Ok(places[0] - places[1])
    })
}

#[test]
fn a_strip_round_a_cylinder_slips_when_the_capstan_equation_says_so() {
    let (held, slips) = (slip(0.9), slip(1.1));
    println!("at 0.9 of the load {held:.1e} m, at 1.1 {slips:.1e} m");
    assert!(held.abs() < 1e-4 && slips > 1e-3);
}

//! The forces of contacts at rest against the load that they carry.

use std::ops::Range;

use cloth_collision::collision::narrow::closest;
use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion, ObstacleSetup, Transform};
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::shapes::{Cylinder, Diagonal, ShapeKind, Sphere, sheet};
use cloth_sim::step::Simulation;

use crate::contact::level_plane;
use crate::physics::*;
use crate::self_contact::obstacle;

const DENSITY: f64 = 0.2;

const STEPS_S: [f64; 3] = [1e-3, 4e-3, 1e-2];

/// The force of all contacts on the `vertices` of cloth, N: normal forces and friction. `obstacle`
/// has the positions of vertices that are not cloth (m).
fn force_on(vertices: Range<usize>, simulation: &Simulation, obstacle: &[Vec3]) -> Vec3 {
    let x = [simulation.positions(), obstacle].concat();
    let mut sum = Vec3::zeros();
    for contact in &simulation.state().contacts {
        let near = closest(contact.pair.kind(), contact.pair.gather(&x));
        let force = near.normal * contact.normal_force - Vec3::from(contact.friction_force);
        let all = contact.pair.vertices.iter().zip(near.weights);
        let of_range = all.filter(|&(&vertex, _)| vertices.contains(&(vertex as usize)));
        let weight: f64 = of_range.map(|(_, weight)| weight).sum();
        sum += force * weight;
    }
    sum
}

/// A square of cloth, 20 cm wide, `height` (m) above the origin.
fn square(height: f64) -> ClothSetup {
    let material = Material {
        mass_damping_per_s: 5.0,
        stiffness_damping_s: 2e-3,
        ..Material::isotropic(DENSITY, 500.0, 0.3, 1e-5)
    };
    let mut cloth = cloth(sheet(0.2, 0.2, 10, 10, Diagonal::Alternating), material);
    cloth.positions.iter_mut().for_each(|p| *p += Vec3::new(0.013, height, 0.007));
    cloth
}

/// Checks that the contacts of a cloth at rest on `under` carry its weight, and push nowhere else.
fn check_weight(name: &str, cloth: ClothSetup, under: &ObstacleSetup) {
    let weight = DENSITY * 0.2 * 0.2 * G;
    let places: Vec<Vec3> = under.shape.iter().map(|p| under.placement.apply(*p)).collect();
    for step_s in STEPS_S {
        let setup = Setup {
            cloths: vec![cloth.clone()],
            obstacles: vec![under.clone()],
            ..Setup::default()
        };
        let (force, speed, time_s) = simulate(&scene(step_s), setup, |simulation| {
            let time_s = settle(simulation, 1e-6, 8.0)?;
            Ok((force_on(0..121, simulation, &places), fastest(simulation), time_s))
        });
        let error = force / weight - Vec3::y();
        println!(
            "{name}, {step_s} s: {:+.4} % up, {:.4} % across; {speed:.0e} m/s after {time_s:.2} s",
            100.0 * error.y,
            100.0 * error.x.hypot(error.z)
        );
        assert!(error.norm() < 0.01);
    }
}

#[test]
fn contacts_carry_the_weight_of_a_cloth_on_a_plane() {
    check_weight("plane", square(0.002), &level_plane());
}

/// On a sphere friction carries a part of the weight.
#[test]
fn contacts_and_friction_carry_the_weight_of_a_cloth_on_a_sphere() {
    let sphere = Sphere { radius_m: 0.1, edge_m: Some(0.01) }.mesh();
    let sphere = obstacle("sphere", sphere, Transform::default(), None);
    check_weight("sphere", square(0.102), &sphere);
}

/// A sheet of 2 kg/m^2 on one of 0.05 kg/m^2: the lower one carries 41 times its own weight.
#[test]
fn a_light_sheet_carries_a_heavy_one() {
    let (heavy, light) = (2.0, 0.05);
    let plane = level_plane();
    for step_s in STEPS_S {
        let [mut low, mut high] = [square(0.0012), square(0.0024)];
        (low.name, high.name) = ("low".to_owned(), "high".to_owned());
        (low.material.density_kg_per_m2, high.material.density_kg_per_m2) = (light, heavy);
        high.positions.iter_mut().for_each(|p| *p += Vec3::new(0.005, 0.0, 0.003));
        let setup =
            Setup { cloths: vec![low, high], obstacles: vec![plane.clone()], ..Setup::default() };
        let forces = simulate(&scene(step_s), setup, |simulation| {
            settle(simulation, 1e-6, 8.0)?;
            let force = |vertices| force_on(vertices, simulation, &plane.shape).y;
            Ok([force(121..242), force(0..242)])
        });
        for (force, density) in forces.into_iter().zip([heavy, heavy + light]) {
            let error = force / (density * 0.2 * 0.2 * G) - 1.0;
            println!("{density} kg/m^2 at {step_s} s: {:+.4} %", 100.0 * error);
            assert!(error.abs() < 0.01);
        }
    }
}

/// A strip of length 2 a is held at both ends, and a cylinder of radius r presses its middle down
/// without friction. The strip is straight from its ends to the cylinder and lies on it in
/// between, at the angle b to the horizontal where it leaves it. With R = r + d_c and the middle
/// at depth D:
///
/// ```text
/// a = s cos b + R sin b      D = s sin b + R (1 - cos b)      T = E t ((s + R b) / a - 1)
/// ```
///
/// The cylinder carries 2 T w sin b for a strip of width w.
fn force_of_strip([half, radius, depth]: [f64; 3], modulus: f64, width: f64) -> f64 {
    let straight = |b: f64| (half - radius * b.sin()) / b.cos();
    let (mut low, mut high) = (0.0, 1.5);
    for _ in 0..100 {
        let b = 0.5 * (low + high);
        let is_deeper = straight(b) * b.sin() + radius * (1.0 - b.cos()) > depth;
        (low, high) = if is_deeper { (low, b) } else { (b, high) };
    }
    let tension = modulus * ((straight(low) + radius * low) / half - 1.0);
    2.0 * tension * width * low.sin()
}

#[test]
fn contacts_carry_the_pull_of_a_strip_that_a_cylinder_presses() {
    let (half, width, radius, depth) = (0.3, 0.06, 0.05, 0.15);
    let modulus = 500.0;
    for step_s in [1e-3, 4e-3] {
        let material = Material {
            mass_damping_per_s: 20.0,
            stiffness_damping_s: 2e-3,
            ..Material::isotropic(DENSITY, modulus, 0.0, 1e-7)
        };
        let mut scene = scene(step_s);
        scene.gravity_m_per_s2 = [0.0; 3];
        scene.contact.friction_obstacle = 0.0;
        let distance = scene.contact.distance_m;
        let mut cloth = cloth(strip(60, 6, 2.0 * half / 60.0, Cut::Rising), material);
        cloth.positions.iter_mut().for_each(|p| p.x -= half);
        hold(&mut cloth, |p| p.x < 1e-9 || p.x > 2.0 * half - 1e-9);
        let key = |time_s, y| Keyframe {
            time_s,
            translation: Vec3::y() * y,
            axis: Vec3::y(),
            angle_deg: 0.0,
        };
        let motion = KeyframedMotion {
            center: Vec3::zeros(),
            keyframes: vec![key(0.0, 0.0), key(0.4, -depth)],
        };
        let placement = Transform {
            rotation: rotation(Vec3::x(), 90.0),
            translation: Vec3::y() * (radius + 1.5 * distance),
            ..Default::default()
        };
        let mesh = Cylinder { radius_m: radius, length_m: 0.1, edge_m: Some(0.003) }.mesh();
        let cylinder = obstacle("cylinder", mesh, placement, Some(motion));
        let end = |p: &Vec3| cylinder.placement.apply(*p) - Vec3::y() * depth;
        let places: Vec<Vec3> = cylinder.shape.iter().map(end).collect();
        let setup = Setup { cloths: vec![cloth], obstacles: vec![cylinder], ..Setup::default() };
        let (force, lowest, speed) = simulate(&scene, setup, |simulation| {
            while simulation.time_s() < 0.4 {
                simulation.step()?;
            }
            settle(simulation, 1e-6, 4.0)?;
            let lowest = simulation.positions().iter().map(|x| x.y).fold(0.0, f64::min);
            Ok((force_on(0..427, simulation, &places), lowest, fastest(simulation)))
        });
        // The surface of the cylinder is at depth - 1.5 d_c, the strip d_c below it.
        let pressed = depth - 0.5 * distance;
        let exact = force_of_strip([half, radius + distance, pressed], modulus, width);
        println!(
            "E t {modulus} N/m, {step_s} s: {:.4} N, exact {exact:.4}, {:+.2} %; \
                 {:.3} mm less deep; {speed:.0e} m/s",
            -force.y,
            100.0 * (-force.y / exact - 1.0),
            1e3 * (pressed + lowest),
        );
        assert!((-force.y / exact - 1.0).abs() < 0.01);
    }
}

/// A square slides over the plane at 0.4 m/s, without friction: most pairs change from step to
/// step.
#[test]
fn contacts_carry_the_weight_of_a_cloth_that_slides() {
    let weight = DENSITY * 0.2 * 0.2 * G;
    for step_s in STEPS_S {
        let mut scene = scene(step_s);
        scene.contact.friction_obstacle = 0.0;
        let setup = Setup {
            cloths: vec![square(0.002)],
            obstacles: vec![level_plane()],
            ..Setup::default()
        };
        let worst = simulate(&scene, setup, |simulation| {
            settle(simulation, 1e-4, 8.0)?;
            let x = simulation.positions().to_vec();
            simulation.set_motion(&x, &vec![Vec3::new(0.4, 0.0, 0.13); x.len()])?;
            let mut worst = [0.0_f64; 2];
            for _ in 0..40 {
                simulation.step()?;
                let forces = simulation.state().contacts.iter().map(|c| c.normal_force);
                let pushes: f64 = forces.clone().map(|force| force.max(0.0)).sum();
                let pulls: f64 = forces.map(|force| force.min(0.0)).sum();
                worst[0] = worst[0].max((pushes / weight - 1.0).abs());
                worst[1] = worst[1].max(-pulls / weight);
            }
            Ok(worst)
        });
        let [pushes, pulls] = worst.map(|share| 100.0 * share);
        println!("{step_s} s: pushes off by up to {pushes:.2} %, pulls up to {pulls:.2} %");
        assert!(pushes < 2.0 && pulls < 1.0);
    }
}

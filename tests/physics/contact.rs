//! Cloth on obstacles against closed forms, through the real step.

use std::path::Path;

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion, Motion, ObstacleSetup, Transform};
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::SurfaceMesh;
use cloth_sim::mesh::shapes::{Diagonal, Disc, Plane, Shape, ShapeKind, sheet};
use cloth_sim::scene;

use crate::physics::*;

/// A square of cloth, 10 cm wide, at rest at the contact distance above a plane that slopes
/// down by `slope_deg` degrees towards +x.
pub fn incline(slope_deg: f64, distance_m: f64) -> Setup {
    let placement = Transform { rotation: rotation(Vec3::z(), -slope_deg), ..Default::default() };
    let mesh = sheet(0.1, 0.1, 10, 10, Diagonal::Alternating);
    let mut cloth = cloth(mesh, Material::isotropic(0.2, 500.0, 0.3, 1e-5));
    for p in &mut cloth.positions {
        *p = placement.apply(*p - 0.3 * Vec3::x() + distance_m * Vec3::y());
    }
    let plane = ObstacleSetup { placement, ..level_plane() };
    Setup { cloths: vec![cloth], obstacles: vec![plane], ..Setup::default() }
}

/// A plane at height 0 with edges of 5 cm.
pub fn level_plane() -> ObstacleSetup {
    let plane = Plane { width_m: 1.0, length_m: 1.0, edge_m: Some(0.05) };
    let surface = SurfaceMesh::from_mesh(plane.mesh()).expect("a sound mesh");
    ObstacleSetup {
        name: "plane".to_owned(),
        shape: surface.document.positions.clone(),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        placement: Transform::default(),
        motion: None,
        yields: None,
    }
}

/// Runs to each of `times` (s) and returns the positions at these times (m).
fn slide(step_s: f64, slope_deg: f64, friction: f64, times: &[f64]) -> Vec<Vec<Vec3>> {
    let mut scene = scene(step_s);
    scene.contact.friction_obstacle = friction;
    simulate(&scene, incline(slope_deg, scene.contact.distance_m), |simulation| {
        let mut positions = Vec::new();
        for &time in times {
            while simulation.time_s() < time - 1e-9 {
                simulation.step()?;
            }
            positions.push(simulation.positions().to_vec());
        }
        Ok(positions)
    })
}

#[test]
fn cloth_sticks_to_an_incline_below_the_angle_of_friction_without_creep() {
    for (slope_deg, friction) in [(5.0, 0.3), (15.0, 0.3), (16.0, 0.3), (40.0, 0.9)] {
        let positions = slide(1e-3, slope_deg, friction, &[0.2, 0.7]);
        let moved = positions[0].iter().zip(&positions[1]).map(|(a, b)| (b - a).norm());
        let creep = moved.fold(0.0, f64::max) / 0.5;
        println!("{slope_deg} degrees, mu {friction}: creeps at {creep:.1e} m/s");
        assert!(creep < 1e-6);
    }
}

/// a = g (sin - mu cos). At 10 ms this holds below 0.3 m/s (docs/methods.md, section 13).
#[test]
fn cloth_slides_down_an_incline_above_the_angle_of_friction() {
    let slopes = [(18.0, 0.3), (20.0, 0.3), (30.0, 0.3), (10.0, 0.0)];
    for (step_s, slopes) in [(1e-3, &slopes[..]), (4e-3, &slopes), (1e-2, &slopes[..2])] {
        for &(slope_deg, friction) in slopes {
            let angle = f64::to_radians(slope_deg);
            let along = Vec3::new(angle.cos(), -angle.sin(), 0.0);
            let mean =
                |x: &Vec<Vec3>| x.iter().map(|x| x.dot(&along)).sum::<f64>() / x.len() as f64;
            let places = slide(step_s, slope_deg, friction, &[0.1, 0.2, 0.3]);
            let limit = if step_s > 1e-3 { 0.01 } else { 0.004 };
            check_slide([step_s, slope_deg, friction, limit], places.iter().map(mean).collect());
        }
    }
}

/// Checks the acceleration of cloth that slides on a slope, from its places (m) 0.1 s apart. It is
/// off by at most the part `limit` of g.
pub fn check_slide([step_s, slope_deg, friction, limit]: [f64; 4], places: Vec<f64>) {
    let angle = f64::to_radians(slope_deg);
    let exact = G * (angle.sin() - friction * angle.cos());
    let found = (places[2] - 2.0 * places[1] + places[0]) / 0.01;
    println!(
        "{step_s} s, {slope_deg} degrees, mu {friction}: {found:.4} m/s^2, exact {exact:.4}, \
             {:+.2} %, {:+.2} % of g",
        100.0 * (found / exact - 1.0),
        100.0 * (found - exact) / G
    );
    assert!((found - exact).abs() < limit * G);
}

/// The first second of the tablecloth, in which it falls and drapes, on a coarser disc.
#[test]
fn the_energy_of_a_falling_tablecloth_never_rises() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/tablecloth.ron");
    let mut scene = scene::load(&path).expect("the scene is sound");
    scene.cloths[0].shape = Shape::Disc(Disc { radius_m: 1.0, rings: 30 });
    let setup = scene::build(&scene, Path::new(".")).expect("the scene is sound");
    let energies = simulate(&scene, setup, |simulation| {
        let mut energies = vec![simulation.total_energy()?];
        for _ in 0..scene.steps() {
            simulation.step()?;
            energies.push(simulation.total_energy()?);
        }
        Ok(energies)
    });
    let (start, end) = (energies[0], energies[energies.len() - 1]);
    let rise = largest_rise(&energies);
    println!("tablecloth: {start:.3} J at first, {end:.3} J at last, largest rise {rise:.1e} J");
    assert!(energies.iter().all(|energy| *energy <= start) && end < 0.0);
}

/// Cloth on a floor that sinks faster than cloth can fall. The cloth falls freely: nothing holds
/// it back and nothing pulls it.
#[test]
fn cloth_does_not_stick_to_a_floor_that_sinks() {
    let mut scene = scene(1e-3);
    scene.contact.friction_obstacle = 0.0;
    let mut setup = incline(0.0, scene.contact.distance_m);
    let key = |time_s, y| Keyframe {
        time_s,
        translation: Vec3::new(0.0, y, 0.0),
        axis: Vec3::y(),
        angle_deg: 0.0,
    };
    let keyframes = vec![key(0.0, 0.0), key(0.1, 0.0), key(0.2, -1.0)];
    let motion = KeyframedMotion { center: Vec3::zeros(), keyframes };
    setup.obstacles[0].motion = Some(Motion::Keyframes(motion));
    let heights = simulate(&scene, setup, |simulation| {
        let mut heights = Vec::new();
        for end in [0.1, 0.15] {
            while simulation.time_s() < end - 1e-9 {
                simulation.step()?;
            }
            let x = simulation.positions();
            heights.push(x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64);
        }
        Ok(heights)
    });
    let fallen = heights[0] - heights[1];
    // Implicit Euler falls by g h^2 n (n + 1) / 2.
    let exact = G * 1e-6 * 50.0 * 51.0 / 2.0;
    println!("fell by {:.3} mm, free fall {:.3} mm", 1e3 * fallen, 1e3 * exact);
    assert!((fallen - exact).abs() < 1e-4);
}

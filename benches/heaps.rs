//! Tables of heaps of spheres and boxes: how well they rest, how steep they are, and how far a bed
//! of them can be tilted. Each table takes minutes.
//!
//! `cargo bench --bench heaps -- [rest] [repose] [repose_of_boxes] [tilted]`; all without a name.

#[path = "../tests/rigid_mechanics/heaps.rs"]
mod heaps;
#[allow(dead_code)] // the tests use all of it
#[path = "../tests/rigid_mechanics/scene.rs"]
mod scene;

use std::collections::BTreeMap;

use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::math::Vec3;
use nalgebra::UnitQuaternion;

use heaps::{Grain, RADIUS, RESPONSES, Rest, filled, heap, print_rest, repose};
use scene::{Response, Scene};

const TABLES: [(&str, fn()); 4] = [
    ("rest", rest),
    ("repose", angles_of_repose),
    ("repose_of_boxes", angles_of_repose_of_boxes),
    ("tilted", tilted_boxes),
];

fn main() {
    // `cargo bench` adds `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    for name in &wanted {
        assert!(TABLES.iter().any(|(known, _)| known == name), "there is no table {name}");
    }
    for (name, table) in TABLES {
        if wanted.is_empty() || wanted.iter().any(|it| it == name) {
            table();
        }
    }
}

fn rest() {
    for response in RESPONSES {
        for step_s in [2e-3, 1e-3] {
            println!("h = {step_s} s");
            let spheres = heap(response, false, [10, 20], step_s, 2.4);
            print_rest("2000 spheres", response, &Rest::of(&spheres));
            let boxes = heap(response, true, [10, 20], step_s, 2.4);
            print_rest("2000 boxes", response, &Rest::of(&boxes));
        }
    }
}

fn angles_of_repose() {
    for response in RESPONSES {
        for friction in [0.1, 0.2, 0.4, 0.6] {
            print_repose(response, Grain::Sphere, friction);
        }
    }
}

fn angles_of_repose_of_boxes() {
    for friction in [0.6, 0.2, 0.4] {
        print_repose(Response::Nonsmooth { sweeps: 20 }, Grain::Box, friction);
    }
}

fn print_repose(response: Response, grain: Grain, friction: f64) {
    let (degrees, left) = repose(response, grain, friction, 14.0, 2e-3);
    println!("{response:?} {grain:?} friction {friction}: {degrees:.1} degrees, {left} left");
}

/// A box of bodies that rests for 2 s and then tilts about an edge of its floor, by 4 degrees a
/// second, up to `degrees`. Its surface is then so many degrees steep.
fn tilted(mut world: Scene, degrees: f64, step_s: f64) -> (Scene, f64) {
    let (rest_s, tilt_s) = (2.0, degrees / 4.0);
    let key = |time_s: f64, angle_deg: f64| Keyframe {
        time_s,
        translation: Vec3::zeros(),
        axis: -Vec3::z(),
        angle_deg,
    };
    let keyframes = vec![key(rest_s, 0.0), key(rest_s + tilt_s, degrees)];
    let mut fixed = world.fixed.bodies().to_vec();
    for wall in &mut fixed {
        let keyframes = keyframes.clone();
        wall.motion = Some(KeyframedMotion { center: Vec3::zeros(), keyframes });
    }
    world = world.with_fixed(fixed);
    world.run(((rest_s + tilt_s) / step_s) as usize);
    let turn = UnitQuaternion::from_scaled_axis(Vec3::z() * degrees.to_radians());
    let slope = surface_slope(world.bodies.iter().map(|body| turn * body.state.position));
    (world, degrees - slope)
}

/// Least squares of the height of the highest centres against `x`, degrees.
fn surface_slope(centres: impl Iterator<Item = Vec3>) -> f64 {
    let cell = |c: f64| (c / (2.5 * RADIUS)) as i32;
    let mut tops = BTreeMap::new();
    for centre in centres {
        let top = tops.entry([cell(centre.x), cell(centre.z)]).or_insert(centre);
        if top.y < centre.y {
            *top = centre;
        }
    }
    let mean = tops.values().sum::<Vec3>() / tops.len() as f64;
    let apart = || tops.values().map(|top| top - mean);
    let rise: f64 = apart().map(|it| it.x * it.y).sum();
    libm::atan(rise / apart().map(|it| it.x * it.x).sum::<f64>()).to_degrees()
}

/// How steep the surface of a box is that was tilted to 45 degrees, and how fast a bed creeps that
/// was tilted to 20 degrees, 5 s later.
fn tilted_boxes() {
    for (boxes, friction, sweeps, step_s) in [
        (false, 0.4, 20, 2e-3),
        (true, 0.6, 20, 2e-3),
        (true, 0.6, 100, 2e-3),
        (true, 0.6, 20, 5e-4),
    ] {
        let response = Response::Nonsmooth { sweeps };
        let bed = || filled(response, boxes, friction, [10, 12], step_s);
        let (_, steepest) = tilted(bed(), 45.0, step_s);
        let (mut world, _) = tilted(bed(), 20.0, step_s);
        world.run((5.0 / step_s) as usize);
        let Rest { mean_speed, .. } = Rest::of(&world);
        println!(
            "boxes: {boxes}, friction {friction}, {sweeps} sweeps, steps of {step_s} s: surface \
             {steepest:.1} degrees, creeps at 20 degrees by {mean_speed:.1e} m/s"
        );
    }
}

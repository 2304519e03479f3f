//! Heaps of spheres and boxes: how well they rest, and how steep they are.

use std::collections::BTreeMap;

use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::math::Vec3;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::Shape;
use nalgebra::UnitQuaternion;

use crate::scene::{Response, Scene};
use crate::{down, random_numbers, surface};

/// m.
const RADIUS: f64 = 0.05;

/// The first id of fixed bodies.
const WALL: u64 = 1 << 40;

/// Walls of a box with a square floor of `edge` (m), open above.
fn container(edge: f64) -> Vec<FixedBody> {
    let half_space = |id, point: Vec3, normal: Vec3| FixedBody::half_space(id, 0, point, normal);
    let far = Vec3::new(edge, 0.0, edge);
    vec![
        half_space(WALL, Vec3::zeros(), Vec3::y()),
        half_space(WALL + 1, Vec3::zeros(), Vec3::x()),
        half_space(WALL + 2, Vec3::zeros(), Vec3::z()),
        half_space(WALL + 3, far, -Vec3::x()),
        half_space(WALL + 4, far, -Vec3::z()),
    ]
}

/// How well a heap rests.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// Mean and largest speed of the centres, m/s.
    mean_speed: f64,
    largest_speed: f64,
    /// Deepest overlap, and mean of the contacts, as shares of the radius.
    overlap: f64,
    mean_overlap: f64,
    contacts_per_body: f64,
}

impl Rest {
    fn of(world: &Scene) -> Self {
        let speeds = world.bodies.iter().map(|body| body.state.twist.linear.norm());
        let overlaps = world.contacts.iter().map(|contact| (-contact.gap).max(0.0) / RADIUS);
        let count = world.contacts.len() as f64;
        Self {
            mean_speed: speeds.clone().sum::<f64>() / world.bodies.len() as f64,
            largest_speed: speeds.fold(0.0, f64::max),
            overlap: overlaps.clone().fold(0.0, f64::max),
            mean_overlap: overlaps.sum::<f64>() / count,
            contacts_per_body: count / world.bodies.len() as f64,
        }
    }
}

/// `side^2 * layers` bodies above the floor of a box, `surface(0.2, friction)`.
fn filled(
    response: Response,
    boxes: bool,
    friction: f64,
    [side, layers]: [u32; 2],
    step_s: f64,
) -> Scene {
    let spacing = 2.2 * RADIUS;
    let edge = spacing * f64::from(side);
    let mut world =
        Scene::new(step_s, surface(0.2, friction), down(), response).with_fixed(container(edge));
    let mut random = random_numbers();
    for k in 0..side * side * layers {
        let place = [k % side, k / (side * side), k / side % side].map(f64::from);
        let jitter = Vec3::new(random(), random(), random()) * 0.04 * RADIUS;
        let position = (Vec3::from(place) + Vec3::repeat(0.5)) * spacing + jitter;
        if boxes {
            let half = Vec3::new(1.0, 0.7, 0.8) * (RADIUS * 0.6 * (1.1 + 0.3 * random()));
            let body = world.add(Shape::Box { half }, position);
            let turn = Vec3::new(random(), random(), random());
            body.state.rotation = UnitQuaternion::from_scaled_axis(turn);
        } else {
            world.add(Shape::Sphere { radius: RADIUS * (0.95 + 0.05 * random()) }, position);
        }
    }
    world
}

/// Bodies that fell into a box and came to rest, after `seconds`.
fn heap(response: Response, boxes: bool, count: [u32; 2], step_s: f64, seconds: f64) -> Scene {
    let mut world = filled(response, boxes, 0.4, count, step_s);
    world.run((seconds / step_s) as usize);
    world
}

/// Both responses: FFD, and sweeps as few as heaps need.
const RESPONSES: [Response; 2] = [Response::Ffd, Response::Nonsmooth { sweeps: 10 }];

/// A line of a table.
fn print_rest(name: &str, response: Response, rest: &Rest) {
    println!(
        "{name} {response:?}: mean speed {:.1e} m/s, largest {:.1e} m/s, deepest overlap {:.2} %, \
         mean {:.2} % of the radius, {:.1} contacts a body",
        rest.mean_speed,
        rest.largest_speed,
        100.0 * rest.overlap,
        100.0 * rest.mean_overlap,
        rest.contacts_per_body
    );
}

#[test]
fn heaps_of_spheres_and_boxes_come_to_rest() {
    for response in RESPONSES {
        let spheres = Rest::of(&heap(response, false, [6, 10], 2e-3, 1.6));
        print_rest("360 spheres", response, &spheres);
        let boxes = Rest::of(&heap(response, true, [5, 6], 2e-3, 1.6));
        print_rest("150 boxes", response, &boxes);
        // FFD quivers with the speed `n g h` of `n` layers.
        let (speed, overlap) = if response == Response::Ffd { (0.3, 0.4) } else { (0.01, 0.02) };
        for rest in [spheres, boxes] {
            assert!(rest.mean_speed < speed && rest.overlap < overlap, "{response:?}: {rest:?}");
        }
        assert!(response == Response::Ffd || spheres.overlap < 0.01, "{spheres:?}");
    }
}

/// Takes minutes: `cargo test --release --test rigid_mechanics -- --ignored --nocapture`.
#[test]
#[ignore = "a table that takes minutes"]
fn table_of_large_heaps() {
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

/// A body of a heap.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Grain {
    Sphere,
    /// Edges in the ratio of 10, 8 and 7.
    Box,
}

/// A block of bodies between walls on a square plate with a low rim. Its edges are `half` radii
/// from the middle. The walls vanish, what slides beyond the rim falls off. The slope of what
/// remains (degrees), and the number of bodies.
fn repose(response: Response, grain: Grain, friction: f64, half: f64, step_s: f64) -> (f64, usize) {
    let half = half * RADIUS;
    let fixed = plate(half);
    let walls = [Vec3::x(), -Vec3::x(), Vec3::z(), -Vec3::z()].into_iter().zip(WALL + 10..);
    let walls = walls.map(|(n, id)| FixedBody::half_space(id, 0, n * -half, n));
    let closed = fixed.iter().cloned().chain(walls).collect();
    let mut world = Scene::new(step_s, surface(0.1, friction), down(), response).with_fixed(closed);
    let spacing = 2.1 * RADIUS;
    let side = (2.0 * half / spacing) as u32;
    let middle = Vec3::new(0.5, 0.0, 0.5) * f64::from(side);
    let mut random = random_numbers();
    // Boxes are smaller, and a low heap has no slope.
    let (layers, fall_s) = match grain {
        Grain::Sphere => (6 * side / 10, 0.6),
        Grain::Box => (18 * side / 10, 1.4),
    };
    for k in 0..side * side * layers {
        let place = [k % side, k / (side * side), k / side % side].map(f64::from);
        let jitter = Vec3::new(random(), random(), random()) * 0.02 * RADIUS;
        let position = (Vec3::from(place) - middle + Vec3::repeat(0.5)) * spacing + jitter;
        let size = RADIUS * (0.95 + 0.05 * random());
        if grain == Grain::Sphere {
            world.add(Shape::Sphere { radius: size }, position);
        } else {
            let body =
                world.add(Shape::Box { half: Vec3::new(1.0, 0.7, 0.8) * 0.68 * size }, position);
            let turn = Vec3::new(random(), random(), random()) * 2.0;
            body.state.rotation = UnitQuaternion::from_scaled_axis(turn);
        }
    }
    world.run((fall_s / step_s) as usize);
    world = world.with_fixed(fixed);
    for _ in 0..(2.5 / step_s) as usize {
        world.step();
        world.retain(|body| body.state.position.y > -2.0 * RADIUS);
    }
    (slope(&world, half), world.bodies.len())
}

/// A square plate at height 0 with a rim as high as a radius.
fn plate(half: f64) -> Vec<FixedBody> {
    let [depth, thick, high] = [0.2, 0.5 * RADIUS, RADIUS];
    let shape = Shape::Box { half: Vec3::new(half, depth, half) };
    let mut fixed = vec![FixedBody::immovable(WALL, 0, shape, Vec3::new(0.0, -depth, 0.0))];
    let sides = [Vec3::x(), -Vec3::x(), Vec3::z(), -Vec3::z()].into_iter().zip(WALL + 1..);
    fixed.extend(sides.map(|(outwards, id)| {
        let along =
            outwards.abs() * thick + outwards.cross(&Vec3::y()).abs() * (half + 2.0 * thick);
        let shape = Shape::Box { half: along + Vec3::y() * (0.5 * high + depth) };
        let centre = outwards * (half + thick) + Vec3::y() * (0.5 * high - depth);
        FixedBody::immovable(id, 0, shape, centre)
    }));
    fixed
}

/// Least squares of the surface's height against the distance from the middle, degrees.
fn slope(world: &Scene, half: f64) -> f64 {
    let cell = 2.5 * RADIUS;
    let count = (2.0 * half / cell) as usize;
    let width = 2.0 * half / count as f64;
    let mut tops = vec![0.0f64; count * count];
    for body in &world.bodies {
        let x = &body.state.position;
        let index = |c: f64| (((c + half) / width).max(0.0) as usize).min(count - 1);
        let top = &mut tops[index(x.x) * count + index(x.z)];
        *top = top.max(x.y);
    }
    let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (k, &top) in tops.iter().enumerate() {
        let centre = |i: usize| ((i as f64 + 0.5) * width - half).abs();
        let s = centre(k / count).max(centre(k % count));
        if s > 0.15 * half && s < 0.9 * half {
            (n, sx, sy, sxx, sxy) = (n + 1.0, sx + s, sy + top, sxx + s * s, sxy + s * top);
        }
    }
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    libm::atan(-slope).to_degrees()
}

/// Glass beads, friction 0.16 to 0.3, form heaps of 22 to 26 degrees.
#[test]
fn a_heap_of_spheres_is_as_steep_as_one_of_glass_beads() {
    let (degrees, left) =
        repose(Response::Nonsmooth { sweeps: 10 }, Grain::Sphere, 0.2, 12.0, 2e-3);
    println!("NSCD: {degrees:.1} degrees, {left} spheres");
    assert!((20.0..29.0).contains(&degrees), "{degrees}");
    // It quivers, and so flows: between a liquid and a heap.
    let (degrees, left) = repose(Response::Ffd, Grain::Sphere, 0.2, 9.0, 2e-3);
    println!("FFD: {degrees:.1} degrees, {left} spheres");
    assert!((6.0..22.0).contains(&degrees), "{degrees}");
}

/// Takes minutes: `cargo test --release --test rigid_mechanics -- --ignored --nocapture`.
#[test]
#[ignore = "a table that takes minutes"]
fn table_of_angles_of_repose() {
    for response in RESPONSES {
        for friction in [0.1, 0.2, 0.4, 0.6] {
            print_repose(response, Grain::Sphere, friction);
        }
    }
}

#[test]
#[ignore = "a table that takes minutes"]
fn table_of_angles_of_repose_of_boxes() {
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
#[test]
#[ignore = "a table that takes minutes"]
fn table_of_tilted_boxes() {
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

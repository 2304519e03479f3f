//! Heaps of spheres and boxes, and measures of them: how well they rest, and how steep they are.
//! `benches/heaps.rs` makes tables of these measures.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::{Cuboid, Shape, Sphere};
use nalgebra::UnitQuaternion;

use crate::scene::{Response, Scene, down, random_numbers, surface};

/// m.
pub const RADIUS: f64 = 0.05;

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
pub struct Rest {
    /// Mean and largest speed of the centres, m/s.
    pub mean_speed: f64,
    pub largest_speed: f64,
    /// Deepest overlap, and mean of the contacts, as shares of the radius.
    pub overlap: f64,
    pub mean_overlap: f64,
    pub contacts_per_body: f64,
}

impl Rest {
    pub fn of(world: &Scene) -> Self {
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
pub fn filled(
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
            let body = world.add(Shape::Box(Cuboid::of_half(half)), position);
            let turn = Vec3::new(random(), random(), random());
            body.state.rotation = UnitQuaternion::from_scaled_axis(turn);
        } else {
            world.add(
                Shape::Sphere(Sphere { radius_m: RADIUS * (0.95 + 0.05 * random()) }),
                position,
            );
        }
    }
    world
}

/// Bodies that fell into a box and came to rest, after `seconds`.
pub fn heap(response: Response, boxes: bool, count: [u32; 2], step_s: f64, seconds: f64) -> Scene {
    let mut world = filled(response, boxes, 0.4, count, step_s);
    world.run((seconds / step_s) as usize);
    world
}

/// Both responses: FFD, and the smallest number of sweeps that heaps need.
pub const RESPONSES: [Response; 2] = [Response::Ffd, Response::Nonsmooth { sweeps: 10 }];

/// A line of a table.
pub fn print_rest(name: &str, response: Response, rest: &Rest) {
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

/// A body of a heap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grain {
    Sphere,
    /// Edges in the ratio of 10, 8 and 7.
    Box,
}

/// A block of bodies between walls on a square plate with a low rim. Its edges are `half` radii
/// from the middle. The walls vanish, and bodies that slide beyond the rim fall off. Returns the
/// slope of the remaining heap (degrees), and its number of bodies.
pub fn repose(
    response: Response,
    grain: Grain,
    friction: f64,
    half: f64,
    step_s: f64,
) -> (f64, usize) {
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
            world.add(Shape::Sphere(Sphere { radius_m: size }), position);
        } else {
            let body = world
                .add(Shape::Box(Cuboid::of_half(Vec3::new(1.0, 0.7, 0.8) * 0.68 * size)), position);
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
    let shape = Shape::Box(Cuboid::of_half(Vec3::new(half, depth, half)));
    let mut fixed = vec![FixedBody::immovable(WALL, 0, shape, Vec3::new(0.0, -depth, 0.0))];
    let sides = [Vec3::x(), -Vec3::x(), Vec3::z(), -Vec3::z()].into_iter().zip(WALL + 1..);
    fixed.extend(sides.map(|(outwards, id)| {
        let along =
            outwards.abs() * thick + outwards.cross(&Vec3::y()).abs() * (half + 2.0 * thick);
        let shape = Shape::Box(Cuboid::of_half(along + Vec3::y() * (0.5 * high + depth)));
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

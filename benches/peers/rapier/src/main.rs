//! Runs the bodies that `benches/rigid` exports in rapier3d, and prints a row of the table of
//! `benches/peers/rigid.sh`.
//!
//! `rapier-well BODIES.CSV WARM_UP STEPS`. One thread; no body sleeps, so that each step has all
//! bodies.

use std::{env, fs};

use rapier3d::prelude::*;

/// Time of this process on processors, s. It has one thread.
fn processor_s() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").expect("/proc/self/schedstat");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("a number") * 1e-9
}

fn numbers(line: &str) -> Vec<Real> {
    line.split(' ').map(|word| word.parse().expect("a number")).collect()
}

fn world(text: &str) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut lines = text.lines();
    let head = numbers(lines.next().expect("a head"));
    let (high, step_s) = (Vector::new(head[0], head[1], head[2]), head[3]);
    let (density, restitution, friction) = (head[7], head[8], head[9]);
    let mut world = PhysicsWorld::default();
    world.gravity = Vector::new(head[4], head[5], head[6]);
    world.integration_parameters.dt = step_s;
    let matter =
        |shape: ColliderBuilder| shape.density(density).restitution(restitution).friction(friction);
    // Planes as in the scene: a floor and four walls.
    for (point, normal) in [
        (Vector::ZERO, Vector::Y),
        (Vector::ZERO, Vector::X),
        (Vector::ZERO, Vector::Z),
        (high, -Vector::X),
        (high, -Vector::Z),
    ] {
        let plane = ColliderBuilder::new(SharedShape::halfspace(normal));
        world.insert(RigidBodyBuilder::fixed().translation(point), matter(plane));
    }
    let body = |line: &str| {
        let row = numbers(line);
        let shape = match row[0] {
            0.0 => ColliderBuilder::ball(row[1]),
            _ => ColliderBuilder::cuboid(row[1], row[1], row[1]),
        };
        let body = RigidBodyBuilder::dynamic()
            .translation(Vector::new(row[2], row[3], row[4]))
            .linvel(Vector::new(row[5], row[6], row[7]))
            .can_sleep(false);
        world.insert(body, matter(shape)).0
    };
    let handles = lines.map(body).collect();
    (world, handles)
}

/// Kinetic energy, and potential energy above the floor, J.
fn energy(world: &PhysicsWorld, handles: &[RigidBodyHandle]) -> f64 {
    let of = |&handle: &RigidBodyHandle| {
        let body = &world.bodies[handle];
        let potential = -body.mass() * world.gravity.dot(body.translation());
        f64::from(body.kinetic_energy() + potential)
    };
    handles.iter().map(of).sum()
}

/// The deepest overlap, m.
fn overlap(world: &PhysicsWorld) -> f64 {
    let pairs = world.narrow_phase.contact_pairs();
    let points = pairs.flat_map(|pair| pair.manifolds()).flat_map(|manifold| &manifold.points);
    -f64::from(points.map(|point| point.dist).fold(0.0, Real::min))
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, warm_up, steps] = &arguments[..] else { panic!("BODIES.CSV WARM_UP STEPS") };
    let text = fs::read_to_string(path).expect("bodies");
    let (mut world, handles) = world(&text);
    let smallest = text.lines().skip(1).map(|line| numbers(line)[1]).fold(Real::MAX, Real::min);
    for _ in 0..warm_up.parse().expect("a number") {
        world.step();
    }
    let (before, start) = (energy(&world, &handles), processor_s());
    let steps: u32 = steps.parse().expect("a number");
    (0..steps).for_each(|_| world.step());
    let updates = f64::from(steps) * handles.len() as f64 / (processor_s() - start);
    let after = energy(&world, &handles);
    println!(
        "| rapier3d | {} | {:.3} | {:.4} | {:.5} |",
        handles.len(),
        updates * 1e-6,
        overlap(&world) / f64::from(smallest),
        after / before
    );
}

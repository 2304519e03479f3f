//! Solids whose coordinates are rounded, as a file has them, rest on each other like exact ones.

use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use cloth_sim::mesh::shapes::{Cuboid, ShapeKind};
use cloth_sim::rigid::shape::Shape;
use cloth_sim::rigid::solid::Solid;
use nalgebra::UnitQuaternion;

use crate::floor;
use crate::scene::{GRAVITY, Response, Scene, down, random_numbers, surface};

/// How a file rounds, and the largest error that it says.
type Rounding<'a> = (&'a str, f64, &'a dyn Fn(f64) -> f64);

/// A cube of 0.2 m, cut into `cuts` pieces along each edge, about the origin.
fn cube(cuts: f64) -> Mesh {
    let mut mesh = Cuboid { size_m: [0.2; 3], edge_m: Some(0.2 / cuts) }.mesh();
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|x| *x -= middle);
    mesh
}

/// A solid of the shape of an L, 0.2 m wide and high, about the middle of its box.
fn angle_iron() -> Mesh {
    let outline = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.0], [0.0, 0.0], [0.0, 0.1], [-0.1, 0.1]];
    let layer = |y: f64| outline.map(|[x, z]| Vec3::new(x, y, z));
    let mut faces = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        faces.extend([[a, b, c], [a + 6, c + 6, b + 6]]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.extend([[i, j + 6, j], [i, i + 6, j + 6]]);
    }
    Mesh { positions: [layer(-0.1), layer(0.1)].concat(), faces }
}

/// Two of the same solid on each other, the upper one shifted by `apart`. Its mesh is rounded in
/// another orientation.
fn pile(mesh: &Mesh, is_hull: bool, (_, error, round): Rounding, apart: Vec3) -> Scene {
    let turn = UnitQuaternion::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5));
    let written = |x: &Vec3| (turn * x).map(round);
    let written =
        Mesh { positions: mesh.positions.iter().map(written).collect(), faces: mesh.faces.clone() };
    let (solid, frame) = match is_hull {
        true => Solid::hull(&written.positions, error, "points"),
        false => Solid::mesh(&written, error, "mesh"),
    }
    .expect("a solid");
    let response = Response::default();
    let mut world =
        Scene::new(1e-3, surface(0.0, 0.5), down(), response).with_fixed(vec![floor(99)]);
    let shape = Shape::Solid(world.solids.add(solid));
    for layer in 0..2 {
        let middle = Vec3::y() * (0.1001 + 0.2002 * f64::from(layer)) + apart * f64::from(layer);
        let body = world.add(shape, middle + turn.inverse() * frame.origin);
        body.state.rotation = turn.inverse() * frame.rotation;
    }
    world
}

#[test]
fn solids_of_rounded_coordinates_come_to_rest_on_each_other() {
    let mut random = random_numbers();
    let noise: Vec<f64> = (0..997).map(|_| 1e-9 * random()).collect();
    let next = std::cell::Cell::new(0);
    let noisy = |x: f64| {
        next.set(next.get() + 1);
        x + noise[next.get() % noise.len()]
    };
    let single = |x: f64| f64::from(x as f32);
    let decimals = |x: f64| (x * 1e6).round() / 1e6;
    let roundings: [Rounding; 3] =
        [("1 nm", 0.0, &noisy), ("single", 1e-8, &single), ("six decimals", 5e-7, &decimals)];
    let solids = [("cube", cube(1.0)), ("cut cube", cube(3.0)), ("L", angle_iron())];
    for (name, mesh) in &solids {
        for rounding in roundings {
            for is_hull in [false, true].into_iter().take(if *name == "L" { 1 } else { 2 }) {
                for apart in [Vec3::zeros(), Vec3::new(0.007, 0.0, -0.009)] {
                    let mut world = pile(mesh, is_hull, rounding, apart);
                    world.run(2000);
                    let (count, mut speed) = (world.contacts.len(), 0.0_f64);
                    for _ in 0..50 {
                        world.step();
                        let twists = world.bodies.iter().map(|body| body.state.twist);
                        let speeds = twists.map(|it| it.linear.norm() + 0.1 * it.angular.norm());
                        speed = speeds.fold(speed, f64::max);
                        let what = format!("{name}, {}, hull {is_hull}, {apart:?}", rounding.0);
                        assert_eq!(world.contacts.len(), count, "{what}: contacts come and go");
                    }
                    println!("{name} {} hull {is_hull} {apart:?}: {speed:e}", rounding.0);
                    // A mesh that leans on three of its corners may creep by what the sweeps leave:
                    // a hundredth of what gravity gives in a step.
                    let most = if is_hull { 1e-9 } else { 1e-2 * 1e-3 * GRAVITY };
                    assert!(speed < most, "{name}, {}, hull {is_hull}, {apart:?}", rounding.0);
                }
            }
        }
    }
}

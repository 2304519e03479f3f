//! Compares contacts ahead of polytopes and closed meshes with true distances.

use nalgebra::{Quaternion, UnitQuaternion};

use super::*;
use crate::Solid;
use crate::narrow::round::nearest_of_segments;
use crate::shape::{self, Sphere};
use cloth_core::mesh::shapes::{Cuboid, ShapeKind};
use cloth_core::{Vec3, mix};

/// Between -1 and 1.
fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

pub fn random_vector(k: u64) -> Vec3 {
    Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2))
}

pub fn random_rotation(k: u64) -> UnitQuaternion<f64> {
    let v = random_vector(k + 1_000_000);
    UnitQuaternion::from_quaternion(Quaternion::new(random(k + 9_000_000), v.x, v.y, v.z))
}

/// A box, a plate, hulls of random points and of a wedge with a sharp edge, and a closed mesh.
fn shapes() -> (Solids, Vec<Shape>) {
    let mut solids = Solids::default();
    let cloud: Vec<Vec3> = (0..12).map(|k| random_vector(k + 500) * 0.5).collect();
    let end = |y: f64, z: f64| Vec3::new(if y == 0.0 { -0.5 } else { 0.5 }, y, z);
    let wedge: Vec<Vec3> =
        [0.0, 0.06, -0.06].iter().flat_map(|&y| [end(y, -0.5), end(y, 0.5)]).collect();
    let mesh = Cuboid { size_m: [0.8, 0.6, 0.5], edge_m: Some(0.3) }.mesh();
    let solid =
        [Solid::hull(&cloud, 0.0, ""), Solid::hull(&wedge, 0.0, ""), Solid::mesh(&mesh, 0.0, "")]
            .map(|solid| Shape::Solid(solids.add(solid.unwrap().0)));
    let cuboid = |half| Shape::Box(shape::Cuboid::of_half(half));
    let boxes = [cuboid(Vec3::new(0.5, 0.3, 0.4)), cuboid(Vec3::new(0.5, 0.02, 0.4))];
    (solids, boxes.into_iter().chain(solid).collect())
}

/// How far a point is outside of a body, m.
fn outside(x: &Vec3, body: &Flat) -> f64 {
    match body {
        Flat::Convex(body) if body.outermost(x).1 <= 0.0 => 0.0,
        Flat::Convex(body) => (x - body.nearest_to(x)).norm(),
        Flat::Mesh(body) => body.mesh.signed_nearest(&body.placed.to_own(x)).1.max(0.0),
    }
}

/// The distance of two polytopes, m: 0 if they overlap.
fn distance(first: &Convex, second: &Convex) -> f64 {
    let mut least = f64::INFINITY;
    for (own, other) in [(first, second), (second, first)] {
        for x in &own.vertices {
            least = least.min((x - other.nearest_to(x)).norm());
            least = if other.outermost(x).1 <= 0.0 { 0.0 } else { least };
        }
        for edge in own.topology.edges {
            let ends = own.ends(edge);
            least = if other.clip(&ends).is_some() { 0.0 } else { least };
            for edge in other.topology.edges {
                let [x, y] = nearest_of_segments(&ends, &other.ends(edge));
                least = least.min((x - y).norm());
            }
        }
    }
    least
}

#[test]
fn contacts_ahead_are_as_far_as_the_bodies_and_both_reach_their_points() {
    let (solids, shapes) = shapes();
    let (mut overlaps, mut near, mut ahead) = (0, 0, 0);
    for k in 0..20_000u64 {
        let at = |shape, position, k| Placed { shape, position, rotation: random_rotation(k) };
        let first = at(&shapes[k as usize % 5], random_vector(2 * k) * 0.7, 2 * k);
        let second = at(&shapes[k as usize / 5 % 5], Vec3::zeros(), 2 * k + 1);
        let travels = [0.05 * (random(k + 7) + 1.0), 0.05 * (random(k + 8) + 1.0)];
        let most = travels[0] + travels[1];
        let mut touches = Touches::new();
        touch(&first, &second, &solids, most, &mut touches);
        let bodies = [&first, &second].map(|body| Flat::new(body, &solids).unwrap());
        if let [Flat::Convex(own), Flat::Convex(other)] = &bodies {
            let apart = distance(own, other);
            let least = touches.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            overlaps += usize::from(apart == 0.0);
            assert!(apart > 0.0 || !touches.is_empty(), "{k}: an overlap is lost");
            if 0.0 < apart && apart < most {
                near += 1;
                assert!(least - apart < 0.2 * most, "{k}: {apart} {least}");
            }
        }
        for touch in touches.iter().filter(|touch| touch.gap > 0.0) {
            ahead += 1;
            let point = touch.point + touch.normal * (touch.gap * (0.5 - travels[0] / most));
            for (body, travel) in bodies.iter().zip(travels) {
                let beyond = outside(&point, body) - travel;
                assert!(beyond < 1e-9, "{k}: {beyond}");
            }
        }
    }
    assert!(overlaps > 3000 && near > 500 && ahead > 8_000, "{overlaps} {near} {ahead}");
}

fn turned(shape: &Shape, position: Vec3, axis: Vec3, angle: f64) -> Placed<'_> {
    let rotation = UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle);
    Placed { shape, position, rotation }
}

#[test]
fn an_edge_that_crosses_an_edge_between_two_triangles_is_a_contact() {
    let (mut solids, mesh) = (Solids::default(), Cuboid { size_m: [2.0; 3], edge_m: None }.mesh());
    let cube = Shape::Solid(solids.add(Solid::mesh(&mesh, 0.0, "").unwrap().0));
    let roof = Shape::Box(shape::Cuboid::of_half(Vec3::new(0.5, 0.5, 3.0)));
    // Both bodies have a ridge, one on top of the other. The ridge of the roof crosses a diagonal
    // of the cube.
    let quarter = std::f64::consts::FRAC_PI_4;
    let under = turned(&cube, Vec3::zeros(), Vec3::x(), quarter);
    for step in 1..200 {
        let deep = 2e-3 * f64::from(step);
        for (sign, aside) in [(-1.0, 0.0), (1.0, 0.0), (1.0, 1e-3)] {
            let x = sign * (1.0 - deep * 2.0_f64.sqrt()) + aside;
            let position = Vec3::new(x, 2.0_f64.sqrt() + 0.5_f64.sqrt() - deep, 0.0);
            let above = turned(&roof, position, Vec3::z(), quarter);
            let mut touches = Touches::new();
            touch(&above, &under, &solids, 0.0, &mut touches);
            let deepest = touches.iter().map(|touch| touch.gap).fold(0.0, f64::min);
            assert!(deepest < -0.5 * deep, "{deep} {sign} {aside}: {touches:?}");
        }
    }
}

/// The edges of the bar go through the plate, and no corner of either is inside the other.
#[test]
fn a_bar_right_through_a_plate_is_a_contact_whichever_comes_first() {
    let (mut solids, mesh) = (Solids::default(), Cuboid { size_m: [2.0, 0.1, 2.0], edge_m: None });
    let plate = Shape::Solid(solids.add(Solid::mesh(&mesh.mesh(), 0.0, "").unwrap().0));
    let mesh = Cuboid { size_m: [0.2, 2.0, 0.2], edge_m: None }.mesh();
    let bars = [Shape::Solid(solids.add(Solid::mesh(&mesh, 0.0, "").unwrap().0)), {
        Shape::Box(shape::Cuboid::of_half(Vec3::new(0.1, 1.0, 0.1)))
    }];
    for bar in &bars {
        let bar = turned(bar, Vec3::new(0.3, 0.2, -0.1), Vec3::x(), 0.1);
        let plate = turned(&plate, Vec3::zeros(), Vec3::y(), 0.2);
        for (first, second) in [(&bar, &plate), (&plate, &bar)] {
            let mut touches = Touches::new();
            touch(first, second, &solids, 0.0, &mut touches);
            assert!(touches.iter().any(|touch| touch.gap < -0.04), "{touches:?}");
        }
    }
}

#[test]
fn a_ball_between_two_rails_of_one_mesh_rests_on_both() {
    // Two bars along x whose inner edges are 1 m apart.
    let mut mesh = Cuboid { size_m: [4.0, 1.0, 1.0], edge_m: None }.mesh();
    let (bar, first) = (mesh.clone(), mesh.positions.len() as u32);
    mesh.positions.extend(bar.positions.iter().map(|x| x + Vec3::new(0.0, 0.0, 2.0)));
    mesh.faces.extend(bar.faces.iter().map(|face| face.map(|v| v + first)));
    let (mut solids, (solid, frame)) = (Solids::default(), Solid::mesh(&mesh, 0.0, "").unwrap());
    let rails = Shape::Solid(solids.add(solid));
    let second = Placed { shape: &rails, position: frame.origin, rotation: frame.rotation };
    let low = mesh.positions.iter().fold(Vec3::repeat(f64::INFINITY), |low, x| low.inf(x));
    let ball = Shape::Sphere(Sphere { radius_m: 1.0 });
    for off in [-0.01, -1e-6, 0.0, 1e-6, 0.01] {
        let height = 1.0 + 0.75_f64.sqrt() - 0.02;
        let position = low + Vec3::new(2.0, height, 1.5 + off);
        let first = Placed { shape: &ball, position, rotation: UnitQuaternion::identity() };
        let mut touches = Touches::new();
        touch(&first, &second, &solids, 0.0, &mut touches);
        assert_eq!(touches.len(), 2, "{off}: {touches:?}");
    }
}

use nalgebra::{Quaternion, UnitQuaternion};

use super::*;
use crate::narrow::tests::{random_rotation, random_vector};
use crate::narrow::touch;
use crate::shape::{Capsule, Cuboid};
use crate::{Placed, Shape, Solid, Solids};

/// A box, and hulls of a box and of random points.
fn shapes() -> (Solids, Vec<Shape>) {
    let mut solids = Solids::default();
    let half = Vec3::new(0.5, 0.3, 0.4);
    let sign = |c: u32, i: u32| if c >> i & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |c| Vec3::new(sign(c, 0), sign(c, 1), sign(c, 2)).component_mul(&half);
    let cuboid: Vec<Vec3> = (0..8).map(corner).collect();
    let cloud: Vec<Vec3> = (0..30).map(|k| random_vector(k + 500) * 0.5).collect();
    let hulls = [cuboid, cloud].map(|points| {
        let (solid, _) = Solid::hull(&points, 0.0, "points").unwrap();
        Shape::Solid(solids.add(solid))
    });
    (solids, vec![Shape::Box(Cuboid::of_half(half)), hulls[0], hulls[1]])
}

fn convex<'a>(body: &'a Placed, solids: &'a Solids) -> Convex<'a> {
    match crate::narrow::Flat::new(body, solids) {
        Some(crate::narrow::Flat::Convex(convex)) => convex,
        _ => panic!("convex"),
    }
}

/// The largest gap over all normals of faces and all cross products of edges, by projecting all
/// corners.
fn brute_force(a: &Convex, b: &Convex) -> f64 {
    let faces = a.planes.iter().chain(&b.planes).map(|plane| plane.normal);
    let mut axes: Vec<Vec3> = faces.collect();
    for e in a.topology.edges {
        for f in b.topology.edges {
            let ([p, q], [r, s]) = (a.ends(e), b.ends(f));
            let axis = (q - p).cross(&(s - r));
            if axis.norm() > 1e-6 * (q - p).norm() * (s - r).norm() {
                axes.push(axis.normalize());
            }
        }
    }
    let range = |vertices: &[Vec3], axis: &Vec3| {
        let along = vertices.iter().map(|x| x.dot(axis));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let gap = |axis: &Vec3| {
        let ((l, h), (m, i)) = (range(&a.vertices, axis), range(&b.vertices, axis));
        (m - h).max(l - i)
    };
    axes.iter().map(gap).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn the_overlap_is_the_least_of_all_planes() {
    let (solids, shapes) = shapes();
    let (mut touching, mut apart, mut near, mut by_edges) = (0, 0, 0, 0);
    for k in 0..3000 {
        let (own, other) = (&shapes[k as usize % 3], &shapes[k as usize / 3 % 3]);
        let placed = |shape, k| Placed {
            shape,
            position: random_vector(k) * 0.55,
            rotation: random_rotation(k),
        };
        let (first, second) = (placed(own, 2 * k), placed(other, 2 * k + 1));
        let (a, b) = (convex(&first, &solids), convex(&second, &solids));
        let expected = brute_force(&a, &b);
        let mut touches = Touches::new();
        touch(&first, &second, &solids, 0.0, &mut touches);
        if expected > 1e-9 {
            assert!(touches.is_empty(), "{k}: {expected} {touches:?}");
            apart += 1;
            near += usize::from(has_gap(&first, &second, &solids, expected));
            continue;
        }
        touching += 1;
        // Faces are preferred within a small share of the size.
        let gap = separation(&a, &b, 0.0).unwrap().1;
        assert!((gap - expected).abs() < 2.1 * PREFERENCE, "{k}: {gap} {expected}");
        // Clipping may remove the deepest corner.
        assert!(touches.iter().all(|touch| touch.gap >= gap - 1e-12), "{k}");
        by_edges += usize::from(touches.len() == 1);
        // Along its normal, each contact lies between the surfaces.
        for touch in &touches {
            let ends = [-0.5, 0.5].map(|s| touch.point + touch.normal * (s * touch.gap));
            assert!(a.outermost(&ends[0]).1.min(a.outermost(&ends[1]).1).abs() < 0.5);
            assert!((touch.normal.norm() - 1.0).abs() < 1e-12);
        }
        // Moving apart by the overlap along the normal separates them.
        let normal = touches[0].normal;
        let moved = Placed { position: first.position - normal * (gap - 1e-9), ..first };
        let left = brute_force(&convex(&moved, &solids), &b);
        assert!(left > -2.1 * PREFERENCE, "{k}: {left}");
    }
    assert!(touching > 500 && apart > 500 && by_edges > 50, "{touching} {apart} {by_edges}");
    assert!(near > 100, "{near}");
}

#[test]
fn a_box_on_a_box_has_four_corners_and_a_crossed_rod_has_one_point() {
    let solids = Solids::default();
    let cube = Shape::Box(Cuboid::of_half(Vec3::repeat(0.5)));
    let at = |position, rotation| Placed { shape: &cube, position, rotation };
    let below = at(Vec3::zeros(), UnitQuaternion::identity());
    let above = at(Vec3::new(0.2, 0.99, 0.1), UnitQuaternion::identity());
    let mut touches = Touches::new();
    touch(&above, &below, &solids, 0.0, &mut touches);
    assert_eq!(touches.len(), 4);
    for touch in &touches {
        assert!((touch.gap + 0.01).abs() < 1e-14 && (touch.point.y - 0.495).abs() < 1e-14);
        assert_eq!(touch.normal, Vec3::y());
    }
    // Two edges that cross.
    let eighth = std::f64::consts::FRAC_PI_8;
    let turned = |i: f64, k: f64| {
        UnitQuaternion::from_quaternion(Quaternion::new(
            libm::cos(eighth),
            i * libm::sin(eighth),
            0.0,
            k * libm::sin(eighth),
        ))
    };
    let height = 2.0_f64.sqrt() - 0.02;
    let below = at(Vec3::zeros(), turned(1.0, 0.0));
    let above = at(Vec3::new(0.1, height, 0.1), turned(0.0, 1.0));
    touch(&above, &below, &solids, 0.0, &mut touches);
    assert_eq!(touches.len(), 1);
    assert!((touches[0].gap + 0.02).abs() < 1e-12, "{touches:?}");
    let expected = Vec3::new(0.1, 2.0_f64.sqrt() / 2.0 - 0.01, 0.1);
    let found = touches[0].point;
    assert!((found.y - expected.y).abs() < 1e-12, "{found:?}");
    assert!((touches[0].normal - Vec3::y()).norm() < 1e-12);
}

/// The gap between a polytope and a capsule, by samples of the capsule's segment.
fn sampled_gap(segment: &[Vec3; 2], radius: f64, other: &Convex) -> f64 {
    let heights = (0..=2000).map(|k| {
        let x = segment[0] + (segment[1] - segment[0]) * (f64::from(k) / 2000.0);
        let (_, height) = other.outermost(&x);
        if height > 0.0 { (x - other.nearest_to(&x)).norm() } else { 0.0 }
    });
    heights.fold(f64::INFINITY, f64::min) - radius
}

/// True if two polytopes at this distance, by brute force, have contacts ahead.
fn has_gap(first: &Placed, second: &Placed, solids: &Solids, distance: f64) -> bool {
    let (mut touches, most) = (Touches::new(), 1.01 * distance + 2.1 * PREFERENCE);
    touch(first, second, solids, most, &mut touches);
    for Touch { point, normal, gap } in &touches {
        assert!(0.0 < *gap && *gap <= most, "{distance}: {touches:?}");
        // Between the surfaces, along the normal.
        for (body, sign) in [(first, 0.5), (second, -0.5)] {
            let height = convex(body, solids).outermost(&(point + normal * (sign * gap))).1;
            assert!(height < 0.5 * gap + 2.1 * PREFERENCE, "{distance} {height}: {touches:?}");
        }
    }
    !touches.is_empty()
}

#[test]
fn capsules_touch_where_samples_of_their_axis_are_near() {
    let (solids, shapes) = shapes();
    let (half_length, radius) = (0.4, 0.15);
    let shape = Shape::Capsule(Capsule { radius_m: radius, length_m: 2.0 * half_length });
    let (mut touching, mut lying) = (0, 0);
    for k in 0..1500 {
        let own = Placed {
            shape: &shape,
            position: random_vector(k + 70_000) * 0.8,
            rotation: random_rotation(k + 70_000),
        };
        let other = Placed {
            shape: &shapes[k as usize % 3],
            position: Vec3::zeros(),
            rotation: random_rotation(k + 80_000),
        };
        let polytope = convex(&other, &solids);
        let expected = sampled_gap(&own.segment(half_length), radius, &polytope);
        let mut touches = Touches::new();
        let most = if k % 2 == 0 { 0.0 } else { 0.1 };
        touch(&own, &other, &solids, most, &mut touches);
        assert!(touches.is_empty() || expected < most + 1e-4, "{k}: {expected}");
        assert!(!touches.is_empty() || expected > most - 1e-4, "{k}: {expected}");
        if !touches.is_empty() {
            touching += 1;
            lying += usize::from(touches.len() == 2);
            let deepest = touches.iter().map(|touch| touch.gap).fold(most, f64::min);
            // If the axis is outside, the gap is that of the samples.
            if expected > -radius + 1e-3 {
                assert!((deepest - expected).abs() < 1e-2, "{k}: {deepest} {expected}");
            } else {
                assert!(deepest <= -radius + 1e-3, "{k}: {deepest}");
            }
            let reversed = {
                let mut touches = Touches::new();
                touch(&other, &own, &solids, most, &mut touches);
                touches
            };
            assert_eq!(reversed.len(), touches.len());
            assert_eq!(reversed[0].normal, -touches[0].normal);
        }
    }
    assert!(touching > 300 && lying > 0, "{touching} {lying}");
}

#[test]
fn what_is_centred_on_a_face_is_pushed_out_of_it() {
    let (solids, shapes) = shapes();
    for k in 0..300 {
        let own = Placed {
            shape: &shapes[k as usize % 3],
            position: random_vector(k + 90_000),
            rotation: random_rotation(k + 90_000),
        };
        let polytope = convex(&own, &solids);
        for (face, plane) in polytope.planes.iter().enumerate() {
            let corners = Vec::from_iter(polytope.corners(face));
            let middle = corners.iter().sum::<Vec3>() / corners.len() as f64;
            let segment = [middle, middle.lerp(&corners[0], 0.1)];
            let mut of_sphere = Touches::new();
            sphere(&middle, 0.1, &polytope, 0.0, &mut of_sphere);
            let mut of_capsule = Touches::new();
            capsule(&segment, 0.1, &polytope, 0.0, &mut of_capsule);
            for touches in [of_sphere, of_capsule] {
                assert!(!touches.is_empty(), "{k} {face}");
                for touch in touches {
                    assert!((touch.normal - plane.normal).norm() < 1e-6, "{k} {face}: {touch:?}");
                    assert!((touch.gap + 0.1).abs() < 1e-9, "{k} {face}: {touch:?}");
                }
            }
        }
    }
}

/// Clouds of points whose hulls have slivers, and edges as short as a rounding error.
fn clouds(k: u64) -> Vec<(&'static str, Vec<Vec3>)> {
    let turn = random_rotation(k);
    let grid = |c: u64| Vec3::new((c % 5) as f64, (c / 5 % 5) as f64, (c / 25) as f64) * 0.2;
    let six_digits = |x: Vec3| x.map(|x| (x * 1e6).round() * 1e-6);
    let sign = |c: u64, i: u64| if c >> i & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |c| turn * Vec3::new(0.5 * sign(c, 0), 0.3 * sign(c, 1), 0.4 * sign(c, 2));
    let turned = |c| turn * (grid(c) - Vec3::repeat(0.4));
    let noisy = |noise: f64| {
        (0..32).map(|c| corner(c) + random_vector(k * 1000 + c) * noise).collect::<Vec<_>>()
    };
    vec![
        ("grid", (0..125).map(turned).collect()),
        ("grid of six digits", (0..125).map(|c| six_digits(turned(c))).collect()),
        ("copies at 1e-15", noisy(1e-15)),
        ("copies at 1e-12", noisy(1e-12)),
        ("copies at 1e-9", noisy(1e-9)),
        ("copies at 1e-7", noisy(1e-7)),
    ]
}

#[test]
fn hulls_of_nearly_flat_and_doubled_points_lose_no_contact() {
    for k in 0..40 {
        for (name, points) in clouds(k) {
            let (mut solids, (solid, _)) =
                (Solids::default(), Solid::hull(&points, 0.0, "").unwrap());
            let shape = Shape::Solid(solids.add(solid));
            let rotation = UnitQuaternion::identity();
            let hull = Placed { shape: &shape, position: Vec3::zeros(), rotation };
            let own = convex(&hull, &solids);
            let high = |plane: &Plane| own.vertices.iter().any(|x| plane.height(x) > 1e-12);
            assert!(!own.planes.iter().any(high), "{name} {k}: a plane cuts the hull");
            let parts = own.vertices.len() + own.planes.len();
            assert_eq!(parts, own.topology.edges.len() + 2, "{name} {k}: Euler");
            let shape = Shape::Box(Cuboid::of_half(Vec3::repeat(0.3)));
            for j in 0..20 {
                let position = random_vector(k * 77 + j + 5).normalize() * 0.3;
                let cube = Placed { shape: &shape, position, rotation: random_rotation(j) };
                let mut touches = Touches::new();
                touch(&cube, &hull, &solids, 0.0, &mut touches);
                assert!(!touches.is_empty(), "{name} {k} {j}: no contact");
            }
        }
    }
}

//! Compares contacts of the general routine with closed forms and with the routine for polytopes.

use super::*;
use crate::narrow::tests::{random_rotation, random_vector};
use crate::narrow::{Flat, touch as touch_any};
use crate::shape::{Capsule, Cuboid, Cylinder, Sphere};
use crate::{Placed, Shape, Solid, Solids};

/// A ball, a box, a capsule, a cylinder, a disc and a hull.
fn shapes() -> (Solids, Vec<Shape>) {
    let mut solids = Solids::default();
    let cloud: Vec<Vec3> = (0..20).map(|k| random_vector(k + 500) * 0.5).collect();
    let hull = Shape::Solid(solids.add(Solid::hull(&cloud, 0.0, "").unwrap().0));
    let shapes = vec![
        Sphere { radius_m: 0.3 }.into(),
        Cuboid { size_m: [1.0, 0.6, 0.8] }.into(),
        Capsule { radius_m: 0.2, length_m: 0.6 }.into(),
        Cylinder { radius_m: 0.3, length_m: 0.8 }.into(),
        Cylinder { radius_m: 0.5, length_m: 0.04 }.into(),
        hull,
    ];
    (solids, shapes)
}

fn placed(shape: &Shape, k: u64) -> Placed<'_> {
    Placed { shape, position: random_vector(k) * 0.6, rotation: random_rotation(k) }
}

/// The largest gap over many random directions, and over directions near the best one.
fn brute_force(first: &Core, second: &Core) -> f64 {
    let gap = |n: &Vec3| {
        let both = Difference { first, second };
        n.dot(&both.support(&-n).apart) - first.margin() - second.margin()
    };
    let mut best = (f64::NEG_INFINITY, Vec3::x());
    for k in 0..4000 {
        let width = if k < 2000 { 1.0 } else { libm::pow(0.99, (k - 2000) as f64) };
        let around = if k < 2000 { Vec3::zeros() } else { best.1 };
        let n = (around + random_vector(k + 77) * width).normalize();
        let found = gap(&n);
        best = if found > best.0 { (found, n) } else { best };
    }
    best.0
}

#[test]
fn the_gap_is_the_largest_of_all_directions() {
    let (solids, shapes) = shapes();
    let (mut overlaps, mut apart) = (0, 0);
    for k in 0..600u64 {
        let (own, other) = (&shapes[k as usize % 6], &shapes[k as usize / 6 % 6]);
        let (first, second) = (placed(own, 2 * k), placed(other, 2 * k + 1));
        let (a, b) = (Core::Body(&first, &solids), Core::Body(&second, &solids));
        let expected = brute_force(&a, &b);
        match nearness(&a, &b, 0.1) {
            None => assert!(expected > 0.1 - 1e-9, "{k}: {expected}"),
            Some(Nearness { gap, normal, points: [x, y] }) => {
                overlaps += usize::from(gap < 0.0);
                apart += usize::from(gap > 0.0);
                assert!(gap > expected - 1e-6 && gap < expected + 0.05, "{k}: {gap} {expected}");
                assert!((normal.dot(&(x - y)) - gap).abs() < 1e-5, "{k}: {gap} {:?}", x - y);
                assert!((normal.norm() - 1.0).abs() < 1e-12);
            }
        }
    }
    assert!(overlaps > 100 && apart > 30, "{overlaps} {apart}");
}

/// The gaps are those of contacts at rest, where rounding matters most.
#[test]
fn bodies_that_hardly_touch_have_their_gap() {
    let (solids, shapes) = shapes();
    let mut seen = 0;
    for k in 0..3000u64 {
        let (own, other) = (&shapes[k as usize % 6], &shapes[k as usize / 6 % 6]);
        let (first, second) = (placed(own, 2 * k), placed(other, 2 * k + 1));
        let (a, b) = (Core::Body(&first, &solids), Core::Body(&second, &solids));
        let Some(start) = nearness(&a, &b, 10.0).filter(|it| it.gap > 0.0) else { continue };
        for gap in [1e-3, 1e-5, 1e-7, 1e-9, 0.0] {
            let position = second.position + start.normal * (start.gap - gap);
            let nearer = Placed { position, ..second };
            let found = nearness(&a, &Core::Body(&nearer, &solids), 0.01).unwrap();
            assert!((found.gap - gap).abs() < 3e-5, "{k}: {gap} {} {own:?} {other:?}", found.gap);
            seen += 1;
        }
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn polytopes_and_round_bodies_overlap_as_their_own_routines_say() {
    let (solids, shapes) = shapes();
    let plain = [0, 1, 2, 5];
    let mut seen = 0;
    for k in 0..2000u64 {
        let (own, other) = (&shapes[plain[k as usize % 4]], &shapes[plain[k as usize / 4 % 4]]);
        let (first, second) = (placed(own, 2 * k), placed(other, 2 * k + 1));
        let (mut expected, mut found) = (Touches::new(), Touches::new());
        touch_any(&first, &second, &solids, 0.05, &mut expected);
        touch(&Core::Body(&first, &solids), &Core::Body(&second, &solids), 0.05, &mut found);
        let deepest = |touches: &Touches| touches.iter().map(|it| it.gap).reduce(f64::min);
        assert_eq!(expected.is_empty(), found.is_empty(), "{k}: {own:?} {other:?}");
        if let (Some(a), Some(b)) = (deepest(&expected), deepest(&found)) {
            seen += 1;
            assert!((a - b).abs() < 0.012, "{k}: {a} {b} {own:?} {other:?}");
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn a_cylinder_stands_on_eight_points_and_lies_on_two() {
    let solids = Solids::default();
    let cylinder = Shape::from(Cylinder { radius_m: 0.3, length_m: 0.8 });
    let table = Shape::from(Cuboid { size_m: [2.0, 1.0, 2.0] });
    let at = |shape, y, rotation| Placed { shape, position: Vec3::new(0.1, y, 0.05), rotation };
    let upright = nalgebra::UnitQuaternion::identity();
    let lying = nalgebra::UnitQuaternion::from_axis_angle(
        &nalgebra::Unit::new_normalize(Vec3::new(1.0, 0.0, 0.5)),
        std::f64::consts::FRAC_PI_2,
    );
    let below = Placed { shape: &table, position: Vec3::zeros(), rotation: upright };
    for (rotation, height, count) in [(upright, 0.9, 8), (lying, 0.8, 2)] {
        for deep in [-0.01, 1e-5, 0.01] {
            let above = at(&cylinder, height - deep, rotation);
            for (first, second, sign) in [(&above, &below, 1.0), (&below, &above, -1.0)] {
                let mut touches = Touches::new();
                touch_any(first, second, &solids, 0.02, &mut touches);
                assert_eq!(touches.len(), count, "{deep}: {touches:?}");
                for touch in &touches {
                    assert!((touch.gap + deep).abs() < 1e-9, "{deep}: {touch:?}");
                    assert!((touch.normal - Vec3::y() * sign).norm() < 1e-9, "{touch:?}");
                    assert!((touch.point.y - 0.5 + 0.5 * deep).abs() < 1e-9, "{touch:?}");
                }
            }
        }
    }
}

#[test]
fn a_cylinder_in_the_corner_of_a_mesh_touches_floor_and_wall() {
    let mesh = cloth_core::mesh::shapes::Cuboid { size_m: [4.0, 1.0, 4.0], edge_m: None };
    let mesh = cloth_core::mesh::shapes::ShapeKind::mesh(&mesh);
    let mut solids = Solids::default();
    let table = Shape::Solid(solids.add(Solid::mesh(&mesh, 0.0, "").unwrap().0));
    let cylinder = Shape::from(Cylinder { radius_m: 0.3, length_m: 0.8 });
    let rotation = nalgebra::UnitQuaternion::identity();
    let below = Placed { shape: &table, position: Vec3::zeros(), rotation };
    assert!(matches!(Flat::new(&below, &solids), Some(Flat::Mesh(_))));
    // Upright in the middle, and beyond the border of the mesh, whose edge it meets.
    for (x, y, normal) in [(0.3, 0.89, Vec3::y()), (2.29, 0.2, Vec3::x())] {
        let first = Placed { shape: &cylinder, position: Vec3::new(x, y, 0.1), rotation };
        let mut touches = Touches::new();
        touch_any(&first, &below, &solids, 0.0, &mut touches);
        assert!(!touches.is_empty());
        for touch in &touches {
            assert!((touch.normal - normal).norm() < 1e-6, "{touch:?}");
            assert!((touch.gap + 0.01).abs() < 1e-9, "{touch:?}");
        }
    }
}

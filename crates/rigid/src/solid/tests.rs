use nalgebra::UnitQuaternion;

use super::*;
use crate::shape::{self, Capsule};
use cloth_core::math::rotation;
use cloth_core::mesh::shapes::{Cuboid, ShapeKind};

fn corners(half: Vec3) -> Vec<Vec3> {
    let sign = |c: u32, i: u32| if c >> i & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |c| Vec3::new(sign(c, 0), sign(c, 1), sign(c, 2)).component_mul(&half);
    (0..8).map(corner).collect()
}

fn sorted(moments: Vec3) -> [f64; 3] {
    let mut sorted: [f64; 3] = moments.into();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[test]
fn a_turned_box_has_the_closed_form_as_hull_and_as_mesh() {
    let half = Vec3::new(0.3, 0.5, 0.2);
    let turn = rotation(Vec3::new(1.0, 2.0, -0.5), 40.0);
    let place = |x: &Vec3| turn * x + Vec3::new(3.0, -2.0, 5.0);
    let mut mesh = Cuboid { size_m: (half * 2.0).into(), edge_m: None }.mesh();
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.positions.iter_mut().for_each(|x| *x = place(&(*x - middle)));
    let points: Vec<Vec3> = corners(half).iter().map(place).collect();
    let expected =
        Solids::default().mass_properties(&Shape::Box(shape::Cuboid::of_half(half)), 1.0);
    for (solid, frame) in
        [Solid::hull(&points, 0.0, "points").unwrap(), Solid::mesh(&mesh, 0.0, "mesh").unwrap()]
    {
        assert!((solid.volume / expected.mass - 1.0).abs() < 1e-12);
        let (a, b) = (sorted(solid.moments), sorted(expected.inertia));
        assert!((0..3).all(|i| (a[i] / b[i] - 1.0).abs() < 1e-12), "{a:?} {b:?}");
        assert!((frame.origin - Vec3::new(3.0, -2.0, 5.0)).norm() < 1e-12);
        assert!((solid.reach - half.norm()).abs() < 1e-12);
        // In the own frame the half-widths along the axes are those of the box.
        if let Geometry::Hull(hull) = &solid.geometry {
            let high = hull.vertices.iter().fold(Vec3::zeros(), |high, x| high.sup(x));
            let (a, b) = (sorted(high), sorted(half));
            assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-9), "{a:?} {b:?}");
            assert_eq!((hull.faces().count(), hull.edges.len()), (6, 12));
        }
    }
}

#[test]
fn a_regular_tetrahedron_has_the_closed_form() {
    let points = [
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(1.0, -1.0, -1.0),
        Vec3::new(-1.0, 1.0, -1.0),
        Vec3::new(-1.0, -1.0, 1.0),
        Vec3::zeros(),
    ];
    let (solid, _) = Solid::hull(&points, 0.0, "points").unwrap();
    // Edge s: volume s^3 / (6 sqrt 2), moment m s^2 / 20.
    let s = 8.0_f64.sqrt();
    let volume = s * s * s / (6.0 * 2.0_f64.sqrt());
    assert!((solid.volume - volume).abs() < 1e-12);
    assert!((solid.moments - Vec3::repeat(volume * s * s / 20.0)).norm() < 1e-12);
}

#[test]
fn a_capsule_is_that_of_a_fine_sum_of_discs() {
    let (half_length, radius) = (0.7, 0.3);
    let shape = Shape::Capsule(Capsule { radius_m: radius, length_m: 2.0 * half_length });
    let found = Solids::default().mass_properties(&shape, 1000.0);
    let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
    let slices = 200_000;
    let end = half_length + radius;
    for i in 0..slices {
        let y = -end + 2.0 * end * (f64::from(i) + 0.5) / f64::from(slices);
        let beyond = (y.abs() - half_length).max(0.0);
        let square = radius * radius - beyond * beyond;
        let m = 1000.0 * std::f64::consts::PI * square * 2.0 * end / f64::from(slices);
        mass += m;
        along += m * square / 2.0;
        across += m * (square / 4.0 + y * y);
    }
    assert!((found.mass / mass - 1.0).abs() < 1e-8);
    assert!((found.inertia.y / along - 1.0).abs() < 1e-8);
    assert!((found.inertia.x / across - 1.0).abs() < 1e-8);
}

#[test]
fn points_in_a_plane_and_open_or_inverted_meshes_are_refused() {
    let flat: Vec<Vec3> = corners(Vec3::new(1.0, 1.0, 0.0));
    assert!(Solid::hull(&flat, 0.0, "points").is_err());
    assert!(Solid::hull(&flat[..2], 0.0, "points").is_err());
    let cube = Cuboid { size_m: [1.0; 3], edge_m: None }.mesh();
    assert!(Solid::mesh(&cube, 0.0, "mesh").is_ok());
    let mut open = cube.clone();
    open.faces.pop();
    assert!(Solid::mesh(&open, 0.0, "mesh").is_err());
    let mut inverted = cube.clone();
    inverted.faces.iter_mut().for_each(|face| face.swap(0, 1));
    assert!(Solid::mesh(&inverted, 0.0, "mesh").is_err());
    let mut one_turned = cube;
    one_turned.faces[0].swap(0, 1);
    assert!(Solid::mesh(&one_turned, 0.0, "mesh").is_err());
}

#[test]
fn a_compound_of_boxes_is_the_box_that_they_fill_in_any_size() {
    let turn = UnitQuaternion::from_scaled_axis(Vec3::new(0.4, -0.3, 0.8));
    let place = Vec3::new(3.0, -2.0, 5.0);
    let half = Vec3::new(0.3, 0.5, 0.2);
    // A third and two thirds of the box, along y. The second one is a hull.
    let third = Vec3::new(0.3, 0.5 / 3.0, 0.2);
    let rest = Vec3::new(0.3, 1.0 / 3.0, 0.2);
    let mut hulls = Solids::default();
    let points: Vec<Vec3> = corners(rest).iter().map(|x| x + Vec3::y() * 7.0).collect();
    let (hull, own) = Solid::hull(&points, 0.0, "").unwrap();
    let outer = |y: f64| Frame { origin: place + turn * Vec3::new(0.0, y, 0.0), rotation: turn };
    let parts = [
        (Shape::Box(shape::Cuboid::of_half(third)), outer(-1.0 / 3.0)),
        (Shape::Solid(hulls.add(hull)), outer(0.5 / 3.0 - 7.0).then(&own)),
    ];
    let (solid, frame) = Solid::compound(&parts, hulls, "").unwrap();
    assert!((frame.origin - place).norm() < 1e-12);
    let mut solids = Solids::default();
    let id = solids.add(solid);
    for (reach, id) in solids.resize(id, &[half.norm(), 3.0 * half.norm()]) {
        let (solid, factor) = (solids.get(id), reach / half.norm());
        let whole = Shape::Box(shape::Cuboid::of_half(half * factor));
        let expected = solids.mass_properties(&whole, 1.0);
        assert!((solid.volume / expected.mass - 1.0).abs() < 1e-12);
        let (a, b) = (sorted(solid.moments), sorted(expected.inertia));
        assert!((0..3).all(|i| (a[i] / b[i] - 1.0).abs() < 1e-12), "{a:?} {b:?}");
        let compound = solids.compound(&Shape::Solid(id)).unwrap();
        // The parts in the frame of the input, scaled about the centre of mass.
        for (part, (given, placed)) in compound.parts().iter().zip(&parts) {
            let origin = frame.rotation * part.frame.origin;
            assert!((origin - (placed.origin - place) * factor).norm() < 1e-12 * factor);
            assert!((frame.rotation * part.frame.rotation).angle_to(&placed.rotation) < 1e-7);
            let reach = compound.hulls().reach(&part.shape);
            assert!((part.reach / reach - 1.0).abs() < 1e-12, "{given:?}");
        }
        let farthest = rest.norm() * factor;
        assert!((compound.parts()[1].reach / farthest - 1.0).abs() < 1e-12);
        assert!((solids.half_width(&Shape::Solid(id)) / factor) <= 0.5 / 3.0);
    }
    assert!((solids.reach(&Shape::Solid(id)) / half.norm() - 1.0).abs() < 1e-12);
    assert!(Solid::compound(&[], Solids::default(), "").is_err());
}

/// The corners of a cube of 0.2 m whose upper face has a bevel of 0.1 degrees, `width` (m) wide.
fn bevelled(width: f64) -> Vec<Vec3> {
    let mut points = corners(Vec3::repeat(0.1));
    points.retain(|x| x.y < 0.0);
    let low = 0.1 - width * libm::tan(0.1_f64.to_radians());
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        points.push(Vec3::new(0.1 * x, low, 0.1 * z));
        points.push(Vec3::new((0.1 - width) * x, 0.1, (0.1 - width) * z));
    }
    points
}

#[test]
fn faces_that_rounding_broke_are_one_and_bevelled_faces_are_not() {
    let turn = rotation(Vec3::new(1.0, 2.0, -0.5), 40.0);
    // All points of the surface of a cube of 0.2 m on a grid.
    let grid: Vec<Vec3> = (0..125)
        .map(|k| Vec3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)))
        .map(|x| (x - Vec3::repeat(2.0)) * 0.05)
        .filter(|x| x.abs().max() > 0.099)
        .collect();
    let single = |x: f64| f64::from(x as f32);
    let rounded = |digits: i32, x: f64| {
        let unit = 10.0_f64.powi(-digits);
        (x / unit).round() * unit
    };
    let planes = |points: &[Vec3], rounding: f64, round: &dyn Fn(f64) -> f64| {
        let (exact, _) = Solid::hull(points, 0.0, "points").unwrap();
        let points: Vec<Vec3> = points.iter().map(|x| (turn * x).map(round)).collect();
        let (solid, frame) = Solid::hull(&points, rounding, "points").unwrap();
        let Geometry::Hull(hull) = &solid.geometry else { panic!("a hull") };
        // The planes keep all points below them, within what the points are off.
        let limit = flat::limit(&hull.vertices, rounding);
        for x in points.iter().map(|x| frame.to_own(x)) {
            assert!(hull.planes.iter().all(|plane| plane.height(&x) < 1e-12));
        }
        for (corners, plane) in hull.faces().zip(&hull.planes) {
            assert!(
                corners.iter().all(|&v| plane.height(&hull.vertices[v as usize]) > -3.0 * limit)
            );
        }
        assert_eq!(hull.vertices.len() + hull.planes.len() - hull.edges.len(), 2);
        assert!((solid.volume / exact.volume - 1.0).abs() < 100.0 * limit);
        hull.planes.len()
    };
    let all = [
        (0.0, &(|x: f64| x) as &dyn Fn(f64) -> f64),
        (1e-8, &single),
        (5e-7, &|x| rounded(6, x)),
        (5e-6, &|x| rounded(5, x)),
    ];
    for (rounding, round) in all {
        assert_eq!(planes(&grid, rounding, round), 6, "{rounding}");
        assert_eq!(planes(&bevelled(0.03), rounding, round), 10, "{rounding}");
    }
    // 0.1 mm of bevel are 0.17 um deep: more than single precision leaves, less than six decimals.
    assert_eq!(planes(&bevelled(1e-4), 1e-8, &single), 10);
    assert_eq!(planes(&bevelled(1e-4), 5e-7, &|x| rounded(6, x)), 6);
}

use nalgebra::UnitQuaternion;

use super::*;
use crate::math::rotation;
use crate::mesh::shapes::{Cuboid, ShapeKind};
use crate::rigid::shape::{self, Capsule};

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
        [Solid::hull(&points, "points").unwrap(), Solid::mesh(&mesh, "mesh").unwrap()]
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
    let (solid, _) = Solid::hull(&points, "points").unwrap();
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
    assert!(Solid::hull(&flat, "points").is_err());
    assert!(Solid::hull(&flat[..2], "points").is_err());
    let cube = Cuboid { size_m: [1.0; 3], edge_m: None }.mesh();
    assert!(Solid::mesh(&cube, "mesh").is_ok());
    let mut open = cube.clone();
    open.faces.pop();
    assert!(Solid::mesh(&open, "mesh").is_err());
    let mut inverted = cube.clone();
    inverted.faces.iter_mut().for_each(|face| face.swap(0, 1));
    assert!(Solid::mesh(&inverted, "mesh").is_err());
    let mut one_turned = cube;
    one_turned.faces[0].swap(0, 1);
    assert!(Solid::mesh(&one_turned, "mesh").is_err());
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
    let (hull, own) = Solid::hull(&points, "").unwrap();
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

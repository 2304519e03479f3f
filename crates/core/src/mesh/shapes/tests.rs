//! Tests of the meshes of all shapes.

use crate::mesh::shapes::round::smallest;
use crate::mesh::shapes::*;
use crate::mesh::{Mesh, SurfaceMesh};
use crate::{NONE, Vec3};

/// Area and enclosed volume of a sound mesh; bodies must be closed.
fn measure(mesh: &Mesh, closed: bool) -> (f64, f64) {
    let surface = SurfaceMesh::from_mesh(mesh.clone()).unwrap();
    let open = surface.topology.edge_faces.iter().any(|faces| faces[1] == NONE);
    assert_eq!(open, !closed);
    let corners = |face: &[u32; 3]| face.map(|vertex| mesh.positions[vertex as usize]);
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
    let volume = |[a, b, c]: [Vec3; 3]| a.dot(&b.cross(&c)) / 6.0;
    let total = |f: &dyn Fn([Vec3; 3]) -> f64| mesh.faces.iter().map(|face| f(corners(face))).sum();
    (total(&area), total(&volume))
}

/// One of each generated shape. Optional sizes are left out.
fn samples() -> Vec<Shape> {
    let edge_m = None;
    let (width_m, length_m, radius_m) = (0.7, 1.2, 0.3);
    vec![
        Shape::Sheet(Sheet { width_m, length_m, columns: 4, rows: 5, diagonal: Diagonal::Same }),
        Shape::Disc(Disc { radius_m, rings: 4 }),
        Shape::Sphere(Sphere { radius_m, edge_m }),
        Shape::Box(Cuboid { size_m: [0.5, 0.7, 1.1], edge_m }),
        Shape::Plane(Plane { width_m, length_m, edge_m }),
        Shape::Capsule(Capsule { radius_m, length_m, edge_m }),
        Shape::Cylinder(Cylinder { radius_m, length_m, edge_m }),
        Shape::Tube(Tube { radius_m, top_radius_m: None, length_m, columns: 7, rows: 5 }),
    ]
}

#[test]
fn every_shape_is_sound_and_faces_up_or_outwards() {
    let names: Vec<_> = samples().iter().map(Shape::name).collect();
    assert_eq!(names, Shape::NAMES[1..], "a sample of each shape of the list, in its order");
    for mut shape in samples() {
        let name = shape.name();
        let settings = shape.generated_mut().unwrap();
        let mut mesh = settings.mesh();
        settings.fill_in();
        assert!(settings.check("shape").is_ok() && settings.mesh() == mesh, "{name}");
        let is_flat = mesh.positions.iter().all(|p| p.y == 0.0);
        mesh.positions.iter_mut().for_each(|p| p.y += 3.0);
        let is_open = is_flat || name == "Tube";
        let (area, volume) = measure(&mesh, !is_open);
        // A flat shape that faces up encloses a cone with the origin: a third of base times height.
        assert!(volume > 0.0 && (!is_flat || (volume - area).abs() < 1e-12), "{name}");
    }
}

#[test]
fn flat_shapes_have_their_area_and_look_up() {
    for diagonal in [Diagonal::Same, Diagonal::Alternating, Diagonal::Equilateral] {
        let mut mesh = sheet(2.0, 3.0, 4, 5, diagonal);
        mesh.positions.iter_mut().for_each(|p| p.y = 3.0);
        let (area, cone) = measure(&mesh, false);
        assert!((area - 6.0).abs() < 1e-12 && (cone - 6.0).abs() < 1e-12, "{diagonal:?}");
    }
    assert_eq!(sheet(1.0, 1.0, 20, 20, Diagonal::Same).positions.len(), 441);
    let mut mesh = Disc { radius_m: 2.0, rings: 30 }.mesh();
    assert_eq!(mesh.positions.len(), 1 + 3 * 30 * 31);
    mesh.positions.iter_mut().for_each(|p| p.y = 3.0);
    let (area, cone) = measure(&mesh, false);
    assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 1e-3 && (cone - area).abs() < 1e-9);
}

#[test]
fn a_tube_has_the_area_of_its_cone() {
    let tube =
        Tube { radius_m: 0.4, top_radius_m: Some(0.2), length_m: 0.5, columns: 90, rows: 20 };
    let mesh = tube.mesh();
    assert_eq!((mesh.positions.len(), mesh.faces.len()), (90 * 21, 2 * 90 * 20));
    let slant = f64::hypot(0.5, 0.2);
    let (area, _) = measure(&mesh, false);
    assert!((area / (std::f64::consts::PI * 0.6 * slant) - 1.0).abs() < 1e-3, "{area}");
}

#[test]
fn bodies_are_closed_face_outwards_and_contain_the_ideal_body() {
    let pi = std::f64::consts::PI;
    let outside = |mesh: &Mesh, radius: f64, core: &dyn Fn(Vec3) -> Vec3| {
        assert!(smallest(mesh, core) >= radius * (1.0 - 2e-12));
    };
    let ball = Sphere { radius_m: 1.0 / 3.0, edge_m: Some(0.026) }.mesh();
    let (_, volume) = measure(&ball, true);
    assert!(volume > 4.0 / 81.0 * pi && volume < 4.0 / 81.0 * pi * 1.005);
    outside(&ball, 1.0 / 3.0, &|_| Vec3::zeros());

    let brick = Cuboid { size_m: [1.0, 2.0, 3.0], edge_m: Some(0.5) };
    let (_, volume) = measure(&brick.mesh(), true);
    assert!((volume - 6.0).abs() < 1e-12);

    let pill = Capsule { radius_m: 0.5, length_m: 2.0, edge_m: Some(0.1) }.mesh();
    let ideal = pi * 0.25 * 2.0 + 4.0 / 3.0 * pi * 0.125;
    let (_, volume) = measure(&pill, true);
    assert!(volume > ideal && volume < 1.05 * ideal);
    outside(&pill, 0.5, &|p| Vec3::new(0.0, p.y.clamp(-1.0, 1.0), 0.0));

    let drum = Cylinder { radius_m: 0.5, length_m: 2.0, edge_m: Some(0.1) }.mesh();
    let (_, volume) = measure(&drum, true);
    assert!(volume > pi * 0.5 && volume < 1.05 * pi * 0.5);
}

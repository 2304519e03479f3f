//! Tests of relaxing.

use super::*;
use crate::Vec2;
use crate::mesh::obj_read;
use crate::mesh::quality::Quality;
use crate::mesh::shapes::{Shape, ShapeKind, Sphere};

/// 12 x 12 cells, three times as long as wide, whose inner vertices lie askew. The sheet has a
/// crease along x = 18 and two groups. Texture coordinates are half of (y, x).
fn askew() -> SurfaceMesh {
    let (mut text, mut number) = (String::new(), 1_u32);
    for j in 0..=12_u32 {
        for i in 0..=12_u32 {
            let inner = i % 12 != 0 && j % 12 != 0 && i != 6;
            number = number.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let shift = if inner { f64::from(number >> 16) / 65_536.0 - 0.5 } else { 0.0 };
            let (x, y) = (3.0 * f64::from(i) + shift, f64::from(j) + 0.8 * shift);
            text += &format!("v {x} {y} {}\nvt {} {}\n", (x - 18.0).max(0.0), 0.5 * y, 0.5 * x);
        }
    }
    for (name, rows) in [("low", 0..6), ("high", 6..12)] {
        text += &format!("g {name}\n");
        for (j, i) in rows.flat_map(|j| (0..12).map(move |i| (j, i))) {
            let [a, b] = [13 * j + i + 1, 13 * j + i + 14];
            text += &format!("f {a}/{a} {}/{} {}/{} {b}/{b}\n", a + 1, a + 1, b + 1, b + 1);
        }
    }
    let (document, lines) = obj_read::parse(text.as_bytes(), "askew.obj").unwrap();
    SurfaceMesh::new(document, &lines, Faces::Manifold).unwrap()
}

#[test]
fn triangles_get_better_and_the_surface_stays() {
    let before = askew();
    let (after, done) = relax(&before).unwrap();
    assert!(done.flips > 20 && done.moved > 50, "{done:?}");
    let [old, new] = [&before, &after].map(Quality::new);
    assert!(new.least_angle.value > 1.3 * old.least_angle.value, "{old:?} {new:?}");
    assert!(new.largest_angle.value < old.largest_angle.value);
    assert!((new.area - old.area).abs() < 1e-9 * old.area);
    assert_eq!((after.faces.len(), new.size), (before.faces.len(), old.size));
    let points = &after.document.positions;
    for (v, (was, is)) in before.document.positions.iter().zip(points).enumerate() {
        let on_feature = v % 13 == 6 || v % 13 % 12 == 0 || v / 13 % 6 == 0;
        assert!(!on_feature || was == is, "vertex {v} was at {was} and is at {is}");
        assert!((is.z - (is.x - 18.0).max(0.0)).abs() < 1e-12, "vertex {v} left the surface: {is}");
    }
    for corner in &after.document.corners {
        let (p, uv) =
            (points[corner.vertex as usize], after.document.texcoords[corner.texcoord as usize]);
        assert!((uv - Vec2::new(0.5 * p.y, 0.5 * p.x)).norm() < 1e-12, "{uv} at {p}");
    }
    let ends: Vec<u32> = after.document.groups.iter().map(|group| group.end).collect();
    assert_eq!(ends, [144, 288]);
    let of_group = |face: &[u32; 3]| face.iter().map(|&v| points[v as usize].y).sum::<f64>() < 18.0;
    assert!(after.faces[..144].iter().all(of_group) && !after.faces[144..].iter().any(of_group));
}

#[test]
fn a_sphere_stays_one() {
    let shape = Shape::Sphere(Sphere { radius_m: 1.0, edge_m: Some(0.15) });
    let mesh = SurfaceMesh::from_mesh(shape.generated().map(ShapeKind::mesh).unwrap()).unwrap();
    let (after, _) = relax(&mesh).unwrap();
    let [old, new] = [&mesh, &after].map(Quality::new);
    // Vertices move from the sphere to its facets, and no further.
    assert!((new.area / old.area - 1.0).abs() < 0.01, "{} {}", old.area, new.area);
    let outer = mesh.document.positions.iter().map(Vec3::norm).fold(0.0, f64::max);
    let is_near = |p: &Vec3| p.norm() > 0.985 * outer && p.norm() < outer * (1.0 + 1e-9);
    assert!(after.document.positions.iter().all(is_near));
}

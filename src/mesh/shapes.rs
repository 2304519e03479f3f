//! Generated shapes. Fronts of flat shapes look up (+y), those of bodies outwards.
//!
//! The facets of round bodies contain the ideal body (within rounding), so that
//! what stays outside the mesh stays outside the body too.

use serde::{Deserialize, Serialize};

use crate::math::Vec3;
use crate::mesh::Mesh;

/// How the cells of a sheet are cut into triangles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Diagonal {
    /// All in one direction.
    #[default]
    Same,
    /// In alternating directions, so that diamonds appear.
    Alternating,
    /// Every other row is shifted by half a cell: equilateral triangles when
    /// rows are sqrt(3)/2 of a cell apart.
    Equilateral,
}

/// Rectangle in the plane y = 0 about the origin, `width` along x and `length`
/// along z (m), of `columns` x `rows` cells.
pub fn sheet(width: f64, length: f64, columns: u32, rows: u32, diagonal: Diagonal) -> Mesh {
    if diagonal == Diagonal::Equilateral {
        return staggered_sheet(width, length, columns, rows);
    }
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        for i in 0..=columns {
            mesh.positions.push(Vec3::new(along(width, i, columns), 0.0, along(length, j, rows)));
        }
    }
    let at = |i: u32, j: u32| j * (columns + 1) + i;
    for j in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            if diagonal == Diagonal::Alternating && (i + j) % 2 == 1 {
                mesh.faces.extend([[a, b, d], [b, c, d]]);
            } else {
                mesh.faces.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    mesh
}

/// Even rows have `columns + 1` vertices; odd ones are shifted by half a cell
/// and have one more, to end on the same straight sides.
fn staggered_sheet(width: f64, length: f64, columns: u32, rows: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut starts = vec![];
    for j in 0..=rows {
        starts.push(mesh.positions.len() as u32);
        let z = along(length, j, rows);
        for i in 0..=columns + j % 2 {
            let half_cells =
                if j % 2 == 0 { 2 * i } else { (2 * i).saturating_sub(1).min(2 * columns) };
            mesh.positions.push(Vec3::new(along(width, half_cells, 2 * columns), 0.0, z));
        }
    }
    for j in 0..rows {
        let [near, far] = [starts[j as usize], starts[j as usize + 1]];
        for i in 0..=columns {
            if j % 2 == 0 {
                mesh.faces.push([near + i, far + i, far + i + 1]);
            } else {
                mesh.faces.push([near + i, far + i, near + i + 1]);
            }
            if i < columns && j % 2 == 0 {
                mesh.faces.push([near + i, far + i + 1, near + i + 1]);
            } else if i < columns {
                mesh.faces.push([near + i + 1, far + i, far + i + 1]);
            }
        }
    }
    mesh
}

/// Rectangle as of [`sheet`], with cells of about `edge` (m).
pub fn plane(width: f64, length: f64, edge: f64) -> Mesh {
    sheet(width, length, parts(width, edge, 1), parts(length, edge, 1), Diagonal::Same)
}

/// Place `i` of `n` on a side of length `size` about the origin.
fn along(size: f64, i: u32, n: u32) -> f64 {
    size * (f64::from(i) / f64::from(n) - 0.5)
}

/// Disc of `radius` (m) in the plane y = 0 about the origin: ring i of `rings`
/// has 6 i vertices.
pub fn disc(radius: f64, rings: u32) -> Mesh {
    let mut mesh = Mesh { positions: vec![Vec3::zeros()], faces: vec![] };
    for ring in 1..=rings {
        let r = radius * f64::from(ring) / f64::from(rings);
        for i in 0..6 * ring {
            let (sin, cos) = turn(i, 6 * ring);
            mesh.positions.push(Vec3::new(r * cos, 0.0, -r * sin));
        }
    }
    // Vertex i of a ring; ring 0 is the centre.
    let at =
        |ring: u32, i: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) + i % (6 * ring) };
    for ring in 1..=rings {
        for sector in 0..6 {
            for i in 0..ring {
                let (outer, inner) = (sector * ring + i, sector * (ring - 1) + i);
                mesh.faces.push([at(ring - 1, inner), at(ring, outer), at(ring, outer + 1)]);
                if i + 1 < ring {
                    let [a, b] = [at(ring - 1, inner), at(ring - 1, inner + 1)];
                    mesh.faces.push([a, at(ring, outer + 1), b]);
                }
            }
        }
    }
    mesh
}

/// Sine and cosine of i / n of a full turn.
fn turn(i: u32, n: u32) -> (f64, f64) {
    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
    (libm::sin(angle), libm::cos(angle))
}

/// Sphere of `radius` (m) about the origin with edges of about `edge`: an
/// icosahedron whose faces are cut into n x n and pushed out to the sphere.
pub fn sphere(radius: f64, edge: f64) -> Mesh {
    const ARC: f64 = 1.107_148_717_794_090_5; // between neighbouring corners: atan 2
    let frequency = parts(ARC * radius, edge, 1);
    let coarse = icosahedron();
    let fine = super::refine::subdivide(&coarse.positions, &coarse.faces, frequency);
    let mut mesh = Mesh {
        positions: fine.points.iter().map(|point| point.normalize()).collect(),
        faces: fine.faces,
    };
    let scale = radius / smallest(&mesh, |_| Vec3::zeros());
    mesh.positions.iter_mut().for_each(|point| *point *= scale);
    mesh
}

/// Keeps an edge that is too small by mistake from filling the memory.
const MAX_PARTS: u32 = 400;

/// `length` in pieces of about `edge`, at least `least`, at most [`MAX_PARTS`].
fn parts(length: f64, edge: f64, least: u32) -> u32 {
    ((length / edge).round() as u32).clamp(least, MAX_PARTS)
}

fn icosahedron() -> Mesh {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut positions = Vec::new();
    for i in 0..3 {
        for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            let mut point = Vec3::zeros();
            point[(i + 1) % 3] = a;
            point[(i + 2) % 3] = b;
            positions.push(point.normalize());
        }
    }
    // Neighbours are less than 1.1 apart, all others more than 1.7.
    let near = |a: usize, b: usize| (positions[a] - positions[b]).norm() < 1.4;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let [p, q, r] = [a, b, c].map(|i| positions[i]);
                    let outwards = (q - p).cross(&(r - p)).dot(&p) > 0.0;
                    let [b, c] = if outwards { [b, c] } else { [c, b] };
                    faces.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    Mesh { positions, faces }
}

/// Smallest distance of a face's plane from its core point, a little less, so
/// that dividing by it cannot round inwards.
fn smallest(mesh: &Mesh, core: impl Fn(Vec3) -> Vec3) -> f64 {
    let distance = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| mesh.positions[vertex as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        normal.dot(&(a - core((a + b + c) / 3.0)))
    };
    mesh.faces.iter().map(distance).fold(f64::INFINITY, f64::min) * (1.0 - 1e-12)
}

/// Box of `size` (m along x, y, z) about the origin, with cells of about `edge`.
pub fn cuboid(size: Vec3, edge: f64) -> Mesh {
    let cells = [0, 1, 2].map(|axis| parts(size[axis], edge, 1));
    let mut builder = Welded::default();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, cells[axis]] {
            for j in 0..cells[v] {
                for i in 0..cells[u] {
                    let corner = |di: u32, dj: u32| {
                        let mut index = [0; 3];
                        (index[axis], index[u], index[v]) = (side, i + di, j + dj);
                        index
                    };
                    let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    builder.quad(quad, side == 0, |index| {
                        Vec3::from_fn(|axis, _| along(size[axis], index[axis], cells[axis]))
                    });
                }
            }
        }
    }
    builder.mesh
}

/// Vertices by integer coordinates, each made once.
#[derive(Default)]
struct Welded {
    mesh: Mesh,
    known: std::collections::HashMap<[u32; 3], u32>,
}

impl Welded {
    fn quad(&mut self, corners: [[u32; 3]; 4], flip: bool, place: impl Fn([u32; 3]) -> Vec3) {
        let [a, b, c, d] = corners.map(|index| {
            *self.known.entry(index).or_insert_with(|| {
                self.mesh.positions.push(place(index));
                self.mesh.positions.len() as u32 - 1
            })
        });
        let pair = if flip { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] };
        self.mesh.faces.extend(pair);
    }
}

/// Capsule: all points within `radius` (m) of a segment of `length` on the y
/// axis about the origin, with edges of about `edge`.
pub fn capsule(radius: f64, length: f64, edge: f64) -> Mesh {
    let around = parts(std::f64::consts::TAU * radius, edge, 8);
    let cap = parts(0.5 * std::f64::consts::PI * radius, edge, 2);
    let side = parts(length, edge, 1);
    // Rings (radius, height of the core point, height above it), bottom to top.
    let mut rings = Vec::new();
    for ring in 1..=cap {
        let (sin, cos) = turn(ring, 4 * cap);
        rings.push((sin, -0.5 * length, -cos));
    }
    rings.extend((1..side).map(|ring| (1.0, along(length, ring, side), 0.0)));
    rings.extend((1..=cap).rev().map(|ring| {
        let (sin, cos) = turn(ring, 4 * cap);
        (sin, 0.5 * length, cos)
    }));
    let build = |scale: f64| {
        let profile: Vec<(f64, f64)> =
            rings.iter().map(|&(r, core, above)| (scale * r, core + scale * above)).collect();
        revolve(&profile, -0.5 * length - scale, 0.5 * length + scale, around)
    };
    // The core point of a face: the nearest point of the segment. Scaling the
    // radius alone keeps the facets' directions on caps and side.
    let core = |p: Vec3| Vec3::new(0.0, p.y.clamp(-0.5 * length, 0.5 * length), 0.0);
    build(radius * radius / smallest(&build(radius), core))
}

/// Cylinder of `radius` and `length` (m) about the y axis and the origin, with
/// edges of about `edge` around and along it.
pub fn cylinder(radius: f64, length: f64, edge: f64) -> Mesh {
    let around = parts(std::f64::consts::TAU * radius, edge, 8);
    let side = parts(length, edge, 1);
    let cap = parts(radius, edge, 1);
    let circumscribed = radius / turn(1, 2 * around).1 * (1.0 + 1e-12);
    let inner = |ring: u32| circumscribed * f64::from(ring) / f64::from(cap);
    let mut profile: Vec<(f64, f64)> = (1..cap).map(|ring| (inner(ring), -0.5 * length)).collect();
    profile.extend((0..=side).map(|ring| (circumscribed, along(length, ring, side))));
    profile.extend((1..cap).rev().map(|ring| (inner(ring), 0.5 * length)));
    revolve(&profile, -0.5 * length, 0.5 * length, around)
}

/// Turns `profile`, (radius, height) from bottom to top, about the y axis and
/// closes it at its poles.
fn revolve(profile: &[(f64, f64)], bottom: f64, top: f64, around: u32) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.positions.push(Vec3::new(0.0, bottom, 0.0));
    for &(r, y) in profile {
        for i in 0..around {
            let (sin, cos) = turn(i, around);
            mesh.positions.push(Vec3::new(r * cos, y, -r * sin));
        }
    }
    mesh.positions.push(Vec3::new(0.0, top, 0.0));
    let rings = profile.len() as u32;
    let at = |ring: u32, i: u32| 1 + ring * around + i % around;
    for i in 0..around {
        mesh.faces.push([0, at(0, i + 1), at(0, i)]);
        for ring in 0..rings - 1 {
            let [a, b] = [at(ring, i), at(ring, i + 1)];
            let [c, d] = [at(ring + 1, i + 1), at(ring + 1, i)];
            mesh.faces.extend([[a, b, c], [a, c, d]]);
        }
        mesh.faces.push([at(rings - 1, i), at(rings - 1, i + 1), 1 + rings * around]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NONE;
    use crate::mesh::surface::Surface;

    /// Area and enclosed volume of a sound mesh; bodies must be closed.
    fn measure(mesh: &Mesh, closed: bool) -> (f64, f64) {
        let surface = Surface::from_mesh(mesh.clone()).unwrap();
        let open = surface.topology.edge_faces.iter().any(|faces| faces[1] == NONE);
        assert_eq!(open, !closed);
        let corners = |face: &[u32; 3]| face.map(|vertex| mesh.positions[vertex as usize]);
        let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
        let volume = |[a, b, c]: [Vec3; 3]| a.dot(&b.cross(&c)) / 6.0;
        let total =
            |f: &dyn Fn([Vec3; 3]) -> f64| mesh.faces.iter().map(|face| f(corners(face))).sum();
        (total(&area), total(&volume))
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
        let mut mesh = disc(2.0, 30);
        assert_eq!(mesh.positions.len(), 1 + 3 * 30 * 31);
        mesh.positions.iter_mut().for_each(|p| p.y = 3.0);
        let (area, cone) = measure(&mesh, false);
        assert!(
            (area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 1e-3 && (cone - area).abs() < 1e-9
        );
    }

    #[test]
    fn bodies_are_closed_face_outwards_and_contain_the_ideal_body() {
        let pi = std::f64::consts::PI;
        let outside = |mesh: &Mesh, radius: f64, core: &dyn Fn(Vec3) -> Vec3| {
            assert!(smallest(mesh, core) >= radius * (1.0 - 2e-12));
        };
        let ball = sphere(1.0 / 3.0, 0.026);
        let (_, volume) = measure(&ball, true);
        assert!(volume > 4.0 / 81.0 * pi && volume < 4.0 / 81.0 * pi * 1.005);
        outside(&ball, 1.0 / 3.0, &|_| Vec3::zeros());

        let (_, volume) = measure(&cuboid(Vec3::new(1.0, 2.0, 3.0), 0.5), true);
        assert!((volume - 6.0).abs() < 1e-12);

        let pill = capsule(0.5, 2.0, 0.1);
        let ideal = pi * 0.25 * 2.0 + 4.0 / 3.0 * pi * 0.125;
        let (_, volume) = measure(&pill, true);
        assert!(volume > ideal && volume < 1.05 * ideal);
        outside(&pill, 0.5, &|p| Vec3::new(0.0, p.y.clamp(-1.0, 1.0), 0.0));

        let drum = cylinder(0.5, 2.0, 0.1);
        let (_, volume) = measure(&drum, true);
        assert!(volume > pi * 0.5 && volume < 1.05 * pi * 0.5);
    }
}

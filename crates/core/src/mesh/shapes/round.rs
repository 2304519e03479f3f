//! Round bodies: a sphere of nearly equal triangles, a capsule and a closed cylinder. Their facets
//! contain them.

use serde::{Deserialize, Serialize};

use crate::mesh::shapes::{ShapeKind, along, check_edge, check_size, parts};
use crate::mesh::{Mesh, refine};
use crate::{Result, Vec3};

/// The edge length of a round body of `radius` unless the scene gives one.
pub(super) fn default_edge(radius: f64) -> f64 {
    radius / 12.0
}

/// Sine and cosine of i / n of a full turn.
pub(super) fn turn(i: u32, n: u32) -> (f64, f64) {
    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
    (libm::sin(angle), libm::cos(angle))
}

/// The smallest distance of a face's plane from its core point. It is made a little smaller, so
/// that a division by it cannot round inwards.
pub(super) fn smallest(mesh: &Mesh, core: impl Fn(Vec3) -> Vec3) -> f64 {
    let distance = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| mesh.positions[vertex as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        normal.dot(&(a - core((a + b + c) / 3.0)))
    };
    mesh.faces.iter().map(distance).fold(f64::INFINITY, f64::min) * (1.0 - 1e-12)
}

/// Turns `profile` about the y axis and closes it at its poles. The profile is (radius, height)
/// from bottom to top.
pub(super) fn revolve(profile: &[(f64, f64)], bottom: f64, top: f64, around: u32) -> Mesh {
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

/// A sphere about the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Sphere {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Sphere {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        sphere(self.radius_m, self.edge())
    }

    fn is_round(&self) -> bool {
        true
    }
}

/// An icosahedron. Its faces are cut into n x n and moved outwards to the sphere.
fn sphere(radius: f64, edge: f64) -> Mesh {
    const ARC: f64 = 1.107_148_717_794_090_5; // between neighbouring corners: atan 2
    let frequency = parts(ARC * radius, edge, 1);
    let coarse = icosahedron();
    let fine = refine::subdivide(&coarse.positions, &coarse.faces, frequency);
    let mut mesh = Mesh {
        positions: fine.points.iter().map(|point| point.normalize()).collect(),
        faces: fine.faces,
    };
    let scale = radius / smallest(&mesh, |_| Vec3::zeros());
    mesh.positions.iter_mut().for_each(|point| *point *= scale);
    mesh
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

/// All points within `radius_m` of a segment of the y axis about the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius, m.
    pub radius_m: f64,
    /// Length of the segment, m.
    pub length_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Capsule {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Capsule {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_size(at, "length_m", self.length_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        capsule(self.radius_m, self.length_m, self.edge())
    }

    fn is_round(&self) -> bool {
        true
    }
}

fn capsule(radius: f64, length: f64, edge: f64) -> Mesh {
    let around = parts(std::f64::consts::TAU * radius, edge, 8);
    let cap = parts(0.5 * std::f64::consts::PI * radius, edge, 2);
    let side = parts(length, edge, 1);
    // Rings from bottom to top: radius, height of the core point, height above it.
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
    // The core point of a face is the nearest point of the segment. Only the radius is scaled:
    // this keeps the directions of the facets on caps and side.
    let core = |p: Vec3| Vec3::new(0.0, p.y.clamp(-0.5 * length, 0.5 * length), 0.0);
    build(radius * radius / smallest(&build(radius), core))
}

/// A cylinder about the y axis and the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    pub radius_m: f64,
    /// Length, m.
    pub length_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Cylinder {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Cylinder {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_size(at, "length_m", self.length_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        cylinder(self.radius_m, self.length_m, self.edge())
    }
}

fn cylinder(radius: f64, length: f64, edge: f64) -> Mesh {
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

//! What the round shapes share.

use crate::Vec3;
use crate::mesh::Mesh;

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

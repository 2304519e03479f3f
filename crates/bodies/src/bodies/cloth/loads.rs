//! Loads: forces on groups of vertices, and pressure on faces (docs/methods.md, section 3).
//!
//! | load | force |
//! |---|---|
//! | dead load | `a(t) s_i F` on vertex i, whatever the cloth does |
//! | pressure | `a(t) p A n / 3` on each corner of a face, with its present area and normal |
//!
//! `a` is the amplitude, `s_i` the share of the vertex ([`shares`]), `p` the pressure along the
//! front normal `n`. The forces of a step have the amplitude at its end, and the areas and normals
//! at its start. So they add nothing to the matrix, whose stiffness against pressure would be
//! indefinite, and their work in a step is force times path.
//!
//! Source: ours. Every rank computes the forces on all vertices, with the same bits.

use std::iter::zip;
use std::ops::Range;

use crate::bodies::cloth::setup::{ClothSetup, RestTriangle, StartMotion};
use crate::bodies::timed::{AmplitudeKey, factor};
use cloth_core::{FaceId, Vec3, VertexId};

/// The loads of all cloths. Vertices and faces are numbered cloth after cloth.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    forces: Vec<DeadLoad>,
    pressures: Vec<FacePressure>,
}

/// A force that a group of vertices shares.
#[derive(Debug, Clone)]
struct DeadLoad {
    shares: Vec<(VertexId, f64)>,
    force_n: Vec3,
    amplitude: Vec<AmplitudeKey>,
}

/// A pressure on some faces.
#[derive(Debug, Clone)]
struct FacePressure {
    faces: Vec<FaceId>,
    /// Along the front normal, Pa.
    pressure_pa: f64,
    amplitude: Vec<AmplitudeKey>,
}

impl Loads {
    /// The loads of `cloths`, whose vertices are numbered by `ranges`.
    pub fn new(cloths: &[ClothSetup], ranges: &[Range<VertexId>]) -> Self {
        let (mut loads, mut first_face) = (Self::default(), 0);
        for (cloth, range) in zip(cloths, ranges) {
            loads.forces.extend(cloth.loads.forces.iter().map(|load| DeadLoad {
                shares: numbered(shares(cloth, &load.vertices), range),
                force_n: load.force_n,
                amplitude: load.amplitude.clone(),
            }));
            loads.pressures.extend(cloth.loads.pressures.iter().map(|load| FacePressure {
                faces: load.faces.iter().map(|face| face + first_face).collect(),
                pressure_pa: load.pressure_pa,
                amplitude: load.amplitude.clone(),
            }));
            first_face += cloth.faces.len() as FaceId;
        }
        loads
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.forces.is_empty() && self.pressures.is_empty()
    }

    /// Writes the force on each vertex (N) to `forces`, which is left empty if there are no loads.
    /// `faces` and the positions `x` (m) are those of all cloths; amplitudes are those at `time_s`
    /// (s).
    pub fn write(&self, faces: &[[VertexId; 3]], x: &[Vec3], time_s: f64, forces: &mut Vec<Vec3>) {
        forces.clear();
        if self.is_empty() {
            return;
        }
        forces.resize(x.len(), Vec3::zeros());
        for load in &self.forces {
            let force = load.force_n * factor(&load.amplitude, time_s);
            load.shares.iter().for_each(|&(v, share)| forces[v as usize] += force * share);
        }
        for load in &self.pressures {
            let sixth = load.pressure_pa * factor(&load.amplitude, time_s) / 6.0;
            for &face in &load.faces {
                let corners = faces[face as usize].map(|vertex| vertex as usize);
                let [a, b, c] = corners.map(|corner| x[corner]);
                let of_corner = (b - a).cross(&(c - a)) * sixth;
                corners.iter().for_each(|&corner| forces[corner] += of_corner);
            }
        }
    }
}

/// The shares of `vertices`, sorted, in what they carry together; their sum is 1. Faces whose three
/// corners are chosen give a third of their area at rest to each corner. If there is no such face,
/// because points or a line are chosen, all shares are equal. Vertices without a share are left
/// out.
pub fn shares(cloth: &ClothSetup, vertices: &[u32]) -> Vec<(u32, f64)> {
    let mut areas = vec![0.0; cloth.rest.len()];
    for face in whole_faces(&cloth.faces, vertices) {
        let area = cloth.rest_planes.get(face as usize).map_or(0.0, RestTriangle::area);
        cloth.faces[face as usize].iter().for_each(|&corner| areas[corner as usize] += area);
    }
    let total: f64 = vertices.iter().map(|&vertex| areas[vertex as usize]).sum();
    let with_area = vertices.iter().filter(|&&vertex| areas[vertex as usize] > 0.0);
    match total > 0.0 {
        true => with_area.map(|&vertex| (vertex, areas[vertex as usize] / total)).collect(),
        false => vertices.iter().map(|&vertex| (vertex, 1.0 / vertices.len() as f64)).collect(),
    }
}

/// The numbers of the `faces` whose three corners are among `vertices`, which are sorted.
pub fn whole_faces(faces: &[[u32; 3]], vertices: &[u32]) -> Vec<u32> {
    let is_whole =
        |face: &[u32; 3]| face.iter().all(|corner| vertices.binary_search(corner).is_ok());
    (0..).zip(faces).filter(|(_, face)| is_whole(face)).map(|(number, _)| number).collect()
}

fn numbered(shares: Vec<(u32, f64)>, range: &Range<VertexId>) -> Vec<(VertexId, f64)> {
    shares.into_iter().map(|(vertex, share)| (range.start + vertex, share)).collect()
}

/// Adds the extra masses of `cloths` to the lumped `masses` (kg) of all vertices.
pub(super) fn add_extra_masses(
    cloths: &[ClothSetup],
    ranges: &[Range<VertexId>],
    masses: &mut [f64],
) {
    for (cloth, range) in zip(cloths, ranges) {
        for extra in &cloth.loads.masses {
            for (vertex, share) in numbered(shares(cloth, &extra.vertices), range) {
                masses[vertex as usize] += extra.mass_kg * share;
            }
        }
    }
}

/// The velocity (m/s) of each vertex of a cloth that starts with `motion` at the positions `x` (m):
/// `v + w x (x - c)`, with the centre of mass `c`. `masses` in kg.
pub(super) fn start_velocities(motion: &StartMotion, x: &[Vec3], masses: &[f64]) -> Vec<Vec3> {
    let total: f64 = masses.iter().sum();
    let center: Vec3 = zip(x, masses).map(|(x, mass)| x * (mass / total)).sum();
    let velocity = |x: &Vec3| motion.velocity + motion.angular_velocity.cross(&(x - center));
    x.iter().map(velocity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::cloth::material::Material;
    use crate::bodies::cloth::setup::{ExtraMass, Force, Pressure};
    use cloth_core::mesh::Topology;

    /// Three triangles in a row of the areas 1, 2 and 3: vertices 0 2 4 below, 1 3 above.
    fn row() -> ClothSetup {
        let faces = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3]];
        let at = |x, z| Vec3::new(x, 0.0, z);
        let rest = vec![at(0.0, 0.0), at(0.0, 2.0), at(1.0, 0.0), at(2.0, 2.0), at(4.0, 0.0)];
        let plane = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| rest[v as usize]);
            RestTriangle::along(b - a, c - a, Vec3::x())
        };
        ClothSetup {
            name: String::new(),
            document: Default::default(),
            topology: Topology::new(&faces).unwrap(),
            rest_planes: faces.iter().map(plane).collect(),
            positions: rest.clone(),
            rest,
            is_flat: false,
            folds: Vec::new(),
            sewn: Vec::new(),
            faces,
            material: Material::isotropic(0.2, 500.0, 0.3, 1e-5),
            factors: Default::default(),
            pins: Vec::new(),
            loads: Default::default(),
        }
    }

    #[test]
    fn shares_follow_the_area_of_whole_faces_and_are_equal_without_any() {
        let cloth = row();
        // Two points, and a line: no face is whole.
        assert_eq!(shares(&cloth, &[0, 4]), [(0, 0.5), (4, 0.5)]);
        assert_eq!(shares(&cloth, &[0, 2]), [(0, 0.5), (2, 0.5)]);
        // Faces of areas 1 and 2. Vertex 4 has no whole face.
        let found = shares(&cloth, &[0, 1, 2, 3]);
        let exact = [1.0 / 9.0, 3.0 / 9.0, 3.0 / 9.0, 2.0 / 9.0];
        for ((vertex, share), (number, exact)) in found.iter().zip((0..).zip(exact)) {
            assert!(*vertex == number && (share - exact).abs() < 1e-15, "{found:?}");
        }
        assert_eq!(whole_faces(&cloth.faces, &[0, 1, 2, 4]), [0]);
        assert_eq!(shares(&cloth, &[0, 1, 2, 4]).len(), 3);
    }

    #[test]
    fn forces_add_up_follow_their_amplitude_and_press_along_the_normal() {
        let (first, mut second) = (row(), row());
        let key = |time_s, factor| AmplitudeKey { time_s, factor };
        second.loads.forces = vec![Force {
            vertices: vec![0, 4],
            force_n: Vec3::new(0.0, 4.0, 0.0),
            amplitude: vec![key(1.0, 0.0), key(3.0, 1.0)],
        }];
        second.loads.pressures =
            vec![Pressure { faces: vec![2], pressure_pa: 6.0, amplitude: Vec::new() }];
        let cloths = [first, second];
        let loads = Loads::new(&cloths, &[0..5, 5..10]);
        let faces: Vec<_> = [0, 5]
            .iter()
            .flat_map(|&by| cloths[0].faces.iter().map(move |face| face.map(|vertex| vertex + by)))
            .collect();
        let x = [&cloths[0].rest[..], &cloths[1].rest].concat();
        let mut forces = Vec::new();
        loads.write(&faces, &x, 2.0, &mut forces);
        assert!(!loads.is_empty() && forces[..5].iter().all(|force| *force == Vec3::zeros()));
        // Fronts down (-y): 6 Pa on 3 m^2 is 6 N on each corner. The force has half of its size.
        let along_y: Vec<f64> = forces[5..].iter().map(|force| force.y).collect();
        assert_eq!(along_y, [1.0, 0.0, -6.0, -6.0, 1.0 - 6.0]);
        loads.write(&faces, &x, 0.5, &mut forces);
        assert_eq!(forces[5], Vec3::zeros());
        Loads::default().write(&faces, &x, 2.0, &mut forces);
        assert!(forces.is_empty());
    }

    #[test]
    fn extra_masses_join_the_vertices_and_the_centre_of_mass() {
        let mut cloth = row();
        cloth.loads.masses = vec![ExtraMass { vertices: vec![0, 1], mass_kg: 3.0 }];
        let mut masses = vec![0.0; 10];
        add_extra_masses(&[row(), cloth], &[0..5, 5..10], &mut masses);
        assert_eq!(masses[4..], [0.0, 1.5, 1.5, 0.0, 0.0, 0.0]);
        let motion = StartMotion {
            velocity: Vec3::new(1.0, 0.0, 0.0),
            angular_velocity: Vec3::new(0.0, 2.0, 0.0),
        };
        let x = [Vec3::zeros(), Vec3::x() * 4.0];
        let velocities = start_velocities(&motion, &x, &[3.0, 1.0]);
        // The centre is at x = 1.
        assert_eq!(velocities, [Vec3::new(1.0, 0.0, 2.0), Vec3::new(1.0, 0.0, -6.0)]);
    }
}

//! The elements of all cloths of a scene: read-only, shared by the ranks of a process.

use crate::bodies::cloth::air::AirDrag;
use crate::bodies::cloth::bending::{Bending, BendingTreatment};
use crate::bodies::cloth::material::MembraneStiffness;
use crate::bodies::cloth::membrane::MembraneTriangle;
use crate::bodies::cloth::pins::{PinGroup, Pins};
use crate::bodies::cloth::setup::ClothSetup;
use crate::ids::{FaceId, VertexId};
use crate::math::Vec3;
use crate::mesh::Topology;

/// Elements, masses and pins of all cloths, their vertices numbered cloth after cloth.
pub struct ClothModel {
    /// Vertices of each cloth.
    pub ranges: Vec<std::ops::Range<VertexId>>,
    /// All triangles.
    pub faces: Vec<[VertexId; 3]>,
    /// The cloth of each triangle.
    pub cloth_of_face: Vec<u16>,
    /// Edges of all triangles.
    pub topology: Topology,
    /// Lumped mass of each vertex, kg.
    pub masses: Vec<f64>,
    /// One membrane element per triangle.
    pub membranes: Vec<MembraneTriangle>,
    /// Membrane stiffness of each cloth.
    pub membrane_stiffness: Vec<MembraneStiffness>,
    /// Hinges and curvature triangles.
    pub bending: Bending,
    /// How bending stands in the linear system.
    pub bending_treatment: BendingTreatment,
    /// Mass-proportional damping of each cloth, 1/s.
    pub mass_damping: Vec<f64>,
    /// Stiffness-proportional damping of each cloth, s.
    pub stiffness_damping: Vec<f64>,
    /// Drag of the air.
    pub air: AirDrag,
    /// Pinned vertices.
    pub pins: Pins,
}

impl ClothModel {
    /// Elements of `cloths` for steps of `step_s` at most.
    pub fn new(cloths: &[ClothSetup], air: AirDrag, step_s: f64) -> Self {
        let all = Concatenated::new(cloths);
        let membranes: Vec<_> = all
            .faces
            .iter()
            .zip(cloths.iter().flat_map(|cloth| &cloth.rest_planes))
            .map(|(&face, plane)| MembraneTriangle::new(face, plane.x1, plane.x2))
            .collect();
        let masses = lumped_masses(&membranes, &all, cloths);
        let rigidities: Vec<_> = cloths.iter().map(|cloth| cloth.material.bending).collect();
        let planes: Vec<_> =
            cloths.iter().flat_map(|cloth| &cloth.rest_planes).map(|p| [p.x1, p.x2]).collect();
        let bending = Bending::new(&all.faces, &all.topology, &planes, &all.rest, |face| {
            rigidities[all.cloth_of_face[face as usize] as usize]
        });
        let stiffness_damping: Vec<_> =
            cloths.iter().map(|cloth| cloth.material.stiffness_damping_s).collect();
        let largest_damping = stiffness_damping.iter().copied().fold(0.0, f64::max);
        let bending_treatment = bending.treatment(&all.rest, &masses, step_s, largest_damping);
        Self {
            membrane_stiffness: cloths.iter().map(|c| c.material.membrane).collect(),
            mass_damping: cloths.iter().map(|c| c.material.mass_damping_per_s).collect(),
            pins: pins(cloths, &all.ranges),
            ranges: all.ranges,
            faces: all.faces,
            cloth_of_face: all.cloth_of_face,
            topology: all.topology,
            masses,
            membranes,
            bending,
            bending_treatment,
            stiffness_damping,
            air,
        }
    }

    /// Mass-proportional damping of a vertex, 1/s.
    pub fn damping_of(&self, vertex: usize) -> f64 {
        let cloth = self.ranges.partition_point(|range| range.end as usize <= vertex);
        self.mass_damping[cloth]
    }

    /// Stiffness-proportional damping of a face, s.
    #[inline]
    pub fn beta_of(&self, face: FaceId) -> f64 {
        self.stiffness_damping[self.cloth_of_face[face as usize] as usize]
    }

    /// The vertex groups that the system matrix couples: triangles, and hinges
    /// where bending stands in it.
    pub fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        let hinges = match self.bending_treatment {
            BendingTreatment::Explicit => &[][..],
            BendingTreatment::DiagonalHinges => &self.bending.hinges,
        };
        let faces = self.faces.iter().map(|face| &face[..]);
        faces.chain(hinges.iter().map(|hinge| &hinge.vertices[..]))
    }

    /// Number of cloth vertices.
    pub fn vertex_count(&self) -> usize {
        self.masses.len()
    }
}

/// All cloths in one numbering.
struct Concatenated {
    ranges: Vec<std::ops::Range<VertexId>>,
    faces: Vec<[VertexId; 3]>,
    cloth_of_face: Vec<u16>,
    topology: Topology,
    rest: Vec<Vec3>,
}

impl Concatenated {
    fn new(cloths: &[ClothSetup]) -> Self {
        let mut all = Self {
            ranges: Vec::new(),
            faces: Vec::new(),
            cloth_of_face: Vec::new(),
            topology: Topology::default(),
            rest: Vec::new(),
        };
        for (index, cloth) in cloths.iter().enumerate() {
            let first = all.rest.len() as VertexId;
            all.rest.extend_from_slice(&cloth.rest);
            all.ranges.push(first..all.rest.len() as VertexId);
            all.topology.append(&cloth.topology, first, all.faces.len() as u32);
            all.faces.extend(cloth.faces.iter().map(|face| face.map(|v| v + first)));
            all.cloth_of_face.resize(all.faces.len(), index as u16);
        }
        all
    }
}

fn lumped_masses(
    membranes: &[MembraneTriangle],
    all: &Concatenated,
    cloths: &[ClothSetup],
) -> Vec<f64> {
    let mut masses = vec![0.0; all.rest.len()];
    for (triangle, &cloth) in membranes.iter().zip(&all.cloth_of_face) {
        let density = cloths[cloth as usize].material.density_kg_per_m2;
        for &vertex in &triangle.vertices {
            masses[vertex as usize] += density * triangle.area / 3.0;
        }
    }
    masses
}

fn pins(cloths: &[ClothSetup], ranges: &[std::ops::Range<VertexId>]) -> Pins {
    let groups = cloths.iter().zip(ranges).flat_map(|(cloth, range)| {
        cloth.pins.iter().map(|pin| PinGroup {
            vertices: pin.vertices.iter().map(|v| v + range.start).collect(),
            start_s: pin.start_s,
            end_s: pin.end_s,
            motion: pin.motion.clone(),
        })
    });
    Pins { groups: groups.collect() }
}

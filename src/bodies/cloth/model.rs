//! All cloths of a scene: read-only, shared by the ranks of a process.

use std::ops::Range;

use crate::bodies::cloth::elements::Elements;
use crate::bodies::cloth::elements::air::AirDrag;
use crate::bodies::cloth::pins::{PinGroup, Pins};
use crate::bodies::cloth::rest::RestCloths;
use crate::bodies::cloth::setup::ClothSetup;
use crate::ids::VertexId;

/// Masses, elements and pins of all cloths. Vertices and faces are numbered cloth after cloth.
pub struct ClothModel {
    /// Vertices of each cloth.
    pub ranges: Vec<Range<VertexId>>,
    /// All triangles.
    pub faces: Vec<[VertexId; 3]>,
    /// Lumped mass of each vertex, kg.
    pub masses: Vec<f64>,
    /// Mass-proportional damping of each cloth, 1/s.
    pub mass_damping: Vec<f64>,
    /// The forces that depend on several vertices.
    pub elements: Elements,
    /// Pinned vertices.
    pub pins: Pins,
}

impl ClothModel {
    /// The model of `cloths` for steps of `step_s` (s) at most.
    pub fn new(cloths: &[ClothSetup], air: AirDrag, step_s: f64) -> Self {
        let rest = RestCloths::new(cloths, air, step_s);
        Self {
            elements: Elements::new(&rest),
            mass_damping: cloths.iter().map(|c| c.material.mass_damping_per_s).collect(),
            pins: pins(cloths, &rest.ranges),
            ranges: rest.ranges,
            faces: rest.faces,
            masses: rest.masses,
        }
    }

    /// Mass-proportional damping of a vertex, 1/s.
    pub fn damping_of(&self, vertex: usize) -> f64 {
        let cloth = self.ranges.partition_point(|range| range.end as usize <= vertex);
        self.mass_damping[cloth]
    }

    /// The groups of vertices that the system matrix couples.
    pub fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        self.elements.couplings()
    }

    /// Number of cloth vertices.
    pub fn vertex_count(&self) -> usize {
        self.masses.len()
    }
}

fn pins(cloths: &[ClothSetup], ranges: &[Range<VertexId>]) -> Pins {
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

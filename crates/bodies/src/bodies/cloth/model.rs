//! All cloths of a scene: read-only, shared by the ranks of a process.

use std::ops::Range;

use crate::bodies::body::Attachment;
use crate::bodies::cloth::clamps::Clamps;
use crate::bodies::cloth::elements::Elements;
use crate::bodies::cloth::elements::air::AirDrag;
use crate::bodies::cloth::loads::{Loads, start_velocities};
use crate::bodies::cloth::pins::{PinGroup, Pins};
use crate::bodies::cloth::rest::RestCloths;
use crate::bodies::cloth::setup::{ClothSetup, StartMotion};
use cloth_core::{Vec3, VertexId};

/// Masses, elements, pins and loads of all cloths. Vertices and faces are numbered cloth after cloth.
pub struct ClothModel {
    /// Vertices of each cloth.
    pub ranges: Vec<Range<VertexId>>,
    /// All triangles.
    pub faces: Vec<[VertexId; 3]>,
    /// Lumped mass of each vertex with its extra mass, kg.
    pub masses: Vec<f64>,
    /// Mass-proportional damping of each cloth, 1/s.
    pub mass_damping: Vec<f64>,
    /// The forces that depend on several vertices.
    pub elements: Elements,
    /// Pinned vertices.
    pub pins: Pins,
    /// Faces that pins or bodies hold.
    pub clamps: Clamps,
    /// Forces and pressures.
    loads: Loads,
    /// How each cloth moves at t = 0.
    starts: Vec<StartMotion>,
}

impl ClothModel {
    /// The model of `cloths` for steps of `step_s` (s) at most. Bodies hold the `attached` vertices.
    pub fn new(cloths: &[ClothSetup], attached: &[Attachment], air: AirDrag, step_s: f64) -> Self {
        let rest = RestCloths::new(cloths, attached, air, step_s);
        Self {
            elements: Elements::new(&rest),
            mass_damping: cloths.iter().map(|c| c.material.mass_damping_per_s).collect(),
            pins: pins(cloths, &rest.ranges),
            loads: Loads::new(cloths, &rest.ranges),
            starts: cloths.iter().map(|cloth| cloth.loads.start).collect(),
            clamps: rest.clamps,
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

    /// The velocity (m/s) of each vertex at t = 0, from the positions `x` (m) then. Vertices that a
    /// pin holds begin at rest.
    pub fn start_velocities(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut velocities = vec![Vec3::zeros(); x.len()];
        for (motion, range) in self.starts.iter().zip(&self.ranges) {
            if *motion != StartMotion::default() {
                let own = range.start as usize..range.end as usize;
                let start = start_velocities(motion, &x[own.clone()], &self.masses[own.clone()]);
                velocities[own].copy_from_slice(&start);
            }
        }
        let held = self.pins.groups.iter().filter(|group| group.holds(0.0));
        held.flat_map(|group| &group.vertices).for_each(|&v| velocities[v as usize].fill(0.0));
        velocities
    }

    /// Writes the load on each vertex (N) to `out`, which is left empty if there are none. `x` are
    /// the positions of all cloth vertices (m); amplitudes are those at `time_s` (s).
    pub fn write_loads(&self, x: &[Vec3], time_s: f64, out: &mut Vec<Vec3>) {
        self.loads.write(&self.faces, x, time_s, out);
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
            follow: pin.follow.clone(),
            springs: pin.springs.clone(),
        })
    });
    Pins { groups: groups.collect() }
}

//! Cloth whose sewn vertices have become one.
//!
//! The numbers of vertices stay. Where several are welded, the lowest one takes the place of all in
//! faces, loads and seams, and with the faces it takes their mass. The others belong to no face.

use std::collections::BTreeSet;

use crate::bodies::Setup;
use crate::bodies::cloth::elements::bending::hinge_angle;
use crate::bodies::cloth::setup::ClothSetup;
use cloth_core::mesh::Topology;
use cloth_core::mesh::topology::NonManifoldEdge;
use cloth_core::{NONE, VertexId};

/// What each vertex of all cloths has become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welds {
    of: Vec<VertexId>,
}

impl Welds {
    /// Of `vertices` vertices, those of each of `pairs` have become one.
    pub fn new(vertices: usize, pairs: impl IntoIterator<Item = [VertexId; 2]>) -> Self {
        let mut of = Vec::from_iter(0..vertices as VertexId);
        for pair in pairs {
            let [a, b] = pair.map(|vertex| end(&of, vertex));
            of[a.max(b) as usize] = a.min(b);
        }
        for vertex in 0..vertices {
            of[vertex] = end(&of, vertex as VertexId);
        }
        Self { of }
    }

    /// The vertex that `vertex` has become.
    pub fn of(&self, vertex: VertexId) -> VertexId {
        self.of[vertex as usize]
    }

    /// The vertices that have become another one, and that one.
    pub fn pairs(&self) -> impl Iterator<Item = [VertexId; 2]> {
        let all = (0..).zip(&self.of).map(|(vertex, &of)| [vertex, of]);
        all.filter(|[vertex, of]| vertex != of)
    }

    /// The numbers in a cloth with `count` vertices, of which the first is `first`.
    fn in_cloth(&self, first: VertexId, count: usize) -> Vec<u32> {
        self.of[first as usize..][..count].iter().map(|of| of - first).collect()
    }
}

fn end(of: &[VertexId], mut vertex: VertexId) -> VertexId {
    while of[vertex as usize] != vertex {
        vertex = of[vertex as usize];
    }
    vertex
}

impl Setup {
    /// The setup after `welds`, each of which is within one cloth.
    ///
    /// # Errors
    /// An edge at which more than two faces would meet, or two with opposite fronts. Its vertices are
    /// numbered among those of all cloths.
    pub fn welded(&self, welds: &Welds) -> Result<Self, NonManifoldEdge> {
        let mut welded = self.clone();
        let mut first = 0;
        for cloth in &mut welded.cloths {
            let count = cloth.positions.len();
            cloth.weld(&welds.in_cloth(first, count)).map_err(|edge| NonManifoldEdge {
                vertices: edge.vertices.map(|vertex| vertex + first),
                ..edge
            })?;
            first += count as VertexId;
        }
        for seam in &mut welded.seams {
            for stitch in &mut seam.stitches {
                stitch.vertices = stitch.vertices.map(|vertex| welds.of(vertex));
            }
            seam.stitches.retain(|stitch| stitch.vertices[0] != stitch.vertices[1]);
        }
        Ok(welded)
    }
}

impl ClothSetup {
    fn weld(&mut self, becomes: &[u32]) -> Result<(), NonManifoldEdge> {
        let of = |vertex: u32| becomes[vertex as usize];
        let faces = Vec::from_iter(self.faces.iter().map(|face| face.map(of)));
        let flat = |face: &[u32; 3]| face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
        if let Some(place) = faces.iter().position(flat) {
            let [a, b, _] = faces[place];
            return Err(NonManifoldEdge { vertices: [a, b], face: place as u32, flipped: false });
        }
        let topology = Topology::new(&faces)?;
        let others = (0..).zip(becomes).filter(|(vertex, of)| vertex != *of);
        self.sewn = Vec::from_iter(BTreeSet::from_iter(others.map(|(_, &of)| of)));
        self.folds = self.folds_after(&topology, of);
        (self.faces, self.topology) = (faces, topology);
        let loads = &mut self.loads;
        let forces = loads.forces.iter_mut().map(|force| &mut force.vertices);
        for vertices in forces.chain(loads.masses.iter_mut().map(|mass| &mut mass.vertices)) {
            let welded = BTreeSet::from_iter(vertices.iter().map(|&vertex| of(vertex)));
            *vertices = welded.into_iter().collect();
        }
        Ok(())
    }

    /// The folds in the welded `topology`: those of the cloth, and the rest angles of the edges beside a
    /// vertex that others have become. Edges between faces that did not meet are flat.
    fn folds_after(&self, topology: &Topology, of: impl Fn(u32) -> u32) -> Vec<([u32; 2], f64)> {
        let mut folds = self.folds.clone();
        for (edge, _) in &mut folds {
            let [a, b] = edge.map(&of);
            *edge = [a.min(b), a.max(b)];
        }
        for (number, &edge) in topology.edges.iter().enumerate() {
            let faces = topology.edge_faces[number];
            if faces[1] == NONE {
                continue;
            }
            // The corners of both faces from the one opposite to the edge on, before the weld.
            let [low, high] = faces.map(|face| {
                let sides = topology.face_edges[face as usize];
                let opposite = sides.iter().position(|&it| it as usize == number).unwrap_or(0);
                [0, 1, 2].map(|i| self.faces[face as usize][(opposite + i) % 3])
            });
            let is_sewn = |vertex: &u32| self.sewn.binary_search(&of(*vertex)).is_ok();
            if low.iter().chain(&high).any(is_sewn) {
                let meet = low[1] == high[2] && low[2] == high[1];
                let at = |vertex: u32| self.rest[vertex as usize];
                let angle = match meet && !self.is_flat {
                    true => hinge_angle([low[1], low[2], low[0], high[0]].map(at)),
                    false => 0.0,
                };
                folds.push((edge, angle));
            }
        }
        // The sort is stable: what the scene says comes first.
        folds.sort_by_key(|(edge, _)| *edge);
        folds.dedup_by_key(|(edge, _)| *edge);
        folds
    }
}

//! The objects that collide: triangle surfaces with their hierarchies.

use crate::collision::bvh::Hierarchy;
use crate::collision::flatness::Flatness;
use crate::collision::leaves::{Leaves, Represented, representatives};
use crate::collision::radii::Radii;
use crate::ids::{PatchId, VertexId};
use crate::math::Vec3;
use crate::mesh::Topology;

/// How a surface moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// Each vertex moves on its own: cloth.
    Deforms,
    /// It follows the few nodes of its body, keeps its shape and cannot touch itself.
    Rigid,
    /// It follows keyframes or samples. No contact changes its motion.
    Prescribed,
}

impl Moves {
    /// Whether two surfaces are tested against each other. `same`: both are one surface.
    ///
    /// | | deforms | rigid | prescribed |
    /// |---|---|---|---|
    /// | **deforms** | yes, also itself | yes | yes |
    /// | **rigid** | yes | yes, not itself | yes |
    /// | **prescribed** | yes | yes | no |
    pub fn meets(self, other: Self, same: bool) -> bool {
        match (self, other) {
            (Self::Prescribed, Self::Prescribed) => false,
            (Self::Rigid, Self::Rigid) => !same,
            _ => true,
        }
    }
}

/// A surface of a body: triangles, or all points within a radius of a point or an edge.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Its first vertex in the program's numbering; its vertices are consecutive.
    pub first_vertex: VertexId,
    /// Number of its vertices.
    pub vertex_count: usize,
    /// Vertices of each face, in the program's numbering.
    pub faces: Vec<[VertexId; 3]>,
    /// Its hierarchy over the rest shape.
    pub hierarchy: Hierarchy,
    /// The primitives of the leaves of the hierarchy.
    pub leaves: Leaves,
    /// How it moves.
    pub moves: Moves,
    /// How far it lies outside of its vertices, edges and faces, m. Zero but for a round surface.
    pub radius_m: f64,
    /// Data for culling flat regions; none if culling is off.
    pub flatness: Option<Flatness>,
}

impl Surface {
    /// The surface of `faces` (at least one; vertices counted from 0), with its `topology` and
    /// its `rest` positions (m). Its vertices begin at `first_vertex` in the program's
    /// numbering. A surface with nodes has `parts`: the patch of each of its vertices and the
    /// number of all patches.
    pub fn new(
        first_vertex: VertexId,
        faces: &[[u32; 3]],
        topology: &Topology,
        rest: &[Vec3],
        parts: Option<(&[PatchId], usize)>,
        moves: Moves,
    ) -> Self {
        let represented = representatives(faces, topology, rest.len());
        Self::representing(first_vertex, faces, &represented, rest, parts, moves)
    }

    /// The surface of all points within `radius_m` (m) of one point, a ball, or of the edge between
    /// two, a capsule. They are at `ends` (m) at rest. It has one face, whose corners are these
    /// points. The rest is as for [`Self::new`].
    pub fn round(
        first_vertex: VertexId,
        ends: &[Vec3],
        radius_m: f64,
        parts: Option<(&[PatchId], usize)>,
        moves: Moves,
    ) -> Self {
        let (face, represented) = match ends.len() {
            1 => ([0, 0, 0], Represented::BALL),
            _ => ([0, 1, 1], Represented::CAPSULE),
        };
        let mut surface =
            Self::representing(first_vertex, &[face], &[represented], ends, parts, moves);
        (surface.radius_m, surface.leaves.is_round) = (radius_m, true);
        surface
    }

    fn representing(
        first_vertex: VertexId,
        faces: &[[u32; 3]],
        represented: &[Represented],
        rest: &[Vec3],
        parts: Option<(&[PatchId], usize)>,
        moves: Moves,
    ) -> Self {
        let hierarchy = Hierarchy::new(faces, rest, parts);
        let numbered = |face: &[u32; 3]| face.map(|vertex| first_vertex + vertex);
        let faces = Vec::from_iter(faces.iter().map(numbered));
        Self {
            first_vertex,
            vertex_count: rest.len(),
            leaves: Leaves::new(&faces, represented, hierarchy.faces().lists()),
            faces,
            hierarchy,
            moves,
            radius_m: 0.0,
            flatness: None,
        }
    }

    /// Its vertices in the program's numbering.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        let first = self.first_vertex as usize;
        first..first + self.vertex_count
    }
}

/// All objects that collide. Read-only, the same on all ranks, and shared by the ranks of one
/// process.
#[derive(Debug, Clone, Default)]
pub struct Surfaces {
    /// Cloths, then bodies of few nodes, then obstacles. An object's place is its number.
    pub list: Vec<Surface>,
    /// Pairs of objects that are not tested against each other, rising; the lower comes first.
    apart: Vec<[u32; 2]>,
    /// The radii of the vertices from the first round surface to the last, m.
    radii: Vec<f64>,
    /// The first vertex of the first round surface.
    first_round: usize,
}

impl Surfaces {
    /// These objects. All that meet are tested against each other.
    pub fn new(list: Vec<Surface>) -> Self {
        let is_round = |surface: &&Surface| surface.radius_m > 0.0;
        let round = list.iter().position(|it| is_round(&it));
        let from_first = &list[round.unwrap_or(list.len())..];
        let last = from_first.iter().rposition(|it| is_round(&it)).map_or(0, |last| last + 1);
        let radii = from_first[..last].iter().flat_map(|it| vec![it.radius_m; it.vertex_count]);
        let first_round = from_first.first().map_or(0, |surface| surface.vertices().start);
        Self { radii: radii.collect(), first_round, apart: Vec::new(), list }
    }

    /// Does not test the objects of these pairs against each other. An object may be paired with itself.
    pub fn keep_apart(&mut self, pairs: impl Iterator<Item = [usize; 2]>) {
        let rising = |[a, b]: [usize; 2]| [a.min(b) as u32, a.max(b) as u32];
        self.apart.extend(pairs.map(rising));
        self.apart.sort_unstable();
        self.apart.dedup();
    }

    /// Whether some objects that might meet are not tested against each other.
    pub fn has_apart(&self) -> bool {
        !self.apart.is_empty()
    }

    /// Whether two objects that might meet are not tested against each other.
    pub fn are_apart(&self, first: u32, second: u32) -> bool {
        let pair = [first.min(second), first.max(second)];
        !self.apart.is_empty() && self.apart.binary_search(&pair).is_ok()
    }

    /// The radii of round surfaces.
    pub fn radii(&self) -> Radii<'_> {
        Radii::new(self.first_round, &self.radii)
    }

    /// Number of vertices of all objects.
    pub fn vertex_count(&self) -> usize {
        self.list.last().map_or(0, |surface| surface.vertices().end)
    }
}

/// Faces and rest positions of a sheet of `n` x `n` vertices, 0.1 m apart, for tests.
#[cfg(test)]
pub(crate) fn test_sheet(n: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let rest = (0..n * n).map(|v| Vec3::new((v % n).into(), 0.0, (v / n).into()) * 0.1);
    let corners = (0..n * (n - 1)).filter(|v| v % n + 1 < n);
    let faces = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
    (faces.collect(), rest.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_and_every_edge_has_one_representative() {
        let faces = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [0, 2, 4]];
        let topology = Topology::new(&faces).unwrap();
        let surface =
            Surface::new(10, &faces, &topology, &[Vec3::zeros(); 5], None, Moves::Prescribed);
        let vertices = surface.leaves.vertices.lists().flatten().flatten();
        let mut vertices: Vec<u32> = vertices.copied().collect();
        vertices.sort_unstable();
        assert_eq!(vertices, [10, 11, 12, 13, 14]);
        let edges = surface.leaves.edges.lists().flatten();
        let mut edges: Vec<[u32; 2]> = edges.map(|edge| edge.map(|vertex| vertex - 10)).collect();
        edges.sort_unstable();
        assert_eq!(edges, topology.edges);
    }
}

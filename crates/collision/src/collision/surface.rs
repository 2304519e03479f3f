//! The objects that collide: triangle surfaces with their hierarchies.

use crate::collision::bvh::Hierarchy;
use crate::collision::flatness::Flatness;
use crate::collision::leaves::{Leaves, Represented, leave_flat_edges_out, representatives};
use crate::collision::pair::Pair;
use cloth_core::mesh::Topology;
use cloth_core::{PatchId, Vec3, VertexId};

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

    /// The surface of a body that keeps its shape. Edges between two faces in one plane are left out.
    pub fn rigid(
        first_vertex: VertexId,
        faces: &[[u32; 3]],
        topology: &Topology,
        rest: &[Vec3],
        parts: Option<(&[PatchId], usize)>,
    ) -> Self {
        let mut represented = representatives(faces, topology, rest.len());
        leave_flat_edges_out(&mut represented, faces, topology, rest);
        Self::representing(first_vertex, faces, &represented, rest, parts, Moves::Rigid)
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
    excluded: Vec<[u32; 2]>,
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
        Self { radii: radii.collect(), first_round, excluded: Vec::new(), list }
    }

    /// Does not test the objects of these pairs against each other. An object may be paired with itself.
    pub fn exclude(&mut self, pairs: impl Iterator<Item = [usize; 2]>) {
        let rising = |[a, b]: [usize; 2]| [a.min(b) as u32, a.max(b) as u32];
        self.excluded.extend(pairs.map(rising));
        self.excluded.sort_unstable();
        self.excluded.dedup();
    }

    /// Whether some objects that might meet are not tested against each other.
    pub fn has_excluded(&self) -> bool {
        !self.excluded.is_empty()
    }

    /// Whether two objects that might meet are not tested against each other.
    pub fn are_excluded(&self, first: u32, second: u32) -> bool {
        let pair = [first.min(second), first.max(second)];
        !self.excluded.is_empty() && self.excluded.binary_search(&pair).is_ok()
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

/// How far the surface around each vertex lies outside of it, m. It is zero but for the centre of a
/// ball and the ends of the axis of a capsule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Radii<'a> {
    /// The first vertex with an entry.
    first: usize,
    of: &'a [f64],
}

impl<'a> Radii<'a> {
    /// These radii (m) of the vertices from `first` on. All others are zero.
    pub fn new(first: usize, of: &'a [f64]) -> Self {
        Self { first, of }
    }

    /// Whether no surface is round.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The radius around `vertex`, m.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> f64 {
        let place = (vertex as usize).wrapping_sub(self.first);
        self.of.get(place).copied().unwrap_or(0.0)
    }

    /// The radii of the first and the second side of a pair, m.
    #[inline]
    pub fn of_sides(&self, pair: &Pair) -> [f64; 2] {
        if self.is_empty() {
            return [0.0; 2];
        }
        [pair.vertices[0], pair.vertices[3]].map(|vertex| self.of(vertex))
    }

    /// The sum of the radii of both sides of a pair, m. The distance of the pair is that of its
    /// vertices, edges and faces less this.
    #[inline]
    pub fn of_pair(&self, pair: &Pair) -> f64 {
        let [first, second] = self.of_sides(pair);
        first + second
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collision::Pair;
    use crate::collision::narrow::closest;
    use cloth_core::math::rotation;

    /// The sides of a box whose corners count up in binary.
    const SIDES: [[u32; 4]; 6] =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];

    /// The least distance (m) of a vertex, an edge or a face of `first` from one of `second`.
    fn nearest([first, second]: [&Surface; 2], x: &[Vec3]) -> f64 {
        let vertices = |of: &Surface| of.vertices().map(|vertex| vertex as VertexId);
        let edges = |of: &Surface| Vec::from_iter(of.leaves.edges.lists().flatten().copied());
        let corners = [(first, second), (second, first)].into_iter().flat_map(|(a, b)| {
            let faces = move |vertex| b.faces.iter().map(move |&it| Pair::vertex_face(vertex, it));
            vertices(a).flat_map(faces)
        });
        let others = edges(second);
        let edges = edges(first).into_iter();
        let edges = edges.flat_map(|a| others.iter().map(move |&b| Pair::edge_edge(a, b)));
        let distance = |pair: Pair| closest(pair.kind(), pair.gather(x)).distance;
        corners.chain(edges).map(distance).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn flat_edges_are_never_nearer_than_all_else(
            size in prop::array::uniform3(0.01..0.5f64),
            axis in prop::array::uniform3(-1.0..1.0f64),
            angle_deg in prop_oneof![Just(0.0), Just(30.0), -180.0..180.0f64],
            gap in 1e-4..0.01f64,
            aside in prop::array::uniform2(-0.4..0.4f64),
        ) {
            let (sheet, flat) = test_sheet(4);
            let corner = |at: usize| Vec3::from_fn(|axis, _| size[axis] * (at >> axis & 1) as f64);
            let turn = rotation(axis.into(), angle_deg);
            let mut cube = Vec::from_iter((0..8).map(|at| turn * corner(at)));
            let lowest = cube.iter().fold(f64::INFINITY, |low, x| low.min(x.y));
            let shift = Vec3::new(aside[0], gap - lowest, aside[1]);
            cube.iter_mut().for_each(|x| *x += shift);
            let x = Vec::from_iter(flat.iter().chain(&cube).copied());
            let whole = |first, faces: &[[u32; 3]], rest: &[Vec3]| {
                let topology = Topology::new(faces).unwrap();
                let all = Surface::new(first, faces, &topology, rest, None, Moves::Rigid);
                (all, Surface::rigid(first, faces, &topology, rest, None))
            };
            let (plate, lean_plate) = whole(0, &sheet, &flat);
            let faces = Vec::from_iter(SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]));
            let (cube, lean_cube) = whole(16, &faces, &cube);
            prop_assert_eq!(lean_plate.leaves.edges.lists().flatten().count(), 12);
            prop_assert_eq!(lean_cube.leaves.edges.lists().flatten().count(), 12);
            let (all, lean) = (nearest([&plate, &cube], &x), nearest([&lean_plate, &lean_cube], &x));
            prop_assert!((all - lean).abs() < 1e-9, "{} and {} m", all, lean);
        }
    }

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

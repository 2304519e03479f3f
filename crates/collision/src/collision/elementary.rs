//! Elementary pairs of two leaves: vertices against faces, and edges against edges.

use crate::collision::bvh::LEAF_FACES;
use crate::collision::dop::Dop18;
use crate::collision::leaves::{LeafId, Leaves};
use crate::collision::pair::Pair;
use cloth_core::VertexId;

/// Most vertices or edges that the faces of a leaf represent.
const MOST: usize = 3 * LEAF_FACES;

/// A leaf, with its bounds.
#[derive(Clone, Copy)]
pub struct LeafSide<'a> {
    leaves: &'a Leaves,
    leaf: LeafId,
    bounds: &'a Dop18,
}

impl<'a> LeafSide<'a> {
    /// The leaf of this number among `leaves`.
    #[inline]
    pub fn new(leaves: &'a Leaves, leaf: LeafId, bounds: &'a Dop18) -> Self {
        Self { leaves, leaf, bounds }
    }

    fn is(&self, other: &Self) -> bool {
        self.leaf == other.leaf && std::ptr::eq(self.leaves, other.leaves)
    }
}

/// A vertex, an edge or a face, named by its vertices.
trait Primitive: AsRef<[VertexId]> + Copy {
    fn bounds(&self, vertices: &[Dop18]) -> Dop18;
    fn has(&self, vertex: VertexId) -> bool;
}

impl<const N: usize> Primitive for [VertexId; N]
where
    [VertexId; N]: AsRef<[VertexId]>,
{
    #[inline(always)]
    fn bounds(&self, vertices: &[Dop18]) -> Dop18 {
        let of = |at: usize| &vertices[self[at] as usize];
        (1..N).fold(*of(0), |all, at| all.union(of(at)))
    }

    #[inline(always)]
    fn has(&self, vertex: VertexId) -> bool {
        self.iter().fold(false, |has, &of| has | (of == vertex))
    }
}

/// Primitives of one leaf that may come near the other one, with their bounds. Only the first
/// `count` are.
struct Near<P> {
    primitives: [P; MOST],
    bounds: [Dop18; MOST],
    count: usize,
}

impl<P: Primitive> Near<P> {
    fn new(none: P) -> Self {
        Self { primitives: [none; MOST], bounds: [Dop18::EMPTY; MOST], count: 0 }
    }

    /// Takes those of the `primitives` whose bounds overlap `other`. Returns the bounds of all of
    /// these. It has no branch that depends on the bounds, because none could be foreseen.
    #[inline(always)]
    fn take(&mut self, primitives: &[P], other: &Dop18, vertices: &[Dop18]) -> Dop18 {
        self.count = 0;
        for primitive in primitives {
            let bounds = primitive.bounds(vertices);
            self.primitives[self.count] = *primitive;
            self.bounds[self.count] = bounds;
            self.count += usize::from(bounds.overlaps(other));
        }
        let near = self.bounds[..self.count].iter();
        near.fold(Dop18::EMPTY, |all, bounds| all.union(bounds))
    }

    /// Calls `add` for those of the primitives whose bounds overlap those of `other`, and that
    /// have no vertex in common with it.
    #[inline(always)]
    fn against<Q: Primitive>(&self, other: Q, bounds: &Dop18, mut add: impl FnMut(P)) {
        let (mut found, mut count) = ([0_u8; MOST], 0);
        for at in 0..self.count {
            let shares = other
                .as_ref()
                .iter()
                .fold(false, |shares, &vertex| shares | self.primitives[at].has(vertex));
            found[count] = at as u8;
            count += usize::from(self.bounds[at].overlaps(bounds) & !shares);
        }
        found[..count].iter().for_each(|&at| add(self.primitives[usize::from(at)]));
    }
}

/// Working memory for pairs of leaves.
pub struct NearPrimitives {
    vertices: Near<[VertexId; 1]>,
    edges: [Near<[VertexId; 2]>; 2],
}

impl Default for NearPrimitives {
    fn default() -> Self {
        let edges = || Near::new([0; 2]);
        Self { vertices: Near::new([0]), edges: [edges(), edges()] }
    }
}

impl NearPrimitives {
    /// Calls `add` once with each elementary pair of two leaves, if the pair's sides share no vertex
    /// and their bounds overlap. Both may be the same leaf. `vertices` holds the bounds of all
    /// vertices.
    #[inline]
    pub fn overlapping_pairs(
        &mut self,
        first: &LeafSide,
        second: &LeafSide,
        vertices: &[Dop18],
        mut add: impl FnMut(Pair),
    ) {
        self.vertices_and_faces(first, second, vertices, &mut add);
        if first.is(second) {
            let [near, _] = &mut self.edges;
            near.take(first.leaves.edges.of(first.leaf), first.bounds, vertices);
            for at in (1..near.count).rev() {
                let edge = near.primitives[at];
                near.count = at;
                let bounds = near.bounds[at];
                near.against(edge, &bounds, |other| add(Pair::edge_edge(edge, other)));
            }
            return;
        }
        self.vertices_and_faces(second, first, vertices, &mut add);
        let [near1, near2] = &mut self.edges;
        let around = near1.take(first.leaves.edges.of(first.leaf), second.bounds, vertices);
        if near1.count == 0 {
            return;
        }
        near2.take(second.leaves.edges.of(second.leaf), &around, vertices);
        for at in 0..near1.count {
            let edge = near1.primitives[at];
            near2.against(edge, &near1.bounds[at], |other| add(Pair::edge_edge(edge, other)));
        }
    }

    #[inline(always)]
    fn vertices_and_faces(
        &mut self,
        points: &LeafSide,
        areas: &LeafSide,
        vertices: &[Dop18],
        add: &mut impl FnMut(Pair),
    ) {
        if !points.leaves.meet_faces_of(areas.leaves) {
            return;
        }
        let near = &mut self.vertices;
        near.take(points.leaves.vertices.of(points.leaf), areas.bounds, vertices);
        if near.count == 0 {
            return;
        }
        for face in areas.leaves.faces.of(areas.leaf) {
            near.against(*face, &face.bounds(vertices), |[vertex]| {
                add(Pair::vertex_face(vertex, *face));
            });
        }
    }
}

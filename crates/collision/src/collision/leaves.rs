//! The primitives (faces, edges, vertices) below the leaves of a hierarchy.

use cloth_core::mesh::Topology;
use cloth_core::{FaceId, NONE, Vec3, VertexId};

/// A leaf of a hierarchy.
pub type LeafId = u32;

/// Lists of different lengths, one for each leaf.
#[derive(Debug, Clone)]
pub struct ByLeaf<T> {
    items: Vec<T>,
    /// Start of each list in `items`; one more than lists.
    offsets: Vec<u32>,
}

impl<T> Default for ByLeaf<T> {
    fn default() -> Self {
        Self { items: Vec::new(), offsets: vec![0] }
    }
}

impl<T> ByLeaf<T> {
    /// Adds the list of the next leaf, and returns its number.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) -> LeafId {
        self.items.extend(list);
        self.offsets.push(self.items.len() as u32);
        self.offsets.len() as u32 - 2
    }

    /// All lists, in the order of the leaves.
    pub fn lists(&self) -> impl Iterator<Item = &[T]> {
        (0..self.offsets.len() as u32 - 1).map(|leaf| self.of(leaf))
    }

    /// The list of `leaf`.
    #[inline]
    pub fn of(&self, leaf: LeafId) -> &[T] {
        let leaf = leaf as usize;
        &self.items[self.offsets[leaf] as usize..self.offsets[leaf + 1] as usize]
    }
}

/// The primitives of all leaves of a surface, in the program's numbering. Each edge and each vertex
/// belongs to the leaf of the face that represents it.
#[derive(Debug, Clone, Default)]
pub struct Leaves {
    /// The faces of each leaf, their vertices rising.
    pub faces: ByLeaf<[VertexId; 3]>,
    /// The edges that they represent, their vertices rising.
    pub edges: ByLeaf<[VertexId; 2]>,
    /// The vertices that they represent.
    pub vertices: ByLeaf<[VertexId; 1]>,
    /// All vertices of the faces of each leaf, rising.
    pub corners: ByLeaf<VertexId>,
    /// Whether they are of a round surface.
    pub is_round: bool,
}

impl Leaves {
    /// The primitives of the leaves that have these `faces_of_leaves`. `faces` are the vertices of
    /// all faces, and `represented` what each of them represents.
    pub fn new<'a>(
        faces: &[[VertexId; 3]],
        represented: &[Represented],
        faces_of_leaves: impl Iterator<Item = &'a [FaceId]>,
    ) -> Self {
        let mut leaves = Self::default();
        for of_leaf in faces_of_leaves {
            let numbers = || of_leaf.iter().map(|&face| face as usize);
            let rising = |face: usize| {
                let mut corners = faces[face];
                corners.sort_unstable();
                corners
            };
            leaves.faces.push(numbers().map(rising));
            leaves.edges.push(numbers().flat_map(|face| represented[face].edges(faces[face])));
            let vertices = numbers().flat_map(|face| represented[face].vertices(faces[face]));
            leaves.vertices.push(vertices.map(|vertex| [vertex]));
            let mut corners = Vec::from_iter(numbers().flat_map(|face| faces[face]));
            corners.sort_unstable();
            corners.dedup();
            leaves.corners.push(corners);
        }
        leaves
    }
}

impl Leaves {
    /// Whether the vertices of a leaf of these are tested against the faces of a leaf of `others`.
    /// The face of a round surface stands for its axis, which only the ends of other axes meet: its
    /// own ends and its own edge meet all of a surface of triangles.
    #[inline]
    pub fn meet_faces_of(&self, others: &Self) -> bool {
        self.is_round || !others.is_round
    }
}

/// The corners (bits 0-2) and edges (bits 3-5) that a face represents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Represented(u8);

impl Represented {
    /// What the face of a ball represents: its centre.
    pub const BALL: Self = Self(0b1);

    /// What the face of a capsule represents: the two ends and the edge between them.
    pub const CAPSULE: Self = Self(0b10_0011);

    /// The vertices that a face with these corners represents.
    pub fn vertices(self, corners: [VertexId; 3]) -> impl Iterator<Item = VertexId> {
        (0..3).filter(move |corner| self.0 >> corner & 1 == 1).map(move |corner| corners[corner])
    }

    /// The edges that a face with these corners represents, their vertices rising.
    pub fn edges(self, corners: [VertexId; 3]) -> impl Iterator<Item = [VertexId; 2]> {
        let opposite = (0..3).filter(move |corner| self.0 >> (3 + corner) & 1 == 1);
        opposite.map(move |corner| {
            let (a, b) = (corners[(corner + 1) % 3], corners[(corner + 2) % 3]);
            [a.min(b), a.max(b)]
        })
    }
}

/// Representative assignment (Curtis, Tamstorf & Manocha 2008). The lowest face around a
/// vertex or an edge represents it. Each elementary pair then comes from one pair of faces.
pub(super) fn representatives(
    faces: &[[u32; 3]],
    topology: &Topology,
    vertices: usize,
) -> Vec<Represented> {
    let mut lowest = vec![NONE; vertices];
    let mut represented = vec![Represented::default(); faces.len()];
    for (number, face) in faces.iter().enumerate() {
        for corner in 0..3 {
            let of_vertex = &mut lowest[face[corner] as usize];
            if *of_vertex == NONE {
                *of_vertex = number as FaceId;
                represented[number].0 |= 1 << corner;
            }
            let edge = topology.face_edges[number][corner];
            if topology.edge_faces[edge as usize][0] == number as FaceId {
                represented[number].0 |= 1 << (3 + corner);
            }
        }
    }
    represented
}

/// Two faces are in one plane if the sine of the angle between them is at most this.
const FLAT: f64 = 1e-6;

/// Takes the edges between two faces in one plane from what `faces` represent. For a surface that
/// keeps the shape `rest` (m). Such an edge needs no test: where another one comes nearest to the
/// plane, one of its ends does too, or an edge around the plane.
pub(super) fn leave_flat_edges_out(
    represented: &mut [Represented],
    faces: &[[u32; 3]],
    topology: &Topology,
    rest: &[Vec3],
) {
    let area = |face: FaceId| {
        let [a, b, c] = faces[face as usize].map(|vertex| rest[vertex as usize]);
        (b - a).cross(&(c - a))
    };
    let is_flat = |[first, second]: [FaceId; 2]| {
        let [first, second] = [area(first), area(second)];
        let product = first.norm() * second.norm();
        first.dot(&second) > 0.0 && first.cross(&second).norm() <= FLAT * product
    };
    for (edges, represented) in topology.face_edges.iter().zip(represented) {
        for (corner, &edge) in edges.iter().enumerate() {
            let sides = topology.edge_faces[edge as usize];
            if sides[1] != NONE && is_flat(sides) {
                represented.0 &= !(1 << (3 + corner));
            }
        }
    }
}

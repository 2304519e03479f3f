//! Edges of a triangle mesh and how its faces meet.

use std::convert::Infallible;

use crate::{FaceId, NONE};

/// Edges and adjacency of a triangle mesh. Cloth is manifold, with or without boundary; the faces
/// of an obstacle may meet in any way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// Each edge once, lower vertex first, sorted.
    pub edges: Vec<[u32; 2]>,
    /// The edges of each face. Edge i lies opposite to the face's corner i.
    pub face_edges: Vec<[u32; 3]>,
    /// The faces on both sides of each edge, the lower one first. On a boundary the second one is
    /// [`NONE`]. If more faces meet there, these are the lowest two.
    pub edge_faces: Vec<[FaceId; 2]>,
}

/// An edge that more than two faces share, or that two faces use in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NonManifoldEdge {
    /// Its vertices.
    pub vertices: [u32; 2],
    /// The extra face, or the one with the wrong orientation.
    pub face: FaceId,
    /// True if the two faces disagree about which side is the front.
    pub flipped: bool,
}

impl Topology {
    /// Finds the edges of manifold `faces`. Time n log n in the number of faces.
    ///
    /// # Errors
    /// The first edge (by vertices) that is not manifold or not consistently
    /// oriented.
    pub fn new(faces: &[[u32; 3]]) -> Result<Self, NonManifoldEdge> {
        Self::from_edges(faces, check_edge)
    }

    /// Finds the edges of `faces` that may meet in any way.
    pub fn of_any(faces: &[[u32; 3]]) -> Self {
        let Ok(topology) = Self::from_edges(faces, |_| Ok::<_, Infallible>(()));
        topology
    }

    /// Finds the edges of `faces`. `check` sees the sides of each edge.
    fn from_edges<E>(
        faces: &[[u32; 3]],
        check: impl Fn(&[Side]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut sides: Vec<Side> = Vec::with_capacity(3 * faces.len());
        for (face, corners) in faces.iter().enumerate() {
            for opposite in 0..3 {
                let (a, b) = (corners[(opposite + 1) % 3], corners[(opposite + 2) % 3]);
                sides.push(Side {
                    vertices: [a.min(b), a.max(b)],
                    face: face as FaceId,
                    opposite,
                    forward: a < b,
                });
            }
        }
        sides.sort_unstable_by_key(|side| (side.vertices, side.face, side.opposite));

        let mut topology = Self { face_edges: vec![[NONE; 3]; faces.len()], ..Self::default() };
        for group in sides.chunk_by(|a, b| a.vertices == b.vertices) {
            check(group)?;
            topology.add_edge(group);
        }
        Ok(topology)
    }

    fn add_edge(&mut self, sides: &[Side]) {
        let edge = self.edges.len() as u32;
        self.edges.push(sides[0].vertices);
        self.edge_faces.push([sides[0].face, sides.get(1).map_or(NONE, |side| side.face)]);
        for side in sides {
            self.face_edges[side.face as usize][side.opposite] = edge;
        }
    }

    /// Adds another mesh. Its vertices and faces are numbered from `first_vertex` and
    /// `first_face` on.
    pub fn append(&mut self, other: &Self, first_vertex: u32, first_face: FaceId) {
        let first_edge = self.edges.len() as u32;
        let face = |face: FaceId| if face == NONE { NONE } else { face + first_face };
        self.edges.extend(other.edges.iter().map(|edge| edge.map(|v| v + first_vertex)));
        self.face_edges.extend(other.face_edges.iter().map(|edges| edges.map(|e| e + first_edge)));
        self.edge_faces.extend(other.edge_faces.iter().map(|faces| faces.map(face)));
    }

    /// The face of a manifold mesh across the edge opposite to `corner` of `face`, or [`NONE`].
    pub fn across(&self, face: FaceId, corner: usize) -> FaceId {
        let [low, high] = self.edge_faces[self.face_edges[face as usize][corner] as usize];
        if low == face { high } else { low }
    }
}

fn check_edge(sides: &[Side]) -> Result<(), NonManifoldEdge> {
    let vertices = sides[0].vertices;
    if let Some(extra) = sides.get(2) {
        return Err(NonManifoldEdge { vertices, face: extra.face, flipped: false });
    }
    if sides.len() == 2 && sides[0].forward == sides[1].forward {
        return Err(NonManifoldEdge { vertices, face: sides[1].face, flipped: true });
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Side {
    vertices: [u32; 2],
    face: FaceId,
    opposite: usize,
    forward: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_one_edge() {
        let topology = Topology::new(&[[0, 1, 2], [2, 1, 3]]).unwrap();
        assert_eq!(topology.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(topology.face_edges, [[2, 1, 0], [3, 4, 2]]);
        assert_eq!(topology.edge_faces[2], [0, 1]);
        assert_eq!((topology.across(0, 0), topology.across(0, 1)), (1, NONE));
    }

    #[test]
    fn a_third_face_or_a_flipped_face_is_refused() {
        let fan = Topology::new(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]).unwrap_err();
        assert_eq!((fan.vertices, fan.face, fan.flipped), ([0, 1], 2, false));
        assert!(Topology::new(&[[0, 1, 2], [0, 1, 3]]).unwrap_err().flipped);
    }

    #[test]
    fn faces_that_meet_in_any_way_have_each_edge_once() {
        let topology = Topology::of_any(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!(topology.edges, [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]);
        assert_eq!(topology.edge_faces[0], [0, 1]);
        assert!(topology.face_edges.iter().all(|edges| edges[2] == 0));
        let sound = [[0, 1, 2], [2, 1, 3]];
        assert_eq!(Topology::of_any(&sound), Topology::new(&sound).unwrap());
    }
}

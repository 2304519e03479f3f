//! The surfaces of frames, as their files hold them.

use cloth_sim::mesh::ObjDocument;
use cloth_sim::mesh::obj_read::Lines;

/// The surfaces of all frames of a run.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// The file that they were read from.
    pub file: String,
    /// The surfaces, in the order of [`Frame::surfaces`](crate::program::output::frame::Frame).
    pub list: Vec<Piece>,
}

/// A surface.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its positions and polygons. Vertices are numbered in the surface.
    pub document: ObjDocument,
    /// Where in the file they are, for messages.
    pub lines: Lines,
}

impl Pieces {
    /// Number of vertices of all surfaces.
    pub fn vertices(&self) -> usize {
        self.list.iter().map(|piece| piece.document.positions.len()).sum()
    }

    /// `positions` of all vertices (m), one list for each surface.
    pub fn split<T: Clone>(&self, mut positions: &[T]) -> Vec<Vec<T>> {
        let mut surfaces = Vec::with_capacity(self.list.len());
        for piece in &self.list {
            let (own, others) = positions.split_at(piece.document.positions.len());
            surfaces.push(own.to_vec());
            positions = others;
        }
        surfaces
    }
}

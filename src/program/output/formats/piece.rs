//! The surfaces of frames, as read from their files.

use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj_read::Lines;

/// The surfaces of all frames of a run.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// The name of the file from which the surfaces were read.
    pub file: String,
    /// The surfaces, in the order of [`Frame::surfaces`](crate::engine::Frame).
    pub list: Vec<Piece>,
}

/// A surface.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its positions (m) and polygons. Vertices are numbered within the surface.
    pub document: ObjDocument,
    /// The lines of its vertices and polygons in the file, for messages.
    pub lines: Lines,
}

impl Pieces {
    /// Number of vertices of all surfaces.
    pub fn vertices(&self) -> usize {
        self.list.iter().map(|piece| piece.document.positions.len()).sum()
    }

    /// Splits `positions`, one value for each vertex of all surfaces, into one list for each
    /// surface. Before: there are at least [`Self::vertices`] values.
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

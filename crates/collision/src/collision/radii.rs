//! Radii of round surfaces.

use crate::collision::pair::Pair;
use cloth_core::VertexId;

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

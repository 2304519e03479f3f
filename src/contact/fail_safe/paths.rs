//! The motion that the fail-safe shortens.

use std::ops::Range;

use crate::collision::{Pair, Radii};
use crate::ids::VertexId;
use crate::math::Vec3;

/// The start of a motion of all vertices of all surfaces. It is the same on all ranks. The slices
/// are indexed by vertex.
#[derive(Clone, Copy)]
pub struct Paths<'a> {
    /// Positions at the start (m).
    pub x0: &'a [Vec3],
    /// Whether a vertex is prescribed (obstacle, pin, handle): the fail-safe never stops it.
    pub prescribed: &'a [bool],
    /// Bodies whose vertices move together.
    pub bodies: &'a [WholeBody<'a>],
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
    /// Distance that every pair keeps (m). A pair that starts nearer comes no nearer.
    pub delta_m: f64,
}

impl Paths<'_> {
    pub(super) fn is_prescribed(&self, vertex: VertexId) -> bool {
        self.prescribed[vertex as usize]
    }

    /// The body that `vertex` belongs to, if it does not move alone.
    pub(super) fn body_of(&self, vertex: usize) -> Option<usize> {
        self.bodies.iter().position(|body| body.vertices.contains(&vertex))
    }

    /// How far the vertices of the first and the second side of a pair, which a normal points to
    /// and away from, stand above the surface (m): negative for the second side.
    pub(super) fn offsets(&self, pair: &Pair) -> [f64; 2] {
        let [first, second] = self.radii.of_sides(pair);
        [first, 0.0 - second]
    }
}

/// A body whose vertices move together: it keeps a fraction of its motion as a whole.
#[derive(Clone)]
pub struct WholeBody<'a> {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Writes the positions (m) at which its vertices end if it keeps this fraction of its
    /// motion: 0 gives their start, 1 their intended end.
    pub place: &'a (dyn Fn(f64, &mut [Vec3]) + Sync),
}

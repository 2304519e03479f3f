//! What the fail-safe did in a step.

use crate::contact::fail_safe::Paths;
use cloth_collision::collision::Pair;
use cloth_core::{Vec3, VertexId};

/// What the fail-safe did. The same on all ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailSafeReport {
    /// The vertices that miss their intended end, rising.
    pub truncated: Vec<Truncation>,
    /// The planes that stopped vertices that move alone, by rising vertex.
    pub stops: Vec<Stop>,
    /// The bodies that miss their intended end, rising.
    pub bodies: Vec<BodyEnd>,
    /// Number of truncated vertices after each pass that found an open pair.
    pub per_pass: Vec<u64>,
    /// Number of open pairs found in all passes: pairs with a plane.
    pub planes: u64,
    /// A pair that shows that the intended motion is impossible. `x1` is then not usable, and
    /// the step must be redone in smaller ones.
    pub conflict: Option<Conflict>,
    /// A pair that ends nearer than it may. Positions are too large for the clearance to be
    /// resolved, or this module has a defect. The caller must not ignore it.
    pub too_near: Option<TooNear>,
}

/// A vertex that was held back or pushed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truncation {
    /// The vertex.
    pub vertex: VertexId,
    /// Distance from its intended to its actual end (m).
    pub lost_m: f64,
}

/// The end of a body that was held back or pushed.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyEnd {
    /// Its number in [`Paths::bodies`](super::Paths::bodies).
    pub body: usize,
    /// The velocities of its nodes that take it to its end, m/s.
    pub way: Vec<Vec3>,
    /// Their velocities after the step, m/s.
    pub u: Vec<Vec3>,
}

/// A plane at which a vertex was stopped. In a step of length `h`, the vertex's velocity along
/// `normal` must then be at least `advance_m / h` (see
/// [`stopped_velocity`](super::stopped_velocity)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The vertex.
    pub vertex: VertexId,
    /// Unit normal of the plane, towards the vertex's side.
    pub normal: Vec3,
    /// How far the plane moved along its normal (m): as far as the pair's prescribed side, or else with
    /// the middle of the pair.
    pub advance_m: f64,
}

/// Pairs that cannot be kept apart: prescribed vertices leave them no room, or push a vertex or a
/// body against another plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The lowest of these pairs.
    pub pair: Pair,
    /// The vertex that has no room. If the whole pair has none, the first vertex of the pair.
    pub vertex: VertexId,
    /// The vertices that have no room, rising. For a pair that leaves no place for a plane these
    /// are all four.
    pub crowded: Vec<VertexId>,
    /// The prescribed vertices that take part, rising: those of all pairs of the conflict, and
    /// those of other planes that hold back the vertices of these pairs.
    pub prescribed: Vec<VertexId>,
    /// The vertices of `prescribed` whose planes push, rising. If all of these stand still, there
    /// is room.
    pub pushing: Vec<VertexId>,
}

impl Conflict {
    /// One vertex has no room.
    pub(super) fn of_vertex(pair: Pair, vertex: VertexId) -> Self {
        let crowded = vec![vertex];
        Self { pair, vertex, crowded, prescribed: Vec::new(), pushing: Vec::new() }
    }

    /// There is no room for a pair as a whole.
    pub(super) fn of_pair(pair: Pair) -> Self {
        let (vertex, crowded) = (pair.vertices[0], pair.vertices.to_vec());
        Self { pair, vertex, crowded, prescribed: Vec::new(), pushing: Vec::new() }
    }

    /// Adds the prescribed vertices of `pair`.
    pub(super) fn involve(&mut self, pair: &Pair, pushes: bool, paths: &Paths) {
        let vertices = pair.vertices.iter().filter(|&&vertex| paths.is_prescribed(vertex));
        self.prescribed.extend(vertices.clone());
        if pushes {
            self.pushing.extend(vertices);
        }
    }

    /// Joins two conflicts into one.
    pub(super) fn merge(one: Option<Self>, mut other: Self) -> Option<Self> {
        let Some(mut one) = one else { return Some(other) };
        one.crowded.append(&mut other.crowded);
        one.prescribed.append(&mut other.prescribed);
        one.pushing.append(&mut other.pushing);
        if other.pair < one.pair {
            (one.pair, one.vertex) = (other.pair, other.vertex);
        }
        Some(one)
    }

    /// Sorts the vertices.
    pub fn sorted(mut self) -> Self {
        for vertices in [&mut self.crowded, &mut self.prescribed, &mut self.pushing] {
            vertices.sort_unstable();
            vertices.dedup();
        }
        self
    }
}

/// A pair whose end could not be verified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooNear {
    /// The pair.
    pub pair: Pair,
    /// Gap along its plane's normal at the end (m).
    pub gap_m: f64,
}

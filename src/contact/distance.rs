//! How far apart the sides of a pair are kept.

use crate::collision::narrow::closest;
use crate::collision::{Pair, Radii};
use crate::ids::VertexId;
use crate::math::Vec3;

/// How far apart the sides of a pair are kept. This is the contact distance, except for pairs of
/// one cloth that are nearer than that at rest, for example across short edges.
#[derive(Debug, Clone, Copy)]
pub struct ContactDistance<'a> {
    /// The contact distance, m.
    pub distance_m: f64,
    /// Rest positions of all cloth vertices, m.
    pub rest: &'a [Vec3],
    /// The number after the last vertex of each cloth, rising.
    pub cloth_ends: &'a [VertexId],
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
}

/// Pairs of one cloth begin to push at this fraction of their distance at rest. It is less than
/// one, so that cloth may be squeezed and sheared a little in its plane.
const REST_SHARE: f64 = 0.5;

impl ContactDistance<'_> {
    /// The distance at which the sides of `pair` are kept, m.
    pub fn of(&self, pair: &Pair) -> f64 {
        let cloth = |v: &VertexId| self.cloth_ends.partition_point(|end| end <= v);
        let [first, others @ ..] = &pair.vertices;
        let same = others.iter().all(|v| cloth(v) == cloth(first));
        if !same || cloth(first) == self.cloth_ends.len() {
            return self.distance_m;
        }
        let at_rest = closest(pair.kind(), pair.gather(self.rest));
        self.distance_m.min(REST_SHARE * at_rest.distance)
    }
}

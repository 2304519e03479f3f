//! Where a pair that is near acts in a step.

use crate::collision::PairKind;
use crate::collision::narrow::{Closest, closest};
use crate::math::Vec3;

/// The normal of a pair that is near may turn by 45 degrees in the predicted step.
const LEAST_COSINE: f64 = 0.7;

/// Where a pair that is near at the `start` acts, and its gap there (m). A force acts at the end of
/// the step, so it has the normal and the weights of the predicted `end`: with those of the start,
/// cloth that slides over something curved is held back. They count only where the closest points
/// stay interior, on the same side: elsewhere another pair may be nearer.
pub(super) fn where_it_acts(
    kind: PairKind,
    now: Closest,
    start: &[Vec3; 4],
    end: &[Vec3; 4],
) -> (Closest, f64) {
    if now.feature.is_interior() {
        let then = closest(kind, *end);
        let gap_m = gap(&then, start);
        let is_same_side = then.normal.dot(&now.normal) > LEAST_COSINE && gap_m > 0.0;
        if then.feature.is_interior() && is_same_side {
            return (then, gap_m);
        }
    }
    (now, now.distance)
}

/// The gap (m) along the normal of `at` where the vertices are at `x`.
pub(super) fn gap(at: &Closest, x: &[Vec3; 4]) -> f64 {
    let offset: Vec3 = (0..4).map(|a| at.weights[a] * x[a]).sum();
    at.normal.dot(&offset)
}

//! Contacts of any two convex bodies, by their support functions.
//!
//! | module | |
//! |---|---|
//! | `support` | a body, and the difference of two, by support functions |
//! | `gjk` | nearest points of bodies apart |
//! | `epa` | the least way out of an overlap |
//!
//! GJK and EPA give one contact normal. The parts of the two surfaces that lie across the normal
//! are points, edges or faces. The contacts are the corners of the common part of both. So the
//! contacts are a function of two poses alone.

mod epa;
mod gjk;
mod support;
#[cfg(test)]
mod tests;

pub use self::support::Core;
use self::support::Difference;
use crate::narrow::round::nearest;
use crate::narrow::{Touch, Touches};
use crate::shape::{ALONG, Feature};
use cloth_core::Vec3;

/// The nearest points become a contact beside those of two faces or edges if their gap is smaller
/// by this fraction of the smaller body's reach. They may be deeper, because a face may be given by
/// some of its points only.
const DEEPER: f64 = 1e-3;

/// The contact normal of two bodies, their gap and their nearest points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Signed distance of the bodies along the normal, m: below 0 if they overlap.
    pub gap: f64,
    /// The nearest points of the two surfaces, m. If the bodies overlap, the deepest points.
    pub points: [Vec3; 2],
}

/// The nearest points of two bodies. `None` if the gap is above `most` (m), or if the cores overlap
/// and their difference has no volume.
pub fn nearness(first: &Core, second: &Core, most: f64) -> Option<Nearness> {
    let margins = [first.margin(), second.margin()];
    let both = Difference { first, second };
    let cores = match gjk::nearest(&both, most + margins[0] + margins[1])? {
        gjk::Cores::Apart(nearness) => nearness,
        gjk::Cores::Overlap(simplex) => epa::way_out(&both, simplex)?,
    };
    let Nearness { normal, points: [x, y], .. } = cores;
    let gap = cores.gap - margins[0] - margins[1];
    let points = [x - normal * margins[0], y + normal * margins[1]];
    (gap <= most).then_some(Nearness { normal, gap, points })
}

/// Contacts of two convex bodies. `most` is the largest gap (m) at which bodies touch.
pub fn touch(first: &Core, second: &Core, most: f64, touches: &mut Touches) {
    let Some(nearness) = nearness(first, second, most) else { return };
    let features = [first.feature(&-nearness.normal), second.feature(&nearness.normal)];
    let margins = [first.margin(), second.margin()];
    match features.each_ref().map(|feature| feature.len()) {
        [1, _] | [_, 1] => {}
        [2, 2] => edges(&features, margins, &nearness, touches),
        _ => faces(&features, margins, &nearness, touches),
    }
    touches.retain(|touch| touch.gap <= most);
    let least = touches.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
    if nearness.gap < least - DEEPER * first.reach().min(second.reach()) || touches.is_empty() {
        let Nearness { normal, gap, points: [x, y] } = nearness;
        touches.push(Touch { point: (x + y) * 0.5, normal, gap });
    }
}

/// Contacts of two edges that are nearly parallel: at the ends of the part along which they run
/// side by side.
fn edges([a, b]: &[Feature; 2], margins: [f64; 2], nearness: &Nearness, touches: &mut Touches) {
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    let square = v.norm_squared();
    if u.cross(&v).norm_squared() > ALONG * ALONG * u.norm_squared() * square {
        return;
    }
    let place = |x: &Vec3| v.dot(&(x - b[0])) / square;
    let (s, t) = (place(&a[0]), place(&a[1]));
    let (low, high) = (s.min(t).max(0.0), s.max(t).min(1.0));
    if low >= high {
        return;
    }
    for y in [low, high].map(|share| b[0] + v * share) {
        let x = nearest(&[a[0], a[1]], &y);
        let height = nearness.normal.dot(&(x - y));
        push(&x, -1.0, height, nearness.normal, margins, touches);
    }
}

/// Contacts of a face with a face or an edge: at the corners of their common part.
fn faces(features: &[Feature; 2], margins: [f64; 2], nearness: &Nearness, touches: &mut Touches) {
    // The reference face is the one whose normal is nearer to the contact normal. The other face or
    // edge is clipped, and its distance is measured from the reference face.
    let outs = [-nearness.normal, nearness.normal];
    let [first, second] = [0, 1].map(|i| Sheet::new(&features[i], &outs[i]));
    let is_first = first.cosine > second.cosine;
    let (own, other) = if is_first { (first, &features[1]) } else { (second, &features[0]) };
    let (normal, sign) = if is_first { (-own.normal, 1.0) } else { (own.normal, -1.0) };
    for x in own.clip(other) {
        let height = own.normal.dot(&(x - own.corners[0]));
        push(&x, sign, height, normal, margins, touches);
    }
}

/// Adds the contact at point `x` of a core, `height` (m) away from the other core. `sign` is 1 if
/// `x` belongs to the second body, and -1 if it belongs to the first.
fn push(x: &Vec3, sign: f64, height: f64, normal: Vec3, margins: [f64; 2], touches: &mut Touches) {
    let margin = if sign > 0.0 { margins[1] } else { margins[0] };
    let gap = height - margins[0] - margins[1];
    touches.push(Touch { point: x + normal * (sign * (margin + 0.5 * gap)), normal, gap });
}

/// A face in space.
struct Sheet<'a> {
    corners: &'a Feature,
    /// Unit normal, out of the body.
    normal: Vec3,
    /// Cosine of the angle between the normal and the direction of the other body. -1 for an edge.
    cosine: f64,
}

impl<'a> Sheet<'a> {
    fn new(corners: &'a Feature, out: &Vec3) -> Self {
        let area = corners.windows(2).fold(Vec3::zeros(), |area, two| {
            area + (two[0] - corners[0]).cross(&(two[1] - corners[0]))
        });
        let area = if area.dot(out) < 0.0 { -area } else { area };
        match area.try_normalize(0.0) {
            Some(normal) if corners.len() > 2 => Self { corners, normal, cosine: normal.dot(out) },
            _ => Self { corners, normal: *out, cosine: -1.0 },
        }
    }

    /// The part of a convex polygon or a segment that is above or below this face, along its
    /// normal.
    fn clip(&self, other: &Feature) -> Feature {
        let count = self.corners.len();
        let middle = self.corners.iter().sum::<Vec3>() / count as f64;
        let mut kept = other.clone();
        for (i, a) in self.corners.iter().enumerate() {
            let side = (self.corners[(i + 1) % count] - a).cross(&self.normal);
            let side = if side.dot(&(middle - a)) > 0.0 { -side } else { side };
            kept = inside(&kept, |x| side.dot(&(x - a)));
        }
        kept
    }
}

/// The part of a convex polygon or segment where `height` is not above 0 (Sutherland & Hodgman
/// 1974).
fn inside(polygon: &Feature, height: impl Fn(&Vec3) -> f64) -> Feature {
    let mut kept = Feature::new();
    for (i, a) in polygon.iter().enumerate() {
        let from = height(a);
        if from <= 0.0 {
            kept.push(*a);
        }
        // A segment has no side from its second end back to the first.
        if i + 1 < polygon.len() || i > 1 {
            let b = &polygon[(i + 1) % polygon.len()];
            let to = height(b);
            if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
                kept.push(a + (b - a) * (from / (from - to)));
            }
        }
    }
    kept
}

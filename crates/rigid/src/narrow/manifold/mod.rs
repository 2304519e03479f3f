//! Contacts of two convex polytopes, or of a polytope and a sphere or capsule.
//!
//! Two polytopes overlap unless they have a separating axis: the normal of a face, or the cross
//! product of an edge of each. Of all these axes the one with the least overlap gives the contact
//! normal. A pair of edges counts only if its arcs on the Gauss map cross (Gregorius 2013);
//! otherwise it makes no face of the Minkowski difference. If the normal is that of a face, the
//! opposite face of the other body is clipped against the sides of this face, and each corner below
//! or near this face is a contact. If it is that of two edges, the contact is between their nearest
//! points.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use crate::narrow::convex::{Convex, Edge, Plane};
use crate::narrow::round::nearest_of_segments;
use crate::narrow::{Touch, Touches};
use cloth_core::Vec3;

/// A later axis replaces an earlier one if its overlap is smaller by this fraction of the sizes.
/// Otherwise rounding would choose among faces. Faces come first, because they give more contacts
/// than two edges.
const PREFERENCE: f64 = 1e-3;

/// The nearest points of two edges are a contact beside those of a face if their gap is smaller by
/// this fraction. With a smaller fraction, boxes at rest quiver.
const NEARER: f64 = 0.2;

/// A capsule lies along a face if the sine of the angle between them is below this.
const ALONG: f64 = 0.05;

/// The axis of least overlap or widest gap of two polytopes.
#[derive(Clone, Copy)]
enum Separation {
    /// The normal of a face.
    Face(Face),
    /// The cross product of an edge of each body. The normal points out of the first body.
    Edges { edges: [Edge; 2], normal: Vec3, best_face: Face },
}

/// A face of the first or second polytope.
#[derive(Clone, Copy)]
struct Face {
    of_first: bool,
    face: usize,
}

type Polygon = SmallVec<[Vec3; 12]>;

/// Contacts of two polytopes. Here and below `most` is the largest gap (m) at which bodies touch.
pub fn polytopes(first: &Convex, second: &Convex, most: f64, touches: &mut Touches) {
    let Some((separation, gap)) = separation(first, second, most) else { return };
    match separation {
        Separation::Face(face) => {
            clip_faces(first, second, face, f64::NEG_INFINITY..=most, touches);
            let least = touches.iter().map(|touch| touch.gap).reduce(f64::min);
            if gap <= 0.0 && least.is_none() {
                deepest_corner(first, second, face, touches);
            } else if gap > 0.0 {
                let most = least.map_or(most, |least| (1.0 - NEARER) * least);
                // The distance of the bodies is at least `gap`.
                if gap < most {
                    nearest_edges(first, second, face, most, touches);
                }
            }
        }
        Separation::Edges { edges, normal, best_face } => {
            if gap > 0.0 {
                nearest_edges(first, second, best_face, most, touches);
            } else {
                let [x, y] = nearest_of_segments(&first.ends(&edges[0]), &second.ends(&edges[1]));
                touches.push(Touch { point: (x + y) * 0.5, normal: -normal, gap });
            }
            // Corners near the face are contacts too, because the bodies may turn about this
            // contact.
            clip_faces(first, second, best_face, 0.0..=most, touches);
        }
    }
}

/// The contact of two polytopes that overlap, if clipping at `face` leaves no corner: the corner of
/// the other body that is deepest below `face`.
fn deepest_corner(first: &Convex, second: &Convex, face: Face, touches: &mut Touches) {
    let (own, other, sign) =
        if face.of_first { (first, second, -1.0) } else { (second, first, 1.0) };
    let plane = &own.planes[face.face];
    let mut best = (f64::INFINITY, None);
    for x in &other.vertices {
        let gap = plane.height(x);
        if gap < best.0 {
            best = (gap, Some(x));
        }
    }
    if let (gap, Some(x)) = best {
        let point = x - plane.normal * (0.5 * gap);
        touches.push(Touch { point, normal: plane.normal * sign, gap });
    }
}

/// The contact of two polytopes apart from each other whose nearest points are on edges. `face` is
/// the face with the widest gap.
fn nearest_edges(first: &Convex, second: &Convex, face: Face, most: f64, touches: &mut Touches) {
    let (own, other) = if face.of_first { (first, second) } else { (second, first) };
    let plane = &own.planes[face.face];
    let (mut least, mut nearest) = (most, None);
    for b in other.topology.edges {
        let b = other.ends(b);
        // The body of the face is below it, so an edge higher above it than `least` is farther
        // away.
        if b.iter().all(|x| plane.height(x) > least) {
            continue;
        }
        for a in own.topology.edges {
            let [x, y] = nearest_of_segments(&own.ends(a), &b);
            let distance = (x - y).norm();
            if 0.0 < distance && distance < least {
                (least, nearest) = (distance, Some([x, y]));
            }
        }
    }
    if let Some([x, y]) = nearest {
        let apart = if face.of_first { x - y } else { y - x };
        touches.push(Touch { point: (x + y) * 0.5, normal: apart / least, gap: least });
    }
}

/// The axis of least overlap or widest gap, and the gap along it, m. `None` if a gap is above
/// `most`.
fn separation(first: &Convex, second: &Convex, most: f64) -> Option<(Separation, f64)> {
    let (face, of_first) = best_face(first, second, most)?;
    let (other, of_second) = best_face(second, first, most)?;
    let size =
        (first.vertices[0] - first.centre).norm().min((second.vertices[0] - second.centre).norm());
    let margin = PREFERENCE * size;
    let (best_face, mut gap) = if of_second > of_first + margin {
        (Face { of_first: false, face: other }, of_second)
    } else {
        (Face { of_first: true, face }, of_first)
    };
    let mut best = Separation::Face(best_face);
    let mut least = gap + margin;
    for a in first.topology.edges {
        let [start, end] = first.ends(a);
        let along = end - start;
        let [m, n] = a.faces.map(|face| first.planes[face as usize].normal);
        for b in second.topology.edges {
            let [p, q] = b.faces.map(|face| second.planes[face as usize].normal);
            let [from, to] = second.ends(b);
            let other = to - from;
            if !arcs_cross(&m, &n, &along, &p, &q, &other) {
                continue;
            }
            let normal = along.cross(&other);
            let length = normal.norm();
            if length * length < 1e-12 * along.norm_squared() * other.norm_squared() {
                continue;
            }
            let normal = if normal.dot(&(start - first.centre)) < 0.0 { -normal } else { normal };
            let normal = normal / length;
            let mut height = normal.dot(&(from - start));
            if height > least.min(most) {
                // Rounding may turn a very short edge in any direction. Then the gap of the whole
                // bodies counts.
                height = height.min(gap_along(&normal, first, second));
            }
            if height > most {
                return None;
            }
            if height > least {
                least = height;
                (best, gap) = (Separation::Edges { edges: [*a, *b], normal, best_face }, height);
            }
        }
    }
    Some((best, gap))
}

/// The gap from `first` to `second` along a unit direction, m: below 0 if they overlap.
fn gap_along(normal: &Vec3, first: &Convex, second: &Convex) -> f64 {
    let along = |body: &Convex, sign: f64| {
        let heights = body.vertices.iter().map(|x| sign * normal.dot(x));
        heights.fold(f64::INFINITY, f64::min)
    };
    along(second, 1.0) + along(first, -1.0)
}

/// True if the arc from `m` to `n` on the unit sphere crosses the one from `-p` to `-q`. `along` is
/// parallel to `m x n`, `other` to `p x q`.
fn arcs_cross(m: &Vec3, n: &Vec3, along: &Vec3, p: &Vec3, q: &Vec3, other: &Vec3) -> bool {
    let (pm, qm) = (p.dot(along), q.dot(along));
    let (mp, np) = (m.dot(other), n.dot(other));
    if pm * qm >= 0.0 || mp * np >= 0.0 {
        return false;
    }
    // `m` and `n` are on either side of the great circle of `p` and `q`, and `p` and `q` on either
    // side of that of `m` and `n`. So each arc passes through one of the two opposite points at
    // which these circles cross, and the arcs cross if it is the same point. Below are the point on
    // the arc from `m` to `n`, and that on the arc from `p` to `q`, which must be the opposite one.
    let of_first = m * np.abs() + n * mp.abs();
    let of_second = p * qm.abs() + q * pm.abs();
    of_first.dot(&of_second) < 0.0
}

/// The face of `own` with the widest gap to `other` along its normal, and this gap, m: below 0 if
/// they overlap. `None` if a gap is above `most` (m).
fn best_face(own: &Convex, other: &Convex, most: f64) -> Option<(usize, f64)> {
    let mut best = (0, f64::NEG_INFINITY);
    for (face, plane) in own.planes.iter().enumerate() {
        let heights = other.vertices.iter().map(|x| plane.height(x));
        let lowest = heights.fold(f64::INFINITY, f64::min);
        if lowest > most {
            return None;
        }
        if lowest > best.1 {
            best = (face, lowest);
        }
    }
    Some(best)
}

/// Contacts of a face with the opposite face of the other body, if their gaps (m) are in a range.
fn clip_faces(
    first: &Convex,
    second: &Convex,
    Face { of_first, face }: Face,
    gaps: RangeInclusive<f64>,
    touches: &mut Touches,
) {
    let (own, other, sign) = if of_first { (first, second, -1.0) } else { (second, first, 1.0) };
    let plane = &own.planes[face];
    let turned = other.planes.iter().map(|other| other.normal.dot(&plane.normal)).enumerate();
    let least = |best: (usize, f64), face: (usize, f64)| if face.1 < best.1 { face } else { best };
    let opposite = turned.fold((0, f64::INFINITY), least).0;
    let mut polygon: Polygon = other.corners(opposite).collect();
    for side in sides(own, face) {
        polygon = below(&polygon, &side);
    }
    for x in &polygon {
        let gap = plane.height(x);
        if gaps.contains(&gap) {
            let point = x - plane.normal * (0.5 * gap);
            touches.push(Touch { point, normal: plane.normal * sign, gap });
        }
    }
}

/// The planes through the edges of a face, perpendicular to the face. Their normals point out.
fn sides<'a>(own: &'a Convex, face: usize) -> impl Iterator<Item = Plane> + 'a {
    let corners = own.corners(face);
    let up = own.planes[face].normal;
    corners.clone().zip(corners.cycle().skip(1)).map(move |(a, b)| {
        let normal = (b - a).cross(&up).normalize();
        Plane { normal, offset: normal.dot(&a) }
    })
}

/// The part of a polygon below a plane (Sutherland & Hodgman 1974).
fn below(polygon: &Polygon, plane: &Plane) -> Polygon {
    let mut kept = Polygon::new();
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        let (from, to) = (plane.height(a), plane.height(b));
        if from <= 0.0 {
            kept.push(*a);
        }
        if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
            kept.push(a + (b - a) * (from / (from - to)));
        }
    }
    kept
}

/// The contact of a sphere, the first body, with a polytope.
pub fn sphere(centre: &Vec3, radius: f64, second: &Convex, most: f64, touches: &mut Touches) {
    if let Some((normal, height)) = second.out_of(centre, radius + most) {
        let gap = height - radius;
        touches.push(Touch { point: centre - normal * (radius + 0.5 * gap), normal, gap });
    }
}

/// Contacts of a capsule, the first body, with a polytope.
pub fn capsule(
    segment: &[Vec3; 2],
    radius: f64,
    second: &Convex,
    most: f64,
    touches: &mut Touches,
) {
    let (normal, height, at) = segment_above(segment, second);
    if height > radius + most {
        return;
    }
    let along = segment[1] - segment[0];
    let flattest = |best: (usize, f64), (face, plane): (usize, &Plane)| {
        let cosine = plane.normal.dot(&normal);
        if cosine > best.1 { (face, cosine) } else { best }
    };
    let (face, cosine) = second.planes.iter().enumerate().fold((0, -1.0), flattest);
    let plane = &second.planes[face];
    let is_along = plane.normal.dot(&along).abs() < ALONG * along.norm();
    if cosine > 1.0 - ALONG && is_along {
        // The contacts are at the ends of the part of the segment that is above the face.
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for side in sides(second, face) {
            let [start, end] = [side.height(&segment[0]), side.height(&segment[1])];
            match (start > 0.0, end > 0.0) {
                (true, true) => (from, to) = (1.0, 0.0),
                (true, false) => from = from.max(start / (start - end)),
                (false, true) => to = to.min(start / (start - end)),
                (false, false) => {}
            }
        }
        if from < to {
            for share in [from, to] {
                let x = segment[0] + along * share;
                let gap = plane.height(&x) - radius;
                if gap <= most {
                    let point = x - plane.normal * (radius + 0.5 * gap);
                    touches.push(Touch { point, normal: plane.normal, gap });
                }
            }
        }
    }
    if touches.is_empty() {
        let gap = height - radius;
        touches.push(Touch { point: at - normal * (radius + 0.5 * gap), normal, gap });
    }
}

/// The unit direction out of a polytope to a segment, their signed distance (m, below 0 if they
/// overlap), and the nearest or deepest point of the segment.
fn segment_above(segment: &[Vec3; 2], second: &Convex) -> (Vec3, f64, Vec3) {
    if second.clip(segment).is_some() {
        return segment_inside(segment, second);
    }
    let mut best = (Vec3::zeros(), f64::INFINITY, segment[0]);
    let mut offer = |x: Vec3, y: Vec3| {
        let distance = (x - y).norm();
        if distance < best.1 {
            best = (x - y, distance, x);
        }
    };
    for end in segment {
        offer(*end, second.nearest_to(end));
    }
    for edge in second.topology.edges {
        let [x, y] = nearest_of_segments(segment, &second.ends(edge));
        offer(x, y);
    }
    let (apart, distance, at) = best;
    if distance <= second.on_surface() {
        return segment_inside(segment, second);
    }
    (apart / distance, distance, at)
}

/// [`segment_above`] for a segment that enters the polytope: the direction of least depth.
fn segment_inside(segment: &[Vec3; 2], second: &Convex) -> (Vec3, f64, Vec3) {
    let along = segment[1] - segment[0];
    let mut best = (Vec3::y(), f64::NEG_INFINITY, segment[0]);
    for plane in &second.planes {
        let [start, end] = [plane.height(&segment[0]), plane.height(&segment[1])];
        let (height, at) = if start < end { (start, segment[0]) } else { (end, segment[1]) };
        if height > best.1 {
            best = (plane.normal, height, at);
        }
    }
    for edge in second.topology.edges {
        let ends = second.ends(edge);
        let normal = along.cross(&(ends[1] - ends[0]));
        let length = normal.norm();
        if length * length <= 1e-12 * along.norm_squared() * (ends[1] - ends[0]).norm_squared() {
            continue;
        }
        let normal = normal * (1.0 / length).copysign(normal.dot(&(ends[0] - second.centre)));
        // The polytope must be below the plane, so that the normal is between those of the edge's
        // two faces.
        let size = (ends[0] - second.centre).norm();
        let is_support = second.vertices.iter().all(|v| normal.dot(&(v - ends[0])) <= 1e-9 * size);
        let height = normal.dot(&(segment[0] - ends[0]));
        if is_support && height > best.1 {
            best = (normal, height, nearest_of_segments(segment, &ends)[0]);
        }
    }
    best
}

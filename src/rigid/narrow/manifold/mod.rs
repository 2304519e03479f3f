//! Where two convex polytopes, or a polytope and a sphere or capsule, touch.
//!
//! Two polytopes overlap unless a plane separates them: parallel to a face of one, or to an edge
//! of each. Of all these the plane with the least overlap gives the normal. A pair of edges counts
//! only if its arcs on the Gauss map cross (Gregorius 2013): else the plane is no face of the
//! Minkowski difference. If the normal is that of a face, the opposite face is clipped against its
//! sides, and each corner below or near the face is a contact; if it is that of two edges, their
//! nearest points are.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use crate::math::Vec3;
use crate::rigid::narrow::convex::{Convex, Edge, Plane};
use crate::rigid::narrow::round::nearest_of_segments;
use crate::rigid::narrow::touches::{Touch, Touches};

/// A later candidate replaces an earlier one if it overlaps less by this share of the sizes: else
/// rounding would choose among faces, and a face gives more contacts than two edges.
const PREFERENCE: f64 = 1e-3;

/// Two edges are a contact beside those of a face if they are nearer by this share. With less,
/// boxes at rest quiver.
const NEARER: f64 = 0.2;

/// A capsule lies along a face if the sine of the angle between them is below this.
const ALONG: f64 = 0.05;

/// A plane between two polytopes.
#[derive(Clone, Copy)]
enum Separation {
    /// A face.
    Face(Face),
    /// An edge of each; the normal points out of the first.
    Edges { edges: [Edge; 2], normal: Vec3, best_face: Face },
}

/// A face of the first or second polytope.
#[derive(Clone, Copy)]
struct Face {
    of_first: bool,
    face: usize,
}

type Polygon = SmallVec<[Vec3; 12]>;

/// Two polytopes. Here and below `most` is the largest gap (m) at which bodies touch.
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
                // Nothing is nearer than the plane.
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
            // Corners that come down when the bodies turn about this contact.
            clip_faces(first, second, best_face, 0.0..=most, touches);
        }
    }
}

/// The contact of two polytopes that overlap, of which no part of the opposite face is below
/// `face`: the corner that is deepest below it.
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
/// between them.
fn nearest_edges(first: &Convex, second: &Convex, face: Face, most: f64, touches: &mut Touches) {
    let (own, other) = if face.of_first { (first, second) } else { (second, first) };
    let plane = &own.planes[face.face];
    let (mut least, mut nearest) = (most, None);
    for b in other.topology.edges {
        let b = other.ends(b);
        // What is higher above the face is farther away.
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

/// The plane of least overlap or widest gap, and the gap there; `None` if it is above `most` (m).
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
                // A very short edge may have any direction, in which it bounds no body.
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

/// How far `second` is above `first` along a direction, m.
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
    // The same hemisphere: m and n on either side of the great circle of p and q, and these on
    // either side of that of m and n, leave two places; the arcs must be at the same one. The
    // crossing of the great circles nearest to m and n, and that nearest to -p and -q:
    let of_first = m * np.abs() + n * mp.abs();
    let of_second = p * qm.abs() + q * pm.abs();
    of_first.dot(&of_second) < 0.0
}

/// The face of `own` that `other` is farthest above, or least below, and by how much.
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

/// Contacts of a face with the opposite face of the other body, with gaps (m) in a range.
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

/// The planes through the edges of a face, across it; normals point out.
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

/// A sphere as the first body, and a polytope.
pub fn sphere(centre: &Vec3, radius: f64, second: &Convex, most: f64, touches: &mut Touches) {
    if let Some((normal, height)) = second.out_of(centre, radius + most) {
        let gap = height - radius;
        touches.push(Touch { point: centre - normal * (radius + 0.5 * gap), normal, gap });
    }
}

/// A capsule as the first body, and a polytope.
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
        // The ends of the part above the face.
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

/// The direction in which a segment is above a polytope, how far, and the point of the segment.
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

/// The same for a segment that enters the polytope: the direction out of it of least depth.
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
        // The polytope must be below: the normal is between those of the two faces.
        let size = (ends[0] - second.centre).norm();
        let is_support = second.vertices.iter().all(|v| normal.dot(&(v - ends[0])) <= 1e-9 * size);
        let height = normal.dot(&(segment[0] - ends[0]));
        if is_support && height > best.1 {
            best = (normal, height, nearest_of_segments(segment, &ends)[0]);
        }
    }
    best
}

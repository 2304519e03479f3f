//! Contacts of a closed mesh with a box, a hull or another mesh. A mesh is not convex, so it need
//! not have a separating axis. Its contacts are those of features instead:
//!
//! | contact | normal |
//! |---|---|
//! | a corner above or below a flat face of the other body that it points to | that of the face |
//! | a corner near an edge or corner, if it is nowhere nearer | from the nearest point |
//! | two convex edges that cross | that of a face if two faces there are nearly parallel, or else across both edges |
//! | the middle of the part of an edge deep inside, although its ends are not | to the nearest point |
//!
//! The first and third kinds hold for gaps and for shallow overlaps, so that bodies that lie on each
//! other keep the same contacts: the corners of what their faces have in common. Faces are not
//! sampled: a body that lies deep inside another has contacts at its corners only.

use smallvec::SmallVec;

use crate::narrow::closed_mesh::features::{Above, Crest, Faceted};
use crate::narrow::round::nearest;
use crate::narrow::{Touch, Touches};
use crate::shape::ALONG;
use cloth_core::Vec3;

/// Points nearer to each other than this fraction of the smaller reach are one contact. A corner is
/// above a face if it is beside it by no more.
const EQUAL: f64 = 1e-6;

/// An overlap is shallow up to this fraction of the smaller reach.
const SHALLOW: f64 = 0.01;

/// How near is near, m.
#[derive(Clone, Copy)]
struct Nearby {
    /// The largest gap at which bodies touch.
    most: f64,
    /// The largest shallow overlap.
    shallow: f64,
    /// Points nearer to each other are one.
    equal: f64,
}

/// Contacts of two solids of flat faces, at least one of them a closed mesh. `bounds` has the
/// centre and the radius (m) of the ball that holds each. Here and below `most` is the largest gap
/// (m) at which bodies touch.
pub fn solids(
    first: &dyn Faceted,
    second: &dyn Faceted,
    bounds: [(Vec3, f64); 2],
    most: f64,
    touches: &mut Touches,
) {
    let reach = bounds[0].1.min(bounds[1].1);
    let limits = Nearby { most, shallow: SHALLOW * reach, equal: EQUAL * reach };
    corners(first, second, bounds[1], 1.0, limits, touches);
    corners(second, first, bounds[0], -1.0, limits, touches);
    first.each_edge(&mut |a| {
        let (centre, reach) = bounds[1];
        if (nearest(&a.ends, &centre) - centre).norm() <= reach + most {
            second.edges_near(&a.ends, most.max(limits.shallow), &mut |b| {
                if let Some(touch) = crossing(a, b, limits) {
                    add(touch, limits, touches);
                }
            });
        }
    });
    // What is left are edges that cross deep inside. They are found from either body, so the edges
    // of the first body are enough. Those of the second body are needed only if no overlap was
    // found. A point is nearer to faces than the crossing is deep.
    let none_overlaps = |touches: &Touches| touches.iter().all(|touch| touch.gap > 0.0);
    let least = if none_overlaps(touches) { 0.1 * limits.shallow } else { limits.shallow };
    edges(first, second, bounds[1], 1.0, least, touches);
    if none_overlaps(touches) {
        edges(second, first, bounds[0], -1.0, least, touches);
    }
}

/// Adds a contact, unless there is one at this point in about this direction.
fn add(touch: Touch, limits: Nearby, touches: &mut Touches) {
    let is_same = |other: &Touch| {
        (other.point - touch.point).norm() <= 4.0 * limits.equal
            && other.normal.dot(&touch.normal) > 0.9
    };
    if !touches.iter().any(is_same) {
        touches.push(touch);
    }
}

/// Contacts at corners of `own` that are inside or near `other`, whose ball has this centre and
/// reach. The normals point out of `other`, times `sign`.
fn corners(
    own: &dyn Faceted,
    other: &dyn Faceted,
    (centre, reach): (Vec3, f64),
    sign: f64,
    limits: Nearby,
    touches: &mut Touches,
) {
    own.each_corner(&mut |corner, x| {
        if (x - centre).norm() > reach + limits.most {
            return;
        }
        let Some((out, height)) = other.out_of(x, limits.most) else { return };
        let mut push = |out: Vec3, height: f64| {
            let touch = Touch { point: x - out * (0.5 * height), normal: out * sign, gap: height };
            add(touch, limits, touches);
        };
        let directions = own.directions(corner);
        let faces = faces_below(x, &directions, other, limits);
        faces.iter().for_each(|face| push(face.normal, face.height));
        // Beside all faces, a corner outside is a contact if it is nowhere nearer.
        let is_nearest = || directions.iter().all(|along| along.dot(&out) >= 0.0);
        if faces.is_empty() && (height <= 0.0 || is_nearest()) {
            push(out, height);
        }
    });
}

/// The faces of `other` that the corner `x` of another body touches, and that it points to.
fn faces_below(
    x: &Vec3,
    directions: &[Vec3],
    other: &dyn Faceted,
    limits: Nearby,
) -> SmallVec<[Above; 4]> {
    let Nearby { most, shallow, equal } = limits;
    let mut faces: SmallVec<[Above; 4]> = SmallVec::new();
    other.faces_near(x, most.max(shallow), &mut |it| {
        let is_above = it.aside <= if it.is_hollow { shallow } else { equal };
        let points_to_it = || directions.iter().all(|along| along.dot(&it.normal) >= -ALONG);
        if (-shallow..=most).contains(&it.height) && is_above && points_to_it() {
            match faces.iter_mut().find(|known| known.face == it.face) {
                Some(known) if known.aside <= it.aside => {}
                Some(known) => *known = it,
                None => faces.push(it),
            }
        }
    });
    // A corner below several faces of a convex part is outside as soon as it is above one of them.
    let covers = |it: &Above| it.height < 0.0 && !it.is_hollow;
    let least = |a: Above, b: Above| if (b.height, a.face) > (a.height, b.face) { b } else { a };
    if let Some(out) = faces.iter().copied().filter(covers).reduce(least) {
        faces.retain(|it| !covers(it) || it.face == out.face);
    }
    faces.sort_unstable_by_key(|it| it.face);
    faces
}

/// The contact of two convex edges that cross, the first one of the first body.
fn crossing(a: &Crest, b: &Crest, limits: Nearby) -> Option<Touch> {
    let [u, v] = [a, b].map(|it| it.ends[1] - it.ends[0]);
    let pairs = a.normals.iter().flat_map(|m| b.normals.iter().map(move |n| (m.dot(n), n)));
    let (cosine, face) = pairs.min_by(|x, y| x.0.total_cmp(&y.0))?;
    let normal = if cosine < 0.5 * ALONG * ALONG - 1.0 {
        *face
    } else {
        let across = u.cross(&v).try_normalize(0.0)?;
        let is_in = across.dot(&(b.normals[0] + b.normals[1])) < 0.0;
        let out = if is_in { -across } else { across };
        if !b.has_between(&out) || !a.has_between(&-out) {
            return None;
        }
        out
    };
    // Seen along the normal.
    let (across, offset) = (v.cross(&normal), b.ends[0] - a.ends[0]);
    let area = u.dot(&across);
    let lengths = [u.norm(), v.norm()];
    if area.abs() <= limits.equal * lengths[0].max(lengths[1]) {
        return None;
    }
    let shares = [offset.dot(&across) / area, offset.dot(&u.cross(&normal)) / area];
    let beyond = |i: usize| (shares[i] - shares[i].clamp(0.0, 1.0)).abs() * lengths[i];
    if beyond(0) > limits.equal || beyond(1) > limits.equal {
        return None;
    }
    let [x, y] = [a.ends[0] + u * shares[0], b.ends[0] + v * shares[1]];
    let gap = normal.dot(&(x - y));
    let is_near = (-limits.shallow..=limits.most).contains(&gap);
    is_near.then(|| Touch { point: (x + y) * 0.5, normal, gap })
}

/// Contacts at the middle of the parts of edges of `own` that are at least `deep` (m) inside
/// `other`, although the ends of the edges are not.
fn edges(
    own: &dyn Faceted,
    other: &dyn Faceted,
    (centre, reach): (Vec3, f64),
    sign: f64,
    deep: f64,
    touches: &mut Touches,
) {
    own.each_edge(&mut |Crest { ends, .. }| {
        if (nearest(ends, &centre) - centre).norm() > reach {
            return;
        }
        for [from, to] in other.inside(ends) {
            if from > 0.0 && to < 1.0 {
                let x = ends[0] + (ends[1] - ends[0]) * (0.5 * (from + to));
                let out = other.out_of(&x, -deep);
                touches.extend(out.map(|(out, height)| Touch {
                    point: x - out * (0.5 * height),
                    normal: out * sign,
                    gap: height,
                }));
            }
        }
    });
}

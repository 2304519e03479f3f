//! The penetration depth of two overlapping bodies, by the expanding polytope algorithm (van den
//! Bergen 2001). A polytope inside the Minkowski difference of the bodies grows at its face nearest
//! to the origin, until that face lies on the border of the difference.

use smallvec::SmallVec;

use crate::narrow::general::Nearness;
use crate::narrow::general::gjk::{Simplex, mean, on_triangle};
use crate::narrow::general::support::{Difference, Extreme};
use cloth_core::Vec3;

/// Largest error of the depth, as a fraction of the sizes.
const EXACT: f64 = 1e-8;
/// Corners nearer to a common point, line or plane than this fraction of the sizes span no
/// tetrahedron. A point this near to the plane of a facet lies in that plane.
const FLAT: f64 = 1e-9;
/// Largest number of turns. Two smooth bodies take about 30.
const MOST_TURNS: usize = 80;

/// A triangle of the polytope.
#[derive(Clone, Copy)]
struct Facet {
    /// The corners, counter-clockwise seen from outside.
    corners: [usize; 3],
    /// Unit normal that points out.
    normal: Vec3,
    /// How far the origin is below the facet, m.
    plane: f64,
    /// The distance of `plane`, infinite if the facet cannot grow.
    depth: f64,
}

/// The contact normal, the penetration depth and the deepest points of two cores. `simplex` is a
/// simplex of their difference that contains the origin. `None` if the difference has no volume.
pub fn way_out(both: &Difference, simplex: Simplex) -> Option<Nearness> {
    let size = both.size();
    let mut corners = tetrahedron(both, simplex, FLAT * size)?;
    let mut facets = Vec::with_capacity(64);
    let middle = corners.iter().map(|it| it.apart).sum::<Vec3>() * 0.25;
    for [i, j, k] in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
        let facet = facet(&corners, [i, j, k])?;
        let is_out = facet.normal.dot(&(corners[i].apart - middle)) > 0.0;
        facets.push(if is_out { facet } else { self::facet(&corners, [i, k, j])? });
    }
    let mut best = (f64::INFINITY, facets[0]);
    for _ in 0..MOST_TURNS {
        let place = nearest(&facets);
        let facet = facets[place];
        let found = both.support(&facet.normal);
        let depth = facet.normal.dot(&found.apart);
        if depth < best.0 {
            best = (depth, facet);
        }
        // No penetration depth is below the depth of the nearest facet.
        if best.0 - facet.depth <= EXACT * size {
            break;
        }
        if !grow(&mut corners, &mut facets, found, FLAT * size) {
            facets[place].depth = f64::INFINITY;
        }
    }
    let (depth, Facet { corners: own, normal, plane, .. }) = best;
    let [a, b, c] = own.map(|i| corners[i]);
    let foot = normal * plane;
    let weights = on_triangle(&(a.apart - foot), &(b.apart - foot), &(c.apart - foot));
    let points = [0, 1].map(|i| mean(&[a, b, c], &weights, |it| it.points[i]));
    Some(Nearness { normal: -normal, gap: -depth, points })
}

/// The place of the facet nearest to the origin.
fn nearest(facets: &[Facet]) -> usize {
    let nearer = |best: usize, it: usize| {
        if facets[it].depth < facets[best].depth { it } else { best }
    };
    (0..facets.len()).fold(0, nearer)
}

fn facet(all: &[Extreme], corners: [usize; 3]) -> Option<Facet> {
    let [a, b, c] = corners.map(|i| all[i].apart);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
    let depth = normal.dot(&a);
    Some(Facet { corners, normal, plane: depth, depth })
}

/// Extends the polytope to a point outside. False, with all facets as before, if rounding prevents
/// it.
fn grow(all: &mut Vec<Extreme>, facets: &mut Vec<Facet>, found: Extreme, flat: f64) -> bool {
    // Facets in whose plane the point lies stay. Otherwise rounding would choose among them.
    let sees = |it: &Facet| it.normal.dot(&found.apart) > it.plane + flat;
    let mut border: SmallVec<[[usize; 2]; 16]> = SmallVec::new();
    for seen in facets.iter().filter(|it| sees(it)) {
        let [a, b, c] = seen.corners;
        for edge in [[a, b], [b, c], [c, a]] {
            match border.iter().position(|it| *it == [edge[1], edge[0]]) {
                Some(place) => drop(border.swap_remove(place)),
                None => border.push(edge),
            }
        }
    }
    all.push(found);
    let last = all.len() - 1;
    let new: Option<SmallVec<[Facet; 16]>> =
        border.iter().map(|&[a, b]| facet(all, [a, b, last])).collect();
    let Some(new) = new.filter(|new| !new.is_empty()) else { return false };
    facets.retain(|it| !sees(it));
    facets.extend(new);
    true
}

/// Four points of the difference that are not in one plane and whose tetrahedron contains the
/// origin: the points of `simplex`, and support points. `None` if the difference has no volume.
fn tetrahedron(both: &Difference, simplex: Simplex, flat: f64) -> Option<Vec<Extreme>> {
    let mut corners = simplex.to_vec();
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    while corners.len() < 4 {
        let origin = corners[0].apart;
        let span: SmallVec<[Vec3; 2]> = corners[1..].iter().map(|it| it.apart - origin).collect();
        let directions = match span[..] {
            [] => axes,
            [u] => axes.map(|axis| u.cross(&axis)),
            [u, v, ..] => [u.cross(&v); 3],
        };
        let distance = |x: &Vec3| match span[..] {
            [] => x.norm(),
            [u] => u.cross(x).norm() / u.norm(),
            [u, v, ..] => u.cross(&v).dot(x).abs() / u.cross(&v).norm(),
        };
        let both_ways = directions.into_iter().flat_map(|it| [it, -it]);
        let found = both_ways.filter(|it| *it != Vec3::zeros()).map(|it| both.support(&it));
        let far = found.map(|it| (distance(&(it.apart - origin)), it));
        let (distance, found) = far.max_by(|a, b| a.0.total_cmp(&b.0))?;
        if distance.is_nan() || distance <= flat {
            return None;
        }
        corners.push(found);
    }
    Some(corners)
}

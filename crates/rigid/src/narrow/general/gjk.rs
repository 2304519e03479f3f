//! Nearest points of two convex bodies (Gilbert, Johnson & Keerthi 1988; van den Bergen 1999).
//!
//! The algorithm keeps a simplex of up to four points of the Minkowski difference of the bodies.
//! Each turn adds a support point and keeps the part of the simplex that is nearest to the origin.

use smallvec::SmallVec;

use crate::narrow::general::Nearness;
use crate::narrow::general::support::{Difference, Extreme};
use cloth_core::Vec3;

/// Up to four points of the difference of two bodies.
pub type Simplex = SmallVec<[Extreme; 4]>;

/// Largest relative error of distances.
const EXACT: f64 = 1e-10;
/// Cores nearer to each other than this fraction of their sizes count as overlapping. Otherwise
/// rounding would choose the normal.
const TOUCHING: f64 = 1e-10;
/// Largest number of turns. Two smooth bodies take about 20.
const MOST_TURNS: usize = 64;

/// The relative position of two cores.
#[allow(clippy::large_enum_variant)] // it lives on the stack while one pair is tested
pub enum Cores {
    /// Apart from each other.
    Apart(Nearness),
    /// They overlap: the simplex contains the origin.
    Overlap(Simplex),
}

/// The nearest points of two cores, or a simplex if the cores overlap. `None` if they are farther
/// apart than `most` (m).
pub fn nearest(both: &Difference, most: f64) -> Option<Cores> {
    let touching = TOUCHING * both.size();
    let mut simplex = Simplex::new();
    let mut apart = both.first.centre() - both.second.centre();
    if apart == Vec3::zeros() {
        apart = Vec3::x();
    }
    let mut weights = [0.0; 4];
    for turn in 0..MOST_TURNS {
        let square = apart.norm_squared();
        let found = both.support(&-apart);
        let along = apart.dot(&found.apart);
        // The distance of the cores is at least `along / |apart|`.
        if along > 0.0 && along * along > most * most * square {
            return None;
        }
        let is_last = square - along <= EXACT * square || simplex.contains(&found);
        if !simplex.is_empty() && is_last {
            break;
        }
        simplex.push(found);
        weights = reduce(&mut simplex);
        apart = mean(&simplex, &weights, |it| it.apart);
        if simplex.len() == 4 || apart.norm() <= touching {
            return Some(Cores::Overlap(simplex));
        }
        // Because of rounding, the distance no longer falls.
        if turn > 0 && apart.norm_squared() >= square {
            break;
        }
    }
    let gap = apart.norm();
    let points = [0, 1].map(|i| mean(&simplex, &weights, |it| it.points[i]));
    Some(Cores::Apart(Nearness { normal: apart / gap, gap, points }))
}

/// The weighted mean of a vector `of` the points of a simplex.
pub fn mean(simplex: &[Extreme], weights: &[f64], of: impl Fn(&Extreme) -> Vec3) -> Vec3 {
    simplex.iter().zip(weights).fold(Vec3::zeros(), |sum, (it, weight)| sum + of(it) * *weight)
}

/// Keeps the corners of the part of the simplex that is nearest to the origin, and returns their
/// weights at the nearest point. All four corners stay if the origin is inside.
fn reduce(simplex: &mut Simplex) -> [f64; 4] {
    let x: SmallVec<[Vec3; 4]> = simplex.iter().map(|it| it.apart).collect();
    let mut all = [0.0; 4];
    match x.len() {
        1 => all[0] = 1.0,
        2 => all[..2].copy_from_slice(&on_segment(&x[0], &x[1])),
        3 => all[..3].copy_from_slice(&on_triangle(&x[0], &x[1], &x[2])),
        _ => match on_tetrahedron(&x) {
            Some(weights) => all = weights,
            None => return [0.25; 4],
        },
    }
    let (mut weights, mut kept) = ([0.0; 4], Simplex::new());
    for (it, weight) in simplex.iter().zip(all) {
        if weight > 0.0 {
            weights[kept.len()] = weight;
            kept.push(*it);
        }
    }
    *simplex = kept;
    weights
}

/// The weights of the ends of a segment at its point nearest to the origin.
fn on_segment(a: &Vec3, b: &Vec3) -> [f64; 2] {
    let along = b - a;
    let square = along.norm_squared();
    let share = if square > 0.0 { (-a.dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
    [1.0 - share, share]
}

/// The weights of the corners of a triangle at its point nearest to the origin (Ericson 2005,
/// section 5.1.5).
pub fn on_triangle(a: &Vec3, b: &Vec3, c: &Vec3) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let ([p, q], [r, s], [t, u]) = (on_segment(a, b), on_segment(b, c), on_segment(c, a));
    let border = [[p, q, 0.0], [0.0, r, s], [u, 0.0, t]];
    // In a sliver these weights are mostly rounding error, so a point of the border may be nearer.
    let sum = va + vb + vc;
    let is_inside = va > 0.0 && vb > 0.0 && vc > 0.0;
    let inside = is_inside.then_some([va / sum, vb / sum, vc / sum]);
    let square = |w: &[f64; 3]| (a * w[0] + b * w[1] + c * w[2]).norm_squared();
    let nearer = |best: [f64; 3], it: [f64; 3]| if square(&it) < square(&best) { it } else { best };
    inside.into_iter().fold(border.into_iter().fold([1.0, 0.0, 0.0], nearer), nearer)
}

/// The weights of the corners of a tetrahedron at its point nearest to the origin; `None` if the
/// origin is inside.
fn on_tetrahedron(x: &[Vec3]) -> Option<[f64; 4]> {
    let (mut best, mut is_inside) = ((f64::INFINITY, [0.0; 4]), true);
    for [i, j, k, l] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
        let normal = (x[j] - x[i]).cross(&(x[k] - x[i]));
        let (origin, inner) = (-normal.dot(&x[i]), normal.dot(&(x[l] - x[i])));
        is_inside &= origin * inner > 0.0;
        // All faces are tried, not only those that see the origin: rounding may choose a wrong one.
        let [p, q, r] = on_triangle(&x[i], &x[j], &x[k]);
        let square = (x[i] * p + x[j] * q + x[k] * r).norm_squared();
        if square < best.0 {
            let mut weights = [0.0; 4];
            (weights[i], weights[j], weights[k]) = (p, q, r);
            best = (square, weights);
        }
    }
    (!is_inside).then_some(best.1)
}

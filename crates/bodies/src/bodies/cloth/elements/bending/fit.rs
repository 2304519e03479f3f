//! How far the tangent plane at an edge leans to one of its faces: a fit to the hinges around it.
//!
//! Let a smooth function be interpolated linearly on the triangles of a plane. At edge e the
//! function's own slope across the edge lies between those of the two triangles, at
//!
//! `phi_e = mean slope along e - (slope on the first + slope on the second) / 2`.
//!
//! The fit gives `phi_e = sum_f c_f theta_f` from the jumps of slope theta_f at the hinges f around.
//! It must be exact for the three quadratics, and `c` must stay small. Then a sheet that follows the
//! fit converges (docs/methods.md, section 2).
//!
//! `phi_e / l_e` and `theta_f / l_f`, with the lengths l of the edges, change by one common factor
//! under an affine map of the plane. So the coefficients between them depend on no stretch of the
//! mesh, and the fit is made in coordinates in which the points around have unit second moments.

use nalgebra::{SMatrix, SVector};
use smallvec::SmallVec;

use crate::bodies::cloth::elements::bending::unfold::{Kite, Unfolded};
use cloth_core::{Mat2, Vec2};

/// Quadratics are fitted to this part of the trace of the normal equations.
const QUADRATIC_TOLERANCE: f64 = 1e-10;
/// Residuals of cubics, and of quadratics that cannot be exact, count by 100 against squares of
/// coefficients.
const CUBIC_COMPLIANCE: f64 = 0.01;
/// By how much quadratics may be missed, of the root of the trace.
const LARGEST_MISS: f64 = 1e-6;
/// Rings of faces that are tried.
const RINGS: usize = 4;
/// Hinges with a [`Kite::width`] above it also see cubics.
const WIDE: f64 = 2.0;
/// Coefficients below it are rounding: those of a regular mesh vanish.
const SMALLEST: f64 = 1e-12;

/// Coefficients of the hinges around.
pub(super) type Coefficients = SmallVec<[(u32, f64); 16]>;

/// `phi` of a hinge (rad, towards its second face) from the angles of the hinges around it.
pub(super) fn rotation_from_angles(mut around: Unfolded) -> Coefficients {
    let Some(&own) = around.kites().first() else { return Coefficients::new() };
    let is_wide = own.width() > WIDE;
    let limit = if is_wide { 1.5 } else { 1.0 };
    for ring in 0..RINGS {
        let fit = if ring == 0 && !is_wide {
            Fit::of::<3>(around.kites(), QUADRATIC_TOLERANCE)
        } else if ring == 0 {
            None
        } else {
            Fit::of::<7>(around.kites(), QUADRATIC_TOLERANCE)
        };
        if let Some(fit) = fit.filter(|fit| fit.norm <= limit && fit.miss <= LARGEST_MISS) {
            return fit.coefficients(around.kites());
        }
        around.grow();
    }
    // Too few hinges, or too flat ones: quadratics are missed rather than coefficients are large.
    let fit = Fit::of::<7>(around.kites(), CUBIC_COMPLIANCE);
    fit.map_or_else(Coefficients::new, |fit| fit.coefficients(around.kites()))
}

/// Coefficients between `theta_f / l_f` and `phi_e / l_e`.
struct Fit {
    scaled: SmallVec<[f64; 16]>,
    /// Of the coefficients.
    norm: f64,
    /// By how much quadratics are missed, of the root of the trace.
    miss: f64,
}

impl Fit {
    /// The fit of the first kite to all `kites`, by the first N of the functions of [`functions`]. It
    /// minimises `|c|^2 + sum_k (residual of function k)^2 / compliance_k`. Without a finite
    /// solution, [`None`].
    fn of<const N: usize>(kites: &[Kite], quadratic_tolerance: f64) -> Option<Self> {
        let plane = Plane::of(kites)?;
        let angles: SmallVec<[SVector<f64, N>; 16]> =
            kites.iter().map(|kite| plane.flatten(kite).angle()).collect();
        let wanted = plane.flatten(kites.first()?).lean::<N>();
        let mut normal = SMatrix::<f64, N, N>::zeros();
        for angle in &angles {
            normal += angle * angle.transpose();
        }
        let trace: f64 = (0..3).map(|k| normal[(k, k)]).sum();
        for k in 0..N {
            normal[(k, k)] += if k < 3 { quadratic_tolerance * trace } else { CUBIC_COMPLIANCE };
        }
        let multipliers = normal.cholesky()?.solve(&wanted);
        let scaled: SmallVec<[f64; 16]> = angles.iter().map(|a| a.dot(&multipliers)).collect();
        let norm = scaled.iter().map(|c| c * c).sum::<f64>().sqrt();
        let missed = (0..3).map(|k| (quadratic_tolerance * trace * multipliers[k]).powi(2));
        let miss = (missed.sum::<f64>() / trace).sqrt();
        norm.is_finite().then_some(Self { scaled, norm, miss })
    }

    /// Between angles instead of angles over lengths.
    fn coefficients(&self, kites: &[Kite]) -> Coefficients {
        let length = kites[0].length();
        let of_kite = |(kite, &scaled): (&Kite, &f64)| {
            let is_large = scaled.abs() > SMALLEST;
            is_large.then(|| (kite.hinge, scaled * length / kite.length()))
        };
        kites.iter().zip(&self.scaled).filter_map(of_kite).collect()
    }
}

/// Coordinates about the middle of the first edge in which the points of all kites have unit second
/// moments.
struct Plane {
    origin: Vec2,
    whiten: Mat2,
}

impl Plane {
    fn of(kites: &[Kite]) -> Option<Self> {
        let points = || kites.iter().flat_map(|kite| kite.ends.into_iter().chain(kite.apexes));
        let count = 4.0 * kites.len() as f64;
        let mean = points().sum::<Vec2>() / count;
        let moments = points().map(|p| (p - mean) * (p - mean).transpose()).sum::<Mat2>() / count;
        let whiten = moments.cholesky()?.l().try_inverse()?;
        let [start, end] = kites.first()?.ends;
        Some(Self { origin: (start + end) * 0.5, whiten })
    }

    fn flatten(&self, kite: &Kite) -> Kite {
        let map = |p: Vec2| self.whiten * (p - self.origin);
        Kite { ends: kite.ends.map(map), apexes: kite.apexes.map(map), ..*kite }
    }
}

const ROOT_3: f64 = 1.732_050_807_568_877_2;

/// Three quadratics and four cubics. A rotation of the plane turns each of the two groups as an
/// orthogonal matrix would, so sums of squares do not depend on the axes.
fn functions<const N: usize>(p: Vec2) -> SVector<f64, N> {
    let (x, y) = (p.x, p.y);
    let all = [
        x * x,
        y * y,
        std::f64::consts::SQRT_2 * x * y,
        x * x * x,
        y * y * y,
        ROOT_3 * x * x * y,
        ROOT_3 * x * y * y,
    ];
    SVector::from_fn(|k, _| all[k])
}

/// The derivatives of [`functions`] in the direction `d`.
fn slopes<const N: usize>(p: Vec2, d: Vec2) -> SVector<f64, N> {
    let (x, y) = (p.x, p.y);
    let all = [
        2.0 * x * d.x,
        2.0 * y * d.y,
        std::f64::consts::SQRT_2 * (y * d.x + x * d.y),
        3.0 * x * x * d.x,
        3.0 * y * y * d.y,
        ROOT_3 * (2.0 * x * y * d.x + x * x * d.y),
        ROOT_3 * (y * y * d.x + 2.0 * x * y * d.y),
    ];
    SVector::from_fn(|k, _| all[k])
}

impl Kite {
    /// The slopes of the interpolated functions across the edge, away from it on the side of each
    /// apex, over the edge's length.
    fn slopes_outward<const N: usize>(&self) -> [SVector<f64, N>; 2] {
        let [start, end] = self.ends;
        let along = end - start;
        let (at_start, at_end) = (functions::<N>(start), functions::<N>(end));
        self.apexes.map(|apex| {
            let foot = along.dot(&(apex - start)) / along.norm_squared();
            let above = functions::<N>(apex) - at_start * (1.0 - foot) - at_end * foot;
            above / along.perp(&(apex - start)).abs()
        })
    }

    /// `theta / l`. At a clamp the held triangle is the tangent plane.
    fn angle<const N: usize>(&self) -> SVector<f64, N> {
        let [first, second] = self.slopes_outward::<N>();
        match self.held {
            [true, _] => second - self.slope_of_tangent::<N>(),
            [_, true] => first + self.slope_of_tangent::<N>(),
            _ => first + second,
        }
    }

    /// `phi / l`.
    fn lean<const N: usize>(&self) -> SVector<f64, N> {
        let [first, second] = self.slopes_outward::<N>();
        self.slope_of_tangent::<N>() - (second - first) * 0.5
    }

    /// The mean slope across the edge, away from the first apex, over the edge's length. It is exact
    /// by Simpson's rule.
    fn slope_of_tangent<const N: usize>(&self) -> SVector<f64, N> {
        let [start, end] = self.ends;
        let along = end - start;
        let across = Vec2::new(along.y, -along.x) / along.norm_squared();
        let at = |p| slopes::<N>(p, across);
        (at(start) + at((start + end) * 0.5) * 4.0 + at(end)) / 6.0
    }
}

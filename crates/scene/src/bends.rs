//! Warns of cloths whose triangles bend wrongly: too few of them, or triangles that lock.

use crate::spec::Cloth;
use cloth_bodies::bodies::cloth::locking::{Excess, Locking, effective_thickness};
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_core::error::shell_word;
use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::Shape;
use cloth_core::mesh::triangulate::fans;

/// The largest error of bending that is not worth a word.
const TOLERANCE: f64 = 0.02;
/// The largest mean excess that is not worth a word. Where a strip is clamped it errs up to three
/// times as much as the mean of its triangles, mostly twice (docs/meshes.md).
const MEAN_EXCESS: f64 = 0.5 * TOLERANCE;
/// The same for a mesh that is too coarse for the bends of its cloth. It leaves out folds, so their
/// energy is wrong anyway.
const MEAN_EXCESS_OF_COARSE: f64 = 0.2;
/// Edges in the radius of the sharpest bend that a mesh follows.
const EDGES_OF_RADIUS: f64 = 4.0;
/// Standard gravity, m/s^2.
const GRAVITY: f64 = 9.81;

/// The bend at which the triangles of a cloth are judged, m: its [`bending_length`], but no sharper
/// than the mesh follows.
pub fn judged_radius(cloth: &ClothSetup, median_edge_m: f64) -> f64 {
    bending_length(cloth).max(EDGES_OF_RADIUS * median_edge_m)
}

/// About the radius (m) to which its own weight bends a cloth: `(D / (rho g))^(1/3)` (Peirce 1930).
pub fn bending_length(cloth: &ClothSetup) -> f64 {
    let material = &cloth.material;
    let rigidity = 0.5 * (material.bending.d11 + material.bending.d22);
    libm::cbrt(rigidity / (material.density_kg_per_m2 * GRAVITY))
}

/// The warnings about the cloth `at` in the scene, which has become `built`. Its triangles are
/// `refine` x `refine` to each of its mesh.
pub(super) fn bend_warnings(
    cloth: &Cloth,
    built: &ClothSetup,
    median_edge_m: f64,
    refine: u32,
    at: &str,
) -> Vec<String> {
    let few = few_edges(built, median_edge_m).map(|error| {
        let percent = percent(error);
        let name = &built.name;
        format!(
            "{at}: `{name}` is only {:.1} median edges long, and bends {percent} too far under its own \
             weight; cut its triangles with `refine` in the scene",
            error.powf(-0.5)
        )
    });
    few.into_iter().chain(locked(cloth, built, median_edge_m, refine, at)).collect()
}

/// The error of a cantilever as long as the cloth, where it is above the [`TOLERANCE`]. With n edges
/// a strip sinks by `1 / n^2` too far, whatever its triangles (n from 3 to 80).
fn few_edges(built: &ClothSetup, median_edge_m: f64) -> Option<f64> {
    let first = *built.rest.first()?;
    let (low, high) = built.rest.iter().fold((first, first), |(l, h), p| (l.inf(p), h.sup(p)));
    let error = (median_edge_m / (high - low).amax()).powi(2);
    let bends = built.material.bending.is_positive_definite();
    (bends && error > TOLERANCE && error.is_finite()).then_some(error)
}

fn locked(
    cloth: &Cloth,
    built: &ClothSetup,
    median_edge_m: f64,
    refine: u32,
    at: &str,
) -> Option<String> {
    let locking = Locking::new(built)?;
    let radius_m = judged_radius(built, median_edge_m);
    let excess = locking.excess(radius_m);
    let is_coarse = radius_m > bending_length(built);
    let limit = if is_coarse { MEAN_EXCESS_OF_COARSE } else { MEAN_EXCESS };
    if excess.mean.is_nan() || excess.mean <= limit {
        return None;
    }
    let right = right_from(&locking, radius_m, excess).map_or(String::new(), |radius_m| {
        format!("; at most 1 % from a radius of {} on", metres(radius_m))
    });
    let (place, file) = place_of(cloth, built, excess.worst_face, refine);
    let remedy = match file {
        Some(file) => format!(
            "`cloth-sim mesh {} --relax --out better.obj` makes better triangles, and `refine: {}` \
             in the scene smaller ones",
            shell_word(file),
            2 * refine
        ),
        None => format!("write `refine: {}` in the scene, or choose other triangles", 2 * refine),
    };
    Some(format!(
        "{at}: bends of `{}` to a radius of {} cost {} too much energy, because triangles of unequal \
         shape cannot follow them unstretched (edges {}, effective thickness {}){right}; the worst is \
         {place}, with {}; {remedy}",
        built.name,
        metres(radius_m),
        percent(excess.mean),
        metres(median_edge_m),
        metres(effective_thickness(&built.material)),
        percent(excess.worst),
    ))
}

/// The radius (m) from which on the mean excess is at most [`MEAN_EXCESS`], where `excess` is that of
/// the smaller radius `from_m`.
fn right_from(locking: &Locking, from_m: f64, excess: Excess) -> Option<f64> {
    let (mut radius_m, mut last) = (from_m, excess.mean);
    for _ in 0..16 {
        let mean = locking.excess(2.0 * radius_m).mean;
        if mean <= MEAN_EXCESS {
            // A power law between both.
            let part = libm::log(last / MEAN_EXCESS) / libm::log(last / mean);
            return Some(radius_m * libm::exp2(part));
        }
        (radius_m, last) = (2.0 * radius_m, mean);
    }
    None
}

/// Where a face is, in words, and the file that it comes from.
fn place_of(cloth: &Cloth, built: &ClothSetup, face: u32, refine: u32) -> (String, Option<String>) {
    let corners = built.faces[face as usize].map(|vertex| built.positions[vertex as usize]);
    let middle = corners.iter().sum::<Vec3>() / 3.0;
    let file = match &cloth.shape {
        Shape::Mesh(path) => Some(path.clone()),
        _ => None,
    };
    let number = match refine {
        1 => fans(&built.document).1.get(face as usize).map_or(face, |&polygon| polygon) + 1,
        _ => face / (refine * refine) + 1,
    };
    let of_file = file.as_deref().map_or(String::new(), |file| format!(" of {file}"));
    let [x, y, z] = [middle.x, middle.y, middle.z].map(|part| format!("{part:.3}"));
    (format!("face {number}{of_file}, at ({x}, {y}, {z}) m"), file)
}

/// A length with two digits, in m or mm.
pub fn metres(length_m: f64) -> String {
    match length_m {
        ..0.0995 => format!("{} mm", digits(1000.0 * length_m)),
        _ => format!("{} m", digits(length_m)),
    }
}

/// A share with two digits, in per cent.
pub fn percent(share: f64) -> String {
    match share {
        ..10.0 => format!("{} %", digits(100.0 * share)),
        _ => "more than 1,000 %".to_owned(),
    }
}

/// Two digits, and all that stand before the point.
fn digits(value: f64) -> String {
    match value {
        ..0.995 => format!("{value:.2}"),
        ..9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

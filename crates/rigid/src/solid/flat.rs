//! Flat parts of a surface: triangles that lie in one plane as exactly as their corners are known.
//!
//! Coordinates are rounded, mostly to the digits of a file. So a flat face comes as triangles whose
//! corners are off its plane by up to `sqrt(3)` roundings. They are one face if one plane is within
//! twice that of all corners: the plane follows from such corners too. Whatever is farther off is a
//! face of its own, because rounding cannot be the reason.

use std::collections::{BTreeMap, BTreeSet};

use cloth_core::Vec3;

/// A coordinate is known no better than to this share of the body's size: half of the last place in
/// single precision, in which most programs keep meshes.
const SINGLE: f64 = 0.5 * f32::EPSILON as f64;

/// The plane of a group is fitted again at most this many times. Each time it reaches several times
/// farther than the triangles that it was fitted to.
const FITS: usize = 12;

/// The largest distance of a corner from the plane of its face, m. `rounding` (m) is the largest
/// error of a coordinate, and the origin is about in the middle.
pub(super) fn limit(points: &[Vec3], rounding: f64) -> f64 {
    let size = points.iter().map(|x| x.norm()).fold(0.0, f64::max);
    2.0 * 3.0_f64.sqrt() * rounding.max(SINGLE * size)
}

/// Twice the vector area of a triangle, m^2.
pub(super) fn area(points: &[Vec3], triangle: [u32; 3]) -> Vec3 {
    let [x, y, z] = triangle.map(|v| points[v as usize]);
    (y - x).cross(&(z - x))
}

/// Groups of adjacent triangles whose corners are within `limit` (m) of one plane, as indices.
pub(super) fn groups(points: &[Vec3], triangles: &[[u32; 3]], limit: f64) -> Vec<Vec<usize>> {
    let mut across = BTreeMap::new();
    for (i, &[a, b, c]) in triangles.iter().enumerate() {
        across.extend([((a, b), i), ((b, c), i), ((c, a), i)]);
    }
    let areas: Vec<Vec3> = triangles.iter().map(|&triangle| area(points, triangle)).collect();
    // Large triangles come first, because their normals are the most exact.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| areas[j].norm_squared().total_cmp(&areas[i].norm_squared()));
    let mut group_of = vec![usize::MAX; triangles.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for seed in order {
        if group_of[seed] != usize::MAX {
            continue;
        }
        let mut group = vec![seed];
        for _ in 0..FITS {
            let normal = group.iter().map(|&i| areas[i]).sum::<Vec3>().normalize();
            let heights =
                group.iter().flat_map(|&i| triangles[i]).map(|v| normal.dot(&points[v as usize]));
            let [low, high] = heights
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| {
                    [low.min(it), high.max(it)]
                });
            let middle = 0.5 * (low + high);
            let is_flat = |i: usize| {
                let height = |v: u32| (normal.dot(&points[v as usize]) - middle).abs();
                // The normal of a sliver is arbitrary, so its area is compared instead.
                let least = -limit * longest(points, triangles[i]);
                triangles[i].iter().all(|&v| height(v) <= limit) && areas[i].dot(&normal) >= least
            };
            let last = group.len();
            group =
                connected(triangles, seed, &across, |i| group_of[i] == usize::MAX && is_flat(i));
            if group.len() <= last {
                break;
            }
        }
        group.iter().for_each(|&i| group_of[i] = groups.len());
        groups.push(group);
    }
    groups
}

fn longest(points: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [x, y, z] = triangle.map(|v| points[v as usize]);
    (y - x).norm().max((z - y).norm()).max((x - z).norm())
}

/// The triangles that `is_in` accepts and that are reached from `seed` over such triangles.
fn connected(
    triangles: &[[u32; 3]],
    seed: usize,
    across: &BTreeMap<(u32, u32), usize>,
    is_in: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut group = vec![seed];
    let mut seen = BTreeSet::from([seed]);
    let mut at = 0;
    while at < group.len() {
        let [a, b, c] = triangles[group[at]];
        for edge in [(b, a), (c, b), (a, c)] {
            if let Some(&other) = across.get(&edge)
                && !seen.contains(&other)
                && is_in(other)
            {
                seen.insert(other);
                group.push(other);
            }
        }
        at += 1;
    }
    group
}

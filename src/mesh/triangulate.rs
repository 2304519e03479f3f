//! Cuts polygons into triangles.

use crate::math::{Vec2, Vec3};
use crate::mesh::obj::ObjDocument;

/// Cuts `polygon` into triangles, given as places of its corners. The triangles keep the polygon's
/// orientation. `None` if it has no area or crosses itself.
///
/// Ears are clipped in the polygon's mean plane (Newell's normal), the best shaped ear first. Among
/// equals the earliest one comes first, so that the result is the same on every run. A rectangle
/// is cut from its first to its third corner.
pub fn triangulate(polygon: &[Vec3]) -> Option<Vec<[usize; 3]>> {
    let flat = project(polygon)?;
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    let mut triangles = Vec::with_capacity(polygon.len() - 2);
    while left.len() > 3 {
        let ear = best_ear(&flat, &left)?;
        triangles.push(corners(&left, ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles)
}

/// Cuts all polygons of `document`. Gives the triangles as places in its `corners`, and the
/// polygon of each triangle.
///
/// # Errors
/// The first polygon that cannot be cut.
pub fn triangulate_all(document: &ObjDocument) -> Result<(Vec<[u32; 3]>, Vec<u32>), usize> {
    let mut triangles = Vec::with_capacity(document.corners.len());
    let mut polygons = Vec::with_capacity(document.corners.len());
    for polygon in 0..document.polygon_ends.len() {
        let range = document.polygon(polygon);
        let start = range.start as u32;
        if range.len() == 3 {
            triangles.push([start, start + 1, start + 2]);
        } else {
            let position =
                |place: usize| document.positions[document.corners[place].vertex as usize];
            let points: Vec<Vec3> = range.map(position).collect();
            let cut = triangulate(&points).ok_or(polygon)?;
            triangles.extend(cut.into_iter().map(|triangle| triangle.map(|i| start + i as u32)));
        }
        polygons.resize(triangles.len(), polygon as u32);
    }
    Ok((triangles, polygons))
}

/// Coordinates in the plane of Newell's normal, counter-clockwise.
fn project(polygon: &[Vec3]) -> Option<Vec<Vec2>> {
    let origin = *polygon.first()?;
    let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let normal: Vec3 = pairs.map(|(a, b)| (a - origin).cross(&(b - origin))).sum();
    let size: f64 = polygon.iter().map(|p| (p - origin).norm_squared()).sum();
    if polygon.len() < 3 || normal.norm() <= 1e-12 * size {
        return None;
    }
    let normal = normal.normalize();
    let x = Vec3::ith(normal.iamin(), 1.0).cross(&normal).normalize();
    let y = normal.cross(&x);
    Some(polygon.iter().map(|p| Vec2::new((p - origin).dot(&x), (p - origin).dot(&y))).collect())
}

/// Corners before, at and after place `i` of the ring `left`.
fn corners(left: &[usize], i: usize) -> [usize; 3] {
    let n = left.len();
    [left[(i + n - 1) % n], left[i], left[(i + 1) % n]]
}

/// The ear with the best shape. A quadrilateral has two cuts, and the better one wins.
fn best_ear(flat: &[Vec2], left: &[usize]) -> Option<usize> {
    let mut best = None;
    let mut best_shape = 0.0;
    for i in (0..left.len()).map(|i| (i + 1) % left.len()) {
        if !is_ear(flat, left, i) {
            continue;
        }
        let mut quality = shape(corners(left, i).map(|corner| flat[corner]));
        if left.len() == 4 {
            let rest = corners(left, (i + 2) % 4);
            quality = quality.min(shape(rest.map(|corner| flat[corner])));
        }
        // Better by more than rounding, so that equal ears are taken in order.
        if quality > best_shape * (1.0 + 1e-6) {
            (best, best_shape) = (Some(i), quality);
        }
    }
    best
}

/// Signed area over the sum of squared edge lengths. An equilateral triangle has the largest.
fn shape([a, b, c]: [Vec2; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    if squares == 0.0 { 0.0 } else { cross(a, b, c) / squares }
}

/// Twice the signed area of a triangle.
fn cross(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    (b - a).perp(&(c - a))
}

/// True if the corner at place `i` can be cut off: it is convex and no other
/// corner lies in its triangle.
fn is_ear(flat: &[Vec2], left: &[usize], i: usize) -> bool {
    let [a, b, c] = corners(left, i).map(|corner| flat[corner]);
    let inside = |p: Vec2| cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0;
    let others = left.iter().map(|&corner| flat[corner]).filter(|p| ![a, b, c].contains(p));
    cross(a, b, c) > 0.0 && !others.into_iter().any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifted(points: &[[f64; 2]]) -> Vec<Vec3> {
        points.iter().map(|p| Vec3::new(p[0], 0.5 * p[0] - p[1], p[1])).collect()
    }

    fn area(polygon: &[Vec3], triangle: [usize; 3]) -> Vec3 {
        let [a, b, c] = triangle.map(|i| polygon[i]);
        (b - a).cross(&(c - a)) * 0.5
    }

    #[test]
    fn a_square_is_cut_from_its_first_corner() {
        let square = lifted(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(triangulate(&square).unwrap(), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn concave_polygons_keep_their_area_and_orientation() {
        let arrow = lifted(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]);
        let comb = lifted(&[
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ]);
        for polygon in [arrow, comb] {
            let triangles = triangulate(&polygon).unwrap();
            assert_eq!(triangles.len(), polygon.len() - 2);
            let fan: Vec3 = (2..polygon.len()).map(|i| area(&polygon, [0, i - 1, i])).sum();
            let areas: Vec<Vec3> = triangles.iter().map(|&t| area(&polygon, t)).collect();
            assert!((areas.iter().sum::<Vec3>() - fan).norm() < 1e-12);
            assert!(areas.iter().all(|a| a.dot(&fan) > 0.0));
        }
    }

    #[test]
    fn polygons_without_area_or_that_cross_are_refused() {
        assert!(triangulate(&lifted(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])).is_none());
        assert!(triangulate(&lifted(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])).is_none());
    }
}

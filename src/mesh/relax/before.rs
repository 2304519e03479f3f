//! The surface of the file, on which vertices move.

use crate::ids::FaceId;
use crate::math::{Vec2, Vec3};
use crate::mesh::Topology;

/// The surface of the file.
pub(super) struct Before {
    pub points: Vec<[Vec3; 3]>,
    pub texture: Vec<[Option<Vec2>; 3]>,
    pub topology: Topology,
    /// For each edge whether it is a feature.
    pub is_feature: Vec<bool>,
}

impl Before {
    /// The point of the surface near `target`, and its face: the walk from `face` leads downhill, and
    /// over no feature.
    pub fn nearest(&self, mut face: FaceId, target: Vec3) -> (FaceId, Vec3) {
        let distance = |point: Vec3| (target - point).norm_squared();
        let on = |face: FaceId| nearest_point(&self.points[face as usize], target);
        let mut point = on(face);
        loop {
            let neighbours = [0, 1, 2].into_iter().filter_map(|corner| {
                let edge = self.topology.face_edges[face as usize][corner];
                let is_open = !self.is_feature[edge as usize];
                is_open.then(|| self.topology.across(face, corner))
            });
            let nearer = neighbours.map(|next| (next, on(next)));
            let best = nearer.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            match best.filter(|best| distance(best.1) < distance(point)) {
                Some(best) => (face, point) = best,
                None => return (face, point),
            }
        }
    }

    /// The texture coordinate of a point of `face`.
    pub fn texture_at(&self, face: FaceId, point: Vec3) -> Vec2 {
        let (weights, uv) =
            (weights(&self.points[face as usize], point), self.texture[face as usize]);
        (0..3).map(|i| uv[i].unwrap_or_default() * weights[i]).sum()
    }
}

/// Barycentric coordinates of the point's projection to the plane of a triangle.
fn weights(&[a, b, c]: &[Vec3; 3], point: Vec3) -> [f64; 3] {
    let n = normal([a, b, c]);
    let scale = n.norm_squared().recip();
    let part = |from: Vec3, to: Vec3| (to - from).cross(&(point - from)).dot(&n) * scale;
    [part(b, c), part(c, a), part(a, b)]
}

/// The point of a triangle that is nearest to `target`.
fn nearest_point(corners: &[Vec3; 3], target: Vec3) -> Vec3 {
    let w = weights(corners, target);
    if w.iter().all(|&w| w >= 0.0) {
        return corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
    }
    let on_side = |i: usize| {
        let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
        let part = (target - a).dot(&(b - a)) / (b - a).norm_squared();
        a + (b - a) * part.clamp(0.0, 1.0)
    };
    let sides = [0, 1, 2].map(on_side);
    let distance = |point: &Vec3| (target - point).norm_squared();
    let nearest = sides.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.unwrap_or(corners[0])
}

/// How well shaped a triangle is: area over the sum of squared sides, 1 if it is equilateral.
pub(super) fn shape(&[a, b, c]: &[Vec3; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    normal([a, b, c]).norm() * 2.0 * 3.0_f64.sqrt() / squares
}

/// Twice the area of a triangle, along its normal.
pub(super) fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}

//! The surface of the file, on which vertices move.

use crate::mesh::Topology;
use crate::mesh::triangle::{nearest_point, normal, weights};
use crate::{FaceId, Vec2, Vec3};

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

/// How well shaped a triangle is: area over the sum of squared sides, 1 if it is equilateral.
pub(super) fn shape(&[a, b, c]: &[Vec3; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    normal([a, b, c]).norm() * 2.0 * 3.0_f64.sqrt() / squares
}

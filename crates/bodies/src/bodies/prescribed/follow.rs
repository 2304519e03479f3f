//! Points that go with a surface that deforms.

use cloth_core::mesh::{nearest_point, normal, weights};
use cloth_core::{Mat3, Vec3};

/// A point that keeps its place relative to a surface.
///
/// It has a foot on a triangle, with fixed barycentric coordinates, and an offset in a frame there. The
/// frame's normal is interpolated between those of the vertices. So neighbours on both sides of an
/// edge go alike, also where the edge folds.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePoint {
    /// The vertices of the triangle.
    corners: [u32; 3],
    /// The barycentric coordinates of the foot.
    weights: [f64; 3],
    /// The faces around each corner.
    fans: [Vec<[u32; 3]>; 3],
    /// From the foot to the point, in the frame, m.
    offset: Vec3,
}

impl SurfacePoint {
    /// `point` (m) on the surface with these `faces`, whose vertices are at `x` (m). Its foot is the
    /// nearest point; of several nearest triangles the first one counts. None without a face that has
    /// an area.
    pub fn nearest(point: Vec3, faces: &[[u32; 3]], x: &[Vec3]) -> Option<Self> {
        let places = |face: &[u32; 3]| face.map(|vertex| x[vertex as usize]);
        let with_area = faces.iter().filter(|face| normal(places(face)).norm_squared() > 0.0);
        let distance =
            |face: &[u32; 3]| (nearest_point(&places(face), point) - point).norm_squared();
        let &corners = with_area.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let triangle = places(&corners);
        let around = |corner| faces.iter().filter(|face| face.contains(&corner)).copied().collect();
        let mut found = Self {
            corners,
            weights: weights(&triangle, nearest_point(&triangle, point)),
            fans: corners.map(around),
            offset: Vec3::zeros(),
        };
        found.offset = found.frame(x).transpose() * (point - found.foot(x));
        Some(found)
    }

    /// Where it is (m) if the vertices of the surface are at `x` (m).
    pub fn place(&self, x: &[Vec3]) -> Vec3 {
        self.foot(x) + self.arm(x)
    }

    /// From its foot to itself (m), if the vertices of the surface are at `x` (m).
    pub fn arm(&self, x: &[Vec3]) -> Vec3 {
        self.frame(x) * self.offset
    }

    /// The normal at its foot, on the side of the surface on which it is.
    pub fn outwards(&self, x: &[Vec3]) -> Vec3 {
        self.frame(x).column(2) * 1_f64.copysign(self.offset.z)
    }

    /// How far it is from the surface along the normal, m.
    pub fn height_m(&self) -> f64 {
        self.offset.z.abs()
    }

    /// The vertices of the triangle that it goes with.
    pub fn corners(&self) -> [u32; 3] {
        self.corners
    }

    /// The barycentric coordinates of its foot.
    pub fn weights(&self) -> [f64; 3] {
        self.weights
    }

    /// The point of the triangle that it goes with (m), if the vertices of the surface are at `x` (m).
    pub fn foot(&self, x: &[Vec3]) -> Vec3 {
        (0..3).map(|i| x[self.corners[i] as usize] * self.weights[i]).sum()
    }

    /// The frame at the foot: a tangent along the first edge, another tangent, and the normal. What
    /// has no direction, because a triangle has no area, is zero.
    fn frame(&self, x: &[Vec3]) -> Mat3 {
        let unit = |vector: Vec3| vector.try_normalize(0.0).unwrap_or_default();
        let of_face = |face: &[u32; 3]| normal(face.map(|vertex| x[vertex as usize]));
        let of_corner = |i: usize| unit(self.fans[i].iter().map(of_face).sum()) * self.weights[i];
        let normal = unit((0..3).map(of_corner).sum());
        let edge = x[self.corners[1] as usize] - x[self.corners[0] as usize];
        let tangent = unit(edge - normal * normal.dot(&edge));
        Mat3::from_columns(&[tangent, normal.cross(&tangent), normal])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::math::rotation;

    const FACES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    fn square() -> [Vec3; 4] {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.2))
    }

    #[test]
    fn a_point_goes_with_its_surface() {
        // The square is folded along its diagonal.
        let mut x = square();
        x[1].z += 0.3;
        let turn = rotation(Vec3::new(1.0, -2.0, 0.5), 130.0);
        let moved = |x: &Vec3| turn * x + Vec3::new(3.0, 0.0, -1.0);
        let after = x.map(|x| moved(&x));
        for (place, corners) in [
            ((0.3, 0.6, 0.25), [0, 2, 3]),
            ((-0.2, 0.5, 0.0), [0, 2, 3]),
            ((1.1, 0.2, 0.5), [0, 1, 2]),
        ] {
            let point = Vec3::from(<[f64; 3]>::from(place));
            let bound = SurfacePoint::nearest(point, &FACES, &x).unwrap();
            assert_eq!(bound.corners, corners);
            assert!((bound.place(&x) - point).norm() < 1e-15);
            assert!((bound.place(&after) - moved(&point)).norm() < 1e-14);
        }
        assert_eq!(SurfacePoint::nearest(x[0], &[[0, 1, 1]], &x), None);
    }

    #[test]
    fn a_foot_goes_with_a_surface_that_grows_and_the_height_stays() {
        let x = square();
        let wide = x.map(|x| Vec3::new(2.0 * x.x, x.y, x.z));
        let bound = SurfacePoint::nearest(Vec3::new(0.3, 0.6, 0.25), &FACES, &x).unwrap();
        assert!((bound.place(&wide) - Vec3::new(0.6, 0.6, 0.25)).norm() < 1e-15);
    }

    #[test]
    fn neighbours_across_an_edge_go_alike_when_it_folds() {
        let x = square();
        let mut folded = x;
        folded[1].z += 0.3;
        let middle = Vec3::new(0.5, 0.5, 0.3);
        let sides = [-1e-9, 1e-9].map(|aside| {
            let point = middle + Vec3::new(aside, -aside, 0.0);
            SurfacePoint::nearest(point, &FACES, &x).unwrap()
        });
        assert_ne!(sides[0].corners, sides[1].corners);
        let [one, other] = sides.map(|point| point.place(&folded));
        assert!((one - other).norm() < 1e-8 && (one - middle).norm() > 0.01);
    }
}

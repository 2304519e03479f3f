//! Convex polytopes in space: boxes and hulls.

use smallvec::SmallVec;

use crate::Placed;
use crate::narrow::round::nearest;
use cloth_core::Vec3;

/// An edge of a polytope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Numbers of its two vertices.
    pub ends: [u32; 2],
    /// Numbers of the two faces that meet at it.
    pub faces: [u32; 2],
}

/// The faces and edges of a polytope, which do not change when it moves.
#[derive(Debug, Clone, Copy)]
pub struct Topology<'a> {
    /// Vertices of face `f`, counter-clockwise from outside:
    /// `face_vertices[face_starts[f]..face_starts[f + 1]]`.
    pub face_starts: &'a [u32],
    /// See `face_starts`.
    pub face_vertices: &'a [u32],
    /// All edges, each once.
    pub edges: &'a [Edge],
    /// True if two adjacent faces are nearly one, see [`GENTLE`].
    pub is_gentle: bool,
}

/// Two faces are nearly one if the sine of the angle between them is below this. Which of them is
/// nearer to another body then changes from step to step.
pub const GENTLE: f64 = 0.01;

/// A point counts as on the surface if it is nearer than this fraction of the polytope's size.
/// Otherwise rounding would choose the direction from the surface to the point.
const ON_SURFACE: f64 = 1e-9;

/// A plane: `normal . x = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vec3,
    /// Signed distance of the plane from the origin, m.
    pub offset: f64,
}

impl Plane {
    /// Signed distance of `x` from the plane, m: above 0 on the side of the normal.
    pub fn height(&self, x: &Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// A convex polytope.
#[derive(Debug, Clone)]
pub struct Convex<'a> {
    /// Corners, m.
    pub vertices: SmallVec<[Vec3; 8]>,
    /// The plane of each face; its normal points out.
    pub planes: SmallVec<[Plane; 6]>,
    /// A point inside, m.
    pub centre: Vec3,
    /// Faces and edges.
    pub topology: Topology<'a>,
}

const fn edge(a: u32, b: u32, f: u32, g: u32) -> Edge {
    Edge { ends: [a, b], faces: [f, g] }
}

/// Corner `c` of a box is on the upper side of axis `i` if bit `i` of `c` is set. Faces `2 i` and
/// `2 i + 1` are the lower and the upper one of axis `i`.
const BOX: Topology<'static> = Topology {
    face_starts: &[0, 4, 8, 12, 16, 20, 24],
    face_vertices: &[0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6],
    edges: &[
        edge(0, 1, 2, 4),
        edge(2, 3, 3, 4),
        edge(4, 5, 2, 5),
        edge(6, 7, 3, 5),
        edge(0, 2, 0, 4),
        edge(1, 3, 1, 4),
        edge(4, 6, 0, 5),
        edge(5, 7, 1, 5),
        edge(0, 4, 0, 2),
        edge(1, 5, 1, 2),
        edge(2, 6, 0, 3),
        edge(3, 7, 1, 3),
    ],
    is_gentle: false,
};

impl Convex<'static> {
    /// The box with half edges `half` (m) in the pose of `body`.
    pub fn cuboid(body: &Placed, half: &Vec3) -> Self {
        let axes =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| body.rotation.transform_vector(&axis));
        let [x, y, z] = [axes[0] * half.x, axes[1] * half.y, axes[2] * half.z];
        let corner = |x: Vec3, y: Vec3, z: Vec3| body.position + (x + y + z);
        let plane = |axis: usize, sign: f64| {
            let normal = axes[axis] * sign;
            Plane { normal, offset: normal.dot(&body.position) + half[axis] }
        };
        // Written out, because the compiler does not unroll loops over closures reliably. This is
        // a large part of the time of scenes of boxes.
        let vertices = [
            corner(-x, -y, -z),
            corner(x, -y, -z),
            corner(-x, y, -z),
            corner(x, y, -z),
            corner(-x, -y, z),
            corner(x, -y, z),
            corner(-x, y, z),
            corner(x, y, z),
        ];
        let planes = [
            plane(0, -1.0),
            plane(0, 1.0),
            plane(1, -1.0),
            plane(1, 1.0),
            plane(2, -1.0),
            plane(2, 1.0),
        ];
        Self {
            vertices: vertices.into(),
            planes: planes.into(),
            centre: body.position,
            topology: BOX,
        }
    }
}

impl Convex<'_> {
    /// The corners of a face, in order around it, m.
    pub fn corners(&self, face: usize) -> impl ExactSizeIterator<Item = Vec3> + Clone {
        let starts = self.topology.face_starts;
        let own = starts[face] as usize..starts[face + 1] as usize;
        self.topology.face_vertices[own].iter().map(|&v| self.vertices[v as usize])
    }

    /// The two ends of an edge, m.
    pub fn ends(&self, edge: &Edge) -> [Vec3; 2] {
        edge.ends.map(|v| self.vertices[v as usize])
    }

    /// The face with the largest signed distance of `x` from its plane, and this distance, m.
    pub fn outermost(&self, x: &Vec3) -> (usize, f64) {
        let heights = self.planes.iter().map(|plane| plane.height(x)).enumerate();
        heights.fold((0, f64::NEG_INFINITY), |best, face| if face.1 > best.1 { face } else { best })
    }

    /// The unit direction out of the polytope at `x`, and the signed distance of `x` from the
    /// surface (m, below 0 inside). `None` if the distance is above `most` (m).
    pub fn out_of(&self, x: &Vec3, most: f64) -> Option<(Vec3, f64)> {
        let (face, height) = self.outermost(x);
        if height > most {
            return None;
        }
        // Beside an edge or a corner the surface is farther away than the outermost plane.
        let apart = if height > 0.0 { x - self.nearest_to(x) } else { Vec3::zeros() };
        let distance = apart.norm();
        if distance <= self.on_surface() {
            return Some((self.planes[face].normal, height));
        }
        (distance <= most).then(|| (apart / distance, distance))
    }

    /// A point nearer to the surface than this counts as on it, m.
    pub fn on_surface(&self) -> f64 {
        ON_SURFACE * (self.vertices[0] - self.centre).norm()
    }

    /// The point of the surface nearest to a point `x` outside, m.
    pub fn nearest_to(&self, x: &Vec3) -> Vec3 {
        let mut best = (f64::INFINITY, *x);
        for (face, plane) in self.planes.iter().enumerate() {
            let height = plane.height(x);
            if height <= 0.0 {
                continue;
            }
            let point = self.nearest_on(face, x);
            let distance = (x - point).norm_squared();
            if distance < best.0 {
                best = (distance, point);
            }
        }
        best.1
    }

    /// The point of a face nearest to `x`.
    pub fn nearest_on(&self, face: usize, x: &Vec3) -> Vec3 {
        let plane = &self.planes[face];
        let foot = x - plane.normal * plane.height(x);
        let corners = self.corners(face);
        let sides = || corners.clone().zip(corners.clone().cycle().skip(1));
        let is_inside = |(a, b): (Vec3, Vec3)| (b - a).cross(&(foot - a)).dot(&plane.normal) >= 0.0;
        if sides().all(is_inside) {
            return foot;
        }
        let mut best = (f64::INFINITY, foot);
        for (a, b) in sides() {
            let point = nearest(&[a, b], x);
            let distance = (x - point).norm_squared();
            if distance < best.0 {
                best = (distance, point);
            }
        }
        best.1
    }

    /// The part of a segment inside the polytope: its start and end as fractions of the segment.
    /// `None` if the segment is outside.
    pub fn clip(&self, segment: &[Vec3; 2]) -> Option<[f64; 2]> {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for plane in &self.planes {
            let [start, end] = [plane.height(&segment[0]), plane.height(&segment[1])];
            if start > 0.0 && end > 0.0 {
                return None;
            }
            if start > 0.0 {
                from = from.max(start / (start - end));
            } else if end > 0.0 {
                to = to.min(start / (start - end));
            }
        }
        (from <= to).then_some([from, to])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::Shape;
    use crate::shape::Cuboid;

    #[test]
    fn a_box_has_its_faces_and_edges_where_they_belong() {
        let half = Vec3::new(1.0, 2.0, 3.0);
        let shape = Shape::Box(Cuboid::of_half(half));
        let rotation = UnitQuaternion::from_euler_angles(0.3, 0.5, -1.1);
        let placed = Placed { shape: &shape, position: Vec3::new(4.0, -1.0, 2.0), rotation };
        let cuboid = Convex::cuboid(&placed, &half);
        for (face, plane) in cuboid.planes.iter().enumerate() {
            let corners: Vec<_> = cuboid.corners(face).collect();
            assert_eq!(corners.len(), 4);
            assert!(corners.iter().all(|x| plane.height(x).abs() < 1e-14));
            let around = (corners[1] - corners[0]).cross(&(corners[2] - corners[1]));
            assert!(around.dot(&plane.normal) > 0.0, "face {face} turns the wrong way");
        }
        for edge in BOX.edges {
            for face in edge.faces {
                let on_face = |x: &Vec3| cuboid.planes[face as usize].height(x).abs() < 1e-14;
                assert!(cuboid.ends(edge).iter().all(on_face), "{edge:?}");
            }
        }
        let outside = placed.to_space(&Vec3::new(0.5, 5.0, 4.0));
        let found = placed.to_own(&cuboid.nearest_to(&outside));
        assert!((found - Vec3::new(0.5, 2.0, 3.0)).norm() < 1e-13);
    }
}

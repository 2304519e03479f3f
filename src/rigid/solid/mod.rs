//! Convex hulls and closed meshes. All ranks share the table of them.
//!
//! The own frame of a solid has its origin at the centre of mass and the principal axes of inertia
//! as axes. Volume, centre and moments are sums over tetrahedra from one point to each triangle
//! (divergence theorem). They are exact for any such point.

mod crossings;
mod hull;
mod surface;

use nalgebra::{Rotation3, UnitQuaternion};

pub use self::surface::ClosedMesh;
use crate::error::{Error, Result};
use crate::math::{Mat3, Vec3};
use crate::mesh::Mesh;
use crate::rigid::body::Placed;
pub use crate::rigid::mass::MassProperties;
use crate::rigid::narrow::convex::{Convex, Edge, Plane, Topology};
use crate::rigid::shape::{Feature, Shape, SolidId};

/// All solids of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solids {
    solids: Vec<Solid>,
}

/// A solid in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// The hull or mesh, in the own frame.
    pub geometry: Geometry,
    /// Volume, m^3.
    pub volume: f64,
    /// Principal moments of inertia at density 1 kg/m^3, kg m^2.
    pub moments: Vec3,
    /// Radius of the smallest sphere about the centre of mass that contains the solid, m.
    pub reach: f64,
}

/// The geometry of a solid.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A convex hull.
    Hull(Hull),
    /// A closed surface of triangles.
    Mesh(ClosedMesh),
}

/// A convex polytope in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    planes: Vec<Plane>,
    face_starts: Vec<u32>,
    face_vertices: Vec<u32>,
    edges: Vec<Edge>,
}

/// The own frame of a solid, in the coordinates of the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Centre of mass, m.
    pub origin: Vec3,
    /// Rotation from the own frame to the input coordinates.
    pub rotation: UnitQuaternion<f64>,
}

impl Solids {
    /// Adds a solid and returns its id.
    pub fn add(&mut self, solid: Solid) -> SolidId {
        self.solids.push(solid);
        self.solids.len() as SolidId - 1
    }

    /// Replaces a solid by one in each of the balls with the radii `reaches` (m). Returns them with
    /// these radii; the first one has the id of the replaced solid.
    pub fn resize(&mut self, id: SolidId, reaches: &[f64]) -> Vec<(f64, SolidId)> {
        let solid = self.get(id).clone();
        let add = |(place, &reach): (usize, &f64)| {
            let scaled = solid.scaled(reach);
            if place > 0 {
                return (reach, self.add(scaled));
            }
            self.solids[id as usize] = scaled;
            (reach, id)
        };
        reaches.iter().enumerate().map(add).collect()
    }

    /// All solids, indexed by id.
    pub fn all(&self) -> &[Solid] {
        &self.solids
    }

    /// The solid with this id. Panics if there is none.
    pub fn get(&self, id: SolidId) -> &Solid {
        &self.solids[id as usize]
    }

    /// The radius of the smallest sphere about the centre of mass that contains `shape`, m.
    #[inline]
    pub fn reach(&self, shape: &Shape) -> f64 {
        shape.reach(|id| self.get(id).reach)
    }

    /// Half of the smallest width of `shape`, m. For a solid it is a lower bound.
    pub fn half_width(&self, shape: &Shape) -> f64 {
        // A solid of width w in a ball of radius r has at most the volume pi r^2 w.
        let width =
            |solid: &Solid| solid.volume / (std::f64::consts::TAU * solid.reach * solid.reach);
        shape.half_width(|id| width(self.get(id)))
    }

    /// Mass (kg) and principal moments of inertia (kg m^2) of `shape` at `density` (kg/m^3).
    pub fn mass_properties(&self, shape: &Shape, density: f64) -> MassProperties {
        shape.mass_properties(density, |id| {
            let solid = self.get(id);
            MassProperties { mass: density * solid.volume, inertia: solid.moments * density }
        })
    }
}

impl Solid {
    /// The convex hull of `points` (m), and its own frame.
    ///
    /// # Errors
    /// When the points do not span a volume. `at` names the input.
    pub fn hull(points: &[Vec3], at: &str) -> Result<(Self, Frame)> {
        let triangles = hull::triangles(points, at)?;
        let (volume, moments, frame) = integrals(points, &triangles, at)?;
        let own: Vec<Vec3> = points.iter().map(|x| frame.to_own(x)).collect();
        let hull = Hull::new(&own, &triangles);
        let reach = farthest(&hull.vertices);
        Ok((Self { geometry: Geometry::Hull(hull), volume, moments, reach }, frame))
    }

    /// The solid inside a closed mesh (positions in m), and its own frame.
    ///
    /// # Errors
    /// When the mesh has no faces or encloses no volume, or when an edge does not have exactly two
    /// faces of consistent orientation. `at` names the input.
    pub fn mesh(mesh: &Mesh, at: &str) -> Result<(Self, Frame)> {
        surface::check_closed(mesh, at)?;
        let (volume, moments, frame) = integrals(&mesh.positions, &mesh.faces, at)?;
        let positions = mesh.positions.iter().map(|x| frame.to_own(x)).collect();
        let closed = ClosedMesh::new(Mesh { positions, faces: mesh.faces.clone() });
        let reach = farthest(&closed.mesh().positions);
        Ok((Self { geometry: Geometry::Mesh(closed), volume, moments, reach }, frame))
    }

    /// The solid, scaled about its centre of mass to fill a ball of radius `reach` (m).
    fn scaled(&self, reach: f64) -> Self {
        let factor = reach / self.reach;
        let properties = MassProperties { mass: self.volume, inertia: self.moments };
        let MassProperties { mass: volume, inertia: moments } = properties.scaled(factor);
        let geometry = match &self.geometry {
            Geometry::Hull(hull) => Geometry::Hull(hull.scaled(factor)),
            Geometry::Mesh(closed) => Geometry::Mesh(closed.scaled(factor)),
        };
        Self { geometry, volume, moments, reach }
    }

    /// The support function: the corner that is farthest along `direction`, m.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        let farther = |best: &Vec3, x: &Vec3| direction.dot(x) > direction.dot(best);
        let corners = self.vertices();
        corners.iter().fold(corners[0], |best, x| if farther(&best, x) { *x } else { best })
    }

    /// As [`ShapeKind::feature`](crate::rigid::shape::ShapeKind::feature), m. A closed mesh gives
    /// one corner.
    pub fn feature(&self, direction: &Vec3) -> Feature {
        match &self.geometry {
            Geometry::Hull(hull) => hull.feature(direction, self.support(direction)),
            Geometry::Mesh(_) => Feature::from_iter([self.support(direction)]),
        }
    }

    /// The corners of the solid in its own frame, m.
    pub fn vertices(&self) -> &[Vec3] {
        match &self.geometry {
            Geometry::Hull(hull) => &hull.vertices,
            Geometry::Mesh(closed) => &closed.mesh().positions,
        }
    }
}

impl Frame {
    fn to_own(self, x: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(x - self.origin))
    }
}

impl Hull {
    /// The hull at the pose of `body`.
    pub fn placed(&self, body: &Placed) -> Convex<'_> {
        let plane = |plane: &Plane| {
            let normal = body.rotation.transform_vector(&plane.normal);
            Plane { normal, offset: plane.offset + normal.dot(&body.position) }
        };
        Convex {
            vertices: self.vertices.iter().map(|x| body.to_space(x)).collect(),
            planes: self.planes.iter().map(plane).collect(),
            centre: body.position,
            topology: Topology {
                face_starts: &self.face_starts,
                face_vertices: &self.face_vertices,
                edges: &self.edges,
            },
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.vertices.iter_mut().for_each(|x| *x *= factor);
        scaled.planes.iter_mut().for_each(|plane| plane.offset *= factor);
        scaled
    }

    /// The vertices of each face in order around it, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        self.face_starts.windows(2).map(|two| &self.face_vertices[two[0] as usize..two[1] as usize])
    }
}

fn farthest(points: &[Vec3]) -> f64 {
    points.iter().map(|x| x.norm()).fold(0.0, f64::max)
}

/// Volume (m^3), principal moments of inertia (kg m^2) at density 1 kg/m^3, and the own frame.
///
/// # Errors
/// When the surface encloses no volume. `at` names the input.
fn integrals(points: &[Vec3], faces: &[[u32; 3]], at: &str) -> Result<(f64, Vec3, Frame)> {
    let apex = points[faces[0][0] as usize];
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize] - apex);
        let six = a.dot(&b.cross(&c));
        let sum = a + b + c;
        volume += six / 6.0;
        first += sum * (six / 24.0);
        let squares =
            sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += squares * (six / 120.0);
    }
    let size = points.iter().map(|x| (x - apex).norm()).fold(0.0, f64::max);
    if volume <= 1e-12 * size * size * size {
        let cause = format!("the surface encloses {volume} m^3");
        let remedy = "let its faces turn counter-clockwise seen from outside, around a volume";
        return Err(Error::input(at, cause, remedy));
    }
    let centre = first / volume;
    let about_centre = second - centre * centre.transpose() * volume;
    let inertia = Mat3::from_diagonal_element(about_centre.trace()) - about_centre;
    let (moments, axes) = principal(&inertia);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    Ok((volume, moments, Frame { origin: apex + centre, rotation }))
}

/// The eigenvalues of a symmetric matrix, and a rotation whose columns are its eigenvectors. The
/// method is Jacobi's (Golub & Van Loan 2013, section 8.5).
fn principal(matrix: &Mat3) -> (Vec3, Mat3) {
    let (mut a, mut axes) = (*matrix, Mat3::identity());
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[(p, q)].abs() <= 1e-15 * a.trace().abs() {
                continue;
            }
            let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut turn = Mat3::identity();
            (turn[(p, p)], turn[(q, q)]) = (c, c);
            (turn[(p, q)], turn[(q, p)]) = (t * c, -t * c);
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    (a.diagonal(), axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;
    use crate::mesh::shapes::{Cuboid, ShapeKind};
    use crate::rigid::shape::{self, Capsule};

    fn corners(half: Vec3) -> Vec<Vec3> {
        let sign = |c: u32, i: u32| if c >> i & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |c| Vec3::new(sign(c, 0), sign(c, 1), sign(c, 2)).component_mul(&half);
        (0..8).map(corner).collect()
    }

    fn sorted(moments: Vec3) -> [f64; 3] {
        let mut sorted: [f64; 3] = moments.into();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    #[test]
    fn a_turned_box_has_the_closed_form_as_hull_and_as_mesh() {
        let half = Vec3::new(0.3, 0.5, 0.2);
        let turn = rotation(Vec3::new(1.0, 2.0, -0.5), 40.0);
        let place = |x: &Vec3| turn * x + Vec3::new(3.0, -2.0, 5.0);
        let mut mesh = Cuboid { size_m: (half * 2.0).into(), edge_m: None }.mesh();
        let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
        mesh.positions.iter_mut().for_each(|x| *x = place(&(*x - middle)));
        let points: Vec<Vec3> = corners(half).iter().map(place).collect();
        let expected =
            Solids::default().mass_properties(&Shape::Box(shape::Cuboid::of_half(half)), 1.0);
        for (solid, frame) in
            [Solid::hull(&points, "points").unwrap(), Solid::mesh(&mesh, "mesh").unwrap()]
        {
            assert!((solid.volume / expected.mass - 1.0).abs() < 1e-12);
            let (a, b) = (sorted(solid.moments), sorted(expected.inertia));
            assert!((0..3).all(|i| (a[i] / b[i] - 1.0).abs() < 1e-12), "{a:?} {b:?}");
            assert!((frame.origin - Vec3::new(3.0, -2.0, 5.0)).norm() < 1e-12);
            assert!((solid.reach - half.norm()).abs() < 1e-12);
            // In the own frame the half-widths along the axes are those of the box.
            if let Geometry::Hull(hull) = &solid.geometry {
                let high = hull.vertices.iter().fold(Vec3::zeros(), |high, x| high.sup(x));
                let (a, b) = (sorted(high), sorted(half));
                assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-9), "{a:?} {b:?}");
                assert_eq!((hull.faces().count(), hull.edges.len()), (6, 12));
            }
        }
    }

    #[test]
    fn a_regular_tetrahedron_has_the_closed_form() {
        let points = [
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(1.0, -1.0, -1.0),
            Vec3::new(-1.0, 1.0, -1.0),
            Vec3::new(-1.0, -1.0, 1.0),
            Vec3::zeros(),
        ];
        let (solid, _) = Solid::hull(&points, "points").unwrap();
        // Edge s: volume s^3 / (6 sqrt 2), moment m s^2 / 20.
        let s = 8.0_f64.sqrt();
        let volume = s * s * s / (6.0 * 2.0_f64.sqrt());
        assert!((solid.volume - volume).abs() < 1e-12);
        assert!((solid.moments - Vec3::repeat(volume * s * s / 20.0)).norm() < 1e-12);
    }

    #[test]
    fn a_capsule_is_that_of_a_fine_sum_of_discs() {
        let (half_length, radius) = (0.7, 0.3);
        let shape = Shape::Capsule(Capsule { radius_m: radius, length_m: 2.0 * half_length });
        let found = Solids::default().mass_properties(&shape, 1000.0);
        let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
        let slices = 200_000;
        let end = half_length + radius;
        for i in 0..slices {
            let y = -end + 2.0 * end * (f64::from(i) + 0.5) / f64::from(slices);
            let beyond = (y.abs() - half_length).max(0.0);
            let square = radius * radius - beyond * beyond;
            let m = 1000.0 * std::f64::consts::PI * square * 2.0 * end / f64::from(slices);
            mass += m;
            along += m * square / 2.0;
            across += m * (square / 4.0 + y * y);
        }
        assert!((found.mass / mass - 1.0).abs() < 1e-8);
        assert!((found.inertia.y / along - 1.0).abs() < 1e-8);
        assert!((found.inertia.x / across - 1.0).abs() < 1e-8);
    }

    #[test]
    fn points_in_a_plane_and_open_or_inverted_meshes_are_refused() {
        let flat: Vec<Vec3> = corners(Vec3::new(1.0, 1.0, 0.0));
        assert!(Solid::hull(&flat, "points").is_err());
        assert!(Solid::hull(&flat[..2], "points").is_err());
        let cube = Cuboid { size_m: [1.0; 3], edge_m: None }.mesh();
        assert!(Solid::mesh(&cube, "mesh").is_ok());
        let mut open = cube.clone();
        open.faces.pop();
        assert!(Solid::mesh(&open, "mesh").is_err());
        let mut inverted = cube.clone();
        inverted.faces.iter_mut().for_each(|face| face.swap(0, 1));
        assert!(Solid::mesh(&inverted, "mesh").is_err());
        let mut one_turned = cube;
        one_turned.faces[0].swap(0, 1);
        assert!(Solid::mesh(&one_turned, "mesh").is_err());
    }
}

//! A rigid body as the step of cloth sees it.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `c`, `q` | m, - | centre of mass, rotation from the own frame (unit quaternion) |
//! | `v`, `omega` | m/s, rad/s | velocity of the centre, angular velocity |
//! | `m`, `I` | kg, kg m^2 | mass, inertia in space |
//! | `rho = sqrt(I_max / m)` | m | its length: `I_max` is the largest principal moment |
//! | `r` | m | arm of a point, from the centre |
//! | `theta` | rad | the turn of a step, `h omega` |
//!
//! The unknowns are `v` and `rho omega`. Both are m/s, so that norms of the solver and of impulses
//! mean something. A point then moves at `v + (rho omega) x (r / rho)`, and the second mass is
//! `I / rho^2`.
//!
//! A point of a body that turns does not go straight: its way in a step is `2 tan(theta / 2) a x s`,
//! with the axis `a` and the mean `s` of its arms at both ends. So arms are `s tan(theta / 2) /
//! (theta / 2)`, and the way by the expected turn is exact. What the solve changes of the turn is
//! linearised. The inertia is that in the middle of the turn.
//!
//! Source: ours.

use nalgebra::{Quaternion, Unit, UnitQuaternion};

use crate::bodies::body::{Body, BodyPose};
use crate::bodies::rigid::mass::{Frame, MassProperties, check_closed, integrals};
use crate::bodies::rigid::rotation::{gyroscopic, is_isotropic, turned};
use cloth_core::linear::Jacobian;
use cloth_core::mesh::{Mesh, ObjDocument};
use cloth_core::{Mat3, Result, Vec3};

/// A rigid body with a closed surface of triangles, or a round one. Its coordinates are `c`, the
/// four components of `q` (real part last), and the factor of the arms, which is 1 but in the
/// middle of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    name: String,
    /// Its surface in the own frame, m.
    mesh: Mesh,
    /// What stands for it in contacts, if it is round. The surface is only shown then.
    core: Option<Core>,
    mass_kg: f64,
    /// Principal moments, kg m^2.
    inertia: Vec3,
    /// `rho`, m.
    length_m: f64,
    /// Its own frame at t = 0.
    frame: Frame,
    /// The rotation from the own frame to that of the shape that the user knows.
    shape_rotation: UnitQuaternion<f64>,
    velocity: Vec3,
    angular_velocity: Vec3,
}

/// The centre of a ball or the axis of a capsule.
#[derive(Debug, Clone, PartialEq)]
struct Core {
    /// One or two vertices in the own frame, m, and a face with them as corners.
    mesh: Mesh,
    radius_m: f64,
}

/// The pose of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pose {
    centre: Vec3,
    rotation: UnitQuaternion<f64>,
    /// The factor of arms.
    factor: f64,
}

impl Pose {
    fn of(coordinates: &[f64]) -> Self {
        let q = &coordinates[3..7];
        Self {
            centre: Vec3::from_column_slice(&coordinates[..3]),
            rotation: Unit::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2])),
            factor: coordinates[7],
        }
    }

    fn coordinates(&self) -> Vec<f64> {
        let q = self.rotation.coords.iter();
        self.centre.iter().chain(q).copied().chain([self.factor]).collect()
    }
}

impl RigidBody {
    /// The homogeneous body of `density` (kg/m^3) inside the closed surface `mesh`, which lies in
    /// space as at t = 0 (positions in m). It is at rest.
    ///
    /// # Errors
    /// When the surface is not closed or encloses no volume. `name` says where.
    pub fn new(name: &str, mesh: &Mesh, density: f64) -> Result<Self> {
        check_closed(mesh, name)?;
        let (volume, moments, frame) = integrals(&mesh.positions, &mesh.faces, name)?;
        let positions = mesh.positions.iter().map(|x| frame.to_own(x)).collect();
        let mesh = Mesh { positions, faces: mesh.faces.clone() };
        let properties = MassProperties { mass: volume * density, inertia: moments * density };
        Ok(Self::with_mass(name, mesh, properties, frame))
    }

    /// The body with the surface `mesh` (m) in its own frame, whose axes are the principal ones. The
    /// `frame` is in space at t = 0. It is at rest.
    pub fn with_mass(name: &str, mesh: Mesh, properties: MassProperties, frame: Frame) -> Self {
        let MassProperties { mass, inertia } = properties;
        Self {
            name: name.to_owned(),
            mesh,
            core: None,
            mass_kg: mass,
            inertia,
            length_m: (inertia.max() / mass).sqrt(),
            frame,
            shape_rotation: frame.rotation,
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
        }
    }

    /// The body, whose poses are those of a shape. `shape_rotation` is from the own frame to it.
    pub fn of_shape(self, shape_rotation: UnitQuaternion<f64>) -> Self {
        Self { shape_rotation, ..self }
    }

    /// The body as all points within `radius_m` (m) of one point, a ball, or of the edge between
    /// two, a capsule. They are at `ends` (m) in its own frame. Its mesh, which should not exceed
    /// this, is only shown.
    pub fn round(self, ends: Vec<Vec3>, radius_m: f64) -> Self {
        let last = ends.len() as u32 - 1;
        let mesh = Mesh { positions: ends, faces: vec![[0, last, last]] };
        Self { core: Some(Core { mesh, radius_m }), ..self }
    }

    /// The body with a `velocity` (m/s) and an `angular_velocity` (rad/s) at t = 0.
    pub fn moving(self, velocity: Vec3, angular_velocity: Vec3) -> Self {
        Self { velocity, angular_velocity, ..self }
    }

    /// What meets other surfaces, in the own frame (m).
    fn touching(&self) -> &Mesh {
        self.core.as_ref().map_or(&self.mesh, |core| &core.mesh)
    }

    /// Writes the `own` positions (m) to `x` as they are in space.
    fn place_all(coordinates: &[f64], own: &[Vec3], x: &mut [Vec3]) {
        let Pose { centre, rotation, .. } = Pose::of(coordinates);
        let axes = rotation.to_rotation_matrix().into_inner();
        for (x, own) in x.iter_mut().zip(own) {
            *x = centre + axes * own;
        }
    }

    /// The triangles that frames show.
    pub fn shown_faces(&self) -> &[[u32; 3]] {
        &self.mesh.faces
    }

    /// Its surface, for frames.
    pub fn document(&self) -> ObjDocument {
        ObjDocument::from_triangles(self.mesh.positions.clone(), &self.mesh.faces)
    }

    /// Its mass, kg.
    pub fn mass_kg(&self) -> f64 {
        self.mass_kg
    }

    /// Its angular velocity (rad/s), where its nodes have the velocities `u` (m/s).
    pub fn angular_velocity(&self, u: &[Vec3]) -> Vec3 {
        u[1] / self.length_m
    }

    /// The inertia of `rho omega`, kg.
    fn inertia_at(&self, rotation: &UnitQuaternion<f64>) -> Mat3 {
        let axes = rotation.to_rotation_matrix().into_inner();
        let moments = self.inertia / (self.length_m * self.length_m);
        axes * Mat3::from_diagonal(&moments) * axes.transpose()
    }
}

impl Body for RigidBody {
    fn name(&self) -> &str {
        &self.name
    }

    fn faces(&self) -> &[[u32; 3]] {
        &self.touching().faces
    }

    fn vertex_count(&self) -> usize {
        self.touching().positions.len()
    }

    fn radius_m(&self) -> f64 {
        self.core.as_ref().map_or(0.0, |core| core.radius_m)
    }

    fn shown(&self, coordinates: &[f64]) -> Vec<Vec3> {
        let mut x = vec![Vec3::zeros(); self.mesh.positions.len()];
        Self::place_all(coordinates, &self.mesh.positions, &mut x);
        x
    }

    fn node_count(&self) -> usize {
        2
    }

    fn start(&self) -> (Vec<f64>, Vec<Vec3>) {
        let Frame { origin: centre, rotation } = self.frame;
        let u = vec![self.velocity, self.angular_velocity * self.length_m];
        (Pose { centre, rotation, factor: 1.0 }.coordinates(), u)
    }

    fn pose(&self, coordinates: &[f64], u: &[Vec3]) -> Option<BodyPose> {
        let Pose { centre, rotation, .. } = Pose::of(coordinates);
        Some(BodyPose {
            centre,
            rotation: rotation * self.shape_rotation.inverse(),
            velocity: u[0],
            angular_velocity: self.angular_velocity(u),
        })
    }

    fn place(&self, coordinates: &[f64], x: &mut [Vec3]) {
        Self::place_all(coordinates, &self.touching().positions, x);
    }

    fn moved(&self, coordinates: &[f64], u: &[Vec3], h: f64) -> Vec<f64> {
        let Pose { centre, rotation, .. } = Pose::of(coordinates);
        let turn = self.angular_velocity(u) * h;
        // A turn of zero changes no bit.
        let rotation = if turn == Vec3::zeros() { rotation } else { turned(&rotation, &turn) };
        Pose { centre: centre + u[0] * h, rotation, factor: 1.0 }.coordinates()
    }

    fn middle(&self, coordinates: &[f64], u: &[Vec3], h: f64) -> Vec<f64> {
        let mut middle = self.moved(coordinates, u, 0.5 * h);
        let half = 0.5 * self.turn(u, h);
        // A larger turn is redone in smaller steps, so any finite number does.
        if half > 0.0 && half < 1.0 {
            middle[7] = libm::tan(half) / half;
        }
        middle
    }

    fn turn(&self, u: &[Vec3], h: f64) -> f64 {
        self.angular_velocity(u).norm() * h
    }

    fn turn_of(&self, node: usize) -> Option<f64> {
        (node == 1).then(|| 1.0 / self.length_m)
    }

    fn jacobian(&self, middle: &[f64], node: usize, weight: f64, weighted: &Vec3) -> Jacobian {
        let Pose { centre, factor, .. } = Pose::of(middle);
        match node {
            0 => Jacobian::Weight(weight),
            _ => Jacobian::Arm((weighted - centre * weight) * (factor / self.length_m)),
        }
    }

    fn mass(&self, middle: &[f64], node: usize) -> Mat3 {
        match node {
            0 => Mat3::from_diagonal_element(self.mass_kg),
            _ => self.inertia_at(&Pose::of(middle).rotation),
        }
    }

    fn flown(&self, coordinates: &[f64], u: &[Vec3], gravity: &Vec3, h: f64) -> Vec<Vec3> {
        let rotation = Pose::of(coordinates).rotation;
        let spin = if is_isotropic(&self.inertia) || u[1] == Vec3::zeros() {
            u[1]
        } else {
            let own = rotation.inverse_transform_vector(&self.angular_velocity(u));
            rotation.transform_vector(&gyroscopic(&self.inertia, own, h)) * self.length_m
        };
        vec![u[0] + gravity * h, spin]
    }

    fn energy(&self, coordinates: &[f64], u: &[Vec3], gravity: &Vec3) -> f64 {
        let Pose { centre, rotation, .. } = Pose::of(coordinates);
        let kinetic =
            self.mass_kg * u[0].norm_squared() + u[1].dot(&(self.inertia_at(&rotation) * u[1]));
        0.5 * kinetic - self.mass_kg * gravity.dot(&centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::mesh::shapes::{Cuboid, ShapeKind};

    /// A plate of 1 kg that spins about its middle axis, almost.
    fn top() -> RigidBody {
        let mesh = Cuboid { size_m: [0.1, 0.2, 0.3], edge_m: None }.mesh();
        let top = RigidBody::new("top", &mesh, 1.0 / 0.006).unwrap();
        top.moving(Vec3::new(0.3, 2.0, -0.1), Vec3::new(0.01, 10.0, 0.01))
    }

    fn fly(top: &RigidBody, (at, u): &mut (Vec<f64>, Vec<Vec3>), h: f64) {
        *u = top.flown(at, u, &Vec3::zeros(), h);
        *at = top.moved(at, u, h);
    }

    #[test]
    fn the_mass_of_a_box_is_that_of_the_closed_form() {
        let top = top();
        assert!((top.mass_kg() - 1.0).abs() < 1e-14);
        let expected = [0.13, 0.10, 0.05].map(|square| square / 12.0);
        let (at, u) = top.start();
        let moments = top.inertia_at(&Pose::of(&at).rotation) * top.length_m * top.length_m;
        assert!((moments - Mat3::from_diagonal(&Vec3::from(expected))).norm() < 1e-15);
        assert!((top.angular_velocity(&u) - top.angular_velocity).norm() < 1e-14);
    }

    #[test]
    fn a_free_top_keeps_its_energy_and_flips_in_the_right_time() {
        let top = top();
        // Returns the times at which the spin changes its sign in the own frame, s.
        let flips = |h: f64| {
            let (mut state, mut flips, mut sign) = (top.start(), Vec::new(), 1.0);
            let energy = |(at, u): &(Vec<f64>, Vec<Vec3>)| top.energy(at, u, &Vec3::zeros());
            let before = energy(&state);
            let steps = (10.0 / h).round() as usize;
            for step in 0..steps {
                fly(&top, &mut state, h);
                let middle = top.frame.rotation.inverse_transform_vector(&Vec3::y());
                let own = Pose::of(&state.0).rotation.inverse_transform_vector(&state.1[1]);
                if sign * own.dot(&middle) < 0.0 {
                    sign = -sign;
                    flips.push((step + 1) as f64 * h);
                }
            }
            let change = energy(&state) / before - 1.0;
            assert!(change.abs() < 1e-12, "{h} s: {change:e}");
            flips
        };
        let (coarse, fine) = (flips(0.01), flips(0.0005));
        assert!(fine.len() == 3 && coarse.len() == 3, "{coarse:?} {fine:?}");
        let period = |flips: &[f64]| (flips[flips.len() - 1] - flips[0]) / (flips.len() - 1) as f64;
        assert!((period(&coarse) / period(&fine) - 1.0).abs() < 0.01, "{coarse:?} {fine:?}");
    }

    #[test]
    fn a_turn_takes_points_where_their_jacobians_say() {
        let top = top();
        let (at, mut u) = top.start();
        u[1] = Vec3::new(1.0, -2.0, 1.5);
        let h = 0.02;
        let (end, middle) = (top.moved(&at, &u, h), top.middle(&at, &u, h));
        let mut x = [(); 2].map(|()| vec![Vec3::zeros(); top.vertex_count()]);
        for (x, at) in x.iter_mut().zip([&at, &end]) {
            top.place(at, x);
        }
        assert!(top.turn(&u, h) > 0.3);
        for (x0, x1) in x[0].iter().zip(&x[1]) {
            let mean = (x0 + x1) * 0.5;
            let way = |node: usize| top.jacobian(&middle, node, 1.0, &mean).times(&u[node]) * h;
            assert!((x1 - x0 - way(0) - way(1)).norm() < 1e-15);
        }
    }
}

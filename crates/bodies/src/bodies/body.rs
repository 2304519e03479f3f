//! A body of few nodes: the trait through which the step uses it.

use nalgebra::{Quaternion, Unit, UnitQuaternion};

use cloth_core::linear::Jacobian;
use cloth_core::{Mat3, Vec3, VertexId};

/// Where a rigid body is, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPose {
    /// Centre of mass, m.
    pub centre: Vec3,
    /// The rotation of its shape, as the user gave it.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3,
}

impl BodyPose {
    /// At the origin, not turned and at rest.
    pub const AT_REST: Self = Self {
        centre: Vec3::new(0.0, 0.0, 0.0),
        rotation: Unit::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        velocity: Vec3::new(0.0, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// A body whose surface follows a few nodes. Each node is a velocity of three numbers in the
/// linear system, in m/s. The first is the velocity of the centre of mass. A rigid body has a
/// second one, its angular velocity times a length of its own (see [`RigidBody`]).
///
/// [`RigidBody`]: crate::bodies::rigid::RigidBody
///
/// Its state has two parts. `coordinates` are numbers whose meaning only the body knows (for a
/// rigid body, centre and orientation). `u` has one velocity for each node. All functions are
/// pure: every rank calls them with the same numbers and gets the same bits.
///
/// `Model::with_bodies` takes bodies. The example `ball` has one that moves and does not turn.
pub trait Body: Send + Sync {
    /// Its name, unique in the scene.
    fn name(&self) -> &str;

    /// The triangles of its surface, counter-clockwise seen from outside, over its own vertices. A
    /// round body has one, whose corners are its vertices.
    fn faces(&self) -> &[[u32; 3]];

    /// Number of its vertices.
    fn vertex_count(&self) -> usize;

    /// The radius of a round body, m. It is all points within this distance of its vertices: of the
    /// one vertex of a ball, or of the edge between the two of a capsule. 0 for a surface of
    /// triangles.
    fn radius_m(&self) -> f64 {
        0.0
    }

    /// The positions (m) of the vertices that frames show: those of its surface, if it is not
    /// round.
    fn shown(&self, coordinates: &[f64]) -> Vec<Vec3> {
        let mut x = vec![Vec3::zeros(); self.vertex_count()];
        self.place(coordinates, &mut x);
        x
    }

    /// Number of its nodes, 1 or 2. A contact has no room for more.
    fn node_count(&self) -> usize;

    /// Coordinates and velocities of the nodes at t = 0.
    fn start(&self) -> (Vec<f64>, Vec<Vec3>);

    /// Its pose at these coordinates and velocities of the nodes. None if it has none.
    fn pose(&self, _coordinates: &[f64], _u: &[Vec3]) -> Option<BodyPose> {
        None
    }

    /// Writes the positions (m) of its vertices to `x`, which has one entry for each.
    fn place(&self, coordinates: &[f64], x: &mut [Vec3]);

    /// The coordinates after a time `h` (s) at the velocities `u`. If `u` is zero, they must have
    /// the same bits, because the fail-safe stops a body by a motion of zero.
    fn moved(&self, coordinates: &[f64], u: &[Vec3], h: f64) -> Vec<f64>;

    /// The coordinates in the middle of a step of `h` (s) at the velocities `u`, as `jacobian` and
    /// `mass` take them.
    fn middle(&self, coordinates: &[f64], u: &[Vec3], h: f64) -> Vec<f64> {
        self.moved(coordinates, u, 0.5 * h)
    }

    /// The angle by which it turns in a time `h` (s) at the velocities `u`, rad.
    fn turn(&self, _u: &[Vec3], _h: f64) -> f64 {
        0.0
    }

    /// The angular velocity that a velocity of 1 m/s of node `node` is, 1/m. None if it does not turn
    /// the body.
    fn turn_of(&self, _node: usize) -> Option<f64> {
        None
    }

    /// How node `node` moves a point of its surface in a step with this `middle`, times `weight`.
    /// The point is a weighted sum of vertices: `weight` is the sum of the weights (1 or -1),
    /// `weighted` the weighted sum of the means of their positions at both ends of the step (m).
    fn jacobian(&self, middle: &[f64], node: usize, weight: f64, weighted: &Vec3) -> Jacobian;

    /// The mass of a node, kg: the diagonal block of the node in the matrix, symmetric positive
    /// definite. No mass couples two nodes.
    fn mass(&self, middle: &[f64], node: usize) -> Mat3;

    /// The velocities `u` of its nodes after a time `h` (s) in which `gravity` (m/s^2) and its own
    /// motion change them, and nothing else.
    fn flown(&self, coordinates: &[f64], u: &[Vec3], gravity: &Vec3, h: f64) -> Vec<Vec3>;

    /// Its kinetic and gravitational energy, zero at rest at the origin, J.
    fn energy(&self, coordinates: &[f64], u: &[Vec3], gravity: &Vec3) -> f64;
}

/// A vertex of cloth that a body of few nodes carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The vertex, among those of all cloths.
    pub vertex: VertexId,
    /// The number of the body.
    pub body: usize,
    /// Where it is, seen from the pose of the body, m.
    pub point: Vec3,
}

impl Attachment {
    /// Its place in space (m) if the body is in this `pose`.
    pub fn place(&self, pose: &BodyPose) -> Vec3 {
        pose.centre + pose.rotation.transform_vector(&self.point)
    }
}

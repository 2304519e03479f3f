//! A body of few nodes: the trait through which the step uses it.

use crate::linear::Jacobian;
use crate::math::{Mat3, Vec3};

/// A body whose surface follows a few nodes. Each node is a velocity of three numbers in the
/// linear system. A rigid body has two, in this order: the velocity `v` of its centre of mass
/// (m/s), and its angular velocity `omega` (rad/s).
///
/// Its state has two parts. `coordinates` are numbers whose meaning only the body knows (for a
/// rigid body, centre and orientation). `u` has one velocity for each node. All functions are
/// pure: every rank calls them with the same numbers and gets the same bits.
///
/// `Model::with_bodies` takes bodies. Here is one that moves and does not turn:
///
#[doc = concat!("```\n", include_str!("../../examples/ball.rs"), "```\n")]
pub trait Body: Send + Sync {
    /// Its name, unique in the scene.
    fn name(&self) -> &str;

    /// The triangles of its surface, counter-clockwise seen from outside, over its own vertices.
    fn faces(&self) -> &[[u32; 3]];

    /// Number of its vertices.
    fn vertex_count(&self) -> usize;

    /// Number of its nodes, 1 or 2. A contact has no room for more.
    fn node_count(&self) -> usize;

    /// Coordinates and velocities of the nodes at t = 0.
    fn start(&self) -> (Vec<f64>, Vec<Vec3>);

    /// Writes the positions (m) of its vertices to `x`, which has one entry for each.
    fn place(&self, coordinates: &[f64], x: &mut [Vec3]);

    /// The coordinates after a time `h` (s) at the velocities `u`. If `u` is zero, they must have
    /// the same bits, because the fail-safe stops a body by a motion of zero.
    fn moved(&self, coordinates: &[f64], u: &[Vec3], h: f64) -> Vec<f64>;

    /// How node `node` moves a point of its surface, times `weight`. The point is a weighted sum of
    /// vertices: `weight` is the sum of the weights (1 or -1), `weighted` the sum of the weighted
    /// positions (m).
    fn jacobian(&self, coordinates: &[f64], node: usize, weight: f64, weighted: &Vec3) -> Jacobian;

    /// The mass of a node (kg), or the inertia of an angular velocity (kg m^2): the diagonal block
    /// of the node in the matrix, symmetric positive definite. No mass couples two nodes.
    fn mass(&self, coordinates: &[f64], node: usize) -> Mat3;

    /// The impulse that `gravity` (m/s^2) and the body's own motion give a node in a time `h` (s):
    /// N s, or N m s for an angular velocity.
    fn impulse(&self, coordinates: &[f64], u: &[Vec3], node: usize, gravity: &Vec3, h: f64)
    -> Vec3;

    /// Its kinetic and gravitational energy, zero at rest at the origin, J.
    fn energy(&self, coordinates: &[f64], u: &[Vec3], gravity: &Vec3) -> f64;
}

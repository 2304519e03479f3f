//! The two sides of a contact, as sums over the nodes of their bodies.
//!
//! A contact knows no kind of body. It asks for its [`Sides`]: the relative velocity of its two
//! points is `sum_i J_i u_i`, with the velocities `u_i` of nodes. Springs, friction, impulses and
//! effective masses follow from these sums.
//!
//! | body | nodes | J |
//! |---|---|---|
//! | cloth | each vertex | its weight `w` |
//! | rigid | velocity, angular velocity times a length `rho` (m) | `w`, `-[w r / rho]x` with the arm `r` (m), to the surface of a round side |
//! | prescribed | none: the velocities of its vertices are known | the weight `w` |

use cloth_collision::collision::Pair;
use cloth_core::linear::{Jacobian, MAX_TERMS};
use cloth_core::{Mat3, NodeId, Vec3};

/// The contribution of one node to the relative velocity of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The node. Numbers from the number of nodes on are the velocities of obstacle vertices.
    pub node: NodeId,
    /// How it moves its side, with the sign of the side.
    pub jacobian: Jacobian,
}

/// Both points of a contact. The first side's terms have positive weights, the second's negative
/// ones, so that their sum is the velocity of the first point relative to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sides {
    terms: [Term; MAX_TERMS],
    len: u8,
    first_side: u8,
}

impl Default for Sides {
    fn default() -> Self {
        let nothing = Term { node: 0, jacobian: Jacobian::Weight(0.0) };
        Self { terms: [nothing; MAX_TERMS], len: 0, first_side: 0 }
    }
}

impl Sides {
    /// Adds a term to the side that is being filled. There is room for [`MAX_TERMS`] in all.
    pub fn push(&mut self, node: NodeId, jacobian: Jacobian) {
        debug_assert!((self.len as usize) < MAX_TERMS);
        if let Some(term) = self.terms.get_mut(self.len as usize) {
            *term = Term { node, jacobian };
            self.len += 1;
        }
    }

    /// Ends the first side: the terms that follow are the second's.
    pub fn end_first(&mut self) {
        self.first_side = self.len;
    }

    /// The sides whose points are weighted sums of vertices, each with a node of its own.
    pub fn of_weights(nodes: &[NodeId; 4], weights: &[f64; 4], first_side: usize) -> Self {
        let mut sides = Self::default();
        for (a, (&node, &weight)) in nodes.iter().zip(weights).enumerate() {
            if a == first_side {
                sides.end_first();
            }
            sides.push(node, Jacobian::Weight(weight));
        }
        sides
    }

    /// The terms of the first, then of the second side.
    pub fn terms(&self) -> &[Term] {
        &self.terms[..self.len as usize]
    }

    /// Number of terms of the first side.
    pub fn first_side(&self) -> usize {
        self.first_side as usize
    }

    /// The relative velocity of the two points, m/s, where nodes move at `velocity`.
    pub fn velocity(&self, velocity: impl Fn(NodeId) -> Vec3) -> Vec3 {
        // A loop, because the compiler does not always inline a sum of vectors.
        let mut sum = Vec3::zeros();
        for term in self.terms() {
            sum += term.jacobian.times(&velocity(term.node));
        }
        sum
    }

    /// `max(sum_i n . J_i M_i^-1 J_i^T n, 1 / M)`, 1/kg: the speed of separation that a unit
    /// impulse along the unit vector `n` gives the points. Its inverse is the effective mass. Zero
    /// if no node can move.
    ///
    /// `M` is the mass of all free nodes with a weight. Without this bound the sum vanishes as the
    /// weight moves to prescribed nodes. A free corner of weight 1e-3 in a pinned face would have
    /// the effective mass of a million corners, and contacts push in proportion to it. With the
    /// bound the push on such a corner vanishes with its weight. The bound does not act if all
    /// nodes of a side are free, because the weights of a side add up to one. So a body of few
    /// nodes, which is always free, is not part of `M`.
    pub fn inverse_mass(&self, n: &Vec3, inverse_mass: impl Fn(NodeId) -> InverseMass) -> f64 {
        let (mut inverse, mut free_mass) = (0.0, 0.0);
        for term in self.terms() {
            let of_node = inverse_mass(term.node);
            let share = of_node.along(&term.jacobian, n);
            inverse += share;
            if share > 0.0 {
                free_mass += of_node.mass();
            }
        }
        if free_mass > 0.0 { f64::max(inverse, 1.0 / free_mass) } else { 0.0 }
    }
}

/// The inverse mass of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InverseMass {
    /// The inverse mass of a cloth vertex, 1/kg. Zero if the vertex is prescribed.
    Scalar(f64),
    /// For a node of a body, 1/kg. It has a direction for an angular velocity.
    Tensor(Mat3),
}

impl InverseMass {
    /// `n . J M^-1 J^T n`.
    fn along(&self, jacobian: &Jacobian, n: &Vec3) -> f64 {
        match (self, jacobian) {
            (Self::Scalar(inverse), Jacobian::Weight(weight)) => weight * weight * inverse,
            _ => n.dot(&jacobian.times(&self.response(jacobian, n))),
        }
    }

    /// `M^-1 J^T p`: the change of the node's velocity (m/s) by the impulse `p` (N s) at its point.
    pub fn response(&self, jacobian: &Jacobian, p: &Vec3) -> Vec3 {
        match (self, jacobian) {
            (Self::Scalar(inverse), Jacobian::Weight(weight)) => p * (weight * inverse),
            (Self::Scalar(inverse), _) => jacobian.transpose_times(p, *inverse),
            (Self::Tensor(inverse), _) => inverse * jacobian.transpose_times(p, 1.0),
        }
    }

    /// The mean over all directions, 1/kg.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Scalar(inverse) => *inverse,
            Self::Tensor(inverse) => inverse.trace() / 3.0,
        }
    }

    /// That of a cloth vertex on which `mass_kg` (kg) lies. A body and a prescribed vertex stay.
    pub fn laden(self, mass_kg: f64) -> Self {
        match self {
            Self::Scalar(inverse) => Self::Scalar(inverse / (1.0 + inverse * mass_kg)),
            Self::Tensor(_) => self,
        }
    }

    /// The mass of a cloth vertex, kg. A body counts as infinitely heavy.
    fn mass(&self) -> f64 {
        match self {
            Self::Scalar(inverse) => 1.0 / inverse,
            Self::Tensor(_) => f64::INFINITY,
        }
    }

    /// That of one of `sharers` equal parts of a body.
    pub fn shared(self, sharers: f64) -> Self {
        match self {
            Self::Scalar(inverse) => Self::Scalar(inverse * sharers),
            Self::Tensor(inverse) => Self::Tensor(inverse * sharers),
        }
    }

    /// Whether no force moves the node.
    pub fn is_zero(&self) -> bool {
        *self == Self::Scalar(0.0)
    }
}

/// The questions of contact to the bodies in a step.
pub trait Dynamics: Sync {
    /// The sides of `pair`, whose vertices have these signed weights. The unit vector `normal`
    /// points from the second side to the first: the point of a round side is its radius away along
    /// it.
    fn sides(&self, pair: &Pair, weights: &[f64; 4], normal: &Vec3) -> Sides;

    /// The velocity of a node about which the step is linearised, m/s: at the start of the step, or
    /// in the solution to be repaired. For an obstacle vertex it is the mean over the step.
    fn velocity(&self, node: NodeId) -> Vec3;

    /// The velocity at the end of the step that is expected without further contacts: after free
    /// flight, or in the solution to be repaired. Pinned nodes keep their velocity at the start.
    fn expected_velocity(&self, node: NodeId) -> Vec3;

    /// The velocities of a node at the start of the step and after free flight, m/s, also where a
    /// solution is repaired.
    fn flight(&self, node: NodeId) -> [Vec3; 2] {
        [self.velocity(node), self.expected_velocity(node)]
    }

    /// The velocity at the end of the step if all forces stay: with the acceleration of the last
    /// step, or in the solution to be repaired. Pinned nodes keep their velocity at the start.
    fn continued_velocity(&self, node: NodeId) -> Vec3;

    /// The velocity of a node at the end of the step, m/s, after the stages so far.
    fn end_velocity(&self, node: NodeId) -> Vec3;

    /// The inverse mass of a node.
    fn inverse_mass(&self, node: NodeId) -> InverseMass;

    /// The number of the body of few nodes that a node belongs to. None for cloth and obstacles.
    fn body(&self, node: NodeId) -> Option<usize>;

    /// The first of the nodes that an impulse changes together with `node`. The nodes of a body
    /// change together. A cloth node changes alone.
    fn unit(&self, node: NodeId) -> NodeId;
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Vertices with these inverse masses (1/kg), each its own node, at rest.
    pub struct PointMasses<'a>(pub &'a [f64]);

    impl Dynamics for PointMasses<'_> {
        fn sides(&self, pair: &Pair, weights: &[f64; 4], _: &Vec3) -> Sides {
            Sides::of_weights(&pair.vertices, weights, pair.first_side())
        }

        fn velocity(&self, _: NodeId) -> Vec3 {
            Vec3::zeros()
        }

        fn expected_velocity(&self, _: NodeId) -> Vec3 {
            Vec3::zeros()
        }

        fn continued_velocity(&self, _: NodeId) -> Vec3 {
            Vec3::zeros()
        }

        fn end_velocity(&self, _: NodeId) -> Vec3 {
            Vec3::zeros()
        }

        fn inverse_mass(&self, node: NodeId) -> InverseMass {
            InverseMass::Scalar(self.0[node as usize])
        }

        fn body(&self, _: NodeId) -> Option<usize> {
            None
        }

        fn unit(&self, node: NodeId) -> NodeId {
            node
        }
    }

    #[test]
    fn an_impulse_off_the_centre_of_a_body_moves_its_point_by_the_inverse_mass() {
        let inertia = Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.3));
        let inverse = inertia.try_inverse().unwrap();
        let mass = |node| match node {
            0 => InverseMass::Scalar(0.5),
            1 => InverseMass::Tensor(inverse),
            _ => InverseMass::Scalar(4.0),
        };
        let mut sides = Sides::default();
        sides.push(0, Jacobian::Weight(1.0));
        sides.push(1, Jacobian::Arm(Vec3::new(0.3, -0.2, 0.5)));
        sides.end_first();
        sides.push(2, Jacobian::Weight(-1.0));
        let n = Vec3::new(1.0, 2.0, -2.0) / 3.0;
        let changes: Vec<Vec3> =
            sides.terms().iter().map(|term| mass(term.node).response(&term.jacobian, &n)).collect();
        let parting = sides.velocity(|node| changes[node as usize]).dot(&n);
        assert!((parting - sides.inverse_mass(&n, mass)).abs() < 1e-14);
        // Momentum is kept: the other side gets the opposite impulse.
        assert!((changes[0] / 0.5 + changes[2] / 4.0).norm() < 1e-15);
    }

    proptest! {
        #[test]
        fn the_effective_mass_is_at_most_that_of_the_free_nodes(
            x in 0.0..1.0f64, y in 0.0..1.0f64,
            masses in [0.1..10.0, 0.1..10.0, 0.1..10.0f64],
            free in 0..8u32,
        ) {
            let (u, v) = if x + y < 1.0 { (x, y) } else { (1.0 - x, 1.0 - y) };
            let weights = [1.0, -u, -v, u + v - 1.0];
            let sides = Sides::of_weights(&[0, 1, 2, 3], &weights, 1);
            let is_free = |node: u32| node > 0 && free >> (node - 1) & 1 == 1;
            let mass = |node: u32| masses[node as usize - 1];
            let inverse = |node| InverseMass::Scalar(if is_free(node) { 1.0 / mass(node) } else { 0.0 });
            let found = sides.inverse_mass(&Vec3::y(), inverse);
            let nodes = (1..4).filter(|&node| is_free(node) && weights[node as usize] != 0.0);
            let (most, plain) = nodes.fold((0.0, 0.0), |(most, plain), node| {
                (most + mass(node), plain + weights[node as usize].powi(2) / mass(node))
            });
            if most == 0.0 {
                prop_assert_eq!(found, 0.0);
            } else {
                prop_assert!(1.0 / found <= most * (1.0 + 1e-12));
                prop_assert!(found >= plain * (1.0 - 1e-12));
            }
            if free == 7 {
                prop_assert!((found - plain).abs() <= 1e-12 * plain);
            }
        }
    }
}

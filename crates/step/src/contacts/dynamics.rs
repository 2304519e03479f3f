//! What contact may ask of the bodies while they move.

use crate::model::Model;
use crate::state::body_terms::NodeTerms;
use crate::state::motion::StepMotion;
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::{Dynamics, InverseMass, Sides};
use cloth_collision::collision::Pair;
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::linear::Jacobian;
use cloth_core::math::Vec3;

/// All bodies while they move, as contact sees them.
#[derive(Clone, Copy)]
pub(super) struct MovingBodies<'a> {
    model: &'a Model,
    motion: &'a StepMotion,
}

impl<'a> MovingBodies<'a> {
    /// The bodies of `model` in their `motion`.
    pub fn new(model: &'a Model, motion: &'a StepMotion) -> Self {
        Self { model, motion }
    }

    /// Adds the terms of the point of `body` that is the weighted sum of `vertices`. If the body is
    /// round, the point is its radius away from there, towards the other side. That offset does not
    /// turn with the body: another point of it touches then. So rolling is exact.
    fn add_body(
        &self,
        body: usize,
        vertices: &[VertexId],
        weights: &[f64],
        normal: &Vec3,
        sides: &mut Sides,
    ) {
        let weighted = vertices.iter().zip(weights);
        let weighted: Vec3 = weighted.map(|(&v, weight)| self.motion.mean(v) * *weight).sum();
        let weight = weights.iter().sum();
        let (at, range) = (&self.motion.middles[body], &self.model.numbering.bodies()[body]);
        let body = &self.model.bodies[body];
        let offset = normal * -body.radius_m();
        for (number, node) in range.nodes.clone().enumerate() {
            let jacobian =
                match (body.jacobian(at, number, weight, &weighted), body.turn_of(number)) {
                    (Jacobian::Arm(arm), Some(turn)) if body.radius_m() > 0.0 => {
                        Jacobian::Arm(arm + offset * turn)
                    }
                    (jacobian, _) => jacobian,
                };
            sides.push(node, jacobian);
        }
    }

    fn body_terms(&self, node: NodeId) -> Option<&NodeTerms> {
        self.motion.body_terms.get(node.checked_sub(self.model.numbering.cloth() as u32)? as usize)
    }
}

impl Dynamics for MovingBodies<'_> {
    fn sides(&self, pair: &Pair, weights: &[f64; 4], normal: &Vec3) -> Sides {
        let numbering = &self.model.numbering;
        let middle = pair.first_side();
        let mut sides = Sides::default();
        for side in [0..middle, middle..4] {
            let (vertices, weights) = (&pair.vertices[side.clone()], &weights[side.clone()]);
            match numbering.place(vertices[0]) {
                Place::Body(body) => self.add_body(body, vertices, weights, normal, &mut sides),
                Place::Own(_) => {
                    for (&vertex, &weight) in vertices.iter().zip(weights) {
                        if let Place::Own(node) = numbering.place(vertex) {
                            sides.push(node, Jacobian::Weight(weight));
                        }
                    }
                }
            }
            if side.start == 0 {
                sides.end_first();
            }
        }
        sides
    }

    fn velocity(&self, node: NodeId) -> Vec3 {
        self.motion.about().u[node as usize]
    }

    fn expected_velocity(&self, node: NodeId) -> Vec3 {
        if let Some(solution) = self.motion.repaired() {
            return solution.u[node as usize];
        }
        self.flight(node)[1]
    }

    fn flight(&self, node: NodeId) -> [Vec3; 2] {
        let u = self.motion.start.u0[node as usize];
        let end = match (self.motion.start.inverse_masses.get(node as usize), self.body_terms(node))
        {
            (Some(&inverse), _) if inverse > 0.0 => u + self.motion.start.fall,
            (None, Some(terms)) => u + terms.free,
            _ => u,
        };
        [u, end]
    }

    fn continued_velocity(&self, node: NodeId) -> Vec3 {
        if let Some(solution) = self.motion.repaired() {
            return solution.u[node as usize];
        }
        let u = self.motion.start.u0[node as usize];
        match (self.motion.start.inverse_masses.get(node as usize), self.body_terms(node)) {
            (Some(&inverse), _) if inverse <= 0.0 => u,
            (None, None) => u,
            _ => u + self.motion.start.last_changes[node as usize],
        }
    }

    fn end_velocity(&self, node: NodeId) -> Vec3 {
        self.motion.u1[node as usize]
    }

    fn inverse_mass(&self, node: NodeId) -> InverseMass {
        match (self.motion.start.inverse_masses.get(node as usize), self.body_terms(node)) {
            (Some(&inverse), _) => InverseMass::Scalar(inverse),
            (None, Some(terms)) => InverseMass::Tensor(terms.mass[1]),
            (None, None) => InverseMass::Scalar(0.0),
        }
    }

    fn body(&self, node: NodeId) -> Option<usize> {
        self.model.numbering.body_of_node(node)
    }

    fn unit(&self, node: NodeId) -> NodeId {
        let numbering = &self.model.numbering;
        numbering.body_of_node(node).map_or(node, |body| numbering.bodies()[body].nodes.start)
    }
}

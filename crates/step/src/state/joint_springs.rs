//! The springs of joints as the linear system sees them.

use crate::model::Model;
use cloth_bodies::bodies::joints::JointSettings;
use cloth_bodies::bodies::joints::body_joint::{BodyJoint, Second};
use cloth_bodies::contact::{ContactSpring, Term};
use cloth_core::linear::{Joined, JoinedTerm};
use cloth_core::math::Vec3;
use cloth_core::partition::Layout;

/// What a spring of a joint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It holds the points together.
    Locks,
    /// It holds the axes together.
    LocksTurns,
    /// A motor or a drive exerts it.
    Drives,
    /// It turns a body back, which a joint pulls at: its arm turns with the body.
    Straightens,
}

/// A spring of a joint in a step.
#[derive(Debug, Clone, Copy)]
pub struct JointSpring {
    /// The spring between nodes of its bodies.
    pub spring: ContactSpring,
    /// How fast its second frame moves, if that is on an obstacle, m/s or rad/s.
    pub held: Vec3,
    /// What it does.
    pub purpose: Purpose,
}

/// How many bodies of few nodes are in each own patch of `layout` that has a joint or several bodies,
/// and the pairs of them that joints connect.
pub(crate) fn joined(model: &Model, layout: &Layout) -> Joined {
    let body_at = |row: u32| model.numbering.body_of_node(layout.own[row as usize]);
    Joined::new(layout.patch_offsets.windows(2).map(|rows| {
        let mut bodies: Vec<usize> = (rows[0]..rows[1]).step_by(2).filter_map(body_at).collect();
        bodies.dedup();
        let mine = |joint: &&BodyJoint| bodies.binary_search(&joint.first).is_ok();
        let place = |body: usize| bodies.binary_search(&body).ok().map(|at| at as u32);
        let joints = Vec::from_iter(model.joints.iter().filter(mine));
        let pair = |joint: &&BodyJoint| match joint.second {
            Second::Body(second) => Some([place(joint.first)?, place(second)?]),
            Second::Obstacle(_) | Second::Space => None,
        };
        let pairs = joints.iter().filter_map(pair).collect();
        let is_assembly = !joints.is_empty() || bodies.len() > 1;
        is_assembly.then_some((bodies.len(), pairs))
    }))
}

/// Fills `joined` with the `springs` of own bodies, in a step of `h` (s).
pub(crate) fn refill(joined: &mut Joined, springs: &[Vec<JointSpring>], layout: &Layout, h: f64) {
    joined.clear();
    for JointSpring { spring, .. } in springs.iter().flatten() {
        let terms = spring.sides.terms();
        let Some(first) = terms.first().and_then(|term| layout.own_index(term.node)) else {
            continue;
        };
        let patch = layout.patch_offsets.partition_point(|&start| start <= first) - 1;
        let start = layout.patch_offsets[patch];
        let term = |term: &Term| {
            let row = layout.own_index(term.node)?;
            Some(((row - start) as usize, term.jacobian))
        };
        let terms: Vec<JoinedTerm> = terms.iter().filter_map(term).collect();
        joined.add(patch, spring.stiffness * (h * h), spring.push * h, &terms);
    }
}

impl JointSpring {
    /// How far (m or rad) along `axis` it lets its joint open. Before: its push is that at the end of
    /// the solve.
    pub(crate) fn opening(&self, axis: &Vec3) -> f64 {
        let stiffness = axis.dot(&(self.spring.stiffness * axis));
        if stiffness > 0.0 { -self.spring.push.dot(axis) / stiffness } else { 0.0 }
    }

    /// The work (J) on the bodies of its joint of these `settings` in a step of `h` (s). That of a
    /// compliant spring is part of their energy, but for what an obstacle does. Before: its velocity
    /// and push are those at the end of the solve.
    pub(crate) fn work_j(&self, settings: &JointSettings, h: f64) -> f64 {
        let compliance = match self.purpose {
            Purpose::Locks => settings.compliance,
            Purpose::LocksTurns => settings.turn_compliance,
            Purpose::Drives | Purpose::Straightens => 0.0,
        };
        let moved = if compliance > 0.0 { self.held } else { self.spring.velocity };
        self.spring.push.dot(&moved) * h
    }
}

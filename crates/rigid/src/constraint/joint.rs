//! Joints: constraints that hold two bodies together, or a body in space. [`Joints`] are all of a
//! model; an [`ActiveJoint`] is one in a step: where it is, and how far it is open.
//!
//! Kinds, frames and settings are in [`cloth_bodies::bodies::joints`].

use crate::constraint::{Between, Ends, Partner};
use crate::motion::{drift, precess};
use crate::{BodyId, BodyList, BodyState, FixedBodies, Twist};
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_bodies::bodies::joints::pose::{RelativePose, shortest};
pub use cloth_bodies::bodies::joints::{JointFrame, JointSettings, Motor, axes_along};
use cloth_core::Vec3;

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The first body. It is movable.
    pub first: BodyId,
    /// The second body: movable, fixed, or space.
    pub second: Second,
    /// The frames on both bodies, each in the body's own frame.
    pub frames: [JointFrame; 2],
    /// What it does.
    pub settings: JointSettings,
}

/// The second body of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// A movable body.
    Movable(BodyId),
    /// A fixed body, by its place in [`FixedBodies`].
    Fixed(u32),
    /// Space: its frame is in space.
    Space,
}

/// All joints of a model, the same on all ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joints {
    /// By their numbers.
    joints: Vec<Joint>,
    /// Numbers of the joints by rising id of their first bodies.
    by_first: Vec<(BodyId, u32)>,
    /// Pairs of bodies that do not collide, rising. The lower id comes first.
    not_colliding: Vec<[BodyId; 2]>,
    /// For bodies with joints, the distance from the centre of mass within which the joints act,
    /// m, by rising id.
    reaches: Vec<(BodyId, f64)>,
    /// Whether one of them is [`Joint::is_spring`].
    has_springs: bool,
}

impl Second {
    /// The id of a movable body. None for a fixed one and for space.
    pub fn movable(self) -> Option<BodyId> {
        if let Self::Movable(id) = self { Some(id) } else { None }
    }
}

impl Joints {
    /// These joints. The second body of a joint may be fixed; `fixed_id` gives its id by its place.
    pub fn new(joints: Vec<Joint>, fixed_id: impl Fn(u32) -> BodyId) -> Self {
        let (mut by_first, mut not_colliding, mut reaches) = (Vec::new(), Vec::new(), Vec::new());
        for (joint, number) in joints.iter().zip(0..) {
            let Joint { first, second, frames, settings } = joint;
            by_first.push((*first, number));
            reaches.push((*first, frames[0].point.norm()));
            let second = match *second {
                Second::Movable(id) => {
                    reaches.push((id, joint.reach()));
                    Some(id)
                }
                Second::Fixed(place) => Some(fixed_id(place)),
                Second::Space => None,
            };
            if let Some(second) = second.filter(|_| !settings.collide) {
                not_colliding.push([*first.min(&second), *first.max(&second)]);
            }
        }
        by_first.sort_unstable();
        not_colliding.sort_unstable();
        not_colliding.dedup();
        reaches.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        reaches.dedup_by_key(|reach| reach.0);
        let has_springs = joints.iter().any(Joint::is_spring);
        Self { joints, by_first, not_colliding, reaches, has_springs }
    }

    /// All joints, by their numbers.
    pub fn all(&self) -> &[Joint] {
        &self.joints
    }

    /// True if there is no joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// True if one of them is [`Joint::is_spring`].
    pub fn has_springs(&self) -> bool {
        self.has_springs
    }

    /// The numbers of the joints whose first body is `id`, rising.
    pub fn of_first(&self, id: BodyId) -> impl Iterator<Item = u32> {
        let start = self.by_first.partition_point(|&(first, _)| first < id);
        self.by_first[start..].iter().take_while(move |of| of.0 == id).map(|of| of.1)
    }

    /// True if two bodies do not collide because a joint connects them.
    pub fn do_not_collide(&self, a: BodyId, b: BodyId) -> bool {
        !self.not_colliding.is_empty()
            && self.not_colliding.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// The distance from the centre of mass of `id` within which its joints act, m. It is 0 without
    /// joints.
    pub fn reach(&self, id: BodyId) -> f64 {
        let at = self.reaches.binary_search_by_key(&id, |reach| reach.0);
        at.map_or(0.0, |at| self.reaches[at].1)
    }
}

impl Joint {
    /// "joint 3 (body 7 and 8)". `number` is its number.
    pub fn name(&self, number: u32) -> String {
        let second = self.second.movable().map_or_else(String::new, |id| format!(" and {id}"));
        format!("joint {number} (body {}{second})", self.first)
    }

    /// The distance from the centre of mass of the second body within which the first point is, m.
    /// A rigid joint that is open by more has come apart, and a spring is stretched.
    pub fn reach(&self) -> f64 {
        self.frames[1].point.norm() + self.most_apart()
    }

    /// True if it joins two movable bodies and gives way to forces that pull them apart. Its points
    /// may be any distance from each other.
    pub fn is_spring(&self) -> bool {
        self.second.movable().is_some() && self.settings.compliance > 0.0 && !self.ends_nearby()
    }

    /// True if it does nothing while its bodies are far from each other: a distance without an
    /// upper limit.
    pub fn ends_nearby(&self) -> bool {
        self.settings.kind == JointKind::Distance && self.settings.range[1].is_infinite()
    }

    /// The largest distance of the two points without a force, m.
    pub fn most_apart(&self) -> f64 {
        let [low, high] = self.settings.range;
        match self.settings.kind {
            // Beyond its lower limit a distance without an upper one does nothing.
            JointKind::Distance if high.is_infinite() => low.max(0.0),
            JointKind::Distance => high,
            JointKind::Slider => low.abs().max(high.abs()),
            JointKind::Ball | JointKind::Hinge | JointKind::Fixed => 0.0,
        }
    }
}

/// A joint in one step.
#[derive(Debug, Clone, Copy)]
pub struct ActiveJoint {
    /// Its bodies and its first point. Its number is that of the joint.
    pub ends: Ends,
    /// What it does.
    pub settings: JointSettings,
    /// Where the first frame is, seen from the second.
    pub pose: RelativePose,
}

impl Between for ActiveJoint {
    fn ends(&self) -> Ends {
        self.ends
    }
}

impl ActiveJoint {
    /// The joint of two bodies in `states`, the second one at the image that is meant.
    pub fn new(joint: &Joint, ends: Ends, states: &[BodyState; 2]) -> Self {
        Self { ends, settings: joint.settings, pose: joint.pose(states) }
    }

    /// The part of the change of the motions in `h_s` seconds, divided by `h_s`, that is of second
    /// order in the velocities, m/s and rad/s. It comes from the rotation of the bodies and from
    /// the half of the gyroscopic term that follows the impulses. `states` are as in
    /// [`ActiveJoint::new`], with any velocities. `inertias` has the principal moments (kg m^2),
    /// `None` for a fixed body.
    pub fn curvature(
        &self,
        joint: &Joint,
        states: &[BodyState; 2],
        inertias: [Option<&Vec3>; 2],
        h_s: f64,
    ) -> [f64; 6] {
        let Self { pose, ends, .. } = self;
        let later =
            joint.pose_after_step(states, inertias, h_s).going_on_from(pose, &joint.settings);
        let [a, b] = states.each_ref().map(|state| state.twist.at(&(ends.point - state.position)));
        let turn = states[0].twist.angular - states[1].twist.angular;
        let rates = [pose.axes.tr_mul(&(a - b)), pose.axes.tr_mul(&turn)];
        std::array::from_fn(|row| {
            let change = later.motion[row] - pose.motion[row];
            let change = if row == 3 { shortest(change) } else { change };
            change / h_s - rates[row / 3][row % 3]
        })
    }

    /// Its bodies: states, the second one at the image that is meant, and moments of inertia
    /// (kg m^2, `None` for a fixed body). A movable body has the velocity that `twist` gives
    /// for its place.
    pub fn movers<'a>(
        &self,
        bodies: &BodyList<'a>,
        fixed: &FixedBodies,
        twist: impl Fn(usize) -> Twist,
    ) -> ([BodyState; 2], [Option<&'a Vec3>; 2]) {
        let movable = |place: u32| {
            let place = place as usize;
            let state = BodyState { twist: twist(place), ..bodies.states()[place] };
            (state, Some(bodies.inertia(place)))
        };
        let (state, inertia) = movable(self.ends.first);
        let (mut other, of_other) = match self.ends.second {
            Partner::Movable(place) => movable(place),
            Partner::Fixed(place) => (*fixed.state_at(place), None),
        };
        other.position += self.ends.shift;
        ([state, other], [inertia, of_other])
    }

    /// The distance of the two points, m, beyond what the joint allows.
    pub fn gap(&self) -> f64 {
        self.pose.gap(&self.settings)
    }

    /// By how much the motion along x is above (positive) or below (negative) its range.
    pub fn excess(&self) -> f64 {
        self.pose.excess(&self.settings)
    }
}

impl Joint {
    /// How far apart the two points are in `pose`, m, beyond what the joint allows without a force.
    pub fn stretch(&self, pose: &RelativePose) -> f64 {
        let [x, y, z, ..] = pose.motion;
        Vec3::new(x, y, z).norm() - self.most_apart()
    }

    /// The pose in the middle of the next step, if the response of this step gives the bodies the
    /// velocities of `states`. Arguments are as for [`ActiveJoint::curvature`].
    pub fn pose_after_step(
        &self,
        states: &[BodyState; 2],
        inertias: [Option<&Vec3>; 2],
        h_s: f64,
    ) -> RelativePose {
        let later = [0, 1].map(|side| {
            let mut state = states[side];
            if let Some(inertia) = inertias[side] {
                precess(&mut state, inertia, 0.5 * h_s);
            }
            drift(&mut state, h_s);
            state
        });
        self.pose(&later)
    }

    /// The pose of the joint's first frame, seen from the second, with bodies in `states`.
    pub fn pose(&self, states: &[BodyState; 2]) -> RelativePose {
        let frames = [0, 1].map(|body| {
            let BodyState { position, rotation, .. } = &states[body];
            self.frames[body].at(position, rotation)
        });
        RelativePose::between(&self.settings, &frames)
    }
}

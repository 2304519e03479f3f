//! A joint in one step.

use crate::body::{BodyState, Twist};
use crate::constraint::joint::{Joint, JointSettings};
use crate::constraint::pair::{Between, Ends, Partner};
use crate::fixed::FixedBodies;
use crate::motion::{drift, precess};
use crate::table::BodyList;
use cloth_bodies::bodies::joints::pose::{RelativePose, shortest};
use cloth_core::math::Vec3;

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

//! All joints of a model.

use crate::body::BodyId;
use crate::constraint::joint::{Joint, Second};
use cloth_bodies::bodies::joints::kind::JointKind;

/// All joints of a model, the same on all ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joints {
    /// By their numbers.
    joints: Vec<Joint>,
    /// Numbers of the joints by rising id of their first bodies.
    by_first: Vec<(BodyId, u32)>,
    /// Pairs of bodies that do not collide, rising. The lower id comes first.
    apart: Vec<[BodyId; 2]>,
    /// For bodies with joints, the distance from the centre of mass within which the joints act,
    /// m, by rising id.
    reaches: Vec<(BodyId, f64)>,
    /// Whether one of them is [`Joint::is_spring`].
    has_springs: bool,
}

impl Joints {
    /// These joints. The second body of a joint may be fixed; `fixed_id` gives its id by its place.
    pub fn new(joints: Vec<Joint>, fixed_id: impl Fn(u32) -> BodyId) -> Self {
        let (mut by_first, mut apart, mut reaches) = (Vec::new(), Vec::new(), Vec::new());
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
                apart.push([*first.min(&second), *first.max(&second)]);
            }
        }
        by_first.sort_unstable();
        apart.sort_unstable();
        apart.dedup();
        reaches.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        reaches.dedup_by_key(|reach| reach.0);
        let has_springs = joints.iter().any(Joint::is_spring);
        Self { joints, by_first, apart, reaches, has_springs }
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
    pub fn are_apart(&self, a: BodyId, b: BodyId) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&[a.min(b), a.max(b)]).is_ok()
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
        let second = match self.second {
            Second::Movable(id) => format!(" and {id}"),
            Second::Fixed(_) | Second::Space => String::new(),
        };
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
        let is_between = matches!(self.second, Second::Movable(_));
        is_between && self.settings.compliance > 0.0 && !self.ends_nearby()
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

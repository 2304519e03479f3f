//! Which worker solves which joints, and what is left between workers.

use crate::linear::direct::order::{Order, Turn};
use crate::rigid::BodyId;
use crate::rigid::constraint::joint::active::ActiveJoint;
use crate::rigid::constraint::pair::{Between, Partner};
use crate::rigid::simulation::replica::Middle;

/// A body with more joints is a hub, see [`Turn::Hub`].
const MOST_NEIGHBOURS: usize = 32;

/// Which worker solves which joints. It is the same on all ranks, and stays as long as the joints
/// and their owners.
#[derive(Debug, Default)]
pub struct Plan {
    joints: Vec<Link>,
    /// By worker.
    pub parts: Vec<PartPlan>,
    /// The blocks that workers keep.
    pub between: Order,
}

/// The joints of the bodies of one worker.
#[derive(Debug, Default)]
pub struct PartPlan {
    /// The bodies at home with joints, by rising id. They are the first blocks.
    pub bodies: Vec<BodyId>,
    /// Their joints, by rising place. They are the other blocks. Those with bodies of two homes are
    /// kept.
    pub joints: Vec<PartJoint>,
    /// The order of elimination.
    pub order: Order,
    /// The blocks of [`Plan::between`] that the kept blocks are, in their order.
    pub kept: Vec<u32>,
}

/// A joint of a body at home.
#[derive(Debug, Clone, Copy)]
pub struct PartJoint {
    /// Its place in the list of all joints.
    pub place: u32,
    /// The blocks of its bodies, if they are at home.
    pub bodies: [Option<u32>; 2],
    /// True if the worker owns it. Its softness and its right side count in the owner.
    pub is_own: bool,
}

/// A joint with locked motions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its place in the list of all joints.
    pub place: u32,
    /// Its number.
    pub number: u32,
    /// Its movable bodies, with their homes. The first one is movable.
    pub bodies: [Option<(BodyId, usize)>; 2],
}

impl Plan {
    /// True if a joint locks a motion.
    pub fn has_joints(&self) -> bool {
        !self.joints.is_empty()
    }

    /// Brings the plan up to date for the joints of a step. `homes` has the home of each place.
    pub fn update(&mut self, middle: &Middle, homes: &[u8], workers: usize) {
        let joints = links(middle, homes);
        if joints != self.joints || self.parts.len() != workers {
            *self = Self::new(joints, workers);
        }
    }

    /// The plan for these joints, by rising place.
    pub fn new(joints: Vec<Link>, workers: usize) -> Self {
        let mut parts: Vec<PartPlan> = (0..workers).map(|worker| part(worker, &joints)).collect();
        let kept = |part: &PartPlan| part.kept_places().collect::<Vec<u32>>();
        let all: Vec<Vec<u32>> = parts.iter().map(kept).collect();
        let mut places = all.concat();
        places.sort_unstable();
        places.dedup();
        for (part, kept) in parts.iter_mut().zip(all) {
            let block = |&place: &u32| places.partition_point(|&other| other < place) as u32;
            part.kept = kept.iter().map(block).collect();
        }
        let edges: Vec<[u32; 2]> = parts.iter().flat_map(|part| pairs(&part.kept)).collect();
        let between = Order::new(&vec![Turn::Any; places.len()], &edges);
        Self { between, joints, parts }
    }
}

impl PartPlan {
    /// The joints with their blocks.
    pub fn joint_blocks(&self) -> impl Iterator<Item = (u32, &PartJoint)> {
        (self.bodies.len() as u32..).zip(&self.joints)
    }

    /// The places of the joints kept.
    fn kept_places(&self) -> impl Iterator<Item = u32> {
        let kept = self.order.blocks[self.order.eliminated..].iter();
        kept.map(|&block| self.joints[block as usize - self.bodies.len()].place)
    }
}

/// The joints of a step that lock motions.
fn links(middle: &Middle, homes: &[u8]) -> Vec<Link> {
    let locks = |joint: &ActiveJoint| {
        let [low, high] = joint.settings.range;
        joint.settings.kind.locked().contains(&true) || low == high
    };
    let link = |(joint, place): (&ActiveJoint, u32)| {
        let ends = joint.ends();
        let body =
            |place: u32| (middle.bodies.id(place as usize), usize::from(homes[place as usize]));
        let second = match ends.second {
            Partner::Movable(place) => Some(body(place)),
            Partner::Fixed(_) => None,
        };
        Link { place, number: ends.number, bodies: [Some(body(ends.first)), second] }
    };
    let all = middle.joints.iter().zip(0..);
    all.filter(|(joint, _)| locks(joint)).map(link).collect()
}

/// The joints of the bodies of `worker`.
fn part(worker: usize, joints: &[Link]) -> PartPlan {
    let is_home = |body: &Option<(BodyId, usize)>| body.is_some_and(|(_, home)| home == worker);
    let own = joints.iter().filter(|joint| joint.bodies.iter().any(is_home));
    let home = own.clone().flat_map(|joint| joint.bodies).filter(is_home).flatten();
    let mut bodies: Vec<BodyId> = home.map(|(id, _)| id).collect();
    bodies.sort_unstable();
    bodies.dedup();
    let block = |id: BodyId| bodies.partition_point(|&other| other < id) as u32;
    let part_joint = |link: &Link| PartJoint {
        place: link.place,
        bodies: link.bodies.map(|body| body.filter(|it| it.1 == worker).map(|(id, _)| block(id))),
        is_own: is_home(&link.bodies[0]),
    };
    let turn = |link: &Link| match link.bodies.iter().flatten().all(|&(_, home)| home == worker) {
        true => Turn::Joint(part_joint(link).bodies),
        false => Turn::Never,
    };
    let joints: Vec<PartJoint> = own.clone().map(part_joint).collect();
    let mut counts = vec![0; bodies.len()];
    let ends = joints.iter().flat_map(|joint| joint.bodies.into_iter().flatten());
    ends.for_each(|body| counts[body as usize] += 1);
    let is_hub = |&count: &usize| if count > MOST_NEIGHBOURS { Turn::Hub } else { Turn::Any };
    let turns: Vec<Turn> = counts.iter().map(is_hub).chain(own.map(turn)).collect();
    let edges = joints.iter().zip(bodies.len() as u32..).flat_map(|(joint, block)| {
        joint.bodies.into_iter().flatten().map(move |body| [body, block])
    });
    let order = Order::new(&turns, &edges.collect::<Vec<_>>());
    PartPlan { joints, order, bodies, kept: Vec::new() }
}

/// All pairs of a list.
fn pairs(all: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    (0..all.len()).flat_map(move |b| (0..b).map(move |a| [all[a], all[b]]))
}

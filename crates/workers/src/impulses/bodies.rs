//! The active bodies of a worker, and the bodies of its constraints.

use crate::sets::Sets;
use cloth_core::Vec3;
use cloth_rigid::constraint::{Ends, Partner};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::{BodyId, BodyState, FixedBodies, Mobility, Twist};

/// The active bodies of a worker, by rising id. A *member* is a place in this list.
#[derive(Debug, Default)]
pub(super) struct MemberBodies {
    list: Vec<Member>,
    /// The member of each body, or [`NO_MEMBER`].
    members: Vec<u32>,
}

/// An active body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// Its place in the list of all bodies.
    pub place: usize,
    /// Its id.
    pub id: BodyId,
    /// True if its home is the worker.
    pub is_home: bool,
    /// How impulses move it.
    pub mobility: Mobility,
    /// Its principal moments of inertia, kg m^2.
    pub inertia: Vec3,
    /// Its state in the middle of the step, without impulses.
    pub free: BodyState,
}

const NO_MEMBER: u32 = u32::MAX;

/// The bodies of a constraint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local {
    /// The member that is the first body. None if it is not active.
    pub first: Option<u32>,
    /// The second body.
    pub second: Second,
}

/// The second body of a constraint.
#[derive(Debug, Clone, Copy)]
pub(super) enum Second {
    /// A member.
    Member(u32),
    /// A body that is not active.
    Outside,
    /// A fixed body, by its place.
    Fixed(u32),
}

impl MemberBodies {
    /// Takes the active bodies of `worker`. `homes` has the home of each place.
    pub fn take(&mut self, middle: &Middle, sets: &Sets, worker: usize, homes: &[u8]) {
        let Self { list, members } = self;
        let bodies = middle.bodies;
        list.clear();
        list.extend(sets.members(worker).iter().map(|&place| place as usize).map(|place| Member {
            place,
            id: bodies.id(place),
            is_home: usize::from(homes[place]) == worker,
            mobility: Mobility::of(&bodies.at(place)),
            inertia: *bodies.inertia(place),
            free: bodies.states()[place],
        }));
        members.clear();
        members.resize(bodies.len(), NO_MEMBER);
        list.iter().zip(0..).for_each(|(body, member)| members[body.place] = member);
    }

    /// The active bodies.
    pub fn list(&self) -> &[Member] {
        &self.list
    }

    /// The member at a place of the list of all bodies.
    pub fn member(&self, place: u32) -> Option<u32> {
        let member = self.members[place as usize];
        (member != NO_MEMBER).then_some(member)
    }

    /// The bodies of a constraint.
    pub fn local(&self, ends: &Ends) -> Local {
        let second = match ends.second {
            Partner::Movable(place) => self.member(place).map_or(Second::Outside, Second::Member),
            Partner::Fixed(place) => Second::Fixed(place),
        };
        Local { first: self.member(ends.first), second }
    }
}

impl Local {
    /// True if a body is active.
    pub fn touches(&self) -> bool {
        self.first.is_some() || matches!(self.second, Second::Member(_))
    }

    /// True if all its movable bodies are active.
    pub fn is_inside(&self) -> bool {
        self.first.is_some() && !matches!(self.second, Second::Outside)
    }

    /// The members among both bodies.
    pub fn members(&self) -> [Option<u32>; 2] {
        let second = match self.second {
            Second::Member(member) => Some(member),
            Second::Outside | Second::Fixed(_) => None,
        };
        [self.first, second]
    }

    /// The velocities of both bodies. Bodies that are not active count as at rest.
    pub fn twists<'a>(&self, fixed: &'a FixedBodies, twists: &'a [Twist]) -> [&'a Twist; 2] {
        let first = self.first.map_or(&Twist::ZERO, |member| &twists[member as usize]);
        let second = match self.second {
            Second::Member(member) => &twists[member as usize],
            Second::Outside => &Twist::ZERO,
            Second::Fixed(place) => &fixed.state_at(place).twist,
        };
        [first, second]
    }
}

//! The active bodies of a worker, and the bodies of its constraints.

use crate::sets::Sets;
use cloth_core::Vec3;
use cloth_rigid::constraint::{Ends, Partner};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::{BodyId, BodyState, FixedBodies, Mobility, Twist};

/// The active bodies of a worker, by rising id. A *member* is a place in this list.
#[derive(Debug, Default)]
pub(super) struct MemberBodies {
    /// Their places in the list of all bodies.
    places: Vec<u32>,
    ids: Vec<BodyId>,
    is_home: Vec<bool>,
    mobilities: Vec<Mobility>,
    inertias: Vec<Vec3>,
    /// Their states in the middle of the step, without impulses.
    free: Vec<BodyState>,
    /// The member of each body, or [`NO_MEMBER`].
    members: Vec<u32>,
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
        let Self { places, ids, is_home, mobilities, inertias, free, members } = self;
        places.clear();
        places.extend(sets.members(worker));
        let all = places.iter().map(|&place| place as usize);
        let bodies = middle.bodies;
        ids.clear();
        ids.extend(all.clone().map(|place| bodies.id(place)));
        is_home.clear();
        is_home.extend(all.clone().map(|place| usize::from(homes[place]) == worker));
        mobilities.clear();
        mobilities.extend(all.clone().map(|place| Mobility::of(&bodies.at(place))));
        inertias.clear();
        inertias.extend(all.clone().map(|place| *bodies.inertia(place)));
        free.clear();
        free.extend(all.clone().map(|place| bodies.states()[place]));
        members.clear();
        members.resize(bodies.len(), NO_MEMBER);
        all.zip(0..).for_each(|(place, member)| members[place] = member);
    }

    /// Number of active bodies.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The place of a member in the list of all bodies.
    pub fn place(&self, member: usize) -> usize {
        self.places[member] as usize
    }

    /// The id of a member.
    pub fn id(&self, member: usize) -> BodyId {
        self.ids[member]
    }

    /// True if the home of a member is the worker.
    pub fn is_home(&self, member: usize) -> bool {
        self.is_home[member]
    }

    /// How impulses move a member.
    pub fn mobility(&self, member: usize) -> &Mobility {
        &self.mobilities[member]
    }

    /// The principal moments of inertia of a member, kg m^2.
    pub fn inertia(&self, member: usize) -> &Vec3 {
        &self.inertias[member]
    }

    /// The states of the members without impulses.
    pub fn free(&self) -> &[BodyState] {
        &self.free
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

//! Solvers: how contacts change velocities. All solvers work on the same contacts. FFD is for
//! gases and rapid flows; it needs one communication and keeps no state. Piles come to rest only
//! with non-smooth contact dynamics.
//!
//! | module | |
//! |---|---|
//! | [`ffd`] | fast frictional dynamics: each body alone, from the velocities before the response |
//! | [`nonsmooth`] | non-smooth contact dynamics: sweeps over all contacts, opposite impulses |
//! | [`by_body`] | constraints or impulses in the order of their bodies |
//!
//! A new solver is a file or folder here, and a line of `Response`, `check`, `solver` and
//! `OF_EACH_KIND` in this file. What it remembers from step to step must be in
//! [`State`](crate::state::State). All else in it is reused memory.

pub mod by_body;
pub mod ffd;
pub mod nonsmooth;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use self::ffd::Ffd;
use self::nonsmooth::Nonsmooth;
use self::nonsmooth::contact::ContactConstraint;
use self::nonsmooth::contact::roll::RollingConstraint;
use crate::constraint::joint::{ActiveJoint, Joints};
use crate::constraint::{Bodies, Contact, ContactSettings, Ends, KeptImpulse, KeptJoint};
use crate::sync::Synchroniser;
use crate::{FixedBodies, Materials, Population, Twist};
use cloth_core::report::Join;
use cloth_core::{Result, Threads, World};

/// Number of bodies or contacts that a thread takes at once.
const GRAIN: usize = 256;

/// How contacts change velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Response {
    /// Fast frictional dynamics: one small problem for each body, one communication.
    Ffd,
    /// Non-smooth contact dynamics: one communication and at most two all-reduces a sweep, and
    /// three communications to begin. With joints it takes twice as many communications.
    Nonsmooth {
        /// Largest number of sweeps over all contacts in a step. The sweeps end earlier if all
        /// contacts are solved. Because impulses are kept from step to step, 10 sweeps hold heaps
        /// of spheres of 25 layers. Structures of boxes need 30 to come to rest.
        sweeps: u32,
    },
}

impl Default for Response {
    /// The response with which piles, walls and towers of ten boxes come to rest. Higher towers
    /// need more sweeps.
    fn default() -> Self {
        Self::Nonsmooth { sweeps: 30 }
    }
}

impl Response {
    /// One response of each kind. Tests run all of them on several ranks.
    #[cfg(test)]
    pub(super) const OF_EACH_KIND: [Self; 2] = [Self::Ffd, Self::Nonsmooth { sweeps: 10 }];

    /// Fails if a setting is out of its bounds. `at` names the response in the message.
    ///
    /// # Errors
    /// If a setting is out of its bounds.
    pub fn check(&self, at: &str) -> Result<()> {
        match *self {
            Self::Ffd => Ok(()),
            Self::Nonsmooth { sweeps } => nonsmooth::check(sweeps, at),
        }
    }

    /// The solver with these settings for bodies of these materials.
    pub(super) fn solver(&self, materials: &Materials) -> Box<dyn Solver> {
        match *self {
            Self::Ffd => Box::new(Ffd::default()),
            Self::Nonsmooth { sweeps } if materials.resist_rolling() => {
                Box::new(Nonsmooth::<RollingConstraint>::new(sweeps))
            }
            Self::Nonsmooth { sweeps } => Box::new(Nonsmooth::<ContactConstraint>::new(sweeps)),
        }
    }
}

/// Changes velocities as contacts demand, on all ranks.
pub trait Solver: Debug + Send {
    /// Communication 3 of a step, or several. All ranks call it.
    ///
    /// Before: own bodies and copies are in the middle of the step, with the velocities that forces
    /// give them, and each contact is known to one rank. After: own bodies have their velocities
    /// after the response, and the kept impulses are those of this step. Velocities are a function
    /// of bodies, contacts and kept impulses alone: they depend on neither ranks nor threads.
    ///
    /// # Errors
    /// If a rank fails.
    fn solve(&mut self, step: &mut StepParts) -> Result<Solved>;

    /// The residual after [`Solver::solve`]: the largest error of velocity, m/s, that a further sweep
    /// would find at a constraint. A solver without sweeps does not know it.
    fn residual_m_s(&self, _: &Answered) -> f64 {
        Join::Most.unknown()
    }

    /// The velocities after the last response, by place, of the bodies of this rank's joints. They
    /// are empty if it knows no joints.
    fn twists(&self) -> &[Twist] {
        &[]
    }
}

/// What a solver works on.
pub struct StepParts<'a> {
    /// The transport.
    pub world: &'a dyn World,
    /// The threads of this rank.
    pub threads: &'a Threads,
    /// Settings of all contacts.
    pub settings: &'a ContactSettings,
    /// How bodies meet.
    pub materials: &'a Materials,
    /// Bodies that do not give way.
    pub fixed: &'a FixedBodies,
    /// The contacts that this rank treats.
    pub contacts: &'a [Contact],
    /// The joints that this rank treats.
    pub joints: &'a [ActiveJoint],
    /// All joints of the model.
    pub all_joints: &'a Joints,
    /// Sends values from copies to owners and back.
    pub synchroniser: &'a mut Synchroniser,
    /// Own bodies and copies.
    pub population: &'a mut Population,
    /// Impulses of the last step. All impulses of one body are on one rank that knows the body,
    /// next to each other.
    pub impulses: &'a mut Vec<KeptImpulse>,
    /// Impulses of joints of the last step, and then of this one.
    pub joint_impulses: &'a mut Vec<KeptJoint>,
}

impl StepParts<'_> {
    /// True if the model has joints.
    fn has_joints(&self) -> bool {
        !self.all_joints.is_empty()
    }

    /// All bodies that contacts refer to.
    fn bodies(&self) -> Bodies<'_> {
        let Self { population, fixed, materials, .. } = self;
        Bodies { movable: population.bodies(), fixed, materials }
    }
}

/// Constraints that a solver has answered.
pub struct Answered<'a> {
    /// The threads of this rank.
    pub threads: &'a Threads,
    /// Bodies that do not give way.
    pub fixed: &'a FixedBodies,
    /// The contacts of the step.
    pub contacts: &'a [Contact],
    /// Its joints.
    pub joints: &'a [ActiveJoint],
    /// Velocities of all bodies by place, if others have changed them since.
    pub twists: Option<&'a [Twist]>,
    /// Which constraints count.
    pub counts: &'a (dyn Fn(&Ends) -> bool + Sync),
}

/// Counts of a solver on one rank, or of a worker. Sums over ranks do not depend on their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Solved {
    /// Constraints on own bodies.
    pub constraints: u64,
    /// Sweeps over all constraints. It is the same on all ranks.
    pub sweeps: u64,
    /// Own bodies that stopped because their constraints contradict each other.
    pub stopped: u64,
}

//! What the stages of a step may find: facts that [`crate::attempt::next`] decides about.

use crate::report::Counter;
use cloth_bodies::contact::fail_safe::{Conflict, TooNear};
use cloth_core::ids::VertexId;

/// Trouble that a stage has found, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// What is wrong.
    pub trouble: Trouble,
    /// The vertices that have it, the same on every rank. Empty if it has no place.
    pub around: Vec<VertexId>,
}

/// What can be wrong with a step, in the order in which the stages find it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Trouble {
    /// An obstacle approaches cloth too fast, or a body turns too fast.
    Fast,
    /// Prescribed bodies would leave cloth less room than its contacts need.
    Squeezed(Conflict),
    /// The residual stayed above the tolerance.
    NotConverged,
    /// A number was not finite.
    NotFinite,
    /// An edge of cloth turned too far for one linearisation of its forces, or a body for one of its
    /// contacts.
    Turned,
    /// A contact is compressed too far, or an impact of bodies has not Coulomb's friction.
    Overloaded,
    /// Surfaces collide that no contact holds apart.
    Unforeseen,
    /// Prescribed vertices leave cloth or a body no room.
    Pinched(Conflict),
    /// A pair ends nearer than the fail-safe promises.
    TooNear(TooNear),
    /// The fail-safe took away too much of a motion.
    Truncated,
    /// The estimated error of positions is too large.
    Inaccurate,
    /// The energy rises without work.
    Energized(Rise),
}

/// How much energy rises without work. The limits are those of [`crate::watch`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rise {
    /// Above the limit of a second, for this step.
    pub rises: bool,
    /// Above the limit of a step.
    pub is_fault: bool,
    /// Above a tenth of it.
    pub is_large: bool,
    /// It rises, and rises of many steps come to too much.
    pub too_often: bool,
    /// It rises, and impacts of bodies end within the step.
    pub by_impacts: bool,
}

impl Found {
    /// `trouble` that has no place.
    pub fn new(trouble: Trouble) -> Self {
        Self { trouble, around: Vec::new() }
    }

    /// `trouble` at the vertices `around`. None if there are none.
    pub fn around(trouble: Trouble, around: Vec<VertexId>) -> Option<Self> {
        (!around.is_empty()).then_some(Self { trouble, around })
    }
}

impl Trouble {
    /// The counter of steps that are done again because of it.
    pub fn counter(&self) -> Counter {
        match self {
            Self::NotConverged | Self::NotFinite => Counter::Halvings,
            Self::Turned => Counter::Turned,
            Self::Truncated
            | Self::Overloaded
            | Self::Unforeseen
            | Self::TooNear(_)
            | Self::Energized(_) => Counter::Redone,
            Self::Pinched(_) | Self::Squeezed(_) => Counter::Pinches,
            Self::Fast => Counter::Fast,
            Self::Inaccurate => Counter::Inaccurate,
        }
    }
}

//! The impulses of the last step, with which constraints begin.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;

use crate::body::BodyId;
use crate::solver::nonsmooth::announced::BodyConstraint;

/// An impulse of the last step, of the rank that owns its first body.
pub trait Kept: Debug + Pod {
    /// The numbers of the impulse.
    type Value;
    /// What a constraint begins with.
    type Start: Debug + Pod + Send + Sync;

    /// The first body.
    fn body(&self) -> BodyId;
    /// What a constraint begins with that finds it.
    fn start(&self) -> Self::Start;
    /// A constraint that finds this impulse.
    fn touch(&self) -> BodyConstraint;
    /// What is kept of a constraint of `body` with this impulse.
    fn of(body: BodyId, touch: &BodyConstraint, value: &Self::Value) -> Self;
    /// The impulse of what a constraint begins with.
    fn value(start: &Self::Start) -> Self::Value;
    /// The place in `kept` of the impulse with which a constraint begins. All are of its first
    /// body.
    fn find(kept: &[&Self], touch: &BodyConstraint) -> Option<usize>;
}

/// What a constraint begins with.
pub type StartOf<K> = <K as Kept>::Start;

/// An impulse for each constraint of a body.
pub type Starts<S> = SmallVec<[S; 16]>;

/// The impulses with which the constraints of `body` begin. A constraint whose first body is `body`
/// takes one of the `kept` impulses of that body. All others begin with zero here.
pub fn starts_of<'a, K: Kept>(
    kept: &[K],
    body: BodyId,
    touches: impl Iterator<Item = &'a BodyConstraint>,
) -> Starts<StartOf<K>> {
    let own = &kept[kept.partition_point(|kept| kept.body() < body)..];
    let own = &own[..own.partition_point(|kept| kept.body() == body)];
    let mut left: SmallVec<[&K; 16]> = own.iter().collect();
    let start = |touch: &BodyConstraint| {
        let found = if touch.is_first() { K::find(&left, touch) } else { None };
        found.map_or(StartOf::<K>::zeroed(), |at| left.remove(at).start())
    };
    touches.map(start).collect()
}

//! What ranks send each other about the constraints of a body: who treats them, the impulses of the
//! last step with which they begin, and which other ranks need their impulses.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;

use crate::constraint::Ends;
use crate::solver::by_body::{ByBody, OfContact};
use crate::{BodyId, BodyList, FixedBodies, Population};
use cloth_core::Vec3;

/// A constraint of one body.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BodyConstraint {
    /// The other body.
    pub partner: BodyId,
    /// Number of the constraint among those of the two bodies.
    pub number: u32,
    /// The rank that treats the constraint.
    pub rank: u32,
    /// Twice the place of the constraint, plus 1 for its second body. At first it is the place
    /// among the constraints of `rank`. Once the partners are known, it is the place in the
    /// constraints of this rank followed by `foreign`.
    pub slot: u64,
    /// Vector from the centre of mass to the point of the constraint, m.
    pub arm: Vec3,
}

impl OfContact for BodyConstraint {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, u64::from(self.number))
    }
}

/// A constraint of a body, and the impulse with which it begins.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Announcement<S> {
    /// The constraint.
    pub touch: BodyConstraint,
    /// The impulse with which it begins.
    pub start: S,
}

/// The rank of an announcement that only carries an impulse of the last step.
pub const NO_RANK: u32 = u32::MAX;

/// What both bodies of a constraint know of it. `rank` treats it, and it is its constraint number
/// `place`.
pub fn touches(
    ends: &Ends,
    bodies: &BodyList,
    fixed: &FixedBodies,
    rank: u32,
    place: u64,
) -> [BodyConstraint; 2] {
    let &Ends { first, second, shift, number, point } = ends;
    let centre = |place: u32| bodies.states()[place as usize].position;
    let touch = |partner: BodyId, side: u64, arm: Vec3| {
        let slot = 2 * place + side;
        BodyConstraint { partner, number, rank, slot, arm }
    };
    let far = second.movable().map_or(point, centre);
    [
        touch(fixed.id_of(second, bodies), 0, point - centre(first)),
        touch(bodies.id(first as usize), 1, point - (far + shift)),
    ]
}

impl BodyConstraint {
    /// The place of the constraint.
    pub fn place(&self) -> usize {
        (self.slot / 2) as usize
    }

    /// True if the body is the first one of the constraint.
    pub fn is_first(&self) -> bool {
        self.slot.is_multiple_of(2)
    }

    /// What multiplies the impulse on the first body.
    pub fn sign(&self) -> f64 {
        if self.is_first() { 1.0 } else { -1.0 }
    }

    /// True if `rank` treats the constraint, and the body is the first one.
    pub fn is_first_of(&self, rank: u32) -> bool {
        self.rank == rank && self.is_first()
    }
}

/// An impulse of the last step, of the rank that owns its first body.
pub trait Kept: Debug + Pod {
    /// What a constraint begins with.
    type Start: Debug + Pod + Send + Sync;

    /// The first body.
    fn body(&self) -> BodyId;
    /// What a constraint begins with that finds it.
    fn start(&self) -> Self::Start;
    /// A constraint that finds this impulse.
    fn touch(&self) -> BodyConstraint;
    /// What is kept of a constraint of `body`, for the next step to begin with `start`.
    fn of(body: BodyId, touch: &BodyConstraint, start: &Self::Start) -> Self;
    /// The place in `kept` of the impulse with which a constraint begins. All are of its first
    /// body.
    fn find(kept: &[&Self], touch: &BodyConstraint) -> Option<usize>;
}

/// What a constraint begins with.
pub type StartOf<K> = <K as Kept>::Start;

/// An impulse for each constraint of a body.
pub type Starts<S> = SmallVec<[S; 16]>;

/// The impulses of `body` among those of all bodies, which are by rising id.
pub fn kept_of<K: Kept>(kept: &[K], body: BodyId) -> &[K] {
    let own = &kept[kept.partition_point(|kept| kept.body() < body)..];
    &own[..own.partition_point(|kept| kept.body() == body)]
}

/// The impulses with which the constraints of `body` begin. A constraint whose first body is `body`
/// takes one of the `kept` impulses of that body. All others begin with zero here.
pub fn starts_of<'a, K: Kept>(
    kept: &[K],
    body: BodyId,
    touches: impl Iterator<Item = &'a BodyConstraint>,
) -> Starts<StartOf<K>> {
    let mut left: SmallVec<[&K; 16]> = kept_of(kept, body).iter().collect();
    let start = |touch: &BodyConstraint| {
        let found = if touch.is_first() { K::find(&left, touch) } else { None };
        found.map_or(StartOf::<K>::zeroed(), |at| left.remove(at).start())
    };
    touches.map(start).collect()
}

/// Another rank that is involved in the same bodies.
#[derive(Debug, Default)]
pub(super) struct Involved {
    pub(super) rank: u32,
    /// Places of this rank's constraints whose impulses it gets, rising.
    pub(super) sent: Vec<u32>,
    /// Places on that rank of the constraints whose impulses it sends, rising.
    pub(super) received: Vec<u32>,
    /// Where the received impulses begin in `foreign`.
    pub(super) start: usize,
}

impl Involved {
    /// Finds the ranks that are involved in the same bodies as this `rank`, and which of its
    /// constraints they need. `kinds` has the constraints of this kind, and then those of another
    /// one.
    pub(super) fn find(
        partners: &mut Vec<Self>,
        kinds: [Option<&ByBody<BodyConstraint>>; 2],
        rank: u32,
        population: &Population,
    ) {
        partners.clear();
        let of =
            |kind: usize, place: usize| kinds[kind].into_iter().flat_map(move |it| it.of(place));
        for (place, link) in population.links().iter().enumerate() {
            let is_alone = link.owner == rank && link.ranks.is_empty();
            for touch in of(0, place).filter(|_| !is_alone) {
                if touch.rank != rank {
                    Self::of(partners, touch.rank).received.push(touch.place() as u32);
                    continue;
                }
                let others = of(0, place).chain(of(1, place)).map(|other| other.rank);
                for other in others.chain([link.owner]).filter(|&other| other != rank) {
                    Self::of(partners, other).sent.push(touch.place() as u32);
                }
            }
        }
        for constraints in partners.iter_mut().flat_map(|it| [&mut it.sent, &mut it.received]) {
            constraints.sort_unstable();
            constraints.dedup();
        }
    }

    /// After: the slots of constraints of other ranks are places on this rank, which has `own_count`
    /// constraints of its own. Returns the number of constraints of other ranks.
    pub(super) fn place(
        partners: &mut Vec<Self>,
        by_body: &mut ByBody<BodyConstraint>,
        rank: u32,
        own_count: usize,
    ) -> usize {
        let mut end = 0;
        for partner in partners.iter_mut() {
            partner.start = end;
            end += partner.received.len();
        }
        for touch in by_body.items_mut().iter_mut().filter(|touch| touch.rank != rank) {
            let partner = Self::of(partners, touch.rank);
            let place =
                partner.received.partition_point(|&place| u64::from(place) < touch.slot / 2);
            touch.slot = 2 * (own_count + partner.start + place) as u64 + touch.slot % 2;
        }
        end
    }

    /// The entry of `rank` in a list by rising rank. It is added if it is missing.
    pub(super) fn of(partners: &mut Vec<Self>, rank: u32) -> &mut Self {
        let at = partners.partition_point(|partner| partner.rank < rank);
        if partners.get(at).is_none_or(|partner| partner.rank != rank) {
            partners.insert(at, Self { rank, ..Self::default() });
        }
        &mut partners[at]
    }
}

//! Which ranks are involved in which bodies, and what they tell each other of contacts.

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;

use crate::math::Vec3;
use crate::rigid::body::BodyId;
use crate::rigid::constraint::kept::KeptImpulse;
use crate::rigid::solver::by_body::{ByBody, OfContact};
use crate::rigid::solver::nonsmooth::problem::nearest;
use crate::rigid::sync::Population;

/// A contact of one body.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct BodyContact {
    pub(super) partner: BodyId,
    pub(super) feature: u32,
    /// The rank that treats the contact.
    pub(super) rank: u32,
    /// Twice the place of the contact, plus 1 for its second body. At first it is the place among
    /// the contacts of `rank`. Once the partners are known, it is the place in the problems of
    /// this rank followed by `foreign`.
    pub(super) slot: u64,
    /// Vector from the centre of mass to the contact, m.
    pub(super) arm: Vec3,
}

impl OfContact for BodyContact {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, u64::from(self.feature))
    }
}

/// A contact, and the impulse on its first body (N s) with which it begins.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Announcement {
    pub(super) touch: BodyContact,
    pub(super) start: Vec3,
}

/// The rank of an announcement that only carries an impulse of the last step.
pub(super) const NO_RANK: u32 = u32::MAX;

/// Another rank that is involved in the same bodies.
#[derive(Debug, Default)]
pub(super) struct Involved {
    pub(super) rank: u32,
    /// Places of this rank's contacts whose impulses it gets, rising.
    pub(super) sent: Vec<u32>,
    /// Places on that rank of the contacts whose impulses it sends, rising.
    pub(super) received: Vec<u32>,
    /// Where the received impulses begin in `foreign`.
    pub(super) start: usize,
}

/// An impulse for each contact of a body.
pub(super) type Starts = SmallVec<[Vec3; 16]>;

/// The impulses with which the contacts of `body` begin. A contact whose first body is `body`
/// takes the kept impulse of the same two bodies that acted nearest to it. All others begin with
/// zero here.
pub(super) fn starts_of<'a>(
    kept: &[KeptImpulse],
    body: BodyId,
    touches: impl Iterator<Item = &'a BodyContact>,
) -> Starts {
    let own = &kept[kept.partition_point(|kept| kept.body < body)..];
    let own = &own[..own.partition_point(|kept| kept.body == body)];
    let mut left: SmallVec<[&KeptImpulse; 16]> = own.iter().collect();
    let start = |touch: &BodyContact| {
        if !touch.slot.is_multiple_of(2) {
            return Vec3::zeros();
        }
        let of_pair = |kept: &KeptImpulse| (kept.partner == touch.partner).then_some(kept.arm);
        let found = nearest(left.iter().map(|kept| of_pair(kept)), &touch.arm);
        found.map_or(Vec3::zeros(), |at| left.remove(at).impulse)
    };
    touches.map(start).collect()
}

impl Announcement {
    pub(super) fn of_kept(kept: &KeptImpulse) -> Self {
        let &KeptImpulse { partner, arm, impulse, .. } = kept;
        Self {
            touch: BodyContact { partner, feature: 0, rank: NO_RANK, slot: 0, arm },
            start: impulse,
        }
    }
}

impl BodyContact {
    /// The place of the contact.
    pub(super) fn problem(&self) -> usize {
        (self.slot / 2) as usize
    }

    /// True if `rank` treats the contact, and the body is the first one.
    pub(super) fn is_first_of(&self, rank: u32) -> bool {
        self.rank == rank && self.slot.is_multiple_of(2)
    }
}

impl Involved {
    /// Finds the ranks that are involved in the same bodies as this `rank`, and which of its
    /// `problems` contacts they need. After: slots are places on this rank. Returns the number of
    /// contacts of other ranks.
    pub(super) fn find(
        partners: &mut Vec<Self>,
        by_body: &mut ByBody<BodyContact>,
        rank: u32,
        problems: usize,
        population: &Population,
    ) -> usize {
        partners.clear();
        for (place, link) in population.links().iter().enumerate() {
            let is_alone = link.owner == rank && link.ranks.is_empty();
            for touch in by_body.of(place).filter(|_| !is_alone) {
                if touch.rank != rank {
                    Self::of(partners, touch.rank).received.push(touch.problem() as u32);
                    continue;
                }
                let others = by_body.of(place).map(|other| other.rank).chain([link.owner]);
                for other in others.filter(|&other| other != rank) {
                    Self::of(partners, other).sent.push(touch.problem() as u32);
                }
            }
        }
        let mut end = 0;
        for partner in partners.iter_mut() {
            for contacts in [&mut partner.sent, &mut partner.received] {
                contacts.sort_unstable();
                contacts.dedup();
            }
            partner.start = end;
            end += partner.received.len();
        }
        for touch in by_body.items_mut().iter_mut().filter(|touch| touch.rank != rank) {
            let partner = Self::of(partners, touch.rank);
            let place =
                partner.received.partition_point(|&place| u64::from(place) < touch.slot / 2);
            touch.slot = 2 * (problems + partner.start + place) as u64 + touch.slot % 2;
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

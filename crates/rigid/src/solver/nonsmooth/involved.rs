//! Which other ranks need the impulses of this rank's constraints.

use crate::solver::by_body::ByBody;
use crate::solver::nonsmooth::announced::BodyConstraint;
use crate::sync::Population;

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
                    Self::of(partners, touch.rank).received.push(touch.problem() as u32);
                    continue;
                }
                let others = of(0, place).chain(of(1, place)).map(|other| other.rank);
                for other in others.chain([link.owner]).filter(|&other| other != rank) {
                    Self::of(partners, other).sent.push(touch.problem() as u32);
                }
            }
        }
        for constraints in partners.iter_mut().flat_map(|it| [&mut it.sent, &mut it.received]) {
            constraints.sort_unstable();
            constraints.dedup();
        }
    }

    /// After: the slots of constraints of other ranks are places on this rank, which has `problems`
    /// constraints of its own. Returns the number of constraints of other ranks.
    pub(super) fn place(
        partners: &mut Vec<Self>,
        by_body: &mut ByBody<BodyConstraint>,
        rank: u32,
        problems: usize,
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

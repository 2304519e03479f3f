//! Contacts of round surfaces that a repair must not leave out.

use crate::contact::distance::ContactDistance;
use crate::contact::point::{Contact, ContactKind, IMPACT_FRACTION};
use cloth_collision::collision::ccd::time_of_round_impact;
use cloth_core::Vec3;

/// Notes which near pairs with a round side collide on their way from `x0` to a solution `x1` (m).
/// Cloth that winds round a ball moves where a nearer point of the cloth does not hold it, so that
/// a repair without these pairs finds the same collision again.
pub fn note_collisions(
    contacts: &mut [Contact],
    x0: &[Vec3],
    x1: &[Vec3],
    distance: &ContactDistance,
) {
    for contact in contacts {
        let (pair, radius_m) = (contact.pair, distance.radii.of_pair(&contact.pair));
        if radius_m > 0.0 && contact.kind() == ContactKind::Proximity {
            let (start, end) = (pair.gather(x0), pair.gather(x1));
            let within_m = IMPACT_FRACTION * contact.distance_m;
            if time_of_round_impact(pair.kind(), &start, &end, radius_m, within_m).is_some() {
                contact.set_collides();
            }
        }
    }
}

//! What a contact of cloth bears: the mass of bodies that lie on its nodes.
//!
//! The nodes of cloth are light. A contact that knew only them would give way to a body until its
//! stiffness follows the load, and each rise of the stiffness while it is compressed puts energy
//! in. So the least stiffness of a contact that bears bodies follows their weight, and its damping
//! their mass.
//!
//! Source: docs/methods.md, section 11 (ours).

use crate::contact::point::Contact;
use crate::contact::sharing::Sharing;
use crate::contact::side::{InverseMass, Sides};
use crate::contact::stiffness::damping_s;
use cloth_core::{NodeId, Vec3};

/// Compression of a contact by the bodies that lie on its nodes, as a share of its distance.
/// Drops of bowls of 1.8 kg and stacks of plates of 0.3 and 1.2 kg, on cotton on a table, at 1 to 10
/// ms decided it. Softer contacts let bodies bounce, and harder ones let stacks tremble at 1 ms.
const COMPRESSION: f64 = 0.02;

/// Speed of slip at which the damping is half of that at rest, m/s. A pair that slides sees an
/// approach that never comes, because its normal is that of the start of the step. Damped as at
/// rest, friction of a glass on cloth that is drawn away at 1 to 2 m/s in steps of 4 ms is 7 to 21 %
/// too large, and 1 % with this.
const SLIDING_M_PER_S: f64 = 0.1;

/// What a contact bears.
#[derive(Debug, Clone, Copy)]
pub struct Bearing {
    /// The stiffness at which the weight compresses it by [`COMPRESSION`] of its distance, N/m.
    pub stiffness: f64,
    /// The effective mass of its sides with all that lies on their nodes, kg.
    pub mass_kg: f64,
}

impl Bearing {
    /// None without gravity, or if nothing lies on the nodes of the contact, as `sharing` says.
    /// `inverse_mass` gives that of nodes. Gravity has the size `gravity` (m/s^2).
    pub fn new(
        sharing: &Sharing,
        (contact, sides): (&Contact, &Sides),
        inverse_mass: impl Fn(NodeId) -> InverseMass,
        gravity: f64,
    ) -> Option<Self> {
        let carried = |node| sharing.carried(node);
        if gravity == 0.0 || sides.terms().iter().all(|term| carried(term.node) == 0.0) {
            return None;
        }
        let laden = |node| inverse_mass(node).laden(carried(node));
        let mass_kg = 1.0 / sides.inverse_mass(&Vec3::from(contact.normal), laden);
        Some(Self { stiffness: mass_kg * gravity / (COMPRESSION * contact.distance_m), mass_kg })
    }

    /// The damping (s) of the contact at this `stiffness` (N/m) while it slides at `slip_m_per_s`.
    pub fn damping_s(&self, stiffness: f64, slip_m_per_s: f64) -> f64 {
        damping_s(stiffness, self.mass_kg) / (1.0 + slip_m_per_s / SLIDING_M_PER_S)
    }
}

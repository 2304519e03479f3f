//! Bounds that hold for all bodies, and what they require of the division of space.

use crate::error::{Error, Place, Result};
use crate::ranks::{World, message};
use crate::rigid::body::BodyId;
use crate::rigid::broad::Bound;
use crate::rigid::constraint::contact::ContactSettings;
use crate::rigid::domain::Subdomains;
use crate::rigid::horizon::Horizon;
use crate::rigid::sync::Synchronisation;

/// The sizes of all bodies at the start, including bodies that are gone. They determine how far
/// ahead contacts are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRange {
    /// The largest radius of a ball about the centre of mass that holds a body, m.
    pub largest_radius: f64,
    /// The least half width of a body, m. Infinite without bodies.
    pub least_half_width: f64,
}

impl SizeRange {
    /// The sizes of no bodies.
    pub const NONE: Self = Self { largest_radius: 0.0, least_half_width: f64::INFINITY };

    /// The sizes of both sets of bodies together.
    pub fn with(&self, other: &Self) -> Self {
        Self {
            largest_radius: self.largest_radius.max(other.largest_radius),
            least_half_width: self.least_half_width.min(other.least_half_width),
        }
    }

    /// The sizes of the bodies of all ranks, if these are the sizes of own bodies. All ranks call
    /// it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn of_all(&self, world: &dyn World) -> Result<Self> {
        let all = message::all_gather_v(world, &[[self.largest_radius, self.least_half_width]])?;
        let of_rank = |&[largest_radius, least_half_width]: &[f64; 2]| Self {
            largest_radius,
            least_half_width,
        };
        Ok(all.iter().map(of_rank).fold(Self::NONE, |all, own| all.with(&own)))
    }
}

/// Bounds that hold for all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The largest radius of a ball about the centre of mass that holds a body, m.
    pub largest_radius: f64,
    /// A quarter of the smallest width of a body, m.
    pub body_motion: f64,
    /// The smaller of `body_motion` and half of the smallest width of a subdomain, m. No body
    /// moves further between two synchronisations. A step has two.
    pub motion: f64,
    /// A rank holds a copy of a body that reaches into its subdomains when grown by its travel and
    /// this margin, m (`dx` in Iglberger & Rüde).
    pub margin: f64,
    /// How far ahead contacts are found.
    pub horizon: Horizon,
    /// True if copies are held for the largest possible travel instead of the present one. This is
    /// so if subdomains are smaller than the smallest body, because a growing travel could pass a
    /// whole subdomain at once.
    pub holds_ahead: bool,
}

impl Limits {
    /// The limits of bodies of these sizes in an undivided domain. `margin` (m) is that of shadow
    /// copies.
    pub fn new(sizes: &SizeRange, contacts: &ContactSettings, margin: f64) -> Self {
        let SizeRange { largest_radius, least_half_width: half } = *sizes;
        // Without bodies nothing moves. There are two synchronisations in a step.
        let motion = if half.is_finite() { 0.5 * half } else { 0.0 };
        // Contacts do not depend on the division.
        let horizon = Horizon::new(contacts, motion);
        let body_motion = motion;
        Self { largest_radius, body_motion, motion, margin, horizon, holds_ahead: false }
    }

    /// The limits of the same bodies in another division.
    pub fn within(&self, subdomains: &Subdomains) -> Self {
        let edge = subdomains.smallest_edge();
        // Nothing passes a whole subdomain in a step.
        let motion = self.body_motion.min(0.5 * edge);
        Self { motion, holds_ahead: motion + self.horizon.most_m > edge, ..*self }
    }

    /// How far a body can reach beyond the place of its centre at the last synchronisation, m.
    pub fn outreach(&self) -> f64 {
        self.largest_radius + self.margin + self.horizon.most_travel() + self.motion
    }

    /// The radius of a body's ball, grown as is done to decide which ranks hold a copy, m.
    pub fn held(&self, bound: &Bound) -> f64 {
        bound.radius + self.ahead(bound.travel) + self.margin
    }

    /// The part of [`Self::held`] that changes with the velocity, for a body with this `travel`
    /// (m), m.
    pub(super) fn ahead(&self, travel: f64) -> f64 {
        if self.holds_ahead { self.horizon.most_travel() } else { travel }
    }

    /// How near a subdomain must be to count as a neighbour, m.
    ///
    /// # Errors
    /// If bodies are too large for the synchronisation, or would touch themselves.
    pub fn reach(&self, method: Synchronisation, subdomains: &Subdomains) -> Result<f64> {
        let radius = self.largest_radius + self.margin + self.horizon.most_travel();
        subdomains.domain().check_radius(radius)?;
        let (reach, edge) = (radius + self.motion, subdomains.smallest_edge());
        match method {
            Synchronisation::ShadowOwner if self.spread() <= edge => Ok(self.spread()),
            Synchronisation::ShadowOwner => Err(Error::input(
                "domain.method",
                format!(
                    "the smallest edge of a subdomain is {edge} m, but bodies may reach {} m further \
                     in each step (motion and travel)",
                    self.spread()
                ),
                "use fewer subdomains",
            )),
            Synchronisation::NextNeighbour if reach < edge => Ok(reach),
            Synchronisation::NextNeighbour if subdomains.count() == 1 => Ok(edge),
            Synchronisation::NextNeighbour => Err(Error::input(
                "synchronisation",
                format!(
                    "with NextNeighbour no body may reach further than a subdomain is wide, but the \
                     largest one reaches {reach} m (radius {} m, travel, margin and motion) and the \
                     smallest edge is {edge} m",
                    self.largest_radius
                ),
                "use `synchronisation: ShadowOwner`, or fewer subdomains",
            )),
        }
    }

    /// How much further a body can reach than it did at the last synchronisation, m.
    fn spread(&self) -> f64 {
        self.motion + if self.holds_ahead { 0.0 } else { self.horizon.most_m }
    }

    /// Fails if a body moved further than allowed since the last synchronisation, or if `moved` is
    /// not a number.
    pub(super) fn check_motion(&self, id: BodyId, moved: f64) -> Result<()> {
        if moved <= self.motion {
            return Ok(());
        }
        Err(Error::input(
            Place::Body(id),
            format!(
                "moved {moved} m in half a step, more than {} m: a quarter of the smallest width of a \
                 body, or half of the smallest width of a subdomain",
                self.motion
            ),
            "raise `steps_per_frame`, or use slower or larger bodies",
        ))
    }
}

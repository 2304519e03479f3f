//! Bounds that hold for all bodies, and the smallest subdomains that they allow.

use crate::error::{Error, Place, Result};
use crate::ranks::{World, message};
use crate::rigid::body::BodyId;
use crate::rigid::broad::Bound;
use crate::rigid::constraint::contact::ContactSettings;
use crate::rigid::domain::Subdomains;
use crate::rigid::horizon::Horizon;
use crate::rigid::sync::Synchronisation;

/// The range of sizes of all bodies at the start. It also counts bodies that were deleted later. It
/// determines how far ahead contacts are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRange {
    /// The largest radius of a bounding ball about a centre of mass, m. It is 0 without bodies.
    pub largest_radius: f64,
    /// The smallest half-width of a body, m. It is infinite without bodies.
    pub least_half_width: f64,
}

impl SizeRange {
    /// The range without bodies.
    pub const NONE: Self = Self { largest_radius: 0.0, least_half_width: f64::INFINITY };

    /// The range of both sets of bodies together.
    pub fn with(&self, other: &Self) -> Self {
        Self {
            largest_radius: self.largest_radius.max(other.largest_radius),
            least_half_width: self.least_half_width.min(other.least_half_width),
        }
    }

    /// The range of the bodies of all ranks, from the range of this rank's own bodies. All ranks
    /// call it.
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
    /// The largest radius of a bounding ball about a centre of mass, m.
    pub largest_radius: f64,
    /// A quarter of the smallest width of a body, m.
    pub body_motion: f64,
    /// The largest motion of a body between two synchronisations, m: the smaller of `body_motion`
    /// and half of the smallest width of a subdomain. A step has two synchronisations.
    pub motion: f64,
    /// The margin of shadow copies, m (`dx` in Iglberger & Rüde 2009). A rank holds a copy of a
    /// body that reaches into its subdomains when grown by its travel and this margin.
    pub margin: f64,
    /// How far ahead contacts are found.
    pub horizon: Horizon,
    /// True if the largest possible travel decides on copies instead of the present travel. This is
    /// needed if a subdomain is narrower than `motion` plus the largest travel by motion, because a
    /// body whose travel grows could then pass a whole subdomain at once.
    pub holds_ahead: bool,
}

impl Limits {
    /// The limits of bodies of these sizes in an undivided domain. `margin` is the margin of shadow
    /// copies (m).
    pub fn new(sizes: &SizeRange, contacts: &ContactSettings, margin: f64) -> Self {
        let SizeRange { largest_radius, least_half_width: half } = *sizes;
        // A step has two synchronisations, so no body moves by more than the smallest half-width in
        // a step. Without bodies nothing moves.
        let motion = if half.is_finite() { 0.5 * half } else { 0.0 };
        // The horizon must not depend on the division, because contacts depend on it.
        let horizon = Horizon::new(contacts, motion);
        let body_motion = motion;
        Self { largest_radius, body_motion, motion, margin, horizon, holds_ahead: false }
    }

    /// The limits of the same bodies in another division.
    pub fn within(&self, subdomains: &Subdomains) -> Self {
        let edge = subdomains.smallest_edge();
        // No body passes a whole subdomain in a step.
        let motion = self.body_motion.min(0.5 * edge);
        Self { motion, holds_ahead: motion + self.horizon.most_m > edge, ..*self }
    }

    /// The largest distance that a body can reach from its centre at the last synchronisation, m.
    /// It includes travel and margin.
    pub fn outreach(&self) -> f64 {
        self.largest_radius + self.margin + self.horizon.most_travel() + self.motion
    }

    /// The radius of a body's bounding ball, grown by travel and margin, m. Ranks that this ball
    /// reaches into hold a copy.
    pub fn held(&self, bound: &Bound) -> f64 {
        bound.radius + self.ahead(bound.travel) + self.margin
    }

    /// The part of [`Self::held`] for the travel, m. It is `travel` (m), or the largest travel with
    /// [`Self::holds_ahead`].
    pub(super) fn ahead(&self, travel: f64) -> f64 {
        if self.holds_ahead { self.horizon.most_travel() } else { travel }
    }

    /// The distance up to which subdomains are neighbours, m.
    ///
    /// # Errors
    /// If bodies are too large or too fast for the synchronisation in these subdomains, or if a
    /// body would touch an image of itself.
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

    /// The largest growth of a body's reach from one synchronisation to the next, m.
    fn spread(&self) -> f64 {
        self.motion + if self.holds_ahead { 0.0 } else { self.horizon.most_m }
    }

    /// Fails if a body moved by more than [`Self::motion`] since the last synchronisation. `moved`
    /// is its motion (m). NaN fails too.
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

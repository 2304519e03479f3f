//! Bounds that hold for all bodies, and the smallest subdomains that they allow.

use crate::broad::Bound;
use crate::constraint::ContactSettings;
use crate::domain::{Domain, Subdomains};
use crate::horizon::Horizon;
use crate::{BodyId, Synchronisation};
use cloth_core::{Error, Place, Result, World, message};

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

/// The part of a room that is used, so that rounding does not fill it.
const NEARLY: f64 = 0.99;

/// `NextNeighbour` refuses bodies to which it cannot allow a motion of this part of the smallest
/// half-width between two synchronisations.
const LEAST_MOTION: f64 = 0.25;

/// Bounds that hold for all bodies.
///
/// In a step a body moves by at most the radius of its bounding ball. Its travel is as long, so all
/// contacts that its velocity leads to are foreseen. A body has at least half of this way in half a
/// step, unless the division of space allows less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The largest radius of a bounding ball about a centre of mass, m.
    pub largest_radius: f64,
    /// The smallest half-width of a body, m; 0 without bodies.
    pub least_half_width: f64,
    /// The largest motion of a body between two synchronisations, as a multiple of its radius. A
    /// step has two synchronisations.
    pub motion_per_radius: f64,
    /// The largest motion of any body between two synchronisations, m. It is less than the smallest
    /// width of a subdomain.
    pub motion: f64,
    /// The largest travel of a body that reaches into another subdomain, m.
    pub travel: f64,
    /// The margin of shadow copies, m (`dx` in Iglberger & Rüde 2009). A rank holds a copy of a
    /// body that reaches into its subdomains when grown by its travel and this margin.
    pub margin: f64,
    /// How far ahead contacts are found.
    pub horizon: Horizon,
    /// If the reach of a body may grow by more than this from one synchronisation to the next, m,
    /// then its largest possible travel decides on its copies instead of its present travel.
    /// Otherwise it could pass a whole subdomain at once.
    pub growth: f64,
}

impl Limits {
    /// The limits of bodies of these sizes in an undivided domain. `margin` is the margin of shadow
    /// copies (m).
    pub fn new(
        sizes: &SizeRange,
        contacts: &ContactSettings,
        margin: f64,
        domain: &Domain,
    ) -> Self {
        let SizeRange { largest_radius, least_half_width: half } = *sizes;
        // Without bodies nothing moves.
        let half = if half.is_finite() { half } else { 0.0 };
        // No body, grown by travel and margin, touches an image of itself.
        let slack = Horizon::new(contacts, 0.0).most_travel();
        let room = 0.5 * domain.least_period() - largest_radius - margin - slack;
        let most = largest_radius.min(NEARLY * room).max(half);
        // The horizon must not depend on the division, because contacts depend on it.
        let horizon = Horizon::new(contacts, most);
        Self {
            largest_radius,
            least_half_width: half,
            motion_per_radius: 0.5,
            motion: 0.5 * most,
            travel: horizon.most_travel(),
            margin,
            horizon,
            growth: f64::INFINITY,
        }
    }

    /// The limits of the same bodies in another division.
    pub fn within(&self, method: Synchronisation, subdomains: &Subdomains) -> Self {
        let (edge, slack) = (subdomains.smallest_edge(), 0.5 * self.horizon.slack_m);
        // No body passes a whole subdomain at once.
        let motion = (0.5 * self.horizon.most_m).min(NEARLY * edge);
        match method {
            Synchronisation::NextNeighbour if subdomains.count() > 1 => {
                // Travel and motion share the room: the travel is the motion of two halves.
                let room = edge - self.largest_radius - self.margin - slack;
                let least = LEAST_MOTION * self.least_half_width;
                let motion = motion.min((NEARLY * room / 3.0).max(least));
                let travel = self.horizon.most_m.min(2.0 * motion) + slack;
                Self { motion, travel, growth: f64::INFINITY, ..*self }
            }
            _ => {
                let travel = self.horizon.most_travel();
                Self { motion, travel, growth: NEARLY * edge, ..*self }
            }
        }
    }

    /// The largest distance that a body can reach from its centre at the last synchronisation, m.
    /// It includes travel and margin.
    pub fn outreach(&self) -> f64 {
        self.largest_radius + self.margin + self.horizon.most_travel() + self.motion
    }

    /// True if a body can move by more than half of its smallest width in a step. Then it may pass
    /// a body towards which it did not move before the response.
    pub fn may_pass(&self) -> bool {
        self.horizon.most_m > self.least_half_width
    }

    /// The largest motion between two synchronisations of a body with this radius (m), m.
    #[inline]
    pub(super) fn motion_of(&self, radius: f64) -> f64 {
        self.motion.min(self.motion_per_radius * radius)
    }

    /// The radius of a body's bounding ball, grown by travel and margin, m. Ranks that this ball
    /// reaches into hold a copy.
    pub fn held(&self, bound: &Bound) -> f64 {
        bound.radius + self.ahead(bound.radius, bound.travel) + self.margin
    }

    /// The part of [`Self::held`] for the travel of a body with this radius (m), m. It is `travel`
    /// (m), or the largest travel because of [`Self::growth`].
    #[inline]
    pub(super) fn ahead(&self, radius: f64, travel: f64) -> f64 {
        let most = self.horizon.most_of(radius);
        let holds_ahead = self.motion_of(radius) + most > self.growth;
        if holds_ahead { most + 0.5 * self.horizon.slack_m } else { travel }
    }

    /// The distance up to which subdomains are neighbours, m.
    ///
    /// # Errors
    /// If bodies are too large or too fast for the synchronisation in these subdomains, or if a
    /// body would touch an image of itself.
    pub fn reach(&self, method: Synchronisation, subdomains: &Subdomains) -> Result<f64> {
        let radius = self.largest_radius + self.margin;
        subdomains.domain().check_radius(radius + self.horizon.most_travel())?;
        let (reach, edge) = (radius + self.travel + self.motion, subdomains.smallest_edge());
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
        (self.motion + self.horizon.most_m).min(self.growth).max(self.motion)
    }

    /// Fails if a body with this radius (m) moved too far since the last synchronisation. `moved`
    /// is its motion (m). NaN fails too.
    pub(super) fn check_motion(&self, id: BodyId, moved: f64, radius: f64) -> Result<()> {
        let most = self.motion_of(radius);
        if moved <= most {
            return Ok(());
        }
        Err(Error::input(
            Place::Body(id),
            format!(
                "moved {moved} m in half a step, more than {most} m: half of the radius of the \
                 ball that holds it, or what the domain and its division allow"
            ),
            "raise `steps_per_frame`, or use slower or larger bodies or fewer subdomains",
        ))
    }

    /// The error for a body whose travel is above [`Self::travel`].
    pub(super) fn too_fast(&self, id: BodyId, bound: &Bound) -> Error {
        let cause = format!(
            "its surface moves by up to {} m in a step, more than the {} m that NextNeighbour \
             allows in these subdomains",
            bound.travel, self.travel
        );
        let remedy = "use `synchronisation: ShadowOwner`, or fewer subdomains, or raise \
                      `steps_per_frame`";
        Error::input(Place::Body(id), cause, remedy)
    }
}

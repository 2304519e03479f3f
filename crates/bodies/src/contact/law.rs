//! The contact law: how an active contact pushes and slides in a step.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `n` | | normal, from the second side to the first |
//! | `gap` | m | along `n` at the start of the step; of a predicted impact at least `d_c` |
//! | `d_c` | m | contact distance: the gap that the spring aims at |
//! | `push_out` | m | `d_c - gap`; of a near pair at most the push-out speed times `h` |
//! | `u = sum_i J_i u_i` | m/s | relative velocity of the two points (see [`Sides`]) |
//! | `m` | kg | effective mass of the pair along `n` (see [`Sides::inverse_mass`]), of a body its share ([`super::sharing`]) |
//! | `k` | N/m | spring stiffness, by the load ([`super::stiffness`]) |
//! | `mu` | | Coulomb's coefficient of the pair |
//! | `f_n` | N | normal force of the last solve |
//! | `stretch` | m | of the friction spring at the start of the step: its force by `k` |
//! | `slip = stretch + h u_t` | m | the stretch after the step if the tangential part `u_t` stays |
//! | `tau` | s | damping of the spring by its stiffness and what it carries ([`super::stiffness`]) |
//!
//! The spring pushes with `k (push_out - (h + tau) u . n)` at the end of the step. Friction is a second
//! spring of stiffness `k`, along the surface, from the point where the contact stuck first. It
//! carries at most Coulomb's bound `mu f_n`. The bound uses the normal force of the last solve,
//! because that of this step is not known yet. A new contact takes the force that it would carry
//! alone, but no more than its gap and its present velocity give, or what it takes over from contacts
//! of its body that have ended ([`super::sharing`]).
//!
//! Source: docs/methods.md, section 8 (ours).

use crate::contact::bearing::Bearing;
use crate::contact::distance::ContactDistance;
use crate::contact::friction::Friction;
use crate::contact::memory::{ContactMemory, memory_of};
use crate::contact::point::{Contact, ContactKind};
use crate::contact::restitution::{self, rebound};
use crate::contact::sharing::Sharing;
use crate::contact::side::{Dynamics, Sides};
use crate::contact::slip::{FRICTION_ERROR, LEAST_SLIP_M_PER_S, friction_spring, tangential};
use crate::contact::spring::{ContactSpring, lowest_pushed};
use crate::contact::stiffness::{damping_s, kappa, stiffness};
use crate::contact::touched::Touched;
use cloth_collision::collision::Pair;
use cloth_core::{Mat3, NodeId, Vec3};

/// Largest push-out speed of pairs that start nearer than the contact distance, m/s. If half of
/// this distance in the longest step is faster, that speed counts instead. A smaller step must not
/// push faster, because cloth that is pressed together would burst apart.
const PUSH_SPEED_M_PER_S: f64 = 0.2;

/// How contacts push.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// The longest size of a step, s.
    longest_s: f64,
    /// Size of whole steps, s.
    pub step_s: f64,
}

impl ContactLaw {
    /// The law for whole steps of `step_s` (s), in a run whose steps have at most `longest_s` (s).
    pub fn new([step_s, longest_s]: [f64; 2]) -> Self {
        Self { longest_s, step_s }
    }

    /// The fastest push-out of a pair with this contact distance (m), m/s.
    fn push_speed_m_per_s(&self, distance_m: f64) -> f64 {
        PUSH_SPEED_M_PER_S.max(0.5 * distance_m / self.longest_s)
    }

    /// `kappa m / h^2` of the effective mass `mass` (kg) in a whole step, N/m.
    fn whole_stiffness(&self, mass: f64) -> f64 {
        kappa(self.step_s) * mass / (self.step_s * self.step_s)
    }

    /// The least stiffness (N/m) of a contact of effective mass `mass` (kg), in a step of `h` (s).
    /// A new contact of cloth has the least stiffness for this step size, which stops a fast
    /// impact within the step. In a halved step this is up to four times as much. Cloth that is
    /// pressed together would burst apart if its stiffness rose at the same compression. So the
    /// least stiffness of a contact that acted before is at most its last stiffness, or that of a
    /// whole step if this is larger. A contact with a body has that of a whole step.
    fn least_stiffness(
        &self,
        mass: f64,
        memory: Option<&ContactMemory>,
        has_body: bool,
        h: f64,
    ) -> f64 {
        let (of_step, of_whole) = (kappa(h) * mass / (h * h), self.whole_stiffness(mass));
        match memory {
            _ if has_body => of_whole,
            Some(memory) => of_step.min(memory.stiffness.max(of_whole)),
            None => of_step,
        }
    }
}

/// A contact that acts in the step that is being solved.
#[derive(Debug, Clone, Copy)]
pub struct ActiveContact {
    pair: Pair,
    /// Unit vector from the second side to the first.
    normal: Vec3,
    /// `k`, N/m.
    stiffness: f64,
    /// See [`ContactLaw::least_stiffness`], N/m.
    least_stiffness: f64,
    /// Gap that the spring aims at minus the present gap, m.
    push_out: f64,
    /// `tau`, s.
    damping_s: f64,
    /// Stretch of the friction spring at the start of the step, m.
    stretch: Vec3,
    /// Coulomb's coefficient.
    friction: f64,
    /// Normal force in the last step, N.
    last_normal_force: f64,
    /// The lowest node that it pushes.
    owner: NodeId,
    /// Energy that a change of its stiffness since the last step put in, J.
    raised_j: f64,
    /// Whether it ends an impact. Then it carries nothing over to the next step.
    pub rebounds: bool,
    /// The friction of a contact of bodies that stops slow slip, N. Infinite for other contacts.
    slow_friction: f64,
}

/// A contact that acted in the last step is left out if, without its force, its sides would end
/// the step beyond the gap that it aims at, by more than this share of the contact distance and
/// the effect of gravity in two steps. Sides that separate more slowly are braked. Without this
/// margin the contacts of a resting stack come and go, and the stack moves at 0.2 mm/s; with it at
/// 1e-16 m/s. A contact that did not act in the last step is left out as soon as its sides would
/// end beyond that gap, because other contacts may hold them at rest.
const PARTING: f64 = 0.05;

/// The inputs of the law in a step.
#[derive(Clone, Copy)]
pub struct ContactStep<'a> {
    /// The law.
    pub law: &'a ContactLaw,
    /// Contact distances.
    pub distance: ContactDistance<'a>,
    /// Coulomb's coefficients.
    pub friction: &'a Friction,
    /// What they are multiplied by in this step.
    pub friction_factor: f64,
    /// Velocities and masses.
    pub bodies: &'a dyn Dynamics,
    /// The memories of contacts from the last step, by rising pair.
    pub memories: &'a [ContactMemory],
    /// The loads of contacts in the solution that this solve repairs, by rising pair. None in the
    /// first solve of a step, which uses the loads of the last step.
    pub loads: Option<&'a [ContactMemory]>,
    /// How many contacts share the mass of each body.
    pub sharing: &'a Sharing,
    /// The surfaces that touched in the last step, if impacts of bodies end within the step.
    pub touched: Option<&'a Touched<'a>>,
    /// Velocity that gravity gives in the step, m/s.
    pub fall: Vec3,
    /// Size of the step, s.
    pub h: f64,
}

impl ContactStep<'_> {
    /// Whether free cloth takes part.
    fn has_cloth(&self, sides: &Sides) -> bool {
        let bodies = self.bodies;
        let is_rigid = |node| bodies.body(node).is_some() || bodies.inverse_mass(node).is_zero();
        sides.terms().iter().any(|term| !is_rigid(term.node))
    }

    /// The damping (s) of a contact of this `stiffness` (N/m) that carried `force` (N).
    fn damping_s(
        &self,
        (sides, normal): (&Sides, Vec3),
        bearing: Option<Bearing>,
        [stiffness, force]: [f64; 2],
    ) -> f64 {
        if self.has_cloth(sides) {
            // Only what bears a body needs the slip.
            return bearing.map_or(0.0, |bearing| {
                let start = sides.velocity(|node| self.bodies.flight(node)[0]);
                bearing.damping_s(stiffness, tangential(start, normal).norm())
            });
        }
        let gravity = self.fall.norm() / self.h;
        if gravity > 0.0 { damping_s(stiffness, force.max(0.0) / gravity) } else { 0.0 }
    }
}

impl ActiveContact {
    /// The active contact of `contact` between `sides`, and its spring. `None` if neither side can
    /// move, or if the sides separate fast.
    pub fn new(
        contact: &Contact,
        sides: &Sides,
        step: &ContactStep,
    ) -> Option<(Self, ContactSpring)> {
        let ContactStep { law, bodies, h, .. } = *step;
        let normal = Vec3::from(contact.normal);
        let memory = memory_of(step.memories, &contact.pair);
        let bodies_of = sides.terms().iter().filter_map(|term| bodies.body(term.node));
        let handed_on = bodies_of.clone().map(|body| step.sharing.handed_on(body));
        let handed_on = handed_on.reduce(f64::min).unwrap_or(0.0);
        let sharers = bodies_of.map(|body| step.sharing.sharers(body, memory.is_some()));
        let sharers = sharers.reduce(f64::max);
        let part = |node| {
            let whole = bodies.inverse_mass(node);
            if bodies.body(node).is_some() { whole.shared(sharers.unwrap_or(1.0)) } else { whole }
        };
        let inverse_mass = sides.inverse_mass(&normal, part);
        if inverse_mass <= 0.0 {
            return None;
        }
        let mass = 1.0 / inverse_mass;
        let has_cloth = step.has_cloth(sides);
        let rebound = step.touched.filter(|_| !has_cloth).and_then(|touched| {
            let part = |end: usize| sides.velocity(|it| bodies.flight(it)[end]).dot(&normal);
            let restitution = touched.restitution(&contact.pair)?;
            rebound(contact, restitution, [part(0), part(1)], [step.fall.norm(), h])
        });
        let last = step.loads.and_then(|loads| memory_of(loads, &contact.pair)).or(memory);
        let last = last.filter(|_| rebound.is_none());
        let gravity = step.fall.norm() / h;
        let bearing = Bearing::new(step.sharing, (contact, sides), part, gravity);
        // Never stiffer than a contact of the mass that it bears.
        let by_weight = bearing.map_or(0.0, |it| it.stiffness.min(law.whole_stiffness(it.mass_kg)));
        let least_stiffness =
            law.least_stiffness(mass, memory, sharers.is_some(), h).max(by_weight);
        let stiffness = match rebound {
            None => stiffness(least_stiffness, last.map(ContactMemory::load), contact.distance_m),
            Some(_) => restitution::stiffness(mass, sharers.unwrap_or(1.0), h),
        };
        let push_out = match contact.kind() {
            ContactKind::Impact => contact.distance_m - contact.gap_m,
            ContactKind::Proximity => {
                let wanted_m = step.distance.wanted_m(&contact.pair, Some(&contact.weights));
                (contact.distance_m - contact.gap_m).min(law.push_speed_m_per_s(wanted_m) * h)
            }
        };
        let push_out = rebound.map_or(push_out, |it| it.way_m.max(push_out.min(0.0)));
        let present = sides.velocity(|node| bodies.velocity(node));
        // A spring in the system pulls as well as pushes. So a contact is left out if its sides
        // would separate for good without its last force.
        let last_normal_force = last.map_or(0.0, |last| last.normal_force);
        let braked_m = PARTING * contact.distance_m + 2.0 * h * step.fall.norm();
        let parting_limit_m = if memory.is_some() { braked_m } else { 0.0 };
        let continued = sides.velocity(|node| bodies.continued_velocity(node));
        let without = push_out - h * continued.dot(&normal) + last_normal_force * h * h / mass;
        if rebound.is_none() && without < -parting_limit_m {
            return None;
        }
        let stretch = memory.map_or_else(Vec3::zeros, |memory| {
            tangential(Vec3::from(memory.friction_force), normal) / stiffness
        });
        let normal_force = match last {
            Some(last) => last.normal_force.max(0.0),
            None => {
                let expected = sides.velocity(|node| bodies.expected_velocity(node));
                let parting = [present, expected].map(|u| u.dot(&normal));
                let parting = rebound.map_or(parting, |it| it.flight_m_per_s);
                let closing_m = parting.map(|u| push_out - h * u);
                let alone = stiffness
                    * first_compression(contact, closing_m, push_out, stiffness * h * h / mass);
                match contact.kind() {
                    ContactKind::Proximity if handed_on > 0.0 => {
                        handed_on * (contact.distance_m - contact.gap_m)
                    }
                    _ => alone,
                }
            }
        };
        let raised_j = memory.map_or(0.0, |memory| {
            0.5 * (stiffness - memory.stiffness) * (contact.distance_m - contact.gap_m).powi(2)
        });
        let damping_s = step.damping_s((sides, normal), bearing, [stiffness, last_normal_force]);
        let slip = stretch + tangential(present, normal) * h;
        let coefficient = step.friction.of(&contact.pair, &contact.weights) * step.friction_factor;
        let ahead = stretch + tangential(continued, normal) * h;
        let bound = coefficient * normal_force;
        let (friction_force, tangential_stiffness) = match coefficient > 0.0 {
            true => friction_spring(slip, ahead, normal, [stiffness, bound], h * h / mass),
            false => (Vec3::zeros(), Mat3::zeros()),
        };
        let spring_force = stiffness * (push_out - (h + damping_s) * present.dot(&normal));
        let along_normal = stiffness * (1.0 + damping_s / h);
        let matrix = normal * normal.transpose() * along_normal + tangential_stiffness;
        let spring = ContactSpring {
            sides: *sides,
            stiffness: matrix,
            velocity: present,
            push: normal * spring_force - friction_force,
            lasting: memory.map_or_else(Vec3::zeros, |memory| memory.lasting(normal)),
        };
        let active = Self {
            pair: contact.pair,
            normal,
            stiffness,
            least_stiffness,
            push_out,
            damping_s,
            stretch,
            friction: coefficient,
            last_normal_force: memory.map_or(0.0, |memory| memory.normal_force),
            owner: lowest_pushed(sides, bodies),
            raised_j,
            rebounds: rebound.is_some(),
            slow_friction: match has_cloth {
                true => f64::INFINITY,
                false => mass / h * LEAST_SLIP_M_PER_S.max(restitution::SLOW * step.fall.norm()),
            },
        };
        Some((active, spring))
    }

    /// The lowest node that it pushes: its rank owns the contact.
    pub fn owner(&self) -> NodeId {
        self.owner
    }

    /// Energy that a change of its stiffness since the last step put in (negative: took out), J.
    pub fn raised_j(&self) -> f64 {
        self.raised_j
    }

    /// The pair.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// Whether an impact of bodies has more friction than Coulomb's. Before: the velocities at
    /// the end of the step of `h` (s) are known.
    pub fn has_excess_friction(
        &self,
        spring: &ContactSpring,
        bodies: &dyn Dynamics,
        h: f64,
    ) -> bool {
        if self.slow_friction == f64::INFINITY {
            return false;
        }
        let end = spring.sides.velocity(|node| bodies.end_velocity(node));
        let force = spring.push - spring.stiffness * (end - spring.velocity) * h;
        let friction = tangential(force, self.normal).norm();
        let error = friction - self.friction * force.dot(&self.normal).max(0.0);
        error > self.slow_friction.max(FRICTION_ERROR * friction)
    }

    /// The memory of the contact after a step of `h` (s). Before: the velocities at the end of the
    /// step are known.
    pub fn memory(&self, sides: &Sides, bodies: &dyn Dynamics, h: f64) -> ContactMemory {
        let end = sides.velocity(|node| bodies.end_velocity(node));
        let compression_m = self.push_out - (h + self.damping_s) * end.dot(&self.normal);
        let force = self.stiffness * compression_m;
        let stretch = self.stretch + tangential(end, self.normal) * h;
        let (length, limit) = (stretch.norm(), self.friction * force.max(0.0) / self.stiffness);
        let kept = if length > limit { stretch * (limit / length) } else { stretch };
        let Self { pair, owner, stiffness, least_stiffness, .. } = *self;
        if self.rebounds {
            return ContactMemory::without_load(pair, owner, least_stiffness);
        }
        ContactMemory {
            pair,
            owner,
            friction_force: (kept * self.stiffness).into(),
            normal_force: force,
            lasting_force: force.min(self.last_normal_force).max(0.0),
            stiffness,
            least_stiffness,
        }
    }
}

/// The compression (m) of a new contact, from which the bound of its friction follows. It is the
/// compression that the contact would have alone, but no more than its gap and its present
/// velocity give. This bound is needed because other contacts already carry their share, and while
/// cloth slides, pairs of the same vertices come and go. `closing_m` is the compression if nothing
/// changed the velocities, now and in free flight. `growth` is `k h^2 / m`.
fn first_compression(
    contact: &Contact,
    [present_m, expected_m]: [f64; 2],
    push_out: f64,
    growth: f64,
) -> f64 {
    let alone = expected_m / (1.0 + growth);
    let by_gap = match contact.kind() {
        ContactKind::Impact => f64::INFINITY,
        ContactKind::Proximity => push_out,
    };
    alone.min(present_m).min(by_gap).max(0.0)
}

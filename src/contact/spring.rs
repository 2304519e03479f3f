//! Contacts between the two worlds: what collision finds becomes springs of the
//! linear system, and what the solve answers becomes the contacts' memory.
//!
//! | symbol | |
//! |---|---|
//! | `n`, `w_a`, `g` | normal, signed weights and gap at the start of the step |
//! | `u = sum_a w_a v_a` | relative velocity of the two points |
//! | `m` | effective mass of the pair, `1 / sum_a w_a^2 / m_a` |
//! | `k = kappa m / h^2` | stiffness towards the contact distance `d_c` |
//! | `e` | stretch of the friction spring since its anchor |
//!
//! Source: methods §8 (ours), with friction as an implicit return map.

use crate::bodies::cloth::ContactSpring;
use crate::contact::point::{Contact, ContactKind, Friction};
use crate::ids::{NONE, VertexId};
use crate::math::{Mat3, Vec3};
use crate::step::State;
use crate::step::state::ContactMemory;

/// How contacts push and rub.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// `d_c`, m.
    pub distance_m: f64,
    /// Coulomb's mu.
    pub friction: Friction,
    /// Fastest push-out, m/s.
    pub push_speed_m_per_s: f64,
}

/// Velocities and masses that a contact sees.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    /// Velocities of all vertices: cloth at the start of the step, obstacles
    /// over the step, m/s.
    pub velocities: &'a [Vec3],
    /// Inverse masses, 1/kg; zero for what moves as told.
    pub inverse_masses: &'a [f64],
    /// Velocity that free fall adds to cloth in this step, m/s.
    pub fall: Vec3,
    /// Size of the step, s.
    pub h: f64,
}

/// A contact while its step is being solved.
#[derive(Debug, Clone, Copy)]
pub struct StandingContact {
    contact: Contact,
    normal: Vec3,
    stiffness: f64,
    /// Gap that the spring aims at minus the present gap, m.
    push_out: f64,
    stretch: Vec3,
    friction: f64,
    /// The lowest cloth vertex that it pushes.
    owner: VertexId,
}

/// Stiffness of contacts over `m / h^2`. Decided by the tablecloth at 40, 10 and
/// 4 steps a frame and a stack of sheets: 10 is enough at 1 ms, less than 100
/// leaves load behind at 4 and 10 ms.
fn kappa(h: f64) -> f64 {
    let growth = h / 1e-3;
    (10.0 * growth * growth.sqrt()).clamp(10.0, 100.0)
}

/// How far sides must part in a step for their contact to be left out, over the
/// contact distance and beside what gravity does in two steps. What parts more
/// slowly is braked until it is beyond the contact distance; without this margin
/// contacts of a resting stack come and go (0.2 mm/s; with it 1e-16 m/s).
const PARTING: f64 = 0.05;

impl StandingContact {
    /// `contact` with its memory and its spring; `None` if neither side can move, or if
    /// they part fast.
    pub fn new(
        contact: &Contact,
        law: &ContactLaw,
        state: &State,
        bodies: &Bodies,
    ) -> Option<(Self, ContactSpring)> {
        let h = bodies.h;
        let mass = effective_mass(contact, bodies.inverse_masses)?;
        let kappa = kappa(h);
        let stiffness = kappa * mass / (h * h);
        let normal = Vec3::from(contact.normal);
        let push_out = match contact.kind() {
            ContactKind::Impact => contact.distance_m - contact.gap_m,
            ContactKind::Proximity => {
                (contact.distance_m - contact.gap_m).min(law.push_speed_m_per_s * h)
            }
        };
        let (present, falling) = relative_velocities(contact, bodies);
        let memory = state.memory(&contact.pair);
        let held = memory.map_or(0.0, |memory| memory.normal_force);
        let closing = push_out - h * falling.dot(&normal);
        // A spring in the system pulls as well as pushes: it lets go of what would leave
        // for good, even against the force that held it.
        let decisive = PARTING * contact.distance_m + 2.0 * h * bodies.fall.norm();
        if closing + held * h * h / mass < -decisive {
            return None;
        }
        let (stretch, normal_force) = match memory {
            Some(memory) => (tangential(Vec3::from(memory.stretch), normal), held),
            None => {
                // As if it stood alone, but no more than its present velocity gives:
                // at rest, others carry their share already.
                let alone = closing / (1.0 + kappa);
                let force = stiffness * alone.min(push_out - h * present.dot(&normal));
                (Vec3::zeros(), force.max(0.0))
            }
        };

        let slip = stretch + tangential(present, normal) * h;
        let coefficient = law.friction.of(&contact.pair);
        let bound = coefficient * normal_force;
        let (rub, tangential_stiffness) = friction(slip, normal, stiffness, bound, h * h / mass);
        let pressure = stiffness * (push_out - h * present.dot(&normal));
        let matrix = normal * normal.transpose() * stiffness + tangential_stiffness;
        let push = normal * pressure - rub;
        let spring = ContactSpring {
            vertices: contact.pair.vertices,
            first_side: contact.pair.first_side(),
            weights: contact.weights,
            stiffness: matrix,
            push,
        };
        let friction = coefficient;
        let owner = lowest_pushed(contact, bodies.inverse_masses);
        let standing =
            Self { contact: *contact, normal, stiffness, push_out, stretch, friction, owner };
        Some((standing, spring))
    }

    /// What the contact remembers once the velocities `v1` of all vertices are known.
    pub fn memory(&self, v1: &[Vec3], h: f64) -> ContactMemory {
        let slip = relative(&self.contact, |vertex| v1[vertex]);
        let force = self.stiffness * (self.push_out - h * slip.dot(&self.normal));
        let normal_force = force.max(0.0);
        let stretch = self.stretch + tangential(slip, self.normal) * h;
        let (length, limit) = (stretch.norm(), self.friction * normal_force / self.stiffness);
        let kept = if length > limit { stretch * (limit / length) } else { stretch };
        ContactMemory {
            pair: self.contact.pair,
            owner: self.owner,
            stretch: kept.into(),
            normal_force,
        }
    }
}

/// The friction spring at `slip`, the stretch (m) that it would have after the step
/// if nothing changed its velocity: force against the slip (N) and stiffness (N/m).
///
/// It sticks as long as Coulomb's `bound` (N) carries it. Beyond, its secant gives
/// the bound at that slip: it stops what slides, and cannot turn it back. Slip that
/// the bound changes by less than a tenth in the step (`give` m/N) takes Newton's
/// form, the bound itself and stiffness across the slip alone, as exact as the normal
/// force. Free fall is no part of the slip: several contacts carry a vertex, and each
/// would make room for all of it, which creeps (5 mm/s at 15 degrees and mu 0.3).
fn friction(slip: Vec3, normal: Vec3, stiffness: f64, bound: f64, give: f64) -> (Vec3, Mat3) {
    let plane = Mat3::identity() - normal * normal.transpose();
    let length = slip.norm();
    if length * stiffness <= bound {
        return (slip * stiffness, plane * stiffness);
    }
    let secant = bound / length;
    let along = slip / length;
    let sliding = length > 10.0 * bound * give;
    let directions = if sliding { plane - along * along.transpose() } else { plane };
    (slip * secant, directions * secant)
}

/// The lowest vertex that takes a force; there is one wherever the pair can move.
fn lowest_pushed(contact: &Contact, inverse_masses: &[f64]) -> VertexId {
    let vertices = contact.pair.vertices.iter().zip(contact.weights);
    let pushed = vertices.filter(|&(&v, weight)| weight != 0.0 && inverse_masses[v as usize] > 0.0);
    pushed.map(|(&vertex, _)| vertex).min().unwrap_or(NONE)
}

fn effective_mass(contact: &Contact, inverse_masses: &[f64]) -> Option<f64> {
    let inverse: f64 = (0..4)
        .map(|a| {
            let weight = contact.weights[a];
            weight * weight * inverse_masses[contact.pair.vertices[a] as usize]
        })
        .sum();
    (inverse > 0.0).then(|| 1.0 / inverse)
}

fn relative(contact: &Contact, velocity: impl Fn(usize) -> Vec3) -> Vec3 {
    (0..4).map(|a| velocity(contact.pair.vertices[a] as usize) * contact.weights[a]).sum()
}

/// Relative velocity at the start of the step, and with free fall over the step.
fn relative_velocities(contact: &Contact, bodies: &Bodies) -> (Vec3, Vec3) {
    let present = relative(contact, |vertex| bodies.velocities[vertex]);
    let falling = relative(contact, |vertex| {
        let free = bodies.inverse_masses[vertex] > 0.0;
        if free { bodies.velocities[vertex] + bodies.fall } else { bodies.velocities[vertex] }
    });
    (present, falling)
}

fn tangential(vector: Vec3, normal: Vec3) -> Vec3 {
    vector - normal * normal.dot(&vector)
}

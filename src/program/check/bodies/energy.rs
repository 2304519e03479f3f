//! Did energy rise without work?
//!
//! In a scene without keyframes and motors contacts and joints only take energy, or store it as
//! springs. A frame is at fault if its energy is above that of an earlier frame by more than
//! `s a + sum(lift + jitter)`, and rounding.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `s` | | [`ALLOWED`] |
//! | `a` | J | the largest kinetic energy of the frames before it, or the largest fall of potential energy |
//! | `m`, `r` | kg, m | mass and radius of a body |
//! | `n` | | how many of the smallest bodies fit below it, but at most all others |
//! | `h`, `g` | s, m/s^2 | step and gravity |
//! | `d` | m | error of a contact's distance, [`NEAR`] of `r` |
//! | `c` | | the fraction of an overlap that a step removes |
//! | lift | J | what a body was lifted since that frame, at most `m g (1 + n)` times the rest gap `4 g h^2` |
//! | jitter | J | what its kinetic energy has risen since, at most `m v^2 / 2` with `v = g h + c d / h` |
//!
//! Bodies rest on each other at any gap below the rest gap. Their weight, and contacts that push an
//! error out, give them the speed `v` in a step. So what rests is at fault only if it leaves its
//! contacts, however light or heavy. What moves has no more than that in addition to the share,
//! however heavy what rests beside it.

use cloth_rigid::body::{Body, BodyId};

use crate::program::check::bodies::BodyRun;

/// The share.
const ALLOWED: f64 = 0.005;

/// Energies are rounded by less than this share.
const ROUNDING: f64 = 1e-9;

/// The largest error of a contact's distance, as a fraction of the body's radius
/// (`rigid/narrow/general/epa.rs`).
const NEAR: f64 = 1e-8;

/// A rise of energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// The earlier frame.
    pub since: u64,
    /// How much, J.
    pub rise_j: f64,
    /// How much is allowed, J.
    pub limit_j: f64,
}

/// Energy of all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// J.
    pub kinetic_j: f64,
    /// Of gravity, 0 at the origin, and of springs, J.
    pub potential_j: f64,
}

impl Energy {
    /// Kinetic and potential energy, J.
    pub fn sum(&self) -> f64 {
        self.kinetic_j + self.potential_j
    }
}

/// The energy of a body, J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfBody {
    id: BodyId,
    kinetic: f64,
    /// Of gravity, 0 at the origin.
    potential: f64,
    most_lift: f64,
    most_jitter: f64,
}

impl OfBody {
    /// The energy of each of the `bodies` of a frame of `run`.
    pub fn all(run: &BodyRun, bodies: &[Body]) -> Vec<Self> {
        let (contacts, solids) = (&run.setup.settings.contacts, &run.setup.solids);
        let (g, h) = (contacts.gravity.norm(), contacts.step_s);
        let lift = |body: &Body| -contacts.gravity.dot(&body.state.position);
        let lowest = bodies.iter().map(lift).fold(f64::INFINITY, f64::min);
        let half_widths = bodies.iter().map(|body| solids.half_width(&body.shape));
        let width_m = 2.0 * half_widths.fold(f64::INFINITY, f64::min);
        let of_body = |body: &Body| {
            let (mass, state) = (body.mass, &body.state);
            let omega = state.rotation.inverse_transform_vector(&state.twist.angular);
            let spin = omega.dot(&body.inertia.component_mul(&omega));
            let below = ((lift(body) - lowest) / (g * width_m)).min((bodies.len() - 1) as f64);
            let error_m = NEAR * solids.reach(&body.shape);
            let speed = g * h + contacts.penetration_correction * error_m / h;
            Self {
                id: body.id,
                kinetic: 0.5 * (mass * state.twist.linear.norm_squared() + spin),
                potential: mass * lift(body),
                most_lift: mass * g * contacts.rest_gap() * (1.0 + below),
                most_jitter: 0.5 * mass * speed * speed,
            }
        };
        bodies.iter().map(of_body).collect()
    }

    /// The sum of `all`.
    pub fn sum(all: &[Self]) -> Energy {
        Energy {
            kinetic_j: all.iter().map(|it| it.kinetic).sum(),
            potential_j: all.iter().map(|it| it.potential).sum(),
        }
    }

    /// What it may have gained at rest since it had the energy `before`.
    fn gain_at_rest(&self, before: &Self) -> f64 {
        (self.potential - before.potential).clamp(0.0, self.most_lift)
            + (self.kinetic - before.kinetic).clamp(0.0, self.most_jitter)
    }
}

/// Judges one frame after the other.
#[derive(Debug, Default)]
pub struct Watch(Option<SoFar>);

impl Watch {
    /// How much the `energy` of a frame is too high, if it is. `bodies` are those of the frame, by
    /// rising id.
    pub fn rise(&mut self, frame: u64, energy: Energy, bodies: Vec<OfBody>) -> Option<Rise> {
        let known = self.0.get_or_insert_with(|| SoFar::new(frame, energy, bodies.clone()));
        known.add_fall(energy);
        let rise_j = energy.sum() - known.lowest.sum();
        let rounding_j = ROUNDING * (energy.kinetic_j + energy.potential_j.abs());
        let limit_j = ALLOWED * known.available_j + known.gain_at_rest(&bodies) + rounding_j;
        let since = known.lowest_frame;
        known.add(frame, energy, bodies);
        (rise_j > limit_j).then_some(Rise { since, rise_j, limit_j })
    }
}

#[derive(Debug)]
struct SoFar {
    lowest: Energy,
    lowest_frame: u64,
    /// By rising id, in that frame.
    bodies: Vec<OfBody>,
    highest_potential_j: f64,
    /// What was there to be lost, J.
    available_j: f64,
}

impl SoFar {
    fn new(lowest_frame: u64, lowest: Energy, bodies: Vec<OfBody>) -> Self {
        let Energy { kinetic_j: available_j, potential_j: highest_potential_j } = lowest;
        Self { lowest, lowest_frame, bodies, highest_potential_j, available_j }
    }

    fn add(&mut self, frame: u64, energy: Energy, bodies: Vec<OfBody>) {
        if energy.sum() < self.lowest.sum() {
            (self.lowest, self.lowest_frame, self.bodies) = (energy, frame, bodies);
        }
        self.available_j = self.available_j.max(energy.kinetic_j);
    }

    fn add_fall(&mut self, energy: Energy) {
        self.highest_potential_j = self.highest_potential_j.max(energy.potential_j);
        let fall_j = self.highest_potential_j - energy.potential_j;
        self.available_j = self.available_j.max(fall_j);
    }

    /// What `bodies` may have gained at rest since the lowest frame, J.
    fn gain_at_rest(&self, bodies: &[OfBody]) -> f64 {
        let gain = |now: &OfBody| {
            let at = self.bodies.binary_search_by_key(&now.id, |it| it.id).ok()?;
            Some(now.gain_at_rest(&self.bodies[at]))
        };
        bodies.iter().filter_map(gain).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rises of frames with the energies of one body, which may gain `at_rest` (J) each way.
    fn rises(at_rest: f64, frames: &[(f64, f64)], left: Option<usize>) -> Vec<(usize, Rise)> {
        let mut watch = Watch::default();
        let rise = |(frame, &(kinetic, potential)): (usize, &(f64, f64))| {
            let (most_lift, most_jitter) = (at_rest, at_rest);
            let bodies = vec![OfBody { id: 3, kinetic, potential, most_lift, most_jitter }];
            if left == Some(frame) {
                watch = Watch::default();
            }
            Some((frame, watch.rise(frame as u64, OfBody::sum(&bodies), bodies)?))
        };
        frames.iter().enumerate().filter_map(rise).collect()
    }

    #[test]
    fn energy_may_be_lost_but_not_won() {
        // A fall from rest with an impact, and rounding. Little is won, then more.
        let fall = [(0.0, -5.0), (4.0 + 1e-12, -9.0), (1.0, -9.0), (0.0, -9.0)];
        assert_eq!(rises(0.0, &fall, None), []);
        let all = [&fall[..], &[(0.01, -9.0), (0.05, -9.0)]].concat();
        let [(5, rise)] = rises(0.0, &all, None)[..] else { panic!("one frame is at fault") };
        assert_eq!(rise.since, 3);
        assert!((rise.rise_j - 0.05).abs() < 1e-12 && (rise.limit_j - 0.02).abs() < 1e-3);
        // Who leaves takes along what was below 0.
        assert_eq!(rises(0.0, &all, Some(5)), []);
    }

    #[test]
    fn what_rests_may_be_lifted_and_jitter_but_not_move() {
        let rest = [(0.0, 7.0), (9e-6, 7.0 + 9e-6), (0.0, 7.0 + 9e-6)];
        assert_eq!(rises(1e-5, &rest, None), []);
        for gained in [(0.0, 7.0 + 2e-5), (2e-5, 7.0)] {
            assert_eq!(rises(1e-5, &[rest[0], gained], None).len(), 1, "{gained:?}");
        }
    }
}

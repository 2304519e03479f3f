//! The time scheme: linearly implicit Euler or BDF2 (docs/methods.md, section 4). No other file
//! of `step` knows how the size of a step enters.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `h`, `g` | s | size of the step; effective step of the forces on cloth |
//! | `x0`, `x1` | m | positions at its start and end |
//! | `u0`, `u1` | m/s | mean velocities in the last step and in this one: `x1 = x0 + h u1` |
//! | `v0`, `v1` | m/s | velocities at its start and end |
//! | `a0`, `a1` | m/s^2 | changes of `v` a second in the last step and in this one, without `d` |
//! | `d` | m/s | what impacts change in this step |
//!
//! The unknown is `u`. Contacts, impulses, the fail-safe and prescribed motion act on it alike in
//! both schemes. Euler has `g = h`, `v = u`. BDF2 has `g = 2h/3`, and the last step takes part:
//!
//! `v1 = v0 + g (a0/2 + f(x1, v1)/m) + d`, `x1 = x0 + h u1`, `v1 = 3/2 u1 - 1/2 (u0 + d)`.
//!
//! An impact changes the velocity at once: `u0` and `v0` shift with it, as if cloth had always
//! moved so. Without the shift a third of the impact would come a step later, and cloth would
//! rebound. A contact's force that has lasted since the last step is no impact (ours).

use serde::{Deserialize, Serialize};

use cloth_bodies::bodies::Body;
use cloth_bodies::bodies::cloth::assembly::Stability;
use cloth_core::math::Vec3;

/// How positions and velocities advance in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Integrator {
    /// Linearly implicit Euler: of first order, it damps all that moves.
    #[default]
    Euler,
    /// The backward differentiation formula of two steps: of second order.
    Bdf2,
}

impl Integrator {
    /// Its order: the error of a step is of this order and one more.
    pub(crate) fn order(self) -> u32 {
        match self {
            Self::Euler => 1,
            Self::Bdf2 => 2,
        }
    }
}

/// What BDF2 knows of the last step of all cloth vertices.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct History {
    /// Velocities at its end, m/s.
    pub velocities: Vec<Vec3>,
    /// Changes of them a second, without impacts, m/s^2.
    pub accelerations: Vec<Vec3>,
}

impl History {
    /// `v0` (m/s) and `a0` (m/s^2) of a vertex.
    pub(crate) fn at(&self, vertex: usize) -> [&Vec3; 2] {
        [&self.velocities[vertex], &self.accelerations[vertex]]
    }

    /// How many vertices have a velocity, and how many an acceleration.
    pub(crate) fn sizes(&self) -> [usize; 2] {
        [self.velocities.len(), self.accelerations.len()]
    }

    /// Both lists, to be changed alike.
    pub(crate) fn lists(&mut self) -> [&mut Vec<Vec3>; 2] {
        [&mut self.velocities, &mut self.accelerations]
    }
}

/// The saved form of an optional history: two lists, which are empty if there is none.
pub(crate) mod saved_history {
    use super::History;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(of: &Option<History>, to: S) -> Result<S::Ok, S::Error> {
        match of {
            Some(history) => history.serialize(to),
            None => History::default().serialize(to),
        }
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<History>, D::Error> {
        let history = History::deserialize(from)?;
        Ok((history != History::default()).then_some(history))
    }
}

/// The scheme in a step of some size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    integrator: Integrator,
    /// Size of the step, s.
    h: f64,
}

impl Scheme {
    /// The scheme for a step of size `h` (s).
    pub fn new(integrator: Integrator, h: f64) -> Self {
        Self { integrator, h }
    }

    /// Whether the last step takes part.
    pub fn has_history(self) -> bool {
        self.integrator == Integrator::Bdf2
    }

    /// Size of the step, s.
    pub fn step_s(self) -> f64 {
        self.h
    }

    /// The effective step of the forces on cloth, s. In the linear system stiffness has its square
    /// as a factor; damping and forces have it as it is.
    pub fn effective_s(self) -> f64 {
        match self.integrator {
            Integrator::Euler => self.h,
            Integrator::Bdf2 => self.h * (2.0 / 3.0),
        }
    }

    /// The share of the impulses of forces on cloth, over the effective step, that changes `u` in
    /// this step.
    pub fn share_of_forces(self) -> f64 {
        match self.integrator {
            Integrator::Euler => 1.0,
            Integrator::Bdf2 => 2.0 / 3.0,
        }
    }

    /// The share of a lasting force's impulse over the whole step that comes later.
    pub fn late_share(self) -> f64 {
        match self.integrator {
            Integrator::Euler => 0.0,
            Integrator::Bdf2 => 5.0 / 9.0,
        }
    }

    /// The impulse (N s) that a prescribed vertex gets from outside, from the `residual` of its row
    /// and the `change` of its momentum (N s).
    pub fn reaction(self, residual: Vec3, change: Vec3) -> Vec3 {
        let all = 1.0 / (1.0 - self.late_share());
        match self.integrator {
            Integrator::Euler => residual,
            Integrator::Bdf2 => residual * all + change * (1.0 - all),
        }
    }

    /// The share of a loss of energy that the next step may give back. BDF2 never gains energy in
    /// its own norm, which knows the last step too (Dahlquist 1978).
    pub fn late_energy(self) -> f64 {
        match self.integrator {
            Integrator::Euler => 0.0,
            Integrator::Bdf2 => 0.5,
        }
    }

    /// What the matrix must hold. BDF2 linearises forces at an estimate of the end, so they do not
    /// depend on the velocity. The limits are those of the roots of its recurrence for one mode:
    /// 0.84 of a stiffness in the matrix, or `omega h` up to 1.79 with nothing in it.
    pub fn stability(self) -> Stability {
        match self.integrator {
            Integrator::Euler => Stability::EULER,
            Integrator::Bdf2 => Stability { least_share: 0.9, by_mass: 3.2 * 4.0 / 9.0 },
        }
    }

    /// Time from the base point to the end of the step, s. Zero if the base point lies at the end.
    pub fn ahead_s(self, repairs: bool) -> f64 {
        if repairs || self.has_history() { 0.0 } else { self.h }
    }

    /// The mean velocity of the base point of BDF2, about which the first solve linearises forces,
    /// m/s: half of the last `change` of `u` (m/s) on from `u0`. In free motion that is `v0`. After
    /// an impact the last change is no estimate. That without it, `2 (v0 - u0)`, is one in free
    /// motion, but not under contacts, where it would be unstable. So the shorter one counts.
    pub fn base(self, [u0, v0]: [&Vec3; 2], change: &Vec3) -> Vec3 {
        let free = (v0 - u0) * 2.0;
        let shorter = if free.norm_squared() < change.norm_squared() { &free } else { change };
        u0 + shorter * 0.5
    }

    /// The velocity in forces at the end of the step, m/s, with the mean velocities `u0` and `u`.
    pub fn in_forces(self, u0: &Vec3, u: &Vec3) -> Vec3 {
        match self.integrator {
            Integrator::Euler => *u,
            Integrator::Bdf2 => u * 1.5 - u0 * 0.5,
        }
    }

    /// The velocity at the end of a step of BDF2 if no force acts, m/s, from `v0` and `a0`.
    pub fn inertial(self, v0: &Vec3, a0: &Vec3) -> Vec3 {
        v0 + a0 * (0.5 * self.effective_s())
    }

    /// The velocity `v1` (m/s) at the end of a step with an `impact` (m/s), and `a1` (m/s^2).
    pub fn advance(self, [u0, u1, v0]: [&Vec3; 3], impact: &Vec3) -> [Vec3; 2] {
        let v1 = match self.integrator {
            Integrator::Euler => *u1,
            Integrator::Bdf2 => u1 * 1.5 - (u0 + impact) * 0.5,
        };
        [v1, (v1 - v0 - impact) / self.h]
    }

    /// The estimated error (m) of a vertex's end position. With Euler it is the difference from the
    /// trapezoidal rule. BDF2 is 8/23 as far from the truth as from what `v0` and `a0` extrapolate
    /// to.
    pub fn error_m(self, [u0, u1]: [&Vec3; 2], history: Option<[&Vec3; 2]>) -> f64 {
        let share = match history.filter(|_| self.has_history()) {
            None => 0.5 * (u1 - u0),
            Some([v0, a0]) => 8.0 / 23.0 * (u1 - v0 - a0 * (0.5 * self.h)),
        };
        self.h * share.norm()
    }

    /// The end position of a vertex that starts at `x0` (m) and has the mean velocity `u1` (m/s),
    /// m.
    pub fn end(self, x0: &Vec3, u1: &Vec3) -> Vec3 {
        x0 + u1 * self.h
    }

    /// The mean velocity of a vertex that goes from `x0` to `x1` (m), m/s.
    pub fn velocity(self, x0: &Vec3, x1: &Vec3) -> Vec3 {
        (x1 - x0) / self.h
    }

    /// The mean speed of a vertex that goes a distance of `way_m` (m), m/s.
    pub fn speed(self, way_m: f64) -> f64 {
        way_m / self.h
    }

    /// The change of velocity by an acceleration (m/s^2), m/s.
    pub fn change(self, acceleration: &Vec3) -> Vec3 {
        acceleration * self.h
    }

    /// The acceleration that changes a velocity from `u0` to `u1` (m/s), m/s^2.
    pub fn acceleration(self, u0: &Vec3, u1: &Vec3) -> Vec3 {
        (u1 - u0) / self.h
    }

    /// The coordinates in the middle of the step of a body that starts at `at` and whose nodes end
    /// with the velocities `u1` (m/s).
    pub fn middle(self, body: &dyn Body, at: &[f64], u1: &[Vec3]) -> Vec<f64> {
        body.middle(at, u1, self.h)
    }

    /// The angle by which a body turns whose nodes end with the velocities `u1` (m/s), rad.
    pub fn turn(self, body: &dyn Body, u1: &[Vec3]) -> f64 {
        body.turn(u1, self.h)
    }

    /// The end coordinates of a body that starts at `at` and whose nodes end with the velocities
    /// `u1` (m/s).
    pub fn moved(self, body: &dyn Body, at: &[f64], u1: &[Vec3]) -> Vec<f64> {
        body.moved(at, u1, self.h)
    }
}

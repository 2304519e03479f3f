//! What a simulation must know beside its bodies.

use cloth_core::bounds::{ACCELERATION, SMALLEST_RESIDUAL, positive, shown, within};
use cloth_core::error::{Error, Result};
use cloth_core::settings;

use crate::time::scheme::Integrator;
use crate::time::sizes::StepsPerFrame;
use cloth_bodies::bodies::cloth::Air;
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_bodies::bodies::timed::TimedKey;
use cloth_bodies::contact;
use cloth_collision::stealing;
use cloth_core::linear::PreconditionerKind;
use cloth_core::math::Vec3;
use cloth_core::partition::methods::PartitionSettings;

/// Settings of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSettings {
    /// Frames of one second.
    pub frames_per_second: f64,
    /// Steps from one frame to the next.
    pub steps_per_frame: StepsPerFrame,
    /// Gravity, m/s^2.
    pub gravity_m_per_s2: [f64; 3],
    /// Gravity over time, by ascending time. If there are keys, they take the place of
    /// `gravity_m_per_s2`.
    pub gravity_keyframes: Vec<GravityKey>,
    /// The factor of all coefficients of friction over time, by ascending time. Always 1 without
    /// keys.
    pub friction_keyframes: Vec<AmplitudeKey>,
    /// Wind and drag.
    pub air: Air,
    /// How bodies touch.
    pub contact: contact::ContactSettings,
    /// How ranks and threads share the hierarchy tests.
    pub collision: stealing::StealingSettings,
    /// The linear solver and its step control.
    pub solver: Solver,
    /// About how many vertices a patch has.
    pub patch_vertices: u32,
    /// How patches are divided among ranks.
    pub partition: PartitionSettings,
    /// Whether each step reports the total energy.
    pub energy: bool,
}

settings! {
    /// Gravity at one time.
    #[derive(Copy)]
    pub struct GravityKey {
        /// When, s.
        #[serde(default)]
        pub time_s: f64,
        /// Acceleration of gravity, m/s^2.
        pub gravity_m_per_s2: [f64; 3] => within(ACCELERATION),
    }
}

impl TimedKey for GravityKey {
    type Value = Vec3;

    fn time_s(&self) -> f64 {
        self.time_s
    }

    fn value(&self) -> Vec3 {
        self.gravity_m_per_s2.into()
    }
}

/// The error of the velocities to reach, m/s: a root mean square, of which this is the part that the
/// solver can see. It is about a quarter of their error.
pub(crate) const VELOCITY_ERROR_M_PER_S: f64 = 2e-4;

/// Iterations after which a solve has failed.
pub(crate) const MOST_ITERATIONS: usize = 2000;

settings! {
    /// The time scheme and the linear solver.
    #[derive(Copy)]
    pub struct Solver, also Solver::check_residual {
        /// The time scheme.
        pub integrator: Integrator = Integrator::default(),
        /// The residual to reach, relative to the right-hand side of the free vertices.
        pub relative_residual: f64 = 1e-3 => positive,
        /// The preconditioner of conjugate gradients.
        pub preconditioner: PreconditionerKind = PreconditionerKind::default(),
    }
}

impl Solver {
    fn check_residual(&self, at: &str) -> Result<()> {
        let what = match self.relative_residual {
            SMALLEST_RESIDUAL..1.0 => return Ok(()),
            1.0.. => "is reached before the first iteration",
            _ => "is never reached, because of rounding errors",
        };
        let cause = format!("{} {what}", shown(self.relative_residual));
        Err(Error::input(format!("{at}.relative_residual"), cause, "choose about 1e-6"))
    }
}

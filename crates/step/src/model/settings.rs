//! What a simulation must know beside its bodies.

use serde::{Deserialize, Serialize};

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
    /// The factor of all coefficients of friction over time, by ascending time. Always 1 without keys.
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

/// Gravity at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GravityKey {
    /// When, s.
    #[serde(default)]
    pub time_s: f64,
    /// Acceleration of gravity, m/s^2.
    pub gravity_m_per_s2: [f64; 3],
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

/// The linear solver and its step control.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Solver {
    /// The time scheme.
    pub integrator: Integrator,
    /// The residual to reach, relative to the right-hand side of the free vertices.
    pub relative_residual: f64,
    /// The error of the velocities to reach, m/s: a root mean square, of which this is the part
    /// that the solver can see.
    pub velocity_error_m_per_s: f64,
    /// Iterations after which a solve has failed.
    pub max_iterations: u32,
    /// The preconditioner of conjugate gradients.
    pub preconditioner: PreconditionerKind,
    /// How often a failed step is halved before the run fails. At most 10.
    pub max_halvings: u32,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            integrator: Integrator::default(),
            relative_residual: 1e-3,
            velocity_error_m_per_s: 2e-4,
            max_iterations: 2000,
            preconditioner: PreconditionerKind::default(),
            max_halvings: 6,
        }
    }
}

//! Joints of a scene: what the user writes, and how it becomes joints of the model.
//!
//! | module | |
//! |---|---|
//! | [`spec`] | what the user writes |
//! | `check` | checks all its numbers, and that no joint is there twice |
//! | `joinable` | the bodies that they may name, and the joints between them |
//! | `among_cloth` | joints in a scene of cloth |
//! | `read` | joints from a CSV file |

pub(crate) mod among_cloth;
mod check;
mod joinable;
mod read;
pub mod spec;

use std::path::Path;

use self::check::Listed;
pub(crate) use self::joinable::Joinable;
use self::spec::{HingeDrive, JointChoice, JointSpec};
use crate::bodies::setup::RigidSetup;
use crate::spec::Scene;
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_bodies::bodies::joints::{JointSettings, Motor};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_rigid::constraint::joint::Joints;
use cloth_rigid::solver::Response;
use cloth_workers::engine::check_joint;

/// Adds the joints of the scene to `setup`. Paths are relative to `scene_dir`.
///
/// # Errors
/// The first field that is out of bounds, names a body that is not there, or joins what cannot be
/// joined; or a line of a file.
pub(super) fn add(setup: &mut RigidSetup, scene: &Scene, scene_dir: &Path) -> Result<()> {
    if !scene.joints.is_empty() && scene.response == Response::Ffd {
        let cause = "the response `Ffd` knows no joints";
        return Err(Error::input("response", cause, "use `Nonsmooth(sweeps: 30)`"));
    }
    let bodies =
        Joinable { groups: &setup.groups, generators: &setup.generators, fixed: &setup.fixed };
    let all = bodies.joints(scene, scene_dir)?;
    let has_rapier = scene.parallel.settings().is_some_and(|it| it.has_rapier());
    for Listed { spec, .. } in &all {
        let at = format!("joints[{spec}]");
        let spec = &scene.joints[*spec];
        if has_rapier {
            check_joint(&spec.settings(0.0), &at)?;
        }
        if spec.kind.drive().is_some() {
            let cause = "drives are for joints in scenes of cloth";
            return Err(Error::input(format!("{at}.kind"), cause, "use a `motor`"));
        }
    }
    let (fixed, all) = (&setup.fixed, all.into_iter().map(|it| it.joint).collect());
    setup.joints = Joints::new(all, |place| fixed.id(place));
    Ok(())
}

impl JointSpec {
    /// The settings of a joint whose points are `distance` (m) apart at the start.
    fn settings(&self, distance: f64) -> JointSettings {
        let (range, motor) = match &self.kind {
            JointChoice::Ball | JointChoice::Fixed => (None, None),
            JointChoice::Hinge { limits_deg, motor, .. } => {
                let range = limits_deg.map(|(low, high)| [low.to_radians(), high.to_radians()]);
                let motor = motor.map(|it| Motor {
                    speed: it.speed_deg_per_s.to_radians(),
                    most: it.torque_n_m,
                });
                (range, motor)
            }
            JointChoice::Slider { limits_m, motor, .. } => {
                let motor = motor.map(|it| Motor { speed: it.speed_m_per_s, most: it.force_n });
                (limits_m.map(|(low, high)| [low, high]), motor)
            }
            &JointChoice::Distance { min_m, max_m, .. } => match (min_m, max_m) {
                (None, None) => (Some([distance; 2]), None),
                (low, high) => {
                    let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY));
                    (Some([if low == 0.0 { f64::NEG_INFINITY } else { low }, high]), None)
                }
            },
        };
        let free = JointSettings::new(self.kind.kind());
        JointSettings {
            range: range.unwrap_or(free.range),
            motor,
            compliance: self.compliance_m_per_n,
            turn_compliance: self.compliance_rad_per_n_m,
            damping: self.damping_n_s_per_m,
            turn_damping: self.damping_n_m_s_per_rad,
            collide: self.collide,
            ..free
        }
    }
}

impl JointChoice {
    fn kind(&self) -> JointKind {
        match self {
            Self::Ball => JointKind::Ball,
            Self::Fixed => JointKind::Fixed,
            Self::Hinge { .. } => JointKind::Hinge,
            Self::Slider { .. } => JointKind::Slider,
            Self::Distance { .. } => JointKind::Distance,
        }
    }

    /// What turns it to an angle.
    fn drive(&self) -> Option<&HingeDrive> {
        match self {
            Self::Hinge { drive, .. } => drive.as_ref(),
            _ => None,
        }
    }

    fn axis(&self) -> Vec3 {
        match self {
            Self::Hinge { axis, .. } | Self::Slider { axis, .. } => (*axis).into(),
            Self::Ball | Self::Fixed | Self::Distance { .. } => Vec3::x(),
        }
    }
}

//! Checks every number of a joint, and that none is there twice.

use std::collections::HashMap;
use std::iter::zip;

use crate::bodies::joints::spec::{HingeDrive, JointChoice, JointSpec};
use cloth_core::bounds::{ANGLE, Bound, LENGTH, direction, not_negative, within};
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;
use cloth_rigid::constraint::joint::{Joint, Second};

/// A joint of a scene.
pub(crate) struct Listed {
    /// The joint.
    pub joint: Joint,
    /// Its place in the scene, or the line of a file.
    pub at: String,
    /// The entry of `joints` that has it.
    pub spec: usize,
}

impl JointSpec {
    /// Fails if compliance and damping do not go together.
    pub(super) fn check_use(&self, at: &str) -> Result<()> {
        let fields = [
            ("compliance_m_per_n", self.compliance_m_per_n),
            ("compliance_rad_per_n_m", self.compliance_rad_per_n_m),
        ];
        let dampings = [
            ("damping_n_s_per_m", self.damping_n_s_per_m),
            ("damping_n_m_s_per_rad", self.damping_n_m_s_per_rad),
        ];
        for (row, ((compliance, opens), (damping, damps))) in zip(fields, dampings).enumerate() {
            let turns_freely = row == 1 && !self.kind.kind().locked()[4];
            if turns_freely && opens > 0.0 {
                let cause = "this kind of joint lets its bodies turn, so no torque opens it";
                return Err(Error::input(format!("{at}.{compliance}"), cause, "leave it out"));
            }
            if damps > 0.0 && opens == 0.0 {
                let cause = "what is rigid has no damping";
                let remedy = match turns_freely {
                    true => "leave it out".to_owned(),
                    false => format!("add `{compliance}`, or leave it out"),
                };
                return Err(Error::input(format!("{at}.{damping}"), cause, remedy));
            }
        }
        Ok(())
    }
}

impl HingeDrive {
    pub(super) fn check_keys(&self, at: &str) -> Result<()> {
        if !self.keyframes.is_empty() {
            return Ok(());
        }
        let remedy = "write at least `[(time_s: 0, angle_deg: 0)]`";
        Err(Error::input(format!("{at}.keyframes"), "there are none", remedy))
    }
}

impl Check for JointChoice {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Ball | Self::Fixed => Ok(()),
            Self::Hinge { axis, limits_deg, motor, drive } => {
                drive.check(&format!("{at}.drive"))?;
                motor.check(&format!("{at}.motor"))?;
                direction(&format!("{at}.axis"), *axis)?;
                check_from_start(&format!("{at}.limits_deg"), limits_deg.as_ref(), ANGLE)?;
                if limits_deg.is_none_or(|(low, high)| high - low < 360.0) {
                    return Ok(());
                }
                let cause = "the limits are a whole turn or more apart";
                let remedy = "leave out the limits, or write closer ones";
                Err(Error::input(format!("{at}.limits_deg"), cause, remedy))
            }
            Self::Slider { axis, limits_m, motor } => {
                motor.check(&format!("{at}.motor"))?;
                direction(&format!("{at}.axis"), *axis)?;
                check_from_start(&format!("{at}.limits_m"), limits_m.as_ref(), LENGTH)
            }
            Self::Distance { to_m, min_m, max_m } => {
                within(&format!("{at}.to_m"), *to_m, LENGTH)?;
                not_negative(&format!("{at}.min_m"), *min_m, LENGTH)?;
                not_negative(&format!("{at}.max_m"), *max_m, LENGTH)?;
                let limits = min_m.zip(*max_m);
                check_limits(&format!("{at}.max_m"), limits.as_ref(), LENGTH)
            }
        }
    }
}

/// Fails if a joint is there twice, also with its bodies in the other order. Each has its place in
/// the scene or in a file.
pub(super) fn each_once(joints: &[Listed]) -> Result<()> {
    let mut of_bodies = HashMap::<_, Vec<&Listed>>::new();
    for new in joints {
        let Listed { joint, at, .. } = new;
        let [a, b] = joint.frames;
        let mut bodies = [Second::Movable(joint.first), joint.second].map(|body| match body {
            Second::Movable(id) => (0, id),
            Second::Fixed(place) => (1, u64::from(place)),
            Second::Space => (2, 0),
        });
        bodies.sort_unstable();
        let others = of_bodies.entry(bodies).or_default();
        let is_same = |listed: &&&Listed| {
            let other = &listed.joint;
            let is_turned = other.first != joint.first;
            let frames = if is_turned { [b, a] } else { [a, b] };
            other.frames == frames && other.settings == joint.settings
        };
        if let Some(Listed { at: first, .. }) = others.iter().find(is_same) {
            let cause = format!("this is the joint of {first} once more");
            let remedy = "leave one out; a joint that is twice as stiff has half the compliance";
            return Err(Error::input(at, cause, remedy));
        }
        others.push(new);
    }
    Ok(())
}

fn check_limits(at: &str, limits: Option<&(f64, f64)>, bound: Bound) -> Result<()> {
    let Some(&(low, high)) = limits else { return Ok(()) };
    within(at, low, bound)?;
    within(at, high, bound)?;
    if low > high {
        let cause = format!("the lower limit {low} is above the upper limit {high}");
        return Err(Error::input(at, cause, "write the lower limit first"));
    }
    Ok(())
}

/// As [`check_limits`]. Fails too if the start, 0, is not between the limits.
fn check_from_start(at: &str, limits: Option<&(f64, f64)>, bound: Bound) -> Result<()> {
    check_limits(at, limits, bound)?;
    match limits {
        Some(&(low, high)) if low > 0.0 || high < 0.0 => {
            let cause = format!("the start is not between the limits {low} and {high}");
            Err(Error::input(at, cause, "limits count from the start: write a range that has 0"))
        }
        _ => Ok(()),
    }
}

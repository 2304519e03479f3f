//! Checks every number of a joint, and that none is there twice.

use std::collections::HashMap;

use crate::bodies::joints::spec::{HingeDrive, HingeMotor, JointChoice, JointSpec, SliderMotor};
use cloth_core::bounds::{
    ANGLE, Bound, COMPLIANCE, LENGTH, RIGIDITY, SPEED, STIFFNESS, ascending, direction,
    not_negative, vector_within, within,
};
use cloth_core::error::{Error, Result};
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
    /// Fails if a number is out of its bounds. `at` names the joint.
    pub(super) fn check(&self, at: &str) -> Result<()> {
        let Self { kind, at_m, .. } = self;
        if let Some(point) = at_m {
            vector_within(&format!("{at}.at_m"), *point, LENGTH)?;
        }
        let fields = [
            ("compliance_m_per_n", "damping_n_s_per_m", STIFFNESS),
            ("compliance_rad_per_n_m", "damping_n_m_s_per_rad", RIGIDITY),
        ];
        let compliances = [self.compliance_m_per_n, self.compliance_rad_per_n_m];
        let dampings = [self.damping_n_s_per_m, self.damping_n_m_s_per_rad];
        for (row, (compliance, damping, bound)) in fields.into_iter().enumerate() {
            let (at_compliance, at_damping) =
                (format!("{at}.{compliance}"), format!("{at}.{damping}"));
            not_negative(&at_compliance, compliances[row], COMPLIANCE)?;
            not_negative(&at_damping, dampings[row], bound)?;
            let turns_freely = row == 1 && !kind.kind().locked()[4];
            if turns_freely && compliances[row] > 0.0 {
                let cause = "this kind of joint lets its bodies turn, so no torque opens it";
                return Err(Error::input(at_compliance, cause, "leave it out"));
            }
            if dampings[row] > 0.0 && compliances[row] == 0.0 {
                let cause = "what is rigid has no damping";
                let remedy = match turns_freely {
                    true => "leave it out".to_owned(),
                    false => format!("add `{compliance}`, or leave it out"),
                };
                return Err(Error::input(at_damping, cause, remedy));
            }
        }
        kind.check(&format!("{at}.kind"))
    }
}

impl HingeDrive {
    fn check(&self, at: &str) -> Result<()> {
        let Self { stiffness_n_m_per_rad, damping_n_m_s_per_rad, keyframes } = self;
        for (field, value) in [
            ("stiffness_n_m_per_rad", *stiffness_n_m_per_rad),
            ("damping_n_m_s_per_rad", *damping_n_m_s_per_rad),
        ] {
            not_negative(&format!("{at}.{field}"), value, RIGIDITY)?;
        }
        if keyframes.is_empty() {
            let remedy = "write at least `[(time_s: 0, angle_deg: 0)]`";
            return Err(Error::input(format!("{at}.keyframes"), "there are none", remedy));
        }
        for (i, key) in keyframes.iter().enumerate() {
            within(&format!("{at}.keyframes[{i}].angle_deg"), key.angle_deg, ANGLE)?;
        }
        ascending(&format!("{at}.keyframes"), keyframes.iter().map(|key| key.time_s))
    }
}

impl JointChoice {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Ball | Self::Fixed => Ok(()),
            Self::Hinge { axis, limits_deg, motor, drive } => {
                drive.as_ref().map_or(Ok(()), |drive| drive.check(&format!("{at}.drive")))?;
                direction(&format!("{at}.axis"), *axis)?;
                check_from_start(&format!("{at}.limits_deg"), limits_deg.as_ref(), ANGLE)?;
                if limits_deg.is_some_and(|(low, high)| high - low >= 360.0) {
                    let cause = "the limits are a whole turn or more apart";
                    let remedy = "leave out the limits, or write closer ones";
                    return Err(Error::input(format!("{at}.limits_deg"), cause, remedy));
                }
                let Some(HingeMotor { speed_deg_per_s, torque_n_m }) = *motor else {
                    return Ok(());
                };
                within(&format!("{at}.motor.speed_deg_per_s"), speed_deg_per_s, ANGLE)?;
                not_negative(&format!("{at}.motor.torque_n_m"), torque_n_m, RIGIDITY)
            }
            Self::Slider { axis, limits_m, motor } => {
                direction(&format!("{at}.axis"), *axis)?;
                check_from_start(&format!("{at}.limits_m"), limits_m.as_ref(), LENGTH)?;
                let Some(SliderMotor { speed_m_per_s, force_n }) = *motor else { return Ok(()) };
                within(&format!("{at}.motor.speed_m_per_s"), speed_m_per_s, SPEED)?;
                not_negative(&format!("{at}.motor.force_n"), force_n, STIFFNESS)
            }
            Self::Distance { to_m, min_m, max_m } => {
                if let Some(point) = to_m {
                    vector_within(&format!("{at}.to_m"), *point, LENGTH)?;
                }
                for (field, value) in [("min_m", min_m), ("max_m", max_m)] {
                    value
                        .map_or(Ok(()), |it| not_negative(&format!("{at}.{field}"), it, LENGTH))?;
                }
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

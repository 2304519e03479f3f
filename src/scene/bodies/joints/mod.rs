//! Joints of a scene: what the user writes, and how it becomes joints of the model.
//!
//! | module | |
//! |---|---|
//! | [`spec`] | what the user writes |
//! | `check` | checks all its numbers, and that no joint is there twice |
//! | `read` | joints from a CSV file |

mod check;
mod read;
pub mod spec;

use std::path::Path;

use self::spec::{JointBodies, JointChoice, JointSpec};
use crate::bounds::did_you_mean;
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::rigid::body::{BodyId, BodyState};
use crate::rigid::constraint::joint::kind::JointKind;
use crate::rigid::constraint::joint::list::Joints;
use crate::rigid::constraint::joint::{
    Joint, JointFrame, JointSettings, Motor, Second, axes_along,
};
use crate::rigid::fixed::FixedBodies;
use crate::rigid::solver::Response;
use crate::scene::bodies::setup::{Group, RigidSetup};
use crate::scene::spec::Scene;
use crate::workers::engines::check_joint;

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
    let has_rapier = scene.parallel.settings().is_some_and(|it| it.has_rapier());
    let mut all = Vec::new();
    for (i, spec) in scene.joints.iter().enumerate() {
        let at = format!("joints[{i}]");
        spec.check(&at)?;
        if has_rapier {
            check_joint(&spec.settings(0.0), &at)?;
        }
        match &spec.bodies {
            JointBodies::Pair(first, second) => {
                let at_bodies = format!("{at}.bodies");
                let bodies = [setup.joined(first, &at_bodies)?, setup.joined(second, &at_bodies)?];
                all.push((setup.joint(spec, bodies, spec.at_m, None, &at)?, at));
            }
            JointBodies::Chain(group) => {
                let at_bodies = format!("{at}.bodies");
                let &Group { first_id, count, .. } = setup.group(group, &at_bodies)?;
                if spec.at_m.is_some() {
                    let cause = "the joints of a chain are between the centres of its bodies";
                    return Err(Error::input(format!("{at}.at_m"), cause, "leave it out"));
                }
                if count < 2 {
                    let cause =
                        format!("a chain of `{group}` joins nothing: its bodies are {count}");
                    let remedy =
                        "a chain joins each body to the next one: add bodies, or use `Pair`";
                    return Err(Error::input(at_bodies, cause, remedy));
                }
                for id in first_id + 1..first_id + count {
                    let bodies = [id - 1, id].map(|id| setup.with_id(id));
                    all.push((setup.joint(spec, bodies, None, None, &at)?, at.clone()));
                }
            }
            JointBodies::File(path) => {
                for listed in read::joints(&scene_dir.join(path))? {
                    let line = listed.line;
                    let [first, second] = &listed.bodies;
                    let bodies = [setup.joined(first, &line)?, setup.joined(second, &line)?];
                    let joint = setup.joint(spec, bodies, listed.at_m, listed.axis, &line)?;
                    all.push((joint, line));
                }
            }
        }
    }
    check::each_once(&all)?;
    let (fixed, all) = (&setup.fixed, all.into_iter().map(|(joint, _)| joint).collect());
    setup.joints = Joints::new(all, |place| fixed.id(place));
    Ok(())
}

/// A body of a joint, and its state at the start.
#[derive(Debug, Clone, Copy)]
struct Joined {
    body: Second,
    state: BodyState,
}

impl RigidSetup {
    /// The body that a user calls `name`.
    fn joined(&self, name: &str, at: &str) -> Result<Joined> {
        if name == "space" {
            let place = FixedBodies::SPACE;
            return Ok(Joined { body: Second::Space, state: *self.fixed.state_at(place) });
        }
        if let Some(number) = name.strip_prefix('#') {
            let all = self.groups.last().map_or(0, |group| group.first_id + group.count);
            return match number.parse::<BodyId>() {
                Ok(id) if id < all => Ok(self.with_id(id)),
                _ => {
                    let cause = format!("there is no body `{name}`");
                    let remedy = format!("the scene has the bodies #0 to #{}", all.max(1) - 1);
                    Err(Error::input(at, cause, remedy))
                }
            };
        }
        let (group, number) = match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
            Some((group, number)) => (group, Some(number)),
            None => (name, None),
        };
        let Group { first_id, count, .. } = *self.group(group, at)?;
        match number.map_or(Ok(0), str::parse::<u64>) {
            Ok(number) if number < count && (count == 1 || name != group) => {
                Ok(self.with_id(first_id + number))
            }
            _ => {
                let cause = format!("`{name}` is not one body");
                let remedy = format!("write `{group}[0]` to `{group}[{}]`", count - 1);
                Err(Error::input(at, cause, remedy))
            }
        }
    }

    fn group(&self, name: &str, at: &str) -> Result<&Group> {
        self.groups.iter().find(|group| group.name == name).ok_or_else(|| {
            let known = Vec::from_iter(self.groups.iter().map(|group| group.name.as_str()));
            let cause = format!("there are no bodies `{name}`");
            Error::input(at, cause, did_you_mean(name, &known))
        })
    }

    fn with_id(&self, id: BodyId) -> Joined {
        if let Some(body) = self.body(id) {
            return Joined { body: Second::Movable(id), state: body.state };
        }
        let place = self.fixed.bodies().partition_point(|body| body.id < id) as u32;
        Joined { body: Second::Fixed(place), state: *self.fixed.state_at(place) }
    }

    /// The joint of two bodies at a point (m), with an axis that replaces that of its kind.
    fn joint(
        &self,
        spec: &JointSpec,
        [mut a, mut b]: [Joined; 2],
        at_m: Option<[f64; 3]>,
        axis: Option<[f64; 3]>,
        at: &str,
    ) -> Result<Joint> {
        let mut points = self.points(spec, [&a, &b], at_m);
        let settings = spec.settings((points[0] - points[1]).norm());
        let mut axis = axis.map_or_else(|| spec.kind.axis(), Vec3::from);
        if !matches!(a.body, Second::Movable(_)) {
            // The first body seen from the second along an axis moves as the second one seen from
            // the first against it.
            (a, b) = (b, a);
            points.reverse();
            axis = -axis;
        }
        let Second::Movable(first) = a.body else {
            let cause = "forces move neither of its two bodies";
            return Err(Error::input(format!("{at}.bodies"), cause, "join a body that is `Free`"));
        };
        if a.body == b.body {
            let cause = format!("it joins `{}` to itself", self.name_of(first));
            return Err(Error::input(format!("{at}.bodies"), cause, "name two bodies"));
        }
        let distance = (points[0] - points[1]).norm();
        let [low, high] = settings.range;
        if settings.kind == JointKind::Distance && (distance < low || distance > high) {
            let cause = format!("its points are {distance} m apart at the start");
            let remedy = "choose `min_m` and `max_m` about this distance, or other points";
            return Err(Error::input(format!("{at}.kind"), cause, remedy));
        }
        let is_unbounded = settings.range.iter().any(|end| end.is_infinite());
        if settings.kind == JointKind::Slider
            && is_unbounded
            && matches!(b.body, Second::Movable(_))
        {
            let cause = "a slider between two bodies that forces move has no limits";
            return Err(Error::input(format!("{at}.kind"), cause, "add `limits_m`"));
        }
        let turn = axes_along(&axis);
        let frames = [
            JointFrame::of(&a.state, &points[0], &turn),
            JointFrame::of(&b.state, &points[1], &turn),
        ];
        Ok(Joint { first, second: b.body, frames, settings })
    }

    /// The points of a joint on both bodies, m.
    fn points(&self, spec: &JointSpec, bodies: [&Joined; 2], at_m: Option<[f64; 3]>) -> [Vec3; 2] {
        let [a, b] = bodies.map(|it| it.state.position);
        if let JointChoice::Distance { to_m, .. } = &spec.kind {
            return [at_m.map_or(a, Vec3::from), to_m.map_or(b, Vec3::from)];
        }
        let middle = match bodies.map(|it| it.body) {
            [_, Second::Space] => a,
            [Second::Space, _] => b,
            _ => 0.5 * (a + b),
        };
        [at_m.map_or(middle, Vec3::from); 2]
    }
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

    fn axis(&self) -> Vec3 {
        match self {
            Self::Hinge { axis, .. } | Self::Slider { axis, .. } => (*axis).into(),
            Self::Ball | Self::Fixed | Self::Distance { .. } => Vec3::x(),
        }
    }
}

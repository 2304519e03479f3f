//! The bodies of a scene that joints may name, and the joints between them.

use std::path::Path;

use nalgebra::UnitQuaternion;

use crate::bodies::check::SPACE;
use crate::bodies::joints::check::{self, Listed};
use crate::bodies::joints::read;
use crate::bodies::joints::spec::{JointBodies, JointChoice, JointSpec};
use crate::bodies::setup::{Group, body, name_of};
use crate::spec::Scene;
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::settings::Check;
use cloth_rigid::body::{BodyId, BodyState};
use cloth_rigid::constraint::joint::{Joint, JointFrame, Second, axes_along};
use cloth_rigid::fixed::FixedBodies;
use cloth_rigid::generate::Generator;

/// Points that are held nearer than this are one, up to rounding, m.
const LEAST_DISTANCE_M: f64 = 1e-9;

/// The bodies of a scene that joints may name.
#[derive(Clone, Copy)]
pub(crate) struct Joinable<'a> {
    /// All groups, by rising ids.
    pub groups: &'a [Group],
    /// What makes the free bodies.
    pub generators: &'a [Generator],
    /// Bodies that do not give way.
    pub fixed: &'a FixedBodies,
}

/// A body of a joint, and its state at the start.
#[derive(Debug, Clone, Copy)]
struct Joined {
    body: Second,
    state: BodyState,
}

impl Joined {
    fn place(&self) -> (&Vec3, &UnitQuaternion<f64>) {
        (&self.state.position, &self.state.rotation)
    }
}

impl<'a> Joinable<'a> {
    /// The joints of `scene`. Paths are relative to `scene_dir`.
    ///
    /// # Errors
    /// The first field that is out of bounds, names a body that is not there, or joins what cannot
    /// be joined; or a line of a file.
    pub fn joints(&self, scene: &Scene, scene_dir: &Path) -> Result<Vec<Listed>> {
        let mut all = Vec::new();
        for (i, spec) in scene.joints.iter().enumerate() {
            let at = format!("joints[{i}]");
            spec.check(&at)?;
            match &spec.bodies {
                JointBodies::Pair(first, second) => {
                    let at_bodies = format!("{at}.bodies");
                    let bodies =
                        [self.joined(first, &at_bodies)?, self.joined(second, &at_bodies)?];
                    let joint = self.joint(spec, bodies, spec.at_m, None, &at)?;
                    all.push(Listed { joint, at, spec: i });
                }
                JointBodies::Chain(group) => {
                    let at_bodies = format!("{at}.bodies");
                    let &Group { first_id, count, .. } = self.group(group, &at_bodies)?;
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
                        let bodies = [id - 1, id].map(|id| self.with_id(id));
                        let joint = self.joint(spec, bodies, None, None, &at)?;
                        all.push(Listed { joint, at: at.clone(), spec: i });
                    }
                }
                JointBodies::File(path) => {
                    for listed in read::joints(&scene_dir.join(path))? {
                        let line = listed.line;
                        let [first, second] = &listed.bodies;
                        let bodies = [self.joined(first, &line)?, self.joined(second, &line)?];
                        let joint = self.joint(spec, bodies, listed.at_m, listed.axis, &line)?;
                        all.push(Listed { joint, at: line, spec: i });
                    }
                }
            }
        }
        check::each_once(&all)?;
        Ok(all)
    }

    /// The state of a free body at the start.
    pub fn start_of(&self, id: BodyId) -> Option<BodyState> {
        body(self.generators, id).map(|body| body.state)
    }

    /// The body that a user calls `name`.
    fn joined(&self, name: &str, at: &str) -> Result<Joined> {
        if name == SPACE {
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

    fn group(&self, name: &str, at: &str) -> Result<&'a Group> {
        self.groups.iter().find(|group| group.name == name).ok_or_else(|| {
            let known = Vec::from_iter(self.groups.iter().map(|group| group.name.as_str()));
            let cause = format!("there are no bodies `{name}`");
            Error::input(at, cause, did_you_mean(name, &known))
        })
    }

    fn with_id(&self, id: BodyId) -> Joined {
        if let Some(body) = body(self.generators, id) {
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
            let cause = format!("it joins `{}` to itself", name_of(self.groups, first));
            return Err(Error::input(format!("{at}.bodies"), cause, "name two bodies"));
        }
        let distance = (points[0] - points[1]).norm();
        let [low, high] = settings.range;
        if settings.kind == JointKind::Distance && high < LEAST_DISTANCE_M {
            let cause = "it holds two points at the same place: their distance has no direction";
            let remedy = "use `Ball`, or write points that are apart (`at_m`, `to_m`, `max_m`)";
            return Err(Error::input(format!("{at}.kind"), cause, remedy));
        }
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
            JointFrame::of(a.place(), &points[0], &turn),
            JointFrame::of(b.place(), &points[1], &turn),
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

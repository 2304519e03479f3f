//! How far the joints of a frame are open.
//!
//! It is measured at the poses in the file, apart from the code of the simulation. The gap of a
//! joint is the distance of its two points, beyond what its kind allows. A hinge, a slider and a
//! fixed joint may also be tilted.

use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_core::math::Vec3;
use cloth_rigid::body::{Body, BodyState};
use cloth_rigid::constraint::joint::{Joint, JointSettings, Second};
use nalgebra::UnitQuaternion;

use crate::program::check::bodies::BodyRun;

/// How far the joints of a frame are open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointCheck {
    /// The joint with the largest gap.
    pub widest: Option<Opening>,
    /// The rigid joint that is open most, in parts of the smaller body.
    pub worst: Option<Opening>,
    /// Numbers of the joints of which one body has left and the other has not.
    pub lost: Vec<u32>,
    /// The energy of all springs, J.
    pub elastic_j: f64,
}

/// How far a joint is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening {
    /// Its number.
    pub joint: u32,
    /// The gap, m.
    pub gap_m: f64,
    /// The tilt, degrees.
    pub tilt_deg: f64,
    /// Gap and way of the tilted surface, as a share of the radius of the smaller body.
    pub share: f64,
}

impl JointCheck {
    /// Measures all joints. `bodies` are those of the frame, by rising id; fixed bodies are at
    /// `time_s` (s).
    ///
    /// A step makes the forces of springs at the poses of the middle of the next step, half a step
    /// after the frame (implicit Euler). Their energy is that of these poses: together with the
    /// kinetic energy of the frame it does not rise.
    pub fn new(run: &BodyRun, bodies: &[Body], time_s: f64) -> Self {
        let mut check = Self::default();
        let step_s = run.setup.settings.contacts.step_s;
        let find = |id: u64| {
            let at = bodies.binary_search_by_key(&id, |body| body.id);
            at.ok().map(|at| &bodies[at])
        };
        for (joint, number) in run.setup.joints.all().iter().zip(0..) {
            let first = find(joint.first);
            let second = match joint.second {
                Second::Movable(id) => find(id).map(|body| (body.state, Some(body))),
                Second::Fixed(place) => {
                    Some((run.setup.fixed.bodies()[place as usize].state(time_s, 0.0), None))
                }
                Second::Space => Some((BodyState::AT_REST, None)),
            };
            let is_whole = first.is_some() == second.is_some();
            let (Some(first), Some((state, second))) = (first, second) else {
                if !is_whole && matches!(joint.second, Second::Movable(_)) {
                    check.lost.push(number);
                }
                continue;
            };
            let radius = |body: &Body| run.setup.solids.reach(&body.shape);
            let smaller = second.map_or(f64::INFINITY, radius).min(radius(first));
            let opening = Opening::new(run, joint, number, [&first.state, &state], smaller);
            check.add(opening, !joint.settings.is_compliant());
            if joint.settings.is_compliant() {
                let later = [&first.state, &state].map(|it| drifted(it, 0.5 * step_s));
                check.elastic_j += elastic_j(run, joint, &later);
            }
        }
        check
    }

    fn add(&mut self, opening: Opening, is_rigid: bool) {
        if self.widest.is_none_or(|widest| opening.gap_m > widest.gap_m) {
            self.widest = Some(opening);
        }
        if is_rigid && self.worst.is_none_or(|worst| opening.share > worst.share) {
            self.worst = Some(opening);
        }
    }
}

impl Opening {
    fn new(
        run: &BodyRun,
        joint: &Joint,
        number: u32,
        states: [&BodyState; 2],
        smaller_m: f64,
    ) -> Self {
        let [(a, turn), (b, base)] =
            [0, 1].map(|i| joint.frames[i].at(&states[i].position, &states[i].rotation));
        let offset = nearest(run, a - b);
        let [low, high] = joint.settings.range;
        let outside = |at: f64| (low - at).max(at - high).max(0.0);
        let x = base.transform_vector(&Vec3::x());
        let own_x = turn.transform_vector(&Vec3::x());
        let lean = libm::atan2(x.cross(&own_x).norm(), x.dot(&own_x));
        let along = offset.dot(&x);
        let (gap_m, tilt) = match joint.settings.kind {
            JointKind::Ball => (offset.norm(), 0.0),
            JointKind::Hinge => (offset.norm(), lean.max(outside_turn(&base, &turn, [low, high]))),
            JointKind::Slider => {
                let across = (offset - x * along).norm();
                (across.max(outside(along)), angle(&base, &turn))
            }
            JointKind::Fixed => (offset.norm(), angle(&base, &turn)),
            JointKind::Distance => (outside(offset.norm()), 0.0),
        };
        let share = gap_m / smaller_m + tilt;
        Self { joint: number, gap_m, tilt_deg: tilt.to_degrees(), share }
    }
}

/// A body after `dt_s` (s) at its velocity.
fn drifted(state: &BodyState, dt_s: f64) -> BodyState {
    let turn = UnitQuaternion::from_scaled_axis(state.twist.angular * dt_s);
    let position = state.position + state.twist.linear * dt_s;
    BodyState { position, rotation: turn * state.rotation, ..*state }
}

/// The energy of a compliant joint, J. The force is the gap over the compliance. The torque is the
/// angle of the turn, or for a hinge of the tilt, over the compliance for turns.
fn elastic_j(run: &BodyRun, joint: &Joint, states: &[BodyState; 2]) -> f64 {
    let [(a, turn), (b, base)] =
        [0, 1].map(|i| joint.frames[i].at(&states[i].position, &states[i].rotation));
    let JointSettings { kind, range, compliance, turn_compliance, .. } = joint.settings;
    let (offset, locked) = (nearest(run, a - b), kind.locked());
    let square = |locked: bool, x: f64| if locked { x * x } else { 0.0 };
    let shift = base.inverse_transform_vector(&offset);
    let distance = offset.norm();
    let excess = (range[0] - distance).max(distance - range[1]).max(0.0);
    let gaps = (0..3).map(|axis| square(locked[axis], shift[axis])).sum::<f64>()
        + square(kind == JointKind::Distance, excess);
    let relative = base.inverse() * turn;
    let angle = match locked[3] {
        true => 2.0 * libm::atan2(relative.imag().norm(), relative.w.abs()),
        false => {
            let x = relative.transform_vector(&Vec3::x());
            libm::atan2(Vec3::x().cross(&x).norm(), x.x)
        }
    };
    let turns = square(locked[4], angle);
    let energy = |squares: f64, compliance: f64| match compliance > 0.0 {
        true => 0.5 * squares / compliance,
        false => 0.0,
    };
    energy(gaps, compliance) + energy(turns, turn_compliance)
}

/// The shortest of the images of a vector.
fn nearest(run: &BodyRun, offset: Vec3) -> Vec3 {
    let (periodic, period) = (run.setup.domain.periodic(), run.setup.domain.period());
    Vec3::from_fn(|axis, _| match periodic[axis] {
        true => offset[axis] - period[axis] * (offset[axis] / period[axis]).round(),
        false => offset[axis],
    })
}

/// The angle between two rotations, rad.
fn angle(base: &UnitQuaternion<f64>, turn: &UnitQuaternion<f64>) -> f64 {
    let relative = base.inverse() * turn;
    2.0 * libm::atan2(relative.imag().norm(), relative.w.abs())
}

/// By how much the turn about x is outside of its limits, rad.
fn outside_turn(base: &UnitQuaternion<f64>, turn: &UnitQuaternion<f64>, range: [f64; 2]) -> f64 {
    let [low, high] = range;
    if low.is_infinite() || high.is_infinite() {
        return 0.0;
    }
    let y = base.inverse_transform_vector(&turn.transform_vector(&Vec3::y()));
    let from_middle = libm::atan2(y.z, y.y) - 0.5 * (low + high);
    let from_middle =
        from_middle - std::f64::consts::TAU * (from_middle / std::f64::consts::TAU).round();
    (from_middle.abs() - 0.5 * (high - low)).max(0.0)
}

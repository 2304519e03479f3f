//! How the two points of a contact part on the way to the middle of the next step.
//!
//! A contact asks for velocities with which the points do not slip and do not sink in on the whole
//! way, and not only at its beginning. Else a box on a turntable would move along tangents:
//! outwards, by `exp(w^2 h t / 2)`. Forces act at the beginning, so the rule is of second order (a
//! discrete nonholonomic constraint: Cortés & Martínez 2001).
//!
//! The slip is that seen from the body that turns more slowly, the carrier `c`, on which the other
//! one, `r`, rolls.
//!
//! | symbol | |
//! |---|---|
//! | `a_r`, `a_c` | arms: contact point minus centre of mass |
//! | `w_r`, `w_c` | angular velocities on the way, with the second half of the gyroscopic term |
//! | `T` | rotation of the carrier on the way; `sqrt T`: half of it |
//! | `d` | change of the arm `a_r` on the way: that of the last step, turned as the arm is |
//!
//! ```text
//! slip = v_r - v_c + (T - 1) (a_r - a_c) / h + sqrt T ((w_r - w_c) x (a_r + d / 2))
//! bend = slip - (velocity of r minus that of c at the beginning)
//! ```
//!
//! So bodies that turn together do not part at all, and a ball, whose `d` is 0, rolls by its radius
//! times its turn. For a disc that rolls on its rim, `d` is the way of the rim's lowest point.
//! (Angular velocities are those without impulses: with the impulses of the last step, small errors of the
//! sweeps come back, and a box of 4 cm on a turntable of 12 rad/s drifts by a third of its radius.)

use nalgebra::UnitQuaternion;

use crate::constraint::Side;
use crate::motion::precess;
use crate::{BodyState, Twist};
use cloth_bodies::bodies::rigid::turned;
use cloth_core::Vec3;

/// If an arm changes in a step by more than this share of its length, in space and as the body sees
/// it, the contact has jumped to another corner.
const MOST_ROLLED: f64 = 0.25;

/// The part of second order of the relative motion of two points at `arms` (m) in `h_s` seconds,
/// as a speed, m/s. `last` is the first arm in the last step. It is zero for a new contact, which
/// has none.
pub fn bend(sides: &[Side; 2], arms: &[Vec3; 2], last: &Vec3, normal: &Vec3, h_s: f64) -> Vec3 {
    let is_still = sides.iter().all(|side| side.twist.angular == Vec3::zeros());
    if is_still || *last == Vec3::zeros() {
        return Vec3::zeros();
    }
    let spins = sides.each_ref().map(|side| spin(side, h_s));
    let is_first = spins[0].norm_squared() >= spins[1].norm_squared();
    let (r, c) = if is_first { (0, 1) } else { (1, 0) };
    let rotation = |turn: Vec3| turned(&UnitQuaternion::identity(), &turn);
    let (rotation_of_carrier, half) = (rotation(spins[c] * h_s), rotation(spins[c] * (0.5 * h_s)));

    let mut moved = arms[0] - last;
    if !is_first {
        let before = sides.each_ref().map(|side| side.twist.linear - side.acceleration * h_s);
        moved += (before[0] - before[1]) * h_s;
    }
    let (arm, most) = (&arms[r], MOST_ROLLED * arms[r].norm());
    let material = rotation(spins[r] * h_s) * arm - arm;
    let has_jumped = moved.norm() > most && (moved - material).norm() > most;
    let moves = if has_jumped { material } else { goes_on(arm, &moved, normal) };

    let between = arm - arms[c];
    let rolled = half * (spins[r] - spins[c]).cross(&(arm + moves * 0.5));
    let at = |side: usize| sides[side].twist.angular.cross(&arms[side]);
    let bend = (rotation_of_carrier * between - between) / h_s + rolled - at(r) + at(c);
    if is_first { bend } else { -bend }
}

/// The change of `arm` in the next step, if it was `moved` in the last one and goes on turning
/// about the normal.
fn goes_on(arm: &Vec3, moved: &Vec3, normal: &Vec3) -> Vec3 {
    let across = |x: &Vec3| x - normal * x.dot(normal);
    let (from, to, moved_across) = (across(&(arm - moved)), across(arm), across(moved));
    let size = (from.norm_squared() * to.norm_squared()).sqrt();
    if size == 0.0 {
        return *moved;
    }
    let (cosine, sine) = (from.dot(&to) / size, normal.dot(&from.cross(&to)) / size);
    moved + moved_across * (cosine - 1.0) + normal.cross(&moved_across) * sine
}

/// The angular velocity with which a body turns until the middle of the next step, rad/s.
fn spin(side: &Side, h_s: f64) -> Vec3 {
    let Side { rotation, twist: Twist { angular, .. }, inertia, .. } = side;
    let twist = Twist { angular: *angular, linear: Vec3::zeros() };
    let mut state = BodyState { position: Vec3::zeros(), rotation: *rotation, twist };
    precess(&mut state, inertia, 0.5 * h_s);
    state.twist.angular
}

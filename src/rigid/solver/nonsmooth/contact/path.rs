//! How the points of a contact move until the middle of the next step.
//!
//! Friction stops two surfaces from slipping on the way to the middle of the next step, and not only
//! at its beginning. For the velocities at the beginning alone, a box on a turntable would move along
//! tangents: outwards, by `exp(w^2 h t / 2)`.
//!
//! | symbol | |
//! |---|---|
//! | `a` | arm: contact point minus centre of mass |
//! | `w` | angular velocity on the way, with the second half of the gyroscopic term |
//! | `R` | rotation on the way, by `h w` |
//! | `r` | way of the contact on the first surface in the last step |
//!
//! ```text
//! bend = (R_1 a_1 - a_1) / h - w_1' x a_1 - (the same of the second body) + (w_1 - w_2) x r / 2
//! ```
//!
//! The first part is that of points that stay together (`w'`: without that half). The last one is
//! there where surfaces roll on each other and spin: the velocity that friction stops is that at the
//! contact half way, which is `r / 2` further (a discrete nonholonomic constraint: Cortés & Martínez
//! 2001). For a ball on a plane it is the opposite of the first part.

use crate::math::Vec3;
use crate::rigid::body::{BodyState, Twist};
use crate::rigid::constraint::pair::Side;
use crate::rigid::motion::{drift, precess};

/// A contact whose point moved by more than this share of its arm has jumped to another corner.
const MOST_ROLLED: f64 = 0.25;

/// The part of second order of the tangential motion of two points at `arms` (m) in `h_s` seconds, as
/// a speed, m/s. `last` is the first arm in the last step; it is zero for a new contact, which has
/// none.
pub fn bend(sides: &[Side; 2], arms: &[Vec3; 2], last: &Vec3, normal: &Vec3, h_s: f64) -> Vec3 {
    let is_still = sides.iter().all(|side| side.twist.angular == Vec3::zeros());
    if is_still || *last == Vec3::zeros() {
        return Vec3::zeros();
    }
    let on_way = sides.each_ref().map(|side| {
        let twist = Twist { linear: Vec3::zeros(), ..side.twist };
        let mut state = BodyState { position: Vec3::zeros(), rotation: side.rotation, twist };
        precess(&mut state, &side.inertia, 0.5 * h_s);
        let rotation = state.rotation;
        drift(&mut state, h_s);
        (state.twist.angular, state.rotation * rotation.inverse())
    });
    let [own, other] = [0, 1].map(|side| {
        let (arm, (_, turn)) = (&arms[side], &on_way[side]);
        (turn * arm - arm) / h_s - sides[side].twist.angular.cross(arm)
    });
    let ([(spin, turn), (of_other, _)], arm) = (on_way, &arms[0]);
    let rolled = arm - turn * last;
    let rolled = rolled - normal * rolled.dot(normal);
    let jumped = rolled.norm() > MOST_ROLLED * arm.norm();
    let rolled = if jumped { Vec3::zeros() } else { rolled };
    let bend = own - other + (spin - of_other).cross(&rolled) * 0.5;
    bend - normal * bend.dot(normal)
}

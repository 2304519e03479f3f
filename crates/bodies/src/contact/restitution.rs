//! Restitution: a fast impact of bodies gives back a share of its speed, which may be none.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `e` | | share of the speed that the pair gives back, 0 to 1 |
//! | `c` | m/s | speed at which the sides approach along the normal at the start of the step |
//! | `a` | m/s^2 | how fast `c` grows in free flight |
//! | `s` | m | way to the contact distance; 0 within it |
//! | `w` | m/s | speed at which they part at the end of the step |
//!
//! The sides turn round within one step, `s` before they touch. So `w` is not `e c`: in free flight
//! `x1 = x0 + h v1` keeps `v^2 / 2 + a x - a h v / 2`, and `w` is the speed that has this energy of
//! an impact at the contact distance, times `e^2`. It is at most the speed at which kinetic and
//! potential energy are those of the start of the step, so that no impact gains energy.
//!
//! Only surfaces that did not touch in the last step bounce. A corner that hits the floor beside one
//! that stands on it would aim at `w`, and the other one at rest; such a mixture may gain energy. If
//! energy rises nevertheless, the step is tried again without restitution.
//!
//! The stiffness of a contact is moderate, since the matrix is in single precision: momentum would be
//! lost in the rounding of a larger one. Cloth has no restitution.
//!
//! Source: ours.

use crate::contact::point::Contact;

/// An impact is slower than this many changes of velocity by gravity in a step: contacts at rest.
pub(super) const SLOW: f64 = 4.0;

/// The stiffness of a contact that gives speed back, in units of `m / h^2`. It takes a thousandth of the
/// change of speed away.
const STIFFNESS: f64 = 1e3;

/// At most so many contacts that share a body have the stiffness of its whole mass. A contact at the
/// rim has a quarter of it.
const MOST_WHOLE: f64 = 8.0;

/// The stiffness (N/m) of a contact that gives speed back, in a step of `h` (s). `mass` (kg) is its
/// part of an effective mass that `sharers` contacts share.
pub fn stiffness(mass: f64, sharers: f64, h: f64) -> f64 {
    STIFFNESS * mass * sharers.min(MOST_WHOLE) / (h * h)
}

/// What a contact that gives speed back aims at.
#[derive(Debug, Clone, Copy)]
pub struct Rebound {
    /// The way by which its sides part in the step, m.
    pub way_m: f64,
    /// How fast its sides part along the normal at the start of the step and after free flight, m/s.
    pub flight_m_per_s: [f64; 2],
}

/// What a contact aims at, if it gives its share `restitution` of speed back. Its sides part with
/// `flight_m_per_s` (m/s) along the normal at the start of the step of `h` (s) and after free flight.
/// `fall` (m/s) is what gravity changes in the step.
pub fn rebound(
    contact: &Contact,
    restitution: f64,
    flight_m_per_s: [f64; 2],
    [fall, h]: [f64; 2],
) -> Option<Rebound> {
    let [start, end] = flight_m_per_s.map(|speed| -speed);
    if start <= SLOW * fall {
        return None;
    }
    let way_m = (contact.gap_m - contact.distance_m).max(0.0);
    let speed = parting(restitution, start, end - start, way_m / h);
    Some(Rebound { way_m: h * speed, flight_m_per_s })
}

/// `w`, of the `restitution` `e`, `c`, `gain = a h` and `way = s / h`, all in m/s. Negative if the
/// sides part so slowly that they would come back within `s`.
fn parting(restitution: f64, c: f64, gain: f64, way: f64) -> f64 {
    let impact = (c * (c + gain) + 2.0 * gain * way).max(0.0);
    let twice = restitution * restitution * impact - 2.0 * gain * way;
    let kept = (0.25 * gain * gain + twice).max(0.0).sqrt() - 0.5 * gain;
    let most = (gain * gain + c * c).sqrt() - gain;
    kept.min(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The apex of a flight upwards from `x` at speed `v`, in steps of `h`, m.
    fn apex(mut x: f64, mut v: f64, g: f64, h: f64) -> f64 {
        while v > 0.0 {
            v -= g * h;
            x += h * v.max(0.0);
        }
        x
    }

    #[test]
    fn a_ball_that_falls_rebounds_to_its_share_of_the_height() {
        let g = 9.81;
        for h in [1e-3, 4e-3, 1e-2] {
            for e in [0.3, 0.5, 0.8] {
                for height in [0.5, 0.71, 1.0] {
                    let (mut x, mut v) = (height, 0.0);
                    while x + h * (v - g * h) > 0.0 {
                        v -= g * h;
                        x += h * v;
                    }
                    let w = parting(e, -v, g * h, x / h);
                    let top = apex(x + h * w, w, g, h);
                    let expected = e * e * height;
                    assert!((top - expected).abs() < 0.5 * g * h * h, "{h} {e}: {top} {expected}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_impact_gains_energy(
            e in 0.0..=1.0f64, c in 0.0..10.0f64, gain in 0.0..1.0f64, share in 0.0..1.0f64,
        ) {
            let way = share * (c + gain);
            let w = parting(e, c, gain, way);
            // In units of mass: speeds, and `a` times the path `h w`.
            let (before, after) = (0.5 * c * c, 0.5 * w * w + gain * w);
            prop_assert!(after <= before + 1e-12 * (1.0 + before), "{before} {after}");
            prop_assert!(w >= -0.5 * gain - 1e-15);
        }

        #[test]
        fn without_forces_the_speed_is_its_share(e in 0.0..=1.0f64, c in 0.0..10.0f64, way in 0.0..1.0f64) {
            prop_assert!((parting(e, c, 0.0, way) - e * c).abs() < 1e-12);
        }
    }
}

//! How stiff and damped a contact is: both follow the load that it carries.
//!
//! A spring of stiffness `k` that carries the force `f` is compressed by `f / k`. At the stiffness
//! `kappa m / h^2` alone, a load above `kappa d_c / h^2` of acceleration would compress it by more
//! than the contact distance. So a contact that is compressed by more than 0.3 of its distance
//! becomes stiffer, and one that is compressed by less than 0.05 becomes softer again. Between the
//! two nothing changes, so contacts at rest keep their stiffness. It changes by a factor of four
//! at most from solve to solve. It is never below the least stiffness ([`super::law`]), and never
//! above 1,000 times that. A larger stiffness would not help: if two prescribed bodies press
//! contacts together, these are compressed at any stiffness.
//!
//! Source: docs/methods.md, section 8 (ours).

/// The load of a contact in the last solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Normal force, N.
    pub force: f64,
    /// Its stiffness then, N/m.
    pub stiffness: f64,
    /// Its least stiffness then, N/m.
    pub least: f64,
}

impl Load {
    /// The compression as a fraction of the distance `distance_m` (m).
    pub fn share(&self, distance_m: f64) -> f64 {
        self.force / (self.stiffness * distance_m)
    }

    /// Whether it is compressed too far for its stiffness, and can become stiffer.
    pub fn is_over(&self, distance_m: f64) -> bool {
        self.share(distance_m) > OVERLOAD && self.stiffness < MOST * self.least
    }
}

/// Compression above which a contact becomes stiffer, as a share of its distance.
const DEEP: f64 = 0.3;
/// The compression that a stiffer contact aims at.
const AIM: f64 = 0.2;
/// Compression below which a contact becomes softer.
const SHALLOW: f64 = 0.05;
/// The compression that a softer contact aims at.
const SOFTER_AIM: f64 = 0.1;
/// The largest change of stiffness from solve to solve, as a factor.
const MOST_CHANGE: f64 = 4.0;
/// Compression above which the solution is repaired with a stiffer contact, as a fraction of its
/// distance. A pair that is compressed by three quarters collides.
const OVERLOAD: f64 = 0.6;
/// The largest stiffness, in units of the least one. A sheet of 20,000 N/m that is pressed 6 cm
/// deep needs 300 at 10 ms.
const MOST: f64 = 1e3;

/// Least stiffness of contacts in units of `m / h^2`. The tablecloth at 40, 10 and 4 steps a frame
/// and a stack of sheets decided it. At 1 ms 10 is enough, at 4 ms 80. At 10 ms less than 100 does
/// not carry the whole load. `h` is in s.
pub fn kappa(h: f64) -> f64 {
    let growth = h / 1e-3;
    (10.0 * growth * growth.sqrt()).clamp(10.0, 100.0)
}

/// The stiffness (N/m) of a contact that carried `last`, with the distance `distance_m` (m). It is
/// at least `least` (N/m).
pub fn stiffness(least: f64, last: Option<Load>, distance_m: f64) -> f64 {
    let Some(load) = last else { return least };
    let (share, stiffness) = (load.share(distance_m), load.stiffness);
    let followed = if share > DEEP {
        stiffness * (share / AIM).min(MOST_CHANGE)
    } else if share < SHALLOW {
        stiffness * (share / SOFTER_AIM).max(1.0 / MOST_CHANGE)
    } else {
        stiffness
    };
    followed.clamp(least, MOST * least)
}

/// Damping of contacts in units of `sqrt(M / k)`; 2 is critical. A plate under a heavy body has
/// contacts as stiff as its own mass asks for, and the body bounces on them. Each bounce tilts the
/// plates, so that contacts come and go and share the masses anew, which gives energy: 3 kg on five
/// plates of 0.3 kg bounced at 0.1 m/s for ever. Several layers together need more than one. On
/// cloth a contact that is not damped is compressed by an impact until its stiffness rises, which
/// gives energy too: a block that fell by 5 cm onto two loose cloths gained 26 % at 1 ms, and 0.5 %
/// with damping.
const DAMPING: f64 = 4.0;
/// The longest damping, s.
const MOST_DAMPING_S: f64 = 0.02;

/// The damping (s) of a contact by its `stiffness` (N/m), if it carries `carried_kg` (kg). Without
/// cloth that is its load: a contact that carries only its own bodies is hardly damped, and they roll
/// on. With cloth it is what lies on its nodes: cloth alone is not damped.
pub fn damping_s(stiffness: f64, carried_kg: f64) -> f64 {
    (DAMPING * (carried_kg / stiffness).sqrt()).min(MOST_DAMPING_S)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LEAST: f64 = 20.0;
    const DISTANCE_M: f64 = 1e-3;

    proptest! {
        #[test]
        fn it_settles_where_any_load_compresses_little(
            force in 0.0..6.0f64,
            start in 20.0..2e4f64,
        ) {
            let mut found = start;
            for _ in 0..40 {
                let next = stiffness(LEAST, Some(Load { force, stiffness: found, least: LEAST }), DISTANCE_M);
                prop_assert!(next <= 4.0 * found * (1.0 + 1e-15) && next >= LEAST);
                found = next;
            }
            let share = force / found / DISTANCE_M;
            prop_assert!(share <= DEEP);
            prop_assert!(share >= SHALLOW || found == LEAST);
            let last = Some(Load { force, stiffness: found, least: LEAST });
            prop_assert_eq!(stiffness(LEAST, last, DISTANCE_M), found);
        }
    }

    #[test]
    fn what_is_pressed_together_does_not_become_stiffer_for_ever() {
        let mut found = LEAST;
        for _ in 0..100 {
            let load = Load { force: 0.65 * DISTANCE_M * found, stiffness: found, least: LEAST };
            assert!(load.is_over(DISTANCE_M) == (found < MOST * LEAST));
            found = stiffness(LEAST, Some(load), DISTANCE_M);
        }
        assert_eq!(found, MOST * LEAST);
    }
}

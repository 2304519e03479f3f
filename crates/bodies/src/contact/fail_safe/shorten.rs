//! The displacement of one vertex that all of its planes allow.
//!
//! Each plane requires `n . d >= -room` of the displacement `d`. The vertex takes the allowed
//! displacement nearest to its intended one: it *slides*. This is a projection on a convex set.
//! Hildreth's method (1957) computes it by coordinate ascent on the dual: `d` is the intended
//! displacement plus `lambda_i n_i` for each plane, with `lambda_i >= 0`. Each iteration changes
//! the multiplier that changes most. If a plane is still violated at the end, or the slide is
//! not allowed, the vertex keeps the largest fraction that all planes allow.
//!
//! A plane that does not move over the vertex's start has `room >= 0`. If this holds for all, a
//! fraction of 0 is allowed, and no iterate is longer than the intended displacement `target`:
//! the dual is `(target^2 - d^2) / 2 - sum lambda_i room_i`, and it rises from 0. So sliding
//! adds no energy.

use crate::contact::fail_safe::Stop;
use crate::contact::fail_safe::plane::Bound;
use cloth_collision::collision::Pair;
use cloth_core::Vec3;

/// The largest number of changes of multipliers. After them the fraction decides. Two are enough
/// for one plane. Folds between layers have several planes at sharp angles and take more.
const MAX_CHANGES: usize = 40;

/// Number of last changes that only push the vertex away from violated planes, and no longer back
/// to the nearest place. In this way it gets beyond all planes sooner.
const LAST_CHANGES: usize = 10;

/// The part of the displacement `target` (m) that the `bounds` of a vertex (by rising pair) allow.
/// None if they allow all of it. Adds to `stops` the planes that stopped the vertex. A slide ends
/// `grain_m` (m) further from its planes than it must, and is undone unless `allowed`.
///
/// # Errors
/// The pair that pushes the vertex, if another pair leaves it no room.
pub(super) fn shorten(
    bounds: &[Bound],
    target: Vec3,
    grain_m: f64,
    allowed: impl Fn(&Vec3) -> bool,
    multipliers: &mut Vec<f64>,
    stops: &mut Vec<Stop>,
) -> Result<Option<Vec3>, Pair> {
    if bounds.iter().all(|bound| bound.slack(&target) >= 0.0) {
        return Ok(None);
    }
    let before = stops.len();
    let plane = |bound: &Bound| (bound.normal, bound.room_m);
    let mut displacement = slide(bounds, plane, target, grain_m, multipliers);
    if allowed(&displacement) {
        let active = bounds.iter().zip(&*multipliers).filter(|(_, multiplier)| **multiplier > 0.0);
        stops.extend(active.map(|(bound, _)| stop(bound)));
    } else {
        displacement = target;
    }
    let (fraction, limiting) = largest_fraction(bounds, &displacement)?;
    let known =
        |limiting: &&Bound| !stops[before..].iter().any(|stop| stop.normal == limiting.normal);
    let limiting = limiting.filter(known).map(stop);
    stops.extend(limiting);
    Ok(Some(fraction * displacement))
}

fn stop(bound: &Bound) -> Stop {
    Stop { vertex: bound.vertex, normal: bound.normal, advance_m: bound.advance_m }
}

/// The velocity (m/s) nearest to `velocity` that approaches none of the `stops` of its vertex
/// in a step of length `h` (s).
pub fn stopped_velocity(velocity: Vec3, stops: &[Stop], h: f64) -> Vec3 {
    let plane = |stop: &Stop| (stop.normal, -stop.advance_m / h);
    slide(stops, plane, velocity, 0.0, &mut Vec::new())
}

/// The vector nearest to `target` on the inner side of all planes, approximately. A plane that
/// holds it back has a positive multiplier in `multipliers`. `plane` gives the normal and room
/// of each.
fn slide<T>(
    planes: &[T],
    plane: impl Fn(&T) -> (Vec3, f64),
    target: Vec3,
    grain: f64,
    multipliers: &mut Vec<f64>,
) -> Vec3 {
    multipliers.clear();
    multipliers.resize(planes.len(), 0.0);
    let mut end = target;
    for round in 0..MAX_CHANGES {
        let back = round < MAX_CHANGES - LAST_CHANGES;
        let (mut most, mut chosen, mut along) = (0.0, 0, Vec3::zeros());
        let mut violated = false;
        for (k, (normal, room)) in planes.iter().map(&plane).enumerate() {
            let slack = room + normal.dot(&end);
            violated |= slack < 0.0;
            let change = match slack < 0.0 {
                true => grain - slack,
                false if back => (grain - slack).max(-multipliers[k]).min(0.0),
                false => 0.0,
            };
            if change.abs() > f64::abs(most) {
                (most, chosen, along) = (change, k, normal);
            }
        }
        if !violated && most.abs() <= grain {
            break;
        }
        multipliers[chosen] += most;
        end += most * along;
    }
    end
}

/// The largest fraction of `displacement` that all bounds allow. If it is below 1, also the
/// bound that limits it.
fn largest_fraction<'a>(
    bounds: &'a [Bound],
    displacement: &Vec3,
) -> Result<(f64, Option<&'a Bound>), Pair> {
    let (mut upper, mut limiting) = (1.0, None);
    let (mut lower, mut pushing) = (0.0, None);
    for bound in bounds {
        let along = bound.normal.dot(displacement);
        if bound.room_m < 0.0 {
            let fraction = if along > 0.0 { -bound.room_m / along } else { f64::INFINITY };
            if fraction > lower {
                (lower, pushing) = (fraction, Some(bound));
            }
        } else if bound.room_m + along < 0.0 {
            let fraction = bound.room_m / -along;
            if fraction < upper {
                (upper, limiting) = (fraction, Some(bound));
            }
        }
    }
    match pushing {
        Some(pushing) if lower > upper => Err(pushing.pair),
        _ => Ok((upper, limiting)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GRAIN_M: f64 = 1e-9;

    fn bound(pair: u32, normal: Vec3, room_m: f64) -> Bound {
        let pair = Pair::vertex_face(0, [pair, 1000, 1001]);
        Bound { vertex: 0, pair, normal: normal.normalize(), room_m, advance_m: 0.0 }
    }

    fn shortened(bounds: &[Bound], target: Vec3, free: bool) -> Result<Option<Vec3>, Pair> {
        shorten(bounds, target, GRAIN_M, |_| free, &mut Vec::new(), &mut Vec::new())
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vec3::from)
    }

    #[test]
    fn a_vertex_slides_along_its_plane() {
        let floor = [bound(1, Vec3::y(), 0.1)];
        let target = Vec3::new(1.0, -0.3, 0.0);
        let slid = shortened(&floor, target, true).unwrap().unwrap();
        assert!((slid - Vec3::new(1.0, -0.1 + GRAIN_M, 0.0)).norm() < 1e-15);
        let cut = shortened(&floor, target, false).unwrap().unwrap();
        assert!((cut - target / 3.0).norm() < 1e-15);
        assert_eq!(shortened(&floor, Vec3::new(1.0, -0.1, 0.0), true), Ok(None));
    }

    #[test]
    fn in_a_wedge_it_goes_to_the_nearest_place() {
        let wedge =
            [bound(1, Vec3::new(1.0, 2.0, 0.0), 0.0), bound(2, Vec3::new(-1.0, 2.0, 0.0), 0.0)];
        let along = shortened(&wedge, Vec3::new(0.1, -1.0, 1.0), true).unwrap().unwrap();
        assert!((along - Vec3::z()).norm() < 1e-6, "{along}");
    }

    #[test]
    fn a_moving_plane_pushes_and_a_plane_against_it_is_a_conflict() {
        let plate = bound(1, Vec3::y(), -0.2);
        let pushed = shortened(&[plate], Vec3::x(), true).unwrap().unwrap();
        assert!((pushed - Vec3::new(1.0, 0.2 + GRAIN_M, 0.0)).norm() < 1e-15);
        assert_eq!(shortened(&[plate], Vec3::x(), false), Err(plate.pair));
        let far = [plate, bound(2, -Vec3::y(), 0.3)];
        assert_eq!(shortened(&far, 0.25 * Vec3::y(), true), Ok(None));
        let near = [plate, bound(2, -Vec3::y(), 0.1)];
        assert_eq!(shortened(&near, Vec3::zeros(), true), Err(plate.pair));
    }

    #[test]
    fn a_stopped_velocity_approaches_no_plane() {
        let stop = |normal: Vec3, advance_m| Stop { vertex: 0, normal, advance_m };
        let stops = [stop(Vec3::y(), 0.0), stop(Vec3::x(), 2e-3)];
        let v = stopped_velocity(Vec3::new(0.5, -3.0, 7.0), &stops, 1e-3);
        assert!((v - Vec3::new(2.0, 0.0, 7.0)).norm() < 1e-12);
        let parting = Vec3::new(2.5, 1.0, 0.0);
        assert_eq!(stopped_velocity(parting, &stops, 1e-3), parting);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn all_planes_hold_and_no_energy_is_added(
            planes in prop::collection::vec((vector(), prop_oneof![Just(0.0), 0.0..0.3f64]), 1..20),
            target in vector(),
            free: bool,
        ) {
            let bounds: Vec<Bound> =
                (0..).zip(&planes).map(|(k, (n, room))| bound(k, *n, *room)).collect();
            let end = shortened(&bounds, target, free).unwrap().unwrap_or(target);
            prop_assert!(bounds.iter().all(|bound| bound.slack(&end) >= -1e-15));
            prop_assert!(end.norm() <= target.norm() + 1e-7);
        }
    }
}

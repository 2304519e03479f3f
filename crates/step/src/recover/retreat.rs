//! Bodies that wait retreat: they go back for a body that arrives.
//!
//! A body that waits takes room that another body may need. So it gives the room back: it follows
//! its own motion backwards, no faster than the other body requires. The body that arrives then
//! need not wait. On its way back a body is an obstacle like all others. It pushes the cloth
//! behind it, and where there is no room for that it stands still (docs/methods.md, section 8).

use crate::recover::failed::Failed;
use crate::state::waiting::{LONGEST_PAUSE, MOST_FAILURES, Prescribed};
use crate::time::clock::TICKS_PER_STEP;
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_collision::collision::intersect::touching;

/// Two prescribed surfaces within this distance of a vertex without room overlap, or leave less
/// room than the cloth between them needs; in contact distances. Several layers of cloth, pressed
/// together, may lie between them.
pub(super) const ROOM: f64 = 4.0;

/// A body goes back at most at this many times the speed of the body that arrives. It may have to
/// be faster, because its speed is that of its furthest vertex, which may be far from the pinch,
/// and because its way may be oblique.
const MOST_SPEEDS: f64 = 8.0;

/// Makes bodies that wait near `conflict` go back, or go back faster, for the bodies that
/// `arrive`. Of two bodies that wait, the one that has waited longer goes back. False if no body
/// can.
pub(super) fn make_way(failed: &mut Failed, arrive: &[usize], conflict: &Conflict) -> bool {
    let state = &*failed.state;
    let age = |body: usize| state.waiting[body].map_or(u64::MAX, |it| it.since_ticks);
    let youngest = arrive.iter().map(|&body| (age(body), body)).max();
    let speed = arrive.iter().map(|&body| failed.speed_in(conflict, body)).fold(0.0, f64::max);
    let prescribed = Vec::from_iter(Prescribed::all(failed.model));
    let can_retreat = |body: &usize| {
        let Some(waiting) = &state.waiting[*body] else { return false };
        !arrive.contains(body)
            && prescribed[*body].can_go_back(waiting, &state.present())
            && Some((waiting.since_ticks, *body)) < youngest
            && waiting.retreat.cornered_ticks <= state.ticks
            && waiting.retreat.speed < MOST_SPEEDS * speed
    };
    let near = Vec::from_iter(waiting_near(failed, conflict).into_iter().filter(can_retreat));
    for &body in &near {
        if let Some(waiting) = &mut failed.state.waiting[body] {
            let faster = f64::max(2.0 * waiting.retreat.speed, speed);
            waiting.retreat.speed = faster.min(MOST_SPEEDS * speed);
            waiting.until_ticks = failed.end + LONGEST_PAUSE * TICKS_PER_STEP;
            waiting.failures = MOST_FAILURES;
        }
    }
    !near.is_empty()
}

/// The bodies that wait and are named in `conflict`, or are near a vertex without room. Layers of
/// cloth may lie between the body and the vertex.
fn waiting_near(failed: &Failed, conflict: &Conflict) -> Vec<usize> {
    let waiting = failed.state.waiting.iter().enumerate().filter(|(_, it)| it.is_some());
    let waiting = Vec::from_iter(waiting.map(|(body, _)| body));
    if waiting.is_empty() {
        return waiting;
    }
    let model = failed.model;
    let named = failed.bodies_of(conflict.prescribed.iter());
    let first = model.object_of_obstacle(0) as u32;
    let obstacles = Vec::from_iter(first..model.surfaces.list.len() as u32);
    let (x, radius_m) = (&failed.crowded_places(), ROOM * model.distances.most_m);
    let near = touching(failed.threads, &model.surfaces, x, &obstacles, radius_m);
    let is_near = |body: &usize| {
        let has = |near: &Vec<_>| conflict.crowded.iter().any(|it| near.binary_search(it).is_ok());
        near.get(*body).is_some_and(has)
    };
    waiting.into_iter().filter(|body| named.contains(body) || is_near(body)).collect()
}

//! What a step does about a pinch: who waits, and who is named.

use crate::model::Model;
use crate::recover::failed::Failed;
use crate::recover::release::release;
use crate::recover::retreat::make_way;
use crate::state::State;
use crate::state::control::Cause;
use crate::state::trouble::Trouble;
use crate::state::waiting::{Course, Prescribed, Waiting};
use crate::time::clock::SMALLEST_TICKS;
use cloth_bodies::bodies::prescribed::{PrescribedPose, Rigid};
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_bodies::contact::settings::OnPinch;
use cloth_core::math::Vec3;

/// A prescribed body that is behind its motion because it had no room.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingBody {
    /// The name of the obstacle, or which pins of which cloth.
    pub name: String,
    /// When it first had no room, s.
    pub since_s: f64,
    /// How far its furthest vertex is from its prescribed place, m.
    pub behind_m: f64,
    /// Where it first had no room, m.
    pub place: Vec3,
}

/// Bodies that are behind their motion in `state`: obstacles, then pins.
pub(crate) fn waiting_bodies(model: &Model, state: &State) -> Vec<WaitingBody> {
    let bodies = Prescribed::all(model).zip(&state.waiting).enumerate();
    let behind = bodies.filter_map(|(number, (body, waiting))| {
        let waiting = waiting.as_ref()?;
        let now_s = model.clock.seconds(state.ticks);
        Some(WaitingBody {
            name: model.prescribed_name(number),
            since_s: model.clock.seconds(waiting.since_ticks),
            behind_m: body.behind_m(waiting, &state.present(), now_s),
            place: waiting.place,
        })
    });
    behind.collect()
}

/// Prepares the next attempt after one that `failed` because there was no room: some prescribed bodies
/// wait in it, skin gives way, or it is smaller. False if nothing is left to
/// try.
pub(crate) fn make_room(failed: &mut Failed, trouble: &Trouble) -> bool {
    let (conflict, early) = match trouble {
        Trouble::Pinched(conflict) => (conflict, false),
        Trouble::Squeezed(conflict) => (conflict, true),
        _ => return false,
    };
    // 0. Skin gives way.
    if release(failed, conflict) {
        return true;
    }
    if failed.model.settings.contact.on_pinch == OnPinch::Stop {
        return failed.shrink(Cause::Pinch);
    }
    let bodies = failed.pushing(conflict);
    // 1. Bodies that were behind and moved go on waiting.
    let stopped = stop_behind(failed, &bodies);
    // 2. Bodies that wait go back for the bodies that arrive.
    if make_way(failed, &bodies, conflict) || stopped {
        return true;
    }
    // 3. Bodies that are on time may find room in smaller steps, unless the room itself becomes
    //    too small. If smaller steps do not help, the fastest body waits.
    let fastest = |body: &&usize| (failed.speed_in(conflict, **body).to_bits(), **body);
    let Some(&body) = bodies.iter().max_by_key(fastest) else {
        return failed.shrink(Cause::Pinch);
    };
    if !early && failed.state.control.ticks > SMALLEST_TICKS {
        return failed.shrink(Cause::Pinch);
    }
    let place = failed.start.x0[conflict.vertex as usize];
    let (span, now, end) = (failed.span(), failed.state.ticks, failed.end);
    if let Some(prescribed) = Prescribed::all(failed.model).nth(body) {
        let pose = prescribed.pose_at(span.t0_s).unwrap_or(PrescribedPose::Moved(Rigid::default()));
        let aim = prescribed.aim(&failed.state.present(), span.t1_s);
        let waiting = Waiting::new([pose, aim], place, (now, span.t0_s), end);
        failed.state.waiting[body] = Some(waiting);
    }
    failed.enlarge();
    true
}

/// Makes those `bodies` go on waiting that are behind and moved in the attempt that `failed`.
/// False if there are none.
fn stop_behind(failed: &mut Failed, bodies: &[usize]) -> bool {
    let prescribed = Vec::from_iter(Prescribed::all(failed.model));
    let (span, end) = (failed.span(), failed.end);
    let mut stopped = false;
    for &body in bodies {
        let Some(mut waiting) = failed.state.waiting[body] else { continue };
        if matches!(failed.start.courses[body], Course::GoesBack(..)) {
            waiting.retreat.corner(end);
        } else {
            let at = failed.state.present();
            waiting = prescribed[body].waits_on(&waiting, &at, &span, end);
        }
        (failed.state.waiting[body], stopped) = (Some(waiting), true);
    }
    stopped
}

/// The cause and the remedy of a conflict, for an error.
pub(super) fn pinch_error(failed: &Failed, conflict: &Conflict) -> (String, String) {
    let (model, span) = (failed.model, failed.span());
    let names = |bodies: Vec<usize>| {
        let names = bodies.iter().map(|&body| model.prescribed_name(body));
        Vec::from_iter(names).join(", ")
    };
    let [x, y, z] = failed.start.x0[conflict.vertex as usize].into();
    let all = failed.bodies_of(conflict.prescribed.iter());
    let mut surfaces = model.surfaces.list.iter();
    let surface = surfaces.position(|it| it.vertices().contains(&(conflict.vertex as usize)));
    let name = surface.and_then(|surface| model.names.get(surface));
    let cause = format!(
        "no room for `{}` at ({x:.4}, {y:.4}, {z:.4}) m ({:.6} s) {} {}, even at a step of \
         {:.2e} s",
        name.map_or("", String::as_str),
        span.t0_s,
        if all.len() == 1 { "beside" } else { "between" },
        names(all),
        span.duration_s,
    );
    let moving = failed.pushing(conflict);
    let remedy = match (moving.is_empty(), model.settings.contact.on_pinch) {
        (false, OnPinch::Stop) => format!(
            "change the motion of {0} there, or let it wait with contact.on_pinch: Hold",
            names(moving)
        ),
        _ => "give them more room, or raise steps_per_frame".to_owned(),
    };
    (cause, remedy)
}

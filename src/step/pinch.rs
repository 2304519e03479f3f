//! What a step does about a pinch: who waits, and who is named.

use crate::bodies::cloth::pins::PinGroup;
use crate::contact::fail_safe::Conflict;
use crate::contact::settings::OnPinch;
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::control::Cause;
use crate::step::model::Model;
use crate::step::simulation::Simulation;
use crate::step::span::Span;
use crate::step::trouble::Trouble;
use crate::step::waiting::{Course, Prescribed, Waiting};

/// The smallest step that is tried before a body waits that was on time, ticks. Larger ones make
/// bodies wait that would find room in smaller steps; smaller ones cost solves. The scenes
/// `pinch.ron` and `press.ron` decided it (docs/methods.md, section 8).
pub(super) const SMALLEST_TICKS: u64 = TICKS_PER_STEP / 16;

/// A prescribed body that is behind its motion because it had no room.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingBody {
    /// Its name: that of an obstacle, or which pins of which cloth.
    pub name: String,
    /// When it had no room first, s.
    pub since_s: f64,
    /// How far its furthest vertex is from its prescribed place, m.
    pub behind_m: f64,
    /// Where it had no room first, m.
    pub place: Vec3,
}

impl Model {
    /// The name of a prescribed body: obstacles are numbered first, then groups of pins.
    pub(super) fn prescribed_name(&self, number: usize) -> String {
        let Some(group) = number.checked_sub(self.obstacles.len()) else {
            return format!("`{}`", self.obstacles[number].name);
        };
        let cloth_of = |group: usize| {
            let first = self.cloth.pins.groups[group].vertices.first();
            first.map(|&vertex| self.cloth_ends.partition_point(|&end| end <= vertex))
        };
        let cloth = cloth_of(group);
        let place = (0..group).filter(|&before| cloth_of(before) == cloth).count();
        let name = cloth.and_then(|cloth| self.names.get(cloth));
        format!("pins[{place}] of `{}`", name.map_or("", String::as_str))
    }

    /// The number of the prescribed body that a prescribed vertex belongs to at `time_s` (s).
    pub(super) fn prescribed_body(&self, vertex: VertexId, time_s: f64) -> Option<usize> {
        if vertex as usize >= self.numbering.free_vertices() {
            return self.obstacle_of(vertex);
        }
        let holds = |pins: &PinGroup| pins.is_active(time_s) && pins.vertices.contains(&vertex);
        let group = self.cloth.pins.groups.iter().position(holds);
        group.map(|group| self.obstacles.len() + group)
    }
}

impl Simulation<'_> {
    /// Bodies that are behind their motion now: obstacles, then pins.
    pub fn waiting(&self) -> Vec<WaitingBody> {
        let (state, model) = (&self.state, &self.model);
        let bodies = Prescribed::all(model).zip(&state.waiting).enumerate();
        let behind = bodies.filter_map(|(number, (body, waiting))| {
            let waiting = waiting.as_ref()?;
            Some(WaitingBody {
                name: model.prescribed_name(number),
                since_s: model.clock.seconds(waiting.since_ticks),
                behind_m: body.behind_m(waiting, state, self.time_s()),
                place: waiting.place,
            })
        });
        behind.collect()
    }

    /// Prepares another attempt after `trouble`, in a whole step that ends at `end` (ticks): a
    /// smaller one, or one in which some prescribed bodies wait. False if there is none.
    pub(super) fn recover(&mut self, trouble: &Trouble, end: u64) -> bool {
        let (settings, now) = (&self.model.settings.contact, self.state.ticks);
        let (conflict, early) = match trouble {
            Trouble::Pinched(conflict) => (conflict, false),
            Trouble::Squeezed(conflict) => (conflict, true),
            _ => {
                let is_fast = *trouble == Trouble::Fast;
                return self.shrink(if is_fast { Cause::Speed } else { Cause::Failure });
            }
        };
        if settings.on_pinch == OnPinch::Stop {
            return self.shrink(Cause::Pinch);
        }
        // 1. Cloth passes one of the surfaces that overlap, if the scene allows it.
        if self.drop_pinched(conflict) {
            self.state.control.enlarge(now, end);
            return true;
        }
        let bodies = self.pinching(conflict);
        let span = Span::new(&self.model.clock, &self.state, self.state.control.ticks);
        // 2. Bodies that were behind and moved: they wait on.
        let stopped = self.stop_behind(&bodies, &span, end);
        // 3. Bodies that wait go back for those that arrive.
        if self.make_way(&bodies, conflict, &span, end) || stopped {
            return true;
        }
        // 4. Bodies that are on time: smaller steps may suffice, but not if the room itself becomes
        // too small. If they don't, the fastest body waits.
        let fastest = |body: &&usize| (self.speed_in(conflict, **body, &span).to_bits(), **body);
        let Some(&body) = bodies.iter().max_by_key(fastest) else {
            return self.shrink(Cause::Pinch);
        };
        if !early && self.state.control.ticks > SMALLEST_TICKS {
            return self.shrink(Cause::Pinch);
        }
        let place = self.stages.motion.x0[conflict.vertex as usize];
        if let Some(prescribed) = Prescribed::all(&self.model).nth(body) {
            let pose = prescribed.pose_at(span.t0_s).unwrap_or_default();
            let aim = prescribed.aim(&self.state, span.t1_s);
            let waiting = Waiting::new([pose, aim], place, (now, span.t0_s), end);
            self.state.waiting[body] = Some(waiting);
        }
        self.state.control.enlarge(now, end);
        true
    }

    /// Makes the next attempt smaller. False if it is the smallest already.
    fn shrink(&mut self, cause: Cause) -> bool {
        self.state.control.shrink(&self.model.settings.solver, cause)
    }

    /// Those of `bodies` that are behind and moved in the failed attempt at `span` wait on, in a
    /// whole step that ends at `end` (ticks). False if there is none.
    fn stop_behind(&mut self, bodies: &[usize], span: &Span, end: u64) -> bool {
        let prescribed = Vec::from_iter(Prescribed::all(&self.model));
        let mut stopped = false;
        for &body in bodies {
            let Some(mut waiting) = self.state.waiting[body] else { continue };
            if matches!(self.stages.motion.courses[body], Course::GoesBack(..)) {
                waiting.retreat.corner(end);
            } else {
                waiting = prescribed[body].waits_on(&waiting, &self.state, span, end);
            }
            (self.state.waiting[body], stopped) = (Some(waiting), true);
        }
        stopped
    }

    /// The prescribed bodies that push in `conflict` and moved in the failed attempt, rising.
    fn pinching(&self, conflict: &Conflict) -> Vec<usize> {
        let motion = &self.stages.motion;
        let moves = |vertex: &&VertexId| {
            let vertex = **vertex as usize;
            motion.x0[vertex] != motion.predicted[vertex]
        };
        self.bodies_of(conflict.pushing.iter().filter(moves))
    }

    /// What a conflict says, and what to do, for an error. The size of the smallest step is
    /// `size_s` (s).
    pub(super) fn pinch_error(&self, conflict: &Conflict, size_s: f64) -> (String, String) {
        let names = |bodies: Vec<usize>| {
            let names = bodies.iter().map(|&body| self.model.prescribed_name(body));
            Vec::from_iter(names).join(", ")
        };
        let [x, y, z] = self.stages.motion.x0[conflict.vertex as usize].into();
        let all = self.bodies_of(conflict.prescribed.iter());
        let surface = self
            .model
            .surfaces
            .list
            .iter()
            .position(|surface| surface.vertices().contains(&(conflict.vertex as usize)));
        let name = surface.and_then(|surface| self.model.names.get(surface));
        let cause = format!(
            "no room for `{}` at ({x:.4}, {y:.4}, {z:.4}) m ({:.6} s) between {}, even at a step of \
             {size_s:.2e} s",
            name.map_or("", String::as_str),
            self.time_s(),
            names(all),
        );
        let moving = self.pinching(conflict);
        let remedy = match (moving.is_empty(), self.model.settings.contact.on_pinch) {
            (false, OnPinch::Stop) => format!(
                "change the motion of {0} there, or let it wait with contact.on_pinch: Hold",
                names(moving)
            ),
            _ => "give them more room, or raise steps_per_frame".to_owned(),
        };
        (cause, remedy)
    }

    /// The prescribed bodies that prescribed `vertices` belong to, rising.
    pub(super) fn bodies_of<'a>(&self, vertices: impl Iterator<Item = &'a VertexId>) -> Vec<usize> {
        let (model, now_s) = (&self.model, self.time_s());
        let mut bodies: Vec<usize> =
            vertices.filter_map(|&vertex| model.prescribed_body(vertex, now_s)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }
}

//! Prescribed bodies that are behind their motion because they had no room.
//!
//! Such a body stands still, while time and all other bodies go on. Then it tries to catch up: in
//! each step it moves towards its prescribed place, by a bounded distance. A surface that deforms has
//! a clock of its own instead, which goes at most twice as fast as time. After a try that finds
//! no room it stands still for longer, and its next try is shorter, until its motion comes back
//! past it. When another body arrives, the body goes back the way it came (`recover::retreat`). When it
//! has reached its prescribed place, it is no longer behind (docs/methods.md, section 8).

use std::iter::zip;

use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::time::clock::{Span, TICKS_PER_STEP};
use cloth_bodies::bodies::cloth::pins::{Captured, PinGroup};
use cloth_bodies::bodies::prescribed::{ObstacleSetup, PrescribedPose, Rigid};
use cloth_core::math::Vec3;

/// In a step, a body that is behind moves at most this many times the distance of its prescribed
/// motion, plus the distance at [`SPEED_M_PER_S`].
const OWN_SPEEDS: f64 = 2.0;

/// Speed that a body which is behind may have in addition, m/s. It is the push-out speed of
/// contacts (docs/methods.md, section 8), so that contacts can give way.
const SPEED_M_PER_S: f64 = 0.2;

/// Number of failed tries that each make the next try shorter and the time before it longer.
/// Further failures change nothing.
pub(crate) const MOST_FAILURES: u32 = 6;

/// The longest time between two tries, whole steps. In a long pinch each try costs one solve in
/// vain. `tests/scenes/press.ron` decided it: with 1, 2, 4, 8 and 16 steps it needs 152, 129, 119,
/// 115 and 114 solves.
pub(crate) const LONGEST_PAUSE: u64 = 8;

/// The fraction of its speed that a body that goes back keeps from one whole step to the next. It
/// does not stop at once, because the other body usually still comes nearer.
const KEPT_SPEED: f64 = 0.75;

/// A body that goes back more slowly than this stands still, m/s.
const LEAST_SPEED: f64 = 1e-3;

/// How a body that waits goes back. Part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Retreat {
    /// It goes towards its prescribed place at this earlier time, s.
    pub to_s: f64,
    /// The speed of its furthest vertex, m/s. If 0, it does not go back.
    pub speed: f64,
    /// Until this time it does not go back, because it had no room on its way, ticks.
    pub cornered_ticks: u64,
}

impl Retreat {
    /// It finds no room on its way back, and stands still until `end` (ticks).
    pub(crate) fn corner(&mut self, end: u64) {
        (self.speed, self.cornered_ticks) = (0.0, end);
    }

    /// Reduces the speed after a whole step.
    pub(super) fn slow_down(&mut self) {
        self.speed *= KEPT_SPEED;
        if self.speed < LEAST_SPEED {
            self.speed = 0.0;
        }
    }
}

/// A prescribed body that is behind its motion. Part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// Where it is on its way. Not used for handles, whose vertices tell where they are.
    pub pose: PrescribedPose,
    /// Its prescribed motion when it last found no room. For a handle it is the mean way of its
    /// vertices, as a translation.
    pub aim: PrescribedPose,
    /// When it first had no room, ticks.
    pub since_ticks: u64,
    /// It stands still until this time, ticks.
    pub until_ticks: u64,
    /// Failed tries to catch up. A whole step that ends with a successful try takes one off.
    pub failures: u32,
    /// How far a handle was led in the last step, m.
    pub led_m: f64,
    /// Where it first had no room, m.
    pub place: Vec3,
    /// How it goes back for others.
    pub retreat: Retreat,
}

impl Waiting {
    /// A body at `pose` that should go to `aim` has no room at `place` (m). The step starts at
    /// `now` (ticks), which is `to_s` in seconds. The body stands still until `end` (ticks), the
    /// end of the whole step.
    pub(crate) fn new(
        [pose, aim]: [PrescribedPose; 2],
        place: Vec3,
        (now, to_s): (u64, f64),
        end: u64,
    ) -> Self {
        let retreat = Retreat { to_s, speed: 0.0, cornered_ticks: 0 };
        let (failures, led_m) = (0, 0.0);
        Self { pose, aim, since_ticks: now, until_ticks: end, failures, led_m, place, retreat }
    }
}

/// The parts of the state that, with their motions, locate prescribed bodies.
#[derive(Clone, Copy)]
pub(crate) struct Present<'a> {
    /// Time, ticks.
    pub ticks: u64,
    /// Positions of all cloth vertices, m.
    pub positions: &'a [Vec3],
    /// Where pinned vertices took hold, m.
    pub captured: &'a Captured,
}

/// Where a prescribed body ends a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Course {
    /// Where its motion, or its handle, prescribes.
    OnTime,
    /// At its present pose.
    Stands(PrescribedPose),
    /// At this pose, behind its motion.
    CatchesUp(PrescribedPose),
    /// At this pose, further back, on its way to its prescribed place at this earlier time (s).
    GoesBack(PrescribedPose, f64),
    /// Its vertices go this share of the way to where the handle leads them.
    Follows(f64),
}

impl Course {
    /// The pose in which it ends the step, if it is behind its motion.
    pub fn pose(&self) -> Option<PrescribedPose> {
        match *self {
            Self::Stands(pose) | Self::CatchesUp(pose) | Self::GoesBack(pose, _) => Some(pose),
            Self::OnTime | Self::Follows(_) => None,
        }
    }
}

/// A prescribed body: obstacles are numbered first, then groups of pins.
#[derive(Clone, Copy)]
pub(crate) enum Prescribed<'m> {
    Obstacle(&'m ObstacleSetup),
    /// Its number among the groups, and itself.
    Pins(usize, &'m PinGroup),
}

impl<'m> Prescribed<'m> {
    /// All prescribed bodies, by rising number.
    pub fn all(model: &'m Model) -> impl Iterator<Item = Self> {
        let pins = model.cloth.pins.groups.iter().enumerate();
        let obstacles = model.obstacles.iter().map(Self::Obstacle);
        obstacles.chain(pins.map(|(group, pins)| Self::Pins(group, pins)))
    }

    /// Where its motion has it at `time_s` (s). None without a motion of its own.
    pub fn pose_at(&self, time_s: f64) -> Option<PrescribedPose> {
        match self {
            Self::Obstacle(obstacle) => obstacle.pose_at(time_s),
            Self::Pins(_, pins) => pins.pose_at(time_s).map(PrescribedPose::Moved),
        }
    }

    /// How it ends the step of `span`.
    pub fn course(&self, waiting: Option<&Waiting>, at: &Present, span: &Span) -> Course {
        let let_go = matches!(self, Self::Pins(_, pins) if !pins.is_active(span.t0_s));
        let Some(waiting) = waiting.filter(|_| !let_go) else { return Course::OnTime };
        if let Some((pose, to_s)) = self.way_back(waiting, at, span) {
            return Course::GoesBack(pose, to_s);
        }
        let poses = self.pose_at(span.t0_s).zip(self.pose_at(span.t1_s));
        let turned = self.has_turned(waiting, &self.aim(at, span.t1_s), at);
        if at.ticks < waiting.until_ticks && !turned {
            return Course::Stands(waiting.pose);
        }
        let part = span.ticks as f64 / TICKS_PER_STEP as f64;
        let own_m = match &poses {
            Some((start, end)) => self.furthest_m(at, start, end),
            None => waiting.led_m * part,
        };
        let divisor = if turned { 1.0 } else { f64::from(1_u32 << waiting.failures) };
        let reach_m = (OWN_SPEEDS * own_m + SPEED_M_PER_S * span.duration_s) / divisor;
        let share = reach_m / self.behind_m(waiting, at, span.t1_s);
        match poses {
            Some((_, PrescribedPose::Sampled(end_s))) if share < 1.0 => {
                let PrescribedPose::Sampled(clock_s) = waiting.pose else { return Course::OnTime };
                let on_s = clock_s + OWN_SPEEDS * span.duration_s / divisor;
                Course::CatchesUp(PrescribedPose::Sampled(on_s.min(end_s)))
            }
            Some((_, end)) if share < 1.0 => {
                Course::CatchesUp(self.part_of_way(at, [&waiting.pose, &end], share))
            }
            None if share < 1.0 => Course::Follows(share),
            _ => Course::OnTime,
        }
    }

    /// The new `waiting` after a try in the step of `span` that found no room. The body stands
    /// still until `end` (ticks), the end of the whole step. After the first, second, third and
    /// each further failure it stands still for 0, 1, 3 and 7 more whole steps. The count begins
    /// again if its motion has come back past it.
    pub fn waits_on(&self, waiting: &Waiting, at: &Present, span: &Span, end: u64) -> Waiting {
        let aim = self.aim(at, span.t1_s);
        let failures = if self.has_turned(waiting, &aim, at) { 0 } else { waiting.failures };
        let pause = (1 << failures).min(LONGEST_PAUSE) - 1;
        let until_ticks = end + pause * TICKS_PER_STEP;
        Waiting { aim, until_ticks, failures: MOST_FAILURES.min(failures + 1), ..*waiting }
    }

    /// Its prescribed motion at `time_s` (s), as in [`Waiting::aim`].
    pub fn aim(&self, at: &Present, time_s: f64) -> PrescribedPose {
        let translation = match self {
            Self::Pins(group, pins) if pins.motion.is_none() => {
                let ways = pins.vertices.iter().zip(&at.captured[*group]);
                let ways = ways.map(|(&vertex, to)| to - at.positions[vertex as usize]);
                ways.sum::<Vec3>() / pins.vertices.len().max(1) as f64
            }
            _ => Vec3::zeros(),
        };
        let moved = PrescribedPose::Moved(Rigid { translation, ..Rigid::default() });
        self.pose_at(time_s).unwrap_or(moved)
    }

    /// Whether its motion, which ends the step at `aim`, has come back past it since it last found
    /// no room.
    fn has_turned(&self, waiting: &Waiting, aim: &PrescribedPose, at: &Present) -> bool {
        if let (
            Self::Pins(_, PinGroup { motion: None, .. }),
            PrescribedPose::Moved(first),
            PrescribedPose::Moved(now),
        ) = (self, waiting.aim, aim)
        {
            return first.translation.dot(&now.translation) <= 0.0;
        }
        let [place, first, now] =
            [&waiting.pose, &waiting.aim, aim].map(|pose| self.places(at, pose));
        let ways =
            zip(place, zip(first, now)).map(|(at, (first, now))| (first - at).dot(&(now - at)));
        ways.sum::<f64>() <= 0.0
    }

    /// How far its furthest vertex is from its prescribed place at `time_s`
    /// (s), m.
    pub fn behind_m(&self, waiting: &Waiting, at: &Present, time_s: f64) -> f64 {
        match (self.pose_at(time_s), self) {
            (Some(to), _) => self.way_m(waiting, &to, at),
            (None, Self::Pins(group, pins)) => {
                let ways = pins.vertices.iter().zip(&at.captured[*group]);
                let ways = ways.map(|(&v, to)| (to - at.positions[v as usize]).norm());
                ways.fold(0.0, f64::max)
            }
            (None, Self::Obstacle(_)) => 0.0,
        }
    }

    /// How far its furthest vertex is from its place in the pose `to`, m.
    pub(crate) fn way_m(&self, waiting: &Waiting, to: &PrescribedPose, at: &Present) -> f64 {
        self.furthest_m(at, &waiting.pose, to)
    }

    /// Whether it has a motion and is not at the start of that motion.
    pub fn can_go_back(&self, waiting: &Waiting, at: &Present) -> bool {
        self.pose_at(0.0).is_some_and(|start| self.way_m(waiting, &start, at) > 0.0)
    }

    /// The pose in which a body that goes back ends the step of `span`, and the earlier time (s)
    /// of its motion that it goes towards. None if it does not go back, has no motion, or is back
    /// at its start.
    fn way_back(
        &self,
        waiting: &Waiting,
        at: &Present,
        span: &Span,
    ) -> Option<(PrescribedPose, f64)> {
        let reach_m = waiting.retreat.speed * span.duration_s;
        if reach_m == 0.0 || at.ticks < waiting.retreat.cornered_ticks {
            return None;
        }
        let mut to_s = waiting.retreat.to_s;
        loop {
            let to = self.pose_at(to_s)?;
            let way_m = self.way_m(waiting, &to, at);
            if way_m >= reach_m || (to_s <= 0.0 && way_m > 0.0) {
                let share = f64::min(reach_m / way_m, 1.0);
                return Some((self.part_of_way(at, [&waiting.pose, &to], share), to_s));
            }
            if to_s <= 0.0 {
                return None;
            }
            let step_s = span.duration_s * (TICKS_PER_STEP as f64 / span.ticks as f64);
            to_s = f64::max(to_s - step_s, 0.0);
        }
    }

    /// Its positions before any motion, m.
    fn unmoved<'a>(&self, at: &Present<'a>) -> Box<dyn Iterator<Item = Vec3> + 'a>
    where
        'm: 'a,
    {
        match *self {
            Self::Obstacle(obstacle) => Box::new(obstacle.placed()),
            Self::Pins(group, _) => Box::new(at.captured[group].iter().copied()),
        }
    }

    /// Its positions in `pose`, m.
    fn places(&self, at: &Present, pose: &PrescribedPose) -> Vec<Vec3> {
        match (*self, pose) {
            (Self::Obstacle(obstacle), _) => {
                let mut places = vec![Vec3::zeros(); obstacle.shape.len()];
                obstacle.positions_in(Some(pose), &mut places);
                places
            }
            (Self::Pins(group, _), PrescribedPose::Moved(rigid)) => {
                at.captured[group].iter().map(|&x| rigid.apply(x)).collect()
            }
            (Self::Pins(group, _), PrescribedPose::Sampled(_)) => at.captured[group].clone(),
        }
    }

    /// How far its furthest vertex goes from one pose to another, m.
    fn furthest_m(&self, at: &Present, from: &PrescribedPose, to: &PrescribedPose) -> f64 {
        let ways = zip(self.places(at, from), self.places(at, to));
        ways.map(|(from, to)| (to - from).norm()).fold(0.0, f64::max)
    }

    /// A `share` of the way from one pose to another.
    fn part_of_way(
        &self,
        at: &Present,
        [from, to]: [&PrescribedPose; 2],
        share: f64,
    ) -> PrescribedPose {
        match (from, to) {
            (PrescribedPose::Moved(from), PrescribedPose::Moved(to)) => {
                PrescribedPose::Moved(from.towards(to, share, self.center(at)))
            }
            (PrescribedPose::Sampled(from_s), PrescribedPose::Sampled(to_s)) => {
                PrescribedPose::Sampled(from_s + (to_s - from_s) * share)
            }
            // A body has poses of one kind.
            _ => *to,
        }
    }

    /// The mean of its vertices before any motion, m.
    pub(crate) fn center(&self, at: &Present) -> Vec3 {
        let count = self.unmoved(at).count().max(1);
        self.unmoved(at).sum::<Vec3>() / count as f64
    }
}

/// Updates the bodies that are behind after a step, by their `courses`. `whole` tells whether a
/// whole step ends.
pub(crate) fn advance(waiting: &mut [Option<Waiting>], courses: &[Course], whole: bool) {
    for (slot, course) in waiting.iter_mut().zip(courses) {
        match (slot.as_mut(), course) {
            (_, Course::OnTime) => *slot = None,
            (Some(waiting), Course::CatchesUp(_) | Course::Follows(_)) => {
                if let Course::CatchesUp(pose) = course {
                    waiting.pose = *pose;
                }
                waiting.failures = waiting.failures.saturating_sub(u32::from(whole));
            }
            (Some(waiting), Course::GoesBack(pose, to_s)) => {
                (waiting.pose, waiting.retreat.to_s) = (*pose, *to_s);
            }
            (_, Course::Stands(_)) | (None, _) => {}
        }
        if let (Some(waiting), true) = (slot, whole) {
            waiting.led_m = 0.0;
            waiting.retreat.slow_down();
        }
    }
}

//! What the line of a frame of cloth in `steps.jsonl` has of its kind.

use cloth_step::StepReport;
use serde::{Deserialize, Serialize};

use crate::observe::{ProcessorUse, Theft};
use crate::program::output::{FramePart, FrameRecord, Kind};

/// Runs of cloth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cloth;

impl Kind for Cloth {
    type Report = StepReport;
    type FramePart = ClothPart;
    type StepPart = Searches;
}

/// The line of a frame of cloth.
pub type ClothFrameRecord = FrameRecord<Cloth>;

/// What happened in the steps that lead to a frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClothPart {
    /// Which processors took tasks from which in these steps.
    pub thefts: Vec<TheftRecord>,
    /// Bodies that were behind their motion in these steps; absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingRecord>,
    /// Obstacles whose skin gave way in these steps; absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yielded: Vec<YieldRecord>,
    /// The largest and the smallest strain of an edge at the frame; absent without edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strain: Option<[StrainRecord; 2]>,
    /// The edge that is crushed most in the plane of the cloth at the frame; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crushed: Option<CrushRecord>,
}

impl FramePart for ClothPart {
    fn followed_by(self, mut rest: Self) -> Self {
        for TheftRecord { rank, theft } in self.thefts {
            let same = |it: &&mut TheftRecord| {
                (it.rank, it.theft.thief, it.theft.victim) == (rank, theft.thief, theft.victim)
            };
            match rest.thefts.iter_mut().find(same) {
                Some(known) => known.theft.tasks += theft.tasks,
                None => rest.thefts.push(TheftRecord { rank, theft }),
            }
        }
        rest.waiting = track(self.waiting, rest.waiting);
        rest.yielded = track(self.yielded, rest.yielded);
        rest
    }
}

/// The record of an object over some steps, in which prescribed motion left no room.
pub trait Tracked: Sized {
    /// The name of the object.
    fn name(&self) -> &str;

    /// The largest extent after a step: a length (m), or a number of vertices.
    fn largest(&self) -> f64;

    /// Adds the record of the same object over the steps that follow.
    fn add(&mut self, next: Self);

    /// Notes that the object has room again.
    fn end(&mut self);
}

/// The records of `first`, each joined with that of the same object in `next`, then the others of
/// `next`. An object that has no record there has room again.
pub fn track<T: Tracked>(mut first: Vec<T>, next: impl IntoIterator<Item = T>) -> Vec<T> {
    first.iter_mut().for_each(T::end);
    for record in next {
        match first.iter_mut().find(|known| known.name() == record.name()) {
            Some(known) => known.add(record),
            None => first.push(record),
        }
    }
    first
}

impl Tracked for WaitingRecord {
    fn name(&self) -> &str {
        &self.body
    }

    fn largest(&self) -> f64 {
        self.largest_behind_m
    }

    fn add(&mut self, next: Self) {
        self.steps += next.steps;
        self.largest_behind_m = self.largest_behind_m.max(next.largest_behind_m);
        self.behind_m = next.behind_m;
    }

    fn end(&mut self) {
        self.behind_m = 0.0;
    }
}

impl Tracked for YieldRecord {
    fn name(&self) -> &str {
        &self.obstacle
    }

    fn largest(&self) -> f64 {
        self.largest_offset_m
    }

    fn add(&mut self, next: Self) {
        self.steps += next.steps;
        self.largest_offset_m = self.largest_offset_m.max(next.largest_offset_m);
        self.largest = self.largest.max(next.largest);
        (self.offset_m, self.vertices) = (next.offset_m, next.vertices);
    }

    fn end(&mut self) {
        (self.offset_m, self.vertices) = (0.0, 0);
    }
}

/// The strain of an edge at a frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StrainRecord {
    /// Length over rest length, minus 1.
    pub strain: f64,
    /// The middle of the edge, m.
    pub at_m: [f64; 3],
}

/// An edge of cloth that is crushed in its plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrushRecord {
    /// The name of the cloth.
    pub cloth: String,
    /// The edge.
    #[serde(flatten)]
    pub edge: StrainRecord,
}

/// A prescribed body that was behind its motion since the previous frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitingRecord {
    /// Its name: that of an obstacle, or which pins of which cloth.
    pub body: String,
    /// Whole steps after which it was behind.
    pub steps: u64,
    /// The furthest that one of its vertices was from its prescribed place after a step, m.
    pub largest_behind_m: f64,
    /// The distance at the frame, m; 0 if the body is no longer behind.
    pub behind_m: f64,
}

/// An obstacle whose skin gave way since the previous frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct YieldRecord {
    /// Its name.
    pub obstacle: String,
    /// Whole steps after which vertices of it were released.
    pub steps: u64,
    /// The furthest that one of them was from its place in the animation after a step, m.
    pub largest_offset_m: f64,
    /// The distance at the frame, m; 0 if all are back.
    pub offset_m: f64,
    /// The largest number of released vertices after a step.
    pub largest: u64,
    /// Their number at the frame.
    pub vertices: u64,
}

/// The searches of a step on one rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Searches {
    /// The test part of the step, s: the sum of its searches, each until its slowest rank was done.
    /// All ranks have the same sum.
    pub test_part_s: f64,
    /// How each thread of the rank spent the test parts.
    pub processors: Vec<ProcessorUse>,
}

/// Tasks that processors of a rank took from others between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TheftRecord {
    /// The rank of the thief.
    pub rank: usize,
    /// Thief, victim, and number of tasks.
    #[serde(flatten)]
    pub theft: Theft,
}

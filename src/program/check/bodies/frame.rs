//! What is known of one frame of bodies, and what the run has recorded about it.

use std::collections::BTreeMap;
use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::ranks::in_process;
use cloth_rigid::body::{Body, BodyId};
use cloth_rigid::simulation::overlap::Overlap;
use cloth_rigid::{FrameBody, RigidSimulation};
use serde::Deserialize;

use crate::engine::Frame;
use crate::program::check::bodies::{BodyRun, Energy, Expected, JointCheck, OfBody, Wrong};
use crate::program::check::{Measure, Measured, Record};
use crate::program::output::steps_jsonl;
use crate::program::words::plural;

/// What is known of a frame.
#[derive(Debug, Default)]
pub struct BodyFacts {
    /// Time of the frame, s.
    pub time_s: f64,
    /// Number of free bodies in it, each counted once.
    pub bodies: u64,
    /// All bodies in it, rising, each once.
    pub ids: Vec<BodyId>,
    /// Bodies that are not as the scene has them.
    pub wrong: BTreeMap<Wrong, Found>,
    /// How far joints are open.
    pub joints: JointCheck,
    /// The energy of each sound body, by rising id.
    pub energies: Vec<OfBody>,
    /// None if the model refuses the bodies.
    pub whole: Option<WholeFrame>,
}

/// What is known only from a simulation of all bodies.
#[derive(Debug, Clone, Copy)]
pub struct WholeFrame {
    /// The deepest overlap, as a share of the smaller body. None if no bodies touch.
    pub overlap: Option<Overlap>,
    /// Hash of the bits of all bodies.
    pub bodies_hash: u64,
    /// The energy of all bodies and springs.
    pub energy: Energy,
}

/// Some bodies: how many, and the first few.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// How many.
    pub count: u64,
    /// The lowest ids.
    pub first: Vec<BodyId>,
}

/// How many bodies are listed.
const FIRST: usize = 5;

impl Found {
    /// Adds a body.
    pub fn add(&mut self, id: BodyId) {
        self.count += 1;
        if self.first.len() < FIRST {
            self.first.push(id);
        }
    }

    /// The ids of `these` that are not in `others`. Both are rising.
    pub fn missing(these: &[BodyId], others: &[BodyId]) -> Self {
        let (mut found, mut others) = (Self::default(), others.iter().peekable());
        for &id in these {
            while others.next_if(|&&other| other < id).is_some() {}
            if others.peek() != Some(&&id) {
                found.add(id);
            }
        }
        found
    }
}

/// A run of bodies whose frames are measured.
pub struct BodyCheck {
    /// The run.
    pub run: BodyRun,
    /// What it has recorded.
    pub recorded: Recorded,
    /// Number of threads.
    pub threads: usize,
}

impl Measure for BodyCheck {
    type Known = BodyFacts;
    const AT_ONCE: usize = 1;

    fn record(&self) -> &Record {
        &self.run.record
    }

    fn title(&self) -> String {
        let BodyRun { record, setup, .. } = &self.run;
        format!(
            "{}: {}, {}, {} fixed; overlap against half of the smaller body's width",
            record.scene.name,
            plural(record.frames.clone().count(), "frame"),
            plural(setup.body_count() as usize, "body"),
            setup.fixed.bodies().len(),
        )
    }

    fn measure(&self, number: u64) -> Measured<BodyFacts> {
        let (mut known, mut fault) = (None, None);
        match self.run.source.frame(number) {
            Err(cause) => fault = Some(cause),
            Ok(mut frame) => {
                frame.bodies.sort_by_key(|row| row.id);
                let (mut facts, sound) = BodyFacts::new(&self.run, &frame);
                match whole(self, &facts, sound) {
                    Ok(whole) => facts.whole = Some(whole),
                    Err(error) => fault = error.to_string().lines().next().map(str::to_owned),
                }
                known = Some(facts);
            }
        }
        let time_s = known.as_ref().map_or(0.0, |facts| facts.time_s);
        let is_complete = self.run.record.unfinished.is_none();
        fault = fault.or_else(|| self.recorded.fault_of(number, time_s, is_complete));
        Measured { known, fault }
    }
}

impl BodyFacts {
    /// What the rows of `frame` say, and the bodies that the model takes.
    fn new(run: &BodyRun, frame: &Frame) -> (Self, Vec<Body>) {
        let mut facts = Self { time_s: frame.time_s, ..Self::default() };
        let mut sound = Vec::new();
        for row in &frame.bodies {
            let expected = run.expected(row.id);
            if expected == Expected::Absent || (expected == Expected::Free) != (row.fixed == 0) {
                facts.note(Wrong::Unknown, row.id);
            } else if facts.ids.last() == Some(&row.id) {
                facts.note(Wrong::Doubled, row.id);
            } else {
                facts.ids.push(row.id);
                facts.bodies += u64::from(expected == Expected::Free);
                match run.difference(row, frame.time_s) {
                    Some(wrong) => facts.note(wrong, row.id),
                    None if expected == Expected::Free => sound.extend(facts.sound(run, row)),
                    None => {}
                }
            }
        }
        facts.joints = JointCheck::new(run, &sound, frame.time_s);
        facts.energies = OfBody::all(run, &sound);
        (facts, sound)
    }

    fn note(&mut self, wrong: Wrong, id: BodyId) {
        self.wrong.entry(wrong).or_default().add(id);
    }

    /// The body of a row, if the model takes it.
    fn sound(&mut self, run: &BodyRun, row: &FrameBody) -> Option<Body> {
        let length: f64 = row.rotation.iter().map(|x| x * x).sum();
        let is_sound = row.is_finite() && (length - 1.0).abs() < 1e-9 && row.radius() > 0.0;
        let Some(body) = run.body(row).filter(|_| is_sound) else {
            self.note(Wrong::Damaged, row.id);
            return None;
        };
        let domain = &run.setup.domain;
        let (x, low, high) = (&body.state.position, domain.low(), domain.high());
        let is_inside = (0..3).all(|axis| low[axis] <= x[axis] && x[axis] <= high[axis]);
        if !is_inside {
            self.note(Wrong::Outside, row.id);
        }
        is_inside.then_some(body)
    }
}

/// Puts the bodies into a simulation of one rank, and asks it for the deepest overlap and the hash
/// of all bits.
fn whole(check: &BodyCheck, facts: &BodyFacts, bodies: Vec<Body>) -> Result<WholeFrame> {
    let mut energy = OfBody::sum(&facts.energies);
    energy.potential_j += facts.joints.elastic_j;
    let measured = in_process::run(1, |world| {
        let (model, bodies) = (check.run.model.clone(), bodies.iter().copied());
        let mut simulation = RigidSimulation::new(model, vec![0], bodies, world, check.threads)?;
        simulation.set_time(facts.time_s);
        let (overlap, bodies_hash) =
            (simulation.deepest_overlap_now()?, simulation.census()?.states);
        Ok(WholeFrame { overlap, bodies_hash, energy })
    })?;
    measured.into_iter().next().ok_or_else(|| Error::internal("check", "no rank answered"))
}

/// What the run has recorded about its frames.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// By frame number.
    frames: BTreeMap<u64, Line>,
}

/// A line of `steps.jsonl`.
#[derive(Debug, Clone, Deserialize)]
struct Line {
    frame: u64,
    time_s: f64,
    /// How many bodies left the domain since the frame before.
    left: u64,
    bodies_hash: String,
}

impl Recorded {
    /// Reads the record of the run in `folder`. It is empty if there is none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let lines = steps_jsonl::read_if_any::<Line>(folder)?;
        let frames = lines.map(|line| line.map(|line| (line.frame, line)));
        Ok(Self { frames: frames.collect::<Result<_>>()? })
    }

    /// How many bodies left the domain after frame `from` until frame `to`.
    pub fn left(&self, from: u64, to: u64) -> u64 {
        self.frames.values().filter(|it| from < it.frame && it.frame <= to).map(|it| it.left).sum()
    }

    /// What is wrong with what the run says of a frame at `time_s`. A run that `is_complete` has a
    /// line of each frame.
    fn fault_of(&self, frame: u64, time_s: f64, is_complete: bool) -> Option<String> {
        match self.frames.get(&frame) {
            Some(line) if line.time_s != time_s => {
                Some(format!("its time is {time_s} s, but steps.jsonl says {} s", line.time_s))
            }
            None if is_complete => Some("steps.jsonl has no line of this frame".to_owned()),
            _ => None,
        }
    }

    /// Whether a frame has the hash of bodies that the run has recorded, if it has.
    pub fn agrees(&self, frame: u64, bodies_hash: u64) -> bool {
        let recorded = self.frames.get(&frame);
        recorded.is_none_or(|line| line.bodies_hash == format!("{bodies_hash:016x}"))
    }
}

//! The check of one frame of bodies.

use crate::engine::Frame;
use cloth_core::error::{Error, Result};
use cloth_core::ranks::in_process;
use cloth_rigid::RigidSimulation;
use cloth_rigid::body::{Body, BodyId};
use cloth_rigid::simulation::overlap::Overlap;

use crate::program::check::bodies::energy::{Energy, OfBody, Rise, Watch};
use crate::program::check::bodies::folder::{BodyRun, Difference, Expected};
use crate::program::check::bodies::joints::JointCheck;
use cloth_rigid::FrameBody;

/// The findings of one frame.
#[derive(Debug, Clone, Default)]
pub struct BodyCheck {
    /// Its number.
    pub frame: u64,
    /// Why it could not be checked: missing or torn, or bodies that the model refuses.
    pub fault: Option<String>,
    /// Number of free bodies in it, each counted once.
    pub bodies: u64,
    /// Bodies with numbers that no body has: not finite, or no rotation.
    pub damaged: Found,
    /// Bodies with another shape, size, material or group than in the scene.
    pub changed: Found,
    /// Bodies that are not where keyframes put them.
    pub misplaced: Found,
    /// Bodies that are there more than once.
    pub doubled: Found,
    /// Bodies that the scene has not, or that do not belong into a frame.
    pub unknown: Found,
    /// The last frame before it that could be read; 0 if there was none.
    pub after: u64,
    /// Bodies that were in that frame, and are gone. (In frame 0: those of the scene.)
    pub gone: Found,
    /// Bodies that were gone, and are back.
    pub back: Found,
    /// Bodies whose centre is outside the domain.
    pub outside: Found,
    /// The deepest overlap, as a share of the smaller body. None if no bodies touch.
    pub overlap: Option<Overlap>,
    /// How far joints are open.
    pub joints: JointCheck,
    /// Time of the frame, s; 0 if it could not be read.
    pub time_s: f64,
    /// None if the frame could not be checked.
    pub energy: Option<Energy>,
    /// How much this is too high.
    pub rise: Option<Rise>,
    /// Hash of the bits of all bodies.
    pub bodies_hash: u64,
}

/// What is known of the frames before.
pub struct Before {
    /// The number of the last one that could be read.
    pub frame: u64,
    /// Its bodies, rising. Before frame 0 they are those of the scene, and before the first frame of
    /// a run that begins with a frame of another they are not known.
    pub ids: Option<Vec<BodyId>>,
    /// Of their energy. None if something else adds energy to the scene.
    pub watch: Option<Watch>,
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
    fn add(&mut self, id: BodyId) {
        self.count += 1;
        if self.first.len() < FIRST {
            self.first.push(id);
        }
    }

    /// The ids of `these` that are not in `others`. Both are rising.
    fn missing(these: &[BodyId], others: &[BodyId]) -> Self {
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

impl BodyCheck {
    /// Whether each body of it is one of the scene, sound, and there once.
    pub fn has_sound_bodies(&self) -> bool {
        let Self { damaged, changed, misplaced, doubled, unknown, back, outside, .. } = self;
        let all = [damaged, changed, misplaced, doubled, unknown, back, outside];
        all.into_iter().all(|found| found.count == 0)
    }

    /// Reads and checks frame `number`. `before` is what the frame before held. It is replaced by
    /// what this one holds, if it can be read.
    pub fn new(run: &BodyRun, number: u64, before: &mut Before, threads: usize) -> Self {
        let mut check = Self { frame: number, after: before.frame, ..Self::default() };
        match read(run, number) {
            Ok(frame) => check.judge(run, &frame, before, threads),
            Err(fault) => check.fault = Some(fault),
        }
        check
    }

    fn judge(&mut self, run: &BodyRun, frame: &Frame, before: &mut Before, threads: usize) {
        self.time_s = frame.time_s;
        let (mut ids, mut sound) = (Vec::new(), Vec::new());
        for row in &frame.bodies {
            let expected = run.expected(row.id);
            if expected == Expected::Absent || (expected == Expected::Free) != (row.fixed == 0) {
                self.unknown.add(row.id);
            } else if ids.last() == Some(&row.id) {
                self.doubled.add(row.id);
            } else {
                ids.push(row.id);
                self.bodies += u64::from(expected == Expected::Free);
                match run.difference(row, frame.time_s) {
                    Some(Difference::Kind) => self.changed.add(row.id),
                    Some(Difference::Place) => self.misplaced.add(row.id),
                    None if expected == Expected::Free => sound.extend(self.sound(run, row)),
                    None => {}
                }
            }
        }
        if let Some(before) = &before.ids {
            self.gone = Found::missing(before, &ids);
            self.back = Found::missing(&ids, before);
        }
        (before.frame, before.ids) = (self.frame, Some(ids));
        self.joints = JointCheck::new(run, &sound, frame.time_s);
        let energies = OfBody::all(run, &sound);
        match measure(run, frame.time_s, sound, threads) {
            Ok((overlap, bodies_hash)) => {
                (self.overlap, self.bodies_hash) = (overlap, bodies_hash);
                let mut energy = OfBody::sum(&energies);
                energy.potential_j += self.joints.elastic_j;
                self.energy = Some(energy);
                // A body that leaves takes its energy along, which may be below 0.
                let watch = before.watch.as_mut();
                let watch = watch.map(|it| if self.gone.count > 0 { it.anew() } else { it });
                self.rise = watch.and_then(|it| it.rise(self.frame, energy, energies));
            }
            Err(error) => {
                self.fault = Some(error.to_string().lines().next().unwrap_or_default().to_owned());
            }
        }
    }

    /// The body of a row, if the model takes it.
    fn sound(&mut self, run: &BodyRun, row: &FrameBody) -> Option<Body> {
        let length: f64 = row.rotation.iter().map(|x| x * x).sum();
        let is_sound = row.is_finite() && (length - 1.0).abs() < 1e-9 && row.radius() > 0.0;
        let Some(body) = run.body(row).filter(|_| is_sound) else {
            self.damaged.add(row.id);
            return None;
        };
        let domain = &run.setup.domain;
        let (x, low, high) = (&body.state.position, domain.low(), domain.high());
        let is_inside = (0..3).all(|axis| low[axis] <= x[axis] && x[axis] <= high[axis]);
        if !is_inside {
            self.outside.add(row.id);
        }
        is_inside.then_some(body)
    }
}

fn read(run: &BodyRun, number: u64) -> std::result::Result<Frame, String> {
    let mut frame = run.source.frame(number)?;
    frame.bodies.sort_by_key(|row| row.id);
    Ok(frame)
}

/// Puts the bodies into a simulation of one rank, and asks it for the deepest overlap and the hash of
/// all bits.
fn measure(
    run: &BodyRun,
    time_s: f64,
    bodies: Vec<Body>,
    threads: usize,
) -> Result<(Option<Overlap>, u64)> {
    let measured = in_process::run(1, |world| {
        let (model, bodies) = (run.model.clone(), bodies.iter().copied());
        let mut simulation = RigidSimulation::new(model, vec![0], bodies, world, threads)?;
        simulation.set_time(time_s);
        Ok((simulation.deepest_overlap_now()?, simulation.census()?.states))
    })?;
    measured.into_iter().next().ok_or_else(|| Error::internal("check", "no rank answered"))
}

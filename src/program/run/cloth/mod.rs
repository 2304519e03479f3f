//! A run of cloth, as a numbered table of contents. What it shares with other runs is beside this
//! folder: above all the loop over frames ([`frames`]) and the run folder.

mod conflicts;
mod details;
mod frame_steps;
pub(super) mod peaks;
mod summary;
mod sums;

pub use self::conflicts::Conflicts;
pub use self::details::Details;
pub use self::frame_steps::StepWatch;
pub use self::peaks::{Crush, StepSizes};

use std::sync::Arc;

use cloth_core::error::Result;
use cloth_core::ranks::World;
use cloth_scene::spec::VertexField;
use cloth_step::{Model, Simulation};

use self::frame_steps::FrameSteps;
use self::sums::ClothSums;
use crate::engine::{Engine, Frame};
use crate::program::output::fields::{scalars, strain};
use crate::program::output::{ClothFrameRecord, RunFolder};
#[cfg(feature = "fault-injection")]
use crate::program::run::fault;
use crate::program::run::{
    ClothContent, Interrupt, Job, Recorder, RunKind, Stage, Stop, checkpoints, frames,
};

/// One rank's whole run. Rank 0 has the run folder. Returns why the run ended early, if it did.
///
/// # Errors
/// Whatever ended the run.
pub fn run_rank(
    job: &Job,
    cloth: &ClothContent,
    world: &dyn World,
    model: &Arc<Model>,
    folder: Option<&RunFolder>,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    // 1. This rank's rows, hierarchies and threads.
    let stage = (world.rank() == 0).then(|| Stage::begin(job.show, "linear system"));
    let mut simulation = Simulation::new(model.clone(), world, job.placement.threads)?;
    drop(stage);
    if let Some(state) = checkpoints::saved_state(job, world, folder)? {
        simulation.restore(&state)?;
        if job.target.origin.is_some() {
            simulation.check_state()?;
        }
        if job.target.has_changed_scene() {
            simulation.measure_energy()?;
        }
    }
    // 2. The run folder, on rank 0.
    let head = frame_steps::head(job, world, model, &simulation)?;
    interrupt.begin_frames();
    let open = |folder| Recorder::of_cloth(job, cloth, folder, model, head);
    let recorder = folder.map(open).transpose()?;
    // 3. The frames.
    let mut run = RankRun { job, cloth, world, simulation, recorder };
    let outcome = frames::compute(&mut run, job, world, interrupt);
    // 4. The end of the run folder, on rank 0: the summary, or the cause of an early end.
    if let Some(recorder) = run.recorder {
        recorder.end(&outcome, model, run.simulation.unwelded())?;
    }
    outcome
}

/// One rank while frames are computed.
struct RankRun<'a> {
    job: &'a Job,
    cloth: &'a ClothContent,
    world: &'a dyn World,
    simulation: Simulation<'a>,
    /// On rank 0 only.
    recorder: Option<Recorder<'a, ClothSums>>,
}

impl<'a> RunKind<'a> for RankRun<'a> {
    type Steps = FrameSteps;
    type Sums = ClothSums;

    fn engine(&self) -> &(impl Engine + ?Sized) {
        &self.simulation
    }

    fn step(&mut self, frame: u64, steps: &mut FrameSteps) -> Result<()> {
        let Self { job, cloth, world, simulation, recorder } = self;
        let step = simulation.steps() + 1;
        #[cfg(feature = "fault-injection")]
        fault::commit(*world, simulation, step)?;
        // 1. The step. Its searches are watched.
        let mut watch = StepWatch::new(cloth, &job.scene, step);
        let report = Engine::step(simulation, &mut watch)?;
        // 2. The test trees, if the user asked for them.
        let trees = watch.take_trees(*world, step, &report)?;
        // 3. Values that rank 0 stores and shows at once.
        let number = simulation.steps();
        if let Some(recorder) = recorder {
            recorder.trees(trees.as_ref())?;
            recorder.step(number, &report);
            recorder.waits(frame, &simulation.waiting());
        }
        // 4. Values that are gathered with the frame.
        steps.add(&report, watch, simulation, number + 1 - step);
        Ok(())
    }

    fn frame(&mut self, frame: u64, mut shown: Frame, steps: &FrameSteps) -> Result<()> {
        // 1. The fields of the frame.
        add_fields(self.job, &self.simulation, &mut shown)?;
        // 2. What all ranks measured in the steps, and the hash of the state.
        let record = steps.gather(frame, self.world, &self.simulation)?;
        // 3. The frame and its record in the run folder.
        if let Some(recorder) = &mut self.recorder {
            recorder.frame(shown, record)?;
        }
        Ok(())
    }

    fn gather(&self, frame: u64, steps: &FrameSteps) -> Result<Option<ClothFrameRecord>> {
        let any = !steps.reports.is_empty();
        any.then(|| steps.gather(frame, self.world, &self.simulation)).transpose()
    }

    fn recorder(&mut self) -> Option<&mut Recorder<'a, ClothSums>> {
        self.recorder.as_mut()
    }
}

/// Adds the fields to `frame`, on rank 0. If no format of the run holds fields, it adds none.
/// Collective.
///
/// # Errors
/// When a rank fails.
fn add_fields(job: &Job, simulation: &Simulation, frame: &mut Frame) -> Result<()> {
    if !job.formats.hold_fields() {
        return Ok(());
    }
    let model = simulation.model();
    for field in &job.scene.output.fields {
        let field = match field {
            VertexField::Strain => {
                strain(&model.edges, &model.rest_lengths, simulation.positions())
            }
            VertexField::Contact => {
                let counts = simulation.contact_counts()?;
                scalars("contact", counts.into_iter().map(f64::from).collect())
            }
            VertexField::Rank => {
                let rank = |vertex| f64::from(simulation.partition().rank_of_vertex(vertex));
                scalars("rank", (0..model.cloth.vertex_count() as u32).map(rank).collect())
            }
        };
        if simulation.rank() == 0 {
            frame.fields.push(field);
        }
    }
    Ok(())
}

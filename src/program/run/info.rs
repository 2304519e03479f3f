//! `cloth-sim info`: what a run will take, from its first steps. Nothing is written.

use std::sync::Arc;
use std::time::Instant;

use cloth_core::error::{Error, Result};
use cloth_core::ranks::{World, in_process};
use cloth_rigid::balance::Balancer;
use cloth_step::{Model, ObjectSize, Simulation};
use serde::Serialize;

use crate::engine::Engine;
use crate::program::cli::{Arguments, InfoArguments};
use crate::program::print;
use crate::program::run::cloth::peaks::contacts_of;
use crate::program::run::scene_notes::{self, lines};
use crate::program::run::{Content, Job, Placement, bodies, memory};
use crate::program::words::{grouped, plural, plural_grouped, significant};

/// Steps are measured for about this time, s.
const MEASURED_S: f64 = 1.0;

/// The mean step of a run takes so many times as long as its first steps where cloth comes to lie
/// on something: 2.1 in `sewing.ron`, 2.6 in `undulated_bar.ron`, 3.0 in `tablecloth.ron`.
const IN_CONTACT: [f64; 2] = [2.0, 3.0];

/// What the first steps of a run took.
struct Measured {
    /// The time before them, s.
    set_up_s: f64,
    /// Their number.
    steps: u64,
    /// Their wall time without the first, which also sets up, s.
    time_s: f64,
    /// The contacts of the last one on this rank.
    contacts: u64,
}

/// What a run will take.
#[derive(Serialize)]
struct Forecast {
    scene: String,
    /// Number of vertices of cloth and obstacles, in a scene of cloth.
    vertices: Option<u64>,
    /// Its objects: cloths, bodies, obstacles.
    objects: Vec<ObjectSize>,
    /// The contact distance of the scene, m.
    distance_m: f64,
    /// Number of bodies, in a scene of bodies alone.
    bodies: Option<u64>,
    frames: u32,
    /// The most that the run may choose, if it chooses its steps.
    steps_per_frame: u32,
    /// Whether the run chooses its steps.
    chooses_steps: bool,
    ranks: usize,
    /// Of each rank.
    threads: usize,
    set_up_s: f64,
    measured_steps: u64,
    /// The contacts of the last step that was measured.
    measured_contacts: u64,
    /// Wall time of a step, s.
    step_s: f64,
    /// Wall time of the run if all steps were like those that were measured, s.
    run_s: f64,
    /// Memory so far, bytes. Not known on every system.
    memory_bytes: Option<f64>,
    /// Whether the scene sews.
    sews: bool,
    /// The warnings with which the run would begin.
    warnings: Vec<String>,
    /// What might be better.
    notes: Vec<String>,
}

/// Computes the first steps of the run of `arguments`, and prints what the whole run will take.
///
/// # Errors
/// Whatever would end the run.
pub fn info(arguments: &InfoArguments) -> Result<()> {
    let Some(forecast) = measured(&arguments.clone().into())? else { return Ok(()) };
    arguments.result.print(&forecast, || forecast.lines().iter().try_for_each(print::line))
}

/// Sets up the run and computes its first steps.
fn measured(arguments: &Arguments) -> Result<Option<Forecast>> {
    let ranks = arguments.computing.ranks.unwrap_or(1) as usize;
    let placement = Placement::in_process(&arguments.computing, ranks)?;
    let mut job = Job::new(arguments, "threads", placement, arguments.computing.show())?;
    let model = job.model(|build| build(ranks))?;
    let all = first_steps(&job, model.as_ref(), ranks)?;
    let Some(&Measured { set_up_s, steps, time_s, .. }) = all.first() else { return Ok(None) };
    let step_s = time_s / (steps.saturating_sub(1)).max(1) as f64;
    let objects = model.as_ref().map(|it| it.object_sizes()).unwrap_or_default();
    let patches = model.as_ref().map(|it| it.partition.patches.len());
    let mut warnings = job.warnings.clone();
    warnings.extend(job.placement.warning(patches));
    let bodies = match &job.content {
        Content::Bodies(setup) => Some(setup.body_count()),
        Content::Cloth(_) => None,
    };
    Ok(Some(Forecast {
        scene: job.scene.name.clone(),
        vertices: model.as_ref().map(|it| it.initial.len() as u64),
        notes: scene_notes::notes(&job, &objects)?,
        objects,
        distance_m: job.scene.contact.distance_m,
        bodies,
        frames: job.scene.frames,
        steps_per_frame: job.scene.steps_per_frame.at_most(),
        chooses_steps: job.scene.steps_per_frame.error_m().is_some(),
        ranks,
        threads: job.placement.threads,
        set_up_s,
        measured_steps: steps,
        measured_contacts: all.iter().map(|it| it.contacts).sum(),
        step_s,
        run_s: set_up_s + step_s * job.scene.steps() as f64,
        memory_bytes: memory::peak(),
        sews: !job.scene.seams.is_empty(),
        warnings,
    }))
}

/// Computes the first steps of `job` on each of its `ranks`.
fn first_steps(job: &Job, model: Option<&Arc<Model>>, ranks: usize) -> Result<Vec<Measured>> {
    let (threads, steps) = (job.placement.threads, job.scene.steps());
    let set_up_s = || job.start.elapsed().as_secs_f64();
    in_process::run(ranks, |world: &dyn World| match (&job.content, model) {
        (Content::Cloth(_), Some(model)) => {
            let mut cloth = Simulation::new(model.clone(), world, threads)?;
            measure(&mut cloth, world, steps, set_up_s(), contacts_of)
        }
        (Content::Bodies(setup), _) => {
            let mut balancer = Balancer::new(setup.repartition())?;
            let mut engine = bodies::engine(setup, world, threads, false, &mut balancer)?;
            measure(&mut *engine, world, steps, set_up_s(), |report| report.contacts)
        }
        (Content::Cloth(_), None) => Err(Error::internal("info", "cloth without a model")),
    })
}

impl Forecast {
    /// The lines for people.
    fn lines(&self) -> Vec<String> {
        let size = match (self.bodies, self.vertices) {
            (Some(bodies), _) => plural_grouped(bodies, "body"),
            (None, vertices) => plural_grouped(vertices.unwrap_or_default(), "vertex"),
        };
        let (ranks, threads) = (plural(self.ranks, "rank"), plural(self.threads, "thread"));
        let most = if self.chooses_steps { "at most " } else { "" };
        let frames = plural(self.frames as usize, "frame");
        let steps_per_frame = plural(self.steps_per_frame as usize, "step");
        let measured = plural(self.measured_steps as usize, "step");
        let steps = grouped(u64::from(self.frames) * u64::from(self.steps_per_frame));
        let contacts = plural_grouped(self.measured_contacts, "contact");
        let step_ms = significant(1e3 * self.step_s);
        let run_s = significant(self.run_s);
        let memory = self.memory_bytes.map(|it| format!("  memory    {:.0} MB so far", 1e-6 * it));
        let head = format!(
            "{}: {size}, {frames} of {most}{steps_per_frame}, {ranks} x {threads}",
            self.scene
        );
        let objects = match self.objects.is_empty() {
            true => Vec::new(),
            false => lines(&self.objects, self.distance_m),
        };
        let times = [
            format!("  set-up    {:.1} s", self.set_up_s),
            format!("  measured  {measured}, {step_ms} ms each, with {contacts} at the end"),
            format!("  run       {run_s} s, if all {steps} were like these"),
        ];
        let notes =
            self.notes.iter().map(|it| format!("  note: {}", it.replace("; ", ";\n        ")));
        let warnings = self.warnings.iter().map(|it| format!("  warning: {it}"));
        let before = [head].into_iter().chain(objects).chain(notes).chain(times);
        before
            .chain(self.in_contact())
            .chain([self.left_out()])
            .chain(memory)
            .chain(warnings)
            .collect()
    }

    /// What the run would take where the first steps have few contacts, but later ones have many.
    fn in_contact(&self) -> Option<String> {
        let is_free = 10 * self.measured_contacts < self.vertices.unwrap_or_default();
        let steps_s = self.run_s - self.set_up_s;
        let run_s = |factor: f64| significant(self.set_up_s + factor * steps_s);
        let [from, to] = IN_CONTACT.map(run_s);
        (is_free || self.sews)
            .then(|| format!("            {from} to {to} s where cloth comes to lie on something"))
    }

    /// What the estimate of the run leaves out.
    fn left_out(&self) -> String {
        let seams = if self.sews { "seams that weld, " } else { "" };
        format!("            left out: contacts to come, {seams}repairs, writing frames")
    }
}

/// Computes steps until enough time has passed, at most `most`. `contacts` are those of a report.
/// Collective.
fn measure<E: Engine + ?Sized>(
    engine: &mut E,
    world: &dyn World,
    most: u64,
    set_up_s: f64,
    contacts: impl Fn(&E::Report) -> u64,
) -> Result<Measured> {
    let (mut start, mut last) = (Instant::now(), 0);
    let mut goes_on = vec![u8::from(most > 0)];
    while goes_on == [1] {
        last = contacts(&engine.step(&mut ())?);
        if engine.steps() == 1 && most > 1 {
            start = Instant::now();
        }
        let is_enough = start.elapsed().as_secs_f64() > MEASURED_S && engine.steps() > 1;
        goes_on = vec![u8::from(!is_enough && engine.steps() < most)];
        world.broadcast(0, &mut goes_on)?;
    }
    let (steps, time_s) = (engine.steps(), start.elapsed().as_secs_f64());
    Ok(Measured { set_up_s, steps, time_s, contacts: last })
}

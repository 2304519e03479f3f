//! `cloth-sim info`: what a run will take, from its first steps. Nothing is written.

use std::time::Instant;

use cloth_sim::engine::Engine;
use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::{World, in_process};
use cloth_sim::rigid::balance::Balancer;
use cloth_sim::step::{ObjectSize, Simulation};
use serde::Serialize;

use crate::program::cli::{Arguments, InfoArguments};
use crate::program::print;
use crate::program::run::content::Content;
use crate::program::run::job::Job;
use crate::program::run::placement::Placement;
use crate::program::run::sizes::lines;
use crate::program::run::{bodies, memory};
use crate::program::words::{grouped, plural, significant};

/// Steps are measured for about this time, s.
const MEASURED_S: f64 = 1.0;

/// The number of steps, and their wall time in s without the first, which also sets up.
type Measured = (u64, f64);

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
    /// Wall time of a step, s.
    step_s: f64,
    /// Wall time of the run if all steps were like those that were measured, s.
    run_s: f64,
    /// Memory so far, bytes. Not known on every system.
    memory_bytes: Option<f64>,
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
    let steps = job.scene.steps();
    let (model, threads) = (job.model(|build| build(ranks))?, job.placement.threads);
    let start = job.start;
    let of_rank = |world: &dyn World| match (&job.content, &model) {
        (Content::Cloth(_), Some(model)) => {
            let mut cloth = Simulation::new(model.clone(), world, threads)?;
            let set_up_s = start.elapsed().as_secs_f64();
            Ok((set_up_s, measure(&mut cloth, world, steps)?))
        }
        (Content::Bodies(setup), _) => {
            let mut balancer = Balancer::new(setup.repartition())?;
            let mut engine = bodies::engine(setup, world, threads, false, &mut balancer)?;
            let set_up_s = start.elapsed().as_secs_f64();
            Ok((set_up_s, measure(&mut *engine, world, steps)?))
        }
        (Content::Cloth(_), None) => Err(Error::internal("info", "cloth without a model")),
    };
    let all = in_process::run(ranks, of_rank)?;
    let Some(&(set_up_s, (measured, time_s))) = all.first() else { return Ok(None) };
    let step_s = time_s / (measured.saturating_sub(1)).max(1) as f64;
    let bodies = match &job.content {
        Content::Bodies(setup) => Some(setup.body_count()),
        Content::Cloth(_) => None,
    };
    Ok(Some(Forecast {
        scene: job.scene.name.clone(),
        vertices: model.as_ref().map(|it| it.initial.len() as u64),
        objects: model.as_ref().map(|it| it.object_sizes()).unwrap_or_default(),
        distance_m: job.scene.contact.distance_m,
        bodies,
        frames: job.scene.frames,
        steps_per_frame: job.scene.steps_per_frame.at_most(),
        chooses_steps: job.scene.steps_per_frame.error_m().is_some(),
        ranks,
        threads,
        set_up_s,
        measured_steps: measured,
        step_s,
        run_s: set_up_s + step_s * steps as f64,
        memory_bytes: memory::peak(),
    }))
}

impl Forecast {
    /// The same for people.
    fn lines(&self) -> Vec<String> {
        let size = match (self.bodies, self.vertices) {
            (Some(bodies), _) => format!("{} bodies", grouped(bodies)),
            (None, vertices) => format!("{} vertices", grouped(vertices.unwrap_or_default())),
        };
        let (ranks, threads) = (plural(self.ranks, "rank"), plural(self.threads, "thread"));
        let most = if self.chooses_steps { "at most " } else { "" };
        let frames = plural(self.frames as usize, "frame");
        let steps_per_frame = plural(self.steps_per_frame as usize, "step");
        let measured = plural(self.measured_steps as usize, "step");
        let steps = grouped(u64::from(self.frames) * u64::from(self.steps_per_frame));
        let contact = match self.bodies {
            None => "Steps in contact take longer: 3 times as long in tablecloth.ron",
            Some(_) => "Steps with more contacts take longer",
        };
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
            format!("  measured  {measured}, {step_ms} ms each"),
            format!("  run       {run_s} s, if all {steps} were like these"),
            format!("            {contact}"),
        ];
        [head].into_iter().chain(objects).chain(times).chain(memory).collect()
    }
}

/// Computes steps until enough time has passed, at most `most`. Collective.
fn measure(engine: &mut (impl Engine + ?Sized), world: &dyn World, most: u64) -> Result<Measured> {
    let mut start = Instant::now();
    let mut goes_on = vec![u8::from(most > 0)];
    while goes_on == [1] {
        engine.step(&mut ())?;
        if engine.steps() == 1 && most > 1 {
            start = Instant::now();
        }
        let is_enough = start.elapsed().as_secs_f64() > MEASURED_S && engine.steps() > 1;
        goes_on = vec![u8::from(!is_enough && engine.steps() < most)];
        world.broadcast(0, &mut goes_on)?;
    }
    Ok((engine.steps(), start.elapsed().as_secs_f64()))
}

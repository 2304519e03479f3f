//! `cloth-sim info`: what a run will take, from its first steps. Nothing is written.

use std::time::Instant;

use cloth_sim::engine::Engine;
use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::{World, in_process};
use cloth_sim::rigid::balance::Balancer;
use cloth_sim::step::Simulation;

use crate::program::cli::Arguments;
use crate::program::print;
use crate::program::run::content::Content;
use crate::program::run::job::Job;
use crate::program::run::placement::Placement;
use crate::program::run::{bodies, memory};
use crate::program::words::{grouped, plural, significant};

/// Steps are measured for about this time, s.
const MEASURED_S: f64 = 1.0;

/// The number of steps, and their wall time in s without the first, which also sets up.
type Measured = (u64, f64);

/// Computes the first steps of the run of `arguments`, and prints what the whole run will take.
///
/// # Errors
/// Whatever would end the run.
pub fn info(arguments: &Arguments) -> Result<()> {
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
            let mut engine = bodies::engine(&job, world, setup, &mut balancer)?;
            let set_up_s = start.elapsed().as_secs_f64();
            Ok((set_up_s, measure(&mut *engine, world, steps)?))
        }
        (Content::Cloth(_), None) => Err(Error::internal("info", "cloth without a model")),
    };
    let all = in_process::run(ranks, of_rank)?;
    let Some(&(set_up_s, (measured, time_s))) = all.first() else { return Ok(()) };
    let step_s = time_s / (measured.saturating_sub(1)).max(1) as f64;
    let vertices =
        model.as_ref().map(|it| format!("{} vertices", grouped(it.initial.len() as u64)));
    let size = match &job.content {
        Content::Bodies(setup) => format!("{} bodies", grouped(setup.body_count())),
        Content::Cloth(_) => vertices.unwrap_or_default(),
    };
    let (ranks, threads) = (plural(ranks, "rank"), plural(threads, "thread"));
    let most = job.scene.steps_per_frame.error_m().map_or("", |_| "at most ");
    print::line(format_args!(
        "{}: {size}, {} of {most}{}, {ranks} x {threads}",
        job.scene.name,
        plural(job.scene.frames as usize, "frame"),
        plural(job.scene.steps_per_frame.at_most() as usize, "step"),
    ))?;
    print::line(format_args!("  set-up    {set_up_s:.1} s"))?;
    let of = plural(measured as usize, "step");
    print::line(format_args!("  measured  {of}, {} ms each", significant(1e3 * step_s)))?;
    let run_s = significant(set_up_s + step_s * steps as f64);
    print::line(format_args!("  run       {run_s} s, if all {} were like these", grouped(steps)))?;
    let contact = match job.content {
        Content::Cloth(_) => "Steps in contact take longer: 3 times as long in tablecloth.ron",
        Content::Bodies(_) => "Steps with more contacts take longer",
    };
    print::line(format_args!("            {contact}"))?;
    if let Some(bytes) = memory::peak() {
        print::line(format_args!("  memory    {:.0} MB so far", 1e-6 * bytes))?;
    }
    Ok(())
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

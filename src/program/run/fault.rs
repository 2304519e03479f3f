//! Faults on demand, for the tests of how a run handles them (cargo feature `fault-injection`,
//! absent from releases).
//!
//! The environment variable is `CLOTH_SIM_FAULT=<kind>:<rank>:<step>[:<vertex>]`. The kinds are
//! `panic`, `error`, `flip` and `nan`. `flip` changes the lowest bit of a vertex's x position on
//! that rank alone; `nan` makes that position NaN.

use cloth_core::error::{Error, Result};
use cloth_core::ranks::World;
use cloth_step::Simulation;

/// Commits the fault that the environment asks for, if it is due before `step` on this rank.
///
/// # Errors
/// The fault itself, if it is an error.
pub fn commit(world: &dyn World, simulation: &mut Simulation, step: u64) -> Result<()> {
    let Some(Fault { kind, is_here, vertex }) = due(world, step) else { return Ok(()) };
    // All ranks must set the motion. One of them sets a different motion.
    let changed = |x: f64| match kind.as_str() {
        "flip" => f64::from_bits(x.to_bits() ^ 1),
        _ => f64::NAN,
    };
    match kind.as_str() {
        "flip" | "nan" => change(simulation, vertex, |x| if is_here { changed(x) } else { x }),
        kind if is_here => end(world, kind),
        _ => Ok(()),
    }
}

/// Commits the fault in a run of rigid bodies, which knows `panic` and `error` only.
///
/// # Errors
/// The fault itself, if it is an error.
pub fn commit_among_bodies(world: &dyn World, step: u64) -> Result<()> {
    let here = due(world, step).filter(|fault| fault.is_here);
    here.map_or(Ok(()), |fault| end(world, &fault.kind))
}

/// A fault that is due.
struct Fault {
    kind: String,
    /// Whether it is due on this rank.
    is_here: bool,
    vertex: usize,
}

/// The fault, if it is due before `step` on any rank.
fn due(world: &dyn World, step: u64) -> Option<Fault> {
    let wanted = std::env::var("CLOTH_SIM_FAULT").ok()?;
    let words: Vec<&str> = wanted.split(':').collect();
    let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
    (number(2) == Some(step)).then(|| Fault {
        kind: words[0].to_owned(),
        is_here: number(1) == Some(world.rank() as u64),
        vertex: number(3).unwrap_or(0) as usize,
    })
}

fn end(world: &dyn World, kind: &str) -> Result<()> {
    match kind {
        "panic" => panic!("injected fault"),
        "error" => {
            let message = "injected fault".to_string();
            Err(Error::Rank { rank: world.rank(), message })
        }
        _ => Ok(()),
    }
}

fn change(simulation: &mut Simulation, vertex: usize, to: impl Fn(f64) -> f64) -> Result<()> {
    let mut positions = simulation.positions().to_vec();
    let velocities = simulation.velocities().to_vec();
    positions[vertex].x = to(positions[vertex].x);
    simulation.set_motion(&positions, &velocities)
}

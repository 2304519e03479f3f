//! The energy watch: no step may gain energy that no work explains (docs/methods.md, section 12). A
//! step that does is redone at half its size; the smallest one stands, with a warning.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `E0`, `E1` | J | kinetic, elastic and gravitational energy, before and after |
//! | `W` | J | work of pins, handles, moving obstacles and wind on them |
//! | `E1 - E0 - W` | J | the unexplained rise, if positive |
//! | `p` | N s | impulse that a node gets from outside of the elements |
//! | `v` | m/s | its velocity at the end of the step |
//! | `V` | m/s | the fastest speed of what is prescribed |
//!
//! Linearly implicit Euler takes the forces at the end of the step over the whole motion, so `W`
//! does too. Friction, damping and the method itself then make the rise negative. `p` is the
//! residual of a node's row of the linear system without contacts, at the velocities at which the
//! step ends. So it has all that pins, contacts, impulses and the fail-safe did.
//!
//! - A pin works with `p . v`.
//! - What touches a free node works with `p . v`, but with no more than `|p| V`. Nothing that moves
//!   at `V` can do more, through any number of layers. Where nothing prescribed moves it does
//!   nothing. The force of each contact times the motion of its own obstacle would be a tighter
//!   bound. But a contact of wrong stiffness pulls at a lever: then handles do all the work that it
//!   takes to fling a vertex away, and nothing is unexplained.
//! - Wind works with its force on each triangle.
//!
//! Source: ours.

#[cfg(test)]
mod tests;

use crate::bodies::cloth::energy::{Blown, EnergyState};
use crate::contact::ContactSpring;
use crate::error::Result;
use crate::ids::NodeId;
use crate::math::Vec3;
use crate::ranks::ExactSums;
use crate::step::context::{Context, ThisRank};
use crate::step::model::Model;
use crate::step::motion::StepMotion;
use crate::step::report::{EnergyRise, Measure, Phase, StepReport};
use crate::step::state::State;
use crate::step::system::{StepSystem, SystemTerms};

/// Part of its energy by which the energy of a step may rise without work.
const LIMIT_SHARE: f64 = 0.01;

/// What every step may gain, J.
const LIMIT_J: f64 = 1e-3;

/// The balance of energy from step to step, on one rank.
pub(super) struct EnergyWatch {
    /// Whether no step was balanced yet.
    begins: bool,
    /// At the end of the last step. None if the caller changed the state since: then the next
    /// attempt is not balanced.
    last: Option<Energy>,
    /// Velocities of cloth then, m/s.
    v0: Vec<Vec3>,
    /// Energy that lifts every cloth by its own size, J.
    lift_j: f64,
    /// What own nodes get from outside of the elements in an attempt, N s (N m s).
    impulses: Vec<Vec3>,
    /// Changes of their velocities, m/s (rad/s).
    changes: Vec<Vec3>,
}

/// The energy of cloths and bodies.
#[derive(Debug, Clone, Copy, Default)]
struct Energy {
    total_j: f64,
    /// Without that of the weight.
    internal_j: f64,
}

/// The balance of an attempt. The same on every rank.
pub(super) struct Balance {
    /// At its end.
    after: Energy,
    work_j: f64,
    unexplained_j: f64,
    limit_j: f64,
}

impl Balance {
    /// Whether the energy rises by more than its limit without work.
    pub fn is_fault(&self) -> bool {
        self.unexplained_j > self.limit_j
    }
}

impl EnergyWatch {
    pub fn new(model: &Model) -> Self {
        Self {
            begins: true,
            last: None,
            v0: Vec::new(),
            lift_j: lift_j(model),
            impulses: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The state is no longer that of the last step.
    pub fn forget(&mut self) {
        self.last = None;
        self.v0.clear();
    }

    /// Before a step. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn begin(
        &mut self,
        model: &Model,
        rank: &ThisRank,
        state: &State,
        system: &mut StepSystem,
        report: &mut StepReport,
    ) -> Result<()> {
        if std::mem::take(&mut self.begins) {
            let measured =
                report.time(Phase::Advance, |_| measure_state(model, rank, state, system));
            self.last = Some(measured?);
            self.note_velocities(model, &state.velocities);
        }
        Ok(())
    }

    /// The balance of an attempt that ends with `motion`. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn balance(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        springs: &[ContactSpring],
        system: &mut StepSystem,
    ) -> Result<Balance> {
        let model = here.model;
        let work = self.work(here, motion, springs, system)?;
        let coordinates = motion.moved_bodies(model, here.span.h);
        let end = End { x: &motion.x1, u: &motion.u1, coordinates: &coordinates };
        let (after, work_j) = measure(model, here.rank, &end, &work, system)?;
        let before = self.last.unwrap_or(after);
        Ok(Balance {
            after,
            work_j,
            unexplained_j: (after.total_j - before.total_j - work_j).max(0.0),
            limit_j: LIMIT_J + LIMIT_SHARE * (before.internal_j + self.lift_j),
        })
    }

    /// The attempt succeeded.
    pub fn accept(
        &mut self,
        balance: &Balance,
        here: &Context,
        motion: &StepMotion,
        report: &mut StepReport,
    ) {
        let Balance { after, work_j, unexplained_j, limit_j } = *balance;
        self.last = Some(after);
        if here.model.settings.energy {
            report.energy_j = after.total_j;
        }
        if here.rank.world.rank() == 0 {
            report.measure(Measure::Work, work_j);
            report.measure(Measure::UnexplainedRise, unexplained_j);
        }
        if balance.is_fault() {
            let vertex = self.quickened(here.model, motion);
            let at_m = motion.x1[vertex].into();
            report.note_rise(EnergyRise { unexplained_j, limit_j, vertex: vertex as u64, at_m });
        }
        self.note_velocities(here.model, &motion.u1);
    }

    fn note_velocities(&mut self, model: &Model, u: &[Vec3]) {
        self.v0.clear();
        self.v0.extend_from_slice(&u[..model.numbering.cloth()]);
    }

    /// The work in an attempt: this rank's share. Collective.
    fn work(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        springs: &[ContactSpring],
        system: &mut StepSystem,
    ) -> Result<ExactSums<1>> {
        let Context { model, rank, span, .. } = *here;
        let mut sum = ExactSums::default();
        let speed = prescribed_speed(here, motion);
        if speed > 0.0 {
            if here.region.is_some() {
                self.find_impulses_anew(here, motion, system);
            } else {
                self.find_impulses(here, motion, springs, system)?;
            }
            let work = |row: usize| {
                let node = rank.layout.own[row];
                let p = self.impulses[row];
                let work = p.dot(&motion.u1[node as usize]);
                // What turns a body has no bound.
                let is_bound = model.numbering.body_of_node(node).is_none();
                let bound = if is_bound { p.norm() * speed } else { f64::INFINITY };
                let pinned = is_bound && motion.prescribed[node as usize];
                if pinned { work } else { work.min(bound).max(0.0) }
            };
            // A patch has the same bits on any number of ranks.
            for rows in rank.layout.patch_offsets.windows(2) {
                sum.add([(rows[0] as usize..rows[1] as usize).map(work).sum()]);
            }
        }
        // Still air only brakes.
        let (wind, drag) = (model.wind(span.t1_s), model.settings.air.drag());
        if wind != Vec3::zeros() && (drag.normal > 0.0 || drag.tangential > 0.0) {
            let blown = Blown { drag, wind, x0: &motion.x0, v1: &motion.u1, h: span.h };
            let works = system.cloth().works_of_air(&rank.threads, &model.cloth, blown);
            works.iter().for_each(|&work| sum.add([work]));
        }
        Ok(sum)
    }

    /// What each own node gets from outside of the elements in an attempt. Collective.
    fn find_impulses(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        springs: &[ContactSpring],
        system: &mut StepSystem,
    ) -> Result<()> {
        let (rank, layout) = (here.rank, &here.rank.layout);
        let change = |node: NodeId| motion.u1[node as usize] - motion.u0[node as usize];
        if motion.targets.is_empty() && motion.ends_as_solved() {
            // The solve left no residual.
            self.impulses.clear();
            self.impulses.resize(layout.own.len(), Vec3::zeros());
        } else {
            self.changes.clear();
            self.changes.extend(layout.own.iter().map(|&node| change(node)));
            system.residuals(rank.world, &rank.threads, &self.changes, &mut self.impulses)?;
        }
        for spring in springs {
            let force =
                spring.push - spring.stiffness * spring.sides.velocity(change) * here.span.h;
            for term in spring.sides.terms() {
                if let Some(row) = layout.own_index(term.node) {
                    let p = term.jacobian.transpose_times(&force, here.span.h);
                    self.impulses[row as usize] += p;
                }
            }
        }
        Ok(())
    }

    /// The same after a repair. Then no system holds for all rows at once, so the forces are taken
    /// at the end of the step.
    fn find_impulses_anew(&mut self, here: &Context, motion: &StepMotion, system: &mut StepSystem) {
        let Context { model, rank, span, .. } = *here;
        let end = (&*motion.x1, &*motion.u1);
        let inputs = motion.inputs(model, span, end, 0.0);
        let bodies = motion.body_terms(model);
        let terms = SystemTerms { inputs: &inputs, bodies, contacts: &[], region: None };
        system.assemble(&rank.threads, model, &rank.layout, &terms);
        let (_, rhs) = system.system();
        self.impulses.clear();
        self.impulses.extend(rhs.iter().map(|rhs| -rhs));
    }

    /// The vertex that gained most kinetic energy, the lowest one of several. Every rank knows all
    /// velocities.
    fn quickened(&self, model: &Model, motion: &StepMotion) -> usize {
        let gain = |vertex: usize| {
            let [v0, v1] = [&self.v0[vertex], &motion.u1[vertex]];
            model.cloth.masses[vertex] * (v1.norm_squared() - v0.norm_squared())
        };
        let vertices = 0..self.v0.len();
        vertices.rev().max_by(|&a, &b| gain(a).total_cmp(&gain(b))).unwrap_or(0)
    }
}

/// Where and how fast all cloths and bodies are.
struct End<'a> {
    /// Positions of all cloth vertices, and more, m.
    x: &'a [Vec3],
    /// Velocities of all nodes, and more, m/s (rad/s).
    u: &'a [Vec3],
    /// Coordinates of the bodies.
    coordinates: &'a [Vec<f64>],
}

/// The energy of `state`, J. Collective.
///
/// # Errors
/// When another rank has failed.
pub(super) fn total_energy(
    model: &Model,
    rank: &ThisRank,
    state: &State,
    system: &mut StepSystem,
) -> Result<f64> {
    Ok(measure_state(model, rank, state, system)?.total_j)
}

fn measure_state(
    model: &Model,
    rank: &ThisRank,
    state: &State,
    system: &mut StepSystem,
) -> Result<Energy> {
    let State { positions, velocities, coordinates, .. } = state;
    let at = End { x: positions, u: velocities, coordinates };
    Ok(measure(model, rank, &at, &ExactSums::default(), system)?.0)
}

/// The energy at `end`, and the sum of all ranks' `work`, J. One reduction. Collective.
fn measure(
    model: &Model,
    rank: &ThisRank,
    end: &End,
    work: &ExactSums<1>,
    system: &mut StepSystem,
) -> Result<(Energy, f64)> {
    let gravity = model.gravity();
    let cloth = model.numbering.cloth();
    let cloth = EnergyState { x: &end.x[..cloth], v: &end.u[..cloth], gravity };
    let mut sums = ExactSums::default();
    for of in system.cloth().energies(&rank.threads, &model.cloth, &rank.layout, cloth) {
        sums.add([of.internal_j, of.weight_j, 0.0]);
    }
    sums.add_to(2, work);
    let [mut internal_j, weight_j, work_j] = sums.all_reduce(rank.world)?;
    let mut total_j = internal_j + weight_j;
    let bodies = model.bodies.iter().zip(model.numbering.bodies()).zip(end.coordinates);
    for ((body, range), at) in bodies {
        let u = &end.u[range.nodes.start as usize..range.nodes.end as usize];
        total_j += body.energy(at, u, &gravity);
        internal_j += body.energy(at, u, &Vec3::zeros());
    }
    Ok((Energy { total_j, internal_j }, work_j))
}

/// The fastest speed of pins and obstacles, m/s.
fn prescribed_speed(here: &Context, motion: &StepMotion) -> f64 {
    let pinned = motion.targets.iter().map(|&(vertex, _)| vertex as usize);
    let prescribed = pinned.chain(here.model.numbering.free_vertices()..motion.x0.len());
    let paths = prescribed.map(|vertex| motion.x1[vertex] - motion.x0[vertex]);
    paths.map(|path| path.norm_squared()).fold(0.0, f64::max).sqrt() / here.span.h
}

/// What lifts each cloth of `model` by the diagonal of its box at the start, J.
fn lift_j(model: &Model) -> f64 {
    let of_cloth = |range: &std::ops::Range<u32>| {
        let vertices = range.start as usize..range.end as usize;
        let (x, masses) = (&model.initial[vertices.clone()], &model.cloth.masses[vertices]);
        let low = x.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = x.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        masses.iter().sum::<f64>() * (high - low).norm()
    };
    model.gravity().norm() * model.cloth.ranges.iter().map(of_cloth).sum::<f64>()
}

//! The energy watch: no step may gain energy that no work explains (docs/methods.md, section 12).
//! A step that does is redone at half its size. The smallest step is accepted with a warning.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `E0`, `E1` | J | kinetic, elastic and gravitational energy, before and after |
//! | `W` | J | work of pins, handles, obstacles, joints, seams that close, wind, loads and keyed gravity |
//! | `E1 - E0 - W` | J | the unexplained rise, if positive |
//! | `p` | N s | impulse that a node gets from outside of the elements |
//! | `v` | m/s | its velocity at the end of the step |
//! | `V` | m/s | the fastest speed of what is prescribed |
//!
//! Linearly implicit Euler applies the forces at the end of the step over the whole motion, so `W`
//! does too. Friction, damping and the method itself then make the rise negative. `p` is the
//! residual of a node's row of the linear system without contacts, at the end velocities of the
//! step. So it contains all impulses of pins, contacts, collisions and the fail-safe.
//!
//! - The work of a pin is `p . v`.
//! - The work on a free node is `p . v`, but at most `|p| V`: nothing that moves at `V` can do
//!   more, through any number of layers. The sum over all free nodes has a second bound. It is the
//!   work that moving obstacles and pins do through their own contacts (the force of each contact
//!   times the velocity of its prescribed vertices), plus the work of impulses and the fail-safe.
//!   Neither bound suffices alone. If a contact of wrong stiffness pulls at a lever, handles do
//!   all the work that flings a vertex away. Far from a fast obstacle, cloth that gains energy
//!   from nothing is slower than the obstacle.
//! - The work of wind is that of its force on each triangle.
//! - The work of loads is the force on each vertex times its path. Gravity that changes in time has
//!   no potential: it is such a load, and no part of `E`.
//! - The springs of pins are no part of `E` either. Their work is the energy that they lose in the step
//!   while they draw to where the pin is at its end.
//!
//! Source: ours.

mod work;

use std::iter::zip;
use std::ops::Range;
use std::sync::Arc;

use crate::contacts::active::ContactStage;
use crate::model::Model;
use crate::report::{EnergyRise, Measure, StepReport};
use crate::solve::joints::pose_of;
use crate::solve::seams;
use crate::solve::system::StepSystem;
use crate::state::context::{Context, ThisRank};
use crate::state::motion::StepMotion;
use crate::state::trouble::Rise;
use crate::state::{Energy, State};
use crate::time::clock::Span;
use crate::watch::work::{WorkMeter, WorkSums, work_on_bodies};
use cloth_bodies::bodies::Body;
use cloth_bodies::bodies::cloth::energy::EnergyState;
use cloth_bodies::bodies::joints::body_joint::BodyJoint;
use cloth_bodies::bodies::numbering::BodyRange;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::ranks::ExactSums;

/// Fraction of its energy by which the energy may rise without work in a step.
const LIMIT_SHARE: f64 = 0.01;

/// Energy that every step may gain without work in addition, J.
const LIMIT_J: f64 = 1e-3;

/// Fraction of its energy by which the energy may rise without work in a second. If a repair
/// exceeds the share of its step, a repair of all nodes follows, because nodes outside of the
/// first one could not give way. If that does not help, the step is redone at half its size: cloth
/// that buckles within a step gives back more energy than was put in. A falling cotton shirt of
/// 1,506 vertices gained 5 % in 0.2 s at 4 ms without this limit, and gains at most 4e-5 J with
/// it.
const RISE_SHARE_PER_S: f64 = 0.01;

/// Fraction of its energy that may rise without work in sum, beyond [`RISE_SHARE_PER_S`]. A step
/// that would rise more is redone at half its size. Steel that falls into cloth on single pins
/// gained 32 % at 4 ms without this limit, although no step exceeded its own, and gains 0.4 % with
/// it.
const RISEN_SHARE: f64 = 0.0025;

/// That limit holds while cloth has at least this fraction of the energy. Bodies that bounce on each
/// other gain from contacts that give back what they took, in steps of any size.
const CLOTH_SHARE: f64 = 0.01;

/// A smaller rise is rounding, J. The place of a larger one is reported.
const NOISE_J: f64 = 1e-9;

/// One rank's balance of the energy of steps. The energy at the start of a step is part of the
/// state.
pub(crate) struct EnergyWatch {
    /// The energy of lifting every cloth and body by its own size, J.
    lift_j: f64,
    work: WorkMeter,
}

/// The balance of an attempt. The same on every rank.
pub(crate) struct StepBalance {
    /// Energy at the end of the attempt.
    after: Energy,
    /// The kinetic and elastic energy of cloth then, J.
    cloth_j: f64,
    work_j: f64,
    unexplained_j: f64,
    /// The energy that the limits are fractions of.
    scale_j: f64,
    limit_j: f64,
}

impl StepBalance {
    /// How the energy rises without work in this `span`. None if it does not. Impacts are not known
    /// here.
    pub fn rise(&self, span: &Span) -> Option<Rise> {
        let Self { after, cloth_j, unexplained_j, scale_j, limit_j, .. } = *self;
        let rises = unexplained_j > RISE_SHARE_PER_S * span.duration_s * scale_j;
        let many = after.risen_j > RISEN_SHARE * scale_j && cloth_j > CLOTH_SHARE * scale_j;
        let is_fault = unexplained_j > limit_j;
        (rises || is_fault).then_some(Rise {
            rises,
            is_fault,
            is_large: unexplained_j > 0.1 * limit_j,
            too_often: rises && many,
            by_impacts: false,
        })
    }

    /// The energy at the end of the attempt.
    pub fn after(&self) -> Energy {
        self.after
    }

    /// Reports the attempt, which succeeded. Before: `motion` is not committed.
    pub fn note(&self, here: &Context, motion: &StepMotion, report: &mut StepReport) {
        let Self { after, work_j, unexplained_j, limit_j, .. } = *self;
        if here.model.settings.energy {
            report.energy_j = after.total_j;
        }
        if here.rank.world.rank() == 0 {
            report.internal_j = after.internal_j;
            report.measure(Measure::Work, work_j);
            report.measure(Measure::UnexplainedRise, unexplained_j);
        }
        if unexplained_j > NOISE_J {
            let vertex = quickened(here.model, motion);
            let at_m = motion.x1[vertex].into();
            report.note_rise(EnergyRise { unexplained_j, limit_j, vertex: vertex as u64, at_m });
        }
    }
}

impl EnergyWatch {
    pub fn new(model: &Model) -> Self {
        Self { lift_j: lift_j(model), work: WorkMeter::default() }
    }

    /// The balance of an attempt that begins with the energy `before` and ends with `motion`.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn balance(
        &mut self,
        here: &Context,
        before: Energy,
        motion: &StepMotion,
        contacts: &ContactStage,
        system: &mut StepSystem,
    ) -> Result<StepBalance> {
        let model = here.model;
        let work = self.work.measure(here, motion, contacts, system)?;
        let coordinates = motion.moved_bodies(model, here.span.scheme);
        let v = motion.end_velocities();
        let poses = motion.joint_poses(model, &coordinates);
        let joints_j: f64 =
            zip(&model.joints, poses).map(|(joint, pose)| joint.energy_j(&pose)).sum();
        let springs_j = joints_j + seams::energy_j(model, &motion.x1, here.span.t1_s);
        let clamps = model.cloth.clamps.at(here.span.t0_s);
        let end =
            End { x: &motion.x1, v, u: &motion.u1, coordinates: &coordinates, springs_j, clamps };
        let (after, cloth_j, mut work_j) = measure(model, here.rank, &end, &work, system)?;
        work_j += seams::work_j(here, motion);
        if model.has_keyed_gravity() {
            work_j += work_on_bodies(here, motion, &coordinates);
        }
        let scale_j = before.internal_j + self.lift_j;
        let rise_j = after.total_j - before.total_j - before.late_j - work_j;
        let late_j = here.span.scheme.late_energy() * (-rise_j).max(0.0);
        let unexplained_j = rise_j.max(0.0);
        let allowed_j = RISE_SHARE_PER_S * here.span.duration_s * scale_j;
        // Cloth alone gains less, and keeps its bits.
        let risen_j = match model.bodies.is_empty() {
            true => 0.0,
            false => (before.risen_j + unexplained_j - allowed_j).max(0.0),
        };
        Ok(StepBalance {
            after: Energy { late_j, risen_j, ..after },
            cloth_j,
            work_j,
            unexplained_j,
            scale_j,
            limit_j: LIMIT_J + LIMIT_SHARE * scale_j,
        })
    }
}

/// The vertex that gains most kinetic energy in a step, the lowest one of several. Every rank knows
/// all velocities.
fn quickened(model: &Model, motion: &StepMotion) -> usize {
    let gain = |vertex: usize| {
        let [v0, v1] = [&motion.start.u0[vertex], &motion.u1[vertex]];
        model.cloth.masses[vertex] * (v1.norm_squared() - v0.norm_squared())
    };
    let vertices = 0..model.numbering.cloth();
    vertices.rev().max_by(|&a, &b| gain(a).total_cmp(&gain(b))).unwrap_or(0)
}

/// Positions and velocities of all cloths and bodies.
struct End<'a> {
    /// Positions of all cloth vertices first, m. Further ones are not used.
    x: &'a [Vec3],
    /// Velocities of all cloth vertices, m/s.
    v: &'a [Vec3],
    /// Velocities of all nodes first, m/s. Those of bodies are used.
    u: &'a [Vec3],
    /// Coordinates of the bodies.
    coordinates: &'a [Vec<f64>],
    /// The energy of joints and seams, J.
    springs_j: f64,
    /// The number of the faces of cloth that are held.
    clamps: usize,
}

/// The energy of `state`. Collective.
///
/// # Errors
/// When another rank has failed.
pub(crate) fn energy_of(
    model: &Model,
    rank: &ThisRank,
    state: &State,
    system: &mut StepSystem,
) -> Result<Energy> {
    let State { positions, velocities, coordinates, .. } = state;
    let time_s = model.clock.seconds(state.ticks);
    let energy_j = |joint: &BodyJoint| {
        let obstacle = |number: usize| {
            state.pose_of_waiting(number).or_else(|| model.obstacles[number].pose_at(time_s))
        };
        joint.energy_j(&pose_of(model, joint, coordinates, obstacle))
    };
    let joints_j: f64 = model.joints.iter().map(energy_j).sum();
    let springs_j = joints_j + seams::energy_j(model, positions, time_s);
    let v = state.cloth_velocities();
    let clamps = model.cloth.clamps.at(time_s);
    let at = End { x: positions, v, u: velocities, coordinates, springs_j, clamps };
    Ok(measure(model, rank, &at, &WorkSums::default(), system)?.0)
}

/// The energy at `end`, the kinetic and elastic energy of cloth, and the sum of all ranks' `work`,
/// J, in one reduction. Collective.
fn measure(
    model: &Model,
    rank: &ThisRank,
    end: &End,
    work: &WorkSums,
    system: &mut StepSystem,
) -> Result<(Energy, f64, f64)> {
    let gravity = model.constant_gravity();
    let cloth = model.numbering.cloth();
    let cloth = EnergyState { x: &end.x[..cloth], v: end.v, gravity, clamps: end.clamps };
    let mut sums = ExactSums::<5>::default();
    for of in system.cloth().energies(&rank.threads, &model.cloth, &rank.layout, cloth) {
        sums.add([of.internal_j, of.weight_j, 0.0, 0.0, 0.0]);
    }
    work.add_to(&mut sums, 2);
    let [cloth_j, weight_j, work @ ..] = sums.all_reduce(&*rank.world)?;
    let work_j = WorkSums::total_j(work);
    let mut internal_j = cloth_j + end.springs_j;
    let mut total_j = internal_j + weight_j;
    let bodies = model.bodies.iter().zip(model.numbering.bodies()).zip(end.coordinates);
    for ((body, range), at) in bodies {
        let u = &end.u[range.nodes.start as usize..range.nodes.end as usize];
        total_j += body.energy(at, u, &gravity);
        internal_j += body.energy(at, u, &Vec3::zeros());
    }
    Ok((Energy { total_j, internal_j, ..Energy::default() }, cloth_j, work_j))
}

/// Energy that lifts each cloth and body of `model` by the diagonal of its box at the start, J.
pub fn lift_j(model: &Model) -> f64 {
    let gravity = model.largest_gravity();
    let of_cloth = |range: &Range<u32>| {
        let vertices = range.start as usize..range.end as usize;
        let (x, masses) = (&model.initial[vertices.clone()], &model.cloth.masses[vertices]);
        masses.iter().sum::<f64>() * diagonal(x, 0.0)
    };
    let of_body = |(body, range): (&Arc<dyn Body>, &BodyRange)| {
        let (at, u) = body.start();
        let mut x = vec![Vec3::zeros(); range.vertices.len()];
        body.place(&at, &mut x);
        let still = vec![Vec3::zeros(); u.len()];
        let changes = body.flown(&at, &still, &gravity, 1.0);
        let middle = body.middle(&at, &still, 1.0);
        let weight = |(node, change): (usize, Vec3)| (body.mass(&middle, node) * change).norm();
        changes.into_iter().enumerate().map(weight).sum::<f64>() * diagonal(&x, body.radius_m())
    };
    let bodies = model.bodies.iter().zip(model.numbering.bodies());
    gravity.norm() * model.cloth.ranges.iter().map(of_cloth).sum::<f64>()
        + bodies.map(of_body).sum::<f64>()
}

/// The diagonal of the box around all within `radius_m` (m) of `x`, m.
fn diagonal(x: &[Vec3], radius_m: f64) -> f64 {
    let low = x.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let high = x.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
    (high - low).add_scalar(2.0 * radius_m).norm()
}

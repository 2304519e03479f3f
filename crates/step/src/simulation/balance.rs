//! The work of each patch, as counted in the steps of a frame.
//!
//! Work is counted and then multiplied by a price, because measured times of single patches are
//! noise on a machine that runs other programs too.
//!
//! | work | counted per patch | price |
//! |---|---|---|
//! | assembly, balance of energy | blocks filled | time of a block, the least of all ranks |
//! | solve | products of blocks | time of a product, the least of all ranks |
//!
//! A patch with all rows fixed has no products. All times are processor times. A rank that waits
//! spins for a while, which counts as processor time. So the least price of all ranks is taken.
//! Ranks share the work on pairs by stealing, so it is not counted.

use std::iter::zip;
use std::time::Instant;

use crate::attempt::Stages;
use crate::model::skin::Skin;
use crate::model::{Model, node_positions};
use crate::report::{Counter, Measure, Phase, StepReport};
use crate::solve::rows::OwnRows;
use crate::solve::system::PatchWork;
use crate::state::State;
use crate::state::context::ThisRank;
use crate::time::clock::TICKS_PER_STEP;
use cloth_bodies::contact::ContactMemory;
use cloth_collision::collision::Pair;
use cloth_core::error::Result;
use cloth_core::partition::methods::Repartition;
use cloth_core::partition::rebalance::Rebalancer;
use cloth_core::partition::{Partition, PatchGraph};
use cloth_core::ranks::{World, message};

/// The phases whose work is counted in blocks filled.
const FILLING: [Phase; 2] = [Phase::Assembly, Phase::Advance];

/// Measures the work of a rank's patches. Rank 0 decides for all ranks whether patches move.
pub(super) struct Balance {
    /// Processor time since the last frame, s.
    filling_s: f64,
    solve_s: f64,
    /// On rank 0 only.
    rebalancer: Option<Rebalancer>,
}

impl Balance {
    /// None if the patches stay where they are. It took `built_s` (s) to build this rank's rows.
    ///
    /// # Errors
    /// Those of the method of partition.
    pub fn new(model: &Model, rank: &ThisRank, built_s: f64) -> Result<Option<Self>> {
        let settings = &model.settings.partition;
        if settings.repartition == Repartition::Never || rank.world.size() == 1 {
            return Ok(None);
        }
        let graph = || PatchGraph::new(&model.graph, &model.partition.patches);
        let rebalancer = || Rebalancer::new(settings, graph(), built_s);
        Ok(Some(Self {
            filling_s: 0.0,
            solve_s: 0.0,
            rebalancer: (rank.world.rank() == 0).then(rebalancer).transpose()?,
        }))
    }

    /// Adds the processor time of a step.
    fn add(&mut self, report: &StepReport) {
        let sum =
            |phases: &[Phase]| phases.iter().map(|&it| report.busy_s[it as usize]).sum::<f64>();
        self.filling_s += sum(&FILLING);
        self.solve_s += sum(&[Phase::Solve]);
    }

    /// The work of each patch since the last frame, s, on rank 0; empty elsewhere. `counted` is
    /// the counted work of own patches. Collective.
    fn gather(
        &self,
        world: &dyn World,
        partition: &Partition,
        counted: &[PatchWork],
    ) -> Result<Vec<f64>> {
        let fills = counted.iter().map(|work| work.fills).sum();
        let products = counted.iter().map(|work| work.products).sum();
        let fill_s = least_price(world, self.filling_s, fills)?;
        let product_s = least_price(world, self.solve_s, products)?;
        let of_patch =
            |work: &PatchWork| work.fills as f64 * fill_s + work.products as f64 * product_s;
        let own: Vec<f64> = counted.iter().map(of_patch).collect();
        let all = message::gather_v(world, 0, &own)?;
        let mut work_s = vec![0.0; if all.is_empty() { 0 } else { partition.patches.len() }];
        let order = (0..partition.ranks).flat_map(|rank| partition.patches_of(rank));
        for (patch, of_patch_s) in order.zip(all) {
            work_s[patch as usize] = of_patch_s;
        }
        Ok(work_s)
    }

    /// The new owners of all patches after a frame, the same on every rank; empty if they stay.
    /// Collective.
    fn new_owners(
        &mut self,
        model: &Model,
        rank: &ThisRank,
        state: &State,
        counted: &[PatchWork],
    ) -> Result<Vec<u32>> {
        let work_s = self.gather(&*rank.world, &rank.partition, counted)?;
        let mut bytes = Vec::new();
        if let Some(rebalancer) = &mut self.rebalancer {
            let centres = || {
                let cloths = state.positions.iter().copied();
                let coordinates = |body: usize| state.coordinates[body].clone();
                let mut positions = node_positions(cloths, &model.bodies, coordinates);
                positions.extend(Skin::start_places(&model.skins, &model.obstacles));
                model.partition.patches.centres(&positions)
            };
            let owners = rebalancer.after_frame(&rank.partition, &work_s, centres)?;
            bytes.extend_from_slice(bytemuck::cast_slice(&owners.unwrap_or_default()));
        }
        rank.world.broadcast(0, &mut bytes)?;
        Ok(bytes.chunks_exact(size_of::<u32>()).map(bytemuck::pod_read_unaligned).collect())
    }

    /// A new frame begins.
    fn begin(&mut self) {
        (self.filling_s, self.solve_s) = (0.0, 0.0);
    }
}

/// The least time per unit of work over all ranks, s. On each rank, `count` units took `spent_s`
/// (s). 0 if no rank did any. Collective.
fn least_price(world: &dyn World, spent_s: f64, count: u64) -> Result<f64> {
    let price = if count > 0 { spent_s / count as f64 } else { f64::INFINITY };
    let least = message::all_gather_v(world, &[price])?.into_iter().fold(f64::INFINITY, f64::min);
    Ok(if least.is_finite() { least } else { 0.0 })
}

/// After a step that ends at `state`: if it ends a frame, patches may change their ranks. Times
/// decide who owns what, never what is computed. Collective.
///
/// # Errors
/// When a rank has failed, or the partitioner refuses the work.
pub(super) fn rebalance(
    balance: &mut Balance,
    model: &Model,
    rank: &mut ThisRank,
    state: &mut State,
    stages: &mut Stages,
    report: &mut StepReport,
) -> Result<()> {
    balance.add(report);
    let steps_per_frame = u64::from(model.settings.steps_per_frame.at_most()).max(1);
    if !(state.ticks / TICKS_PER_STEP).is_multiple_of(steps_per_frame) {
        return Ok(());
    }
    let start = Instant::now();
    let counted = stages.system.take_work();
    let owners = balance.new_owners(model, rank, state, &counted)?;
    if !owners.is_empty() {
        let changed = zip(&owners, &rank.partition.rank_of_patch).zip(0..);
        let moved = changed.filter(|((new, old), _)| new != old);
        let nodes = moved.map(|(_, patch)| model.partition.patches.vertices(patch).len() as u64);
        report.count(Counter::MovedNodes, nodes.sum());
        report.count(Counter::Repartitions, 1);
        let to = rank.partition.with_owners(&owners)?;
        repartition(model, to, rank, stages, &mut state.contacts)?;
    }
    let took_s = start.elapsed().as_secs_f64();
    if rank.world.rank() == 0 {
        report.measure(Measure::RepartitionTime, took_s);
    }
    if let Some(rebalancer) = balance.rebalancer.as_mut().filter(|_| !owners.is_empty()) {
        rebalancer.moved(took_s);
    }
    balance.begin();
    Ok(())
}

/// Gives the patches to their owners in the partition `to`. After: `rank` has the rows and the
/// memories of `contacts` of its new patches. Collective.
///
/// # Errors
/// When another rank has failed, or the matrix of a rank is too large.
pub(crate) fn repartition(
    model: &Model,
    to: Partition,
    rank: &mut ThisRank,
    stages: &mut Stages,
    contacts: &mut Vec<ContactMemory>,
) -> Result<()> {
    let nodes_of = |vertex: u32| model.numbering.nodes_of(vertex);
    let rows = OwnRows::new(model, &to, rank.world.rank())?;
    let nodes_of_pair = |pair: &Pair| pair.vertices.into_iter().flat_map(nodes_of);
    rank.route().hand_over(&to, nodes_of_pair, contacts)?;
    (stages.system, stages.gather) = (rows.system, rows.gather);
    (rank.layout, rank.partition) = (rows.layout, to);
    Ok(())
}

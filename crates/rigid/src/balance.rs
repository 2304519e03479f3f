//! Divides space into power cells of equal work, and decides when to divide it again.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `W_r` | s | work of rank r in a frame: its time without waiting for messages |
//! | `C` | s | time that the last new division took on the slowest rank |
//!
//! Each frame loses `max_r W_r - W` to uneven work, where `W` is the mean of `W_r`. Space is
//! divided anew when the sum of these losses since the last division reaches `C` and the last
//! frame lost enough. By the rule of ski rental, the loss is then at most about twice that of the
//! best choice of times. The patches of cloth follow the same rule. Each body of a rank counts for
//! the same share of the rank's work.

use std::time::Instant;

use bytemuck::{Pod, Zeroable};

use crate::RigidSimulation;
use crate::domain::{Cells, Domain, Subdomains};
use cloth_core::partition::methods::power::Diagram;
use cloth_core::partition::methods::{
    Partitioner, Power, PowerSettings, Repartition, WeightedPoints,
};
use cloth_core::partition::rebalance::{Losses, mean_and_most};
use cloth_core::{Result, Vec3, message, mix};

/// About this many bodies at most are sampled, of all ranks together.
pub const SAMPLE: u64 = 20_000;
/// Smallest loss of the last frame for which space is divided anew, as a fraction of the largest
/// work of a rank. A smaller loss is noise.
const LEAST_GAIN: f64 = 0.05;
/// Number of lattice points for each cell. They replace the bodies if there are too few bodies.
const POINTS: usize = 64;

/// Divides space into one power cell for each rank, and decides when to do it again.
#[derive(Debug)]
pub struct Balancer {
    when: Repartition,
    power: Power,
    losses: Losses,
}

/// A sampled body. It represents the bodies of its rank that were not sampled.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sample {
    position: Vec3,
    work: f64,
}

impl Balancer {
    /// A balancer that has measured nothing yet.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn new(when: Repartition) -> Result<Self> {
        let power = Power::new(PowerSettings::default())?;
        Ok(Self { when, power, losses: Losses::new(when, 0.0) })
    }

    /// Divides `domain` into one cell of about equal work for each of `ranks`. `points` are the
    /// positions of bodies (m) and `work` has the work of each (any unit); both are the same on
    /// all ranks. No body may reach further than `margin` (m) beyond the domain.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn divide(
        &mut self,
        domain: &Domain,
        margin: f64,
        points: &[Vec3],
        work: &[f64],
        ranks: usize,
    ) -> Result<Subdomains> {
        let diagram = if ranks == 1 {
            let centre = (domain.low() + domain.high()) * 0.5;
            Diagram { sites: vec![centre], potentials: vec![0.0] }
        } else {
            let even = even_points(domain, ranks);
            let ones = vec![1.0; even.len()];
            let is_enough = points.len() > 2 * ranks && work.iter().sum::<f64>() > 0.0;
            let (points, work) = if is_enough { (points, work) } else { (&even[..], &ones[..]) };
            self.power.partition(&WeightedPoints::new(points, work), ranks)?;
            self.power.diagram().clone()
        };
        Ok(Subdomains::Cells(Cells::new(*domain, diagram, margin)?))
    }

    /// True if space should be divided anew after a frame. `work_s` has the work of each rank in
    /// this frame (s).
    fn is_due(&mut self, work_s: &[f64]) -> bool {
        let [mean, most] = mean_and_most(work_s);
        let is_worth_it = self.when == Repartition::Always || most - mean >= LEAST_GAIN * most;
        self.losses.add(most - mean) && is_worth_it
    }
}

/// Points of a lattice that fills the domain.
fn even_points(domain: &Domain, ranks: usize) -> Vec<Vec3> {
    let along = libm::cbrt((POINTS * ranks) as f64).ceil() as usize;
    let point = |k: usize| {
        let place = [k % along, k / along % along, k / (along * along)];
        let part = Vec3::from(place.map(|place| (place as f64 + 0.5) / along as f64));
        domain.low() + part.component_mul(domain.period())
    };
    (0..along * along * along).map(point).collect()
}

impl RigidSimulation<'_> {
    /// Divides space anew after a frame, if that is due. `work_s` is the work of this rank in the
    /// frame (s). Bodies keep their bits. Returns true if space was divided. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn rebalance(&mut self, balancer: &mut Balancer, work_s: f64) -> Result<bool> {
        let ranks = self.world.size();
        if ranks == 1 || balancer.when == Repartition::Never {
            return Ok(false);
        }
        let work = message::all_gather_v(&*self.world, &[work_s])?;
        if !balancer.is_due(&work) {
            return Ok(false);
        }
        let start = Instant::now();
        let sample = self.sample(work_s)?;
        let points: Vec<Vec3> = sample.iter().map(|body| body.position).collect();
        let weights: Vec<f64> = sample.iter().map(|body| body.work).collect();
        let limits = self.synchroniser.limits();
        let domain = *self.model.subdomains.domain();
        let cells = balancer.divide(&domain, limits.outreach(), &points, &weights, ranks)?;
        // The old cells stay if the new cells are too thin for the synchronisation.
        let method = self.model.settings.synchronisation;
        let fits = limits.within(method, &cells).reach(method, &cells).is_ok();
        if fits {
            self.redivide(cells.into(), (0..ranks as u32).collect())?;
        }
        let cost = message::all_gather_v(&*self.world, &[start.elapsed().as_secs_f64()])?;
        balancer.losses = Losses::new(balancer.when, cost.into_iter().fold(0.0, f64::max));
        Ok(fits)
    }

    /// A sample of the bodies of all ranks, each with its share of the work of its rank.
    fn sample(&self, work_s: f64) -> Result<Vec<Sample>> {
        let own = self.state.population.own();
        let mut all = [own.len() as i64];
        self.world.all_reduce_sum(&mut all)?;
        let stride = all[0] as u64 / SAMPLE + 1;
        let chosen = own.iter().filter(|body| mix(body.id).is_multiple_of(stride));
        let places: Vec<Vec3> = chosen.map(|body| body.state.position).collect();
        // Without a measurement all bodies count equally.
        let work = if work_s > 0.0 { work_s / places.len().max(1) as f64 } else { 1e-9 };
        let mine: Vec<Sample> =
            places.into_iter().map(|position| Sample { position, work }).collect();
        message::all_gather_v(&*self.world, &mine)
    }
}

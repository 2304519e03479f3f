//! The Power partitioner: parts are cells of a power diagram.
//!
//! Source: Wretborn 2026, section 4 (algorithm 1). Each rank has a site. The regularised optimal
//! transport of the work to the sites gives a power diagram whose cells have equal work. Sites move
//! to the centres of their work (Lloyd rounds), and the regularisation falls in each round.
//!
//! | module | |
//! |---|---|
//! | [`exp`] | the exponential as vector instructions |
//! | `batches` | points in batches |
//! | `order` | points in Morton order |
//! | `coarse` | cubes of points |
//! | `starts` | the best of several random starts |
//! | `transport` | Sinkhorn iterations |
//! | `newton` | Newton steps where these are slow |
//! | `assign` | the cell of each point |
//! | [`diagram`] | power diagram: which site has a point |
//! | [`cells`] | its cells as convex polytopes |

mod batches;
pub mod cells;
mod coarse;
pub mod diagram;
pub mod exp;
mod newton;
mod order;
mod starts;
#[cfg(test)]
mod tests;
mod transport;

pub use self::cells::PowerCell;
use self::coarse::Coarse;
pub use self::diagram::Diagram;
use self::diagram::{Assignment, Cover};
use self::order::Sorted;
use self::starts::{
    Effort, MOVED_PARTS, best_start, random_sites, regularisation, without_potentials,
};
use self::transport::Transport;
pub use self::transport::{Domain, Solve};
use crate::partition::methods::{Partitioner, WeightedPoints};
use crate::{Error, Result, Threads, Vec3};

/// The first round after which a cell that got too much work asks for a smaller share of the
/// coupling.
const CORRECTED: u32 = 1;
/// Shares are corrected only if the load index is below this.
const CORRECTABLE: f64 = 0.1;
/// Borders of cells are blurred over at least this many cubes. Otherwise they could lie only
/// between cubes.
const BLUR: f64 = 0.5;
/// After shares are corrected, rounds end if the load index has not fallen for this many rounds.
const IN_VAIN: u32 = 3;
/// If the tolerance is not reached, points move at random by up to half of this many spacings.
/// Otherwise, where a border is parallel to a layer of points, the whole layer would change its
/// part at once.
const WIDE: f64 = 1.0;
/// Sinkhorn iterations and Newton steps alternate at most this many times.
const ALTERNATIONS: u32 = 6;

/// Settings of [`Power`]. The default has the values of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSettings {
    /// Rounds end when the load index (eq. 18) is below this. Sinkhorn iterations end when the
    /// deviation is below half of it.
    pub load_tolerance: f64,
    /// The largest number of Lloyd rounds.
    pub rounds: u32,
    /// The largest number of Sinkhorn iterations in a round. It is doubled each time that Newton
    /// steps did not suffice.
    pub iterations: u32,
    /// The largest number of Newton steps after the Sinkhorn iterations. 0 in the paper, which
    /// does not bound the number of iterations.
    pub newton_steps: u32,
    /// The first regularisation is `Gamma` (eq. 16) divided by this.
    pub epsilon_divisor: f64,
    /// For the first regularisation, `Gamma` counts as at most this many times the mean squared
    /// distance of the work from its site. A ball around each site has 5/3, a long box 3. Without
    /// a limit (infinite, as in the paper) one drop far from all sites blurs all cells, and all
    /// sites gather in the middle.
    pub far_limit: f64,
    /// The regularisation is multiplied by this from round to round.
    pub epsilon_factor: f64,
    /// The log domain is used if `exp(-Gamma / epsilon)` is below this: 1e-12 in the paper. With 1
    /// it is always used. In it sites that cannot matter are left out, so it is faster here.
    pub overflow: f64,
    /// If there are more points than this, they are joined in about this many cubes.
    pub coarse_points: usize,
    /// Keep the cells of the last call if their load index is still below `load_tolerance`, so that
    /// nothing moves between ranks; the paper always moves them.
    pub calm: bool,
    /// Points move at random within a cube of this many spacings around them.
    pub offset: f64,
    /// The first call tries this many sets of first sites on few cubes, and goes on with the set
    /// that has the least surface. With 0 it begins with random points, as in the paper.
    pub starts: u32,
    /// Number of generations in which the first call then moves the sites at random. Each has 8
    /// trials, and the one with the least surface is kept. Not with more than 16 parts.
    pub generations: u32,
    /// Seed of the first sites and of the offsets.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

impl Default for PowerSettings {
    fn default() -> Self {
        Self {
            load_tolerance: 0.01,
            rounds: 10,
            iterations: 10,
            newton_steps: 20,
            epsilon_divisor: 10.0,
            far_limit: 4.0,
            epsilon_factor: 2.0 / 3.0,
            overflow: 1.0,
            coarse_points: 64_000,
            calm: true,
            offset: 0.3,
            starts: 8,
            generations: 8,
            seed: 1,
            threads: 1,
        }
    }
}

/// One Lloyd round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// `Gamma / epsilon`.
    pub sharpness: f64,
    /// How exponentials were kept in range.
    pub domain: Domain,
    /// The Sinkhorn iterations.
    pub solve: Solve,
    /// The Newton steps after them.
    pub newton: Solve,
    /// The load index of the partition after the round.
    pub load_index: f64,
}

/// What the Lloyd rounds found.
#[derive(Debug, Default)]
struct Outcome {
    /// The part of each point, in Morton order.
    part_of: Vec<u32>,
    diagram: Diagram,
    /// The centres of the work, m.
    next: Vec<Vec3>,
    load_index: f64,
    rounds: Vec<Round>,
}

/// Regularised optimal transport between work and ranks. Remembers its sites: the next call begins
/// with them if it asks for as many parts.
pub struct Power {
    settings: PowerSettings,
    threads: Threads,
    /// The diagram of the last partition.
    diagram: Diagram,
    /// The sites with which the next call begins.
    next: Vec<Vec3>,
    rounds: Vec<Round>,
}

impl std::fmt::Debug for Power {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Power").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Power {
    /// A partitioner with `settings` that remembers no sites.
    ///
    /// # Errors
    /// When the operating system refuses the threads.
    pub fn new(settings: PowerSettings) -> Result<Self> {
        let threads = Threads::new(settings.threads)?;
        let (diagram, next, rounds) = (Diagram::default(), Vec::new(), Vec::new());
        Ok(Self { settings, threads, diagram, next, rounds })
    }

    /// The diagram of the last partition: a point belongs to the part whose cell contains it.
    /// Points that come later extend the partition by it.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    /// The Lloyd rounds of the last call.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The rank of the nearest site for each of `points`, which came after the partition (eq. 17).
    pub fn extend(&self, points: &[Vec3]) -> Vec<u32> {
        super::nearest_sites(&self.diagram.sites, points)
    }

    /// The cells of the last call if their load index is still small enough. Otherwise Lloyd
    /// rounds from `start`, or from the best of several starts.
    fn attempt(
        &self,
        problem: &WeightedPoints,
        parts: usize,
        offset: f64,
        start: Option<Diagram>,
    ) -> Outcome {
        let threads = &self.threads;
        let sorted = Sorted::new(problem, offset, self.settings.seed, threads);
        let cover = Cover::new(&sorted, threads);
        let mut outcome = self.unchanged(&cover, parts).unwrap_or_else(|| {
            let coarse = sorted.coarse(self.settings.coarse_points, threads);
            // Moving sites to their centres would undo the random moves of the first sites.
            let still = start.is_none() && self.settings.starts > 0 && parts <= MOVED_PARTS;
            let start = start.unwrap_or_else(|| self.first(&sorted, &coarse, parts));
            self.lloyd(&cover, &coarse, start, still)
        });
        outcome.part_of = sorted.unsorted(&outcome.part_of);
        outcome
    }

    /// The partition by the cells of the last call, if its load index is still small enough.
    fn unchanged(&self, cover: &Cover, parts: usize) -> Option<Outcome> {
        if !self.settings.calm || self.diagram.sites.len() != parts {
            return None;
        }
        let Assignment { part_of, loads } = cover.assign(&self.diagram);
        let load_index = uneven(&loads, loads.iter().sum::<f64>() / parts as f64);
        let (diagram, next) = (self.diagram.clone(), self.next.clone());
        let kept = Outcome { part_of, diagram, next, load_index, rounds: Vec::new() };
        (load_index < self.settings.load_tolerance).then_some(kept)
    }

    /// Algorithm 1 on the points of `coarse`. Sites that are `still` stay where they are.
    fn lloyd(&self, cover: &Cover, coarse: &Coarse, start: Diagram, still: bool) -> Outcome {
        let Diagram { mut sites, mut potentials } = start;
        let mut epsilon = 0.0;
        // Sites stay once only the loads need correction.
        let mut settled = false;
        let mut best_round = 0;
        let parts = sites.len();
        let total: f64 = coarse.work.iter().sum();
        let share = total / parts as f64;
        // The share of the coupling that each site asks for. It differs from the work of its cell.
        let mut shares = vec![share; parts];
        let mut transport = Transport::new(&coarse.points, &coarse.work, &self.threads);
        let mut outcome = Outcome { load_index: f64::INFINITY, ..Outcome::default() };
        for round in 0..self.settings.rounds {
            let (gamma, mean) = transport.distances(&sites);
            let reach = gamma.min(self.settings.far_limit * mean);
            if round == 0 {
                epsilon = reach / self.settings.epsilon_divisor;
            } else if !settled {
                epsilon *= self.settings.epsilon_factor;
            }
            epsilon = regularisation(epsilon.max(BLUR * coarse.width_m * reach.sqrt()));
            let mut diagram = Diagram { sites, potentials };
            let sharpness = gamma / epsilon;
            let mut domain = if libm::exp(-sharpness) < self.settings.overflow {
                Domain::Log
            } else {
                Domain::Plain
            };
            let (solve, newton) =
                self.balance(&mut transport, &mut diagram, &shares, epsilon, &mut domain);
            let Assignment { part_of, loads } = cover.assign(&diagram);
            let load_index = uneven(&loads, share);
            outcome.rounds.push(Round { sharpness, domain, solve, newton, load_index });
            let centres = transport.centres(&diagram, epsilon).sites;
            if load_index < outcome.load_index {
                let (diagram, next) = (diagram.clone(), centres.clone());
                outcome = Outcome { part_of, diagram, next, load_index, rounds: outcome.rounds };
                best_round = round;
            }
            let in_vain = settled && round - best_round >= IN_VAIN;
            if outcome.load_index < self.settings.load_tolerance || in_vain {
                break;
            }
            let solved = solve.deviation.min(newton.deviation) < self.settings.load_tolerance;
            if round >= CORRECTED && solved && load_index < CORRECTABLE {
                shares.iter_mut().zip(&loads).for_each(|(goal, load)| *goal *= share / load);
                let scale = total / shares.iter().sum::<f64>();
                shares.iter_mut().for_each(|goal| *goal *= scale);
                settled = true;
            }
            potentials = diagram.potentials;
            sites = if settled || still { diagram.sites } else { centres };
        }
        outcome
    }

    /// Sinkhorn iterations, then Newton steps. If no Newton step helps, because cells that must
    /// exchange work do not touch, both are repeated with more iterations.
    fn balance(
        &self,
        transport: &mut Transport,
        diagram: &mut Diagram,
        shares: &[f64],
        epsilon: f64,
        domain: &mut Domain,
    ) -> (Solve, Solve) {
        let settings = &self.settings;
        let tolerance = 0.5 * settings.load_tolerance;
        let (mut sinkhorn, mut newton) = (Solve::default(), Solve::default());
        let mut most = settings.iterations;
        for _ in 0..ALTERNATIONS {
            let mut solve = transport.solve(diagram, shares, epsilon, (*domain, tolerance, most));
            if *domain == Domain::Plain && !solve.deviation.is_finite() {
                *domain = Domain::Log;
                solve = transport.solve(diagram, shares, epsilon, (*domain, tolerance, most));
            }
            sinkhorn.iterations += solve.iterations;
            sinkhorn.deviation = solve.deviation;
            if solve.deviation < tolerance || settings.newton_steps == 0 {
                break;
            }
            let steps = settings.newton_steps;
            solve = transport.newton(diagram, shares, epsilon, (tolerance, steps));
            newton.iterations += solve.iterations;
            newton.deviation = solve.deviation;
            if solve.deviation < tolerance {
                break;
            }
            most *= 2;
        }
        (sinkhorn, newton)
    }

    /// The sites with which the first call begins.
    fn first(&self, sorted: &Sorted, coarse: &Coarse, parts: usize) -> Diagram {
        let settings = &self.settings;
        if settings.starts == 0 {
            return without_potentials(random_sites(&coarse.points, parts, settings.seed));
        }
        let few = sorted.coarse(starts::cubes(parts), &self.threads);
        let effort = Effort {
            starts: settings.starts,
            generations: settings.generations,
            seed: settings.seed,
            far_limit: settings.far_limit,
        };
        best_start(&few, parts, effort, &self.threads)
    }
}

impl Partitioner for Power {
    fn name(&self) -> &'static str {
        "Power"
    }

    fn partition(&mut self, problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>> {
        self.rounds.clear();
        if let Some(answer) = problem.simple_answer(parts)? {
            return Ok(answer);
        }
        let place = problem.points[0];
        if problem.points.iter().all(|x| *x == place) {
            let cause = format!("all points are at {:?}", place.as_slice());
            let remedy = "separate the points, or use a method that divides graphs";
            return Err(Error::input("partition", cause, remedy));
        }
        let begun = (self.next.len() == parts).then(|| without_potentials(self.next.clone()));
        let mut outcome = self.attempt(problem, parts, self.settings.offset, begun);
        let layered = problem.spacing_m > 0.0 && self.settings.offset < WIDE;
        if outcome.load_index >= self.settings.load_tolerance && layered {
            let start = Some(outcome.diagram.clone());
            let wide = self.attempt(problem, parts, WIDE, start);
            if wide.load_index < outcome.load_index {
                outcome = Outcome { rounds: [outcome.rounds, wide.rounds].concat(), ..wide };
            }
        }
        (self.diagram, self.next) = (outcome.diagram, outcome.next);
        self.rounds = outcome.rounds;
        Ok(outcome.part_of)
    }
}

/// The largest relative distance of a load from the share (eq. 18).
fn uneven(loads: &[f64], share: f64) -> f64 {
    loads.iter().map(|load| (load / share - 1.0).abs()).fold(0.0, f64::max)
}

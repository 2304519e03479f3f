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
//! | `coarse` | Morton order; cubes of points |
//! | `transport` | Sinkhorn iterations |
//! | `newton` | Newton steps where these are slow |
//! | [`diagram`] | power diagram: which site has a point |
//! | [`cells`] | its cells as convex polytopes |

mod batches;
pub mod cells;
mod coarse;
pub mod diagram;
pub mod exp;
mod newton;
#[cfg(test)]
mod tests;
mod transport;

use self::batches::LANES;
pub use self::cells::PowerCell;
use self::coarse::{Coarse, Sorted, mix};
pub use self::diagram::Diagram;
use self::transport::Transport;
pub use self::transport::{Domain, Solve};
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::partition::measures::{load_index, part_loads, surface_index};
use crate::partition::methods::{Partitioner, WeightedPoints};
use crate::threads::Threads;

/// From this round on, a cell that got too much work asks for less of the coupling,
const CORRECTED: u32 = 3;
/// if the load index is below this.
const CORRECTABLE: f64 = 0.1;
/// From this round on, cubes are half as wide: there may be too few for the tolerance.
const REFINED: u32 = 5;
/// Sinkhorn iterations and Newton steps alternate at most so often.
const ALTERNATIONS: u32 = 6;
/// First sites are sought on at most so many cubes,
const START_CUBES: usize = 4_000;
/// or so many for each part,
const START_CUBES_PER_PART: usize = 64;
/// in so many Lloyd rounds
const START_ROUNDS: u32 = 16;
/// with this `Gamma / epsilon`,
const START_SHARPNESS: f64 = 30.0;
/// this tolerance of the shares,
const START_TOLERANCE: f64 = 0.05;
/// and at most so many Sinkhorn iterations in a round.
const START_ITERATIONS: u32 = 20;

/// Settings of [`Power`]. The default has the values of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSettings {
    /// Rounds end when the load index (eq. 18) is below this. Sinkhorn iterations end at half of it.
    pub load_tolerance: f64,
    /// At most so many Lloyd rounds.
    pub rounds: u32,
    /// At most so many Sinkhorn iterations in a round,
    pub iterations: u32,
    /// and then at most so many Newton steps; 0 in the paper, which has no bound of iterations.
    pub newton_steps: u32,
    /// The first regularisation is `Gamma` (eq. 16) divided by this.
    pub epsilon_divisor: f64,
    /// For that, `Gamma` is at most this many times the mean squared distance of the work from its
    /// site. A ball around each site has 5/3, a long box 3. Without a limit (infinite, as in the
    /// paper) one drop far from all sites blurs all cells, and all sites gather in the middle.
    pub far_limit: f64,
    /// The regularisation is multiplied by this from round to round.
    pub epsilon_factor: f64,
    /// The log domain is used where `exp(-Gamma / epsilon)` is below this.
    pub overflow: f64,
    /// More points are joined in cubes, so that there are about so many.
    pub coarse_points: usize,
    /// Keep the cells of the last call if their load index is still below `load_tolerance`, so that
    /// nothing moves between ranks; the paper always moves them.
    pub calm: bool,
    /// Points move at random within a cube of this many spacings around them.
    pub offset: f64,
    /// The first call tries so many sets of first sites on few cubes, and goes on with the one that
    /// has the least surface. With 0 it begins with random points, as in the paper.
    pub starts: u32,
    /// For first sites and offsets.
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
            overflow: 1e-12,
            coarse_points: 64_000,
            calm: true,
            offset: 0.3,
            starts: 8,
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

/// Regularised optimal transport between work and ranks. Remembers its sites: the next call begins
/// with them if it asks for as many parts.
pub struct Power {
    settings: PowerSettings,
    threads: Threads,
    /// The diagram of the last partition.
    diagram: Diagram,
    /// Where the next call begins.
    next: Vec<Vec3>,
    rounds: Vec<Round>,
}

impl std::fmt::Debug for Power {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Power").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Power {
    /// With `settings`, and nothing to remember.
    ///
    /// # Errors
    /// When the operating system refuses the threads.
    pub fn new(settings: PowerSettings) -> Result<Self> {
        let threads = Threads::new(settings.threads)?;
        let (diagram, next, rounds) = (Diagram::default(), Vec::new(), Vec::new());
        Ok(Self { settings, threads, diagram, next, rounds })
    }

    /// The diagram of the last partition: a point belongs to the part whose cell contains it. Points
    /// that come later extend the partition by it.
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

    /// The partition by the cells of the last call, if it still serves.
    fn unchanged(&self, sorted: &Sorted, coarse: &Coarse, parts: usize) -> Option<Vec<u32>> {
        if !self.settings.calm || self.diagram.sites.len() != parts {
            return None;
        }
        let part_of = self.assign(sorted, coarse, &self.diagram);
        let balanced = load_index(&part_of, &sorted.work, parts) < self.settings.load_tolerance;
        balanced.then_some(part_of)
    }

    /// Algorithm 1 on the points of `coarse`.
    fn lloyd(&mut self, sorted: &Sorted, mut coarse: Coarse, mut sites: Vec<Vec3>) -> Vec<u32> {
        let parts = sites.len();
        let total: f64 = coarse.work.iter().sum();
        let share = total / parts as f64;
        // What each site shall get of the coupling, which differs from what its cell gets.
        let mut shares = vec![share; parts];
        let mut transport = Transport::new(&coarse.points, &coarse.work, &self.threads);
        let mut potentials = vec![0.0; parts];
        let mut epsilon = 0.0;
        let mut best = (f64::INFINITY, Vec::new());
        for round in 0..self.settings.rounds {
            if round == REFINED && coarse.points.len() < sorted.points.len() {
                coarse = sorted.coarse(8 * coarse.points.len());
                transport = Transport::new(&coarse.points, &coarse.work, &self.threads);
            }
            let (gamma, mean) = transport.distances(&sites);
            epsilon = if round == 0 {
                gamma.min(self.settings.far_limit * mean) / self.settings.epsilon_divisor
            } else {
                epsilon * self.settings.epsilon_factor
            };
            let mut diagram = Diagram { sites, potentials };
            let sharpness = gamma / epsilon;
            let mut domain = if libm::exp(-sharpness) < self.settings.overflow {
                Domain::Log
            } else {
                Domain::Plain
            };
            let (solve, newton) =
                self.balance(&mut transport, &mut diagram, &shares, epsilon, &mut domain);
            let part_of = self.assign(sorted, &coarse, &diagram);
            let loads = part_loads(&part_of, &sorted.work, parts);
            let load_index =
                loads.iter().map(|load| (load / share - 1.0).abs()).fold(0.0, f64::max);
            self.rounds.push(Round { sharpness, domain, solve, newton, load_index });
            let centres = transport.centres(&diagram, epsilon).sites;
            if load_index < best.0 {
                best = (load_index, part_of);
                self.diagram = diagram.clone();
                self.next.clone_from(&centres);
            }
            if best.0 < self.settings.load_tolerance {
                break;
            }
            let solved = solve.deviation.min(newton.deviation) < self.settings.load_tolerance;
            if round >= CORRECTED && solved && load_index < CORRECTABLE {
                shares.iter_mut().zip(&loads).for_each(|(goal, load)| *goal *= share / load);
                let scale = total / shares.iter().sum::<f64>();
                shares.iter_mut().for_each(|goal| *goal *= scale);
            }
            (sites, potentials) = (centres, diagram.potentials);
        }
        best.1
    }

    /// Sinkhorn iterations, then Newton steps. Where no Newton step helps, since cells that must
    /// exchange work do not touch, more of both.
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

    /// The best of several random starts, after some Lloyd rounds on few cubes.
    fn first_sites(&self, sorted: &Sorted, parts: usize) -> Vec<Vec3> {
        let settings = &self.settings;
        if settings.starts == 0 {
            let points = sorted.coarse(settings.coarse_points).points;
            return random_sites(&points, parts, settings.seed);
        }
        let coarse = sorted.coarse(START_CUBES.max(START_CUBES_PER_PART * parts));
        let shares = vec![coarse.work.iter().sum::<f64>() / parts as f64; parts];
        let mut transport = Transport::new(&coarse.points, &coarse.work, &self.threads);
        let graph = coarse.graph();
        let mut best = (f64::INFINITY, Vec::new());
        for start in 0..u64::from(settings.starts) {
            let sites = random_sites(&coarse.points, parts, mix(settings.seed) ^ start);
            let mut diagram = Diagram { sites, potentials: vec![0.0; parts] };
            let mut spread = f64::INFINITY;
            for _ in 0..START_ROUNDS {
                let (gamma, mean) = transport.distances(&diagram.sites);
                let epsilon = gamma.min(settings.far_limit * mean) / START_SHARPNESS;
                let how = (Domain::Log, START_TOLERANCE, START_ITERATIONS);
                transport.solve(&mut diagram, &shares, epsilon, how);
                let centres = transport.centres(&diagram, epsilon);
                spread = centres.spread;
                diagram.sites = centres.sites;
            }
            let score = match &graph {
                Some(graph) => {
                    let part_of: Vec<u32> =
                        coarse.points.iter().map(|x| diagram.site_of(x)).collect();
                    surface_index(graph, &part_of, parts)
                }
                None => spread,
            };
            if score < best.0 {
                best = (score, diagram.sites);
            }
        }
        best.1
    }

    /// The part of each point, in Morton order.
    fn assign(&self, sorted: &Sorted, coarse: &Coarse, diagram: &Diagram) -> Vec<u32> {
        let mut part_of = vec![0; sorted.points.len()];
        coarse.for_each_chunk(&mut part_of, LANES, &self.threads, |cubes, parts| {
            let first = coarse.starts[cubes.start] as usize;
            let mut near = Vec::new();
            assign_piece(&sorted.points[first..first + parts.len()], diagram, parts, &mut near);
        });
        part_of
    }
}

/// The parts of adjacent points: those of few sites are compared.
fn assign_piece(points: &[Vec3], diagram: &Diagram, parts: &mut [u32], near: &mut Vec<u32>) {
    for (points, parts) in points.chunks(LANES).zip(parts.chunks_mut(LANES)) {
        let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let centre = (low + high) * 0.5;
        diagram.within(&centre, (high - low).norm() * 0.5, 0.0, near);
        for (x, part) in points.iter().zip(parts) {
            *part = match near[..] {
                [only] => only,
                _ => diagram.nearest(near.iter().copied(), x),
            };
        }
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
        let settings = &self.settings;
        let sorted = Sorted::new(problem, settings.offset, settings.seed, &self.threads);
        let coarse = sorted.coarse(settings.coarse_points);
        let sites = if self.next.len() == parts {
            self.next.clone()
        } else {
            self.first_sites(&sorted, parts)
        };
        if let Some(part_of) = self.unchanged(&sorted, &coarse, parts) {
            return Ok(sorted.unsorted(&part_of));
        }
        let part_of = self.lloyd(&sorted, coarse, sites);
        Ok(sorted.unsorted(&part_of))
    }
}

/// `parts` different points, drawn at random (section 4.2.4).
fn random_sites(points: &[Vec3], parts: usize, seed: u64) -> Vec<Vec3> {
    let mut numbers: Vec<u32> = (0..points.len() as u32).collect();
    let mut random = mix(seed);
    for i in 0..parts.min(points.len()) {
        random = mix(random);
        let j = i + (random % (points.len() - i) as u64) as usize;
        numbers.swap(i, j);
    }
    let chosen = numbers.iter().cycle().take(parts);
    chosen.map(|&i| points[i as usize]).collect()
}

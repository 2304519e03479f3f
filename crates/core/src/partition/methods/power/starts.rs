//! The sites with which the first call begins: the best of several random starts.
//!
//! The surface varies up to 2.4 times with the first sites. So several random sets run some Lloyd
//! rounds on few cubes, each on a thread of its own. After some rounds the half with the larger
//! surface is left out, and so on.
//!
//! Lloyd rounds do not know the surface. A cell around the stem of a plume takes a thin layer of
//! the ring all around, wherever the centres are. So the sites of the best start are moved at
//! random, and a move that gives less surface with balanced work is kept. 8 generations reduce the
//! surface by up to 41 % (plume, 8 ranks), and by 8 % in the mean of 12 shapes. 32 generations
//! find no more. With 32 ranks or more, random moves find nothing.

use crate::partition::graph::Graph;
use crate::partition::measures::surfaces;
use crate::partition::methods::power::coarse::Coarse;
use crate::partition::methods::power::diagram::Diagram;
use crate::partition::methods::power::order::mix;
use crate::partition::methods::power::transport::{Domain, Transport};
use crate::{EachPatch, Threads, Vec3};

/// The starts work on about this many cubes, or on more if there are many parts.
const CUBES: usize = 4_000;
/// The starts work on at least about this many cubes for each part.
const CUBES_PER_PART: usize = 64;
/// Number of Lloyd rounds of all starts, then of the better half, then of the better half of
/// these.
const ROUNDS: [u32; 3] = [4, 4, 8];
/// `Gamma / epsilon` in the rounds of the starts.
const SHARPNESS: f64 = 30.0;
/// The relative tolerance of the shares.
const TOLERANCE: f64 = 0.05;
/// The largest number of Sinkhorn iterations in a round.
const ITERATIONS: u32 = 20;

/// With more parts than this, sites are not moved at random.
pub(super) const MOVED_PARTS: usize = 16;
/// Number of moves that are tried in a generation.
const TRIALS: u32 = 8;
/// The width of the random moves in the first generation, in distances between sites.
const SHAKE: f64 = 0.3;
/// The width is multiplied by this after a generation that found nothing better.
const CALMER: f64 = 0.7;

/// How many starts and moves are tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub starts: u32,
    /// Generations of moves.
    pub generations: u32,
    pub seed: u64,
    /// The `far_limit` of [`super::PowerSettings`].
    pub far_limit: f64,
}

/// A start during its rounds.
struct Run<'a> {
    transport: Transport<'a>,
    diagram: Diagram,
    score: f64,
    /// The part with the largest surface.
    worst: usize,
}

/// Sites, all with the same potential.
pub(super) fn without_potentials(sites: Vec<Vec3>) -> Diagram {
    Diagram { potentials: vec![0.0; sites.len()], sites }
}

/// `epsilon` (m^2), or the smallest normal number if it is 0. It is 0 if each point is a site.
pub(super) fn regularisation(epsilon: f64) -> f64 {
    epsilon.max(f64::MIN_POSITIVE)
}

/// The number of cubes on which [`best_start`] should work.
pub(super) fn cubes(parts: usize) -> usize {
    CUBES.max(CUBES_PER_PART * parts)
}

/// The best of several sets of `parts` sites on the cubes of `coarse`.
pub(super) fn best_start(
    coarse: &Coarse,
    parts: usize,
    effort: Effort,
    threads: &Threads,
) -> Diagram {
    let shares = vec![coarse.work.iter().sum::<f64>() / parts as f64; parts];
    let graph = coarse.graph();
    let run = |number: u64| {
        let sites = random_sites(&coarse.points, parts, mix(effort.seed) ^ number);
        Run {
            transport: Transport::new(&coarse.points, &coarse.work, &Threads::INLINE),
            diagram: without_potentials(sites),
            score: f64::INFINITY,
            worst: 0,
        }
    };
    let mut runs: Vec<Run> = (0..u64::from(effort.starts)).map(run).collect();
    for rounds in ROUNDS {
        threads.for_each_patch(EachPatch(&mut runs), 1, |_, run| {
            run.0[0].go_on(rounds, &shares, effort.far_limit, coarse, graph.as_ref());
        });
        // A stable sort: of equal runs the first one stays first.
        runs.sort_by(|a, b| a.score.total_cmp(&b.score));
        runs.truncate(runs.len().div_ceil(2));
    }
    let best = runs.swap_remove(0);
    match &graph {
        Some(graph) if parts <= MOVED_PARTS => {
            refined(best, coarse, graph, &shares, effort, threads)
        }
        _ => best.diagram,
    }
}

/// Moves the sites at random and keeps moves that reduce the surface. Sites that are not in the
/// centres of their work may have a smaller surface.
fn refined(
    best: Run,
    coarse: &Coarse,
    graph: &Graph,
    shares: &[f64],
    effort: Effort,
    threads: &Threads,
) -> Diagram {
    let mut best = (best.score, best.diagram, best.worst);
    let trial = |_| Run {
        transport: Transport::new(&coarse.points, &coarse.work, &Threads::INLINE),
        diagram: Diagram::default(),
        score: f64::INFINITY,
        worst: 0,
    };
    let mut trials: Vec<Run> = (0..TRIALS).map(trial).collect();
    let mut width = SHAKE;
    for generation in 0..u64::from(effort.generations) {
        threads.for_each_patch(EachPatch(&mut trials), 1, |number, trial| {
            let trial = &mut trial.0[0];
            let seed = mix(effort.seed ^ mix(generation << 32 | number as u64));
            trial.diagram = best.1.clone();
            trial.shake(best.2, number % 2 == 1, width, seed);
            trial.settle(shares, effort.far_limit, coarse, graph);
        });
        let mut found = false;
        for trial in &trials {
            if trial.score < best.0 {
                best = (trial.score, trial.diagram.clone(), trial.worst);
                found = true;
            }
        }
        if !found {
            width *= CALMER;
        }
    }
    best.1
}

impl Run<'_> {
    fn go_on(
        &mut self,
        rounds: u32,
        shares: &[f64],
        far_limit: f64,
        coarse: &Coarse,
        graph: Option<&Graph>,
    ) {
        let diagram = &mut self.diagram;
        for _ in 0..rounds {
            let (gamma, mean) = self.transport.distances(&diagram.sites);
            let epsilon = regularisation(gamma.min(far_limit * mean) / SHARPNESS);
            self.transport.solve(diagram, shares, epsilon, (Domain::Log, TOLERANCE, ITERATIONS));
            let centres = self.transport.centres(diagram, epsilon);
            self.score = centres.spread;
            diagram.sites = centres.sites;
        }
        if let Some(graph) = graph {
            self.judge(coarse, graph);
        }
    }

    fn judge(&mut self, coarse: &Coarse, graph: &Graph) {
        let diagram = &self.diagram;
        let part_of: Vec<u32> = coarse.points.iter().map(|x| diagram.site_of(x)).collect();
        let surfaces = surfaces(graph, &part_of, diagram.sites.len());
        let (worst, score) =
            (0..).zip(surfaces).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        (self.worst, self.score) = (worst, score);
    }

    /// Moves all sites, or if `few` only the `worst` site and the sites nearest to it.
    fn shake(&mut self, worst: usize, few: bool, width: f64, seed: u64) {
        let sites = &mut self.diagram.sites;
        let centre = sites[worst];
        let apart = |x: &Vec3| (x - centre).norm();
        let nearest = sites.iter().map(apart).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
        if nearest == f64::INFINITY {
            return;
        }
        let component = |k: u64| (mix(seed ^ mix(k)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        for (k, site) in (0..).zip(sites) {
            if !few || (*site - centre).norm() <= 1.3 * nearest {
                let random =
                    Vec3::new(component(3 * k), component(3 * k + 1), component(3 * k + 2));
                *site += random * (2.0 * width * nearest);
            }
        }
    }

    /// Balances the work without a move of the sites.
    fn settle(&mut self, shares: &[f64], far_limit: f64, coarse: &Coarse, graph: &Graph) {
        let (gamma, mean) = self.transport.distances(&self.diagram.sites);
        let epsilon = regularisation(gamma.min(far_limit * mean) / SHARPNESS);
        let how = (Domain::Log, TOLERANCE, 2 * ITERATIONS);
        let solve = self.transport.solve(&mut self.diagram, shares, epsilon, how);
        self.judge(coarse, graph);
        if solve.deviation > 2.0 * TOLERANCE {
            self.score = f64::INFINITY;
        }
    }
}

/// `parts` different points, drawn at random (section 4.2.4).
pub(super) fn random_sites(points: &[Vec3], parts: usize, seed: u64) -> Vec<Vec3> {
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

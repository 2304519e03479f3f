//! Where the first call begins: the best of several random starts.
//!
//! The surface varies up to 2.4 times with the first sites. So several random sets run some Lloyd
//! rounds on few cubes, each on a thread of its own. After some rounds the half with the larger
//! surface is left out, and so on.

use crate::math::Vec3;
use crate::partition::graph::Graph;
use crate::partition::measures::surface_index;
use crate::partition::methods::power::coarse::Coarse;
use crate::partition::methods::power::diagram::Diagram;
use crate::partition::methods::power::order::mix;
use crate::partition::methods::power::transport::{Domain, Transport};
use crate::threads::{EachPatch, Threads};

/// Cubes at most,
const CUBES: usize = 4_000;
/// or so many for each part.
const CUBES_PER_PART: usize = 64;
/// Lloyd rounds of all starts, of the better half, and of the better half of these.
const ROUNDS: [u32; 3] = [4, 4, 8];
/// `Gamma / epsilon`.
const SHARPNESS: f64 = 30.0;
/// The tolerance of the shares.
const TOLERANCE: f64 = 0.05;
/// Sinkhorn iterations in a round, at most.
const ITERATIONS: u32 = 20;

/// A start that runs.
struct Run<'a> {
    transport: Transport<'a>,
    diagram: Diagram,
    score: f64,
}

/// Sites, all with the same potential.
pub(super) fn without_potentials(sites: Vec<Vec3>) -> Diagram {
    Diagram { potentials: vec![0.0; sites.len()], sites }
}

/// The number of cubes that [`best_start`] wants.
pub(super) fn cubes(parts: usize) -> usize {
    CUBES.max(CUBES_PER_PART * parts)
}

/// The best of `starts` sets of `parts` sites on the cubes of `coarse`.
pub(super) fn best_start(
    coarse: &Coarse,
    parts: usize,
    starts: u32,
    (seed, far_limit): (u64, f64),
    threads: &Threads,
) -> Diagram {
    let shares = vec![coarse.work.iter().sum::<f64>() / parts as f64; parts];
    let graph = coarse.graph();
    let run = |number: u64| {
        let sites = random_sites(&coarse.points, parts, mix(seed) ^ number);
        Run {
            transport: Transport::new(&coarse.points, &coarse.work, &Threads::INLINE),
            diagram: without_potentials(sites),
            score: f64::INFINITY,
        }
    };
    let mut runs: Vec<Run> = (0..u64::from(starts)).map(run).collect();
    for rounds in ROUNDS {
        threads.for_each_patch(EachPatch(&mut runs), 1, |_, run| {
            run.0[0].go_on(rounds, &shares, far_limit, coarse, graph.as_ref());
        });
        // Stable: of equal ones the first.
        runs.sort_by(|a, b| a.score.total_cmp(&b.score));
        runs.truncate(runs.len().div_ceil(2));
    }
    runs.swap_remove(0).diagram
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
            let epsilon = gamma.min(far_limit * mean) / SHARPNESS;
            self.transport.solve(diagram, shares, epsilon, (Domain::Log, TOLERANCE, ITERATIONS));
            let centres = self.transport.centres(diagram, epsilon);
            self.score = centres.spread;
            diagram.sites = centres.sites;
        }
        if let Some(graph) = graph {
            let part_of: Vec<u32> = coarse.points.iter().map(|x| diagram.site_of(x)).collect();
            self.score = surface_index(graph, &part_of, shares.len());
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

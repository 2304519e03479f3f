//! The homes of the bodies at the start, and how they move by counted work, so that the largest
//! worker has less to do.
//!
//! The work of a worker is the number of its active bodies and of their constraints. Counts, and not
//! times, decide: so homes depend on the scene and the number of workers alone. (The paper drops
//! shared bodies from the fuller worker, and its homes are fixed. Its balance is that of bodies, and
//! fails in its building, figure 13.)
//!
//! Every [`PERIOD`] steps, unless workers are cut or joined (`resize`):
//!
//! 1. If the largest worker has much more to do than it would have without shared bodies, homes are
//!    found anew, by the method of the start and with the work of each body. They count if they make
//!    the largest worker clearly smaller.
//! 2. Else bodies at the border of two homes move to the emptier one, those first that shorten the
//!    border most.

use crate::sets::Sets;
use crate::settings::Division;
use cloth_core::partition::Graph;
use cloth_core::partition::methods::{
    Couplings, Metis, Partitioner, Power, PowerSettings, WeightedPoints, named_after,
};
use cloth_core::{Result, Vec3};
use cloth_rigid::constraint::joint::{Joint, Joints};
use cloth_rigid::constraint::{Between, Partner};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::{Body, BodyId};

/// The homes of `bodies`, which have rising ids, for `count` workers. `joints` may connect them.
/// `Groups` counts as `Auto` here, because only a scene knows the names.
///
/// # Errors
/// If the method refuses the bodies.
pub fn homes(division: &Division, bodies: &[Body], joints: &Joints, count: u32) -> Result<Vec<u8>> {
    let number = count as usize;
    let points: Vec<Vec3> = bodies.iter().map(|body| body.state.position).collect();
    let ones = vec![1.0; points.len()];
    let problem = WeightedPoints::new(&points, &ones);
    let homes = match division {
        Division::Equal => (0..bodies.len()).map(|k| (k * number / bodies.len()) as u32).collect(),
        Division::Power => of_power(&problem, number)?,
        Division::Metis => parts(&problem, &joint_graph(bodies, joints), true, number)?,
        Division::Auto | Division::Groups(_) => {
            parts(&problem, &joint_graph(bodies, joints), !joints.is_empty(), number)?
        }
    };
    Ok(homes.into_iter().map(|home| home as u8).collect())
}

/// Parts of equal work: as [`Division::Auto`] at the start.
///
/// # Errors
/// If the method refuses the points.
pub(super) fn parts(
    problem: &WeightedPoints,
    graph: &Graph,
    has_joints: bool,
    count: usize,
) -> Result<Vec<u32>> {
    match has_joints {
        true => {
            let graph = Some(Couplings { graph, weights: None });
            Metis::default().partition(&WeightedPoints { graph, ..*problem }, count)
        }
        false => of_power(problem, count),
    }
}

fn of_power(problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>> {
    Power::new(PowerSettings::default())?.partition(problem, parts)
}

/// The graph of the joints of `bodies`, which have rising ids.
fn joint_graph(bodies: &[Body], joints: &Joints) -> Graph {
    let place = |id: BodyId| bodies.binary_search_by_key(&id, |body| body.id).ok();
    let edge =
        |joint: &Joint| Some([place(joint.first)? as u32, place(joint.second.movable()?)? as u32]);
    let edges: Vec<[u32; 2]> = joints.all().iter().filter_map(edge).collect();
    Graph::from_cliques(bodies.len(), edges.iter().map(|edge| &edge[..]))
}

/// Steps from one look at the work to the next.
pub const PERIOD: u64 = 20;

/// The part by which the work of workers may differ from the mean before bodies move.
const TOLERANCE: f64 = 0.05;

/// The largest worker has this many times the work that it would have without shared bodies, before
/// homes are found anew.
const LARGE: f64 = 1.3;

/// Homes that were found anew count if they make the work of the largest worker smaller by this
/// factor.
const GAIN: f64 = 0.9;

/// The bodies of a step, and what there is to do for them. Numbers of bodies are places in `ids`.
#[derive(Debug, Default)]
pub struct Loads {
    /// The bodies, rising.
    pub ids: Vec<BodyId>,
    /// Their centres of mass, m.
    pub(super) points: Vec<Vec3>,
    /// The two movable bodies of each constraint.
    pub(super) edges: Vec<[u32; 2]>,
    /// The number of constraints of each body with fixed bodies and with space.
    pub(super) alone: Vec<u32>,
    pub(super) has_joints: bool,
    pub(super) workers: usize,
    pub(super) growth: u32,
}

impl Loads {
    /// Those of a step, for `workers` workers whose sets grow by `growth`.
    pub fn new(middle: &Middle, workers: usize, growth: u32) -> Self {
        let id = |place: u32| middle.bodies.id(place as usize);
        let mut order: Vec<u32> = (0..middle.bodies.len() as u32).collect();
        // Places depend on the steps before, also on restarts.
        order.sort_unstable_by_key(|&place| id(place));
        let mut numbers = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&place, number)| numbers[place as usize] = number);
        let point = |&place: &u32| middle.bodies.states()[place as usize].position;
        let (mut edges, mut alone) = (Vec::new(), vec![0; order.len()]);
        let contacts = middle.contacts.iter().map(Between::ends);
        for ends in contacts.chain(middle.joints.iter().map(Between::ends)) {
            let first = numbers[ends.first as usize];
            match ends.second {
                Partner::Movable(second) => edges.push([first, numbers[second as usize]]),
                Partner::Fixed(_) => alone[first as usize] += 1,
            }
        }
        Self {
            ids: order.iter().map(|&place| id(place)).collect(),
            points: order.iter().map(point).collect(),
            edges,
            alone,
            has_joints: !middle.model.joints.is_empty(),
            workers,
            growth,
        }
    }

    /// Changes `homes`, and returns the number of workers. With a `target` it may change: that is
    /// the work that a worker should have. The result is the same on all ranks.
    ///
    /// # Errors
    /// If the method of the division refuses the bodies.
    pub fn balance(&self, target: Option<f64>, homes: &mut [u8]) -> Result<usize> {
        let graph = Graph::from_cliques(homes.len(), self.edges.iter().map(|edge| &edge[..]));
        let work = self.work_of_bodies();
        let before = self.work_of_workers(&graph, homes, self.workers);
        if let Some(target) = target {
            let count = self.resize(&graph, [&work, &before], target, homes)?;
            if count != self.workers {
                return Ok(count);
            }
        }
        let largest = |work: &[f64]| work.iter().copied().fold(0.0, f64::max);
        let least = work.iter().sum::<f64>() / self.workers as f64;
        if largest(&before) > LARGE * least {
            let found = self.anew(&graph, &work, homes)?;
            let after = self.work_of_workers(&graph, &found, self.workers);
            if largest(&after) < GAIN * largest(&before) {
                homes.copy_from_slice(&found);
                return Ok(self.workers);
            }
        }
        diffuse(&graph, &work, before, homes);
        Ok(self.workers)
    }

    /// The work of each body: one, its constraints with fixed bodies, and half of the others.
    fn work_of_bodies(&self) -> Vec<f64> {
        let mut work: Vec<f64> = self.alone.iter().map(|&alone| 1.0 + f64::from(alone)).collect();
        self.edges.iter().flatten().for_each(|&body| work[body as usize] += 0.5);
        work
    }

    /// The work of each of `workers` workers, with that for shared bodies.
    pub(super) fn work_of_workers(&self, graph: &Graph, homes: &[u8], workers: usize) -> Vec<f64> {
        let order: Vec<u32> = (0..homes.len() as u32).collect();
        let sets = Sets::new(graph, homes, &order, workers, self.growth);
        let of_bodies = |worker: usize| {
            let members = sets.members(worker).iter();
            members.map(|&body| 1.0 + f64::from(self.alone[body as usize])).sum()
        };
        let mut work: Vec<f64> = (0..workers).map(of_bodies).collect();
        for &[first, second] in &self.edges {
            let both = sets.workers(first).filter(|&worker| sets.has(worker, second));
            both.for_each(|worker| work[worker] += 1.0);
        }
        work
    }

    /// Homes by the method of the start, with the names of the homes that they overlap most.
    fn anew(&self, graph: &Graph, work: &[f64], homes: &[u8]) -> Result<Vec<u8>> {
        let problem = WeightedPoints::new(&self.points, work);
        let parts = parts(&problem, graph, self.has_joints, self.workers)?;
        let before: Vec<u32> = homes.iter().map(|&home| home.into()).collect();
        let named = named_after(&before, &parts, work, self.workers);
        Ok(named.into_iter().map(|home| home as u8).collect())
    }
}

/// Moves bodies to neighbouring homes with less work. `loads` is the work of the workers.
fn diffuse(graph: &Graph, work: &[f64], mut loads: Vec<f64>, homes: &mut [u8]) {
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    // The border of each body with its home and the best other one: more is better.
    let gain = |homes: &[u8], body: u32, to: u8| -> i64 {
        let of = |home: u8| {
            graph.neighbours(body).iter().filter(|&&it| homes[it as usize] == home).count() as i64
        };
        of(to) - of(homes[body as usize])
    };
    let mut moves: Vec<(i64, u32, u8)> = Vec::new();
    for body in 0..homes.len() as u32 {
        let mut others: Vec<u8> =
            graph.neighbours(body).iter().map(|&it| homes[it as usize]).collect();
        others.sort_unstable();
        others.dedup();
        let home = homes[body as usize];
        let others = others.into_iter().filter(|&to| to != home);
        moves.extend(others.map(|to| (gain(homes, body, to), body, to)));
    }
    moves.sort_unstable_by_key(|&(gain, body, to)| (-gain, body, to));
    for (_, body, to) in moves {
        let (from, moved) = (usize::from(homes[body as usize]), work[body as usize]);
        let (here, there) = (loads[from], loads[usize::from(to)]);
        let is_off = here > mean * (1.0 + TOLERANCE) || there < mean * (1.0 - TOLERANCE);
        // Moves before may have changed its border.
        let shortens = gain(homes, body, to) > 0 && there + moved <= here.max(mean);
        if from != usize::from(to) && (is_off && here - there > 2.0 * moved || shortens) {
            homes[body as usize] = to;
            loads[from] -= moved;
            loads[usize::from(to)] += moved;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Boxes on a floor in a square, with contacts to their neighbours.
    pub fn square(side: u32) -> (Vec<Vec3>, Vec<[u32; 2]>) {
        let at = |k: u32| Vec3::new(f64::from(k / side), 0.0, f64::from(k % side));
        let right = (0..side * side).filter(|k| k % side + 1 < side).map(|k| [k, k + 1]);
        let next = (0..side * (side - 1)).map(|k| [k, k + side]);
        ((0..side * side).map(at).collect(), right.chain(next).collect())
    }

    fn spread(loads: &Loads, homes: &[u8]) -> f64 {
        let graph = Graph::from_cliques(homes.len(), loads.edges.iter().map(|edge| &edge[..]));
        let work = loads.work_of_workers(&graph, homes, loads.workers);
        work.iter().copied().fold(0.0, f64::max) / (work.iter().sum::<f64>() / work.len() as f64)
    }

    #[test]
    fn work_becomes_even_from_any_homes_and_then_stays() {
        let (points, edges) = square(30);
        let alone = vec![1; 900];
        let loads = Loads { points, edges, alone, workers: 4, growth: 1, ..Loads::default() };
        let mixed = |k: usize| ((k * 2_654_435_761) >> 7) as u8 % 4;
        let uneven = |k: usize| [0, 0, 0, 0, 0, 1, 2, 3][k * 8 / 900];
        let starts: [Vec<u8>; 3] =
            [vec![2; 900], (0..900).map(mixed).collect(), (0..900).map(uneven).collect()];
        for mut homes in starts {
            for _ in 0..20 {
                loads.balance(None, &mut homes).unwrap();
            }
            assert!(spread(&loads, &homes) < 1.1, "{}", spread(&loads, &homes));
            let before = homes.clone();
            loads.balance(None, &mut homes).unwrap();
            assert_eq!(before, homes);
        }
    }
}

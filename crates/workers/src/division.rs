//! The homes of the bodies at the start.

use crate::settings::Division;
use cloth_core::partition::Graph;
use cloth_core::partition::methods::{
    Couplings, Metis, Partitioner, Power, PowerSettings, WeightedPoints,
};
use cloth_core::{Result, Vec3};
use cloth_rigid::constraint::joint::{Joint, Joints};
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

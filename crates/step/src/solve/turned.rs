//! What is wrong with the solution of a step: it did not converge, or something turned too far.

use crate::state::context::Context;
use crate::state::joint_springs::Purpose;
use crate::state::motion::{StepMotion, each_body, nodes, vertices};
use crate::state::trouble::{Found, Trouble};
use cloth_bodies::contact::Sharing;
use cloth_core::ids::VertexId;
use cloth_core::linear::{CgReport, End};
use cloth_core::math::Vec3;

/// What is wrong with a solve.
pub(crate) fn unsolved(solved: &CgReport) -> Option<Found> {
    match solved.end {
        End::Converged => None,
        End::NotFinite => Some(Found::new(Trouble::NotFinite)),
        End::Iterations | End::Indefinite => Some(Found::new(Trouble::NotConverged)),
    }
}

/// Angle by which an edge may turn in a step, rad. The forces of a step are linearised at its
/// start, so an edge that turns by `a` is stretched by about `a^2 / 2`. That is energy from
/// nothing.
const TURN_LIMIT: f64 = 0.3;

/// Angle by which a body may turn in a step, rad. A vertex is then at most 3 % of its arm off its
/// straight way.
pub(crate) const BODY_TURN_LIMIT: f64 = 0.5;

/// How far a vertex of a body may end from where its contacts expect it, as a share of the contact
/// distance.
const STRAY_LIMIT: f64 = 0.25;

/// How far a rigid joint may end from where the solve expects it, as a share of the contact
/// distance.
const OPEN_LIMIT: f64 = 0.02;

/// How far a rigid joint may end from the tilt that the solve expects, rad.
const TILT_LIMIT: f64 = 1e-3;

/// Edges that a thread takes at a time.
const EDGES_PER_CHUNK: usize = 4096;

/// The edges of cloth that the solution turns by more than [`TURN_LIMIT`], and the bodies that it
/// turns too far. The same on every rank.
pub(crate) fn turned(here: &Context, motion: &StepMotion, sharing: &Sharing) -> Option<Found> {
    let (x0, x1) = (motion.about().x, &motion.x1);
    let is_turned = |&&[a, b]: &&[VertexId; 2]| {
        let [a, b] = [a as usize, b as usize];
        let (start, end) = (x0[b] - x0[a], x1[b] - x1[a]);
        let limit = TURN_LIMIT * TURN_LIMIT * start.norm_squared();
        let change = end - start;
        change.norm_squared() > limit
            && start.cross(&change).norm_squared() > limit * start.norm_squared()
    };
    let mut turned = Vec::new();
    here.rank.threads.collect(&here.model.edges, EDGES_PER_CHUNK, &mut turned, |edges, turned| {
        turned.extend(edges.iter().filter(is_turned).flatten());
    });
    if !here.model.bodies.is_empty() {
        add_turned_bodies(here, motion, sharing, &mut turned);
        add_open_joints(here, motion, &mut turned);
    }
    Found::around(Trouble::Turned, turned)
}

/// Adds the vertices of the bodies whose rigid joints end too far from where the solve expects them.
/// What their forces open is no error.
fn add_open_joints(here: &Context, motion: &StepMotion, turned: &mut Vec<VertexId>) {
    let model = here.model;
    if model.joints.is_empty() {
        return;
    }
    let limits = [OPEN_LIMIT * model.distances.least_m, TILT_LIMIT];
    let coordinates = motion.moved_bodies(model, here.span.scheme);
    let poses = motion.joint_poses(model, &coordinates);
    let forces = motion.exerted_by_joints(here.span.scheme);
    for ((joint, pose), forces) in model.joints.iter().zip(poses).zip(forces) {
        let expected = |turns: bool, axis: &Vec3| {
            let purpose = if turns { Purpose::LocksTurns } else { Purpose::Locks };
            let lock = forces.iter().find(|it| it.purpose == purpose);
            lock.map_or(0.0, |it| it.opening(axis))
        };
        if pose.is_open(&joint.settings, limits, expected) {
            let bodies = [Some(joint.first), joint.second.body()].into_iter().flatten();
            turned.extend(bodies.flat_map(|it| model.numbering.bodies()[it].vertices.clone()));
        }
    }
}

/// Adds the vertices of the bodies with contacts that turn too far, or end too far from where the
/// contacts of the solve expect them.
fn add_turned_bodies(
    here: &Context,
    motion: &StepMotion,
    sharing: &Sharing,
    turned: &mut Vec<VertexId>,
) {
    let (model, scheme) = (here.model, here.span.scheme);
    let limit_m = STRAY_LIMIT * model.distances.least_m;
    for (number, (body, range)) in each_body(model).enumerate() {
        let (middle, u1) = (&motion.middles[number], &motion.u1[nodes(range)]);
        let strays = |vertex: usize| {
            let mean = motion.mean(vertex as VertexId);
            let moves =
                |(node, u): (usize, &Vec3)| body.jacobian(middle, node, 1.0, &mean).times(u);
            let velocity: Vec3 = u1.iter().enumerate().map(moves).sum();
            let stray = motion.x1[vertex] - scheme.end(&motion.start.x0[vertex], &velocity);
            stray.norm_squared() > limit_m * limit_m
        };
        let has_turned = scheme.turn(&**body, u1) > BODY_TURN_LIMIT
            || sharing.has_contacts(number) && vertices(range).any(strays);
        if has_turned {
            turned.extend(range.vertices.clone());
        }
    }
}

//! The end of a step of BDF2: what impacts have changed, and what the next step knows of this one
//! (symbols as in [`crate::time::scheme`]).

use bytemuck::{Pod, Zeroable};

use crate::state::context::Context;
use crate::state::motion::StepMotion;
use crate::time::scheme::History;
use cloth_bodies::contact::ContactSpring;
use cloth_core::error::Result;
use cloth_core::ids::NodeId;
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

/// A change of the velocity of a vertex of cloth by its contacts.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Impact {
    vertex: u64,
    change_m_per_s: [f64; 3],
}

/// Finds what the contacts with these `springs`, which push own nodes, and all that came after the
/// solve have changed at once in the velocities of cloth, and from it the history of the next step.
/// Before: the motion of the step has its end. Collective.
///
/// # Errors
/// When another rank has failed.
pub(crate) fn finish(
    here: &Context,
    springs: &[ContactSpring],
    motion: &mut StepMotion,
    start: Option<&History>,
) -> Result<()> {
    let (Some(start), Some(mut bdf2)) = (start, motion.bdf2.take()) else { return Ok(()) };
    let scheme = here.span.scheme;
    let found = impacts_of_contacts(here, springs, motion);
    let found = message::all_gather_v(&*here.rank.world, &found)?;
    let Bdf2 { impacts, end, .. } = &mut bdf2;
    let cloth = motion.start.inverse_masses.len();
    impacts.clear();
    impacts.extend((0..cloth).map(|vertex| motion.u1[vertex] - motion.solved_velocity(vertex)));
    for Impact { vertex, change_m_per_s } in found {
        impacts[vertex as usize] += Vec3::from(change_m_per_s);
    }
    end.velocities.clear();
    end.accelerations.clear();
    for (vertex, impact) in impacts.iter().enumerate() {
        let [u0, u1] = [&motion.start.u0[vertex], &motion.u1[vertex]];
        let [v1, a1] = match motion.start.prescribed[vertex] {
            true => [*u1, Vec3::zeros()],
            false => scheme.advance([u0, u1, &start.velocities[vertex]], impact),
        };
        end.velocities.push(v1);
        end.accelerations.push(a1);
    }
    motion.bdf2 = Some(bdf2);
    Ok(())
}

/// What contacts change at once in the velocities of own vertices of cloth: all of their force but
/// the part that has lasted.
fn impacts_of_contacts(
    here: &Context,
    springs: &[ContactSpring],
    motion: &StepMotion,
) -> Vec<Impact> {
    let (h, own) = (here.span.scheme.step_s(), &here.rank.layout);
    let mut changes: Vec<(NodeId, Vec3)> = Vec::new();
    for spring in springs {
        let velocity = spring.sides.velocity(|node| motion.solved_velocity(node as usize));
        let force = spring.force(velocity, h) - spring.lasting;
        for term in spring.sides.terms() {
            let Some(&inverse_mass) = motion.start.inverse_masses.get(term.node as usize) else {
                continue;
            };
            if inverse_mass > 0.0 && own.own_index(term.node).is_some() {
                let change = term.jacobian.transpose_times(&force, h) * inverse_mass;
                changes.push((term.node, change));
            }
        }
    }
    // Contacts are by rising pair, on any rank.
    changes.sort_by_key(|&(node, _)| node);
    let of_node = |changes: &[(NodeId, Vec3)]| Impact {
        vertex: u64::from(changes[0].0),
        change_m_per_s: changes.iter().map(|&(_, change)| change).sum::<Vec3>().into(),
    };
    changes.chunk_by(|a, b| a.0 == b.0).map(of_node).collect()
}

/// Positions and velocities about which a solve linearises the forces.
#[derive(Clone, Copy)]
pub(crate) struct Base<'a> {
    /// Positions of all vertices, m.
    pub x: &'a [Vec3],
    /// Mean velocities of all nodes in the step, m/s.
    pub u: &'a [Vec3],
    /// Velocities of all nodes in forces, m/s.
    pub v: &'a [Vec3],
}

/// The vectors of a step of a run of BDF2.
#[derive(Default)]
pub(crate) struct Bdf2 {
    /// The estimate of the end. None in a step of Euler.
    pub estimate: Option<Estimate>,
    /// What impacts change in the velocities of cloth, m/s.
    pub impacts: Vec<Vec3>,
    /// What the next step knows of this one.
    pub end: History,
}

/// The end of a step of BDF2 as estimated before its first solve: its base point.
pub(crate) struct Estimate {
    /// Positions of all vertices, m.
    pub x: Vec<Vec3>,
    /// Mean velocities of all nodes in the step, m/s.
    pub u: Vec<Vec3>,
    /// Velocities of all nodes in forces at the base point of the next solve, m/s.
    pub v: Vec<Vec3>,
    /// Those at the end of the step if no force acts, m/s.
    pub inertial: Vec<Vec3>,
}

//! What holds cloth to bodies in a step: a stiff spring between each attached vertex and its place on
//! the body.
//!
//! At the end of the step it exerts `-k e`, where `e` is the way from the place to the vertex then. So
//! a vertex of mass `m` that carries the force `F` is off by `F h^2 / (1,000 m)`.

use crate::solve::joints::About;
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use cloth_bodies::bodies::BodyPose;
use cloth_bodies::bodies::body::Attachment;
use cloth_bodies::contact::{ContactSpring, Sides};
use cloth_core::ids::VertexId;
use cloth_core::linear::Jacobian;
use cloth_core::math::{Mat3, Vec3};

/// Stiffness of an attachment, in masses of its vertex over squared steps.
const STIFFNESS: f64 = 1000.0;

/// Adds the springs of the attachments that push own nodes, for a solve about the base of `motion`.
pub(crate) fn add(here: &Context, motion: &StepMotion, springs: &mut Vec<ContactSpring>) {
    let (model, layout) = (here.model, &here.rank.layout);
    let is_own = |attachment: &&Attachment| {
        let mut nodes = model.numbering.bodies()[attachment.body].nodes.clone();
        layout.own_index(attachment.vertex).is_some()
            || nodes.any(|node| layout.own_index(node).is_some())
    };
    let own = model.attachments.iter().filter(is_own);
    springs.extend(own.map(|attachment| spring(here, motion, attachment)));
}

/// The stiffness of what holds a `vertex` of cloth, N/m.
pub(super) fn stiffness_of(here: &Context, vertex: VertexId) -> f64 {
    STIFFNESS * here.model.cloth.masses[vertex as usize] / (here.span.whole_s * here.span.whole_s)
}

fn spring(here: &Context, motion: &StepMotion, attachment: &Attachment) -> ContactSpring {
    let Context { model, span, .. } = *here;
    let Attachment { vertex, body: number, .. } = *attachment;
    let (body, range) = (&model.bodies[number], &model.numbering.bodies()[number]);
    let about = if here.region.is_some() { About::Base } else { About::FreeFlight };
    let base = motion.about().u;
    let of_body =
        Vec::from_iter(range.nodes.clone().map(|it| motion.expected(model, base, about, it)));
    let place =
        |at: &[f64]| attachment.place(&body.pose(at, &of_body).unwrap_or(BodyPose::AT_REST));
    let middle = &motion.middles[number];
    let point = place(middle);
    let mut sides = Sides::default();
    sides.push(vertex, Jacobian::Weight(1.0));
    sides.end_first();
    for (place, node) in range.nodes.clone().enumerate() {
        sides.push(node, body.jacobian(middle, place, -1.0, &-point));
    }
    let x0 = &motion.start.x0[vertex as usize];
    let end = span.scheme.end(x0, &base[vertex as usize]);
    let moved = span.scheme.moved(&**body, &motion.start.coordinates[number], &of_body);
    let error = end - place(&moved);
    let stiffness = stiffness_of(here, vertex);
    // The last step ended with this force.
    let lasting = (x0 - place(&motion.start.coordinates[number])) * -stiffness;
    let expected = |node: u32| match range.nodes.contains(&node) {
        true => of_body[(node - range.nodes.start) as usize],
        false => base[node as usize],
    };
    let velocity = sides.velocity(|node| base[node as usize]);
    let back: Vec3 = (velocity - sides.velocity(expected)) * span.scheme.step_s();
    ContactSpring {
        sides,
        stiffness: Mat3::from_diagonal_element(stiffness),
        velocity,
        push: (error + back) * -stiffness,
        lasting,
    }
}

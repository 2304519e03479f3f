//! The work of loads, of the springs of pins, and of gravity that changes in time.

use crate::context::Context;
use crate::motion::StepMotion;
use cloth_core::math::Vec3;
use cloth_core::ranks::ExactSums;

/// Adds the work (J) on the cloth vertices that this rank owns.
pub(super) fn add_loads(here: &Context, motion: &StepMotion, sums: &mut ExactSums<1>) {
    let Context { model, rank, .. } = *here;
    let is_keyed = model.has_keyed_gravity();
    if motion.loads.is_empty() && motion.draws.is_empty() && !is_keyed {
        return;
    }
    let work = |vertex: usize| {
        let path = motion.x1[vertex] - motion.x0[vertex];
        let mut load = motion.loads.get(vertex).map_or(0.0, |load| load.dot(&path));
        if let Some(draw) = motion.draws.get(vertex) {
            load += draw.work_j(motion.x0[vertex], motion.x1[vertex]);
        }
        let weight = model.cloth.masses[vertex] * motion.gravity.dot(&path);
        if is_keyed { load + weight } else { load }
    };
    // The sum of each patch has the same bits on any number of ranks.
    for rows in rank.layout.patch_offsets.windows(2) {
        let nodes = rank.layout.own[rows[0] as usize..rows[1] as usize].iter();
        let vertices = nodes.map(|&node| node as usize);
        sums.add([vertices.filter(|&it| it < model.numbering.cloth()).map(work).sum()]);
    }
}

/// The work (J) of gravity on bodies that end at `coordinates`. Every rank knows all of them.
pub(super) fn work_on_bodies(here: &Context, motion: &StepMotion, coordinates: &[Vec<f64>]) -> f64 {
    let model = here.model;
    let work = |number: usize| {
        let (body, nodes) = (&model.bodies[number], &model.numbering.bodies()[number].nodes);
        let u = &motion.u1[nodes.start as usize..nodes.end as usize];
        let [from, to] = [&motion.coordinates[number], &coordinates[number]]
            .map(|at| body.energy(at, u, &motion.gravity) - body.energy(at, u, &Vec3::zeros()));
        from - to
    };
    (0..model.bodies.len()).map(work).sum()
}

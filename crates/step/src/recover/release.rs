//! Which vertices of skin give way: those that leave cloth no room, and those around them.
//!
//! A vertex is released when it takes part in a pinch, or is near cloth or bodies between two surfaces
//! that look at each other, and so are the vertices within two edges. Where no such cloth or body is
//! near any more, its spring brings it back, whatever lies on it. Then it is prescribed again
//! (docs/methods.md, section 8).

use std::iter::zip;

use crate::model::Model;
use crate::model::skin::{Released, ReleasedVertex};
use crate::recover::failed::Failed;
use crate::recover::retreat::ROOM;
use crate::state::State;
use crate::state::motion::StepMotion;
use crate::state::waiting::{Prescribed, Waiting};
use crate::time::clock::{Span, TICKS_PER_STEP};
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_collision::collision::{Pair, intersect};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::mesh::normal;
use cloth_core::threads::Threads;

/// Edges from the vertices that pinch to those that are released with them.
const RINGS: usize = 2;

/// A vertex is back if its offset is below this part of the contact distance.
const BACK: f64 = 0.05;

/// Two surfaces look at each other if the cosine between their normals is below this value.
const OPPOSED: f64 = -0.5;

/// Releases the skin that takes part in `conflict`. False if there is none that can give way.
pub(crate) fn release(failed: &mut Failed, conflict: &Conflict) -> bool {
    let Failed { model, threads, start, .. } = *failed;
    if model.skins.is_empty() {
        return false;
    }
    let mut vertices = between(model, threads, &start.x0);
    vertices.extend(&conflict.prescribed);
    vertices = with_rings(model, vertices);
    vertices.retain(|&vertex| failed.state.released.get(vertex).is_none_or(|it| it.returns));
    if vertices.is_empty() {
        return false;
    }
    let state = &mut *failed.state;
    let mut all = state.released.vertices().to_vec();
    all.retain(|it| vertices.binary_search(&it.vertex).is_err());
    all.extend(vertices.into_iter().map(|vertex| {
        let node = model.numbering.nodes_of(vertex).start as usize;
        let (x, u) = (start.x0[vertex as usize], state.velocities[node]);
        let carrier = state.released.get(vertex).map_or(u, |it| it.carrier);
        ReleasedVertex { vertex, x, carrier, returns: false }
    }));
    state.released = Released::new(all);
    failed.enlarge();
    true
}

/// The released vertices after a whole step, which ended with `motion`. An obstacle whose skin is too
/// far from the animation waits.
pub(crate) fn follow(model: &Model, threads: &Threads, motion: &StepMotion, state: &mut State) {
    let near = with_rings(model, between(model, threads, &motion.x1));
    let mut all = Vec::new();
    for (it, carrier) in zip(state.released.vertices(), &motion.start.carriers) {
        let back_m = BACK * model.distances.least_m;
        let returns = near.binary_search(&it.vertex).is_err();
        if !returns || (it.x - carrier.end).norm() > back_m {
            all.push(ReleasedVertex { returns, ..*it });
        }
    }
    let new = near.into_iter().filter(|&vertex| state.released.get(vertex).is_none());
    all.extend(new.map(|vertex| {
        let node = model.numbering.nodes_of(vertex).start as usize;
        let (x, carrier) = (motion.x1[vertex as usize], motion.u1[node]);
        ReleasedVertex { vertex, x, carrier, returns: false }
    }));
    for (obstacle, place) in stretched(model, state, motion) {
        hold(model, state, obstacle, place);
    }
    state.released = Released::new(all);
}

/// The obstacles of which a released vertex is too far from its place in the animation, and where.
fn stretched(model: &Model, state: &State, motion: &StepMotion) -> Vec<(usize, Vec3)> {
    let far = zip(&model.skins, model.numbering.skins()).filter_map(|(skin, range)| {
        let mut released = zip(state.released.vertices(), &motion.start.carriers);
        let far = released.find(|(it, carrier)| {
            range.vertices.contains(&it.vertex) && (it.x - carrier.end).norm() > skin.law.most_m
        });
        far.map(|(it, _)| (skin.obstacle, it.x))
    });
    far.collect()
}

/// Lets an obstacle wait from now on, or wait on.
fn hold(model: &Model, state: &mut State, obstacle: usize, place: Vec3) {
    let (now, body) = (state.ticks, Prescribed::Obstacle(&model.obstacles[obstacle]));
    let span = Span::new(&model.clock, model.settings.solver.integrator, now, TICKS_PER_STEP);
    let (at, end) = (state.present(), now + TICKS_PER_STEP);
    let waiting = match &state.waiting[obstacle] {
        Some(waiting) if now < waiting.until_ticks => return,
        Some(waiting) => body.waits_on(waiting, &at, &span, end),
        None => {
            let Some(pose) = body.pose_at(span.t0_s) else { return };
            let aim = body.aim(&at, span.t1_s);
            Waiting::new([pose, aim], place, (now, span.t0_s), end)
        }
    };
    state.waiting[obstacle] = Some(waiting);
}

/// The vertices of skin among `vertices` and around them, rising.
fn with_rings(model: &Model, vertices: Vec<VertexId>) -> Vec<VertexId> {
    let numbering = &model.numbering;
    let node = |vertex: VertexId| match numbering.place(vertex) {
        Place::Own(node) => numbering.skin_vertex(node).map(|_| node),
        Place::Body(_) => None,
    };
    let mut nodes = Vec::from_iter(vertices.into_iter().filter_map(node));
    for _ in 0..RINGS {
        let around = nodes.iter().flat_map(|&node| model.graph.neighbours(node));
        let around = Vec::from_iter(around.copied());
        nodes.extend(around);
        nodes.sort_unstable();
        nodes.dedup();
    }
    nodes.into_iter().filter_map(|node| numbering.skin_vertex(node)).collect()
}

/// A surface near a vertex of cloth, or near bodies that touch each other.
struct Side {
    /// The vertex of cloth, or the first vertex of the first of these bodies.
    of: VertexId,
    /// Its normal, towards them.
    normal: Vec3,
    /// Its vertices there.
    vertices: [VertexId; 3],
}

/// The vertices of prescribed surfaces that look at each other, with cloth or bodies between them. All
/// vertices are at `x` (m).
fn between(model: &Model, threads: &Threads, x: &[Vec3]) -> Vec<VertexId> {
    let radius_m = ROOM * model.distances.most_m;
    let normals = normals(model, x);
    let prescribed = model.numbering.free_vertices() as VertexId;
    let near = intersect::near_pairs(threads, &model.surfaces, x, radius_m);
    let heaps = heaps(model, &near);
    let mut sides = Vec::new();
    for pair in near {
        let (free, surface): (Vec<_>, Vec<_>) =
            pair.vertices.iter().partition(|&&vertex| vertex < prescribed);
        if surface.is_empty() {
            continue;
        }
        let sum = |all: &[VertexId], of: &[Vec3]| all.iter().map(|&v| of[v as usize]).sum::<Vec3>();
        let towards = sum(&free, x) / free.len() as f64 - sum(&surface, x) / surface.len() as f64;
        let of_surface: Vec3 =
            surface.iter().map(|&vertex| normals[(vertex - prescribed) as usize]).sum();
        let Some(normal) = of_surface.try_normalize(0.0).filter(|it| it.dot(&towards) > 0.0) else {
            continue;
        };
        let vertices = [0, 1, 2].map(|at| surface[at.min(surface.len() - 1)]);
        sides.extend(free.into_iter().map(|vertex| {
            let of = body_of(model, vertex).map_or(vertex, |body| heaps[body]);
            Side { of, normal, vertices }
        }));
    }
    sides.sort_by_key(|side| side.of);
    let of_each = sides.chunk_by(|a, b| a.of == b.of);
    of_each.flat_map(opposed).flat_map(|side| side.vertices).collect()
}

/// For each body the first vertex of the first body of its heap. Bodies of a heap touch each other, by
/// the `near` pairs.
fn heaps(model: &Model, near: &[Pair]) -> Vec<VertexId> {
    let bodies = model.numbering.bodies();
    let mut heaps = Vec::from_iter(bodies.iter().map(|range| range.vertices.start));
    for pair in near {
        let [one, other] = [pair.vertices[0], pair.vertices[3]].map(|it| body_of(model, it));
        if let Some((one, other)) = one.zip(other) {
            let [one, other] = [heaps[one], heaps[other]];
            heaps
                .iter_mut()
                .filter(|it| **it == one.max(other))
                .for_each(|it| *it = one.min(other));
        }
    }
    heaps
}

/// The body that moves a vertex.
fn body_of(model: &Model, vertex: VertexId) -> Option<usize> {
    match model.numbering.place(vertex) {
        Place::Body(body) => Some(body),
        Place::Own(_) => None,
    }
}

/// The sides of a vertex or heap that look at another one.
fn opposed(sides: &[Side]) -> Vec<&Side> {
    let mean: Vec3 = sides.iter().map(|side| side.normal).sum();
    let mean = mean.try_normalize(0.0).unwrap_or_default();
    // No two normals within 45 degrees of the mean oppose each other.
    if sides.iter().all(|side| side.normal.dot(&mean) > 0.71) {
        return Vec::new();
    }
    let meets = |one: &&Side| sides.iter().any(|other| one.normal.dot(&other.normal) < OPPOSED);
    sides.iter().filter(meets).collect()
}

/// The normals of the vertices of obstacles, as long as the area around each.
fn normals(model: &Model, x: &[Vec3]) -> Vec<Vec3> {
    let first = model.numbering.free_vertices();
    let mut normals = vec![Vec3::zeros(); x.len() - first];
    for surface in &model.surfaces.list[model.object_of_obstacle(0)..] {
        for face in &surface.faces {
            let normal = normal(face.map(|vertex| x[vertex as usize]));
            face.iter().for_each(|&vertex| normals[vertex as usize - first] += normal);
        }
    }
    normals
}

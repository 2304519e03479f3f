//! When pairs of cloth and an obstacle are dropped, and when they take part in contact again.

use std::cmp::Reverse;

use crate::model::Model;
use crate::recover::failed::Failed;
use crate::state::dropped::{Dropped, DroppedPair, PassedObstacle};
use crate::time::clock::SMALLEST_TICKS;
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_bodies::contact::settings::OnPinch;
use cloth_collision::collision::enclosure::is_inside;
use cloth_collision::collision::{Surface, intersect};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::threads::Threads;

/// Two prescribed surfaces within this distance of a vertex without room overlap, or leave less
/// room than the cloth between them needs; in contact distances. Several layers of cloth, pressed
/// together, may lie between them.
pub(super) const ROOM: f64 = 4.0;

/// Dropped pairs that a thread takes at a time. Each costs a pass over the faces of an obstacle.
const PAIRS_PER_CHUNK: usize = 16;

/// The vertices of cloth that are near each obstacle, rising.
pub(super) struct Nearness(Vec<Vec<VertexId>>);

impl Nearness {
    pub fn has(&self, obstacle: usize, vertex: VertexId) -> bool {
        self.0[obstacle].binary_search(&vertex).is_ok()
    }

    /// The number of obstacles that are near `vertex`.
    fn count(&self, vertex: VertexId) -> usize {
        (0..self.0.len()).filter(|&obstacle| self.has(obstacle, vertex)).count()
    }

    /// The vertices that are near `obstacle` and near another one, as pairs to be dropped.
    fn between(&self, obstacle: usize) -> impl Iterator<Item = DroppedPair> {
        let vertices = self.0[obstacle].iter().filter(|&&vertex| self.count(vertex) > 1);
        vertices.map(move |&vertex| [vertex, obstacle as u32])
    }
}

/// The vertices of cloth within `distances` contact distances of each obstacle. All vertices are at
/// `x` (m).
pub(super) fn touching(model: &Model, threads: &Threads, x: &[Vec3], distances: f64) -> Nearness {
    let first = model.object_of_obstacle(0) as u32;
    let objects = Vec::from_iter(first..model.surfaces.list.len() as u32);
    let radius_m = distances * model.distances.most_m;
    Nearness(intersect::touching(threads, &model.surfaces, x, &objects, radius_m))
}

/// Obstacles of `model` that cloth passes.
pub(crate) fn passed(model: &Model, dropped: &Dropped) -> Vec<PassedObstacle> {
    let obstacles = model.obstacles.iter().enumerate();
    let passed = obstacles.map(|(number, obstacle)| PassedObstacle {
        name: obstacle.name.clone(),
        vertices: dropped.of(number).collect(),
    });
    passed.filter(|passed| !passed.vertices.is_empty()).collect()
}

/// Drops pairs where `conflict` shows that prescribed surfaces overlap. The vertices without room
/// pass an obstacle, and with them all vertices that are near this obstacle and near another one.
/// False if nothing is dropped, because the scene does not allow it or another remedy comes first.
pub(super) fn drop_pinched(failed: &mut Failed, conflict: &Conflict) -> bool {
    let (model, threads, state) = (failed.model, failed.threads, &*failed.state);
    if model.settings.contact.on_pinch != OnPinch::Drop {
        return false;
    }
    let x = &failed.crowded_places();
    let [near, around] = [1.0, ROOM].map(|distances| touching(model, threads, x, distances));
    let dropped = &state.dropped;
    let mut named = failed.bodies_of(conflict.prescribed.iter());
    named.retain(|&body| model.passable.get(body) == Some(&true));
    let (mut passed, mut pairs) = (Vec::new(), dropped.pairs().to_vec());
    let cloth = model.numbering.cloth() as u32;
    for &vertex in conflict.crowded.iter().filter(|&&vertex| vertex < cloth) {
        let pinned = usize::from(failed.start.prescribed[vertex as usize]);
        if around.count(vertex) + pinned < 2 {
            continue;
        }
        let may =
            |&obstacle: &usize| near.has(obstacle, vertex) && !dropped.contains(vertex, obstacle);
        let rank = |&obstacle: &usize| {
            let known = dropped.of(obstacle).count();
            let distance = distance_squared(model, vertex, obstacle, x);
            (known, distance.to_bits(), Reverse(obstacle))
        };
        if let Some(obstacle) = named.iter().copied().filter(may).max_by_key(rank) {
            passed.push(obstacle);
            pairs.push([vertex, obstacle as u32]);
        }
    }
    let known = passed.iter().all(|&obstacle| dropped.of(obstacle).next().is_some());
    let nobody_waits = state.waiting.iter().all(Option::is_none);
    let can_wait = state.control.ticks > SMALLEST_TICKS && nobody_waits;
    if passed.is_empty() || (!known && can_wait) {
        return false;
    }
    pairs.extend(passed.into_iter().flat_map(|obstacle| near.between(obstacle)));
    failed.state.dropped = Dropped::new(pairs);
    true
}

/// How far the centre of an obstacle is from the centre of the cloth of `vertex`, squared, m^2.
/// Cloth is worn on what is near its centre.
fn distance_squared(model: &Model, vertex: VertexId, obstacle: usize, x: &[Vec3]) -> f64 {
    let surfaces = &model.surfaces.list;
    let of_cloth = surfaces.iter().find(|it| it.vertices().contains(&(vertex as usize)));
    let of_obstacle = &surfaces[model.object_of_obstacle(obstacle)];
    let center = |surface: &Surface| {
        let x = &x[surface.vertices()];
        x.iter().sum::<Vec3>() / x.len() as f64
    };
    of_cloth.map_or(0.0, |cloth| (center(cloth) - center(of_obstacle)).norm_squared())
}

/// The dropped pairs after a whole step that ends at `x` (m); `all` are those before it. A dropped
/// pair takes part in contact again if the vertex is outside of the obstacle, and its faces and
/// edges are further from the obstacle than the contact distance. A vertex that is near an
/// obstacle that cloth passes, and near another one, passes the first one too.
pub(crate) fn follow(all: &Dropped, model: &Model, threads: &Threads, x: &[Vec3]) -> Dropped {
    let near = touching(model, threads, x, 1.0);
    let faces = |number: usize| &model.surfaces.list[model.object_of_obstacle(number)].faces;
    let stays = |&[vertex, obstacle]: &DroppedPair| {
        let number = obstacle as usize;
        near.has(number, vertex) || is_inside(faces(number), x, &x[vertex as usize])
    };
    let mut pairs = Vec::new();
    threads.collect(all.pairs(), PAIRS_PER_CHUNK, &mut pairs, |some, kept| {
        kept.extend(some.iter().filter(|pair| stays(pair)).copied());
    });
    let passed = (0..model.obstacles.len()).filter(|&it| all.of(it).next().is_some());
    pairs.extend(passed.flat_map(|obstacle| near.between(obstacle)));
    Dropped::new(pairs)
}

//! Cloth that passes an obstacle, because prescribed surfaces overlap and leave it no room.
//!
//! A dropped pair is a vertex of cloth and an obstacle. What the vertex belongs to takes no part in
//! contact with the obstacle, until the vertex is outside of it and clear of it. Pairs of cloth and
//! cloth are never dropped (docs/methods.md, section 8).

use std::cmp::Reverse;

use xxhash_rust::xxh3::Xxh3;

use crate::collision::Pair;
use crate::collision::enclosure::is_inside;
use crate::collision::intersect::touching;
use crate::contact::fail_safe::Conflict;
use crate::contact::settings::OnPinch;
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::step::model::Model;
use crate::step::pinch::SMALLEST_TICKS;
use crate::step::simulation::Simulation;

/// Prescribed surfaces that are both this near to a vertex without room overlap, or leave less room
/// than the cloth between them needs; contact distances. Several layers may lie between them, which
/// are pressed together.
const ROOM: f64 = 4.0;

/// Dropped pairs that a thread takes at a time. Each costs a pass over the faces of an obstacle.
const PAIRS_PER_CHUNK: usize = 16;

/// A vertex of cloth, and the number of an obstacle among the obstacles.
type DroppedPair = [u32; 2];

/// Which vertices of cloth pass which obstacles. Part of the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Rising.
    pairs: Vec<DroppedPair>,
}

/// An obstacle that cloth passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedObstacle {
    /// Its name.
    pub name: String,
    /// The vertices of cloth that pass it, rising.
    pub vertices: Vec<VertexId>,
}

impl Dropped {
    /// Whether all pairs take part in contact.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether `vertex` passes an obstacle.
    pub fn contains(&self, vertex: VertexId, obstacle: usize) -> bool {
        self.pairs.binary_search(&[vertex, obstacle as u32]).is_ok()
    }

    /// Adds all of it to `hash`.
    pub(super) fn add_to(&self, hash: &mut Xxh3) {
        hash.update(bytemuck::cast_slice(self.pairs.as_slice()));
    }

    /// Whether an elementary pair takes part in contact: none of its vertices passes its obstacle.
    pub(super) fn keeps(&self, pair: &Pair, model: &Model) -> bool {
        let passes = |vertex: VertexId| {
            let at = self.pairs.partition_point(|&[before, _]| before < vertex);
            self.pairs.get(at).is_some_and(|pair| pair[0] == vertex)
        };
        if !pair.vertices.into_iter().any(passes) {
            return true;
        }
        let obstacle = pair.vertices.into_iter().find_map(|vertex| model.obstacle_of(vertex));
        let dropped = |obstacle| pair.vertices.iter().any(|&v| self.contains(v, obstacle));
        !obstacle.is_some_and(dropped)
    }

    /// The vertices that pass an obstacle, rising.
    fn of(&self, obstacle: usize) -> impl Iterator<Item = VertexId> {
        let of = self.pairs.iter().filter(move |pair| pair[1] as usize == obstacle);
        of.map(|&[vertex, _]| vertex)
    }

    fn add(&mut self, pairs: Vec<DroppedPair>) {
        self.pairs.extend(pairs);
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }
}

/// The vertices of cloth that are near each obstacle, rising.
struct Nearness(Vec<Vec<VertexId>>);

impl Nearness {
    fn has(&self, obstacle: usize, vertex: VertexId) -> bool {
        self.0[obstacle].binary_search(&vertex).is_ok()
    }

    /// The number of obstacles that are near `vertex`.
    fn count(&self, vertex: VertexId) -> usize {
        (0..self.0.len()).filter(|&obstacle| self.has(obstacle, vertex)).count()
    }
}

impl Simulation<'_> {
    /// Obstacles that cloth passes now.
    pub fn passed(&self) -> Vec<PassedObstacle> {
        let obstacles = self.model.obstacles.iter().enumerate();
        let passed = obstacles.map(|(number, obstacle)| PassedObstacle {
            name: obstacle.name.clone(),
            vertices: self.state.dropped.of(number).collect(),
        });
        passed.filter(|passed| !passed.vertices.is_empty()).collect()
    }

    /// Drops pairs where `conflict` shows that prescribed surfaces overlap: the vertices without
    /// room, and all that are near an obstacle that these pass and near another one. False if
    /// nothing is dropped: the scene does not allow it, or another remedy is to be tried first.
    pub(super) fn drop_pinched(&mut self, conflict: &Conflict) -> bool {
        if self.model.settings.contact.on_pinch != OnPinch::Drop {
            return false;
        }
        let (motion, dropped) = (&self.stages.motion, &self.state.dropped);
        let near = self.near_obstacles(1.0);
        let around = self.near_obstacles(ROOM);
        let mut named = self.bodies_of(conflict.prescribed.iter());
        named.retain(|&body| self.model.passable.get(body) == Some(&true));
        let (mut passed, mut pairs) = (Vec::new(), Vec::new());
        let cloth = self.model.numbering.cloth() as u32;
        for &vertex in conflict.crowded.iter().filter(|&&vertex| vertex < cloth) {
            let pinned = usize::from(motion.prescribed[vertex as usize]);
            let may = |&obstacle: &usize| {
                near.has(obstacle, vertex) && !dropped.contains(vertex, obstacle)
            };
            let of_cloth = |obstacle: usize| self.of_same_cloth(vertex, &around.0[obstacle]);
            let choice = named.iter().copied().filter(may).min_by_key(|&obstacle| {
                (Reverse(dropped.of(obstacle).count()), of_cloth(obstacle), obstacle)
            });
            if let Some(obstacle) = choice.filter(|_| around.count(vertex) + pinned > 1) {
                passed.push(obstacle);
                pairs.push([vertex, obstacle as u32]);
            }
        }
        passed.sort_unstable();
        passed.dedup();
        let known = passed.iter().all(|&obstacle| dropped.of(obstacle).next().is_some());
        let can_wait = self.state.control.ticks > SMALLEST_TICKS && self.waiting().is_empty();
        if pairs.is_empty() || (!known && can_wait) {
            return false;
        }
        for obstacle in passed {
            let others = near.0[obstacle].iter().filter(|&&vertex| near.count(vertex) > 1);
            pairs.extend(others.map(|&vertex| [vertex, obstacle as u32]));
        }
        self.state.dropped.add(pairs);
        true
    }

    /// The vertices of cloth that start the failed attempt within some contact distances of each
    /// obstacle, which is where it ends the attempt.
    fn near_obstacles(&self, distances: f64) -> Nearness {
        let motion = &self.stages.motion;
        let places = motion.x0.iter().zip(&motion.predicted).zip(&motion.prescribed);
        let x: Vec<Vec3> = places.map(|((x0, x1), moved)| if *moved { *x1 } else { *x0 }).collect();
        let all = Vec::from_iter(0..self.model.obstacles.len());
        Nearness(self.touching(&all, &x, distances * self.model.settings.contact.distance_m))
    }

    /// The vertices of cloth that meet each of the `obstacles` or are within `radius_m` (m) of it.
    fn touching(&self, obstacles: &[usize], x: &[Vec3], radius_m: f64) -> Vec<Vec<VertexId>> {
        let (model, threads) = (&self.model, &self.rank.threads);
        let objects = obstacles.iter().map(|&number| model.object_of_obstacle(number) as u32);
        touching(threads, &model.surfaces, x, &Vec::from_iter(objects), radius_m)
    }

    /// How many of the `vertices` (rising) belong to the cloth of `vertex`.
    fn of_same_cloth(&self, vertex: VertexId, vertices: &[VertexId]) -> usize {
        let ends = &self.model.cloth_ends;
        let cloth = ends.partition_point(|&end| end <= vertex);
        let before = |end: VertexId| vertices.partition_point(|&vertex| vertex < end);
        let first = cloth.checked_sub(1).map_or(0, |before| ends[before]);
        before(ends[cloth]) - before(first)
    }

    /// After a whole step: dropped pairs take part in contact again if the vertex is outside of the
    /// obstacle, and all that it belongs to is clear of it by the contact distance.
    pub(super) fn return_dropped(&mut self) {
        if self.state.dropped.is_empty() {
            return;
        }
        let (model, x) = (&self.model, &self.stages.motion.x1);
        let passed =
            (0..model.obstacles.len()).filter(|&it| self.state.dropped.of(it).next().is_some());
        let passed = Vec::from_iter(passed);
        let near = self.touching(&passed, x, model.settings.contact.distance_m);
        let stays = |&[vertex, obstacle]: &DroppedPair| {
            let at = passed.binary_search(&(obstacle as usize));
            let faces = &model.surfaces.list[model.object_of_obstacle(obstacle as usize)].faces;
            at.is_ok_and(|at| near[at].binary_search(&vertex).is_ok())
                || is_inside(faces, x, &x[vertex as usize])
        };
        let mut pairs = Vec::new();
        let all = &self.state.dropped.pairs;
        self.rank.threads.collect(all, PAIRS_PER_CHUNK, &mut pairs, |some, kept| {
            kept.extend(some.iter().filter(|pair| stays(pair)).copied());
        });
        self.state.dropped = Dropped { pairs };
    }
}

//! Cloth that passes an obstacle, because prescribed surfaces overlap and leave it no room.
//!
//! A dropped pair is a vertex of cloth and an obstacle. What the vertex belongs to takes no part in
//! contact with the obstacle, until the vertex is outside of it and clear of it. Pairs of cloth and
//! cloth are never dropped (docs/methods.md, section 8).

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use xxhash_rust::xxh3::Xxh3;

use crate::collision::enclosure::is_inside;
use crate::collision::intersect::touching;
use crate::collision::{Pair, Surface};
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
pub(super) const ROOM: f64 = 4.0;

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
    fn new(mut pairs: Vec<DroppedPair>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

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
}

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

    /// The vertices that are near an obstacle and near another one, as pairs to be dropped.
    fn between(&self, obstacle: usize) -> impl Iterator<Item = DroppedPair> {
        let vertices = self.0[obstacle].iter().filter(|&&vertex| self.count(vertex) > 1);
        vertices.map(move |&vertex| [vertex, obstacle as u32])
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
        let x = &self.crowded_places();
        let (near, around) = (self.touching(x, 1.0), self.touching(x, ROOM));
        let dropped = &self.state.dropped;
        let mut named = self.bodies_of(conflict.prescribed.iter());
        named.retain(|&body| self.model.passable.get(body) == Some(&true));
        let (mut passed, mut pairs) = (Vec::new(), dropped.pairs.clone());
        let cloth = self.model.numbering.cloth() as u32;
        for &vertex in conflict.crowded.iter().filter(|&&vertex| vertex < cloth) {
            let pinned = usize::from(self.stages.motion.prescribed[vertex as usize]);
            if around.count(vertex) + pinned < 2 {
                continue;
            }
            let may = |&obstacle: &usize| {
                near.has(obstacle, vertex) && !dropped.contains(vertex, obstacle)
            };
            let rank = |&obstacle: &usize| {
                let known = dropped.of(obstacle).count();
                (known, self.distance_squared(vertex, obstacle, x).to_bits(), Reverse(obstacle))
            };
            if let Some(obstacle) = named.iter().copied().filter(may).max_by_key(rank) {
                passed.push(obstacle);
                pairs.push([vertex, obstacle as u32]);
            }
        }
        let known = passed.iter().all(|&obstacle| dropped.of(obstacle).next().is_some());
        let can_wait = self.state.control.ticks > SMALLEST_TICKS && self.waiting().is_empty();
        if passed.is_empty() || (!known && can_wait) {
            return false;
        }
        pairs.extend(passed.into_iter().flat_map(|obstacle| near.between(obstacle)));
        self.state.dropped = Dropped::new(pairs);
        true
    }

    /// Where the failed attempt starts, m; what is prescribed is where it ends the attempt.
    pub(super) fn crowded_places(&self) -> Vec<Vec3> {
        let motion = &self.stages.motion;
        let places = motion.x0.iter().zip(&motion.predicted).zip(&motion.prescribed);
        places.map(|((x0, x1), prescribed)| if *prescribed { *x1 } else { *x0 }).collect()
    }

    /// The vertices of cloth within so many contact distances of each obstacle. All vertices are at
    /// `x` (m).
    pub(super) fn touching(&self, x: &[Vec3], distances: f64) -> Nearness {
        let (model, threads) = (&self.model, &self.rank.threads);
        let first = model.object_of_obstacle(0) as u32;
        let objects = Vec::from_iter(first..model.surfaces.list.len() as u32);
        let radius_m = distances * model.settings.contact.distance_m;
        Nearness(touching(threads, &model.surfaces, x, &objects, radius_m))
    }

    /// How far the centre of an obstacle is from the centre of the cloth of `vertex`, squared, m^2.
    /// Cloth is worn on what is near its centre.
    fn distance_squared(&self, vertex: VertexId, obstacle: usize, x: &[Vec3]) -> f64 {
        let surfaces = &self.model.surfaces.list;
        let of_cloth = surfaces.iter().find(|it| it.vertices().contains(&(vertex as usize)));
        let of_obstacle = &surfaces[self.model.object_of_obstacle(obstacle)];
        let center = |surface: &Surface| {
            let x = &x[surface.vertices()];
            x.iter().sum::<Vec3>() / x.len() as f64
        };
        of_cloth.map_or(0.0, |cloth| (center(cloth) - center(of_obstacle)).norm_squared())
    }

    /// After a whole step: a dropped pair takes part in contact again if the vertex is outside of
    /// the obstacle, and all that it belongs to is clear of it by the contact distance. What has
    /// come near an obstacle that cloth passes, and near another one, passes it too.
    pub(super) fn follow_dropped(&mut self) {
        let all = &self.state.dropped;
        if all.is_empty() {
            return;
        }
        let (model, x) = (&self.model, &self.stages.motion.x1);
        let near = self.touching(x, 1.0);
        let faces = |number: usize| &model.surfaces.list[model.object_of_obstacle(number)].faces;
        let stays = |&[vertex, obstacle]: &DroppedPair| {
            let number = obstacle as usize;
            near.has(number, vertex) || is_inside(faces(number), x, &x[vertex as usize])
        };
        let mut pairs = Vec::new();
        self.rank.threads.collect(&all.pairs, PAIRS_PER_CHUNK, &mut pairs, |some, kept| {
            kept.extend(some.iter().filter(|pair| stays(pair)).copied());
        });
        let passed = (0..model.obstacles.len()).filter(|&it| all.of(it).next().is_some());
        pairs.extend(passed.flat_map(|obstacle| near.between(obstacle)));
        self.state.dropped = Dropped::new(pairs);
    }
}

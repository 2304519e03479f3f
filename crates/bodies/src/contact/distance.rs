//! How far apart the sides of a pair are kept.

use crate::contact::factors::surface_of;
use crate::contact::own_distance::OwnDistances;
use cloth_collision::collision::narrow::closest;
use cloth_collision::collision::{Pair, Radii};
use cloth_core::{Vec3, VertexId};

/// How far apart the sides of a pair are kept. This is the contact distance, except for pairs of
/// one cloth that are nearer than that at rest, for example across short edges.
#[derive(Debug, Clone, Copy)]
pub struct ContactDistance<'a> {
    /// The contact distance, m. If pairs have their own, the largest one.
    pub distance_m: f64,
    /// The contact distances of pairs. None if all have the same.
    pub own: Option<&'a OwnDistances>,
    /// Rest positions of all cloth vertices, m.
    pub rest: &'a [Vec3],
    /// The number after the last vertex of each cloth, rising.
    pub cloth_ends: &'a [VertexId],
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
}

/// Pairs of one cloth begin to push at this fraction of their distance at rest. It is less than
/// one, so that cloth may be squeezed and sheared a little in its plane.
const REST_SHARE: f64 = 0.5;

impl<'a> ContactDistance<'a> {
    /// The same distance `distance_m` (m) for all pairs, none of which is of one cloth.
    #[cfg(test)]
    pub fn alike(distance_m: f64, radii: Radii<'a>) -> Self {
        Self { distance_m, own: None, rest: &[], cloth_ends: &[], radii }
    }

    /// The distance at which the sides of `pair` are kept at the points with the weights `at`, m.
    /// Without weights it is a mean over its vertices.
    pub fn of(&self, pair: &Pair, at: Option<&[f64; 4]>) -> f64 {
        let cloth = |v: &VertexId| surface_of(self.cloth_ends, *v);
        let [first, others @ ..] = &pair.vertices;
        let same = others.iter().all(|v| cloth(v) == cloth(first));
        let wanted_m = self.wanted_m(pair, at);
        if !same || cloth(first) == self.cloth_ends.len() {
            return wanted_m;
        }
        let at_rest = closest(pair.kind(), pair.gather(self.rest));
        wanted_m.min(REST_SHARE * at_rest.distance)
    }

    /// The same for a pair that is far apart at rest.
    pub fn wanted_m(&self, pair: &Pair, at: Option<&[f64; 4]>) -> f64 {
        self.own.map_or(self.distance_m, |own| own.of(pair, at))
    }

    /// The contact distance of the scene, m.
    pub fn scene_m(&self) -> f64 {
        self.own.map_or(self.distance_m, |own| own.scene_m)
    }

    /// That of [`Self::wanted_m`] in contact distances of the scene.
    pub fn in_scene_distances(&self, pair: &Pair, at: Option<&[f64; 4]>) -> f64 {
        self.own.map_or(1.0, |own| own.of(pair, at) / own.scene_m)
    }
}

//! Cloth that is squeezed: between prescribed surfaces that leave its layers less than their
//! contact distances.
//!
//! Stiffness follows the load, but no stiffness relieves a layer that is pressed from both sides:
//! its contacts would push ever harder against each other. So contacts of squeezed cloth aim at an
//! equal part of the room instead of the contact distance.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | support | | a prescribed surface that a vertex touches, or touches through further layers |
//! | `n` | | normal of a support, towards the vertex |
//! | `r` | m | sum of the gaps from the support to the vertex, at the start of the step |
//! | `k` | | number of these gaps; where pairs have their own contact distances, the sum of these by that of the scene |
//! | `s` | m | motion of the support in the step |
//!
//! A vertex is squeezed between two supports 1 and 2 whose normals oppose each other. Their room at
//! the end of the step is `r1 + r2 - n1 . s1 - n2 . s2`. It is shared by `k1 + k2` gaps, each by its
//! contact distance.
//!
//! Source: ours.

mod supports;
#[cfg(test)]
mod tests;

use crate::contact::distance::ContactDistance;
use crate::contact::point::Contact;
pub use crate::contact::squeeze::supports::PrescribedMotion;
use crate::contact::squeeze::supports::{ALIGNED, Support, Supports};
use cloth_collision::collision::Pair;
use cloth_core::{Result, Vec3, VertexId, World};

/// How much all gaps between two supports together may fall short, in contact distances, before
/// the bodies that make them smaller must wait. So `n` layers need a room of `n + 1/2`.
const MOST_LACK: f64 = 0.5;

/// The gap that squeezed contacts aim at is at least this fraction of the contact distance.
const LEAST_SHARE: f64 = 0.02;

/// The gaps that the contacts of squeezed vertices aim at. The same on every rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Squeezed {
    /// By rising vertex.
    aims: Vec<Aim>,
    narrow: Vec<Narrow>,
}

/// A squeezed vertex whose room becomes too narrow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Narrow {
    /// The vertex.
    pub vertex: VertexId,
    /// A prescribed vertex of each support, and whether it comes nearer.
    pub sides: [(VertexId, bool); 2],
}

/// The gap that contacts of a squeezed vertex aim at.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Aim {
    vertex: VertexId,
    /// Unit vector along which the vertex is squeezed.
    along: Vec3,
    /// Of a pair with the contact distance of the scene, m. Others have it in proportion.
    gap_m: f64,
}

impl Squeezed {
    /// Finds the vertices that `contacts` squeeze. Each rank gives all contacts of the vertices that it
    /// owns (`is_own`). Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn find<'a>(
        world: &dyn World,
        contacts: impl Iterator<Item = &'a Contact> + Clone,
        motion: &PrescribedMotion,
        is_own: impl Fn(VertexId) -> bool,
        distance: &ContactDistance,
    ) -> Result<Self> {
        let supports = Supports::find(world, contacts, motion, is_own, distance)?;
        let distance_m = distance.scene_m();
        let squeezed = Vec::from_iter(supports.of_each().filter_map(Room::tightest));
        let aims = squeezed.iter().filter_map(|it| it.aim(distance_m)).collect();
        let narrow = squeezed.iter().filter_map(|it| it.narrow(distance_m)).collect();
        Ok(Self { aims, narrow })
    }

    /// The vertices whose room becomes too narrow, rising.
    pub fn narrow(&self) -> &[Narrow] {
        &self.narrow
    }

    /// The gap (m) that `contact` aims at: its distance, or less if one of its vertices is squeezed
    /// along its normal.
    pub fn aim_m(&self, contact: &Contact, distance: &ContactDistance) -> f64 {
        if self.aims.is_empty() {
            return contact.distance_m;
        }
        let normal = Vec3::from(contact.normal);
        let vertices = contact.pair.vertices.iter().zip(&contact.weights);
        let weighty = vertices.filter(|(_, weight)| **weight != 0.0);
        let aims = weighty.filter_map(|(&vertex, _)| self.of(vertex));
        let along = aims.filter(|aim| aim.along.dot(&normal).abs() > ALIGNED);
        let least_m = along.map(|aim| aim.gap_m).reduce(f64::min);
        least_m.map_or(contact.distance_m, |gap_m| {
            let of_pair = distance.in_scene_distances(&contact.pair, Some(&contact.weights));
            contact.distance_m.min(gap_m * of_pair)
        })
    }

    /// The least gap (m) that contacts of `pair` aim at, if one of its vertices is squeezed.
    pub fn least_m(&self, pair: &Pair, distance: &ContactDistance) -> Option<f64> {
        let aims = pair.vertices.iter().filter_map(|&vertex| self.of(vertex));
        let least_m = aims.map(|aim| aim.gap_m).reduce(f64::min)?;
        Some(least_m * distance.in_scene_distances(pair, None))
    }

    fn of(&self, vertex: VertexId) -> Option<&Aim> {
        let place = self.aims.binary_search_by_key(&vertex, |aim| aim.vertex).ok()?;
        self.aims.get(place)
    }
}

/// The room of a vertex between two supports that oppose each other.
struct Room {
    supports: [Support; 2],
    /// Normal of the first support.
    along: Vec3,
    /// The room at the end of the step, m.
    room_m: f64,
    closing_m: f64,
}

impl Room {
    /// The tightest room between two of the `supports` of a vertex.
    fn tightest(supports: &[Support]) -> Option<Self> {
        let rooms = supports.iter().enumerate().flat_map(|(place, one)| {
            supports[place + 1..].iter().filter_map(move |other| Self::between(one, other))
        });
        rooms.min_by(|a, b| a.share_m().total_cmp(&b.share_m()))
    }

    /// None if the supports do not oppose each other.
    fn between(one: &Support, other: &Support) -> Option<Self> {
        let [along, against] = [one, other].map(|it| Vec3::from(it.normal));
        let closing_m = one.comes_m() + other.comes_m();
        let room_m = one.room_m + other.room_m - closing_m;
        let supports = [*one, *other];
        (along.dot(&against) < -ALIGNED).then_some(Self { supports, along, room_m, closing_m })
    }

    fn gaps(&self) -> f64 {
        f64::from(self.supports[0].gaps + self.supports[1].gaps)
    }

    /// The contact distances of all gaps, in those of the scene.
    fn distances(&self) -> f64 {
        self.gaps() + self.supports[0].more + self.supports[1].more
    }

    /// The part of the room for each contact distance of the scene, m.
    fn share_m(&self) -> f64 {
        self.room_m / self.distances()
    }

    /// None if each gap can have its contact distance. That of the scene is `distance_m` (m).
    fn aim(&self, distance_m: f64) -> Option<Aim> {
        let gap_m = self.share_m().max(LEAST_SHARE * distance_m);
        let vertex = self.supports[0].vertex;
        (gap_m < distance_m).then_some(Aim { vertex, along: self.along, gap_m })
    }

    /// None if the room does not become smaller, or is large enough.
    fn narrow(&self, distance_m: f64) -> Option<Narrow> {
        let lacks_m = self.distances() * distance_m - self.room_m;
        let mean_m = self.distances() / self.gaps() * distance_m;
        let sides = self.supports.each_ref().map(|it| (it.base, it.comes_m() > 0.0));
        let is_narrow = self.closing_m > 0.0 && lacks_m > MOST_LACK * mean_m;
        is_narrow.then_some(Narrow { vertex: self.supports[0].vertex, sides })
    }
}

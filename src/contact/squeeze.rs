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
//! | `k` | | number of these gaps |
//! | `s` | m | motion of the support in the step |
//!
//! A vertex is squeezed between two supports 1 and 2 whose normals oppose each other. Their room at
//! the end of the step is `r1 + r2 - n1 . s1 - n2 . s2`. It is shared by `k1 + k2` gaps.
//!
//! Source: ours.

use bytemuck::{Pod, Zeroable};

use crate::contact::point::Contact;
use crate::error::Result;
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::ranks::{World, message};

/// Most gaps from a support to a vertex that counts it. So up to seven layers between two supports
/// count.
const MOST_GAPS: usize = 4;

/// Supports oppose each other if the cosine between their normals is below the negative of this,
/// and are the same if it is above it.
const ALIGNED: f64 = 0.5;

/// How much all gaps between two supports may lack together, contact distances, before what makes
/// them smaller must wait: `n` layers need a room of `n + 1/2`.
const MOST_LACK: f64 = 0.5;

/// What squeezed contacts aim at is at least this part of the contact distance.
const LEAST_SHARE: f64 = 0.02;

/// All vertices that move as prescribed, and how they move in the step.
#[derive(Clone, Copy)]
pub struct PrescribedMotion<'a> {
    /// Whether a vertex is prescribed.
    pub prescribed: &'a [bool],
    /// Positions of all vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Positions at its end as predicted, m: of prescribed vertices, where they will be.
    pub x1: &'a [Vec3],
}

impl PrescribedMotion<'_> {
    /// How a prescribed vertex moves in the step, m.
    fn of(&self, vertex: VertexId) -> Vec3 {
        self.x1[vertex as usize] - self.x0[vertex as usize]
    }
}

/// A support of a vertex (symbols as in the table above).
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Support {
    vertex: VertexId,
    gaps: u32,
    normal: [f64; 3],
    room_m: f64,
    motion_m: [f64; 3],
    /// The prescribed vertex of the support that comes nearest.
    base: VertexId,
    zero: u32,
}

impl Support {
    fn is_like(&self, normal: &Vec3) -> bool {
        Vec3::from(self.normal).dot(normal) > ALIGNED
    }

    /// How far it comes nearer in the step, m.
    fn comes_m(&self) -> f64 {
        Vec3::from(self.normal).dot(&Vec3::from(self.motion_m))
    }

    /// A total order, by vertex first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let bits = |it: &Self| {
            let numbers = [it.room_m].into_iter().chain(it.normal).chain(it.motion_m);
            numbers.map(f64::to_bits).collect::<smallvec::SmallVec<[u64; 7]>>()
        };
        let key = |it: &Self| (it.vertex, it.gaps, it.room_m.max(0.0).to_bits(), it.base);
        key(self).cmp(&key(other)).then_with(|| bits(self).cmp(&bits(other)))
    }
}

/// What the contacts of squeezed vertices aim at. The same on every rank.
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
    gap_m: f64,
}

impl Squeezed {
    /// Finds what `contacts` squeeze. `distance_m` (m) is the contact distance. Each rank gives all
    /// contacts of the vertices that it owns (`is_own`). Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn find<'a>(
        world: &dyn World,
        contacts: impl Iterator<Item = &'a Contact> + Clone,
        motion: &PrescribedMotion,
        is_own: impl Fn(VertexId) -> bool,
        distance_m: f64,
    ) -> Result<Self> {
        let both_sides = BothSides::new(contacts.clone(), motion.x0.len());
        let takes = |vertex: VertexId| both_sides.touch(vertex) && is_own(vertex);
        let contacts = Vec::from_iter(
            contacts.filter(|it| it.pair.vertices.iter().any(|&vertex| both_sides.touch(vertex))),
        );
        let mut supports = Supports { list: Vec::new(), fresh: motion.prescribed.to_vec() };
        for _ in 0..MOST_GAPS {
            let mut found = Vec::new();
            for contact in &contacts {
                supports.pass_on(contact, motion, &takes, &mut found);
            }
            found.sort_unstable_by(Support::order);
            found.dedup_by(|a, b| a.vertex == b.vertex && b.is_like(&Vec3::from(a.normal)));
            let found = message::all_gather_v(world, &found)?;
            if found.is_empty() {
                break;
            }
            supports.add(found);
        }
        let squeezed = Vec::from_iter(supports.squeezed());
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
    pub fn aim_m(&self, contact: &Contact) -> f64 {
        if self.aims.is_empty() {
            return contact.distance_m;
        }
        let normal = Vec3::from(contact.normal);
        let vertices = contact.pair.vertices.iter().zip(&contact.weights);
        let weighty = vertices.filter(|(_, weight)| **weight != 0.0);
        let aims = weighty.filter_map(|(&vertex, _)| self.of(vertex));
        let along = aims.filter(|aim| aim.along.dot(&normal).abs() > ALIGNED);
        along.map(|aim| aim.gap_m).fold(contact.distance_m, f64::min)
    }

    /// The least gap (m) that contacts of these vertices aim at, if one of them is squeezed.
    pub fn least_m(&self, vertices: &[VertexId]) -> Option<f64> {
        let aims = vertices.iter().filter_map(|&vertex| self.of(vertex));
        aims.map(|aim| aim.gap_m).reduce(f64::min)
    }

    fn of(&self, vertex: VertexId) -> Option<&Aim> {
        let place = self.aims.binary_search_by_key(&vertex, |aim| aim.vertex).ok()?;
        self.aims.get(place)
    }
}

/// The vertices that contacts may touch from opposite sides. No other can be squeezed, or pass on
/// what supports it. So most cloth that lies or hangs on something is left out.
struct BothSides {
    /// Of each vertex, of which axes it has a contact whose normal points along it (bits 0 to 2) or
    /// against it (bits 3 to 5).
    axes: Vec<u8>,
}

impl BothSides {
    /// Of normals that oppose each other, the components along some axis have different signs and a
    /// product beyond a third of [`ALIGNED`]. So each is larger than that.
    const LEAST: f64 = ALIGNED / 3.0;

    fn new<'a>(contacts: impl Iterator<Item = &'a Contact>, vertices: usize) -> Self {
        let mut axes = vec![0; vertices];
        for contact in contacts {
            let bits = |sign: f64| {
                let axis = |i: usize| u8::from(sign * contact.normal[i] > Self::LEAST) << i;
                axis(0) | axis(1) | axis(2)
            };
            let (along, against) = (bits(1.0), bits(-1.0));
            let middle = contact.pair.first_side();
            for place in (0..4).filter(|&place| contact.weights[place] != 0.0) {
                let first = place < middle;
                let [with, opposed] = if first { [along, against] } else { [against, along] };
                axes[contact.pair.vertices[place] as usize] |= with | opposed << 3;
            }
        }
        Self { axes }
    }

    fn touch(&self, vertex: VertexId) -> bool {
        let axes = self.axes[vertex as usize];
        axes & axes >> 3 != 0
    }
}

/// The supports of all vertices.
struct Supports {
    /// By rising vertex.
    list: Vec<Support>,
    /// Of each vertex whether the last round gave it a support. Before the first round: whether it
    /// is one. No other has anything new to pass on.
    fresh: Vec<bool>,
}

impl Supports {
    fn of(&self, vertex: VertexId) -> &[Support] {
        let first = self.list.partition_point(|it| it.vertex < vertex);
        let count = self.list[first..].iter().take_while(|it| it.vertex == vertex).count();
        &self.list[first..first + count]
    }

    fn add(&mut self, mut found: Vec<Support>) {
        self.fresh.fill(false);
        found.iter().for_each(|it| self.fresh[it.vertex as usize] = true);
        self.list.append(&mut found);
        self.list.sort_unstable_by(Support::order);
    }

    /// Adds what `contact` passes on from one side to those vertices of the other that may take it.
    fn pass_on(
        &self,
        contact: &Contact,
        motion: &PrescribedMotion,
        may_take: &impl Fn(VertexId) -> bool,
        found: &mut Vec<Support>,
    ) {
        let middle = contact.pair.first_side();
        let normal = Vec3::from(contact.normal);
        for (to, from, normal) in [(0..middle, middle..4, normal), (middle..4, 0..middle, -normal)]
        {
            let is_fresh = |place: usize| {
                contact.weights[place] != 0.0 && self.fresh[contact.pair.vertices[place] as usize]
            };
            if !from.clone().any(is_fresh) {
                continue;
            }
            let takes = |place: &usize| {
                let vertex = contact.pair.vertices[*place];
                contact.weights[*place] != 0.0
                    && !motion.prescribed[vertex as usize]
                    && may_take(vertex)
                    && !self.of(vertex).iter().any(|it| it.is_like(&normal))
            };
            let mut takers = to.filter(takes).peekable();
            if takers.peek().is_none() {
                continue;
            }
            let Some(of_side) = self.of_side(contact, from, motion, &normal) else { continue };
            found.extend(takers.map(|place| Support {
                vertex: contact.pair.vertices[place],
                gaps: of_side.gaps + 1,
                normal: normal.into(),
                room_m: of_side.room_m + contact.gap_m,
                ..of_side
            }));
        }
    }

    /// The support of one side of a contact, which pushes the other side along `normal`. None if it
    /// has none.
    fn of_side(
        &self,
        contact: &Contact,
        side: std::ops::Range<usize>,
        motion: &PrescribedMotion,
        normal: &Vec3,
    ) -> Option<Support> {
        let (mut of_side, mut moved) = (Support::zeroed(), Vec3::zeros());
        let mut most_m = f64::NEG_INFINITY;
        for place in side.filter(|&place| contact.weights[place] != 0.0) {
            let (vertex, weight) = (contact.pair.vertices[place], contact.weights[place].abs());
            let base = if motion.prescribed[vertex as usize] {
                moved += motion.of(vertex) * weight;
                vertex
            } else {
                let support = self.of(vertex).iter().find(|it| it.is_like(normal))?;
                of_side.gaps = of_side.gaps.max(support.gaps);
                of_side.room_m += support.room_m * weight;
                moved += Vec3::from(support.motion_m) * weight;
                support.base
            };
            let comes_m = normal.dot(&motion.of(base));
            if comes_m > most_m {
                (most_m, of_side.base) = (comes_m, base);
            }
        }
        of_side.motion_m = moved.into();
        Some(of_side)
    }

    /// The tightest room of each vertex between two supports, by rising vertex.
    fn squeezed(&self) -> impl Iterator<Item = Room> {
        let of_one = self.list.chunk_by(|a, b| a.vertex == b.vertex);
        of_one.filter_map(|supports| {
            let rooms = supports.iter().enumerate().flat_map(|(place, one)| {
                supports[place + 1..].iter().filter_map(move |other| Room::between(one, other))
            });
            rooms.min_by(|a, b| a.share_m().total_cmp(&b.share_m()))
        })
    }
}

/// The room of a vertex between two supports that oppose each other.
struct Room {
    supports: [Support; 2],
    /// Normal of the first support.
    along: Vec3,
    /// At the end of the step, m.
    room_m: f64,
    closing_m: f64,
}

impl Room {
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

    fn share_m(&self) -> f64 {
        self.room_m / self.gaps()
    }

    /// None if each gap can have the contact distance.
    fn aim(&self, distance_m: f64) -> Option<Aim> {
        let gap_m = self.share_m().max(LEAST_SHARE * distance_m);
        let vertex = self.supports[0].vertex;
        (gap_m < distance_m).then_some(Aim { vertex, along: self.along, gap_m })
    }

    /// None if the room does not become smaller, or is large enough.
    fn narrow(&self, distance_m: f64) -> Option<Narrow> {
        let lacks_m = self.gaps() * distance_m - self.room_m;
        let sides = self.supports.each_ref().map(|it| (it.base, it.comes_m() > 0.0));
        let is_narrow = self.closing_m > 0.0 && lacks_m > MOST_LACK * distance_m;
        is_narrow.then_some(Narrow { vertex: self.supports[0].vertex, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Pair;
    use crate::contact::ContactDistance;
    use crate::contact::point::find_contacts;
    use crate::ranks::in_process;

    const DISTANCE_M: f64 = 1e-3;

    /// `layers` triangles between two prescribed ones, all 1 cm wide, with `gaps` (m) from the
    /// lowest to the highest one. The upper one moves by `moved` (m).
    fn pressed(gaps: &[f64], moved: Vec3) -> (Vec<Contact>, Vec<bool>, [Vec<Vec3>; 2]) {
        let (mut x0, mut faces, mut up) = (Vec::new(), Vec::new(), 0.0);
        for (layer, gap) in [0.0].iter().chain(gaps).enumerate() {
            up += gap;
            let first = x0.len() as u32;
            let wide = 0.01 * (1.0 + 0.3 * layer as f64);
            let corners = [[-wide, -wide], [wide, -wide], [0.0, wide]];
            x0.extend(corners.map(|[x, z]| Vec3::new(x, up, z)));
            faces.push([first, first + 1, first + 2]);
        }
        let last = x0.len() - 3;
        let prescribed: Vec<bool> = (0..x0.len()).map(|at| at < 3 || at >= last).collect();
        let mut x1 = x0.clone();
        x1[last..].iter_mut().for_each(|x| *x += moved);
        let mut pairs = Vec::new();
        for two in faces.windows(2) {
            for (one, other) in [(two[0], two[1]), (two[1], two[0])] {
                pairs.extend(one.map(|vertex| Pair::vertex_face(vertex, other)));
            }
        }
        let distance = ContactDistance { distance_m: DISTANCE_M, rest: &[], cloth_ends: &[] };
        let mut contacts = Vec::new();
        find_contacts(&pairs, &x0, &x1, &distance, &mut contacts);
        (contacts, prescribed, [x0, x1])
    }

    /// The aims of all contacts of [`pressed`], m.
    fn aims(gaps: &[f64], moved: Vec3) -> Vec<f64> {
        let (contacts, prescribed, [x0, x1]) = pressed(gaps, moved);
        let motion = PrescribedMotion { prescribed: &prescribed, x0: &x0, x1: &x1 };
        let of_ranks = |ranks: usize| {
            let found = in_process::run(ranks, |world| {
                let is_own = |vertex: VertexId| vertex as usize % ranks == world.rank();
                Squeezed::find(world, contacts.iter(), &motion, is_own, DISTANCE_M)
            });
            found.unwrap()
        };
        let squeezed = of_ranks(1).remove(0);
        assert!(of_ranks(3).iter().all(|other| *other == squeezed));
        contacts.iter().map(|contact| squeezed.aim_m(contact)).collect()
    }

    #[test]
    fn layers_between_plates_share_their_room() {
        for gaps in [&[3e-4, 9e-4][..], &[8e-4, 1e-4, 6e-4], &[5e-4, 9e-4, 2e-4, 8e-4]] {
            let share = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let found = aims(gaps, Vec3::zeros());
            assert!(!found.is_empty());
            assert!(found.iter().all(|aim| (aim - share).abs() < 1e-12), "{found:?} {share}");
        }
    }

    /// One to four layers need a room of `n + 1/2` contact distances. The lid turns about an edge, so
    /// one of its vertices stands still: the side is known by one that moves.
    #[test]
    fn rooms_below_their_limit_name_the_vertices_that_come_nearer() {
        for layers in 1..=4 {
            for (part, is_narrow) in [(0.45, true), (0.55, false)] {
                let room_m = (layers as f64 + part) * DISTANCE_M;
                let gaps = vec![room_m / (layers as f64 + 1.0); layers + 1];
                let (contacts, prescribed, [x0, mut x1]) = pressed(&gaps, Vec3::zeros());
                let last = x1.len() - 1;
                x1[last - 2..last].iter_mut().for_each(|x| x.y -= 1e-5);
                let motion = PrescribedMotion { prescribed: &prescribed, x0: &x0, x1: &x1 };
                let found = in_process::run(1, |world| {
                    Squeezed::find(world, contacts.iter(), &motion, |_| true, DISTANCE_M)
                });
                let narrow = found.unwrap().remove(0).narrow;
                assert_eq!(!narrow.is_empty(), is_narrow, "{layers} layers: {narrow:?}");
                for (vertex, comes) in narrow.iter().flat_map(|narrow| narrow.sides) {
                    let moves = (last - 2..last).contains(&(vertex as usize));
                    assert!(comes == moves && (moves || vertex < 3), "{narrow:?}");
                }
            }
        }
    }

    #[test]
    fn plates_that_approach_leave_less_room() {
        let found = aims(&[7e-4, 7e-4], Vec3::new(3e-3, -4e-4, 0.0));
        assert!(found.iter().all(|aim| (aim - 5e-4).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn cloth_with_room_aims_at_the_contact_distance() {
        assert!(aims(&[9e-4, 1.2e-3], Vec3::zeros()).iter().all(|&aim| aim == DISTANCE_M));
        assert!(aims(&[9e-4, 9e-4], 5e-4 * Vec3::y()).iter().all(|&aim| aim == DISTANCE_M));
    }
}

//! The supports of cloth vertices: prescribed surfaces that they touch, also through layers. The
//! table of the parent module has the symbols.

use bytemuck::{Pod, Zeroable};

use crate::contact::distance::ContactDistance;
use crate::contact::point::Contact;
use cloth_core::{Result, Vec3, VertexId, World, message};

/// A support counts for a vertex over at most this number of gaps. So up to seven layers between
/// two supports count.
const MOST_GAPS: usize = 4;

/// Two supports oppose each other if the cosine between their normals is below the negative of
/// this value. They are the same if it is above this value.
pub(super) const ALIGNED: f64 = 0.5;

/// All vertices that move as prescribed, and how they move in the step.
#[derive(Clone, Copy)]
pub struct PrescribedMotion<'a> {
    /// Whether a vertex is prescribed.
    pub prescribed: &'a [bool],
    /// Positions of all vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Predicted positions at its end, m. For prescribed vertices they are exact.
    pub x1: &'a [Vec3],
}

impl PrescribedMotion<'_> {
    /// How a prescribed vertex moves in the step, m.
    fn of(&self, vertex: VertexId) -> Vec3 {
        self.x1[vertex as usize] - self.x0[vertex as usize]
    }
}

/// A support of a vertex. The table of symbols is in the parent module.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Support {
    pub vertex: VertexId,
    pub gaps: u32,
    pub normal: [f64; 3],
    pub room_m: f64,
    motion_m: [f64; 3],
    /// The contact distances of its gaps, in those of the scene, less the number of the gaps.
    pub more: f64,
    /// The prescribed vertex of the support that comes nearest.
    pub base: VertexId,
    zero: u32,
}

impl Support {
    fn is_like(&self, normal: &Vec3) -> bool {
        Vec3::from(self.normal).dot(normal) > ALIGNED
    }

    /// The contact distances of its gaps, in those of the scene.
    fn distances(&self) -> f64 {
        f64::from(self.gaps) + self.more
    }

    /// How far it comes nearer in the step, m.
    pub fn comes_m(&self) -> f64 {
        Vec3::from(self.normal).dot(&Vec3::from(self.motion_m))
    }

    /// A total order, by vertex first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let bits = |it: &Self| {
            let numbers = [it.room_m, it.more].into_iter().chain(it.normal).chain(it.motion_m);
            numbers.map(f64::to_bits).collect::<smallvec::SmallVec<[u64; 8]>>()
        };
        let key = |it: &Self| (it.vertex, it.gaps, it.room_m.max(0.0).to_bits(), it.base);
        key(self).cmp(&key(other)).then_with(|| bits(self).cmp(&bits(other)))
    }
}

/// The vertices that contacts may touch from opposite sides. No other vertex can be squeezed, or
/// pass a support on. So most cloth that lies or hangs on something is left out.
struct BothSides {
    /// For each vertex, the axes along which the normal of some contact points (bits 0 to 2), and
    /// the axes against which one points (bits 3 to 5).
    axes: Vec<u8>,
}

impl BothSides {
    /// If two normals oppose each other, their components along some axis have different signs,
    /// and the magnitude of the product is above a third of [`ALIGNED`]. So the magnitude of each
    /// is above this value.
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
pub(super) struct Supports {
    /// By rising vertex.
    list: Vec<Support>,
    /// Whether the last round gave each vertex a support. Before the first round: whether the
    /// vertex is a support. No other vertex has anything new to pass on.
    fresh: Vec<bool>,
}

impl Supports {
    /// Finds the supports of the vertices of `contacts`. Each rank gives all contacts of the
    /// vertices that it owns (`is_own`). Collective.
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
        let both_sides = BothSides::new(contacts.clone(), motion.x0.len());
        let takes = |vertex: VertexId| both_sides.touch(vertex) && is_own(vertex);
        let contacts = Vec::from_iter(
            contacts.filter(|it| it.pair.vertices.iter().any(|&vertex| takes(vertex))),
        );
        let mut supports = Self { list: Vec::new(), fresh: motion.prescribed.to_vec() };
        for _ in 0..MOST_GAPS {
            let mut found = Vec::new();
            for contact in &contacts {
                supports.pass_on(contact, (motion, distance), &takes, &mut found);
            }
            found.sort_unstable_by(Support::order);
            found.dedup_by(|a, b| a.vertex == b.vertex && b.is_like(&Vec3::from(a.normal)));
            let found = message::all_gather_v(world, &found)?;
            if found.is_empty() {
                break;
            }
            supports.add(found);
        }
        Ok(supports)
    }

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

    /// Adds the support that `contact` passes on from one side to those vertices of the other side
    /// that may take it.
    fn pass_on(
        &self,
        contact: &Contact,
        (motion, distance): (&PrescribedMotion, &ContactDistance),
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
            let of_pair = distance.in_scene_distances(&contact.pair, Some(&contact.weights));
            found.extend(takers.map(|place| Support {
                vertex: contact.pair.vertices[place],
                gaps: of_side.gaps + 1,
                normal: normal.into(),
                room_m: of_side.room_m + contact.gap_m,
                more: of_side.more + (of_pair - 1.0),
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
                if support.distances() > of_side.distances() {
                    (of_side.gaps, of_side.more) = (support.gaps, support.more);
                }
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

    /// The supports of each vertex that has some, by rising vertex.
    pub fn of_each(&self) -> impl Iterator<Item = &[Support]> {
        self.list.chunk_by(|a, b| a.vertex == b.vertex)
    }
}

//! All contacts of a rank.

use crate::math::Vec3;
use crate::rigid::body::Body;
use crate::rigid::broad::{Bound, Broad};
use crate::rigid::contact::{Contact, Partner};
use crate::rigid::fixed::{FixedBodies, FixedShape};
use crate::rigid::narrow::{Placed, Touches, half_space, touch};
use crate::rigid::solid::Solids;
use crate::threads::Threads;

/// Pairs of one piece of the narrow phase.
const PIECE: usize = 2048;

/// All bodies that a rank knows.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Movable bodies, shadow copies too.
    pub bodies: &'a [Body],
    /// Fixed bodies.
    pub fixed: &'a FixedBodies,
    /// Their hulls and meshes.
    pub solids: &'a Solids,
}

/// Finds contacts. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Detector {
    /// The broad phase.
    pub broad: Broad,
    bounds: Vec<Bound>,
    /// Places of the fixed bodies that have bounds.
    bounded: Vec<u32>,
    /// Fixed half-spaces with their normals.
    half_spaces: Vec<(u32, Vec3)>,
    /// Where pieces of bodies start.
    pieces: Vec<usize>,
    pairs: Vec<[u32; 2]>,
}

impl Detector {
    /// Writes to `contacts` the contacts of all movable bodies with each other and with the fixed ones
    /// whose point `is_ours` (m): ours to treat. The order of the contacts is not that of the
    /// bodies, and does not depend on the number of threads.
    pub fn contacts(
        &mut self,
        world: &Surroundings,
        threads: &Threads,
        is_ours: impl Fn(&Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        self.collect_bounds(world);
        self.broad.pairs(&self.bounds, world.bodies.len(), threads, &mut self.pairs);
        let of_pairs = OfPairs { world, bounded: &self.bounded };
        threads.collect(&self.pairs, PIECE, contacts, |pairs, contacts| {
            let mut touches = Touches::new();
            for pair in pairs {
                of_pairs.contacts(pair, &is_ours, &mut touches, contacts);
            }
        });
        if !self.half_spaces.is_empty() {
            self.on_planes(world, threads, is_ours, contacts);
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.broad.bytes() + size_of::<Bound>() * self.bounds.capacity() + 8 * self.pairs.capacity()
    }

    fn collect_bounds(&mut self, world: &Surroundings) {
        let Surroundings { bodies, fixed, solids } = *world;
        let bound =
            |body: &Body| Bound { centre: body.state.position, radius: solids.reach(&body.shape) };
        self.bounds.clear();
        self.bounds.extend(bodies.iter().map(bound));
        self.bounded.clear();
        self.half_spaces.clear();
        self.pieces.clear();
        self.pieces.extend((0..bodies.len()).step_by(PIECE));
        for ((body, state), place) in fixed.bodies().iter().zip(fixed.states()).zip(0..) {
            match &body.shape {
                FixedShape::HalfSpace => {
                    let normal = state.rotation.transform_vector(&Vec3::y());
                    self.half_spaces.push((place, normal));
                }
                FixedShape::Shape(shape) => {
                    self.bounded.push(place);
                    self.bounds.push(Bound { centre: state.position, radius: solids.reach(shape) });
                }
            }
        }
    }

    fn on_planes(
        &self,
        world: &Surroundings,
        threads: &Threads,
        is_ours: impl Fn(&Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        let Surroundings { bodies, fixed, solids } = *world;
        threads.collect(&self.pieces, 1, contacts, |starts, contacts| {
            let mut touches = Touches::new();
            for &start in starts {
                let end = bodies.len().min(start + PIECE);
                for (bound, first) in self.bounds[start..end].iter().zip(start..) {
                    for &(place, normal) in &self.half_spaces {
                        let state = &fixed.states()[place as usize];
                        if normal.dot(&(bound.centre - state.position)) > bound.radius {
                            continue;
                        }
                        let body = Placed::new(&bodies[first].shape, &bodies[first].state);
                        half_space::touch(&body, state, solids, &mut touches);
                        let second = Partner::Fixed(place);
                        push(first as u32, second, &touches, &is_ours, contacts);
                    }
                }
            }
        });
    }
}

#[derive(Clone, Copy)]
struct OfPairs<'a> {
    world: &'a Surroundings<'a>,
    bounded: &'a [u32],
}

impl OfPairs<'_> {
    fn contacts(
        &self,
        pair: &[u32; 2],
        is_ours: &impl Fn(&Vec3) -> bool,
        touches: &mut Touches,
        contacts: &mut Vec<Contact>,
    ) {
        let Surroundings { bodies, fixed, solids } = *self.world;
        let movable = bodies.len() as u32;
        let id = |place: u32| bodies[place as usize].id;
        let [low, high] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        let (first, second) = match high < movable {
            true if id(low) < id(high) => (low, Partner::Movable(high)),
            true => (high, Partner::Movable(low)),
            false => (low, Partner::Fixed(self.bounded[(high - movable) as usize])),
        };
        let own = &bodies[first as usize];
        let other = match second {
            Partner::Movable(place) => {
                let body = &bodies[place as usize];
                Placed::new(&body.shape, &body.state)
            }
            Partner::Fixed(place) => match &fixed.bodies()[place as usize].shape {
                FixedShape::HalfSpace => return,
                FixedShape::Shape(shape) => Placed::new(shape, &fixed.states()[place as usize]),
            },
        };
        touch(&Placed::new(&own.shape, &own.state), &other, solids, touches);
        push(first, second, touches, is_ours, contacts);
    }
}

fn push(
    first: u32,
    second: Partner,
    touches: &Touches,
    is_ours: &impl Fn(&Vec3) -> bool,
    contacts: &mut Vec<Contact>,
) {
    for (touch, feature) in touches.iter().zip(0..) {
        if is_ours(&touch.point) {
            let (point, normal, gap) = (touch.point, touch.normal, touch.gap);
            contacts.push(Contact { first, second, feature, point, normal, gap });
        }
    }
}

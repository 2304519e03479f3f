//! All contacts of a rank.

use crate::math::Vec3;
use crate::rigid::body::{Body, Shape};
use crate::rigid::broad::{Bound, Broad};
use crate::rigid::contact::{Contact, Partner};
use crate::rigid::fixed::{FixedBodies, FixedShape};
use crate::rigid::narrow::{Placed, Touches, half_space, touch};
use crate::threads::Threads;

/// Pairs of one piece of the narrow phase.
const PIECE: usize = 2048;

/// Finds contacts. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Detector {
    /// The broad phase.
    pub broad: Broad,
    bounds: Vec<Bound>,
    /// Places of the fixed bodies that have bounds.
    bounded: Vec<u32>,
    half_spaces: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl Detector {
    /// Writes to `contacts` the contacts of all `bodies` with each other and with the `fixed` ones
    /// whose point `is_ours` (m): ours to treat. The order of the contacts is not that of the
    /// bodies, and does not depend on the number of threads.
    pub fn contacts(
        &mut self,
        bodies: &[Body],
        fixed: &FixedBodies,
        threads: &Threads,
        is_ours: impl Fn(&Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        self.collect_bounds(bodies, fixed);
        self.broad.pairs(&self.bounds, bodies.len(), threads, &mut self.pairs);
        let of_pairs = OfPairs { bodies, fixed, bounded: &self.bounded };
        threads.collect(&self.pairs, PIECE, contacts, |pairs, contacts| {
            let mut touches = Touches::new();
            for pair in pairs {
                of_pairs.contacts(pair, &is_ours, &mut touches, contacts);
            }
        });
        if !self.half_spaces.is_empty() {
            self.on_planes(bodies, fixed, threads, is_ours, contacts);
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.broad.bytes() + size_of::<Bound>() * self.bounds.capacity() + 8 * self.pairs.capacity()
    }

    fn collect_bounds(&mut self, bodies: &[Body], fixed: &FixedBodies) {
        let bound = |body: &Body| Bound { centre: body.state.position, radius: reach(&body.shape) };
        self.bounds.clear();
        self.bounds.extend(bodies.iter().map(bound));
        self.bounded.clear();
        self.half_spaces.clear();
        for ((body, state), place) in fixed.bodies().iter().zip(fixed.states()).zip(0..) {
            match &body.shape {
                FixedShape::HalfSpace => self.half_spaces.push(place),
                FixedShape::Shape(shape) => {
                    self.bounded.push(place);
                    self.bounds.push(Bound { centre: state.position, radius: reach(shape) });
                }
            }
        }
    }

    fn on_planes(
        &self,
        bodies: &[Body],
        fixed: &FixedBodies,
        threads: &Threads,
        is_ours: impl Fn(&Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        let planes = self.half_spaces.iter().map(|&place| {
            let state = &fixed.states()[place as usize];
            (place, state, state.rotation.transform_vector(&Vec3::y()))
        });
        let planes: Vec<_> = planes.collect();
        let pieces: Vec<usize> = (0..bodies.len()).step_by(PIECE).collect();
        threads.collect(&pieces, 1, contacts, |starts, contacts| {
            let mut touches = Touches::new();
            for &start in starts {
                let end = bodies.len().min(start + PIECE);
                for (bound, first) in self.bounds[start..end].iter().zip(start..) {
                    for (place, state, normal) in &planes {
                        if normal.dot(&(bound.centre - state.position)) > bound.radius {
                            continue;
                        }
                        let body = Placed::new(&bodies[first].shape, &bodies[first].state);
                        half_space::touch(&body, state, &mut touches);
                        let second = Partner::Fixed(*place);
                        push(first as u32, second, &touches, &is_ours, contacts);
                    }
                }
            }
        });
    }
}

/// The radius of the sphere about the centre of mass that holds a body, m.
pub fn reach(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half } => half.norm(),
        Shape::Capsule { half_length, radius } => half_length + radius,
        Shape::Solid(_) => 0.0,
    }
}

#[derive(Clone, Copy)]
struct OfPairs<'a> {
    bodies: &'a [Body],
    fixed: &'a FixedBodies,
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
        let movable = self.bodies.len() as u32;
        let id = |place: u32| self.bodies[place as usize].id;
        let [low, high] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        let (first, second) = match high < movable {
            true if id(low) < id(high) => (low, Partner::Movable(high)),
            true => (high, Partner::Movable(low)),
            false => (low, Partner::Fixed(self.bounded[(high - movable) as usize])),
        };
        let own = &self.bodies[first as usize];
        let other = match second {
            Partner::Movable(place) => {
                let body = &self.bodies[place as usize];
                Placed::new(&body.shape, &body.state)
            }
            Partner::Fixed(place) => match &self.fixed.bodies()[place as usize].shape {
                FixedShape::HalfSpace => return,
                FixedShape::Shape(shape) => {
                    Placed::new(shape, &self.fixed.states()[place as usize])
                }
            },
        };
        touch(&Placed::new(&own.shape, &own.state), &other, touches);
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

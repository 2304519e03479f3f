//! All contacts of a rank.
//!
//! A body near a periodic border is found at each of its images. Every contact is computed with the
//! first body at the position that its owner has, and with the second body at the image beside it.
//! So a contact has the same bits at whichever image, and on whichever rank, it is found.

mod approach;

use crate::broad::{Bound, Candidates, ImageKey, Now};
use crate::constraint::joint::Joints;
use crate::constraint::{Contact, Partner};
use crate::horizon::Horizon;
use crate::narrow::detector::approach::Closing;
use crate::narrow::{Touches, half_space, touch};
use crate::{BodyList, BodyState, FixedBodies, FixedShape, Placed, Shape, Solids};
use cloth_core::{Threads, Vec3};

/// Number of pairs or bodies that a thread takes at once.
const PIECE: usize = 2048;

/// All bodies that a rank knows.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Movable bodies, including shadow copies.
    pub bodies: BodyList<'a>,
    /// Fixed bodies.
    pub fixed: &'a FixedBodies,
    /// The hulls and meshes of all bodies.
    pub solids: &'a Solids,
    /// Bodies that do not collide because a joint connects them.
    pub joints: &'a Joints,
    /// How far ahead contacts are found.
    pub horizon: &'a Horizon,
    /// Whether contacts are found whose first body is at a place. None if all are found.
    pub treated: Option<&'a [bool]>,
}

impl Surroundings<'_> {
    /// True if contacts are found whose first body is at this place.
    #[inline]
    fn treats(&self, place: u32) -> bool {
        self.treated.is_none_or(|treated| treated[place as usize])
    }
}

/// An image of a movable body, whole periods away from the position that its owner has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageOf {
    /// Place of the body in this rank's list.
    pub place: u32,
    /// Number of periods by which it is shifted along each axis.
    pub image: [i8; 3],
    /// Its centre, m.
    pub centre: Vec3,
}

/// All images of bodies, without the bodies themselves.
#[derive(Debug, Clone, Copy)]
pub struct BodyImages<'a> {
    /// The images, by rising place and image.
    pub list: &'a [ImageOf],
    /// Extent of the domain along each axis, m.
    pub period: Vec3,
}

impl BodyImages<'_> {
    /// No periodic border.
    pub const NONE: Self = Self { list: &[], period: Vec3::new(0.0, 0.0, 0.0) };

    /// The place and the image of the body of an entry. Entries are all `bodies` bodies, and then
    /// all images.
    fn entry(&self, entry: u32, bodies: usize) -> (u32, [i8; 3]) {
        match (entry as usize).checked_sub(bodies) {
            None => (entry, [0; 3]),
            Some(at) => (self.list[at].place, self.list[at].image),
        }
    }

    /// The shift of an image, m.
    fn shift(&self, image: [i8; 3]) -> Vec3 {
        Vec3::from_fn(|axis, _| f64::from(image[axis]) * self.period[axis])
    }
}

/// Finds contacts. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Detector {
    /// The broad phase.
    pub broad: Candidates,
    /// Bounds of the bodies, if the caller does not give them.
    bounds: Vec<Bound>,
    /// Bounds of images, and then of fixed bodies.
    others: Vec<Bound>,
    keys: Vec<ImageKey>,
    /// Places of the fixed bodies that have bounds.
    bounded: Vec<u32>,
    /// Fixed half-spaces with their normals.
    half_spaces: Vec<(u32, Vec3)>,
    /// The first entry of each piece of bodies and images.
    pieces: Vec<usize>,
    pairs: Vec<[u32; 2]>,
}

impl Detector {
    /// Writes to `contacts` the contacts that this rank treats, of all movable bodies with each
    /// other and with fixed bodies. Each contact has one place (m), and `is_ours` tells whether
    /// this rank treats the place: it is the contact's point, unless the overlap is deep. The order
    /// of the contacts does not depend on the number of threads, but it is not the order of the
    /// bodies.
    pub fn contacts(
        &mut self,
        world: &Surroundings,
        threads: &Threads,
        is_ours: impl Fn(&Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        let is_ours = |_, point: &Vec3| is_ours(point);
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.clear();
        let bound = |place: usize| {
            let (state, shape) = (&world.bodies.states()[place], world.bodies.shape(place));
            let radius = world.solids.reach(shape);
            world.horizon.bound(state, shape.swing(radius), radius)
        };
        bounds.extend((0..world.bodies.len()).map(bound));
        self.contacts_of_images(world, &bounds, &BodyImages::NONE, threads, is_ours, contacts);
        self.bounds = bounds;
    }

    /// The contacts with `images` and with the `bounds` of all movable bodies. A contact
    /// is found once for each pair of images that touch. `is_ours` gets the image of the first
    /// body, and the contact's place as seen from image zero of that body.
    pub fn contacts_of_images(
        &mut self,
        world: &Surroundings,
        bounds: &[Bound],
        images: &BodyImages,
        threads: &Threads,
        is_ours: impl Fn([i8; 3], &Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        self.collect_others(world, bounds, images);
        let states = world.bodies.states();
        let now = Now { bodies: bounds, states, others: &self.others, images: &self.keys };
        self.broad.pairs(&now, threads, &mut self.pairs);
        let of_pairs = OfPairs { world, now: &now, images, bounded: &self.bounded };
        threads.collect(&self.pairs, PIECE, contacts, |pairs, contacts| {
            let mut touches = Touches::new();
            for pair in pairs {
                of_pairs.contacts(pair, &is_ours, &mut touches, contacts);
            }
        });
        if !self.half_spaces.is_empty() {
            self.on_planes(world, bounds, images, threads, is_ours, contacts);
        }
    }

    fn collect_others(&mut self, world: &Surroundings, bounds: &[Bound], images: &BodyImages) {
        let Surroundings { fixed, solids, horizon, .. } = *world;
        self.others.clear();
        self.keys.clear();
        for &ImageOf { place, image, centre } in images.list {
            self.others.push(Bound { centre, ..bounds[place as usize] });
            self.keys.push((place, image));
        }
        self.pieces.clear();
        self.pieces.extend((0..bounds.len() + images.list.len()).step_by(PIECE));
        self.bounded.clear();
        self.half_spaces.clear();
        for ((body, state), place) in fixed.bodies().iter().zip(fixed.states()).zip(0..) {
            match &body.shape {
                FixedShape::HalfSpace => {
                    let normal = state.rotation.transform_vector(&Vec3::y());
                    self.half_spaces.push((place, normal));
                }
                FixedShape::Shape(shape) => {
                    self.bounded.push(place);
                    let radius = solids.reach(shape);
                    self.others.push(horizon.of_fixed(state.position, radius, &state.twist));
                }
            }
        }
    }

    fn on_planes(
        &self,
        world: &Surroundings,
        bounds: &[Bound],
        images: &BodyImages,
        threads: &Threads,
        is_ours: impl Fn([i8; 3], &Vec3) -> bool + Sync,
        contacts: &mut Vec<Contact>,
    ) {
        let Surroundings { bodies, fixed, solids, horizon, joints, .. } = *world;
        let movable = bodies.len() + images.list.len();
        threads.collect(&self.pieces, 1, contacts, |starts, contacts| {
            let mut touches = Touches::new();
            for &start in starts {
                let end = movable.min(start + PIECE);
                let all = bounds[..bodies.len()].iter().chain(&self.others);
                for (entry, bound) in all.enumerate().take(end).skip(start) {
                    for &(place, normal) in &self.half_spaces {
                        let state = &fixed.states()[place as usize];
                        let arm = bound.centre - state.position;
                        let width = arm.norm() + bound.radius;
                        let plane = horizon.of_fixed(state.position, width, &state.twist);
                        let travels = [bound.travel, plane.travel];
                        if normal.dot(&arm) > bound.radius + travels[0] + travels[1] {
                            continue;
                        }
                        let (first, image) = images.entry(entry as u32, bodies.len());
                        let id = bodies.id(first as usize);
                        if !world.treats(first) || joints.do_not_collide(id, fixed.id(place)) {
                            continue;
                        }
                        let meeting =
                            Meeting::new(first, image, Partner::Fixed(place), [0; 3], images);
                        let own = bodies.states()[first as usize];
                        let position = state.position + meeting.shift;
                        let state = BodyState { position, ..*state };
                        let radii = [bound.radius, f64::INFINITY];
                        let closing = Closing { horizon, travels, radii, states: [own, state] };
                        let body = Placed::new(bodies.shape(first as usize), &own);
                        half_space::touch(&body, &state, solids, closing.most(), &mut touches);
                        meeting.push(&touches, &closing, &is_ours, contacts);
                    }
                }
            }
        });
    }
}

#[derive(Clone, Copy)]
struct OfPairs<'a> {
    world: &'a Surroundings<'a>,
    now: &'a Now<'a>,
    images: &'a BodyImages<'a>,
    bounded: &'a [u32],
}

/// Two bodies that may touch.
struct Two<'a> {
    meeting: Meeting,
    shapes: [&'a Shape; 2],
    states: [BodyState; 2],
    bounds: [&'a Bound; 2],
}

impl<'a> OfPairs<'a> {
    /// The two bodies of a pair of entries. None if they do not collide.
    #[inline(always)] // A call would copy both states, a tenth of the work of a dense step.
    fn two(&self, pair: &[u32; 2]) -> Option<Two<'a>> {
        let Surroundings { bodies, fixed, joints, .. } = *self.world;
        let movable = (bodies.len() + self.images.list.len()) as u32;
        let entry = |entry: u32| self.images.entry(entry, bodies.len());
        let id = |place: u32| bodies.id(place as usize);
        let [mut low, mut high] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        if high < movable && id(entry(low).0) > id(entry(high).0) {
            (low, high) = (high, low);
        }
        let (first, image) = entry(low);
        let meeting = if high < movable {
            let (second, other) = entry(high);
            Meeting::new(first, image, Partner::Movable(second), other, self.images)
        } else {
            let second = Partner::Fixed(self.bounded[(high - movable) as usize]);
            Meeting::new(first, image, second, [0; 3], self.images)
        };
        let body = |place: u32| (bodies.shape(place as usize), bodies.states()[place as usize]);
        let partner = fixed.id_of(meeting.second, &bodies);
        if !self.world.treats(first) || joints.do_not_collide(id(first), partner) {
            return None;
        }
        let (own, start) = body(meeting.first);
        let (other, mut end) = match meeting.second {
            Partner::Movable(place) => body(place),
            Partner::Fixed(place) => match &fixed.bodies()[place as usize].shape {
                FixedShape::HalfSpace => return None,
                FixedShape::Shape(shape) => (shape, fixed.states()[place as usize]),
            },
        };
        end.position += meeting.shift;
        let bounds = [low, high].map(|entry| self.now.bound(entry));
        Some(Two { meeting, shapes: [own, other], states: [start, end], bounds })
    }

    fn contacts(
        &self,
        pair: &[u32; 2],
        is_ours: &impl Fn([i8; 3], &Vec3) -> bool,
        touches: &mut Touches,
        contacts: &mut Vec<Contact>,
    ) {
        let Surroundings { solids, horizon, .. } = *self.world;
        let Some(Two { meeting, shapes, states, bounds: [near, far] }) = self.two(pair) else {
            return;
        };
        let travels = [near.travel, far.travel];
        // The radius of a fixed body is infinite here, because all ranks know the body.
        let is_movable = matches!(meeting.second, Partner::Movable(_));
        let radii = [near.radius, if is_movable { far.radius } else { f64::INFINITY }];
        let closing = Closing { horizon, travels, radii, states };
        let [own, other] = [0, 1].map(|i| Placed::new(shapes[i], &states[i]));
        touch(&own, &other, solids, closing.most(), touches);
        meeting.push(touches, &closing, is_ours, contacts);
    }
}

/// Two bodies that may touch, at given images.
struct Meeting {
    first: u32,
    image: [i8; 3],
    second: Partner,
    /// Shift of the second body from the position that its owner has, if the first body is at the
    /// position that its owner has, m.
    shift: Vec3,
    /// Offset of the numbers of the contacts. It differs from image to image, because two bodies
    /// may meet at two places.
    feature: u32,
}

impl Meeting {
    fn new(
        first: u32,
        image: [i8; 3],
        second: Partner,
        other: [i8; 3],
        images: &BodyImages,
    ) -> Self {
        let apart = [0, 1, 2].map(|axis| other[axis] - image[axis]);
        let digits = apart.map(|periods| i32::from(periods).rem_euclid(5) as u32);
        let feature = (digits[0] + 5 * digits[1] + 25 * digits[2]) << 20;
        Self { first, image, second, shift: images.shift(apart), feature }
    }

    fn push(
        &self,
        touches: &Touches,
        closing: &Closing,
        is_ours: &impl Fn([i8; 3], &Vec3) -> bool,
        contacts: &mut Vec<Contact>,
    ) {
        for (touch, number) in touches.iter().zip(0..) {
            let point = closing.point(touch);
            if closing.sees(touch) && is_ours(self.image, &closing.place(&point)) {
                let Self { first, second, shift, .. } = *self;
                let (normal, gap) = (touch.normal, touch.gap);
                let feature = self.feature + number;
                contacts.push(Contact { first, second, shift, feature, point, normal, gap });
            }
        }
    }
}

//! How two bodies come nearer to each other, and bodies that passed through each other since the
//! last search for contacts.
//!
//! Contacts are foreseen from the velocities before the response. A thin body that is hit may pass
//! a thin neighbour in the same step, because it did not move towards it before. It can do so only
//! if the way is longer than half of the widths of both. Such pairs are moved back along their
//! paths, which are straight between two searches.

use crate::broad::{Bound, Now};
use crate::horizon::Horizon;
use crate::motion::drift;
use crate::narrow::detector::{BodyImages, Detector, OfPairs, PIECE, Surroundings, Two};
use crate::narrow::{Touch, Touches, touch};
use crate::{BodyId, BodyState, Placed};
use cloth_core::{Threads, Vec3};

/// How two bodies come nearer to each other.
pub struct Closing<'a> {
    /// How far ahead contacts are found.
    pub horizon: &'a Horizon,
    /// Their travels, m.
    pub travels: [f64; 2],
    /// Radii of the balls that hold the bodies, m. Infinite for a body that all ranks know.
    pub radii: [f64; 2],
    /// Their states.
    pub states: [BodyState; 2],
}

impl Closing<'_> {
    /// The largest gap of a contact, m.
    pub fn most(&self) -> f64 {
        self.travels[0] + self.travels[1]
    }

    /// True if the surfaces at `touch` are in contact.
    pub fn sees(&self, touch: &Touch) -> bool {
        let [first, second] =
            self.states.each_ref().map(|it| it.twist.at(&(touch.point - it.position)));
        self.horizon.sees(touch.gap, (second - first).dot(&touch.normal))
    }

    /// The point of a contact. It divides a gap in the ratio of the travels, so that both bodies,
    /// grown by their travels, reach it. With a fixed body, which has no angular momentum to keep,
    /// it is on the surface of the other one: a longer arm would turn that too much.
    pub fn point(&self, touch: &Touch) -> Vec3 {
        if touch.gap <= 0.0 {
            return touch.point;
        }
        let is_fixed = self.radii[1].is_infinite();
        let share = if is_fixed { 0.0 } else { self.travels[0] / self.most() };
        touch.point + touch.normal * (touch.gap * (0.5 - share))
    }

    /// The place whose rank treats the contact at `point`. It is `point`, unless one body is so
    /// deep in the other that its ball does not reach `point`. The rank of the place knows both
    /// bodies.
    pub fn place(&self, point: &Vec3) -> Vec3 {
        let [first, second] = [0, 1].map(|i| (self.states[i].position, self.reach(i)));
        let has = |(centre, reach): (Vec3, f64)| (point - centre).norm_squared() <= reach * reach;
        if has(first) && has(second) {
            return *point;
        }
        if second.1.is_infinite() {
            let arm = point - first.0;
            return first.0 + arm * (first.1 / arm.norm());
        }
        // The middle of the part of the line through both centres that lies in both balls.
        let apart = second.0 - first.0;
        let distance = apart.norm();
        if distance == 0.0 {
            return first.0;
        }
        let (low, high) = ((distance - second.1).max(-first.1), (distance + second.1).min(first.1));
        first.0 + apart * (0.5 * (low + high) / distance)
    }

    /// The radius of a body's ball with its travel, m.
    fn reach(&self, body: usize) -> f64 {
        self.radii[body] + self.travels[body]
    }
}

/// Two bodies have passed each other if they overlapped on the way by this fraction of half of the
/// widths of both.
const DEEP: f64 = 0.5;

/// Number of places looked at while two bodies move by half of the widths of both.
const LOOKS: f64 = 2.0;

impl Detector {
    /// Two bodies that passed through each other in the last `since_s` seconds, in which all bodies
    /// had their present velocities, except for their loads. Before: the arguments are those of the
    /// last search for contacts, and no half-width of a movable body is below `least_m` (m). Of
    /// several pairs it is that with the smallest ids.
    pub fn passed(
        &self,
        world: &Surroundings,
        bounds: &[Bound],
        images: &BodyImages,
        threads: &Threads,
        since_s: f64,
        least_m: f64,
    ) -> Option<[BodyId; 2]> {
        // Mostly no body is fast enough.
        let is_fast = |bound: &Bound| bound.travel > 0.5 * least_m;
        if !bounds.iter().chain(&self.others).any(is_fast) {
            return None;
        }
        let states = world.bodies.states();
        let now = Now { bodies: bounds, states, others: &self.others, images: &self.keys };
        let of_pairs = OfPairs { world, now: &now, images, bounded: &self.bounded };
        let mut passed = Vec::new();
        threads.collect(&self.pairs, PIECE, &mut passed, |pairs, passed| {
            let mut touches = Touches::new();
            let fast = |pair: &&[u32; 2]| pair.iter().any(|&entry| is_fast(now.bound(entry)));
            let two = pairs.iter().filter(fast).filter_map(|pair| of_pairs.two(pair));
            let two = two.filter(|two| two.have_passed(world, since_s, &mut touches));
            passed.extend(two.map(|two| two.ids(world)));
        });
        passed.into_iter().min()
    }
}

impl Two<'_> {
    fn ids(&self, world: &Surroundings) -> [BodyId; 2] {
        let second = world.fixed.id_of(self.meeting.second, &world.bodies);
        [world.bodies.id(self.meeting.first as usize), second]
    }

    /// The states before the loads of this step changed the velocities. Gravity matters less than
    /// the slack of a contact.
    fn without_loads(&self, world: &Surroundings) -> [BodyState; 2] {
        let mut states = self.states;
        let places = [Some(self.meeting.first), self.meeting.second.movable()];
        for (state, place) in states.iter_mut().zip(places) {
            if let Some(body) = place.map(|place| world.bodies.at(place as usize)) {
                state.twist.linear -= body.load.force * (world.horizon.step_s / body.mass);
            }
        }
        states
    }

    fn have_passed(&self, world: &Surroundings, since_s: f64, touches: &mut Touches) -> bool {
        let velocities = self.states.map(|state| state.twist.linear);
        let way = since_s * (velocities[1] - velocities[0]).norm();
        let width = self.shapes.iter().map(|shape| world.solids.half_width(shape)).sum::<f64>();
        if way <= width {
            return false;
        }
        let states = self.without_loads(world);
        let most = self.bounds[0].travel + self.bounds[1].travel;
        let mut nearest = |back_s: f64| {
            let placed = [0, 1].map(|i| {
                let mut state = states[i];
                drift(&mut state, -back_s);
                Placed::new(self.shapes[i], &state)
            });
            touch(&placed[0], &placed[1], world.solids, most, touches);
            touches.iter().copied().min_by(|a, b| a.gap.total_cmp(&b.gap))
        };
        let (Some(first), Some(last)) = (nearest(since_s), nearest(0.0)) else { return false };
        if first.gap <= 0.0 || first.normal.dot(&last.normal) >= 0.0 {
            return false;
        }
        let looks = (LOOKS * way / width).ceil();
        let is_deep = |touch: Touch| touch.gap < -DEEP * width;
        (1..looks as u32).any(|k| nearest(since_s * f64::from(k) / looks).is_some_and(is_deep))
    }
}

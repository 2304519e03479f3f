//! How two bodies come nearer to each other.

use crate::body::BodyState;
use crate::horizon::Horizon;
use crate::narrow::Touch;
use cloth_core::math::Vec3;

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

//! The air: what a scene says about it, and its drag on each triangle.

use cloth_core::bounds::{
    DENSITY, DRAG, DRAG_COEFFICIENT, SPEED, not_negative, positive_within, within,
};
use cloth_core::settings;

use crate::bodies::timed::{TimedKey, value_at};
use cloth_core::{Mat3, Vec3};

settings! {
    /// The air of a scene. Drag is a force per area, linear and quadratic in the velocity; without
    /// drag the wind has no effect.
    pub struct Air {
        /// The air's velocity over time; still without keys.
        pub wind: Vec<WindKey> = Vec::new() => keys,
        /// Drag along a face's normal, N s/m^3.
        pub normal_drag_n_s_per_m3: f64 = 0.0 => not_negative(DRAG),
        /// Drag along the face, N s/m^3.
        pub tangential_drag_n_s_per_m3: f64 = 0.0 => not_negative(DRAG),
        /// Density of the air, kg/m^3.
        pub density_kg_per_m3: f64 = 1.2 => positive_within(DENSITY),
        /// Coefficient of the drag along a face's normal that is quadratic in the velocity.
        pub normal_drag_coefficient: f64 = 0.0 => not_negative(DRAG_COEFFICIENT),
        /// The same along the face.
        pub tangential_drag_coefficient: f64 = 0.0 => not_negative(DRAG_COEFFICIENT),
    }
}

impl Air {
    /// Its drag on cloth.
    pub fn drag(&self) -> AirDrag {
        let half = 0.5 * self.density_kg_per_m3;
        AirDrag {
            normal: self.normal_drag_n_s_per_m3,
            tangential: self.tangential_drag_n_s_per_m3,
            normal_square: half * self.normal_drag_coefficient,
            tangential_square: half * self.tangential_drag_coefficient,
        }
    }

    /// Its velocity at `time_s` (s), m/s: linear between keys, constant before the first and after
    /// the last.
    pub fn velocity(&self, time_s: f64) -> Vec3 {
        value_at(&self.wind, time_s).unwrap_or_default()
    }
}

settings! {
    /// The wind at one time.
    #[derive(Copy)]
    pub struct WindKey {
        /// When, s.
        pub time_s: f64 = 0.0,
        /// The air's velocity, m/s.
        pub velocity_m_per_s: [f64; 3] = [0.0; 3] => within(SPEED),
    }
}

impl TimedKey for WindKey {
    type Value = Vec3;

    fn time_s(&self) -> f64 {
        self.time_s
    }

    fn value(&self) -> Vec3 {
        self.velocity_m_per_s.into()
    }
}

/// Drag of a cloth's surface: pressure by the velocity `u` relative to the air, `c u + k |u| u`,
/// along the normal and in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AirDrag {
    /// `c` against motion along the triangle's normal, N s/m^3.
    pub normal: f64,
    /// `c` against motion in its plane, N s/m^3.
    pub tangential: f64,
    /// `k` along the normal, N s^2/m^4.
    pub normal_square: f64,
    /// `k` in the plane, N s^2/m^4.
    pub tangential_square: f64,
}

impl AirDrag {
    /// The linear drag that stands for this one in a step: `c + k |u|`, where `u` is the mean
    /// velocity of a triangle relative to the `air` at the start of the step (m/s). `x` (m) and `v`
    /// (m/s) are those of its corners then.
    ///
    /// It is implicit in the velocity at the end and never pushes beyond rest. Of a face that is
    /// braked by drag alone it gives the exact velocity `u / (1 + h k |u| / m)`; a fall has the
    /// exact terminal speed, and comes near it as `((1 - s) / (1 + s))^n`, `s = h g / v`, exact to
    /// second order.
    #[inline]
    pub fn in_step(&self, x: [Vec3; 3], v: [Vec3; 3], air: Vec3) -> Self {
        if self.normal_square == 0.0 && self.tangential_square == 0.0 {
            return *self;
        }
        let u = air - (v[0] + v[1] + v[2]) / 3.0;
        let doubled_area = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let length = doubled_area.norm();
        let n = if length == 0.0 { Vec3::zeros() } else { doubled_area / length };
        let along_normal = u.dot(&n);
        Self {
            normal: self.normal + self.normal_square * along_normal.abs(),
            tangential: self.tangential + self.tangential_square * (u - n * along_normal).norm(),
            normal_square: 0.0,
            tangential_square: 0.0,
        }
    }

    /// Whether there is any drag.
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }

    /// One corner's third of the linear drag of a triangle with corners `x` (m), N s/m:
    /// `A/3 (c_n n n^T + c_t (I - n n^T))`, where A is the present area. It is symmetric positive
    /// semidefinite, and zero for a collapsed triangle.
    #[inline]
    pub fn corner_block(&self, x: [Vec3; 3]) -> Mat3 {
        let doubled_area = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let length = doubled_area.norm();
        if length == 0.0 {
            return Mat3::zeros();
        }
        let n = doubled_area / length;
        let third_of_area = length / 6.0;
        n * n.transpose() * (third_of_area * (self.normal - self.tangential))
            + Mat3::from_diagonal_element(third_of_area * self.tangential)
    }

    /// One step's terms: the right-hand side `h D (v_air - v)` of each corner (kg m/s), and the
    /// block `h D` (kg) that all three corners add to their diagonal.
    #[inline]
    pub fn step_terms(&self, x: [Vec3; 3], v: [Vec3; 3], air: Vec3, h: f64) -> ([Vec3; 3], Mat3) {
        let block = self.corner_block(x) * h;
        (v.map(|corner| block * (air - corner)), block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_is_linear_between_its_keys() {
        let key = |time_s, x| WindKey { time_s, velocity_m_per_s: [x, 0.0, 0.0] };
        let air = Air { wind: vec![key(1.0, 2.0), key(2.0, 6.0)], ..Default::default() };
        let speeds = [0.0, 1.0, 1.25, 2.0, 9.0].map(|time| air.velocity(time).x);
        assert_eq!(speeds, [2.0, 2.0, 3.0, 6.0, 6.0]);
    }

    #[test]
    fn wind_pushes_along_the_normal_and_still_air_brakes() {
        let x = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 3.0]; // area 3, normal z
        let drag = AirDrag { normal: 5.0, tangential: 0.5, ..Default::default() };
        let wind = Vec3::new(1.0, 0.0, 2.0);
        let (rhs, block) = drag.step_terms(x, [Vec3::zeros(); 3], wind, 0.1);
        for corner in rhs {
            assert!((corner - Vec3::new(0.05, 0.0, 1.0)).norm() < 1e-15);
        }
        assert_eq!(block, block.transpose());
        let (at_rest_in_the_wind, _) = drag.step_terms(x, [wind; 3], wind, 0.1);
        assert_eq!(at_rest_in_the_wind, [Vec3::zeros(); 3]);
    }

    #[test]
    fn a_collapsed_triangle_feels_no_air() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        let drag = AirDrag { normal: 1.0, tangential: 1.0, ..Default::default() };
        assert_eq!(drag.corner_block(x), Mat3::zeros());
    }

    #[test]
    fn quadratic_drag_has_the_coefficient_of_the_velocity_at_the_start() {
        let x = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 3.0]; // area 3, normal z
        let air = Air {
            normal_drag_coefficient: 2.0,
            tangential_drag_coefficient: 0.5,
            tangential_drag_n_s_per_m3: 0.1,
            ..Air::default()
        };
        let v = [Vec3::new(3.0, 0.0, 1.0); 3];
        let drag = air.drag().in_step(x, v, Vec3::new(0.0, 4.0, -1.0));
        // |u| along the normal is 2 m/s, in the plane 5 m/s; half the density is 0.6 kg/m^3.
        let expected = AirDrag { normal: 2.4, tangential: 1.6, ..Default::default() };
        assert!((drag.normal - expected.normal).abs() < 1e-14, "{drag:?}");
        assert!((drag.tangential - expected.tangential).abs() < 1e-14, "{drag:?}");
        assert!(drag.is_some() && !Air::default().drag().is_some());
        let collapsed = air.drag().in_step([Vec3::x(); 3], v, Vec3::zeros());
        assert!(collapsed.normal == 0.0 && collapsed.tangential.is_finite());
    }
}

//! The air: what a scene says about it, and its drag on each triangle.

use serde::{Deserialize, Serialize};

use crate::math::{Mat3, Vec3};

/// The air of a scene. Drag is a force per area and velocity; without drag the wind has no
/// effect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Air {
    /// The air's velocity over time; still without keys.
    pub wind: Vec<WindKey>,
    /// Drag along a face's normal, N s/m^3.
    pub normal_drag_n_s_per_m3: f64,
    /// Drag along the face, N s/m^3.
    pub tangential_drag_n_s_per_m3: f64,
}

impl Air {
    /// Its drag on cloth.
    pub fn drag(&self) -> AirDrag {
        AirDrag { normal: self.normal_drag_n_s_per_m3, tangential: self.tangential_drag_n_s_per_m3 }
    }

    /// Its velocity at `time_s` (s), m/s: linear between keys, constant before the first and after
    /// the last.
    pub fn velocity(&self, time_s: f64) -> Vec3 {
        let next = self.wind.partition_point(|key| key.time_s <= time_s);
        let velocity = |key: &WindKey| Vec3::from(key.velocity_m_per_s);
        match (self.wind[..next].last(), self.wind.get(next)) {
            (None, None) => Vec3::zeros(),
            (Some(key), None) | (None, Some(key)) => velocity(key),
            (Some(low), Some(high)) => {
                let weight = (time_s - low.time_s) / (high.time_s - low.time_s);
                velocity(low) + (velocity(high) - velocity(low)) * weight
            }
        }
    }
}

/// The wind at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindKey {
    /// When, s.
    pub time_s: f64,
    /// The air's velocity, m/s.
    pub velocity_m_per_s: [f64; 3],
}

/// Drag coefficients of a cloth's surface, N s/m^3 (pressure per velocity). The drag is linear in
/// the relative velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AirDrag {
    /// Against motion along the triangle's normal.
    pub normal: f64,
    /// Against motion in its plane.
    pub tangential: f64,
}

impl AirDrag {
    /// One corner's third of the drag of a triangle with corners `x` (m), N s/m:
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
        let drag = AirDrag { normal: 5.0, tangential: 0.5 };
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
        assert_eq!(AirDrag { normal: 1.0, tangential: 1.0 }.corner_block(x), Mat3::zeros());
    }
}

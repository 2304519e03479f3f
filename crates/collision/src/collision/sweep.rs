//! The motion along which pairs are sought, and whether a vertex stayed inside the region that the
//! search covered.

use crate::collision::surface::Radii;
use cloth_core::Vec3;

/// The motion of all vertices over a step.
#[derive(Debug, Clone, Copy)]
pub struct Sweep<'a> {
    /// Positions at its start, m.
    pub x0: &'a [Vec3],
    /// Positions at its end, m.
    pub x1: &'a [Vec3],
    /// Distance within which pairs are wanted, m.
    pub radius: f64,
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
}

/// True if `x1` is at most `margin_m` away from the segment from `x0` to `predicted` (m).
/// The swept bounds of the traversal then contain the vertex's actual motion. False for NaN.
pub fn stays_within(x0: &Vec3, predicted: &Vec3, x1: &Vec3, margin_m: f64) -> bool {
    let (way, moved) = (predicted - x0, x1 - x0);
    let along = way.dot(&moved);
    let squared = way.norm_squared();
    let offset = if along <= 0.0 {
        moved
    } else if along >= squared {
        x1 - predicted
    } else {
        moved - (along / squared) * way
    };
    offset.norm_squared() <= margin_m * margin_m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_surrounds_the_whole_segment() {
        let (x0, predicted) = (Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0));
        let within = |x, y| stays_within(&x0, &predicted, &Vec3::new(x, y, 0.0), 0.5);
        assert!(within(1.0, 0.49) && !within(1.0, 0.51));
        assert!(within(-0.49, 0.0) && !within(-0.51, 0.0));
        assert!(within(2.49, 0.0) && !within(2.51, 0.0) && !within(2.4, 0.4));
        assert!(!within(f64::NAN, 0.0));
        assert!(stays_within(&x0, &x0, &Vec3::new(0.0, 0.5, 0.0), 0.5));
    }
}

//! A box around positions. A page has positions as shares of its sides, numbers of 16 bits.

use cloth_core::math::Vec3;
use serde::Serialize;

/// A box around positions, m.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Bounds {
    /// The least coordinates.
    pub low: Vec3,
    /// The largest coordinates.
    pub high: Vec3,
}

impl Bounds {
    /// The box around all `positions` (m) that are finite.
    pub fn around<'p>(positions: impl Iterator<Item = &'p Vec3>) -> Self {
        let finite = positions.filter(|x| x.iter().all(|it| it.is_finite()));
        let bounds = finite.fold(None, |bounds: Option<[Vec3; 2]>, x| {
            Some(bounds.map_or([*x, *x], |[low, high]| [low.inf(x), high.sup(x)]))
        });
        let [low, high] = bounds.unwrap_or_default();
        Self { low, high }
    }

    /// The positions (m) of which [`Self::shares`] gave these `shares`.
    pub fn positions(&self, shares: &[u16]) -> Vec<Vec3> {
        let count = shares.len() / 3;
        let scale = [0, 1, 2].map(|i| (self.high[i] - self.low[i]) / f64::from(u16::MAX));
        let coordinate = |vertex: usize, axis: usize| {
            self.low[axis] + scale[axis] * f64::from(shares[axis * count + vertex])
        };
        (0..count).map(|it| Vec3::from([0, 1, 2].map(|axis| coordinate(it, axis)))).collect()
    }

    /// The positions as shares of the box: all x, then all y, then all z. The error is at most half
    /// of 1/65535 of the width. What is not finite is at the lower corner.
    pub fn shares(&self, positions: &[Vec3]) -> Vec<u16> {
        let mut shares = Vec::with_capacity(3 * positions.len());
        for axis in 0..3 {
            let (low, width) = (self.low[axis], self.high[axis] - self.low[axis]);
            let scale = if width > 0.0 { f64::from(u16::MAX) / width } else { 0.0 };
            // The conversion saturates, and gives 0 for NaN.
            shares.extend(positions.iter().map(|x| ((x[axis] - low) * scale).round() as u16));
        }
        shares
    }

    /// The middle, m.
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// The distance of a corner from the middle, m. At least 1 mm.
    pub fn radius(&self) -> f64 {
        (0.5 * (self.high - self.low)).norm().max(1e-3)
    }

    /// The longest side, m.
    pub fn size(&self) -> f64 {
        (self.high - self.low).max()
    }

    /// The box around both.
    pub fn with(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lie_within_half_a_quantum() {
        let positions =
            Vec::from_iter((0..500).map(|i| Vec3::new(f64::from(i).sin(), 2.5, f64::from(i))));
        let bounds = Bounds::around(positions.iter());
        let shares = bounds.shares(&positions);
        for (i, x) in positions.iter().enumerate() {
            for axis in 0..3 {
                let width = bounds.high[axis] - bounds.low[axis];
                let share = f64::from(shares[axis * positions.len() + i]) / 65535.0;
                let error = bounds.low[axis] + share * width - x[axis];
                assert!(error.abs() <= 0.5000001 * width / 65535.0, "{error}");
            }
        }
    }

    #[test]
    fn positions_that_are_not_finite_do_no_harm() {
        let x = [Vec3::new(f64::NAN, 0.0, 1.0), Vec3::new(1.0, 2.0, 3.0)];
        let bounds = Bounds::around(x.iter());
        assert_eq!(bounds, Bounds { low: x[1], high: x[1] });
        assert_eq!(bounds.shares(&x), [0; 6]);
    }
}

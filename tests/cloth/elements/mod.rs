//! `bodies/cloth/elements`: the kernels of elements against closed forms and finite differences.

mod bending;
mod membrane;
mod sheet;

use cloth_sim::math::Vec3;

/// A linear congruential generator is random enough for meshes.
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Central difference of a function of positions along every coordinate.
fn difference<T: std::ops::Sub<Output = T> + std::ops::Div<f64, Output = T>, const N: usize>(
    x: [Vec3; N],
    step: f64,
    of: impl Fn([Vec3; N]) -> T,
) -> Vec<T> {
    let mut slopes = Vec::new();
    for a in 0..N {
        for k in 0..3 {
            let mut ends = [x, x];
            ends[0][a][k] += step;
            ends[1][a][k] -= step;
            slopes.push((of(ends[0]) - of(ends[1])) / (2.0 * step));
        }
    }
    slopes
}

/// Triangles that are points or lines, or nearly so.
fn collapsed_triangles() -> [[Vec3; 3]; 5] {
    let (point, along) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.01, 0.02, -0.01));
    [
        [point; 3],
        [point, point, point + along],
        [point, point + along, point + along * 3.0],
        [point, point + along, point + along + Vec3::x() * 1e-17],
        [Vec3::zeros(), Vec3::x() * 1e-160, Vec3::y() * 1e-160],
    ]
}

//! Motions of surfaces that deform, by samples of their positions.

use std::iter::zip;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use cloth_core::Vec3;
use cloth_core::mesh::PointCache;

/// How a motion goes from one sample to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Velocities are continuous (Catmull-Rom).
    #[default]
    Cubic,
    /// Each vertex goes straight and evenly, and has a new velocity from each sample on.
    Linear,
}

/// A motion by samples at even times. Before the first sample and after the last one the surface
/// stands still.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledMotion {
    /// The samples, in the surface's own coordinates.
    pub cache: Arc<PointCache>,
    /// The time of the first sample, s.
    pub start_s: f64,
    /// The time from one sample to the next, s.
    pub sample_s: f64,
    /// How it goes from one sample to the next.
    pub interpolation: Interpolation,
}

impl SampledMotion {
    /// The time of the last sample, s.
    pub fn end_s(&self) -> f64 {
        self.start_s + self.sample_s * (self.cache.samples() - 1) as f64
    }

    /// Writes the positions at `time_s` (s), in the surface's own coordinates, to `out`.
    pub fn write(&self, time_s: f64, out: &mut [Vec3]) {
        let last = self.cache.samples() - 1;
        let at = ((time_s - self.start_s) / self.sample_s).clamp(0.0, last as f64);
        let first = (at as usize).min(last.saturating_sub(1));
        let t = at - first as f64;
        let mut weighted = match self.interpolation {
            _ if last == 0 => vec![(0, 1.0)],
            Interpolation::Linear => vec![(first, 1.0 - t), (first + 1, t)],
            Interpolation::Cubic => cubic(first, last, t),
        };
        // At a sample the others have no part, so that its positions are exact.
        weighted.retain(|(_, weight)| *weight != 0.0);
        out.fill(Vec3::zeros());
        for (sample, weight) in weighted {
            zip(&mut *out, self.cache.sample(sample)).for_each(|(x, place)| *x += place * weight);
        }
    }

    /// The largest speed of a vertex on the way from one sample to the next, and the number of the
    /// next one, m/s if the surface's own coordinates are in metres.
    pub fn largest_speed(&self) -> (f64, usize) {
        let way = |sample: usize| {
            let places = zip(self.cache.sample(sample - 1), self.cache.sample(sample));
            places.map(|(from, to)| (to - from).norm_squared()).fold(0.0, f64::max)
        };
        let ways = (1..self.cache.samples()).map(|sample| (way(sample), sample));
        let (way, sample) = ways.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0));
        (way.sqrt() / self.sample_s, sample)
    }
}

/// The samples around the part `t` of the way from sample `first` to the next one, and their
/// weights in the Catmull-Rom spline. Beyond the ends the motion goes on evenly.
fn cubic(first: usize, last: usize, t: f64) -> Vec<(usize, f64)> {
    let (t2, t3) = (t * t, t * t * t);
    let before = 0.5 * (2.0 * t2 - t - t3);
    let after = 0.5 * (t3 - t2);
    let mut weights = vec![
        (first, 0.5 * (3.0 * t3 - 5.0 * t2 + 2.0)),
        (first + 1, 0.5 * (4.0 * t2 + t - 3.0 * t3)),
    ];
    match first.checked_sub(1) {
        Some(sample) => weights.push((sample, before)),
        None => add_even(&mut weights, [0, 1], before),
    }
    match first + 2 {
        sample if sample <= last => weights.push((sample, after)),
        _ => add_even(&mut weights, [1, 0], after),
    }
    weights
}

/// Adds the `weight` of the sample that would follow evenly beyond `near`, seen from `far`.
fn add_even(weights: &mut [(usize, f64)], [near, far]: [usize; 2], weight: f64) {
    weights[near].1 += 2.0 * weight;
    weights[far].1 -= weight;
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::mesh::point_cache::pc2::Head;

    fn motion(interpolation: Interpolation, x: &[f32]) -> SampledMotion {
        let head = Head { points: 1, start: 0.0, rate: 1.0, samples: x.len() as u32 };
        let numbers = x.iter().flat_map(|&x| [x, 0.0, -x]).flat_map(f32::to_le_bytes);
        let bytes = Vec::from_iter(head.bytes().into_iter().chain(numbers));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        std::fs::write(&path, bytes).unwrap();
        let cache = Arc::new(PointCache::read(&path).unwrap());
        SampledMotion { cache, start_s: 1.0, sample_s: 0.5, interpolation }
    }

    fn at(motion: &SampledMotion, time_s: f64) -> f64 {
        let mut out = [Vec3::repeat(7.0)];
        motion.write(time_s, &mut out);
        assert_eq!((out[0].y, out[0].z), (0.0, -out[0].x));
        out[0].x
    }

    #[test]
    fn samples_are_met_exactly_and_held_at_the_ends() {
        let x = [0.1, 0.7, -0.3, 0.45, 0.2];
        for interpolation in [Interpolation::Cubic, Interpolation::Linear] {
            let motion = motion(interpolation, &x);
            assert_eq!(motion.end_s(), 3.0);
            for (sample, &x) in x.iter().enumerate() {
                assert_eq!(at(&motion, 1.0 + 0.5 * sample as f64), f64::from(x));
            }
            assert_eq!(at(&motion, -5.0), f64::from(x[0]));
            assert_eq!(at(&motion, 50.0), f64::from(x[4]));
            let (speed, sample) = motion.largest_speed();
            assert!((speed - 2.0 * 2_f64.sqrt()).abs() < 1e-6 && sample == 2);
        }
        assert_eq!(at(&motion(Interpolation::Cubic, &[0.25]), 2.0), 0.25);
    }

    #[test]
    fn even_motions_stay_even_and_cubic_ones_have_no_jump_of_velocity() {
        for interpolation in [Interpolation::Cubic, Interpolation::Linear] {
            let even = motion(interpolation, &[0.0, 1.0, 2.0, 3.0]);
            for part in 0..=30 {
                let time_s = 0.05 * f64::from(part);
                assert!((at(&even, 1.0 + time_s) - 2.0 * time_s).abs() < 1e-14);
            }
        }
        // A parabola is exact away from the ends.
        let parabola = motion(Interpolation::Cubic, &[0.0, 1.0, 4.0, 9.0, 16.0]);
        assert!((at(&parabola, 2.25) - 2.5 * 2.5).abs() < 1e-14);
        let kink = motion(Interpolation::Cubic, &[0.0, 0.0, 0.0, 1.0, 1.0]);
        let speed = |time_s: f64| (at(&kink, time_s + 1e-6) - at(&kink, time_s)) / 1e-6;
        assert!((speed(2.0) - speed(2.0 - 1e-6)).abs() < 1e-4);
    }
}

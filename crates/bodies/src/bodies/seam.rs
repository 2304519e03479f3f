//! Seams: stitches that draw vertices of cloth together, and hold them.
//!
//! A stitch is a thread between two vertices, which keeps them as far apart as it is long. While the seam
//! closes, the thread gets shorter. It pushes as it pulls: a thread that could be slack would have to
//! be found stretched within a step, and energy would come from nothing where it is not.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `r` | m | distance of the two vertices |
//! | `L(t)` | m | length of the thread |
//! | `e = r - L` | m | how far it is stretched; negative if it is pressed |
//! | `k` | N/m | its stiffness: that of the seam times its share of the seam's length |
//! | `F` | N | its largest force: that of the seam times its share |
//!
//! Its force is `k e`, but at most `F`, and its energy the integral of that. Source: ours.

use cloth_core::VertexId;

/// Stitches that close together.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// The stitches.
    pub stitches: Vec<Stitch>,
    /// Time in which the threads get short, from the start on, s.
    pub close_s: f64,
    /// Length of the threads then, m.
    pub gap_m: f64,
    /// Stiffness for each metre of the seam, N/m^2.
    pub stiffness_n_per_m2: f64,
    /// Largest force for each metre of the seam, N/m.
    pub most_n_per_m: f64,
    /// Whether its vertices become one when it has closed.
    pub welds: bool,
}

/// A thread between two vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stitch {
    /// The vertices, among those of all cloths.
    pub vertices: [VertexId; 2],
    /// Their distance at the start, m.
    pub start_m: f64,
    /// Its share of the length of the seam, m.
    pub share_m: f64,
}

impl Seam {
    /// The length of the thread of `stitch` at `time_s` (s), m. It shrinks smoothly from the distance
    /// at the start.
    pub fn length_m(&self, stitch: &Stitch, time_s: f64) -> f64 {
        let t = (time_s / self.close_s).clamp(0.0, 1.0);
        let left = 1.0 - t * t * (3.0 - 2.0 * t);
        self.gap_m + (stitch.start_m - self.gap_m).max(0.0) * left
    }

    /// The stiffness of a thread that is stretched by `stretch_m` (m): its force over its stretch,
    /// N/m.
    pub fn stiffness(&self, stitch: &Stitch, stretch_m: f64) -> f64 {
        let most = self.most_n_per_m / stretch_m.abs();
        self.stiffness_n_per_m2.min(most) * stitch.share_m
    }

    /// The energy of a thread that is stretched by `stretch_m` (m), J.
    pub fn energy_j(&self, stitch: &Stitch, stretch_m: f64) -> f64 {
        let elastic_m = stretch_m.abs().min(self.elastic_m());
        let beyond_m = stretch_m.abs() - elastic_m;
        let elastic = 0.5 * self.stiffness_n_per_m2 * elastic_m * elastic_m;
        (elastic + self.most_n_per_m * beyond_m) * stitch.share_m
    }

    /// The stretch at which threads pull with their largest force, m. One that is stretched further is
    /// open.
    pub fn elastic_m(&self) -> f64 {
        self.most_n_per_m / self.stiffness_n_per_m2
    }

    /// How far apart the vertices of a stitch may be when they become one, m. A soft thread may be
    /// stretched further without being open.
    pub fn reach_m(&self) -> f64 {
        self.gap_m + self.elastic_m().min(self.gap_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_the_slope_of_the_energy_and_has_a_limit() {
        let stitch = Stitch { vertices: [0, 1], start_m: 0.3, share_m: 0.02 };
        let seam = Seam {
            stitches: vec![stitch],
            close_s: 2.0,
            gap_m: 0.002,
            stiffness_n_per_m2: 1e5,
            most_n_per_m: 50.0,
            welds: false,
        };
        for stretch_m in [1e-5, 4e-4, 6e-4, 0.1, -1e-4, -0.1] {
            let force = seam.stiffness(&stitch, stretch_m) * stretch_m;
            let [low, high] = [-1e-8, 1e-8].map(|off| seam.energy_j(&stitch, stretch_m + off));
            assert!((force - (high - low) / 2e-8).abs() < 1e-6 * force.abs());
            assert!(force.abs() <= 50.0 * 0.02 * (1.0 + 1e-12));
        }
        let lengths = [0.0, 1.0, 2.0, 9.0].map(|time_s| seam.length_m(&stitch, time_s));
        assert_eq!([lengths[0], lengths[2], lengths[3]], [0.3, 0.002, 0.002]);
        assert!((lengths[1] - 0.151).abs() < 1e-12);
    }
}

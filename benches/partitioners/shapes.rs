//! Shapes whose cells are divided: those of Wretborn 2026 (figures 3, 8 and 10) and a splash.

use std::f64::consts::PI;

use cloth_sim::math::{Vec3, rotation};
use cloth_sim::partition::Buckets;

/// A shape of the paper that does not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Still {
    River,
    Plume,
    Waves,
}

impl Still {
    pub const ALL: [Self; 3] = [Self::River, Self::Plume, Self::Waves];

    pub fn name(self) -> &'static str {
        ["River", "Plume", "Waves"][self as usize]
    }

    fn bounds(self) -> [Vec3; 2] {
        match self {
            Self::River => [Vec3::new(-0.5, -0.3, -0.03), Vec3::new(0.5, 0.3, 0.03)],
            Self::Plume => [Vec3::new(-0.46, -0.46, 0.0), Vec3::new(0.46, 0.46, 0.86)],
            Self::Waves => [Vec3::new(-0.5, -0.5, -0.04), Vec3::new(0.5, 0.5, 0.06)],
        }
    }

    fn contains(self, x: &Vec3) -> bool {
        match self {
            Self::River => {
                let slope = 0.48 * PI * (4.0 * PI * x.x).cos();
                let across = (x.y - 0.12 * (4.0 * PI * x.x).sin()).abs();
                x.x.abs() <= 0.5 && x.z.abs() <= 0.025 && across / slope.hypot(1.0) <= 0.08
            }
            Self::Plume => {
                let rho = x.x.hypot(x.y);
                let angle = x.y.atan2(x.x);
                let minor = 0.135 * (1.0 + 0.1 * (5.0 * angle).sin() * (11.0 * x.z).sin());
                let stem =
                    (0.0..0.7).contains(&x.z) && rho <= 0.05 + 0.03 * (9.0 * x.z).sin().abs();
                stem || (rho - 0.30).hypot(x.z - 0.7) <= minor
            }
            Self::Waves => {
                let top = 0.012
                    + 0.018 * (2.0 * PI * (2.0 * x.x + 0.6 * x.y)).sin()
                    + 0.012 * (2.0 * PI * (-1.3 * x.x + 3.1 * x.y) + 1.0).sin()
                    + 0.006 * (2.0 * PI * (5.0 * x.x + 4.0 * x.y) + 2.0).sin();
                x.x.abs() <= 0.5 && x.y.abs() <= 0.5 && -0.04 <= x.z && x.z <= top
            }
        }
    }

    /// The shape in about `count` cells.
    pub fn buckets(self, count: usize) -> Buckets {
        let fill = |spacing| Buckets::fill(spacing, self.bounds(), |x| self.contains(x));
        let rough = 0.01;
        let volume = fill(rough).len() as f64 * rough * rough * rough;
        let spacing = (volume / count as f64).cbrt();
        let again = fill(spacing).len() as f64 / count as f64;
        fill(spacing * again.cbrt())
    }
}

/// A box of 1.2 x 0.6 x 0.4 m in cells of `spacing`, turned by `angle_deg` about a skew axis.
pub fn turned_box(spacing: f64, angle_deg: f64) -> Buckets {
    let back = rotation(Vec3::new(0.3, 0.2, 1.0), -angle_deg);
    let half = Vec3::new(0.6, 0.3, 0.2);
    let far = Vec3::repeat(half.norm());
    Buckets::fill(spacing, [-far, far], |x| {
        let x = back * x;
        (0..3).all(|axis| x[axis].abs() <= half[axis])
    })
}

/// A pool with a crescent of water above it, and drops that fly far away: they appear and vanish
/// from frame to frame. `frame` counts from 0.
pub fn splash(spacing: f64, frame: u32) -> Buckets {
    let time = f64::from(frame) / 24.0;
    let low = Vec3::new(-0.6, -0.6, -0.12);
    let high = Vec3::new(0.6, 0.6, 0.5);
    let rim = 0.2 + 0.15 * time;
    let wave = |rho: f64| 0.03 * (20.0 * (rho - 0.4 * time)).cos() * (-4.0 * rho).exp();
    let mut cells = Buckets::fill(spacing, [low, high], |x| {
        let rho = x.x.hypot(x.y);
        let pool = rho <= 0.55 && x.z <= wave(rho);
        let height = 0.35 * (PI * time).sin().max(0.0) * (0.6 + 0.4 * x.y.atan2(x.x).cos());
        pool || ((rho - rim - 0.3 * x.z.max(0.0)).abs() <= 0.025 && x.z <= height)
    })
    .cells()
    .to_vec();
    // Single drops: each lives a few frames, up to 3 m away.
    for drop in 0..40u32 {
        let born = drop * 7 % 20;
        if (born..born + 6).contains(&frame) {
            let age = f64::from(frame - born) / 24.0;
            let angle = f64::from(drop) * 2.4;
            let speed = 2.0 + f64::from(drop % 5) * 2.0;
            let rho = rim + speed * age;
            let x = Vec3::new(rho * angle.cos(), rho * angle.sin(), 0.3 + speed * age * 0.5);
            let cell = x.map(|c| (c / spacing).floor() as i32);
            for k in 0..8 {
                cells.push([cell.x + (k & 1), cell.y + (k >> 1 & 1), cell.z + (k >> 2)]);
            }
        }
    }
    Buckets::new(spacing, cells)
}

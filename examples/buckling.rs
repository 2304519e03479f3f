//! Validation run: lateral buckling of a plate that stands on edge.
//!
//! One short edge is clamped, gravity acts in the plane across the width `w`. At
//! `Gamma = 12 (1 - nu^2) rho g L^3 / (E t^2) = s g L^3 / D` above a critical value the
//! plate falls over sideways. References: linear Kirchhoff theory, Ritz, computed.
//!
//! Each Gamma gives a growth rate: the plate settles in its plane under heavy
//! damping, then a small lateral displacement grows or decays as exp(lambda t), and
//! lambda / Gamma*'s zero is the critical value.
//!
//! `cargo run --release --example buckling` prints the table of docs/validation.md.

#[path = "../tests/common/physics.rs"]
mod physics;

use cloth_sim::math::Vec3;
use cloth_sim::scene::Material;
use physics::{Cut, G, alone, cloth, hold, simulate, statics, strip};

const DENSITY: f64 = 0.2;
/// Counted from half a cell behind the last held column, m.
const LENGTH: f64 = 0.4;
/// Length over thickness: stiff enough in its plane to stay straight.
const SLENDERNESS: f64 = 200.0;
/// Poisson's ratio, w/L, Gamma*.
const REFERENCES: [(f64, f64, f64); 6] = [
    (0.0, 0.1, 19.35),
    (0.0, 0.3, 22.03),
    (0.0, 0.5, 24.96),
    (0.35, 0.1, 14.88),
    (0.35, 0.3, 17.65),
    (0.35, 0.5, 20.82),
];

fn main() {
    println!("| nu | w/L | Gamma* | computed | error | cells |");
    println!("|---|---|---|---|---|---|");
    for (nu, aspect, exact) in REFERENCES {
        let across = (24.0 * aspect).round().max(4.0) as u32;
        for across in [across, 2 * across] {
            let plate = Plate { nu, aspect, across, cut: Cut::Rising };
            let critical = plate.critical_gamma(exact);
            let error = 100.0 * (critical / exact - 1.0);
            let along = plate.along();
            println!(
                "| {nu} | {aspect} | {exact} | {critical:.2} | {error:+.1} % | {across} x {along} |"
            );
        }
    }
}

struct Plate {
    nu: f64,
    aspect: f64,
    across: u32,
    cut: Cut,
}

impl Plate {
    /// Cells along the free length and its half cell, and one more that is held.
    fn along(&self) -> u32 {
        (f64::from(self.across) / self.aspect + 0.5).round() as u32 + 1
    }

    /// Where the growth rate is zero: it is nearly linear in Gamma squared, as the
    /// sign of gravity does not matter.
    fn critical_gamma(&self, guess: f64) -> f64 {
        let (mut a, mut b) = (0.9 * guess * guess, 1.1 * guess * guess);
        let (mut rate_a, mut rate_b) = (self.growth_rate(a.sqrt()), self.growth_rate(b.sqrt()));
        for _ in 0..6 {
            let next = (b - rate_b * (b - a) / (rate_b - rate_a)).clamp(0.6 * b, 1.6 * b);
            (a, rate_a) = (b, rate_b);
            (b, rate_b) = (next, self.growth_rate(next.sqrt()));
            if (b / a - 1.0).abs() < 2e-3 {
                break;
            }
        }
        b.sqrt()
    }

    /// Growth rate of a small lateral displacement, 1/s.
    fn growth_rate(&self, gamma: f64) -> f64 {
        let along = self.along();
        let length = LENGTH;
        let cell = length / (f64::from(along) - 0.5);
        let rigidity = DENSITY * G * length.powi(3) / gamma;
        // D = E t^3 / 12 (1 - nu^2), so E t = 12 (1 - nu^2) D / t^2.
        let thickness = length / SLENDERNESS;
        let modulus = 12.0 * (1.0 - self.nu * self.nu) * rigidity / (thickness * thickness);
        let material = Material {
            mass_damping_per_s: 4.0,
            ..Material::isotropic(DENSITY, modulus, self.nu, rigidity)
        };
        let mut plate = cloth(strip(along, self.across, cell, self.cut), material);
        hold(&mut plate, |p| p.x < 1.5 * cell);
        for p in &mut plate.positions {
            *p = Vec3::new(p.x, -p.z, 0.0);
        }
        let shape: Vec<f64> = plate.rest.iter().map(|p| (p.x / length).powi(2)).collect();
        let mut scene = statics(0.01);
        scene.solver.relative_residual = 1e-12;
        simulate(&scene, alone(plate), |simulation| {
            let steps = |simulation: &mut cloth_sim::sim::Simulation, n: u32| {
                (0..n).try_for_each(|_| simulation.step().map(drop))
            };
            steps(simulation, 100)?;
            // Rounding is no perturbation of this size.
            let mut x = simulation.positions().to_vec();
            let v = simulation.velocities().to_vec();
            x.iter_mut().zip(&shape).for_each(|(x, s)| x.z = 1e-4 * length * s);
            simulation.set_motion(&x, &v);
            let lateral = |s: &cloth_sim::sim::Simulation| {
                s.positions().iter().zip(&shape).map(|(x, s)| x.z * s).sum::<f64>()
            };
            steps(simulation, 250)?;
            let (before, start) = (lateral(simulation), simulation.time_s());
            steps(simulation, 100)?;
            let (after, end) = (lateral(simulation), simulation.time_s());
            eprintln!("  gamma {gamma:.3}: {before:e} {after:e}");
            Ok((after / before).ln() / (end - start))
        })
    }
}

//! Validation run: lateral buckling of a plate that stands on edge.
//!
//! One short edge is clamped. Gravity acts in the plane, across the width w. Above a critical
//! `Gamma = 12 (1 - nu^2) rho g L^3 / (E t^2) = s g L^3 / D` (s is the mass per area) the plate
//! falls over sideways. The exact value comes from linear Kirchhoff theory by the method of Ritz.
//!
//! The plate settles in its plane. Then a small lateral displacement grows or decays as
//! exp(lambda t). Gamma is critical when lambda is zero.
//!
//! `cargo run --release --example buckling` prints the table of `notebook/validation.md`. It takes
//! about ten minutes. With `-- random` it takes random triangles instead of a grid. They are
//! doubled: the line x = 0 is held, and a mirror image keeps the plate straight there.

#[path = "../tests/common/flat_meshes.rs"]
mod flat_meshes;
#[path = "../tests/common/physics.rs"]
mod physics;

use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::error::Result;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use cloth_sim::step::Simulation;
use flat_meshes::{FlatMesh, Look};
use physics::{Cut, G, alone, cloth, hold, simulate, statics, strip};

/// Mass per area, kg/m^2.
const DENSITY: f64 = 0.2;
/// Counted from half a cell behind the last held column, m.
const LENGTH: f64 = 0.4;
/// Length over thickness. The plate is stiff enough in its plane to stay straight.
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
    let is_random = std::env::args().any(|argument| argument == "random");
    println!(
        "| nu | w/L | Gamma* | computed | error | {} |",
        if is_random { "edges" } else { "cells" }
    );
    println!("|---|---|---|---|---|---|");
    for (nu, aspect, exact) in REFERENCES {
        let across = (24.0 * aspect).round().max(4.0) as u32;
        for across in [across, 2 * across] {
            let plate = Plate { nu, aspect, across, is_random };
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
    /// Width over length.
    aspect: f64,
    /// Cells across the width.
    across: u32,
    is_random: bool,
}

impl Plate {
    /// Cells along the length. They are nearly square; of a grid half of the first one does not
    /// count.
    fn along(&self) -> u32 {
        let held = if self.is_random { 0.0 } else { 0.5 };
        (f64::from(self.across) / self.aspect + held).round() as u32
    }

    /// The Gamma at which the growth rate is zero, by the secant method in Gamma squared. The rate
    /// is nearly linear in Gamma squared, because the sign of gravity does not matter.
    fn critical_gamma(&self, guess: f64) -> f64 {
        let rate = |squared: f64| self.growth_rate(squared.sqrt());
        let (mut a, mut b) = (0.9 * guess * guess, 1.1 * guess * guess);
        let (mut rate_a, mut rate_b) = (rate(a), rate(b));
        while (b / a - 1.0).abs() > 2e-3 {
            let next = (b - rate_b * (b - a) / (rate_b - rate_a)).clamp(0.6 * b, 1.6 * b);
            (a, rate_a) = (b, rate_b);
            (b, rate_b) = (next, rate(next));
        }
        b.sqrt()
    }

    /// The plate on edge: its length along x, its width along y.
    fn setup(&self, gamma: f64) -> ClothSetup {
        let cell = LENGTH / (f64::from(self.along()) - 0.5);
        let rigidity = DENSITY * G * LENGTH.powi(3) / gamma;
        let thickness = LENGTH / SLENDERNESS;
        let modulus = 12.0 * (1.0 - self.nu * self.nu) * rigidity / (thickness * thickness);
        let material = Material {
            mass_damping_per_s: 4.0,
            ..Material::isotropic(DENSITY, modulus, self.nu, rigidity)
        };
        let width = self.aspect * LENGTH;
        if self.is_random {
            let flat = FlatMesh::rectangle(LENGTH, width, self.along(), Look::Random, 1).doubled();
            let positions = flat.points.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect();
            let mut plate = cloth(Mesh { positions, faces: flat.faces }, material);
            hold(&mut plate, |p| p.x == 0.0);
            return plate;
        }
        let mut mesh = strip(self.along(), self.across, cell, Cut::Rising);
        let to_width = width / (f64::from(self.across) * cell);
        mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(p.x, -p.z * to_width, 0.0));
        let mut plate = cloth(mesh, material);
        hold(&mut plate, |p| p.x < 1.5 * cell);
        plate
    }

    /// Growth rate of a small lateral displacement, 1/s.
    fn growth_rate(&self, gamma: f64) -> f64 {
        let plate = self.setup(gamma);
        let shape: Vec<f64> = plate.rest.iter().map(|p| (p.x / LENGTH).powi(2)).collect();
        let lateral = |simulation: &Simulation| -> f64 {
            simulation.positions().iter().zip(&shape).map(|(x, s)| x.z * s).sum()
        };
        let mut scene = statics(0.01);
        // Soft lateral modes amplify the solver's residual.
        scene.solver.relative_residual = 1e-12;
        simulate(&scene, alone(plate), |simulation| {
            run_for(simulation, 1.0)?;
            let (mut x, v) = (simulation.positions().to_vec(), simulation.velocities().to_vec());
            x.iter_mut().zip(&shape).for_each(|(x, s)| x.z = 1e-4 * LENGTH * s);
            simulation.set_motion(&x, &v)?;
            run_for(simulation, 2.5)?; // all other modes decay
            let before = lateral(simulation);
            run_for(simulation, 1.0)?;
            Ok((lateral(simulation) / before).ln())
        })
    }
}

fn run_for(simulation: &mut Simulation, seconds: f64) -> Result<()> {
    let end = simulation.time_s() + seconds - 1e-9;
    while simulation.time_s() < end {
        simulation.step()?;
    }
    Ok(())
}

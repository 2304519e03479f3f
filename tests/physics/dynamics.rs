//! Cloth in motion against closed forms, through the real step.

use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::scene::{Scene, Solver};
use cloth_sim::step::{Integrator, Simulation};

use crate::bdf2::scene_with;
use crate::physics::*;

const DENSITY: f64 = 0.2;

fn weightless(step_s: f64) -> Scene {
    Scene { gravity_m_per_s2: [0.0; 3], ..scene(step_s) }
}

/// A square of 12 x 12 cells of 1 cm.
fn square() -> Mesh {
    sheet(0.12, 0.12, 12, 12, Diagonal::Alternating)
}

/// Moves each vertex at random by up to `part` of a cell in each direction.
fn crumpled(material: Material, part: f64) -> ClothSetup {
    let mut cloth = cloth(square(), material);
    let mut random = Random(1);
    cloth.positions.iter_mut().for_each(|p| *p += random.vector() * (part * 0.01));
    cloth
}

/// After n steps a body at rest has fallen by g h^2 n (n + 1) / 2.
#[test]
fn free_fall_is_exact_and_straight() {
    let (h, steps) = (1e-3, 1000);
    let mut cloth = cloth(square(), Material::isotropic(DENSITY, 500.0, 0.3, 1e-5));
    let turn = cloth_sim::math::rotation(Vec3::new(1.0, 0.3, -0.2), 40.0);
    cloth.positions.iter_mut().for_each(|p| *p = turn * *p);
    let start = cloth.positions.clone();
    let end = simulate(&scene(h), alone(cloth), |simulation| {
        for _ in 0..steps {
            simulation.step()?;
        }
        Ok(simulation.positions().to_vec())
    });
    let fall = G * h * h * 0.5 * f64::from(steps * (steps + 1));
    let off = |(a, b): (&Vec3, &Vec3)| (b - a + Vec3::y() * fall).norm();
    let worst = start.iter().zip(&end).map(off).fold(0.0, f64::max);
    let sideways = start.iter().zip(&end).map(|(a, b)| (b - a).xz().norm()).fold(0.0, f64::max);
    println!("free fall of {fall} m: off by {worst:.1e} m, sideways {sideways:.1e} m");
    assert!(worst < 1e-11 && sideways < 1e-11);
}

/// Momentum (kg m/s), angular momentum about the centre of mass (kg m^2/s).
fn momenta(simulation: &Simulation) -> (Vec3, Vec3) {
    let (x, v) = (simulation.positions(), simulation.velocities());
    let masses = &simulation.model().cloth.masses;
    let total: f64 = masses.iter().sum();
    let centre: Vec3 = x.iter().zip(masses).map(|(x, m)| x * (m / total)).sum();
    let linear = v.iter().zip(masses).map(|(v, m)| v * *m).sum();
    let spin = |((x, v), m): ((&Vec3, &Vec3), &f64)| (x - centre).cross(v) * *m;
    (linear, x.iter().zip(v).zip(masses).map(spin).sum())
}

/// Relative changes of momentum and of angular momentum of a slightly crumpled sheet that turns
/// at 4 rad/s about `axis` for half a second.
fn momentum_changes(axis: Vec3, part: f64, h: f64, solver: Solver) -> (f64, f64) {
    let scene = Scene { solver, ..weightless(h) };
    let (spin, drift) = (axis * 4.0, Vec3::new(0.3, -0.2, 0.1));
    let cloth = crumpled(Material::isotropic(DENSITY, 200.0, 0.3, 1e-5), part);
    simulate(&scene, alone(cloth), |simulation| {
        let x = simulation.positions().to_vec();
        let v: Vec<Vec3> = x.iter().map(|x| spin.cross(x) + drift).collect();
        simulation.set_motion(&x, &v)?;
        let (linear, angular) = momenta(simulation);
        while simulation.time_s() < 0.5 {
            simulation.step()?;
        }
        let (linear_end, angular_end) = momenta(simulation);
        let change = |a: Vec3, b: Vec3| (b - a).norm() / a.norm();
        Ok((change(linear, linear_end), change(angular, angular_end)))
    })
}

/// Momentum is conserved to the solver's tolerance. So is the angular momentum of a sheet that
/// turns in its plane. The implicit tension term brakes a sheet that tumbles, by less than
/// implicit Euler's own h w^2 in a second. The solver's shipped tolerance changes little.
#[test]
fn momentum_is_conserved_without_external_forces() {
    let exact = Solver { relative_residual: 1e-12, ..Solver::default() };
    let oblique = Vec3::new(0.6, 0.64, 0.48);
    for (h, part, axis, solver, bounds) in [
        // Blocks in single precision keep translations exactly, and rotations to their digits.
        (1e-3, 0.0, Vec3::y(), exact, [1e-10, 1e-10]),
        (1e-3, 0.01, oblique, exact, [1e-10, 8e-3]),
        (5e-4, 0.01, oblique, exact, [1e-10, 4e-3]),
        (1e-3, 0.01, oblique, Solver::default(), [1e-4, 8e-3]),
        (4e-3, 0.01, oblique, exact, [1e-10, 0.15]),
        (4e-3, 0.01, oblique, Solver::default(), [1e-4, 0.15]),
    ] {
        let (linear, angular) = momentum_changes(axis, part, h, solver);
        let residual = solver.relative_residual;
        println!(
            "h = {h} s, residual {residual:e}: momentum changes by {linear:.1e}, angular by \
             {angular:.1e} in 0.5 s"
        );
        assert!(linear < bounds[0] && angular < bounds[1]);
    }
}

/// Relative error of the first frequency of a limp strip in steps of `h` (s).
/// w = 1.2024 sqrt(g / L): the mode is J0(2 w sqrt(z / g)), z from the free end.
fn frequency_error(integrator: Integrator, h: f64) -> f64 {
    let (length, along) = (0.5, 50);
    let exact = 1.2024 * (G / length).sqrt();
    let mode = |p: &Vec3| bessel_j0(2.0 * exact * ((length - p.x) / G).sqrt());
    let material = Material::isotropic(DENSITY, 2000.0, 0.0, 1e-9);
    let mut cloth = cloth(strip(along, 2, length / f64::from(along), Cut::Rising), material);
    hold(&mut cloth, |p| p.x < 1e-9);
    let shape: Vec<f64> = cloth.rest.iter().map(mode).collect();
    // A hanging strip, displaced sideways by up to 2 mm.
    let place = |(p, s): (&Vec3, &f64)| Vec3::new(2e-3 * s, -p.x, p.z);
    cloth.positions = cloth.rest.iter().zip(&shape).map(place).collect();
    let found = simulate(&scene_with(integrator, h), alone(cloth), |simulation| {
        let part = |s: &Simulation| -> f64 {
            let terms = s.positions().iter().zip(&s.model().cloth.masses).zip(&shape);
            terms.map(|((x, mass), shape)| x.x * mass * shape).sum()
        };
        // The time between the first two zeros is half a period.
        let (mut zeros, mut before) = (Vec::new(), part(simulation));
        while zeros.len() < 2 {
            simulation.step()?;
            let now = part(simulation);
            if before * now <= 0.0 {
                zeros.push(simulation.time_s() - h * now / (now - before));
            }
            before = now;
        }
        Ok(std::f64::consts::PI / (zeros[1] - zeros[0]))
    });
    let error = found / exact - 1.0;
    println!(
        "limp strip, {integrator:?}, {h} s: {found:.4} 1/s, exact {exact:.4} 1/s, {:+.2} %",
        100.0 * error
    );
    error
}

#[test]
fn a_limp_strip_swings_at_its_first_frequency() {
    for (integrator, h, bound) in [(Integrator::Euler, 2e-3, 0.02), (Integrator::Bdf2, 4e-3, 0.01)]
    {
        assert!(frequency_error(integrator, h).abs() < bound);
    }
}

/// Bessel function of the first kind, for small x.
fn bessel_j0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..30 {
        term *= -0.25 * x * x / f64::from(k * k);
        sum += term;
    }
    sum
}

/// Energies (J) of the start and of 2,000 steps.
fn energies_of_2000_steps(cloth: ClothSetup) -> Vec<f64> {
    simulate(&weightless(1e-3), alone(cloth), |simulation| {
        let mut energies = vec![simulation.total_energy()?];
        for _ in 0..2000 {
            simulation.step()?;
            energies.push(simulation.total_energy()?);
        }
        Ok(energies)
    })
}

#[test]
fn crumpled_cloth_stays_bounded_and_damped_cloth_loses_energy() {
    let fabric = Material::isotropic(DENSITY, 500.0, 0.3, 1e-5);
    let damped = Material { mass_damping_per_s: 1.0, stiffness_damping_s: 1e-3, ..fabric };
    for (name, material, bound) in [("undamped", fabric, 1e-5), ("damped", damped, 1e-14)] {
        // With larger noise the cloth would start entangled with itself.
        for part in [0.1, 0.5] {
            let energies = energies_of_2000_steps(crumpled(material, part));
            let (start, end) = (energies[0], energies[energies.len() - 1]);
            let rise = largest_rise(&energies);
            println!(
                "{name}, crumpled by {part} cells: {start:.3e} J at first, {end:.1e} J at last, \
                 largest rise {rise:.1e} J"
            );
            assert!(rise < bound * start && end < 1e-3 * start);
        }
    }
}

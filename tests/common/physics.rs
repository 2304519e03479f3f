//! Helpers that run cloth of any mesh through the real step, so that a test reads as physics.
#![allow(dead_code)] // each test program uses a part of it

use std::sync::Arc;

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::{ClothSetup, Factors, LoadSetup, Pin, RestTriangle};
use cloth_sim::error::Result;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::mesh::{Mesh, SurfaceMesh};
use cloth_sim::ranks::in_process;
use cloth_sim::scene::PreconditionerKind;
use cloth_sim::scene::Scene;
use cloth_sim::step::{Model, Simulation, StepsPerFrame};

/// Standard gravity of the scenes, m/s^2.
pub const G: f64 = 9.81;

/// Runs `body` on a simulation of one rank and one thread.
pub fn simulate<T: Send>(
    scene: &Scene,
    setup: Setup,
    body: impl Fn(&mut Simulation) -> Result<T> + Sync,
) -> T {
    let model = Model::new(scene.settings(), setup, |build| build(1)).expect("the scene is sound");
    let model = Arc::new(model);
    let run =
        |world: &dyn cloth_sim::ranks::World| body(&mut Simulation::new(model.clone(), world, 1)?);
    in_process::run(1, run).expect("the run succeeds").remove(0)
}

/// A scene with steps of `step_s` and a solver that hides no physics.
pub fn scene(step_s: f64) -> Scene {
    let steps_per_frame = StepsPerFrame::Equal(1);
    let mut scene =
        Scene { frames_per_second: 1.0 / step_s, steps_per_frame, ..Default::default() };
    scene.solver.relative_residual = 1e-9;
    scene
}

/// A scene for equilibria. The stiff systems of large steps have soft motions of many vertices.
pub fn statics(step_s: f64) -> Scene {
    let mut scene = scene(step_s);
    scene.solver.relative_residual = 1e-8;
    scene.solver.preconditioner = PreconditionerKind::Multilevel;
    scene
}

/// A single cloth without obstacles.
pub fn alone(cloth: ClothSetup) -> Setup {
    Setup { cloths: vec![cloth], obstacles: Vec::new(), ..Setup::default() }
}

/// Cloth at rest on `mesh`, warp along x.
pub fn cloth(mesh: Mesh, material: Material) -> ClothSetup {
    let surface = SurfaceMesh::from_mesh(mesh).expect("the mesh is sound");
    let rest = surface.document.positions.clone();
    let plane = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| rest[v as usize]);
        RestTriangle::along(b - a, c - a, Vec3::x())
    };
    ClothSetup {
        name: "cloth".to_owned(),
        is_flat: false,
        folds: Vec::new(),
        sewn: Vec::new(),
        rest_planes: surface.faces.iter().map(plane).collect(),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        positions: rest.clone(),
        rest,
        material,
        factors: Factors::default(),
        pins: Vec::new(),
        loads: LoadSetup::default(),
    }
}

/// Holds the vertices whose rest position is `chosen`.
pub fn hold(cloth: &mut ClothSetup, chosen: impl Fn(&Vec3) -> bool) {
    let vertices = vertices_where(&cloth.rest, chosen);
    assert!(!vertices.is_empty());
    let pin = Pin {
        vertices,
        start_s: 0.0,
        end_s: f64::INFINITY,
        motion: None,
        follow: None,
        springs: None,
    };
    cloth.pins.push(pin);
}

/// Vertices whose position is `chosen`.
pub fn vertices_where(x: &[Vec3], chosen: impl Fn(&Vec3) -> bool) -> Vec<u32> {
    (0..x.len() as u32).filter(|&v| chosen(&x[v as usize])).collect()
}

/// Mean of `of` over `vertices`.
pub fn mean(vertices: &[u32], of: impl Fn(usize) -> f64) -> f64 {
    vertices.iter().map(|&v| of(v as usize)).sum::<f64>() / vertices.len() as f64
}

/// Steps until no vertex has been faster than `speed` (m/s) for 0.2 s. Returns the time until then
/// (s). Panics after `limit_s`.
pub fn settle(simulation: &mut Simulation, speed: f64, limit_s: f64) -> Result<f64> {
    let mut quiet_since = f64::INFINITY;
    while simulation.time_s() - quiet_since < 0.2 || quiet_since.is_infinite() {
        simulation.step()?;
        if fastest(simulation) > speed {
            quiet_since = f64::INFINITY;
        } else if quiet_since.is_infinite() {
            quiet_since = simulation.time_s();
        }
        assert!(
            simulation.time_s() < limit_s,
            "still moves at {} m/s after {limit_s} s",
            fastest(simulation)
        );
    }
    Ok(simulation.time_s())
}

/// Largest speed of a vertex, m/s.
pub fn fastest(simulation: &Simulation) -> f64 {
    simulation.velocities().iter().map(|v| v.norm()).fold(0.0, f64::max)
}

/// The largest rise above any earlier energy, J.
pub fn largest_rise(energies: &[f64]) -> f64 {
    let mut lowest = f64::INFINITY;
    let rise = |energy: &f64| {
        lowest = lowest.min(*energy);
        energy - lowest
    };
    energies.iter().map(rise).fold(0.0, f64::max)
}

/// The root of `f` between `low`, where it is positive, and `high`.
pub fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

/// How a strip is meshed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Right triangles, all diagonals in one direction.
    Rising,
    /// The same in the other direction.
    Falling,
    /// Equilateral triangles in rows across the strip.
    Equilateral,
    /// `Rising` with inner vertices moved at random by up to this part of an edge along and
    /// across. The first two columns stay. With a seed.
    Jittered(f64, u64),
}

/// A flat strip of `along` x `across` cells of length `cell` (m), fronts up. It extends from
/// x = 0 in +x; its width is along z, centred at 0.
pub fn strip(along: u32, across: u32, cell: f64, cut: Cut) -> Mesh {
    let (length, width) = (f64::from(along) * cell, f64::from(across) * cell);
    let mut mesh = if cut == Cut::Equilateral {
        let side = cell * 2.0 / 3f64.sqrt();
        let mut mesh =
            sheet(f64::from(across) * side, length, across, along, Diagonal::Equilateral);
        mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(p.z, 0.0, -p.x));
        mesh
    } else {
        sheet(length, width, along, across, Diagonal::Same)
    };
    if cut == Cut::Falling {
        mesh.positions.iter_mut().for_each(|p| p.z = -p.z);
        mesh.faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    mesh.positions.iter_mut().for_each(|p| p.x += 0.5 * length);
    if let Cut::Jittered(part, seed) = cut {
        let mut random = Random(seed);
        for p in &mut mesh.positions {
            let inner = p.x > 1.5 * cell && p.x < length - 0.5 * cell;
            if inner && p.z.abs() < 0.5 * (width - cell) + 1e-9 * cell {
                *p += Vec3::new(random.signed(), 0.0, random.signed()) * (part * cell);
            }
        }
    }
    mesh
}

/// A linear congruential generator, random enough for meshes.
pub struct Random(pub u64);

impl Random {
    /// Uniform in -1..1.
    pub fn signed(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Uniform in the cube of side 2 about the origin.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

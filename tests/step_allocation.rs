//! Rooms `step` and `linear`: after the first step, assembly and solve allocate nothing. This is
//! the only test of its program, because the allocator counts for all threads.
#![allow(unsafe_code)] // an allocator is unsafe to implement

#[path = "common/counting.rs"]
mod counting;

use std::path::Path;

use cloth_bodies::contact::{ContactSpring, Sides};
use cloth_core::linear::{PreconditionerKind, Tolerance};
use cloth_core::threads::Threads;
use cloth_sim::bodies::cloth::assembly::{Stability, StepInputs};
use cloth_sim::bodies::cloth::elements::air::WindKey;
use cloth_sim::error::Result;
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::partition::Layout;
use cloth_sim::ranks::{World, in_process};
use cloth_sim::scene;
use cloth_sim::step::BodyTerms;
use cloth_sim::step::SystemTerms;
use cloth_sim::step::{Integrator, Scheme};
use cloth_sim::step::{Model, StepSystem, StepsPerFrame};
use counting::allocations;

/// Allocations of ten steps after the first ones.
fn later_allocations(
    world: &dyn World,
    model: &Model,
    kind: PreconditionerKind,
    threads: usize,
) -> Result<u64> {
    let layout = Layout::new(&model.graph, &model.partition, world.rank());
    let tolerance = Tolerance {
        relative_residual: 1e-6,
        velocity_m_per_s: f64::INFINITY,
        least_reference: 0.0,
        max_iterations: 1000,
    };
    let mut system = StepSystem::new(model, &model.partition, &layout, kind, tolerance)?;
    let threads = Threads::new(threads)?;
    let at_rest = vec![Vec3::zeros(); model.initial.len()];
    let vertices = model.initial.len() as u32;
    let spring = |&[a, b, c]: &[u32; 3], onto| ContactSpring {
        sides: Sides::of_weights(&[a, b, c, onto], &[0.5, 0.25, 0.25, -1.0], 3),
        stiffness: Mat3::identity() * 10.0,
        velocity: Vec3::zeros(),
        push: Vec3::new(0.0, 0.01, 0.0),
        lasting: Vec3::zeros(),
    };
    let pushed = |face: &[u32; 3]| spring(face, vertices);
    let folded = |face: &[u32; 3]| spring(face, vertices - 1 - face[0]);
    let faces = || model.cloth.faces.iter();
    let onto_others = faces().step_by(7).map(pushed);
    let contacts: Vec<_> = onto_others.chain(faces().step_by(9).map(folded)).collect();
    let inputs = StepInputs {
        x0: &model.initial,
        v0: &at_rest,
        x: &model.initial,
        v: &at_rest,
        ahead_s: 1e-2,
        h: 1e-2,
        stability: Stability::EULER,
        gravity: model.gravity(0.0),
        loads: &[],
        draws: &[],
        wind: model.wind(0.0),
        clamps: 0,
    };
    let mut steps = |number: usize| -> Result<()> {
        for _ in 0..number {
            let terms = SystemTerms {
                scheme: Scheme::new(Integrator::Euler, 1e-2),
                inputs: &inputs,
                first_changes: &at_rest,
                prescribed: &[(0, Vec3::zeros())],
                bodies: BodyTerms::NONE,
                contacts: &contacts,
                joints: &[],
                region: None,
            };
            system.assemble(&threads, model, &layout, &terms);
            let solved = system.solve(world, &threads, &model.initial)?;
            assert!(solved.converged() && solved.iterations > 5, "{:?}", solved);
        }
        world.all_reduce_sum(&mut [0])
    };
    steps(1)?;
    // A pool's thread allocates records of its own at its first start and at its first theft,
    // which may come late. Buffers that gathers use in turn grow at their first use. Allocations
    // of a step would show in every batch.
    let batches = 8;
    let mut fewest = u64::MAX;
    for _ in 0..batches {
        let before = allocations();
        steps(10)?;
        fewest = fewest.min(allocations() - before);
    }
    Ok(fewest)
}

/// A sheet that hangs from two corners, in wind, with damping.
#[test]
fn assembly_and_solve_allocate_nothing_after_the_first_steps() {
    let mut scene = scene::load(Path::new("scenes/sheet.ron")).unwrap();
    scene.air.wind = vec![WindKey { time_s: 0.0, velocity_m_per_s: [3.0, 0.0, 1.0] }];
    scene.air.normal_drag_n_s_per_m3 = 1.0;
    scene.cloths[0].damping.stiffness_s = 1e-4;
    scene.steps_per_frame = StepsPerFrame::Equal(4);
    let setup = scene::build(&scene, Path::new("scenes")).unwrap();
    for &kind in PreconditionerKind::ALL {
        for (ranks, of_rank) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            let model = Model::new(scene.settings(), setup.clone(), |build| build(ranks)).unwrap();
            let counts = in_process::run(ranks, |w| later_allocations(w, &model, kind, of_rank));
            let place = format!("{kind:?}, {ranks} ranks, {of_rank} threads");
            assert_eq!(counts.unwrap(), vec![0; ranks], "{place}");
        }
    }
}

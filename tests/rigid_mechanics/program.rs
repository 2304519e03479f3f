//! The closed forms are tested on [`Serial`]; here it is held against the step of the program.

use std::sync::Arc;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::rigid::body::State;
use cloth_sim::rigid::domain::{Domain, Grid, Subdomains};
use cloth_sim::rigid::sync::Synchronisation;
use cloth_sim::rigid::{RigidModel, RigidSettings, RigidSimulation};

use crate::piles::falling;
use crate::serial::{Response, Serial};

/// The states after some steps of the program on one rank.
fn stepped(start: &Serial, steps: usize) -> Vec<State> {
    let response = match start.response {
        Response::Ffd => cloth_sim::rigid::Response::Ffd,
        Response::Nonsmooth { sweeps } => {
            cloth_sim::rigid::Response::Nonsmooth { sweeps: sweeps as u32 }
        }
    };
    let domain = Domain::new(Vec3::repeat(-10.0), Vec3::repeat(10.0), [false; 3]).expect("a box");
    let grid = Grid::new(domain, [1; 3]).expect("a grid");
    let model = Arc::new(RigidModel {
        settings: RigidSettings {
            contacts: start.settings,
            margin_m: 1e-3,
            synchronisation: Synchronisation::ShadowOwner,
            response,
        },
        subdomains: Arc::new(Subdomains::Grid(grid)),
        fixed: start.fixed.clone(),
        materials: start.materials.clone(),
        solids: start.solids.clone(),
    });
    let states = in_process::run(1, |world| {
        let bodies = start.bodies.iter().copied();
        let mut simulation = RigidSimulation::new(model.clone(), vec![0], bodies, world, 1)?;
        for _ in 0..steps {
            simulation.step()?;
        }
        let mut own: Vec<_> = simulation.population().own().iter().collect();
        own.sort_by_key(|body| body.id);
        Ok(own.iter().map(|body| body.state).collect::<Vec<_>>())
    });
    states.expect("a run").swap_remove(0)
}

#[test]
fn the_step_of_the_program_is_the_one_that_the_closed_forms_judge() {
    const STEPS: usize = 500;
    for response in [Response::Ffd, Response::Nonsmooth { sweeps: 10 }] {
        for boxes in [false, true] {
            let mut world = falling(response, boxes, 3, 4, 2e-3);
            let expected = stepped(&world, STEPS);
            world.run(STEPS);
            assert!(world.contacts.len() > 36, "{response:?}: they have not met");
            for (body, state) in world.bodies.iter().zip(&expected) {
                assert_eq!(body.state, *state, "{response:?}, boxes {boxes}, body {}", body.id);
            }
        }
    }
}

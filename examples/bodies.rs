//! A model of a few rigid bodies, two ranks, steps, and a saved state: the tour of the library's
//! room `rigid`.

use std::sync::Arc;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::rigid::constraint::ContactSettings;
use cloth_sim::rigid::constraint::joint::Joints;
use cloth_sim::rigid::domain::{Domain, Grid, Subdomains};
use cloth_sim::rigid::fixed::{FixedBodies, FixedBody};
use cloth_sim::rigid::material::{Material, Materials, Surface};
use cloth_sim::rigid::shape::{Cuboid, Sphere};
use cloth_sim::rigid::simulation::shared_out;
use cloth_sim::rigid::solid::{MassProperties, Solids};
use cloth_sim::rigid::{
    Body, BodyState, Load, Response, RigidModel, RigidSettings, RigidSimulation, Shape,
    Synchronisation, Twist,
};

const DENSITY: f64 = 1000.0;

/// A body at rest, its centre at `position` (m).
fn body(id: u64, shape: Shape, position: Vec3) -> Body {
    let MassProperties { mass, inertia } = Solids::default().mass_properties(&shape, DENSITY);
    let state = BodyState { position, rotation: Default::default(), twist: Twist::ZERO };
    Body { id, shape, material: 0, mass, inertia, state, load: Load::NONE }
}

fn main() -> cloth_sim::Result<()> {
    // 1. What all ranks know alike: a floor in a box of 2 m, which two subdomains share.
    let domain = Domain::new(Vec3::new(-1.0, -0.5, -1.0), Vec3::new(1.0, 1.5, 1.0), [false; 3])?;
    let surface = Surface { restitution: 0.2, friction: 0.5, rolling: 0.0 };
    let floor = FixedBody::half_space(100, 0, Vec3::zeros(), Vec3::y());
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let model = Arc::new(RigidModel {
        settings: RigidSettings {
            contacts: ContactSettings { step_s: 1e-3, gravity, penetration_correction: 0.2 },
            margin_m: 0.01,
            synchronisation: Synchronisation::NextNeighbour,
            response: Response::default(),
        },
        subdomains: Arc::new(Subdomains::Grid(Grid::new(domain, [2, 1, 1])?)),
        fixed: FixedBodies::new(vec![floor]),
        materials: Materials::new(&[Material { density: DENSITY, surface }], &[])?,
        solids: Solids::default(),
        joints: Joints::default(),
    });

    // 2. A ball above a box, both near the border of the subdomains.
    let cube = Shape::Box(Cuboid { size_m: [0.2; 3] });
    let ball = Shape::Sphere(Sphere { radius_m: 0.05 });
    let bodies =
        [body(0, cube, Vec3::new(-0.02, 0.1, 0.0)), body(1, ball, Vec3::new(0.02, 0.3, 0.0))];

    // 3. Two ranks as threads of this process; under MPI a rank is a process. Each offers all
    //    bodies, and keeps those of its subdomain.
    let saved = in_process::run(2, |world| {
        let rank_of = shared_out(2, world.size());
        let mut simulation = RigidSimulation::new(model.clone(), rank_of, bodies, world, 1)?;
        for _ in 0..500 {
            simulation.step()?;
        }
        // 4. Own bodies; others know shadow copies.
        for body in simulation.population().own().iter() {
            assert!(body.state.position.y > 0.0, "body {} is on the floor", body.id);
        }
        assert!(simulation.totals()?.energy_j() > 0.0);
        simulation.save()
    })?;

    // 5. The state of both ranks is on rank 0. It goes on alike on any number of ranks: here on one,
    //    which the simulation owns. So it borrows nothing and can be kept in a struct.
    let alone = in_process::alone();
    let mut simulation: RigidSimulation<'static> =
        RigidSimulation::new(model, vec![0, 0], [], alone, 1)?;
    simulation.restore(&saved[0])?;
    assert_eq!((simulation.steps(), simulation.population().own_count()), (500, 2));
    simulation.step()?;
    let population = simulation.population();
    let place = population.place(0).expect("the box is there");
    assert!((population.bodies().states()[place].position.y - 0.1).abs() < 1e-3);
    Ok(())
}

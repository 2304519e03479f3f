//! Rooms `bodies` and `step`: rigid bodies, whose velocity and angular velocity are unknowns of the
//! same linear system as the velocities of cloth.

use std::sync::Arc;

use crate::physics::G;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::bodies::prescribed::{ObstacleSetup, Transform};
use cloth_sim::bodies::rigid::RigidBody;
use cloth_sim::bodies::{Body, Setup};
use cloth_sim::error::Result;
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::SurfaceMesh;
use cloth_sim::mesh::shapes::{Cuboid, Diagonal, ShapeKind, sheet};
use cloth_sim::partition::Partition;
use cloth_sim::ranks::{World, in_process};
use cloth_sim::scene::Scene;
use cloth_sim::step::{Counter, Measure, Model, Simulation};
use nalgebra::{Quaternion, UnitQuaternion};

/// A box of this size (m) and mass (kg) about `centre` (m).
fn block(name: &str, size: Vec3, mass_kg: f64, centre: Vec3) -> RigidBody {
    let mut mesh = Cuboid { size_m: size.into(), edge_m: None }.mesh();
    mesh.positions.iter_mut().for_each(|x| *x += centre);
    RigidBody::new(name, &mesh, mass_kg / size.product()).expect("a closed surface")
}

/// A sheet of 20 cm that is held at its edges.
fn trampoline() -> ClothSetup {
    let material = Material::isotropic(0.2, 500.0, 0.3, 1e-5);
    let mut cloth = crate::physics::cloth(sheet(0.2, 0.2, 10, 10, Diagonal::Alternating), material);
    crate::physics::hold(&mut cloth, |x| x.x.abs().max(x.z.abs()) > 0.099);
    cloth.material.mass_damping_per_s = 30.0;
    cloth.material.stiffness_damping_s = 2e-3;
    cloth
}

/// A fixed bar along z, turned by 45 degrees: its upper edge is at `x` (m) and y = 0.
fn ridge(x: f64) -> ObstacleSetup {
    let placement = Transform {
        rotation: rotation(Vec3::z(), 45.0),
        translation: Vec3::new(x, -0.01 * f64::sqrt(2.0), 0.0),
        ..Default::default()
    };
    obstacle(Vec3::new(0.02, 0.02, 0.1), placement)
}

/// A fixed box.
fn obstacle(size_m: Vec3, placement: Transform) -> ObstacleSetup {
    let mesh = Cuboid { size_m: size_m.into(), edge_m: None }.mesh();
    let surface = SurfaceMesh::from_mesh(mesh).expect("a sound mesh");
    ObstacleSetup {
        name: "obstacle".to_owned(),
        shape: surface.document.positions.clone(),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        placement,
        motion: None,
        yields: None,
    }
}

fn model(ranks: usize, scene: &Scene, setup: &Setup, bodies: Vec<RigidBody>) -> Arc<Model> {
    let bodies = bodies.into_iter().map(|body| Arc::new(body) as Arc<dyn Body>).collect();
    let parts = |build: &dyn Fn(usize) -> Result<Partition>| build(ranks);
    Arc::new(Model::with_bodies(scene.settings(), setup.clone(), bodies, parts).unwrap())
}

/// Runs `read` on each of `ranks` ranks.
fn on_ranks<T: Send>(
    ranks: usize,
    scene: &Scene,
    setup: &Setup,
    bodies: Vec<RigidBody>,
    read: impl Fn(&mut Simulation) -> Result<T> + Sync,
) -> Vec<T> {
    let model = model(ranks, scene, setup, bodies);
    in_process::run(ranks, |world| read(&mut Simulation::new(model.clone(), world, 1)?)).unwrap()
}

/// Velocity (m/s) and angular velocity (rad/s) of `body`, the only one.
fn twist(body: &RigidBody, simulation: &Simulation) -> [Vec3; 2] {
    let u = simulation.state().velocities.last_chunk::<2>().expect("two nodes");
    [u[0], body.angular_velocity(u)]
}

/// The angle (rad) between the directions that were up at the rotation `from` and are at `to`.
fn tilt(from: &[f64], to: &[f64]) -> f64 {
    let turn = |q: &[f64]| UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]));
    (turn(to) * turn(from).inverse() * Vec3::y()).angle(&Vec3::y())
}

fn place(simulation: &Simulation) -> Vec3 {
    Vec3::from_column_slice(&simulation.state().coordinates[0][..3])
}

fn small_patches() -> Scene {
    let mut scene = crate::physics::scene(1e-3);
    scene.patch_vertices = 8;
    scene
}

#[test]
fn a_box_falls_freely() {
    let setup = Setup { cloths: vec![trampoline()], obstacles: Vec::new(), ..Setup::default() };
    let body = || block("box", Vec3::repeat(0.02), 0.02, Vec3::new(0.0, 0.5, 0.0));
    on_ranks(1, &small_patches(), &setup, vec![body()], |simulation| {
        for _ in 0..100 {
            simulation.step()?;
        }
        let [v, omega] = twist(&body(), simulation);
        assert!((v + Vec3::y() * (0.1 * G)).norm() < 1e-12 && omega == Vec3::zeros(), "{v}");
        // Linearly implicit Euler falls by g h t / 2 more than g t^2 / 2.
        let fallen = 0.5 * G * 0.1 * 0.101;
        assert!((place(simulation).y - (0.5 - fallen)).abs() < 1e-12);
        Ok(())
    });
}

#[test]
fn a_box_comes_to_rest_on_a_sheet_which_carries_its_weight() {
    let setup = Setup { cloths: vec![trampoline()], obstacles: Vec::new(), ..Setup::default() };
    let centre = Vec3::new(0.003, 0.013, 0.002);
    let body = || block("box", Vec3::new(0.04, 0.02, 0.04), 0.02, centre);
    on_ranks(1, &small_patches(), &setup, vec![body()], |simulation| {
        for _ in 0..2500 {
            simulation.step()?;
        }
        let [v, omega] = twist(&body(), simulation);
        assert!(v.norm() < 1e-5 && omega.norm() < 1e-3, "{v}{omega}");
        // It lies in the hollow that it makes, flat and above the cloth.
        let lowest = simulation.positions().iter().map(|x| x.y).fold(0.0, f64::min);
        assert!(lowest < -2e-3, "the sheet sags: {lowest}");
        let gap = place(simulation).y - 0.01 - lowest;
        assert!((0.0..2.5e-3).contains(&gap), "{gap}");
        let tilt = tilt(&body().start().0[3..7], &simulation.state().coordinates[0][3..7]);
        assert!(tilt < 0.1, "{tilt} rad");
        // The normal forces of its contacts carry it.
        let carried: f64 = simulation.state().contacts.iter().map(|c| c.normal_force).sum();
        assert!((carried / (0.02 * G) - 1.0).abs() < 0.05, "{carried} N");
        Ok(())
    });
}

#[test]
fn an_off_centre_contact_spins_a_box_as_its_arm_and_inertia_say() {
    // Only its right end meets the ridge; the sheet stays out of the way.
    let mut aside = trampoline();
    aside.positions.iter_mut().for_each(|x| x.y -= 1.0);
    let setup = Setup { cloths: vec![aside], obstacles: vec![ridge(0.045)], ..Setup::default() };
    let mut scene = small_patches();
    scene.contact.friction_obstacle = 0.0;
    let size = Vec3::new(0.1, 0.01, 0.01);
    // It slides a little, so that no contact sticks.
    let velocity = Vec3::new(0.01, -0.5, 0.0);
    let body = || {
        let body = block("box", size, 0.01, Vec3::new(0.0, 0.0076, 0.0));
        body.moving(velocity, Vec3::zeros())
    };
    on_ranks(1, &scene, &setup, vec![body()], |simulation| {
        let mut steps = 0;
        while twist(&body(), simulation)[1].norm() < 0.5 {
            simulation.step()?;
            steps += 1;
            assert!(steps < 50, "it meets the ridge");
        }
        let [v, omega] = twist(&body(), simulation);
        // The impulse J along y at the arm r: m dv = J, I domega = r x J.
        let impulse = 0.01 * (v.y + 0.5 + f64::from(steps) * 1e-3 * G);
        let inertia = 0.01 / 12.0 * (0.1 * 0.1 + 0.01 * 0.01);
        assert!(impulse > 0.0 && omega.z > 0.0, "{impulse}, {omega}");
        let arm = inertia * omega.z / impulse;
        assert!((arm - 0.045).abs() < 1e-3, "the ridge lies under x = 0.045: {arm}");
        // The contact that ends the impact is stiff, and the matrix is in single precision.
        assert!((v.x - 0.01).abs() < 1e-5 && v.z.abs() < 1e-5, "nothing rubs: {v}");
        Ok(())
    });
}

#[test]
fn boxes_among_cloth_have_the_same_bits_on_any_number_of_ranks() {
    let setup =
        Setup { cloths: vec![trampoline()], obstacles: vec![ridge(0.06)], ..Setup::default() };
    let body = || {
        let body = block("box", Vec3::new(0.05, 0.01, 0.02), 0.02, Vec3::new(0.04, 0.03, 0.0));
        body.moving(Vec3::new(0.3, -1.0, 0.1), Vec3::zeros())
    };
    // The first one falls onto the second.
    let upper = || {
        let body = block("upper", Vec3::new(0.03, 0.01, 0.03), 0.01, Vec3::new(0.06, 0.05, 0.01));
        body.moving(Vec3::new(0.0, -2.0, 0.0), Vec3::new(3.0, 1.0, -2.0))
    };
    let mut setup = setup;
    setup.cloths[0].positions.iter_mut().for_each(|x| x.y += 0.015);
    let run = |ranks| {
        on_ranks(ranks, &small_patches(), &setup, vec![upper(), body()], |simulation| {
            let mut hashes = Vec::new();
            for step in 0..60 {
                // The patches change their ranks, also the patch of the body.
                if step % 10 == 5 {
                    let patches = simulation.partition().rank_of_patch.len() as u32;
                    let owners = (0..patches).map(|patch| (patch + step) % ranks as u32);
                    simulation.repartition(&Vec::from_iter(owners))?;
                }
                simulation.step()?;
                hashes.push(simulation.hash()?);
            }
            Ok((hashes, twist(&body(), simulation)))
        })
    };
    let alone = run(1).remove(0);
    assert!(alone.1[1].norm() > 0.1, "it turns: {:?}", alone.1);
    for ranks in [2, 3] {
        assert!(run(ranks).iter().all(|rank| rank.0 == alone.0), "{ranks} ranks");
    }
}

#[test]
fn a_box_that_is_thrown_at_free_cloth_keeps_the_momentum() {
    let material = Material::isotropic(0.2, 500.0, 0.3, 1e-5);
    let cloth = crate::physics::cloth(sheet(0.2, 0.2, 10, 10, Diagonal::Alternating), material);
    let mut scene = crate::physics::scene(1e-3);
    scene.gravity_m_per_s2 = [0.0; 3];
    scene.solver.relative_residual = 1e-12;
    let body = block("box", Vec3::new(0.05, 0.02, 0.03), 0.02, Vec3::new(0.03, 0.03, 0.02));
    let body = body.moving(Vec3::new(0.3, -2.0, 0.1), Vec3::new(5.0, -3.0, 8.0));
    on_ranks(1, &scene, &crate::physics::alone(cloth), vec![body.clone()], |simulation| {
        let momentum = |simulation: &Simulation| {
            let (velocities, [v, _]) = (simulation.velocities(), twist(&body, simulation));
            let masses = &simulation.model().cloth.masses;
            let of_cloth = velocities.iter().zip(masses).map(|(v, mass)| v * *mass);
            of_cloth.sum::<Vec3>() + v * body.mass_kg()
        };
        let (before, v) = (momentum(simulation), twist(&body, simulation)[0]);
        for _ in 0..60 {
            simulation.step()?;
        }
        let now = twist(&body, simulation)[0];
        assert!((now - v).norm() > 0.1, "the cloth brakes it: {now}");
        let change = (momentum(simulation) - before).norm() / before.norm();
        assert!(change < 1e-9, "{change:e}");
        Ok(())
    });
}

/// Five plates of 0.3 kg on a floor, or on cloth that lies on it, each 0.8 mm above what it lies
/// on: nearer than the contact distance. Each is shifted and turned by `turn_deg` (degrees) against
/// the one below. Their triangles have edges of `edge_m` (m).
fn plates(edge_m: Option<f64>, turn_deg: f64, on_cloth: bool) -> (Setup, Vec<RigidBody>) {
    let material = Material::isotropic(0.2, 500.0, 0.3, 1e-5);
    let mut cloth = crate::physics::cloth(sheet(0.3, 0.3, 12, 12, Diagonal::Alternating), material);
    let (base, thick) = if on_cloth { (1e-3, 0.01) } else { (0.0, 0.01) };
    cloth.positions.iter_mut().for_each(|x| x.y += if on_cloth { base } else { -1.0 });
    let floor = obstacle(
        Vec3::new(1.0, thick, 1.0),
        Transform { translation: Vec3::y() * (-0.5 * thick), ..Default::default() },
    );
    let plate = |k: u32| {
        let width = 0.2 - 0.004 * f64::from(k);
        let height = base + (thick + 0.8e-3) * f64::from(k + 1) - 0.5 * thick;
        let centre = Vec3::new(0.001 * f64::from(k), height, 7e-4);
        let mut mesh = Cuboid { size_m: [width, thick, width], edge_m }.mesh();
        let turn = rotation(Vec3::y(), turn_deg * f64::from(k + 1));
        mesh.positions.iter_mut().for_each(|x| *x = turn * *x + centre);
        let density = 0.3 / (width * thick * width);
        RigidBody::new(&format!("plate {k}"), &mesh, density).expect("a closed surface")
    };
    (
        Setup { cloths: vec![cloth], obstacles: vec![floor], ..Setup::default() },
        (0..5).map(plate).collect(),
    )
}

/// What became of plates.
struct Outcome {
    /// How often a step was redone.
    redone: u64,
    /// The speed of the fastest plate in the run and at its end, m/s.
    speeds: [f64; 2],
    /// The largest way of a plate along the floor in the second half, m.
    drift_m: f64,
    /// Energy that no work explains in the second half, J.
    rise_j: f64,
}

/// Advances `plates` by `time_s` (s).
fn run_plates(scene: &Scene, (setup, bodies): (Setup, Vec<RigidBody>), time_s: f64) -> Outcome {
    let count = bodies.len();
    let model = model(1, scene, &setup, bodies);
    let run = |world: &dyn World| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let mut outcome = Outcome { redone: 0, speeds: [0.0; 2], drift_m: 0.0, rise_j: 0.0 };
        let centres = |simulation: &Simulation| {
            let all = simulation.state().coordinates.iter();
            Vec::from_iter(all.map(|at| Vec3::new(at[0], 0.0, at[2])))
        };
        let mut middle = centres(&simulation);
        while simulation.time_s() < time_s - 1e-9 {
            if simulation.time_s() < 0.5 * time_s {
                (middle, outcome.rise_j) = (centres(&simulation), 0.0);
            }
            let report = simulation.step()?;
            outcome.redone += report.get(Counter::Redone);
            outcome.rise_j += report.measured(Measure::UnexplainedRise);
            let nodes = simulation.state().velocities.rchunks(2).take(count);
            let speed = nodes.map(|node| node[0].norm()).fold(0.0, f64::max);
            outcome.speeds = [outcome.speeds[0].max(speed), speed];
        }
        let ways = middle.iter().zip(centres(&simulation)).map(|(from, to)| (to - from).norm());
        outcome.drift_m = ways.fold(0.0, f64::max);
        Ok(outcome)
    };
    in_process::run(1, run).unwrap().remove(0)
}

#[test]
fn plates_come_to_rest_on_a_floor_and_on_cloth() {
    for (step_s, edge_m, turn_deg, on_cloth) in [
        (1e-3, None, 0.0, false),
        (1e-3, None, 3.0, true),
        (4e-3, None, 0.0, false),
        (4e-3, Some(0.025), 3.0, true),
    ] {
        let plates = plates(edge_m, turn_deg, on_cloth);
        let Outcome { redone, speeds, drift_m, rise_j } =
            run_plates(&crate::physics::scene(step_s), plates, 1.0);
        let case = format!("{step_s} s, {edge_m:?}, {turn_deg} degrees, on cloth: {on_cloth}");
        // What lifts them by 0.2 mm each is no fault.
        assert_eq!(redone, 0, "{case}");
        // At 1 ms the lowest plate trembles on cloth, by nanometres.
        let most = if on_cloth && step_s < 2e-3 { 1e-4 } else { 1e-6 };
        assert!(speeds[1] < most && drift_m < 1e-6, "{case}: {speeds:?} m/s, {drift_m} m");
        // Lifting all plates by 1 mm takes 15 mJ.
        assert!(rise_j < 1e-4, "{case}: {rise_j} J");
    }
}

#[test]
fn a_halved_step_does_not_make_plates_burst() {
    // Without weight any push is a rise of energy, so the first steps are halved.
    let mut scene = crate::physics::scene(1e-3);
    scene.gravity_m_per_s2 = [0.0; 3];
    let Outcome { redone, speeds, .. } = run_plates(&scene, plates(None, 0.0, false), 0.25);
    assert!(redone > 0);
    assert!(speeds[0] < 0.5, "{speeds:?} m/s");
}

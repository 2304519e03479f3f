//! Rooms `bodies` and `step`: a body of few nodes, made only with the trait [`Body`]. It is a
//! rigid box, whose velocity and angular velocity are unknowns of the same linear system as the
//! velocities of cloth.

#[path = "common/physics.rs"]
mod physics;

use std::sync::Arc;

use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::bodies::prescribed::ObstacleSetup;
use cloth_sim::bodies::prescribed::Transform;
use cloth_sim::bodies::{Body, Jacobian, Setup};
use cloth_sim::error::Result;
use cloth_sim::math::{Mat3, Vec3, rotation};
use cloth_sim::mesh::shapes::{Cuboid, Diagonal, ShapeKind, sheet};
use cloth_sim::mesh::{Mesh, SurfaceMesh};
use cloth_sim::partition::Partition;
use cloth_sim::ranks::{World, in_process};
use cloth_sim::scene::Scene;
use cloth_sim::step::{Counter, Model, Simulation};
use physics::G;

/// A homogeneous box. Coordinates: its centre (m), then its rotation, column by column.
struct RigidBox {
    name: String,
    mesh: Mesh,
    mass_kg: f64,
    /// Principal moments of inertia, kg m^2.
    inertia: Vec3,
    centre: Vec3,
    velocity: Vec3,
}

impl RigidBox {
    fn new(size: Vec3, mass_kg: f64, centre: Vec3) -> Self {
        let mesh = Cuboid { size_m: size.into(), edge_m: None }.mesh();
        let square = size.component_mul(&size);
        let inertia = (Vec3::repeat(square.sum()) - square) * (mass_kg / 12.0);
        let name = "box".to_owned();
        Self { name, mesh, mass_kg, inertia, centre, velocity: Vec3::zeros() }
    }
}

fn centre(coordinates: &[f64]) -> Vec3 {
    Vec3::from_column_slice(&coordinates[..3])
}

fn turn(coordinates: &[f64]) -> Mat3 {
    Mat3::from_column_slice(&coordinates[3..12])
}

fn coordinates(centre: Vec3, turn: Mat3) -> Vec<f64> {
    centre.iter().chain(turn.iter()).copied().collect()
}

impl Body for RigidBox {
    fn name(&self) -> &str {
        &self.name
    }

    fn faces(&self) -> &[[u32; 3]] {
        &self.mesh.faces
    }

    fn vertex_count(&self) -> usize {
        self.mesh.positions.len()
    }

    fn node_count(&self) -> usize {
        2
    }

    fn start(&self) -> (Vec<f64>, Vec<Vec3>) {
        (coordinates(self.centre, Mat3::identity()), vec![self.velocity, Vec3::zeros()])
    }

    fn place(&self, at: &[f64], x: &mut [Vec3]) {
        for (x, local) in x.iter_mut().zip(&self.mesh.positions) {
            *x = centre(at) + turn(at) * local;
        }
    }

    fn moved(&self, at: &[f64], u: &[Vec3], h: f64) -> Vec<f64> {
        let angle_deg = (u[1].norm() * h).to_degrees();
        coordinates(centre(at) + u[0] * h, rotation(u[1], angle_deg) * turn(at))
    }

    fn jacobian(&self, at: &[f64], node: usize, weight: f64, weighted: &Vec3) -> Jacobian {
        match node {
            0 => Jacobian::Weight(weight),
            _ => Jacobian::Arm(weighted - centre(at) * weight),
        }
    }

    fn mass(&self, at: &[f64], node: usize) -> Mat3 {
        match node {
            0 => Mat3::from_diagonal_element(self.mass_kg),
            _ => turn(at) * Mat3::from_diagonal(&self.inertia) * turn(at).transpose(),
        }
    }

    fn impulse(&self, at: &[f64], u: &[Vec3], node: usize, gravity: &Vec3, h: f64) -> Vec3 {
        match node {
            0 => gravity * (self.mass_kg * h),
            _ => (self.mass(at, 1) * u[1]).cross(&u[1]) * h,
        }
    }

    fn energy(&self, at: &[f64], u: &[Vec3], gravity: &Vec3) -> f64 {
        let kinetic = self.mass_kg * u[0].norm_squared() + u[1].dot(&(self.mass(at, 1) * u[1]));
        0.5 * kinetic - self.mass_kg * gravity.dot(&centre(at))
    }
}

/// A sheet of 20 cm that is held at its edges.
fn trampoline() -> ClothSetup {
    let material = Material::isotropic(0.2, 500.0, 0.3, 1e-5);
    let mut cloth = physics::cloth(sheet(0.2, 0.2, 10, 10, Diagonal::Alternating), material);
    physics::hold(&mut cloth, |x| x.x.abs().max(x.z.abs()) > 0.099);
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
    }
}

fn model(ranks: usize, scene: &Scene, setup: &Setup, bodies: Vec<RigidBox>) -> Arc<Model> {
    let bodies = bodies.into_iter().map(|body| Arc::new(body) as Arc<dyn Body>).collect();
    let parts = |build: &dyn Fn(usize) -> Result<Partition>| build(ranks);
    Arc::new(Model::with_bodies(scene.settings(), setup.clone(), bodies, parts).unwrap())
}

/// Runs `read` on each of `ranks` ranks.
fn on_ranks<T: Send>(
    ranks: usize,
    scene: &Scene,
    setup: &Setup,
    body: impl Fn() -> RigidBox,
    read: impl Fn(&mut Simulation) -> Result<T> + Sync,
) -> Vec<T> {
    let model = model(ranks, scene, setup, vec![body()]);
    in_process::run(ranks, |world| read(&mut Simulation::new(model.clone(), world, 1)?)).unwrap()
}

/// Velocity (m/s) and angular velocity (rad/s) of the body.
fn nodes(simulation: &Simulation) -> [Vec3; 2] {
    let velocities = &simulation.state().velocities;
    [velocities[velocities.len() - 2], velocities[velocities.len() - 1]]
}

fn place(simulation: &Simulation) -> Vec3 {
    centre(&simulation.state().coordinates[0])
}

fn small_patches() -> Scene {
    let mut scene = physics::scene(1e-3);
    scene.patch_vertices = 8;
    scene
}

#[test]
fn a_box_falls_freely() {
    let setup = Setup { cloths: vec![trampoline()], obstacles: Vec::new() };
    let body = || RigidBox::new(Vec3::repeat(0.02), 0.02, Vec3::new(0.0, 0.5, 0.0));
    on_ranks(1, &small_patches(), &setup, body, |simulation| {
        for _ in 0..100 {
            simulation.step()?;
        }
        let [v, omega] = nodes(simulation);
        assert!((v + Vec3::y() * (0.1 * G)).norm() < 1e-12 && omega == Vec3::zeros(), "{v}");
        // Linearly implicit Euler falls by g h t / 2 more than g t^2 / 2.
        let fallen = 0.5 * G * 0.1 * 0.101;
        assert!((place(simulation).y - (0.5 - fallen)).abs() < 1e-12);
        Ok(())
    });
}

#[test]
fn a_box_comes_to_rest_on_a_sheet_which_carries_its_weight() {
    let setup = Setup { cloths: vec![trampoline()], obstacles: Vec::new() };
    let body = || RigidBox::new(Vec3::new(0.04, 0.02, 0.04), 0.02, Vec3::new(0.003, 0.013, 0.002));
    on_ranks(1, &small_patches(), &setup, body, |simulation| {
        for _ in 0..2500 {
            simulation.step()?;
        }
        let [v, omega] = nodes(simulation);
        assert!(v.norm() < 1e-5 && omega.norm() < 1e-3, "{v}{omega}");
        // It lies in the hollow that it makes, flat and above the cloth.
        let lowest = simulation.positions().iter().map(|x| x.y).fold(0.0, f64::min);
        assert!(lowest < -2e-3, "the sheet sags: {lowest}");
        let gap = place(simulation).y - 0.01 - lowest;
        assert!((0.0..2.5e-3).contains(&gap), "{gap}");
        let upright = turn(&simulation.state().coordinates[0]).column(1).y;
        assert!(upright > 0.99, "{upright}");
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
    let setup = Setup { cloths: vec![aside], obstacles: vec![ridge(0.045)] };
    let mut scene = small_patches();
    scene.contact.friction_obstacle = 0.0;
    let body = || RigidBox {
        // It slides a little, so that no contact sticks.
        velocity: Vec3::new(0.01, -0.5, 0.0),
        ..RigidBox::new(Vec3::new(0.1, 0.01, 0.01), 0.01, Vec3::new(0.0, 0.0076, 0.0))
    };
    on_ranks(1, &scene, &setup, body, |simulation| {
        let mut steps = 0;
        while nodes(simulation)[1].norm() < 0.5 {
            simulation.step()?;
            steps += 1;
            assert!(steps < 50, "it meets the ridge");
        }
        let [v, omega] = nodes(simulation);
        // The impulse J along y at the arm r: m dv = J, I domega = r x J.
        let impulse = 0.01 * (v.y + 0.5 + f64::from(steps) * 1e-3 * G);
        let inertia = 0.01 / 12.0 * (0.1 * 0.1 + 0.01 * 0.01);
        assert!(impulse > 0.0 && omega.z > 0.0, "{impulse}, {omega}");
        let arm = inertia * omega.z / impulse;
        assert!((arm - 0.045).abs() < 1e-3, "the ridge lies under x = 0.045: {arm}");
        assert!((v.x - 0.01).abs() < 1e-9 && v.z.abs() < 1e-9, "nothing rubs: {v}");
        Ok(())
    });
}

#[test]
fn a_box_among_cloth_has_the_same_bits_on_any_number_of_ranks() {
    let setup = Setup { cloths: vec![trampoline()], obstacles: vec![ridge(0.06)] };
    let body = || RigidBox {
        velocity: Vec3::new(0.3, -1.0, 0.1),
        ..RigidBox::new(Vec3::new(0.05, 0.01, 0.02), 0.02, Vec3::new(0.04, 0.03, 0.0))
    };
    let mut setup = setup;
    setup.cloths[0].positions.iter_mut().for_each(|x| x.y += 0.015);
    let run = |ranks| {
        on_ranks(ranks, &small_patches(), &setup, body, |simulation| {
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
            Ok((hashes, nodes(simulation)))
        })
    };
    let alone = run(1).remove(0);
    assert!(alone.1[1].norm() > 0.1, "it turns: {:?}", alone.1);
    for ranks in [2, 3] {
        assert!(run(ranks).iter().all(|rank| rank.0 == alone.0), "{ranks} ranks");
    }
}

/// Five plates of 0.3 kg on a floor, each 0.8 mm above what it lies on: nearer than the contact
/// distance. The sheet stays aside.
fn plates() -> (Setup, Vec<RigidBox>) {
    let mut aside = trampoline();
    aside.positions.iter_mut().for_each(|x| x.y -= 1.0);
    let thick = 0.01;
    let floor = obstacle(
        Vec3::new(1.0, thick, 1.0),
        Transform { translation: Vec3::y() * (-0.5 * thick), ..Default::default() },
    );
    let plate = |k: u32| {
        let width = 0.2 - 0.004 * f64::from(k);
        let height = (thick + 0.8e-3) * f64::from(k + 1) - 0.5 * thick;
        let centre = Vec3::new(0.001 * f64::from(k), height, 0.0);
        let plate = RigidBox::new(Vec3::new(width, thick, width), 0.3, centre);
        RigidBox { name: format!("plate {k}"), ..plate }
    };
    (Setup { cloths: vec![aside], obstacles: vec![floor] }, (0..5).map(plate).collect())
}

/// Advances the plates by 0.25 s. Returns how often a step was redone, and the speed of the
/// fastest plate in the run and at its end (m/s).
fn run_plates(scene: &Scene) -> (u64, f64, f64) {
    let (setup, bodies) = plates();
    let count = bodies.len();
    let model = model(1, scene, &setup, bodies);
    let run = |world: &dyn World| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let (mut redone, mut fastest, mut last) = (0, 0.0, 0.0);
        for _ in 0..250 {
            redone += simulation.step()?.get(Counter::Redone);
            let nodes = simulation.state().velocities.rchunks(2).take(count);
            last = nodes.map(|node| node[0].norm()).fold(0.0, f64::max);
            fastest = f64::max(fastest, last);
        }
        Ok((redone, fastest, last))
    };
    in_process::run(1, run).unwrap().remove(0)
}

#[test]
fn plates_that_are_pushed_out_come_to_rest() {
    let (redone, _, last) = run_plates(&physics::scene(1e-3));
    // What lifts them by 0.2 mm each is no fault.
    assert_eq!(redone, 0);
    assert!(last < 1e-9, "{last} m/s");
}

#[test]
fn a_halved_step_does_not_make_plates_burst() {
    // Without weight any push is a rise of energy, so the first steps are halved.
    let mut scene = physics::scene(1e-3);
    scene.gravity_m_per_s2 = [0.0; 3];
    let (redone, fastest, _) = run_plates(&scene);
    assert!(redone > 0);
    assert!(fastest < 0.5, "{fastest} m/s");
}

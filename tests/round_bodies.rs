//! Balls and capsules beside cloth, as a user writes them, against closed forms: they roll, rest
//! and pile up, and nothing overlaps.

mod common;
#[path = "common/physics.rs"]
mod physics;
#[path = "common/round.rs"]
mod round;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use cloth_collision::collision::narrow::closest;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::rigid::{Frame, MassProperties, RigidBody};
use cloth_sim::bodies::{Body, Setup};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{Cuboid, Diagonal, ShapeKind, sheet as sheet_mesh};
use cloth_sim::ranks::{World, in_process};
use cloth_sim::step::{Model, Simulation};
use common::poses::{folder, poses, run_scene, run_text};
use common::run::{Frames, Start, assert_says, finish, simulate};
use nalgebra::UnitQuaternion;
use physics::G;
use round::{Axis, from_triangle, lowest_distance};

const RADIUS_M: f64 = 0.05;

/// Steps in each of 50 frames a second.
const STEPS: [u32; 3] = [20, 5, 2];

/// A ball that starts over a floor with edges of `edge_m` (m), or without, that is inclined by
/// `slope` (degrees) against gravity. It runs for a second.
fn on_floor(steps: u32, velocity: Vec3, spin: Vec3, slope: f64, edge_m: Option<f64>) -> String {
    let (sin, cos) = f64::to_radians(slope).sin_cos();
    let vector = |v: Vec3| format!("({}, {}, {})", v.x, v.y, v.z);
    let edge = edge_m.map_or_else(String::new, |edge| format!(", edge_m: {edge}"));
    format!(
        r#"(frames: 50, frames_per_second: 50, steps_per_frame: {steps}, cloths: [(
            shape: Sheet(width_m: 0.02, length_m: 0.02, columns: 2, rows: 2),
            transform: (translation_m: (0, 9, 0)), material: Fabric("cotton"), pins: [(
                select: Box(min_m: (-9, -9, -9), max_m: (9, 99, 9)))])],
        obstacles: [(name: "floor", touch: "wood", shape: Plane(width_m: 6, length_m: 6{edge}))],
        bodies: [(name: "ball", shape: Sphere(radius_m: {RADIUS_M}), material: "wood",
            arrangement: At([(0.31, {}, 0.17)]), velocity: Constant(m_per_s: {}),
            angular_velocity_rad_per_s: {})],
        materials: [(name: "wood", density_kg_per_m3: 700, friction: 0.3)],
        gravity_m_per_s2: {})"#,
        RADIUS_M + 0.001,
        vector(velocity),
        vector(spin),
        vector(-G * Vec3::new(sin, cos, 0.0)),
    )
}

/// The velocity and the angular velocity of the ball in a frame.
fn motion(run: &Path, frame: u64) -> [Vec3; 2] {
    let pose = &poses(run, frame)["ball"];
    [7, 10].map(|first| Vec3::from_column_slice(&pose[first..first + 3]))
}

#[test]
fn a_ball_that_rolls_keeps_its_speed() {
    let velocity = Vec3::new(-0.4, 0.0, -0.3);
    let spin = Vec3::y().cross(&velocity) / RADIUS_M;
    for (steps, edge_m) in [(20, None), (5, None), (2, None), (20, Some(0.1)), (5, Some(0.1))] {
        let folder = folder();
        let run = run_scene(&on_floor(steps, velocity, spin, 0.0, edge_m), folder.path());
        let [v, omega] = motion(&run, 50);
        let errors = [(v.norm() / 0.5 - 1.0).abs(), (omega.norm() / spin.norm() - 1.0).abs()];
        println!("{steps} steps, edges {edge_m:?}: {errors:?}");
        assert!(errors.iter().all(|error| *error < 1e-9), "{errors:?}");
    }
}

#[test]
fn a_ball_rolls_down_a_slope_as_a_closed_form_says() {
    for steps in STEPS {
        let folder = folder();
        let scene = on_floor(steps, Vec3::zeros(), Vec3::zeros(), 30.0, None);
        let run = run_scene(&scene, folder.path());
        let found = (motion(&run, 50)[0].x - motion(&run, 10)[0].x).abs() / 0.8;
        let error = found / (5.0 / 7.0 * G * 0.5) - 1.0;
        println!("{steps} steps: {error:.2e}");
        assert!(error.abs() < 1e-3);
    }
}

#[test]
fn a_ball_that_slips_rolls_in_the_end_with_five_sevenths_of_its_speed() {
    for steps in STEPS {
        let folder = folder();
        let scene = on_floor(steps, Vec3::x(), Vec3::zeros(), 0.0, None);
        let [v, omega] = motion(&run_scene(&scene, folder.path()), 50);
        let errors = [v.x, -RADIUS_M * omega.z].map(|it| it * 7.0 / 5.0 - 1.0);
        println!("{steps} steps: {errors:?}");
        assert!(errors.iter().all(|error| error.abs() < 5e-3));
    }
}

/// A sheet of 0.4 m between four walls of pins, or only its corners, that is damped by the air.
fn sheet(cells: u32, pinned: &str) -> String {
    format!(
        r#"cloths: [(name: "sheet", touch: "wood",
            shape: Sheet(width_m: 0.4, length_m: 0.4, columns: {cells}, rows: {cells}),
            material: Fabric("cotton"), damping: (mass_per_s: 30, stiffness_s: 0.002),
            pins: [{pinned}])],
        materials: [(name: "wood", density_kg_per_m3: 500, friction: 0.3)]"#
    )
}

/// Pins of the whole rim of a sheet.
const RIM: &str = "(select: Box(min_m: (-9, -9, -9), max_m: (-0.199, 9, 9))), \
    (select: Box(min_m: (0.199, -9, -9), max_m: (9, 9, 9))), \
    (select: Box(min_m: (-9, -9, -9), max_m: (9, 9, -0.199))), \
    (select: Box(min_m: (-9, -9, 0.199), max_m: (9, 9, 9)))";

/// The largest speed of any body in a frame, m/s. A turn counts with the speed of a point at 5 cm.
fn fastest(run: &Path, frame: u64) -> f64 {
    let speed = |pose: &Vec<f64>| {
        let of = |first: usize| Vec3::from_column_slice(&pose[first..first + 3]).norm();
        of(7).max(0.05 * of(10))
    };
    poses(run, frame).values().map(speed).fold(0.0, f64::max)
}

/// Runs a scene of balls and capsules and checks each frame: by `check`, and by an oracle of its
/// own. Returns the run folder and the least distance, m.
fn run_clear(
    scene: &str,
    at: &Path,
    frames: u64,
    axes: &[(&str, Axis)],
) -> (std::path::PathBuf, f64) {
    let run = run_scene(scene, at);
    let said = Command::new(common::run::BINARY).arg("check").arg(&run).output().expect("it runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    let least = (1..=frames).map(|frame| lowest_distance(&run, frame, axes));
    let least = least.fold(f64::INFINITY, f64::min);
    (run, least)
}

/// A ball at rest, somewhere over a sheet that is held around its rim, after `time_s` (s). Returns
/// the force of its contacts on the cloth (N), its weight (N) and the least distance (m) on the
/// way.
fn on_trampoline(step_s: f64, time_s: f64) -> [f64; 3] {
    let mut cloth = physics::cloth(
        sheet_mesh(0.2, 0.2, 20, 20, Diagonal::Alternating),
        Material::isotropic(0.2, 500.0, 0.3, 1e-5),
    );
    physics::hold(&mut cloth, |x| x.x.abs().max(x.z.abs()) > 0.099);
    cloth.material.mass_damping_per_s = 30.0;
    cloth.material.stiffness_damping_s = 2e-3;
    let (radius, mass) = (0.02, 0.02);
    let inertia = Vec3::repeat(0.4 * mass * radius * radius);
    let origin = Vec3::new(0.0, radius + 0.002, 0.0);
    let frame = Frame { origin, rotation: UnitQuaternion::identity() };
    let mesh = Cuboid { size_m: [0.02; 3], edge_m: None }.mesh();
    let ball = RigidBody::with_mass("ball", mesh, MassProperties { mass, inertia }, frame)
        .round(vec![Vec3::zeros()], radius);
    let setup = Setup { cloths: vec![cloth], ..Setup::default() };
    let bodies = vec![Arc::new(ball) as Arc<dyn Body>];
    let scene = physics::scene(step_s);
    let model = Model::with_bodies(scene.settings(), setup, bodies, |build| build(1)).unwrap();
    let model = Arc::new(model);
    let run = |world: &dyn World| {
        let (mut simulation, mut least) =
            (Simulation::new(model.clone(), world, 1)?, f64::INFINITY);
        let centre_of = |simulation: &Simulation| {
            Vec3::from_column_slice(&simulation.state().coordinates[0][..3])
        };
        while simulation.time_s() < time_s {
            simulation.step()?;
            let (x, centre) = (simulation.positions(), centre_of(&simulation));
            for face in &model.surfaces.list[0].faces {
                let face = face.map(|vertex| x[vertex as usize]);
                least = least.min(from_triangle([centre; 2], face) - radius);
            }
        }
        let x = [simulation.positions(), &[centre_of(&simulation)]].concat();
        let forces = simulation.state().contacts.iter().map(|contact| {
            let near = closest(contact.pair.kind(), contact.pair.gather(&x));
            let force = near.normal * contact.normal_force - Vec3::from(contact.friction_force);
            let all = contact.pair.vertices.iter().zip(near.weights);
            let of_cloth = all.filter(|it| (*it.0 as usize) < simulation.positions().len());
            force * of_cloth.map(|it| it.1).sum::<f64>()
        });
        Ok([-forces.sum::<Vec3>().y, mass * G, least])
    };
    in_process::run(1, run).expect("it runs").remove(0)
}

#[test]
fn the_contacts_of_a_ball_at_rest_on_a_trampoline_carry_its_weight() {
    for step_s in [1e-3, 4e-3] {
        let [force, weight, least] = on_trampoline(step_s, 3.0);
        println!("{step_s} s: {:.2e} of the weight, at least {least:e} m", force / weight - 1.0);
        assert!((force / weight - 1.0).abs() < 1e-3 && least >= 1e-5);
    }
}

#[test]
fn a_capsule_lies_on_two_strips() {
    let strip = |name: &str, z: f64| {
        format!(
            r#"(name: "{name}", touch: "wood", transform: (translation_m: (0, 0, {z})),
            shape: Sheet(width_m: 0.3, length_m: 0.04, columns: 30, rows: 4),
            material: Fabric("cotton"), damping: (mass_per_s: 30, stiffness_s: 0.002),
            pins: [(select: Box(min_m: (-9, -9, -9), max_m: (-0.149, 9, 9))),
                (select: Box(min_m: (0.149, -9, -9), max_m: (9, 9, 9)))])"#
        )
    };
    let axes = [("pill", Axis { half_length: 0.1, radius: 0.02 })];
    for steps in [5, 2] {
        let scene = format!(
            r#"(frames: 100, frames_per_second: 50, steps_per_frame: {steps},
            cloths: [{}, {}], bodies: [(name: "pill", material: "wood",
                shape: Capsule(radius_m: 0.02, length_m: 0.2), arrangement: At([(0, 0.0212, 0)]),
                orientation: Turned(axis: (1, 0, 0), angle_deg: 90))],
            materials: [(name: "wood", density_kg_per_m3: 500, friction: 0.3)])"#,
            strip("left", -0.06),
            strip("right", 0.06),
        );
        let folder = folder();
        let (run, least) = run_clear(&scene, folder.path(), 100, &axes);
        let pose = &poses(&run, 100)["pill"];
        println!("{steps} steps: {:e} m/s, at {:?}, {least:e} m", fastest(&run, 100), &pose[..3]);
        assert!(least >= 1e-5);
        assert!(pose[1] < 0.0 && pose[1] > -0.1 && pose[2].abs() < 0.01);
    }
}

/// Five balls and five capsules over a sheet that hangs from its corners.
fn pile(steps: u32, frames: u32) -> String {
    let place = |k: u32, y: f64| {
        let along = |step: u32| 0.015 * (f64::from(k * step % 5) - 2.0);
        format!("({:.3}, {:.3}, {:.3})", along(2), y + 0.13 * f64::from(k), along(3))
    };
    let [balls, pills] =
        [0.06, 0.12].map(|y| Vec::from_iter((0..5).map(|k| place(k, y))).join(", "));
    let corners = "(select: Vertices([0, 20, 420, 440]))";
    format!(
        r#"(frames: {frames}, frames_per_second: 50, steps_per_frame: {steps}, {},
        bodies: [(name: "ball", shape: Sphere(radius_m: 0.02), material: "wood", arrangement: At([{balls}])),
            (name: "pill", shape: Capsule(radius_m: 0.015, length_m: 0.04), material: "wood",
            orientation: Turned(axis: (1, 0.3, 0.2), angle_deg: 80), arrangement: At([{pills}]))])"#,
        sheet(20, corners)
    )
}

#[test]
fn ten_balls_and_capsules_fall_into_a_sheet_and_nothing_overlaps() {
    let ball = Axis { half_length: 0.0, radius: 0.02 };
    let pill = Axis { half_length: 0.02, radius: 0.015 };
    for steps in [5, 2] {
        let folder = folder();
        let axes = [("ball", ball), ("pill", pill)];
        let (run, least) = run_clear(&pile(steps, 100), folder.path(), 100, &axes);
        let lowest = poses(&run, 100).values().map(|pose| pose[1]).fold(f64::INFINITY, f64::min);
        println!("{steps} steps: {least:e} m, {:e} m/s, lowest {lowest}", fastest(&run, 100));
        assert!(least >= 1e-5 && lowest > -0.3);
    }
}

#[test]
fn a_pile_has_the_same_bits_on_any_ranks_and_goes_on_with_them() {
    let folder = folder();
    let scene = folder.path().join("scene.ron");
    std::fs::write(&scene, pile(2, 16)).expect("a scene is written");
    let at = |name: &str| folder.path().join(name);
    let expected = simulate(Start::Threads(1, 1), &scene, &at("one"), &[]);
    let bits = |frames: Frames| (frames.digests, frames.state_hashes);
    let expected = bits(expected);
    assert_eq!(bits(simulate(Start::Threads(3, 1), &scene, &at("three"), &[])), expected);
    assert_eq!(bits(simulate(Start::Threads(1, 2), &scene, &at("threads"), &[])), expected);
    let every = ["--frames", "9", "--checkpoint-every", "1"];
    simulate(Start::Threads(2, 1), &scene, &at("parts"), &every);
    let mut command = Command::new(common::run::BINARY);
    command.arg("resume").arg(at("parts")).args([
        "--frames",
        "16",
        "--ranks",
        "3",
        "--oversubscribe",
    ]);
    let said = finish(&mut command);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_eq!(bits(Frames::read(&at("parts"))), expected);
}

#[test]
fn round_bodies_that_cannot_be() {
    let scene = |body: &str| {
        format!(
            "(frames: 1, {}, bodies: [(name: \"ball\", material: \"wood\", {body})])",
            sheet(4, RIM)
        )
    };
    for (body, words) in [
        (
            "shape: Sphere(radius_m: 0.0009), arrangement: At([(0, 1, 0)])",
            &["bodies[0].shape.radius_m", "contact distance of 0.001 m", "contact.distance_m"][..],
        ),
        (
            "shape: Capsule(radius_m: 0.0005, length_m: 1), arrangement: At([(0, 1, 0)])",
            &["bodies[0].shape.radius_m", "contact distance"],
        ),
        (
            "shape: Sphere(radius_m: 0.05), arrangement: At([(0.013, 0.049, 0.02)])",
            &["`sheet` and `ball`", "nearer than contact.clearance_m", "apart"],
        ),
        (
            "shape: Sphere(radius_m: 0.05), arrangement: At([(0, 1, 0), (0, 1.0999, 0)])",
            &["`ball[0]` and `ball[1]`", "apart"],
        ),
    ] {
        let folder = folder();
        assert_says(&run_text(&scene(body), folder.path()), words);
    }
}

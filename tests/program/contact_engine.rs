//! Rigid bodies alone, computed by contacts (`engine: Contact`), by the real binary: closed forms,
//! restitution, the same bits everywhere, and what such a scene may say.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::common::poses::{folder, poses, read, run_scene, run_text};
use crate::common::run::{BINARY, Frames, Start, assert_says, cloth_sim, finish, simulate};

const G: f64 = 9.81;

/// `cloth-sim check` finds nothing, and `run.json` has no step above its limit of energy.
fn assert_sound(run: &Path) {
    let said = finish(Command::new(&*BINARY).args(["check", "--json"]).arg(run));
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{text}");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let frames = found["frames"].as_array().expect("a list");
    assert!(frames.iter().all(|frame| frame["intersections"] == 0.0), "{text}");
    let head: serde_json::Value = serde_json::from_str(&read(&run.join("run.json"))).expect("JSON");
    assert_eq!(head["energy"]["faults"], 0, "{}", head["energy"]);
}

fn speed(pose: &[f64]) -> f64 {
    pose[7..10].iter().fold(0.0, |sum: f64, x| sum.hypot(*x))
}

/// A block on a slope about z, with the coefficient of friction `mu`, `steps` steps in 0.1 s.
fn slope(slope_deg: f64, mu: f64, steps: u32) -> String {
    let (sin, cos) = slope_deg.to_radians().sin_cos();
    let [x, y] = [-sin * 0.0261, cos * 0.0261];
    format!(
        r#"(frames: 5, frames_per_second: 10, steps_per_frame: {steps}, engine: Contact, bodies: [
            (name: "block", shape: Box(size_m: (0.1, 0.05, 0.1)), material: "oak",
             arrangement: At([({x}, {y}, 0)]), orientation: Turned(axis: (0, 0, 1), angle_deg: {slope_deg})),
            (name: "slope", shape: HalfSpace, material: "oak", motion: Immovable,
             orientation: Turned(axis: (0, 0, 1), angle_deg: {slope_deg}))],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: {mu})])"#
    )
}

#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above() {
    for steps in [100, 25, 10] {
        let found = |mu| {
            let folder = folder();
            let run = run_scene(&slope(25.0, mu, steps), folder.path());
            assert_sound(&run);
            [3, 5].map(|frame| speed(&poses(&run, frame)["block"]))
        };
        // tan 25 degrees = 0.466.
        assert!(found(0.48)[1] < 1e-6);
        let (sin, cos) = 25_f64.to_radians().sin_cos();
        for mu in [0.0, 0.2, 0.44] {
            let [from, to] = found(mu);
            let expected = G * (sin - mu * cos) * 0.2;
            let error = (to - from - expected) / (G * 0.2);
            assert!(error.abs() < 0.005, "{steps} steps, {mu}: {error}");
        }
    }
}

#[test]
fn a_stack_of_turned_and_shifted_boxes_comes_to_rest() {
    for steps in [100, 25, 10] {
        let mut bodies = String::new();
        for k in 0..5 {
            let [x, z] = [0.007 * f64::from(k % 2), -0.006 * f64::from(k % 3)];
            write!(
                bodies,
                r#"(name: "box {k}", shape: Box(size_m: (0.1, 0.06, 0.08)), material: "oak",
                arrangement: At([({x}, {}, {z})]),
                orientation: Turned(axis: (0, 1, 0), angle_deg: {})),"#,
                0.0311 + 0.0611 * f64::from(k),
                7 * k - 9
            )
            .expect("a string");
        }
        let scene = format!(
            r#"(frames: 10, frames_per_second: 10, steps_per_frame: {steps}, engine: Contact,
            bodies: [{bodies} (name: "floor", shape: HalfSpace, material: "oak", motion: Immovable)],
            materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4, restitution: 0.3)])"#
        );
        let folder = folder();
        let run = run_scene(&scene, folder.path());
        assert_sound(&run);
        let end = poses(&run, 10);
        let fastest = end.values().map(|pose| speed(pose)).fold(0.0, f64::max);
        // At 10 ms it takes half a second more.
        let bound = if steps == 10 { 1e-5 } else { 1e-6 };
        assert!(fastest < bound, "{steps} steps: {fastest} m/s");
    }
}

/// Two bodies that meet in free space, with a share `e` of restitution; `steps` a frame of 0.05 s.
fn collision(second: &str, e: f64, steps: u32) -> String {
    format!(
        r#"(frames: 8, frames_per_second: 20, steps_per_frame: {steps}, engine: Contact,
        gravity_m_per_s2: (0, 0, 0), solver: (relative_residual: 1e-12), bodies: [
            (name: "a", shape: Box(size_m: (0.1, 0.08, 0.06)), material: "oak",
             velocity: Constant(m_per_s: (1.5, 0, 0)), arrangement: At([(-0.15, 0, 0)])),
            (name: "b", shape: Box(size_m: (0.06, 0.08, 0.1)), material: "lead",
             velocity: Constant(m_per_s: (-0.5, 0, 0)), arrangement: At([(0.15, {second}, 0)])),
        ],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.2),
            (name: "lead", density_kg_per_m3: 9000, friction: 0.2)],
        material_pairs: [(materials: ("oak", "lead"), friction: 0.2, restitution: {e})])"#
    )
}

#[test]
fn bodies_that_meet_keep_their_momentum_and_give_back_their_share() {
    let masses = [700.0, 9000.0].map(|density| density * 0.1 * 0.08 * 0.06);
    let exact = masses[0] * 1.5 - masses[1] * 0.5;
    for (e, steps) in [(0.0, 50), (0.5, 50), (0.5, 12), (0.8, 5), (1.0, 5), (1.0, 50)] {
        for second in ["0", "0.06"] {
            let folder = folder();
            let run = run_scene(&collision(second, e, steps), folder.path());
            assert_sound(&run);
            let end = poses(&run, 8);
            let [a, b] = ["a", "b"].map(|name| &end[name]);
            let momentum = [0, 1, 2].map(|axis| masses[0] * a[7 + axis] + masses[1] * b[7 + axis]);
            let error = (momentum[0] - exact).hypot(momentum[1]).hypot(momentum[2]);
            // Blocks of one body round the arms of its corners to single precision, those of two
            // bodies do not. Where the bodies hardly turn this matters little.
            let bound = if second == "0" { 1e-8 } else { 2e-5 };
            assert!(error < bound * exact.abs(), "{e}, {steps} steps: {momentum:?}");
            // Where they meet off their middles, they turn.
            let parting = b[7] - a[7];
            let is_share = (parting - 2.0 * e).abs() < 2e-3;
            assert!(second != "0" || is_share, "{e}: {parting}");
        }
    }
}

/// A body of half the height 0.05 m, whose lowest point is 1 m above the contact distance.
fn drop(shape: &str, e: f64, step_ms: u32) -> String {
    let per_second = 1000 / step_ms;
    format!(
        r#"(frames: {per_second}, frames_per_second: {per_second}, steps_per_frame: 1, engine: Contact,
        bodies: [(name: "b", shape: {shape}, material: "oak", arrangement: At([(0, 1.051, 0)])),
            (name: "floor", shape: HalfSpace, material: "oak", motion: Immovable)],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.3, restitution: {e})])"#
    )
}

#[test]
fn what_falls_on_a_floor_rebounds_to_its_share_of_the_height() {
    for shape in ["Box(size_m: (0.1, 0.1, 0.1))", "Sphere(radius_m: 0.05)"] {
        for (e, step_ms) in [(0.5, 1), (0.5, 4), (0.5, 10), (0.8, 1), (0.8, 4), (0.8, 10)] {
            let folder = folder();
            let run = run_scene(&drop(shape, e, step_ms), folder.path());
            assert_sound(&run);
            let frames = 1..=u64::from(1000 / step_ms);
            let heights = frames.map(|frame| poses(&run, frame)["b"][1] - 0.051);
            let heights = Vec::from_iter(heights);
            let fallen = heights.windows(2).position(|two| two[1] > two[0]).expect("it rebounds");
            let top = heights[fallen..].iter().copied().fold(0.0, f64::max);
            let bound = if shape.starts_with("Box") { 0.005 } else { 0.02 };
            assert!((top / (e * e) - 1.0).abs() < bound, "{shape}, {e}, {step_ms} ms: {top} m");
        }
    }
}

/// Boxes, a ball and a capsule fall on a slope, into a corner and onto each other.
const HEAP: &str = r#"(
    frames: 6, frames_per_second: 25, steps_per_frame: 10, seed: 5, engine: Contact, patch_vertices: 4,
    bodies: [
        (name: "box", shape: Box(size_m: (0.06, 0.04, 0.05)), material: "oak", orientation: Random,
         arrangement: Grid(count: (2, 3, 2), origin_m: (-0.05, 0.06, -0.05), spacing_m: 0.1),
         velocity: Random(max_m_per_s: 1)),
        (name: "ball", shape: Sphere(radius_m: 0.03), material: "rubber",
         arrangement: At([(0, 0.4, 0)]), velocity: Constant(m_per_s: (0, -3, 0))),
        (name: "pin", shape: Capsule(radius_m: 0.02, length_m: 0.06), material: "rubber",
         arrangement: At([(0.1, 0.45, 0)]), orientation: Random),
        (name: "paddle", shape: Box(size_m: (0.3, 0.02, 0.02)), material: "oak",
         arrangement: At([(0, 0.02, -0.2)]), motion: Keyframed(keyframes: [(), (time_s: 1, angle_deg: 360)])),
        (name: "floor", shape: HalfSpace, material: "oak", motion: Immovable),
    ],
    materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4, restitution: 0.3),
        (name: "rubber", density_kg_per_m3: 1100, friction: 0.8, restitution: 0.8)],
    output: (digits: Exact, energy: true))"#;

#[test]
fn ranks_threads_and_a_resumed_run_have_the_same_bits() {
    let folder = folder();
    let scene = folder.path().join("heap.ron");
    std::fs::write(&scene, HEAP).expect("a scene is written");
    let run = |name: &str| folder.path().join(name);
    let expected = simulate(Start::Threads(1, 1), &scene, &run("whole"), &[]);
    assert_sound(&run("whole"));
    for start in [Start::Threads(3, 1), Start::Threads(1, 3), Start::Threads(2, 2)] {
        assert_eq!(simulate(start, &scene, &run("other"), &["--overwrite"]), expected, "{start:?}");
    }
    let every = ["--frames", "3", "--checkpoint-every", "1"];
    simulate(Start::Threads(2, 1), &scene, &run("parts"), &every);
    let mut command = Command::new(&*BINARY);
    command.arg("resume").arg(run("parts"));
    command.args(["--frames", "6", "--ranks", "3", "--oversubscribe"]);
    let said = finish(&mut command);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let found = Frames::read(&run("parts"));
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
    let last = |name: &str| read(&run(name).join("poses_0006.csv"));
    assert_eq!(last("parts"), last("whole"));
}

#[test]
#[cfg(feature = "mpi")]
fn processes_have_the_same_bits() {
    let folder = folder();
    let scene = folder.path().join("heap.ron");
    std::fs::write(&scene, HEAP).expect("a scene is written");
    let [one, three] = ["one", "three"].map(|name| folder.path().join(name));
    let expected = simulate(Start::Threads(1, 1), &scene, &one, &[]);
    assert_eq!(simulate(Start::Mpi(3), &scene, &three, &[]), expected);
}

#[test]
fn scenes_that_cannot_be() {
    let folder = folder();
    for (set, words) in [
        ("domain=(borders: (Open, Open, Open))", &["domain", "engine: Contact", "HalfSpace"][..]),
        ("response=Ffd", &["response", "engine: Contact"]),
        ("synchronisation=ShadowOwner", &["synchronisation", "engine: Contact"]),
        ("parallel=Workers(count: 2)", &["parallel", "engine: Contact"]),
        ("output.forces=true", &["output.forces"]),
        ("materials[0].rolling_m=0.1", &["materials[0].rolling_m", "rolling resistance"]),
        ("materials[0].restitution=1.1", &["materials[0].restitution", "above 1"]),
        ("engine=Contacts", &["engine", "`Contact`"]),
        ("bodies[0].motion=Immovable", &["bodies[0].velocity", "forces do not move"]),
        (
            "bodies[1].arrangement=At([(-0.05, 0.06, -0.05)])",
            &["nearer than contact.clearance_m", "apart"],
        ),
    ] {
        let scene = folder.path().join("heap.ron");
        std::fs::write(&scene, HEAP).expect("a scene is written");
        let mut command = cloth_sim(Start::Threads(1, 1));
        command.arg(&scene).arg("--out").arg(folder.path().join("run"));
        assert_says(&finish(command.args(["--set", set])), words);
    }
    let alone = r#"(engine: Contact, bodies: [(shape: HalfSpace, material: "oak", motion: Immovable)],
        materials: [(name: "oak")])"#;
    assert_says(&run_text(alone, folder.path()), &["bodies", "nothing to simulate"]);
    assert_says(&run_text("(engine: Contact)", folder.path()), &["cloths, bodies"]);
}

/// Beside cloth the choice changes nothing, and cloth has no restitution.
#[test]
fn beside_cloth() {
    let scene = |fields: &str| {
        format!(
            r#"(frames: 1, steps_per_frame: 4, cloths: [(touch: "linen", material: Fabric("cotton"),
            shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 8, rows: 8))],
            bodies: [(name: "block", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak",
                arrangement: At([(0, 0.06, 0)]))],
            materials: [(name: "oak", density_kg_per_m3: 700, restitution: 0.5), {fields})"#
        )
    };
    let frame = |fields| {
        let folder = folder();
        read(&run_scene(&scene(fields), folder.path()).join("frame_0001.obj"))
    };
    let plain = frame(r#"(name: "linen", friction: 0.2)]"#);
    assert_eq!(plain, frame(r#"(name: "linen", friction: 0.2)], engine: Contact"#));
    let folder = folder();
    for (fields, words) in [
        (r#"(name: "linen", restitution: 0.2)]"#, &["materials[1].restitution", "cloth"][..]),
        (
            r#"(name: "linen")],
            material_pairs: [(materials: ("linen", "oak"), friction: 0.1, restitution: 0.1)]"#,
            &["material_pairs[0].restitution", "`linen`"],
        ),
    ] {
        assert_says(&run_text(&scene(fields), folder.path()), words);
    }
}

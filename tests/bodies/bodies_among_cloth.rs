//! Rigid bodies in scenes of cloth, by the real binary: what a scene may say of them, and what a run
//! writes. `rigid_body` has their mechanics.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::ends::{assert_clear, unexplained};
use crate::common::poses::{folder, poses, read, run_text};
use crate::common::run::{Frames, Start, assert_says, finish, simulate};

const G: f64 = 9.81;

fn test_scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name)
}

fn blocks() -> PathBuf {
    test_scene("among_cloth.ron")
}

fn check(run: &Path) -> Output {
    finish(Command::new(env!("CARGO_BIN_EXE_cloth-sim")).arg("check").arg(run))
}

#[test]
fn a_run_writes_bodies_and_poses_and_its_check_finds_bodies_that_cross() {
    let folder = folder();
    let run = folder.path().join("run");
    simulate(Start::Threads(1, 2), &blocks(), &run, &[]);
    let frame = read(&run.join("frame_0006.obj"));
    let objects = Vec::from_iter(frame.lines().filter_map(|line| line.strip_prefix("o ")));
    let bodies = ["block[0]", "block[1]", "ball", "prism", "stone", "dumbbell"];
    let expected = bodies.map(|name| format!("body_{name}"));
    assert_eq!(objects[0], "sheet");
    assert_eq!(objects[1..7], expected);
    assert_eq!(objects[7..], ["paddle"]);
    assert!(read(&run.join("obstacles.obj")).contains("o floor"));
    let poses = poses(&run, 6);
    assert_eq!(
        Vec::from_iter(poses.keys()),
        ["ball", "block[0]", "block[1]", "dumbbell", "prism", "stone"]
    );
    for (name, pose) in &poses {
        let norm: f64 = pose[3..7].iter().map(|x| x * x).sum();
        assert!((norm - 1.0).abs() < 1e-12, "{name}: {norm}");
    }
    let said = check(&run);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    // The first block is moved into the sheet.
    let start = frame.find("o body_block[0]").expect("the block");
    let end = start + frame[start..].find("o body_block[1]").expect("the other block");
    let moved = frame[start..end].lines().map(|line| match line.strip_prefix("v ") {
        Some(place) => {
            let mut x =
                Vec::from_iter(place.split(' ').map(|x| x.parse::<f64>().expect("a number")));
            x[1] -= 0.015;
            format!("v {} {} {}\n", x[0], x[1], x[2])
        }
        None => format!("{line}\n"),
    });
    let broken = frame[..start].to_owned() + &moved.collect::<String>() + &frame[end..];
    std::fs::write(run.join("frame_0006.obj"), broken).expect("a frame is written");
    let said = check(&run);
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(!said.status.success() && text.contains("block[0]"), "{text}");
}

/// Runs `scene` whole into `whole`. Stops it after frame `stop`, goes on from there on 3 ranks, and
/// compares all frames and states.
fn goes_on_with_the_same_bits(scene: &Path, whole: &Path, stop: &str, last: &str) {
    let parts = &whole.with_extension("parts");
    let expected = simulate(Start::Threads(1, 1), scene, whole, &[]);
    let every = ["--frames", stop, "--checkpoint-every", "1"];
    simulate(Start::Threads(2, 1), scene, parts, &every);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    command.arg("resume").arg(parts).args(["--frames", last, "--ranks", "3", "--oversubscribe"]);
    let said = finish(&mut command);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let found = Frames::read(parts);
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
    let last = |run: &Path| read(&run.join(format!("poses_{last:0>4}.csv")));
    assert_eq!(last(parts), last(whole));
}

#[test]
fn a_stopped_run_goes_on_with_the_same_bits() {
    let folder = folder();
    goes_on_with_the_same_bits(&blocks(), &folder.path().join("whole"), "3", "6");
}

/// Cotton is stretched to nine times its length. Energy rose by 14 % of all that moved, in steps
/// none of which exceeded its own limit. So what rises is summed from step to step, also across a
/// restart.
#[test]
fn steel_on_single_pins_gains_nothing() {
    let folder = folder();
    let (run, scene) = (folder.path().join("whole"), test_scene("steel_on_single_pins.ron"));
    goes_on_with_the_same_bits(&scene, &run, "13", "16");
    assert_clear(&run);
    assert!(unexplained(&run) < 0.01, "{}", unexplained(&run));
}

/// A block of 2 x 1 x 2 cm on a slope about z, with more `fields` of the scene; a small cloth lies aside.
fn slope(slope_deg: f64, fields: &str) -> String {
    let (sin, cos) = slope_deg.to_radians().sin_cos();
    let [x, y] = [-sin * 0.0061, cos * 0.0061];
    format!(
        r#"(frames: 5, frames_per_second: 10, steps_per_frame: 50, cloths: [(
            shape: Sheet(width_m: 0.02, length_m: 0.02, columns: 2, rows: 2),
            transform: (translation_m: (0, 5, 0)), material: Fabric("cotton"))],
        bodies: [
            (name: "block", shape: Box(size_m: (0.02, 0.01, 0.02)), material: "oak",
             arrangement: At([({x}, {y}, 0)]), orientation: Turned(axis: (0, 0, 1), angle_deg: {slope_deg})),
            (name: "slope", shape: HalfSpace, material: "steel", motion: Immovable,
             orientation: Turned(axis: (0, 0, 1), angle_deg: {slope_deg})),
        ],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.5), (name: "steel", friction: 0.1)],
        {fields})"#
    )
}

#[test]
fn a_block_slides_as_the_friction_of_its_pair_says() {
    // The mean of both materials is 0.3.
    for (fields, mu) in [
        ("", 0.3),
        (r#"material_pairs: [(materials: ("steel", "oak"), friction: 0.2)]"#, 0.2),
        (r#"material_pairs: [(materials: ("steel", "oak"), friction: 0)]"#, 0.0),
    ] {
        let folder = folder();
        let said = run_text(&slope(25.0, fields), folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let speed = |frame| {
            let pose = &poses(&folder.path().join("out"), frame)["block"];
            pose[7].hypot(pose[8])
        };
        let (sin, cos) = 25_f64.to_radians().sin_cos();
        let expected = G * (sin - mu * cos) * 0.2;
        let found = speed(5) - speed(3);
        assert!((found / expected - 1.0).abs() < 0.01, "{mu}: {found} instead of {expected} m/s");
    }
    // It sticks where tan 25 degrees = 0.466 is less.
    let folder = folder();
    let pair = r#"material_pairs: [(materials: ("steel", "oak"), friction: 0.6)]"#;
    assert!(run_text(&slope(25.0, pair), folder.path()).status.success());
    let pose = &poses(&folder.path().join("out"), 5)["block"];
    assert!(pose[7].hypot(pose[8]) < 1e-6, "{pose:?}");
}

/// A strip of cloth is drawn away from under a glass at 6 m/s^2 from 0.1 s on, so that pairs of both
/// end and others begin in each step. At 4 ms they slide a third of a cell in a step at 0.3 s.
#[test]
fn a_glass_on_cloth_that_is_drawn_away_speeds_up_as_friction_says() {
    let key = |i: u32| {
        let since_s = 0.02 * f64::from(i);
        let way_m = 3.0 * since_s * since_s;
        format!("(time_s: {}, translation_m: ({way_m}, 0, 0))", 0.1 + since_s)
    };
    let keys = Vec::from_iter((0..=15).map(key)).join(", ");
    for (steps, bound, last) in [(20, 0.03, 20), (5, 0.06, 15)] {
        let scene = format!(
            r#"(frames: 20, frames_per_second: 50, steps_per_frame: {steps},
            cloths: [(shape: Sheet(width_m: 0.7, length_m: 0.06, columns: 70, rows: 6, diagonal: Alternating),
                transform: (translation_m: (-0.2, 0.0007, 0)), material: Fabric("white_dots"), touch: "linen",
                damping: (mass_per_s: 1, stiffness_s: 0.002),
                pins: [(select: Box(min_m: (0.145, -1, -1), max_m: (1, 1, 1)), motion: (keyframes: [{keys}]))])],
            obstacles: [(name: "table", shape: Box(size_m: (4, 0.04, 0.3)),
                transform: (translation_m: (0.5, -0.02, 0)))],
            contact: (friction_obstacle: 0.1),
            bodies: [(name: "glass", shape: Cylinder(radius_m: 0.02, length_m: 0.03), material: "glass",
                arrangement: At([(0, 0.0164, 0)]), orientation: Turned(axis: (0, 1, 0), angle_deg: 20))],
            materials: [(name: "glass", density_kg_per_m3: 2500, friction: 0.2), (name: "linen", friction: 0.2)])"#
        );
        let folder = folder();
        let said = run_text(&scene, folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let speed = |frame| poses(&folder.path().join("out"), frame)["glass"][7];
        for [from, to] in [[10, 15], [15, 20]].into_iter().filter(|[_, to]| *to <= last) {
            let found = (speed(to) - speed(from)) / (0.2 * G * 0.1);
            assert!((found - 1.0).abs() < bound, "{steps} steps, frames {from} to {to}: {found}");
        }
    }
}

#[test]
fn scenes_that_cannot_be() {
    let scene = |bodies: &str, fields: &str| {
        format!(
            r#"(frames: 1, steps_per_frame: 2, cloths: [(
                shape: Sheet(width_m: 1, length_m: 1, columns: 4, rows: 4), material: Fabric("cotton"))],
            bodies: [(name: "block", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak", {bodies})],
            materials: [(name: "oak", density_kg_per_m3: 700), (name: "air")], {fields})"#
        )
    };
    let above = "arrangement: At([(0, 1, 0)])";
    for (bodies, fields, words) in [
        (
            above,
            "domain: (borders: (Open, Open, Open))",
            &["domain", "bodies alone", "leave it"][..],
        ),
        (above, "response: Ffd", &["response", "bodies alone"]),
        (above, "synchronisation: ShadowOwner", &["synchronisation", "bodies alone"]),
        (above, "parallel: Workers(count: 2)", &["parallel"]),
        (above, "output: (forces: true)", &["output.forces", "bodies alone"]),
        (above, "output: (formats: \"gltf\")", &["output.formats"]),
        ("arrangement: At([(0, 0, 0)])", "", &["intersections between", "`block`", "apart"]),
        ("arrangement: At([(0, 1, 0), (0, 1.05, 0)])", "", &["`block[0]` and `block[1]`"]),
        (
            "arrangement: Grid(count: (20, 20, 20), origin_m: (0, 1, 0), spacing_m: 0.2)",
            "",
            &["bodies", "8000 bodies", "at most 5000"],
        ),
        (
            "arrangement: At([(0, 1, 0)]), angular_velocity_rad_per_s: (0, 400, 0)",
            "",
            &["bodies[0].angular_velocity", "quarter turn"],
        ),
        ("arrangement: At([(NaN, 1, 0)])", "", &["bodies[0].arrangement[0]"]),
        (above, "name: \"a/b\"", &["name"]),
    ] {
        let folder = folder();
        assert_says(&run_text(&scene(bodies, fields), folder.path()), words);
    }
    let one = |from: &str, to: &str| scene(above, "").replace(from, to);
    for (text, words) in [
        (
            one("Fabric(\"cotton\")", "Fabric(\"cotton\"), touch: \"lace\""),
            &["cloths[0].touch", "lace"][..],
        ),
        (one("material: \"oak\"", "material: \"air\""), &["materials[1].density", "bodies[0]"]),
        (
            one("(name: \"air\")", "(name: \"air\", restitution: 0.5)")
                .replace("Fabric(\"cotton\")", "Fabric(\"cotton\"), touch: \"air\""),
            &["materials[1].restitution", "cloth"],
        ),
        (one("(name: \"air\")", "(name: \"air\", rolling_m: 0.5)"), &["rolling_m", "cloth"]),
        (one("Box(size_m: (0.1, 0.1, 0.1))", "HalfSpace"), &["bodies[0].motion", "half-space"]),
        (
            one("\"block\"", "\"sheet\"").replace("cloths: [(", "cloths: [(name: \"sheet\","),
            &["two objects"],
        ),
        (one("Box(size_m: (0.1, 0.1, 0.1))", "Mesh(\"no.obj\")"), &["no.obj"]),
    ] {
        let folder = folder();
        assert_says(&run_text(&text, folder.path()), words);
    }
}

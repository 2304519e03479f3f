//! Obstacles that deform by samples, and pins that follow them, by the real binary.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::run::{BINARY, Frames, Start, assert_says, cloth_sim, finish, simulate};
use crate::common::samples::{Point, block, corners, folder_of, obj, pc2, sides, write};
use cloth_sim::mesh::shapes::{ShapeKind as _, Sphere};

const G: f64 = 9.81;

/// Runs a `scene` in `folder`, which must succeed, to the run `name`.
fn run(folder: &Path, name: &str, scene: &str) -> Frames {
    write(folder, &format!("{name}.ron"), scene);
    simulate(Start::Threads(1, 2), &folder.join(format!("{name}.ron")), &folder.join(name), &[])
}

/// Runs a `scene` in `folder`, to the run `out`.
fn run_text(folder: &Path, scene: &str) -> Output {
    write(folder, "scene.ron", scene);
    let mut command = cloth_sim(Start::Threads(1, 1));
    finish(command.arg(folder.join("scene.ron")).arg("--out").arg(folder.join("out")))
}

fn assert_clean(run: &Path) {
    let said = finish(Command::new(&*BINARY).arg("check").arg(run));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

/// The vertices of the object `name` in a frame.
fn vertices(run: &Path, frame: usize, name: &str) -> Vec<Point> {
    let text = std::fs::read_to_string(run.join(format!("frame_{frame:04}.obj"))).expect("a frame");
    let (text, start) = (format!("\n{text}"), format!("{name}\n"));
    let own = text.split("\no ").find(|object| object.starts_with(&start)).expect("the object");
    let places = own.lines().filter_map(|line| line.strip_prefix("v "));
    let point = |place: &str| {
        let mut x = place.split(' ').map(|x| x.parse().expect("a number"));
        [0; 3].map(|_| x.next().expect("three numbers"))
    };
    places.map(point).collect()
}

fn distance(a: Point, b: Point) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// A square of 0.2 m, and an obstacle `block` with these `fields` that is below it at the start.
fn square(frames: u32, fields: &str) -> String {
    format!(
        r#"(frames: {frames}, frames_per_second: 32, steps_per_frame: 8, output: (digits: Exact),
        contact: (friction_obstacle: 0.4),
        cloths: [(name: "square", shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 10, rows: 10),
            transform: (translation_m: (0, 0.052, 0)), material: Fabric("cotton"))],
        obstacles: [(name: "block", shape: Mesh("block.obj"), {fields})])"#
    )
}

#[test]
fn samples_of_a_rigid_motion_give_the_frames_of_its_keyframes() {
    // Single precision holds these positions.
    let up = |sample: f64, [x, y, z]: Point| [x + sample / 64.0, y + sample / 128.0, z];
    let folder = block([0.125, 0.0625, 0.125], 17, up);
    let at = folder.path();
    let keyframes = "transform: (translation_m: (0, 0.015625, 0)), motion: (keyframes: [(), \
                     (time_s: 0.5, translation_m: (0.25, 0.125, 0))])";
    run(at, "keyframes", &square(14, keyframes));
    for interpolation in ["Cubic", "Linear"] {
        let samples = format!(
            "transform: (translation_m: (0, 0.015625, 0)), samples: (file: \"block.pc2\", \
             frames_per_second: 32, interpolation: {interpolation})"
        );
        run(at, interpolation, &square(14, &samples));
        for object in ["square", "block"] {
            let [expected, found] =
                ["keyframes", interpolation].map(|run| vertices(&at.join(run), 14, object));
            assert!(!expected.is_empty() && expected.len() == found.len());
            let pairs = expected.iter().zip(&found);
            let most = pairs.map(|(&a, &b)| distance(a, b)).fold(0.0, f64::max);
            assert!(most < 1e-9, "{interpolation} {object}: {most}");
        }
    }
}

/// A ball that grows in a bag of cloth that fits it: all edges are stretched alike.
#[test]
fn a_growing_ball_stretches_a_bag_as_far_as_it_grows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let (points, faces) = ball();
    let grown = |sample: usize| {
        let radius = 0.1 * (1.0 + 0.05 * sample as f64 / 8.0);
        points.iter().map(|x| x.map(|x| x * radius)).collect()
    };
    write(
        at,
        "ball.obj",
        obj(&points.iter().map(|x| x.map(|x| 0.1 * x)).collect::<Vec<_>>(), &faces),
    );
    write(at, "ball.pc2", pc2(&Vec::from_iter((0..=8).map(grown))));
    let scene = r#"(frames: 12, frames_per_second: 20, steps_per_frame: 10, gravity_m_per_s2: (0, 0, 0),
        cloths: [(name: "bag", shape: Mesh("ball.obj"), transform: (scale: 1.01), damping: (mass_per_s: 20),
            material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 300, poisson_ratio: 0.3, rigidity_n_m: 1e-6))],
        obstacles: [(name: "ball", shape: Mesh("ball.obj"), samples: (file: "ball.pc2", frames_per_second: 20))])"#;
    run(at, "grow", scene);
    let radius = |frame: usize, name: &str| {
        let x = vertices(&at.join("grow"), frame, name);
        let sum: f64 = x.iter().map(|&x| distance(x, [0.0; 3])).sum();
        sum / x.len() as f64
    };
    let (bag, ball) = (radius(12, "bag"), radius(12, "ball"));
    assert!((ball - 0.105).abs() < 1e-6, "{ball}");
    // Contact holds the bag less than the contact distance (1 mm) outside of the ball.
    assert!(bag - ball > 0.0 && bag - ball < 1e-3, "{bag} {ball}");
    let strain = bag / radius(0, "bag") - 1.0;
    assert!(strain > 0.105 / 0.101 - 1.0 && strain < 0.106 / 0.101 - 1.0, "{strain}");
}

/// The points and faces of a ball on the unit sphere.
fn ball() -> (Vec<Point>, String) {
    let mesh = Sphere { radius_m: 1.0, edge_m: Some(0.12) }.mesh();
    let lines = mesh.faces.iter().map(|face| face.map(|vertex| vertex + 1));
    let lines = lines.map(|[a, b, c]| format!("f {a} {b} {c}\n"));
    let points = mesh.positions.iter().map(|x| x.normalize().into());
    (points.collect(), lines.collect())
}

#[test]
fn a_belt_takes_a_block_along_with_the_friction_of_its_material() {
    // The belt stands for an eighth of a second, then goes 0.5 m/s.
    let along = |sample: f64, [x, y, z]: Point| [x + (sample - 1.0).max(0.0) * 0.0625, y, z];
    let folder = block([2.0, 0.0625, 0.5], 13, along);
    let at = folder.path();
    let scene = r#"(frames: 48, frames_per_second: 48, steps_per_frame: 10,
        cloths: [(shape: Sheet(width_m: 0.02, length_m: 0.02, columns: 2, rows: 2),
            transform: (translation_m: (0, 9, 0)), material: Fabric("cotton"))],
        obstacles: [(name: "belt", shape: Mesh("block.obj"), touch: "rubber",
            samples: (file: "block.pc2", frames_per_second: 8, interpolation: Linear))],
        bodies: [(name: "crate", shape: Box(size_m: (0.06, 0.03, 0.06)), material: "wood",
            arrangement: At([(-0.4, 0.0473, 0.01)]), orientation: Turned(axis: (0, 1, 0), angle_deg: 20))],
        materials: [(name: "wood", density_kg_per_m3: 700, friction: 0.4),
                    (name: "rubber", friction: 0.2)])"#;
    run(at, "belt", scene);
    let speed = |frame: u32| {
        let path = at.join("belt").join(format!("poses_{frame:04}.csv"));
        let text = std::fs::read_to_string(path).expect("poses");
        let row = text.lines().nth(1).expect("a row").split(',').nth(8).expect("vx");
        row.parse::<f64>().expect("a number")
    };
    // mu = 0.3: it slides for 0.5 / (0.3 g) = 0.17 s, from 0.125 s on.
    let slides_m_per_s = |frame: u32| 0.3 * G * (f64::from(frame) / 48.0 - 0.125);
    for frame in [9, 12] {
        let (found, expected) = (speed(frame), slides_m_per_s(frame));
        assert!((found - expected).abs() < 0.005 * expected, "{frame}: {found} {expected}");
    }
    assert!((speed(20) - 0.5).abs() < 1e-3, "{}", speed(20));
    assert!((speed(48) - 0.5).abs() < 1e-6, "{}", speed(48));
}

/// A panel that grows in x and turns, and a cloth that hangs from pins on it.
fn hanging(frames: u32) -> (tempfile::TempDir, String) {
    let panel = [
        [-0.25, -0.0625, 0.0625],
        [0.25, -0.0625, 0.0625],
        [0.25, 0.0625, 0.0625],
        [-0.25, 0.0625, 0.0625],
    ];
    let faces = "f 1 2 3 4\n";
    let folder = folder_of("block", &panel, faces, 9, |sample, [x, y, z]| {
        let grown = 1.0 + sample / 32.0;
        let (sin, cos) = (sample / 8.0).sin_cos();
        [x * grown, y * cos - z * sin, y * sin + z * cos]
    });
    let scene = format!(
        r#"(frames: {frames}, frames_per_second: 16, steps_per_frame: 10, output: (digits: Exact),
        cloths: [(name: "curtain", shape: Sheet(width_m: 0.5, length_m: 0.4, columns: 20, rows: 16),
            transform: (axis: (1, 0, 0), angle_deg: 90, translation_m: (0, -0.14, 0.07)), material: Fabric("cotton"),
            pins: [(select: Box(min_m: (-1, 0.055, -1), max_m: (1, 1, 1)), follow: "block")])],
        obstacles: [(name: "block", shape: Mesh("block.obj"),
            samples: (file: "block.pc2", frames_per_second: 16))])"#
    );
    (folder, scene)
}

#[test]
fn pins_keep_their_places_on_a_surface_that_grows_and_turns() {
    let (folder, scene) = hanging(6);
    run(folder.path(), "run", &scene);
    let at = folder.path().join("run");
    let (start, end) = (vertices(&at, 0, "curtain"), vertices(&at, 6, "curtain"));
    let held = Vec::from_iter((0..start.len()).filter(|&vertex| start[vertex][1] > 0.055));
    assert_eq!(held.len(), 21);
    // The curtain is 7.5 mm in front of the panel.
    let (sin, cos) = (6.0_f64 / 8.0).sin_cos();
    for vertex in held {
        let [x, y, z] = start[vertex];
        let expected = [x * (1.0 + 6.0 / 32.0), y * cos - z * sin, y * sin + z * cos];
        let most = distance(end[vertex], expected);
        assert!(most < 1e-7, "{vertex}: {:?} {expected:?}", end[vertex]);
    }
    assert_clean(&at);
}

#[test]
fn frames_have_the_same_bits_on_any_ranks_and_after_a_restart() {
    let (folder, scene) = hanging(4);
    let at = folder.path();
    let expected = run(at, "whole", &scene);
    let file = at.join("whole.ron");
    let parallel = simulate(Start::Threads(3, 2), &file, &at.join("parallel"), &[]);
    assert_eq!(
        (&parallel.digests, &parallel.state_hashes),
        (&expected.digests, &expected.state_hashes)
    );
    let (parts, file) = (at.join("parts"), at.join("parts.ron"));
    write(at, "parts.ron", scene.replace("block.pc2", "block_%02d.obj"));
    simulate(Start::Threads(2, 1), &file, &parts, &["--frames", "2", "--checkpoint-every", "1"]);
    // The run folder has all that it needs.
    let entries = Vec::from_iter(std::fs::read_dir(at).expect("the folder"));
    let paths = entries.into_iter().map(|entry| entry.expect("an entry").path());
    for path in paths.filter(|path| path.is_file()) {
        std::fs::remove_file(path).expect("a file is removed");
    }
    let more = ["--frames", "4", "--ranks", "3", "--oversubscribe"];
    let said = finish(Command::new(&*BINARY).arg("resume").arg(&parts).args(more));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let found = Frames::read(&parts);
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
}

/// Two jaws of one mesh close on a cloth, leave it no room for a while, and open again.
#[test]
fn a_surface_that_leaves_no_room_waits_and_catches_up_on_its_own_clock() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let jaw = corners([0.1, 0.02, 0.1]);
    let jaws = |open: f64| {
        let move_by = |up: f64| jaw.iter().map(move |&[x, y, z]| [x, y + up, z]);
        Vec::from_iter(move_by(0.01 + open).chain(move_by(-0.01 - open)))
    };
    let faces = sides(0).concat() + &sides(8).concat();
    // The jaws overlap by 4 mm from sample 4 to sample 6.
    let open = [0.02, 0.02, 0.012, 0.004, -0.002, -0.002, -0.002, 0.004, 0.012, 0.02, 0.02];
    write(at, "jaws.obj", obj(&jaws(open[0]), &faces));
    write(at, "jaws.pc2", pc2(&open.map(jaws)));
    let scene = r#"(frames: 30, frames_per_second: 20, steps_per_frame: 10, gravity_m_per_s2: (0, 0, 0),
        contact: (on_pinch: Hold),
        cloths: [(name: "cloth", shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 20, rows: 20),
            material: Fabric("cotton"), pins: [(select: Box(min_m: (-1, -1, -1), max_m: (-0.095, 1, 1)))])],
        obstacles: [(name: "jaws", shape: Mesh("jaws.obj"), samples: (file: "jaws.pc2", frames_per_second: 20))])"#;
    run(at, "pinch", scene);
    let opening = |frame: usize| {
        let x = vertices(&at.join("pinch"), frame, "jaws");
        (x[0][1] - x[12][1]) / 2.0
    };
    // The jaws never meet, and are on time before and after.
    let least = (0..=30).map(opening).fold(f64::INFINITY, f64::min);
    assert!(least > 0.0 && least < 1.5e-3, "{least}");
    for frame in [2, 9, 10, 30] {
        assert!((opening(frame) - open[frame.min(10)]).abs() < 1e-6, "{frame}: {}", opening(frame));
    }
    assert_clean(&at.join("pinch"));
}

#[test]
fn faces_that_are_left_out_meet_nothing() {
    let folder = block([0.5, 0.0625, 0.5], 2, |_, x| x);
    let at = folder.path();
    let shape = corners([0.5, 0.0625, 0.5]);
    let [bottom, top, rest @ ..] = sides(0);
    let faces = format!("g rest\n{bottom}{}g top\n{top}", rest.concat());
    write(at, "block.obj", obj(&shape, &faces));
    run(at, "open", &square(5, "without: [\"top\"]"));
    let lowest = |name: &str| {
        let x = vertices(&at.join(name), 5, "square");
        x.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min)
    };
    // It falls through the top, 0.12 m in 5 frames, and rests on the bottom.
    assert!(lowest("open") < -0.02 && lowest("open") > -0.03125, "{}", lowest("open"));
    run(at, "closed", &square(5, ""));
    assert!(lowest("closed") > 0.03125, "{}", lowest("closed"));
}

#[test]
fn bad_samples_and_pins_are_refused_with_a_reason() {
    let folder = block([0.5, 0.0625, 0.5], 3, |_, x| x);
    let at = folder.path();
    let shape = corners([0.5, 0.0625, 0.5]);
    write(at, "short.pc2", &pc2(&[shape.clone(), shape.clone()])[..150]);
    write(at, "other.pc2", pc2(&[shape[..7].to_vec()]));
    let mut broken = shape.clone();
    broken[3][1] = f64::NAN;
    write(at, "nan.pc2", pc2(&[shape.clone(), broken]));
    let flat = shape.iter().map(|&[x, y, _]| [x, y, 0.0]).collect();
    write(at, "flat.pc2", pc2(&[shape.clone(), flat]));
    let far = shape.iter().map(|&[x, y, z]| [x + 9e3, y, z]).collect();
    write(at, "fast.pc2", pc2(&[shape.clone(), far]));
    let samples = |fields: &str| format!("samples: ({fields})");
    let file = |name: &str| samples(&format!("file: \"{name}\", frames_per_second: 24"));
    for (fields, words) in [
        (file("none.pc2"), ["none.pc2", "check the path"]),
        (file("block.obj"), ["block.obj", "give a .pc2 or .mdd file, or a sequence"]),
        (file("short.pc2"), ["short.pc2", "ends after 1"]),
        (
            file("other.pc2"),
            ["other.pc2", "7 points in a sample, and the shape of obstacles[0] has 8"],
        ),
        (file("nan.pc2"), ["nan.pc2", "point 3 of sample 1 is not finite"]),
        (file("flat.pc2"), ["flat.pc2", "has no area in sample 1"]),
        (file("fast.pc2"), ["obstacles[0].samples: sample 1", "more than 10000 m/s"]),
        (samples("file: \"block.pc2\", frames_per_second: 0"), ["frames_per_second", "0"]),
        (samples("file: \"block.pc2\""), ["frames_per_second", "missing"]),
        (
            file("block.pc2") + ", motion: (keyframes: [()])",
            ["obstacles[0].motion", "keyframes and samples"],
        ),
        ("without: [\"eyes\"]".to_owned(), ["obstacles[0].without", "no group `eyes`"]),
    ] {
        let said = run_text(at, &square(1, &fields));
        assert_says(&said, &words);
    }
    for (pin, words) in [
        ("follow: \"blok\"", ["cloths[0].pins[0].follow", "did you mean `block`"]),
        ("follow: \"block\", start_s: 1", ["cloths[0].pins[0].start_s", "from the start"]),
        ("follow: \"block\", motion: (keyframes: [()])", ["pins[0].motion", "no other motion"]),
    ] {
        let pins = format!("pins: [(select: Vertices([0]), {pin})], material:");
        let said = run_text(at, &square(1, "").replace("material:", &pins));
        assert_says(&said, &words);
    }
    // What may be meant is only warned of.
    let turned = shape.iter().map(|&[x, y, z]| [x, z, -y]).collect();
    write(at, "turned.pc2", pc2(&[turned]));
    for (name, word) in [("block", "stands still from then on"), ("turned", "are the axes and")] {
        let file = file(&format!("{name}.pc2"));
        let said = run_text(at, &square(9, &file).replace("0.052", "0.452"));
        let text = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success() && text.contains("warning") && text.contains(word), "{text}");
        std::fs::remove_dir_all(at.join("out")).expect("the run is removed");
    }
}

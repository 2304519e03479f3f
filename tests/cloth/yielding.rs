//! Obstacles whose skin gives way where two of its parts pinch cloth, by the real binary.

use std::path::Path;
use std::process::Command;

use crate::common::run::{BINARY, Frames, Start, assert_says, cloth_sim, finish, simulate};
use crate::common::samples::{Point, cells_of_box, obj, pc2, write};
use serde_json::Value;

/// The jaws overlap by 3 cm for 0.4 s, and open again.
const OPEN_M: [f64; 15] = [
    0.04, 0.04, 0.02, 0.0, -0.02, -0.03, -0.03, -0.03, -0.03, -0.03, -0.03, -0.03, 0.0, 0.03, 0.04,
];

/// A folder with two jaws of one mesh, which are so far apart in the samples.
fn jaws(open_m: &[f64]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (jaw, quads) = cells_of_box([0.06, 0.06, 0.06], [6, 6, 6]);
    let line = |quad: &[usize; 4], after: usize| {
        let [a, b, c, d] = quad.map(|vertex| vertex + after + 1);
        format!("f {a} {b} {c} {d}\n")
    };
    let faces =
        [0, jaw.len()].map(|after| quads.iter().map(|it| line(it, after)).collect::<String>());
    let samples = Vec::from_iter(open_m.iter().map(|open| {
        let at = |up: f64| jaw.iter().map(move |&[x, y, z]| [x, y + up, z]);
        Vec::<Point>::from_iter(at(0.03 + open / 2.0).chain(at(-0.03 - open / 2.0)))
    }));
    write(folder.path(), "jaws.obj", obj(&samples[0], &faces.concat()));
    write(folder.path(), "jaws.pc2", pc2(&samples));
    folder
}

/// A sheet that is held at two sides between the jaws, which yield with these `fields`.
fn sheet(frames: usize, steps: u32, fields: &str) -> String {
    format!(
        r#"(frames: {frames}, frames_per_second: 20, steps_per_frame: {steps}, output: (digits: Exact),
        cloths: [(name: "cloth", shape: Sheet(width_m: 0.4, length_m: 0.2, columns: 40, rows: 20),
            material: Fabric("cotton"), pins: [(select: Box(min_m: (-1, -1, -1), max_m: (-0.195, 1, 1))),
                (select: Box(min_m: (0.195, -1, -1), max_m: (1, 1, 1)))])],
        obstacles: [(name: "jaws", shape: Mesh("jaws.obj"), on_pinch: Yield({fields}),
            samples: (file: "jaws.pc2", frames_per_second: 20))])"#
    )
}

/// The lines of `steps.jsonl` of a run.
fn frames_of(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("steps.jsonl")).expect("steps.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The largest of a value of the jaws in the frames of a run.
fn largest(frames: &[Value], list: &str, value: &str) -> f64 {
    let values = frames.iter().filter_map(|frame| frame[list][0][value].as_f64());
    values.fold(0.0, f64::max)
}

fn assert_clean(run: &Path) {
    let said = finish(Command::new(&*BINARY).arg("check").arg(run));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

/// The heights of the vertices of an object in a frame, m.
fn heights(run: &Path, frame: usize, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(run.join(format!("frame_{frame:04}.obj"))).expect("a frame");
    let mut objects = text.split("o ").filter(|object| object.starts_with(&format!("{name}\n")));
    let object = objects.next().expect("the object");
    let heights = object.lines().filter_map(|line| line.strip_prefix("v ")?.split(' ').nth(1));
    heights.map(|y| y.parse().expect("a number")).collect()
}

/// How far the jaws are apart in a frame, at a corner that is never released, m.
fn opening(run: &Path, frame: usize) -> f64 {
    let heights = heights(run, frame, "jaws");
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high - low - 0.12
}

#[test]
fn skin_gives_way_where_two_parts_overlap_and_comes_back() {
    let folder = jaws(&OPEN_M);
    // Steps of 1, 5 and 10 ms.
    for steps in [50, 10, 5] {
        let (file, run) = (folder.path().join("scene.ron"), folder.path().join(format!("{steps}")));
        write(folder.path(), "scene.ron", sheet(20, steps, ""));
        simulate(Start::Threads(1, 2), &file, &run, &[]);
        assert_clean(&run);
        let frames = frames_of(&run);
        let strain = frames.iter().filter_map(|it| it["strain"][0]["strain"].as_f64());
        let strain = strain.fold(0.0, f64::max);
        assert!(strain < 0.15, "{steps}: {strain}");
        // Each jaw gives way by half of the overlap and the room of one layer, 1 mm on each side.
        let offset_m = largest(&frames, "yielded", "largest_offset_m");
        assert!((0.014..0.021).contains(&offset_m), "{steps}: {offset_m}");
        assert!(largest(&frames, "yielded", "largest") > 100.0);
        for (at, frame) in frames.iter().enumerate() {
            assert!(frame["waiting"].is_null(), "{steps}: {frame}");
            let open_m = OPEN_M[at.min(14)];
            assert!((opening(&run, at) - open_m).abs() < 1e-6, "{steps} {at}");
        }
        // All is back 0.2 s after the jaws have opened.
        assert!(frames[18..].iter().all(|frame| frame["yielded"].is_null()), "{steps}");
    }
}

#[test]
fn a_pinch_that_never_opens_stops_nobody() {
    let folder = jaws(&[0.02, 0.01, -0.01, -0.03]);
    write(folder.path(), "scene.ron", sheet(30, 10, ""));
    let run = folder.path().join("run");
    simulate(Start::Threads(1, 2), &folder.path().join("scene.ron"), &run, &[]);
    assert_clean(&run);
    let frames = frames_of(&run);
    assert!(frames.iter().all(|frame| frame["waiting"].is_null()));
    assert!((opening(&run, 30) + 0.03).abs() < 1e-6);
    let last = &frames[30]["yielded"][0];
    let (offset_m, largest_m) = (&last["offset_m"], last["largest_offset_m"].as_f64());
    assert!(largest_m.is_some_and(|it| it < 0.021), "{last}");
    // It rests.
    let before = &frames[29]["yielded"][0]["offset_m"];
    let moved_m = offset_m.as_f64().zip(before.as_f64()).map(|(now, before)| (now - before).abs());
    assert!(moved_m.is_some_and(|it| it < 1e-3), "{before} {offset_m}");
}

#[test]
fn frames_have_the_same_bits_on_any_ranks_and_after_a_restart() {
    let folder = jaws(&[0.02, 0.005, -0.01, -0.01, 0.02]);
    let (at, file) = (folder.path(), folder.path().join("scene.ron"));
    write(at, "scene.ron", sheet(8, 5, "").replace("cloths", "patch_vertices: 40, cloths"));
    let expected = simulate(Start::Threads(1, 1), &file, &at.join("whole"), &[]);
    assert!(largest(&frames_of(&at.join("whole")), "yielded", "largest_offset_m") > 0.003);
    for (ranks, threads) in [(2, 1), (3, 2)] {
        let run = at.join(format!("{ranks}"));
        let found = simulate(Start::Threads(ranks, threads), &file, &run, &[]);
        assert_eq!(found.digests, expected.digests, "{ranks} ranks");
        assert_eq!(found.state_hashes, expected.state_hashes, "{ranks} ranks");
    }
    // It stops while skin gives way.
    let parts = at.join("parts");
    let more = ["--frames", "4", "--checkpoint-every", "1"];
    simulate(Start::Threads(2, 1), &file, &parts, &more);
    assert!(!frames_of(&parts)[4]["yielded"].is_null());
    let more = ["--frames", "8", "--ranks", "3", "--oversubscribe"];
    let said = finish(Command::new(&*BINARY).arg("resume").arg(&parts).args(more));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let found = Frames::read(&parts);
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
}

#[test]
fn a_skin_that_is_too_far_from_the_animation_waits() {
    let folder = jaws(&OPEN_M);
    write(folder.path(), "scene.ron", sheet(24, 10, "most_m: 0.005"));
    let run = folder.path().join("run");
    simulate(Start::Threads(1, 2), &folder.path().join("scene.ron"), &run, &[]);
    assert_clean(&run);
    let frames = frames_of(&run);
    let offset_m = largest(&frames, "yielded", "largest_offset_m");
    assert!((0.005..0.012).contains(&offset_m), "{offset_m}");
    assert!(largest(&frames, "waiting", "largest_behind_m") > 0.0);
}

#[test]
fn settings_out_of_bounds_are_refused_with_a_reason() {
    let folder = jaws(&OPEN_M[..2]);
    for (fields, words) in [
        ("frequency_hz: 0", ["obstacles[0].on_pinch.frequency_hz", "0"]),
        ("frequency_hz: 1e9", ["obstacles[0].on_pinch.frequency_hz", "1000 Hz"]),
        ("mass_kg_per_m2: -1", ["obstacles[0].on_pinch.mass_kg_per_m2", "-1"]),
        ("most_m: 0", ["obstacles[0].on_pinch.most_m", "0"]),
        ("speed: 1", ["speed", "frequency_hz"]),
    ] {
        write(folder.path(), "scene.ron", sheet(1, 5, fields));
        let mut command = cloth_sim(Start::Threads(1, 1));
        let out = folder.path().join("out");
        let said = finish(command.arg(folder.path().join("scene.ron")).arg("--out").arg(out));
        assert_says(&said, &words);
    }
}

#[test]
fn obstacles_that_deform_give_way_unless_the_scene_says_otherwise() {
    let folder = jaws(&OPEN_M[..8]);
    let (at, file) = (folder.path(), folder.path().join("scene.ron"));
    let run = |name: &str, text: String| {
        write(at, "scene.ron", text);
        let more = ["--checkpoint-every", "1", "--keep-checkpoints", "9"];
        simulate(Start::Threads(1, 2), &file, &at.join(name), &more)
    };
    let explicit = sheet(7, 5, "");
    let default = explicit.replace("on_pinch: Yield(),", "");
    let expected = run("explicit", explicit);
    let found = run("default", default.clone());
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
    run("held", default.replace("cloths:", "contact: (on_pinch: Hold), cloths:"));
    let frames = frames_of(&at.join("held"));
    assert!(frames.iter().all(|frame| frame["yielded"].is_null()));
    assert!(largest(&frames, "waiting", "largest_behind_m") > 0.0);
    // A run whose obstacles only waited so far goes on with some that give way.
    let (held, on) = (at.join("held"), at.join("on"));
    let more = ["--from-frame", "2", "--frames", "7", "--set", "contact.on_pinch=Yield", "--out"];
    let said = finish(Command::new(&*BINARY).arg("resume").arg(&held).args(more).arg(&on));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_clean(&on);
    assert!(largest(&frames_of(&on), "yielded", "largest_offset_m") > 0.01);
}

#[test]
fn pins_that_follow_go_with_a_dent_and_come_back() {
    let folder = jaws(&OPEN_M);
    let (at, file) = (folder.path(), folder.path().join("scene.ron"));
    // The sheet lies 0.5 mm over the lower jaw, and its middle is pinned there.
    let scene = r#"(frames: 20, frames_per_second: 20, steps_per_frame: 10, output: (digits: Exact),
        cloths: [(name: "cloth", shape: Sheet(width_m: 0.14, length_m: 0.14, columns: 28, rows: 28),
            transform: (translation_m: (0, -0.0195, 0)), material: Fabric("cotton"),
            damping: (mass_per_s: 0.5, stiffness_s: 0.001), pins: [(follow: "jaws",
                select: Box(min_m: (-0.016, -1, -0.016), max_m: (0.016, 1, 0.016)))])],
        obstacles: [(name: "jaws", shape: Mesh("jaws.obj"), samples: (file: "jaws.pc2", frames_per_second: 20))])"#;
    write(at, "scene.ron", scene);
    let run = at.join("run");
    let expected = simulate(Start::Threads(1, 1), &file, &run, &[]);
    let found = simulate(Start::Threads(3, 2), &file, &at.join("parallel"), &[]);
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
    assert_clean(&run);
    let frames = frames_of(&run);
    assert!(frames.iter().all(|frame| frame["waiting"].is_null()));
    // The lower jaw takes its part. With pins that stayed, the upper one gave way by 36 mm alone.
    let offset_m = largest(&frames, "yielded", "largest_offset_m");
    assert!((0.014..0.025).contains(&offset_m), "{offset_m}");
    let strain = frames.iter().filter_map(|it| it["strain"][0]["strain"].as_f64());
    let strain = strain.fold(0.0, f64::max);
    assert!(strain < 0.06, "{strain}");
    // Columns and rows 11 to 17 of 29 are pinned.
    let cloth = [0, 10, 20].map(|frame| heights(&run, frame, "cloth"));
    let pinned = (11..18).flat_map(|row| (11..18).map(move |column| 29 * row + column));
    for vertex in pinned {
        let [start, pinched, end] = [0, 1, 2].map(|frame: usize| cloth[frame][vertex]);
        // The jaw is 35 mm higher in the animation.
        assert!((start + 0.01..start + 0.03).contains(&pinched), "{vertex}: {pinched}");
        assert!((end - start).abs() < 1e-6, "{vertex}: {end}");
    }
}

/// The part of the arm that follows its elbow, and the place of a point of it in a sample at 24 Hz.
fn bent([x, y, z]: Point, sample: usize) -> Point {
    let t = sample as f64 / 24.0 - 0.3;
    let share = ((x + 0.06) / 0.12).clamp(0.0, 1.0);
    let angle = share * if t < 0.0 { 0.0 } else { 2.4 * libm::sin(4.0 * std::f64::consts::PI * t) };
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    [cos * x - sin * y, sin * x + cos * y, z]
}

#[test]
fn skin_does_not_stand_out_of_a_limb_that_moves_fast() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    // A tube of 40 mm radius along x: 26 rings of 24 vertices, and its ends.
    let mut arm = Vec::<Point>::new();
    let mut faces = String::new();
    for ring in 0..26 {
        for k in 0..24 {
            let angle = std::f64::consts::TAU * k as f64 / 24.0;
            let x = -0.25 + 0.02 * ring as f64;
            arm.push([x, 0.04 * libm::cos(angle), 0.04 * libm::sin(angle)]);
            let [a, b] = [k, (k + 1) % 24].map(|k| 24 * ring + k + 1);
            if ring < 25 {
                faces += &format!("f {a} {b} {}\nf {a} {} {}\n", b + 24, b + 24, a + 24);
            }
        }
    }
    for k in 0..24 {
        let [a, b] = [k + 1, (k + 1) % 24 + 1];
        faces += &format!("f 625 {b} {a}\nf 626 {} {}\n", a + 600, b + 600);
    }
    arm.extend([[-0.25, 0.0, 0.0], [0.25, 0.0, 0.0]]);
    let samples = (0..21).map(|sample| arm.iter().map(|&x| bent(x, sample)).collect::<Vec<_>>());
    write(at, "arm.obj", obj(&arm, &faces));
    write(at, "arm.pc2", pc2(&samples.collect::<Vec<_>>()));
    let scene = r#"(frames: 20, frames_per_second: 24, steps_per_frame: 10, output: (digits: Exact),
        cloths: [(name: "cloth", shape: Sheet(width_m: 0.6, length_m: 0.4, columns: 40, rows: 27),
            transform: (translation_m: (0, 0.045, 0)), material: Fabric("cotton"))],
        obstacles: [(name: "arm", shape: Mesh("arm.obj"),
            samples: (file: "arm.pc2", frames_per_second: 24))], contact: (distance_m: 0.002))"#;
    write(at, "scene.ron", scene);
    let run = at.join("run");
    simulate(Start::Threads(1, 2), &at.join("scene.ron"), &run, &[]);
    assert_clean(&run);
    assert!(largest(&frames_of(&run), "yielded", "largest_offset_m") > 0.01);
    for frame in 0..21 {
        let text = std::fs::read_to_string(run.join(format!("frame_{frame:04}.obj")));
        let text = text.expect("a frame");
        let object = text.split("o ").find(|object| object.starts_with("arm\n"));
        let lines = object.expect("the arm").lines().filter_map(|line| line.strip_prefix("v "));
        for (vertex, line) in lines.take(624).enumerate() {
            let place =
                Vec::from_iter(line.split(' ').map(|x| x.parse::<f64>().expect("a number")));
            let ring = vertex / 24;
            let centre = bent([-0.25 + 0.02 * ring as f64, 0.0, 0.0], frame);
            let m2 = (0..3).map(|i| (place[i] - centre[i]).powi(2)).sum::<f64>();
            assert!(m2.sqrt() < 0.042, "frame {frame}, vertex {vertex}: {}", m2.sqrt());
        }
    }
}

//! Cloth that bodies carry, and joints beside it, by the real binary: a closed form, momentum, bits and
//! bad input.

use std::path::Path;
use std::process::Command;

use crate::common::poses::{folder, poses, read, run_text};
use crate::common::run::{Frames, Start, assert_says, finish, simulate};

/// A strip of 20 x 40 cm that hangs along y, with more `fields`; a rod below it; more `fields` of the
/// scene.
fn strip(fields: &str, bodies: &str, scene: &str) -> String {
    format!(
        r#"(cloths: [(name: "strip", shape: Sheet(width_m: 0.2, length_m: 0.4, columns: 10, rows: 20, diagonal: Alternating),
            transform: (axis: (1, 0, 0), angle_deg: 90), material: Fabric("cotton"), damping: (mass_per_s: 2), {fields})],
        bodies: [{bodies}], materials: [(name: "oak", density_kg_per_m3: 500, friction: 0.3)],
        frames: 50, steps_per_frame: 10, {scene})"#
    )
}

const ROD: &str = r#"(name: "rod", shape: Box(size_m: (0.22, 0.02, 0.02)), material: "oak", arrangement: At([(0, -0.2125, 0)])),"#;
const LOWER: &str = "select: Box(min_m: (-1, -0.21, -1), max_m: (1, -0.199, 1))";
const UPPER: &str = "pins: [(select: Box(min_m: (-1, 0.199, -1), max_m: (1, 0.21, 1)))]";

/// The vertices of the first object of a frame, m.
fn vertices(run: &Path, frame: u64) -> Vec<[f64; 3]> {
    let text = read(&run.join(format!("frame_{frame:04}.obj")));
    let first = text.split("\no ").next().expect("an object");
    let first =
        if first.contains("\nv ") { first } else { text.split("\no ").nth(1).expect("an object") };
    let places = first.lines().filter_map(|line| line.strip_prefix("v "));
    let place = |line: &str| {
        let mut numbers = line.split(' ').map(|number| number.parse().expect("a number"));
        [(); 3].map(|()| numbers.next().expect("three numbers"))
    };
    places.map(place).collect()
}

#[test]
fn a_rod_on_a_strip_stretches_it_as_its_mass_on_the_lower_edge_does() {
    let hang = |text: &str| {
        let folder = folder();
        let said = run_text(text, folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let out = folder.path().join("out");
        let low = vertices(&out, 50).iter().map(|x| x[1]).sum::<f64>() / 231.0;
        (low, out.join("poses_0050.csv").exists().then(|| poses(&out, 50).remove("rod")).flatten())
    };
    let attach = format!(r#"{UPPER}, attach: [({LOWER}, to: "rod")]"#);
    let masses = format!("{UPPER}, masses: [({LOWER}, mass_kg: 0.044)]");
    for scheme in ["", "solver: (integrator: Bdf2)"] {
        let (found, rod) = hang(&strip(&attach, ROD, scheme));
        let (expected, _) = hang(&strip(&masses, "", scheme));
        // The rod keeps the edge straight, and does not let it shrink. Both are less than a tenth.
        assert!((found - expected).abs() < 0.1 * expected.abs(), "{found} instead of {expected} m");
        let rod = rod.expect("the rod");
        assert!((rod[1] + 0.2125 - 2.0 * found).abs() < 0.1 * found.abs(), "{rod:?}, {found}");
        assert!(rod[7..13].iter().all(|v| v.abs() < 1e-3), "{rod:?}");
    }
}

/// The sum of mass times place along z of strip and rod, kg m. The strip has 0.2 kg/m^2, and triangles of
/// one size.
fn first_moment(out: &Path, frame: u64) -> f64 {
    let text = read(&out.join(format!("frame_{frame:04}.obj")));
    let strip =
        &text[text.find("o strip").expect("the strip")..text.find("o body_rod").expect("the rod")];
    let z = Vec::from_iter(vertices(out, frame).iter().map(|x| x[2]));
    let corner = |word: &str| {
        let number = word.split('/').next().and_then(|it| it.parse::<usize>().ok());
        z[number.expect("a vertex") - 1]
    };
    let faces = strip.lines().filter_map(|line| line.strip_prefix("f "));
    let of_face = |face: &str| face.split(' ').map(corner).sum::<f64>() * 0.2 * 2e-4 / 3.0;
    faces.map(of_face).sum::<f64>() + 0.044 * poses(out, frame)["rod"][2]
}

#[test]
fn a_strip_and_the_rod_that_it_is_attached_to_keep_their_momentum() {
    // The strip flies at 1 m/s, and jerks the rod along.
    let fly = format!(r#"attach: [({LOWER}, to: "rod")], velocity_m_per_s: (0, 0, 1)"#);
    let fields = "gravity_m_per_s2: (0, 0, 0), solver: (relative_residual: 1e-12), output: (polygons: Triangles)";
    let material = "Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 500, poisson_ratio: 0.3, rigidity_n_m: 1e-5)";
    let text = strip(&fly, ROD, fields).replace("mass_per_s: 2", "mass_per_s: 0");
    let folder = folder();
    let said = run_text(&text.replace(r#"Fabric("cotton")"#, material), folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let out = folder.path().join("out");
    let start = first_moment(&out, 0);
    for frame in [1, 10, 50] {
        let (found, expected) = (first_moment(&out, frame) - start, 0.016 * 0.04 * frame as f64);
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected} kg m");
    }
    assert!(poses(&out, 50)["rod"][9] > 0.1, "the rod goes along");
}

/// Two jointed bars below a strip that they hang on, and a hinge on a body that keyframes move.
fn swing() -> String {
    let bars = r#"(name: "low", shape: Box(size_m: (0.1, 0.02, 0.02)), material: "oak", arrangement: At([(0.06, -0.24, 0)])),
        (name: "crank", shape: Box(size_m: (0.02, 0.1, 0.02)), material: "oak", arrangement: At([(0.3, 0.1, 0)]),
         motion: Keyframed(center_m: (0.3, 0.1, 0), keyframes: [(), (time_s: 1, axis: (0, 0, 1), angle_deg: 300)])),
        (name: "arm", shape: Box(size_m: (0.02, 0.08, 0.02)), material: "oak", arrangement: At([(0.3, 0.2, 0)])),"#;
    let joints = r#"joints: [(kind: Ball, bodies: Pair("low", "rod"), at_m: (0.005, -0.225, 0)),
        (kind: Hinge(axis: (0, 0, 1), limits_deg: (-60, 60)), bodies: Pair("arm", "crank"), at_m: (0.3, 0.155, 0))]"#;
    let attach = format!(r#"{UPPER}, attach: [({LOWER}, to: "rod")]"#);
    strip(&attach, &format!("{ROD}{bars}"), joints).replace("frames: 50", "frames: 8")
}

#[test]
fn joints_and_attachments_have_the_same_bits_on_ranks_and_after_a_stop() {
    let folder = folder();
    let text = folder.path().join("swing.ron");
    std::fs::write(&text, swing()).expect("a scene is written");
    let run = |name: &str, start: Start, more: &[&str]| {
        simulate(start, &text, &folder.path().join(name), more)
    };
    let expected = run("one", Start::Threads(1, 1), &[]);
    assert_eq!(run("threads", Start::Threads(1, 2), &[]), expected);
    assert_eq!(run("ranks", Start::Threads(3, 1), &[]), expected);
    assert_eq!(run("mpi", Start::Mpi(2), &[]), expected);
    let parts = folder.path().join("parts");
    simulate(Start::Threads(2, 1), &text, &parts, &["--frames", "3", "--checkpoint-every", "1"]);
    let mut resume = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    resume.arg("resume").arg(&parts).args(["--frames", "8", "--ranks", "3", "--oversubscribe"]);
    assert!(finish(&mut resume).status.success());
    let found = Frames::read(&parts);
    assert_eq!((found.digests, found.state_hashes), (expected.digests, expected.state_hashes));
    // The arm goes around with the crank, which has turned by 96 degrees.
    let last = &poses(&parts, 8)["arm"];
    let off = (last[0] - 0.3).hypot(last[1] - 0.1);
    assert!((0.06..0.11).contains(&off) && last[0] < 0.27, "{last:?}");
}

/// Two rods with keyframes, which turn by 90 degrees about x in 0.2 s; the strip is pinned to the second
/// one. An obstacle of the same motion carries it to the same bits.
#[test]
fn pins_follow_a_body_that_keyframes_move() {
    let motion = "(center_m: (0, -0.2125, 0), keyframes: [(), (time_s: 0.2, axis: (1, 0, 0), angle_deg: 90)])";
    let rods = ROD.replace(
        "arrangement: At([",
        &format!("motion: Keyframed{motion}, arrangement: At([(0, -3, 0), "),
    );
    let run = |follow: &str, bodies: &str, scene: &str| {
        let pins = format!(r#"pins: [({LOWER}, follow: "{follow}")]"#);
        let folder = folder();
        let text = strip(&pins, bodies, scene).replace("frames: 50", "frames: 6");
        let said = run_text(&text, folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        [0, 6].map(|frame| vertices(&folder.path().join("out"), frame))
    };
    let [start, end] = run("rod[1]", &rods, "");
    let held = start.iter().zip(&end).filter(|(at, _)| at[1] < -0.199);
    assert_eq!(held.clone().count(), 11);
    for ([x, y, z], found) in held {
        // (y, z) becomes (-z, y) about the middle of the rod.
        let expected = [*x, -0.2125 - z, y + 0.2125];
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9),
            "{found:?}, {expected:?}"
        );
    }
    let beam = format!(
        r#"obstacles: [(name: "beam", touch: "oak", shape: Box(size_m: (0.22, 0.02, 0.02)), transform: (translation_m: (0, -0.2125, 0)), motion: {motion})]"#
    );
    let [_, with_obstacle] = run("beam", "", &beam);
    let far =
        |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let most = end.iter().zip(&with_obstacle).map(far).fold(0.0, f64::max);
    assert!(most < 1e-3, "{most} m");
}

#[test]
fn joints_and_attachments_that_cannot_be() {
    let attach = |to: &str, select: &str| {
        strip(&format!(r#"{UPPER}, attach: [({select}, to: "{to}")]"#), ROD, "")
    };
    let twice =
        format!(r#"attach: [({LOWER}, to: "rod"), (select: Vertices([0, 220, 230]), to: "rod")]"#);
    let joint = |joint: &str| strip("", ROD, &format!("joints: [({joint})]"));
    let stone = ROD.replace("(0, -0.2125, 0)", "(0.5, -0.2125, 0)").replace("rod", "stone");
    let stone = stone.replace("arrangement", "motion: Immovable, arrangement");
    for (text, words) in [
        (attach("rood", LOWER), &["cloths[0].attach[0].to", "no body `rood`", "`rod`"][..]),
        (attach("rod", "select: Vertices([7777])"), &["cloths[0].attach[0].select"]),
        (attach("rod", &UPPER[8..UPPER.len() - 2]), &["attach[0].select", "pins[0] holds vertex"]),
        (strip(&twice, ROD, ""), &["attach[1].select", "another attachment", "once"]),
        (
            strip(&format!(r#"attach: [({LOWER}, to: "stone")]"#), &format!("{ROD}{stone}"), ""),
            &["attach[0].to", "no force moves `stone`", "`pins` with `follow: \"stone\"`"],
        ),
        (
            strip(&format!(r#"pins: [({LOWER}, follow: "rod")]"#), ROD, ""),
            &["pins[0].follow", "forces move `rod`", "`attach`"],
        ),
        (
            strip(
                r#"attach: [(select: Vertices([0]), to: "rod")]"#,
                &ROD.replace("-0.2125", "-0.2025"),
                "",
            )
            .replace("(0.22, 0.02, 0.02)", "(0.9, 0.9, 0.9)"),
            &["attach[0].select", "inside the body"],
        ),
        (
            strip("", "", r#"joints: [(kind: Ball, bodies: Pair("a", "space"))]"#),
            &["joints", "has none"],
        ),
        (
            joint(r#"kind: Ball, bodies: Pair("rod", "rode")"#),
            &["joints[0].bodies", "`rode`", "`rod`"],
        ),
        (joint(r#"kind: Ball, bodies: Pair("rod", "rod")"#), &["joints[0].bodies", "to itself"]),
        (
            joint(r#"kind: Hinge(axis: (0, 0, 0)), bodies: Pair("rod", "space")"#),
            &["joints[0].kind.axis"],
        ),
        (
            joint(
                r#"kind: Hinge(axis: (0, 0, 1), drive: (stiffness_n_m_per_rad: 1, keyframes: [])), bodies: Pair("rod", "space")"#,
            ),
            &["joints[0].kind.drive.keyframes", "there are none"],
        ),
        (
            joint(
                r#"kind: Hinge(axis: (0, 0, 1), drive: (stiffness_n_m_per_rad: -1, keyframes: [(time_s: 0, angle_deg: 0)])), bodies: Pair("rod", "space")"#,
            ),
            &["joints[0].kind.drive.stiffness_n_m_per_rad"],
        ),
    ] {
        let folder = folder();
        assert_says(&run_text(&text, folder.path()), words);
    }
}

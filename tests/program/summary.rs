//! `program/run`: a run prints its progress on standard error and the summary on standard output.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::run::{finish, frames_of};

fn cloth_sim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    finish(command.current_dir(folder).args(arguments))
}

/// Standard output and standard error of 10 frames, 40 steps, in which a cloth lands on the floor.
fn landing(arguments: &[&str]) -> [String; 2] {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/landing.ron");
    let scene = scene.to_str().expect("a path of characters");
    let run = [scene, "--frames", "10", "--threads", "1", "--out", "out/a landing"];
    let output = cloth_sim(folder.path(), &[&run[..], arguments].concat());
    let [out, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
    assert!(output.status.success(), "{said}");
    assert!(!(out.clone() + &said).contains('\x1b'), "control codes in a pipe: {out}{said}");
    [out, said]
}

/// The line of the summary that begins with `name`.
fn line<'a>(summary: &'a str, name: &str) -> &'a str {
    let line = summary.lines().find_map(|line| line.trim_start().strip_prefix(name));
    line.unwrap_or_else(|| panic!("no line `{name}` in:\n{summary}")).trim_start()
}

/// A press that must wait for room is named in a warning, in the summary and in each frame.
#[test]
fn bodies_that_waited_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/press.ron");
    let scene = scene.to_str().expect("a path of characters");
    let output = cloth_sim(folder.path(), &[scene, "--threads", "1", "--out", "press"]);
    let [summary, said] =
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
    let warnings: Vec<_> = said.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(warnings.len(), 1, "{said}");
    let begins = "warning: before frame 3, `press` waits: no room at (0.";
    assert!(warnings[0].starts_with(begins), "{said}");
    let line = line(&summary, "waited ");
    assert!(line.starts_with("`press` 0.1"), "{line}");
    assert!(line.ends_with(" mm behind, before frame 5"), "{line}");
    assert!(summary.lines().all(|line| line.chars().count() <= 80), "{summary}");
    // Its motion takes the lower edge 10 mm into the floor, from frame 5 to frame 10.
    for frame in frames_of(&folder.path().join("press")) {
        let number = frame["frame"].as_u64().expect("a number");
        let waiting = frame["waiting"].as_array().map_or(&[][..], Vec::as_slice);
        match number {
            0..3 | 16.. => assert!(waiting.is_empty(), "{number}: {waiting:?}"),
            6..=10 => {
                assert_eq!(
                    (&waiting[0]["body"], &waiting[0]["steps"]),
                    (&"`press`".into(), &5.into())
                );
                let behind_m = waiting[0]["behind_m"].as_f64().expect("a number");
                assert!((0.008..0.012).contains(&behind_m), "{number}: {behind_m}");
            }
            _ => {}
        }
    }
    let check = cloth_sim(folder.path(), &["check", "press"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

/// A curtain exactly in a plane hangs on rings that are drawn together to half of its width.
#[test]
fn a_flat_curtain_folds_and_one_without_an_imperfection_is_named_as_crushed() {
    let ring = |k: i32| {
        let x = 0.1 * f64::from(k) - 0.5;
        format!(
            "(select: Nearest(({x}, 0, -0.4)), motion: (keyframes: [(time_s: 0), (time_s: 0.8,
            translation_m: ({}, 0, 0))])),",
            -0.05 * f64::from(k)
        )
    };
    let rings = (0..=10).map(ring).collect::<String>();
    for fields in ["", "imperfection_m: 0,"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scene = format!(
            "(frames: 25, steps_per_frame: 4, gravity_m_per_s2: (0, 0, 9.81), cloths: [(name: \"curtain\",
            shape: Sheet(width_m: 1, length_m: 0.8, columns: 20, rows: 16, diagonal: Alternating),
            material: Fabric(\"cotton\"), pins: [{rings}], {fields})])"
        );
        std::fs::write(folder.path().join("curtain.ron"), scene).expect("the scene is written");
        let output =
            cloth_sim(folder.path(), &["curtain.ron", "--threads", "1", "--out", "curtain"]);
        let [summary, said] =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
        let shortest = line(&summary, "shortest edge ").split(' ').next().expect("a number");
        let shortest: f64 = shortest.parse().expect("a number");
        let crushed =
            said.lines().find(|line| line.contains(": `curtain` is crushed in its plane by "));
        println!("{fields} shortest edge {shortest} %: {crushed:?}");
        match crushed {
            None => assert!(fields.is_empty() && shortest > -15.0, "{said}"),
            Some(line) => {
                assert!(!fields.is_empty() && shortest < -50.0, "{said}");
                assert!(
                    line.starts_with("warning: frame ") && line.contains("imperfection_m"),
                    "{line}"
                );
            }
        }
    }
}

/// Of cloth and of rigid bodies, on one rank and on two.
#[test]
fn info_says_what_a_run_will_take_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (scene, first, ranks) in
        [("tests/scenes/landing.ron", "landing: ", "1"), ("scenes/ramp.ron", "ramp: ", "2")]
    {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(scene);
        let scene = scene.to_str().expect("a path of characters");
        let arguments = ["info", scene, "--frames", "2", "--threads", "1", "--ranks", ranks];
        let output = cloth_sim(folder.path(), &arguments);
        let [out, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        assert!(output.status.success() && out.starts_with(first), "{out}{said}");
        assert!(out.contains("2 frames of "), "{out}");
        assert!(line(&out, "measured ").contains(" ms each, with "), "{out}");
        assert!(line(&out, "run ").contains(" s, if all "), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    }
    let written = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(written, 0);
}

#[test]
fn the_summary_says_what_users_of_the_frames_ask() {
    let [summary, said] = landing(&[]);
    assert!(summary.starts_with("landing: 10 frames in "), "{summary}");
    assert!(summary.lines().next().is_some_and(|first| first.contains(" s a frame")), "{summary}");
    assert!(line(&summary, "cloth ").starts_with("0.4 x 0.4 m, "), "{summary}");
    for (name, words) in [
        ("edges", &["shortest", "median", "mm"][..]),
        ("strain", &["longest edge +", " %: frame ", " m"]),
        ("contacts", &["at most ", "before frame "]),
        ("distance", &["smallest ", " mm, before frame ", "contact.distance_m"]),
        ("frames", &["out/a landing", "frame_0010.obj"]),
        ("to check", &["cloth-sim check 'out/a landing'"]),
        ("to see", &["cloth-sim view 'out/a landing'"]),
        ("or import", &[".obj", "Blender"]),
    ] {
        let line = line(&summary, name);
        assert!(words.iter().all(|word| line.contains(word)), "{name}: {line}");
    }
    assert!(!summary.contains("CG iterations") && !summary.contains("utilization"), "{summary}");
    let longest = summary.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{longest:?} columns:\n{summary}");
    let frames: Vec<_> = said.lines().collect();
    assert_eq!(frames.len(), 10, "a line for each frame: {said}");
    assert!(frames[9].starts_with("frame 10/10: "), "{said}");
}

#[test]
fn each_v_shows_more() {
    let [details, said] = landing(&["-v"]);
    assert!(details.contains("CG iterations") && details.contains("utilization"), "{details}");
    assert!(line(&details, "to check").contains("cloth-sim check"), "the summary comes too");
    for stage in ["scene and meshes", "partition", "hierarchies", "linear system"] {
        assert!(said.lines().any(|line| line.starts_with("set-up: ") && line.ends_with(stage)));
    }
    assert_eq!(said.matches("step 40: ").count(), 0, "{said}");
    let [_, said] = landing(&["-vv"]);
    assert_eq!(
        (said.matches("set-up: ").count(), said.matches("step 40: ").count()),
        (6, 1),
        "{said}"
    );
    assert_eq!(landing(&["-q"]), ["", ""]);
}

#[test]
fn a_slip_in_a_subcommand_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [&["chekc", "out/x"][..], &["chekc"]] {
        let output = cloth_sim(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(said.contains("no file `chekc`; did you mean the subcommand `check`?"), "{said}");
    }
}

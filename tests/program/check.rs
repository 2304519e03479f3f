//! Room `program`: `cloth-sim check` reports no fault in a clean run of cloth, and finds every way
//! to break one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::finish;
use tempfile::TempDir;

/// Only the lift moves; cloth vertices stay at their start.
/// In a frame, `quads` has vertices 0 to 15 and `sheet` 16 to 40.
const SCENE: &str = r#"(
    name: "still", frames: 2, frames_per_second: 10, steps_per_frame: 1,
    gravity_m_per_s2: (0, 0, 0), output: (polygons: Quads),
    cloths: [
        (shape: Mesh("quads.obj"), transform: (translation_m: (0, 1, 0)), material: Fabric("cotton"),
         imperfection_m: 0),
        (shape: Sheet(width_m: 1, length_m: 1, columns: 4, rows: 4),
         transform: (translation_m: (0.5, 2, 0.5)), material: Fabric("cotton")),
    ],
    obstacles: [
        (name: "lift", shape: Box(size_m: (0.2, 0.2, 0.2)), transform: (translation_m: (3, 0.5, 0)),
         motion: (keyframes: [(time_s: 0), (time_s: 1, translation_m: (0, 1, 0))])),
        (name: "floor", shape: Plane(width_m: 4, length_m: 4)),
    ],
)"#;

/// 3 x 3 quadrilaterals over the unit square.
fn quads() -> String {
    let mut text = String::new();
    for v in 0..16 {
        text += &format!("v {} 0 {}\n", f64::from(v % 4) / 3.0, f64::from(v / 4) / 3.0);
    }
    for v in (0..12).filter(|v| v % 4 < 3).map(|v| v + 1) {
        text += &format!("f {} {} {} {}\n", v, v + 4, v + 5, v + 1);
    }
    text
}

/// A folder with a run in it.
struct Run {
    home: TempDir,
    out: PathBuf,
}

impl Run {
    fn new(more: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let out = home.path().join("out");
        let scene = home.path().join("still.ron");
        std::fs::write(&scene, SCENE).expect("a scene is written");
        std::fs::write(home.path().join("quads.obj"), quads()).expect("a mesh is written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
        let output = finish(command.arg(scene).arg("--out").arg(&out).args(more));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { home, out }
    }

    fn frame(&self, number: u32) -> PathBuf {
        self.out.join(format!("frame_{number:04}.obj"))
    }

    /// Moves vertices of frame `number` to new places, each "x y z".
    fn place(&self, number: u32, places: &[(usize, &str)]) {
        let text = read(&self.frame(number));
        let mut vertex = 0;
        let lines = text.lines().map(|line| {
            let mut line = line.to_owned();
            if line.starts_with("v ") {
                if let Some((_, place)) = places.iter().find(|(v, _)| *v == vertex) {
                    line = format!("v {place}");
                }
                vertex += 1;
            }
            line + "\n"
        });
        std::fs::write(self.frame(number), lines.collect::<String>()).expect("a frame is written");
    }

    /// Exit code, standard output and error of the check.
    fn check(&self, more: &[&str]) -> (Option<i32>, String, String) {
        check(&self.out, more)
    }

    /// The check fails and its list holds a line with all `words`.
    fn assert_found(&self, words: &[&str]) {
        let (code, out, said) = self.check(&[]);
        assert_eq!(code, Some(1), "{words:?}: {out}{said}");
        let listed = |line: &str| words.iter().all(|word| line.contains(word));
        assert!(out.lines().any(listed), "wanted {words:?} in: {out}");
        assert!(said.contains("help: ") && !said.contains("panicked"), "{said}");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file can be read")
}

fn check(folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let output = finish(command.arg("check").arg(folder).args(more));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_clean_run_passes_also_refined_and_without_its_meshes() {
    let run = Run::new(&[]);
    let (code, out, said) = run.check(&[]);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(out.contains("no fault in 3 frames") && out.contains("the rest shape"), "{out}");
    // Nothing has moved, so all edges are at rest.
    for row in out.lines().skip(2).take(3) {
        let words = row.split_whitespace().skip(1);
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        assert!(numbers.len() == 4 && numbers.iter().all(|&number| number == 0.0), "{row}");
    }
    assert_eq!(run.check(&["--quiet"]).1, "");

    let refined = Run::new(&["--refine", "3"]);
    let (code, out, _) = refined.check(&["--threads", "2"]);
    assert!(code == Some(0) && out.contains("the rest shape"), "{out}");

    std::fs::remove_file(run.home.path().join("quads.obj")).expect("a mesh is removed");
    let (code, out, _) = run.check(&[]);
    assert!(code == Some(0) && out.contains("the rest shape"), "{out}");
}

#[test]
fn a_mesh_that_is_not_as_in_the_run_is_a_fault() {
    let run = Run::new(&[]);
    let mesh = run.out.join("meshes/mesh_0_quads.obj");
    // The same polygons: only the hash can tell.
    let moved = read(&mesh).replace("v 0 0 0\n", "v -0.1 0 0\n");
    std::fs::write(&mesh, moved).expect("the mesh is written");
    run.assert_found(&["meshes/mesh_0_quads.obj: the mesh has changed since the run"]);
    run.assert_found(&["strain against frame_0000.obj, not the rest shape", "has changed"]);
    std::fs::remove_file(&mesh).expect("the mesh is removed");
    run.assert_found(&["meshes/mesh_0_quads.obj: missing"]);
}

#[test]
fn faces_that_all_frames_share_and_are_not_those_of_the_scene_are_a_fault() {
    let run = Run::new(&["--set", "output.formats=\"pc2\""]);
    let file = run.out.join("frames_quads.obj");
    let others = read(&file).replacen("f 1 5 6 2\n", "f 5 6 2 1\n", 1);
    assert_ne!(others, read(&file));
    std::fs::write(&file, others).expect("the faces are written");
    run.assert_found(&["frames_*.obj: the faces of", "are not those of the scene"]);
}

#[test]
fn frames_of_vtk_have_their_own_time_finite_velocities_and_sound_faces() {
    let run = Run::new(&["--set", "output.formats=\"vtp\""]);
    let frame = |number: u32| run.out.join(format!("frame_{number:04}.vtp"));
    let whole = std::fs::read(frame(1)).expect("a frame can be read");
    assert_eq!(run.check(&[]).0, Some(0));
    std::fs::copy(frame(2), frame(1)).expect("a frame is replaced");
    run.assert_found(&["frame_0001.vtp: its time is 0.2"]);
    // The first number of an array, which the header places.
    let first_of = |name: &str| {
        let text = String::from_utf8_lossy(&whole);
        let (head, _) = text.split_once("raw\">\n_").expect("a header");
        let (_, array) = head.split_once(&format!("Name=\"{name}\"")).expect("an array");
        let (_, offset) = array.split_once("offset=\"").expect("an offset");
        let (offset, _) = offset.split_once('"').expect("its end");
        head.len() + 7 + offset.parse::<usize>().expect("a number") + 8
    };
    for (name, number, words) in [
        ("velocity", f64::INFINITY.to_le_bytes(), "frame_0001.vtp: not finite: velocity"),
        ("connectivity", 40_u64.to_le_bytes(), "frame_0001.vtp: torn: its faces are damaged"),
        ("connectivity", 9_u64.to_le_bytes(), "frame_0001.vtp: torn: its faces are not those"),
    ] {
        let mut damaged = whole.clone();
        let place = first_of(name);
        damaged[place..place + 8].copy_from_slice(&number);
        std::fs::write(frame(1), damaged).expect("the frame is written");
        run.assert_found(&[words]);
    }
}

#[test]
fn pairs_that_the_scene_keeps_apart_are_left_out_and_named() {
    let apart = r#"apart=[("sheet", "quads"), ("quads", "quads")]"#;
    let run = Run::new(&["--set", apart]);
    run.place(1, &[(28, "0.5 0.9 0.5")]);
    run.place(2, &[(1, "0.3333 1.2 0"), (0, "0.6 0.9 0.6")]);
    let (code, out, _) = run.check(&["--max-strain", "1000000"]);
    let named = "no fault in 3 frames; not checked, because the scene keeps them apart: \
                 `sheet` and `quads`, `quads` and itself";
    assert!(code == Some(0) && out.contains(named), "{out}");
    run.place(2, &[(5, "0.25 -0.1 0.125")]);
    run.assert_found(&["between quads and floor"]);
}

#[test]
fn each_kind_of_intersection_is_found_with_frame_and_objects() {
    for (places, words) in [
        (&[(28, "0.5 0.9 0.5")][..], &["between quads and sheet"][..]),
        // A fold whose edge (0, 1) goes through the middle of its own sheet.
        (&[(1, "0.3333 1.2 0"), (0, "0.6 0.9 0.6")], &["quads with itself"]),
        (&[(5, "0.25 -0.1 0.125")], &["between quads and floor"]),
        (&[(15, "3 0.6 0")], &["between quads and lift"]),
        // Six edges end in the floor's plane; a touch counts as well.
        (&[(5, "0.25 0 0.125")], &["6 intersections between quads and floor"]),
        (&[(5, "0.25 -0 0.125")], &["edge (1, 5) of quads meets face", "at (0.25"]),
    ] {
        let run = Run::new(&[]);
        run.place(1, places);
        run.assert_found(&[words, &[]].concat());
        run.assert_found(&["frame_0001.obj: ", "intersection"]);
        assert!(!run.check(&[]).1.contains("frame_0002.obj"));
    }
    let run = Run::new(&[]);
    run.place(1, &[(5, "0.25 1e-9 0.125")]);
    assert_eq!(run.check(&[]).0, Some(0));
}

/// Lifts two opposite corners of the middle quadrilateral of `quads` in frame 1.
fn lift(run: &Run, corners: [usize; 2], height: &str) {
    let thirds = ["0", "0.3333", "0.6667"];
    let [a, b] = corners.map(|v| (v, format!("{} {height} {}", thirds[v % 4], thirds[v / 4])));
    run.place(1, &[(a.0, &a.1), (b.0, &b.1)]);
}

/// The probe is a vertex of the sheet. The cut of the quadrilateral decides whether it is above.
#[test]
fn quadrilaterals_are_cut_as_a_viewer_draws_them() {
    let probe = (28, "0.5 1.2 0.5");
    for (ridge, height, code) in [
        ([5, 10], "1.22", Some(1)),
        // Folded by 86 degrees.
        ([6, 9], "1.22", Some(0)),
        // Folded by 104 degrees.
        ([6, 9], "1.3", Some(1)),
    ] {
        let run = Run::new(&[]);
        lift(&run, ridge, height);
        run.place(1, &[probe]);
        let (found, out, _) = run.check(&[]);
        assert_eq!(found, code, "{ridge:?}: {out}");
        assert_eq!(out.contains("folded by more than 90 degrees"), height == "1.3", "{out}");
    }
}

#[test]
fn sharply_folded_quadrilaterals_are_warned_of_and_triangles_avoid_them() {
    let run = Run::new(&[]);
    lift(&run, [6, 9], "1.3");
    let (code, out, _) = run.check(&[]);
    let warning = "degrees in 1 frame, up to 1 in one; the most, by 104 degrees, is (5, 9, 10, 6) \
                   of quads in frame_0001.obj";
    assert!(code == Some(0) && out.contains(warning), "{out}");

    run.place(1, &[(28, "0.5 1.2 0.5")]);
    run.assert_found(&["frame_0001.obj: 0 intersections of the triangles of the simulation"]);
    let (_, _, said) = run.check(&[]);
    assert!(said.contains("help: ") && said.contains("--set output.polygons=Triangles"), "{said}");

    let run = Run::new(&["--set", "output.polygons=Triangles"]);
    let frame = read(&run.frame(1));
    let faces = frame.lines().filter(|line| line.starts_with("f "));
    assert!(faces.map(|line| line.split_whitespace().count()).all(|words| words == 4), "{frame}");
    lift(&run, [6, 9], "1.3");
    run.place(1, &[(28, "0.5 1.2 0.5")]);
    let (code, out, _) = run.check(&[]);
    assert!(code == Some(0) && !out.contains("warning"), "{out}");
}

#[test]
fn frames_that_are_missing_torn_or_not_finite_are_named() {
    let run = Run::new(&[]);
    run.place(1, &[(17, "0 NaN 1"), (18, "inf 0 0")]);
    run.assert_found(&["frame_0001.obj: ", "not finite", "vertex 1 of sheet", "1 more"]);

    let text = read(&run.frame(2));
    for (left, why) in [(text.len() / 4, "vertices"), (text.len() - 9, "faces")] {
        std::fs::write(run.frame(2), &text[..left]).expect("a frame is written");
        run.assert_found(&["frame_0002.obj: ", "torn", why]);
    }
    std::fs::remove_file(run.frame(2)).expect("a frame is removed");
    run.assert_found(&["frame_0002.obj: ", "missing"]);

    let run = Run::new(&[]);
    std::fs::remove_file(run.frame(0)).expect("a frame is removed");
    run.assert_found(&["frame_0000.obj: ", "missing"]);
}

/// Two hands that part, and a box that is fixed to both.
const TORN: &str = r#"(
    name: "torn", frames: 2, steps_per_frame: 10,
    cloths: [(shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 2, rows: 2), material: Fabric("cotton"))],
    bodies: [
        (name: "box", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak", arrangement: At([(0, 0.2, 0)])),
        (name: "left", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak", arrangement: At([(-0.3, 0.2, 0)]),
         motion: Keyframed(keyframes: [(), (time_s: 1, translation_m: (-0.3, 0, 0))])),
        (name: "right", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak", arrangement: At([(0.3, 0.2, 0)]),
         motion: Keyframed(keyframes: [(), (time_s: 1, translation_m: (0.3, 0, 0))])),
    ],
    materials: [(name: "oak", density_kg_per_m3: 700)],
    joints: [(kind: Fixed, bodies: Pair("box", "left")), (kind: Fixed, bodies: Pair("box", "right"))],
)"#;

#[test]
fn joints_among_cloth_that_open_are_a_fault() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (scene, out) = (home.path().join("torn.ron"), home.path().join("out"));
    std::fs::write(&scene, TORN).expect("a scene is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let output = finish(command.arg(scene).arg("--out").arg(&out));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (code, said, why) = check(&out, &[]);
    assert!(code == Some(1) && why.contains("a joint was open"), "{said}{why}");
    assert!(said.contains("joints: open by at most 24"), "{said}");
    let (code, said, why) = check(&out, &["--max-joint-gap", "0.5"]);
    assert_eq!(code, Some(0), "{said}{why}");
}

#[test]
fn strain_is_reported_and_may_be_limited() {
    let run = Run::new(&[]);
    // One edge of a third of a metre becomes half as long again.
    run.place(2, &[(0, "-0.16666666667 1 0")]);
    let (code, out, _) = run.check(&["--max-strain", "0.6"]);
    assert_eq!(code, Some(0), "{out}");
    let row = out.lines().find(|line| line.trim_start().starts_with("2 ")).expect("a row");
    assert_eq!(row.split_whitespace().nth(2), Some("50.000"), "{row}");
    let (code, out, _) = run.check(&["--max-strain", "0.4"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("frame_0002.obj: an edge is strained by 50.000 %"), "{out}");
    for limit in ["nan", "-0.1", "inf", "much"] {
        let (code, _, said) = run.check(&["--max-strain", limit]);
        assert!(code == Some(2) && said.contains("a number from 0 up"), "{limit}: {said}");
    }
}

#[test]
fn an_absurd_length_is_a_fault_also_without_a_limit() {
    for (place, words) in [
        ("-20 1 0", ["edge (0, 1) of quads is 20.33", "m long, at rest 0.333"]),
        ("0.333333333 1 0", ["edge (0, 1) of quads is 0 m", "m long, at rest 0.333"]),
    ] {
        let run = Run::new(&[]);
        run.place(1, &[(0, place)]);
        run.assert_found(&[&["frame_0001.obj: "], &words[..]].concat());
    }
}

#[test]
fn folders_that_are_no_runs_and_runs_that_failed_are_refused() {
    let run = Run::new(&[]);
    for (folder, words) in [
        (run.home.path().join("nowhere"), ["nowhere", "no such folder"]),
        (run.home.path().to_path_buf(), ["no run", "run.json"]),
    ] {
        let (code, _, said) = check(&folder, &[]);
        assert!(code == Some(1) && said.contains("help: "), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    }
    let record = run.out.join("run.json");
    let failed = read(&record).replace("\"complete\"", "\"failed\"");
    std::fs::write(&record, failed).expect("run.json is written");
    run.assert_found(&["run.json: the run failed, frames 0 to 2 whole"]);

    // Killed while it wrote a frame that it has not listed.
    let running = read(&record).replace("\"failed\"", "\"running\"");
    std::fs::write(&record, running).expect("run.json is written");
    let steps = run.out.join("steps.jsonl");
    let listed = read(&steps);
    let first = listed.lines().next().expect("a line");
    std::fs::write(&steps, format!("{first}\n{{\"frame\":1,")).expect("steps.jsonl is written");
    std::fs::remove_file(run.frame(2)).expect("a frame is removed");
    run.assert_found(&["run.json: the run was killed, frame 0 whole"]);
    run.assert_found(&["no fault in 1 frame"]);
    std::fs::write(&steps, "").expect("steps.jsonl is written");
    let (code, _, said) = run.check(&[]);
    assert!(code == Some(1) && said.contains("the run was killed, no frame whole"), "{said}");
    std::fs::write(&steps, listed).expect("steps.jsonl is written");

    let older = read(&record).replace("\"format\":6", "\"format\":4");
    std::fs::write(&record, older).expect("run.json is written");
    let (code, _, said) = run.check(&[]);
    assert!(code == Some(1) && said.contains("format 4") && said.contains("repeat"), "{said}");
    std::fs::write(&record, read(&record).replace("\"format\":4", "\"format\":6"))
        .expect("it is back");

    std::fs::remove_file(run.out.join("obstacles.obj")).expect("a file is removed");
    let (code, _, said) = run.check(&[]);
    assert!(code == Some(1) && said.contains("obstacles.obj"), "{said}");
}

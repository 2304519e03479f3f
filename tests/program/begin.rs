//! What a new user begins with: scenes of templates, meshes of shapes, completions and the manual.

use std::process::Command;

use crate::common::run::{BINARY, assert_says, finish};

#[test]
fn every_template_runs_as_it_is_and_no_file_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    for template in ["drape", "garment", "bodies", "bridge"] {
        let cloth_sim = || {
            let mut command = Command::new(&*BINARY);
            command.current_dir(folder.path());
            command
        };
        let write = ["new", template, "--template", template];
        let written = finish(cloth_sim().args(write));
        assert!(written.status.success(), "{template}: {written:?}");
        let scene = folder.path().join(format!("{template}.ron"));
        let text = std::fs::read_to_string(&scene).expect("a scene");
        assert!(text.contains(&format!("cloth-sim info {template}.ron")), "{text}");
        let said = finish(cloth_sim().arg(&scene).args(["--frames", "1", "--quiet"]));
        assert!(said.status.success() && said.stderr.is_empty(), "{template}: {said:?}");
        std::fs::write(&scene, "mine").expect("a change");
        assert_says(&finish(cloth_sim().args(write)), &[&format!("{template}.ron"), "--overwrite"]);
        assert_eq!(std::fs::read_to_string(&scene).expect("a scene"), "mine");
    }
}

#[test]
fn meshes_are_made_of_the_shapes_of_scenes() {
    let folder = tempfile::tempdir().expect("a folder");
    let make = |shape: &str| {
        let mut command = Command::new(&*BINARY);
        command.current_dir(folder.path());
        finish(command.args(["mesh", "--shape", shape, "--out", "new.obj", "--overwrite"]))
    };
    let made = make("Tube(radius_m: 0.2, top_radius_m: 0.1, length_m: 0.5, columns: 30, rows: 12)");
    assert!(made.status.success(), "{made:?}");
    let obj = std::fs::read_to_string(folder.path().join("new.obj")).expect("a mesh");
    assert_eq!(obj.lines().filter(|line| line.starts_with("v ")).count(), 30 * 13);
    for (shape, words) in [
        ("Tube(radius_m: 0.2, length_m: 0.5, columns: 2, rows: 12)", "--shape.columns"),
        ("Tube(radius_m: -1, length_m: 0.5, columns: 9, rows: 12)", "--shape.radius_m"),
        ("Cone(radius_m: 1)", "--shape"),
        ("Mesh(\"a.obj\")", "--shape"),
    ] {
        assert_says(&make(shape), &[words]);
    }
}

#[test]
fn shells_and_manuals_know_every_subcommand() {
    let print = |words: &[&str]| {
        let said = finish(Command::new(&*BINARY).args(words));
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).expect("text")
    };
    for text in [print(&["completions", "bash"]), print(&["completions", "fish"]), print(&["man"])]
    {
        for subcommand in ["new", "resume", "info", "check", "mesh", "profile"] {
            assert!(text.contains(subcommand), "{subcommand}");
        }
    }
}

#[test]
fn info_names_fine_obstacles_unused_lines_and_the_warnings_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = r#"(frames: 1, steps_per_frame: 1, cloths: [
            (name: "rag", shape: Mesh("rag.obj"), material: Fabric("cotton"),
             pins: [(select: Vertices([0]),
                motion: (keyframes: [(), (time_s: 0.02, translation_m: (0, 0.5, 0))]))]),
        ],
        obstacles: [(name: "arm", shape: Capsule(radius_m: 0.05, length_m: 1.2),
             transform: (translation_m: (0, -1, 0)))])"#;
    let rag = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\nl 1 3\n";
    std::fs::write(folder.path().join("rag.obj"), rag).expect("a mesh");
    std::fs::write(folder.path().join("rag.ron"), scene).expect("a scene");
    let mut command = Command::new(&*BINARY);
    let output = finish(command.current_dir(folder.path()).args(["info", "rag.ron"]));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "rag  cloth, 4 vertices, ",
        "note: `arm` has 48,750 triangles, all cloth 2;",
        "--set 'obstacles[0].shape.edge_m=0.00833' makes a quarter of them",
        "note: the mesh of `rag` has 1 line (`l`) that no seam sews",
        "measured  1 step,",
        "warning: cloths[0].pins[0] of `rag`: it leaps: 25.0 m/s on the way to 0.020 s",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn answers_for_other_programs_are_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = |words: &[&str]| -> serde_json::Value {
        let mut command = Command::new(&*BINARY);
        let said = finish(command.current_dir(folder.path()).args(words));
        assert!(said.status.success(), "{said:?}");
        serde_json::from_slice(&said.stdout).unwrap_or_default()
    };
    let new = json(&["new", "bodies", "--template", "bodies", "--json"]);
    assert_eq!(new["file"], "bodies.ron");
    let info = json(&["info", "bodies.ron", "--frames", "2", "--threads", "1", "--json"]);
    assert_eq!((&info["frames"], &info["steps_per_frame"]), (&2.into(), &10.into()));
    let [set_up_s, step_s, run_s] = ["set_up_s", "step_s", "run_s"].map(|it| info[it].as_f64());
    let sum_s = set_up_s.zip(step_s).map(|(set_up_s, step_s)| set_up_s + 20.0 * step_s);
    assert!(run_s.zip(sum_s).is_some_and(|(run_s, sum_s)| (run_s - sum_s).abs() < 1e-9), "{info}");
    let run = json(&["bodies.ron", "--frames", "1", "-v", "--json"]);
    assert_eq!((&run["status"], &run["last_frame"]), (&"complete".into(), &1.into()));
    let run = json(&["resume", "out/bodies", "--frames", "2", "--json"]);
    assert_eq!((&run["folder"], &run["last_frame"]), (&"out/bodies".into(), &2.into()));
    let convert = json(&["convert", "out/bodies", "--to", "pc2", "--json"]);
    assert_eq!(
        (&convert["formats"][0]["format"], &convert["last_frame"]),
        (&"pc2".into(), &2.into())
    );
    let view = json(&["view", "out/bodies", "--no-open", "--json"]);
    assert_eq!(view["page"], "out/bodies/view.html");
    let shape = "Disc(radius_m: 0.5, rings: 4)";
    let mesh = json(&["mesh", "--shape", shape, "--out", "disc.obj", "--json"]);
    assert_eq!((&mesh["mesh"], &mesh["new"]["parts"]), (&serde_json::Value::Null, &1.into()));
    let check = json(&["check", "out/bodies", "--json"]);
    assert_eq!(
        (&check["fault"], &check["frames"][2]["frame"]),
        (&serde_json::Value::Null, &2.into())
    );
    assert_eq!(check["frames"][2]["intersections"].as_f64(), Some(0.0));
    let table =
        finish(Command::new(&*BINARY).current_dir(folder.path()).args(["check", "out/bodies"]));
    let stretch = check["frames"][2]["stretch"].as_f64().expect("a strain");
    let shown = format!("{:.3}", 100.0 * stretch);
    assert!(String::from_utf8_lossy(&table.stdout).contains(&shown), "{shown}: {table:?}");
}

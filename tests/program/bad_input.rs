//! Bad scenes and arguments (rooms `scene`, `input`, `program`): the error names file, place,
//! cause and remedy, the exit code is not 0, and there is no panic.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::run::{assert_says, finish, scene};

/// A scene of one cloth of this `shape`, with more `fields` of the scene.
fn sheet(shape: &str, fields: &str) -> String {
    format!(
        r#"(name: "bad", frames: 1, cloths: [(shape: {shape}, material: Isotropic(
            density_kg_per_m2: 0.2, modulus_n_per_m: 500.0, poisson_ratio: 0.3, rigidity_n_m: 1e-5,
        ))], {fields})"#
    )
}

const SHEET: &str = "Sheet(width_m: 1.0, length_m: 1.0, columns: 4, rows: 4)";

fn cloth_sim() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    command.args(["--ranks", "1"]);
    command
}

/// Runs the scene `text` in a folder that also holds `mesh.obj`.
fn run(text: &str, mesh: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bad.ron");
    std::fs::write(&file, text).expect("a scene is written");
    std::fs::write(folder.path().join("mesh.obj"), mesh).expect("a mesh is written");
    finish(cloth_sim().arg(&file).arg("--out").arg(folder.path().join("out")).args(more))
}

#[test]
fn files_that_are_missing_or_no_scene() {
    let missing = finish(cloth_sim().arg("no/such/scene.ron"));
    assert_says(&missing, &["no/such/scene.ron"]);
    assert_says(&run("(name: \"bad\",\n  frames: oops)", "", &[]), &["bad.ron:2:"]);
    assert_says(&run("hello", "", &[]), &["bad.ron:1:"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mesh = folder.path().join("shirt.OBJ");
    std::fs::write(&mesh, "v 0 0 0\n").expect("a mesh is written");
    let words = ["shirt.OBJ: it is a mesh, not a scene", "shape: Mesh(", "cloth-sim new"];
    assert_says(&finish(cloth_sim().arg(&mesh)), &words);
    let words = ["there is no subcommand `run`", "help: a scene is run by `cloth-sim a.ron`"];
    let subcommand = finish(Command::new(env!("CARGO_BIN_EXE_cloth-sim")).args(["run", "a.ron"]));
    assert_says(&subcommand, &words);
    assert_eq!(subcommand.status.code(), Some(2));
    let mesh = sheet("Mesh(\"nowhere.obj\")", "");
    assert_says(&run(&mesh, "", &[]), &["nowhere.obj"]);
}

#[test]
fn unknown_fields_name_the_nearest_known_one() {
    let output = run(&sheet(SHEET, "frame_per_second: 25.0"), "", &[]);
    assert_says(&output, &["bad.ron:", "frame_per_second", "frames_per_second"]);
    let output = run(&sheet(SHEET, ""), "", &["--set", "contact.distnce_m=1"]);
    assert_says(&output, &["contact.distnce_m", "distance_m"]);
    for (set, words) in [
        ("frames=many", &["--set frames=many", "a whole number", "help: write digits alone"][..]),
        ("frames=-1", &["a whole number from 0 up", "help: write digits alone"]),
        ("frames_per_second=fast", &["expected a number", "help: write a number such as"]),
        ("contact=(distance_m: 1", &["help: write the value as in a scene"]),
        ("contact", &["no `=`", "help: write path=value"]),
    ] {
        assert_says(&run(&sheet(SHEET, ""), "", &["--set", set]), words);
    }
    let output = run(&sheet(SHEET, "output: (formats: \"ob\")"), "", &[]);
    assert_says(&output, &["output.formats", "unknown format `ob`", "did you mean `obj`"]);
    let fabric =
        format!("(name: \"bad\", cloths: [(shape: {SHEET}, material: Fabric(\"dennim\"))])");
    assert_says(&run(&fabric, "", &[]), &["dennim", "denim", "cloths[0].material"]);
}

#[test]
fn numbers_out_of_bounds_name_their_field() {
    let output = run(&sheet(SHEET, "contact: (distance_m: 0.0)"), "", &[]);
    assert_says(&output, &["bad.ron: contact.distance_m"]);
    let output = run(&sheet(SHEET, ""), "", &["--set", "patch_vertices=0"]);
    assert_says(&output, &["patch_vertices"]);
    let limit = sheet(SHEET, "").replace("material:", "strain_limit: 5, material:");
    let words = ["strain_limit: 5 is out of bounds: the largest magnitude is 1 (0.05 is 5 %)"];
    assert_says(&run(&limit, "", &[]), &words);
}

#[test]
fn numbers_that_no_run_would_end_with_are_refused_at_once() {
    let wind = "air: (wind: [(time_s: 0, velocity_m_per_s: (1e30, 0, 0))])";
    assert_says(&run(&sheet(SHEET, wind), "", &[]), &["air.wind[0].velocity_m_per_s: 1e30 m/s"]);
    let long = run(&sheet(SHEET, "steps_per_frame: 1000000000"), "", &[]);
    assert_says(&long, &["steps_per_frame: 1000000000 are too many", "at most 100000"]);
    let fine = SHEET.replace("columns: 4, rows: 4", "columns: 400, rows: 400");
    let words = ["--refine", "655360000 vertices", "choose at most "];
    assert_says(&run(&sheet(&fine, ""), "", &["--refine", "64"]), &words);
    let keys = "keyframes: [(), (time_s: 1, translation_m: (1e5, 0, 0))]";
    let pin = format!("pins: [(select: Vertices([0]), motion: ({keys}))], material:");
    let fast = run(&sheet(SHEET, "").replace("material:", &pin), "", &[]);
    assert_says(&fast, &["cloths[0].pins[0].motion.keyframes[1]", "a speed of 1.000e5 m/s"]);
}

#[test]
fn frames_that_are_asked_for_count_more_than_those_of_the_scene() {
    for (frames, said) in [("0", "0 frames in"), ("5", "5 frames in")] {
        let more = ["--set", "steps_per_frame=1", "--frames", frames];
        let output = run(&sheet(SHEET, ""), "", &more);
        let summary = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && summary.contains(said), "{summary}");
    }
    let output = run(&sheet(SHEET, ""), "", &["--frames", "-2"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2), "{said}");
    assert!(said.contains("a whole number from 0 up, and `-2` is not"), "{said}");
}

#[test]
fn meshes_with_defects_name_the_line_or_the_element() {
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n";
    for (obj, words) in [
        (format!("{square}f 1 2 9\n"), &["mesh.obj:5", "9"][..]),
        (square.to_string(), &["mesh.obj", "no face"]),
        (format!("{square}f 1 2 2\nf 1 3 4\n"), &["mesh.obj:5"]),
        (format!("{square}v 2 0 0\nf 1 2 5\nf 1 3 4\nf 1 2 3\n"), &["mesh.obj:6", "area"]),
        (format!("{square}v 0 1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n"), &["mesh.obj", "edge"]),
        (format!("{square}f 1 2 3\n"), &["mesh.obj", "vertex 4"]),
        (
            format!("{square}v 0 0 0\nv 1 0 1\nf 1 2 3\nf 5 6 4\n"),
            &[
                "of `",
                "2 of 6 vertices are at the place of another one (4 at 0, 5 at 2; from 0)",
                "--weld",
            ],
        ),
        (format!("v nan 0 0\n{square}f 2 3 4\nf 1 2 5\n"), &["mesh.obj:1"]),
        ("v 0 zero 0\n".to_string(), &["mesh.obj:1"]),
    ] {
        assert_says(&run(&sheet("Mesh(\"mesh.obj\")", ""), &obj, &[]), words);
    }
    let sewn = sheet("Mesh(\"mesh.obj\"), name: \"flag\"", "seams: [(stitches: Lines(\"flag\"))]");
    let itself = format!("{square}f 1 2 3 4\nl 1 1\nl 1 3\n");
    assert_says(&run(&sewn, &itself, &[]), &["seams[0].stitches", "vertex 0 to itself"]);
}

#[test]
fn a_pin_that_names_no_vertex() {
    for select in [
        "Vertices([25])",
        "Box(min_m: (5.0, 5.0, 5.0), max_m: (6.0, 6.0, 6.0))",
        "Group(\"collar\")",
    ] {
        let text = sheet(SHEET, "")
            .replace("material:", &format!("pins: [(select: {select})], material:"));
        assert_says(&run(&text, "", &[]), &["cloths[0].pins[0]"]);
    }
    let pin = "pins: [(select: Vertices([0]), follow: \"figure\")], material:";
    let words = ["cloths[0].pins[0].follow", "no obstacle `figure`", "the scene has no obstacles"];
    assert_says(&run(&sheet(SHEET, "").replace("material:", pin), "", &[]), &words);
}

#[test]
fn loads_that_cannot_be() {
    let said = |load: &str, words: &[&str]| {
        let text = sheet(SHEET, "").replace("material:", &format!("{load}, material:"));
        assert_says(&run(&text, "", &[]), words);
    };
    let corner = "select: Vertices([0])";
    for (load, words) in [
        (format!("forces: [({corner}, force_n: (0, NaN, 0))]"), &["forces[0].force_n", "NaN"][..]),
        (format!("forces: [({corner}, force: (0, 1, 0))]"), &["`force` of Force", "`force_n`"]),
        (format!("forces: [({corner})]"), &["`force_n` of Force is missing"]),
        ("forces: [(force_n: (0, 1, 0))]".into(), &["`select` of Force is missing"]),
        (
            "forces: [(select: Group(\"hem\"), force_n: (0, 1, 0))]".into(),
            &["cloths[0].forces[0].select", "no group `hem`"],
        ),
        (
            format!("masses: [({corner}, mass_kg: -1)]"),
            &["masses[0].mass_kg", "-1 is not positive"],
        ),
        ("pressures: [(pressure_pa: 5)]".into(), &["`side` of Pressure is missing"]),
        (
            "pressures: [(side: Inside, pressure_pa: 5)]".into(),
            &["unknown choice `Inside`", "Front, Back"],
        ),
        (
            format!("pressures: [({corner}, side: Back, pressure_pa: 5)]"),
            &["cloths[0].pressures[0].select", "no face has all of its corners"],
        ),
        (
            "angular_velocity_rad_per_s: (0, 2000, 0)".into(),
            &["cloths[0].angular_velocity_rad_per_s", "in a time step"],
        ),
    ] {
        said(&load, words);
    }
}

/// The pin takes up the load; the run goes on and says so.
#[test]
fn a_load_on_a_pinned_vertex_is_warned_of() {
    let both = "pins: [(select: Vertices([0]))], forces: [(select: Vertices([0, 4]), force_n: (0, 1, 0))],";
    let text = sheet(SHEET, "").replace("material:", &format!("{both} material:"));
    let output = run(&text, "", &["--set", "steps_per_frame=20"]);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cloths[0].forces[0]: 1 of its 2 vertices are pinned"), "{said}");
}

#[test]
fn joints_that_cannot_be() {
    let scene = |joint: &str, fields: &str| {
        format!(
            r#"(frames: 1, bodies: [
                (name: "arm", shape: Sphere(radius_m: 0.1), material: "oak"),
                (name: "links", shape: Sphere(radius_m: 0.1), material: "oak",
                 arrangement: At([(0.5, 0, 0), (0.5, 0.3, 0)])),
                (name: "post", shape: Sphere(radius_m: 0.1), material: "oak", motion: Immovable,
                 arrangement: At([(-0.5, 0, 0)])),
            ], materials: [(name: "oak", density_kg_per_m3: 700)], joints: [({joint})], {fields})"#
        )
    };
    let (slider, hinge) = ("kind: Slider(axis: (1, 0, 0)", "kind: Hinge(axis: (0, 0, 1)");
    for (joint, words) in [
        ("kind: Ball, bodies: Pair(\"arm\", \"arm\")", &["joints[0].bodies", "to itself"][..]),
        ("kind: Ball, bodies: Pair(\"post\", \"space\")", &["joints[0].bodies", "neither"]),
        ("kind: Ball, bodies: Pair(\"arn\", \"space\")", &["`arn`", "did you mean `arm`"]),
        ("kind: Ball, bodies: Pair(\"#99\", \"arm\")", &["no body `#99`", "#0 to #"]),
        ("kind: Ball, bodies: Pair(\"links\", \"arm\")", &["not one body", "links[0]"]),
        ("kind: Ball, bodies: Pair(\"links[2]\", \"arm\")", &["not one body", "links[1]"]),
        ("kind: Ball, bodies: File(\"mesh.obj\")", &["mesh.obj:3", "bodies `leg`"]),
        ("kind: Ball, bodies: File(\"no.csv\")", &["no.csv"]),
        (&format!("{slider}), bodies: Pair(\"arm\", \"links[0]\")"), &["add `limits_m`"]),
        (&format!("{slider}, limits_m: (1, 0)), bodies: Chain(\"links\")"), &["above the upper"]),
        (&format!("{slider}, limits_m: (1, 2)), bodies: Chain(\"links\")"), &["the start is not"]),
        (
            "kind: Distance(to_m: (0.1, 0, 0)), bodies: Pair(\"arm\", \"space\"), at_m: (0.1, 0, 0)",
            &["joints[0].kind", "at the same place", "use `Ball`"],
        ),
        (
            "kind: Distance(max_m: 0.1), bodies: Chain(\"links\")",
            &["joints[0].kind", "0.3 m apart"],
        ),
        (
            "kind: Ball, bodies: Chain(\"links\"), damping_n_s_per_m: 3",
            &["joints[0].damping_n_s_per_m", "rigid", "add `compliance_m_per_n`, or leave it out"],
        ),
        (
            "kind: Distance(), bodies: Chain(\"links\"), compliance_rad_per_n_m: 3",
            &["joints[0].compliance_rad_per_n_m", "lets its bodies turn", "leave it out"],
        ),
        (&format!("{hinge}, limits_deg: (0, 400)), bodies: Chain(\"links\")"), &["whole turn"]),
        ("kind: Hinge(axis: (0, 0, 0)), bodies: Chain(\"links\")", &["joints[0].kind.axis"]),
        ("kind: Fixed, bodies: Chain(\"links\"), compliance_m_per_n: -1", &["compliance_m_per_n"]),
        ("kind: Ball, bodies: Chain(\"arm\")", &["joints[0].bodies", "its bodies are 1", "`Pair`"]),
        (
            "kind: Ball, bodies: Chain(\"links\")), \
             (kind: Ball, bodies: Pair(\"links[1]\", \"links[0]\")",
            &["bad.ron: joints[1]", "the joint of joints[0] once more", "leave one out"],
        ),
        (
            "kind: Ball, name: \"knee\", bodies: Chain(\"links\")",
            &["help: known here: kind, bodies"],
        ),
    ] {
        let csv = "first,second\narm,space\nleg,space\n";
        assert_says(&run(&scene(joint, ""), csv, &[]), words);
    }
    let ball = "kind: Ball, bodies: Chain(\"links\")";
    assert_says(&run(&scene(ball, "response: Ffd"), "", &[]), &["response", "Nonsmooth"]);
    let file = "kind: Ball, bodies: File(\"mesh.obj\")";
    for (csv, words) in [
        ("first,second,x\narm,space,1\n", &["mesh.obj:2", "x, y and z are missing"][..]),
        ("first,second\n\n", &["mesh.obj:1", "no joint", "a line for each joint"]),
        (
            "first,second,x,y,z\narm,space,0,0,0\narm,space,0,wide,0\n",
            &["mesh.obj:3", "y: `wide` is no number", "help: write a number such as"],
        ),
        ("first,second,x\narm,space\n", &["mesh.obj:2", "2 values instead of 3"]),
        ("first,second\narm,space\n\narm,space\n", &["mesh.obj:4", "mesh.obj:2 once more"]),
    ] {
        assert_says(&run(&scene(file, ""), csv, &[]), words);
    }
    let twice = format!("{file}), ({file}");
    let words = ["mesh.obj:2", "leave one out"];
    assert_says(&run(&scene(&twice, ""), "first,second\narm,space\n", &[]), &words);
}

#[test]
fn output_that_cannot_be_written_or_is_there_already() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file is written");
    let arguments = ["--frames", "1", "--set", "steps_per_frame=1"];
    let run = |out: &Path, more: &[&str]| {
        finish(cloth_sim().arg(scene("sheet.ron")).arg("--out").arg(out).args(arguments).args(more))
    };
    assert_says(&run(&file.join("out"), &[]), &["file"]);

    let out = folder.path().join("out");
    assert!(run(&out, &[]).status.success());
    assert_says(&run(&out, &[]), &["out", "--overwrite"]);
    assert!(run(&out, &["--overwrite"]).status.success());
}

#[test]
fn contact_of_pairs_that_cannot_be() {
    let material = |of: &str| format!("materials: [(name: \"wool\", {of})]");
    for (fields, words) in [
        (material("distance_m: -0.001"), &["materials[0].distance_m: -0.001 is not positive"][..]),
        (material("distance_m: NaN"), &["materials[0].distance_m", "NaN"]),
        (
            material("distance_m: 5e-5"),
            &["materials[0].distance_m", "contact.clearance_m, 0.00001", "at least ten times"],
        ),
        (material("distance: 0.001"), &["did you mean `distance_m`"]),
        (
            "apart: [(\"sheet\", \"floor\")]".to_owned(),
            &["apart[0]", "no cloth, body or obstacle `floor`"],
        ),
        ("apart: [(\"shet\", \"sheet\")]".to_owned(), &["apart[0]", "did you mean `sheet`"]),
    ] {
        assert_says(&run(&sheet(SHEET, &fields), "", &[]), words);
    }
    let bodies = |fields: &str| {
        format!(
            r#"(frames: 1, bodies: [(name: "ball", shape: Sphere(radius_m: 0.1), material: "oak")],
                materials: [(name: "oak", density_kg_per_m3: 700{fields})"#
        )
    };
    let alone = [bodies(", distance_m: 0.002)]"), bodies(")], apart: [(\"ball\", \"ball\")]")];
    for (scene, at) in alone.iter().zip(["materials[0].distance_m", "apart"]) {
        let words = [at, "scenes with cloth or `engine: Contact`", "leave it out"];
        assert_says(&run(scene, "", &[]), &words);
    }
}

#[test]
fn compounds_that_cannot_be() {
    let scene = |parts: &str| {
        format!(
            r#"(frames: 1, bodies: [(shape: Compound([{parts}]), material: "oak")],
                materials: [(name: "oak", density_kg_per_m3: 700)])"#
        )
    };
    let ball = "(shape: Sphere(radius_m: 0.1))";
    let many = format!("{ball}, ").repeat(1001);
    let nested = format!("{ball}, (shape: Compound([{ball}]))");
    for (parts, words) in [
        ("", &["bodies[0].shape", "no part", "add one"][..]),
        (&many, &["bodies[0].shape", "1001 parts are too many", "at most 1000"]),
        ("(shape: Mesh(\"mesh.obj\"))", &["bodies[0].shape[0].shape", "`Mesh`", "Capsule", "Hull"]),
        (&nested, &["bodies[0].shape[1].shape", "a `Compound` cannot be a part", "Sphere"]),
        ("(shape: HalfSpace)", &["bodies[0].shape[0].shape", "`HalfSpace`", "choose one of"]),
        ("(shape: Sphere(radius_m: 0))", &["bodies[0].shape[0].shape.radius_m", "not positive"]),
        (&ball.replace("))", "), at_m: (0, NaN, 0))"), &["bodies[0].shape[0].at_m"]),
        (&ball.replace("))", "), axis: (0, 0, 0))"), &["bodies[0].shape[0].axis"]),
        (&ball.replace("))", "), angle_deg: inf)"), &["bodies[0].shape[0].angle_deg"]),
        ("(shape: Hull(\"no.obj\"))", &["no.obj"]),
        ("(shape: Hull(\"mesh.obj\"))", &["bodies[0].shape[0].shape", "span no volume"]),
        (&ball.replace("))", "), at: (0, 1, 0))"), &["bad.ron:", "at_m"]),
    ] {
        assert_says(&run(&scene(parts), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &[]), words);
    }
}

//! Rooms `input` and `mesh`: the data that a run takes from its input files, and the files that it
//! refuses.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::finish_within;

/// A run that waits for a FIFO, or reads a device, would never end.
const SOON: Duration = Duration::from_secs(60);

fn cloth_sim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    finish_within(SOON, command.current_dir(folder).args(arguments))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn refusal(output: &Output) -> String {
    let said = said(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: ") && said.contains("help: "), "{said}");
    said
}

/// A scene of one cloth of this `shape`, with more `fields` of the scene.
fn scene(shape: &str, fields: &str) -> String {
    format!(
        r#"(frames: 1, steps_per_frame: 2, cloths: [(name: "cloth", shape: {shape},
            material: Fabric("cotton"))], {fields})"#
    )
}

const SHEET: &str = "Sheet(width_m: 1, length_m: 1, columns: 4, rows: 4)";

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let made = Command::new("mkfifo").arg(folder.join("fifo")).status();
    assert!(made.expect("mkfifo is there").success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket");
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.obj")).expect("a link");
    fs::File::create(folder.join("huge")).and_then(|file| file.set_len(1 << 40)).expect("a hole");
    fs::create_dir(folder.join("run")).expect("a folder");
    fs::write(folder.join("mesh.ron"), scene("Mesh(\"zero.obj\")", "")).expect("a scene");
    fs::rename(folder.join("fifo"), folder.join("run/run.json")).expect("a FIFO moves");
    for (arguments, cause) in [
        (&["run/run.json"][..], "this is a FIFO"),
        (&["socket"], "this is a socket"),
        (&["/dev/zero"], "this is a device"),
        (&["run"], "this is a folder"),
        (&["huge"], "larger than 64 MiB"),
        (&["mesh.ron"], "zero.obj: this is a device"),
        (&["profile", "run"], "run.json: this is a FIFO"),
    ] {
        let message = refusal(&cloth_sim(folder, arguments));
        assert!(message.contains(cause), "{arguments:?}: {message}");
    }
}

#[test]
fn texts_are_utf8_and_utf16_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let bodies = |places| {
        format!(
            "(frames: 0, materials: [(name: \"a\", density_kg_per_m3: 1000)], bodies: [(material: \
             \"a\", shape: Sphere(radius_m: 0.1), arrangement: File(\"{places}\"))])"
        )
    };
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let (mesh, places) = ("v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n", "x,y,z\n0,0,0\n");
    for (name, bytes) in [
        ("wide.ron", utf16(&scene(SHEET, ""))),
        ("wide.obj", utf16(mesh)),
        ("wide.csv", utf16(places)),
        ("mesh.ron", scene("Mesh(\"wide.obj\")", "").into_bytes()),
        ("places.ron", bodies("wide.csv").into_bytes()),
        ("marked.ron", marked(&scene("Mesh(\"marked.obj\")", ""))),
        ("marked.obj", marked(mesh)),
        ("marked_places.ron", marked(&bodies("marked.csv"))),
        ("marked.csv", marked(places)),
    ] {
        fs::write(folder.join(name), bytes).expect("a file");
    }
    for (run, file) in
        [("wide.ron", "wide.ron"), ("mesh.ron", "wide.obj"), ("places.ron", "wide.csv")]
    {
        let message = refusal(&cloth_sim(folder, &[run]));
        let expected = format!("{file}: the file is UTF-16 text and must be UTF-8");
        assert!(message.contains(&expected), "{message}");
    }
    for run in ["marked.ron", "marked_places.ron"] {
        let output = cloth_sim(folder, &[run, "--threads", "1"]);
        assert!(output.status.success(), "{}", said(&output));
    }
}

#[test]
fn messages_quote_input_without_control_characters_and_shortly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let long = "x".repeat(500_000);
    for (name, text) in [
        ("escape.ron", "(\u{1b}]0;owned\u{7}\u{1b}[2J: 1)".to_owned()),
        ("long.ron", format!("({long}: 1)")),
        ("escape.obj", "v 0 \u{1b}[31m\u{9b}2J 0\n".to_owned()),
        ("long.obj", format!("v 0 {long} 0\n")),
        ("mesh.ron", scene("Mesh(\"escape.obj\")", "")),
        ("long_mesh.ron", scene("Mesh(\"long.obj\")", "")),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let set = format!("contact.\u{1b}[1m={}", "9".repeat(100_000));
    for arguments in [
        &["escape.ron"][..],
        &["long.ron"],
        &["mesh.ron"],
        &["long_mesh.ron"],
        &["no\u{1b}[31m.ron"],
        &["--no\u{1b}[31m"],
        &["mesh.ron", "--set", &set],
        &["mesh.ron", "--set", "cloths[0].material=Fabric(\"two\\nlines\")"],
        &["mesh.ron", "--set", "name=\"two\\nlines\""],
        &["mesh.ron", "--set", &format!("cloths={}", "A(".repeat(40_000))],
    ] {
        let output = cloth_sim(folder, arguments);
        let said = said(&output);
        assert!(!output.status.success() && said.starts_with("error: "), "{said}");
        assert!(said.len() < 5_000, "{} bytes", said.len());
        assert!(!said.contains("two\nlines"), "{said}");
        assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{said:?}");
    }
}

#[test]
fn a_polygon_of_5000_corners_is_cut_and_one_of_20000_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ring = |corners: u32| {
        let vertex = |i: u32| {
            // A star: every other corner is concave.
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(corners);
            let radius = if i.is_multiple_of(2) { 1.0 } else { 0.99 };
            format!("v {} 0 {}\n", radius * angle.sin(), radius * angle.cos())
        };
        let face: Vec<String> = (1..=corners).map(|i| i.to_string()).collect();
        format!("{}f {}\n", (0..corners).map(vertex).collect::<String>(), face.join(" "))
    };
    let contact = "contact: (distance_m: 1e-4, clearance_m: 1e-6), frames: 0";
    let text = scene("Mesh(\"ring.obj\")", contact).replacen("frames: 1, ", "", 1);
    fs::write(folder.path().join("ring.ron"), text).expect("a scene");
    for (corners, refused) in [(5_000, false), (20_000, true)] {
        fs::write(folder.path().join("ring.obj"), ring(corners)).expect("a mesh");
        let output = cloth_sim(folder.path(), &["ring.ron", "--threads", "1"]);
        if refused {
            assert!(refusal(&output).contains("ring.obj:20001: a face with 20000 corners"));
        } else {
            assert!(output.status.success(), "{}", said(&output));
        }
    }
}

#[test]
fn a_scene_that_cannot_fit_into_memory_is_refused_before_it_is_built() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let large = SHEET.replace("columns: 4, rows: 4", "columns: 10000, rows: 10000");
    fs::write(folder.path().join("large.ron"), scene(&large, "")).expect("a scene");
    let message = refusal(&cloth_sim(folder.path(), &["large.ron"]));
    assert!(message.contains("200000000 triangles") && message.contains("GiB"), "{message}");
}

#[test]
fn slips_of_scale_are_warned_of_once_by_field_and_value() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let square = "v 0 0 0\nv 0 0 1800\nv 1800 0 1800\nv 1800 0 0\nf 1 2 3 4\n";
    fs::write(folder.join("shirt.obj"), square).expect("a mesh");
    let isotropic = "Isotropic(density_kg_per_m2: 200, modulus_n_per_m: 8e6, poisson_ratio: 0.3, \
                     rigidity_n_m: 1e-5)";
    let text = scene("Mesh(\"shirt.obj\")", "").replace("Fabric(\"cotton\")", isotropic);
    fs::write(folder.join("shirt.ron"), text).expect("a scene");
    let output = cloth_sim(folder, &["shirt.ron", "--threads", "1"]);
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    for warning in [
        "warning: cloths[0]: the largest size of `cloth` is 1800 m; are the mesh's units millimetres? \
         Then write `scale: 0.001` in cloths[0].transform\n",
        "warning: cloths[0].material.density_kg_per_m2: 200 kg/m^2 is unusual",
        "warning: cloths[0].material.modulus_n_per_m: 8000000 N/m is unusual",
    ] {
        assert_eq!(said.matches(warning).count(), 1, "{said}");
    }
}

#[test]
fn a_contact_distance_beyond_the_edges_is_warned_of_and_then_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("sheet.ron"), scene(SHEET, "")).expect("a scene");
    let run = |distance: &str| {
        let set = format!("contact.distance_m={distance}");
        cloth_sim(folder.path(), &["sheet.ron", "--threads", "1", "--overwrite", "--set", &set])
    };
    assert!(!said(&run("0.12")).contains("warning: contact"));
    let warned = run("0.2");
    assert!(warned.status.success());
    let message = said(&warned);
    let warning = "warning: contact.distance_m: 0.2 m is more than half of the median edge of `cloth`, 2.500e-1 m";
    assert_eq!(message.matches(warning).count(), 1, "{message}");
    let message = refusal(&run("0.6"));
    assert!(message.contains("0.6 m") && message.contains("2.500e-1 m"), "{message}");
}

#[test]
fn frames_keep_quads_seams_groups_smoothing_and_materials() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let mesh = "mtllib two colours.mtl\no shirt\n\
        v 0 1 0\nv 0 1 0.1\nv 0.1 1 0.1\nv 0.1 1 0\nv 0.2 1 0.1\nv 0.2 1 0\n\
        vt 0 0\nvt 0 1\nvt 1 1\nvt 1 0\nvt 0.5 0.5\n\
        g left\nusemtl red\ns 2\nf 1/1 2/2 3/3 4/4\ng right\nusemtl blue\ns off\nf 4/1 3/2 5/3 6/5\n";
    let floor = "v -1 0 -1\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nf 1 2 3 4\n";
    let library = "newmtl red\nKd 1 0 0\nmap_Kd images/wood.png\nnewmtl blue\nKd 0 0 1\n";
    fs::create_dir(folder.join("images")).expect("a folder");
    for (name, text) in [
        ("shirt.obj", mesh),
        ("floor.obj", floor),
        ("two colours.mtl", library),
        ("images/wood.png", "an image"),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let more = "obstacles: [(shape: Mesh(\"floor.obj\")), (name: \"ball\", shape: Sphere(radius_m: 0.1), \
                transform: (translation_m: (0, -2, 0))), (shape: Sphere(radius_m: 0.1), \
                transform: (translation_m: (0, -3, 0)))]";
    fs::write(folder.join("shirt.ron"), scene("Mesh(\"shirt.obj\")", more)).expect("a scene");
    fs::write(folder.join("plain.ron"), scene(SHEET, "")).expect("a scene");
    for name in ["shirt.ron", "plain.ron"] {
        let more = ["--threads", "1", "--set", "output.polygons=Quads"];
        let output = cloth_sim(folder, &[&[name][..], &more].concat());
        let said = said(&output);
        // The sheets are small, which is said.
        let is_odd =
            |line: &str| line.starts_with("warning") && !line.contains("median edges long");
        assert!(output.status.success() && !said.lines().any(is_odd), "{said}");
    }
    let run = folder.join("out/shirt");
    let read = |name: &str| fs::read_to_string(run.join(name)).expect("a file of the run");
    let without = |text: &str, head: &str| {
        let lines = text.lines().filter(|line| !line.starts_with(head));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    // The frame is the input with other positions and library.
    let expected = without(mesh, "v ").replace("two colours.mtl", "materials.mtl");
    assert_eq!(without(&read("frame_0001.obj"), "v "), expected.replace("s off", "s 0"));
    let materials = read("materials.mtl");
    assert!(
        materials.contains("newmtl red\nKd 1 0 0\nmap_Kd meshes/image_0_wood.png\n"),
        "{materials}"
    );
    assert_eq!(read("meshes/image_0_wood.png"), "an image");
    // Obstacles have the names of the scene and no others. A ball is smooth, a floor is not.
    let obstacles = read("obstacles.obj");
    let names = obstacles.lines().filter(|line| !line.starts_with(['v', 'f']));
    assert_eq!(names.collect::<Vec<_>>(), ["o floor", "o ball", "s 1", "o sphere", "s 1"]);
    // A cloth whose mesh does not say it is smooth.
    let plain = fs::read_to_string(folder.join("out/plain/frame_0000.obj")).expect("a frame");
    assert_eq!(plain.matches("s 1\n").count(), 1);
}

//! `program/output/formats` and `convert`: several formats at once, their fields, further formats
//! afterwards.
//!
//! `tools/read_back.py` reads all formats with programs of others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::run::{BINARY, finish};
use tempfile::TempDir;

/// Two cloths on a box that rises, beside a body. The first one has texture coordinates and two
/// materials.
const SCENE: &str = r#"(
    name: "small", frames: 3, frames_per_second: 25, steps_per_frame: 4, patch_vertices: 16,
    cloths: [
        (name: "flag", shape: Mesh("flag.obj"), transform: (translation_m: (0, 0.102, 0)),
         material: Fabric("cotton")),
        (name: "sheet", shape: Sheet(width_m: 0.4, length_m: 0.4, columns: 6, rows: 6),
         transform: (translation_m: (0, 0.112, 0)), material: Fabric("cotton")),
    ],
    obstacles: [
        (name: "lift", shape: Box(size_m: (0.3, 0.2, 0.3)),
         motion: (keyframes: [(time_s: 0), (time_s: 1, translation_m: (0, 0.5, 0))])),
        (name: "floor", shape: Plane(width_m: 4, length_m: 4),
         transform: (translation_m: (0, -0.5, 0))),
    ],
    bodies: [(name: "ball", shape: Sphere(radius_m: 0.05), material: "oak",
              arrangement: At([(1, 1, 0)]))],
    materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4)],
)"#;

const ALL: &str = r#"output.formats=["obj","vtp","pc2","usd"]"#;

/// 5 x 5 quads of 6 cm with texture coordinates. The first ten are red.
fn flag() -> String {
    let mut text = "mtllib flag.mtl\n".to_owned();
    let places = (0..36).map(|v| (f64::from(v % 6), f64::from(v / 6)));
    for (x, z) in places {
        text += &format!("v {} 0 {}\nvt {} {}\n", 0.06 * x, 0.06 * z, x / 5.0, z / 5.0);
    }
    for (number, v) in (1..30).filter(|v| v % 6 != 0).enumerate() {
        text += ["usemtl red\n", "usemtl blue\n"][usize::from(number >= 10)];
        let corner = |v: i32| format!(" {v}/{v}");
        text += &format!("f{}{}{}{}\n", corner(v), corner(v + 6), corner(v + 7), corner(v + 1));
    }
    text
}

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().expect("a temporary folder"));
        home.write("small.ron", SCENE);
        home.write("flag.obj", &flag());
        home.write("flag.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nmap_Kd blue.png\n");
        home.write("blue.png", "not looked into");
        home
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("a file is written");
    }

    fn run(&self, out: &str, more: &[&str]) -> (PathBuf, Output) {
        let folder = self.0.path().join(out);
        let mut command = Command::new(&*BINARY);
        command.arg(self.0.path().join("small.ron")).arg("--out").arg(&folder);
        let output = finish(command.args(["--oversubscribe", "--quiet"]).args(more));
        (folder, output)
    }

    /// The folder of a run that succeeds.
    fn done(&self, out: &str, more: &[&str]) -> PathBuf {
        let (folder, output) = self.run(out, more);
        assert!(output.status.success(), "{}", said(&output));
        folder
    }
}

fn tool(name: &str, folder: &Path, more: &[&str]) -> Output {
    finish(Command::new(&*BINARY).arg(name).arg(folder).args(more))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_refused(output: &Output, words: &[&str]) {
    let text = said(output);
    assert!(!output.status.success() && !text.contains("panicked"), "{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "no `{word}` in {text}"));
}

/// The files of all formats, by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder is there").flatten();
    let named = entries.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let of_formats = named.filter(|(name, _)| name.starts_with("frame") || name == "scene.usda");
    of_formats.map(|(name, path)| (name, fs::read(path).expect("a file is read"))).collect()
}

/// The numbers of an array of a VTP file.
fn array(file: &[u8], name: &str) -> Option<Vec<f64>> {
    let begin = file.windows(5).position(|it| it == b"raw\">")? + 7;
    let header = std::str::from_utf8(&file[..begin]).ok()?;
    let (_, element) = header.split_once(&format!("Name=\"{name}\""))?;
    let (offset, _) = element.split_once("offset=\"")?.1.split_once('"')?;
    let (length, data) = file[begin + offset.parse::<usize>().ok()?..].split_at(8);
    let length = u64::from_le_bytes(length.try_into().ok()?) as usize;
    let numbers = data[..length].chunks_exact(8);
    Some(numbers.map(|it| f64::from_le_bytes(it.try_into().unwrap())).collect())
}

#[test]
fn all_formats_at_once_and_afterwards_have_the_same_bytes() {
    let home = Home::new();
    let all = home.done("all", &["--set", ALL]);
    let expected = files(&all);
    let objects = ["flag", "sheet", "lift", "bodies"].map(|name| format!("frames_{name}.pc2"));
    assert!(objects.iter().all(|name| expected.contains_key(name)), "{:?}", expected.keys());
    let checked = tool("check", &all, &["--quiet"]);
    assert!(checked.status.success(), "{}", said(&checked));
    // A run on other ranks that ends at once: its frames so far, then all.
    let folder = home.0.path().join("vtp");
    let vtp = ["--set", "output.formats=vtp", "--ranks", "3", "--threads", "1"];
    let (_, ended) = home.run("vtp", &[&vtp[..], &["--stop-after", "1ms"]].concat());
    assert_eq!(ended.status.code(), Some(124), "{}", said(&ended));
    let to = ["--to", "usd,pc2,obj"];
    let converted = tool("convert", &folder, &to);
    assert!(converted.status.success(), "{}", said(&converted));
    assert_eq!(files(&folder)["frame.0000.usda"], expected["frame.0000.usda"]);
    for (name, words) in [("resume", &["--quiet"][..]), ("convert", &to), ("check", &["--quiet"])] {
        let output = tool(name, &folder, words);
        assert!(output.status.success(), "{name}: {}", said(&output));
    }
    let found = files(&folder);
    assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
    for (name, bytes) in &expected {
        assert!(&found[name] == bytes, "{name}");
    }
    let compare = |other: &Path| {
        let output = finish(Command::new(&*BINARY).arg("compare").args([&all, other]));
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = compare(&folder);
    assert!(code == Some(0) && said.starts_with("states    equal"), "{said}");
    let again = home.done("vtp", &["--overwrite", "--set", "gravity_m_per_s2=(0,-9,0)"]);
    let (code, said) = compare(&again);
    assert!(code == Some(1) && said.contains("frame 0 is the first that differs"), "{said}");
    assert!(said.contains("first in frame 1: ") && said.contains(" m at vertex "), "{said}");
    assert_eq!(compare(home.0.path()).0, Some(2));
    assert!(files(&again).keys().all(|name| name.ends_with(".obj")), "{:?}", files(&again).keys());
}

#[test]
fn a_stage_of_usd_has_texture_materials_and_what_stands_still() {
    let home = Home::new();
    let folder = home.done("usd", &["--set", "output.formats=usd", "--frames", "2"]);
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file is read");
    let (scene, stage) = (read("scene.usda"), read("frames.usda"));
    for words in [
        "def Mesh \"flag\"",
        "(0.200000003, 1)",
        "def Mesh \"body_ball\"",
        "def Mesh \"floor\"",
        "def Material \"red\"",
        "color3f inputs:diffuseColor = (1, 0, 0)",
        "asset inputs:file = @./meshes/image_0_blue.png@",
        "rel material:binding = </World/Materials/blue>",
        "def GeomSubset \"part_1\"",
    ] {
        assert!(scene.contains(words), "no `{words}` in {scene}");
    }
    for words in ["endTimeCode = 2", "timeCodesPerSecond = 25", "upAxis = \"Y\""] {
        assert!(stage.contains(words), "no `{words}` in {stage}");
    }
    assert_refused(&tool("check", &folder, &[]), &["usd", "cannot be read again", "obj"]);
    assert_refused(&tool("convert", &folder, &["--to", "vtp"]), &["cannot be read again"]);
}

#[test]
fn fields_are_those_of_the_scene_and_of_what_a_folder_has() {
    let home = Home::new();
    let fields = "output.fields=[\"Strain\",\"Contact\",\"Rank\"]";
    let two = ["--set", "output.formats=vtp", "--ranks", "2", "--threads", "1"];
    let vtp = home.done("vtp", &[&two[..], &["--set", fields]].concat());
    let frame = fs::read(vtp.join("frame_0003.vtp")).expect("a frame is read");
    let of = |name| array(&frame, name).expect("the array");
    let known = |values: &[f64]| values.iter().filter(|it| !it.is_nan()).count();
    let (strain, contact, rank) = (of("strain"), of("contact"), of("rank"));
    // 36 and 49 vertices of cloth; those of the ball and the box have no values.
    assert_eq!([known(&strain), known(&contact), known(&rank)], [85; 3]);
    assert!(strain.iter().any(|&it| it != 0.0) && contact.iter().any(|&it| it > 0.0));
    let ranks = [0.0, 1.0].map(|rank| of("rank").contains(&rank));
    assert_eq!(ranks, [true; 2]);

    let obj = home.done("obj", &["--set", "output.digits=Exact"]);
    let converted = tool("convert", &obj, &["--to", "vtp", "--quiet"]);
    assert!(converted.status.success(), "{}", said(&converted));
    let other = fs::read(obj.join("frame_0003.vtp")).expect("a frame is read");
    assert_eq!(array(&other, "Points"), Some(of("Points")));
    let found = array(&other, "strain").expect("the array");
    assert!(found.iter().zip(&strain).all(|(a, b)| a == b || a.is_nan() && b.is_nan()));
    assert_eq!(array(&other, "contact"), None);
    let velocity = array(&other, "velocity").expect("the array");
    assert!(velocity.iter().any(|&it| it != 0.0) && known(&velocity) == 3 * 85);
}

#[test]
fn wrong_lists_and_files_of_others_are_refused() {
    let home = Home::new();
    for (formats, words) in [
        ("[]", &["the list of formats is empty"][..]),
        ("[\"obj\", \"usb\"]", &["output.formats", "unknown format `usb`", "did you mean `usd`"]),
        ("[\"obj\", \"vtp\", \"obj\"]", &["output.formats", "`obj` is listed twice"]),
        ("3", &["a list of names"]),
    ] {
        let set = format!("output.formats={formats}");
        assert_refused(&home.run("bad", &["--set", &set]).1, words);
    }
    let fields = ["--set", "output.fields=[\"Strain\", \"Strain\"]"];
    assert_refused(&home.run("bad", &fields).1, &["output.fields", "listed twice"]);
    let folder = home.done("obj", &["--frames", "1"]);
    let convert = |to: &str| tool("convert", &folder, &["--to", to]);
    assert_refused(&convert("obj"), &["--to", "have the format obj already"]);
    assert_refused(&convert("gltf"), &["--to", "unknown format `gltf`"]);
    assert_refused(&tool("convert", home.0.path(), &["--to", "usd"]), &["the folder is no run"]);
    fs::write(folder.join("frame.0007.usda"), "mine").expect("a file is written");
    assert_refused(&convert("usd"), &["frame.0007.usda", "not of the run"]);
    assert_eq!(fs::read(folder.join("frame.0007.usda")).expect("it is there"), b"mine");
    let frame = folder.join("frame_0001.obj");
    let text = fs::read_to_string(&frame).expect("a frame is read");
    fs::write(&frame, &text[..text.len() / 2]).expect("a frame is cut");
    assert_refused(&convert("pc2"), &["frame_0001.obj", "frame 1: torn"]);
}

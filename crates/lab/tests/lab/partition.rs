//! `cloth-lab partition` shows the divisions that a run would make, and
//! loses no file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::{Start, finish, simulate};
use serde_json::Value;
use tempfile::TempDir;

/// Two flat cloths beside each other, of squares of 5 cm.
const SCENE: &str = r#"(
    name: "flat", frames: 1, steps_per_frame: 1, patch_vertices: 16, gravity_m_per_s2: (0, 0, 0),
    cloths: [
        (shape: Sheet(width_m: 1.2, length_m: 1.2, columns: 24, rows: 24), material: Fabric("cotton")),
        (shape: Sheet(width_m: 0.4, length_m: 1.2, columns: 8, rows: 24), material: Fabric("cotton"),
         transform: (translation_m: (1, 0, 0))),
    ],
)"#;
const METHODS: [&str; 4] = ["Metis", "MetisRecursive", "Hilbert", "Power"];

type Row = BTreeMap<String, String>;

/// A folder with the scene in it.
fn home() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let scene = home.path().join("flat.ron");
    std::fs::write(&scene, SCENE).expect("a scene is written");
    (home, scene)
}

/// Whether the command succeeds, and what it says.
fn partition(source: &Path, out: &Path, more: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-lab"));
    let output = finish(command.arg("partition").arg(source).arg("--out").arg(out).args(more));
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn divide(source: &Path, out: &Path, more: &[&str]) {
    let (good, said) = partition(source, out, more);
    assert!(good, "{said}");
}

fn rows(table: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(table).expect("a table");
    reader.deserialize().map(|row| row.expect("a whole row")).collect()
}

fn column(table: &Path, name: &str) -> Vec<String> {
    rows(table).into_iter().map(|mut row| row.remove(name).expect("a column")).collect()
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

#[test]
fn indices_ghosts_and_owners_are_those_of_a_run() {
    let (home, scene) = home();
    let out = home.path().join("divisions");
    divide(&scene, &out, &["--ranks", "3,5"]);
    let table = rows(&out.join("partition_table.csv"));
    assert_eq!(table.len(), 2 * METHODS.len());
    let of_ranks = rows(&out.join("partition_ranks.csv"));
    let owners = out.join("partition_owners.csv");
    for (row, method) in table.iter().zip(METHODS.iter().cycle()) {
        let ranks = row["ranks"].parse().expect("a number of ranks");
        assert_eq!(row["method"], *method);
        let name = format!("{method}_{ranks}");
        let run = home.path().join(&name);
        let method = format!("partition.method={method}");
        simulate(Start::Threads(ranks, 1), &scene, &run, &["--set", &method]);
        let head = std::fs::read_to_string(run.join("run.json")).expect("run.json is there");
        let head: Value = serde_json::from_str(&head).expect("run.json is JSON");
        for index in ["load_index", "surface_index"] {
            assert_eq!(Some(number(&row[index])), head[index].as_f64(), "{index} of {name}");
        }
        let its = of_ranks.iter().filter(|it| format!("{}_{}", it["method"], it["ranks"]) == name);
        let its = Vec::from_iter(its);
        let places = head["places"].as_array().expect("places");
        assert_eq!(its.len(), places.len());
        for (rank, place) in its.iter().zip(places) {
            for count in ["rank", "vertices", "ghosts"] {
                assert_eq!(Some(number(&rank[count])), place[count].as_f64(), "{count} of {name}");
            }
        }
        let ghosts: f64 = its.iter().map(|rank| number(&rank["ghosts"])).sum();
        assert_eq!(number(&row["ghosts"]), ghosts);
        assert!(number(&row["cut"]) > 0.0);
        let of_run = run.join("partition.csv");
        assert_eq!(column(&owners, &name), column(&of_run, "rank"), "{name}");
        assert_eq!(column(&owners, "patch"), column(&of_run, "patch"));
    }
}

#[test]
fn a_frame_is_divided_as_its_cloth_lies() {
    let (home, scene) = home();
    let run = home.path().join("run");
    simulate(Start::Threads(1, 1), &scene, &run, &[]);
    for axis in [0, 2] {
        // The cloths are stretched along one axis, so ranks must part along it.
        let file = run.join("frame_0001.obj");
        let text = std::fs::read_to_string(run.join("frame_0000.obj")).expect("a frame");
        let mut places = Vec::new();
        let stretched = text.lines().map(|line| match line.strip_prefix("v ") {
            Some(place) => {
                let mut place = Vec::from_iter(place.split(' ').map(number));
                place[axis] *= 20.0;
                places.push(place[axis]);
                format!("v {} {} {}\n", place[0], place[1], place[2])
            }
            None => format!("{line}\n"),
        });
        std::fs::write(&file, stretched.collect::<String>()).expect("a frame is written");
        let out = home.path().join(format!("along_{axis}"));
        divide(&run, &out, &["--frame", "1", "--ranks", "2", "--method", "Metis,Power"]);
        let owners = column(&out.join("partition_owners.csv"), "Power_2");
        let side = |rank: &str| {
            let own = places.iter().zip(&owners).filter(|(_, owner)| *owner == rank);
            Vec::from_iter(own.map(|(place, _)| *place))
        };
        let (a, b) = (side("0"), side("1"));
        let mean = |side: &[f64]| side.iter().sum::<f64>() / side.len() as f64;
        let apart = (mean(&a) - mean(&b)).abs();
        assert!(apart > 8.0, "the ranks are {apart} m apart along axis {axis}");
        // METIS sees no positions: it divides the frame like the start.
        let start = home.path().join(format!("start_{axis}"));
        divide(&run, &start, &["--ranks", "2", "--method", "Metis,Power"]);
        let [at_start, in_frame] = [start, out].map(|folder| folder.join("partition_owners.csv"));
        assert_eq!(column(&at_start, "Metis_2"), column(&in_frame, "Metis_2"));
    }
    assert!(!run.join("partition_table.csv").exists(), "the folder of the run stays as it was");
}

#[test]
fn usual_numbers_of_ranks_are_those_that_fit() {
    let (home, scene) = home();
    let out = home.path().join("divisions");
    divide(&scene, &out, &["--method", "Metis", "--set", "patch_vertices=60"]);
    assert_eq!(column(&out.join("partition_table.csv"), "ranks"), ["2", "4", "8"]);
}

#[test]
fn no_file_is_lost() {
    let (home, scene) = home();
    let out = home.path().join("divisions");
    let call = |more: &[&str]| {
        let arguments = [&["--ranks", "2", "--method", "Metis"], more].concat();
        partition(&scene, &out, &arguments)
    };
    let refused = |more: &[&str], words: &[&str]| {
        let (good, said) = call(more);
        assert!(!good && said.contains("help: "), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "wanted {words:?} in {said}");
    };
    std::fs::create_dir(&out).expect("a folder");
    for name in ["partition.csv", "partition_mine.csv", "notes.txt"] {
        std::fs::write(out.join(name), name).expect("a file of the user");
    }
    // Tables of an earlier call are replaced if the user says so, and all other files stay.
    assert!(call(&["--ranks", "3"]).0);
    refused(&[], &["--overwrite", "partition_owners.csv"]);
    assert!(call(&["--overwrite"]).0);
    for name in ["partition.csv", "partition_mine.csv", "notes.txt"] {
        assert_eq!(std::fs::read_to_string(out.join(name)).expect("it is there"), name);
    }
    // A folder and a link in the way are refused, and so is an input.
    let table = out.join("partition_table.csv");
    std::fs::remove_file(&table).expect("a table is removed");
    std::os::unix::fs::symlink(&scene, &table).expect("a link");
    refused(&["--overwrite"], &["partition_table.csv", "--out"]);
    std::fs::remove_file(&table).expect("a link is removed");
    std::fs::copy(&scene, &table).expect("a scene");
    let (good, said) = partition(&table, &out, &["--ranks", "2", "--overwrite"]);
    assert!(!good && said.contains("is an input"), "{said}");
    assert_eq!(std::fs::read_to_string(&table).expect("a scene"), SCENE);
}

#[test]
fn bad_input_is_named() {
    let (home, scene) = home();
    let home = home.path();
    let out = home.join("divisions");
    let refused = |source: &Path, more: &[&str], words: &[&str]| {
        let (good, said) = partition(source, &out, more);
        assert!(!good && !said.contains("panicked"), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "wanted {words:?} in {said}");
        assert!(!out.exists(), "nothing is written");
    };
    refused(&scene, &["--ranks", "0"], &["--ranks", "0 is not in 1.."]);
    refused(&scene, &["--ranks", "2,x"], &["--ranks", "'x'"]);
    refused(&scene, &["--ranks", "2,999"], &["999 ranks", "patches", "patch_vertices", "help: "]);
    refused(&scene, &["--method", "Metis,Hilbet"], &["'Hilbet'", "--method", "Hilbert"]);
    refused(&scene, &["--frame", "1"], &["--frame", "not the folder of a run", "help: "]);
    refused(&scene, &["--set", "patch_vertice=9"], &["patch_vertices", "help: "]);
    refused(&home.join("nowhere.ron"), &[], &["nowhere.ron", "help: "]);
    refused(home, &[], &["no run.json", "help: "]);
    let text = home.join("text.ron");
    std::fs::write(&text, "hello").expect("a text");
    refused(&text, &[], &["text.ron:1:", "help: "]);

    let run = home.join("run");
    simulate(Start::Threads(1, 1), &scene, &run, &[]);
    refused(&run, &["--frame", "2"], &["no frame 2", "0 to 1", "help: "]);
    refused(&run, &["--frame", "1", "--refine", "2"], &["--refine", "--frame"]);
    refused(&run, &["--frame", "1", "--set", "refine=2"], &["--set refine=2", "help: "]);
    let frame = run.join("frame_0001.obj");
    let whole = std::fs::read_to_string(&frame).expect("a frame");
    std::fs::write(&frame, &whole[..whole.len() / 4]).expect("a torn frame");
    refused(&run, &["--frame", "1"], &["frame_0001.obj", "torn", "help: "]);
    std::fs::remove_file(&frame).expect("a frame is removed");
    refused(&run, &["--frame", "1"], &["frame_0001.obj", "missing", "help: "]);

    std::fs::write(&out, "in the way").expect("a file");
    let (good, said) = partition(&scene, &out, &[]);
    assert!(!good && said.contains("divisions") && said.contains("--out"), "{said}");
}

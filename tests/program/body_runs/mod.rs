//! Room `program`: the run folders of rigid bodies, with frames, `cloth-sim check` and
//! `cloth-sim profile`.

mod energy;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::{finish, frames_of, steps_of};
use crate::common::vtp::Frame;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with a run of `tests/scenes/bodies.ron` in it.
struct Run {
    _home: TempDir,
    out: PathBuf,
}

impl Run {
    fn new(more: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let run = Self { out: home.path().join("out"), _home: home };
        run.again(more);
        run
    }

    /// A run of the scene in `text`.
    fn of(text: &str) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let scene = home.path().join("scene.ron");
        std::fs::write(&scene, text).expect("a scene is written");
        let run = Self { out: home.path().join("out"), _home: home };
        run.start(&scene, &[]);
        run
    }

    /// Runs the scene into the same folder.
    fn again(&self, more: &[&str]) {
        self.start(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/bodies.ron"), more);
    }

    fn start(&self, scene: &Path, more: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
        let output = finish(command.arg(scene).arg("--out").arg(&self.out).args(more));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).expect("a file can be read")
    }

    /// Exit code, standard output and error of a subcommand.
    fn tool(&self, name: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
        let output = finish(command.arg(name).arg(&self.out).args(more));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Asserts that the check passes, and that with `change` made to frame `number` its list has a
    /// line with all `words`. Then restores the frame.
    fn assert_finds(&self, number: u32, change: impl FnOnce(&mut Frame), words: &[&str]) {
        let name = format!("frame_{number:04}.vtp");
        let before = self.read(&name);
        let mut frame = Frame::parse(&before);
        change(&mut frame);
        std::fs::write(self.file(&name), frame.bytes()).expect("a frame is written");
        let (code, out, said) = self.tool("check", &[]);
        assert_eq!(code, Some(1), "{words:?}: {out}{said}");
        let listed = |line: &str| words.iter().all(|word| line.contains(word));
        assert!(out.lines().any(listed), "wanted {words:?} in: {out}");
        assert!(said.contains("help: ") && !said.contains("panicked"), "{said}");
        std::fs::write(self.file(&name), before).expect("a frame is written");
    }
}

#[test]
fn frames_are_the_same_bytes_on_any_number_of_ranks_and_the_check_passes() {
    let (one, two) = (Run::new(&["--ranks", "1"]), Run::new(&["--ranks", "2"]));
    for number in 0..5 {
        let name = format!("frame_{number:04}.vtp");
        assert!(one.read(&name) == two.read(&name), "{name}");
    }
    assert_ne!(one.read("owners_0000.csv"), two.read("owners_0000.csv"));
    let (code, out, said) = two.tool("check", &[]);
    assert_eq!(code, Some(0), "{out}{said}");
    assert!(out.contains("5 frames, 44 bodies") && out.contains("no fault in 5 frames"), "{out}");
    assert!(out.contains("no two bodies overlap"), "{out}");
    assert_eq!(two.tool("check", &["--quiet"]), (Some(0), String::new(), String::new()));
    // The ball has left: the last frame has one body less, and that is no fault.
    let bodies = |row: &str| row.split_whitespace().nth(1).map(str::to_owned);
    let rows = Vec::from_iter(out.lines().skip(2).take(5).filter_map(bodies));
    assert_eq!((&*rows[0], &*rows[4]), ("44", "43"), "{out}");
}

#[test]
fn the_check_finds_every_way_to_break_a_frame() {
    let run = Run::new(&["--ranks", "1"]);
    let frame = "frame_0002.vtp";
    // Balls of radius 0.08 m whose centres are 0.05 m apart.
    let into_another = |it: &mut Frame| {
        let mut place = it.array("Points")[0].clone();
        let x = f64::from_le_bytes(place[..8].try_into().expect("8 bytes"));
        place[..8].copy_from_slice(&(x + 0.05).to_le_bytes());
        it.array("Points")[9] = place;
    };
    let words = ["balls[0] and balls[9] overlap by 1.100e-1 m (137.500 %)", "more than 50 %"];
    run.assert_finds(2, into_another, &[frame, words[0], words[1]]);
    let doubled = |it: &mut Frame| it.array("id")[5] = 4_u64.to_le_bytes().to_vec();
    run.assert_finds(2, doubled, &[frame, "there more than once: 1 body (balls[4])"]);
    let lost = |it: &mut Frame| it.remove(7);
    // The runaway ball leaves the domain before this frame, as recorded.
    let words = ["gone: 2 bodies (balls[7], runaway)", "says that 1 left"];
    run.assert_finds(2, lost, &[frame, words[0], words[1]]);
    let unknown = |it: &mut Frame| it.array("id")[44] = 999_u64.to_le_bytes().to_vec();
    run.assert_finds(
        0,
        unknown,
        &["frame_0000.vtp", "not in frames of this scene: 1 body (body 999)"],
    );
    let nan =
        |it: &mut Frame| it.array("velocity")[3][..8].copy_from_slice(&f64::NAN.to_le_bytes());
    run.assert_finds(2, nan, &[frame, "numbers that no body has: 1 body (balls[3])"]);
    let outside = |it: &mut Frame| {
        it.array("Points")[3][8..16].copy_from_slice(&(-0.5_f64).to_le_bytes());
    };
    run.assert_finds(2, outside, &[frame, "outside the domain: 1 body (balls[3])"]);
    let one_bit = |it: &mut Frame| it.array("angular_velocity")[3][0] ^= 1;
    run.assert_finds(2, one_bit, &[frame, "not bit by bit those"]);
    let no_rotation = |it: &mut Frame| it.array("orientation")[33] = vec![0; 32];
    run.assert_finds(2, no_rotation, &[frame, "numbers that no body has: 1 body (boxes[1])"]);
    let radius = |it: &mut Frame| it.array("radius")[3] = 99_f64.to_le_bytes().to_vec();
    run.assert_finds(2, radius, &[frame, "the array radius does not fit the others at body 3"]);
    let size = |it: &mut Frame| it.array("size")[3][8..16].copy_from_slice(&55_f64.to_le_bytes());
    run.assert_finds(2, size, &[frame, "the array size does not fit the others at body 3"]);
    let words =
        [frame, "another shape, size, material or group than in the scene: 1 body (balls[3])"];
    run.assert_finds(2, |it| it.array("group")[3][0] = 77, &words);
    run.assert_finds(2, |it| it.array("material")[3][0] ^= 1, &words);
    let larger = |it: &mut Frame| {
        it.array("radius")[3] = 0.09_f64.to_le_bytes().to_vec();
        it.array("size")[3] = [0.09_f64.to_le_bytes(); 3].concat();
    };
    run.assert_finds(2, larger, &words);
    // The last body is the one that keyframes move.
    let led = |it: &mut Frame| it.array("fixed").iter().position(|fixed| fixed[0] == 1);
    for (name, bytes) in [("Points", 8), ("orientation", 16), ("velocity", 0)] {
        let change = |it: &mut Frame| {
            let body = led(it).expect("a body that keyframes move");
            it.array(name)[body][bytes] ^= 1;
        };
        run.assert_finds(2, change, &[frame, "not where keyframes put them: 1 body"]);
    }
    let later = |it: &mut Frame| {
        let (before, rest) = it.header.split_once("format=\"ascii\">").expect("the time");
        let (_, after) = rest.split_once('<').expect("its end");
        it.header = format!("{before}format=\"ascii\">9.5<{after}");
    };
    run.assert_finds(2, later, &[frame, "but steps.jsonl says"]);
    let lines = run.read("steps.jsonl");
    let end = lines.iter().take(lines.len() - 1).rposition(|&byte| byte == b'\n').expect("a line");
    std::fs::write(run.file("steps.jsonl"), &lines[..=end]).expect("the file is written");
    let (code, out, _) = run.tool("check", &[]);
    assert!(code == Some(1) && out.contains("steps.jsonl has no line of this frame"), "{out}");
    // A line is taken from the middle. The lines after it still belong to their frames.
    let mut kept = Vec::from_iter(lines.split_inclusive(|&byte| byte == b'\n'));
    kept.remove(1);
    std::fs::write(run.file("steps.jsonl"), kept.concat()).expect("the file is written");
    let (code, out, _) = run.tool("check", &[]);
    assert!(code == Some(1) && out.contains("faults in 1 of 5 frames"), "{out}");
}

#[test]
fn the_check_finds_frames_that_are_torn_or_missing() {
    let run = Run::new(&["--ranks", "1"]);
    let (name, whole) = ("frame_0003.vtp", run.read("frame_0003.vtp"));
    std::fs::write(run.file(name), &whole[..whole.len() - 5]).expect("a frame is written");
    let (code, out, _) = run.tool("check", &[]);
    assert!(code == Some(1) && out.contains("frame_0003.vtp: torn"), "{out}");
    assert!(out.contains("faults in 1 of 5 frames"), "{out}");
    std::fs::remove_file(run.file(name)).expect("a frame is removed");
    let (code, out, _) = run.tool("check", &[]);
    assert!(code == Some(1) && out.contains("frame_0003.vtp: missing"), "{out}");
}

#[test]
fn a_new_run_removes_all_files_of_the_old_one() {
    let run = Run::new(&["--ranks", "1"]);
    let mine = ["frame_0900.vtp", "owners_0900.csv", "materials.mtl"];
    mine.iter().for_each(|name| std::fs::write(run.file(name), "mine").expect("it is written"));
    run.again(&["--ranks", "1", "--frames", "1", "--overwrite", "--set", "output.formats=obj"]);
    for name in mine {
        assert_eq!(run.read(name), b"mine", "{name} is not of the old run");
        std::fs::remove_file(run.file(name)).expect("it is removed");
    }
    let entries = std::fs::read_dir(&run.out).expect("the folder is there");
    let names = entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
    let mut frames =
        Vec::from_iter(names.filter(|it| it.starts_with("frame") || it.starts_with("own")));
    frames.sort();
    let expected = ["frame_0000.obj", "frame_0001.obj", "owners_0000.csv", "owners_0001.csv"];
    assert_eq!(frames, expected);
    let (code, _, said) = run.tool("check", &[]);
    assert!(code == Some(1) && said.contains("vtp among its output.formats"), "{said}");
}

#[test]
fn the_profile_has_a_row_for_each_frame_and_rank() {
    let run = Run::new(&["--ranks", "2"]);
    let (code, out, said) = run.tool("profile", &[]);
    assert_eq!(code, Some(0), "{said}");
    for name in ["profile.csv", "phases.csv"] {
        assert!(out.contains(name) && run.file(name).exists(), "{out}");
    }
    assert!(!out.contains("worker"), "a run without workers: {out}");
    for text in ["2 ranks x", "synchronisation", "busy of 2 processors"] {
        assert!(out.contains(text), "{text} in {out}");
    }
    let table = String::from_utf8(run.read("profile.csv")).expect("a text");
    let mut lines = table.lines().map(|line| Vec::from_iter(line.split(',')));
    let header = lines.next().expect("a header");
    let rows = Vec::from_iter(lines);
    let column = |name: &str| header.iter().position(|it| *it == name).expect("a column");
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().expect("a number");
    assert_eq!(rows.len(), 4 * 2);
    let steps = frames_of(&run.out);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(
            (number(row, "frame"), number(row, "rank")),
            ((i / 2 + 1) as f64, (i % 2) as f64)
        );
        assert!((0.0..=1.0).contains(&number(row, "busy")), "{row:?}");
        // The recorded times of all its steps.
        let frame = &steps[i / 2 + 1..i / 2 + 2];
        let own = steps_of(frame).into_iter().filter(|it| it["rank"] == i % 2);
        let contacts = own.map(|it| it["contacts_s"].as_f64().expect("a time"));
        let sum: f64 = contacts.sum();
        assert!((number(row, "contacts_s") - sum).abs() <= 1e-12 * sum.max(1.0), "{row:?}");
    }
    let bodies: f64 = rows[..2].iter().map(|row| number(row, "bodies")).sum();
    assert_eq!(bodies, frames_of(&run.out)[1]["bodies"].as_f64().expect("a count"));
}

#[test]
fn the_profiles_of_two_runs_are_compared() {
    let (run, other) = (Run::new(&["--ranks", "2"]), Run::new(&["--ranks", "1"]));
    let (code, out, said) = run.tool("profile", &[other.out.to_str().expect("a name")]);
    assert_eq!(code, Some(0), "{said}");
    for text in ["2 ranks x", "1 rank x", "synchronisation", "response"] {
        assert!(out.contains(text), "{text} in {out}");
    }
}

/// The rows of a table, as numbers by column. One that is not known is NaN.
fn numbers(run: &Run, table: &str) -> Vec<BTreeMap<String, f64>> {
    let mut reader = csv::Reader::from_path(run.file(table)).expect("a table");
    let rows = reader.deserialize().map(|row| row.expect("a whole row"));
    let number = |(name, text): (String, String)| (name, text.parse().unwrap_or(f64::NAN));
    rows.map(|row: BTreeMap<_, _>| row.into_iter().map(number).collect()).collect()
}

#[test]
fn the_profile_of_workers_is_the_mean_of_their_steps() {
    const STEPS: f64 = 10.0;
    let alone = ["--ranks", "1", "--threads", "1", "--set", "parallel=Workers(count: 3)"];
    let run = Run::new(&alone);
    let (code, out, said) = run.tool("profile", &[]);
    assert_eq!(code, Some(0), "{said}");
    let frames = frames_of(&run.out);
    let rows = numbers(&run, "profile_workers.csv");
    assert_eq!(rows.len(), 4 * 3);
    let steps_in = |frame: f64| steps_of(&frames[frame as usize..][..1]);
    let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    for row in &rows {
        for column in ["home", "active", "shared", "contacts", "constraints", "sweeps", "seconds"] {
            let of = |step: &Value| step["workers"][row["worker"] as usize][column].as_f64();
            let sum: f64 =
                steps_in(row["frame"]).into_iter().map(|it| of(it).expect("known")).sum();
            assert!(is_near(STEPS * row[column], sum), "{column}: {row:?}");
        }
    }
    assert!(rows.iter().any(|row| row["contacts"] > 0.0 && row["shared"] > 0.0), "{rows:?}");
    // Printed: a row for each worker, with means over the run.
    for worker in 0..3 {
        let own = rows.iter().filter(|row| row["worker"] == f64::from(worker));
        let contacts = own.map(|row| row["contacts"]).sum::<f64>() / 4.0;
        let cells = out.lines().map(|line| Vec::from_iter(line.split_whitespace()));
        let line = cells.into_iter().find(|it| it.first() == Some(&worker.to_string().as_str()));
        assert_eq!(line.expect("a row")[4], format!("{contacts:.0}"), "{out}");
    }
    for row in numbers(&run, "profile_steps.csv") {
        let slowest = |step: &Value| {
            let workers = step["workers"].as_array().expect("workers").iter();
            workers.filter_map(|it| it["seconds"].as_f64()).fold(0.0, f64::max)
        };
        let longest: f64 = steps_in(row["frame"]).into_iter().map(slowest).sum();
        assert!(is_near(STEPS * row["longest_worker_s"], longest), "{row:?}");
        let residuals = steps_in(row["frame"]).into_iter().map(|it| it["residual_m_s"].as_f64());
        let largest = residuals.map(|it| it.expect("known")).fold(0.0, f64::max);
        assert!(row["residual_m_s"] == largest, "{row:?}");
        assert!(row["longest_worker_s"] < row["modelled_threads_s"], "{row:?}");
        assert!(row["modelled_threads_s"] < row["modelled_network_s"], "{row:?}");
    }
    // On two ranks workers do not take turns: nothing is modelled.
    let two = Run::new(&[&["--ranks", "2"], &alone[2..]].concat());
    let (_, out, _) = two.tool("profile", &[]);
    assert!(out.contains("only from a run with --ranks 1 --threads 1"), "{out}");
    assert!(numbers(&two, "profile_steps.csv").iter().all(|it| it["modelled_threads_s"].is_nan()));
    let (_, out, _) = run.tool("profile", &[two.out.to_str().expect("a name")]);
    assert!(out.contains("against the other run"), "{out}");
}

//! `program/output`: in a run folder no file of the user is lost, one run writes at a time, and a
//! run can be repeated from its folder alone.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::run::{Frames, Start, cloth_sim, finish, scene};
use tempfile::TempDir;

/// A cloth and an obstacle from files with the same name, in different folders.
const SCENE: &str = r#"(
    name: "small", frames: 3, frames_per_second: 50, steps_per_frame: 2,
    cloths: [(shape: Mesh("square.obj"), transform: (translation_m: (0, 0.02, 0)),
              material: Fabric("cotton"))],
    obstacles: [(shape: Mesh("far/square.obj"), transform: (scale: 3))],
)"#;

const SQUARE: &str = "v -0.3 0 -0.3\nv -0.3 0 0.4\nv 0.4 0 0.4\nv 0.4 0 -0.3\nv 0.1 0 0\n\
    f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";

/// A folder with a scene `small.ron` and its meshes.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("far")).expect("a folder");
    write(&home.path().join("small.ron"), SCENE);
    write(&home.path().join("square.obj"), SQUARE);
    write(&home.path().join("far/square.obj"), SQUARE);
    home
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("a file is written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file can be read")
}

/// Runs `scene` in the folder `home`.
fn run(home: &Path, scene: &str, out: &str, more: &[&str]) -> Output {
    let mut command = cloth_sim(Start::Threads(1, 1));
    finish(command.current_dir(home).args([scene, "--out", out]).args(more))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The run fails, and its message has a help and all `words`.
fn assert_refused(output: &Output, words: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in ["help: "].iter().chain(words) {
        assert!(said.contains(word), "{word} in {said}");
    }
}

/// All files below `folder`, by their paths in it.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match path.is_dir() && !path.is_symlink() {
            true => files.extend(self::files(&path).iter().map(|file| format!("{name}/{file}"))),
            false => files.push(name),
        }
    }
    files.sort();
    files
}

#[test]
fn a_file_that_no_run_has_written_is_never_replaced() {
    let home = home();
    for name in [
        "scene.ron",
        "scene.ron.tmp",
        "partition.csv",
        "run.json",
        "run.json.tmp",
        "steps.jsonl",
        "profile.csv",
        "phases.csv",
        "frame_0003.obj",
        "obstacles.obj",
        "meshes/mesh_0_square.obj",
    ] {
        let out = home.path().join("out");
        let file = out.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder is made");
        write(&file, "the only copy");
        for more in [&[][..], &["--overwrite"]] {
            assert_refused(&run(home.path(), "small.ron", "out", more), &["out", name, "--out"]);
            assert_eq!(files(&out), [name]);
            assert_eq!(read(&file), "the only copy");
        }
        fs::remove_dir_all(out).expect("the folder is removed");
    }
}

/// Names that some run writes, but not this one, in a folder that never held a run.
#[test]
fn files_that_the_run_does_not_write_stay() {
    let home = home();
    let out = home.path().join("out");
    let mine = ["materials.mtl", "profile.png", "frame_0900.obj", "owners_0000.csv", "solids.obj"];
    fs::create_dir(&out).expect("a folder is made");
    mine.iter().for_each(|name| write(&out.join(name), "the only copy"));
    assert!(run(home.path(), "small.ron", "out", &[]).status.success());
    assert!(run(home.path(), "small.ron", "out", &["--overwrite"]).status.success());
    let refused = run(home.path(), "small.ron", "out", &["--overwrite", "--set", "frames=1000"]);
    assert_refused(&refused, &["would replace", "frame_0900.obj", "--out"]);
    for name in mine {
        assert_eq!(read(&out.join(name)), "the only copy");
        assert!(!said(&refused).contains(name) || name == "frame_0900.obj", "{}", said(&refused));
    }
}

#[test]
fn the_refusal_names_each_file_that_would_go() {
    let home = home();
    let out = home.path().join("out");
    assert!(run(home.path(), "small.ron", "out", &[]).status.success());
    let refused = run(home.path(), "small.ron", "out", &[]);
    assert_refused(&refused, &["--overwrite", "frame_0000.obj to frame_0003.obj"]);
    let said = said(&refused);
    let others = files(&out).into_iter().filter(|name| !name.starts_with("frame_"));
    for name in others {
        assert!(said.contains(&name), "{name} in {said}");
    }
}

/// Only a `run.json` of this program, which lists the files of its run, tells which files belong
/// to a run.
#[test]
fn a_record_that_is_not_of_a_run_gives_nothing_away() {
    let home = home();
    let out = home.path().join("out");
    assert!(run(home.path(), "small.ron", "out", &[]).status.success());
    let record = out.join("run.json");
    let text = read(&record);
    let older = text.replacen("\"format\":6", "\"format\":5", 1);
    for (other, word) in [("{\"name\": \"mine\"}", "run.json"), (&*older, "of another version")] {
        write(&record, other);
        let before = files(&out);
        let refused = run(home.path(), "small.ron", "out", &["--overwrite"]);
        assert_refused(&refused, &["frame_0000.obj to frame_0003.obj", "--out", word]);
        assert_eq!((files(&out), read(&record)), (before, other.to_owned()));
    }
    // A link to a record belongs to the user.
    fs::rename(&record, home.path().join("record")).expect("a new name");
    write(&home.path().join("record"), &text);
    symlink("../record", &record).expect("a link");
    assert_refused(&run(home.path(), "small.ron", "out", &["--overwrite"]), &["run.json"]);
    assert!(record.is_symlink() && out.join("frame_0003.obj").exists());
}

/// A process that is killed while it writes its first file leaves no run, and nothing that must be
/// kept.
#[test]
fn a_record_that_was_never_finished_is_cleared() {
    let home = home();
    for left in ["", "   ", "{\"for", "{\"format\":6,\"version\":\"0.1.0\",\"sta"] {
        let out = home.path().join("out");
        fs::create_dir(&out).expect("a folder is made");
        write(&out.join("run.json.tmp"), left);
        let next = run(home.path(), "small.ron", "out", &["--frames", "0"]);
        assert!(next.status.success(), "{left}: {}", said(&next));
        assert!(!out.join("run.json.tmp").exists(), "{left}");
        fs::remove_dir_all(out).expect("the folder is removed");
    }
}

/// The files that a run leaves on a disk with this many KiB of space. Needs a file system of its
/// own. If the system does not allow one, nothing is tested.
#[test]
fn a_full_disk_leaves_nothing_or_a_run_that_has_failed() {
    let home = home();
    let script = r#"mkdir disk && mount -t tmpfs -o size=1024k tmpfs disk || exit 99
        head -c $(((1024 - $1) * 1024)) /dev/zero > disk/fill
        "$0" small.ron --out disk/run --threads 1 --quiet; echo "code $?"
        ls -R disk; cat disk/run/run.json"#;
    for (room, begins) in [(4, false), (8, false), (12, false), (20, true), (40, true)] {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.arg(env!("CARGO_BIN_EXE_cloth-sim")).arg(room.to_string());
        let Ok(output) = command.current_dir(home.path()).output() else { return };
        let (found, said) = (String::from_utf8_lossy(&output.stdout), said(&output));
        if !found.contains("code ") {
            println!("not tested: {said}");
            return;
        }
        assert!(found.contains("code 1") && said.contains("No space left"), "{found}{said}");
        assert!(said.contains("help: ") && !found.contains(".tmp"), "{room}: {found}{said}");
        assert!(!found.contains(".lock"), "{found}");
        assert_eq!(found.contains("disk/run"), begins, "{room}: {found}");
        assert_eq!(
            found.contains("\"status\":\"failed\",\"error\":\"disk/run/"),
            begins,
            "{found}"
        );
        fs::remove_dir(home.path().join("disk")).expect("an empty folder");
    }
}

#[test]
fn inputs_are_never_replaced() {
    let home = home();
    let folder = home.path();
    fs::rename(folder.join("small.ron"), folder.join("scene.ron")).expect("a new name");
    let refused = run(folder, "scene.ron", ".", &["--overwrite"]);
    assert_refused(&refused, &["./scene.ron", "input of the run", "--out"]);
    // A link to the scene, a link to a mesh, and a mesh of two names.
    symlink("scene.ron", folder.join("small.ron")).expect("a link");
    fs::rename(folder.join("square.obj"), folder.join("obstacles.obj")).expect("a new name");
    symlink("obstacles.obj", folder.join("square.obj")).expect("a link");
    fs::create_dir(folder.join("hard")).expect("a folder");
    fs::hard_link(folder.join("far/square.obj"), folder.join("hard/frame_0001.obj"))
        .expect("a link");
    let before = files(folder);
    for (scene, out, file) in
        [("small.ron", ".", "obstacles.obj"), ("small.ron", "hard", "frame_0001.obj")]
    {
        for more in [&[][..], &["--overwrite"]] {
            let output = run(folder, scene, out, more);
            assert_refused(&output, &[&format!("{out}/"), file, "input of the run", "--out"]);
        }
    }
    assert_eq!(files(folder), before);
    assert_eq!(read(&folder.join("scene.ron")), SCENE);
    assert_eq!(read(&folder.join("obstacles.obj")), SQUARE);
    // A run is not repeated into its own folder either.
    assert!(run(folder, "small.ron", "out", &[]).status.success());
    let again = run(folder, "out/scene.ron", "out", &["--overwrite"]);
    assert_refused(&again, &["out/", "input of the run"]);
    assert_eq!(Frames::read(&folder.join("out")).state_hashes.len(), 4);
}

#[test]
fn links_are_not_followed() {
    let home = home();
    let precious = home.path().join("precious");
    write(&precious, "the only copy");
    for name in ["run.json", "frame_0000.obj", "scene.ron.tmp", "run.lock", "meshes"] {
        for target in ["../precious", "../nothing"] {
            let out = home.path().join("out");
            fs::create_dir(&out).expect("a folder is made");
            symlink(target, out.join(name)).expect("a link");
            assert_refused(&run(home.path(), "small.ron", "out", &["--overwrite"]), &[name]);
            assert_eq!(files(&out), [name]);
            assert_eq!(read(&precious), "the only copy");
            assert!(!home.path().join("nothing").exists());
            fs::remove_dir_all(out).expect("the folder is removed");
        }
    }
}

#[test]
fn overwrite_removes_what_a_run_writes_and_nothing_else() {
    let home = home();
    let out = home.path().join("out");
    assert!(run(home.path(), "small.ron", "out", &[]).status.success());
    let mut profile = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    assert!(finish(profile.arg("profile").arg(&out)).status.success());
    assert!(files(&out).contains(&"profile.csv".to_owned()));
    let mine = ["notes.txt", "frame_0001.png", "frame_0009.obj", "frame_0003.obj.tmp"];
    let mine = [&mine[..], &["meshes/mine.obj", "profile.pdf", "obstacles.mtl"]].concat();
    mine.iter().for_each(|name| write(&out.join(name), "mine"));
    // No mesh, no fixed obstacle, fewer frames.
    write(
        &home.path().join("less.ron"),
        r#"(frames: 1, steps_per_frame: 1, cloths: [(
            shape: Sheet(width_m: 1, length_m: 1, columns: 4, rows: 4), material: Fabric("cotton"))])"#,
    );
    assert!(run(home.path(), "less.ron", "out", &["--overwrite"]).status.success());
    let of_run = ["checkpoint_0001.bin", "frame_0000.obj", "frame_0001.obj", "partition.csv"];
    let tables = ["phases.csv", "profile.csv", "run.json", "scene.ron", "steps.jsonl"];
    let mut expected = [&of_run[..], &tables, &mine].concat();
    expected.sort();
    assert_eq!(files(&out), expected);
}

/// A run that does not end by itself.
fn endless(home: &Path) -> Child {
    let mut command = cloth_sim(Start::Threads(1, 1));
    command.current_dir(home).arg(scene("sheet.ron")).args(["--out", "out", "--quiet"]);
    command.args(["--set", "frames=1000000", "--set", "steps_per_frame=1"]);
    command.stderr(Stdio::null()).spawn().expect("the program starts")
}

fn await_file(file: &Path) {
    let start = Instant::now();
    while !file.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {file:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn check(home: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let output = finish(command.current_dir(home).args(["check", "out"]));
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn one_run_at_a_time_writes_a_folder() {
    let home = home();
    let out = home.path().join("out");
    let mut first = endless(home.path());
    let process = format!("process {}", first.id());
    await_file(&out.join("frame_0001.obj"));
    let second = run(home.path(), "small.ron", "out", &["--overwrite"]);
    assert_refused(&second, &["out", &process, "--out"]);
    let found = check(home.path());
    assert!(found.contains(&format!("{process} still runs it")), "{found}");

    first.kill().expect("it can be killed");
    first.wait().expect("it has ended");
    let found = check(home.path());
    assert!(found.contains("the run was killed, frames 0 to"), "{found}");
    assert!(found.contains("no fault in"), "listed frames are whole: {found}");
    assert_refused(&run(home.path(), "small.ron", "out", &[]), &["--overwrite"]);
    let next = run(home.path(), "small.ron", "out", &["--overwrite"]);
    assert!(next.status.success(), "{}", said(&next));
    assert!(said(&next).contains(&format!("note: {process} has ended")), "{}", said(&next));
    assert!(!files(&out).iter().any(|name| name.ends_with(".tmp") || name.ends_with(".lock")));

    let lock = out.join("run.lock");
    write(&lock, r#"{"host": "another.machine", "process": 1}"#);
    let refused = run(home.path(), "small.ron", "out", &["--overwrite"]);
    assert_refused(&refused, &["process 1 on another.machine", "remove out/run.lock"]);
    assert!(lock.exists() && out.join("frame_0003.obj").exists());
}

/// A run that fails before its first frame leaves nothing.
#[test]
fn a_set_up_that_fails_leaves_no_folder_and_keeps_an_earlier_run() {
    let home = home();
    let intersects = SCENE.replace("(0, 0.02, 0)", "(0, 0, 0)");
    write(&home.path().join("bad.ron"), &intersects);
    assert!(!run(home.path(), "bad.ron", "new/out", &[]).status.success());
    assert!(!home.path().join("new").exists());
    assert!(run(home.path(), "small.ron", "out", &[]).status.success());
    let before = files(&home.path().join("out"));
    assert!(!run(home.path(), "bad.ron", "out", &["--overwrite"]).status.success());
    assert_eq!(files(&home.path().join("out")), before);
}

#[test]
fn a_run_can_be_repeated_from_its_folder_alone() {
    let home = home();
    let more = ["--refine", "3", "--frames", "2", "--set", "steps_per_frame=3"];
    let more = [&more[..], &["--set", "gravity_m_per_s2=(0.5, -9, 0)"]].concat();
    let first = run(home.path(), "small.ron", "out", &more);
    assert!(first.status.success(), "{}", said(&first));
    let text = read(&home.path().join("out/scene.ron"));
    assert!(!text.contains(&*home.path().to_string_lossy()), "{text}");

    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let moved: PathBuf = elsewhere.path().join("moved");
    copy(&home.path().join("out"), &moved);
    drop(home);
    let again = run(elsewhere.path(), "moved/scene.ron", "again", &[]);
    assert!(again.status.success(), "{}", said(&again));
    let again = elsewhere.path().join("again");
    assert_eq!(Frames::read(&moved), Frames::read(&again));
    assert_eq!(Frames::read(&moved).digests.len(), 3);
    assert_eq!(read(&moved.join("meshes/mesh_0_square.obj")), SQUARE);
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder is made");
        fs::copy(from.join(&file), target).expect("a copy");
    }
}

//! `program/run`: after Ctrl-C, SIGTERM, a closed terminal (SIGHUP) or `kill -9` at any moment,
//! the run folder stays readable.
//!
//! `tools/kill_test.py` does the same with many more moments.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::run::{Start, cloth_sim, finish, frame_files, scene};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

/// Starts a run that does not end by itself, with a step of 1 ms a frame. Its set-up calls METIS.
fn endless(start: Start, folder: &Path, more: &[&str]) -> Child {
    endless_scene(&scene("tablecloth.ron"), "frames_per_second=1000", start, folder, more)
}

/// The same with another scene at this rate of frames.
fn endless_scene(scene: &Path, rate: &str, start: Start, folder: &Path, more: &[&str]) -> Child {
    // The tests may run under `nohup`.
    let mut command = with_hangup("--default-signal", &cloth_sim(start));
    command.arg(scene).arg("--out").arg(folder).arg("--quiet").args(more);
    for setting in [rate, "steps_per_frame=1", "frames=100000"] {
        command.args(["--set", setting]);
    }
    command.stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// `command` with this `option` of `env` for SIGHUP.
fn with_hangup(option: &str, command: &Command) -> Command {
    let mut with = Command::new("env");
    with.arg(format!("{option}=HUP")).arg(command.get_program()).args(command.get_args());
    command.get_envs().for_each(|(name, value)| {
        with.env(name, value.unwrap_or_default());
    });
    with
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Waits for `done`.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the program has blocked SIGTERM. Before that it has only read its arguments.
fn holds_signals(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a status");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).expect("a mask");
    u64::from_str_radix(mask.trim(), 16).expect("hexadecimal digits") & (1 << 14) != 0
}

/// Exit code and standard error of a run that ends.
fn end(mut child: Child) -> (Option<i32>, String) {
    wait_until("the run has ended", || child.try_wait().expect("it can be awaited").is_some());
    let output = child.wait_with_output().expect("its output");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn status(folder: &Path) -> String {
    let text = std::fs::read(folder.join("run.json")).expect("run.json is there");
    let head: Value = serde_json::from_slice(&text).expect("run.json is JSON");
    head["status"].as_str().expect("a status").to_owned()
}

/// No temporary file and no lock is in `folder`.
fn assert_tidy(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(!name.ends_with(".tmp") && !name.ends_with(".lock"), "{name}");
    }
}

/// `check` finds no fault in the frames that the run lists. Returns what it says about the run.
fn checked(folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let output = finish(command.arg("check").arg(folder));
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && found.contains("no fault in"), "{found}");
    let lines = Vec::from_iter(found.lines().filter(|line| line.starts_with("run.json: ")));
    assert_eq!(lines.len(), 1, "{found}");
    lines[0].to_owned()
}

fn assert_interrupted(folder: &Path, said: &str) {
    assert_eq!(status(folder), "interrupted");
    assert_tidy(folder);
    let last = frame_files(folder).len() - 1;
    let frames = if last == 0 { "frame 0".to_owned() } else { format!("frames 0 to {last}") };
    assert!(said.contains(&format!("interrupted, {frames} whole")), "{said}");
    assert_eq!(checked(folder), format!("run.json: the run was interrupted, {frames} whole"));
}

const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

#[test]
fn a_signal_ends_all_ranks_after_the_same_step() {
    let starts = [Start::Threads(1, 2), Start::Threads(3, 1), Start::Threads(2, 1)];
    for (start, (signal, code)) in starts.iter().zip(SIGNALS) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let child = endless(*start, &out, &[]);
        wait_until("a frame", || out.join("frame_0002.obj").exists());
        send(signal, &child);
        let (found, said) = end(child);
        assert_eq!(found, Some(code), "{said}");
        assert_interrupted(&out, &said);
    }
}

#[test]
fn a_signal_leaves_whole_frames_of_rigid_bodies() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let workers = "parallel=Workers(count: 3, coupling: Impulses)";
    let starts: &[Start] = match cfg!(feature = "mpi") {
        true => &[Start::Threads(3, 1), Start::Mpi(2)],
        false => &[Start::Threads(3, 1)],
    };
    let runs = [("grains.ron", "parallel=Domain"), ("joints.ron", workers)];
    for (&start, (scene, parallel)) in starts.iter().flat_map(|it| runs.map(|run| (it, run))) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let (scene, more) = (scenes.join(scene), ["--set", parallel]);
        let child = endless_scene(&scene, "frames_per_second=100000", start, &out, &more);
        wait_until("a frame", || out.join("frame_0002.vtp").exists());
        send("-TERM", &child);
        let (found, said) = end(child);
        assert_ne!(found, Some(0), "{said}");
        assert_interrupted(&out, &said);
    }
}

/// The moments are spread over the set-up and the first frames. What is asserted holds at each.
#[test]
fn a_signal_at_any_moment_leaves_no_folder_or_an_interrupted_run() {
    for (moment, (signal, code)) in (0..10).zip(SIGNALS.into_iter().cycle()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let child = endless(Start::Threads(2, 1), &out, &[]);
        wait_until("the program has begun", || holds_signals(&child));
        std::thread::sleep(Duration::from_millis(60 * moment));
        send(signal, &child);
        let (found, said) = end(child);
        assert_eq!(found, Some(code), "{said}");
        assert!(!said.contains("METIS") && !said.contains("error"), "{said}");
        if out.exists() {
            assert_interrupted(&out, &said);
        } else {
            assert!(said.contains("interrupted, no frame written"), "{said}");
        }
    }
}

#[test]
fn a_second_signal_does_not_wait_for_the_step() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let child = endless(Start::Threads(1, 1), &out, &["--refine", "3"]);
    wait_until("a run", || out.join("frame_0000.obj").exists());
    send("-INT", &child);
    send("-TERM", &child);
    let (code, said) = end(child);
    assert_eq!((code, &*status(&out)), (Some(143), "running"), "{said}");
}

/// The shell and the system both send SIGHUP when a terminal closes.
#[test]
fn a_second_hangup_does_not_end_the_run_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let child = endless(Start::Threads(1, 1), &out, &[]);
    wait_until("a run", || out.join("frame_0000.obj").exists());
    for _ in 0..3 {
        send("-HUP", &child);
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, said) = end(child);
    assert_eq!(code, Some(129), "{said}");
    assert_interrupted(&out, &said);
}

#[test]
fn a_hangup_that_is_ignored_does_not_end_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let mut command = with_hangup("--ignore-signal", &cloth_sim(Start::Threads(1, 1)));
    command.arg(scene("sheet.ron")).arg("--out").arg(&out).arg("--quiet");
    for setting in ["frames_per_second=1000", "steps_per_frame=1", "frames=100000"] {
        command.args(["--set", setting]);
    }
    let child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_until("a run", || out.join("frame_0000.obj").exists());
    send("-HUP", &child);
    let later = format!("frame_{:04}.obj", frame_files(&out).len() + 5);
    wait_until("a later frame", || out.join(&later).exists());
    send("-TERM", &child);
    assert_eq!(end(child).0, Some(143));
}

#[test]
fn a_run_that_is_killed_lists_whole_frames_and_is_taken_over() {
    for moment in 0..4 {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let child = endless(Start::Threads(1, 1), &out, &[]);
        if moment > 0 {
            wait_until("a frame", || out.join("frame_0001.obj").exists());
        }
        std::thread::sleep(Duration::from_millis(37 * moment));
        send("-KILL", &child);
        assert_eq!(end(child).0, None, "a signal has ended it");
        if moment > 0 {
            assert_eq!(status(&out), "running");
            assert!(checked(&out).contains("the run was killed, frames 0 to"));
        }
        let mut next = cloth_sim(Start::Threads(1, 1));
        next.arg(scene("sheet.ron")).arg("--out").arg(&out).args(["--overwrite", "--frames", "0"]);
        let next = finish(&mut next);
        let said = String::from_utf8_lossy(&next.stderr);
        assert!(next.status.success(), "{said}");
        assert_eq!(said.contains("takes the folder over"), moment > 0, "{said}");
        assert_tidy(&out);
        assert_eq!(frame_files(&out).len(), 1);
    }
}

/// `mpirun` passes SIGTERM on, whichever signal it gets, and kills what still runs a second later.
#[cfg(feature = "mpi")]
#[test]
fn a_signal_to_mpirun_ends_all_processes() {
    for (signal, _) in &SIGNALS[..2] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let child = endless(Start::Mpi(2), &out, &[]);
        wait_until("a frame", || out.join("frame_0002.obj").exists());
        send(signal, &child);
        let (code, said) = end(child);
        assert_ne!(code, Some(0), "{said}");
        assert_interrupted(&out, &said);
    }
}

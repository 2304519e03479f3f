//! `program/run`: the numbers of ranks and threads, compared with cores and patches, and the
//! launchers of MPI.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::run::{BINARY, default_build, finish, frame_files, scene};
#[cfg(feature = "mpi")]
use crate::common::{mpirun, run};
use tempfile::TempDir;

/// Variables of all launchers: the tests themselves may run under one.
const LAUNCHERS: [&str; 6] = [
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE",
    "PMI_RANK",
    "PMIX_RANK",
    "SLURM_STEP_NUM_TASKS",
];

/// A frame of `scenes/sheet.ron`, 14 patches, into `out`.
fn sheet(binary: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    LAUNCHERS.iter().for_each(|name| _ = command.env_remove(name));
    command.arg(scene("sheet.ron")).args(["--frames", "1", "--set", "steps_per_frame=1"]);
    command.arg("--out").arg(folder.join("out")).args(arguments);
    command
}

fn start_of(
    binary: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (Output, String, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = finish(sheet(binary, folder.path(), arguments).envs(variables.iter().copied()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said, folder)
}

fn start(arguments: &[&str], variables: &[(&str, &str)]) -> (Output, String, TempDir) {
    start_of(&BINARY, arguments, variables)
}

/// The run fails with all `words` and leaves no folder.
fn assert_refused(arguments: &[&str], variables: &[(&str, &str)], words: &[&str]) {
    assert_refused_by(&BINARY, arguments, variables, words);
}

fn assert_refused_by(
    binary: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
    words: &[&str],
) {
    let (output, said, folder) = start_of(binary, arguments, variables);
    assert!(!output.status.success() && said.contains("help: "), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "wanted {word:?} in: {said}");
    }
    assert!(!folder.path().join("out").exists(), "no run was started");
}

fn assert_runs(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let (output, said, folder) = start(arguments, variables);
    assert!(output.status.success(), "{said}");
    assert_eq!(frame_files(&folder.path().join("out")).len(), 2);
    said
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn far_too_many_processors_are_refused_with_the_numbers() {
    let cores = format!("more than 4 times the {} core", cores());
    let arguments = ["--ranks", "4096", "--threads", "1024"];
    let words = ["4096 ranks x 1024 threads", &cores, "--oversubscribe"];
    assert_refused(&arguments, &[], &words);
}

#[test]
fn more_processors_than_cores_are_a_warning() {
    let threads = cores() + 1;
    let arguments = ["--oversubscribe", "--threads", &threads.to_string()];
    let said = assert_runs(&arguments, &[]);
    let warnings: Vec<_> = said.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{said}");
    let numbers = format!("1 rank x {threads} threads are more than the {} core", cores());
    assert!(warnings[0].contains(&numbers), "{said}");
}

#[test]
fn more_ranks_than_patches_are_one_warning() {
    let arguments = ["--oversubscribe", "--ranks", "3", "--threads", "1"];
    let said = assert_runs(&[&arguments[..], &["--set", "patch_vertices=500"]].concat(), &[]);
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    assert!(said.contains("the 1 patch of the cloth (2 ranks without a patch"), "{said}");
    assert!(!assert_runs(&["--ranks", "1", "--threads", "1"], &[]).contains("warning"));
}

#[test]
fn under_a_launcher_ranks_are_not_to_be_chosen() {
    let launched = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "0")];
    assert_refused(&["--ranks", "1"], &launched, &["--ranks", "mpirun", "OMPI_COMM_WORLD_SIZE=2"]);
}

/// One process is the whole run, whatever started it.
#[test]
fn a_launcher_of_one_process_runs_it() {
    assert_runs(&["--ranks", "2"], &[("PMI_SIZE", "1"), ("PMI_RANK", "0")]);
    assert_runs(&[], &[("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_PROCID", "0")]);
}

/// A launcher must never start N copies of the whole scene.
#[test]
fn a_binary_without_mpi_says_so_under_a_launcher() {
    let Some(binary) = default_build() else { return };
    let words = ["without MPI", "--features mpi"];
    let refused = |variables: &[(&str, &str)], more: &[&str]| {
        assert_refused_by(&binary, &[], variables, &[&words[..], more].concat());
    };
    let first = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "0")];
    refused(&first, &["mpirun of Open MPI", "2 processes"]);
    let slurm = [("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_PROCID", "0")];
    refused(&slurm, &["srun", "SLURM_STEP_NUM_TASKS=8"]);
    refused(&[("PMIX_RANK", "0")], &[]);
    let second = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "1")];
    let (output, said, _folder) = start_of(&binary, &[], &second);
    assert!(!output.status.success() && said.is_empty(), "rank 0 alone prints: {said}");
}

/// Each process of a launcher of another MPI library is alone in its own world.
#[cfg(feature = "mpi")]
#[test]
fn a_launcher_of_another_mpi_library_is_refused() {
    for (variables, numbers) in [
        ([("PMI_SIZE", "2"), ("PMI_RANK", "0")], "2 processes (PMI_SIZE=2)"),
        ([("FLUX_JOB_SIZE", "3"), ("FLUX_TASK_RANK", "0")], "3 processes (FLUX_JOB_SIZE=3)"),
    ] {
        assert_refused(&[], &variables, &[numbers, "the MPI library (", "knows of 1 rank only"]);
    }
    let (output, said, _folder) = start(&[], &[("PMI_SIZE", "2"), ("PMI_RANK", "1")]);
    assert!(!output.status.success() && said.is_empty(), "rank 0 alone prints: {said}");
}

#[cfg(feature = "mpi")]
#[test]
fn processes_count_the_cores_of_their_machine() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let launch = |threads: &str, more: &[&str]| {
        let mut command = mpirun(2);
        command.arg(env!("CARGO_BIN_EXE_cloth-sim")).arg(run::scene("sheet.ron"));
        command.args(["--frames", "1", "--threads", threads]).args(more);
        let output = finish(command.arg("--out").arg(folder.path().join("out")));
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (good, said) = launch("1024", &[]);
    assert!(!good, "2048 threads");
    assert_eq!(said.matches("2 ranks x 1024 threads are more than 4 times").count(), 1, "{said}");
    let threads = (cores() + 1).to_string();
    let (good, said) = launch(&threads, &["--oversubscribe"]);
    assert!(good, "{said}");
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
}

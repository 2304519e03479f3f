//! Helpers that several test programs share.
#![allow(dead_code)] // each of them uses a part of it

pub mod conformance;
pub mod ends;
pub mod page;
pub mod poses;
pub mod queries;
pub mod run;
pub mod samples;
pub mod springs;
pub mod vtp;

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The command of the real `mpirun` for `ranks` ranks, on any number of cores and as any user;
/// the caller appends the program. Panics if there is no `mpirun`.
pub fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["-n", &ranks.to_string()]).stdin(Stdio::null());
    if is_open_mpi() {
        command.args(["--oversubscribe", "--bind-to", "none"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        // Containers often forbid copies between processes; Open MPI would print a warning.
        command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
        command.env("OMPI_MCA_orte_tmpdir_base", session_folder());
    }
    command
}

/// A folder of its own for the session of a job. Open MPI 4 makes one of the same name for each job
/// of a user: a job fails if another one makes it at the same moment.
fn session_folder() -> PathBuf {
    static JOBS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("mpi-{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files of tests");
    folder
}

fn is_open_mpi() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let version = Command::new("mpirun").arg("--version").stdin(Stdio::null()).output();
        let version = version.unwrap_or_else(|cause| {
            panic!("these tests need an MPI library's mpirun ({cause}); scripts/test installs one")
        });
        let text = [version.stdout, version.stderr].concat();
        String::from_utf8_lossy(&text).contains("Open MPI")
    })
}

/// Runs `command` to its end. If that takes longer than `limit`, ends it and panics.
pub fn finish_within(limit: Duration, command: &mut Command) -> Output {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let stdout = read_to_end(child.stdout.take().expect("a pipe"));
    let stderr = read_to_end(child.stderr.take().expect("a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program can be awaited") {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().ok();
            child.wait().ok();
            panic!("{command:?} did not end within {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |reader: JoinHandle<Vec<u8>>| reader.join().expect("a reader ends");
    Output { status, stdout: text(stdout), stderr: text(stderr) }
}

/// Reads a pipe while the program runs, so that it never waits for a full one.
fn read_to_end(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text).ok();
        text
    })
}

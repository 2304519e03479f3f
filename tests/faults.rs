//! A failing rank ends the whole job, with one message that names it.
#![cfg(feature = "fault-injection")]

mod common;

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use common::finish_within;
use common::run::{Start, cloth_sim, scene};

/// A job must end within this time of its rank's failure (steps take milliseconds).
const LIMIT: Duration = Duration::from_secs(5);

fn run_with(fault: &str, start: Start, folder: &Path) -> Output {
    let mut command = cloth_sim(start);
    command.arg(scene("sheet.ron")).arg("--out").arg(folder).args(["--frames", "2"]);
    finish_within(LIMIT, command.env("CLOTH_SIM_FAULT", fault))
}

fn starts() -> Vec<Start> {
    let mut starts = vec![Start::Threads(3, 1)];
    if cfg!(feature = "mpi") {
        starts.push(Start::Mpi(3));
    }
    starts
}

#[test]
fn a_panic_or_an_error_on_one_rank_ends_all_with_one_message() {
    for start in starts() {
        for (fault, word) in [("panic:1:5", "panicked"), ("error:2:5", "injected fault")] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let output = run_with(fault, start, &folder.path().join("run"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{start:?} {fault} succeeded");
            let rank = &fault.split(':').nth(1).expect("a rank");
            assert!(said.contains(&format!("rank {rank}")), "{start:?}: {said}");
            assert!(said.contains(word), "{start:?}: {said}");
            assert_eq!(said.matches("injected fault").count(), 1, "{start:?}: {said}");
        }
    }
}

/// Halving the step does not cure a NaN. The run fails and names frame, step and vertex.
#[test]
fn a_nan_is_reported_with_its_place() {
    for start in starts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let output = run_with("nan:0:5:210", start, &folder.path().join("run"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(said.contains("frame 1, step 5"), "{said}");
        assert!(said.contains("not finite") && said.contains("worst vertex"), "{said}");
    }
}

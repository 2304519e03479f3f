//! Room `ranks`: the MPI transport passes the conformance suite under the real `mpirun`. This
//! program starts itself as its ranks.

mod common;

use std::process::{Command, Output};
use std::time::Duration;

use cloth_mpi::run_mpi;
use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::launch::{self, Launch};
use cloth_sim::ranks::{Tag, World, report_panics_once, wait};
use common::{conformance, finish_within, mpirun};

/// What the ranks of a job do.
const TASK: &str = "CLOTH_SIM_TEST_TASK";

/// One rank of a job.
#[test]
#[ignore = "the tests below start it under mpirun"]
fn one_rank() {
    report_panics_once();
    let task = std::env::var(TASK).unwrap_or_default();
    run_mpi(|world| rank_main(world, &task)).unwrap();
}

fn rank_main(world: &dyn World, task: &str) -> Result<()> {
    match (task, world.rank()) {
        ("error", 1) => Err(Error::input("scene.ron", "no such field", "remove it")),
        ("panic", 1) => panic!("out of cloth"),
        ("all fail", _) => Err(Error::input("scene.ron", "not found", "check the path")),
        ("error" | "panic", 0) => world.all_reduce_sum(&mut [1]),
        ("error" | "panic", _) => wait(world, || world.poll(None, Tag::Test)).map(|_| ()),
        _ => {
            let launch = Launch::find(launch::environment).expect("mpirun is known");
            assert!(launch.fits(world.rank(), world.size()), "{launch:?}");
            assert_eq!(world.neighbours(), world.size(), "all ranks are on this machine");
            conformance::all(world)
        }
    }
}

fn job(ranks: usize, task: &str) -> Output {
    let this = std::env::current_exe().expect("the path of this program");
    let mut command: Command = mpirun(ranks);
    command.arg(this).args(["--exact", "one_rank", "--ignored", "--nocapture"]);
    finish_within(Duration::from_secs(120), command.env(TASK, task))
}

/// The output of the job. It is indented, so that the test results of its ranks are not taken for
/// those of this program.
fn text(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&all).replace('\n', "\n    ")
}

fn conforms(ranks: usize) {
    let output = job(ranks, "conformance");
    assert!(output.status.success(), "{}", text(&output));
    let passed = text(&output).matches("1 passed").count();
    assert_eq!(passed, ranks, "every rank of the job ran the suite:\n{}", text(&output));
}

#[test]
fn conformance_suite_on_1_rank() {
    conforms(1);
}

#[test]
fn conformance_suite_on_2_ranks() {
    conforms(2);
}

#[test]
fn conformance_suite_on_3_ranks() {
    conforms(3);
}

#[test]
fn conformance_suite_on_4_ranks() {
    conforms(4);
}

#[test]
fn conformance_suite_on_7_ranks() {
    conforms(7);
}

/// The job fails and prints the cause once.
fn fails_once_with(task: &str, message: &str) {
    let output = job(3, task);
    let text = text(&output);
    assert!(!output.status.success(), "{text}");
    assert_eq!(text.matches(message).count(), 1, "{text}");
    assert_eq!(text.matches("error: rank").count(), 1, "{text}");
}

#[test]
fn an_error_on_one_rank_ends_the_job() {
    fails_once_with("error", "rank 1 failed: scene.ron: no such field");
}

#[test]
fn a_panic_on_one_rank_ends_the_job() {
    fails_once_with("panic", "rank 1 failed: panicked at tests/transport_mpi.rs");
}

#[test]
fn an_error_on_all_ranks_is_said_once() {
    fails_once_with("all fail", "rank 0 failed: scene.ron: not found");
}

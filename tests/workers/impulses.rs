//! Runs of workers that agree on impulses: they go on with other ranks, and with rounds that are
//! sweeps of the domain run, they are those of the domain run.

use std::fs;
use std::path::Path;

use cloth_sim::ranks::in_process;

use crate::common::run::Start;
use crate::heap;
use crate::place::Place;
use crate::springs::scene;
use crate::steps::simulation_with;

fn impulses(count: usize, more: &str) -> String {
    format!("Workers(count: {count}, coupling: Impulses{more})")
}

/// One worker with `States` has the bits of the domain run.
#[test]
fn without_local_sweeps_any_workers_have_the_bits_of_one() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let joints = fs::read_to_string(home.join("joints.ron")).expect("a scene");
    for text in [joints, heap(""), scene("")] {
        let with =
            |parallel: &str| text.replacen("Scene(", &format!("Scene(parallel: {parallel}, "), 1);
        let run = |ranks, parallel: &str| {
            let of_ranks = in_process::run(ranks, |world| {
                let mut workers =
                    simulation_with(&home, &with(parallel), world, |it| it.local_sweeps = 0);
                (0..100).try_for_each(|_| workers.step().map(drop))?;
                Ok(workers.whole().population().bodies().states().to_vec())
            });
            of_ranks.expect("steps").swap_remove(0)
        };
        let one = run(1, "Workers(count: 1)");
        for (count, ranks) in [(2, 1), (3, 2)] {
            assert!(run(ranks, &impulses(count, "")) == one, "{count} workers: {text}");
        }
    }
}

#[test]
fn a_run_goes_on_with_other_ranks() {
    for (place, frames) in [(Place::of_tests("joints.ron"), "4"), (Place::new(&heap("")), "5")] {
        let parallel = impulses(4, "");
        let whole = place.run(Start::Threads(2, 1), &parallel, &[]);
        place.run(Start::Threads(4, 1), &parallel, &["--frames", "2"]);
        let output = place.resume(&["--frames", frames, "--ranks", "3", "--threads", "1"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(place.outcome() == whole, "the rest differs");
    }
}

//! Runs of workers that agree on impulses: they go on with other ranks, and with rounds that are
//! sweeps of the domain run, they are those of the domain run.

use std::collections::BTreeMap;

use crate::common::run::{Start, frames_of};
use crate::heap;
use crate::place::{Outcome, Place, REFERENCE};

fn impulses(count: usize, more: &str) -> String {
    format!("Workers(count: {count}, coupling: Impulses{more})")
}

/// The frames of a run, without the tables beside them.
fn frames(outcome: &Outcome) -> BTreeMap<&String, &Vec<u8>> {
    outcome.files.iter().filter(|(name, _)| name.starts_with("frame_")).collect()
}

/// Hashes of the bodies of each frame. Those of states hold the homes too.
fn bodies_of(place: &Place) -> Vec<String> {
    let hash = |frame: &serde_json::Value| frame["bodies_hash"].as_str().expect("a hash").into();
    frames_of(&place.folder()).iter().map(hash).collect()
}

#[test]
fn without_local_sweeps_any_workers_have_the_bits_of_the_domain() {
    for place in [Place::of_tests("joints.ron"), Place::new(&heap(""))] {
        let domain = place.run(Start::Threads(2, 1), "Domain", &[]);
        let bodies = bodies_of(&place);
        for (count, start) in [(1, REFERENCE), (3, Start::Threads(2, 1)), (8, REFERENCE)] {
            let parallel = impulses(count, ", local_sweeps: 0");
            let workers = place.run(start, &parallel, &[]);
            assert_eq!(bodies_of(&place), bodies, "{parallel}");
            assert!(frames(&workers) == frames(&domain), "{parallel}");
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

//! Sets by the procedures of the paper.

use std::collections::BTreeMap;
use std::path::Path;

use cloth_sim::ranks::in_process;

use crate::common::run::Start;
use crate::heap;
use crate::place::{Place, REFERENCE};
use crate::steps::simulation_with;

#[test]
fn frames_depend_on_neither_ranks_nor_restarts() {
    for (place, frames) in [(Place::of_tests("joints.ron"), "4"), (Place::new(&heap("")), "5")] {
        let parallel = "Workers(count: 3, growth: 1, division: Equal, sets: Published)";
        let whole = place.run(REFERENCE, parallel, &[]);
        let table = whole.files.keys().filter(|it| it.starts_with("workers_")).count() as u64;
        let homes = |frame| place.workers(frame).into_iter().map(|(id, home, _)| (id, home));
        let at_start: BTreeMap<u64, u64> = homes(0).collect();
        assert!((1..table).all(|frame| homes(frame).all(|(id, home)| at_start[&id] == home)));
        let shared = place.workers(table - 1).iter().filter(|row| row.2.len() > 1).count();
        assert!(shared > 0, "they touch");
        for start in [Start::Threads(2, 1), Start::Threads(3, 2)] {
            assert!(place.run(start, parallel, &[]) == whole, "{start:?}");
        }
        place.run(Start::Threads(3, 1), parallel, &["--frames", "2"]);
        let output = place.resume(&["--frames", frames, "--ranks", "2", "--threads", "1"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(place.outcome() == whole, "the rest differs");
    }
}

#[test]
fn what_does_not_suit_them_is_refused() {
    let place = Place::new(&heap(""));
    let refused = |fields: &str, words: &[&str]| {
        let parallel = format!("Workers(count: 2, sets: Published, {fields})");
        place.assert_refused(Start::Threads(2, 1), &parallel, words);
    };
    let words = ["bad.ron: parallel.sets", "both homes", "`coupling: States`"];
    refused("coupling: Impulses", &words);
}

/// Sets are part of the state; a state without them begins with homes alone.
#[test]
fn sets_are_saved() {
    let world = in_process::alone();
    let of = |sets: &str, steps: usize| {
        let fields = format!("parallel: Workers(count: 3, division: Equal, {sets}),");
        let home = Path::new("");
        let mut heap = simulation_with(home, &heap(&fields), &*world, |it| it.homes_move = false);
        for _ in 0..steps {
            heap.step().expect("a step");
        }
        heap
    };
    let published = of("sets: Published", 60);
    let (saved, hash) = (published.save().expect("bytes"), published.hash().expect("a hash"));
    let mut other = of("sets: Published", 0);
    let before = other.hash().expect("a hash");
    // After the mark, the number of workers, and 29 homes: the number of words, and the sets.
    for (place, byte) in [(7, 1), (8, 0), (8 + 16 + 29, 1), (8 + 16 + 29 + 8, 0), (68, 8)] {
        let mut bytes = saved.clone();
        bytes[place] = byte;
        let refused = other.restore(&bytes).expect_err("the bytes are damaged").to_string();
        assert!(refused.contains("help: "), "{refused}");
        assert_eq!(other.hash().expect("a hash"), before);
    }
    other.restore(&saved).expect("the bytes are whole");
    assert_eq!(other.hash().expect("a hash"), hash);
    let mut definition = of("", 0);
    definition.restore(&saved).expect("bodies and homes");
    other.restore(&definition.save().expect("bytes")).expect("bodies and homes");
    assert_ne!(other.hash().expect("a hash"), hash);
    other.step().expect("a step");
}

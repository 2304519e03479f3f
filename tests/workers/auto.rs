//! Workers that are cut and joined in a run.

use std::collections::BTreeMap;
use std::process::Command;

use cloth_sim::ranks::in_process;
use cloth_sim::workers::report::WorkerReport;

use crate::common::run::{BINARY, Start, finish};
use crate::heap;
use crate::place::{Outcome, Place, REFERENCE};
use crate::steps::simulation;

/// 48 boxes fall into a heap beside a chain of eight links. A ball of steel shoots through the
/// heap, and most of what it hits leaves through open borders.
fn struck(fields: &str) -> String {
    format!(
        r#"Scene(frames: 10, frames_per_second: 25, steps_per_frame: 20, seed: 4, bodies: [
            (name: "boxes", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak",
             velocity: Random(max_m_per_s: 1),
             arrangement: Grid(count: (4, 3, 4), origin_m: (-0.18, 0.1, -0.18), spacing_m: 0.12)),
            (name: "balls", shape: Sphere(radius_m: 0.15), material: "steel",
             velocity: Constant(m_per_s: (20, 0, 0)), arrangement: At([(-5.3, 0.65, 0)])),
            (name: "links", shape: Capsule(radius_m: 0.02, length_m: 0.1), material: "steel",
             arrangement: Grid(count: (1, 8, 1), origin_m: (-0.4, 0.15, 0.6), spacing_m: 0.12)),
        ], joints: [(kind: Ball, bodies: Chain("links"))], materials: [
            (name: "oak", density_kg_per_m3: 700, friction: 0.4),
            (name: "steel", density_kg_per_m3: 7800, friction: 0.4),
        ], domain: (min_m: (-6, 0, -1), max_m: (1, 2, 1), borders: (Open, Floor, Open)), {fields})"#
    )
}

/// The number of workers in each step.
fn counts(outcome: &Outcome) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    outcome.workers.keys().for_each(|(step, _)| *counts.entry(*step).or_default() += 1);
    counts.into_values().collect()
}

#[test]
fn workers_follow_the_work() {
    let world = in_process::alone();
    let fields = "parallel: Workers(count: Auto(60), growth: 0),";
    let mut bodies = simulation(&struck(fields), &*world);
    assert_eq!(bodies.worker_count(), 1, "57 bodies and 7 joints");
    let mut counts = Vec::new();
    for step in 0..200 {
        bodies.step().expect("a step");
        counts.push(bodies.worker_count());
        let work = |it: WorkerReport| it.active + it.contacts + it.joints;
        let work: Vec<u64> = bodies.worker_reports().map(work).collect();
        assert_eq!(work.len(), bodies.worker_count());
        if step % 20 == 0 {
            // A look cuts a worker once.
            assert!(work.iter().all(|&work| work < 120), "step {step}: {work:?}");
            let mut rising = work.clone();
            rising.sort_unstable();
            assert!(rising.len() == 1 || rising[0] + rising[1] > 40, "step {step}: {work:?}");
        }
        if step > 0 && step % 20 != 0 {
            assert_eq!(counts[step], counts[step - 1], "between looks");
        }
    }
    let most = *counts.iter().max().expect("steps");
    let (up, down) = counts.split_at(counts.iter().rposition(|&it| it == most).expect("it") + 1);
    assert!(up.is_sorted() && down.is_sorted_by(|a, b| a >= b), "no flicker: {counts:?}");
    assert!(most > 4 && counts[199] < 4, "{counts:?}");
}

#[test]
fn frames_depend_on_neither_ranks_nor_restarts() {
    let struck = || Place::new(&struck(""));
    let joints = || Place::of_tests("joints.ron");
    for (place, last, work, coupling) in [
        (struck(), "10", 60, "States"),
        (struck(), "10", 60, "Impulses"),
        (joints(), "4", 10, "Impulses"),
    ] {
        let parallel = format!("Workers(count: Auto({work}), growth: 0, coupling: {coupling})");
        let whole = place.run(REFERENCE, &parallel, &[]);
        let counts = counts(&whole);
        assert!(counts.iter().any(|count| *count != counts[0]), "{counts:?}");
        let of_frame = |frame: u64| {
            place.workers(frame).iter().map(|(_, home, _)| *home).max().expect("bodies") + 1
        };
        assert!((1..3).any(|frame| of_frame(frame) != of_frame(frame + 1)), "{counts:?}");
        let profile = finish(Command::new(&*BINARY).arg("profile").arg(place.folder()));
        let said = String::from_utf8_lossy(&profile.stdout).into_owned();
        let range = format!(
            "{} to {} workers",
            counts.iter().min().expect("steps"),
            counts.iter().max().expect("steps")
        );
        assert!(said.contains(&range), "{range}: {said}");
        let threads = [(1, 2), (2, 1), (3, 1), (8, 1)];
        let threads = threads.map(|(ranks, threads)| Start::Threads(ranks, threads));
        let mpi = Some(Start::Mpi(2)).filter(|_| cfg!(feature = "mpi"));
        for start in threads.into_iter().chain(mpi) {
            assert!(place.run(start, &parallel, &[]) == whole, "{start:?} {parallel}");
        }
        // A restart while workers change, first with more ranks than workers.
        place.run(Start::Threads(8, 1), &parallel, &["--frames", "3"]);
        let output = place.resume(&["--frames", last, "--ranks", "3", "--threads", "1"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(place.outcome() == whole, "{parallel}: the rest differs");
    }
}

#[test]
fn what_does_not_suit_them_is_refused() {
    let place = Place::new(&heap(""));
    for (fields, words) in [
        ("Auto(0)", ["bad.ron: parallel.count", "work of 0", "from 1"]),
        ("Auto", ["count: Auto)", "workers from 1 to 64", "`Auto(1500)`"]),
        ("2.5", ["count: 2.5)", "workers from 1 to 64", "`Auto(1500)`"]),
        ("Auto(-5)", ["count: Auto(-5))", "`count` is", "number from 1 to 4294967295"]),
        ("Auto(2.5)", ["count: Auto(2.5))", "`count` is", "number from 1 to 4294967295"]),
        ("-5", ["count: -5)", "`count` is", "workers from 1 to 64"]),
        (
            r#"Auto(9), division: Groups([["balls"], ["boxes"]])"#,
            ["bad.ron: parallel.division", "they change", "another division"],
        ),
        ("Auto(9), sets: Published", ["bad.ron: parallel.sets", "`Published`", "Definition"]),
        ("Auto(9), engines: [Rapier]", ["bad.ron: parallel.engines", "come and go", "[Own]"]),
        ("Auto(9), engines: [Own, Own]", ["bad.ron: parallel.engines", "come and go", "[Own]"]),
    ] {
        place.assert_refused(REFERENCE, &format!("Workers(count: {fields})"), &words);
    }
}

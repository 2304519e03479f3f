//! Runs of the real program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::run::{BINARY, Start, assert_says, finish};
use crate::place::{Outcome, Place, REFERENCE};
use crate::{heap, two_balls};

#[test]
fn one_worker_has_the_bits_of_the_domain() {
    let scenes = [
        (Place::of_tests("joints.ron"), vec![]),
        (Place::new(&heap("")), vec!["--set", "output.forces=true"]),
        (Place::new(&heap("")), vec!["--set", "response=Ffd"]),
    ];
    for (place, more) in scenes {
        let domain = place.run(Start::Threads(2, 1), "Domain", &more);
        let is_of_workers = |name: &String| name.starts_with("workers_");
        assert!(!domain.files.keys().any(is_of_workers) && domain.workers.is_empty());
        let worker = place.run(Start::Threads(1, 2), "Workers(count: 1)", &more);
        assert_eq!(worker.hashes, domain.hashes, "{:?} {more:?}", place.scene);
        for (name, bytes) in domain.files.iter().filter(|(name, _)| !name.starts_with("owners_")) {
            assert!(worker.files[name] == *bytes, "{name}");
        }
    }
}

/// Any change of the arithmetic changes the golden hashes. Mention it in the CHANGELOG.
#[test]
fn frames_depend_on_workers_and_not_on_ranks() {
    let mut last_hashes = Vec::new();
    let cases = ["States", "Impulses"]
        .map(|it| [(it, Place::of_tests("joints.ron")), (it, Place::new(&heap("")))]);
    for (coupling, place) in cases.into_iter().flatten() {
        let mut known: Vec<Outcome> = Vec::new();
        for count in [1, 3, 8] {
            let parallel = format!("Workers(count: {count}, coupling: {coupling})");
            let forces = ["--set", "output.forces=true"];
            let reference = place.run(REFERENCE, &parallel, &forces);
            assert!(reference.files["contacts_0003.csv"].len() > 1000, "forces are noted");
            assert_eq!(reference.workers.keys().filter(|(step, _)| *step == 1).count(), count);
            assert!(known.iter().all(|other| other.hashes != reference.hashes), "{parallel}");
            let threads = [(1, 2), (2, 1), (2, 2), (3, 1), (8, 1)];
            let threads = threads.map(|(ranks, threads)| (ranks, Start::Threads(ranks, threads)));
            let mpi = [2, 4].map(|ranks| (ranks, Start::Mpi(ranks)));
            let mpi = mpi.into_iter().filter(|_| cfg!(feature = "mpi"));
            let starts = threads.into_iter().chain(mpi).filter(|(ranks, _)| *ranks <= count);
            for (_, start) in starts {
                assert!(place.run(start, &parallel, &forces) == reference, "{start:?} {parallel}");
            }
            last_hashes.extend(reference.hashes.last().and_then(Value::as_str).map(str::to_owned));
            known.push(reference);
        }
    }
    assert_eq!(last_hashes.join("\n"), include_str!("../golden/workers.txt").trim());
}

/// Frames, owners and workers, and what each worker did.
#[test]
fn a_run_goes_on_with_other_ranks() {
    let place = Place::new(&heap(""));
    let parallel = "Workers(count: 4, division: Equal)";
    let more = ["--set", "output.forces=true", "--frames", "2"];
    let whole = place.run(Start::Threads(2, 1), parallel, &more[..2]);
    place.run(Start::Threads(4, 1), parallel, &more);
    let output = place.resume(&["--frames", "5", "--ranks", "3", "--threads", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(place.outcome() == whole, "the rest differs");
    let homes = |frame: u64| -> BTreeMap<_, _> {
        place.workers(frame).into_iter().map(|row| (row.0, row.1)).collect()
    };
    assert_ne!(homes(2), homes(5), "balance has moved bodies after the restart");
    let with_more_ranks_than_workers = place.resume(&["--frames", "6", "--ranks", "5"]);
    assert_says(&with_more_ranks_than_workers, &["parallel.count", "at most 4 ranks"]);
    // --overwrite removes the tables of workers too.
    place.run(REFERENCE, "Domain", &["--frames", "1"]);
    assert!(!place.folder().join("workers_0000.csv").exists());
}

#[test]
fn each_division_gives_each_body_a_home() {
    for place in [Place::of_tests("joints.ron"), Place::new(&heap(""))] {
        let mut tables = Vec::new();
        for division in ["Auto", "Metis", "Power", "Equal"] {
            let parallel = format!("Workers(count: 4, division: {division})");
            let outcome = place.run(Start::Threads(2, 1), &parallel, &["--frames", "1"]);
            let rows = place.workers(0);
            assert!(rows.iter().all(|row| row.2 == BTreeMap::from([(row.1, 1.0)])), "at the start");
            let sizes = [0, 1, 2, 3].map(|home| rows.iter().filter(|row| row.1 == home).count());
            assert_eq!(sizes.iter().sum::<usize>(), rows.len());
            assert!(sizes.iter().all(|&size| size > 0), "{division}: {sizes:?}");
            for (id, home, workers) in place.workers(1) {
                assert!(workers.contains_key(&home), "{division}: body {id}");
                assert!((workers.values().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            tables.push(outcome.files["workers_0000.csv"].clone());
        }
        // `Auto` is `Metis` with joints, else `Power`.
        assert!(tables[0] == tables[1] || tables[0] == tables[2]);
    }
}

#[test]
fn groups_have_the_homes_of_their_names() {
    let place = Place::new(&heap(""));
    let parallel = r#"Workers(count: 2, division: Groups([["balls"], ["boxes"]]))"#;
    place.run(Start::Threads(2, 1), parallel, &[]);
    let mut shared = 0;
    for frame in 0..=5 {
        for (id, home, actives) in place.workers(frame) {
            assert_eq!(home, u64::from(id < 27), "frame {frame}, body {id}");
            shared += usize::from(actives.len() == 2);
        }
    }
    assert!(shared > 0, "balls hit boxes");
}

#[test]
fn what_cannot_be_shared_out_is_refused() {
    let place = Place::new(&heap(""));
    let groups = |lists: &str| format!("Workers(count: 2, division: Groups([{lists}]))");
    let at = "bad.ron: parallel.division";
    for (parallel, words) in [
        ("Workers(count: 0)", &["bad.ron: parallel.count", "0 workers", "1 to 64"][..]),
        ("Workers(count: 65)", &["bad.ron: parallel.count", "65 workers", "1 to 64"]),
        ("Workers(count: 30)", &["bad.ron: parallel.count", "29 free bodies", "at least one body"]),
        ("Workers(count: 1)", &["bad.ron: parallel.count", "2 ranks", "start at most 1"]),
        ("Workers(count: 2, growth: 1001)", &["bad.ron: parallel.growth", "1001", "0 to 6"]),
        ("Workers(cuont: 2)", &["cuont", "did you mean `count`"]),
        ("Workers(count: 2, division: Metiz)", &["Metiz", "did you mean `Metis`"]),
        (&groups(r#"["balls"], ["boxen"]"#), &[at, "`boxen`", "did you mean `boxes`"]),
        (&groups(r#"["balls"], ["boxes", "balls"]"#), &[at, "2 workers", "`balls`", "once"]),
        (&groups(r#"["balls"], []"#), &[at, "0 workers", "`boxes`", "once"]),
        (&groups(r#"["balls", "boxes"]"#), &[at, "1 lists", "2 workers", "one list for each"]),
        (&groups(r#"["balls"], ["wall_floor"]"#), &[at, "no free bodies `wall_floor`"]),
    ] {
        place.assert_refused(Start::Threads(2, 1), parallel, words);
    }
    let words = ["bad.ron: parallel.coupling", "`Ffd` has none", "`coupling: States`"];
    let without_impulses = Place::new(&heap("response: Ffd,"));
    without_impulses.assert_refused(REFERENCE, "Workers(count: 2, coupling: Impulses)", &words);
    let periodic = Place::new(&two_balls("domain: (borders: (Wall, Wall, Periodic)),"));
    let words = ["bad.ron: domain.borders", "periodic", "`parallel: Domain`"];
    periodic.assert_refused(REFERENCE, "Workers(count: 2)", &words);
    let disc = r#"(shape: Disc(radius_m: 1, rings: 3), material: Fabric("cotton"))"#;
    let words = ["bad.ron: parallel", "rigid bodies", "leave it out"];
    let cloth = Place::new(&format!("Scene(cloths: [{disc}])"));
    cloth.assert_refused(REFERENCE, "Workers(count: 2)", &words);
}

/// One ball leaves. `check` knows from the record that it is gone.
#[test]
fn a_body_leaves_through_an_open_border() {
    let place = Place::of_tests("bodies.ron");
    let frames = ["--set", "frames=4"];
    let domain = place.run(REFERENCE, "Domain", &frames);
    let reference = place.run(REFERENCE, "Workers(count: 3)", &frames);
    assert_eq!(reference.left, domain.left);
    assert!(reference.left.iter().any(|left| left == 1), "{:?}", reference.left);
    assert!(place.workers(0).len() == place.workers(4).len() + 1);
    let checked = finish(Command::new(&*BINARY).arg("check").arg(place.folder()));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let other = place.run(Start::Threads(3, 1), "Workers(count: 3)", &frames);
    assert!(other == reference, "3 ranks");
}

/// A settled heap can be shared out anew.
#[test]
fn a_new_run_may_begin_with_other_workers_or_none() {
    let place = Place::new(&heap(""));
    let begin = ["--frames", "3", "--checkpoint-every", "1", "--keep-checkpoints", "9"];
    for (parallel, then, homes) in [
        ("Domain", "Workers(count: 2, division: Equal)", 2),
        ("Workers(count: 3, division: Equal)", "Workers(count: 2, division: Equal)", 2),
        ("Workers(count: 2)", "Workers(count: 4, division: Equal)", 4),
        ("Workers(count: 3)", "Domain", 0),
        ("Domain", "Workers(count: Auto(10), division: Equal)", 3),
        ("Workers(count: 5)", "Workers(count: Auto(10))", 5),
    ] {
        let before = place.run(REFERENCE, parallel, &begin);
        let out = place.home.path().join("again");
        let (to, then_set) = (out.to_string_lossy(), format!("parallel={then}"));
        let new = ["--from-frame", "2", "--out", &to, "--overwrite", "--set", &then_set];
        let output = place.resume(&[&new[..], &["--ranks", "2", "--threads", "1"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let frame = fs::read(out.join("frame_0002.vtp")).expect("the first frame");
        assert!(frame == before.files["frame_0002.vtp"], "{parallel}, then {then}");
        let table = csv::Reader::from_path(out.join("workers_0002.csv"));
        let homes_of = |mut table: csv::Reader<fs::File>| {
            BTreeSet::from_iter(table.records().map(|row| row.expect("a row")[1].to_owned()))
        };
        let found = table.map(homes_of).unwrap_or_default();
        assert_eq!(found.len(), homes, "{parallel}, then {then}");
    }
}

//! Room `workers` in the library and in the real program: frames depend on the scene and the number
//! of workers, never on ranks; sets follow the contacts; bad settings give clear errors.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use cloth_sim::ranks::{World, in_process};
use cloth_sim::scene;
use cloth_sim::scene::bodies::build::build_bodies;
use cloth_sim::scene::bodies::division::Divided;
use cloth_sim::workers::WorkerSimulation;
use cloth_sim::workers::report::{Share, WorkerReport};
use common::run::{BINARY, Start, assert_says, cloth_sim, finish, frames_of, steps_of};
use serde_json::Value;
use tempfile::TempDir;

const REFERENCE: Start = Start::Threads(1, 1);

/// 27 boxes and two balls that fall on a floor and on each other, with more `fields` of the scene.
fn heap(fields: &str) -> String {
    format!(
        r#"Scene(frames: 5, frames_per_second: 25, steps_per_frame: 20, seed: 4, bodies: [
            (name: "boxes", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak",
             velocity: Random(max_m_per_s: 1),
             arrangement: Grid(count: (3, 3, 3), origin_m: (-0.13, 0.1, -0.13), spacing_m: 0.13)),
            (name: "balls", shape: Sphere(radius_m: 0.1), material: "oak",
             arrangement: At([(0, 0.53, 0), (0.1, 0.8, 0)])),
        ], materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4)],
        domain: (min_m: (-0.4, 0, -0.4), max_m: (0.4, 2, 0.4)), {fields})"#
    )
}

/// Two balls that meet in the middle, bounce, and part.
fn two_balls(fields: &str) -> String {
    let ball = |name: &str, x: f64, speed: f64| {
        format!(
            r#"(name: "{name}", shape: Sphere(radius_m: 0.1), material: "glass",
                arrangement: At([({x}, 0.5, 0)]), velocity: Constant(m_per_s: ({speed}, 0, 0)))"#
        )
    };
    let (left, right) = (ball("left", -0.2, 1.0), ball("right", 0.2, -1.0));
    format!(
        r#"Scene(frames: 10, frames_per_second: 25, gravity_m_per_s2: (0, 0, 0),
            bodies: [{left}, {right}],
            materials: [(name: "glass", density_kg_per_m3: 2500, restitution: 1)], {fields})"#
    )
}

/// The results of a run that must not depend on its ranks.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// Frames, and the owners and workers beside them.
    files: BTreeMap<String, Vec<u8>>,
    /// Of each frame.
    hashes: Vec<Value>,
    left: Vec<Value>,
    /// What each worker did in each step, without its time.
    workers: BTreeMap<(u64, u64), Value>,
}

/// A folder with a scene and its runs.
struct Place {
    home: TempDir,
    scene: PathBuf,
}

impl Place {
    fn new(text: &str) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let scene = home.path().join("bad.ron");
        fs::write(&scene, text).expect("a scene is written");
        Self { home, scene }
    }

    fn of_tests(name: &str) -> Self {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name);
        Self { home: tempfile::tempdir().expect("a temporary folder"), scene }
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("out")
    }

    fn command(&self, start: Start, parallel: &str, more: &[&str]) -> Command {
        let mut command = cloth_sim(start);
        command.arg(&self.scene).arg("--out").arg(self.folder());
        command.args(["--quiet", "--overwrite", "--set", &format!("parallel={parallel}")]);
        command.args(more);
        command
    }

    fn run(&self, start: Start, parallel: &str, more: &[&str]) -> Outcome {
        let output = finish(&mut self.command(start, parallel, more));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{start:?} {parallel} {more:?}: {said}");
        self.outcome()
    }

    fn resume(&self, more: &[&str]) -> Output {
        let mut resume = Command::new(BINARY);
        resume.arg("resume").arg(self.folder()).args(["--quiet", "--oversubscribe"]);
        finish(resume.args(more))
    }

    fn outcome(&self) -> Outcome {
        let folder = self.folder();
        let frames = frames_of(&folder);
        let of_all = |field: &str| frames.iter().map(|frame| frame[field].clone()).collect();
        let (hashes, left) = (of_all("state_hash"), of_all("left"));
        let mut outcome = Outcome { hashes, left, ..Outcome::default() };
        for entry in fs::read_dir(&folder).expect("the run folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if ["frame_", "owners_", "workers_"].iter().any(|it| name.starts_with(it)) {
                let bytes = fs::read(folder.join(&name)).expect("a file can be read");
                outcome.files.insert(name, bytes);
            }
        }
        for step in steps_of(&frames) {
            for worker in step["workers"].as_array().unwrap_or(&Vec::new()) {
                let mut worker = worker.clone();
                worker["seconds"].take();
                let number = |value: &Value| value.as_u64().expect("a number");
                let key = (number(&step["step"]), number(&worker["worker"]));
                assert_eq!(outcome.workers.insert(key, worker), None, "one rank has it");
            }
        }
        outcome
    }

    /// The rows of the table of workers of a frame: id, home, workers with their weights.
    fn workers(&self, frame: u64) -> Vec<(u64, u64, BTreeMap<u64, f64>)> {
        let path = self.folder().join(format!("workers_{frame:04}.csv"));
        let mut table = csv::Reader::from_path(path).expect("the table of workers");
        assert_eq!(
            table.headers().expect("a head"),
            ["id", "home", "workers", "weights"].as_slice()
        );
        let row = |row: csv::Result<csv::StringRecord>| {
            let row = row.expect("a row");
            let number = |text: &str| text.parse().expect("a number");
            let weights = row[3].split(';').map(|it| it.parse().expect("a weight"));
            let workers = row[2].split(';').map(number).zip(weights).collect();
            (number(&row[0]), number(&row[1]), workers)
        };
        table.records().map(row).collect()
    }

    /// Asserts that a run by `parallel` is refused with all `words`.
    fn assert_refused(&self, start: Start, parallel: &str, words: &[&str]) {
        let output = finish(&mut self.command(start, parallel, &[]));
        assert_says(&output, words);
        assert!(!self.folder().exists(), "{parallel}: a folder is left");
    }
}

#[test]
fn one_worker_has_the_bits_of_the_domain() {
    let scenes = [
        (Place::of_tests("joints.ron"), vec![]),
        (Place::new(&heap("")), vec![]),
        (Place::new(&heap("")), vec!["--set", "response=Ffd"]),
    ];
    for (place, more) in scenes {
        let domain = place.run(Start::Threads(2, 1), "Domain", &more);
        let is_of_workers = |name: &String| name.starts_with("workers_");
        assert!(!domain.files.keys().any(is_of_workers) && domain.workers.is_empty());
        let worker = place.run(Start::Threads(1, 2), "Workers(count: 1)", &more);
        assert_eq!(worker.hashes, domain.hashes, "{:?} {more:?}", place.scene);
        for (name, bytes) in domain.files.iter().filter(|(name, _)| name.starts_with("frame_")) {
            assert!(worker.files[name] == *bytes, "{name}");
        }
    }
}

#[test]
fn frames_depend_on_workers_and_not_on_ranks() {
    for place in [Place::of_tests("joints.ron"), Place::new(&heap(""))] {
        let mut known: Vec<Outcome> = Vec::new();
        for count in [1, 3, 8] {
            let parallel = format!("Workers(count: {count})");
            let reference = place.run(REFERENCE, &parallel, &[]);
            assert_eq!(reference.workers.keys().filter(|(step, _)| *step == 1).count(), count);
            assert!(known.iter().all(|other| other.hashes != reference.hashes), "{parallel}");
            let threads = [(1, 2), (2, 1), (2, 2), (3, 1), (8, 1)];
            let threads = threads.map(|(ranks, threads)| (ranks, Start::Threads(ranks, threads)));
            let mpi = [2, 4].map(|ranks| (ranks, Start::Mpi(ranks)));
            let mpi = mpi.into_iter().filter(|_| cfg!(feature = "mpi"));
            let starts = threads.into_iter().chain(mpi).filter(|(ranks, _)| *ranks <= count);
            for (_, start) in starts {
                assert!(place.run(start, &parallel, &[]) == reference, "{start:?} {parallel}");
            }
            known.push(reference);
        }
    }
}

/// Frames, owners and workers, and what each worker did.
#[test]
fn a_run_goes_on_with_other_ranks() {
    let place = Place::new(&heap(""));
    let parallel = "Workers(count: 4, division: Equal)";
    let whole = place.run(Start::Threads(2, 1), parallel, &[]);
    place.run(Start::Threads(4, 1), parallel, &["--frames", "2"]);
    let output = place.resume(&["--frames", "5", "--ranks", "3", "--threads", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(place.outcome() == whole, "the rest differs");
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
    for frame in 0..=5 {
        for (id, home, _) in place.workers(frame) {
            assert_eq!(home, u64::from(id < 27), "frame {frame}, body {id}");
        }
    }
    let shared = place.workers(5).iter().filter(|row| row.2.len() == 2).count();
    assert!(shared > 0, "balls lie on boxes");
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
    let checked = finish(Command::new(BINARY).arg("check").arg(place.folder()));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let other = place.run(Start::Threads(3, 1), "Workers(count: 3)", &frames);
    assert!(other == reference, "3 ranks");
}

/// One rank's workers of a scene.
fn simulation<'w>(text: &str, world: &'w dyn World) -> WorkerSimulation<'w> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scene = scene::parse(text, "workers.ron").expect("a scene");
    let scene = scene::complete(scene, &home.join("workers.ron")).expect("a checked scene");
    let setup = build_bodies(&scene, home).expect("bodies");
    let plan = setup.worker_plan().expect("a plan").expect("workers");
    let model = Arc::new(setup.model(&Divided::whole(setup.domain).expect("a domain")));
    WorkerSimulation::new(model, plan.settings, &plan.bodies, &plan.homes, world, 1)
        .expect("workers")
}

/// How many bodies several workers have.
fn shared(shares: &[Share]) -> usize {
    shares.chunk_by(|a, b| a.id == b.id).filter(|of_body| of_body.len() > 1).count()
}

#[test]
fn bodies_are_shared_while_homes_touch() {
    let text = two_balls("parallel: Workers(count: 2, division: Equal),");
    let world = in_process::alone();
    let mut two = simulation(&text, &*world);
    let mut counts = vec![shared(&two.shares())];
    for _ in 0..200 {
        two.step().expect("a step");
        counts.push(shared(&two.shares()));
    }
    counts.dedup();
    assert_eq!(counts, [0, 2, 0], "they meet and part");

    let fields = "parallel: Workers(count: 4, growth: 0, division: Equal),";
    let mut heap = simulation(&heap(fields), &*world);
    heap.step().expect("a step");
    assert_eq!(shared(&heap.shares()), 0, "nothing touches in flight");
    for _ in 0..100 {
        heap.step().expect("a step");
    }
    let shares = heap.shares();
    assert!(shared(&shares) > 0, "the heap lies");
    let sum = |of: fn(WorkerReport) -> u64| heap.worker_reports().map(of).sum::<u64>();
    assert_eq!([sum(|it| it.active), sum(|it| it.home)], [shares.len() as u64, 29]);
}

#[test]
fn a_damaged_state_is_refused_and_changes_nothing() {
    let fields = "parallel: Workers(count: 3, division: Equal),";
    let saved = in_process::run(3, |world| {
        let mut heap = simulation(&heap(fields), world);
        (0..40).try_for_each(|_| heap.step().map(|_| ()))?;
        Ok((heap.save()?, heap.hash()?))
    });
    let (saved, hash) = saved.expect("a saved state").swap_remove(0);
    let world = in_process::alone();
    let mut other = simulation(&heap(fields), &*world);
    let before = other.hash().expect("a hash");
    assert_ne!(before, hash);
    // The head is the mark, the number of workers, the number of homes, and 29 homes.
    let changed = |place: usize, byte: u8| {
        let mut bytes = saved.clone();
        bytes[place] = byte;
        bytes
    };
    let cuts = (0..saved.len()).step_by(saved.len() / 50).chain(saved.len() - 4..saved.len());
    let cut = cuts.map(|length| saved[..length].to_vec());
    let bad = [(0, b'W'), (7, 9), (8, 0), (16, 28), (23, 255), (24, 3)];
    let bad = bad.map(|(place, byte)| changed(place, byte));
    for bytes in cut.chain(bad).chain([[&saved[..], b"x"].concat()]) {
        let refused = other.restore(&bytes).expect_err("the bytes are damaged").to_string();
        assert!(refused.contains("help: "), "{refused}");
        assert_eq!(other.hash().expect("a hash"), before);
    }
    other.restore(&saved).expect("the bytes are whole");
    assert_eq!(other.hash().expect("a hash"), hash);
}

/// A settled heap can be shared out anew.
#[test]
fn a_new_run_may_begin_with_other_workers() {
    let place = Place::new(&heap(""));
    let begin = ["--frames", "3", "--checkpoint-every", "1", "--keep-checkpoints", "9"];
    for (parallel, then, homes) in [
        ("Domain", "Workers(count: 2, division: Equal)", 2),
        ("Workers(count: 3, division: Equal)", "Workers(count: 2, division: Equal)", 2),
        ("Workers(count: 2)", "Workers(count: 4, division: Equal)", 4),
    ] {
        let before = place.run(REFERENCE, parallel, &begin);
        let out = place.home.path().join("again");
        let (to, then_set) = (out.to_string_lossy(), format!("parallel={then}"));
        let new = ["--from-frame", "2", "--out", &to, "--overwrite", "--set", &then_set];
        let output = place.resume(&[&new[..], &["--ranks", "2", "--threads", "1"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let frame = fs::read(out.join("frame_0002.vtp")).expect("the first frame");
        assert!(frame == before.files["frame_0002.vtp"], "{parallel}, then {then}");
        let mut table = csv::Reader::from_path(out.join("workers_0002.csv")).expect("a table");
        let found =
            BTreeSet::from_iter(table.records().map(|row| row.expect("a row")[1].to_owned()));
        assert_eq!(found.len(), homes, "{parallel}, then {then}");
    }
}

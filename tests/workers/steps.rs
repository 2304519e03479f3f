//! Steps of the library.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cloth_sim::ranks::{World, in_process};
use cloth_sim::rigid::constraint::Partner;
use cloth_sim::rigid::simulation::split_step::Middle;
use cloth_sim::scene;
use cloth_sim::scene::bodies::build::build_bodies;
use cloth_sim::scene::bodies::division::Divided;
use cloth_sim::workers::report::{Share, WorkerReport};
use cloth_sim::workers::{WorkerSettings, WorkerSimulation};

use crate::{heap, two_balls};

/// One rank's workers of a scene.
pub fn simulation<'w>(text: &str, world: &'w dyn World) -> WorkerSimulation<'w> {
    simulation_in(Path::new(env!("CARGO_MANIFEST_DIR")), text, world)
}

/// As [`simulation`], of a scene with files in `home`.
pub fn simulation_in<'w>(home: &Path, text: &str, world: &'w dyn World) -> WorkerSimulation<'w> {
    simulation_with(home, text, world, |_| ())
}

/// As [`simulation_in`], with changed settings.
pub fn simulation_with<'w>(
    home: &Path,
    text: &str,
    world: &'w dyn World,
    change: impl FnOnce(&mut WorkerSettings),
) -> WorkerSimulation<'w> {
    let scene = scene::parse(text, "workers.ron").expect("a scene");
    let scene = scene::complete(scene, &home.join("workers.ron")).expect("a checked scene");
    let setup = build_bodies(&scene, home).expect("bodies");
    let mut plan = setup.worker_plan().expect("a plan").expect("workers");
    change(&mut plan.settings);
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

/// A worker gets a body as it is now: not as at the start, nor as when the worker had it last.
#[test]
fn a_body_that_becomes_active_carries_its_state() {
    let world = in_process::alone();
    let walls = "domain: (min_m: (-0.35, 0, -0.35), max_m: (0.35, 1, 0.35))";
    for coupling in ["States", "Impulses"] {
        let [mut one, mut two] = [1, 2].map(|count| {
            let fields = format!("count: {count}, coupling: {coupling}, division: Equal");
            simulation(&two_balls(&format!("parallel: Workers({fields}), {walls},")), &*world)
        });
        let mut counts = vec![shared(&two.shares())];
        for _ in 0..600 {
            one.step().expect("a step");
            two.step().expect("a step");
            counts.push(shared(&two.shares()));
            let [expected, found] = [&one, &two].map(|it| it.whole().population().bodies());
            for (a, b) in expected.states().iter().zip(found.states()) {
                assert!((a.position - b.position).norm() < 1e-14, "{coupling}");
                assert!((a.twist.linear - b.twist.linear).norm() < 1e-14, "{coupling}");
            }
        }
        counts.dedup();
        assert_eq!(counts, [0, 2, 0, 2, 0], "{coupling}: they meet twice");
    }
}

#[test]
fn workers_may_have_one_body_and_no_contact() {
    let world = in_process::alone();
    for coupling in ["States", "Impulses"] {
        let [mut one, mut many] = [1, 29].map(|count| {
            let fields = format!("count: {count}, coupling: {coupling}, division: Equal");
            let text = heap(&format!("parallel: Workers({fields}),"));
            simulation_with(Path::new(""), &text, &*world, |it| it.homes_move = false)
        });
        let mut without = 0;
        for step in 0..60 {
            one.step().expect("a step");
            many.step().expect("a step");
            assert!(many.worker_reports().all(|it| it.home == 1));
            if many.whole().contacts().is_empty() && without == step {
                without += 1;
                assert!(many.worker_reports().all(|it| it.active == 1), "{coupling}");
            }
            if without > step || coupling == "Impulses" {
                let [expected, found] = [&one, &many].map(|it| it.whole().population().bodies());
                assert!(expected.states() == found.states(), "{coupling}, step {step}");
            }
        }
        assert!((1..60).contains(&without), "{coupling}: {without} steps without a contact");
    }
}

/// The rightmost of three joined balls leaves, and its joint with it.
#[test]
fn a_joint_that_is_gone_leaves_no_impulse_behind() {
    let world = in_process::alone();
    for coupling in ["States", "Impulses"] {
        let text = format!(
            r#"Scene(gravity_m_per_s2: (0, 0, 0), bodies: [
                (name: "balls", shape: Sphere(radius_m: 0.05), material: "oak",
                 arrangement: Grid(count: (3, 1, 1), origin_m: (0, 0, 0), spacing_m: 0.15),
                 velocity: Constant(m_per_s: (2, 0, 0)), angular_velocity_rad_per_s: (0, 0, 3)),
            ], materials: [(name: "oak", density_kg_per_m3: 700)],
            joints: [(kind: Ball, bodies: Chain("balls"))],
            domain: (min_m: (-1, -1, -1), max_m: (0.5, 1, 1), borders: (Open, Open, Open)),
            parallel: Workers(count: 3, coupling: {coupling}))"#
        );
        let mut balls = simulation(&text, &*world);
        let mut kept = Vec::new();
        for _ in 0..150 {
            balls.step().expect("a step");
            let impulses = balls.whole().middle().joint_impulses;
            kept.push(Vec::from_iter(impulses.iter().map(|it| it.joint)));
        }
        kept.dedup();
        assert_eq!(balls.whole().population().bodies().len(), 2, "{coupling}");
        assert_eq!(kept, [vec![0, 1], vec![0]], "{coupling}");
    }
}

/// The largest defect in 150 steps of a heap, m.
fn defect(fields: &str) -> f64 {
    let world = in_process::alone();
    let text = heap(&format!("parallel: Workers({fields}, audit: true, division: Equal),"));
    let mut heap = simulation(&text, &*world);
    (0..150).map(|_| heap.step().expect("a step").defect_m).fold(0.0, f64::max)
}

#[test]
fn a_step_is_compared_with_that_of_one_worker() {
    assert_eq!(defect("count: 1"), 0.0);
    assert_eq!(defect("count: 4, coupling: Impulses"), 0.0, "no joints: the bits of the domain");
    let [none, six] = [0, 6].map(|growth| defect(&format!("count: 4, growth: {growth}")));
    println!("defect {none:e} m with growth 0, {six:e} m with 6");
    assert!(none > 1e-5 && six < 0.5 * none, "{none:e} {six:e}");
}

/// Messages that come late, and collectives that begin late, change nothing.
#[test]
fn a_strict_transport_has_the_same_bits() {
    for coupling in ["States", "Impulses"] {
        let text = heap(&format!("parallel: Workers(count: 3, coupling: {coupling}),"));
        let hash = |world: &dyn World| {
            let mut heap = simulation(&text, world);
            (0..60).try_for_each(|_| heap.step().map(|_| ()))?;
            heap.hash()
        };
        let alone = hash(&*in_process::alone()).expect("steps");
        assert_eq!(in_process::run_strict(3, hash).expect("no deadlock"), [alone; 3]);
    }
}

/// Balls of two workers meet, part, and one leaves. The other one goes on as with one worker.
#[test]
fn a_worker_may_lose_its_last_body() {
    let world = in_process::alone();
    let end = |fields: &str| {
        let domain =
            "domain: (min_m: (-0.3, -1, -1), max_m: (5, 1, 1), borders: (Open, Wall, Wall))";
        let text = two_balls(&format!("parallel: Workers(division: Equal, {fields}), {domain},"));
        let mut two = simulation(&text, &*world);
        for _ in 0..400 {
            two.step().expect("a step");
        }
        let sizes = Vec::from_iter(two.worker_reports().map(|it| it.active));
        let bodies = two.whole().population().bodies();
        assert_eq!((bodies.len(), bodies.id(0)), (1, 1));
        (bodies.states()[0].position, sizes)
    };
    let (expected, _) = end("count: 1");
    assert!(expected.x > 0.39, "it has bounced: {expected}");
    for coupling in ["States", "Impulses"] {
        let (position, sizes) = end(&format!("count: 2, coupling: {coupling}"));
        assert_eq!(sizes, [0, 1]);
        assert!((position - expected).norm() < 1e-12, "{coupling}: {position}");
    }
}

/// Contacts that are gone leave no impulse behind, and those that several workers answer leave one.
#[test]
fn each_kept_impulse_is_of_a_contact_that_is_there() {
    let world = in_process::alone();
    for fields in ["growth: 1", "growth: 1, sets: Published", "coupling: Impulses"] {
        let text = heap(&format!("parallel: Workers(count: 4, division: Equal, {fields}),"));
        let (mut heap, mut most) = (simulation(&text, &*world), 0);
        for _ in 0..100 {
            heap.step().expect("a step");
            let Middle { bodies, fixed, contacts, impulses, .. } = heap.whole().middle();
            let mut pairs = Vec::from_iter(contacts.iter().map(|contact| {
                let partner = match contact.second {
                    Partner::Movable(place) => bodies.id(place as usize),
                    Partner::Fixed(place) => fixed.id(place),
                };
                (bodies.id(contact.first as usize), partner)
            }));
            for kept in impulses {
                let place = pairs.iter().position(|&pair| pair == (kept.body, kept.partner));
                pairs.swap_remove(place.expect("a contact of these bodies"));
            }
            most = most.max(impulses.len());
        }
        assert!(most > 20, "{fields}: {most}");
    }
}

#[test]
fn ranks_tell_how_long_they_waited_for_each_other() {
    let waited = in_process::run(2, |world| {
        let mut heap = simulation(&heap("parallel: Workers(count: 2),"), world);
        if world.rank() == 1 {
            thread::sleep(Duration::from_millis(400));
        }
        Ok(heap.step()?.waited_s.iter().sum::<f64>())
    });
    let waited = waited.expect("a step");
    assert!(waited[0] > 0.1 && waited[1] < waited[0], "{waited:?}");
    let world = in_process::alone();
    let mut alone = simulation(&heap("parallel: Workers(count: 2),"), &*world);
    assert_eq!(alone.step().expect("a step").waited_s.iter().sum::<f64>(), 0.0);
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
    let bad = [(0, b'W'), (7, 9), (8, 0), (8, 65), (16, 28), (23, 255), (24, 3)];
    let bad = bad.map(|(place, byte)| changed(place, byte));
    for bytes in cut.chain(bad).chain([[&saved[..], b"x"].concat()]) {
        let refused = other.restore(&bytes).expect_err("the bytes are damaged").to_string();
        assert!(refused.contains("help: "), "{refused}");
        assert_eq!(other.hash().expect("a hash"), before);
    }
    other.restore(&saved).expect("the bytes are whole");
    assert_eq!(other.hash().expect("a hash"), hash);
}

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::collision::ccd::time_of_impact;
use crate::collision::dop::near;
use crate::collision::screen::may_come_near;
use crate::collision::search::*;
use crate::contact::{Contact, ContactDistance, find_contacts};
use crate::mesh::Topology;
use crate::ranks::in_process;
use crate::stealing::{Origin, ProcessorUse, Settings, Share, TaskSpan, VictimOrder};

/// Every elementary pair whose sides have no vertex in common and not both
/// belong to obstacles.
fn all_pairs(surfaces: &Surfaces) -> Vec<Pair> {
    let faces = || surfaces.list.iter().flat_map(|surface| surface.faces.iter().copied());
    let mut edges: Vec<[VertexId; 2]> = faces()
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let vertices = 0..surfaces.vertex_count() as VertexId;
    let mut pairs: Vec<Pair> = vertices
        .flat_map(|vertex| faces().map(move |face| Pair::vertex_face(vertex, face)))
        .collect();
    for (at, &edge) in edges.iter().enumerate() {
        pairs.extend(edges[..at].iter().map(|&other| Pair::edge_edge(edge, other)));
    }
    let cloth = |vertex: &VertexId| {
        let of = surfaces.list.iter().find(|s| s.vertices().contains(&(*vertex as usize)));
        of.unwrap().moves == Moves::Deforms
    };
    pairs.retain(|pair| !pair.shares_a_vertex() && pair.vertices.iter().any(cloth));
    pairs.sort_unstable();
    pairs
}

/// The pairs that come near over a motion within `radius`.
fn near_pairs(all: &[Pair], (x0, x1): (&[Vec3], &[Vec3]), radius: f64) -> Vec<Pair> {
    let swept = |(x0, x1): (&Vec3, &Vec3)| Dop18::swept(x0, x1, 0.5 * radius);
    let vertices: Vec<Dop18> = x0.iter().zip(x1).map(swept).collect();
    let sweep = Sweep { x0, x1, radius };
    let comes_near = |pair: &&Pair| near(pair, &vertices) && may_come_near(pair, &sweep);
    all.iter().filter(comes_near).copied().collect()
}

/// The share of the rank that owns `patches`: counts and sorted candidates.
fn share(
    detector: &mut Detector,
    surfaces: &Surfaces,
    sweep: &Sweep,
    patches: &[PatchId],
) -> (TestCounters, Vec<Pair>) {
    let mut roots = Vec::new();
    let mut counters = detector.root_tests(surfaces, sweep, patches, &mut roots);
    counters.add(&detector.collect(surfaces, sweep, roots));
    let mut found = detector.candidates().to_vec();
    found.sort_unstable();
    (counters, found)
}

/// What is done with candidates: the contacts and the times of impact.
fn collisions(
    pairs: &[Pair],
    (x0, x1): (&[Vec3], &[Vec3]),
    distance: f64,
) -> (Vec<Contact>, Vec<(Pair, f64)>) {
    let mut contacts = Vec::new();
    let law = ContactDistance { distance_m: distance, rest: &[], cloth_ends: &[] };
    find_contacts(pairs, x0, x1, &law, &mut contacts);
    let impact = |pair: &Pair| {
        let (start, end) = (pair.gather(x0), pair.gather(x1));
        Some((*pair, time_of_impact(pair.kind(), &start, &end, 0.25 * distance)?))
    };
    (contacts, pairs.iter().filter_map(impact).collect())
}

/// A sheet of `n` x `n` vertices, 0.1 m apart.
fn sheet(n: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let rest = (0..n * n).map(|v| Vec3::new((v % n).into(), 0.0, (v / n).into()) * 0.1);
    let corners = (0..n * (n - 1)).filter(|v| v % n + 1 < n);
    let faces = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
    (faces.collect(), rest.collect())
}

/// Triangles without a common vertex.
fn soup(count: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let rest = (0..3 * count).map(|v| Vec3::new((v / 3).into(), (v % 3).into(), (v % 2).into()));
    ((0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(), rest.collect())
}

/// Two cloths whose vertices lie in the given patches, two obstacles.
fn surfaces(patch_of: &[PatchId], patches: usize) -> Surfaces {
    let meshes = [
        (sheet(5), Moves::Deforms),
        (sheet(3), Moves::Deforms),
        (sheet(4), Moves::Prescribed),
        (soup(8), Moves::Prescribed),
    ];
    let mut surfaces = Surfaces::default();
    for ((faces, rest), moves) in meshes {
        let first = surfaces.vertex_count();
        let parts =
            patch_of.get(first..).filter(|_| moves == Moves::Deforms).map(|own| (own, patches));
        let topology = Topology::new(&faces).unwrap();
        let surface = Surface::new(first as u32, &faces, &topology, &rest, parts, moves);
        surfaces.list.push(surface);
    }
    surfaces
}
const CLOTH_VERTICES: usize = 25 + 9;
const VERTICES: usize = CLOTH_VERTICES + 16 + 24;

fn crumpled() -> impl Strategy<Value = (Vec<Vec3>, Vec<Vec3>)> {
    let vector = || [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
    let motion = prop_oneof![Just(0.0), Just(0.01), Just(0.3)];
    let vectors = prop::collection::vec((vector(), vector()), VERTICES);
    (vectors, motion, prop_oneof![Just(0.1), Just(1.0)]).prop_map(|(vectors, motion, size)| {
        vectors.into_iter().map(|(x, v)| (x * size, x * size + v * motion)).unzip()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn pairs_found_are_those_of_a_search_over_all_pairs(
        (x0, x1) in crumpled(),
        patch_of in prop::collection::vec(0_u32..6, CLOTH_VERTICES),
        radius in prop_oneof![Just(1e-6), 0.001..0.1],
        strayed in prop::collection::vec(0..CLOTH_VERTICES as VertexId, 1..9),
    ) {
        let threads = Threads::new(1).unwrap();
        let whole = surfaces(&[0; CLOTH_VERTICES], 1);
        let all = all_pairs(&whole);
        let motion = (x0.as_slice(), x1.as_slice());
        let expected = near_pairs(&all, motion, radius);
        let distance = 0.99 * radius;
        prop_assert_eq!(collisions(&expected, motion, distance), collisions(&all, motion, distance));

        let cut = surfaces(&patch_of, 6);
        for (surfaces, patches) in [(&whole, 1), (&cut, 6)] {
            let mut detector = Detector::new(surfaces);
            let sweep = Sweep { x0: &x0, x1: &x1, radius };
            detector.refit(&threads, surfaces, &sweep);
            let every = Vec::from_iter(0..patches);
            let (counters, found) = share(&mut detector, surfaces, &sweep, &every);
            prop_assert_eq!(&found, &expected);

            let mut sum = TestCounters::default();
            for rank in 0..3 {
                let own = Vec::from_iter((0..patches).filter(|patch| patch % 3 == rank));
                sum.add(&share(&mut detector, surfaces, &sweep, &own).0);
            }
            prop_assert_eq!(sum, counters);
        }

        // Some vertices take another way.
        let (told, strayed, mut x1) = (x1.clone(), BTreeSet::from_iter(strayed), x1);
        for &vertex in &strayed {
            x1[vertex as usize] = x0[CLOTH_VERTICES - 1 - vertex as usize];
        }
        let strayed = Vec::from_iter(strayed);
        let expected = near_pairs(&all, (&x0, &x1), radius);
        let sweep = Sweep { x0: &x0, x1: &x1, radius };
        let mut sums = Vec::new();
        for ranks in [1, 3] {
            let (mut sum, mut found) = (TestCounters::default(), Vec::new());
            for rank in 0..ranks {
                let own = Vec::from_iter((0..6).filter(|patch| patch % ranks == rank));
                let mut detector = Detector::new(&cut);
                let before = Sweep { x0: &x0, x1: &told, radius };
                detector.refit(&threads, &cut, &before);
                share(&mut detector, &cut, &before, &own);
                detector.refit_strayed(&cut, &sweep, &strayed);
                let (counters, pairs) = share(&mut detector, &cut, &sweep, &own);
                sum.add(&counters);
                found.extend(pairs);
            }
            found.sort_unstable();
            prop_assert_eq!(&found, &expected);
            sums.push(sum);
        }
        prop_assert_eq!(sums[0], sums[1]);
    }
}

/// A ball of crumpled cloth, `n` x `n` vertices, 0.1 m across.
fn ball(n: u32) -> (Surfaces, Vec<Vec3>) {
    let (faces, rest) = sheet(n);
    let topology = Topology::new(&faces).unwrap();
    let patch_of = Vec::from_iter((0..n * n).map(|vertex| vertex % 5));
    let parts = Some((patch_of.as_slice(), 5));
    let cloth = Surface::new(0, &faces, &topology, &rest, parts, Moves::Deforms);
    let place = |v: &Vec3| {
        let angle = 40.0 * (v.x + 1.7 * v.z);
        0.05 * Vec3::new(angle.sin(), (1.3 * angle).cos(), (0.7 * angle).sin())
    };
    (Surfaces { list: vec![cloth] }, rest.iter().map(place).collect())
}

/// What a rank executed and found in a phase.
type Phase = (TestCounters, Vec<Pair>);

#[test]
fn each_test_is_executed_once_whoever_executes_it() {
    let (surfaces, x) = ball(12);
    let sweep = Sweep { x0: &x, x1: &x, radius: 1e-3 };
    let mut detector = Detector::new(&surfaces);
    detector.refit(&Threads::INLINE, &surfaces, &sweep);
    let whole = share(&mut detector, &surfaces, &sweep, &[0, 1, 2, 3, 4]);
    // In the last phase some vertices take another way.
    let strayed = [3, 70, 71, 130];
    let mut x1 = x.clone();
    strayed.iter().for_each(|&vertex: &u32| x1[vertex as usize] *= 0.5);
    let stray_sweep = Sweep { x0: &x, x1: &x1, radius: 1e-3 };
    detector.refit_strayed(&surfaces, &stray_sweep, &strayed);
    let partial = share(&mut detector, &surfaces, &stray_sweep, &[0, 1, 2, 3, 4]);
    let expected = [&whole, &whole, &partial];

    let run = |world: &dyn World, threads, settings: &Settings| {
        let threads = Threads::new(threads)?;
        let mut processors = Processors::new(settings, &threads, world);
        let mut detector = Detector::new(&surfaces);
        detector.refit(&threads, &surfaces, &sweep);
        // Rank 0 begins with nearly all, most others with nothing.
        let own: &[PatchId] = match (world.rank(), world.size()) {
            (0, 1) => &[0, 1, 2, 3, 4],
            (0, _) => &[0, 1, 2, 4],
            (1, _) => &[3],
            _ => &[],
        };
        let (mut phases, mut thefts) = (Vec::new(), 0);
        for phase in 0..3 {
            if phase == 2 {
                detector.refit_strayed(&surfaces, &stray_sweep, &strayed);
            }
            let sweep = if phase == 2 { stray_sweep } else { sweep };
            processors.forget_use();
            let mut roots = Vec::new();
            let mut counters = detector.root_tests(&surfaces, &sweep, own, &mut roots);
            let here = (world, &threads);
            let counted =
                detector.collect_shared(here, &mut processors, &surfaces, &sweep, &mut roots)?;
            let usage = processors.usage().fold(ProcessorUse::default(), |mut sum, one| {
                sum.add(one);
                sum
            });
            assert_eq!(counted.tests, usage.tests);
            // Two ranks without work do not hand a task to and fro.
            assert!(settings.share == Share::Half || usage.tasks_stolen <= usage.tasks_executed);
            assert!(settings.decomposition || usage.tasks_created == 0);
            thefts += processors.thefts().map(|theft| theft.tasks).sum::<u32>();
            counters.add(&counted);
            phases.push((counters, detector.candidates().to_vec()));
        }
        Ok((phases, thefts))
    };
    // All phases, of all ranks together.
    let is_found = |found: &[(Vec<Phase>, u32)]| {
        (0..3).all(|phase| {
            let (mut counters, mut pairs) = (TestCounters::default(), Vec::new());
            for (phases, _) in found {
                counters.add(&phases[phase].0);
                pairs.extend_from_slice(&phases[phase].1);
            }
            pairs.sort_unstable();
            (counters, pairs) == *expected[phase]
        })
    };
    /// Ranks, and threads of each.
    const SIZES: [(usize, usize); 9] =
        [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (4, 1), (7, 1), (2, 2), (3, 3)];
    let mut all_thefts = 0;
    for (decomposition, stealing) in [(true, true), (false, true), (true, false), (false, false)] {
        let settings = Settings { decomposition, stealing, ..Settings::default() };
        for (ranks, threads) in SIZES {
            let found = in_process::run(ranks, |world| run(world, threads, &settings)).unwrap();
            let thefts: u32 = found.iter().map(|(_, thefts)| thefts).sum();
            assert!(stealing || thefts == 0);
            all_thefts += thefts;
            assert!(is_found(&found), "{settings:?} {ranks} x {threads}");
        }
    }
    assert!(all_thefts > 0);
    let random = Settings {
        victim_order: VictimOrder::Random(3),
        share: Share::Half,
        ..Settings::default()
    };
    let strict = in_process::run_strict(3, |world| run(world, 1, &random)).unwrap();
    assert!(is_found(&strict));
}

#[test]
fn a_time_line_holds_each_task_once_and_where_it_came_from() {
    let (surfaces, x) = ball(12);
    let sweep = Sweep { x0: &x, x1: &x, radius: 1e-3 };
    let run = |world: &dyn World, threads| {
        let threads = Threads::new(threads)?;
        let mut processors = Processors::new(&Settings::default(), &threads, world);
        let mut detector = Detector::new(&surfaces);
        detector.refit(&threads, &surfaces, &sweep);
        let own: &[PatchId] = if world.rank() == 0 { &[0, 1, 2, 3, 4] } else { &[] };
        let mut roots = Vec::new();
        detector.root_tests(&surfaces, &sweep, own, &mut roots);
        for notes in [false, true] {
            processors.forget_use();
            processors.note_tasks(notes);
            let here = (world, &threads);
            detector.collect_shared(here, &mut processors, &surfaces, &sweep, &mut roots)?;
            assert_eq!(processors.searches().len(), usize::from(notes));
        }
        Ok((processors.usage().copied().collect::<Vec<_>>(), processors.searches()[0].clone()))
    };
    let mut steals = 0;
    for (ranks, threads) in [(1, 1), (1, 3), (3, 1), (2, 2)] {
        let found = in_process::run(ranks, |world| run(world, threads)).unwrap();
        let begin_s = found.iter().map(|(_, search)| search.begin_s).fold(f64::INFINITY, f64::min);
        for (rank, (usage, search)) in found.iter().enumerate() {
            for (thread, usage) in usage.iter().enumerate() {
                let tasks = search.tasks.iter().filter(|task| task.thread as usize == thread);
                let tasks: Vec<&TaskSpan> = tasks.collect();
                let count = |origin| tasks.iter().filter(|task| task.origin == origin).count();
                assert_eq!(tasks.len() as u64, usage.tasks_executed);
                assert_eq!(tasks.iter().map(|task| task.tests).sum::<u64>(), usage.tests);
                assert!(count(Origin::TopLevel) as u64 <= usage.top_level_tasks);
                assert!(count(Origin::Cut) as u64 <= usage.tasks_created);
                let mut free_s = search.begin_s;
                for task in tasks {
                    assert!(free_s <= task.begin_s && task.begin_s <= task.end_s, "{task:?}");
                    free_s = task.end_s;
                    let Origin::Stolen(steal) = task.origin else { continue };
                    steals += 1;
                    assert!((steal.victim_rank as usize) < ranks);
                    assert!((steal.victim as usize) < threads);
                    let victim = (steal.victim_rank as usize, steal.victim as usize);
                    assert_ne!(victim, (rank, thread));
                    assert!(begin_s <= steal.handed_over_s && steal.handed_over_s <= task.begin_s);
                }
                assert!(free_s <= search.end_s);
            }
        }
    }
    assert!(steals > 0);
}

#[test]
fn an_obstacle_that_stops_or_starts_is_refitted() {
    let surfaces = surfaces(&[0; CLOTH_VERTICES], 1);
    let threads = Threads::new(2).unwrap();
    let all: Vec<Vec3> = surfaces
        .list
        .iter()
        .zip([0.0, 3.0, 6.0, 9.0])
        .flat_map(|(surface, x)| (0..surface.vertex_count).map(move |v| (v, x)))
        .map(|(v, x)| Vec3::new(x + 0.1 * (v % 5) as f64, 0.1 * (v / 5) as f64, 0.0))
        .collect();
    let moved = |by: f64| {
        let place =
            |(v, x): (usize, &Vec3)| if v < CLOTH_VERTICES { *x } else { x - Vec3::x() * by };
        Vec::from_iter(all.iter().enumerate().map(place))
    };
    let mut detector = Detector::new(&surfaces);
    let path = [(0.0, 0.0), (0.0, 0.0), (0.0, 6.0), (6.0, 6.0), (6.0, 6.0), (0.0, 0.0)];
    for (from, to) in path {
        let (x0, x1) = (moved(from), moved(to));
        let sweep = Sweep { x0: &x0, x1: &x1, radius: 0.01 };
        detector.refit(&threads, &surfaces, &sweep);
        let (_, mut found) = share(&mut detector, &surfaces, &sweep, &[0]);
        assert_eq!(found, near_pairs(&all_pairs(&surfaces), (&x0, &x1), 0.01));
        found.retain(|pair| pair.vertices.iter().any(|&v| v as usize >= CLOTH_VERTICES));
        assert_eq!(found.is_empty(), to == 0.0);
    }
}

//! Shared searches against a search on one processor.

use crate::candidates::*;
use crate::collision::screen::Pace;
use crate::collision::surface::test_sheet;
use crate::collision::{Moves, Pair, Surface};
use crate::stealing::{
    Origin, ProcessorUse, RankThreads, Share, StealingSettings, TaskSpan, VictimOrder,
};
use cloth_core::mesh::Topology;
use cloth_core::ranks::in_process;
use cloth_core::{PatchId, Threads, Vec3};

/// A ball of crumpled cloth, `n` x `n` vertices, 0.1 m across.
fn ball(n: u32) -> (Surfaces, Vec<Vec3>) {
    let (faces, rest) = test_sheet(n);
    let topology = Topology::new(&faces).unwrap();
    let patch_of = Vec::from_iter((0..n * n).map(|vertex| vertex % 5));
    let parts = Some((patch_of.as_slice(), 5));
    let cloth = Surface::new(0, &faces, &topology, &rest, parts, Moves::Deforms);
    let place = |v: &Vec3| {
        let angle = 40.0 * (v.x + 1.7 * v.z);
        0.05 * Vec3::new(angle.sin(), (1.3 * angle).cos(), (0.7 * angle).sin())
    };
    (Surfaces::new(vec![cloth]), rest.iter().map(place).collect())
}

/// What a rank executed and found in a search.
type Found = (TestCounters, Vec<Pair>);

#[test]
fn each_test_is_executed_once_whoever_executes_it() {
    let (surfaces, x) = ball(12);
    let sweep = Sweep { x0: &x, x1: &x, radius: 1e-3, radii: Default::default() };
    let mut finder = CandidateFinder::new(&surfaces);
    finder.refit(&Threads::INLINE, &surfaces, &sweep);
    let whole = finder.share(&surfaces, &sweep, &[0, 1, 2, 3, 4]);
    // In the last search some vertices take another way.
    let strayed = [3, 70, 71, 130];
    let mut x1 = x.clone();
    strayed.iter().for_each(|&vertex: &u32| x1[vertex as usize] *= 0.5);
    let stray_sweep = Sweep { x0: &x, x1: &x1, radius: 1e-3, radii: Default::default() };
    finder.refit_strayed(&surfaces, &stray_sweep, &strayed, Pace::Common);
    let partial = finder.share(&surfaces, &stray_sweep, &[0, 1, 2, 3, 4]);
    let expected = [&whole, &whole, &partial];

    let run = |world: &dyn World, threads, settings: &StealingSettings| {
        let threads = Threads::new(threads)?;
        let mut processors = Processors::new(settings, &threads, world);
        let mut finder = CandidateFinder::new(&surfaces);
        finder.refit(&threads, &surfaces, &sweep);
        // Rank 0 begins with nearly all, most others with nothing.
        let own: &[PatchId] = match (world.rank(), world.size()) {
            (0, 1) => &[0, 1, 2, 3, 4],
            (0, _) => &[0, 1, 2, 4],
            (1, _) => &[3],
            _ => &[],
        };
        let (mut searches, mut thefts) = (Vec::new(), 0);
        for search in 0..3 {
            if search == 2 {
                finder.refit_strayed(&surfaces, &stray_sweep, &strayed, Pace::Common);
            }
            let sweep = if search == 2 { stray_sweep } else { sweep };
            let mut roots = Vec::new();
            let mut counters =
                finder.root_tests(&Threads::INLINE, &surfaces, &sweep, own, &mut roots);
            let here = RankThreads { world, threads: &threads };
            let over = SweptSurfaces { surfaces: &surfaces, sweep: &sweep };
            let counted = collect_shared(here, &mut processors, &mut finder, over, &mut roots)?;
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
            searches.push((counters, finder.candidates().to_vec()));
        }
        Ok((searches, thefts))
    };
    // All searches, of all ranks together.
    let is_found = |found: &[(Vec<Found>, u32)]| {
        (0..3).all(|search| {
            let (mut counters, mut pairs) = (TestCounters::default(), Vec::new());
            for (searches, _) in found {
                counters.add(&searches[search].0);
                pairs.extend_from_slice(&searches[search].1);
            }
            pairs.sort_unstable();
            (counters, pairs) == *expected[search]
        })
    };
    /// Ranks, and threads of each.
    const SIZES: [(usize, usize); 9] =
        [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (4, 1), (7, 1), (2, 2), (3, 3)];
    let mut all_thefts = 0;
    for (decomposition, stealing) in [(true, true), (false, true), (true, false), (false, false)] {
        let settings = StealingSettings { decomposition, stealing, ..StealingSettings::default() };
        for (ranks, threads) in SIZES {
            let found = in_process::run(ranks, |world| run(world, threads, &settings)).unwrap();
            let thefts: u32 = found.iter().map(|(_, thefts)| thefts).sum();
            assert!(stealing || thefts == 0);
            all_thefts += thefts;
            assert!(is_found(&found), "{settings:?} {ranks} x {threads}");
        }
    }
    assert!(all_thefts > 0);
    let random = StealingSettings {
        victim_order: VictimOrder::Random(3),
        share: Share::Half,
        ..StealingSettings::default()
    };
    let strict = in_process::run_strict(3, |world| run(world, 1, &random)).unwrap();
    assert!(is_found(&strict));
}

#[test]
fn a_time_line_holds_each_task_once_and_where_it_came_from() {
    let (surfaces, x) = ball(12);
    let sweep = Sweep { x0: &x, x1: &x, radius: 1e-3, radii: Default::default() };
    let run = |world: &dyn World, threads| {
        let threads = Threads::new(threads)?;
        let mut processors = Processors::new(&StealingSettings::default(), &threads, world);
        let mut finder = CandidateFinder::new(&surfaces);
        finder.refit(&threads, &surfaces, &sweep);
        let own: &[PatchId] = if world.rank() == 0 { &[0, 1, 2, 3, 4] } else { &[] };
        let mut roots = Vec::new();
        finder.root_tests(&Threads::INLINE, &surfaces, &sweep, own, &mut roots);
        for traced in [false, true] {
            processors.trace_tasks(traced);
            let here = RankThreads { world, threads: &threads };
            let over = SweptSurfaces { surfaces: &surfaces, sweep: &sweep };
            collect_shared(here, &mut processors, &mut finder, over, &mut roots)?;
            assert_eq!(processors.span().is_some(), traced);
        }
        Ok((processors.usage().copied().collect::<Vec<_>>(), processors.span().unwrap().clone()))
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

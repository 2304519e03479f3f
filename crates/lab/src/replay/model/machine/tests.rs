//! Properties that the modelled machine must have.

use cloth_collision::stealing::{Share, VictimOrder};

use crate::replay::model::machine::*;
use crate::replay::trees::{Item, all_amounts, samples, unfold};
use cloth_sim::program::run::recording::RecordedTrees;

const COSTS: UnitCosts = UnitCosts([1e-8, 4e-8, 1e-7, 2e-8, 2e-7]);

fn play(trees: &RecordedTrees, ranks: usize, collision: &StealingSettings) -> Played {
    let mut machine = Machine::new(ranks, collision, Network::SHARED_MEMORY, &COSTS);
    let owners = Vec::from_iter((0..64).map(|patch| patch % ranks as u32));
    let unfolded = unfold(trees).unwrap();
    // Twice, because ranks keep their schedulers from search to search.
    machine.play(&unfolded, &owners).unwrap();
    machine.play(&unfolded, &owners).unwrap()
}

#[test]
fn one_processor_takes_the_sum_of_all_costs() {
    let trees = samples::random(1, &[5000, 300, 2]);
    let played = play(&trees, 1, &StealingSettings::default());
    let mut amounts = all_amounts(&trees);
    amounts[Item::Task as usize] = played.uses[0].tasks_executed as f64;
    assert!((played.length_s - COSTS.seconds(&amounts)).abs() < 1e-11);
    assert_eq!(played.termination_s, 0.0);
    assert_eq!(played.uses[0].tasks_executed, played.uses[0].tasks_created + 1);
}

#[test]
fn any_number_of_processors_ends_with_all_work_done_and_none_faster_than_its_chains() {
    let trees = samples::random(2, &[40_000, 10, 3000, 1, 1, 700]);
    let chain = unfold(&trees).unwrap().longest_chain(|kind| COSTS.of_kind(kind)) as f64 * 1e-12;
    let serial = COSTS.seconds(&all_amounts(&trees));
    for ranks in [2, 3, 7, 16, 64] {
        for victim_order in [VictimOrder::RoundRobin, VictimOrder::Random(3)] {
            for (share, stealing) in [(Share::One, true), (Share::Half, true), (Share::One, false)]
            {
                let settings = StealingSettings {
                    share,
                    victim_order,
                    stealing,
                    ..StealingSettings::default()
                };
                // `play` checks that each test is executed once and that the search ends.
                let played = play(&trees, ranks, &settings);
                let busy: f64 = played.uses.iter().map(|usage| usage.busy_s).sum();
                assert!(busy >= serial && ranks as f64 * played.length_s >= busy);
                assert!(played.length_s >= chain);
                let candidates: u64 = played.uses.iter().map(|usage| usage.found).sum();
                assert!(candidates > 0);
                let sum =
                    |count: fn(&ProcessorUse) -> u64| played.uses.iter().map(count).sum::<u64>();
                assert_eq!(stealing, sum(|usage| usage.tasks_stolen) > 0);
                assert_eq!(
                    sum(|usage| usage.tasks_executed),
                    sum(|usage| usage.tasks_created + usage.top_level_tasks)
                );
            }
        }
    }
}

#[test]
fn stealing_shortens_a_search_whose_work_is_on_one_rank() {
    let trees = samples::complete(18);
    let fine = StealingSettings { b: 2, ..StealingSettings::default() };
    let on = play(&trees, 8, &fine);
    let off = play(&trees, 8, &StealingSettings { stealing: false, ..fine });
    assert!(off.length_s > 2.0 * on.length_s, "{} {}", off.length_s, on.length_s);
    let again = play(&trees, 8, &fine);
    assert_eq!(on, again);
}

#[test]
fn a_search_without_roots_takes_no_time() {
    assert_eq!(play(&RecordedTrees::default(), 5, &StealingSettings::default()).length_s, 0.0);
}

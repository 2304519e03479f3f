//! Room `partition`: all partitioners on the shapes of Wretborn 2026.

use crate::shapes::{Still, splash, turned_box};
#[allow(dead_code)] // the bench uses all of it
use cloth_sim::partition::methods::{
    Couplings, Method, PartitionSettings, Partitioner, Power, PowerSettings, WeightedPoints,
};
use cloth_sim::partition::{Buckets, measures};

/// One of the shapes, with unit work.
fn check(buckets: &Buckets, check: impl Fn(&WeightedPoints)) {
    let (centres, graph) = (buckets.centres(), buckets.graph());
    check(&WeightedPoints {
        points: &centres,
        weights: &vec![1.0; centres.len()],
        spacing_m: buckets.spacing_m,
        graph: Some(Couplings { graph: &graph, weights: None }),
    });
}

/// Wretborn 2026, section 4.2.3: below 0.01 on every shape.
#[test]
fn power_shares_the_work_of_every_shape_out_evenly() {
    for shape in Still::ALL {
        let buckets = shape.buckets(50_000);
        check(&buckets, |problem| {
            for ranks in [2, 8, 32, 64] {
                let settings = PowerSettings { threads: 2, ..PowerSettings::default() };
                let mut power = Power::new(settings).unwrap();
                let part_of = power.partition(problem, ranks).unwrap();
                let load = measures::load_index(&part_of, problem.weights, ranks);
                let rounds = power.rounds().len();
                assert!(load < 0.01, "{}, {ranks} ranks: {load}, {rounds} rounds", shape.name());
            }
        });
    }
}

/// Drops far away appear and vanish, and a box turns. The work stays evenly shared, and most cells
/// stay where they are.
#[test]
fn power_follows_moving_shapes() {
    let turning = |frame: u32| turned_box(0.026, 5.0 * f64::from(frame));
    let splashing = |frame: u32| splash(0.016, frame);
    for (moving, most) in [(&turning as &dyn Fn(u32) -> Buckets, 0.15), (&splashing, 0.05)] {
        let mut power = Power::new(PowerSettings::default()).unwrap();
        let (mut moved, mut all) = (0.0, 0.0);
        let mut last: Option<(Buckets, Vec<u32>)> = None;
        for frame in 0..12 {
            let buckets = moving(frame);
            let centres = buckets.centres();
            let weights = vec![1.0; centres.len()];
            let problem = WeightedPoints {
                spacing_m: buckets.spacing_m,
                ..WeightedPoints::new(&centres, &weights)
            };
            let part_of = power.partition(&problem, 8).unwrap();
            let load = measures::load_index(&part_of, &weights, 8);
            assert!(load < 0.02, "frame {frame}: {load}");
            if let Some((earlier, before)) = last {
                for (cell, &part) in buckets.cells().iter().zip(&part_of) {
                    let Some(old) = earlier.find(*cell) else { continue };
                    moved += f64::from(u8::from(before[old as usize] != part));
                    all += 1.0;
                }
            }
            last = Some((buckets, part_of));
        }
        assert!(moved / all < most, "{}", moved / all);
    }
}

/// Each method gives each rank about its share, and only ranks that exist.
#[test]
fn every_method_divides_a_river() {
    check(&Still::River.buckets(5_000), |problem| {
        for method in Method::ALL {
            let settings = PartitionSettings { method, ..PartitionSettings::default() };
            let part_of = settings.build().unwrap().partition(problem, 5).unwrap();
            let load = measures::load_index(&part_of, problem.weights, 5);
            assert!(load < 0.035, "{method:?}: {load}");
        }
    });
    // METIS needs a graph, and its error says so.
    check(&Still::River.buckets(500), |problem| {
        let bare = WeightedPoints { graph: None, ..*problem };
        let mut metis = PartitionSettings::default().build().unwrap();
        let refused = metis.partition(&bare, 5).unwrap_err().to_string();
        assert!(refused.contains("METIS divides graphs"), "{refused}");
    });
}

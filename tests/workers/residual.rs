//! The error of velocity that a step leaves at its constraints.

use std::fs;
use std::path::Path;

use cloth_sim::error::Result;
use cloth_sim::ranks::in_process;
use cloth_sim::workers::WorkerSimulation;

use crate::heap;
use crate::steps::{simulation, simulation_in};

/// The largest of the first 30 steps of the bridge on all ranks, m/s.
fn on_bridge(parallel: &str, ranks: usize) -> f64 {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/bridge");
    let text = fs::read_to_string(home.join("two_way_bridge.ron")).expect("the bridge");
    let text = text.replacen("Scene(", &format!("Scene(parallel: {parallel}, "), 1);
    let of_ranks = in_process::run(ranks, |world| {
        let mut bridge = simulation_in(&home, &text, world);
        (0..30).map(|_| Ok(bridge.step()?.residual_m_s)).collect::<Result<Vec<f64>>>()
    });
    let most = of_ranks.expect("steps").into_iter().flatten().fold(0.0, f64::max);
    println!("{parallel}, {ranks} ranks: {most:e} m/s");
    most
}

#[test]
fn blending_leaves_a_larger_residual_than_joints_at_once() {
    let [states, impulses] = ["States", "Impulses"].map(|coupling| {
        let parallel = format!("Workers(count: 4, coupling: {coupling})");
        let alone = on_bridge(&parallel, 1);
        assert_eq!([2, 3].map(|ranks| on_bridge(&parallel, ranks)), [alone; 2], "{coupling}");
        alone
    });
    let one = on_bridge("Workers(count: 1)", 1);
    assert!(states > 100.0 * one && one < 1e-9 && impulses < 1e-9);
}

/// One worker has the bits of the domain run; without joints any workers with `Impulses` have them.
#[test]
fn it_is_that_of_the_domain_run() {
    let world = in_process::alone();
    let of = |fields: &str, step: fn(&mut WorkerSimulation) -> Result<f64>| {
        let mut heap = simulation(&heap(fields), &*world);
        Vec::from_iter((0..100).map(|_| step(&mut heap).expect("a step")))
    };
    let workers = |fields: &str| of(fields, |heap| Ok(heap.step()?.residual_m_s));
    let one = "parallel: Workers(count: 1),";
    let domain = of(one, |heap| Ok(heap.whole_mut().step()?.residual_m_s));
    assert!(domain[0] == 0.0, "nothing touches in flight");
    assert!(domain[60..].iter().all(|it| (1e-15..0.3).contains(it)), "{domain:?}");
    assert_eq!(workers(one), domain);
    assert_eq!(workers("parallel: Workers(count: 4, coupling: Impulses),"), domain);
    let without_sweeps = workers("parallel: Workers(count: 2), response: Ffd,");
    assert!(without_sweeps.iter().all(|it| it.is_infinite()), "not known");
}

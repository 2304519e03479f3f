//! Many fast bodies over many steps.

use super::*;
use crate::Census;
use crate::sync::checks::census;
use cloth_core::ranks::in_process;

/// Moves bodies on several ranks. After each step, each rank is compared with one list of all
/// bodies. Returns the census of each step, and the sums of the counts of communication.
fn fly_on_ranks(
    setup: &Setup,
    ranks: usize,
    bodies: &[Body],
    steps: u32,
) -> (Vec<Census>, Traffic) {
    let results = in_process::run(ranks, |world| {
        let mut peer = setup.peer(world.rank(), bodies)?;
        let mut all = bodies.to_vec();
        peer.synchroniser.settle(world, &mut peer.population)?;
        peer.compare(&all);
        peer.synchroniser.take_traffic();
        let mut counts = vec![census(world, &peer.population)?];
        for _ in 0..steps {
            fly(peer.population.own_states_mut());
            fly_serially(&mut all, setup.subdomains.domain());
            peer.synchroniser.synchronise(world, &mut peer.population)?;
            peer.compare(&all);
            counts.push(Census { copies: 0, ..census(world, &peer.population)? });
        }
        peer.synchroniser.check_copies(world, &peer.population)?;
        Ok((counts, peer.synchroniser.take_traffic()))
    });
    let results = results.unwrap();
    let mut total = Traffic::default();
    for (_, traffic) in &results {
        total.messages += traffic.messages;
        total.bytes += traffic.bytes;
        total.created += traffic.created;
        total.removed += traffic.removed;
        total.twice += traffic.twice;
        total.migrated += traffic.migrated;
        total.crossed += traffic.crossed;
    }
    let mut counts = results.into_iter().next().unwrap().0;
    counts[0].copies = 0;
    (counts, total)
}

#[test]
fn shadow_owner_equals_next_neighbour_over_1000_steps_of_8_ranks() {
    let domain = periodic_box(4.0);
    let setup = |method| Setup::grid(domain, [2, 4, 4], 8, method);
    let [next, shadow] = [Synchronisation::NextNeighbour, Synchronisation::ShadowOwner].map(setup);
    let bodies = gas(&domain, 150, &next.limits);
    let (by_next, of_next) = fly_on_ranks(&next, 8, &bodies, 1000);
    let (by_shadow, of_shadow) = fly_on_ranks(&shadow, 8, &bodies, 1000);
    assert_eq!(by_next, by_shadow);
    assert_eq!(of_next.crossed, of_shadow.crossed);
    assert_eq!(of_next.migrated, of_shadow.migrated);
    assert!(of_next.migrated > 1000, "{of_next:?}");
}

#[test]
fn no_body_is_lost_or_doubled_on_any_number_of_ranks() {
    nothing_is_lost_or_doubled(2000);
}

#[test]
#[ignore = "the one above in five times the steps: run it after a change of synchronisation"]
fn no_body_is_lost_or_doubled_over_10_000_steps() {
    nothing_is_lost_or_doubled(10_000);
}

fn nothing_is_lost_or_doubled(steps: u32) {
    let domain = periodic_box(3.0);
    let mut expected = None;
    for (ranks, method) in [
        (1, Synchronisation::NextNeighbour),
        (3, Synchronisation::ShadowOwner),
        (8, Synchronisation::NextNeighbour),
        (8, Synchronisation::ShadowOwner),
    ] {
        let setup = Setup::grid(domain, [3; 3], ranks, method);
        let bodies = gas(&domain, 100, &setup.limits);
        let (counts, traffic) = fly_on_ranks(&setup, ranks as usize, &bodies, steps);
        assert!(counts.iter().all(|count| (count.bodies, count.ids) == (100, counts[0].ids)));
        let steps = u64::from(steps);
        assert!(traffic.crossed > 5 * steps, "{traffic:?}");
        assert!(ranks == 1 || traffic.migrated > 5 * steps / 2, "{traffic:?}");
        let result = (counts, traffic.crossed);
        assert_eq!(expected.get_or_insert_with(|| result.clone()), &result);
    }
}

#[test]
fn power_cells_equal_the_grid() {
    let domain = Domain::new(Vec3::zeros(), Vec3::repeat(4.0), [true, false, true]).unwrap();
    let grid = Setup::grid(domain, [4, 3, 3], 5, Synchronisation::NextNeighbour);
    let bodies = gas(&domain, 200, &grid.limits);
    let (expected, _) = fly_on_ranks(&grid, 5, &bodies, 30);
    for ranks in [1, 5, 8] {
        let cells = Setup::new(power_cells(domain, 12), ranks, Synchronisation::ShadowOwner);
        let (counts, _) = fly_on_ranks(&cells, ranks as usize, &bodies, 30);
        assert_eq!(counts, expected);
    }
    assert!((10..200).contains(&expected[30].bodies));
}

#[test]
fn bodies_that_were_deep_inside_are_seen_when_they_come_out() {
    // Subdomains of 24 radii and more: most bodies are inside, for many steps.
    let domain = Domain::new(Vec3::zeros(), Vec3::repeat(12.0), [true, true, false]).unwrap();
    let grid = Setup::grid(domain, [2, 1, 2], 4, Synchronisation::NextNeighbour);
    let mut bodies = gas(&domain, 200, &grid.limits);
    // Some bodies are fast, others are up to 64 times slower.
    for (body, k) in bodies.iter_mut().zip(0..) {
        body.state.twist.linear *= libm::exp2(-6.0 * random(k + 31));
    }
    let (expected, of_grid) = fly_on_ranks(&grid, 4, &bodies, 600);
    let cells = Setup::new(power_cells(domain, 4), 3, Synchronisation::ShadowOwner);
    let (counts, of_cells) = fly_on_ranks(&cells, 3, &bodies, 600);
    assert_eq!(counts, expected);
    for traffic in [of_grid, of_cells] {
        assert!(traffic.created > 100 && traffic.migrated > 100, "{traffic:?}");
    }
}

#[test]
fn a_rank_may_have_no_subdomain_or_scattered_ones() {
    let domain = periodic_box(3.0);
    for method in [Synchronisation::NextNeighbour, Synchronisation::ShadowOwner] {
        let mut setup = Setup::grid(domain, [3, 3, 1], 1, method);
        setup.rank_of = Arc::new(vec![0, 2, 3, 3, 0, 2, 2, 3, 0]);
        let bodies = gas(&domain, 40, &setup.limits);
        let (counts, traffic) = fly_on_ranks(&setup, 4, &bodies, 100);
        assert!(counts.iter().all(|count| count.bodies == 40) && traffic.migrated > 100);
    }
}

#[test]
fn messages_per_rank_do_not_grow_with_the_number_of_ranks() {
    for method in [Synchronisation::NextNeighbour, Synchronisation::ShadowOwner] {
        let per_rank = [4u32, 5].map(|along| {
            let ranks = along.pow(3);
            let domain = periodic_box(f64::from(along));
            let setup = Setup::grid(domain, [along; 3], ranks, method);
            let bodies = gas(&domain, u64::from(8 * ranks), &setup.limits);
            let (_, traffic) = fly_on_ranks(&setup, ranks as usize, &bodies, 10);
            [traffic.messages, traffic.bytes].map(|sum| sum as f64 / f64::from(10 * ranks))
        });
        // 26 neighbours in each communication; the check of the copies at the end counts too.
        let most = if method == Synchronisation::NextNeighbour { 28.6 } else { 57.2 };
        assert!(per_rank.iter().all(|[messages, _]| *messages <= most), "{per_rank:?}");
        let [[_, small], [_, large]] = per_rank;
        assert!((large / small - 1.0).abs() < 0.1, "{per_rank:?}");
    }
}

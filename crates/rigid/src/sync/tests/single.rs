//! Single bodies on 27 subdomains.

use super::*;
use crate::sync::encoding::Item;
use crate::sync::values::Forces;
use cloth_core::Error;
use cloth_core::ranks::in_process;

const METHODS: [Synchronisation; 2] =
    [Synchronisation::NextNeighbour, Synchronisation::ShadowOwner];

fn directions() -> impl Iterator<Item = Vec3> {
    let component = |number: i32| f64::from(number % 3 - 1);
    let direction = move |k: i32| Vec3::new(component(k), component(k / 3), component(k / 9));
    (0..27).map(direction).filter(|direction| *direction != Vec3::zeros())
}

#[test]
fn a_body_swept_over_all_26_neighbours_returns_to_the_same_bits() {
    for (method, ranks) in METHODS.into_iter().flat_map(|m| [(m, 27), (m, 8), (m, 1)]) {
        let setup = Setup::grid(periodic_box(3.0), [3; 3], ranks, method);
        let start = [sphere(5, 0.25, Vec3::new(1.5, 1.375, 1.625), Vec3::zeros())];
        let crossed = in_process::run(ranks as usize, |world| {
            let mut peer = setup.peer(world.rank(), &start)?;
            let Peer { synchroniser, population } = &mut peer;
            synchroniser.settle(world, population)?;
            for direction in directions() {
                let mut all = start.to_vec();
                all[0].state.twist.linear = direction * 0.125;
                for state in peer.population.own_states_mut() {
                    state.twist.linear = direction * 0.125;
                }
                for _ in 0..24 {
                    fly(peer.population.own_states_mut());
                    fly_serially(&mut all, setup.subdomains.domain());
                    peer.synchroniser.synchronise(world, &mut peer.population)?;
                    peer.compare(&all);
                }
                assert_eq!(all[0].state.position, start[0].state.position);
            }
            Ok(peer.synchroniser.take_traffic().crossed)
        });
        // Each flight crosses the domain of three cells once. It crosses three borders along each
        // axis of its direction, sometimes two of them in one step.
        let expected: u64 = crossed.unwrap().iter().sum();
        assert!((26 * 3..=26 * 9).contains(&expected), "{expected}");
    }
}

#[test]
fn one_body_covers_all_27_subdomains() {
    let mut setup = Setup::grid(periodic_box(3.0), [3; 3], 27, Synchronisation::ShadowOwner);
    setup.limits.largest_radius = 1.25;
    let velocity = Vec3::new(0.2, 0.1, -0.05);
    let mut bodies = gas(setup.subdomains.domain(), 40, &setup.limits);
    bodies.retain(|body| radius(body) < 1.0);
    bodies.push(sphere(1000, 1.25, Vec3::new(1.5, 1.4, 1.6), velocity));
    for ranks in [27, 4, 1] {
        setup.rank_of = Arc::new((0..27).map(|s| s * ranks / 27).collect());
        let most = in_process::run(ranks as usize, |world| {
            let mut peer = setup.peer(world.rank(), &bodies)?;
            peer.synchroniser.settle(world, &mut peer.population)?;
            let mut all = bodies.clone();
            peer.compare(&all);
            let mut holders = 0;
            for _ in 0..200 {
                fly(peer.population.own_states_mut());
                fly_serially(&mut all, setup.subdomains.domain());
                peer.synchroniser.synchronise(world, &mut peer.population)?;
                peer.compare(&all);
                peer.synchroniser.check_copies(world, &peer.population)?;
                if let Some(place) = peer.population.place(1000)
                    && place < peer.population.own_count()
                {
                    holders = holders.max(peer.population.links()[place].ranks.len());
                }
            }
            Ok(holders)
        });
        assert_eq!(most.unwrap().into_iter().max(), Some(ranks as usize - 1));
    }
}

#[test]
fn a_body_too_large_for_next_neighbours_is_refused_with_both_numbers_and_the_remedy() {
    let mut setup = Setup::grid(periodic_box(3.0), [3; 3], 2, Synchronisation::NextNeighbour);
    setup.limits.largest_radius = 0.75;
    let error = setup.peer(0, &[]).err().map(|error| error.to_string()).unwrap();
    for part in ["1.140625 m", "radius 0.75 m", "edge is 1 m", "ShadowOwner"] {
        assert!(error.contains(part), "{error}");
    }
    setup.method = Synchronisation::ShadowOwner;
    assert!(setup.peer(0, &[]).is_ok());
    setup.limits.largest_radius = 1.5;
    let error = setup.peer(0, &[]).err().map(|error| error.to_string()).unwrap();
    assert!(error.contains("would touch itself") && error.contains("period is 3 m"), "{error}");
}

#[test]
fn a_body_that_moves_more_than_half_a_diameter_at_once_is_named() {
    for velocity in [0.26, f64::NAN] {
        let bodies = [sphere(77, 0.25, Vec3::repeat(1.5), Vec3::new(velocity, 0.0, 0.0))];
        for method in METHODS {
            let setup = Setup::grid(periodic_box(3.0), [3; 3], 2, method);
            let result = in_process::run(2, |world| {
                let mut peer = setup.peer(world.rank(), &bodies)?;
                peer.synchroniser.settle(world, &mut peer.population)?;
                fly(peer.population.own_states_mut());
                peer.synchroniser.synchronise(world, &mut peer.population)
            });
            let error = result.unwrap_err().to_string();
            assert!(error.contains("body 77: moved") && error.contains("0.25 m"), "{error}");
        }
    }
}

#[test]
fn deleted_bodies_and_those_that_leave_are_gone_everywhere() {
    let domain = Domain::new(Vec3::zeros(), Vec3::repeat(3.0), [false; 3]).unwrap();
    for method in METHODS {
        let setup = Setup::grid(domain, [3; 3], 27, method);
        let still = Vec3::zeros();
        let bodies = [
            sphere(1, 0.25, Vec3::new(1.0, 1.0, 1.0), still),
            sphere(2, 0.25, Vec3::new(2.0, 1.0, 2.0), still),
            sphere(3, 0.25, Vec3::new(2.9, 1.0, 2.0), Vec3::new(0.2, 0.0, 0.0)),
        ];
        let counts = in_process::run(27, |world| {
            let mut peer = setup.peer(world.rank(), &bodies)?;
            let Peer { synchroniser, population } = &mut peer;
            synchroniser.settle(world, population)?;
            let copies = checks::census(world, population)?.copies;
            assert!(copies >= 7 + 7 + 3, "{copies}");
            population.delete(1);
            fly(population.own_states_mut());
            synchroniser.synchronise(world, population)?;
            peer.compare(&bodies[1..2]);
            peer.synchroniser.check_copies(world, &peer.population)?;
            Ok(peer.synchroniser.take_traffic().left)
        });
        assert_eq!(counts.unwrap().iter().sum::<u64>(), 1);
    }
}

/// A force and a torque whose digits make the sum depend on its order.
fn force_in(subdomain: u32, id: u64) -> [Vec3; 2] {
    let at = u64::from(subdomain) * 1000 + id;
    [random_vector(at) * 10f64.powi(subdomain as i32 % 7), random_vector(at + 77)]
}

#[test]
fn forces_on_shadow_copies_arrive_once_in_the_order_of_their_bits() {
    let mut setup = Setup::grid(periodic_box(3.0), [3; 3], 1, Synchronisation::ShadowOwner);
    setup.limits.largest_radius = 1.25;
    let mut bodies = gas(setup.subdomains.domain(), 30, &setup.limits);
    bodies.push(sphere(1000, 1.25, Vec3::repeat(1.5), Vec3::zeros()));
    let subdomains = setup.subdomains.clone();
    let touched = |body: &Body| {
        let reach = setup.limits.held(&setup.limits.horizon.bound(&body.state, 0.0, radius(body)));
        let images = subdomains.domain().images(&body.state.position, reach);
        let subdomains = subdomains.clone();
        (0..27u32).filter(move |&s| subdomains.touches(s, &images, reach))
    };
    for ranks in [1, 2, 8, 27] {
        setup.rank_of = Arc::new((0..27).map(|s| s * 5 % ranks).collect());
        let counts = in_process::run(ranks as usize, |world| {
            let mut peer = setup.peer(world.rank(), &bodies)?;
            let Peer { synchroniser, population } = &mut peer;
            synchroniser.settle(world, population)?;
            let mut forces = Forces::default();
            for _ in 0..2 {
                for (place, body) in population.bodies().iter().enumerate() {
                    for s in touched(&body).filter(|&s| synchroniser.region().has(s)) {
                        let [force, torque] = force_in(s, body.id);
                        forces.set(place, Load { force, torque });
                    }
                }
                population.clear_loads();
                forces.sum(synchroniser, world, population)?;
                for body in population.own().iter() {
                    let load = |s: u32| {
                        let [force, torque] = force_in(s, body.id);
                        Load { force, torque }
                    };
                    let mut loads = Vec::from_iter(touched(&body).map(load));
                    loads.sort_by_key(Load::bits);
                    let sum = loads.iter().fold(Load::NONE, |sum, load| Load {
                        force: sum.force + load.force,
                        torque: sum.torque + load.torque,
                    });
                    assert_eq!(body.load, sum);
                }
            }
            Ok(population.own().len())
        });
        assert_eq!(counts.unwrap().iter().sum::<usize>(), 31);
    }
}

#[test]
fn an_order_may_move_all_bodies_by_one_place() {
    let mut population = Population::default();
    // If the time grew with the square of the number of bodies, this would take minutes.
    let count = 500_000u32;
    for id in 0..count {
        let body = sphere(u64::from(id), 0.25, Vec3::zeros(), Vec3::zeros());
        population.insert(body, 0.25, 0, 0).unwrap();
    }
    let expected = |k: u64| (k + u64::from(count) - 1) % u64::from(count);
    let order: Vec<u32> = (0..u64::from(count)).map(|k| expected(k) as u32).collect();
    population.reorder(&order);
    for k in 0..u64::from(count) {
        let id = population.bodies().id(k as usize);
        assert_eq!((id, population.place(id)), (expected(k), Some(k as usize)));
    }
}

#[test]
fn a_flipped_bit_of_one_shadow_copy_is_detected() {
    let setup = Setup::grid(periodic_box(3.0), [3; 3], 8, Synchronisation::NextNeighbour);
    let bodies = gas(setup.subdomains.domain(), 60, &setup.limits);
    for flips in [false, true] {
        let result = in_process::run(8, |world| {
            let mut peer = setup.peer(world.rank(), &bodies)?;
            let Peer { synchroniser, population } = &mut peer;
            synchroniser.settle(world, population)?;
            if flips && world.rank() == 3 {
                let first = population.own_count();
                let mut state = population.bodies().states()[first];
                let y = &mut state.twist.linear.y;
                *y = f64::from_bits(y.to_bits() ^ 1);
                population.set_state(first, state, &setup.limits);
            }
            synchroniser.check_copies(world, population)
        });
        match result {
            Ok(_) => assert!(!flips),
            Err(Error::Internal { cause, .. }) => {
                assert!(flips && cause.contains("another state on rank 3"), "{cause}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_copy_that_names_the_wrong_owner_is_found() {
    let setup = Setup::grid(periodic_box(3.0), [3; 3], 8, Synchronisation::NextNeighbour);
    let bodies = gas(setup.subdomains.domain(), 60, &setup.limits);
    let result = in_process::run(8, |world| {
        let mut peer = setup.peer(world.rank(), &bodies)?;
        let Peer { synchroniser, population } = &mut peer;
        synchroniser.settle(world, population)?;
        // Ranks 1 and 2 hold a body of rank 0. Rank 2 takes rank 1 for the owner, and rank 0 does
        // not know of rank 2.
        let mut chosen = [0];
        if world.rank() == 0 {
            let holders = |place: usize| &population.links()[place].ranks;
            let place = (0..population.own_count())
                .find(|&place| holders(place).contains(&1) && holders(place).contains(&2))
                .expect("a body that both hold");
            chosen[0] = population.bodies().id(place) as i64;
            population.link_mut(place).remove_rank(2);
        }
        world.all_reduce_sum(&mut chosen)?;
        if world.rank() == 2 {
            let place = population.place(chosen[0] as u64).expect("a copy");
            population.link_mut(place).owner = 1;
        }
        synchroniser.check_copies(world, population)
    });
    let error = result.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is taken for one of this rank by rank 2"), "{error}");
}

#[test]
fn a_message_that_does_not_decode_ends_the_job_with_rank_and_kind() {
    let setup = Setup::grid(periodic_box(3.0), [3; 3], 3, Synchronisation::NextNeighbour);
    let bodies = gas(setup.subdomains.domain(), 20, &setup.limits);
    let result = in_process::run(3, |world| {
        let mut peer = setup.peer(world.rank(), &bodies)?;
        let Peer { synchroniser, population } = &mut peer;
        synchroniser.settle(world, population)?;
        synchroniser.pack(0, population)?;
        if world.rank() == 1 {
            let message = synchroniser.mail.to(2)?;
            encoding::write(message, &Item::OwnerChanged { id: 3, owner: 0 });
            message.pop();
        }
        synchroniser.mail.exchange(world, &mut synchroniser.traffic)?;
        synchroniser.unpack(population)
    });
    let error = result.unwrap_err().to_string();
    for part in ["on rank 2", "message of rank 1", "`owner changed`"] {
        assert!(error.contains(part), "{error}");
    }
}

//! Room `ranks`: the in-process transport passes the conformance suite, and handles strict mode
//! and failing ranks.

use std::sync::Mutex;

use crate::common::conformance;
use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::{Exchange, Neighbour, Tag, World, in_process, message, wait};

const SIZES: [usize; 5] = [1, 2, 3, 4, 7];

#[test]
fn conformance_suite() {
    for (name, case) in conformance::CASES {
        for size in SIZES {
            in_process::run(size, case).unwrap_or_else(|error| panic!("{name}, {size}: {error}"));
        }
    }
}

#[test]
fn conformance_suite_in_strict_mode() {
    for (name, case) in conformance::CASES {
        for size in SIZES {
            let result = in_process::run_strict(size, case);
            result.unwrap_or_else(|error| panic!("{name}, {size}: {error}"));
        }
    }
}

#[test]
fn whole_suite_in_one_world() {
    for size in SIZES {
        in_process::run(size, conformance::all).unwrap();
    }
}

#[test]
fn results_come_by_rank() {
    let ranks = in_process::run(5, |world| Ok((world.rank(), world.size()))).unwrap();
    assert_eq!(ranks, [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)]);
    assert!(matches!(in_process::run(0, |_| Ok(())), Err(Error::Input { .. })));
}

fn error_of(result: Result<Vec<()>>) -> (usize, String) {
    match result {
        Err(Error::Rank { rank, message }) => (rank, message),
        other => panic!("{other:?} instead of a failed rank"),
    }
}

/// Place and cause of a defect.
fn defect_of(result: Result<Vec<()>>) -> (String, String) {
    match result {
        Err(Error::Internal { place, cause }) => (place, cause),
        other => panic!("{other:?} instead of a defect"),
    }
}

#[test]
fn strict_mode_shows_a_wait_that_cannot_end() {
    let result = in_process::run_strict(3, |world| match world.rank() {
        0 => wait(world, || world.poll(Some(1), Tag::Test)).map(|_| ()),
        1 => world.all_reduce_sum(&mut [1]),
        _ => Ok(()),
    });
    let (_, cause) = defect_of(result);
    assert_eq!(
        cause,
        "deadlock: rank 0 waits for a message, rank 1 waits for an all-reduce (sum), rank 2 has ended"
    );
}

#[test]
fn strict_mode_shows_a_message_nobody_receives() {
    let result = in_process::run_strict(2, |world| match world.rank() {
        0 => world.send(1, Tag::Test, vec![0; 8]),
        _ => Ok(()),
    });
    let (place, cause) = defect_of(result);
    assert_eq!(place, "transport of rank 0");
    assert!(cause.contains("rank 0 waits for the receipt of its messages"), "{cause}");
}

#[test]
fn collectives_that_do_not_match_are_shown() {
    let result = in_process::run(2, |world| match world.rank() {
        0 => world.all_reduce_sum(&mut [1]),
        _ => world.broadcast(0, &mut Vec::new()),
    });
    assert!(defect_of(result).1.contains("collective mismatch"));
    let result = in_process::run(2, |world| world.all_reduce_sum(&mut vec![1; 1 + world.rank()]));
    assert!(defect_of(result).1.contains("another length"));
}

/// All ways to wait. Each one ends if another rank fails.
const WAITS: [fn(&dyn World) -> Result<()>; 5] = [
    |world| world.all_reduce_sum(&mut [1]),
    |world| message::all_gather_v(world, &[1_u8]).map(|_| ()),
    |world| wait(world, || world.poll(None, Tag::Test)).map(|_| ()),
    |world| {
        let barrier = world.begin_barrier()?;
        wait(world, || world.test(barrier)).map(|_| ())
    },
    |world| {
        let neighbour = Neighbour { rank: 1, outgoing: vec![1], incoming: vec![0] };
        let mut exchange = Exchange { neighbours: vec![neighbour] };
        world.begin_exchange(&mut exchange)?;
        world.finish_exchange(&mut exchange)
    },
];

#[test]
fn an_error_on_one_rank_ends_all() {
    for wait_for_rank_1 in WAITS {
        let seen_by_others = Mutex::new(Vec::new());
        let result = in_process::run(4, |world| {
            if world.rank() == 1 {
                return Err(Error::input("scene.ron", "no such field", "remove it"));
            }
            let result = wait_for_rank_1(world);
            seen_by_others.lock().unwrap().push(result.clone());
            result
        });
        assert!(matches!(result, Err(Error::Input { place, .. }) if place == "scene.ron".into()));
        for seen in seen_by_others.into_inner().unwrap() {
            let Err(Error::Rank { rank: 1, message }) = seen else { panic!("{seen:?}") };
            assert!(message.contains("no such field"));
        }
    }
}

#[test]
fn a_panic_on_one_rank_ends_all() {
    for wait_for_rank_1 in WAITS {
        let result = in_process::run(3, |world| match world.rank() {
            1 => panic!("out of cloth"),
            _ => wait_for_rank_1(world),
        });
        let (rank, message) = error_of(result);
        assert_eq!(rank, 1);
        assert!(message.contains("out of cloth"), "{message}");
    }
}

#[test]
fn abort_ends_all_with_its_message() {
    let result = in_process::run(3, |world| {
        if world.rank() == 2 {
            world.abort("no more");
        }
        WAITS[0](world)
    });
    assert_eq!(error_of(result), (2, "no more".into()));
}

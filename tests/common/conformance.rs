//! One suite for both transports: the behaviour that every [`World`] must have, on any number of
//! ranks. A case runs on every rank and panics if an answer is wrong.

use cloth_sim::error::Result;
use cloth_sim::math::Vec3;
use cloth_sim::ranks::{Exchange, Halo, HaloNeighbour, Neighbour, Tag, World, message, wait};

type Case = fn(&dyn World) -> Result<()>;

/// Every case by its name.
pub const CASES: [(&str, Case); 13] = [
    ("order_per_source_and_tag", order_per_source_and_tag),
    ("poll_from_any_rank", poll_from_any_rank),
    ("large_and_empty_messages", large_and_empty_messages),
    ("messages_to_oneself", messages_to_oneself),
    ("gathers_with_empty_parts", gathers_with_empty_parts),
    ("large_gather", large_gather),
    ("broadcast_from_every_rank", broadcast_from_every_rank),
    ("reductions", reductions),
    ("pending_collectives_among_messages", pending_collectives_among_messages),
    ("several_pending_collectives", several_pending_collectives),
    ("repeated_exchanges", repeated_exchanges),
    ("halo_of_a_ring", halo_of_a_ring),
    ("sparse_route", sparse_route),
];

/// All cases, one after the other, in one world.
pub fn all(world: &dyn World) -> Result<()> {
    CASES.iter().try_for_each(|(_, case)| {
        case(world)?;
        world.all_reduce_sum(&mut [0]) // keeps messages of the next case out of this one
    })
}

fn receive(world: &dyn World, from: Option<usize>, tag: Tag) -> Result<(usize, Vec<u8>)> {
    wait(world, || world.poll(from, tag)).map(|message| (message.from, message.bytes))
}

fn others(world: &dyn World) -> impl Iterator<Item = usize> {
    let rank = world.rank();
    (0..world.size()).filter(move |&other| other != rank)
}

/// 500 messages to each rank in two interleaved tags, received tag by tag.
fn order_per_source_and_tag(world: &dyn World) -> Result<()> {
    const MESSAGES: u32 = 500;
    for number in 0..MESSAGES {
        for to in others(world) {
            let tag = if number % 2 == 0 { Tag::Test } else { Tag::Steal };
            world.send(to, tag, number.to_le_bytes().to_vec())?;
        }
    }
    for (tag, first) in [(Tag::Steal, 1), (Tag::Test, 0)] {
        for from in others(world) {
            for number in (first..MESSAGES).step_by(2) {
                assert_eq!(receive(world, Some(from), tag)?, (from, number.to_le_bytes().into()));
            }
        }
    }
    Ok(())
}

fn poll_from_any_rank(world: &dyn World) -> Result<()> {
    for number in 0..20_u8 {
        for to in others(world) {
            world.send(to, Tag::Test, vec![number])?;
        }
    }
    let mut next = vec![0; world.size()];
    for _ in 0..20 * (world.size() - 1) {
        let (from, bytes) = receive(world, None, Tag::Test)?;
        assert_eq!(bytes, [next[from]]);
        next[from] += 1;
    }
    assert_eq!(world.poll(None, Tag::Test)?, None);
    Ok(())
}

/// Messages around a ring, too large for any transport to send eagerly.
fn large_and_empty_messages(world: &dyn World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let content = |rank: usize| (0..3_000_000).map(|i| (i * 7 + rank) as u8).collect::<Vec<_>>();
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    for _ in 0..2 {
        world.send(next, Tag::Test, content(rank))?;
        world.send(next, Tag::Test, Vec::new())?;
    }
    for _ in 0..2 {
        assert!(receive(world, Some(previous), Tag::Test)?.1 == content(previous));
        assert!(receive(world, Some(previous), Tag::Test)?.1.is_empty());
    }
    Ok(())
}

fn messages_to_oneself(world: &dyn World) -> Result<()> {
    world.send(world.rank(), Tag::Contacts, vec![1, 2])?;
    assert_eq!(receive(world, Some(world.rank()), Tag::Contacts)?, (world.rank(), vec![1, 2]));
    Ok(())
}

fn gathers_with_empty_parts(world: &dyn World) -> Result<()> {
    let part = |rank: usize| (0..rank % 3 * 2).map(|i| (10 * rank + i) as u32).collect::<Vec<_>>();
    let whole: Vec<u32> = (0..world.size()).flat_map(part).collect();
    let mine = part(world.rank());
    assert_eq!(message::all_gather_v(world, &mine)?, whole);
    for root in 0..world.size() {
        let gathered = message::gather_v(world, root, &mine)?;
        assert_eq!(gathered, if root == world.rank() { whole.clone() } else { Vec::new() });
    }
    assert!(message::all_gather_v::<u8>(world, &[])?.is_empty());
    Ok(())
}

/// As many bytes as the positions of about 300,000 vertices.
fn large_gather(world: &dyn World) -> Result<()> {
    let part =
        |rank: usize| vec![Vec3::new(rank as f64, -0.0, 1e-300); 300_000 / world.size() + rank];
    let whole: Vec<Vec3> = (0..world.size()).flat_map(part).collect();
    assert!(message::all_gather_v(world, &part(world.rank()))? == whole);
    Ok(())
}

fn broadcast_from_every_rank(world: &dyn World) -> Result<()> {
    for root in 0..world.size() {
        let sent: Vec<u8> = (0..1000 * root).map(|i| i as u8).collect();
        let mut bytes = if root == world.rank() { sent.clone() } else { vec![9; 5] };
        world.broadcast(root, &mut bytes)?;
        assert_eq!(bytes, sent);
    }
    Ok(())
}

fn reductions(world: &dyn World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    for round in 0..200 {
        let mut sums = [rank as i64 + round, i64::MAX, -1];
        world.all_reduce_sum(&mut sums)?;
        let ranks: i64 = (0..size as i64).sum();
        let n = size as i64;
        assert_eq!(sums, [ranks + n * round, i64::MAX.wrapping_mul(n), -n]);
    }
    world.all_reduce_sum(&mut [])
}

/// The end of the collision phase: a message is received while a barrier or a sum is pending, or
/// after both.
fn pending_collectives_among_messages(world: &dyn World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    for round in 0..20_u8 {
        if rank == 0 {
            world.send(size - 1, Tag::Steal, vec![round])?;
        }
        let mut received = rank != size - 1;
        let mut receive = || {
            if !received && let Some(message) = world.poll(None, Tag::Steal)? {
                assert_eq!((message.from, message.bytes), (0, vec![round]));
                received = true;
            }
            Ok(received)
        };
        let barrier = world.begin_barrier()?;
        wait(world, || receive().and_then(|_| world.test(barrier)))?;
        assert!(world.test(barrier).is_err(), "the id is spent");
        let all = world.begin_all_reduce_sum(vec![rank as i64, 1])?;
        let sum = wait(world, || receive().and_then(|_| world.test(all)))?;
        assert_eq!(sum, [(0..size as i64).sum(), size as i64]);
        wait(world, || Ok(receive()?.then_some(())))?;
    }
    Ok(())
}

/// Pending operations complete in another order than they began, with blocking collectives
/// between.
fn several_pending_collectives(world: &dyn World) -> Result<()> {
    let n = world.size() as i64;
    let first = world.begin_all_reduce_sum(vec![1; 10])?;
    let barrier = world.begin_barrier()?;
    let second = world.begin_all_reduce_sum(vec![2])?;
    let mut blocking = [3];
    world.all_reduce_sum(&mut blocking)?;
    assert_eq!(blocking, [3 * n]);
    assert_eq!(wait(world, || world.test(second))?, [2 * n]);
    assert_eq!(wait(world, || world.test(first))?, [n; 10]);
    assert!(wait(world, || world.test(barrier))?.is_empty());
    Ok(())
}

/// Every pair of ranks exchanges messages of its own length. One rank sends nothing. Two
/// exchanges are under way at once.
fn repeated_exchanges(world: &dyn World) -> Result<()> {
    let rank = world.rank();
    let length = |from: usize, to: usize| if from + 1 == to { 0 } else { 8 * (1 + from + 2 * to) };
    let pattern = |scale: usize| Exchange {
        neighbours: others(world)
            .map(|other| Neighbour {
                rank: other,
                outgoing: vec![0; scale * length(rank, other)],
                incoming: vec![0; scale * length(other, rank)],
            })
            .collect(),
    };
    let (mut small, mut large) = (pattern(1), pattern(4000));
    let value = |from: usize, to: usize, round: usize| (from * 31 + to * 7 + round) as u8;
    for round in 0..10 {
        for exchange in [&mut small, &mut large] {
            for neighbour in &mut exchange.neighbours {
                neighbour.outgoing.fill(value(rank, neighbour.rank, round));
            }
            world.begin_exchange(exchange)?;
        }
        for exchange in [&mut small, &mut large] {
            world.finish_exchange(exchange)?;
            for neighbour in &exchange.neighbours {
                let expected = value(neighbour.rank, rank, round);
                assert!(neighbour.incoming.iter().all(|&byte| byte == expected));
            }
        }
    }
    Ok(())
}

/// Each rank has three own values. Its ghosts are the last value of the previous rank and the
/// first two of the next.
fn halo_of_a_ring(world: &dyn World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    if size < 3 {
        return Ok(());
    }
    let (previous, next) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut halo = Halo::new(vec![
        HaloNeighbour::new(previous, vec![0, 1], 3..4),
        HaloNeighbour::new(next, vec![2], 4..6),
    ]);
    assert_eq!((halo.bytes_per_exchange::<Vec3>(), halo.messages_per_exchange()), (72, 2));
    let value = |rank: usize, index: usize, round: usize| {
        Vec3::new(rank as f64, index as f64, round as f64 + 0.5)
    };
    for round in 0..5 {
        let own = |rank| [0, 1, 2].map(|index| value(rank, index, round));
        let mut values = [own(rank), [Vec3::zeros(); 3]].concat();
        halo.begin(world, &values)?;
        halo.finish(world, &mut values)?;
        let ghosts = [value(previous, 2, round), value(next, 0, round), value(next, 1, round)];
        assert_eq!(values, [own(rank), ghosts].concat());
    }
    let mut masses = [rank as f64, 0.0, 7.0, 0.0, 0.0, 0.0];
    halo.begin(world, &masses)?;
    halo.finish(world, &mut masses)?;
    assert_eq!(masses[3..5], [7.0, next as f64]);
    Ok(())
}

/// Each rank sends to the ranks whose number divides its own, repeatedly without a barrier. In
/// the end no rank has items to send.
fn sparse_route(world: &dyn World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let items = |from: usize, to: usize, round: u64| match (from + 1) % (to + 1) {
        0 => vec![[from as u64, to as u64, round]; 1 + from],
        _ => Vec::new(),
    };
    for round in 0..20 {
        let outgoing: Vec<_> = (0..size).map(|to| items(rank, to, round)).collect();
        let expected: Vec<_> = (0..size)
            .map(|from| (from, items(from, rank, round)))
            .filter(|(_, items)| !items.is_empty())
            .collect();
        assert_eq!(message::route(world, Tag::Contacts, &outgoing)?, expected);
    }
    assert!(message::route::<u32>(world, Tag::Contacts, &vec![Vec::new(); size])?.is_empty());
    assert_eq!(world.poll(None, Tag::Contacts)?, None);
    Ok(())
}

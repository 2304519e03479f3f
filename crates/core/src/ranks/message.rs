//! Typed messages: collectives of plain values, and a sparse exchange.

use bytemuck::Pod;

use crate::Result;
use crate::ranks::world::{Tag, World, defect, wait};

/// Number of items of each rank, by rank.
///
/// # Errors
/// If a rank fails.
pub fn all_counts(world: &dyn World, mine: usize) -> Result<Vec<usize>> {
    let mut counts = vec![0; world.size()];
    counts[world.rank()] = mine as i64;
    world.all_reduce_sum(&mut counts)?;
    Ok(counts.into_iter().map(|count| count as usize).collect())
}

/// Every rank's `mine`, by rising rank, on every rank.
///
/// # Errors
/// If a rank fails.
pub fn all_gather_v<T: Pod>(world: &dyn World, mine: &[T]) -> Result<Vec<T>> {
    let counts = all_counts(world, mine.len())?;
    let mut all = vec![T::zeroed(); counts.iter().sum()];
    all_gather_into(world, mine, &counts, &mut all)?;
    Ok(all)
}

/// Like [`all_gather_v`], if all ranks know the number of items of each (`counts`).
///
/// # Errors
/// If the lengths do not fit together, or a rank fails.
pub fn all_gather_into<T: Pod>(
    world: &dyn World,
    mine: &[T],
    counts: &[usize],
    all: &mut [T],
) -> Result<()> {
    let all = bytemuck::cast_slice_mut(all);
    world.all_gather_v(bytemuck::cast_slice(mine), &byte_counts::<T>(counts), all)
}

/// Every rank's `mine`, by rising rank, on rank `root`; empty elsewhere.
///
/// # Errors
/// If a rank fails.
pub fn gather_v<T: Pod>(world: &dyn World, root: usize, mine: &[T]) -> Result<Vec<T>> {
    let counts = all_counts(world, mine.len())?;
    let receives = world.rank() == root;
    let mut all = vec![T::zeroed(); if receives { counts.iter().sum() } else { 0 }];
    let bytes = bytemuck::cast_slice_mut(&mut all);
    world.gather_v(root, bytemuck::cast_slice(mine), &byte_counts::<T>(&counts), bytes)?;
    Ok(all)
}

/// A sparse exchange. Sends the list `items_for[rank]` to each rank unless the list is empty, and
/// returns the received items by rising source rank. All ranks call it, with a list for every rank;
/// no rank knows beforehand who sends to it. Items for this rank itself are passed through. The
/// cost is one all-reduce and the messages.
///
/// Before: no other message with `tag` is under way. After: none is.
///
/// # Errors
/// If a rank fails.
pub fn route<T: Pod>(
    world: &dyn World,
    tag: Tag,
    items_for: &[Vec<T>],
) -> Result<Vec<(usize, Vec<T>)>> {
    let rank = world.rank();
    let sends_to = |to: usize| to != rank && !items_for[to].is_empty();
    let mut messages: Vec<i64> = (0..world.size()).map(|to| i64::from(sends_to(to))).collect();
    world.all_reduce_sum(&mut messages)?;

    for to in (0..world.size()).filter(|&to| sends_to(to)) {
        world.send(to, tag, bytemuck::cast_slice(&items_for[to]).to_vec())?;
    }
    let mut received = Vec::new();
    if !items_for[rank].is_empty() {
        received.push((rank, items_for[rank].clone()));
    }
    for _ in 0..messages[rank] {
        let message = wait(world, || world.poll(None, tag))?;
        received.push((message.from, items(world, message.from, &message.bytes)?));
    }
    received.sort_unstable_by_key(|(from, _)| *from);
    Ok(received)
}

/// The items in a message of rank `from`.
fn items<T: Pod>(world: &dyn World, from: usize, bytes: &[u8]) -> Result<Vec<T>> {
    if !bytes.len().is_multiple_of(size_of::<T>().max(1)) {
        let (bytes, item) = (bytes.len(), size_of::<T>());
        let cause = format!("{bytes} bytes from rank {from} are no whole items of {item} bytes");
        return Err(defect(world, cause));
    }
    let mut items = vec![T::zeroed(); bytes.len() / size_of::<T>().max(1)];
    bytemuck::cast_slice_mut(&mut items).copy_from_slice(bytes);
    Ok(items)
}

fn byte_counts<T>(counts: &[usize]) -> Vec<usize> {
    counts.iter().map(|count| count * size_of::<T>()).collect()
}

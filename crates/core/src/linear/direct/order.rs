//! In which order the blocks of a sparse symmetric matrix are eliminated.
//!
//! Of the blocks that may be eliminated, the one with the fewest neighbours comes first (minimum
//! degree, Tinney & Walker 1967). It is done once for many steps, because joints stay.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

/// When a block may be eliminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// At any time: a body.
    Any,
    /// At any time, and joints need not wait for it: a body with many joints, which would all become
    /// neighbours of each other.
    Hub,
    /// A joint of these bodies. Its own block is almost 0 before. It comes after both bodies, or if
    /// one is a hub, after another one that no other joint to a hub came after: what a body gives
    /// way, one joint can take up.
    Joint([Option<u32>; 2]),
    /// Never. It is kept.
    Never,
}

/// The order of elimination, and the places of the blocks below the diagonal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// The eliminated blocks, first to last. Kept blocks follow, rising.
    pub blocks: Vec<u32>,
    /// Number of eliminated blocks.
    pub eliminated: usize,
    /// The later neighbours of `blocks[k]`, in the order of elimination:
    /// `neighbours[starts[k]..starts[k + 1]]`, as positions in `blocks`. Their places in
    /// `neighbours` are the places of the blocks below the diagonal.
    pub starts: Vec<u32>,
    /// See `starts`.
    pub neighbours: Vec<u32>,
    /// For each eliminated block, and for each pair of its later neighbours in the order
    /// `(1, 0), (2, 0), (2, 1), ..`, the place of the block that the pair has below the diagonal.
    pub targets: Vec<u32>,
}

impl Order {
    /// Number of blocks that are kept.
    pub fn kept(&self) -> usize {
        self.blocks.len() - self.eliminated
    }

    /// The places of the later neighbours of the block at a position.
    pub fn below(&self, at: usize) -> Range<usize> {
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// The place below the diagonal of the blocks at two positions, `first < second`.
    pub fn place(&self, first: u32, second: u32) -> Option<usize> {
        let below = self.below(first as usize);
        let at = self.neighbours[below.clone()].binary_search(&second).ok()?;
        Some(below.start + at)
    }

    /// The order for the blocks `0..turns.len()`. `edges` are the blocks that are not zero.
    pub fn new(turns: &[Turn], edges: &[[u32; 2]]) -> Self {
        let mut graph = vec![BTreeSet::new(); turns.len()];
        for &[a, b] in edges.iter().filter(|[a, b]| a != b) {
            graph[a as usize].insert(b);
            graph[b as usize].insert(a);
        }
        let (blocks, later, kept) = eliminate(turns, graph);
        let eliminated = blocks.len() - kept;
        Self::with_neighbours(blocks, later, eliminated)
    }

    /// `later` has the later neighbours of the eliminated blocks, and then of the kept ones.
    fn with_neighbours(blocks: Vec<u32>, later: Vec<Vec<u32>>, eliminated: usize) -> Self {
        let mut position = vec![0; blocks.len()];
        blocks.iter().zip(0..).for_each(|(&block, at)| position[block as usize] = at);
        let mut order = Self { blocks, eliminated, ..Self::default() };
        order.starts.push(0);
        for of_block in later {
            let mut positions: Vec<u32> =
                of_block.iter().map(|&block| position[block as usize]).collect();
            positions.sort_unstable();
            order.neighbours.extend(positions);
            order.starts.push(order.neighbours.len() as u32);
        }
        order.targets = (0..eliminated).flat_map(|at| order.targets_of(at)).collect();
        order
    }

    fn targets_of(&self, at: usize) -> impl Iterator<Item = u32> {
        let later = &self.neighbours[self.below(at)];
        let pairs = (0..later.len()).flat_map(move |b| (0..b).map(move |a| [later[a], later[b]]));
        // All later neighbours of an eliminated block are neighbours of each other.
        pairs.filter_map(|[first, second]| self.place(first, second).map(|place| place as u32))
    }
}

/// Eliminates blocks. Returns their order, kept blocks last, the later neighbours of each, and the
/// number of those kept.
fn eliminate(turns: &[Turn], mut graph: Vec<BTreeSet<u32>>) -> (Vec<u32>, Vec<Vec<u32>>, usize) {
    let mut ready = Ready::new(turns);
    let entry = |graph: &[BTreeSet<u32>], block: u32| Reverse((graph[block as usize].len(), block));
    let all = 0..turns.len() as u32;
    let mut queue: BinaryHeap<_> = all.clone().map(|block| entry(&graph, block)).collect();
    let (mut blocks, mut later) = (Vec::new(), Vec::new());
    while let Some(Reverse((degree, block))) = queue.pop() {
        let place = block as usize;
        if degree != graph[place].len() || !ready.take(block) {
            continue;
        }
        let neighbours: Vec<u32> = std::mem::take(&mut graph[place]).into_iter().collect();
        for &neighbour in &neighbours {
            let of = &mut graph[neighbour as usize];
            of.remove(&block);
            of.extend(neighbours.iter().filter(|&&other| other != neighbour));
        }
        // Their degrees have changed, and joints may be ready now.
        queue.extend(neighbours.iter().map(|&neighbour| entry(&graph, neighbour)));
        blocks.push(block);
        later.push(neighbours);
    }
    let kept: Vec<u32> = all.filter(|&block| !ready.is_done[block as usize]).collect();
    // All workers send all blocks among those kept, so that the others know where they are.
    later.extend((0..kept.len()).map(|at| kept[at + 1..].to_vec()));
    let count = kept.len();
    blocks.extend(kept);
    (blocks, later, count)
}

/// Which blocks may be eliminated.
struct Ready<'a> {
    turns: &'a [Turn],
    is_done: Vec<bool>,
    /// Bodies that one joint to a hub has come after.
    is_used: Vec<bool>,
}

impl<'a> Ready<'a> {
    fn new(turns: &'a [Turn]) -> Self {
        Self { turns, is_done: vec![false; turns.len()], is_used: vec![false; turns.len()] }
    }

    /// Marks the block as eliminated, and returns true, if it may be eliminated now.
    fn take(&mut self, block: u32) -> bool {
        if self.is_done[block as usize] {
            return false;
        }
        if let Turn::Joint(bodies) = self.turns[block as usize] {
            let bodies = bodies.into_iter().flatten().map(|body| body as usize);
            let mut left = bodies.clone().filter(|&body| !self.is_done[body]);
            match (left.next(), left.next()) {
                (None, _) => {}
                (Some(hub), None) if self.turns[hub] == Turn::Hub => {
                    let free = |&body: &usize| self.is_done[body] && !self.is_used[body];
                    let Some(body) = bodies.clone().find(free) else { return false };
                    self.is_used[body] = true;
                }
                _ => return false,
            }
        }
        self.is_done[block as usize] = self.turns[block as usize] != Turn::Never;
        self.is_done[block as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_of_a_chain_come_after_their_bodies_and_know_the_next_ones() {
        // Bodies 0 to 4 and joints 5 to 8.
        let turn = |block: u32| match block {
            0..5 => Turn::Any,
            _ => Turn::Joint([Some(block - 5), Some(block - 4)]),
        };
        let turns: Vec<Turn> = (0..9).map(turn).collect();
        let edges: Vec<[u32; 2]> =
            (0..4).flat_map(|joint| [[joint, 5 + joint], [joint + 1, 5 + joint]]).collect();
        let order = Order::new(&turns, &edges);
        assert_eq!((order.eliminated, order.kept()), (9, 0));
        // Two joints of each body within, one at its ends, and the next joint of each but the last.
        assert_eq!(order.neighbours.len(), 3 * 2 + 2 + 3);
        for (at, &block) in order.blocks.iter().enumerate().filter(|(_, block)| **block >= 5) {
            let before = &order.blocks[..at];
            assert!(before.contains(&(block - 5)) && before.contains(&(block - 4)));
        }
    }
}

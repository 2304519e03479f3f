//! Ghosts of one step: vertices of other ranks that the step's contacts couple to own vertices.
//! They come in addition to the ghosts of the mesh.
//!
//! The multiplied vector is `[own | ghosts | step ghosts]`. Every rank that owns a vertex of a
//! contact knows the contact and the owners of its other vertices. So both sides of an exchange
//! agree on its lists without a message. A list goes by rising vertex, has each vertex once, and
//! has none that is already a ghost of the mesh.

use crate::partition::distribute::{Layout, Partition};
use crate::ranks::{Halo, HaloNeighbour};
use crate::{NONE, NodeId, VertexId};

/// The ghosts of the present step and the local numbering with them. Its memory is reused:
/// nothing is allocated unless a list grows.
#[derive(Debug, Clone)]
pub struct StepGhosts {
    partition: Partition,
    rank: u32,
    own: u32,
    /// Local index of the first step ghost.
    first: u32,
    /// Local index of every vertex; [`NONE`] for vertices that are not here.
    local: Vec<u32>,
    /// Owner and vertex of each step ghost, rising.
    ghosts: Vec<(u32, VertexId)>,
    /// Receiver, own vertex and its local index, rising.
    sent: Vec<(u32, VertexId, u32)>,
}

impl StepGhosts {
    /// The vertices of `layout`, without step ghosts. Memory: four bytes for every vertex of the
    /// mesh.
    pub fn new(partition: &Partition, layout: &Layout) -> Self {
        let mut local = vec![NONE; partition.patches.of_vertex.len()];
        for (&vertex, index) in layout.own.iter().chain(&layout.ghosts).zip(0..) {
            local[vertex as usize] = index;
        }
        Self {
            partition: partition.clone(),
            rank: layout.rank as u32,
            own: layout.own.len() as u32,
            first: layout.len_with_ghosts() as u32,
            local,
            ghosts: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// The exchange of the ghosts of `layout`, with room for step ghosts: one
    /// neighbour for every other rank, by rank.
    pub fn halo(&self, layout: &Layout) -> Halo {
        let mut known = layout.neighbours.iter().peekable();
        let others = (0..self.partition.ranks).filter(|&rank| rank != layout.rank);
        let neighbours = others.map(|rank| {
            let known = known.next_if(|neighbour| neighbour.rank == rank);
            known.cloned().unwrap_or_else(|| HaloNeighbour::new(rank, Vec::new(), 0..0))
        });
        Halo::new(neighbours.collect())
    }

    /// Replaces the step ghosts and their part of `halo`, which [`Self::halo`] made.
    ///
    /// The vertices of a group need each other's values. A rank passes each group in which it
    /// owns a vertex, in any order; [`NONE`] stands for no vertex.
    pub fn refill<const N: usize>(
        &mut self,
        halo: &mut Halo,
        groups: impl Iterator<Item = [NodeId; N]>,
    ) {
        for &(_, vertex) in &self.ghosts {
            self.local[vertex as usize] = NONE;
        }
        self.ghosts.clear();
        self.sent.clear();
        if self.partition.ranks > 1 {
            groups.for_each(|group| self.couple(halo.neighbours(), group));
        }
        self.ghosts.sort_unstable();
        self.ghosts.dedup();
        for (&(_, vertex), index) in self.ghosts.iter().zip(self.first..) {
            self.local[vertex as usize] = index;
        }
        self.sent.sort_unstable();
        self.sent.dedup();
        for neighbour in halo.neighbours_mut() {
            self.hand_over(neighbour);
        }
    }

    /// Number of step ghosts.
    pub fn len(&self) -> usize {
        self.ghosts.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.ghosts.is_empty()
    }

    /// The local index of `vertex` among own vertices, ghosts and step ghosts;
    /// [`NONE`] for all others.
    pub fn local_index(&self, vertex: VertexId) -> u32 {
        self.local.get(vertex as usize).copied().unwrap_or(NONE)
    }

    /// Notes which values of `group` this rank needs and which it must send.
    fn couple<const N: usize>(&mut self, neighbours: &[HaloNeighbour], group: [NodeId; N]) {
        let present = || group.into_iter().filter(|&vertex| vertex != NONE);
        let (own, local) = (self.own, &self.local);
        let own_vertices = present().filter(|&vertex| local[vertex as usize] < own);
        if own_vertices.clone().count() == 0 {
            return;
        }
        for vertex in present().filter(|&vertex| local[vertex as usize] >= own) {
            let owner = self.partition.rank_of_vertex(vertex);
            if local[vertex as usize] == NONE {
                self.ghosts.push((owner, vertex));
            }
            let sent_anyway = &neighbours[self.slot(owner)].send;
            let sent = own_vertices.clone().map(|v| (owner, v, local[v as usize]));
            self.sent.extend(sent.filter(|(.., index)| sent_anyway.binary_search(index).is_err()));
        }
    }

    /// The place of `rank` among the neighbours.
    fn slot(&self, rank: u32) -> usize {
        (rank - u32::from(rank > self.rank)) as usize
    }

    fn hand_over(&self, neighbour: &mut HaloNeighbour) {
        let rank = neighbour.rank as u32;
        let start = self.ghosts.partition_point(|&(owner, _)| owner < rank) as u32;
        let end = self.ghosts.partition_point(|&(owner, _)| owner <= rank) as u32;
        neighbour.step_receive = self.first + start..self.first + end;
        let start = self.sent.partition_point(|&(to, ..)| to < rank);
        let end = self.sent.partition_point(|&(to, ..)| to <= rank);
        neighbour.step_send.clear();
        neighbour.step_send.extend(self.sent[start..end].iter().map(|&(.., local)| local));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::distribute::tests::partition;

    /// Groups near and far, some with fewer than four vertices.
    fn groups() -> Vec<[VertexId; 4]> {
        let pick = |i: u32, k: u32| (i * i * 7 + k * 53 + i * k) % 221;
        (0..60)
            .map(|i| [pick(i, 0), pick(i, 1), if i % 3 == 0 { NONE } else { pick(i, 2) }, i])
            .collect()
    }

    #[test]
    fn both_sides_agree_and_every_vertex_of_a_group_arrives_once() {
        for ranks in [1, 2, 5, 30] {
            let (graph, partition) = partition(ranks);
            let layouts: Vec<_> = (0..ranks).map(|r| Layout::new(&graph, &partition, r)).collect();
            let mut all: Vec<_> = layouts
                .iter()
                .map(|layout| {
                    let ghosts = StepGhosts::new(&partition, layout);
                    let halo = ghosts.halo(layout);
                    (ghosts, halo)
                })
                .collect();
            // Twice, the second time in another order: nothing of the first refill stays.
            for turn in [7, 23] {
                let mut groups = groups();
                groups.truncate(60 - turn);
                groups.rotate_left(turn);
                for (ghosts, halo) in &mut all {
                    ghosts.refill(halo, groups.iter().copied());
                }
                for (rank, (ghosts, halo)) in all.iter().enumerate() {
                    let present = |v: &&VertexId| **v != NONE;
                    for group in &groups {
                        let vertices = || group.iter().filter(present);
                        if vertices().any(|&v| partition.rank_of_vertex(v) as usize == rank) {
                            assert!(vertices().all(|&v| ghosts.local_index(v) != NONE));
                        }
                    }
                    for neighbour in halo.neighbours() {
                        let (_, back) = &all[neighbour.rank];
                        let back = back.neighbours().iter().find(|n| n.rank == rank).unwrap();
                        let own = &layouts[neighbour.rank].own;
                        let sent = back.step_send.iter().map(|&i| own[i as usize]);
                        let received = neighbour.step_receive.clone();
                        assert!(received.map(Some).eq(sent.map(|v| {
                            let index = ghosts.local_index(v);
                            (index >= layouts[rank].len_with_ghosts() as u32).then_some(index)
                        })));
                    }
                    let received = halo.neighbours().iter().map(|n| n.step_receive.len());
                    assert_eq!(received.sum::<usize>(), ghosts.len());
                    assert_eq!(ghosts.is_empty(), ranks == 1 || layouts[rank].own.is_empty());
                }
            }
        }
    }
}

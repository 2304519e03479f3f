//! The second level of the partition assigns patches to ranks. This file also has the parallel
//! numbering of one rank.
//!
//! Source: Thomaszewski & Blochinger 2007, section 4.1. A rank numbers its own vertices
//! first: its patches by rising id, the vertices of a patch by rising id. Its ghosts
//! follow. Everything is derived from the shared [`Partition`], so both sides of an
//! exchange agree on its lists without a message.

use std::sync::Arc;

use crate::partition::graph::Graph;
use crate::partition::measures;
use crate::partition::methods::{PartitionSettings, Partitioner};
use crate::partition::patch_graph::PatchGraph;
use crate::partition::patches::Patches;
use crate::ranks::HaloNeighbour;
use crate::{Blocks, Error, NONE, PatchId, Result, Threads, Vec3, VertexId, World};

/// The owner of every patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The patches; in-process ranks share them.
    pub patches: Arc<Patches>,
    /// The rank that owns each patch.
    pub rank_of_patch: Vec<u32>,
    /// Number of ranks; some may own nothing.
    pub ranks: usize,
}

impl Partition {
    /// Splits the patches into `ranks` parts with about equal numbers of vertices, so
    /// that few couplings of `graph` are cut.
    ///
    /// # Errors
    /// When METIS refuses the graph.
    pub fn new(graph: &Graph, patches: Arc<Patches>, ranks: usize) -> Result<Self> {
        let rank_of_patch = PatchGraph::new(graph, &patches).split(ranks)?;
        Ok(Self { patches, rank_of_patch, ranks })
    }

    /// A partition with the method of `settings`. `positions` are the positions of all vertices, m.
    ///
    /// # Errors
    /// Those of the method.
    pub fn with_method(
        graph: &Graph,
        patches: Arc<Patches>,
        ranks: usize,
        settings: &PartitionSettings,
        positions: &[Vec3],
    ) -> Result<Self> {
        Self::divided_by(&mut *settings.build()?, graph, patches, ranks, positions)
    }

    /// A partition with `method`.
    ///
    /// # Errors
    /// Those of the method.
    pub fn divided_by(
        method: &mut dyn Partitioner,
        graph: &Graph,
        patches: Arc<Patches>,
        ranks: usize,
        positions: &[Vec3],
    ) -> Result<Self> {
        let centres = patches.centres(positions);
        let rank_of_patch = PatchGraph::new(graph, &patches).divide(method, &centres, ranks)?;
        Ok(Self { patches, rank_of_patch, ranks })
    }

    /// One partition for every rank: `build` is called on rank 0 alone, and its
    /// result is broadcast.
    ///
    /// # Errors
    /// Those of `build` on rank 0, and if a rank fails.
    pub fn shared(world: &dyn World, build: impl FnOnce() -> Result<Self>) -> Result<Self> {
        let mut bytes = Vec::new();
        if world.rank() == 0 {
            bytes.extend_from_slice(bytemuck::cast_slice(&build()?.to_words()));
        }
        world.broadcast(0, &mut bytes)?;
        let words = bytes.chunks_exact(size_of::<u32>()).map(bytemuck::pod_read_unaligned);
        Self::from_words(&words.collect::<Vec<u32>>())
    }

    /// The patches with other owners.
    ///
    /// # Errors
    /// When there is not one owner for each patch, or an owner is no rank.
    pub fn with_owners(&self, rank_of_patch: &[u32]) -> Result<Self> {
        let refused = |cause, remedy| Err(Error::input("partition", cause, remedy));
        let (patches, ranks) = (self.patches.len(), self.ranks);
        if rank_of_patch.len() != patches {
            let cause = format!("{} owners for {patches} patches", rank_of_patch.len());
            return refused(cause, "give an owner for each patch");
        }
        if let Some(patch) = rank_of_patch.iter().position(|&rank| rank as usize >= ranks) {
            let cause = format!("patch {patch} has the owner {}", rank_of_patch[patch]);
            return refused(cause, "number the ranks from 0 on");
        }
        Ok(Self { rank_of_patch: rank_of_patch.to_vec(), ..self.clone() })
    }

    /// The partition as words, for a broadcast.
    fn to_words(&self) -> Vec<u32> {
        let mut words = vec![self.ranks as u32, self.patches.len() as u32];
        words.extend(&self.rank_of_patch);
        words.extend(&self.patches.of_vertex);
        words
    }

    /// The inverse of [`Self::to_words`].
    ///
    /// # Errors
    /// When `words` are no partition.
    fn from_words(words: &[u32]) -> Result<Self> {
        let damaged = || Error::internal("partition", "the words from rank 0 are no partition");
        let [ranks, patches, rest @ ..] = words else { return Err(damaged()) };
        let (rank_of_patch, of_vertex) =
            rest.split_at_checked(*patches as usize).ok_or_else(damaged)?;
        let whole = rank_of_patch.iter().all(|rank| rank < ranks)
            && of_vertex.iter().all(|patch| patch < patches);
        if !whole {
            return Err(damaged());
        }
        let patches = Patches::from_vertices(of_vertex.to_vec(), *patches as usize);
        Ok(Self {
            patches: Arc::new(patches),
            rank_of_patch: rank_of_patch.to_vec(),
            ranks: *ranks as usize,
        })
    }

    /// The rank that owns `vertex`.
    pub fn rank_of_vertex(&self, vertex: VertexId) -> u32 {
        self.rank_of_patch[self.patches.of_vertex[vertex as usize] as usize]
    }

    /// [`measures::load_index`] of the patches. `work` has the work of each, in any unit.
    pub fn load_index(&self, work: &[f64]) -> f64 {
        measures::load_index(&self.rank_of_patch, work, self.ranks)
    }

    /// [`measures::surface_index`] of the vertices of `graph`: vertices received in an exchange for
    /// each vertex owned.
    pub fn surface_index(&self, graph: &Graph) -> f64 {
        let vertices = 0..graph.len() as VertexId;
        let ranks = Vec::from_iter(vertices.map(|vertex| self.rank_of_vertex(vertex)));
        measures::surface_index(graph, &ranks, self.ranks)
    }

    /// The patches of `rank`, rising.
    pub fn patches_of(&self, rank: usize) -> impl Iterator<Item = PatchId> + '_ {
        let owner = self.rank_of_patch.iter().zip(0..);
        owner.filter(move |(r, _)| **r as usize == rank).map(|(_, patch)| patch)
    }
}

/// One rank's part of the parallel numbering: its own vertices, then its ghosts.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The rank.
    pub rank: usize,
    /// Own vertices: local index to mesh number.
    pub own: Vec<VertexId>,
    /// Own patches, rising.
    pub own_patches: Vec<PatchId>,
    /// Start of each own patch in `own`; one more than own patches.
    pub patch_offsets: Vec<u32>,
    /// Vertices of other ranks that couple to own vertices, by owner, then in the owner's
    /// order. Ghost `i` has local index `own.len() + i`.
    pub ghosts: Vec<VertexId>,
    /// The ranks that own the ghosts. Each of them has some own vertices of this rank as ghosts.
    pub neighbours: Vec<HaloNeighbour>,
    /// Mesh number to local index, [`NONE`] for vertices that are neither own nor ghosts.
    index: Vec<u32>,
}

impl Layout {
    /// The numbering of `rank`.
    pub fn new(graph: &Graph, partition: &Partition, rank: usize) -> Self {
        let patches = &partition.patches;
        let own_patches: Vec<PatchId> = partition.patches_of(rank).collect();
        let mut own = Vec::new();
        let mut patch_offsets = vec![0];
        for &patch in &own_patches {
            own.extend_from_slice(patches.vertices(patch));
            patch_offsets.push(own.len() as u32);
        }

        let mut sent = Vec::new(); // (receiver, own local index)
        let mut ghosts = Vec::new(); // (owner, its patch, vertex): the owner's order
        for (local, &v) in own.iter().enumerate() {
            for &w in graph.neighbours(v) {
                let owner = partition.rank_of_vertex(w);
                if owner as usize != rank {
                    sent.push((owner, local as u32));
                    ghosts.push((owner, patches.of_vertex[w as usize], w));
                }
            }
        }
        sent.sort_unstable();
        sent.dedup();
        ghosts.sort_unstable();
        ghosts.dedup();

        let neighbours = halo_neighbours(own.len() as u32, &sent, &ghosts);
        let ghosts: Vec<VertexId> = ghosts.into_iter().map(|(.., vertex)| vertex).collect();
        let mut index = vec![NONE; graph.len()];
        for (&vertex, local) in own.iter().chain(&ghosts).zip(0..) {
            index[vertex as usize] = local;
        }
        Self { rank, own, own_patches, patch_offsets, ghosts, neighbours, index }
    }

    /// Own vertices and ghosts together: the length of a vector with ghosts.
    pub fn len_with_ghosts(&self) -> usize {
        self.own.len() + self.ghosts.len()
    }

    /// The local index of an own vertex or ghost; `None` for all others.
    pub fn local_index(&self, vertex: VertexId) -> Option<u32> {
        self.index.get(vertex as usize).copied().filter(|&local| local != NONE)
    }

    /// The local index of an own vertex; `None` for all others.
    pub fn own_index(&self, vertex: VertexId) -> Option<u32> {
        self.local_index(vertex).filter(|&local| (local as usize) < self.own.len())
    }
}

/// One neighbour for each rank in `ghosts`. Coupling is symmetric, so the same ranks
/// are in `sent`.
fn halo_neighbours(
    own: u32,
    sent: &[(u32, u32)],
    ghosts: &[(u32, PatchId, VertexId)],
) -> Vec<HaloNeighbour> {
    let mut first = own;
    let from = ghosts.chunk_by(|a, b| a.0 == b.0);
    let to = sent.chunk_by(|a, b| a.0 == b.0);
    from.zip(to)
        .map(|(from, to)| {
            debug_assert_eq!(from[0].0, to[0].0);
            let receive = first..first + from.len() as u32;
            first = receive.end;
            let send = to.iter().map(|&(_, local)| local).collect();
            HaloNeighbour::new(to[0].0 as usize, send, receive)
        })
        .collect()
}

/// Collects the own values of all ranks in the mesh's own numbering.
#[derive(Debug, Clone)]
pub struct Gather {
    /// Bytes of each rank.
    counts: Vec<usize>,
    /// For each vertex, the place of its value among those of all ranks.
    place: Vec<u32>,
    buffer: Vec<Vec3>,
}

impl Gather {
    /// The gather of the vertices of `partition`.
    pub fn new(partition: &Partition) -> Self {
        let mut counts = Vec::with_capacity(partition.ranks);
        let mut place = vec![0; partition.patches.of_vertex.len()];
        let mut next = 0;
        for rank in 0..partition.ranks {
            let before = next;
            for patch in partition.patches_of(rank) {
                for &vertex in partition.patches.vertices(patch) {
                    place[vertex as usize] = next;
                    next += 1;
                }
            }
            counts.push((next - before) as usize * size_of::<Vec3>());
        }
        Self { counts, place, buffer: Vec::new() }
    }

    /// Collects the `own` values of every rank in `mesh`, on every rank.
    ///
    /// Before: `own` is in the order of [`Layout::own`]; `mesh` has one value for each
    /// vertex. After: `mesh` holds every owner's value.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn to_all(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        own: &[Vec3],
        mesh: &mut [Vec3],
    ) -> Result<()> {
        let all = match world.size() {
            1 => own,
            _ => {
                self.buffer.resize(self.place.len(), Vec3::zeros());
                let all = bytemuck::cast_slice_mut(&mut self.buffer);
                world.all_gather_v(bytemuck::cast_slice(own), &self.counts, all)?;
                &self.buffer
            }
        };
        threads.for_each_patch(Blocks::of_vertices(mesh), 1, |block, mesh| {
            let places = &self.place[block * mesh.size..];
            mesh.items.iter_mut().zip(places).for_each(|(it, &place)| *it = all[place as usize]);
        });
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::slice;

    use super::*;
    use crate::partition::graph::tests::grid;

    /// A grid of 17 x 13 vertices in patches of 16.
    pub fn partition(ranks: usize) -> (Graph, Partition) {
        let graph = grid(17, 13);
        let patches = Arc::new(Patches::new(&graph, slice::from_ref(&(0..221)), 16).unwrap());
        let partition = Partition::new(&graph, patches, ranks).unwrap();
        (graph, partition)
    }

    #[test]
    fn words_carry_the_partition() {
        let (_, partition) = partition(3);
        let words = partition.to_words();
        assert_eq!(Partition::from_words(&words).unwrap(), partition);
        assert!(Partition::from_words(&words[..1]).is_err());
        assert!(Partition::from_words(&[2, 1, 7, 0]).is_err());
    }

    #[test]
    fn each_vertex_has_one_owner_and_both_sides_of_an_exchange_agree() {
        for ranks in [1, 2, 3, 7, 30] {
            let (graph, partition) = partition(ranks);
            let layouts: Vec<_> = (0..ranks).map(|r| Layout::new(&graph, &partition, r)).collect();
            let mut owned: Vec<_> = layouts.iter().flat_map(|l| l.own.clone()).collect();
            owned.sort_unstable();
            assert!(owned.iter().copied().eq(0..221));
            for layout in &layouts {
                let mut received = 0;
                for halo in &layout.neighbours {
                    let ghosts: Vec<_> = (halo.receive.clone())
                        .map(|i| layout.ghosts[i as usize - layout.own.len()])
                        .collect();
                    let other = &layouts[halo.rank];
                    let back = other.neighbours.iter().find(|n| n.rank == layout.rank).unwrap();
                    let sent: Vec<_> = back.send.iter().map(|&i| other.own[i as usize]).collect();
                    assert_eq!(ghosts, sent);
                    received += ghosts.len();
                }
                assert_eq!(received, layout.ghosts.len());
                for &v in &layout.own {
                    let coupled = graph.neighbours(v).iter().chain([&v]);
                    assert!(coupled.map(|&w| layout.local_index(w)).all(|i| i.is_some()));
                }
            }
        }
    }

    #[test]
    fn indices_of_a_path_cut_by_hand() {
        // Path 0-1-2-3-4-5 in three patches of two vertices.
        let edges: Vec<[u32; 2]> = (0..5).map(|v| [v, v + 1]).collect();
        let graph = Graph::from_cliques(6, edges.iter().map(|edge| &edge[..]));
        let patches = Arc::new(Patches::from_vertices(vec![0, 0, 1, 1, 2, 2], 3));
        let cut = |ranks: [u32; 3]| Partition {
            patches: patches.clone(),
            rank_of_patch: ranks.to_vec(),
            ranks: 2,
        };
        let middle = cut([0, 0, 1]);
        assert_eq!(middle.load_index(&[1.0, 2.0, 1.0]), 0.5);
        assert_eq!(middle.surface_index(&graph), 0.5);
        assert_eq!(cut([0, 1, 0]).surface_index(&graph), 1.0);
        assert_eq!(cut([1, 1, 1]).surface_index(&graph), 0.0);
    }

    #[test]
    fn ranks_get_about_equal_shares() {
        let graph = grid(120, 120);
        let patches = Arc::new(Patches::new(&graph, slice::from_ref(&(0..14400)), 256).unwrap());
        for ranks in [2, 3, 4, 7] {
            let partition = Partition::new(&graph, patches.clone(), ranks).unwrap();
            let load = partition.load_index(&patches.work());
            let surface = partition.surface_index(&graph);
            assert!(load < 0.1 && surface < 0.15, "{ranks}: load {load}, surface {surface}");
        }
    }
}

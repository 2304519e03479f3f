//! The part of the system that a repair solves again.

use cloth_bodies::bodies::{Numbering, Place};
use cloth_collision::collision::Pair;
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::partition::{Graph, Patches};

/// How far a repair reaches from the trouble, in edges of the graph of couplings. With 4, the
/// tablecloth at 10 ms repairs six times as many nodes, and needs as many repairs. With 0, more
/// collisions are left to impulses (docs/methods.md, section 4).
const RINGS: usize = 1;

/// The nodes whose velocities a repair may change. All others keep the velocity that the last solve
/// found.
pub struct Region {
    member: Vec<bool>,
    nodes: Vec<NodeId>,
    /// The vertices that have trouble, rising. The region lies around them.
    around: Vec<VertexId>,
}

impl Region {
    /// All nodes of `graph` within `RINGS` edges of the nodes that move the vertices `around`. Bodies
    /// that joints connect belong together: they are of one of the `patches`.
    pub fn new(
        graph: &Graph,
        numbering: &Numbering,
        patches: &Patches,
        mut around: Vec<VertexId>,
    ) -> Self {
        around.sort_unstable();
        around.dedup();
        let mut region =
            Self { member: vec![false; graph.len()], nodes: Vec::new(), around: Vec::new() };
        for &vertex in &around {
            match numbering.place(vertex) {
                Place::Own(node) => region.add(node),
                Place::Body(body) => {
                    let first = numbering.bodies()[body].nodes.start;
                    let all = patches.vertices(patches.of_vertex[first as usize]);
                    all.iter().for_each(|&node| region.add(node));
                }
            }
        }
        let mut first = 0;
        for _ in 0..RINGS {
            let last = region.nodes.len();
            for at in first..last {
                graph.neighbours(region.nodes[at]).iter().for_each(|&node| region.add(node));
            }
            first = last;
        }
        region.around = around;
        region
    }

    /// All nodes of `graph`, because of trouble at the vertices `around`.
    pub fn whole(graph: &Graph, mut around: Vec<VertexId>) -> Self {
        around.sort_unstable();
        let nodes = (0..graph.len() as NodeId).collect();
        Self { member: vec![true; graph.len()], nodes, around }
    }

    /// Whether the region has all nodes.
    pub fn is_whole(&self) -> bool {
        self.nodes.len() == self.member.len()
    }

    /// Whether a vertex of `pair` has trouble.
    pub fn is_around(&self, pair: &Pair) -> bool {
        pair.vertices.iter().any(|vertex| self.around.binary_search(vertex).is_ok())
    }

    /// Adds `node`, unless it is prescribed.
    fn add(&mut self, node: NodeId) {
        if self.member.get(node as usize) == Some(&false) {
            self.member[node as usize] = true;
            self.nodes.push(node);
        }
    }

    /// Whether `node` is in the region.
    pub fn has(&self, node: NodeId) -> bool {
        self.member.get(node as usize) == Some(&true)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_reaches_some_rings_around_free_vertices() {
        let edges: Vec<[u32; 2]> = (0..99).map(|a| [a, a + 1]).collect();
        let graph = Graph::from_cliques(100, edges.iter().map(<[u32; 2]>::as_slice));
        let numbering = Numbering::new(100, &[], 10);
        let patches = Patches::new(&graph, std::slice::from_ref(&(0..100)), 100).unwrap();
        let region = Region::new(&graph, &numbering, &patches, vec![3, 3, 105, 50]);
        let nodes: Vec<u32> = (0..100).filter(|&node| region.has(node)).collect();
        assert_eq!(nodes, Vec::from_iter((2..5).chain(49..52)));
        assert_eq!(region.node_count(), 6);
    }
}

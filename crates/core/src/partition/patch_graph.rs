//! The graph of patches, which is divided among the ranks.

use serde::{Deserialize, Serialize};

use crate::partition::graph::Graph;
use crate::partition::methods::{Couplings, Metis, Partitioner, WeightedPoints};
use crate::partition::patches::Patches;
use crate::{Result, Vec3, VertexId};

/// Patches and the couplings between them. They alone decide the owner of each patch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchGraph {
    /// The patches that couple.
    coupled: Graph,
    /// Number of coupled pairs of vertices for each entry of `coupled.neighbours`.
    couplings: Vec<u32>,
    /// Number of vertices of each patch.
    vertices: Vec<u32>,
}

impl PatchGraph {
    /// The graph of `patches`; `graph` gives the couplings of their vertices.
    pub fn new(graph: &Graph, patches: &Patches) -> Self {
        let mut cut = Vec::new();
        for (v, &from) in patches.of_vertex.iter().enumerate() {
            let to = graph.neighbours(v as VertexId).iter().map(|&w| patches.of_vertex[w as usize]);
            cut.extend(to.filter(|&to| to != from).map(|to| (from, to)));
        }
        cut.sort_unstable();
        let pairs: Vec<[u32; 2]> =
            cut.chunk_by(|a, b| a == b).map(|pair| [pair[0].0, pair[0].1]).collect();
        Self {
            coupled: Graph::from_cliques(patches.len(), pairs.iter().map(|pair| &pair[..])),
            couplings: cut.chunk_by(|a, b| a == b).map(|pair| pair.len() as u32).collect(),
            vertices: patches.offsets.windows(2).map(|o| o[1] - o[0]).collect(),
        }
    }

    /// The patches that couple.
    pub fn coupled(&self) -> &Graph {
        &self.coupled
    }

    /// The owner of each patch among `ranks` ranks. All ranks get about equally many vertices,
    /// and few couplings are cut.
    ///
    /// # Errors
    /// When METIS refuses the graph.
    pub fn split(&self, ranks: usize) -> Result<Vec<u32>> {
        self.divide(&mut Metis::default(), &vec![Vec3::zeros(); self.len()], ranks)
    }

    /// Owners by `method`. `centres` are the positions of the patches, m.
    ///
    /// # Errors
    /// Those of the method.
    pub fn divide(
        &self,
        method: &mut dyn Partitioner,
        centres: &[Vec3],
        ranks: usize,
    ) -> Result<Vec<u32>> {
        let weights: Vec<f64> = self.vertices.iter().map(|&count| f64::from(count)).collect();
        self.divide_work(method, centres, &weights, ranks)
    }

    /// Owners with which all ranks get about equal `work`. `work` has the work of each patch, in any
    /// unit.
    ///
    /// # Errors
    /// Those of the method.
    pub fn divide_work(
        &self,
        method: &mut dyn Partitioner,
        centres: &[Vec3],
        work: &[f64],
        ranks: usize,
    ) -> Result<Vec<u32>> {
        let couplings = Couplings { graph: &self.coupled, weights: Some(&self.couplings) };
        let problem =
            WeightedPoints { graph: Some(couplings), ..WeightedPoints::new(centres, work) };
        method.partition(&problem, ranks)
    }

    /// Number of patches.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// True if there is no patch.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }
}

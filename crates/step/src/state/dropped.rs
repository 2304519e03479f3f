//! Cloth that passes an obstacle, because prescribed surfaces overlap and leave it no room.
//!
//! A dropped pair is a vertex of cloth and an obstacle. The elementary pairs of this vertex take
//! no part in contact with the obstacle, until the vertex is outside of it and clear of it. Pairs
//! of cloth and cloth are never dropped (docs/methods.md, section 8).

use serde::{Deserialize, Serialize};

use crate::model::Model;
use cloth_collision::collision::Pair;
use cloth_core::ids::VertexId;

/// A vertex of cloth, and the number of an obstacle among the obstacles.
pub(crate) type DroppedPair = [u32; 2];

/// Which vertices of cloth pass which obstacles. Part of the state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Rising.
    pairs: Vec<DroppedPair>,
}

/// An obstacle that cloth passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedObstacle {
    /// Its name.
    pub name: String,
    /// The vertices of cloth that pass it, rising.
    pub vertices: Vec<VertexId>,
}

impl Dropped {
    /// The pairs, each once.
    pub fn new(mut pairs: Vec<DroppedPair>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

    /// All pairs, rising.
    pub(crate) fn pairs(&self) -> &[DroppedPair] {
        &self.pairs
    }

    /// Whether no pair is dropped.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether `vertex` passes an obstacle.
    pub fn contains(&self, vertex: VertexId, obstacle: usize) -> bool {
        self.pairs.binary_search(&[vertex, obstacle as u32]).is_ok()
    }

    /// Whether its pairs are sorted, and name only the first `vertices` vertices and `obstacles`
    /// obstacles.
    pub(crate) fn fits(&self, vertices: usize, obstacles: usize) -> bool {
        let is_known = |&[vertex, obstacle]: &DroppedPair| {
            (vertex as usize) < vertices && (obstacle as usize) < obstacles
        };
        self.pairs.is_sorted() && self.pairs.iter().all(is_known)
    }

    /// Whether an elementary pair takes part in contact: none of its vertices passes its obstacle.
    pub fn keeps(&self, pair: &Pair, model: &Model) -> bool {
        let passes = |vertex: VertexId| {
            let at = self.pairs.partition_point(|&[before, _]| before < vertex);
            self.pairs.get(at).is_some_and(|pair| pair[0] == vertex)
        };
        if !pair.vertices.into_iter().any(passes) {
            return true;
        }
        let obstacle = pair.vertices.into_iter().find_map(|vertex| model.obstacle_of(vertex));
        let dropped = |obstacle| pair.vertices.iter().any(|&v| self.contains(v, obstacle));
        !obstacle.is_some_and(dropped)
    }

    /// The vertices that pass an obstacle, rising.
    pub(crate) fn of(&self, obstacle: usize) -> impl Iterator<Item = VertexId> {
        let of = self.pairs.iter().filter(move |pair| pair[1] as usize == obstacle);
        of.map(|&[vertex, _]| vertex)
    }
}

//! Cloth that passed obstacles, as the run has recorded it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::verify::Intersection;
use cloth_core::error::Result;
use cloth_core::ids::VertexId;

use crate::program::output::cloth_record::ClothFrameRecord;
use crate::program::output::steps_jsonl;

/// Dropped pairs of each frame: a vertex of cloth, and the place of an obstacle among the objects.
#[derive(Debug, Clone, Default)]
pub struct DroppedPairs(BTreeMap<u64, BTreeSet<(VertexId, u32)>>);

impl DroppedPairs {
    /// Those of the run in `folder`. Of the names of its `objects`, the first `cloths` are cloths,
    /// among the others are the obstacles. A run without a record of its steps has none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path, objects: &[&str], cloths: usize) -> Result<Self> {
        let mut all = Self::default();
        let obstacle = |name: &str| (cloths..objects.len()).find(|&at| objects[at] == name);
        for frame in steps_jsonl::read_if_any::<ClothFrameRecord>(folder)? {
            let frame = frame?;
            for passed in &frame.part.passed {
                let Some(obstacle) = obstacle(&passed.obstacle) else { continue };
                let pairs = passed.vertices.iter().map(|&vertex| (vertex, obstacle as u32));
                all.0.entry(frame.frame).or_default().extend(pairs);
            }
        }
        Ok(all)
    }

    /// Whether an intersection in `frame` is one of cloth with an obstacle that it passes.
    pub fn has(&self, frame: u64, found: &Intersection) -> bool {
        let Some(pairs) = self.0.get(&frame) else { return false };
        let vertices = || found.edge.iter().chain(&found.face);
        found.objects.iter().any(|&object| vertices().any(|&v| pairs.contains(&(v, object))))
    }
}

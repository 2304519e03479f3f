//! The first level of the partition: patches, fixed by the mesh.

use std::ops::Range;

use crate::partition::graph::Graph;
use crate::partition::methods;
use crate::{NONE, PatchId, Result, Vec3, VertexId};

/// From this number of vertices on, METIS takes longer to divide a cloth than its shorter
/// borders save in many steps.
const MANY_VERTICES: usize = 100_000;

/// The patches of all cloths and bodies: the unit of ownership, of the preconditioner's
/// blocks and of plain sums. They depend on the mesh and on `patch_vertices`
/// alone, never on the number of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patches {
    /// The patch of each vertex.
    pub of_vertex: Vec<PatchId>,
    /// Start of each patch in `vertices`; one more than patches.
    pub offsets: Vec<u32>,
    /// The vertices of patch after patch, rising within a patch.
    pub vertices: Vec<VertexId>,
}

impl Patches {
    /// Divides each cloth into patches of about `patch_vertices` vertices. Most patches are
    /// connected, but METIS is not asked to make them so. A cloth, or a body, is a range of
    /// vertices; together the ranges cover the graph. No patch spans two ranges. Patches are
    /// numbered by their lowest vertex.
    ///
    /// # Errors
    /// When METIS refuses the graph.
    pub fn new(graph: &Graph, cloths: &[Range<u32>], patch_vertices: usize) -> Result<Self> {
        Self::with_rest_shapes(graph, cloths, patch_vertices, &[])
    }

    /// Patches with the rest positions of the vertices, m. Where a range of 100,000 vertices or
    /// more has them, its rest shape is halved again and again, and METIS is not called. If the
    /// list is shorter than the vertices, the last ones have none.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn with_rest_shapes(
        graph: &Graph,
        cloths: &[Range<u32>],
        patch_vertices: usize,
        rest: &[Vec3],
    ) -> Result<Self> {
        let mut of_vertex = vec![NONE; graph.len()];
        let mut patches = 0;
        for cloth in cloths {
            let parts = (cloth.len() + patch_vertices / 2) / patch_vertices.max(1);
            let part = match rest.get(cloth.start as usize..cloth.end as usize) {
                Some(rest) if rest.len() >= MANY_VERTICES => methods::halves(rest, parts),
                _ => methods::k_way(&induced(graph, cloth), parts)?,
            };
            // Parts come in any order, and METIS may leave some empty.
            let mut number = vec![NONE; part.iter().map(|&p| p as usize + 1).max().unwrap_or(0)];
            for (vertex, part) in cloth.clone().zip(part) {
                let number = &mut number[part as usize];
                if *number == NONE {
                    *number = patches;
                    patches += 1;
                }
                of_vertex[vertex as usize] = *number;
            }
        }
        Ok(Self::from_vertices(of_vertex, patches as usize))
    }

    /// The patches, of which those of the two vertices of each pair become one.
    pub fn merged(self, pairs: &[[VertexId; 2]]) -> Self {
        if pairs.is_empty() {
            return self;
        }
        let mut into = Vec::from_iter(0..self.len() as PatchId);
        for pair in pairs {
            let [a, b] = pair.map(|vertex| into[self.of_vertex[vertex as usize] as usize]);
            let (low, high) = (a.min(b), a.max(b));
            into.iter_mut().filter(|patch| **patch == high).for_each(|patch| *patch = low);
        }
        // A patch is numbered by its lowest vertex, and the lowest of those that merge stays.
        let mut number = vec![NONE; into.len()];
        let mut count = 0;
        for patch in 0..into.len() {
            if into[patch] as usize == patch {
                number[patch] = count;
                count += 1;
            }
        }
        let of_vertex =
            self.of_vertex.iter().map(|&patch| number[into[patch as usize] as usize]).collect();
        Self::from_vertices(of_vertex, count as usize)
    }

    /// From the patch of each vertex. Every patch below `patches` has a vertex.
    pub(super) fn from_vertices(of_vertex: Vec<PatchId>, patches: usize) -> Self {
        debug_assert!(of_vertex.iter().all(|&patch| (patch as usize) < patches));
        let mut offsets = vec![0; patches + 1];
        for &patch in &of_vertex {
            offsets[patch as usize + 1] += 1;
        }
        for patch in 0..patches {
            offsets[patch + 1] += offsets[patch];
        }
        let mut next = offsets.clone();
        let mut vertices = vec![0; of_vertex.len()];
        for (vertex, &patch) in of_vertex.iter().enumerate() {
            let at = &mut next[patch as usize];
            vertices[*at as usize] = vertex as VertexId;
            *at += 1;
        }
        Self { of_vertex, offsets, vertices }
    }

    /// Number of patches.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there is no patch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The work of each patch, as it is shared among ranks: its number of vertices.
    pub fn work(&self) -> Vec<f64> {
        self.offsets.windows(2).map(|ends| f64::from(ends[1] - ends[0])).collect()
    }

    /// The centre of each patch, m; `positions` are those of the vertices.
    pub fn centres(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let centre = |patch: PatchId| {
            let vertices = self.vertices(patch);
            vertices.iter().map(|&v| positions[v as usize]).sum::<Vec3>() / vertices.len() as f64
        };
        (0..self.len() as PatchId).map(centre).collect()
    }

    /// The vertices of `patch`, rising.
    pub fn vertices(&self, patch: PatchId) -> &[VertexId] {
        let patch = patch as usize;
        &self.vertices[self.offsets[patch] as usize..self.offsets[patch + 1] as usize]
    }
}

/// The couplings within `cloth`, with its vertices counted from 0.
fn induced(graph: &Graph, cloth: &Range<u32>) -> Graph {
    let mut part = Graph { offsets: vec![0], neighbours: Vec::new() };
    for vertex in cloth.clone() {
        let inside = graph.neighbours(vertex).iter().filter(|&w| cloth.contains(w));
        part.neighbours.extend(inside.map(|&w| w - cloth.start));
        part.offsets.push(part.neighbours.len() as u32);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::graph::tests::grid_faces;

    #[test]
    fn patches_cover_each_cloth_once_and_span_none() {
        let mut faces = grid_faces(20, 20, 0);
        faces.extend(grid_faces(5, 3, 400));
        faces.push([415, 416, 417]);
        let graph = Graph::from_cliques(418, faces.iter().map(|face| &face[..]));
        let cloths = [0..400, 400..415, 415..418];
        let patches = Patches::new(&graph, &cloths, 24).unwrap();

        let mut seen = [false; 418];
        let mut lowest = None;
        for patch in 0..patches.len() as PatchId {
            let vertices = patches.vertices(patch);
            assert!(vertices.is_sorted() && (1..=40).contains(&vertices.len()));
            assert!(lowest < vertices.first(), "numbered by lowest vertex");
            lowest = vertices.first();
            for &v in vertices {
                assert!(!std::mem::replace(&mut seen[v as usize], true));
                assert_eq!(patches.of_vertex[v as usize], patch);
            }
            let cloth = cloths.iter().find(|cloth| cloth.contains(&vertices[0])).unwrap();
            assert!(vertices.iter().all(|v| cloth.contains(v)));
        }
        assert!(seen.iter().all(|&seen| seen));
        assert!((12..=20).contains(&patches.len()), "{}", patches.len());
        assert_eq!(patches, Patches::new(&graph, &cloths, 24).unwrap());
    }
}

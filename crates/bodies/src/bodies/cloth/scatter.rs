//! Which elements touch which patch, and where their blocks go in its rows.

use cloth_core::linear::{BlockStructure, PairSlot};
use cloth_core::partition::Layout;
use cloth_core::{NONE, VertexId};

/// Items of each own patch of a rank, one patch after the other.
pub struct PatchLists<T> {
    /// Where each patch's items begin; one more than patches.
    pub offsets: Vec<u32>,
    /// The items.
    pub items: Vec<T>,
}

impl<T> PatchLists<T> {
    /// For every own patch the elements with a vertex in it, by rising element.
    pub fn of_elements<const N: usize>(
        layout: &Layout,
        elements: &[[VertexId; N]],
        mut item: impl FnMut(u32, PatchRows) -> T,
    ) -> Self {
        let mut of_patch: Vec<Vec<u32>> = vec![Vec::new(); layout.own_patches.len()];
        for (element, vertices) in elements.iter().enumerate() {
            for &vertex in vertices {
                let Some(patch) = own_patch(layout, vertex) else { continue };
                if of_patch[patch].last() != Some(&(element as u32)) {
                    of_patch[patch].push(element as u32);
                }
            }
        }
        let items = Vec::with_capacity(of_patch.iter().map(Vec::len).sum());
        let mut lists = Self { offsets: vec![0], items };
        for (patch, elements) in of_patch.iter().enumerate() {
            let rows = PatchRows::new(layout, patch);
            lists.items.extend(elements.iter().map(|&element| item(element, rows)));
            lists.offsets.push(lists.items.len() as u32);
        }
        lists
    }

    /// The range of a patch's items.
    pub fn range(&self, patch: usize) -> std::ops::Range<usize> {
        self.offsets[patch] as usize..self.offsets[patch + 1] as usize
    }

    /// A patch's items.
    pub fn of(&self, patch: usize) -> &[T] {
        &self.items[self.range(patch)]
    }
}

/// The local rows `start..end` of one own patch.
#[derive(Clone, Copy)]
pub struct PatchRows {
    /// Position among the rank's own patches.
    pub patch: usize,
    start: u32,
    end: u32,
}

impl PatchRows {
    fn new(layout: &Layout, patch: usize) -> Self {
        Self { patch, start: layout.patch_offsets[patch], end: layout.patch_offsets[patch + 1] }
    }

    /// The rows of `vertices` relative to the patch, [`NONE`] for other patches' rows.
    pub fn of<const N: usize>(&self, layout: &Layout, vertices: &[VertexId; N]) -> [u32; N] {
        vertices.map(|vertex| match layout.local_index(vertex) {
            Some(row) if (self.start..self.end).contains(&row) => row - self.start,
            _ => NONE,
        })
    }

    /// Where the blocks of these `pairs` of `vertices` go.
    pub fn slots<const N: usize, const P: usize>(
        &self,
        layout: &Layout,
        structure: &BlockStructure,
        vertices: &[VertexId; N],
        pairs: &[[usize; 2]; P],
    ) -> [PairSlot; P] {
        let local = vertices.map(|vertex| layout.local_index(vertex));
        pairs.map(|pair| structure.pair_slot(self.patch, pair.map(|corner| local[corner])))
    }
}

/// The position of a vertex's patch among the rank's own patches.
pub fn own_patch(layout: &Layout, vertex: VertexId) -> Option<usize> {
    let row = layout.own_index(vertex)?;
    Some(layout.patch_offsets.partition_point(|&start| start <= row) - 1)
}

//! The items of a step, listed by own patch.

use std::ops::Range;

/// Items of a few rows each, listed for every own patch that they touch, in the order of the
/// items. Refilled every step; its memory is reused.
#[derive(Debug, Clone, Default)]
pub struct PatchIndex {
    /// The patch of each own row.
    patch_of_row: Vec<u32>,
    /// Where each patch's items begin; one more than patches.
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl PatchIndex {
    /// No items on patches whose rows begin at `patch_offsets`.
    pub fn new(patch_offsets: &[u32]) -> Self {
        let patches = patch_offsets.windows(2).zip(0..);
        Self {
            patch_of_row: patches
                .flat_map(|(ends, patch)| (ends[0]..ends[1]).map(move |_| patch))
                .collect(),
            offsets: vec![0; patch_offsets.len()],
            items: Vec::new(),
        }
    }

    /// Lists `items`, each given by its rows. Rows of other ranks are ignored.
    pub fn fill<const N: usize>(
        &mut self,
        items: impl DoubleEndedIterator<Item = [u32; N]> + ExactSizeIterator + Clone,
    ) {
        self.offsets.fill(0);
        for rows in items.clone() {
            for_patches(&self.patch_of_row, rows, |patch| self.offsets[patch] += 1);
        }
        let mut total = 0;
        for offset in &mut self.offsets {
            total += *offset;
            *offset = total;
        }
        self.items.resize(total as usize, 0);
        // Filling from the back turns each patch's end into its beginning.
        for (item, rows) in items.enumerate().rev() {
            for_patches(&self.patch_of_row, rows, |patch| {
                self.offsets[patch] -= 1;
                self.items[self.offsets[patch] as usize] = item as u32;
            });
        }
    }

    /// The items that touch own patch `patch`, rising.
    pub fn of(&self, patch: usize) -> &[u32] {
        &self.items[self.range(patch)]
    }

    fn range(&self, patch: usize) -> Range<usize> {
        self.offsets[patch] as usize..self.offsets[patch + 1] as usize
    }
}

/// Calls `visit` once for every own patch that has one of `rows`.
fn for_patches<const N: usize>(patch_of_row: &[u32], rows: [u32; N], mut visit: impl FnMut(usize)) {
    let patches = rows.map(|row| patch_of_row.get(row as usize));
    for (a, patch) in patches.iter().enumerate() {
        if let Some(own) = patch
            && !patches[..a].contains(patch)
        {
            visit(**own as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NONE;

    #[test]
    fn every_patch_lists_each_item_that_touches_it_once_and_in_order() {
        let mut index = PatchIndex::new(&[0, 3, 3, 7]);
        let items = [[0, 1, 4, 2], [NONE; 4], [6, 9, 5, 8], [2, NONE, 7, 1], [3, 0, NONE, 100]];
        for _ in 0..2 {
            index.fill(items.iter().copied());
            let lists: Vec<&[u32]> = (0..3).map(|patch| index.of(patch)).collect();
            assert_eq!(lists, [&[0, 3, 4][..], &[], &[0, 2, 4]]);
        }
        index.fill(items[..1].iter().copied());
        assert_eq!((index.of(0), index.of(2)), (&[0][..], &[0][..]));
    }
}

//! Where the blocks of a [`super::BlockMatrix`] are stored.
//!
//! Rows are cut into slices of [`LANES`] rows. The k-th blocks of the rows of a slice are a group:
//! their entries lie side by side, so that one instruction works on all of them (sliced ELLPACK,
//! Monakov, Lokhmotov & Avetisyan 2010). A row that has no k-th block has zeros there.
//!
//! A patch has its blocks *within* the patch first: of two blocks that mirror each other only the
//! one below the diagonal. Then come its blocks *across* patches, all of them, because another
//! thread or rank has the mirrored ones. So all sums depend on the patches alone.

use std::ops::Range;

use crate::linear::vectors::LANES;
use crate::partition::{Graph, Layout};
use crate::{Error, NONE, Result, VertexId};

/// Up to [`LANES`] rows of a patch, and their blocks.
#[derive(Debug, Clone)]
pub(super) struct Slice {
    /// The rows, counted within the patch. Lanes from `count` on repeat the last row.
    pub rows: [u32; LANES],
    /// Number of rows.
    pub count: usize,
    /// The groups of their blocks, counted over all patches.
    pub groups: Range<u32>,
}

/// A stored block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its row, counted within the patch.
    pub row: u32,
    /// Its column: counted within the patch, or a local index for blocks across.
    pub column: u32,
    /// Its group, counted over all patches.
    pub group: u32,
    /// Its lane in the group.
    pub lane: usize,
}

/// Where a patch stores the block of two vertices: twice its slot, plus 1 if that has the mirrored
/// block; [`NONE`] if the patch has no row of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSlot(u32);

impl PairSlot {
    /// The slot, and the bit that changes the sign of the axis of the block there, or 0.
    #[inline(always)]
    pub fn slot(self) -> Option<(u32, u32)> {
        (self.0 != NONE).then_some((self.0 >> 1, self.0 << 31))
    }
}

/// The structure of a [`super::BlockMatrix`].
#[derive(Debug, Clone)]
pub struct BlockStructure {
    /// First row of each patch, and the number of rows.
    pub(super) patch_offsets: Vec<u32>,
    /// Slices of all rows, patch by patch, with the blocks within.
    within: Vec<Slice>,
    pub(super) within_offsets: Vec<u32>,
    /// Slices of the rows with blocks across.
    across: Vec<Slice>,
    across_offsets: Vec<u32>,
    /// The columns of each group, as in [`Place::column`]. A lane without a block has the column
    /// of its own row.
    columns: Vec<[u32; LANES]>,
    /// First group of each patch.
    pub(super) group_offsets: Vec<u32>,
    /// Number of blocks of each patch, the diagonal ones included.
    blocks: Vec<u32>,
    /// Whether each patch has a column that is a ghost.
    has_ghosts: Vec<bool>,
    /// The vertex of each local index: own vertices, then ghosts.
    pub(super) vertices: Vec<VertexId>,
    /// Number of vertices of the mesh.
    pub(super) mesh_vertices: usize,
}

impl BlockStructure {
    /// A block for every coupling of `graph` and every vertex of `layout`.
    ///
    /// # Errors
    /// When there are more blocks than 32 bits can number, and [`Error::Internal`] when `graph`
    /// couples a vertex that `layout` does not know.
    pub(super) fn new(layout: &Layout, graph: &Graph) -> Result<Self> {
        let mut structure = Self {
            patch_offsets: layout.patch_offsets.clone(),
            within: Vec::new(),
            within_offsets: vec![0],
            across: Vec::new(),
            across_offsets: vec![0],
            columns: Vec::new(),
            group_offsets: vec![0],
            blocks: Vec::new(),
            has_ghosts: Vec::new(),
            vertices: layout.own.iter().chain(&layout.ghosts).copied().collect(),
            mesh_vertices: graph.len(),
        };
        for patch in 0..layout.own_patches.len() {
            structure.add_patch(layout, graph, patch)?;
        }
        Ok(structure)
    }

    fn add_patch(&mut self, layout: &Layout, graph: &Graph, patch: usize) -> Result<()> {
        let rows = layout.patch_offsets[patch]..layout.patch_offsets[patch + 1];
        let (mut within, mut across) = (Vec::new(), Vec::new());
        let mut has_ghosts = false;
        for row in rows.clone() {
            let (mut near, mut far) = (Vec::new(), Vec::new());
            for &vertex in graph.neighbours(layout.own[row as usize]) {
                let column = layout.local_index(vertex).ok_or_else(unknown_vertex)?;
                has_ghosts |= column as usize >= layout.own.len();
                match rows.contains(&column) {
                    true if column < row => near.push(column - rows.start),
                    true => {}
                    false => far.push(column),
                }
            }
            within.push((row - rows.start, near));
            across.push((row - rows.start, far));
        }
        across.retain(|(_, columns)| !columns.is_empty());
        let of = |rows: &[(u32, Vec<u32>)]| rows.iter().map(|(_, all)| all.len()).sum::<usize>();
        self.blocks.push((2 * of(&within) + of(&across) + within.len()) as u32);
        let slices = within.chunks(LANES).map(|rows| self.slice(rows, 0)).collect::<Vec<_>>();
        self.within.extend(slices);
        let slices = across.chunks(LANES).map(|it| self.slice(it, rows.start)).collect::<Vec<_>>();
        self.across.extend(slices);
        self.within_offsets.push(self.within.len() as u32);
        self.across_offsets.push(self.across.len() as u32);
        // A pair of vertices has one bit more (`PairSlot`).
        let slots = self.columns.len().checked_mul(2 * LANES);
        slots.and_then(|slots| u32::try_from(slots).ok()).ok_or_else(too_many_blocks)?;
        self.group_offsets.push(self.columns.len() as u32);
        self.has_ghosts.push(has_ghosts);
        Ok(())
    }

    /// Adds the groups of the rows with these columns. `first` is the column of the row 0.
    fn slice(&mut self, rows: &[(u32, Vec<u32>)], first: u32) -> Slice {
        let lane = |lane: usize| &rows[lane.min(rows.len() - 1)];
        let most = rows.iter().map(|(_, columns)| columns.len()).max().unwrap_or(0);
        let start = self.columns.len() as u32;
        self.columns.extend((0..most).map(|k| {
            std::array::from_fn(|i| {
                let (row, columns) = lane(i);
                let column = if i < rows.len() { columns.get(k).copied() } else { None };
                column.unwrap_or(row + first)
            })
        }));
        let rows_of = std::array::from_fn(|i| lane(i).0);
        Slice { rows: rows_of, count: rows.len(), groups: start..self.columns.len() as u32 }
    }

    /// Where the block of own row `row` and local column `column` is among those of `patch`, to
    /// which the row belongs. `None` if they do not couple, and if the mirrored block is stored.
    pub fn slot(&self, patch: usize, row: u32, column: u32) -> Option<u32> {
        let first = self.patch_offsets[patch];
        let own = row - first;
        let is_within = (first..self.patch_offsets[patch + 1]).contains(&column);
        if column == row || is_within && column > row {
            return None;
        }
        let (slice, column) = match is_within {
            true => (&self.within(patch)[own as usize / LANES], column - first),
            false => {
                let slices = self.across(patch);
                let after = slices.partition_point(|it| it.rows[0] <= own);
                (&slices[after.checked_sub(1)?], column)
            }
        };
        let lane = slice.rows[..slice.count].iter().position(|&it| it == own)?;
        let group = slice.groups.clone().find(|&it| self.columns[it as usize][lane] == column)?;
        Some((group - self.group_offsets[patch]) * LANES as u32 + lane as u32)
    }

    /// Where `patch` stores the block of two vertices with these local indices, if the rank knows
    /// them.
    pub fn pair_slot(&self, patch: usize, [a, b]: [Option<u32>; 2]) -> PairSlot {
        let rows = self.patch_offsets[patch]..self.patch_offsets[patch + 1];
        let slot = |row: Option<u32>, column: Option<u32>| {
            self.slot(patch, row.filter(|row| rows.contains(row))?, column?)
        };
        let mirrored = || slot(b, a).map_or(NONE, |slot| 2 * slot + 1);
        PairSlot(slot(a, b).map_or_else(mirrored, |slot| 2 * slot))
    }

    /// Number of blocks of `patch`, with those that are stored as the mirror of another.
    pub fn blocks_of(&self, patch: usize) -> u64 {
        u64::from(self.blocks[patch])
    }

    /// Whether some row of `patch` has a ghost column.
    pub fn has_ghosts(&self, patch: usize) -> bool {
        self.has_ghosts[patch]
    }

    /// Whether some row has a ghost column.
    pub fn has_any_ghosts(&self) -> bool {
        self.has_ghosts.contains(&true)
    }

    /// The slices of the rows of `patch` with the blocks within.
    pub(super) fn within(&self, patch: usize) -> &[Slice] {
        let [first, end] = [0, 1].map(|next| self.within_offsets[patch + next] as usize);
        &self.within[first..end]
    }

    /// The slices with the blocks across.
    pub(super) fn across(&self, patch: usize) -> &[Slice] {
        let [first, end] = [0, 1].map(|next| self.across_offsets[patch + next] as usize);
        &self.across[first..end]
    }

    /// The columns of some groups.
    pub(super) fn columns(&self, groups: &Range<u32>) -> &[[u32; LANES]] {
        &self.columns[groups.start as usize..groups.end as usize]
    }

    /// The blocks within `patch`, row by row.
    pub(super) fn places_within(&self, patch: usize) -> impl Iterator<Item = Place> + '_ {
        self.places(self.within(patch), 0)
    }

    /// The blocks across, row by row.
    pub(super) fn places_across(&self, patch: usize) -> impl Iterator<Item = Place> + '_ {
        self.places(self.across(patch), self.patch_offsets[patch])
    }

    /// `first` is the column of the row 0.
    fn places<'a>(&'a self, slices: &'a [Slice], first: u32) -> impl Iterator<Item = Place> + 'a {
        slices.iter().flat_map(move |slice| {
            (0..slice.count).flat_map(move |lane| {
                let row = slice.rows[lane];
                let groups = slice.groups.clone().map(move |group| {
                    let column = self.columns[group as usize][lane];
                    Place { row, column, group, lane }
                });
                groups.filter(move |it| it.column != row + first)
            })
        })
    }
}

fn unknown_vertex() -> Error {
    Error::internal("system matrix", "the layout lacks a vertex that the graph couples")
}

fn too_many_blocks() -> Error {
    Error::input(
        "system matrix",
        "it has more blocks than 31 bits can number",
        "use a smaller mesh or more ranks",
    )
}

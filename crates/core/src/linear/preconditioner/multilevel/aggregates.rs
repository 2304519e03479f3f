//! Aggregates: the rigid motions of up to eight parts of each patch.

use wide::f32x4;

use crate::linear::matrix::{BlockMatrix, GRAIN};
use crate::linear::preconditioner::multilevel::Mesh;
use crate::linear::preconditioner::multilevel::group::{
    Block6, Factor, GROUP, GroupMatrix, GroupMotions, Motion, add, add_impulse, lift, of_groups,
    of_vertices, transposed,
};
use crate::linear::preconditioner::multilevel::tree::later;
use crate::linear::vectors::{LANES, Row, Triple, by_component, by_row, row};
use crate::partition::Graph;
use crate::{ByPatch, EachPatch, PatchId, Threads, Vec3};

/// Arms of the rows of a slice: x, y, z.
type Arms = [f32x4; 3];

/// The aggregates of the own patches.
pub struct Aggregates {
    patch_offsets: Vec<u32>,
    slice_offsets: Vec<u32>,
    /// Whether each patch is of cloth. Others take no part.
    is_cloth: Vec<bool>,
    /// The aggregate of each row, counted within its patch.
    of_row: Vec<u8>,
    /// The patch of each own vertex and ghost.
    patch_of_column: Vec<PatchId>,
    /// First block of each patch in `blocks`, and the number of blocks.
    block_offsets: Vec<u32>,
    /// The patch that each block couples to its own patch: first itself, then those with a higher
    /// number, rising.
    block_columns: Vec<PatchId>,
    /// Centre of each patch, m.
    pub centres: Vec<Vec3>,
    /// What couples patches.
    pub blocks: Vec<Block6>,
    /// Arm of each row from the centre of its aggregate, m.
    arms: Vec<Arms>,
    /// Arm of each aggregate from the centre of its patch, m.
    lifts: Vec<[[f32; 3]; GROUP]>,
    factors: Vec<Factor>,
}

/// The sums of a residual over parts of a patch.
#[derive(Debug, Clone, Default)]
pub struct PatchSums {
    /// Over its aggregates.
    pub parts: GroupMotions,
    /// Over the patch.
    pub whole: Motion,
}

impl Aggregates {
    /// The aggregates of the patches of `matrix`. `coupled` are the patches that couple.
    pub fn new(matrix: &BlockMatrix, mesh: &Mesh, coupled: &Graph) -> Self {
        let (patches, layout) = (&mesh.partition.patches, mesh.layout);
        let is_cloth =
            |patch: &PatchId| (patches.vertices(*patch).iter()).all(|&v| mesh.is_cloth(v));
        let is_cloth: Vec<bool> = layout.own_patches.iter().map(is_cloth).collect();
        let (mut block_offsets, mut block_columns) = (vec![0], Vec::new());
        for &patch in &layout.own_patches {
            block_columns.push(patch);
            block_columns.extend(later(coupled, patch));
            block_offsets.push(block_columns.len() as u32);
        }
        let count = layout.own_patches.len();
        let slice_offsets = matrix.slice_offsets().to_vec();
        let slices = slice_offsets.last().map_or(0, |&last| last as usize);
        let columns = layout.own.iter().chain(&layout.ghosts);
        Self {
            patch_offsets: layout.patch_offsets.clone(),
            slice_offsets,
            of_row: (layout.own_patches.iter().zip(&is_cloth))
                .flat_map(|(&patch, &is_cloth)| mesh.aggregates(patches.vertices(patch), is_cloth))
                .collect(),
            is_cloth,
            patch_of_column: columns.map(|&v| patches.of_vertex[v as usize]).collect(),
            centres: vec![Vec3::zeros(); count],
            blocks: vec![Block6::default(); block_columns.len()],
            block_offsets,
            block_columns,
            arms: vec![Arms::default(); slices],
            lifts: vec![[[0.0; 3]; GROUP]; count],
            factors: vec![Factor::new(); count],
        }
    }

    /// Number of own patches.
    pub fn len(&self) -> usize {
        self.factors.len()
    }

    /// Finds the centres and arms of all rows; `x` are the positions (m) of the vertices of the
    /// mesh. Writes the arm of each free row from the centre of its patch into `of_patches`, with 1
    /// as fourth number; that of a fixed one is zero, which stands for no motion.
    pub fn place(
        &mut self,
        threads: &Threads,
        matrix: &BlockMatrix,
        fixed: &[u32],
        x: &[Vec3],
        of_patches: &mut [Row],
    ) {
        let (offsets, of_row) = (&self.patch_offsets, &self.of_row);
        let vertices = matrix.vertices();
        let slices = (
            EachPatch(&mut self.centres),
            EachPatch(&mut self.lifts),
            ByPatch::new(&mut self.arms, &self.slice_offsets),
            ByPatch::new(of_patches, offsets),
        );
        let is_cloth = &self.is_cloth;
        threads.for_each_patch(slices, GRAIN, |patch, (centre, lifts, arms, of_patches)| {
            if !is_cloth[patch] {
                return of_patches.data.fill(Row::ZERO);
            }
            let rows = offsets[patch] as usize..offsets[patch + 1] as usize;
            let x = |row: usize| x[vertices[rows.start + row] as usize];
            let (mut sums, mut counts) = ([Vec3::zeros(); GROUP], [0.0_f64; GROUP]);
            let of_row = &of_row[rows.clone()];
            for (row, &part) in of_row.iter().enumerate() {
                sums[part as usize] += x(row);
                counts[part as usize] += 1.0;
            }
            let all = sums.iter().sum::<Vec3>() / rows.len() as f64;
            let centres: [Vec3; GROUP] =
                std::array::from_fn(|k| if counts[k] > 0.0 { sums[k] / counts[k] } else { all });
            centre.0[0] = all;
            lifts.0[0] = centres.map(|it| (it - all).map(|x| x as f32).into());
            for (slice, arms) in arms.data.iter_mut().enumerate() {
                let mut four = [Row::ZERO; LANES];
                for (lane, four) in four.iter_mut().enumerate() {
                    let at = LANES * slice + lane;
                    if let Some(&part) = of_row.get(at) {
                        *four = row(&(x(at) - centres[part as usize]));
                    }
                }
                *arms = by_component(four);
            }
            let is_fixed = |row: usize| fixed.binary_search(&((rows.start + row) as u32)).is_ok();
            for (row, arm) in of_patches.data.iter_mut().enumerate() {
                let [x, y, z]: [f64; 3] = (x(row) - all).into();
                *arm = match is_fixed(row) {
                    true => Row::ZERO,
                    false => Row::new([x as f32, y as f32, z as f32, 1.0]),
                };
            }
        });
    }

    /// Finds the factors of the patches and what couples these. `of_patches` is that of
    /// [`Self::place`], with ghosts.
    pub fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix, of_patches: &[Row]) {
        let mut factors = std::mem::take(&mut self.factors);
        let mut blocks = std::mem::take(&mut self.blocks);
        let slices = (EachPatch(&mut factors), ByPatch::new(&mut blocks, &self.block_offsets));
        threads.for_each_patch(slices, 1, |patch, (factor, blocks)| {
            blocks.data.fill(Block6::default());
            let rows = self.patch_offsets[patch] as usize..self.patch_offsets[patch + 1] as usize;
            if of_patches[rows].iter().any(is_free) {
                let mut within = self.within(patch, matrix, of_patches);
                blocks.data[0] = self.of_patch(patch, &within);
                factor.0[0].refill(&mut within);
                self.add_across(patch, matrix, of_patches, blocks.data);
            } else {
                factor.0[0] = Factor::new();
            }
        });
        (self.factors, self.blocks) = (factors, blocks);
    }

    /// The arm of a row of a patch from the centre of its aggregate.
    fn arm(&self, patch: usize, row: usize) -> Vec3 {
        let arms = &self.arms[self.slice_offsets[patch] as usize + row / LANES];
        Vec3::from_fn(|k, _| f64::from(arms[k].to_array()[row % LANES]))
    }

    /// The matrix of the motions of the aggregates of a patch.
    fn within(&self, patch: usize, matrix: &BlockMatrix, of_patches: &[Row]) -> GroupMatrix {
        let rows = self.patch_offsets[patch] as usize..self.patch_offsets[patch + 1] as usize;
        let is_free = |row: usize| is_free(&of_patches[rows.start + row]);
        let arm = |row: usize| self.arm(patch, row);
        let part = |row: usize| self.of_row[rows.start + row] as usize;
        let mut sum = GroupMatrix::new();
        for row in (0..rows.len()).filter(|&row| is_free(row)) {
            let block = matrix.diagonal_of(patch, row);
            sum.add_diagonal(part(row), &of_vertices(&block, &arm(row), &arm(row)));
        }
        for (row, column, block) in matrix.within(patch) {
            let (row, column) = (row as usize, column as usize);
            if !is_free(row) || !is_free(column) {
                continue;
            }
            let block = of_vertices(&block, &arm(row), &arm(column));
            if part(row) == part(column) {
                sum.add_diagonal(part(row), &block);
                sum.add_diagonal(part(row), &transposed(&block));
            } else {
                sum.add_pair(part(row), part(column), &block);
            }
        }
        sum
    }

    /// What couples the motion of a patch to itself; `within` couples its aggregates.
    fn of_patch(&self, patch: usize, within: &GroupMatrix) -> Block6 {
        let arms = self.lifts[patch].map(|arm| Vec3::from(arm.map(f64::from)));
        let mut sum = Block6::default();
        for a in 0..GROUP {
            add(&mut sum, &of_groups(&within.block(a, a), &arms[a], &arms[a]));
            for b in a + 1..GROUP {
                let block = of_groups(&within.block(a, b), &arms[a], &arms[b]);
                add(&mut sum, &block);
                add(&mut sum, &transposed(&block));
            }
        }
        sum
    }

    /// Adds what couples a patch to those of a higher number.
    fn add_across(
        &self,
        patch: usize,
        matrix: &BlockMatrix,
        of_patches: &[Row],
        blocks: &mut [Block6],
    ) {
        let first = self.patch_offsets[patch] as usize;
        let range = self.block_offsets[patch] as usize..self.block_offsets[patch + 1] as usize;
        let [own, others @ ..] = &self.block_columns[range] else { return };
        for (row, column, block) in matrix.across(patch) {
            let other = self.patch_of_column[column as usize];
            let arms = [of_patches[first + row as usize], of_patches[column as usize]];
            let are_free = arms.iter().all(is_free);
            if other > *own
                && are_free
                && let Ok(place) = others.binary_search(&other)
            {
                let [a, b] = arms.map(|arm| arm.wide());
                add(&mut blocks[place + 1], &of_vertices(&block, &a, &b));
            }
        }
    }

    /// Sums the residual `r` over the aggregates of a patch, and over the patch.
    pub fn sum(&self, patch: usize, r: &[Row]) -> PatchSums {
        if !self.is_cloth[patch] {
            return PatchSums::default();
        }
        let (of_row, arms) = self.rows(patch);
        let mut sums = [[Row::ZERO; 2]; GROUP];
        for ((four, parts), arms) in r.chunks(LANES).zip(of_row.chunks(LANES)).zip(arms) {
            let mut rows = [Row::ZERO; LANES];
            rows[..four.len()].copy_from_slice(four);
            let moments = by_row(cross(arms, &by_component(rows)));
            for ((part, row), moment) in parts.iter().zip(rows).zip(moments) {
                let sum = &mut sums[usize::from(*part) % GROUP];
                sum[0] += row;
                sum[1] += moment;
            }
        }
        let parts = sums.map(|[impulse, moment]| {
            let ([x, y, z, _], [p, q, r, _]) = (impulse.to_array(), moment.to_array());
            [x, y, z, p, q, r]
        });
        let mut whole = Motion::default();
        for (motion, arm) in parts.iter().zip(&self.lifts[patch]) {
            add_impulse(&mut whole, motion, arm);
        }
        PatchSums { parts, whole }
    }

    /// Adds to `u` the motions of the aggregates that their `sums` cause, and that of the patch.
    pub fn add_motions(&self, patch: usize, sums: &GroupMotions, whole: &Motion, u: &mut [Row]) {
        if !self.is_cloth[patch] {
            return;
        }
        let mut motions = [[Row::ZERO; 2]; GROUP];
        let own = self.factors[patch].solve(sums);
        for ((motion, own), arm) in motions.iter_mut().zip(own).zip(&self.lifts[patch]) {
            let with = lift(whole, arm);
            let [x, y, z, p, q, r] = std::array::from_fn(|k| own[k] + with[k]);
            *motion = [Row::new([x, y, z, 0.0]), Row::new([p, q, r, 0.0])];
        }
        let (of_row, arms) = self.rows(patch);
        for ((four, parts), arms) in u.chunks_mut(LANES).zip(of_row.chunks(LANES)).zip(arms) {
            let mut of_parts = [[Row::ZERO; LANES]; 2];
            for (lane, part) in parts.iter().enumerate() {
                let [velocity, spin] = motions[usize::from(*part) % GROUP];
                (of_parts[0][lane], of_parts[1][lane]) = (velocity, spin);
            }
            let turned = by_row(cross(&by_component(of_parts[1]), arms));
            for ((u, velocity), turned) in four.iter_mut().zip(of_parts[0]).zip(turned) {
                *u += velocity + turned;
            }
        }
    }

    /// The aggregates and the arms of the rows of a patch.
    fn rows(&self, patch: usize) -> (&[u8], &[Arms]) {
        let of = |offsets: &[u32]| offsets[patch] as usize..offsets[patch + 1] as usize;
        (&self.of_row[of(&self.patch_offsets)], &self.arms[of(&self.slice_offsets)])
    }
}

/// Whether a row with this arm can move: its fourth number is 1 then.
fn is_free(arm: &Row) -> bool {
    arm.to_array()[3] > 0.0
}

#[inline(always)]
fn cross(a: &[f32x4; 3], b: &[f32x4; 3]) -> [f32x4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

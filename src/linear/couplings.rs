//! Terms of the matrix outside its fixed structure, of one solve alone.
//!
//! A spring between two points, each a weighted sum of the vertices of its side,
//! adds `(w w^T) (x) C` to the matrix. Its blocks within a side stand in the
//! [`super::BlockCsr`], where the preconditioner sees them. Those across the sides
//! are kept as factors and applied without a matrix,
//! ```text
//! (A u)_a += w_a C sum_b w_b u_b      a in one side, b in the other
//! ```
//! after the row's blocks, in the order of the couplings: two products with `C`
//! in place of six or eight blocks, and a quarter of their memory.

use std::ops::Range;

use crate::ids::NONE;
use crate::linear::symmetric3::Symmetric3;
use crate::math::{Mat3, Vec3};
use crate::partition::PatchIndex;

/// What one spring adds across its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling {
    stiffness: Symmetric3,
    weights: [f64; 4],
    /// Local indices; [`NONE`] for what has no value in the multiplied vector.
    columns: [u32; 4],
    first_side: u32,
}

impl Coupling {
    /// The spring of the symmetric `stiffness` between the weighted sums of the first
    /// `first_side` of `columns` and of the others. Columns are local indices of own
    /// vertices, ghosts and step ghosts; [`NONE`] takes no part.
    pub fn new(stiffness: &Mat3, weights: [f64; 4], columns: [u32; 4], first_side: usize) -> Self {
        let stiffness = Symmetric3::of(stiffness);
        Self { stiffness, weights, columns, first_side: first_side as u32 }
    }

    /// Whether it couples anything: both sides take part.
    pub fn is_any(&self) -> bool {
        let (first, second) = self.columns.split_at(self.first_side as usize);
        [first, second].iter().all(|side| side.iter().any(|&column| column != NONE))
    }

    /// Its places on one side; [`NONE`] on the other.
    fn rows(&self, side: usize) -> [u32; 4] {
        let here = self.sides()[side].clone();
        std::array::from_fn(|a| if here.contains(&a) { self.columns[a] } else { NONE })
    }

    fn sides(&self) -> [Range<usize>; 2] {
        let middle = self.first_side as usize;
        [0..middle, middle..4]
    }

    /// Adds its part of `A u` to those rows of one side that stand in `w`, whose
    /// first is `first_row`.
    fn multiply_add(&self, side: usize, first_row: u32, u: &[Vec3], w: &mut [Vec3]) {
        let [mut rows, mut others] = self.sides();
        if side == 1 {
            std::mem::swap(&mut rows, &mut others);
        }
        let mut point = Vec3::zeros();
        for (&column, &weight) in self.columns[others.clone()].iter().zip(&self.weights[others]) {
            if let Some(u) = u.get(column as usize) {
                point += u * weight;
            }
        }
        let pull = self.stiffness.times(&point);
        for (&row, &weight) in self.columns[rows.clone()].iter().zip(&self.weights[rows]) {
            if let Some(w) = w.get_mut(row.wrapping_sub(first_row) as usize) {
                *w += pull * weight;
            }
        }
    }
}

/// One rank's couplings: those that have an own row. The default has none.
#[derive(Debug, Clone, Default)]
pub struct Couplings {
    list: Vec<Coupling>,
    /// Side `item % 2` of coupling `item / 2`, for each own patch with a row in it.
    of_patch: PatchIndex,
    /// First row of each patch.
    patch_offsets: Vec<u32>,
    /// Which patches need a ghost for them.
    needs_ghosts: Vec<bool>,
    step_ghosts: usize,
}

impl Couplings {
    /// No couplings of patches whose rows begin at `patch_offsets`.
    pub fn new(patch_offsets: &[u32]) -> Self {
        Self {
            of_patch: PatchIndex::new(patch_offsets),
            patch_offsets: patch_offsets.to_vec(),
            needs_ghosts: vec![false; patch_offsets.len() - 1],
            ..Self::default()
        }
    }

    /// Replaces all couplings. The vector that they multiply ends in `step_ghosts`
    /// values beyond the ghosts of the matrix. Allocates nothing unless there are
    /// more than ever.
    pub fn refill(&mut self, couplings: impl Iterator<Item = Coupling>, step_ghosts: usize) {
        self.list.clear();
        self.list.extend(couplings.filter(Coupling::is_any));
        let list = &self.list;
        self.of_patch.fill((0..2 * list.len()).map(|item| list[item / 2].rows(item % 2)));
        self.step_ghosts = step_ghosts;
        let own = self.patch_offsets.last().copied().unwrap_or(0);
        for (patch, needs) in self.needs_ghosts.iter_mut().enumerate() {
            let items = self.of_patch.of(patch).iter().map(|&item| item as usize);
            let mut columns = items.flat_map(|item| list[item / 2].rows(1 - item % 2));
            *needs = columns.any(|column| column != NONE && column >= own);
        }
    }

    /// Number of couplings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Values of the multiplied vector beyond the ghosts of the matrix.
    pub fn step_ghosts(&self) -> usize {
        self.step_ghosts
    }

    /// Their blocks: own row, local column, value. Several may have the same place.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, u32, Mat3)> + '_ {
        let own = self.patch_offsets.last().copied().unwrap_or(0);
        self.list.iter().flat_map(move |coupling| {
            let Coupling { stiffness, weights, columns, first_side } = *coupling;
            let matrix = stiffness.matrix();
            let across = move |a: u32, b: u32| (a < first_side) != (b < first_side);
            let places = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            let places = places.filter(move |&(a, b)| across(a, b));
            places.filter_map(move |(a, b)| {
                let (a, b) = (a as usize, b as usize);
                let here = columns[a] < own && columns[b] != NONE;
                here.then(|| (columns[a], columns[b], matrix * (weights[a] * weights[b])))
            })
        })
    }

    /// Whether a coupling of `patch` needs a ghost of either kind.
    pub(super) fn needs_ghosts(&self, patch: usize) -> bool {
        self.needs_ghosts.get(patch).copied().unwrap_or(false)
    }

    /// Whether a coupling of any patch does.
    pub(super) fn needs_any_ghosts(&self) -> bool {
        self.needs_ghosts.contains(&true)
    }

    /// Adds what couplings add to `w = A u` in the rows of `patch`, `w` being its piece.
    pub(super) fn multiply_add(&self, patch: usize, u: &[Vec3], w: &mut [Vec3]) {
        if self.is_empty() {
            return;
        }
        for &item in self.of_patch.of(patch) {
            let (coupling, side) = (item as usize / 2, item as usize % 2);
            self.list[coupling].multiply_add(side, self.patch_offsets[patch], u, w);
        }
    }
}

//! Terms of the matrix outside its fixed structure, for one solve.
//!
//! A spring of stiffness `C` between two points adds `J_i^T C J_j` to the matrix for every two of
//! its nodes. Blocks within a side are stored in the [`super::BlockMatrix`], where the
//! preconditioner sees them. Blocks across the sides are kept as factors and applied without a
//! matrix,
//! ```text
//! (A u)_i += J_i^T C sum_j J_j u_j      i in one side, j in the other
//! ```
//! after the row's blocks and in the order of the couplings. This takes two products with `C`
//! instead of six or eight blocks, and a quarter of their memory.

use std::ops::Range;

use crate::linear::jacobian::Jacobian;
use crate::linear::symmetric3::Symmetric3;
use crate::linear::vectors::Triple;
use crate::partition::PatchIndex;
use crate::{Mat3, NONE, Vec3};

/// Most nodes of a spring: two of a body and three vertices of cloth.
pub const MAX_TERMS: usize = 5;

/// The terms that one spring adds across its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling<'a> {
    /// `h^2 C`, kg, symmetric.
    pub stiffness: Mat3,
    /// Column and Jacobian of each node: those of the first side, then those of the second.
    /// Columns are local indices of own nodes, ghosts and step ghosts. A node with the column
    /// [`NONE`] takes no part.
    pub terms: &'a [(u32, Jacobian)],
    /// Number of terms of the first side.
    pub first_side: usize,
}

/// The stored form of a coupling.
#[derive(Debug, Clone, Copy)]
struct KeptCoupling {
    stiffness: Symmetric3,
    begin: u32,
    middle: u32,
    end: u32,
}

impl KeptCoupling {
    /// The terms of one side.
    fn side(&self, side: usize) -> Range<usize> {
        let [from, to] =
            if side == 0 { [self.begin, self.middle] } else { [self.middle, self.end] };
        from as usize..to as usize
    }
}

/// A node of a coupling. Most nodes have a weight; the arms of the others are stored apart.
#[derive(Debug, Clone, Copy)]
struct KeptTerm {
    weight: f64,
    column: u32,
    /// Number of its arm; [`NONE`] if it has a weight.
    arm: u32,
}

/// One rank's couplings: all couplings with an own row. The default has none.
#[derive(Debug, Clone, Default)]
pub struct Couplings {
    list: Vec<KeptCoupling>,
    terms: Vec<KeptTerm>,
    arms: Vec<Vec3>,
    /// The items of each own patch. Item `i` is side `i % 2` of coupling `i / 2`; it belongs to
    /// the patches that have a row in that side.
    of_patch: PatchIndex,
    /// First row of each patch.
    patch_offsets: Vec<u32>,
    /// Whether each patch needs a ghost for its couplings.
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

    /// Removes all couplings. The next couplings multiply a vector that has `step_ghosts` values
    /// after the ghosts of the matrix.
    pub fn clear(&mut self, step_ghosts: usize) {
        self.list.clear();
        self.terms.clear();
        self.arms.clear();
        self.step_ghosts = step_ghosts;
    }

    /// Adds a coupling, unless no node of one side takes part.
    pub fn add(&mut self, coupling: &Coupling) {
        let (first, second) = coupling.terms.split_at(coupling.first_side);
        let takes_part = |side: &[(u32, Jacobian)]| side.iter().any(|&(column, _)| column != NONE);
        if !takes_part(first) || !takes_part(second) {
            return;
        }
        let begin = self.terms.len() as u32;
        first.iter().for_each(|term| self.add_term(term));
        let middle = self.terms.len() as u32;
        second.iter().for_each(|term| self.add_term(term));
        let end = self.terms.len() as u32;
        let stiffness = Symmetric3::of(&coupling.stiffness);
        self.list.push(KeptCoupling { stiffness, begin, middle, end });
    }

    fn add_term(&mut self, &(column, jacobian): &(u32, Jacobian)) {
        if column == NONE {
            return;
        }
        self.terms.push(match jacobian {
            Jacobian::Weight(weight) => KeptTerm { weight, column, arm: NONE },
            Jacobian::Arm(arm) => {
                self.arms.push(arm);
                KeptTerm { weight: 0.0, column, arm: self.arms.len() as u32 - 1 }
            }
        });
    }

    /// Assigns the couplings to the patches. After: they can be multiplied. Allocates only if
    /// there are more than ever before.
    pub fn finish(&mut self) {
        let (list, terms) = (&self.list, &self.terms);
        let rows = |item: usize, side: usize| {
            let mut rows = [NONE; MAX_TERMS];
            let terms = &terms[list[item].side(side)];
            rows.iter_mut().zip(terms).for_each(|(row, term)| *row = term.column);
            rows
        };
        self.of_patch.fill((0..2 * list.len()).map(|item| rows(item / 2, item % 2)));
        let own = self.patch_offsets.last().copied().unwrap_or(0);
        for (patch, needs) in self.needs_ghosts.iter_mut().enumerate() {
            let items = self.of_patch.of(patch).iter().map(|&item| item as usize);
            let mut columns = items.flat_map(|item| rows(item / 2, 1 - item % 2));
            *needs = columns.any(|column| column != NONE && column >= own);
        }
    }

    /// Number of couplings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Number of sides of couplings that `patch` multiplies.
    pub fn sides_of(&self, patch: usize) -> usize {
        if self.is_empty() { 0 } else { self.of_patch.of(patch).len() }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of values of the multiplied vector after the ghosts of the matrix.
    pub fn step_ghosts(&self) -> usize {
        self.step_ghosts
    }

    /// The blocks: own row, local column, value. Several may have the same row and column.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, u32, Mat3)> + '_ {
        let own = self.patch_offsets.last().copied().unwrap_or(0);
        let sides = self.list.iter().flat_map(|kept| [(kept, 0), (kept, 1)]);
        sides.flat_map(move |(kept, side)| {
            let matrix = kept.stiffness.matrix();
            let rows = self.terms[kept.side(side)].iter().filter(move |row| row.column < own);
            rows.flat_map(move |row| {
                let columns = self.terms[kept.side(1 - side)].iter();
                columns.map(move |column| {
                    let block = self.jacobian(row).block(&matrix, &self.jacobian(column), 1.0);
                    (row.column, column.column, block)
                })
            })
        })
    }

    /// Whether a coupling of `patch` needs a ghost of either kind.
    pub(super) fn needs_ghosts(&self, patch: usize) -> bool {
        self.needs_ghosts.get(patch).copied().unwrap_or(false)
    }

    /// Whether a coupling of any patch needs a ghost.
    pub(super) fn needs_any_ghosts(&self) -> bool {
        self.needs_ghosts.contains(&true)
    }

    /// Adds the couplings' part of `A u` to `w`, the rows of `patch`.
    pub(super) fn multiply_add<T: Triple>(&self, patch: usize, u: &[T], w: &mut [T]) {
        if self.is_empty() {
            return;
        }
        let first_row = self.patch_offsets[patch];
        for &item in self.of_patch.of(patch) {
            let (kept, side) = (&self.list[item as usize / 2], item as usize % 2);
            let mut point = Vec3::zeros();
            for term in &self.terms[kept.side(1 - side)] {
                point += self.jacobian(term).times(&u[term.column as usize].wide());
            }
            let pull = kept.stiffness.times(&point);
            for term in &self.terms[kept.side(side)] {
                if let Some(w) = w.get_mut(term.column.wrapping_sub(first_row) as usize) {
                    w.add(&self.jacobian(term).transpose_times(&pull, 1.0));
                }
            }
        }
    }

    #[inline]
    fn jacobian(&self, term: &KeptTerm) -> Jacobian {
        match self.arms.get(term.arm as usize) {
            Some(arm) => Jacobian::Arm(*arm),
            None => Jacobian::Weight(term.weight),
        }
    }
}

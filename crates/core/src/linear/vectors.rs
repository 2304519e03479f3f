//! Vectors of conjugate gradients: the rows of one patch.

use std::ops::Range;

use bytemuck::Pod;
use wide::f32x4;

use crate::Vec3;

/// Rows side by side: the numbers of a 128-bit register.
pub const LANES: usize = 4;

/// A row of a vector in single precision: x, y, z, and zero.
pub type Row = f32x4;

/// Rows whose products are summed in single precision, before the sums are.
const ROWS_OF_A_SUM: usize = 64;

/// A row of either precision.
pub(super) trait Triple: Pod + Default + Send + Sync {
    /// In double precision.
    fn wide(&self) -> Vec3;
    /// Adds `other`, rounded.
    fn add(&mut self, other: &Vec3);
}

impl Triple for Vec3 {
    fn wide(&self) -> Vec3 {
        *self
    }

    fn add(&mut self, other: &Vec3) {
        *self += other;
    }
}

impl Triple for Row {
    fn wide(&self) -> Vec3 {
        let [x, y, z, _] = self.to_array();
        Vec3::new(f64::from(x), f64::from(y), f64::from(z))
    }

    fn add(&mut self, other: &Vec3) {
        *self += row(other);
    }
}

/// `v`, rounded.
pub fn row(v: &Vec3) -> Row {
    Row::new([v.x as f32, v.y as f32, v.z as f32, 0.0])
}

/// The components of four rows.
#[inline(always)]
pub(super) fn by_component(rows: [Row; LANES]) -> [f32x4; 3] {
    let [x, y, z, _] = f32x4::transpose(rows);
    [x, y, z]
}

/// The inverse of [`by_component`].
#[inline(always)]
pub(super) fn by_row([x, y, z]: [f32x4; 3]) -> [Row; LANES] {
    f32x4::transpose([x, y, z, f32x4::ZERO])
}

/// `direction = towards + beta direction`, then `point += alpha direction`.
pub(super) fn advance(
    direction: &mut [Row],
    towards: &[Row],
    point: &mut [Row],
    beta: f32,
    alpha: f32,
) {
    let (beta, alpha) = (f32x4::splat(beta), f32x4::splat(alpha));
    for ((d, t), x) in direction.iter_mut().zip(towards).zip(point) {
        *d = *t + beta * *d;
        *x += alpha * *d;
    }
}

/// Inner product. The order of the additions depends on the length alone.
pub(super) fn dot(a: &[Row], b: &[Row]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.chunks(ROWS_OF_A_SUM).zip(b.chunks(ROWS_OF_A_SUM)) {
        let (mut even, mut odd) = (f32x4::ZERO, f32x4::ZERO);
        let ((a, a_last), (b, b_last)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
        for (a, b) in a.iter().zip(b) {
            even += a[0] * b[0];
            odd += a[1] * b[1];
        }
        for (a, b) in a_last.iter().zip(b_last) {
            even += *a * *b;
        }
        let [x, y, z, _] = (even + odd).to_array();
        sum += f64::from(x) + f64::from(y) + f64::from(z);
    }
    sum
}

/// The rows of `patch`.
pub(super) fn rows_of(patch_offsets: &[u32], patch: usize) -> Range<usize> {
    patch_offsets[patch] as usize..patch_offsets[patch + 1] as usize
}

/// The part of the rising list `fixed` that lies in `rows`.
pub(super) fn fixed_in<'a>(fixed: &'a [u32], rows: &Range<usize>) -> &'a [u32] {
    let below = |end: usize| fixed.partition_point(|&row| (row as usize) < end);
    // Bodies come after cloth, which has the pins: they are found without a search.
    let after = fixed.last().map_or(0, |&last| last as usize + 1);
    if after <= rows.start {
        return &[];
    }
    // All rows of skin come last, and most are fixed. They too need no search.
    let place = fixed.len().checked_sub(after.saturating_sub(rows.start));
    let all = place.and_then(|place| fixed.get(place..place + rows.len()));
    let is_whole = |all: &&[u32]| match (all.first(), all.last()) {
        (Some(&first), Some(&last)) => {
            first as usize == rows.start && last as usize + 1 == rows.end
        }
        _ => false,
    };
    all.filter(is_whole).unwrap_or_else(|| &fixed[below(rows.start)..below(rows.end)])
}

/// Sets the fixed vertices of a patch to zero; `values` are those of its `rows`.
pub(super) fn project<T: Default>(fixed: &[u32], rows: &Range<usize>, values: &mut [T]) {
    for &row in fixed {
        values[row as usize - rows.start] = T::default();
    }
}

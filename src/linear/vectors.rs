//! The vector operations of conjugate gradients on the rows of one patch.

use std::ops::Range;

use crate::math::Vec3;

/// `direction = towards + beta direction`, then `point += alpha direction`.
pub(super) fn advance(
    direction: &mut [Vec3],
    towards: &[Vec3],
    point: &mut [Vec3],
    beta: f64,
    alpha: f64,
) {
    let directions = scalars_mut(direction);
    for ((d, t), x) in directions.iter_mut().zip(scalars(towards)).zip(scalars_mut(point)) {
        *d = t + beta * *d;
        *x += alpha * *d;
    }
}

/// Inner product in eight interleaved partial sums. The order of the additions
/// depends on the length alone.
pub(super) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    const LANES: usize = 8;
    let (a, a_rest) = scalars(a).as_chunks::<LANES>();
    let (b, b_rest) = scalars(b).as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    sums.iter().sum()
}

fn scalars(vectors: &[Vec3]) -> &[f64] {
    bytemuck::cast_slice(vectors)
}

fn scalars_mut(vectors: &mut [Vec3]) -> &mut [f64] {
    bytemuck::cast_slice_mut(vectors)
}

/// The rows of `patch`.
pub(super) fn rows_of(patch_offsets: &[u32], patch: usize) -> Range<usize> {
    patch_offsets[patch] as usize..patch_offsets[patch + 1] as usize
}

/// The part of the rising list `fixed` that lies in `rows`.
pub(super) fn fixed_in<'a>(fixed: &'a [u32], rows: &Range<usize>) -> &'a [u32] {
    let below = |end: usize| fixed.partition_point(|&row| (row as usize) < end);
    &fixed[below(rows.start)..below(rows.end)]
}

/// Sets the fixed vertices of a patch to zero; `values` are those of its `rows`.
pub(super) fn project(fixed: &[u32], rows: &Range<usize>, values: &mut [Vec3]) {
    for &row in fixed {
        values[row as usize - rows.start] = Vec3::zeros();
    }
}

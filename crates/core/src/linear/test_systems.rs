//! Small systems for the tests of this module.

use std::slice;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::linear::matrix::BlockMatrix;
use crate::partition::{Graph, Layout, Partition, Patches};
use crate::{Mat3, Vec3};

/// A number in -1..1, the same for the same `key`.
pub(super) fn noise(key: u64) -> f64 {
    let mut z = key.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ z >> 31) as i64 as f64 / 2f64.powi(63)
}

pub(super) fn noise3(key: u64) -> Vec3 {
    Vec3::from_fn(|i, _| noise(4 * key + i as u64))
}

/// The graph of an `nx` x `ny` grid with both diagonals, and its partition.
pub(super) fn grid(nx: u32, ny: u32, per_patch: usize, ranks: usize) -> (Graph, Partition) {
    let at = |x: u32, y: u32| y * nx + x;
    let cells = (0..ny - 1).flat_map(|y| (0..nx - 1).map(move |x| (x, y)));
    let cells: Vec<[u32; 4]> =
        cells.map(|(x, y)| [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)]).collect();
    let graph = Graph::from_cliques((nx * ny) as usize, cells.iter().map(|cell| &cell[..]));
    let patches =
        Arc::new(Patches::new(&graph, slice::from_ref(&(0..nx * ny)), per_patch).unwrap());
    let partition = Partition::new(&graph, patches, ranks).unwrap();
    (graph, partition)
}

/// The positions of the vertices of a crumpled [`grid`], m.
pub(super) fn positions(nx: u32, ny: u32) -> Vec<Vec3> {
    let at = |v: u32| Vec3::new(f64::from(v % nx), 0.5 * noise(u64::from(v)), f64::from(v / nx));
    (0..nx * ny).map(at).collect()
}

/// Springs of random stiffness and direction between neighbours, and a mass
/// at each vertex: symmetric positive definite, the same for all layouts.
pub(super) fn springs(layout: &Layout, graph: &Graph, mass: f64) -> BlockMatrix {
    let spring = |v: u32, w: u32| {
        let direction = noise3(u64::from(v.min(w)) << 32 | u64::from(v.max(w)));
        direction * direction.transpose() + Mat3::identity() * 0.1
    };
    let block = |v: u32, w: u32| match v == w {
        true => {
            let springs = graph.neighbours(v).iter().map(|&w| spring(v, w));
            springs.fold(Mat3::identity() * mass, |sum, it| sum + it)
        }
        false => -spring(v, w),
    };
    BlockMatrix::of_blocks(layout, graph, block).unwrap()
}

/// All entries of a matrix in the mesh's own numbering.
pub(super) fn dense(matrix: &BlockMatrix) -> DMatrix<f64> {
    let entries = matrix.to_triplets();
    let mut dense = DMatrix::zeros(entries.rows(), entries.cols());
    entries.triplet_iter().for_each(|(&value, place)| dense[place] = value);
    dense
}

//! Spring systems on a square grid, for tests and benchmarks of solvers.

use cloth_core::linear::BlockMatrix;
use cloth_sim::math::Mat3;
use cloth_sim::partition::{Graph, Layout};

/// The vertices around each cell of a grid, counter-clockwise. The grid has `side` x `side`
/// vertices, numbered row by row.
pub fn cells(side: u32) -> impl Iterator<Item = [u32; 4]> {
    let corners = (0..side - 1).flat_map(move |y| (0..side - 1).map(move |x| y * side + x));
    corners.map(move |at| [at, at + 1, at + 1 + side, at + side])
}

/// Springs between neighbours and a `mass` at each vertex. `spring` is the stiffness between two
/// vertices, the same in either order. The rows of all ranks agree.
pub fn springs(
    layout: &Layout,
    graph: &Graph,
    mass: f64,
    spring: impl Fn(u32, u32) -> Mat3,
) -> BlockMatrix {
    let block = |v: u32, w: u32| match v == w {
        true => {
            let springs = graph.neighbours(v).iter().map(|&w| spring(v, w));
            springs.fold(Mat3::identity() * mass, |sum, it| sum + it)
        }
        false => -spring(v, w),
    };
    BlockMatrix::of_blocks(layout, graph, block).expect("the layout is of the graph")
}

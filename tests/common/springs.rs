//! Spring systems on a square grid, for tests and benchmarks of solvers.

use cloth_sim::linear::BlockCsr;
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
) -> BlockCsr {
    let mut matrix = BlockCsr::new(layout, graph).expect("the layout is of the graph");
    for (row, &v) in layout.own.iter().enumerate() {
        let mut diagonal = Mat3::identity() * mass;
        for &w in graph.neighbours(v) {
            let stiffness = spring(v, w);
            diagonal += stiffness;
            let at = matrix.position(row, w).expect("neighbours couple");
            matrix.values_mut()[at] = -stiffness;
        }
        let at = matrix.diagonal(row);
        matrix.values_mut()[at] = diagonal;
    }
    matrix
}

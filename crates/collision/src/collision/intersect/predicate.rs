//! An exact test whether an edge meets a face.
//!
//! Signs of volumes and areas come from Shewchuk's adaptive predicates (1997, "Adaptive
//! Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates"). The answer is
//! exact for the given points and has no tolerance. Only numbers below about 1e-60 m could
//! underflow in the predicates.
//!
//! Edge and face are closed sets: if they touch, they meet. Each may be degenerate.

use robust::{Coord, Coord3D};

use cloth_core::Vec3;

/// True if the edge and the face (corners; finite, m) have a point in common.
pub fn edge_meets_face(edge: [Vec3; 2], face: [Vec3; 3]) -> bool {
    if !boxes_overlap(&edge, &face) {
        return false;
    }
    let [p, q] = edge;
    let [a, b, c] = face;
    let above = [orient(a, b, c, p), orient(a, b, c, q)];
    if same_side(above[0], above[1]) {
        return false;
    }
    // The line of the edge against the lines of the face's edges.
    let around = [orient(p, q, a, b), orient(p, q, b, c), orient(p, q, c, a)];
    if above == [0.0; 2] {
        // A face without area may still be skew to the edge.
        return around == [0.0; 3] && coplanar_meet(edge, face);
    }
    around.iter().all(|&volume| volume >= 0.0) || around.iter().all(|&volume| volume <= 0.0)
}

/// Whether an edge meets a face, for five points of one plane. A projection that maps the plane one
/// to one gives the answer in space. Points that lie on one line in all three projections lie on
/// one line in space; there the boxes decide.
fn coplanar_meet(edge: [Vec3; 2], face: [Vec3; 3]) -> bool {
    let all = [edge[0], edge[1], face[0], face[1], face[2]];
    let triples = || (2..5).flat_map(|k| (1..k).flat_map(move |j| (0..j).map(move |i| [i, j, k])));
    let spreads = |axis: &usize| triples().any(|triple| area(*axis, triple.map(|i| all[i])) != 0.0);
    match (0..3).find(spreads) {
        Some(axis) => meet_in_plane(axis, edge, face),
        None => boxes_overlap(&edge, &face),
    }
}

/// Whether an edge meets a face in the projection along `axis`.
fn meet_in_plane(axis: usize, edge: [Vec3; 2], face: [Vec3; 3]) -> bool {
    let [a, b, c] = face;
    let sides = [[a, b], [b, c], [c, a]];
    let around = sides.map(|[from, to]| area(axis, [from, to, edge[0]]));
    // A face without area is the union of its sides.
    let inside = area(axis, face) != 0.0
        && (around.iter().all(|&area| area >= 0.0) || around.iter().all(|&area| area <= 0.0));
    inside || sides.iter().any(|side| segments_meet(axis, edge, *side))
}

fn segments_meet(axis: usize, [p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> bool {
    !same_side(area(axis, [p, q, a]), area(axis, [p, q, b]))
        && !same_side(area(axis, [a, b, p]), area(axis, [a, b, q]))
        // This decides for segments of one line.
        && boxes_overlap(&[p, q], &[a, b])
}

fn same_side(first: f64, second: f64) -> bool {
    (first > 0.0 && second > 0.0) || (first < 0.0 && second < 0.0)
}

/// True if the axis-aligned, closed boxes around both sets of points overlap.
fn boxes_overlap(first: &[Vec3], second: &[Vec3]) -> bool {
    let bounds = |points: &[Vec3]| {
        points[1..].iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)))
    };
    let ((low1, high1), (low2, high2)) = (bounds(first), bounds(second));
    (0..3).all(|axis| low1[axis] <= high2[axis] && low2[axis] <= high1[axis])
}

/// Sign of the volume of a tetrahedron; 0 exactly if it is flat.
fn orient(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|v| Coord3D { x: v.x, y: v.y, z: v.z });
    robust::orient3d(a, b, c, d)
}

/// Sign of the area of a triangle projected along `axis`; 0 exactly if it has no area.
fn area(axis: usize, triangle: [Vec3; 3]) -> f64 {
    let flat = |v: Vec3| Coord { x: v[(axis + 1) % 3], y: v[(axis + 2) % 3] };
    let [a, b, c] = triangle.map(flat);
    robust::orient2d(a, b, c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Integer points on a small grid make every degenerate case common.
    fn grid() -> impl Strategy<Value = [i64; 3]> {
        [-2_i64..3, -2_i64..3, -2_i64..3]
    }

    /// The exact answer, in integers. Edge and face meet if the system
    /// `p + t (q - p) = a + u (b - a) + v (c - a)`, with t and u + v at most 1 (slacks s and w),
    /// has a solution in numbers >= 0. If it has one, it has a basic one, and there are few
    /// bases.
    fn truth([p, q]: [[i64; 3]; 2], [a, b, c]: [[i64; 3]; 3]) -> bool {
        let row = |i| ([p[i] - q[i], b[i] - a[i], c[i] - a[i], 0, 0], p[i] - a[i]);
        let rows = [row(0), row(1), row(2), ([1, 0, 0, 1, 0], 1), ([0, 1, 1, 0, 1], 1)];
        (0..32).any(|basis| basic_solution(&rows, basis))
    }

    /// True if the columns in `basis` are independent and solve the system alone, with
    /// unknowns >= 0. By fraction-free Gauss-Jordan elimination.
    fn basic_solution(rows: &[([i64; 5], i64)], basis: u32) -> bool {
        let chosen: Vec<usize> = (0..5).filter(|i| basis >> i & 1 == 1).collect();
        let row = |(row, right): &([i64; 5], i64)| -> Vec<i128> {
            chosen.iter().map(|&i| row[i].into()).chain([i128::from(*right)]).collect()
        };
        let mut m: Vec<Vec<i128>> = rows.iter().map(row).collect();
        for column in 0..chosen.len() {
            let Some(pivot) = (column..5).find(|&row| m[row][column] != 0) else { return false };
            m.swap(column, pivot);
            let pivot = m[column].clone();
            for row in (0..5).filter(|&row| row != column) {
                let factor = m[row][column];
                for (entry, above) in m[row].iter_mut().zip(&pivot) {
                    *entry = *entry * pivot[column] - above * factor;
                }
            }
        }
        let n = chosen.len();
        (0..n).all(|row| m[row][n] * m[row][row].signum() >= 0) && (n..5).all(|row| m[row][n] == 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn agrees_with_a_search_in_integers(
            edge in [grid(), grid()], face in [grid(), grid(), grid()], flat: bool,
        ) {
            let press = |p: [i64; 3]| if flat { [p[0], p[1], p[0] - p[1]] } else { p };
            // Exact in f64, far from the origin.
            let place = |p: [i64; 3]| Vec3::from(press(p).map(|c| c as f64 * 0.125 + 1e9));
            let found = edge_meets_face(edge.map(place), face.map(place));
            prop_assert_eq!(found, truth(edge.map(press), face.map(press)));
        }
    }

    #[test]
    fn one_unit_in_the_last_place_decides() {
        let face = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let edge = |z: f64| [Vec3::new(0.3, 0.3, z), Vec3::new(0.3, 0.3, 1.0)];
        assert!(edge_meets_face(edge(0.0), face));
        assert!(edge_meets_face(edge(-f64::MIN_POSITIVE), face));
        assert!(!edge_meets_face(edge(f64::EPSILON * f64::EPSILON), face));
        // In the face's plane, with an end on its slanted side.
        let touching = |x: f64| [Vec3::new(x, 0.75, 0.0), Vec3::new(1.0, 1.0, 0.0)];
        assert!(edge_meets_face(touching(0.25), face));
        assert!(!edge_meets_face(touching(0.25_f64.next_up()), face));
    }
}

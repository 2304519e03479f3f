//! Fields of the vertices of cloth that follow from positions.

use std::ops::Range;

use cloth_core::math::Vec3;

use crate::engine::{Field, FieldKind};

/// The name of the field of velocities, m/s.
pub const VELOCITY: &str = "velocity";
/// The name of the field of strains.
pub const STRAIN: &str = "strain";

/// The field `name` with a number for each vertex.
pub fn scalars(name: &str, values: Vec<f64>) -> Field {
    Field { name: name.to_owned(), kind: FieldKind::Scalar, values }
}

/// The field of the [`strains`] of cloth. Vertices are at `x` (m), and `edges` have `rest_lengths`
/// (m).
pub fn strain(edges: &[[u32; 2]], rest_lengths: &[f64], x: &[Vec3]) -> Field {
    scalars(STRAIN, strains(edges.iter().copied().zip(rest_lengths), x))
}

/// The strain (length over rest length, minus 1) at each vertex: that of its edge with the largest
/// absolute value. Vertices are at `x` (m), and edges have their rest lengths (m). A strain that is
/// not finite does not count.
pub fn strains<'r>(edges: impl Iterator<Item = ([u32; 2], &'r f64)>, x: &[Vec3]) -> Vec<f64> {
    let mut strains = vec![0.0_f64; x.len()];
    for (edge, rest) in edges {
        let [a, b] = edge.map(|vertex| vertex as usize);
        let strain = (x[a] - x[b]).norm() / rest - 1.0;
        for vertex in [a, b] {
            if strain.is_finite() && strain.abs() > strains[vertex].abs() {
                strains[vertex] = strain;
            }
        }
    }
    strains
}

/// The frames between which the velocity of frame `number` is measured: those beside it among
/// `frames`. None if there is only one frame.
pub fn neighbours(number: u64, frames: &Range<u64>) -> Option<[u64; 2]> {
    let before = number.saturating_sub(1).max(frames.start);
    let after = (number + 1).min(frames.end.saturating_sub(1));
    (after > before).then_some([before, after])
}

/// The mean velocities (m/s) from positions `before` (m) to positions `after`, `seconds` (s) later.
pub fn velocity(before: &[Vec3], after: &[Vec3], seconds: f64) -> Field {
    let between = before.iter().zip(after).map(|(a, b)| (b - a) / seconds);
    Field::of_vectors(VELOCITY, &Vec::from_iter(between))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_has_the_largest_strain_of_its_edges() {
        let x = [0.0, 1.1, 1.9, 9.0].map(|x| Vec3::new(x, 0.0, 0.0));
        let found = strain(&[[0, 1], [1, 2]], &[1.0, 1.0], &x).values;
        let expected = [0.1, -0.2, -0.2, 0.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn velocities_are_central_except_at_the_ends() {
        let beside = |number| neighbours(number, &(3..6));
        assert_eq!([3, 4, 5].map(beside), [Some([3, 4]), Some([3, 5]), Some([4, 5])]);
        assert_eq!(neighbours(3, &(3..4)), None);
    }
}

//! Factors of the vertices of cloth, at the points of a contact.

use cloth_collision::collision::Pair;
use cloth_core::VertexId;

/// The factors of both sides of `pair` at its points, whose weights are `at`, or their means over
/// the vertices of each side. A side that is no cloth has the factor 1. `factors` has those of all
/// vertices of cloth.
///
/// Differences are interpolated, so that where all factors are the same, the result has its bits.
pub fn of_sides(factors: &[f64], pair: &Pair, at: Option<&[f64; 4]>) -> [f64; 2] {
    let middle = pair.first_side();
    [0..middle, middle..4].map(|side| {
        let of = |place: usize| factors.get(pair.vertices[place] as usize).copied();
        let Some(first) = of(side.start) else { return 1.0 };
        let mean = 1.0 / side.len() as f64;
        let mut sum = first;
        for place in side.skip(1) {
            let weight = at.map_or(mean, |weights| weights[place].abs());
            sum += weight * (of(place).unwrap_or(1.0) - first);
        }
        sum
    })
}

/// The place among `ends`, the numbers after the last vertex of each surface, of the surface that
/// has `vertex`.
pub fn surface_of(ends: &[VertexId], vertex: VertexId) -> usize {
    ends.partition_point(|&end| end <= vertex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_interpolated_or_means_and_alike_ones_keep_their_bits() {
        let factors = [1.0, 4.0, 7.0, 8.0];
        let face = Pair::vertex_face(3, [0, 1, 2]);
        let at = [1.0, -0.5, -0.25, -0.25];
        assert_eq!(of_sides(&factors, &face, Some(&at)), [8.0, 3.25]);
        assert_eq!(of_sides(&factors, &face, None), [8.0, 4.0]);
        let edges = Pair::edge_edge([0, 3], [4, 5]);
        assert_eq!(of_sides(&factors, &edges, Some(&[0.25, 0.75, -0.5, -0.5])), [6.25, 1.0]);
        let thirds = [1.0, -0.1, -0.2, -0.7];
        assert_eq!(of_sides(&[1.7; 4], &face, Some(&thirds)), [1.7, 1.7]);
    }
}

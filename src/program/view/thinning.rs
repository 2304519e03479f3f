//! Fewer faces for a page that would be too large: all vertices in a cube become one.

use std::collections::{BTreeMap, BTreeSet};

use cloth_core::math::Vec3;

/// The vertices of a surface that stay, and its faces over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Numbers of the vertices in the surface.
    pub vertices: Vec<u32>,
    /// Faces over the vertices that stay.
    pub faces: Vec<[u32; 3]>,
}

/// Thins a surface with these `positions` (m) and `faces` to at most about this `share` of its
/// vertices. Of all vertices in a cube, the first one stays (Rossignac & Borrel 1993).
pub fn cluster(positions: &[Vec3], faces: &[[u32; 3]], share: f64) -> Kept {
    let all = Kept { vertices: (0..positions.len() as u32).collect(), faces: faces.to_vec() };
    let most = (share * positions.len() as f64) as usize;
    let area = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    let area_m2: f64 = faces.iter().map(area).sum();
    let mut cell_m = (area_m2 / positions.len().max(1) as f64).sqrt();
    let (low, size_m) = extent(positions);
    let mut kept = all;
    while kept.vertices.len() > most.max(4) && cell_m > 0.0 && cell_m <= size_m {
        cell_m *= 1.15;
        kept = in_cubes(positions, low, faces, cell_m);
    }
    kept
}

/// The lowest corner of the box of `positions` and its longest side, m.
fn extent(positions: &[Vec3]) -> (Vec3, f64) {
    let low = positions.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let high = positions.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
    (low, (high - low).max())
}

/// The cubes begin at `low`, and are `cell_m` wide (m).
fn in_cubes(positions: &[Vec3], low: Vec3, faces: &[[u32; 3]], cell_m: f64) -> Kept {
    let mut first_of_cube = BTreeMap::new();
    let stands_for = positions.iter().zip(0_u32..).map(|(x, vertex)| {
        let cube = [0, 1, 2].map(|axis| ((x[axis] - low[axis]) / cell_m).floor() as i64);
        *first_of_cube.entry(cube).or_insert(vertex)
    });
    let stands_for = Vec::from_iter(stands_for);
    let mut seen = BTreeSet::new();
    let faces = faces.iter().map(|face| face.map(|vertex| stands_for[vertex as usize]));
    let whole = faces.filter(|&face| {
        let mut corners = face;
        corners.sort_unstable();
        corners[0] != corners[1] && corners[1] != corners[2] && seen.insert(corners)
    });
    let whole = Vec::from_iter(whole);
    let vertices = Vec::from_iter(BTreeSet::from_iter(whole.iter().flatten().copied()));
    // Every corner is in the list.
    let place = |vertex| vertices.partition_point(|&it| it < vertex) as u32;
    Kept { faces: whole.iter().map(|face| face.map(place)).collect(), vertices }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_keeps_a_share_of_its_vertices_and_its_area() {
        let n = 40_u32;
        let positions = Vec::from_iter(
            (0..n * n).map(|i| Vec3::new(f64::from(i / n), 0.0, f64::from(i % n)) * 0.01),
        );
        let quads = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| i * n + j));
        let faces =
            Vec::from_iter(quads.flat_map(|a| [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]]));
        let Kept { vertices, faces: kept } = cluster(&positions, &faces, 0.25);
        assert!((100..=400).contains(&vertices.len()), "{}", vertices.len());
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|i| positions[vertices[i as usize] as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        let area: f64 = kept.iter().map(area).sum();
        assert!((0.12..0.16).contains(&area), "{area}");
        assert_eq!(cluster(&positions, &faces, 1.0).faces, faces);
    }
}

//! Cuts each triangle into k x k.

use std::collections::HashMap;

use nalgebra::SVector;

/// Triangles after [`subdivide`].
pub struct Subdivided<const D: usize> {
    /// The old points, then those on edges and in faces.
    pub points: Vec<SVector<f64, D>>,
    /// `k * k` triangles for each old one, in its order and orientation.
    pub faces: Vec<[u32; 3]>,
    /// The old points that each point lies between: three equal ones for an old point, two
    /// different ones on an edge.
    pub origins: Vec<[u32; 3]>,
}

/// Cuts each triangle evenly into `k * k`. Neighbours share the points on their edge.
pub fn subdivide<const D: usize>(
    points: &[SVector<f64, D>],
    faces: &[[u32; 3]],
    k: u32,
) -> Subdivided<D> {
    let mut fine = Subdivided {
        points: points.to_vec(),
        faces: Vec::with_capacity(faces.len() * (k * k) as usize),
        origins: (0..points.len() as u32).map(|point| [point; 3]).collect(),
    };
    let mut edges = HashMap::new();
    let mut lattice = Vec::new();
    for &face in faces {
        // Point (i, j) lies i/k of the way to corner 1 and j/k to corner 2.
        lattice.clear();
        for j in 0..=k {
            for i in 0..=k - j {
                lattice.push(fine.lattice_point(face, [k - i - j, i, j], k, &mut edges));
            }
        }
        let at = |i: u32, j: u32| lattice[(j * (k + 1) - j * j.saturating_sub(1) / 2 + i) as usize];
        for j in 0..k {
            for i in 0..k - j {
                fine.faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < k {
                    fine.faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    fine
}

impl<const D: usize> Subdivided<D> {
    /// The point with barycentric weights `weights / k` in `face`. `edges` holds the first point of
    /// each edge that has been cut.
    fn lattice_point(
        &mut self,
        face: [u32; 3],
        weights: [u32; 3],
        k: u32,
        edges: &mut HashMap<[u32; 2], u32>,
    ) -> u32 {
        let inner: Vec<usize> = (0..3).filter(|&corner| weights[corner] > 0).collect();
        match inner[..] {
            [corner] => face[corner],
            [a, b] => {
                let (low, high) = if face[a] < face[b] { (a, b) } else { (b, a) };
                let (ends, step) = ([face[low], face[high]], weights[high]);
                let first = *edges.entry(ends).or_insert_with(|| self.cut_edge(ends, k));
                first + step - 1
            }
            _ => {
                let sum: SVector<f64, D> = (0..3)
                    .map(|i| self.points[face[i] as usize] * (f64::from(weights[i]) / f64::from(k)))
                    .sum();
                self.push(sum, face)
            }
        }
    }

    /// Adds the points of an edge from its lower to its higher end.
    fn cut_edge(&mut self, ends: [u32; 2], k: u32) -> u32 {
        let [a, b] = ends.map(|end| self.points[end as usize]);
        let first = self.points.len() as u32;
        for step in 1..k {
            self.push(a + (b - a) * (f64::from(step) / f64::from(k)), [ends[0], ends[1], ends[1]]);
        }
        first
    }

    fn push(&mut self, point: SVector<f64, D>, origin: [u32; 3]) -> u32 {
        self.points.push(point);
        self.origins.push(origin);
        self.points.len() as u32 - 1
    }
}

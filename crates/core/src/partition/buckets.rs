//! Cells of a sparse uniform grid (buckets), which exchange data with their 26 neighbours.
//!
//! Source: Wretborn 2026, definitions 2.2 to 2.6.

use crate::Vec3;
use crate::partition::graph::Graph;

/// Occupied cells of a uniform grid.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Buckets {
    /// Width of a cell, m.
    pub spacing_m: f64,
    /// The cells, rising by z, then y, then x; each once.
    cells: Vec<[i32; 3]>,
}

impl Buckets {
    /// Buckets of `cells`, which may be in any order.
    pub fn new(spacing_m: f64, mut cells: Vec<[i32; 3]>) -> Self {
        cells.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        cells.dedup();
        Self { spacing_m, cells }
    }

    /// The cells between two corners whose centres are `inside`.
    pub fn fill(spacing_m: f64, [low, high]: [Vec3; 2], inside: impl Fn(&Vec3) -> bool) -> Self {
        let range = |axis: usize| {
            (low[axis] / spacing_m).floor() as i32..=(high[axis] / spacing_m).ceil() as i32
        };
        let mut cells = Vec::new();
        for z in range(2) {
            for y in range(1) {
                let row = range(0).map(|x| [x, y, z]);
                cells.extend(row.filter(|&cell| inside(&centre(spacing_m, cell))));
            }
        }
        Self { spacing_m, cells }
    }

    /// The cells, rising by z, then y, then x.
    pub fn cells(&self) -> &[[i32; 3]] {
        &self.cells
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True if there is no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The centres of the cells, m.
    pub fn centres(&self) -> Vec<Vec3> {
        self.cells.iter().map(|&cell| centre(self.spacing_m, cell)).collect()
    }

    /// The number of `cell`, if it is occupied.
    pub fn find(&self, [x, y, z]: [i32; 3]) -> Option<u32> {
        let key = |&[x, y, z]: &[i32; 3]| [z, y, x];
        self.cells.binary_search_by_key(&[z, y, x], key).ok().map(|at| at as u32)
    }

    /// The graph in which cells that share a face, an edge or a corner are neighbours.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph { offsets: vec![0], neighbours: Vec::new() };
        // Nine rows of cells around each cell: a cursor for each, since all are sorted.
        let rows: Vec<[i32; 2]> = (-1..=1).flat_map(|z| (-1..=1).map(move |y| [y, z])).collect();
        let mut cursors = vec![0usize; rows.len()];
        for (number, &[x, y, z]) in self.cells.iter().enumerate() {
            for (&[dy, dz], cursor) in rows.iter().zip(&mut cursors) {
                let key = |[x, y, z]: [i32; 3]| [z, y, x];
                let first = [z + dz, y + dy, x - 1];
                while *cursor < self.cells.len() && key(self.cells[*cursor]) < first {
                    *cursor += 1;
                }
                for (other, &cell) in self.cells.iter().enumerate().skip(*cursor).take(3) {
                    if key(cell) <= [z + dz, y + dy, x + 1] && other != number {
                        graph.neighbours.push(other as u32);
                    }
                }
            }
            graph.offsets.push(graph.neighbours.len() as u32);
        }
        graph
    }
}

fn centre(spacing_m: f64, cell: [i32; 3]) -> Vec3 {
    Vec3::from(cell.map(|index| (f64::from(index) + 0.5) * spacing_m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_that_touch() {
        let cells = (0..600i32).map(|i| [i * 7 % 9 - 4, i * 11 % 8, i * 5 % 7 - 3]).collect();
        let buckets = Buckets::new(0.1, cells);
        let graph = buckets.graph();
        for (i, a) in buckets.cells().iter().enumerate() {
            let touch = |b: &[i32; 3]| b != a && (0..3).all(|k| a[k].abs_diff(b[k]) <= 1);
            let expected: Vec<u32> =
                (0..).zip(buckets.cells()).filter(|(_, b)| touch(b)).map(|(j, _)| j).collect();
            assert_eq!(graph.neighbours(i as u32), expected);
            assert_eq!(buckets.find(*a), Some(i as u32));
        }
    }
}

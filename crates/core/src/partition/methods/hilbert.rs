//! The Hilbert curve in three dimensions, cut into pieces of equal work.
//!
//! Source of the index: Skilling 2004, "Programming the Hilbert curve". The curve runs through the
//! smallest axis-parallel cube around all points, as in Wretborn 2026, section 5.2.

use crate::partition::methods::{Partitioner, WeightedPoints};
use crate::{Result, Vec3};

/// Levels of the curve: it visits `2^16` cells along each side of the cube.
const LEVELS: u32 = 16;

/// Orders points along a Hilbert curve and cuts the order into pieces of about equal work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hilbert;

impl Partitioner for Hilbert {
    fn name(&self) -> &'static str {
        "Hilbert"
    }

    fn partition(&mut self, problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>> {
        if let Some(answer) = problem.simple_answer(parts)? {
            return Ok(answer);
        }
        let order = order_along_curve(problem.points);
        Ok(cut(&order, problem.weights, parts))
    }
}

/// The points in the order of the curve; points of one cell by number.
pub(super) fn order_along_curve(points: &[Vec3]) -> Vec<u32> {
    let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
    let width = (high - low).max();
    let cells = f64::from(1u32 << LEVELS);
    let scale = if width > 0.0 { cells / width } else { 0.0 };
    let cell = |x: f64| ((x * scale) as u32).min((1 << LEVELS) - 1);
    let mut keys: Vec<(u64, u32)> = (points.iter().zip(0..))
        .map(|(x, i)| {
            let offset = x - low;
            (hilbert_index([cell(offset.x), cell(offset.y), cell(offset.z)]), i)
        })
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, i)| i).collect()
}

/// Cuts `order` where the work so far is nearest to a multiple of the equal share.
fn cut(order: &[u32], weights: &[f64], parts: usize) -> Vec<u32> {
    let share = order.iter().map(|&i| weights[i as usize]).sum::<f64>() / parts as f64;
    let mut part_of = vec![0; order.len()];
    let mut before = 0.0;
    for &i in order {
        let weight = weights[i as usize];
        // The middle of the point's own work decides.
        let part = ((before + 0.5 * weight) / share) as u32;
        part_of[i as usize] = part.min(parts as u32 - 1);
        before += weight;
    }
    part_of
}

/// The position of a cell along the curve (Skilling 2004, `AxestoTranspose`).
fn hilbert_index(mut cell: [u32; 3]) -> u64 {
    // 1. Undo the rotations and reflections of each level.
    for level in (1..LEVELS).rev() {
        let bit = 1 << level;
        let below = bit - 1;
        for axis in 0..3 {
            if cell[axis] & bit != 0 {
                cell[0] ^= below;
            } else {
                let swapped = (cell[0] ^ cell[axis]) & below;
                cell[0] ^= swapped;
                cell[axis] ^= swapped;
            }
        }
    }
    // 2. Gray code.
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    let mut flips = 0;
    for level in (1..LEVELS).rev() {
        if cell[2] & (1 << level) != 0 {
            flips ^= (1 << level) - 1;
        }
    }
    // 3. The bits of the three axes, level by level.
    let mut index = 0;
    for level in (0..LEVELS).rev() {
        for axis in cell {
            index = index << 1 | u64::from((axis ^ flips) >> level & 1);
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_cell_once_and_goes_to_neighbours() {
        // The first 8^4 cells of the curve are those of a cube of 16^3.
        let side = 16;
        let mut cells: Vec<(u64, [u32; 3])> = Vec::new();
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    cells.push((hilbert_index([x, y, z]), [x, y, z]));
                }
            }
        }
        cells.sort_unstable();
        assert!(cells.iter().map(|(index, _)| *index).eq(0..4096));
        for pair in cells.windows(2) {
            let steps = (0..3).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis]));
            assert_eq!(steps.sum::<u32>(), 1, "{pair:?}");
        }
    }

    #[test]
    fn cuts_follow_the_work() {
        // Along a line, the first point has half of all work.
        let points: Vec<_> = (0..9).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)).collect();
        let mut weights = [1.0; 9];
        weights[0] = 8.0;
        let part = Hilbert.partition(&WeightedPoints::new(&points, &weights), 2).unwrap();
        assert_eq!(part[1..], [part[1]; 8]);
        assert_ne!(part[0], part[1]);
    }
}

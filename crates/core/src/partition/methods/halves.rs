//! Cuts at right angles to the axes (Berger & Bokhari 1987), for graphs that METIS takes long to
//! divide and for the parts of a patch.

use crate::Vec3;

/// Divides `points` (m) into `parts` of equal size, within one point, and returns the part of each.
/// A set of points is cut in two across the longest side of its bounding box, and each half again.
/// Takes time in proportion to `n log(parts)`.
pub fn halves(points: &[Vec3], parts: usize) -> Vec<u32> {
    let mut part_of = vec![0; points.len()];
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    // Points that are still together, and their parts.
    let mut stack = vec![(&mut order[..], 0..parts as u32)];
    while let Some((set, parts)) = stack.pop() {
        let x = |i: &u32| &points[*i as usize];
        let (Some(first), true) = (set.first(), parts.len() > 1) else {
            set.iter().for_each(|&i| part_of[i as usize] = parts.start);
            continue;
        };
        let (low, high) = set
            .iter()
            .fold((*x(first), *x(first)), |(low, high), i| (low.inf(x(i)), high.sup(x(i))));
        let axis = (high - low).imax();
        let (middle, all) = (parts.len() / 2, set.len());
        let cut = (all * middle / parts.len()).min(all - 1);
        // Equal coordinates are in the order of the points, so the halves are always the same.
        let by_place = |i: &u32, j: &u32| x(i)[axis].total_cmp(&x(j)[axis]).then(i.cmp(j));
        set.select_nth_unstable_by(cut, by_place);
        let (before, after) = set.split_at_mut(cut);
        let middle = parts.start + middle as u32;
        stack.extend([(before, parts.start..middle), (after, middle..parts.end)]);
    }
    part_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_equal_sizes_and_short_borders() {
        // A sheet of 80 x 40 points in 8 parts: squares of 20 x 20.
        let points: Vec<Vec3> =
            (0..3200).map(|i| Vec3::new(f64::from(i % 80), 0.0, f64::from(i / 80))).collect();
        let part_of = halves(&points, 8);
        for part in 0..8 {
            let of_part = points.iter().zip(&part_of).filter(|(_, it)| **it == part);
            let of_part: Vec<&Vec3> = of_part.map(|(x, _)| x).collect();
            let low = of_part.iter().fold(*of_part[0], |low, x| low.inf(x));
            let high = of_part.iter().fold(*of_part[0], |high, x| high.sup(x));
            assert_eq!((of_part.len(), high - low), (400, Vec3::new(19.0, 0.0, 19.0)));
        }
        // Points at one place, and more parts than points.
        let together = halves(&[Vec3::zeros(); 7], 3);
        assert_eq!(together, [0, 0, 1, 1, 2, 2, 2]);
        let few = halves(&points[..2], 5);
        assert!(few[0] != few[1] && few.iter().all(|&part| part < 5));
        assert!(halves(&[], 3).is_empty());
    }
}

//! Which pixels a triangle covers, and how near it is there.

use std::ops::Range;

use cloth_core::math::Vec3;

/// A pixel that a triangle covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Covered {
    /// Its place in the rows that are drawn: row by row, from the first one.
    pub place: usize,
    /// The barycentric coordinates of its centre, of the second and the third corner.
    pub weights: [f64; 2],
    /// How near the triangle is to the viewer there, in the unit of the corners.
    pub nearness: f64,
}

/// Calls `each` with every pixel of these `rows` whose centre the triangle covers. A row has
/// `width` pixels. `corners` have the column and the row in pixels, and a nearness that is linear
/// in both.
pub fn cover(corners: [Vec3; 3], width: u32, rows: Range<u32>, mut each: impl FnMut(Covered)) {
    let [a, b, c] = corners;
    let (b, c) = (b - a, c - a);
    let area = b.x * c.y - b.y * c.x;
    if area == 0.0 {
        return;
    }
    // Pixels whose centres may be covered: the centre of pixel i is at i + 1/2.
    let range = |axis: usize, within: Range<u32>| {
        let low = corners[0][axis].min(corners[1][axis]).min(corners[2][axis]);
        let high = corners[0][axis].max(corners[1][axis]).max(corners[2][axis]);
        // The conversions saturate.
        let first = ((low - 0.5).ceil() as u32).max(within.start);
        first..((high + 0.5).ceil() as u32).min(within.end)
    };
    let columns = range(0, 0..width);
    for row in range(1, rows.clone()) {
        let before = (row - rows.start) as usize * width as usize;
        let y = f64::from(row) + 0.5 - a.y;
        for column in columns.clone() {
            let x = f64::from(column) + 0.5 - a.x;
            let (v, w) = ((x * c.y - y * c.x) / area, (b.x * y - b.y * x) / area);
            if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
                let (place, nearness) = (before + column as usize, a.z + v * b.z + w * c.z);
                each(Covered { place, weights: [v, w], nearness });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_of_a_square_cover_it_without_a_gap_in_any_rows() {
        let corners = [[1.0, 1.0], [7.0, 1.0], [7.0, 5.0], [1.0, 5.0]];
        let corner = |at: usize| Vec3::new(corners[at][0], corners[at][1], corners[at][0]);
        let mut count = [[0; 8]; 6];
        for face in [[0, 1, 2], [0, 2, 3]] {
            for rows in [0..2, 2..3, 3..6] {
                cover(face.map(corner), 8, rows.clone(), |it| {
                    let (row, column) = (rows.start as usize + it.place / 8, it.place % 8);
                    count[row][column] += 1;
                    assert!((it.nearness - (column as f64 + 0.5)).abs() < 1e-12);
                });
            }
        }
        for (row, counts) in count.iter().enumerate() {
            for (column, &count) in counts.iter().enumerate() {
                let is_inside = (1..5).contains(&row) && (1..7).contains(&column);
                assert_eq!(count > 0, is_inside, "{row} {column}");
            }
        }
    }

    #[test]
    fn a_triangle_covers_the_pixels_whose_centres_are_in_it() {
        let corners = [(1.0, 1.0), (5.0, 1.0), (1.0, 5.0)].map(|(x, y)| Vec3::new(x, y, x));
        for [a, b, c] in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut covered = Vec::new();
            let triangle = [corners[a], corners[b], corners[c]];
            cover(triangle, 4, 0..8, |Covered { place: pixel, nearness: near, .. }| {
                assert!((near - (pixel % 4) as f64 - 0.5).abs() < 1e-12);
                covered.push((pixel % 4, pixel / 4));
            });
            // The picture ends at column 3; centres on the long side count.
            let expected = [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (1, 4)];
            assert_eq!(covered, expected);
        }
    }
}

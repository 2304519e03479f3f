//! Cuts polygons into triangles.

use crate::mesh::obj::{Corner, Group, ObjDocument};
use crate::{Vec2, Vec3};

/// The most corners of a polygon. The time to cut it grows with the square of their number.
pub const CORNERS: usize = 10_000;

/// Cuts `polygon` into triangles, given as places of its corners. The triangles keep the polygon's
/// orientation. `None` if it has no area or crosses itself.
///
/// All is judged in the polygon's mean plane (Newell's normal). A quadrilateral is cut by
/// `cut_quad`. Of a larger polygon ears are clipped, the best shaped ear first. Among equals the
/// earliest one comes first, so that the result is the same on every run.
pub fn triangulate(polygon: &[Vec3]) -> Option<Vec<[usize; 3]>> {
    let flat = project(polygon)?;
    if let &[a, b, c, d] = flat.as_slice() {
        return cut_quad([a, b, c, d]).map(Vec::from);
    }
    let mut ring = Ring::new(flat);
    let mut triangles = Vec::with_capacity(polygon.len() - 2);
    while ring.left.len() > 3 {
        let ear = ring.best_ear()?;
        triangles.push(ring.corners(ear));
        ring.cut(ear);
    }
    triangles.push([ring.left[0], ring.left[1], ring.left[2]]);
    Some(triangles)
}

/// A cut of a quadrilateral is refused if the worse of its triangles has less than this share of
/// the shape that the other cut gives. In a square with one corner pushed in this is an angle of
/// more than 171 degrees there.
const SLIVER: f64 = 0.1;

/// Cuts a quadrilateral from its first to its third corner, as Blender and most viewers do. If that
/// leaves the quadrilateral or makes a sliver, it is cut from its second to its fourth corner.
fn cut_quad(flat: [Vec2; 4]) -> Option<[[usize; 3]; 2]> {
    let cuts = [[[0, 1, 2], [0, 2, 3]], [[1, 2, 3], [1, 3, 0]]];
    let [first, second] = cuts.map(|cut| {
        let [one, other] = cut.map(|triangle| shape(triangle.map(|corner| flat[corner])));
        one.min(other)
    });
    let chosen = usize::from(first < SLIVER * second);
    (first.max(second) > 0.0).then_some(cuts[chosen])
}

/// `document` with its polygons as they are cut. Each is a triangle, or a quadrilateral that is cut
/// from its first to its third corner; larger polygons become their triangles. So a viewer that
/// cuts quadrilaterals there shows what is simulated. The second result gives, of each polygon, the
/// one of `document` that it was or was part of.
///
/// # Errors
/// The first polygon that cannot be cut.
pub fn cut_polygons(document: ObjDocument) -> Result<(ObjDocument, Vec<u32>), usize> {
    let count = document.polygon_ends.len();
    let mut corners = Vec::with_capacity(document.corners.len());
    let (mut ends, mut origins) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for polygon in 0..count {
        let whole = &document.corners[document.polygon(polygon)];
        let mut add = |places: &[usize]| {
            corners.extend(places.iter().map(|&place| whole[place]));
            ends.push(corners.len() as u32);
            origins.push(polygon as u32);
        };
        if whole.len() == 3 {
            add(&[0, 1, 2]);
            continue;
        }
        let position = |corner: &Corner| document.positions[corner.vertex as usize];
        let points = Vec::from_iter(whole.iter().map(position));
        match triangulate(&points).ok_or(polygon)?.as_slice() {
            &[[a, b, c], [_, _, d]] => add(&[a, b, c, d]),
            triangles => triangles.iter().for_each(|triangle| add(triangle)),
        }
    }
    let groups = regrouped(&document.groups, &origins);
    Ok((ObjDocument { corners, polygon_ends: ends, groups, ..document }, origins))
}

/// Cuts all polygons of `document` from their first corner. Gives the triangles as places in its
/// `corners`, and the polygon of each triangle.
pub fn fans(document: &ObjDocument) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut triangles = Vec::with_capacity(document.corners.len());
    let mut polygons = Vec::with_capacity(document.corners.len());
    for polygon in 0..document.polygon_ends.len() {
        let range = document.polygon(polygon);
        let (first, end) = (range.start as u32, range.end as u32);
        triangles.extend((first + 2..end).map(|last| [first, last - 1, last]));
        polygons.resize(triangles.len(), polygon as u32);
    }
    (triangles, polygons)
}

/// `document` with triangles only: the [`fans`] of its polygons.
pub fn into_triangles(document: ObjDocument) -> ObjDocument {
    let (triangles, polygons) = fans(&document);
    let places = triangles.iter().flatten();
    ObjDocument {
        corners: places.map(|&place| document.corners[place as usize]).collect(),
        polygon_ends: (1..=triangles.len() as u32).map(|end| 3 * end).collect(),
        groups: regrouped(&document.groups, &polygons),
        ..document
    }
}

/// `groups` when polygons have been cut into parts, each from the polygon in `origins`.
pub fn regrouped(groups: &[Group], origins: &[u32]) -> Vec<Group> {
    let end = |end: u32| origins.partition_point(|&origin| origin < end) as u32;
    groups.iter().map(|group| Group { end: end(group.end), ..group.clone() }).collect()
}

/// Coordinates in the plane of Newell's normal, counter-clockwise.
fn project(polygon: &[Vec3]) -> Option<Vec<Vec2>> {
    let origin = *polygon.first()?;
    let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let normal: Vec3 = pairs.map(|(a, b)| (a - origin).cross(&(b - origin))).sum();
    let size: f64 = polygon.iter().map(|p| (p - origin).norm_squared()).sum();
    if polygon.len() < 3 || normal.norm() <= 1e-12 * size {
        return None;
    }
    let normal = normal.normalize();
    let x = Vec3::ith(normal.iamin(), 1.0).cross(&normal).normalize();
    let y = normal.cross(&x);
    Some(polygon.iter().map(|p| Vec2::new((p - origin).dot(&x), (p - origin).dot(&y))).collect())
}

/// The corners of a polygon that are not cut off yet.
struct Ring {
    flat: Vec<Vec2>,
    /// The corners, in order.
    left: Vec<usize>,
    /// The triangle that cutting off each corner would make, by corner.
    tips: Vec<Tip>,
}

/// A corner with its neighbours in the ring.
#[derive(Debug, Clone, Copy, Default)]
struct Tip {
    corners: [usize; 3],
    /// Number of other corners in the triangle. It is counted once and then kept, because counting
    /// again after each cut takes the cube of the number of corners.
    inside: usize,
    shape: f64,
}

impl Ring {
    fn new(flat: Vec<Vec2>) -> Self {
        let count = flat.len();
        let mut ring = Self { flat, left: (0..count).collect(), tips: vec![Tip::default(); count] };
        (0..count).for_each(|place| ring.renew(place));
        ring
    }

    /// Corners before, at and after `place` of the ring.
    fn corners(&self, place: usize) -> [usize; 3] {
        let n = self.left.len();
        [self.left[(place + n - 1) % n], self.left[place], self.left[(place + 1) % n]]
    }

    /// Works out the tip at `place`.
    fn renew(&mut self, place: usize) {
        let corners = self.corners(place);
        let points = corners.map(|corner| self.flat[corner]);
        let inside = self.left.iter().filter(|&&other| is_inside(points, self.flat[other])).count();
        self.tips[self.left[place]] = Tip { corners, inside, shape: shape(points) };
    }

    /// Cuts off the corner at `place`.
    fn cut(&mut self, place: usize) {
        let gone = self.flat[self.left.remove(place)];
        for &corner in &self.left {
            let tip = &mut self.tips[corner];
            tip.inside -= usize::from(is_inside(tip.corners.map(|c| self.flat[c]), gone));
        }
        let n = self.left.len();
        [(place + n - 1) % n, place % n].into_iter().for_each(|neighbour| self.renew(neighbour));
    }

    /// The place of the ear with the best shape. A quadrilateral has two cuts, and the better one
    /// wins.
    fn best_ear(&self) -> Option<usize> {
        let mut best = None;
        let mut best_shape = 0.0;
        let n = self.left.len();
        for place in (0..n).map(|place| (place + 1) % n) {
            let tip = &self.tips[self.left[place]];
            if tip.inside > 0 || tip.shape <= 0.0 {
                continue;
            }
            let mut quality = tip.shape;
            if n == 4 {
                quality = quality.min(self.tips[self.left[(place + 2) % 4]].shape);
            }
            // Better by more than rounding, so that equal ears are taken in order.
            if quality > best_shape * (1.0 + 1e-6) {
                (best, best_shape) = (Some(place), quality);
            }
        }
        best
    }
}

/// Whether `p` lies in the triangle or on its edge, and is none of its corners.
fn is_inside([a, b, c]: [Vec2; 3], p: Vec2) -> bool {
    let left = cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0;
    left && ![a, b, c].contains(&p)
}

/// Signed area over the sum of squared edge lengths. An equilateral triangle has the largest.
fn shape([a, b, c]: [Vec2; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    if squares == 0.0 { 0.0 } else { cross(a, b, c) / squares }
}

/// Twice the signed area of a triangle.
fn cross(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    (b - a).perp(&(c - a))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifted(points: &[[f64; 2]]) -> Vec<Vec3> {
        points.iter().map(|p| Vec3::new(p[0], 0.5 * p[0] - p[1], p[1])).collect()
    }

    fn area(polygon: &[Vec3], triangle: [usize; 3]) -> Vec3 {
        let [a, b, c] = triangle.map(|i| polygon[i]);
        (b - a).cross(&(c - a)) * 0.5
    }

    #[test]
    fn quadrilaterals_are_cut_from_the_first_corner_unless_that_is_outside_or_makes_a_sliver() {
        let [from_first, from_second] = [[[0, 1, 2], [0, 2, 3]], [[1, 2, 3], [1, 3, 0]]];
        for (corner, cut) in [
            ([1.0, 0.0], from_first),
            // The other cut would have better triangles.
            ([2.0, -1.0], from_first),
            ([0.6, 0.4], from_first),
            // A corner that is nearly straight, straight, or reflex.
            ([0.52, 0.48], from_second),
            ([0.5, 0.5], from_second),
            ([0.2, 0.8], from_second),
        ] {
            let quad = lifted(&[[0.0, 0.0], corner, [1.0, 1.0], [0.0, 1.0]]);
            assert_eq!(triangulate(&quad).unwrap(), cut, "{corner:?}");
        }
        let reflex_first = lifted(&[[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]);
        assert_eq!(triangulate(&reflex_first).unwrap(), from_first);
    }

    /// A dart that is cut from its second corner, a pentagon, a trapezoid, a triangle.
    #[test]
    fn cut_polygons_are_triangles_and_quadrilaterals_that_are_cut_from_their_first_corner() {
        let text = "v 0 0 0\nv .2 .8 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 1.5 2 0\n\
            vt 0 0\nvt 1 0\ng a\nf 1/1 2/2 3/1 4/1\nf 1 5 6 7 3\ng b\nf 1 5 6 3\nf 1 5 6\n";
        let (document, _) = crate::mesh::obj_read::parse(text.as_bytes(), "m.obj").unwrap();
        let (cut, origins) = cut_polygons(document).unwrap();
        assert_eq!(origins, [0, 1, 1, 1, 2, 3]);
        let first = &cut.corners[cut.polygon(0)];
        assert_eq!(
            first.iter().map(|c| (c.vertex, c.texcoord)).collect::<Vec<_>>(),
            [(1, 1), (2, 0), (3, 0), (0, 0)]
        );
        assert_eq!(cut.polygon_ends, [4, 7, 10, 13, 17, 20]);
        assert_eq!(cut.groups.iter().map(|group| group.end).collect::<Vec<_>>(), [4, 6]);
        assert_eq!(cut_polygons(cut.clone()).unwrap().0, cut);
        let triangles = into_triangles(cut);
        assert_eq!(triangles.polygon_ends, [3, 6, 9, 12, 15, 18, 21, 24]);
        assert_eq!(triangles.groups.iter().map(|group| group.end).collect::<Vec<_>>(), [5, 8]);
        assert_eq!(triangles.corners[3], Corner { vertex: 1, texcoord: 1 });
    }

    #[test]
    fn concave_polygons_keep_their_area_and_orientation() {
        let arrow = lifted(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]);
        let comb = lifted(&[
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ]);
        for polygon in [arrow, comb] {
            let triangles = triangulate(&polygon).unwrap();
            assert_eq!(triangles.len(), polygon.len() - 2);
            let fan: Vec3 = (2..polygon.len()).map(|i| area(&polygon, [0, i - 1, i])).sum();
            let areas: Vec<Vec3> = triangles.iter().map(|&t| area(&polygon, t)).collect();
            assert!((areas.iter().sum::<Vec3>() - fan).norm() < 1e-12);
            assert!(areas.iter().all(|a| a.dot(&fan) > 0.0));
        }
    }

    /// The cut of `polygon` where each ear is judged anew. It takes the cube of the corners.
    fn judged_anew(polygon: &[Vec3]) -> Option<Vec<[usize; 3]>> {
        let mut left: Vec<usize> = (0..polygon.len()).collect();
        let flat = project(polygon)?;
        let mut triangles = Vec::new();
        while left.len() > 3 {
            let mut ring =
                Ring { flat: flat.clone(), left, tips: vec![Tip::default(); flat.len()] };
            (0..ring.left.len()).for_each(|place| ring.renew(place));
            let ear = ring.best_ear()?;
            triangles.push(ring.corners(ear));
            ring.left.remove(ear);
            left = ring.left;
        }
        triangles.push([left[0], left[1], left[2]]);
        Some(triangles)
    }

    proptest::proptest! {
        /// Small integers make corners that coincide, lie on edges, or cross.
        #[test]
        fn kept_counts_cut_as_counting_anew(
            points in proptest::collection::vec([-4..4_i32, -4..4_i32], 5..14)
        ) {
            let polygon = lifted(&Vec::from_iter(points.iter().map(|p| p.map(f64::from))));
            proptest::prop_assert_eq!(triangulate(&polygon), judged_anew(&polygon));
        }
    }

    #[test]
    fn polygons_without_area_or_that_cross_are_refused() {
        assert!(triangulate(&lifted(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])).is_none());
        assert!(triangulate(&lifted(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])).is_none());
    }
}

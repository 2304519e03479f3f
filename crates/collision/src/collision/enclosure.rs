//! Surfaces that enclose a volume, and the points inside of them.

use std::collections::{BTreeMap, HashMap};

use crate::collision::surface::{Moves, Surface, Surfaces};
use cloth_core::{Vec3, VertexId};

/// Whether `faces` enclose a volume: each edge is used as often in one direction as in the other.
/// Vertices with the same position in `x` (m) count as one, so that seams do not open a surface.
pub fn encloses_a_volume(faces: &[[u32; 3]], x: &[Vec3]) -> bool {
    let mut places = HashMap::new();
    let names = x.iter().enumerate().map(|(vertex, x)| {
        *places.entry([x.x, x.y, x.z].map(f64::to_bits)).or_insert(vertex as u32)
    });
    let names = Vec::from_iter(names);
    let mut uses = BTreeMap::<[u32; 2], i64>::new();
    for face in faces {
        let face = face.map(|vertex| names[vertex as usize]);
        for (a, b) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
            *uses.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    uses.iter().all(|(&[a, b], &count)| a == b || count == 0)
}

/// Whether `point` (m) lies inside the closed surface of `faces`, whose vertices are at `x` (m):
/// the surface winds around it. A point on the surface may count as either.
///
/// It counts the faces that a ray along the x axis crosses, with signs. Neighbours see a common
/// edge from opposite directions, with exactly opposite terms: no ray slips through between them.
pub fn is_inside(faces: &[[VertexId; 3]], x: &[Vec3], point: &Vec3) -> bool {
    let crossings = faces.iter().map(|face| crossing(face.map(|v| x[v as usize] - point)));
    crossings.sum::<i32>() != 0
}

/// The pairs of `surfaces` that collide and do not deform, of which the first has a vertex inside the
/// second, which is closed. All vertices are at `x` (m).
pub fn enclosed(surfaces: &Surfaces, x: &[Vec3]) -> Vec<[u32; 2]> {
    let corners = |surface: &Surface| {
        let x = &x[surface.vertices()];
        let first = x.first().copied().unwrap_or_default();
        x.iter().fold([first; 2], |[low, high], x| [low.inf(x), high.sup(x)])
    };
    let boxes = Vec::from_iter(surfaces.list.iter().map(corners));
    let numbered = || (0..).zip(&surfaces.list).filter(|(_, it)| it.moves != Moves::Deforms);
    let mut pairs = Vec::new();
    for (outer, around) in numbered().filter(|(_, it)| it.radius_m == 0.0) {
        let [low, high] = boxes[outer as usize];
        let is_within = |&(inner, surface): &(u32, &Surface)| {
            let [a, b] = boxes[inner as usize];
            (0..3).all(|axis| a[axis] <= high[axis] && low[axis] <= b[axis])
                && surface.moves.meets(around.moves, inner == outer)
                && !surfaces.are_excluded(inner, outer)
                && x[surface.vertices()].iter().any(|x0| is_inside(&around.faces, x, x0))
        };
        let inner = Vec::from_iter(numbered().filter(is_within).map(|(inner, _)| [inner, outer]));
        if !inner.is_empty() && encloses_a_volume(&around.faces, x) {
            pairs.extend(inner);
        }
    }
    pairs
}

/// How often, with its sign, the ray from the origin along x crosses a face with these corners.
fn crossing(corners: [Vec3; 3]) -> i32 {
    let area = |a: &Vec3, b: &Vec3| a.y * b.z - a.z * b.y;
    let [a, b, c] = &corners;
    let turns: i32 = [(a, b), (b, c), (c, a)]
        .map(|(from, to)| match (from.y <= 0.0, to.y <= 0.0) {
            (true, false) => i32::from(area(from, to) > 0.0),
            (false, true) => -i32::from(area(from, to) < 0.0),
            _ => 0,
        })
        .iter()
        .sum();
    if turns == 0 {
        return 0;
    }
    let areas = [area(b, c), area(c, a), area(a, b)];
    let ahead = areas[0] * a.x + areas[1] * b.x + areas[2] * c.x;
    let total: f64 = areas.iter().sum();
    if (ahead > 0.0) == (total > 0.0) { turns } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [[u32; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];

    fn corners() -> Vec<Vec3> {
        let side = |v: u32, bit: u32| f64::from(v >> bit & 1);
        (0..8).map(|v| Vec3::new(side(v, 0), side(v, 1), side(v, 2))).collect()
    }

    #[test]
    fn a_cube_has_an_inside_also_where_rays_meet_edges_and_corners() {
        let x = corners();
        assert!(encloses_a_volume(&CUBE, &x));
        let steps = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5];
        for (i, j, k) in (0..343).map(|n| (n % 7, n / 7 % 7, n / 49)) {
            let point = Vec3::new(steps[i], steps[j], steps[k]);
            if point.iter().any(|c| *c == 0.0 || *c == 1.0) {
                // On the surface, or on the plane of a face: only outside of the box is sure.
                let outside = point.iter().any(|c| !(0.0..=1.0).contains(c));
                assert!(!(outside && is_inside(&CUBE, &x, &point)), "{point}");
                continue;
            }
            let inside = point.iter().all(|c| (0.0..1.0).contains(c));
            assert_eq!(is_inside(&CUBE, &x, &point), inside, "{point}");
        }
    }

    #[test]
    fn seams_do_not_open_a_surface_and_holes_do() {
        let mut x = corners();
        assert!(!encloses_a_volume(&CUBE[1..], &x));
        let mut turned = CUBE;
        turned[3].swap(0, 1);
        assert!(!encloses_a_volume(&turned, &x));
        // A copy of corner 7 in one face.
        x.push(x[7]);
        let mut seamed = CUBE;
        seamed[11][1] = 8;
        assert!(encloses_a_volume(&seamed, &x));
    }
}

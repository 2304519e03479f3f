//! Convex hulls. Points are added one by one, with exact predicates (Shewchuk 1997).

use std::collections::{BTreeMap, BTreeSet};

use robust::{Coord3D, orient3d};

use crate::narrow::convex::{Edge, GENTLE, Plane};
use crate::narrow::round::nearest;
use crate::shape::{ALONG, Feature};
use crate::solid::{Hull, flat};
use cloth_core::{Error, Result, Vec3};

/// A point is left out if it is nearer to a corner than this share of the hull's size. The normal
/// of a triangle with such a point would be arbitrary.
const SAME: f64 = 1e-8;

/// The triangles of the convex hull of `points` (m), counter-clockwise seen from outside.
///
/// # Errors
/// When the points do not span a volume. `at` names the input.
pub fn triangles(points: &[Vec3], at: &str) -> Result<Vec<[u32; 3]>> {
    let Some(start) = tetrahedron(points) else {
        let cause = format!("{} points span no volume", points.len());
        let remedy = "a convex hull needs four points that do not lie in a plane";
        return Err(Error::input(at, cause, remedy));
    };
    let [a, b, c, d] = start;
    let mut faces = vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    let mut corners = start.to_vec();
    let nearest = SAME * (points[b as usize] - points[a as usize]).norm();
    for p in 0..points.len() as u32 {
        let distance = |&other: &u32| (points[other as usize] - points[p as usize]).norm();
        if corners.iter().all(|other| distance(other) > nearest) && add(points, p, &mut faces) {
            corners.push(p);
        }
    }
    Ok(faces)
}

/// True if point `x` is on the outer side of a face.
fn sees(points: &[Vec3], face: [u32; 3], x: u32) -> bool {
    let coordinate = |v: u32| {
        let x = &points[v as usize];
        Coord3D { x: x.x, y: x.y, z: x.z }
    };
    let [a, b, c] = face.map(coordinate);
    orient3d(a, b, c, coordinate(x)) < 0.0
}

/// Replaces the faces that point `p` sees by a cone from their border to `p`. False if `p` sees
/// no face.
fn add(points: &[Vec3], p: u32, faces: &mut Vec<[u32; 3]>) -> bool {
    let mut border = BTreeSet::new();
    faces.retain(|&face| {
        let is_seen = sees(points, face, p);
        if is_seen {
            for i in 0..3 {
                let (a, b) = (face[i], face[(i + 1) % 3]);
                if !border.remove(&(b, a)) {
                    border.insert((a, b));
                }
            }
        }
        !is_seen
    });
    let sees_some = !border.is_empty();
    faces.extend(border.into_iter().map(|(a, b)| [a, b, p]));
    sees_some
}

/// Four points that are far apart and span a volume. The fourth is below the plane of the first
/// three. `None` if there are no such points.
fn tetrahedron(points: &[Vec3]) -> Option<[u32; 4]> {
    let farthest = |measure: &dyn Fn(&Vec3) -> f64| {
        let values = points.iter().map(measure).enumerate();
        values.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (a, _) = farthest(&|x| -x.x)?;
    let p = points[a];
    let (b, size) = farthest(&|x| (x - p).norm())?;
    let along = points[b] - p;
    let (c, area) = farthest(&|x| (x - p).cross(&along).norm())?;
    let normal = along.cross(&(points[c] - p));
    let (d, volume) = farthest(&|x| (x - p).dot(&normal).abs())?;
    if size == 0.0 || area <= 1e-9 * size * size || volume <= 1e-9 * size * area {
        return None;
    }
    let [a, b, c, d] = [a, b, c, d].map(|i| i as u32);
    Some(if sees(points, [a, b, c], d) { [a, c, b, d] } else { [a, b, c, d] })
}

impl Hull {
    /// The face or edge that is farthest along a direction and across it, m. Without one,
    /// `corner`, which is the farthest vertex.
    pub(super) fn feature(&self, direction: &Vec3, corner: Vec3) -> Feature {
        let length = direction.norm();
        let across = |normal: &Vec3| {
            let sine = normal.cross(direction).norm();
            normal.dot(direction) > 0.0 && sine < ALONG * length
        };
        if let Some(face) = self.planes.iter().position(|plane| across(&plane.normal)) {
            let corners = self.faces().nth(face).into_iter().flatten();
            return corners.map(|&v| self.vertices[v as usize]).collect();
        }
        let ends = |edge: &Edge| edge.ends.map(|v| self.vertices[v as usize]);
        let edges = self.edges.iter().map(ends).filter(|ends| ends.contains(&corner));
        let sine = |[a, b]: &[Vec3; 2]| direction.dot(&(b - a)).abs() / (b - a).norm();
        let flattest = edges.min_by(|a, b| sine(a).total_cmp(&sine(b)));
        match flattest.filter(|ends| sine(ends) < ALONG * length) {
            Some(ends) => Feature::from_iter(ends),
            None => Feature::from_iter([corner]),
        }
    }

    /// The hull with these triangles. Those within `limit` (m) of one plane become one face, see
    /// [`flat`].
    pub(super) fn new(points: &[Vec3], triangles: &[[u32; 3]], limit: f64) -> Self {
        let groups = flat::groups(points, triangles, limit);
        let mut hull = Self {
            vertices: points.to_vec(),
            planes: Vec::new(),
            face_starts: vec![0],
            face_vertices: Vec::new(),
            edges: Vec::new(),
            is_gentle: false,
        };
        for group in &groups {
            hull.add_face(triangles, group);
        }
        hull.straighten(limit);
        hull.drop_unused();
        hull.find_edges();
        hull
    }

    /// Drops the vertices that are no corner of a face.
    fn drop_unused(&mut self) {
        let used: BTreeSet<u32> = self.face_vertices.iter().copied().collect();
        let number: BTreeMap<u32, u32> = used.iter().copied().zip(0..).collect();
        self.face_vertices.iter_mut().for_each(|v| *v = number[v]);
        self.vertices = used.iter().map(|&v| self.vertices[v as usize]).collect();
    }

    /// Drops the vertices between two faces that are within `limit` (m) of the straight line between
    /// the ends of the edge. A face keeps its vertices if it has only two others.
    fn straighten(&mut self, limit: f64) {
        let mut around = vec![0; self.vertices.len()];
        self.face_vertices.iter().for_each(|&v| around[v as usize] += 1);
        let mut is_kept = vec![false; self.vertices.len()];
        for corners in self.faces() {
            let is_end = |v: &u32| around[*v as usize] > 2;
            let Some(start) = corners.iter().position(is_end) else {
                corners.iter().for_each(|&v| is_kept[v as usize] = true);
                continue;
            };
            let mut turned = corners.to_vec();
            turned.rotate_left(start);
            turned.push(turned[0]);
            let ends: Vec<usize> = (0..turned.len()).filter(|&i| is_end(&turned[i])).collect();
            for edge in ends.windows(2) {
                let [a, b] = [edge[0], edge[1]].map(|i| self.vertices[turned[i] as usize]);
                let inner = &turned[edge[0] + 1..edge[1]];
                let off = |v: &u32| {
                    let x = self.vertices[*v as usize];
                    (x - nearest(&[a, b], &x)).norm() > limit
                };
                if ends.len() < 4 || inner.iter().any(off) {
                    inner.iter().for_each(|&v| is_kept[v as usize] = true);
                }
            }
            ends.iter().for_each(|&i| is_kept[turned[i] as usize] = true);
        }
        let mut faces = Vec::new();
        let mut starts = vec![0];
        for corners in self.faces() {
            faces.extend(corners.iter().filter(|&&v| is_kept[v as usize]));
            starts.push(faces.len() as u32);
        }
        (self.face_vertices, self.face_starts) = (faces, starts);
    }

    fn add_face(&mut self, triangles: &[[u32; 3]], group: &[usize]) {
        let mut border = BTreeSet::new();
        let mut area = Vec3::zeros();
        for &triangle in group {
            let [a, b, c] = triangles[triangle];
            area += flat::area(&self.vertices, [a, b, c]);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if !border.remove(&(to, from)) {
                    border.insert((from, to));
                }
            }
        }
        let normal = area.normalize();
        // The plane is above all vertices. A sliver has an arbitrary normal, and a plane through
        // its corners would cut the hull.
        let heights = self.vertices.iter().map(|x| normal.dot(x));
        let offset = heights.fold(f64::NEG_INFINITY, f64::max);
        let next: BTreeMap<u32, u32> = border.into_iter().collect();
        let mut at = next.keys().next().copied();
        for _ in 0..next.len() {
            let Some(v) = at else { break };
            self.face_vertices.push(v);
            at = next.get(&v).copied();
        }
        self.face_starts.push(self.face_vertices.len() as u32);
        self.planes.push(Plane { normal, offset });
    }

    fn find_edges(&mut self) {
        let mut faces = BTreeMap::new();
        for (face, corners) in self.faces().enumerate() {
            for (i, &a) in corners.iter().enumerate() {
                faces.insert((a, corners[(i + 1) % corners.len()]), face as u32);
            }
        }
        let edges = faces.iter().filter(|((a, b), _)| a < b);
        let edges = edges.filter_map(|(&(a, b), &face)| {
            let other = *faces.get(&(b, a))?;
            Some(Edge { ends: [a, b], faces: [face, other] })
        });
        self.edges = edges.collect();
        let is_gentle = |edge: &Edge| {
            let [m, n] = edge.faces.map(|face| self.planes[face as usize].normal);
            m.cross(&n).norm() < GENTLE
        };
        self.is_gentle = self.edges.iter().any(is_gentle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solid;
    use crate::solid::Geometry;
    use cloth_core::mix;

    #[test]
    fn all_points_are_below_all_faces_and_euler_holds() {
        let random =
            |k: u64| (mix(k.wrapping_mul(0x9e37_79b9)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        for count in [4, 10, 100, 400] {
            let point = |k: u64| Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2));
            let mut points: Vec<Vec3> = (0..count).map(|k| point(k + 77)).collect();
            if count == 100 {
                // A grid has many points in common planes and lines.
                points = (0..125)
                    .map(|k| Vec3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)))
                    .collect();
            }
            let (solid, frame) = Solid::hull(&points, 0.0, "points").unwrap();
            let Geometry::Hull(hull) = &solid.geometry else { panic!("a hull") };
            for x in &points {
                let own = frame.to_own(x);
                assert!(hull.planes.iter().all(|plane| plane.height(&own) < 1e-8));
            }
            let euler = hull.vertices.len() + hull.planes.len() - hull.edges.len();
            assert_eq!(euler, 2, "{count}");
            if count == 100 {
                assert_eq!(hull.planes.len(), 6);
            }
        }
    }
}

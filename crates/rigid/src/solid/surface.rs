//! Closed surfaces of triangles, searched with a tree of bounding boxes.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::solid::features::{Features, ends};
use cloth_core::Vec3;
use cloth_core::mesh::Mesh;

/// The largest number of triangles in a leaf.
const LEAF: usize = 4;

/// A closed mesh with its search tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedMesh {
    mesh: Mesh,
    /// Each edge once: its two vertices, and the sum of the unit normals of its two faces.
    edges: Vec<([u32; 2], Vec3)>,
    /// Angle-weighted normals of each triangle: three corners, three edges, the face. They tell on
    /// which side of the surface a point is (Bærentzen & Aanæs 2005).
    normals: Vec<[Vec3; 7]>,
    features: Features,
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

/// A bounding box of triangles. The left child follows its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    low: Vec3,
    high: Vec3,
    /// The triangles are `order[start..end]`.
    start: u32,
    end: u32,
    /// Index of the right child. It is 0 for a leaf.
    right: u32,
}

/// The point of a triangle that is nearest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The point, m.
    pub point: Vec3,
    /// Distance from the given point, m.
    pub distance: f64,
    /// The triangle.
    pub face: u32,
    /// The part of the triangle on which the point lies. 0 to 2: a corner. 3 to 5: the edge that
    /// starts at corner 0, 1 or 2. 6: the interior.
    pub feature: u8,
}

impl ClosedMesh {
    /// Triangles within `limit` (m) of one plane are a flat face.
    pub(super) fn new(mesh: Mesh, limit: f64) -> Self {
        let (normals, edges) = normals(&mesh);
        let features = Features::new(&mesh, limit);
        let order: Vec<u32> = (0..mesh.faces.len() as u32).collect();
        let mut closed = Self { mesh, edges, normals, features, nodes: Vec::new(), order };
        closed.build(0, closed.order.len());
        closed
    }

    /// The surface, `factor` times as large about the origin. Its normals stay.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.mesh.positions.iter_mut().for_each(|x| *x *= factor);
        scaled.features.planes.iter_mut().for_each(|plane| plane.offset *= factor);
        for node in &mut scaled.nodes {
            (node.low, node.high) = (node.low * factor, node.high * factor);
        }
        scaled
    }

    /// The triangles, in the own frame of the solid.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Its flat faces, sharp edges and corners.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Each edge once: its ends (m), and the sum of the unit normals of its two faces.
    pub fn edges(&self) -> impl Iterator<Item = ([Vec3; 2], &Vec3)> {
        self.edges.iter().map(|(ends, out)| (ends.map(|v| self.mesh.positions[v as usize]), out))
    }

    /// The unit normal of a triangle.
    pub fn normal(&self, face: u32) -> &Vec3 {
        &self.normals[face as usize][6]
    }

    /// Calls `visit` with the point nearest to `x` (m) of each triangle that may be within `radius`
    /// (m) of `x`. It may visit triangles that are farther away.
    pub fn near(&self, x: &Vec3, radius: f64, mut visit: impl FnMut(Nearest)) {
        let touches = |node: &Node| (x - x.sup(&node.low).inf(&node.high)).norm() <= radius;
        self.search(touches, |face| visit(self.nearest_on(face, x)));
    }

    /// The point of the surface nearest to `x`, and the signed distance of `x`, m. The distance is
    /// negative inside.
    pub fn signed_nearest(&self, x: &Vec3) -> (Nearest, f64) {
        let mut best = self.nearest_on(0, x);
        let mut stack: SmallVec<[u32; 64]> = SmallVec::from_slice(&[0]);
        while let Some(place) = stack.pop() {
            let node = &self.nodes[place as usize];
            if (x - x.sup(&node.low).inf(&node.high)).norm() > best.distance {
                continue;
            }
            if node.right == 0 {
                for &face in &self.order[node.start as usize..node.end as usize] {
                    let found = self.nearest_on(face, x);
                    // Among equal distances the lowest face wins, so the tree does not matter.
                    if (found.distance, found.face) < (best.distance, best.face) {
                        best = found;
                    }
                }
            } else {
                stack.push(node.right);
                stack.push(place + 1);
            }
        }
        let out = self.out(&best);
        let height = if out.dot(&(x - best.point)) < 0.0 { -best.distance } else { best.distance };
        (best, height)
    }

    /// The outward normal at a nearest point. Its length is arbitrary.
    pub fn out(&self, nearest: &Nearest) -> Vec3 {
        self.normals[nearest.face as usize][usize::from(nearest.feature)]
    }

    /// Calls `visit` with each face that may overlap the box from `low` to `high` (m).
    pub fn near_box(&self, low: &Vec3, high: &Vec3, visit: impl FnMut(u32)) {
        let touches =
            |node: &Node| (0..3).all(|i| node.low[i] <= high[i] && low[i] <= node.high[i]);
        self.search(touches, visit);
    }

    /// True if `found` is a local minimum of the distance to the surface. `others` are nearest
    /// points of triangles. Those of triangles around the edge or corner of `found` must be equal.
    pub fn is_nearest_around(&self, found: &Nearest, others: &[Nearest]) -> bool {
        let shared = self.feature_of(found);
        others.iter().all(|other| {
            let face = &self.mesh.faces[other.face as usize];
            !shared.iter().all(|v| face.contains(v))
                || (other.point - found.point).norm() <= 1e-9 * found.distance
        })
    }

    /// The vertices of the corner, edge or face on which a nearest point lies.
    fn feature_of(&self, found: &Nearest) -> SmallVec<[u32; 3]> {
        let face = self.mesh.faces[found.face as usize];
        match found.feature {
            corner @ 0..=2 => SmallVec::from_slice(&[face[usize::from(corner)]]),
            edge @ 3..=5 => {
                let at = usize::from(edge) - 3;
                SmallVec::from_slice(&[face[at], face[(at + 1) % 3]])
            }
            _ => SmallVec::from_slice(&face),
        }
    }

    fn corners(&self, face: u32) -> [Vec3; 3] {
        self.mesh.faces[face as usize].map(|v| self.mesh.positions[v as usize])
    }

    fn search(&self, touches: impl Fn(&Node) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack: SmallVec<[u32; 64]> = SmallVec::from_slice(&[0]);
        while let Some(place) = stack.pop() {
            let node = &self.nodes[place as usize];
            if !touches(node) {
                continue;
            }
            if node.right == 0 {
                self.order[node.start as usize..node.end as usize].iter().for_each(|&f| visit(f));
            } else {
                stack.push(node.right);
                stack.push(place + 1);
            }
        }
    }

    fn build(&mut self, start: usize, end: usize) {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for &face in &self.order[start..end] {
            for x in self.corners(face) {
                (low, high) = (low.inf(&x), high.sup(&x));
            }
        }
        let place = self.nodes.len();
        self.nodes.push(Node { low, high, start: start as u32, end: end as u32, right: 0 });
        if end - start <= LEAF {
            return;
        }
        let axis = (high - low).imax();
        let mut order = std::mem::take(&mut self.order);
        let key = |face: u32| self.corners(face).iter().map(|x| x[axis]).sum::<f64>();
        order[start..end].sort_by(|&a, &b| key(a).total_cmp(&key(b)));
        self.order = order;
        let middle = (start + end) / 2;
        self.build(start, middle);
        self.nodes[place].right = self.nodes.len() as u32;
        self.build(middle, end);
    }

    /// The point of a triangle that is nearest to `x` (Ericson 2005, section 5.1.5).
    fn nearest_on(&self, face: u32, x: &Vec3) -> Nearest {
        let [a, b, c] = self.corners(face);
        let found =
            |point: Vec3, feature| Nearest { point, distance: (x - point).norm(), face, feature };
        let (ab, ac) = (b - a, c - a);
        let (d1, d2) = (ab.dot(&(x - a)), ac.dot(&(x - a)));
        if d1 <= 0.0 && d2 <= 0.0 {
            return found(a, 0);
        }
        let (d3, d4) = (ab.dot(&(x - b)), ac.dot(&(x - b)));
        if d3 >= 0.0 && d4 <= d3 {
            return found(b, 1);
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return found(a + ab * (d1 / (d1 - d3)), 3);
        }
        let (d5, d6) = (ab.dot(&(x - c)), ac.dot(&(x - c)));
        if d6 >= 0.0 && d5 <= d6 {
            return found(c, 2);
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return found(a + ac * (d2 / (d2 - d6)), 5);
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return found(b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), 4);
        }
        let sum = va + vb + vc;
        found(a + ab * (vb / sum) + ac * (vc / sum), 6)
    }
}

/// Each edge once: its two vertices, and the sum of the unit normals of its two faces.
type Edges = Vec<([u32; 2], Vec3)>;

fn normals(mesh: &Mesh) -> (Vec<[Vec3; 7]>, Edges) {
    let corners = |face: &[u32; 3]| face.map(|v| mesh.positions[v as usize]);
    let of_face = |face: &[u32; 3]| {
        let [a, b, c] = corners(face);
        (b - a).cross(&(c - a)).normalize()
    };
    let faces: Vec<Vec3> = mesh.faces.iter().map(of_face).collect();
    let mut vertices = vec![Vec3::zeros(); mesh.positions.len()];
    let mut edges = BTreeMap::new();
    for (face, normal) in mesh.faces.iter().zip(&faces) {
        let x = corners(face);
        for i in 0..3 {
            let (u, v) = (x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]);
            let angle = libm::atan2(u.cross(&v).norm(), u.dot(&v));
            vertices[face[i] as usize] += normal * angle;
            *edges.entry(ends(face, i)).or_insert_with(Vec3::zeros) += normal;
        }
    }
    let of_features = |(face, normal): (&[u32; 3], &Vec3)| {
        let [a, b, c] = face.map(|v| vertices[v as usize]);
        let [p, q, r] = [0, 1, 2].map(|i| edges[&ends(face, i)]);
        [a, b, c, p, q, r, *normal]
    };
    (mesh.faces.iter().zip(&faces).map(of_features).collect(), edges.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::mesh::shapes::{Cuboid, ShapeKind};
    use cloth_core::mix;

    #[test]
    fn points_are_as_far_from_a_cube_as_the_closed_form_says() {
        let mesh = Cuboid { size_m: [2.0; 3], edge_m: Some(0.3) }.mesh();
        let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
        let closed = ClosedMesh::new(mesh, 1e-9);
        let random =
            |k: u64| (mix(k.wrapping_mul(0x9e37_79b9)) >> 11) as f64 / (1u64 << 51) as f64 - 2.0;
        for k in 0..500 {
            let own = Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2));
            let outside = (own.abs() - Vec3::repeat(1.0)).sup(&Vec3::zeros()).norm();
            let expected = if outside > 0.0 { outside } else { own.abs().max() - 1.0 };
            let (nearest, height) = closed.signed_nearest(&(own + middle));
            assert!((height - expected).abs() < 1e-12, "{own:?}: {height} {expected}");
            assert!((nearest.distance - height.abs()).abs() < 1e-15);
        }
    }
}

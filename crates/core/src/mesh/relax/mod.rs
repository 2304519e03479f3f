//! Better triangles for the same surface: edges are flipped, inner vertices are moved.
//!
//! A *feature* is an edge that must stay: at a boundary, a crease, the border of a group, or a seam of
//! the texture. Vertices on features stay too. All others move on the surface of the file, and their
//! texture coordinates with them, so only the triangulation changes.
//!
//! | step | |
//! |---|---|
//! | flip | an edge whose two opposite angles sum to more than half a turn (Delaunay, as in Lawson 1977) |
//! | move | a vertex to the mean of its neighbours, if the worst triangle around does not get worse |

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use smallvec::SmallVec;

use crate::mesh::obj::{Corner, ObjDocument};
use crate::mesh::obj_read::Lines;
use crate::mesh::triangulate::into_triangles;
use crate::mesh::{Faces, SurfaceMesh, Topology, nearest_point, normal, weights};
use crate::{FaceId, NONE, Result, Vec2, Vec3};

/// An edge whose faces meet at a larger angle is a crease, degrees.
pub const CREASE_DEG: f64 = 25.0;
/// Rounds of flips and moves.
const ROUNDS: usize = 40;
/// Triangles of at least this [`shape`] may get worse while a neighbour gets better.
const GOOD: f64 = 0.8;

/// What [`relax`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Relaxed {
    /// Edges flipped, each time counted.
    pub flips: usize,
    /// Vertices that moved.
    pub moved: usize,
}

/// The surface of `mesh` with better triangles. Vertices and faces keep their count, vertices on
/// features their place, and faces their groups. Polygons become triangles.
///
/// # Errors
/// As for [`SurfaceMesh::new`]: none of them is expected.
pub fn relax(mesh: &SurfaceMesh) -> Result<(SurfaceMesh, Relaxed)> {
    let mut sheet = Relaxing::new(mesh);
    let mut done = Relaxed::default();
    for _ in 0..ROUNDS {
        done.flips += sheet.flip_all();
        sheet.move_all();
    }
    done.flips += sheet.flip_all();
    done.moved = sheet.moved.iter().filter(|&&moved| moved).count();
    let document = sheet.into_document();
    let lines = Lines {
        file: "relaxed mesh".to_owned(),
        vertices: (1..).take(document.positions.len()).collect(),
        polygons: (1..).take(document.polygon_ends.len()).collect(),
        ..Lines::default()
    };
    Ok((SurfaceMesh::new(document, &lines, Faces::Manifold)?, done))
}

/// A mesh that changes, on the surface of the one that it was.
struct Relaxing {
    document: ObjDocument,
    corners: Vec<[Corner; 3]>,
    /// The group of each face.
    groups: Vec<u32>,
    topology: Topology,
    /// The surface as it was.
    before: Before,
    /// A face of `before` on which each vertex lies.
    place: Vec<FaceId>,
    is_fixed: Vec<bool>,
    moved: Vec<bool>,
}

impl Relaxing {
    fn new(mesh: &SurfaceMesh) -> Self {
        let document = into_triangles(mesh.document.clone());
        let corners: Vec<[Corner; 3]> = (document.corners.as_chunks::<3>().0).to_vec();
        let mut groups = Vec::with_capacity(corners.len());
        for (number, (_, polygons)) in (0..).zip(document.group_polygons()) {
            groups.resize(polygons.end, number);
        }
        let position = |corner: Corner| document.positions[corner.vertex as usize];
        let texture = |corner: Corner| document.texcoords.get(corner.texcoord as usize).copied();
        let before = Before {
            points: corners.iter().map(|face| face.map(position)).collect(),
            texture: corners.iter().map(|face| face.map(texture)).collect(),
            topology: mesh.topology.clone(),
            is_feature: Vec::new(),
        };
        let vertices = document.positions.len();
        let mut sheet = Self {
            corners,
            groups,
            topology: mesh.topology.clone(),
            before,
            place: vec![NONE; vertices],
            is_fixed: vec![false; vertices],
            moved: vec![false; vertices],
            document,
        };
        let is_feature: Vec<bool> =
            (0..sheet.topology.edges.len()).map(|edge| sheet.is_feature(edge)).collect();
        for (ends, _) in sheet.topology.edges.iter().zip(&is_feature).filter(|(_, is)| **is) {
            ends.iter().for_each(|&end| sheet.is_fixed[end as usize] = true);
        }
        for (face, corners) in (0..).zip(&sheet.corners) {
            corners.iter().for_each(|corner| sheet.place[corner.vertex as usize] = face);
        }
        sheet.before.is_feature = is_feature;
        sheet
    }

    fn points(&self, face: [Corner; 3]) -> [Vec3; 3] {
        face.map(|corner| self.document.positions[corner.vertex as usize])
    }

    /// Whether an edge must stay.
    fn is_feature(&self, edge: usize) -> bool {
        let [low, high] = self.topology.edge_faces[edge];
        if high == NONE || self.groups[low as usize] != self.groups[high as usize] {
            return true;
        }
        let [one, other] = [low, high].map(|face| self.corners[face as usize]);
        let texture = |corner: &Corner| self.document.texcoords.get(corner.texcoord as usize);
        let is_seam = one
            .iter()
            .any(|a| other.iter().any(|b| a.vertex == b.vertex && texture(a) != texture(b)));
        let [n, m] = [one, other].map(|face| normal(self.points(face)));
        is_seam || n.dot(&m) < libm::cos(CREASE_DEG.to_radians()) * n.norm() * m.norm()
    }

    /// Flips edges until the mesh is Delaunay, or for 20 passes. In a pass every face changes once.
    fn flip_all(&mut self) -> usize {
        let mut flips = 0;
        for _ in 0..20 {
            let mut is_changed = vec![false; self.corners.len()];
            let mut valence = vec![0_u32; self.document.positions.len()];
            self.topology.edges.iter().flatten().for_each(|&end| valence[end as usize] += 1);
            let before = flips;
            let mut added = HashSet::new();
            for edge in 0..self.topology.edges.len() {
                let faces = self.topology.edge_faces[edge];
                let is_free = faces[1] != NONE && faces.iter().all(|&f| !is_changed[f as usize]);
                // A vertex with three edges would lose one of them.
                let ends = self.topology.edges[edge];
                if !is_free || ends.iter().any(|&end| valence[end as usize] <= 3) {
                    continue;
                }
                let flipped = self.flipped(edge);
                if let Some(flipped) = flipped.filter(|[face, _]| added.insert(new_edge(face))) {
                    for (face, corners) in faces.into_iter().zip(flipped) {
                        self.corners[face as usize] = corners;
                        is_changed[face as usize] = true;
                    }
                    ends.iter().for_each(|&end| valence[end as usize] -= 1);
                    flips += 1;
                }
            }
            if flips == before || !self.find_edges() {
                break;
            }
        }
        flips
    }

    /// The two faces of `edge` with their other diagonal, if that is better.
    fn flipped(&self, edge: usize) -> Option<[[Corner; 3]; 2]> {
        let [low, high] = self.topology.edge_faces[edge].map(|face| face as usize);
        let opposite = |face: usize| {
            self.topology.face_edges[face].iter().position(|&other| other as usize == edge)
        };
        let (i, j) = (opposite(low)?, opposite(high)?);
        let [a, b, c] = [1, 2, 0].map(|next| self.corners[low][(i + next) % 3]);
        let d = self.corners[high][j];
        let [pa, pb, pc, pd] = [a, b, c, d].map(|it| self.points([it; 3])[0]);
        let angles = angle(pa - pc, pb - pc) + angle(pa - pd, pb - pd);
        if angles <= std::f64::consts::PI * (1.0 + 1e-9) || self.is_feature(edge) {
            return None;
        }
        let new = [[c, d, b], [d, c, a]];
        let old = normal([pa, pb, pc]) + normal([pb, pa, pd]);
        // The quadrilateral must be convex, and c and d must not be joined elsewhere.
        let is_upright = new.iter().all(|&face| normal(self.points(face)).dot(&old) > 0.0);
        let is_new = self.topology.edges.binary_search(&new_edge(&new[0])).is_err();
        (is_upright && is_new).then_some(new)
    }

    /// Finds the edges again; false if they are not those of a manifold, which no flip can cause.
    fn find_edges(&mut self) -> bool {
        let faces: Vec<_> = self.corners.iter().map(|face| face.map(|it| it.vertex)).collect();
        let found = Topology::new(&faces);
        found.map(|topology| self.topology = topology).is_ok()
    }

    /// Moves every free vertex once, in the order of their numbers.
    fn move_all(&mut self) {
        let mut around: Vec<SmallVec<[FaceId; 8]>> = vec![SmallVec::new(); self.place.len()];
        for (face, corners) in (0..).zip(&self.corners) {
            corners.iter().for_each(|corner| around[corner.vertex as usize].push(face));
        }
        for (vertex, faces) in around.iter().enumerate() {
            if !self.is_fixed[vertex] && !faces.is_empty() {
                self.move_one(vertex, faces);
            }
        }
    }

    /// Moves a vertex that `faces` meet at.
    fn move_one(&mut self, vertex: usize, faces: &[FaceId]) {
        let ring = |sheet: &Self| -> SmallVec<[[Vec3; 3]; 8]> {
            faces.iter().map(|&face| sheet.points(sheet.corners[face as usize])).collect()
        };
        let worst = |ring: &[[Vec3; 3]]| ring.iter().map(shape).fold(f64::INFINITY, f64::min);
        let (before, here) = (ring(self), self.document.positions[vertex]);
        // Each neighbour is in two faces.
        let count = faces.len() as f64;
        let target = (before.iter().flatten().sum::<Vec3>() - here * count) / (2.0 * count);
        let (place, point) = self.before.nearest(self.place[vertex], target);
        self.document.positions[vertex] = point;
        let after = ring(self);
        let side = normal(self.before.points[place as usize]);
        let is_upright = after.iter().all(|face| normal(*face).dot(&side) > 0.0);
        if is_upright && worst(&after) >= worst(&before).min(GOOD) {
            self.place[vertex] = place;
            self.moved[vertex] |= point != here;
        } else {
            self.document.positions[vertex] = here;
        }
    }

    /// The document with the present triangles, and texture coordinates of the vertices that moved.
    fn into_document(mut self) -> ObjDocument {
        // Whether vertices share a texture coordinate.
        let mut owners = vec![NONE; self.document.texcoords.len()];
        let mut is_shared = vec![false; owners.len()];
        for corner in self.corners.iter().flatten().filter(|corner| corner.texcoord != NONE) {
            let owner = &mut owners[corner.texcoord as usize];
            is_shared[corner.texcoord as usize] |= *owner != NONE && *owner != corner.vertex;
            *owner = corner.vertex;
        }
        let mut fresh = vec![NONE; self.moved.len()];
        for corner in self.corners.iter_mut().flatten() {
            let vertex = corner.vertex as usize;
            if !self.moved[vertex] || corner.texcoord == NONE {
                continue;
            }
            if fresh[vertex] == NONE {
                let texture =
                    self.before.texture_at(self.place[vertex], self.document.positions[vertex]);
                fresh[vertex] = match is_shared[corner.texcoord as usize] {
                    true => self.document.texcoords.len() as u32,
                    false => corner.texcoord,
                };
                match self.document.texcoords.get_mut(fresh[vertex] as usize) {
                    Some(known) => *known = texture,
                    None => self.document.texcoords.push(texture),
                }
            }
            corner.texcoord = fresh[vertex];
        }
        self.document.corners = self.corners.into_flattened();
        self.document
    }
}

fn new_edge(face: &[Corner; 3]) -> [u32; 2] {
    let [c, d] = [face[0].vertex, face[1].vertex];
    [c.min(d), c.max(d)]
}

fn angle(a: Vec3, b: Vec3) -> f64 {
    libm::atan2(a.cross(&b).norm(), a.dot(&b))
}

/// The surface of the file.
pub(super) struct Before {
    pub points: Vec<[Vec3; 3]>,
    pub texture: Vec<[Option<Vec2>; 3]>,
    pub topology: Topology,
    /// For each edge whether it is a feature.
    pub is_feature: Vec<bool>,
}

impl Before {
    /// The point of the surface near `target`, and its face: the walk from `face` leads downhill, and
    /// over no feature.
    pub fn nearest(&self, mut face: FaceId, target: Vec3) -> (FaceId, Vec3) {
        let distance = |point: Vec3| (target - point).norm_squared();
        let on = |face: FaceId| nearest_point(&self.points[face as usize], target);
        let mut point = on(face);
        loop {
            let neighbours = [0, 1, 2].into_iter().filter_map(|corner| {
                let edge = self.topology.face_edges[face as usize][corner];
                let is_open = !self.is_feature[edge as usize];
                is_open.then(|| self.topology.across(face, corner))
            });
            let nearer = neighbours.map(|next| (next, on(next)));
            let best = nearer.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            match best.filter(|best| distance(best.1) < distance(point)) {
                Some(best) => (face, point) = best,
                None => return (face, point),
            }
        }
    }

    /// The texture coordinate of a point of `face`.
    pub fn texture_at(&self, face: FaceId, point: Vec3) -> Vec2 {
        let (weights, uv) =
            (weights(&self.points[face as usize], point), self.texture[face as usize]);
        (0..3).map(|i| uv[i].unwrap_or_default() * weights[i]).sum()
    }
}

/// How well shaped a triangle is: area over the sum of squared sides, 1 if it is equilateral.
pub(super) fn shape(&[a, b, c]: &[Vec3; 3]) -> f64 {
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    normal([a, b, c]).norm() * 2.0 * 3.0_f64.sqrt() / squares
}

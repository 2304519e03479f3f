//! Flat faces, sharp edges and corners of a closed mesh. Contacts are looked for at these alone, so
//! that they do not depend on how a flat face is cut into triangles.

use std::collections::{BTreeMap, BTreeSet};

use crate::narrow::convex::{Edge, Plane};
use crate::shape::ALONG;
use crate::solid::flat;
use cloth_core::Vec3;
use cloth_core::mesh::Mesh;

/// No sharp edge.
const NONE: u32 = u32::MAX;

/// What is flat and what is sharp of a closed mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// The plane of each flat face. No corner of the face is above it.
    pub(super) planes: Vec<Plane>,
    /// The flat face of each triangle.
    face_of: Vec<u32>,
    /// Edges between two flat faces, and whether the solid is convex there.
    edges: Vec<(Edge, bool)>,
    /// The sharp edges of each triangle. Each edge is at one of its two triangles.
    edges_of: Vec<[u32; 3]>,
    /// The corners and edges of each triangle at which the solid is not convex, as bits. Their
    /// numbers are those of [`Nearest::feature`](super::Nearest::feature).
    hollow: Vec<u8>,
    /// Sharp edges of each vertex: `around[around_starts[v]..around_starts[v + 1]]`.
    around_starts: Vec<u32>,
    around: Vec<u32>,
    is_corner: Vec<bool>,
}

impl Features {
    /// Triangles within `limit` (m) of one plane are one face, see [`flat`].
    pub(super) fn new(mesh: &Mesh, limit: f64) -> Self {
        let groups = flat::groups(&mesh.positions, &mesh.faces, limit);
        let mut face_of = vec![0; mesh.faces.len()];
        let mut planes = Vec::with_capacity(groups.len());
        for (group, number) in groups.iter().zip(0..) {
            group.iter().for_each(|&triangle| face_of[triangle] = number);
            planes.push(plane(mesh, group));
        }
        let count = mesh.faces.len();
        let mut features = Self {
            planes,
            face_of,
            edges: Vec::new(),
            edges_of: vec![[NONE; 3]; count],
            hollow: vec![0; count],
            around_starts: Vec::new(),
            around: Vec::new(),
            is_corner: Vec::new(),
        };
        features.find_edges(mesh);
        features.find_hollows(mesh);
        let corners = (0..mesh.positions.len() as u32).map(|v| features.ends_edges(mesh, v));
        features.is_corner = corners.collect();
        features
    }

    fn find_edges(&mut self, mesh: &Mesh) {
        let mut first: BTreeMap<[u32; 2], (usize, usize)> = BTreeMap::new();
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (triangle, corners) in mesh.faces.iter().enumerate() {
            for i in 0..3 {
                let key = ends(corners, i);
                let Some((other, j)) = first.insert(key, (triangle, i)) else { continue };
                let faces = [other, triangle].map(|it| self.face_of[it]);
                if faces[0] == faces[1] {
                    continue;
                }
                // The other triangle begins at its edge, below the plane of this one if convex.
                let [x, y] =
                    [0, 1].map(|k| mesh.positions[mesh.faces[other][(j + k) % 3] as usize]);
                let [m, n] = faces.map(|it| self.planes[it as usize].normal);
                let is_convex = n.dot(&m.cross(&(y - x))) < 0.0;
                self.edges_of[other][j] = self.edges.len() as u32;
                key.iter().for_each(|&v| around[v as usize].push(self.edges.len() as u32));
                self.edges.push((Edge { ends: key, faces }, is_convex));
            }
        }
        self.around_starts.push(0);
        for edges in around {
            self.around.extend(edges);
            self.around_starts.push(self.around.len() as u32);
        }
    }

    /// True if sharp edges end at a vertex. They do not where one goes on straight between the same
    /// two faces.
    fn ends_edges(&self, mesh: &Mesh, vertex: u32) -> bool {
        let starts = &self.around_starts[vertex as usize..];
        let [a, b] = self.around[starts[0] as usize..starts[1] as usize] else {
            return starts[0] < starts[1];
        };
        let faces = [a, b].map(|edge| {
            let [m, n] = self.edges[edge as usize].0.faces;
            [m.min(n), m.max(n)]
        });
        let x = mesh.positions[vertex as usize];
        let along = self.around(vertex).map(|v| (mesh.positions[v as usize] - x).normalize());
        faces[0] != faces[1] || along.sum::<Vec3>().norm() > ALONG
    }

    fn find_hollows(&mut self, mesh: &Mesh) {
        let hollow: BTreeSet<[u32; 2]> =
            self.edges.iter().filter(|it| !it.1).map(|it| it.0.ends).collect();
        let at: BTreeSet<u32> = hollow.iter().flatten().copied().collect();
        for (bits, corners) in self.hollow.iter_mut().zip(&mesh.faces) {
            for i in 0..3 {
                *bits |= u8::from(at.contains(&corners[i])) << i;
                *bits |= u8::from(hollow.contains(&ends(corners, i))) << (3 + i);
            }
        }
    }

    /// The plane of each flat face.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The number and the plane of the flat face of a triangle.
    pub fn face(&self, triangle: u32) -> (u32, &Plane) {
        let face = self.face_of[triangle as usize];
        (face, &self.planes[face as usize])
    }

    /// True if the solid is not convex at this corner or edge of a triangle.
    pub fn is_hollow(&self, triangle: u32, feature: u8) -> bool {
        self.hollow[triangle as usize] >> feature & 1 == 1
    }

    /// The convex sharp edges.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|it| it.1).map(|it| &it.0)
    }

    /// The convex sharp edges of a triangle. Each edge of the mesh is at one triangle.
    pub fn edges_of(&self, triangle: u32) -> impl Iterator<Item = &Edge> {
        let edges = self.edges_of[triangle as usize].into_iter().filter(|&edge| edge != NONE);
        edges.map(|edge| &self.edges[edge as usize]).filter(|it| it.1).map(|it| &it.0)
    }

    /// True if a vertex is a corner.
    pub fn is_corner(&self, vertex: u32) -> bool {
        self.is_corner[vertex as usize]
    }

    /// The vertices at the other ends of the sharp edges of a vertex.
    pub fn around(&self, vertex: u32) -> impl ExactSizeIterator<Item = u32> {
        let starts = &self.around_starts[vertex as usize..];
        let edges = &self.around[starts[0] as usize..starts[1] as usize];
        edges.iter().map(move |&edge| {
            let [a, b] = self.edges[edge as usize].0.ends;
            if a == vertex { b } else { a }
        })
    }
}

/// The vertices of the edge that starts at corner `i`, the lower number first.
pub(super) fn ends(face: &[u32; 3], i: usize) -> [u32; 2] {
    let (a, b) = (face[i], face[(i + 1) % 3]);
    [a.min(b), a.max(b)]
}

/// The plane of a group of triangles. No corner is above it.
fn plane(mesh: &Mesh, group: &[usize]) -> Plane {
    let areas = group.iter().map(|&it| flat::area(&mesh.positions, mesh.faces[it]));
    let normal = areas.sum::<Vec3>().normalize();
    let heights = group
        .iter()
        .flat_map(|&it| mesh.faces[it])
        .map(|v| normal.dot(&mesh.positions[v as usize]));
    Plane { normal, offset: heights.fold(f64::NEG_INFINITY, f64::max) }
}

//! Corners, edges and flat faces of meshes and polytopes in space.

use smallvec::SmallVec;

use crate::Placed;
use crate::narrow::convex::{Convex, Edge};
use crate::shape::ALONG;
use crate::solid::{ClosedMesh, Nearest};
use cloth_core::Vec3;

/// A closed mesh in space.
#[derive(Clone, Copy)]
pub struct PlacedMesh<'a> {
    /// Its pose.
    pub placed: &'a Placed<'a>,
    /// Its surface.
    pub mesh: &'a ClosedMesh,
}

/// A flat face near a point.
#[derive(Debug, Clone, Copy)]
pub struct Above {
    /// Its number.
    pub face: u32,
    /// Unit normal, out of the solid.
    pub normal: Vec3,
    /// Signed distance of the point from the plane, m: above 0 outside.
    pub height: f64,
    /// How far beside the face the point is, m.
    pub aside: f64,
    /// True if the face ends there at an edge where the solid is not convex.
    pub is_hollow: bool,
}

/// A convex edge.
#[derive(Debug, Clone, Copy)]
pub struct Crest {
    /// Its ends, m.
    pub ends: [Vec3; 2],
    /// The unit normals of its two faces.
    pub normals: [Vec3; 2],
}

impl Crest {
    /// True if a direction across the edge is between the normals of its faces, or nearly so.
    pub fn has_between(&self, out: &Vec3) -> bool {
        let [m, n] = self.normals;
        // The directions from the edge into its faces.
        let into = [m * m.dot(&n) - n, n * m.dot(&n) - m];
        into.iter().all(|along| out.dot(along) <= ALONG * along.norm())
    }
}

/// A solid of flat faces. Points are in space, m.
pub trait Faceted {
    /// The unit direction out of the solid at `x`, and the signed distance of `x` from the surface
    /// (m, below 0 inside). `None` if the distance is above `most` (m).
    fn out_of(&self, x: &Vec3, most: f64) -> Option<(Vec3, f64)>;
    /// The parts of a segment inside the solid: start and end of each as fractions of the segment.
    fn inside(&self, segment: &[Vec3; 2]) -> SmallVec<[[f64; 2]; 2]>;
    /// Calls `visit` with each corner and its number.
    fn each_corner(&self, visit: &mut dyn FnMut(u32, &Vec3));
    /// The unit directions of the sharp edges from a corner.
    fn directions(&self, corner: u32) -> SmallVec<[Vec3; 8]>;
    /// Calls `visit` with each convex edge.
    fn each_edge(&self, visit: &mut dyn FnMut(&Crest));
    /// Calls `visit` with each convex edge that may be within `radius` (m) of a segment.
    fn edges_near(&self, segment: &[Vec3; 2], radius: f64, visit: &mut dyn FnMut(&Crest));
    /// Calls `visit` with each flat face whose nearest point may be within `radius` (m) of `x`, once
    /// or several times.
    fn faces_near(&self, x: &Vec3, radius: f64, visit: &mut dyn FnMut(Above));
}

impl Faceted for Convex<'_> {
    fn out_of(&self, x: &Vec3, most: f64) -> Option<(Vec3, f64)> {
        Convex::out_of(self, x, most)
    }

    fn inside(&self, segment: &[Vec3; 2]) -> SmallVec<[[f64; 2]; 2]> {
        self.clip(segment).into_iter().collect()
    }

    fn each_corner(&self, visit: &mut dyn FnMut(u32, &Vec3)) {
        self.vertices.iter().zip(0..).for_each(|(x, corner)| visit(corner, x));
    }

    fn directions(&self, corner: u32) -> SmallVec<[Vec3; 8]> {
        let ends = self.topology.edges.iter().map(|edge| edge.ends);
        let others = ends.filter_map(|[a, b]| match corner {
            _ if corner == a => Some(b),
            _ if corner == b => Some(a),
            _ => None,
        });
        let x = self.vertices[corner as usize];
        others.map(|other| (self.vertices[other as usize] - x).normalize()).collect()
    }

    fn each_edge(&self, visit: &mut dyn FnMut(&Crest)) {
        for edge in self.topology.edges {
            let normals = edge.faces.map(|face| self.planes[face as usize].normal);
            visit(&Crest { ends: self.ends(edge), normals });
        }
    }

    fn edges_near(&self, _: &[Vec3; 2], _: f64, visit: &mut dyn FnMut(&Crest)) {
        self.each_edge(visit);
    }

    fn faces_near(&self, x: &Vec3, radius: f64, visit: &mut dyn FnMut(Above)) {
        for (face, plane) in self.planes.iter().enumerate() {
            let height = plane.height(x);
            if height.abs() <= radius {
                let offset = x - self.nearest_on(face, x);
                let aside = (offset - plane.normal * height).norm();
                let (face, normal) = (face as u32, plane.normal);
                visit(Above { face, normal, height, aside, is_hollow: false });
            }
        }
    }
}

impl PlacedMesh<'_> {
    fn crest(&self, edge: &Edge) -> Crest {
        let normal = |face: u32| &self.mesh.features().planes()[face as usize].normal;
        Crest {
            ends: edge.ends.map(|v| self.placed.to_space(&self.mesh.mesh().positions[v as usize])),
            normals: edge.faces.map(|face| self.placed.rotation.transform_vector(normal(face))),
        }
    }
}

impl Faceted for PlacedMesh<'_> {
    fn out_of(&self, x: &Vec3, most: f64) -> Option<(Vec3, f64)> {
        let own = self.placed.to_own(x);
        let (found, height) = self.mesh.signed_nearest(&own);
        if height > most {
            return None;
        }
        let offset = if height > 0.0 { own - found.point } else { found.point - own };
        let out = if offset == Vec3::zeros() { self.mesh.out(&found) } else { offset }
            .try_normalize(0.0)?;
        Some((self.placed.rotation.transform_vector(&out), height))
    }

    fn inside(&self, segment: &[Vec3; 2]) -> SmallVec<[[f64; 2]; 2]> {
        let own = segment.map(|x| self.placed.to_own(&x));
        self.mesh.inside(&own)
    }

    fn each_corner(&self, visit: &mut dyn FnMut(u32, &Vec3)) {
        for (x, corner) in self.mesh.mesh().positions.iter().zip(0..) {
            if self.mesh.features().is_corner(corner) {
                visit(corner, &self.placed.to_space(x));
            }
        }
    }

    fn directions(&self, corner: u32) -> SmallVec<[Vec3; 8]> {
        let positions = &self.mesh.mesh().positions;
        let direction = |other: u32| {
            let along = positions[other as usize] - positions[corner as usize];
            self.placed.rotation.transform_vector(&along.normalize())
        };
        self.mesh.features().around(corner).map(direction).collect()
    }

    fn each_edge(&self, visit: &mut dyn FnMut(&Crest)) {
        self.mesh.features().edges().for_each(|edge| visit(&self.crest(edge)));
    }

    fn edges_near(&self, segment: &[Vec3; 2], radius: f64, visit: &mut dyn FnMut(&Crest)) {
        let [a, b] = segment.map(|x| self.placed.to_own(&x));
        let by = Vec3::repeat(radius);
        self.mesh.near_box(&(a.inf(&b) - by), &(a.sup(&b) + by), |triangle| {
            self.mesh.features().edges_of(triangle).for_each(|edge| visit(&self.crest(edge)));
        });
    }

    fn faces_near(&self, x: &Vec3, radius: f64, visit: &mut dyn FnMut(Above)) {
        let own = self.placed.to_own(x);
        self.mesh.near(&own, radius, |found: Nearest| {
            let (face, plane) = self.mesh.features().face(found.face);
            let height = plane.height(&own);
            let aside = (own - found.point - plane.normal * height).norm();
            let is_hollow = self.mesh.features().is_hollow(found.face, found.feature);
            let normal = self.placed.rotation.transform_vector(&plane.normal);
            visit(Above { face, normal, height, aside, is_hollow });
        });
    }
}

//! All cloths of a scene at rest, in one numbering: what their elements are made of.

use std::ops::Range;
use std::sync::Arc;

use crate::bodies::body::Attachment;
use crate::bodies::cloth::clamps::Clamps;
use crate::bodies::cloth::elements::air::AirDrag;
use crate::bodies::cloth::loads::add_extra_masses;
use crate::bodies::cloth::setup::{ClothSetup, Factors, RestTriangle};
use cloth_core::mesh::Topology;
use cloth_core::{FaceId, Vec3, VertexId};

/// How many times as stiff cloth gets beyond its strain limit.
pub const STIFFEST: f64 = 1023.0;

/// Mass of a vertex that has been welded to another one, kg. No face has it, and it needs a row of the
/// linear system.
const WITHOUT_FACE_KG: f64 = 1e-12;

/// All cloths at rest. Vertices and faces are numbered cloth after cloth.
pub struct RestCloths<'a> {
    /// The cloths of the scene.
    pub cloths: &'a [ClothSetup],
    /// Vertices of each cloth.
    pub ranges: Vec<Range<VertexId>>,
    /// All triangles.
    pub faces: Vec<[VertexId; 3]>,
    /// The cloth of each triangle.
    pub cloth_of_face: Arc<[u16]>,
    /// Edges of all triangles.
    pub topology: Topology,
    /// Rest positions, each cloth in its own coordinates, m.
    pub positions: Vec<Vec3>,
    /// Lumped mass of each vertex with its extra mass, kg.
    pub masses: Vec<f64>,
    /// Faces that pins or bodies hold.
    pub clamps: Clamps,
    /// Drag of the air.
    pub air: AirDrag,
    /// The longest step, s.
    pub step_s: f64,
}

impl<'a> RestCloths<'a> {
    /// Numbers `cloths`, for steps of `step_s` (s) at most. Bodies hold the `attached` vertices.
    pub fn new(
        cloths: &'a [ClothSetup],
        attached: &[Attachment],
        air: AirDrag,
        step_s: f64,
    ) -> Self {
        let (mut ranges, mut cloth_of_face) = (Vec::new(), Vec::new());
        let (mut faces, mut positions) = (Vec::new(), Vec::<Vec3>::new());
        let mut topology = Topology::default();
        for (index, cloth) in cloths.iter().enumerate() {
            let first = positions.len() as VertexId;
            positions.extend_from_slice(&cloth.rest);
            ranges.push(first..positions.len() as VertexId);
            topology.append(&cloth.topology, first, faces.len() as u32);
            faces.extend(cloth.faces.iter().map(|face| face.map(|v| v + first)));
            cloth_of_face.resize(faces.len(), index as u16);
        }
        let mut masses = lumped_masses(cloths, &faces, positions.len());
        add_extra_masses(cloths, &ranges, &mut masses);
        masses.iter_mut().filter(|mass| **mass == 0.0).for_each(|mass| *mass = WITHOUT_FACE_KG);
        let cloth_of_face = cloth_of_face.into();
        let clamps = Clamps::new(cloths, &ranges, attached, &faces);
        Self {
            cloths,
            ranges,
            faces,
            cloth_of_face,
            topology,
            positions,
            masses,
            clamps,
            air,
            step_s,
        }
    }

    /// The rest shape of each triangle in its own plane.
    pub fn planes(&self) -> impl Iterator<Item = &RestTriangle> {
        self.cloths.iter().flat_map(|cloth| &cloth.rest_planes)
    }

    /// The factor of each triangle in the list that `of` chooses.
    pub fn factors(&self, of: fn(&Factors) -> &Vec<f64>) -> impl Iterator<Item = f64> {
        self.cloths.iter().flat_map(move |cloth| {
            let factors = of(&cloth.factors);
            (0..cloth.faces.len()).map(|face| factors.get(face).copied().unwrap_or(1.0))
        })
    }

    /// The edges that are folded at rest, sorted, and their angles, rad.
    pub fn folds(&self) -> impl Iterator<Item = ([VertexId; 2], f64)> {
        let cloths = self.cloths.iter().zip(&self.ranges);
        cloths.flat_map(|(cloth, range)| {
            let number = |edge: [u32; 2]| edge.map(|vertex| vertex + range.start);
            cloth.folds.iter().map(move |&(edge, angle)| (number(edge), angle))
        })
    }

    /// The vertices that others have become, rising.
    pub fn sewn(&self) -> impl Iterator<Item = VertexId> {
        let cloths = self.cloths.iter().zip(&self.ranges);
        cloths.flat_map(|(cloth, range)| cloth.sewn.iter().map(|vertex| vertex + range.start))
    }

    /// One value of each cloth.
    pub fn by_cloth<T>(&self, value: impl Fn(&ClothSetup) -> T) -> ByCloth<T> {
        let values = self.cloths.iter().map(value).collect();
        ByCloth { cloth_of_face: self.cloth_of_face.clone(), values }
    }
}

/// A value of each cloth, to be looked up by face.
pub struct ByCloth<T> {
    cloth_of_face: Arc<[u16]>,
    values: Vec<T>,
}

impl<T> ByCloth<T> {
    /// The value of the cloth of `face`.
    #[inline]
    pub fn of(&self, face: FaceId) -> &T {
        &self.values[self.cloth_of_face[face as usize] as usize]
    }
}

/// About the largest entry of the stiffness of a cloth, N/m: of its membranes, and of its hinges
/// between triangles of mean area. Where factors differ, those of its stiffest place.
pub fn size_n_per_m(cloth: &ClothSetup) -> f64 {
    let (membrane, bending) = (&cloth.material.membrane, &cloth.material.bending);
    let areas: f64 = cloth.rest_planes.iter().map(RestTriangle::area).sum();
    let mean_area = areas / cloth.rest_planes.len().max(1) as f64;
    let most = |factors: &[f64]| factors.iter().copied().reduce(f64::max).unwrap_or(1.0);
    let bending = bending.largest() / mean_area.max(f64::MIN_POSITIVE);
    // Blocks may be 2^6 times this size.
    let limit = if cloth.material.strain_limit.is_some() { (STIFFEST + 1.0) / 64.0 } else { 1.0 };
    limit * membrane.largest() * most(&cloth.factors.stiffness)
        + bending * most(&cloth.factors.bending)
}

/// A third of each triangle's mass goes to each corner.
fn lumped_masses(cloths: &[ClothSetup], faces: &[[VertexId; 3]], vertices: usize) -> Vec<f64> {
    let mut masses = vec![0.0; vertices];
    let of_cloths = cloths.iter().flat_map(|cloth| {
        let (density, factors) = (cloth.material.density_kg_per_m2, &cloth.factors.density);
        let planes = cloth.rest_planes.iter().enumerate();
        planes.map(move |(face, plane)| match factors.get(face) {
            Some(factor) => density * factor * plane.area() / 3.0,
            None => density * plane.area() / 3.0,
        })
    });
    for (face, corner_mass) in faces.iter().zip(of_cloths) {
        for &vertex in face {
            masses[vertex as usize] += corner_mass;
        }
    }
    masses
}

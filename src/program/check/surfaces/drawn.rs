//! The triangles that a viewer draws: quadrilaterals that it cuts the other way, and vertices of
//! seams that have become one.
//!
//! A viewer cuts a quadrilateral from its first to its third corner, as the simulation does.
//! Blender takes the other diagonal where the quadrilateral is folded by more than 90 degrees about
//! this one. Its rule was read in `is_quad_flip_v3_first_third_fast` and tried with Blender 4.2 and
//! 5.0.

use std::collections::HashMap;

use cloth_bodies::bodies::weld::Welds;
use cloth_core::math::Vec3;
use cloth_core::mesh::{ObjDocument, Topology};

use crate::program::check::surfaces::CheckedRun;
use crate::verify::{Moves, Surface, Surfaces};

/// A quadrilateral of an object, with the two triangles of the simulation.
#[derive(Debug, Clone, Copy)]
pub struct Quad {
    /// Its corners, numbered in the object. The simulation cuts from the first to the third.
    pub corners: [u32; 4],
    /// Its triangles, by their place among the faces of the object.
    faces: [usize; 2],
}

impl Quad {
    /// The quadrilaterals of `document`, whose triangles are `faces`.
    pub fn all(document: &ObjDocument, faces: &[[u32; 3]]) -> Vec<Self> {
        let places: HashMap<_, _> = faces.iter().enumerate().map(|(i, &face)| (face, i)).collect();
        let quad = |polygon| {
            let corners = document.corners[document.polygon(polygon)].iter();
            let corners = Vec::from_iter(corners.map(|corner| corner.vertex));
            let &[a, b, c, d] = corners.as_slice() else { return None };
            let faces = [*places.get(&[a, b, c])?, *places.get(&[a, c, d])?];
            Some(Self { corners: [a, b, c, d], faces })
        };
        (0..document.polygon_ends.len()).filter_map(quad).collect()
    }

    /// The angle between the normals of its triangles, degrees. Vertices are at `x`, m.
    fn fold_deg(&self, x: &[Vec3]) -> f64 {
        let [a, b, c, d] = self.corners.map(|corner| x[corner as usize]);
        let [one, other] = [(b - a).cross(&(c - a)), (c - a).cross(&(d - a))];
        one.cross(&other).norm().atan2(one.dot(&other)).to_degrees()
    }
}

/// A quadrilateral that is folded by more than 90 degrees.
#[derive(Debug, Clone, Copy)]
pub struct Folded {
    /// Its place among the objects.
    pub object: usize,
    /// The quadrilateral.
    pub quad: Quad,
    /// The angle, degrees.
    pub angle_deg: f64,
}

/// The quadrilaterals of `run` that are folded by more than 90 degrees. Vertices are at `x`, m.
pub fn folded(run: &CheckedRun, x: &[Vec3]) -> Vec<Folded> {
    let mut all = Vec::new();
    for (number, (object, surface)) in run.objects.iter().zip(&run.surfaces.list).enumerate() {
        let x = &x[surface.vertices()];
        let angle = |&quad: &Quad| Folded { object: number, quad, angle_deg: quad.fold_deg(x) };
        all.extend(object.quads.iter().map(angle).filter(|folded| folded.angle_deg > 90.0));
    }
    all
}

/// `surfaces` with the `folded` quadrilaterals cut from their second to their fourth corner.
pub fn with_other_cuts(surfaces: &Surfaces, folded: &[Folded], x: &[Vec3]) -> Surfaces {
    let mut drawn = surfaces.clone();
    for of_object in folded.chunk_by(|a, b| a.object == b.object) {
        let surface = &mut drawn.list[of_object[0].object];
        let mut faces = Vec::from_iter(surface.faces.iter().copied());
        for Quad { corners, faces: [one, other] } in of_object.iter().map(|it| it.quad) {
            let [a, b, c, d] = corners.map(|corner| corner + surface.first_vertex);
            (faces[one], faces[other]) = ([a, b, d], [b, c, d]);
        }
        replace_faces(surface, &faces, x);
    }
    drawn
}

/// The vertices of seams that weld and are at the same place with cloth at `x` (m), as one. None if
/// there are none.
pub fn welds(run: &CheckedRun, x: &[Vec3]) -> Option<Welds> {
    let stitches = run.seams.iter().filter(|seam| seam.welds).flat_map(|seam| &seam.stitches);
    let pairs = stitches.map(|stitch| stitch.vertices);
    let is_one = |&[a, b]: &[u32; 2]| x[a as usize] == x[b as usize];
    let pairs = Vec::from_iter(pairs.filter(is_one));
    (!pairs.is_empty()).then(|| Welds::new(x.len(), pairs))
}

/// `surfaces` of cloth after `welds`.
pub fn with_welds(surfaces: &Surfaces, welds: &Welds, x: &[Vec3]) -> Surfaces {
    let mut welded = surfaces.clone();
    for surface in welded.list.iter_mut().filter(|it| it.moves == Moves::Deforms) {
        let faces = surface.faces.iter().map(|face| face.map(|vertex| welds.of(vertex)));
        let faces = Vec::from_iter(faces);
        replace_faces(surface, &faces, x);
    }
    welded
}

/// Gives a surface other `faces`, over the vertices of all surfaces.
fn replace_faces(surface: &mut Surface, faces: &[[u32; 3]], x: &[Vec3]) {
    let first = surface.first_vertex;
    let faces = Vec::from_iter(faces.iter().map(|face| face.map(|vertex| vertex - first)));
    let (topology, x) = (Topology::of_any(&faces), &x[surface.vertices()]);
    *surface = Surface::new(first, &faces, &topology, x, None, surface.moves);
}

//! Cloth that is crushed in its plane instead of folded.

use std::iter::zip;

use cloth_core::math::Vec3;
use cloth_step::Model;

use crate::program::output::{ClothFrameRecord, CrushRecord, StrainRecord};
use crate::program::words::significant;

/// Strain from which on an edge is crushed. Cloth folds far below it.
const STRAIN: f64 = -0.2;
/// The largest angle of the hinges around an edge that is flat, rad. Folds grow out of it within a few
/// steps, unless nothing pushes cloth out of its plane.
const FLAT: f64 = 1e-6;

/// Warns of the first crushed edge of a run.
#[derive(Debug, Default)]
pub struct Crush {
    warned: bool,
}

impl Crush {
    /// Adds a frame. Returns a warning if cloth is crushed in it for the first time in the run.
    pub fn add(&mut self, frame: &ClothFrameRecord) -> Option<String> {
        let CrushRecord { cloth, edge } = frame.part.crushed.as_ref().filter(|_| !self.warned)?;
        self.warned = true;
        let ([x, y, z], percent) = (edge.at_m, significant(-100.0 * edge.strain));
        Some(format!(
            "warning: frame {}: `{cloth}` is crushed in its plane by {percent} % at ({x:.4}, {y:.4}, {z:.4}) \
             m instead of folded; give it an imperfection of the start (imperfection_m), smaller \
             triangles, or more time",
            frame.frame
        ))
    }
}

/// The edge of the smallest strain of those that are crushed in the plane of their cloth, if cloth
/// vertices are at `x` (m).
pub fn crushed(model: &Model, x: &[Vec3]) -> Option<CrushRecord> {
    let sheet = &model.cloth.elements.bending.sheet;
    let strain =
        |&([a, b], rest): &([u32; 2], f64)| (x[a as usize] - x[b as usize]).norm() / rest - 1.0;
    let edges = zip(model.edges.iter().copied(), model.rest_lengths.iter().copied());
    if edges.clone().all(|edge| strain(&edge) > STRAIN) {
        return None;
    }
    let angles = sheet.angles(x);
    let mut hinges = sheet.hinges.iter().peekable();
    let mut worst: Option<(f64, [u32; 2])> = None;
    for edge in edges {
        // Edges without a hinge are those of the boundary.
        let own =
            hinges.next_if(|it| edge.0.iter().all(|vertex| it.vertices[..2].contains(vertex)));
        let Some(hinge) = own else { continue };
        let mut around = hinge.faces.iter().flat_map(|&face| sheet.face_hinges[face as usize]);
        let is_flat = around.all(|it| angles.get(it as usize).is_none_or(|it| it.abs() < FLAT));
        let least = worst.map_or(STRAIN, |(least, _)| least);
        if is_flat && strain(&edge) < least {
            worst = Some((strain(&edge), edge.0));
        }
    }
    let (strain, [a, b]) = worst?;
    let cloth = model.cloth_ends.partition_point(|&end| end <= a);
    let at_m = ((x[a as usize] + x[b as usize]) / 2.0).into();
    Some(CrushRecord { cloth: model.names[cloth].clone(), edge: StrainRecord { strain, at_m } })
}

//! The energy of the bending of a patch's faces. A hinge of two of them is evaluated once.

use crate::bodies::cloth::elements::bending::hinge::hinge_angle;
use crate::bodies::cloth::elements::bending::sheet::HingedSheet;
use crate::ids::{FaceId, NONE};
use crate::math::Vec3;

/// The faces of a patch and their hinges.
pub struct BendingMeter {
    /// Rising.
    hinges: Vec<u32>,
    /// Their angles beyond the rest angles, rad, and a zero.
    deviations: Vec<f64>,
    /// Each face, with the places of its hinges in `deviations`.
    faces: Vec<(FaceId, [u32; 3])>,
}

impl BendingMeter {
    /// For `faces` of `sheet`.
    pub fn new(sheet: &HingedSheet, faces: &[FaceId]) -> Self {
        let hinges_of = |face: FaceId| sheet.triangles[face as usize].hinges;
        let mut hinges = Vec::from_iter(faces.iter().flat_map(|&face| hinges_of(face)));
        hinges.retain(|&hinge| hinge != NONE);
        hinges.sort_unstable();
        hinges.dedup();
        // The edge of a sheet has the place of the zero.
        let place = |hinge: u32| hinges.binary_search(&hinge).unwrap_or(hinges.len()) as u32;
        let faces = faces.iter().map(|&face| (face, hinges_of(face).map(place))).collect();
        Self { deviations: vec![0.0; hinges.len() + 1], hinges, faces }
    }

    /// The energy (J) of the faces at positions `x` (m).
    pub fn energy(&mut self, sheet: &HingedSheet, x: &[Vec3]) -> f64 {
        for (deviation, &hinge) in self.deviations.iter_mut().zip(&self.hinges) {
            let hinge = &sheet.hinges[hinge as usize];
            *deviation = hinge.deviation(hinge_angle(hinge.gather(x)));
        }
        let of_face = |&(face, hinges): &(FaceId, [u32; 3])| {
            let deviations = hinges.map(|place| self.deviations[place as usize]);
            sheet.triangles[face as usize].energy(deviations)
        };
        self.faces.iter().map(of_face).sum()
    }
}

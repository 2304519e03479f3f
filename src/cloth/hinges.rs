//! Hinge angles of one rank and the moments that follow from them.

use crate::cloth::assembly::StepInputs;
use crate::cloth::bending::hinge_angles_and_gradients;
use crate::cloth::model::ClothModel;
use crate::cloth::scatter::{HingeScatter, own_patch};
use crate::ids::NONE;
use crate::math::Vec3;
use crate::partition::Layout;
use crate::threads::{ByPatch, Threads};

/// A hinge in the present state.
#[derive(Debug, Clone, Copy)]
pub(super) struct HingeValue {
    /// Angle beyond the rest angle, rad.
    pub deviation: f64,
    /// Rate of the angle, rad/s.
    pub rate: f64,
    /// Derivative of the angle by its four vertices, rad/m.
    pub gradient: [Vec3; 4],
}

/// The hinges that the moments on a rank's rows depend on: those of all
/// triangles at a hinge that touches an own vertex.
pub(super) struct HingeValues {
    /// Rising hinge ids.
    hinges: Vec<u32>,
    /// Where the chunks of parallel evaluation begin.
    chunks: Vec<u32>,
    values: Vec<HingeValue>,
}

const HINGES_PER_CHUNK: usize = 256;

impl HingeValues {
    pub fn new(model: &ClothModel, layout: &Layout) -> Self {
        let bending = &model.bending;
        let mut needed: Vec<u32> = bending
            .hinges
            .iter()
            .filter(|hinge| hinge.vertices.iter().any(|&v| own_patch(layout, v).is_some()))
            .flat_map(|hinge| hinge.faces)
            .flat_map(|face| bending.triangles[face as usize].hinges)
            .filter(|&hinge| hinge != NONE)
            .collect();
        needed.sort_unstable();
        needed.dedup();
        let count = needed.len() as u32;
        let mut chunks: Vec<u32> = (0..count).step_by(HINGES_PER_CHUNK).collect();
        chunks.push(count);
        let none = HingeValue { deviation: 0.0, rate: 0.0, gradient: [Vec3::zeros(); 4] };
        Self { values: vec![none; needed.len()], hinges: needed, chunks }
    }

    /// Angles, rates and gradients at the start of the step.
    pub fn evaluate(&mut self, threads: &Threads, model: &ClothModel, inputs: &StepInputs) {
        let hinges = &self.hinges;
        let chunks = &self.chunks;
        let values = ByPatch::new(&mut self.values, chunks);
        threads.for_each_patch(values, 4, |chunk, values| {
            let ids = &hinges[chunks[chunk] as usize..];
            let (pairs, last) = values.data.as_chunks_mut::<2>();
            for (values, ids) in pairs.iter_mut().zip(ids.chunks_exact(2)) {
                evaluate_batch(values, &[ids[0], ids[1]], model, inputs);
            }
            if let ([value], Some(&id)) = (last, ids.get(2 * pairs.len())) {
                evaluate_batch(std::array::from_mut(value), &[id], model, inputs);
            }
        });
    }

    pub fn get(&self, value: u32) -> &HingeValue {
        &self.values[value as usize]
    }

    /// Where `hinge` stands here, and the hinges of its triangles.
    pub fn scatter(&self, model: &ClothModel, hinge: u32, rows: [u32; 4]) -> HingeScatter {
        let place = |hinge| self.hinges.binary_search(&hinge).map_or(NONE, |at| at as u32);
        let faces = model.bending.hinges[hinge as usize].faces;
        let triangle_values =
            faces.map(|face| model.bending.triangles[face as usize].hinges.map(place));
        HingeScatter { hinge, rows, value: place(hinge), triangle_values }
    }

    /// Moment of a hinge with its damping, N m.
    pub fn moment(&self, model: &ClothModel, item: &HingeScatter) -> f64 {
        let hinge = &model.bending.hinges[item.hinge as usize];
        let mut moment = 0.0;
        for side in 0..2 {
            let face = hinge.faces[side] as usize;
            let beta = model.stiffness_damping[model.cloth_of_face[face] as usize];
            let triangle = &model.bending.triangles[face];
            let bend = item.triangle_values[side].map(|value| match value {
                NONE => 0.0,
                value => self.get(value).deviation + beta * self.get(value).rate,
            });
            let corner = triangle.hinges.iter().position(|&h| h == item.hinge).unwrap_or(0);
            moment += triangle.moments(bend)[corner];
        }
        moment
    }
}

/// Angles, rates and gradients of L hinges.
fn evaluate_batch<const L: usize>(
    values: &mut [HingeValue; L],
    ids: &[u32; L],
    model: &ClothModel,
    inputs: &StepInputs,
) {
    let hinges = ids.map(|id| &model.bending.hinges[id as usize]);
    let x = hinges.map(|hinge| hinge.vertices.map(|v| inputs.x[v as usize]));
    let batch = hinge_angles_and_gradients(x);
    for (i, (angle, gradient)) in batch.into_iter().enumerate() {
        let v = hinges[i].vertices.map(|v| inputs.v[v as usize]);
        let rate = (gradient[0].dot(&v[0]) + gradient[1].dot(&v[1]))
            + (gradient[2].dot(&v[2]) + gradient[3].dot(&v[3]));
        values[i] = HingeValue { deviation: hinges[i].deviation(angle), rate, gradient };
    }
}

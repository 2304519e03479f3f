//! The present angles of one rank's hinges, and the moments that follow from them.

use crate::bodies::cloth::elements::bending::hinge::hinge_angles_and_gradients;
use crate::bodies::cloth::elements::bending::sheet::HingedSheet;
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::rest::ByCloth;
use crate::bodies::cloth::scatter::own_patch;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::partition::Layout;
use crate::threads::{ByPatch, Threads};

/// How a hinge moves its vertices in the present state.
#[derive(Debug, Clone, Copy)]
pub(super) struct HingeMotion {
    /// Rate of the angle, rad/s.
    pub rate: f64,
    /// Derivative of the angle by its four vertices, rad/m.
    pub gradient: [Vec3; 4],
}

/// How the moment of a hinge depends on the angles: one row of the assembled `M`.
pub(super) struct HingeMoment {
    /// The hinge's place among the rank's hinges.
    place: u32,
    /// Moment per own angle, N m.
    stiffness: f64,
    /// The places of the other hinges of both triangles, and the moment per their angle, N m.
    others: [(u32, f64); 4],
}

/// The hinges that the moments on a rank's rows depend on. A hinge that touches an own vertex
/// needs all hinges of its two triangles.
pub(super) struct HingeMotions {
    /// Rising hinge ids.
    ids: Vec<u32>,
    /// Where the chunks of parallel evaluation begin.
    chunks: Vec<u32>,
    /// Angle beyond the rest angle, plus damping time times its rate, rad.
    bends: Vec<f64>,
    motions: Vec<HingeMotion>,
}

const HINGES_PER_CHUNK: usize = 256;

impl HingeMotions {
    /// Room for the hinges of `sheet` that the rank with `layout` needs.
    pub fn new(sheet: &HingedSheet, layout: &Layout) -> Self {
        let mut ids: Vec<u32> = sheet
            .hinges
            .iter()
            .filter(|hinge| hinge.vertices.iter().any(|&v| own_patch(layout, v).is_some()))
            .flat_map(|hinge| hinge.faces)
            .flat_map(|face| sheet.triangles[face as usize].hinges)
            .filter(|&hinge| hinge != NONE)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.shrink_to_fit();
        let count = ids.len() as u32;
        let mut chunks: Vec<u32> = (0..count).step_by(HINGES_PER_CHUNK).collect();
        chunks.push(count);
        let still = HingeMotion { rate: 0.0, gradient: [Vec3::zeros(); 4] };
        Self { bends: vec![0.0; ids.len()], motions: vec![still; ids.len()], ids, chunks }
    }

    /// Angles, rates and gradients at the start of the step; `damping` in s.
    pub fn evaluate(
        &mut self,
        threads: &Threads,
        sheet: &HingedSheet,
        damping: &ByCloth<f64>,
        inputs: &StepInputs,
    ) {
        let (ids, chunks) = (&self.ids, &self.chunks);
        let slices =
            (ByPatch::new(&mut self.bends, chunks), ByPatch::new(&mut self.motions, chunks));
        threads.for_each_patch(slices, 4, |chunk, (bends, motions)| {
            let ids = &ids[chunks[chunk] as usize..][..bends.data.len()];
            let (pairs, last) = ids.as_chunks::<2>();
            let (bend_pairs, last_bend) = bends.data.as_chunks_mut::<2>();
            let (motion_pairs, last_motion) = motions.data.as_chunks_mut::<2>();
            for ((ids, bends), motions) in pairs.iter().zip(bend_pairs).zip(motion_pairs) {
                evaluate_batch(ids, sheet, damping, inputs, bends, motions);
            }
            if let ([id], [bend], [motion]) = (last, last_bend, last_motion) {
                let (bend, motion) = (std::array::from_mut(bend), std::array::from_mut(motion));
                evaluate_batch(&[*id], sheet, damping, inputs, bend, motion);
            }
        });
    }

    /// What the moment of `hinge` depends on: its own angle and those of the other hinges of its
    /// two triangles.
    pub fn moment_of(&self, sheet: &HingedSheet, hinge: u32) -> HingeMoment {
        let place = |hinge| self.ids.binary_search(&hinge).map_or(NONE, |at| at as u32);
        let own = place(hinge);
        let mut moment = HingeMoment { place: own, stiffness: 0.0, others: [(own, 0.0); 4] };
        let mut others = moment.others.iter_mut();
        for face in sheet.hinges[hinge as usize].faces {
            let triangle = &sheet.triangles[face as usize];
            let corner = triangle.hinges.iter().position(|&h| h == hinge).unwrap_or(0);
            for (other, stiffness) in triangle.hinges.into_iter().zip(triangle.row(corner)) {
                if other == hinge {
                    moment.stiffness += stiffness;
                } else if let (Some(entry), true) = (others.next(), other != NONE) {
                    *entry = (place(other), stiffness);
                }
            }
        }
        moment
    }

    /// The present motion of a hinge.
    pub fn of(&self, hinge: &HingeMoment) -> &HingeMotion {
        &self.motions[hinge.place as usize]
    }

    /// The present moment of a hinge with its damping, N m.
    #[inline]
    pub fn moment(&self, hinge: &HingeMoment) -> f64 {
        let mut moment = hinge.stiffness * self.bends[hinge.place as usize];
        for (place, stiffness) in hinge.others {
            moment += stiffness * self.bends[place as usize];
        }
        moment
    }
}

/// Angles, rates and gradients of L hinges.
#[inline]
fn evaluate_batch<const L: usize>(
    ids: &[u32; L],
    sheet: &HingedSheet,
    damping: &ByCloth<f64>,
    inputs: &StepInputs,
    bends: &mut [f64; L],
    motions: &mut [HingeMotion; L],
) {
    // Loops: closures given to array functions are not always inlined.
    let mut hinges = [&sheet.hinges[ids[0] as usize]; L];
    let mut x = [[Vec3::zeros(); 4]; L];
    for i in 0..L {
        hinges[i] = &sheet.hinges[ids[i] as usize];
        for (x, &vertex) in x[i].iter_mut().zip(&hinges[i].vertices) {
            *x = inputs.x[vertex as usize];
        }
    }
    let batch = hinge_angles_and_gradients(x);
    for i in 0..L {
        let (angle, gradient) = batch[i];
        let [a, b, c, d] = hinges[i].vertices;
        let v = |vertex: u32| &inputs.v[vertex as usize];
        let rate = (gradient[0].dot(v(a)) + gradient[1].dot(v(b)))
            + (gradient[2].dot(v(c)) + gradient[3].dot(v(d)));
        bends[i] = hinges[i].deviation(angle) + damping.of(hinges[i].faces[0]) * rate;
        motions[i] = HingeMotion { rate, gradient };
    }
}

//! Bending: the curvature of each triangle from the dihedral angles of its hinges.
//!
//! A hinge is an interior edge with its two faces. Its angle theta is 0 when flat, and positive if
//! the faces fold towards their front. On one triangle, a small curvature
//! `kappa = (k11, k22, 2 k12)` (material axes) makes the angles `theta = T kappa`. T is exact for
//! the three quadratics on the triangle's six vertices. The triangle's energy is the least that
//! its angles allow,
//!
//! `W = 1/2 dtheta^T M dtheta`, `M = A (T D^-1 T^T)^-1`, `dtheta = theta - theta_rest`,
//!
//! with one row of T for each hinge. Three rows give `M = A T^-T D T^-1`. At a boundary edge the
//! missing angle is free and transmits no moment. If every neighbour is the triangle's point
//! reflection, `T^-1` is the shape operator of Gingold et al. (2004) and Grinspun et al. (2006).
//! docs/methods.md, section 2, has more.

mod curvature;
mod hinge;
mod motions;
mod sheet;
mod treatment;

use crate::bodies::cloth::elements::Element;
use crate::bodies::cloth::elements::bending::motions::{HingeMoment, HingeMotions};
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::rest::{ByCloth, RestCloths, size_n_per_m};
use crate::bodies::cloth::scatter::PatchLists;
use crate::ids::{FaceId, NONE, VertexId};
use crate::linear::{Block, BlockStructure, PairSlot, PatchEquations, Quantum};
use crate::math::Vec3;
use crate::partition::Layout;
use crate::threads::Threads;

pub use hinge::{Hinge, hinge_angle, hinge_angle_and_gradient, hinge_angles_and_gradients};
pub use sheet::{CurvatureTriangle, HingedSheet};
pub use treatment::BendingTreatment;

/// The pairs of a hinge's vertices.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The hinges of all cloths.
pub struct Bending {
    /// Hinges and triangles.
    pub sheet: HingedSheet,
    /// How each hinge enters the linear system.
    pub treatments: Vec<BendingTreatment>,
    /// Damping proportional to stiffness, s.
    damping: ByCloth<f64>,
    /// The size of a cloth's blocks over `h^2`, N/m.
    size_n_per_m: ByCloth<f64>,
}

/// One rank's share of the hinges.
pub struct BendingShare {
    scatters: PatchLists<HingeScatter>,
    /// Where the blocks of implicit hinges go, in the order of [`PAIRS`].
    slots: Vec<[PairSlot; 6]>,
    motions: HingeMotions,
}

/// A hinge, its rows relative to the patch, and what its moment depends on.
struct HingeScatter {
    hinge: u32,
    rows: [u32; 4],
    /// The place of its slots; [`NONE`] if it is explicit.
    slots: u32,
    moment: HingeMoment,
}

impl Bending {
    /// How many hinges are implicit, and how many there are.
    pub fn implicit(&self) -> [usize; 2] {
        let implicit = self.treatments.iter().filter(|&&it| it == BendingTreatment::Implicit);
        [implicit.count(), self.treatments.len()]
    }
}

impl Element for Bending {
    type Share = BendingShare;
    type Meter = Vec<HingeMoment>;

    fn new(rest: &RestCloths) -> Self {
        let planes: Vec<_> = rest.planes().map(|plane| [plane.x1, plane.x2]).collect();
        let rigidity = rest.by_cloth(|cloth| cloth.material.bending);
        let stiffness = |face| *rigidity.of(face);
        let (faces, topology, x) = (&rest.faces, &rest.topology, &rest.positions);
        let sheet = HingedSheet::new(faces, topology, &planes, x, stiffness);
        let dampings = rest.cloths.iter().map(|cloth| cloth.material.stiffness_damping_s);
        let largest_damping = dampings.fold(0.0, f64::max);
        let treatments = sheet.treatments(x, &rest.masses, rest.step_s, largest_damping);
        let damping = rest.by_cloth(|cloth| cloth.material.stiffness_damping_s);
        Self { sheet, treatments, damping, size_n_per_m: rest.by_cloth(size_n_per_m) }
    }

    fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        let hinges = self.sheet.hinges.iter().zip(&self.treatments);
        let implicit = hinges.filter(|(_, it)| **it == BendingTreatment::Implicit);
        implicit.map(|(hinge, _)| &hinge.vertices[..])
    }

    fn share(&self, layout: &Layout, structure: &BlockStructure) -> BendingShare {
        let vertices: Vec<_> = self.sheet.hinges.iter().map(|hinge| hinge.vertices).collect();
        let motions = HingeMotions::new(&self.sheet, layout);
        let mut slots = Vec::new();
        let scatters = PatchLists::of_elements(layout, &vertices, |hinge, patch| {
            let vertices = &vertices[hinge as usize];
            let place = match self.treatments[hinge as usize] {
                BendingTreatment::Explicit => NONE,
                BendingTreatment::Implicit => {
                    slots.push(patch.slots(layout, structure, vertices, &PAIRS));
                    slots.len() as u32 - 1
                }
            };
            let moment = motions.moment_of(&self.sheet, hinge);
            HingeScatter { hinge, rows: patch.of(layout, vertices), slots: place, moment }
        });
        slots.shrink_to_fit();
        BendingShare { scatters, slots, motions }
    }

    /// Angles of the hinges, for the moments and energies of all patches.
    fn move_to(&self, share: &mut BendingShare, threads: &Threads, x: &[Vec3]) {
        share.motions.move_to(threads, &self.sheet, x);
    }

    /// The moments of all hinges whose first face is one of `faces`.
    fn meter(&self, share: &BendingShare, faces: &[FaceId]) -> Self::Meter {
        let of_face = |&face: &FaceId| {
            let hinges = self.sheet.triangles[face as usize].hinges.into_iter();
            let hinges = hinges.filter(|&hinge| hinge != NONE);
            hinges.filter(move |&hinge| self.sheet.hinges[hinge as usize].faces[0] == face)
        };
        let hinges = faces.iter().flat_map(of_face);
        hinges.map(|hinge| share.motions.moment_of(&self.sheet, hinge)).collect()
    }

    /// Half the sum of angle times moment: the same energy as that of the triangles, and cheaper.
    fn energy(&self, share: &BendingShare, meter: &Self::Meter, _x: &[Vec3]) -> f64 {
        meter.iter().map(|hinge| share.motions.energy(hinge)).sum()
    }

    /// Rates of the angles, for the moments of all patches.
    fn begin(&self, share: &mut BendingShare, threads: &Threads, inputs: &StepInputs) {
        share.motions.begin(threads, &self.sheet, &self.damping, inputs.v);
    }

    fn add(
        &self,
        share: &BendingShare,
        patch: usize,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        let h = inputs.h;
        for item in share.scatters.of(patch) {
            let hinge = &self.sheet.hinges[item.hinge as usize];
            let motion = share.motions.of(&item.moment);
            let moment = share.motions.moment(&item.moment);
            let treatment = self.treatments[item.hinge as usize];
            let impulse = treatment.impulse(hinge, moment, motion.rate, [h, inputs.ahead_s]);
            let [a, b, c, d] = motion.gradient;
            let rhs = [a * -impulse, b * -impulse, c * -impulse, d * -impulse];
            rows.add_forces(&item.rows, &rhs);
            if let Some(slots) = share.slots.get(item.slots as usize) {
                let beta = *self.damping.of(hinge.faces[0]);
                let scale = treatment.block_scale(hinge, h, beta);
                let size = self.size_n_per_m.of(hinge.faces[0]) * (h * h + h * beta);
                let axes = axes(&motion.gradient, scale, Quantum::new(size));
                for ((&slot, axis), [a, b]) in slots.iter().zip(axes).zip(PAIRS) {
                    let [a, b] = [&motion.gradient[a], &motion.gradient[b]];
                    rows.add_pair(slot, &Block::of_product(a, b, scale, axis).narrow());
                }
            }
        }
    }
}

/// The axes of the blocks `scale g_a g_b^T` of a hinge's [`PAIRS`]. The gradients `g` sum to zero, and
/// so must the axes of each row: those of the last three vertices are rounded, and the others follow.
#[inline(always)]
fn axes(g: &[Vec3; 4], scale: f64, quantum: Quantum) -> [Vec3; 6] {
    // (g_a g_b^T) u = g_a (g_b . u), whose skew part is half of u x (g_a x g_b).
    let axis = |a: usize, b: usize| quantum.round(g[b].cross(&g[a]) * (0.5 * scale));
    let (k12, k13, k23) = (axis(1, 2), axis(1, 3), axis(2, 3));
    let (k10, k20, k30) = (-(k12 + k13), k12 - k23, k13 + k23);
    [-k10, -k20, -k30, k12, k13, k23]
}

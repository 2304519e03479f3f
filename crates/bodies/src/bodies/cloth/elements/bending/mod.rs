//! Bending: a plate's curvature from the dihedral angles of its hinges.
//!
//! A hinge is an interior edge with its two faces. Its angle theta is 0 when flat, and positive if
//! the faces fold towards their front. Let `d = theta - theta_rest`. The energy is
//!
//! `W = 1/2 d^T S d`, `S = B^T diag(M_T) B`,
//!
//! with one constant, symmetric and sparse matrix. `M_T` is the stiffness of Morley's plate element
//! in the rotations of a triangle's edges. `B` gives these rotations: the two faces of a hinge share
//! its angle, `d_e / 2 + phi_e` and `d_e / 2 - phi_e`, and `phi_e` is a sum over the angles of the
//! hinges around, exact for quadratics. A boundary edge transmits no moment. docs/methods.md,
//! section 2, has the derivation.
//!
//! | file | |
//! |---|---|
//! | `hinge` | a hinge, its angle and gradient |
//! | `morley` | `M_T` |
//! | `unfold`, `fit` | the hinges around a hinge in one plane, and `phi_e` from their angles |
//! | `factors`, `rows` | S from its factors; a sparse matrix of hinges |
//! | `sheet` | all hinges with S, and the bounds that stability needs |
//! | `treatment` | how a hinge enters the linear system |
//! | `motions` | the present angles of one rank's hinges |

mod factors;
mod fit;
mod hinge;
mod morley;
mod motions;
mod rows;
mod sheet;
mod treatment;
mod unfold;

use crate::bodies::cloth::assembly::StepInputs;
use crate::bodies::cloth::elements::Element;
use crate::bodies::cloth::elements::bending::motions::HingeMotions;
use crate::bodies::cloth::rest::{ByCloth, RestCloths, size_n_per_m};
use crate::bodies::cloth::scatter::PatchLists;
use cloth_core::linear::{Block, BlockStructure, PairSlot, PatchEquations, Quantum};
use cloth_core::partition::Layout;
use cloth_core::{FaceId, NONE, Threads, Vec3, VertexId};
pub use factors::BendingFactors;
pub(in crate::bodies::cloth) use morley::edge_stiffness;
pub(in crate::bodies::cloth) use unfold::{beside, corner_opposite, counter_clockwise};

pub use hinge::{Hinge, hinge_angle, hinge_angle_and_gradient, hinge_angles_and_gradients};
pub use rows::HingeRows;
pub use sheet::HingedSheet;
pub use treatment::BendingTreatment;

/// The pairs of a hinge's vertices.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The hinges of all cloths.
pub struct Bending {
    /// Hinges and their stiffness.
    pub sheet: HingedSheet,
    /// How each hinge enters the linear system.
    pub treatments: Vec<BendingTreatment>,
    /// Damping proportional to stiffness, s.
    damping: ByCloth<f64>,
    is_damped: bool,
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

/// A hinge and its rows relative to the patch.
struct HingeScatter {
    hinge: u32,
    rows: [u32; 4],
    /// The place of its slots; [`NONE`] if it is explicit.
    slots: u32,
    /// Its place among the rank's motions.
    motion: u32,
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
    type Meter = Vec<u32>;

    fn new(rest: &RestCloths) -> Self {
        let planes: Vec<_> = rest.planes().map(|plane| [plane.x1, plane.x2]).collect();
        let rigidity = rest.by_cloth(|cloth| cloth.material.bending);
        let factors = Vec::from_iter(rest.factors(|factors| &factors.bending));
        let stiffness = |face: FaceId| rigidity.of(face).times(factors[face as usize]);
        let (faces, topology, x) = (&rest.faces, &rest.topology, &rest.positions);
        let held = rest.clamps.by_face(faces.len());
        let mut sheet = HingedSheet::with_clamps(faces, topology, &planes, x, stiffness, &held);
        let is_flat = rest.by_cloth(|cloth| cloth.is_flat);
        sheet.flatten(|face| *is_flat.of(face));
        let dampings = rest.cloths.iter().map(|cloth| cloth.material.stiffness_damping_s);
        let largest_damping = dampings.fold(0.0, f64::max);
        let folds = Vec::from_iter(rest.folds());
        for hinge in &mut sheet.hinges {
            if let Ok(place) = folds.binary_search_by_key(&hinge.edge(), |it| it.0) {
                hinge.rest_angle = folds[place].1;
            }
        }
        let mut treatments = sheet.treatments(x, &rest.masses, rest.step_s, largest_damping);
        let sewn = Vec::from_iter(rest.sewn());
        for (hinge, treatment) in sheet.hinges.iter().zip(&mut treatments) {
            if hinge.vertices.iter().any(|vertex| sewn.binary_search(vertex).is_ok()) {
                // The rest positions of its vertices do not show whether it is stable.
                *treatment = BendingTreatment::Implicit;
            }
        }
        let damping = rest.by_cloth(|cloth| cloth.material.stiffness_damping_s);
        let size_n_per_m = rest.by_cloth(size_n_per_m);
        Self { sheet, treatments, damping, is_damped: largest_damping > 0.0, size_n_per_m }
    }

    fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        let hinges = self.sheet.hinges.iter().zip(&self.treatments);
        let implicit = hinges.filter(|(_, it)| **it == BendingTreatment::Implicit);
        implicit.map(|(hinge, _)| &hinge.vertices[..])
    }

    fn share(&self, layout: &Layout, structure: &BlockStructure) -> BendingShare {
        let vertices: Vec<_> = self.sheet.hinges.iter().map(|hinge| hinge.vertices).collect();
        let motions = HingeMotions::new(&self.sheet, layout, self.is_damped);
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
            let motion = motions.place_of(hinge);
            HingeScatter { hinge, rows: patch.of(layout, vertices), slots: place, motion }
        });
        slots.shrink_to_fit();
        BendingShare { scatters, slots, motions }
    }

    /// Angles and moments of the hinges, for all patches.
    fn move_to(&self, share: &mut BendingShare, threads: &Threads, x: &[Vec3], clamps: usize) {
        share.motions.move_to(threads, &self.sheet, x, clamps);
    }

    /// The places of all hinges whose first face is one of `faces`.
    fn meter(&self, share: &BendingShare, faces: &[FaceId]) -> Self::Meter {
        let of_face = |&face: &FaceId| {
            let hinges = self.sheet.face_hinges[face as usize].into_iter();
            let hinges = hinges.filter(|&hinge| hinge != NONE);
            hinges.filter(move |&hinge| self.sheet.hinges[hinge as usize].faces[0] == face)
        };
        faces.iter().flat_map(of_face).map(|hinge| share.motions.place_of(hinge)).collect()
    }

    /// Half the sum of angle times moment.
    fn energy(&self, share: &BendingShare, meter: &Self::Meter, _x: &[Vec3]) -> f64 {
        meter.iter().map(|&hinge| share.motions.energy(hinge)).sum()
    }

    /// Rates of the angles, and the moments with damping.
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
            let motion = share.motions.of(item.motion);
            let moment = share.motions.moment(item.motion);
            let treatment = self.treatments[item.hinge as usize];
            let of_bound = inputs.stability.least_share;
            let times = [h, inputs.ahead_s];
            let impulse = treatment.impulse(hinge, of_bound, [moment, motion.rate], times);
            let [a, b, c, d] = motion.gradient;
            let rhs = [a * -impulse, b * -impulse, c * -impulse, d * -impulse];
            rows.add_forces(&item.rows, &rhs);
            if let Some(slots) = share.slots.get(item.slots as usize) {
                let beta = *self.damping.of(hinge.faces[0]);
                let scale = treatment.block_scale(hinge, of_bound, h, beta);
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

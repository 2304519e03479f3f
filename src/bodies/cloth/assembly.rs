//! The rows of cloth in the implicit step, assembled without communication.
//!
//! `A dv = b` with `A = M + h D + h^2 K` and `dv = v1 - v0` (docs/methods.md, section 4). Every
//! rank assembles its own rows; an element that straddles patches is evaluated
//! by each of them, so that a patch is the business of one thread alone. Within
//! a row, elements are added in the order of their global ids.

use crate::bodies::cloth::air::AirDrag;
use crate::bodies::cloth::bending::BendingTreatment;
use crate::bodies::cloth::hinges::Hinges;
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::membrane::MembraneTriangle;
use crate::bodies::cloth::model::ClothModel;
use crate::bodies::cloth::scatter::{HingeScatter, PatchLists, TriangleScatter};
use crate::linear::{BlockCsr, PatchEquations};
use crate::math::{Mat3, Vec3};
use crate::partition::Layout;
use crate::threads::Threads;

/// The elements that touch a rank's rows and where their blocks go.
pub struct Assembly {
    triangles: PatchLists<TriangleScatter>,
    hinge_scatters: PatchLists<HingeScatter>,
    /// Slots of the hinges' blocks, parallel to `hinge_scatters`; empty if bending is explicit.
    hinge_slots: Vec<[[u32; 4]; 4]>,
    hinges: Hinges,
}

impl Assembly {
    /// Sorts the elements of `model` to the patches of `layout`, to fill rows of `matrix`.
    pub fn new(model: &ClothModel, layout: &Layout, matrix: &BlockCsr) -> Self {
        let triangles = PatchLists::of_elements(layout, &model.faces, |triangle, patch| {
            let vertices = &model.faces[triangle as usize];
            TriangleScatter {
                triangle,
                rows: patch.of(layout, vertices),
                slots: patch.slots(layout, matrix, vertices),
            }
        });
        let hinge_vertices: Vec<_> = model.bending.hinges.iter().map(|h| h.vertices).collect();
        let hinges = Hinges::new(model, layout);
        let mut hinge_slots = Vec::new();
        let hinge_scatters = PatchLists::of_elements(layout, &hinge_vertices, |hinge, patch| {
            let vertices = &hinge_vertices[hinge as usize];
            if model.bending_treatment == BendingTreatment::DiagonalHinges {
                hinge_slots.push(patch.slots(layout, matrix, vertices));
            }
            hinges.scatter(model, hinge, patch.of(layout, vertices))
        });
        hinge_slots.shrink_to_fit();
        Self { triangles, hinge_scatters, hinge_slots, hinges }
    }

    /// Evaluates what several patches need, at the start of a step.
    pub fn begin(&mut self, threads: &Threads, model: &ClothModel, inputs: &StepInputs) {
        self.hinges.evaluate(threads, model, inputs);
    }

    /// Fills the rows of own patch `patch`: mass, gravity and damping, then the elements.
    pub fn fill(
        &self,
        patch: usize,
        model: &ClothModel,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        for row in 0..rows.nodes.len() {
            let vertex = rows.nodes[row] as usize;
            let (mass, damping) = (model.masses[vertex], inputs.h * model.damping_of(vertex));
            let rhs = (inputs.gravity * inputs.h - inputs.v[vertex] * damping) * mass;
            rows.set(row, rhs, Mat3::from_diagonal_element(mass * (1.0 + damping)));
        }
        self.add_triangles(patch, model, inputs, rows);
        self.add_hinges(patch, model, inputs, rows);
    }

    fn add_triangles(
        &self,
        patch: usize,
        model: &ClothModel,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        let (pairs, last) = self.triangles.of(patch).as_chunks::<2>();
        for pair in pairs {
            add_triangle_batch(&[&pair[0], &pair[1]], model, inputs, rows);
        }
        if let [item] = last {
            add_triangle_batch(&[item], model, inputs, rows);
        }
    }

    fn add_hinges(
        &self,
        patch: usize,
        model: &ClothModel,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        let h = inputs.h;
        for place in self.hinge_scatters.range(patch) {
            let item = &self.hinge_scatters.items[place];
            let hinge = &model.bending.hinges[item.hinge as usize];
            let motion = self.hinges.motion(item.place);
            let treatment = model.bending_treatment;
            let impulse = treatment.impulse(hinge, self.hinges.moment(item), motion.rate, h);
            let [a, b, c, d] = motion.gradient;
            let rhs = [a * -impulse, b * -impulse, c * -impulse, d * -impulse];
            if let Some(slots) = self.hinge_slots.get(place) {
                let scale = treatment.block_scale(hinge, h, model.beta_of(hinge.faces[0]));
                rows.add(&item.rows, slots, &rhs, |a, b| {
                    motion.gradient[a] * (motion.gradient[b] * scale).transpose()
                });
            } else {
                rows.add_forces(&item.rows, &rhs);
            }
        }
    }
}

/// Adds L triangles of one patch, and so of one cloth: membrane, and air on them.
fn add_triangle_batch<const L: usize>(
    items: &[&TriangleScatter; L],
    model: &ClothModel,
    inputs: &StepInputs,
    rows: &mut PatchEquations,
) {
    // Loops: closures given to array functions are not always inlined.
    let mut triangles = [&model.membranes[items[0].triangle as usize]; L];
    let mut x = [[Vec3::zeros(); 3]; L];
    let mut v = [[Vec3::zeros(); 3]; L];
    for i in 0..L {
        triangles[i] = &model.membranes[items[i].triangle as usize];
        for a in 0..3 {
            let vertex = triangles[i].vertices[a] as usize;
            (x[i][a], v[i][a]) = (inputs.x[vertex], inputs.v[vertex]);
        }
    }
    let cloth = model.cloth_of_face[items[0].triangle as usize] as usize;
    let (stiffness, beta) = (&model.membrane_stiffness[cloth], model.stiffness_damping[cloth]);
    let terms = MembraneTriangle::step_terms_of(triangles, stiffness, x, v, inputs.h, beta);
    for (item, terms) in items.iter().zip(&terms) {
        rows.add(&item.rows, &item.slots, &terms.rhs, |a, b| terms.block(a, b));
    }
    if model.air != AirDrag::default() {
        for (i, item) in items.iter().enumerate() {
            let (rhs, block) = model.air.step_terms(x[i], v[i], inputs.wind, inputs.h);
            for (a, rhs) in rhs.into_iter().enumerate() {
                rows.add_diagonal(item.rows[a], item.slots[a][a], rhs, block);
            }
        }
    }
}

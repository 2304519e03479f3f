//! One rank's rows of the implicit step, assembled without communication.
//!
//! `A dv = b` with `A = M + h D + h^2 K` and `dv = v1 - v0` (methods §4). Every
//! rank assembles its own rows; an element that straddles patches is evaluated
//! by each of them, so that a patch is the business of one thread alone. Within
//! a row, elements are added in the order of their global ids.

use crate::cloth::air::AirDrag;
use crate::cloth::bending::BendingTreatment;
use crate::cloth::contact_spring::ContactSpring;
use crate::cloth::hinges::Hinges;
use crate::cloth::inputs::StepInputs;
use crate::cloth::membrane::MembraneTriangle;
use crate::cloth::model::ClothModel;
use crate::cloth::scatter::{HingeScatter, PatchLists, TriangleScatter, own_patch};
use crate::ids::{NONE, VertexId};
use crate::linalg::{BlockCsr, BlockStructure};
use crate::math::{Mat3, Vec3};
use crate::partition::Layout;
use crate::threads::{ByPatch, Threads};

/// The elements that touch a rank's rows and where their blocks go.
pub struct Assembly {
    triangles: PatchLists<TriangleScatter>,
    hinge_scatters: PatchLists<HingeScatter>,
    /// Slots of the hinges' blocks, parallel to `hinge_scatters`; empty if bending is explicit.
    hinge_slots: Vec<[[u32; 4]; 4]>,
    hinges: Hinges,
    contacts: PatchLists<u32>,
}

impl Assembly {
    /// Sorts the elements of `model` to the patches of `layout`.
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
        let contacts =
            PatchLists { offsets: vec![0; layout.own_patches.len() + 1], items: Vec::new() };
        Self { triangles, hinge_scatters, hinge_slots, hinges, contacts }
    }

    /// Fills this rank's rows of `matrix` (kg) and `rhs` (own vertices, N s).
    pub fn assemble(
        &mut self,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        inputs: &StepInputs,
        matrix: &mut BlockCsr,
        rhs: &mut [Vec3],
    ) {
        self.hinges.evaluate(threads, model, inputs);
        self.sort_contacts(layout, inputs.contacts);
        let (structure, values) = matrix.split_mut();
        let pieces = (values, ByPatch::new(rhs, &layout.patch_offsets));
        threads.for_each_patch(pieces, 1, |patch, (values, rhs)| {
            let first = layout.patch_offsets[patch] as usize;
            let mut rows = PatchSystem {
                vertices: &layout.own[first..][..rhs.data.len()],
                first_row: first,
                first_slot: structure.block_offsets[patch] as usize,
                structure,
                values: values.data,
                rhs: rhs.data,
            };
            rows.begin(model, inputs);
            self.add_triangles(patch, model, inputs, &mut rows);
            self.add_hinges(patch, model, inputs, &mut rows);
            self.add_contacts(patch, inputs, &mut rows);
        });
    }

    fn add_triangles(
        &self,
        patch: usize,
        model: &ClothModel,
        inputs: &StepInputs,
        rows: &mut PatchSystem,
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
        rows: &mut PatchSystem,
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

    fn add_contacts(&self, patch: usize, inputs: &StepInputs, rows: &mut PatchSystem) {
        for &index in self.contacts.of(patch) {
            rows.add_contact(&inputs.contacts[index as usize], inputs.h);
        }
    }

    /// Lists for each patch the contacts with a vertex in it, in their order.
    fn sort_contacts(&mut self, layout: &Layout, contacts: &[ContactSpring]) {
        let lists = &mut self.contacts;
        lists.offsets.fill(0);
        for contact in contacts {
            for_own_patches(layout, contact, |patch| lists.offsets[patch] += 1);
        }
        let mut total = 0;
        for offset in &mut lists.offsets {
            total += *offset;
            *offset = total;
        }
        lists.items.resize(total as usize, 0);
        // Filling from the back turns each patch's end into its beginning.
        for (index, contact) in contacts.iter().enumerate().rev() {
            for_own_patches(layout, contact, |patch| {
                lists.offsets[patch] -= 1;
                lists.items[lists.offsets[patch] as usize] = index as u32;
            });
        }
    }
}

/// Adds L triangles of one patch, and so of one cloth: membrane, and air on them.
fn add_triangle_batch<const L: usize>(
    items: &[&TriangleScatter; L],
    model: &ClothModel,
    inputs: &StepInputs,
    rows: &mut PatchSystem,
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

/// Calls `visit` once for every own patch that has a vertex of `contact`.
fn for_own_patches(layout: &Layout, contact: &ContactSpring, mut visit: impl FnMut(usize)) {
    let patches = contact.vertices.map(|vertex| own_patch(layout, vertex));
    for (a, patch) in patches.iter().enumerate() {
        if let Some(own) = patch
            && !patches[..a].contains(patch)
        {
            visit(*own);
        }
    }
}

/// The rows of one patch while they are being filled.
struct PatchSystem<'a> {
    vertices: &'a [VertexId],
    first_row: usize,
    first_slot: usize,
    structure: BlockStructure<'a>,
    values: &'a mut [Mat3],
    rhs: &'a mut [Vec3],
}

impl PatchSystem<'_> {
    /// Mass, gravity and mass-proportional damping.
    fn begin(&mut self, model: &ClothModel, inputs: &StepInputs) {
        self.values.fill(Mat3::zeros());
        for row in 0..self.vertices.len() {
            let vertex = self.vertices[row] as usize;
            let (mass, damping) = (model.masses[vertex], inputs.h * model.damping_of(vertex));
            self.rhs[row] = (inputs.gravity * inputs.h - inputs.v[vertex] * damping) * mass;
            let slot = self.diagonal_slot(row);
            self.values[slot] = Mat3::from_diagonal_element(mass * (1.0 + damping));
        }
    }

    fn diagonal_slot(&self, row: usize) -> usize {
        self.structure.diagonal(self.first_row + row) - self.first_slot
    }

    #[inline(always)]
    fn add<const N: usize>(
        &mut self,
        rows: &[u32; N],
        slots: &[[u32; N]; N],
        rhs: &[Vec3; N],
        block: impl Fn(usize, usize) -> Mat3,
    ) {
        for a in 0..N {
            if rows[a] != NONE {
                self.rhs[rows[a] as usize] += rhs[a];
                for (b, &slot) in slots[a].iter().enumerate() {
                    self.values[slot as usize] += block(a, b);
                }
            }
        }
    }

    fn add_forces<const N: usize>(&mut self, rows: &[u32; N], rhs: &[Vec3; N]) {
        for a in 0..N {
            if rows[a] != NONE {
                self.rhs[rows[a] as usize] += rhs[a];
            }
        }
    }

    fn add_diagonal(&mut self, row: u32, slot: u32, rhs: Vec3, block: Mat3) {
        if row != NONE {
            self.rhs[row as usize] += rhs;
            self.values[slot as usize] += block;
        }
    }

    /// Adds a contact to those of its rows that stand here. Contacts with
    /// obstacles couple vertices of one cloth face: their blocks are all there.
    fn add_contact(&mut self, contact: &ContactSpring, h: f64) {
        for a in 0..4 {
            let Ok(row) = self.row_of(contact.vertices[a]) else { continue };
            self.rhs[row] += contact.rhs(a, h);
            for b in 0..4 {
                let row = self.first_row + row;
                if let Some(slot) = self.structure.position(row, contact.vertices[b]) {
                    self.values[slot - self.first_slot] += contact.block(a, b, h);
                }
            }
        }
    }

    /// Within a patch, vertices rise.
    fn row_of(&self, vertex: VertexId) -> Result<usize, usize> {
        self.vertices.binary_search(&vertex)
    }
}

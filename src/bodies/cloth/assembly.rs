//! One rank's rows of the implicit step, assembled without communication.
//!
//! `A dv = b` with `A = M + h D + h^2 K` and `dv = v1 - v0` (methods §4). Every
//! rank assembles its own rows; an element that straddles patches is evaluated
//! by each of them, so that a patch is the business of one thread alone. Within
//! a row, elements are added in the order of their global ids.

use crate::bodies::cloth::air::AirDrag;
use crate::bodies::cloth::bending::BendingTreatment;
use crate::bodies::cloth::contact_spring::{ContactSpring, ContactSprings};
use crate::bodies::cloth::hinges::Hinges;
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::membrane::MembraneTriangle;
use crate::bodies::cloth::model::ClothModel;
use crate::bodies::cloth::scatter::{HingeScatter, PatchLists, TriangleScatter};
use crate::error::Result;
use crate::ids::{NONE, VertexId};
use crate::linear::{BlockCsr, BlockStructure, Couplings};
use crate::math::{Mat3, Vec3};
use crate::partition::{Graph, Layout, Partition};
use crate::ranks::Halo;
use crate::threads::{ByPatch, Threads};

/// One rank's rows of `A dv = b`.
pub struct StepSystem {
    /// The fixed structure, kg: elements, and contacts within their sides.
    pub matrix: BlockCsr,
    /// Contacts across their sides, kg.
    pub couplings: Couplings,
    /// Own vertices, N s.
    pub rhs: Vec<Vec3>,
    /// The exchange of what matrix and couplings multiply.
    pub halo: Halo,
}

/// The elements that touch a rank's rows and where their blocks go.
pub struct Assembly {
    triangles: PatchLists<TriangleScatter>,
    hinge_scatters: PatchLists<HingeScatter>,
    /// Slots of the hinges' blocks, parallel to `hinge_scatters`; empty if bending is explicit.
    hinge_slots: Vec<[[u32; 4]; 4]>,
    hinges: Hinges,
    contacts: ContactSprings,
}

impl Assembly {
    /// Sorts the elements of `model` to the patches of `layout`, and makes the system
    /// that they are to fill. `partition` says who owns what else contacts may touch.
    ///
    /// # Errors
    /// When the matrix has more blocks than 32 bits can number.
    pub fn new(
        model: &ClothModel,
        graph: &Graph,
        partition: &Partition,
        layout: &Layout,
    ) -> Result<(Self, StepSystem)> {
        let matrix = BlockCsr::new(layout, graph)?;
        let triangles = PatchLists::of_elements(layout, &model.faces, |triangle, patch| {
            let vertices = &model.faces[triangle as usize];
            TriangleScatter {
                triangle,
                rows: patch.of(layout, vertices),
                slots: patch.slots(layout, &matrix, vertices),
            }
        });
        let hinge_vertices: Vec<_> = model.bending.hinges.iter().map(|h| h.vertices).collect();
        let hinges = Hinges::new(model, layout);
        let mut hinge_slots = Vec::new();
        let hinge_scatters = PatchLists::of_elements(layout, &hinge_vertices, |hinge, patch| {
            let vertices = &hinge_vertices[hinge as usize];
            if model.bending_treatment == BendingTreatment::DiagonalHinges {
                hinge_slots.push(patch.slots(layout, &matrix, vertices));
            }
            hinges.scatter(model, hinge, patch.of(layout, vertices))
        });
        hinge_slots.shrink_to_fit();
        let (contacts, halo) = ContactSprings::new(partition, layout);
        let system = StepSystem {
            couplings: Couplings::new(&layout.patch_offsets),
            rhs: vec![Vec3::zeros(); layout.own.len()],
            matrix,
            halo,
        };
        Ok((Self { triangles, hinge_scatters, hinge_slots, hinges, contacts }, system))
    }

    /// Fills this rank's rows of `system`.
    pub fn assemble(
        &mut self,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        inputs: &StepInputs,
        system: &mut StepSystem,
    ) {
        self.hinges.evaluate(threads, model, inputs);
        self.contacts.refill(inputs.contacts, &mut system.halo);
        self.contacts.refill_couplings(inputs.contacts, inputs.h, &mut system.couplings);
        let (structure, values) = system.matrix.split_mut();
        let pieces = (values, ByPatch::new(&mut system.rhs, &layout.patch_offsets));
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
        for &item in self.contacts.of_patch.of(patch) {
            let places = &self.contacts.places[item as usize];
            rows.add_contact(&inputs.contacts[item as usize], places, inputs.h);
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

    /// Adds a contact to those of its rows that stand here: blocks within a side,
    /// which is part of a triangle; those across are couplings. `places` are the
    /// local indices of the vertices that take part.
    fn add_contact(&mut self, contact: &ContactSpring, places: &[u32; 4], h: f64) {
        for side in contact.sides() {
            for a in side.clone() {
                let row = places[a].wrapping_sub(self.first_row as u32) as usize;
                let Some(rhs) = self.rhs.get_mut(row) else { continue };
                *rhs += contact.rhs(a, h);
                for b in side.clone().filter(|&b| places[b] != NONE) {
                    let row = self.first_row + row;
                    let slot = self.structure.position(row, contact.vertices[b]);
                    debug_assert!(slot.is_some(), "a side is part of a triangle");
                    if let Some(slot) = slot {
                        self.values[slot - self.first_slot] += contact.block(a, b, h);
                    }
                }
            }
        }
    }
}

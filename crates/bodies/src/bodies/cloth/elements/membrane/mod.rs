//! Membrane: corotational linear triangles, and the drag of the air on them.
//!
//! Thomaszewski & Blochinger (2007) section 3.1, after Etzmuss, Keckeisen & Strasser (2003), with
//! the exact gradient (docs/methods.md, section 1). Symbols:
//!
//! | | |
//! |---|---|
//! | `F = [f1 f2] = R S` | deformation gradient (3x2), its rotation and stretch |
//! | `e = (S11 - 1, S22 - 1, 2 S12)` | strain in the material axes |
//! | `N = C e` | stress resultants, N/m |
//! | `g_a` | gradient of corner a's shape function, 1/m |
//! | `A` | rest area, m^2 |
//!
//! Let `G = R^T dF/dt` and `J = [[0, 1], [-1, 0]]`. The spin in the plane is
//! `w = (G12 - G21) / tr S`, and the strain rate is `dS/dt = G - w J S`. For each corner a 3x2
//! matrix `B_a(S)` takes `R^T v_a` to its part of the strain rate. Virtual power gives the exact
//! force
//!
//! `f_a = -A R B_a^T N = -A R (N + b J) g_a`, with `b = ((S N)_12 - (S N)_21) / tr S`.
//!
//! For orthotropic cloth `R N g_a` alone is no gradient and exerts a torque. The same `B_a` gives
//! the Gauss-Newton stiffness `K_ab = A R B_a^T C B_b R^T`. It does not resist rigid rotation, so
//! it serves damping too. Two geometric terms join it in the matrix: taut cloth resists motion out
//! of its plane, and spin in it ([`MembraneTriangle::step_terms`]).

mod polar;
mod triangle;

use crate::bodies::cloth::assembly::StepInputs;
use crate::bodies::cloth::elements::Element;
use crate::bodies::cloth::elements::air::AirDrag;
use crate::bodies::cloth::rest::{ByCloth, RestCloths, size_n_per_m};
use crate::bodies::cloth::scatter::PatchLists;
use cloth_core::linear::{BlockStructure, PairSlot, PatchEquations};
use cloth_core::partition::Layout;
use cloth_core::{FaceId, Vec3, VertexId};
use triangle::PAIRS;
pub use triangle::{Fabric, LaneTerms, MembraneTriangle, StepTerms};

/// The triangles of all cloths. Air is here too, because it acts on the same triangles.
pub struct Membrane {
    /// One per face.
    pub triangles: Vec<MembraneTriangle>,
    fabrics: ByCloth<Fabric>,
    air: AirDrag,
}

/// A triangle, its rows and the slots of the blocks of its `PAIRS`, all relative to the patch.
pub struct TriangleScatter {
    triangle: u32,
    rows: [u32; 3],
    slots: [PairSlot; 3],
}

impl Element for Membrane {
    type Share = PatchLists<TriangleScatter>;
    type Meter = Vec<FaceId>;

    fn new(rest: &RestCloths) -> Self {
        let triangles = rest.faces.iter().zip(rest.planes());
        let stiffer = rest.factors(|factors| &factors.stiffness);
        let heavier = rest.factors(|factors| &factors.density);
        let fabrics = rest.by_cloth(|cloth| Fabric {
            stiffness: cloth.material.membrane,
            damping_s: cloth.material.stiffness_damping_s,
            density_kg_per_m2: cloth.material.density_kg_per_m2,
            size_n_per_m: size_n_per_m(cloth),
        });
        Self {
            triangles: triangles
                .zip(stiffer.zip(heavier))
                .map(|((&face, plane), (stiffer, heavier))| {
                    MembraneTriangle::new(face, plane.x1, plane.x2).with_factors(stiffer, heavier)
                })
                .collect(),
            fabrics,
            air: rest.air,
        }
    }

    fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        self.triangles.iter().map(|triangle| &triangle.vertices[..])
    }

    fn meter(&self, _share: &Self::Share, faces: &[FaceId]) -> Vec<FaceId> {
        faces.to_vec()
    }

    fn energy(&self, _share: &Self::Share, faces: &Vec<FaceId>, x: &[Vec3]) -> f64 {
        let (pairs, last) = faces.as_chunks::<2>();
        let pairs: f64 = pairs.iter().map(|pair| self.energy_of(pair, x)).sum();
        pairs + last.iter().map(|&face| self.energy_of(&[face], x)).sum::<f64>()
    }

    fn share(&self, layout: &Layout, structure: &BlockStructure) -> Self::Share {
        let vertices: Vec<_> = self.triangles.iter().map(|triangle| triangle.vertices).collect();
        PatchLists::of_elements(layout, &vertices, |triangle, patch| {
            let vertices = &vertices[triangle as usize];
            TriangleScatter {
                triangle,
                rows: patch.of(layout, vertices),
                slots: patch.slots(layout, structure, vertices, &PAIRS),
            }
        })
    }

    fn add(
        &self,
        share: &Self::Share,
        patch: usize,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        let (pairs, last) = share.of(patch).as_chunks::<2>();
        for pair in pairs {
            self.add_batch(&[&pair[0], &pair[1]], inputs, rows);
        }
        if let [item] = last {
            self.add_batch(&[item], inputs, rows);
        }
    }
}

impl Membrane {
    /// The energy (J) of L faces of one cloth.
    fn energy_of<const L: usize>(&self, faces: &[FaceId; L], x: &[Vec3]) -> f64 {
        // Loops: closures given to array functions are not always inlined.
        let mut triangles = [&self.triangles[faces[0] as usize]; L];
        let mut corners = [[Vec3::zeros(); 3]; L];
        for i in 0..L {
            triangles[i] = &self.triangles[faces[i] as usize];
            for (corner, &vertex) in corners[i].iter_mut().zip(&triangles[i].vertices) {
                *corner = x[vertex as usize];
            }
        }
        let stiffness = &self.fabrics.of(faces[0]).stiffness;
        MembraneTriangle::energy_of(triangles, stiffness, corners).iter().sum()
    }

    /// Adds L triangles of one patch, which belong to one cloth: membrane, then air.
    fn add_batch<const L: usize>(
        &self,
        items: &[&TriangleScatter; L],
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        // Loops: closures given to array functions are not always inlined.
        let mut triangles = [&self.triangles[items[0].triangle as usize]; L];
        let mut x = [[Vec3::zeros(); 3]; L];
        let mut v = [[Vec3::zeros(); 3]; L];
        for i in 0..L {
            triangles[i] = &self.triangles[items[i].triangle as usize];
            for a in 0..3 {
                let vertex = triangles[i].vertices[a] as usize;
                (x[i][a], v[i][a]) = (inputs.x[vertex], inputs.v[vertex]);
            }
        }
        let fabric = self.fabrics.of(items[0].triangle);
        let times = [inputs.h, inputs.ahead_s];
        let terms =
            MembraneTriangle::step_terms_of(triangles, fabric, x, v, times, inputs.stability);
        let (mut rhs, mut blocks) = ([[Vec3::zeros(); 3]; L], [[[0.0; 9]; 3]; L]);
        for i in 0..L {
            let terms = terms.of(i);
            rhs[i] = terms.rhs;
            for (narrow, block) in blocks[i].iter_mut().zip(&terms.blocks) {
                *narrow = block.narrow();
            }
        }
        for (item, (rhs, blocks)) in items.iter().zip(rhs.iter().zip(&blocks)) {
            rows.add_forces(&item.rows, rhs);
            for (&slot, block) in item.slots.iter().zip(blocks) {
                rows.add_pair(slot, block);
            }
        }
        if self.air.is_some() {
            for (i, item) in items.iter().enumerate() {
                let at_start = |of: &[Vec3]| triangles[i].vertices.map(|it| of[it as usize]);
                let (x0, v0) = (at_start(inputs.x0), at_start(inputs.v0));
                let air = self.air.in_step(x0, v0, inputs.wind);
                let (rhs, block) = air.step_terms(x[i], v[i], inputs.wind, inputs.h);
                for (a, rhs) in rhs.into_iter().enumerate() {
                    rows.add_diagonal(item.rows[a], rhs, block);
                }
            }
        }
    }
}

//! The energy of all cloths and the work of the wind on them, patch by patch. A patch has the same
//! bits on any number of ranks.

use crate::bodies::cloth::elements::air::AirDrag;
use crate::bodies::cloth::elements::{Meters, Shares};
use crate::bodies::cloth::model::ClothModel;
use crate::bodies::cloth::scatter::own_patch;
use cloth_core::partition::Layout;
use cloth_core::{EachPatch, FaceId, Threads, Vec3};

/// The inputs of the energy of cloth.
#[derive(Clone, Copy)]
pub struct EnergyState<'a> {
    /// Positions of all cloth vertices, m.
    pub x: &'a [Vec3],
    /// Their velocities, m/s.
    pub v: &'a [Vec3],
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// The number of the faces that are held ([`Clamps`](crate::bodies::cloth::clamps::Clamps)).
    pub clamps: usize,
}

/// Measures a rank's share. A triangle belongs to the patch of its lowest vertex.
pub struct EnergyMeter {
    faces: Vec<Vec<FaceId>>,
    meters: Vec<Meters>,
    energies: Vec<PatchEnergy>,
    works: Vec<f64>,
}

/// The energy of the cloth of one patch.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatchEnergy {
    /// Kinetic and elastic energy, J.
    pub internal_j: f64,
    /// Gravitational energy, zero at the origin, J.
    pub weight_j: f64,
}

/// The air, and how cloth moves in it in a step.
#[derive(Clone, Copy)]
pub struct Blown<'a> {
    /// Drag of the air.
    pub drag: AirDrag,
    /// Velocity of the air, m/s.
    pub wind: Vec3,
    /// Positions of all cloth vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Their velocities then, m/s.
    pub v0: &'a [Vec3],
    /// Their velocities at its end, m/s.
    pub v1: &'a [Vec3],
    /// Size of the step, s.
    pub h: f64,
}

impl EnergyMeter {
    /// Assigns the triangles of `model` to the own patches of the rank with these `shares`.
    pub fn new(model: &ClothModel, layout: &Layout, shares: &Shares) -> Self {
        let mut faces = vec![Vec::new(); layout.own_patches.len()];
        for (face, vertices) in model.faces.iter().enumerate() {
            let lowest = vertices[0].min(vertices[1]).min(vertices[2]);
            if let Some(patch) = own_patch(layout, lowest) {
                faces[patch].push(face as FaceId);
            }
        }
        let patches = faces.len();
        let meters = faces.iter().map(|faces| model.elements.meters(shares, faces)).collect();
        Self {
            faces,
            meters,
            energies: vec![PatchEnergy::default(); patches],
            works: vec![0.0; patches],
        }
    }

    /// The energy of each own patch. Before: `shares` have moved to the positions of `state`.
    pub fn energies(
        &mut self,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        shares: &Shares,
        state: EnergyState,
    ) -> &[PatchEnergy] {
        let EnergyState { x, v, gravity, .. } = state;
        let meters = &self.meters;
        threads.for_each_patch(EachPatch(&mut self.energies), 1, |patch, energy| {
            let rows = layout.patch_offsets[patch]..layout.patch_offsets[patch + 1];
            let vertices = layout.own[rows.start as usize..rows.end as usize].iter();
            // A patch may hold the nodes of another body.
            let vertices = vertices.map(|&node| node as usize);
            let vertices = vertices.filter(|&node| node < model.vertex_count());
            let mut sum = PatchEnergy::default();
            for a in vertices {
                sum.internal_j += model.masses[a] * 0.5 * v[a].norm_squared();
                sum.weight_j -= model.masses[a] * gravity.dot(&x[a]);
            }
            sum.internal_j += model.elements.energy(shares, &meters[patch], x);
            energy.0[0] = sum;
        });
        &self.energies
    }

    /// The work (J) of the air on each own patch in a step, at the velocities at its end. The drag
    /// of still air is part of it.
    pub fn works_of_air(&mut self, threads: &Threads, model: &ClothModel, blown: Blown) -> &[f64] {
        let Blown { drag, wind, x0, v0, v1, h } = blown;
        let faces = &self.faces;
        threads.for_each_patch(EachPatch(&mut self.works), 1, |patch, work| {
            let of_face = |&face: &FaceId| -> f64 {
                let corners = model.faces[face as usize].map(|vertex| vertex as usize);
                let [x, v] = [x0, v0].map(|of| corners.map(|a| of[a]));
                let block = drag.in_step(x, v, wind).corner_block(x);
                corners.iter().map(|&a| (block * (wind - v1[a])).dot(&v1[a])).sum()
            };
            work.0[0] = h * faces[patch].iter().map(of_face).sum::<f64>();
        });
        &self.works
    }
}

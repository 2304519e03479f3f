//! The energy of all cloths, the same bits on any number of ranks.

use crate::bodies::cloth::model::ClothModel;
use crate::bodies::cloth::scatter::own_patch;
use crate::error::Result;
use crate::ids::FaceId;
use crate::math::Vec3;
use crate::partition::Layout;
use crate::ranks::{ExactSums, World};
use crate::threads::{EachPatch, Threads};

/// What the energy of cloth depends on.
#[derive(Clone, Copy)]
pub struct EnergyState<'a> {
    /// Positions of all cloth vertices, m.
    pub x: &'a [Vec3],
    /// Their velocities, m/s.
    pub v: &'a [Vec3],
    /// Gravity, m/s^2.
    pub gravity: Vec3,
}

/// Sums a rank's share. A triangle belongs to the patch of its lowest vertex.
pub struct EnergyMeter {
    faces: Vec<Vec<FaceId>>,
    parts: Vec<f64>,
}

impl EnergyMeter {
    /// Assigns the triangles of `model` to the own patches.
    pub fn new(model: &ClothModel, layout: &Layout) -> Self {
        let mut faces = vec![Vec::new(); layout.own_patches.len()];
        for (face, vertices) in model.faces.iter().enumerate() {
            let lowest = vertices[0].min(vertices[1]).min(vertices[2]);
            if let Some(patch) = own_patch(layout, lowest) {
                faces[patch].push(face as FaceId);
            }
        }
        Self { parts: vec![0.0; faces.len()], faces }
    }

    /// The energy of all ranks' cloth together, J: kinetic, gravitational (zero at the origin) and
    /// elastic.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn total(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        state: EnergyState,
    ) -> Result<f64> {
        let EnergyState { x, v, gravity } = state;
        let faces = &self.faces;
        threads.for_each_patch(EachPatch(&mut self.parts), 1, |patch, part| {
            let rows = layout.patch_offsets[patch]..layout.patch_offsets[patch + 1];
            let vertices = layout.own[rows.start as usize..rows.end as usize].iter();
            // A patch may hold the nodes of another body.
            let vertices = vertices.filter(|&&node| (node as usize) < model.vertex_count());
            let of_vertices: f64 = vertices
                .map(|&vertex| {
                    let a = vertex as usize;
                    model.masses[a] * (0.5 * v[a].norm_squared() - gravity.dot(&x[a]))
                })
                .sum();
            let of_faces: f64 =
                faces[patch].iter().map(|&face| model.elements.face_energy(face, x)).sum();
            part.0[0] = of_vertices + of_faces;
        });
        let mut sum = ExactSums::default();
        self.parts.iter().for_each(|&part| sum.add([part]));
        let [total] = sum.all_reduce(world)?;
        Ok(total)
    }
}

//! One rank's cloth: its rows in the implicit step, assembled without communication, and its
//! energy.
//!
//! `A dv = b` with `A = M + h D + h^2 K` and `dv = v1 - v0` (docs/methods.md, section 4). Every
//! rank assembles its own rows, and one thread a patch. A row gets its mass, gravity, damping and
//! loads and springs of pins, then the elements kind by kind, each kind by rising number.

use crate::bodies::cloth::elements::Shares;
use crate::bodies::cloth::energy::{Blown, EnergyMeter, EnergyState, PatchEnergy};
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::model::ClothModel;
use cloth_core::linear::{BlockStructure, PatchEquations};
use cloth_core::partition::Layout;
use cloth_core::{Mat3, Threads};

/// Fills the rows of one rank's cloth vertices, and measures their energy.
pub struct Assembly {
    shares: Shares,
    meter: EnergyMeter,
}

impl Assembly {
    /// Sorts the elements of `model` to the patches of `layout`, to fill rows of `structure`.
    pub fn new(model: &ClothModel, layout: &Layout, structure: &BlockStructure) -> Self {
        let shares = model.elements.share(layout, structure);
        Self { meter: EnergyMeter::new(model, layout, &shares), shares }
    }

    /// Evaluates what several patches need, at the start of a step.
    pub fn begin(&mut self, threads: &Threads, model: &ClothModel, inputs: &StepInputs) {
        model.elements.begin(&mut self.shares, threads, inputs);
    }

    /// Fills the rows of own patch `patch`.
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
            let (v0, v) = (inputs.v0[vertex], inputs.v[vertex]);
            let mut rhs = (inputs.gravity * inputs.h - v * damping + (v0 - v)) * mass;
            if let Some(load) = inputs.loads.get(vertex) {
                rhs += load * inputs.h;
            }
            let mut diagonal = mass * (1.0 + damping);
            if let Some(draw) = inputs.draws.get(vertex) {
                let end = inputs.x[vertex] + v * inputs.ahead_s;
                rhs += (draw.pull - end * draw.stiffness) * inputs.h;
                diagonal += draw.stiffness * (inputs.h * inputs.h);
            }
            rows.set(row, rhs, Mat3::from_diagonal_element(diagonal));
        }
        model.elements.add(&self.shares, patch, inputs, rows);
    }

    /// The energy of each own patch in `state`. The next step that starts there reuses the
    /// evaluated values.
    pub fn energies(
        &mut self,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        state: EnergyState,
    ) -> &[PatchEnergy] {
        model.elements.move_to(&mut self.shares, threads, state.x, state.clamps);
        self.meter.energies(threads, model, layout, &self.shares, state)
    }

    /// The work (J) of the air on each own patch in a step.
    pub fn works_of_air(&mut self, threads: &Threads, model: &ClothModel, blown: Blown) -> &[f64] {
        self.meter.works_of_air(threads, model, blown)
    }
}

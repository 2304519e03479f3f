//! One rank's cloth: its rows in the implicit step, assembled without communication, and its
//! energy.
//!
//! `A dv = b` with `A = M + h D + h^2 K` and `dv = v1 - v0` (docs/methods.md, section 4). Every
//! rank assembles its own rows, and one thread a patch. A row gets its mass, gravity, damping and
//! loads and springs of pins, then the elements kind by kind, each kind by rising number.

use crate::bodies::cloth::elements::Shares;
use crate::bodies::cloth::energy::{Blown, EnergyMeter, EnergyState, PatchEnergy};
use crate::bodies::cloth::model::ClothModel;
use crate::bodies::cloth::pins::Draw;
use cloth_core::linear::{BlockStructure, PatchEquations};
use cloth_core::partition::Layout;
use cloth_core::{Mat3, Threads, Vec3, VertexId};

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

/// A prescribed vertex, and where it is at the end of the step (m).
pub type Target = (VertexId, Vec3);

/// What the matrix must hold so that a step is stable. The matrix may leave out the rest, because
/// forces are exact at the point about which they are linearised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// The least share of a stiffness that must be in the matrix.
    pub least_share: f64,
    /// The largest stiffness that may be left out, in units of mass over `h^2`.
    pub by_mass: f64,
}

impl Stability {
    /// For linearly implicit Euler, linearised at the start: a mode is stable if its stiffness is
    /// at most twice what the matrix says and `4 m / h^2` more.
    pub const EULER: Self = Self { least_share: 0.5, by_mass: 4.0 };
}

/// What the forces on cloth depend on in a step.
///
/// With Euler, the first solve of a step linearises the forces where it starts: `x = x0`, `v = v0`,
/// and the end of the step is `x + h v` if no velocity changes. With BDF2, and in a repair, it
/// linearises them at an estimate of the end.
#[derive(Clone, Copy)]
pub struct StepInputs<'a> {
    /// Positions of all cloth vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Velocities of all nodes at the end of the step if no force acts, m/s.
    pub v0: &'a [Vec3],
    /// Positions of all cloth vertices about which forces are linearised, m.
    pub x: &'a [Vec3],
    /// Velocities of all nodes in forces, about which these are linearised, m/s.
    pub v: &'a [Vec3],
    /// How far the end of the step is ahead of `x` at `v`, s: `h`, or zero if `x` is that end.
    pub ahead_s: f64,
    /// Effective step of the forces, s.
    pub h: f64,
    /// What the matrix must hold.
    pub stability: Stability,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// The loads on all cloth vertices, N; empty if there are none.
    pub loads: &'a [Vec3],
    /// What the springs of pins do to all cloth vertices; empty if there are none.
    pub draws: &'a [Draw],
    /// Velocity of the air, m/s.
    pub wind: Vec3,
    /// The number of the faces that are held ([`Clamps`](crate::bodies::cloth::clamps::Clamps)).
    pub clamps: usize,
}

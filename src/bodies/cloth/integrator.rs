//! Linearly implicit Euler: one rank's part of `A dv = b` (methods §4, §5).

use crate::bodies::cloth::assembly::{Assembly, StepSystem};
use crate::bodies::cloth::inputs::StepInputs;
use crate::bodies::cloth::model::ClothModel;
use crate::error::Result;
use crate::linear::{
    BlockCsr, CgReport, CgWorkspace, Couplings, Preconditioner, PreconditionerKind, System,
    Tolerance,
};
use crate::math::Vec3;
use crate::partition::{Graph, Layout, Partition};
use crate::ranks::World;
use crate::threads::Threads;

/// The linear system of one rank: its own rows and their ghost points.
pub struct Integrator {
    assembly: Assembly,
    system: StepSystem,
    delta_v: Vec<Vec3>,
    preconditioner: Box<dyn Preconditioner>,
    workspace: CgWorkspace,
    tolerance: Tolerance,
    /// Own rows of vertices that move as told.
    fixed: Vec<u32>,
    /// Whether some rank has such rows.
    any_fixed: bool,
}

/// What became of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveOutcome {
    /// The conjugate gradients' own account.
    pub cg: CgReport,
    /// Patches whose incomplete factor needed a shift.
    pub shifted_patches: usize,
}

impl Integrator {
    /// Builds the structure once; every step refills its values in place.
    ///
    /// # Errors
    /// When the matrix has more blocks than 32 bits can number.
    pub fn new(
        model: &ClothModel,
        graph: &Graph,
        partition: &Partition,
        layout: &Layout,
        preconditioner: PreconditionerKind,
        tolerance: Tolerance,
    ) -> Result<Self> {
        let (assembly, system) = Assembly::new(model, graph, partition, layout)?;
        Ok(Self {
            delta_v: vec![Vec3::zeros(); layout.own.len()],
            workspace: CgWorkspace::new(layout),
            preconditioner: preconditioner.build(&system.matrix),
            fixed: Vec::new(),
            any_fixed: false,
            assembly,
            system,
            tolerance,
        })
    }

    /// Fills matrix and right-hand side, and the start vector: free fall for
    /// free vertices, so that it is exact, and what they are told for the others.
    pub fn assemble(
        &mut self,
        threads: &Threads,
        model: &ClothModel,
        layout: &Layout,
        inputs: &StepInputs,
    ) {
        self.assembly.assemble(threads, model, layout, inputs, &mut self.system);
        self.any_fixed = !inputs.targets.is_empty();
        self.fixed.clear();
        for (row, (start, &vertex)) in self.delta_v.iter_mut().zip(&layout.own).enumerate() {
            let told = inputs.told(vertex);
            if told.is_some() {
                self.fixed.push(row as u32);
            }
            *start = told.unwrap_or(inputs.gravity * inputs.h);
        }
    }

    /// Solves the system that was assembled last. Ghost points are exchanged in
    /// every iteration; on return [`Integrator::delta_v`] holds the own vertices.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn solve(&mut self, world: &dyn World, threads: &Threads) -> Result<SolveOutcome> {
        let shifted_patches = self.preconditioner.factor(threads, &self.system.matrix);
        let mut system = System {
            world,
            threads,
            matrix: &self.system.matrix,
            couplings: &self.system.couplings,
            halo: &mut self.system.halo,
            preconditioner: &*self.preconditioner,
            fixed: &self.fixed,
            any_fixed: self.any_fixed,
        };
        let (rhs, delta_v) = (&self.system.rhs, &mut self.delta_v);
        let cg = self.workspace.solve(&mut system, rhs, delta_v, self.tolerance)?;
        Ok(SolveOutcome { cg, shifted_patches })
    }

    /// Change of velocity of the own vertices, m/s, in parallel numbering.
    pub fn delta_v(&self) -> &[Vec3] {
        &self.delta_v
    }

    /// The system assembled last: own rows of the matrix (kg) and right-hand side
    /// (N s). Contacts between cloth and cloth add [`Self::couplings`] to the matrix.
    pub fn system(&self) -> (&BlockCsr, &[Vec3]) {
        (&self.system.matrix, &self.system.rhs)
    }

    /// The terms of the system assembled last that stand beside its matrix.
    pub fn couplings(&self) -> &Couplings {
        &self.system.couplings
    }

    /// Bytes and messages that one ghost exchange sends.
    pub fn ghost_traffic(&self) -> (usize, usize) {
        let halo = &self.system.halo;
        (halo.bytes_per_exchange(), halo.messages_per_exchange())
    }
}

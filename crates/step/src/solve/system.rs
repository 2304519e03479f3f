//! The linear system of a step, one rank's part of `A du = b`
//! (docs/methods.md, sections 4 and 5).

use bytemuck::{Pod, Zeroable};

use crate::model::Model;
use crate::state::body_terms::{BodyTerms, NodeTerms};
use crate::state::joint_springs::{self, JointSpring};
use crate::state::region::Region;
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::cloth::Assembly;
use cloth_bodies::bodies::cloth::assembly::StepInputs;
use cloth_bodies::contact::{ContactSpring, ContactSprings};
use cloth_core::error::Result;
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::linear::{
    BlockMatrix, CgReport, CgWorkspace, Couplings, Joined, Mesh, PatchEquations, Preconditioner,
    PreconditionerKind, Row, System, Tolerance,
};
use cloth_core::math::Vec3;
use cloth_core::partition::{Layout, Partition};
use cloth_core::ranks::{Halo, World};
use cloth_core::threads::{ByPatch, Threads};

/// Cost of one side of a coupling, in products of blocks. It is multiplied by its stiffness and
/// its Jacobians, not by blocks.
const PRODUCTS_OF_A_SIDE: u64 = 3;

/// The linear system of one rank: its own rows and their ghost points.
pub struct StepSystem {
    cloth: Assembly,
    contacts: ContactSprings,
    /// The fixed structure, kg: bodies, and contacts within their sides.
    matrix: BlockMatrix,
    /// What contacts add across their two sides, kg.
    couplings: Couplings,
    /// What joints add, and the exact inverse of the patches that have some.
    joined: Joined,
    /// Own nodes, N s.
    rhs: Vec<Vec3>,
    /// The exchange of the ghost values that matrix and couplings multiply.
    halo: Halo,
    /// Mass of each own node, as the solver wants it.
    masses: Vec<f64>,
    delta_u: Vec<Vec3>,
    preconditioner: Preconditioner,
    workspace: CgWorkspace,
    tolerance: Tolerance,
    /// Whether the system is the first of an attempt, and not that of a repair.
    begins: bool,
    /// Own rows whose solution is given: prescribed vertices, and nodes outside of the region of a
    /// repair.
    fixed: Vec<u32>,
    /// Whether some rank may have fixed rows. The same on every rank.
    any_fixed: bool,
    /// For each own patch, whether all of it is skin that is prescribed. Its equations are not filled.
    idle: Vec<bool>,
    /// The work of each own patch since the last [`StepSystem::take_work`].
    work: Vec<PatchWork>,
}

/// The work of a patch in the linear systems. It is counted, so it is the same on any rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PatchWork {
    /// Blocks of the matrix that were filled.
    pub fills: u64,
    /// Products of blocks and vectors.
    pub products: u64,
}

/// What a linear system is made of.
#[derive(Clone, Copy)]
pub struct SystemTerms<'a> {
    /// The time scheme.
    pub scheme: Scheme,
    /// What the forces on cloth depend on.
    pub inputs: &'a StepInputs<'a>,
    /// Changes of the velocities of all nodes from which the first solve of a step starts, m/s.
    pub first_changes: &'a [Vec3],
    /// Prescribed vertices and the changes of their velocities (m/s), by rising vertex.
    pub prescribed: &'a [(VertexId, Vec3)],
    /// The terms of bodies of few nodes.
    pub bodies: BodyTerms<'a>,
    /// The contacts that push own nodes, by rising pair.
    pub contacts: &'a [ContactSpring],
    /// The joints of bodies.
    pub joints: &'a [Vec<JointSpring>],
    /// The nodes that a repair may change. None if all nodes may change.
    pub region: Option<&'a Region>,
}

impl SystemTerms<'_> {
    /// The change of velocity of `vertex` (m/s) if it is prescribed.
    fn prescribed_change(&self, vertex: VertexId) -> Option<Vec3> {
        let place = self.prescribed.binary_search_by_key(&vertex, |&(it, _)| it).ok()?;
        Some(self.prescribed[place].1)
    }
}

impl StepSystem {
    /// Builds the structure of this rank's rows from the `layout` of `partition`. Every step
    /// refills the values in place.
    ///
    /// # Errors
    /// When the matrix has more blocks than 32 bits can number.
    pub fn new(
        model: &Model,
        partition: &Partition,
        layout: &Layout,
        preconditioner: PreconditionerKind,
        tolerance: Tolerance,
    ) -> Result<Self> {
        let matrix = BlockMatrix::new(layout, &model.graph)?;
        let (contacts, halo) = ContactSprings::new(partition, layout);
        let mesh = Mesh { layout, partition, graph: &model.graph, rest: &model.rest };
        Ok(Self {
            cloth: Assembly::new(&model.cloth, layout, matrix.structure()),
            contacts,
            couplings: Couplings::new(&layout.patch_offsets),
            joined: joint_springs::joined(model, layout),
            rhs: vec![Vec3::zeros(); layout.own.len()],
            halo,
            masses: vec![1.0; layout.own.len()],
            delta_u: vec![Vec3::zeros(); layout.own.len()],
            preconditioner: Preconditioner::new(preconditioner, &matrix, &mesh),
            workspace: CgWorkspace::new(layout),
            tolerance,
            begins: true,
            fixed: Vec::new(),
            any_fixed: false,
            idle: vec![false; layout.own_patches.len()],
            work: vec![PatchWork::default(); layout.own_patches.len()],
            matrix,
        })
    }

    /// Fills matrix and right-hand side. A patch has nodes of one cloth, or of one body or several.
    ///
    /// The start vector of the solve continues the change of velocity in the last step. So free
    /// flight is exact, and cloth at rest costs little. A repair starts from
    /// zero, and outside of its region the solution stays zero. The solution of a prescribed
    /// vertex is the change that takes it to its place.
    pub fn assemble(
        &mut self,
        threads: &Threads,
        model: &Model,
        layout: &Layout,
        terms: &SystemTerms,
    ) {
        let SystemTerms { scheme, inputs, bodies, contacts, joints, region, .. } = *terms;
        let step_s = scheme.step_s();
        self.begins = region.is_none();
        self.begin_solve(threads, model, layout, terms);
        self.cloth.begin(threads, &model.cloth, inputs);
        self.contacts.refill(contacts, &mut self.halo);
        self.contacts.refill_couplings(contacts, step_s, &mut self.couplings);
        joint_springs::refill(&mut self.joined, joints, layout, step_s);
        let (structure, values) = self.matrix.split_mut();
        let pieces = (values, ByPatch::new(&mut self.rhs, &layout.patch_offsets));
        let (cloth, springs, joined) = (&self.cloth, &self.contacts, &self.joined);
        let idle = &self.idle;
        let is_left_out = |patch: usize, nodes: &[NodeId]| {
            let is_outside = |region: &Region| !nodes.iter().any(|&node| region.has(node));
            idle[patch] || region.is_some_and(is_outside)
        };
        threads.for_each_patch(pieces, 1, |patch, (values, rhs)| {
            let first = layout.patch_offsets[patch] as usize;
            let nodes = &layout.own[first..][..rhs.data.len()];
            if is_left_out(patch, nodes) {
                return;
            }
            let mut rows = PatchEquations::new(patch, first, nodes, structure, values, rhs.data);
            let late_share = match nodes.first().and_then(|&node| bodies.of(node)) {
                None => {
                    cloth.fill(patch, &model.cloth, inputs, &mut rows);
                    rows.scale_rhs(scheme.share_of_forces());
                    scheme.late_share()
                }
                Some(_) => {
                    let terms = nodes.iter().filter_map(|&node| bodies.of(node)).enumerate();
                    terms.for_each(|(row, terms)| {
                        let node = nodes[row] as usize;
                        let change = terms.free + inputs.v0[node] - inputs.v[node];
                        rows.set(row, terms.mass[0] * change, terms.mass[0]);
                    });
                    joined.pushes(patch).iter().for_each(|&(row, push)| rows.add_rhs(row, push));
                    0.0
                }
            };
            springs.add_to(patch, contacts, [step_s, late_share], &mut rows);
            rows.finish();
        });
        for (patch, work) in self.work.iter_mut().enumerate() {
            let nodes =
                layout.patch_offsets[patch] as usize..layout.patch_offsets[patch + 1] as usize;
            if !is_left_out(patch, &layout.own[nodes]) {
                work.fills += self.matrix.structure().blocks_of(patch);
            }
        }
    }

    /// The masses of the own nodes, the start vector of the solve, and the rows that are fixed.
    fn begin_solve(
        &mut self,
        threads: &Threads,
        model: &Model,
        layout: &Layout,
        terms: &SystemTerms,
    ) {
        let SystemTerms { first_changes, bodies, region, .. } = *terms;
        let fixed_change = |node: NodeId| {
            let outside = region.is_some_and(|region| !region.has(node)).then(Vec3::zeros);
            let held = bodies.of(node).filter(|terms| terms.is_held()).map(|_| Vec3::zeros());
            terms.prescribed_change(node).or(outside).or(held)
        };
        let offsets = &layout.patch_offsets;
        let is_held = |&node: &NodeId| bodies.of(node).is_some_and(NodeTerms::is_held);
        for (idle, rows) in self.idle.iter_mut().zip(offsets.windows(2)) {
            *idle = layout.own[rows[0] as usize..rows[1] as usize].iter().all(is_held);
        }
        let idle = &self.idle;
        let rows =
            (ByPatch::new(&mut self.masses, offsets), ByPatch::new(&mut self.delta_u, offsets));
        threads.for_each_patch(rows, 8, |patch, (masses, starts)| {
            if idle[patch] {
                starts.data.fill(Vec3::zeros());
                return;
            }
            let nodes = &layout.own[offsets[patch] as usize..];
            for ((mass, start), &node) in masses.data.iter_mut().zip(starts.data).zip(nodes) {
                *mass = match bodies.of(node) {
                    None => model.cloth.masses[node as usize],
                    Some(terms) if terms.is_held() => terms.mass[0].m11,
                    Some(terms) => 3.0 / terms.mass[1].trace(),
                };
                let free = || match region {
                    None => first_changes[node as usize],
                    Some(_) => Vec3::zeros(),
                };
                *start = fixed_change(node).unwrap_or_else(free);
            }
        });
        let has_skins = !model.numbering.skins().is_empty();
        self.any_fixed = !terms.prescribed.is_empty() || region.is_some() || has_skins;
        self.fixed.clear();
        if self.any_fixed {
            for (&idle, rows) in idle.iter().zip(offsets.windows(2)) {
                let is_fixed =
                    |&row: &u32| idle || fixed_change(layout.own[row as usize]).is_some();
                self.fixed.extend((rows[0]..rows[1]).filter(is_fixed));
            }
        }
    }

    /// Solves the system that was assembled last, at these `positions` (m) of the vertices of
    /// cloth. Ghost points are exchanged in every iteration. After: [`StepSystem::delta_u`] has the
    /// solution for the own nodes. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn solve(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        positions: &[Vec3],
    ) -> Result<CgReport> {
        if self.begins {
            self.tolerance.least_reference = 0.0;
        }
        let mut system = System {
            world,
            threads,
            matrix: &self.matrix,
            couplings: &self.couplings,
            joined: &mut self.joined,
            halo: &mut self.halo,
            preconditioner: &mut self.preconditioner,
            positions,
            masses: &self.masses,
            fixed: &self.fixed,
            any_fixed: self.any_fixed,
        };
        let (rhs, delta_u) = (&self.rhs, &mut self.delta_u);
        let cg = self.workspace.solve(&mut system, rhs, delta_u, self.tolerance)?;
        if self.begins {
            self.tolerance.least_reference = cg.reference;
        }
        self.count_products(cg.iterations as u64 + 1);
        Ok(cg)
    }

    fn count_products(&mut self, multiplications: u64) {
        let rows = self.matrix.patch_offsets();
        for (patch, work) in self.work.iter_mut().enumerate() {
            let (first, end) = (rows[patch], rows[patch + 1]);
            let from = self.fixed.partition_point(|&row| row < first);
            let fixed = self.fixed[from..].partition_point(|&row| row < end);
            if fixed < (end - first) as usize {
                let of_matrix = self.matrix.structure().blocks_of(patch);
                let of_couplings = PRODUCTS_OF_A_SIDE * self.couplings.sides_of(patch) as u64;
                work.products += multiplications * (of_matrix + of_couplings);
            }
        }
    }

    /// The work of each own patch since the last call.
    pub fn take_work(&mut self) -> Vec<PatchWork> {
        let taken = self.work.clone();
        self.work.fill(PatchWork::default());
        taken
    }

    /// The residuals `A du - b` of the own rows of the last system, in N s, if the velocities of
    /// their nodes change by `delta_u` (m/s); zero where skin is idle. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn residuals(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        delta_u: &[Vec3],
        residuals: &mut Vec<Vec3>,
    ) -> Result<()> {
        let rows = self.idle.iter().zip(self.matrix.patch_offsets().windows(2));
        let idle = rows.filter(|(idle, _)| **idle).flat_map(|(_, rows)| rows[0]..rows[1]);
        let idle = Vec::from_iter(idle);
        let mut system = System {
            world,
            threads,
            matrix: &self.matrix,
            couplings: &self.couplings,
            joined: &mut self.joined,
            halo: &mut self.halo,
            preconditioner: &mut self.preconditioner,
            positions: &[],
            masses: &self.masses,
            fixed: &idle,
            any_fixed: false,
        };
        self.workspace.residuals(&mut system, &self.rhs, delta_u, residuals)
    }

    /// This rank's cloth.
    pub fn cloth(&mut self) -> &mut Assembly {
        &mut self.cloth
    }

    /// Change of velocity of the own nodes (m/s), in parallel numbering.
    pub fn delta_u(&self) -> &[Vec3] {
        &self.delta_u
    }

    /// The system that was assembled last: own rows of the matrix (kg) and the right-hand side
    /// (N s). Contacts across their sides add [`Self::couplings`] to the matrix.
    pub fn system(&self) -> (&BlockMatrix, &[Vec3]) {
        (&self.matrix, &self.rhs)
    }

    /// The terms of the last system that are not stored in its matrix.
    pub fn couplings(&self) -> &Couplings {
        &self.couplings
    }

    /// Bytes and messages that one ghost exchange sends.
    pub fn ghost_traffic(&self) -> (usize, usize) {
        (self.halo.bytes_per_exchange::<Row>(), self.halo.messages_per_exchange())
    }
}

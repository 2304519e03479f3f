//! Positions and velocities of all bodies over one step.

use std::iter::zip;
use std::ops::Range;
use std::sync::Arc;

use crate::model::Model;
use crate::model::skin::{Carrier, Follower};
use crate::state::State;
use crate::state::bdf2::Bdf2;
use crate::state::body_terms::{BodyTerms, NodeTerms, carried};
use crate::state::joint_springs::JointSpring;
use crate::state::waiting::{self, Course};
use crate::time::clock::{Span, TICKS_PER_STEP};
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::cloth::assembly::Target;
use cloth_bodies::bodies::cloth::pins::Draw;
use cloth_bodies::bodies::numbering::BodyRange;
use cloth_bodies::bodies::prescribed::PrescribedPose;
use cloth_bodies::bodies::{Body, Numbering};
use cloth_bodies::contact::fail_safe::BodyEnd;
use cloth_collision::collision::{Surfaces, Sweep};
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::math::{Mat3, Vec3};
use cloth_core::threads::{Blocks, Threads};

/// Vertices that a thread takes at a time.
const VERTICES_PER_CHUNK: usize = 4096;

/// Positions of all vertices and velocities of all nodes during a step.
///
/// Vertices and velocities are numbered as in [`Numbering`]: first cloth, then bodies, then
/// obstacles. Every rank has all of them, with the same bits. These stages write the fields:
///
/// | stage | writes |
/// |---|---|
/// | `predict` | all but `x1` and `u1` of cloth and bodies |
/// | search for strayed vertices | `path_end` |
/// | all-gather after the solve, impulses | `u1`, and `x1` from it |
/// | fail-safe | `x1`, and `u1` of what it stops |
pub(crate) struct StepMotion {
    /// Positions at the start, m.
    pub x0: Vec<Vec3>,
    /// Positions at the end as predicted before the solve, m.
    pub predicted: Vec<Vec3>,
    /// The end of the motion along which candidates were sought, m.
    pub path_end: Vec<Vec3>,
    /// Positions at the end, m.
    pub x1: Vec<Vec3>,
    /// Velocities of all nodes at the start, m/s. After them the mean velocities of obstacle
    /// vertices over the step.
    pub u0: Vec<Vec3>,
    /// Velocities of all nodes at the end. After them those of obstacle vertices, as in `u0`.
    pub u1: Vec<Vec3>,
    /// Vertices that move as prescribed: obstacles, pins and handles.
    pub prescribed: Vec<bool>,
    /// Where each prescribed body ends: obstacles, then groups of pins.
    pub courses: Vec<Course>,
    /// Where each obstacle is on its way at the start of the step, and at its end.
    pub obstacle_ways: Vec<[Option<PrescribedPose>; 2]>,
    /// Where the animation has the released vertices of skin at the end, and how fast it goes, in the
    /// order of the state.
    pub carriers: Vec<Carrier>,
    /// Where the animation has the vertices of obstacles at the end, m. Empty if none is released.
    pub animated: Vec<Vec3>,
    /// The springs of each joint in the last solve.
    pub(crate) joint_springs: Vec<Vec<JointSpring>>,
    /// The forces of [`crate::State::joint_forces`] at the start of the step, N.
    pub(crate) joint_forces: Vec<Vec3>,
    /// Pinned vertices and where they are at the end, by rising vertex.
    pub targets: Vec<Target>,
    /// Bodies that the fail-safe has placed, and the velocities that take them there, m/s.
    placed: Vec<(usize, Vec<Vec3>)>,
    /// Those that go with skin which gives way instead, by rising vertex.
    pub followers: Vec<Follower>,
    /// What the last solve of this step found.
    pub(crate) solved: Solution,
    /// Whether the next solve repairs that solution.
    pub(crate) repairs: bool,
    /// Coordinates of each body at the start.
    pub coordinates: Vec<Vec<f64>>,
    /// Those in the middle of the step: of free flight, or of the solution to be repaired.
    pub middles: Vec<Vec<f64>>,
    /// Masses of the nodes of bodies, and what changes them in free flight, by rising node.
    pub body_terms: Vec<NodeTerms>,
    /// Inverse masses of cloth vertices, 1/kg; 0 if pinned.
    pub inverse_masses: Vec<f64>,
    /// What BDF2 adds.
    pub bdf2: Bdf2,
    /// The estimated error of the positions at the end, m, if the size of steps follows from it.
    pub error_m: f64,
    /// Gravity in this step, m/s^2.
    pub gravity: Vec3,
    /// The loads on cloth vertices in this step, N; empty if there are none.
    pub loads: Vec<Vec3>,
    /// What the springs of pins do to cloth vertices in this step; empty if there are none.
    pub draws: Vec<Draw>,
    /// The forces on cloth vertices that the caller adds in this whole step, N; empty if there are
    /// none.
    pub pushes: Vec<Vec3>,
    /// The change of velocity by gravity in this step, m/s.
    pub fall: Vec3,
    /// The change of velocities in this step if the last step's accelerations continue, m/s.
    pub last_changes: Vec<Vec3>,
}

/// What a solve found: the end of the step before impulses and the fail-safe.
#[derive(Default)]
pub(crate) struct Solution {
    /// Positions of all vertices, m.
    pub x: Vec<Vec3>,
    /// Velocities as in [`StepMotion::u1`].
    pub u: Vec<Vec3>,
}

impl StepMotion {
    pub fn new(model: &Model) -> Self {
        let numbering = &model.numbering;
        let mut x = vec![Vec3::zeros(); numbering.vertices()];
        model.place_obstacles(true, &mut x[numbering.free_vertices()..], |_, it| it.pose_at(0.0));
        let mut prescribed = vec![true; x.len()];
        prescribed[..numbering.free_vertices()].fill(false);
        Self {
            predicted: x.clone(),
            path_end: x.clone(),
            x1: x.clone(),
            x0: x,
            u0: vec![Vec3::zeros(); numbering.velocities()],
            u1: vec![Vec3::zeros(); numbering.velocities()],
            prescribed,
            courses: Vec::new(),
            obstacle_ways: Vec::new(),
            carriers: Vec::new(),
            animated: Vec::new(),
            joint_springs: Vec::new(),
            joint_forces: Vec::new(),
            targets: Vec::new(),
            placed: Vec::new(),
            followers: Vec::new(),
            solved: Solution::default(),
            repairs: false,
            coordinates: Vec::new(),
            middles: Vec::new(),
            body_terms: Vec::new(),
            inverse_masses: vec![0.0; numbering.cloth()],
            bdf2: Bdf2::default(),
            error_m: 0.0,
            gravity: Vec3::zeros(),
            loads: Vec::new(),
            draws: Vec::new(),
            pushes: Vec::new(),
            fall: Vec3::zeros(),
            last_changes: Vec::new(),
        }
    }

    /// The solution that the next solve repairs, if it repairs one.
    pub fn repaired(&self) -> Option<&Solution> {
        self.repairs.then_some(&self.solved)
    }

    /// The velocity of a node, or of an obstacle vertex, in the last solution, m/s.
    pub fn solved_velocity(&self, node: usize) -> Vec3 {
        self.solved.u[node]
    }

    /// The mean of the positions of a vertex at the start of the step and at its end, m. The end
    /// is that of the solution that is repaired, or the predicted one.
    pub fn mean(&self, vertex: VertexId) -> Vec3 {
        let (at, end) =
            (vertex as usize, if self.repairs { &self.solved.x } else { &self.predicted });
        (self.x0[at] + end[at]) * 0.5
    }

    /// Velocities of all cloth vertices at the end of the step, m/s.
    pub fn end_velocities(&self) -> &[Vec3] {
        match self.bdf2.end.velocities.is_empty() {
            true => &self.u1[..self.inverse_masses.len()],
            false => &self.bdf2.end.velocities,
        }
    }

    /// Whether no velocity has changed since the solve.
    pub fn ends_as_solved(&self) -> bool {
        self.u1 == self.solved.u
    }

    /// Undoes all changes since the solve. The next solve repairs the solution.
    pub fn repair(&mut self, threads: &Threads, model: &Model, scheme: Scheme) {
        threads.copy(&self.solved.x, &mut self.x1);
        threads.copy(&self.solved.u, &mut self.u1);
        if scheme.has_history() {
            self.bdf2.v = self.in_forces(&self.solved.u, scheme);
        }
        self.repairs = true;
        self.place_middles(model, scheme);
    }

    /// Finds the middles of the motions of bodies, and their masses there. They follow from the
    /// solution that is repaired, or from the prediction. Before: the changes of free flight are
    /// known.
    pub fn place_middles(&mut self, model: &Model, scheme: Scheme) {
        self.middles.clear();
        for (number, (body, range)) in each_body(model).enumerate() {
            let of_body = &mut self.body_terms[terms(model, range)];
            let mut u: Vec<Vec3> = match self.repairs {
                true => self.solved.u[nodes(range)].to_vec(),
                false => {
                    zip(&self.u0[nodes(range)], &*of_body).map(|(u, it)| u + it.free).collect()
                }
            };
            if !self.repairs && body.radius_m() > 0.0 {
                u[0] += carried(&self.last_changes, self.fall, range);
            }
            let middle = scheme.middle(&**body, &self.coordinates[number], &u);
            for (node, terms) in of_body.iter_mut().enumerate() {
                let mass = body.mass(&middle, node);
                terms.mass = [mass, mass.try_inverse().unwrap_or_else(Mat3::zeros)];
            }
            self.middles.push(middle);
        }
    }

    /// The vertices that end further than `margin_m` (m) from the ends of the paths along which
    /// candidates were sought, rising. Their paths become their actual motion.
    pub fn follow_strayed(
        &mut self,
        threads: &Threads,
        numbering: &Numbering,
        margin_m: f64,
    ) -> Vec<VertexId> {
        let (free, mut strayed) = (numbering.vertices_with_nodes(), Vec::new());
        threads.collect_ranges(free, VERTICES_PER_CHUNK, &mut strayed, |range, strayed| {
            let vertices = range.start as VertexId..range.end as VertexId;
            strayed.extend(vertices.filter(|&it| !self.ends_on_path(it, margin_m)));
        });
        strayed.iter().for_each(|&it| self.path_end[it as usize] = self.x1[it as usize]);
        strayed
    }

    /// Whether a vertex ends at most `margin_m` (m) from the end of the path along which candidates
    /// were sought. If all four vertices of a pair do so, none is ever further than that from where
    /// it is then on its path. False for NaN.
    pub fn ends_on_path(&self, vertex: VertexId, margin_m: f64) -> bool {
        let at = vertex as usize;
        (self.x1[at] - self.path_end[at]).norm_squared() <= margin_m * margin_m
    }

    /// Sum of the lengths of the motions of the cloth vertices among `nodes`, m.
    pub fn path_length(&self, nodes: &[NodeId]) -> f64 {
        let vertices = nodes.iter().map(|&node| node as usize);
        let vertices = vertices.filter(|&v| v < self.inverse_masses.len());
        vertices.map(|v| (self.x1[v] - self.x0[v]).norm()).sum()
    }

    /// Makes the positions `x1` at the end of the step from the velocities `u1` of all nodes, and
    /// keeps both as the solution. Pins are at their targets.
    pub fn finish(&mut self, threads: &Threads, model: &Model, scheme: Scheme) {
        // Vertices that have been welded to another one have no faces, and go with it.
        for &[vertex, of] in model.welded_vertices() {
            self.u1[vertex as usize] = self.u1[of as usize];
        }
        let x1 = Blocks::of_vertices(&mut self.x1[..model.numbering.cloth()]);
        threads.for_each_patch(x1, 1, |block, x1| {
            let starts = zip(&self.x0, &self.u1).skip(block * x1.size);
            zip(x1.items, starts).for_each(|(x1, (x0, u1))| *x1 = scheme.end(x0, u1));
        });
        self.placed.clear();
        for &(vertex, place) in &self.targets {
            self.x1[vertex as usize] = place;
        }
        for body in 0..model.bodies.len() {
            self.place_body(model, body, scheme);
        }
        self.place_skins(model, scheme);
        let Solution { x, u } = &mut self.solved;
        x.resize(self.x1.len(), Vec3::zeros());
        u.resize(self.u1.len(), Vec3::zeros());
        threads.copy(&self.x1, x);
        threads.copy(&self.u1, u);
    }

    /// Adds `delta_u` (m/s) to the velocity of one node, and moves the ends
    /// of the vertices that follow it.
    pub fn push(&mut self, model: &Model, node: NodeId, delta_u: Vec3, scheme: Scheme) {
        let at = node as usize;
        self.u1[at] += delta_u;
        match model.numbering.body_of_node(node) {
            None => {
                let vertex = model.numbering.skin_vertex(node).unwrap_or(node) as usize;
                self.x1[vertex] = scheme.end(&self.x0[vertex], &self.u1[at]);
            }
            Some(body) => self.place_body(model, body, scheme),
        }
    }

    fn place_body(&mut self, model: &Model, number: usize, scheme: Scheme) {
        let (body, range) = (&model.bodies[number], &model.numbering.bodies()[number]);
        let (at, u1) = (&self.coordinates[number], &self.u1[nodes(range)]);
        let moved = scheme.moved(&**body, at, u1);
        body.place(&moved, &mut self.x1[vertices(range)]);
    }

    /// Takes over where the fail-safe has placed a body.
    pub fn place_as(&mut self, model: &Model, end: &BodyEnd) {
        self.u1[nodes(&model.numbering.bodies()[end.body])].copy_from_slice(&end.u);
        self.placed.push((end.body, end.way.clone()));
    }

    /// The terms of bodies of few nodes in the linear system.
    pub fn body_terms(&self, model: &Model) -> BodyTerms<'_> {
        BodyTerms { first: model.numbering.cloth() as NodeId, terms: &self.body_terms }
    }

    /// The motion along which candidates are sought among `surfaces`, for pairs within `radius`
    /// (m).
    pub fn sweep<'a>(&'a self, surfaces: &'a Surfaces, radius: f64) -> Sweep<'a> {
        Sweep { x0: &self.x0, x1: &self.path_end, radius, radii: surfaces.radii() }
    }

    /// The coordinates of all bodies at the end of the step.
    pub fn moved_bodies(&self, model: &Model, scheme: Scheme) -> Vec<Vec<f64>> {
        let bodies = each_body(model).zip(&self.coordinates).enumerate();
        let moved = bodies.map(|(number, ((body, range), at))| {
            let placed = self.placed.iter().find(|placed| placed.0 == number);
            let way = placed.map_or(&self.u1[nodes(range)], |placed| &placed.1);
            scheme.moved(&**body, at, way)
        });
        moved.collect()
    }

    /// Writes the end of the step of `span` into the state.
    pub fn commit(&self, threads: &Threads, model: &Model, state: &mut State, span: &Span) {
        let numbering = &model.numbering;
        threads.copy(&self.x1[..numbering.cloth()], &mut state.positions);
        let accelerations = Blocks::of_vertices(&mut state.accelerations);
        threads.for_each_patch(accelerations, 1, |block, accelerations| {
            let velocities = zip(&self.u0, &self.u1).skip(block * accelerations.size);
            zip(accelerations.items, velocities).for_each(|(acceleration, (u0, u1))| {
                *acceleration = span.scheme.acceleration(u0, u1)
            });
        });
        threads.copy(&self.u1[..numbering.nodes()], &mut state.velocities);
        state.history.clone_from(&self.bdf2.end);
        if !span.scheme.has_history() {
            state.set_mean_velocities(model);
        }
        state.coordinates = self.moved_bodies(model, span.scheme);
        state.joint_forces = self.locking_forces(span.scheme);
        state.released.advance(&self.x1, &self.carriers);
        state.ticks += span.ticks;
        let whole = state.ticks.is_multiple_of(TICKS_PER_STEP);
        waiting::advance(&mut state.waiting, &self.courses, whole);
    }

    /// Whether a prescribed body stands still or goes back because it had no room.
    pub fn someone_waits(&self) -> bool {
        let waits = |course: &_| matches!(course, Course::Stands(_) | Course::GoesBack(..));
        self.courses.iter().any(waits)
    }
}

pub(crate) fn each_body(model: &Model) -> impl Iterator<Item = (&Arc<dyn Body>, &BodyRange)> {
    model.bodies.iter().zip(model.numbering.bodies())
}

pub(crate) fn nodes(range: &BodyRange) -> Range<usize> {
    range.nodes.start as usize..range.nodes.end as usize
}

/// The numbers of its terms in [`StepMotion::body_terms`].
fn terms(model: &Model, range: &BodyRange) -> Range<usize> {
    let cloth = model.numbering.cloth();
    range.nodes.start as usize - cloth..range.nodes.end as usize - cloth
}

pub(crate) fn vertices(range: &BodyRange) -> Range<usize> {
    range.vertices.start as usize..range.vertices.end as usize
}

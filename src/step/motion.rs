//! Positions and velocities of all bodies over one step.

use std::iter::zip;
use std::ops::Range;
use std::sync::Arc;

use crate::bodies::cloth::inputs::Target;
use crate::bodies::cloth::pins::Lead;
use crate::bodies::numbering::BodyRange;
use crate::bodies::prescribed::ObstacleSetup;
use crate::bodies::{Body, Numbering};
use crate::collision::Sweep;
use crate::ids::{NodeId, VertexId};
use crate::math::{Mat3, Vec3};
use crate::step::bdf2::Bdf2;
use crate::step::clock::{Span, TICKS_PER_STEP};
use crate::step::model::Model;
use crate::step::scheme::Scheme;
use crate::step::state::State;
use crate::step::system::{BodyTerms, NodeTerms};
use crate::step::waiting::{self, Course, Prescribed};

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
pub(super) struct StepMotion {
    /// Positions at the start, m.
    pub x0: Vec<Vec3>,
    /// Positions at the end as predicted before the solve, m.
    pub predicted: Vec<Vec3>,
    /// The end of the motion along which candidates were sought, m.
    pub path_end: Vec<Vec3>,
    /// Positions at the end, m.
    pub x1: Vec<Vec3>,
    /// Velocities of all nodes at the start, m/s or rad/s. After them the mean velocities of
    /// obstacle vertices over the step, m/s.
    pub u0: Vec<Vec3>,
    /// Velocities of all nodes at the end. After them those of obstacle vertices, as in `u0`.
    pub u1: Vec<Vec3>,
    /// Vertices that move as prescribed: obstacles, pins and handles.
    pub prescribed: Vec<bool>,
    /// Where each prescribed body ends: obstacles, then groups of pins.
    pub courses: Vec<Course>,
    /// Pinned vertices and where they are at the end, by rising vertex.
    pub targets: Vec<Target>,
    /// What the last solve of this step found.
    pub(super) solved: Solution,
    /// Whether the next solve repairs that solution.
    pub(super) repairs: bool,
    /// Coordinates of each body at the start.
    pub coordinates: Vec<Vec<f64>>,
    /// Masses of the nodes of bodies, and the impulses that act on them, by rising node.
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
    /// The change of velocity by gravity in this step, m/s.
    pub fall: Vec3,
    /// The change of velocities in this step if the last step's accelerations continue, m/s
    /// (rad/s).
    pub last_changes: Vec<Vec3>,
}

/// What a solve found: the end of the step before impulses and the fail-safe.
#[derive(Default)]
pub(super) struct Solution {
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
            targets: Vec::new(),
            solved: Solution::default(),
            repairs: false,
            coordinates: Vec::new(),
            body_terms: Vec::new(),
            inverse_masses: vec![0.0; numbering.cloth()],
            bdf2: Bdf2::default(),
            error_m: 0.0,
            gravity: Vec3::zeros(),
            loads: Vec::new(),
            fall: Vec3::zeros(),
            last_changes: Vec::new(),
        }
    }

    /// Predicts the end of the step: cloth accelerates as in the last step, bodies fly freely,
    /// pins and obstacles move as prescribed. Pins that take hold now are captured.
    pub fn predict(&mut self, model: &Model, state: &mut State, span: &Span) {
        let pins = &model.cloth.pins;
        pins.capture(&mut state.captured, &state.positions, span.t0_s);
        self.courses.clear();
        let (bodies, at) = (Prescribed::all(model).zip(&state.waiting), state.present());
        self.courses.extend(bodies.map(|(body, it)| body.course(it.as_ref(), &at, span)));
        let of_pins = &self.courses[model.obstacles.len()..];
        let lead = |group: usize| match (of_pins[group], pins.groups[group].pose_at(span.t1_s)) {
            (Course::OnTime, None) => Lead::Captured,
            (Course::OnTime, Some(pose)) => Lead::Moved(pose),
            (Course::Stands(_), None) => Lead::Share(0.0),
            (Course::Follows(share), _) => Lead::Share(share),
            (course, _) => course.pose().map_or(Lead::Captured, Lead::Moved),
        };
        pins.targets(&state.captured, &state.positions, span.t0_s, lead, &mut self.targets);
        self.gravity = model.gravity(span.t1_s);
        model.cloth.write_loads(&state.positions, span.t1_s, &mut self.loads);
        self.fall = span.scheme.change(&self.gravity);
        self.last_changes.clear();
        self.last_changes.extend(state.accelerations.iter().map(|a| span.scheme.change(a)));
        if model.has_keyed_gravity() {
            let more = span.scheme.change(&(self.gravity - model.gravity(span.t0_s)));
            let of_cloth = self.last_changes.iter_mut().take(model.numbering.cloth());
            of_cloth.for_each(|change| *change += more);
        }
        self.repairs = false;
        self.predict_cloth(model, state, span);
        self.predict_bodies(model, state, span);
        self.predict_obstacles(model, state, span);
        self.begin_base(&state.history, span.scheme);
        self.path_end.copy_from_slice(&self.predicted);
    }

    fn predict_cloth(&mut self, model: &Model, state: &State, span: &Span) {
        let cloth = model.numbering.cloth();
        self.x0[..cloth].copy_from_slice(&state.positions);
        self.u0[..state.velocities.len()].copy_from_slice(&state.velocities);
        if !span.scheme.has_history() {
            let known = state.history.velocities.len();
            self.u0[..known].copy_from_slice(&state.history.velocities);
        }
        for (vertex, mass) in model.cloth.masses.iter().enumerate() {
            let change =
                self.fall + within(self.last_changes[vertex] - self.fall, self.fall.norm());
            let carried = self.u0[vertex] + change;
            self.predicted[vertex] = span.scheme.end(&self.x0[vertex], &carried);
            self.inverse_masses[vertex] = 1.0 / mass;
        }
        self.prescribed[..cloth].fill(false);
        for &(vertex, place) in &self.targets {
            self.predicted[vertex as usize] = place;
            self.inverse_masses[vertex as usize] = 0.0;
            self.prescribed[vertex as usize] = true;
        }
    }

    fn predict_bodies(&mut self, model: &Model, state: &State, span: &Span) {
        self.coordinates.clone_from(&state.coordinates);
        self.body_terms.clear();
        for (number, (body, range)) in each_body(model).enumerate() {
            let at = &self.coordinates[number];
            let u = &self.u0[nodes(range)];
            let mut free = u.to_vec();
            for (node, free) in free.iter_mut().enumerate() {
                let mass = body.mass(at, node);
                let inverse = mass.try_inverse().unwrap_or_else(Mat3::zeros);
                let h = span.scheme.step_s();
                let impulse = body.impulse(at, u, node, &self.gravity, h);
                let terms = NodeTerms { mass: [mass, inverse], impulse };
                *free += terms.free_change();
                self.body_terms.push(terms);
            }
            body.place(at, &mut self.x0[vertices(range)]);
            let moved = span.scheme.moved(&**body, at, &free);
            body.place(&moved, &mut self.predicted[vertices(range)]);
        }
    }

    fn predict_obstacles(&mut self, model: &Model, state: &State, span: &Span) {
        let (first, nodes) = (model.numbering.free_vertices(), model.numbering.nodes());
        model.place_obstacles(false, &mut self.x0[first..], |number, obstacle| {
            state.pose_of_waiting(number).or_else(|| obstacle.pose_at(span.t0_s))
        });
        let courses = &self.courses;
        let end = |number: usize, obstacle: &ObstacleSetup| {
            courses[number].pose().or_else(|| obstacle.pose_at(span.t1_s))
        };
        model.place_obstacles(false, &mut self.predicted[first..], end);
        for (vertex, velocity) in (first..self.x0.len()).zip(nodes..) {
            self.x1[vertex] = self.predicted[vertex];
            self.u0[velocity] = span.scheme.velocity(&self.x0[vertex], &self.x1[vertex]);
            self.u1[velocity] = self.u0[velocity];
        }
    }

    /// The solution that the next solve repairs, if it repairs one.
    pub fn repaired(&self) -> Option<&Solution> {
        self.repairs.then_some(&self.solved)
    }

    /// Stores the end of the motion as the solution.
    pub fn note_solution(&mut self) {
        self.solved.x.clone_from(&self.x1);
        self.solved.u.clone_from(&self.u1);
    }

    /// The velocity of a node, or of an obstacle vertex, in the last solution, m/s or rad/s.
    pub fn solved_velocity(&self, node: usize) -> Vec3 {
        self.solved.u[node]
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
    pub fn repair(&mut self, scheme: Scheme) {
        self.x1.copy_from_slice(&self.solved.x);
        self.u1.copy_from_slice(&self.solved.u);
        if scheme.has_history() {
            self.bdf2.v = self.in_forces(&self.solved.u, scheme);
        }
        self.repairs = true;
    }

    /// The vertices that end further than `margin_m` (m) from the ends of the paths along which
    /// candidates were sought, rising. Their paths become their actual motion.
    pub fn follow_strayed(&mut self, numbering: &Numbering, margin_m: f64) -> Vec<VertexId> {
        let free = 0..numbering.free_vertices() as VertexId;
        let strayed: Vec<VertexId> = free.filter(|&it| !self.ends_on_path(it, margin_m)).collect();
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

    /// Makes the positions `x1` at the end of the step from the velocities `u1` of all nodes.
    /// Pins are at their targets.
    pub fn finish(&mut self, model: &Model, scheme: Scheme) {
        for vertex in 0..model.numbering.cloth() {
            self.x1[vertex] = scheme.end(&self.x0[vertex], &self.u1[vertex]);
        }
        for &(vertex, place) in &self.targets {
            self.x1[vertex as usize] = place;
        }
        for body in 0..model.bodies.len() {
            self.place_body(model, body, scheme);
        }
    }

    /// Adds `delta_u` (m/s or rad/s) to the velocity of one node, and moves the ends
    /// of the vertices that follow it.
    pub fn push(&mut self, model: &Model, node: NodeId, delta_u: Vec3, scheme: Scheme) {
        let at = node as usize;
        self.u1[at] += delta_u;
        match model.numbering.body_of_node(node) {
            None => self.x1[at] = scheme.end(&self.x0[at], &self.u1[at]),
            Some(body) => self.place_body(model, body, scheme),
        }
    }

    fn place_body(&mut self, model: &Model, number: usize, scheme: Scheme) {
        let (body, range) = (&model.bodies[number], &model.numbering.bodies()[number]);
        let (at, u1) = (&self.coordinates[number], &self.u1[nodes(range)]);
        let moved = scheme.moved(&**body, at, u1);
        body.place(&moved, &mut self.x1[vertices(range)]);
    }

    /// Slows a body down to a `fraction` of its velocities. Its positions do not change: the
    /// fail-safe has placed it there.
    pub fn slow(&mut self, model: &Model, number: usize, fraction: f64) {
        let range = &model.numbering.bodies()[number];
        self.u1[nodes(range)].iter_mut().for_each(|u| *u *= fraction);
    }

    /// For each body its vertices, and the function that places them after a fraction of its
    /// motion.
    pub fn whole_bodies<'m>(
        &self,
        model: &'m Model,
        scheme: Scheme,
    ) -> Vec<(Range<usize>, PlaceAt<'m>)> {
        let bodies = each_body(model).zip(&self.coordinates).map(|((body, range), at)| {
            let (at, u) = (at.clone(), self.u1[nodes(range)].to_vec());
            let place = move |fraction: f64, x: &mut [Vec3]| {
                let u: Vec<Vec3> = u.iter().map(|u| u * fraction).collect();
                body.place(&scheme.moved(&**body, &at, &u), x);
            };
            (vertices(range), Box::new(place) as PlaceAt<'m>)
        });
        bodies.collect()
    }

    /// The terms of bodies of few nodes in the linear system.
    pub fn body_terms(&self, model: &Model) -> BodyTerms<'_> {
        BodyTerms { first: model.numbering.cloth() as NodeId, terms: &self.body_terms }
    }

    /// The motion along which candidates are sought, for pairs within `radius` (m).
    pub fn sweep(&self, radius: f64) -> Sweep<'_> {
        Sweep { x0: &self.x0, x1: &self.path_end, radius }
    }

    /// The coordinates of all bodies at the end of the step.
    pub fn moved_bodies(&self, model: &Model, scheme: Scheme) -> Vec<Vec<f64>> {
        let bodies = each_body(model).zip(&self.coordinates);
        let moved = |((body, range), at): ((&Arc<dyn Body>, &BodyRange), &Vec<f64>)| {
            scheme.moved(&**body, at, &self.u1[nodes(range)])
        };
        bodies.map(moved).collect()
    }

    /// Writes the end of the step of `span` into the state.
    pub fn commit(&self, model: &Model, state: &mut State, span: &Span) {
        let numbering = &model.numbering;
        state.positions.copy_from_slice(&self.x1[..numbering.cloth()]);
        for (acceleration, (u0, u1)) in state.accelerations.iter_mut().zip(zip(&self.u0, &self.u1))
        {
            *acceleration = span.scheme.acceleration(u0, u1);
        }
        state.velocities.copy_from_slice(&self.u1[..numbering.nodes()]);
        state.history.clone_from(&self.bdf2.end);
        if !span.scheme.has_history() {
            state.set_mean_velocities(model);
        }
        state.coordinates = self.moved_bodies(model, span.scheme);
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

/// Places the vertices of a body after a fraction of its motion.
type PlaceAt<'m> = Box<dyn Fn(f64, &mut [Vec3]) + Sync + 'm>;

fn each_body(model: &Model) -> impl Iterator<Item = (&Arc<dyn Body>, &BodyRange)> {
    model.bodies.iter().zip(model.numbering.bodies())
}

fn nodes(range: &BodyRange) -> Range<usize> {
    range.nodes.start as usize..range.nodes.end as usize
}

fn vertices(range: &BodyRange) -> Range<usize> {
    range.vertices.start as usize..range.vertices.end as usize
}

/// `vector`, no longer than `limit`.
fn within(vector: Vec3, limit: f64) -> Vec3 {
    let length = vector.norm();
    if length > limit { vector * (limit / length) } else { vector }
}

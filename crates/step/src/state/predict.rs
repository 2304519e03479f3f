//! The predicted motion of a step.

use std::iter::zip;
use std::ops::RangeBounds;

use crate::model::Model;
use crate::state::State;
use crate::state::body_terms::{NodeTerms, carried, within};
use crate::state::motion::{StepMotion, each_body, nodes, vertices};
use crate::state::waiting::{Course, Prescribed};
use crate::time::clock::Span;
use cloth_bodies::bodies::cloth::pins::Lead;
use cloth_bodies::bodies::prescribed::{ObstacleSetup, PrescribedPose};
use cloth_core::math::Vec3;
use cloth_core::threads::{Blocks, Threads};

impl StepMotion {
    /// Predicts the end of the step: cloth accelerates as in the last step, bodies fly freely,
    /// pins and obstacles move as prescribed. Pins that take hold now are captured.
    pub fn predict(&mut self, threads: &Threads, model: &Model, state: &mut State, span: &Span) {
        let pins = &model.cloth.pins;
        pins.capture(&mut state.captured, &state.positions, span.t0_s);
        let obstacles = model.obstacles.len();
        self.start.courses.clear();
        self.add_courses(model, state, span, ..obstacles);
        self.predict_obstacles(model, state, span);
        self.lead_followers(model, state, span);
        self.add_courses(model, state, span, obstacles..);
        let of_pins = &self.start.courses[obstacles..];
        let lead = |group: usize| match (of_pins[group], pins.groups[group].pose_at(span.t1_s)) {
            (Course::OnTime, None) => Lead::Captured,
            (Course::OnTime, Some(pose)) => Lead::Moved(pose),
            (Course::Stands(_), None) => Lead::Share(0.0),
            (Course::Follows(share), _) => Lead::Share(share),
            (course, _) => {
                course.pose().and_then(PrescribedPose::rigid).map_or(Lead::Captured, Lead::Moved)
            }
        };
        pins.targets(&state.captured, &state.positions, span.t0_s, lead, &mut self.start.targets);
        let (times, cloth) = ([span.t0_s, span.t1_s], model.numbering.cloth());
        pins.write_draws(&state.captured, times, cloth, &mut self.start.draws);
        self.let_followers_go(model, state, span);
        self.start.gravity = model.gravity(span.t1_s);
        model.cloth.write_loads(&state.positions, span.t1_s, &mut self.start.loads);
        self.add_pushes();
        self.start.fall = span.scheme.change(&self.start.gravity);
        self.repairs = false;
        self.predict_cloth(threads, model, state, span);
        self.predict_bodies(model, state, span);
        self.predict_skins(model, state, span);
        self.bdf2 = state.history.as_ref().map(|it| self.begin_bdf2(it, span.scheme));
        threads.copy(&self.start.predicted, &mut self.path_end);
    }

    /// Adds the forces of the caller to the loads.
    fn add_pushes(&mut self) {
        if self.start.loads.is_empty() {
            self.start.loads.clone_from(&self.start.pushes);
        } else {
            zip(&mut self.start.loads, &self.start.pushes).for_each(|(load, push)| *load += push);
        }
    }

    /// Adds the courses of the prescribed bodies with these `numbers`.
    fn add_courses(
        &mut self,
        model: &Model,
        state: &State,
        span: &Span,
        numbers: impl RangeBounds<usize>,
    ) {
        let (bodies, at) =
            (zip(Prescribed::all(model), &state.waiting).enumerate(), state.present());
        let bodies = bodies.filter(|(number, _)| numbers.contains(number));
        self.start
            .courses
            .extend(bodies.map(|(_, (body, it))| body.course(it.as_ref(), &at, span)));
    }

    /// Leads the pins that follow an obstacle to their places on its surface at the end of the step.
    /// The ends of obstacles are predicted.
    fn lead_followers(&self, model: &Model, state: &mut State, span: &Span) {
        for (group, pins) in model.cloth.pins.groups.iter().enumerate() {
            let Some(follow) = pins.follow.as_ref().filter(|_| pins.is_active(span.t0_s)) else {
                continue;
            };
            let surface = &model.surfaces.list[model.object_of_obstacle(follow.obstacle)];
            let x = &self.start.predicted[surface.vertices()];
            state.lead(model, group, follow.points.iter().map(|point| point.place(x)));
        }
    }

    /// The start and the predicted end of the vertices of cloth.
    fn predict_cloth(&mut self, threads: &Threads, model: &Model, state: &State, span: &Span) {
        let (cloth, scheme, fall) = (model.numbering.cloth(), span.scheme, self.start.fall);
        // The accelerations of the last step do not know the gravity of this one.
        let keyed = model.has_keyed_gravity();
        let more = scheme.change(&(self.start.gravity - model.gravity(span.t0_s)));
        let mean = match &state.history {
            // A step of Euler in a run of BDF2.
            Some(history) if !scheme.has_history() => &history.velocities,
            _ => &state.velocities,
        };
        self.start.last_changes.resize(state.accelerations.len(), Vec3::zeros());
        let starts = (
            Blocks::of_vertices(&mut self.start.x0[..cloth]),
            Blocks::of_vertices(&mut self.start.u0[..cloth]),
            Blocks::of_vertices(&mut self.start.last_changes[..cloth]),
        );
        let ends = (
            Blocks::of_vertices(&mut self.start.predicted[..cloth]),
            Blocks::of_vertices(&mut self.start.inverse_masses),
            Blocks::of_vertices(&mut self.start.prescribed[..cloth]),
        );
        threads.for_each_patch((starts, ends), 1, |block, (starts, ends)| {
            let ((x0, u0, changes), (predicted, inverse_masses, prescribed)) = (starts, ends);
            let first = block * x0.size;
            for (at, vertex) in (first..first + x0.items.len()).enumerate() {
                x0.items[at] = state.positions[vertex];
                u0.items[at] = mean[vertex];
                let last = scheme.change(&state.accelerations[vertex]);
                changes.items[at] = if keyed { last + more } else { last };
                let change = fall + within(changes.items[at] - fall, fall.norm());
                predicted.items[at] = scheme.end(&x0.items[at], &(u0.items[at] + change));
                inverse_masses.items[at] = 1.0 / model.cloth.masses[vertex];
                prescribed.items[at] = false;
            }
        });
        for &(vertex, place) in &self.start.targets {
            self.start.predicted[vertex as usize] = place;
            self.start.inverse_masses[vertex as usize] = 0.0;
            self.start.prescribed[vertex as usize] = true;
        }
    }

    fn predict_bodies(&mut self, model: &Model, state: &State, span: &Span) {
        self.start.coordinates.clone_from(&state.coordinates);
        self.start.joint_forces.clone_from(&state.joint_forces);
        let free = model.numbering.nodes_of_bodies();
        self.start.u0[free.clone()].copy_from_slice(&state.velocities[free.clone()]);
        for node in free {
            self.start.last_changes[node] = span.scheme.change(&state.accelerations[node]);
        }
        self.body_terms.clear();
        for (number, (body, range)) in each_body(model).enumerate() {
            let at = &self.start.coordinates[number];
            let u = &self.start.u0[nodes(range)];
            let flown = body.flown(at, u, &self.start.gravity, span.scheme.step_s());
            let changes = flown.iter().zip(u).map(|(flown, u)| flown - u);
            self.body_terms.extend(changes.map(NodeTerms::of_change));
            body.place(at, &mut self.start.x0[vertices(range)]);
            let mut predicted = flown;
            if body.radius_m() > 0.0 {
                predicted[0] += carried(&self.start.last_changes, self.start.fall, range);
            }
            let moved = span.scheme.moved(&**body, at, &predicted);
            body.place(&moved, &mut self.start.predicted[vertices(range)]);
        }
        self.place_middles(model, span.scheme);
    }

    fn predict_obstacles(&mut self, model: &Model, state: &State, span: &Span) {
        let first = model.numbering.free_vertices();
        let way = |(number, obstacle): (usize, &ObstacleSetup)| {
            let start = state.pose_of_waiting(number).or_else(|| obstacle.pose_at(span.t0_s));
            [start, self.start.courses[number].pose().or_else(|| obstacle.pose_at(span.t1_s))]
        };
        self.start.obstacle_ways = model.obstacles.iter().enumerate().map(way).collect();
        let ways = &self.start.obstacle_ways;
        model.place_obstacles(false, &mut self.start.x0[first..], |number, _| ways[number][0]);
        model.place_obstacles(false, &mut self.start.predicted[first..], |number, _| {
            ways[number][1]
        });
        for surface in &model.surfaces.list[model.object_of_obstacle(0)..] {
            let velocities = model.numbering.nodes_of(surface.first_vertex).start as usize..;
            for (vertex, velocity) in zip(surface.vertices(), velocities) {
                self.x1[vertex] = self.start.predicted[vertex];
                self.start.u0[velocity] =
                    span.scheme.velocity(&self.start.x0[vertex], &self.x1[vertex]);
                self.u1[velocity] = self.start.u0[velocity];
            }
        }
    }
}

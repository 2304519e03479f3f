//! How skins move in a step.

use std::iter::zip;

use crate::model::Model;
use crate::model::skin::{Carrier, ReleasedVertex, Skin, YieldingObstacle};
use crate::state::State;
use crate::state::body_terms::{NodeTerms, within};
use crate::state::motion::{StepMotion, nodes, vertices};
use crate::time::clock::Span;
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::numbering::BodyRange;
use cloth_bodies::bodies::prescribed::Yielding;
use cloth_core::math::{Mat3, Vec3};

/// The obstacles of which vertices are released in `state`.
pub(crate) fn yielding(model: &Model, state: &State) -> Vec<YieldingObstacle> {
    let now_s = model.clock.seconds(state.ticks);
    let of_skin = |(skin, range): (&Skin, &BodyRange)| {
        let own = |it: &&ReleasedVertex| range.vertices.contains(&it.vertex);
        let released = Vec::from_iter(state.released.vertices().iter().filter(own));
        let obstacle = &model.obstacles[skin.obstacle];
        let pose = state.pose_of_waiting(skin.obstacle).or_else(|| obstacle.pose_at(now_s));
        let mut x = vec![Vec3::zeros(); range.vertices.len()];
        if !released.is_empty() {
            obstacle.positions_in(pose.as_ref(), &mut x);
        }
        let offset =
            |it: &&ReleasedVertex| (it.x - x[(it.vertex - range.vertices.start) as usize]).norm();
        (!released.is_empty()).then(|| YieldingObstacle {
            name: obstacle.name.clone(),
            vertices: released.len(),
            largest_offset_m: released.iter().map(offset).fold(0.0, f64::max),
        })
    };
    zip(&model.skins, model.numbering.skins()).filter_map(of_skin).collect()
}

impl StepMotion {
    /// Predicts the skins. Before: bodies are predicted, and obstacles where the animation has them.
    pub fn predict_skins(&mut self, model: &Model, state: &State, span: &Span) {
        let skins = zip(&model.skins, model.numbering.skins());
        for (skin, range) in skins.clone() {
            self.start.prescribed[vertices(range)].fill(true);
            self.start.last_changes[nodes(range)].fill(Vec3::zeros());
            self.body_terms.extend(skin.masses.iter().map(|&mass| NodeTerms {
                mass: [Mat3::from_diagonal_element(mass), Mat3::zeros()],
                free: Vec3::zeros(),
            }));
        }
        self.start.carriers.clear();
        self.start.animated.clear();
        if !state.released.is_empty() {
            self.start.animated.extend(&self.start.predicted[model.numbering.free_vertices()..]);
        }
        for released in state.released.vertices() {
            let own = |(_, it): &(_, &BodyRange)| it.vertices.contains(&released.vertex);
            if let Some((skin, range)) = skins.clone().find(own) {
                let place = (released.vertex - range.vertices.start) as usize;
                let node = range.nodes.start as usize + place;
                let u0 = state.velocities[node];
                let mut change = self.free_change(&skin.law, node, released, u0, span);
                let end = span.scheme.end(&released.x, &(u0 + change));
                let animated = self.animated_of(model, range);
                let within = skin.within(place, end, animated);
                if within != end {
                    change = span.scheme.velocity(&released.x, &within) - u0;
                }
                if released.returns {
                    let u = u0 + change;
                    (self.start.u0[node], self.u1[node]) = (u, u);
                    self.start.predicted[released.vertex as usize] =
                        span.scheme.end(&released.x, &u);
                    self.x1[released.vertex as usize] =
                        self.start.predicted[released.vertex as usize];
                    continue;
                }
                let mass = skin.masses[place] * skin.law.mass_factor(span.scheme.step_s());
                let inverse = skin.softness(place, self.animated_of(model, range)) / mass;
                self.body_terms[node - model.numbering.cloth()] = NodeTerms {
                    mass: [inverse.try_inverse().unwrap_or_else(Mat3::zeros), inverse],
                    free: change,
                };
                let last = span.scheme.change(&state.accelerations[node]);
                self.predict_released(released, node, [u0, change, last], span.scheme);
            }
        }
    }

    /// The change of velocity (m/s) of a released vertex without contacts, from `u0` on. Notes its
    /// carrier, and where it starts.
    fn free_change(
        &mut self,
        law: &Yielding,
        node: usize,
        released: &ReleasedVertex,
        u0: Vec3,
        span: &Span,
    ) -> Vec3 {
        let vertex = released.vertex as usize;
        let carrier = Carrier { end: self.start.predicted[vertex], velocity: self.start.u0[node] };
        let (d, relative) = (released.x - self.start.x0[vertex], u0 - released.carrier);
        self.start.x0[vertex] = released.x;
        self.start.carriers.push(carrier);
        carrier.velocity + law.free_velocity(&d, &relative, span.scheme.step_s()) - u0
    }

    /// Predicts a released vertex. Its velocity at the start is `u0`, and changes by `free` without
    /// contacts; in the last step it changed by `last` (m/s). What contacts held back is held back on,
    /// as far as it is less than the spring.
    fn predict_released(
        &mut self,
        released: &ReleasedVertex,
        node: usize,
        [u0, free, last]: [Vec3; 3],
        scheme: Scheme,
    ) {
        let vertex = released.vertex as usize;
        let carried =
            self.start.carriers.last().map_or(Vec3::zeros(), |it| it.velocity) - released.carrier;
        let change = carried + within(last - carried, (free - carried).norm());
        self.start.prescribed[vertex] = false;
        self.start.last_changes[node] = last;
        (self.start.u0[node], self.u1[node]) = (u0, u0);
        self.start.predicted[vertex] = scheme.end(&released.x, &(u0 + change));
    }

    /// Places the released vertices of skin at the end of the step, by their velocities.
    pub fn place_skins(&mut self, model: &Model, scheme: Scheme) {
        for (skin, range) in zip(&model.skins, model.numbering.skins()) {
            for (place, (vertex, node)) in zip(vertices(range), nodes(range)).enumerate() {
                if !self.start.prescribed[vertex] {
                    let end = scheme.end(&self.start.x0[vertex], &self.u1[node]);
                    self.x1[vertex] = skin.within(place, end, self.animated_of(model, range));
                    if self.x1[vertex] != end {
                        self.u1[node] = scheme.velocity(&self.start.x0[vertex], &self.x1[vertex]);
                    }
                }
            }
        }
    }

    /// Where the animation has the vertices of a skin at the end of the step, m.
    fn animated_of(&self, model: &Model, range: &BodyRange) -> &[Vec3] {
        let first = model.numbering.free_vertices();
        &self.start.animated
            [range.vertices.start as usize - first..range.vertices.end as usize - first]
    }
}

//! Pins that follow skin which gives way.
//!
//! A pin that follows an obstacle is prescribed where the animation is. Where the skin under it is
//! released, its vertex is free instead, and a spring holds it to its point on the skin as that is
//! predicted: the point goes with the dent, and does not turn with it. The spring pulls along the
//! skin, and back to it. It does not hold the vertex off the skin, because contacts do, which press
//! the skin too. The skin is too soft to carry a garment. So the spring acts on it only where it draws
//! a dent back; otherwise pins would press the skin away, and go along (docs/methods.md, section 8).

use std::iter::zip;
use std::ops::Range;

use crate::model::Model;
use crate::model::skin::Follower;
use crate::solve::attachments::stiffness_of;
use crate::state::State;
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use crate::state::step_start::StepStart;
use crate::time::clock::Span;
use cloth_bodies::bodies::prescribed::SurfacePoint;
use cloth_bodies::contact::{ContactSpring, Sides};
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::linear::Jacobian;
use cloth_core::math::{Mat3, Vec3};

/// A vertex that is pinned nearer to its skin may be this far from it, in contact distances.
const SLACK: f64 = 2.0;

impl Follower {
    /// Its point on the surface of an obstacle, and the vertices of that. None if it follows nothing.
    fn point<'m>(&self, model: &'m Model) -> Option<(&'m SurfacePoint, Range<usize>)> {
        let follow = model.cloth.pins.groups[self.pin[0]].follow.as_ref()?;
        let surface = &model.surfaces.list[model.object_of_obstacle(follow.obstacle)];
        Some((&follow.points[self.pin[1]], surface.vertices()))
    }
}

impl StepMotion {
    /// Takes the pins under which skin gives way off the targets. Before: obstacles are where the
    /// animation has them.
    pub fn let_followers_go(&mut self, model: &Model, state: &State, span: &Span) {
        self.start.followers.clear();
        if state.released.is_empty() {
            return;
        }
        for (group, pins) in model.cloth.pins.groups.iter().enumerate() {
            let vertices = pins.vertices.iter().filter(|_| pins.holds(span.t0_s)).enumerate();
            let zero = Vec3::zeros();
            let pin = |(place, &vertex)| {
                let pin = [group, place];
                Follower { vertex, pin, arms: [zero; 2], outwards: zero, foot: zero }
            };
            self.start.followers.extend(vertices.map(pin));
        }
        // As for the targets, the first group of a vertex decides.
        self.start.followers.sort_by_key(|it| it.vertex);
        self.start.followers.dedup_by_key(|it| it.vertex);
        self.start.followers.retain(|it| {
            let Some((point, vertices)) = it.point(model) else { return false };
            let first = vertices.start as VertexId;
            point.corners().iter().any(|corner| state.released.get(first + corner).is_some())
        });
        let StepStart { targets, followers, x0, predicted, .. } = &mut self.start;
        for it in followers.iter_mut() {
            if let Some((point, vertices)) = it.point(model) {
                let ends = [&x0[vertices.clone()], &predicted[vertices]];
                it.arms = ends.map(|x| point.arm(x));
                (it.outwards, it.foot) = (point.outwards(ends[1]), point.foot(ends[1]));
            }
        }
        targets.retain(|(vertex, _)| !is_among(followers, *vertex));
    }

    /// Whether a vertex of cloth is a follower.
    pub fn goes_with_skin(&self, vertex: VertexId) -> bool {
        is_among(&self.start.followers, vertex)
    }
}

fn is_among(followers: &[Follower], vertex: VertexId) -> bool {
    followers.binary_search_by_key(&vertex, |it| it.vertex).is_ok()
}

/// Adds the springs of the followers that push own nodes, for a solve about the base of `motion`.
pub(crate) fn add(here: &Context, motion: &StepMotion, springs: &mut Vec<ContactSpring>) {
    for follower in &motion.start.followers {
        let Some((point, skin)) = follower.point(here.model) else { continue };
        let corner = |corner: VertexId| skin.start as VertexId + corner;
        let node = |vertex| here.model.numbering.nodes_of(vertex).start;
        let nodes = point.corners().map(|it| node(corner(it)));
        let is_own = |node: &NodeId| here.rank.layout.own_index(*node).is_some();
        if is_own(&follower.vertex) || nodes.iter().any(is_own) {
            springs.extend(follower.springs(here, motion, (point, skin), nodes));
        }
    }
}

impl Follower {
    /// The spring that acts on the vertex alone, and the one that acts on the skin too.
    fn springs(
        &self,
        here: &Context,
        motion: &StepMotion,
        (point, skin): (&SurfacePoint, Range<usize>),
        nodes: [NodeId; 3],
    ) -> impl Iterator<Item = ContactSpring> + use<> {
        let (scheme, u) = (here.span.scheme, motion.about().u);
        let (x0, vertex) = (&motion.start.x0[skin.clone()], self.vertex as usize);
        let end = scheme.end(&motion.start.x0[vertex], &u[vertex]);
        let foot = point.foot(&motion.start.predicted[skin]);
        let slack_m = (SLACK * here.model.distances.most_m - point.height_m()).max(0.0);
        let off_m = (end - foot - self.arms[1]).dot(&self.outwards);
        let too_far_m = if slack_m > 0.0 { (off_m - slack_m).max(0.0) } else { off_m };
        let is_free = slack_m > 0.0 && too_far_m == 0.0;
        let along = if is_free { self.outwards } else { Vec3::zeros() };
        let stiffness = Mat3::identity() - along * along.transpose();
        let back = self.outwards * (too_far_m - off_m);
        let pull = |x: Vec3, foot: Vec3, arm: Vec3| -stiffness * (x - foot - arm + back);
        // Skin is drawn back where it gives way, and nowhere else.
        let dent = foot - self.foot;
        let g = (stiffness * dent).try_normalize(0.0).unwrap_or_default();
        let draws_back = pull(end, foot, self.arms[1]).dot(&g) > 0.0;
        let both = if draws_back { g * g.transpose() } else { Mat3::zeros() };
        let mut sides = Sides::default();
        sides.push(self.vertex, Jacobian::Weight(1.0));
        sides.end_first();
        let of_vertex = (sides, u[vertex], foot, stiffness - both);
        let mut foot_u = Vec3::zeros();
        for (node, weight) in zip(nodes, point.weights()) {
            sides.push(node, Jacobian::Weight(-weight));
            foot_u += u[node as usize] * weight;
        }
        let foot_end = scheme.end(&point.foot(x0), &foot_u);
        let of_both = (sides, u[vertex] - foot_u, foot_end, both);
        let lasting = pull(motion.start.x0[vertex], point.foot(x0), self.arms[0]);
        let (k, arm) = (stiffness_of(here, self.vertex), self.arms[1]);
        let springs = [of_vertex, of_both].map(|(sides, velocity, foot, part)| ContactSpring {
            sides,
            stiffness: part * k,
            velocity,
            push: part * pull(end, foot, arm) * k,
            lasting: part * lasting * k,
        });
        springs.into_iter().take(if draws_back { 2 } else { 1 })
    }
}

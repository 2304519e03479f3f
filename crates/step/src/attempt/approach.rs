//! Obstacles that approach cloth fast, and bodies that turn fast, make the step smaller.
//!
//! The search covers the whole way of a step, and the contacts of an impact hold all cloth on that
//! way at once. A ball of 25 m/s that moved by six edges in a step did 1.7 times the work that it
//! does in small steps; with 1.5 edges it did 3 % too much. A ball of 300 m/s had 14 million
//! candidates in a step of 4 ms. At such speeds smaller steps are faster and more accurate.

use std::ops::Range;
use std::sync::Arc;

use crate::model::Model;
use crate::solve::turned::BODY_TURN_LIMIT;
use crate::state::motion::{each_body, nodes};
use crate::state::step_start::StepStart;
use crate::state::trouble::{Found, Trouble};
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::Body;
use cloth_bodies::bodies::numbering::BodyRange;
use cloth_core::math::Vec3;

/// An obstacle may approach cloth by at most this many edges of the cloth in a step.
const MOST_EDGES: f64 = 2.0;

/// An obstacle that approaches cloth on its way too fast for a step of this size, or a body that
/// turns too fast. Before: the motion is predicted. The same on every rank.
pub(super) fn too_fast(model: &Model, start: &StepStart, scheme: Scheme) -> Option<Found> {
    let too_fast = turns_too_fast(model, start, scheme) || approaches_too_fast(model, start);
    too_fast.then(|| Found::new(Trouble::Fast))
}

fn turns_too_fast(model: &Model, start: &StepStart, scheme: Scheme) -> bool {
    let turns_too_fast = |(body, range): (&Arc<dyn Body>, &BodyRange)| {
        scheme.turn(&**body, &start.u0[nodes(range)]) > BODY_TURN_LIMIT
    };
    each_body(model).any(turns_too_fast)
}

fn approaches_too_fast(model: &Model, start: &StepStart) -> bool {
    let mut first = model.numbering.free_vertices();
    let limit_m = MOST_EDGES * model.mean_edges_m.iter().copied().fold(f64::INFINITY, f64::min);
    model.obstacles.iter().any(|obstacle| {
        let vertices = first..first + obstacle.shape.len();
        first = vertices.end;
        let Some(front) = Front::fastest(start, &vertices, &obstacle.faces) else { return false };
        front.approach_m > limit_m && front.meets_cloth(model, start, &vertices)
    })
}

/// The face of an obstacle that moves outwards most.
struct Front {
    normal: Vec3,
    /// Its motion along the normal, m.
    approach_m: f64,
}

impl Front {
    fn fastest(start: &StepStart, vertices: &Range<usize>, faces: &[[u32; 3]]) -> Option<Self> {
        let (x0, x1) = (&start.x0[vertices.clone()], &start.predicted[vertices.clone()]);
        if x0 == x1 {
            return None;
        }
        let front = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|vertex| vertex as usize);
            let normal = (x0[b] - x0[a]).cross(&(x0[c] - x0[a])).try_normalize(0.0)?;
            let moved: Vec3 = [a, b, c].into_iter().map(|at| x1[at] - x0[at]).sum();
            Some(Self { normal, approach_m: normal.dot(&moved) / 3.0 })
        };
        let fronts = faces.iter().filter_map(front);
        fronts.max_by(|a, b| a.approach_m.total_cmp(&b.approach_m))
    }

    /// Whether it approaches some vertex of cloth on the way of the obstacle too fast.
    fn meets_cloth(&self, model: &Model, start: &StepStart, vertices: &Range<usize>) -> bool {
        let (x0, x1) = (&start.x0, &start.predicted);
        let way = vertices.clone().flat_map(|vertex| [&x0[vertex], &x1[vertex]]);
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        way.for_each(|x| (low, high) = (low.inf(x), high.sup(x)));
        let mut begin = 0;
        model.cloth_ends.iter().zip(&model.mean_edges_m).any(|(&end, edge_m)| {
            let cloth = begin..end as usize;
            begin = cloth.end;
            cloth.into_iter().any(|vertex| {
                let (start, end) = (&x0[vertex], &x1[vertex]);
                let overlaps = start.sup(end) >= low && start.inf(end) <= high;
                overlaps && self.approach_m - self.normal.dot(&(end - start)) > MOST_EDGES * edge_m
            })
        })
    }
}

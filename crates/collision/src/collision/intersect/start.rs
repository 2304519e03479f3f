//! What is wrong with the start of a scene.

use std::collections::BTreeMap;

use crate::collision::intersect::Still;
use crate::collision::surface::Surfaces;
use cloth_core::{Threads, Vec3};

/// A kind of problem of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// Edges that meet faces.
    Intersecting,
    /// Elementary pairs that are too near.
    TooNear,
}

/// One kind of problem between two objects (or within one).
#[derive(Debug, Clone, PartialEq)]
pub struct StartProblem {
    /// Its kind.
    pub kind: ProblemKind,
    /// The objects by their place among the surfaces, rising.
    pub objects: [u32; 2],
    /// Number of edge-face pairs or elementary pairs.
    pub count: usize,
    /// Smallest distance of these pairs, m; 0 for intersections. Negative inside of a round
    /// surface.
    pub smallest_m: f64,
    /// Places of the first ones, m: at most [`StartProblem::PLACES`].
    pub places: Vec<Vec3>,
}

impl StartProblem {
    /// Most places that are kept.
    pub const PLACES: usize = 3;

    /// With so many problems of all kinds the search ends: where all of a cloth lies in a line or a
    /// point, nearly all of its pairs are problems.
    pub const MOST: usize = 100_000;
}

/// All intersections of `surfaces` and all elementary pairs nearer than `delta_m`, counted by
/// kind and objects. The vertices start at `x` (all vertices, finite, m). Empty for a clean
/// start. Skips pairs that share a vertex, and surfaces that do not meet
/// ([`meets`](crate::collision::surface::Moves::meets)). Ends after [`StartProblem::MOST`].
pub fn start_state(
    threads: &Threads,
    surfaces: &Surfaces,
    x: &[Vec3],
    delta_m: f64,
) -> Vec<StartProblem> {
    let still = Still::new(threads, surfaces, x, delta_m, |_| true);
    let (mut meeting, mut near) = still.troubles(delta_m, StartProblem::MOST);
    meeting.sort_unstable_by_key(|found| (found.edge, found.face));
    near.sort_unstable_by_key(|found| found.pair);

    let mut problems = BTreeMap::new();
    let mut add = |kind, mut objects: [u32; 2], distance_m: f64, place| {
        objects.sort_unstable();
        let new = || StartProblem {
            kind,
            objects,
            count: 0,
            smallest_m: f64::INFINITY,
            places: Vec::new(),
        };
        let problem = problems.entry((kind, objects)).or_insert_with(new);
        problem.count += 1;
        problem.smallest_m = problem.smallest_m.min(distance_m);
        if problem.places.len() < StartProblem::PLACES {
            problem.places.push(place);
        }
    };
    for found in &meeting {
        add(ProblemKind::Intersecting, found.objects, 0.0, found.place);
    }
    for found in &near {
        add(ProblemKind::TooNear, found.objects, found.distance_m, found.place);
    }
    problems.into_values().collect()
}

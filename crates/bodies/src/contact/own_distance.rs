//! Contact distances of surfaces and pairs of their own.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `p(a, b)` | m | part of the surface `a` in the distance from the surface `b` |
//! | `f` | | factor of a side at the point of a contact; 1 if it is no cloth |
//! | `p(a, b) f_a + p(b, a) f_b` | m | distance of a pair |
//!
//! The part of a surface is half of the distance of its material, or half of the distance of the
//! scene without one. If the pair of materials has a distance, it is half of that.
//!
//! A factor is interpolated at the points of a contact, not averaged over faces. A distance that
//! changed from face to face would jump while a contact slides across an edge, and each jump would
//! change the energy `k (d - gap)^2 / 2` of its spring at once. An interpolated distance changes in
//! proportion to the way, and is the same in all pairs that have the same closest points. The force
//! along the surface that its slope would have is left out. So sliding uphill gains up to the normal
//! force times the change of distance. The balance of energy has no energy of contacts, so it shows
//! that as a gain without work. What needs a distance before the points of a contact are known uses
//! the mean over the vertices of each side.
//!
//! Source: ours.

use crate::contact::factors::{of_sides, surface_of};
use crate::contact::friction::Touch;
use cloth_collision::collision::{Moves, Pair};
use cloth_core::VertexId;

/// The contact distances of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    /// The smallest distance of surfaces that can meet, m.
    pub least_m: f64,
    /// The largest one, m.
    pub most_m: f64,
    /// Those of pairs. None if all have the distance of the scene.
    pub own: Option<OwnDistances>,
}

/// Contact distances that differ from pair to pair.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnDistances {
    /// The contact distance of the scene, m.
    pub scene_m: f64,
    /// The number after the last vertex of each surface.
    ends: Vec<VertexId>,
    /// The row of each surface in `parts`.
    rows: Vec<usize>,
    /// `p(a, b)` in row `a` and column `b`, m.
    parts: Vec<Vec<f64>>,
    /// A factor for each vertex of cloth. Empty if all are 1.
    factors: Vec<f64>,
}

impl Distances {
    /// Those of `surfaces` (how each moves, and the number after its last vertex) with the materials
    /// `touch`, in a scene of the distance `scene_m` (m), with a factor for each vertex of cloth (none
    /// if all are 1).
    pub fn new(
        scene_m: f64,
        touch: &Touch,
        factors: Vec<f64>,
        surfaces: &[(Moves, VertexId)],
    ) -> Self {
        if touch.distances.is_empty() && factors.is_empty() {
            return Self { least_m: scene_m, most_m: scene_m, own: None };
        }
        let parts = match touch.distances.is_empty() {
            true => vec![vec![0.5 * scene_m]],
            false => touch.distances.clone(),
        };
        let none = parts.len() - 1;
        let row = |surface: usize| match touch.distances.is_empty() {
            true => none,
            false => touch.materials[surface].map_or(none, usize::from),
        };
        let ends = surfaces.iter().map(|&(_, end)| end).collect();
        let rows = (0..surfaces.len()).map(row).collect();
        let own = OwnDistances { scene_m, ends, rows, parts, factors };
        let [least_m, most_m] = own.extremes(surfaces).unwrap_or([scene_m; 2]);
        Self { least_m, most_m, own: Some(own) }
    }
}

impl OwnDistances {
    /// The distance (m) of `pair` at the points with the weights `at`, or its mean.
    pub fn of(&self, pair: &Pair, at: Option<&[f64; 4]>) -> f64 {
        // The first vertex is of the first side, the last one of the second.
        let [first, .., second] = pair.vertices;
        let [a, b] = [first, second].map(|vertex| self.rows[surface_of(&self.ends, vertex)]);
        let [of_a, of_b] = of_sides(&self.factors, pair, at);
        self.parts[a][b] * of_a + self.parts[b][a] * of_b
    }

    /// The smallest and the largest distance of `surfaces` that can meet, m.
    fn extremes(&self, surfaces: &[(Moves, VertexId)]) -> Option<[f64; 2]> {
        // Few kinds of surfaces stand for all of many bodies.
        let mut kinds: Vec<(Moves, usize, [f64; 2])> = Vec::new();
        let mut first = 0;
        for (&(moves, end), &row) in surfaces.iter().zip(&self.rows) {
            let vertices = first..end as usize;
            first = vertices.end;
            let factors = self.factors.get(vertices).unwrap_or_default();
            let least = factors.iter().copied().reduce(f64::min).unwrap_or(1.0);
            let most = factors.iter().copied().reduce(f64::max).unwrap_or(1.0);
            let kind = (moves, row, [least, most]);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let distance = |&(_, a, of_a): &(_, usize, [f64; 2]), &(_, b, of_b): &(_, usize, _)| {
            let of_b: [f64; 2] = of_b;
            [0, 1].map(|i| self.parts[a][b] * of_a[i] + self.parts[b][a] * of_b[i])
        };
        let pairs = kinds.iter().flat_map(|a| kinds.iter().map(move |b| (a, b)));
        let meeting = pairs.filter(|(a, b)| a.0.meets(b.0, false));
        let widened =
            |[least, most]: [f64; 2], [low, high]: [f64; 2]| [least.min(low), most.max(high)];
        meeting.map(|(a, b)| distance(a, b)).reduce(widened)
    }
}

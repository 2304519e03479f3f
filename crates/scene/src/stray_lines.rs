//! Warns of lines (`l`) of a mesh file that are sewn and look like mistakes.

use std::collections::HashSet;

use crate::spec::{Scene, Stitches};
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_bodies::bodies::seam::Stitch;
use cloth_core::ids::NONE;
use cloth_core::math::Vec3;

/// A line is far if it is longer than this share of the size of its mesh.
const FAR: f64 = 0.5;

/// Ends are at the same spot if they are nearer than this share of the size of their mesh.
const SAME: f64 = 1e-6;

/// How many lines of a kind a warning names.
const NAMED: usize = 3;

/// What looks wrong with a line, in the order in which it is sought.
const KINDS: [&str; 4] = [
    "with both ends at the same spot",
    "along edges of faces, which would collapse",
    "longer than half of the mesh",
    "with no end on the boundary",
];

/// The warnings about seams of `Lines` in `scene`, whose bodies are `setup`: one for each kind.
pub(super) fn line_warnings(scene: &Scene, setup: &Setup) -> Vec<String> {
    let firsts = setup.cloths.iter().scan(0, |end, cloth| {
        let first = *end;
        *end += cloth.positions.len() as u32;
        Some(first)
    });
    let firsts = Vec::from_iter(firsts);
    let mut warnings = Vec::new();
    for (number, (spec, seam)) in scene.seams.iter().zip(&setup.seams).enumerate() {
        let Stitches::Lines(name) = &spec.stitches else { continue };
        let Some(place) = setup.cloths.iter().position(|cloth| cloth.name == *name) else {
            continue;
        };
        let mesh = LinedMesh::new(&setup.cloths[place], firsts[place]);
        let mut strays = KINDS.map(|_| Vec::new());
        for stitch in &seam.stitches {
            if let Some(kind) = mesh.kind(stitch) {
                strays[kind].push(mesh.ends(stitch));
            }
        }
        let strays = strays.iter().zip(KINDS).filter(|(ends, _)| !ends.is_empty());
        warnings.extend(strays.map(|(ends, kind)| {
            let (count, named) = (ends.len(), named(ends));
            format!(
                "seams[{number}].stitches: lines of `{name}` {kind}, {count} in all: vertices {named}, \
                 from 0; remove them if they are no seams"
            )
        }));
    }
    warnings
}

/// The vertices of the first few lines.
fn named(ends: &[[u32; 2]]) -> String {
    let shown = ends.iter().take(NAMED).map(|[a, b]| format!("({a}, {b})"));
    let shown = Vec::from_iter(shown).join(", ");
    if ends.len() > NAMED { shown + ", ..." } else { shown }
}

/// A cloth whose lines are sewn.
struct LinedMesh {
    /// Its first vertex among those of all cloths.
    first: u32,
    /// The diagonal of the box around it, m.
    size_m: f64,
    edges: HashSet<[u32; 2]>,
    boundary: HashSet<u32>,
}

impl LinedMesh {
    fn new(cloth: &ClothSetup, first: u32) -> Self {
        let places = || cloth.positions.iter().copied();
        let low = places().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high: Vec3 = places().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let edges = cloth.topology.edges.iter().zip(&cloth.topology.edge_faces);
        let of_boundary = edges.clone().filter(|(_, faces)| faces[1] == NONE);
        Self {
            first,
            size_m: (high - low).norm(),
            edges: edges.map(|(&[a, b], _)| [a.min(b), a.max(b)]).collect(),
            boundary: of_boundary.flat_map(|(&edge, _)| edge).collect(),
        }
    }

    /// The vertices of a stitch, numbered in the cloth, in order.
    fn ends(&self, stitch: &Stitch) -> [u32; 2] {
        let mut ends = stitch.vertices.map(|vertex| vertex - self.first);
        ends.sort_unstable();
        ends
    }

    /// What looks wrong with a stitch, by its place in [`KINDS`].
    fn kind(&self, stitch: &Stitch) -> Option<usize> {
        let ends = self.ends(stitch);
        let is_wrong = [
            stitch.start_m <= SAME * self.size_m,
            self.edges.contains(&ends),
            stitch.start_m > FAR * self.size_m,
            ends.iter().all(|end| !self.boundary.contains(end)),
        ];
        is_wrong.iter().position(|&it| it)
    }
}

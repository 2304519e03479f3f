//! The seams of frames: which stitches are open, and which vertices have become one.

use cloth_sim::bodies::weld::Welds;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Topology;
use cloth_sim::verify::{Moves, Surface, Surfaces};

use crate::program::check::surfaces::folder::CheckedRun;

/// The vertices of seams that weld and are at the same place with cloth at `x` (m), as one. None if
/// there are none.
pub fn welds(run: &CheckedRun, x: &[Vec3]) -> Option<Welds> {
    let stitches = run.seams.iter().filter(|seam| seam.welds).flat_map(|seam| &seam.stitches);
    let pairs = stitches.map(|stitch| stitch.vertices);
    let is_one = |&[a, b]: &[u32; 2]| x[a as usize] == x[b as usize];
    let pairs = Vec::from_iter(pairs.filter(is_one));
    (!pairs.is_empty()).then(|| Welds::new(x.len(), pairs))
}

/// `surfaces` of cloth after `welds`.
pub fn with_welds(surfaces: &Surfaces, welds: &Welds, x: &[Vec3]) -> Surfaces {
    let mut welded = surfaces.clone();
    for surface in welded.list.iter_mut().filter(|it| it.moves == Moves::Deforms) {
        let first = surface.first_vertex;
        let local = |face: &[u32; 3]| face.map(|vertex| welds.of(vertex) - first);
        let faces = Vec::from_iter(surface.faces.iter().map(local));
        let (topology, x) = (Topology::of_any(&faces), &x[surface.vertices()]);
        *surface = Surface::new(first, &faces, &topology, x, None, surface.moves);
    }
    welded
}

/// How many stitches are open at `time_s` (s) with cloth at `x` (m), and the widest stretch (m). None
/// if there are no seams.
pub fn open_stitches(run: &CheckedRun, time_s: f64, x: &[Vec3]) -> Option<(usize, f64)> {
    let stretches = run.seams.iter().flat_map(|seam| {
        seam.stitches.iter().map(move |stitch| {
            let [a, b] = stitch.vertices.map(|vertex| x[vertex as usize]);
            let stretch_m = (a - b).norm() - seam.length_m(stitch, time_s);
            (stretch_m > seam.elastic_m(), stretch_m.max(0.0))
        })
    });
    let start = (!run.seams.is_empty()).then_some((0, 0.0));
    stretches.fold(start, |known, (is_open, stretch_m)| {
        known.map(|(count, most)| (count + usize::from(is_open), stretch_m.max(most)))
    })
}

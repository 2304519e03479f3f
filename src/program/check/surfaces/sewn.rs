//! The seams of frames: which stitches are open, and which vertices have become one.

use crate::verify::{Moves, Surface, Surfaces};
use cloth_bodies::bodies::weld::Welds;
use cloth_core::math::Vec3;
use cloth_core::mesh::Topology;

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

/// The seams of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeamState {
    /// Number of seams with an open stitch.
    pub open_seams: usize,
    /// Number of open stitches.
    pub open: usize,
    /// Number of open stitches whose seams have had their time to close.
    pub late: usize,
    /// Number of threads that should be welds, because their seams have had their time.
    pub unwelded: usize,
    /// How much farther apart than their thread is long the vertices of the widest stitch are, m.
    pub stretch_m: f64,
}

impl SeamState {
    /// The seams at `time_s` (s) with cloth at `x` (m). None without seams.
    pub fn new(run: &CheckedRun, time_s: f64, x: &[Vec3]) -> Option<Self> {
        let mut all = Self::default();
        for seam in &run.seams {
            let (before, is_over) = (all.open, time_s >= seam.close_s);
            for stitch in &seam.stitches {
                let [a, b] = stitch.vertices.map(|vertex| x[vertex as usize]);
                let stretch_m = (a - b).norm() - seam.length_m(stitch, time_s);
                all.open += usize::from(stretch_m > seam.elastic_m());
                all.unwelded += usize::from(is_over && seam.welds && a != b);
                all.stretch_m = all.stretch_m.max(stretch_m);
            }
            all.open_seams += usize::from(all.open > before);
            all.late += if is_over { all.open - before } else { 0 };
        }
        (!run.seams.is_empty()).then_some(all)
    }
}

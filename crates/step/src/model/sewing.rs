//! What is known of the stitches that weld.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::seam::{Seam, Stitch};
use cloth_bodies::bodies::weld::Welds;
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

/// Why a stitch that welds is still a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unwelded {
    /// The time of its seam to close is not over.
    Closing,
    /// A pin or a body holds one of its vertices at some time.
    Held,
    /// Its thread pulls with its largest force, and its vertices stay apart.
    Pulled,
    /// Its thread is so soft that its vertices stay apart.
    Soft,
    /// Its vertices are near enough. If it is still a thread when a frame has ended, its weld would
    /// let surfaces cross or come too near, or more than two faces meet at an edge.
    Near,
}

/// What welding needs.
pub(crate) struct Sewing {
    /// The setup of the scene without any weld. Its obstacles are in the model.
    pub base: Arc<Setup>,
    /// The vertices of each stitch of the scene, in order. The state has the numbers of those that are
    /// welded.
    pub pairs: Vec<[VertexId; 2]>,
    /// The vertices that have become another one, and that one.
    pub welded: Vec<[VertexId; 2]>,
}

impl Sewing {
    /// That of a scene with this `setup`. None if no seam of it welds.
    pub fn new(setup: &Setup) -> Option<Self> {
        setup.seams.iter().any(|seam| seam.welds).then(|| {
            let mut base = setup.clone();
            base.obstacles.clear();
            let stitches = base.seams.iter().flat_map(|seam| &seam.stitches);
            let pairs = stitches.map(|stitch| stitch.vertices).collect();
            Self { base: Arc::new(base), pairs, welded: Vec::new() }
        })
    }

    /// Whether a state with cloth at `x` (m) can have these stitches welded: their numbers rise, their
    /// seams weld, and their vertices are at the same place.
    pub fn fits(&self, numbers: &[u32], x: &[Vec3]) -> bool {
        let welds = self.base.seams.iter().flat_map(|seam| vec![seam.welds; seam.stitches.len()]);
        let welds = Vec::from_iter(welds);
        let is_one = |&number: &u32| {
            let pair = self.pairs.get(number as usize).filter(|_| welds[number as usize]);
            pair.is_some_and(|&[a, b]| x[a as usize] == x[b as usize])
        };
        numbers.is_sorted_by(|a, b| a < b) && numbers.iter().all(is_one)
    }

    /// What the vertices of cloth become when the stitches of these `numbers` are welded.
    pub fn welds(&self, numbers: &[u32]) -> Welds {
        let pairs = numbers.iter().filter_map(|&number| self.pairs.get(number as usize));
        let vertices = self.base.cloths.iter().map(|cloth| cloth.positions.len()).sum();
        Welds::new(vertices, pairs.copied())
    }

    /// The numbers of the stitches that can be welded at `time_s` (s) with cloth at `x` (m), beside the
    /// `known` ones that are: they have closed.
    pub fn closed(&self, x: &[Vec3], known: &[u32], time_s: f64) -> BTreeSet<u32> {
        let threads = self.threads(x, known, time_s);
        threads.filter(|(_, why)| *why == Unwelded::Near).map(|(number, _)| number).collect()
    }

    /// How many stitches beside the `known` ones are threads although they weld, and why, at
    /// `time_s` (s) with cloth at `x` (m).
    pub fn unwelded(&self, x: &[Vec3], known: &[u32], time_s: f64) -> BTreeMap<Unwelded, usize> {
        let mut counts = BTreeMap::new();
        self.threads(x, known, time_s).for_each(|(_, why)| *counts.entry(why).or_default() += 1);
        counts
    }

    /// The numbers of the stitches of [`Self::unwelded`], each with its cause.
    fn threads<'a>(
        &'a self,
        x: &'a [Vec3],
        known: &'a [u32],
        time_s: f64,
    ) -> impl Iterator<Item = (u32, Unwelded)> + 'a {
        let held = self.held();
        let why = move |seam: &Seam, stitch: &Stitch| {
            let [a, b] = stitch.vertices.map(|vertex| x[vertex as usize]);
            let distance_m = (a - b).norm();
            if time_s < seam.close_s {
                Unwelded::Closing
            } else if stitch.vertices.iter().any(|vertex| held.contains(vertex)) {
                Unwelded::Held
            } else if distance_m <= seam.reach_m() {
                Unwelded::Near
            } else if distance_m - seam.gap_m > seam.elastic_m() {
                Unwelded::Pulled
            } else {
                Unwelded::Soft
            }
        };
        let seams = self.base.seams.iter();
        let stitches = seams.flat_map(|seam| seam.stitches.iter().map(move |it| (seam, it)));
        let is_thread = |(number, (seam, _)): &(u32, (&Seam, &Stitch))| {
            seam.welds && known.binary_search(number).is_err()
        };
        let threads = (0..).zip(stitches).filter(is_thread);
        threads.map(move |(number, (seam, stitch))| (number, why(seam, stitch)))
    }

    /// The vertices that pins or bodies hold at some time.
    fn held(&self) -> BTreeSet<VertexId> {
        let mut held = BTreeSet::from_iter(self.base.attachments.iter().map(|it| it.vertex));
        let mut first = 0;
        for cloth in &self.base.cloths {
            let pinned = cloth.pins.iter().flat_map(|pin| &pin.vertices);
            held.extend(pinned.map(|vertex| vertex + first));
            first += cloth.positions.len() as VertexId;
        }
        held
    }
}

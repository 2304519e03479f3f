//! Clamps: faces that pins or bodies hold in all three corners.
//!
//! A held face cannot bend, and it is the tangent plane of the sheet at its edges (docs/methods.md,
//! section 2). So two neighbouring rows of held vertices clamp what begins there, and one row or
//! single vertices leave it free to turn. Which faces are held depends on the time alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::bodies::body::Attachment;
use crate::bodies::cloth::setup::{ClothSetup, Pin};
use cloth_core::{FaceId, VertexId};

/// Which faces of all cloths are held over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Clamps {
    /// Different sets of faces, each rising.
    sets: Vec<Vec<FaceId>>,
    /// From when on which set is held, by rising time, s.
    changes: Vec<(f64, usize)>,
}

impl Clamps {
    /// The faces that the pins of `cloths` hold, and bodies that hold the `attached` vertices. `faces`
    /// are those of all cloths, whose vertices are numbered by `ranges`. Springs hold nothing.
    pub fn new(
        cloths: &[ClothSetup],
        ranges: &[Range<VertexId>],
        attached: &[Attachment],
        faces: &[[VertexId; 3]],
    ) -> Self {
        // When each vertex is held, s.
        let mut held: BTreeMap<VertexId, Vec<[f64; 2]>> = BTreeMap::new();
        let mut hold = |vertex, time| held.entry(vertex).or_default().push(time);
        for (cloth, range) in cloths.iter().zip(ranges) {
            let is_firm = |pin: &&Pin| pin.springs.is_none();
            for pin in cloth.pins.iter().filter(is_firm) {
                let vertices = pin.vertices.iter().map(|vertex| vertex + range.start);
                vertices.for_each(|vertex| hold(vertex, [pin.start_s, pin.end_s]));
            }
        }
        attached.iter().for_each(|it| hold(it.vertex, [0.0, f64::INFINITY]));
        let times = |face: &[VertexId; 3]| {
            let [a, b, c] = face.map(|vertex| held.get(&vertex));
            Some([a?, b?, c?])
        };
        let ever = Vec::from_iter(
            (0..).zip(faces).filter_map(|(number, face)| Some((number, times(face)?))),
        );
        let ends = ever.iter().flat_map(|(_, corners)| corners.iter().flat_map(|it| it.iter()));
        let events = ends.flatten().filter(|time| **time > 0.0 && time.is_finite());
        let events = BTreeSet::from_iter(events.map(|time| time.to_bits()));
        let mut clamps = Self { sets: Vec::new(), changes: Vec::new() };
        for now_s in std::iter::once(0.0).chain(events.into_iter().map(f64::from_bits)) {
            let holds = |times: &&Vec<[f64; 2]>| {
                times.iter().any(|[start_s, end_s]| *start_s <= now_s && now_s < *end_s)
            };
            let now = ever.iter().filter(|(_, corners)| corners.iter().all(holds));
            clamps.change(now_s, now.map(|(face, _)| *face).collect());
        }
        clamps
    }

    fn change(&mut self, time_s: f64, set: Vec<FaceId>) {
        let known = self.sets.iter().position(|known| *known == set);
        let number = known.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        if self.changes.last().is_none_or(|(_, last)| *last != number) {
            self.changes.push((time_s, number));
        }
    }

    /// The number of the set that is held in a step that begins at `time_s` (s).
    pub fn at(&self, time_s: f64) -> usize {
        let next = self.changes.partition_point(|(start_s, _)| *start_s <= time_s);
        self.changes[next.max(1) - 1].1
    }

    /// For each set which of `faces` faces are held; empty if none is.
    pub fn by_face(&self, faces: usize) -> Vec<Vec<bool>> {
        let by_face = |set: &Vec<FaceId>| {
            let mut held = vec![false; if set.is_empty() { 0 } else { faces }];
            set.iter().for_each(|&face| held[face as usize] = true);
            held
        };
        self.sets.iter().map(by_face).collect()
    }
}

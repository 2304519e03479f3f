//! Vertices at the same place, and faces that are there twice. Files of games have a vertex for each
//! face or for each texture coordinate, so that what looks like one surface is many.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::Vec3;
use crate::mesh::obj::{Corner, ObjDocument};
use crate::mesh::obj_read::Lines;
use crate::mesh::quality::bounds;
use crate::mesh::triangulate::regrouped;

/// Vertices nearer than this share of the size of their mesh are at the same place: files have six
/// digits, of which the last one is rounded. Far from the origin single precision is coarser.
const SAME: f64 = 1e-5;

/// The remedy for doubled vertices.
pub const WELD: &str =
    "`cloth-sim mesh FILE --weld --out NEW` joins them (Blender: Mesh > Merge > By Distance)";

/// Vertices at the places of others.
#[derive(Debug, Clone, Default)]
pub struct Doubled {
    /// Of each vertex the first one at its place.
    pub firsts: Vec<u32>,
}

impl Doubled {
    /// Those of the vertices at `x`, by default within rounding errors of a file. Each is at the place of
    /// the first vertex within `distance` that is at the place of no other one.
    pub fn new(x: &[Vec3], distance: Option<f64>) -> Self {
        let distance = distance.unwrap_or_else(|| {
            let (low, high) = bounds(x);
            let single = 2.0 * f64::from(f32::EPSILON) * low.amax().max(high.amax());
            single.max(SAME * (high - low).norm())
        });
        let cell_m = (16.0 * distance).max(f64::MIN_POSITIVE);
        let cell = |p: Vec3| [p.x, p.y, p.z].map(|at| (at / cell_m).floor() as i64);
        let mut cells = HashMap::<[i64; 3], Vec<u32>>::new();
        let mut firsts = Vec::with_capacity(x.len());
        for (vertex, &p) in (0..).zip(x) {
            let [low, high] = [-distance, distance].map(|by| cell(p.add_scalar(by)));
            let ranges = (low[0]..=high[0])
                .flat_map(|i| (low[1]..=high[1]).map(move |j| (i, j)))
                .flat_map(|(i, j)| (low[2]..=high[2]).map(move |k| [i, j, k]));
            let near = ranges.filter_map(|at| cells.get(&at)).flatten();
            let near = near.filter(|&&other| (x[other as usize] - p).norm() <= distance);
            match near.min().copied() {
                Some(first) => firsts.push(first),
                None => {
                    cells.entry(cell(p)).or_default().push(vertex);
                    firsts.push(vertex);
                }
            }
        }
        Self { firsts }
    }

    /// The vertices that are not the first ones at their places, each with that one.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let firsts = (0..).zip(self.firsts.iter().copied());
        firsts.map(|(vertex, first)| [vertex, first]).filter(|[vertex, first]| vertex != first)
    }

    /// What is wrong, with the first few of them, counted from `from`. None if there are none.
    pub fn describe(&self, from: u32) -> Option<String> {
        let count = self.pairs().count();
        let named =
            self.pairs().take(3).map(|[it, first]| format!("{} at {}", it + from, first + from));
        let named = Vec::from_iter(named).join(", ");
        let more = if count > 3 { ", ..." } else { "" };
        let all = self.firsts.len();
        (count > 0).then(|| {
            format!("{count} of {all} vertices are at the place of another one ({named}{more}; from {from})")
        })
    }
}

/// What [`weld`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WeldCounts {
    /// Vertices that were joined with another one.
    pub joined: usize,
    /// Polygons without an area, or with the vertices of another one, that were left out.
    pub left_out: usize,
}

/// Joins the vertices of a `document` with these `lines` within `distance`, see [`Doubled::new`]. Leaves out polygons that
/// are there twice and what is left without an area, and vertices that no polygon or line has.
pub fn weld(document: &mut ObjDocument, lines: &mut Lines, distance: Option<f64>) -> WeldCounts {
    let firsts = Doubled::new(&document.positions, distance).firsts;
    let (mut corners, mut origins) = (Vec::new(), Vec::new());
    let mut ends = Vec::new();
    let polygons = document.polygon_ends.len();
    let mut known = HashSet::new();
    for polygon in 0..polygons {
        let whole = document.corners[document.polygon(polygon)].iter();
        let whole = whole.map(|it| Corner { vertex: firsts[it.vertex as usize], ..*it });
        let mut whole = Vec::from_iter(whole);
        whole.dedup_by_key(|it| it.vertex);
        if whole.len() > 1 && whole[0].vertex == whole[whole.len() - 1].vertex {
            whole.pop();
        }
        if whole.len() > 2 && known.insert(vertices(&whole)) {
            corners.extend(whole);
            ends.push(corners.len() as u32);
            origins.push(polygon as u32);
        }
    }
    document.groups = regrouped(&document.groups, &origins);
    (document.corners, document.polygon_ends) = (corners, ends);
    lines.polygons = origins.iter().map(|&polygon| lines.polygons[polygon as usize]).collect();
    document.lines.iter_mut().flatten().for_each(|end| *end = firsts[*end as usize]);
    let is_kept = Vec::from_iter(document.lines.iter().map(|[a, b]| a != b));
    keep(&mut document.lines, &is_kept);
    keep(&mut lines.lines, &is_kept);
    keep_used(document, lines);
    let is_first = |(vertex, first): &(u32, &u32)| vertex == *first;
    let joined = firsts.len() - (0..).zip(&firsts).filter(is_first).count();
    WeldCounts { joined, left_out: polygons - origins.len() }
}

/// Leaves out the vertices that no polygon or line has.
fn keep_used(document: &mut ObjDocument, lines: &mut Lines) {
    let mut is_used = vec![false; document.positions.len()];
    let corners = document.corners.iter_mut().map(|it| &mut it.vertex);
    let mut users = Vec::from_iter(corners.chain(document.lines.iter_mut().flatten()));
    users.iter().for_each(|vertex| is_used[**vertex as usize] = true);
    let number = |used: &bool, next: &mut u32| std::mem::replace(next, *next + u32::from(*used));
    let mut next = 0;
    let numbers = Vec::from_iter(is_used.iter().map(|used| number(used, &mut next)));
    users.iter_mut().for_each(|vertex| **vertex = numbers[**vertex as usize]);
    keep(&mut document.positions, &is_used);
    keep(&mut document.colours, &is_used);
    keep(&mut lines.vertices, &is_used);
}

/// The polygons of a file with the vertices of one before, each with that one. `origins` are the polygons
/// of which those of `document` are parts.
pub fn doubled_faces(document: &ObjDocument, origins: &[u32]) -> Vec<[u32; 2]> {
    let mut firsts = HashMap::new();
    let mut doubled = Vec::new();
    let mut polygon = 0;
    for parts in origins.chunk_by(|a, b| a == b) {
        let corners =
            document.polygon(polygon).start..document.polygon(polygon + parts.len() - 1).end;
        match firsts.entry(vertices(&document.corners[corners])) {
            Entry::Occupied(first) => doubled.push([parts[0], *first.get()]),
            Entry::Vacant(place) => _ = place.insert(parts[0]),
        }
        polygon += parts.len();
    }
    doubled
}

/// The vertices of corners, rising.
fn vertices(corners: &[Corner]) -> Vec<u32> {
    let mut vertices = Vec::from_iter(corners.iter().map(|it| it.vertex));
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Keeps the items that are to be `kept`, a word for each.
pub(super) fn keep<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next() == Some(&true));
}

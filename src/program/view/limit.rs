//! The largest size of a page: fewer frames are shown, then fewer faces. All vertices in a cube
//! become one.

use std::collections::{BTreeMap, BTreeSet};

use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

use crate::program::view::{Bounds, View, page};
use crate::program::words::grouped;

/// Faces are thinned only if fewer frames than this would be left.
const FEWEST_FRAMES: u64 = 24;

/// Bytes are not exactly proportional to vertices.
const MARGIN: f64 = 0.9;

/// Thins the frames and faces of `view`, so that its page has at most about `limit` bytes.
///
/// # Errors
/// No frame that can be read.
pub fn limit(view: &mut View, limit: u64) -> Result<()> {
    let count = view.shown().count() as u64;
    let mut rest = limit.saturating_sub(fixed_bytes(view)?);
    let mut a_frame = frame_bytes(view)?;
    if count * a_frame <= rest {
        return Ok(());
    }
    let fewest = count.div_ceil((count / FEWEST_FRAMES).max(1));
    if fewest * a_frame > rest {
        let share = MARGIN * rest as f64 / (fewest * a_frame) as f64;
        if let Some([before, after]) = view.stage.thin(share)? {
            let [before, after] = [before, after].map(|it| grouped(it as u64));
            view.news
                .notes
                .push(format!("faces are thinned: {after} of {before} vertices of cloth"));
            (rest, a_frame) = (limit.saturating_sub(fixed_bytes(view)?), frame_bytes(view)?);
        }
    }
    view.every = (count * a_frame).div_ceil(rest.max(1)).clamp(1, count.max(1));
    if view.every > 1 {
        let shown = view.shown().count();
        view.news.notes.push(format!("{shown} of {count} frames are shown: one of {}", view.every));
    }
    Ok(())
}

/// The size of a page without frames, bytes.
fn fixed_bytes(view: &View) -> Result<u64> {
    let mut page = Vec::new();
    let written = page::begin(&mut page, "", &view.run_block()).and_then(|()| page::end(&mut page));
    written.map_err(|cause| Error::internal("the page", cause))?;
    Ok(page.len() as u64)
}

/// The mean size of a frame, bytes: of the first, the middle and the last one that can be read.
fn frame_bytes(view: &mut View) -> Result<u64> {
    let numbers = Vec::from_iter(view.shown());
    let places = [0, numbers.len() / 2, numbers.len().saturating_sub(1)];
    let mut sizes = Vec::new();
    for number in places.iter().filter_map(|&place| numbers.get(place)) {
        if let Ok(frame) = view.stage.frame(*number) {
            let json = page::json(&frame).map_err(|cause| Error::internal("a frame", cause))?;
            sizes.push(json.len() as u64);
        }
    }
    view.stage.begin_again();
    match sizes.is_empty() {
        false => Ok(sizes.iter().sum::<u64>() / sizes.len() as u64),
        true => {
            let remedy = "run `cloth-sim check` on the folder, then repeat the run";
            Err(Error::file(&view.record.folder, "no frame can be read", remedy))
        }
    }
}

/// The vertices of a surface that stay, and its faces over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Numbers of the vertices in the surface.
    pub vertices: Vec<u32>,
    /// Faces over the vertices that stay.
    pub faces: Vec<[u32; 3]>,
}

/// Thins a surface with these `positions` (m) and `faces` to at most about this `share` of its
/// vertices. Of all vertices in a cube, the first one stays (Rossignac & Borrel 1993).
pub fn cluster(positions: &[Vec3], faces: &[[u32; 3]], share: f64) -> Kept {
    let all = Kept { vertices: (0..positions.len() as u32).collect(), faces: faces.to_vec() };
    let most = (share * positions.len() as f64) as usize;
    let area = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    let area_m2: f64 = faces.iter().map(area).sum();
    let mut cell_m = (area_m2 / positions.len().max(1) as f64).sqrt();
    let bounds = Bounds::around(positions.iter());
    let mut kept = all;
    while kept.vertices.len() > most.max(4) && cell_m > 0.0 && cell_m <= bounds.size() {
        cell_m *= 1.15;
        kept = in_cubes(positions, bounds.low, faces, cell_m);
    }
    kept
}

/// The cubes begin at `low`, and are `cell_m` wide (m).
fn in_cubes(positions: &[Vec3], low: Vec3, faces: &[[u32; 3]], cell_m: f64) -> Kept {
    let mut first_of_cube = BTreeMap::new();
    let stands_for = positions.iter().zip(0_u32..).map(|(x, vertex)| {
        let cube = [0, 1, 2].map(|axis| ((x[axis] - low[axis]) / cell_m).floor() as i64);
        *first_of_cube.entry(cube).or_insert(vertex)
    });
    let stands_for = Vec::from_iter(stands_for);
    let mut seen = BTreeSet::new();
    let faces = faces.iter().map(|face| face.map(|vertex| stands_for[vertex as usize]));
    let whole = faces.filter(|&face| {
        let mut corners = face;
        corners.sort_unstable();
        corners[0] != corners[1] && corners[1] != corners[2] && seen.insert(corners)
    });
    let whole = Vec::from_iter(whole);
    let vertices = Vec::from_iter(BTreeSet::from_iter(whole.iter().flatten().copied()));
    // Every corner is in the list.
    let place = |vertex| vertices.partition_point(|&it| it < vertex) as u32;
    Kept { faces: whole.iter().map(|face| face.map(place)).collect(), vertices }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_keeps_a_share_of_its_vertices_and_its_area() {
        let n = 40_u32;
        let positions = Vec::from_iter(
            (0..n * n).map(|i| Vec3::new(f64::from(i / n), 0.0, f64::from(i % n)) * 0.01),
        );
        let quads = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| i * n + j));
        let faces =
            Vec::from_iter(quads.flat_map(|a| [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]]));
        let Kept { vertices, faces: kept } = cluster(&positions, &faces, 0.25);
        assert!((100..=400).contains(&vertices.len()), "{}", vertices.len());
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|i| positions[vertices[i as usize] as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        let area: f64 = kept.iter().map(area).sum();
        assert!((0.12..0.16).contains(&area), "{area}");
        assert_eq!(cluster(&positions, &faces, 1.0).faces, faces);
    }
}

//! The largest size of a page: fewer frames are shown, then fewer faces.

use cloth_core::error::{Error, Result};

use crate::program::view::{View, page};
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

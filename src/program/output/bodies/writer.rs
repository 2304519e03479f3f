//! Writes frames of bodies, in a thread of its own.

use std::path::Path;

use cloth_sim::error::{Error, Result};
use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;
use serde::Serialize;

use crate::program::output::bodies::{BodyFormat, BodyFrame, owners};
use crate::program::output::frame_files::{FrameFiles, FrameThread, Kept};
use crate::program::output::{names, write_whole};

/// Number of frames that may wait for the thread. A frame of a million bodies has 160 MB.
const QUEUE: usize = 1;

/// Begins `steps.jsonl` in `folder`. Returns the writer of frames, each with its record `R`.
/// Before: `folder` holds the frames that are `kept`.
///
/// # Errors
/// A folder that cannot be written.
pub fn begin<R: Serialize + Send + 'static>(
    folder: &Path,
    kept: Kept,
    format: &'static dyn BodyFormat,
    solids: &Solids,
    digits: Digits,
) -> Result<FrameThread<(BodyFrame, R)>> {
    let encoder = format.prepare(solids, digits);
    let mut files = FrameFiles::after(&kept.frames, folder, format.name())?;
    let out = folder.to_owned();
    let write = move |(frame, record): (BodyFrame, R)| {
        files.add(frame.number, &record, |out| encoder.write(&frame, out))?;
        // After the frame: a full disk leaves no owners of a frame that is not there.
        let path = out.join(names::owners(frame.number));
        write_whole(&path, |out| owners::write(&frame.rows, out))
            .map_err(|cause| Error::file(&path, cause, files.remedy()))
    };
    FrameThread::spawn(folder, kept.checkpoints, QUEUE, write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::bodies::BodyRow;
    use crate::program::output::bodies::vtp::{Vtp, read};

    const KEPT: Kept = Kept { frames: 0..0, checkpoints: 2 };

    #[test]
    fn each_frame_has_its_file_its_owners_and_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let mut writer = begin(out, KEPT, &Vtp, &Solids::default(), Digits::Exact).unwrap();
        let rows = vec![BodyRow { id: 1, ..BodyRow::default() }, BodyRow::default()];
        for number in 0..4 {
            writer.write((BodyFrame::new(number, 0.5, rows.clone()), 10 * number)).unwrap();
        }
        writer.finish().unwrap();
        for number in 0..4 {
            let file = std::fs::read(out.join(format!("frame_{number:04}.vtp"))).unwrap();
            assert_eq!(read(number, &file).unwrap().rows.len(), 2);
            let owners = std::fs::read_to_string(out.join(names::owners(number))).unwrap();
            assert!(owners.ends_with("0,1,0\n"), "{owners}");
        }
        let steps = std::fs::read_to_string(out.join(names::STEPS)).unwrap();
        assert_eq!(steps, "0\n10\n20\n30\n");
    }
}

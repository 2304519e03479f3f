//! Writes frames of cloth as files, in a thread of its own.

use std::io::{self, Write};
use std::path::Path;

use cloth_sim::bodies::Documents;
use cloth_sim::bodies::prescribed::{ObstacleSetup, Rigid};
use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::scene::spec::Digits;

use crate::program::output::cloth_record::ClothFrameRecord;
use crate::program::output::formats::{Format, FrameEncoder};
use crate::program::output::frame_files::{FrameFiles, FrameThread, Kept};
use crate::program::output::{names, write_whole};

/// Number of frames that may wait for the thread. With more the simulation waits.
const QUEUE: usize = 4;

/// A frame that is written.
pub struct Frame {
    /// Its hash and its steps.
    pub record: ClothFrameRecord,
    /// The motion of each obstacle from its placement until now, if it has one.
    pub obstacles: Vec<Option<Rigid>>,
    /// Positions of all cloths, one after the other, m.
    pub cloths: Vec<Vec3>,
}

/// The file of the fixed obstacles, if [`begin`] writes it.
pub fn fixed_file(documents: &Documents, format: &dyn Format) -> Option<String> {
    let has_fixed = documents.obstacles.iter().any(ObstacleSetup::is_fixed);
    has_fixed.then(|| names::obstacles(format.name()))
}

/// Writes the fixed obstacles, which are not in the frames, into `folder`, and begins
/// `steps.jsonl`. Returns the writer of frames. Before: `folder` holds the frames that are `kept`.
///
/// # Errors
/// A folder that cannot be written.
pub fn begin(
    folder: &Path,
    kept: Kept,
    documents: &Documents,
    format: &'static dyn Format,
    digits: Digits,
) -> Result<FrameThread<Frame>> {
    let obstacles = documents.obstacles.iter().cloned().enumerate();
    let (moving, fixed): (Vec<_>, Vec<_>) =
        obstacles.partition(|(_, obstacle)| !obstacle.is_fixed());
    let fixed: Vec<_> = fixed.into_iter().map(|(_, obstacle)| obstacle).collect();
    write_fixed(folder, &fixed, format, digits)?;
    let cloths = documents.cloths.iter().map(|(name, document)| (name.as_str(), document));
    let obstacles = moving.iter().map(|(_, it)| (it.name.as_str(), &it.document));
    let encoder = ObjectEncoder {
        encoder: format.prepare(&cloths.chain(obstacles).collect::<Vec<_>>(), digits),
        cloth_sizes: documents
            .cloths
            .iter()
            .map(|(_, document)| document.positions.len())
            .collect(),
        moving,
    };
    let mut files = FrameFiles::after(&kept.frames, folder, format.name())?;
    let write = move |frame: Frame| {
        files.add(frame.record.frame, &frame.record, |out| encoder.write(&frame, out))
    };
    FrameThread::spawn(folder, kept.checkpoints, QUEUE, write)
}

/// Encodes frames.
struct ObjectEncoder {
    encoder: Box<dyn FrameEncoder>,
    cloth_sizes: Vec<usize>,
    /// Moving obstacles and their numbers among all.
    moving: Vec<(usize, ObstacleSetup)>,
}

impl ObjectEncoder {
    fn write(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        let mut objects = Vec::with_capacity(self.cloth_sizes.len() + self.moving.len());
        let mut rest = &frame.cloths[..];
        for &size in &self.cloth_sizes {
            let (cloth, after) = rest.split_at(size);
            objects.push(cloth);
            rest = after;
        }
        let moved = self.moving.iter().map(|(number, obstacle)| {
            placed(obstacle, frame.obstacles.get(*number).copied().flatten())
        });
        let moved: Vec<Vec<Vec3>> = moved.collect();
        objects.extend(moved.iter().map(Vec::as_slice));
        self.encoder.write(&objects, out)
    }
}

fn write_fixed(
    folder: &Path,
    fixed: &[ObstacleSetup],
    format: &dyn Format,
    digits: Digits,
) -> Result<()> {
    if fixed.is_empty() {
        return Ok(());
    }
    let objects: Vec<_> = fixed.iter().map(|o| (o.name.as_str(), &o.document)).collect();
    let positions = fixed.iter().map(|obstacle| placed(obstacle, obstacle.pose_at(0.0)));
    let positions: Vec<Vec<Vec3>> = positions.collect();
    let positions = Vec::from_iter(positions.iter().map(Vec::as_slice));
    let path = folder.join(names::obstacles(format.name()));
    let encoder = format.prepare(&objects, digits);
    write_whole(&path, |out| encoder.write(&positions, out))
        .map_err(|cause| Error::file(&path, cause, "make room or choose another folder with --out"))
}

fn placed(obstacle: &ObstacleSetup, pose: Option<Rigid>) -> Vec<Vec3> {
    let mut positions = vec![Vec3::zeros(); obstacle.shape.len()];
    obstacle.positions_after(pose.as_ref(), &mut positions);
    positions
}

#[cfg(test)]
mod tests {
    use std::fs;

    use cloth_sim::mesh::obj_read;
    use cloth_sim::scene::build;
    use cloth_sim::scene::load::parse;

    use super::*;
    use crate::program::output::formats::obj::Obj;
    use crate::program::output::steps_jsonl;

    const KEPT: Kept = Kept { frames: 0..0, checkpoints: 2 };

    fn documents() -> Documents {
        let scene = parse(
            "(cloths: [(name: \"a\", shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2), material: Fabric(\"cotton\")),
                (name: \"b\", shape: Disc(radius_m: 1, rings: 1), material: Fabric(\"cotton\"))],
            obstacles: [(name: \"floor\", shape: Plane(width_m: 4, length_m: 4)),
                (name: \"lift\", shape: Box(size_m: (1, 1, 1)), motion: (keyframes: [
                    (time_s: 0), (time_s: 1, translation_m: (0, 2, 0))]))])",
            "s.ron",
        );
        build(&scene.unwrap(), Path::new(".")).unwrap().take_documents()
    }

    fn frame(number: u64, time_s: f64, documents: &Documents) -> Frame {
        let record = ClothFrameRecord { frame: number, ..ClothFrameRecord::default() };
        let obstacles = documents.obstacles.iter().map(|it| it.pose_at(time_s)).collect();
        Frame { record, obstacles, cloths: positions(documents) }
    }

    fn positions(documents: &Documents) -> Vec<Vec3> {
        documents.cloths.iter().flat_map(|(_, cloth)| cloth.positions.clone()).collect()
    }

    #[test]
    fn frames_hold_cloths_and_moving_obstacles_and_are_listed() {
        let (documents, folder) = (documents(), tempfile::tempdir().unwrap());
        let out = folder.path();
        let mut writer = begin(out, KEPT, &documents, &Obj, Digits::Exact).unwrap();
        for number in 0..8 {
            writer.write(frame(number, 0.5 * number as f64, &documents)).unwrap();
        }
        writer.finish().unwrap();

        let (document, _) = obj_read::read(&out.join("frame_0001.obj")).unwrap();
        let names: Vec<_> = document.groups.iter().filter_map(|g| g.object.clone()).collect();
        assert_eq!(names, ["a", "b", "lift"]);
        assert_eq!(document.positions[..16], positions(&documents)[..]);
        let top = document.positions[16..].iter().map(|p| p.y).fold(f64::MIN, f64::max);
        assert_eq!(top, 1.5);
        let (fixed, _) = obj_read::read(&out.join("obstacles.obj")).unwrap();
        assert_eq!(fixed.positions.len(), 4);
        assert!(
            steps_jsonl::read::<ClothFrameRecord>(out)
                .unwrap()
                .map(|it| it.unwrap().frame)
                .eq(0..8)
        );
    }

    #[test]
    fn a_frame_that_fails_ends_the_run_and_names_the_last_good_one() {
        let (documents, folder) = (documents(), tempfile::tempdir().unwrap());
        let out = folder.path();
        let mut writer = begin(out, KEPT, &documents, &Obj, Digits::Nine).unwrap();
        // A folder has the name of frame 1.
        fs::create_dir_all(out.join("frame_0001.obj/in")).unwrap();
        let error = (0..100).find_map(|number| writer.write(frame(number, 0.0, &documents)).err());
        let message = error.unwrap().to_string();
        assert!(
            message.contains("frame_0001.obj") && message.contains("up to frame_0000.obj"),
            "{message}"
        );
        writer.finish().unwrap();
        assert!(!out.join("frame_0002.obj").exists());
        assert!(!out.join("frame_0001.obj.tmp").exists());
        assert!(
            steps_jsonl::read::<ClothFrameRecord>(out).unwrap().map(|it| it.unwrap().frame).eq([0])
        );
    }
}

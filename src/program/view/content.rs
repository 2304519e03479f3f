//! All that a page shows of a run.

use std::io::{self, Write};
use std::path::Path;

use cloth_core::error::{Error, Result};
use serde::Serialize;

use crate::program::check::Record;
use crate::program::output::{Bodies, Cloth, RunHead, Status, names};
use crate::program::view::{
    BodyStage, ChartRecords, Charts, ClothStage, FrameBlock, Section, Stage, Still, page, panel,
};

/// A run that is shown.
pub struct View {
    head: RunHead,
    pub(super) record: Record,
    pub(super) stage: Box<dyn Stage>,
    /// One frame of so many is shown.
    pub(super) every: u64,
    pub(super) news: News,
}

/// What stands before the frames of a page.
#[derive(Debug, Serialize)]
pub(super) struct RunBlock<'a> {
    scene: &'a str,
    /// The axis that points up: that against gravity.
    up: [f64; 3],
    /// Time from frame to frame, s.
    frame_s: f64,
    /// The text of `scene.ron`.
    scene_text: String,
    still: Still,
    #[serde(flatten)]
    news: &'a News,
}

/// What changes while a run goes on.
#[derive(Debug, Serialize)]
pub(super) struct News {
    /// Whether a server has further frames, or may have them soon.
    pub is_live: bool,
    sections: Vec<Section>,
    warnings: Vec<String>,
    /// What was left out.
    pub notes: Vec<String>,
    charts: Charts,
}

impl News {
    fn read(head: &RunHead, record: &Record) -> Result<Self> {
        let charts = match head.bodies {
            Some(_) => ChartRecords::<Bodies>::read(&record.folder, head)?,
            None => ChartRecords::<Cloth>::read(&record.folder, head)?,
        };
        let (sections, warnings) = (panel::sections(head, record), panel::warnings(head, record)?);
        Ok(Self { is_live: false, sections, warnings, notes: Vec::new(), charts })
    }
}

impl View {
    /// Opens the run in `folder`, whether it is complete or not.
    ///
    /// # Errors
    /// A folder that is no run, or has no frame. A scene, obstacles or frames that cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        let (head, record) = (RunHead::read(folder)?, Record::read(folder)?);
        let (stage, news) = (open_stage(&record)?, News::read(&head, &record)?);
        Ok(Self { head, record, stage, every: 1, news })
    }

    /// Reads anew how far the run is, and whether it still goes on.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub(super) fn refresh(&mut self) -> Result<()> {
        let folder = self.record.folder.clone();
        let before = (self.head.status, self.record.frames.end);
        (self.head, self.record) = (RunHead::read(&folder)?, Record::read(&folder)?);
        if before != (self.head.status, self.record.frames.end) {
            self.news = News::read(&self.head, &self.record)?;
        }
        self.news.is_live = self.head.status == Status::Running;
        Ok(())
    }

    /// Frame `number`, which the run may have written since it was opened.
    ///
    /// # Errors
    /// A frame that cannot be read. The message says which.
    pub(super) fn new_frame(&mut self, number: u64) -> std::result::Result<FrameBlock, String> {
        let first = self.stage.frame(number);
        if first.is_ok() {
            return first;
        }
        // The file of a whole run may have had fewer frames when it was opened.
        self.stage = open_stage(&self.record).map_err(|error| error.to_string())?;
        if number > self.record.frames.start {
            // Speeds need the frame before.
            let _ = self.stage.frame(number - 1);
        }
        self.stage.frame(number)
    }

    /// The numbers of the frames that are shown: every n-th one, and the last one.
    pub(super) fn shown(&self) -> impl Iterator<Item = u64> + use<> {
        let (frames, every) = (self.record.frames.clone(), self.every);
        let last = frames.end.saturating_sub(1);
        frames.clone().filter(move |it| (it - frames.start).is_multiple_of(every) || *it == last)
    }

    /// Writes the page. Calls `done` after each frame. Returns what is wrong with frames that are
    /// left out, in words.
    ///
    /// # Errors
    /// The errors of `out`. A file of the run that cannot be read.
    pub fn write(&mut self, out: &mut dyn Write, mut done: impl FnMut()) -> Result<Vec<String>> {
        let failed = |cause: io::Error| Error::internal("the page", cause);
        let run = self.run_block();
        page::begin(out, &format!("{} - cloth-sim", self.head.scene), &run).map_err(failed)?;
        let mut faults = Vec::new();
        for number in self.shown() {
            match self.stage.frame(number) {
                Ok(frame) => {
                    let json = page::json(&frame).map_err(failed)?;
                    page::frame(out, &json).map_err(failed)?;
                }
                Err(fault) => faults.push(format!("frame {number} is left out: {fault}")),
            }
            done();
        }
        page::end(out).map_err(failed)?;
        Ok(faults)
    }

    /// What stands before the frames.
    pub(super) fn run_block(&self) -> RunBlock<'_> {
        let Self { head, record, stage, news, .. } = self;
        let scene_text = std::fs::read_to_string(record.folder.join(names::SCENE));
        RunBlock {
            scene: &head.scene,
            up: up(record.scene.gravity_m_per_s2),
            frame_s: record.frame_s(),
            scene_text: scene_text.unwrap_or_default(),
            still: stage.still(),
            news,
        }
    }
}

/// Opens the frames of a run of either kind.
///
/// # Errors
/// A scene, obstacles or frames that cannot be read.
pub fn open_stage(record: &Record) -> Result<Box<dyn Stage>> {
    Ok(match record.scene.is_divided() {
        true => Box::new(BodyStage::open(record.clone())?),
        false => Box::new(ClothStage::open(record.clone())?),
    })
}

/// The axis nearest to the direction against gravity. Without gravity it is y.
pub fn up(gravity: [f64; 3]) -> [f64; 3] {
    let mut up = [0.0, 1.0, 0.0];
    let most = (0..3).max_by(|&a, &b| gravity[a].abs().total_cmp(&gravity[b].abs()));
    if let Some(axis) = most.filter(|&axis| gravity[axis] != 0.0) {
        up = [0.0; 3];
        up[axis] = -gravity[axis].signum();
    }
    up
}

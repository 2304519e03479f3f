//! The result of a check: a table of the frames and a list of faults.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::program::check::record::Record;
use crate::program::words::plural;

/// The result of a check. It is displayed as a table and a list of faults.
#[derive(Debug, Clone)]
pub struct Findings {
    /// What was checked, in a line.
    pub title: String,
    /// The headings of the columns behind the number of a frame.
    pub columns: &'static str,
    /// Each frame, in order.
    pub frames: Vec<FrameFindings>,
    /// Lines between the table and the faults.
    pub extremes: Vec<String>,
    /// Why the run is not complete, if it is not.
    pub unfinished: Option<String>,
    /// Files with meshes that are not as in the run, and why.
    pub meshes: Vec<(String, String)>,
    /// Lines behind the faults of frames.
    pub remarks: Vec<String>,
    /// The pairs of objects that the scene keeps apart, in words. No intersection of them counts.
    pub apart: Option<String>,
    /// What is wrong with the run although no frame has a fault.
    pub of_run: Option<OfRun>,
    /// What to do about faults of frames. If `None`, the list of faults says it.
    pub remedy: Option<&'static str>,
}

/// What was found in a frame.
#[derive(Debug, Clone, Serialize)]
pub struct FrameFindings {
    /// Its number.
    #[serde(rename = "frame")]
    pub number: u64,
    /// Its row of the table, behind the number.
    #[serde(skip)]
    pub row: String,
    /// The numbers of the row and others, by name and unit. None where they could not be found.
    #[serde(flatten)]
    pub values: BTreeMap<&'static str, Option<f64>>,
    /// Its faults, in a line each or more.
    pub faults: Vec<String>,
}

/// A fault of the run as a whole.
#[derive(Debug, Clone)]
pub struct OfRun {
    /// The fault.
    pub fault: Fault,
    /// What the last line says of it.
    pub verdict: &'static str,
}

/// What is wrong with a run, in a line each.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What.
    pub cause: String,
    /// What to do.
    pub remedy: &'static str,
}

const UNFINISHED: &str =
    "wait if the run goes on, else go on with `cloth-sim resume`, or repeat it with --overwrite";
const SEE_LIST: &str = "see the list on standard output";

impl Findings {
    /// Those of the run of `record`: a title, the columns and the frames.
    pub fn new(
        record: &Record,
        title: String,
        columns: &'static str,
        frames: Vec<FrameFindings>,
    ) -> Self {
        Self {
            title,
            columns,
            frames,
            extremes: Vec::new(),
            unfinished: record.unfinished.clone(),
            meshes: record.meshes.clone(),
            remarks: Vec::new(),
            apart: record.scene.apart_in_words(),
            of_run: None,
            remedy: None,
        }
    }

    /// What is wrong with the run, and what to do about it. None if nothing is.
    pub fn fault(&self) -> Option<Fault> {
        let (faulty, frames) = (self.faulty_frames(), self.frames.len());
        let unfinished = self.unfinished.as_ref();
        if faulty > 0 {
            let remedy = self.remedy.or(unfinished.map(|_| UNFINISHED)).unwrap_or(SEE_LIST);
            let frames = plural(frames, "frame");
            let cause = format!("faults in {faulty} of {frames}");
            return Some(Fault { cause, remedy });
        }
        if let Some(cause) = unfinished {
            return Some(Fault { cause: cause.clone(), remedy: UNFINISHED });
        }
        if !self.meshes.is_empty() {
            let cause = "a mesh is not as it was in the run".to_owned();
            return Some(Fault { cause, remedy: SEE_LIST });
        }
        self.of_run.as_ref().map(|of_run| of_run.fault.clone())
    }

    /// The same for other programs.
    pub fn json(&self) -> Value {
        let meshes = self.meshes.iter().map(|(file, fault)| json!({"file": file, "fault": fault}));
        json!({
            "frames": self.frames,
            "unfinished": self.unfinished,
            "meshes": Vec::from_iter(meshes),
            "remarks": self.remarks,
            "apart": self.apart,
            "fault": self.fault().map(|fault| fault.cause),
        })
    }

    fn faulty_frames(&self) -> usize {
        self.frames.iter().filter(|frame| !frame.faults.is_empty()).count()
    }

    /// The last line: "no fault in 3 frames", "faults in 1 of 3 frames".
    fn verdict(&self) -> String {
        let frames = plural(self.frames.len(), "frame");
        let verdict = match (self.faulty_frames(), &self.of_run) {
            (0, None) => format!("no fault in {frames}"),
            (0, Some(of_run)) => format!("no fault in {frames}{}", of_run.verdict),
            (faulty, _) => format!("faults in {faulty} of {frames}"),
        };
        match &self.apart {
            None => verdict,
            Some(pairs) => {
                format!("{verdict}; not checked, because the scene keeps them apart: {pairs}")
            }
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "  frame  {}", self.columns)?;
        for FrameFindings { number, row, .. } in &self.frames {
            writeln!(f, "  {number:>5}  {row}")?;
        }
        self.extremes.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.unfinished.iter().try_for_each(|cause| writeln!(f, "run.json: {cause}"))?;
        self.meshes.iter().try_for_each(|(file, fault)| writeln!(f, "{file}: {fault}"))?;
        let faults = self.frames.iter().flat_map(|frame| &frame.faults);
        faults.chain(&self.remarks).try_for_each(|line| writeln!(f, "{line}"))?;
        f.write_str(&self.verdict())
    }
}

//! The result of a check: a table of the frames and a list of faults.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::Serialize;
use serde_json::{Value, json};

use crate::program::check::Record;
use crate::program::words::plural;

/// The result of a check. It is displayed as a table and a list of faults.
#[derive(Debug, Clone)]
pub struct Findings {
    /// What was checked, in a line.
    pub title: String,
    /// The headings of the columns behind the number of a frame. Each is as wide as its column.
    pub columns: Vec<&'static str>,
    /// Each frame, in order.
    pub frames: Vec<Verdict>,
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

/// What the judges found in a frame.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// Its number.
    #[serde(rename = "frame")]
    pub number: u64,
    /// Its name in messages.
    #[serde(skip)]
    name: String,
    /// Its cells of the table. There is none if the frame could not be judged.
    #[serde(skip)]
    pub cells: Vec<String>,
    /// The numbers of the row and others, by name and unit. None where they could not be found.
    #[serde(flatten)]
    pub values: BTreeMap<&'static str, Option<f64>>,
    /// Its faults, in a line each or more.
    pub faults: Vec<String>,
}

impl Verdict {
    /// Frame `number`, which messages call `name`. Nothing is found yet.
    pub fn new(number: u64, name: String) -> Self {
        let (cells, values, faults) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { number, name, cells, values, faults }
    }

    /// Adds a fault, behind the name of the frame.
    pub fn fault(&mut self, fault: impl Display) {
        self.faults.push(format!("{}: {fault}", self.name));
    }
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
    /// The findings in `frames` of the run of `record`.
    pub fn new(
        record: &Record,
        title: String,
        columns: Vec<&'static str>,
        frames: Vec<Verdict>,
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

    /// Notes a fault of the whole run. The first one is reported.
    pub fn fault_of_run(&mut self, cause: String, remedy: &'static str, verdict: &'static str) {
        self.of_run.get_or_insert(OfRun { fault: Fault { cause, remedy }, verdict });
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

    /// The findings as JSON, for other programs.
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

    /// The row of a frame, behind its number. A frame that could not be judged has a dash.
    fn row(&self, frame: &Verdict) -> String {
        let dash = ["-".to_owned()];
        let cells = if frame.cells.is_empty() { &dash[..] } else { &frame.cells };
        let cells = self.columns.iter().zip(cells).map(|(heading, cell)| {
            let width = heading.len();
            format!("{cell:>width$}")
        });
        Vec::from_iter(cells).join("  ")
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

impl Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "  frame  {}", self.columns.join("  "))?;
        for frame in &self.frames {
            writeln!(f, "  {:>5}  {}", frame.number, self.row(frame))?;
        }
        self.extremes.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.unfinished.iter().try_for_each(|cause| writeln!(f, "run.json: {cause}"))?;
        self.meshes.iter().try_for_each(|(file, fault)| writeln!(f, "{file}: {fault}"))?;
        let faults = self.frames.iter().flat_map(|frame| &frame.faults);
        faults.chain(&self.remarks).try_for_each(|line| writeln!(f, "{line}"))?;
        f.write_str(&self.verdict())
    }
}

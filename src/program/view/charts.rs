//! The charts of a page: numbers of `steps.jsonl`, frame by frame.

use std::collections::BTreeMap;
use std::path::Path;

use cloth_core::error::Result;
use cloth_core::report::{Cell, Report};
use serde::Serialize;

use crate::program::output::{FrameRecord, RunHead, steps_jsonl};
use crate::program::profile::{
    Colour, ColumnChart, FrameProfile, FrameProfiles, Profile, ProfileKind,
};

/// A kind of run that has charts.
pub trait ChartKind: ProfileKind {
    /// Its charts of counts, from top to bottom.
    const CHARTS: &'static [ChartLine];

    /// Values that the record of a frame has besides the reports of its steps.
    fn of_frame(frame: &FrameRecord<Self>) -> Vec<(&'static str, f64)>;

    /// The workers of the frame, by number.
    fn workers(_: &FrameRecord<Self>) -> BTreeMap<u64, LoadOfWorker> {
        BTreeMap::new()
    }
}

/// What a worker had to do in a frame: its time (s), contacts and active bodies.
pub type LoadOfWorker = [f64; 3];

/// A line of the list of charts.
pub enum ChartLine {
    /// A chart of counts begins. It has the curves that follow.
    Chart {
        /// Above it.
        title: &'static str,
        /// The unit of its values.
        unit: &'static str,
    },
    /// A curve.
    Curve(CurveOf),
}

impl ChartLine {
    fn curve(&self) -> Option<&CurveOf> {
        if let Self::Curve(curve) = self { Some(curve) } else { None }
    }
}

/// A curve of a chart.
pub struct CurveOf {
    /// Its name in the legend.
    pub label: &'static str,
    /// Its colour.
    pub color: Colour,
    /// The name of the value in a line of `steps.jsonl`.
    pub value: &'static str,
    /// Which steps count, and how.
    pub take: Take,
}

/// How the value of a frame is made of those of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Combined as reports are, over all ranks.
    Whole,
    /// Over all ranks, divided by the number of steps.
    AStep,
    /// Of rank 0, because all ranks have the same value.
    Same,
    /// The value of rank 0, divided by the number of steps.
    SameAStep,
    /// Over all ranks, added up from the first frame on.
    SoFar,
}

/// All charts of a run. Every list has a value for each of the `frames`.
#[derive(Debug, Clone, Serialize)]
pub struct Charts {
    /// The numbers of the frames that have steps.
    pub frames: Vec<u64>,
    /// Times of the phases, then counts.
    pub charts: Vec<Chart>,
    /// The shares of processors and of workers.
    pub maps: Vec<HeatMap>,
}

/// A chart.
#[derive(Debug, Clone, Serialize)]
pub struct Chart {
    title: String,
    unit: &'static str,
    /// Whether the curves are drawn on top of each other.
    stacked: bool,
    curves: Vec<Curve>,
}

#[derive(Debug, Clone, Serialize)]
struct Curve {
    label: String,
    color: Colour,
    /// One that is not known is `null`.
    values: Vec<Option<f64>>,
}

/// A share, 0 to 1, for each row and frame.
#[derive(Debug, Clone, Serialize)]
pub struct HeatMap {
    title: String,
    rows: Vec<String>,
    /// Row by row.
    values: Vec<Vec<Option<f64>>>,
}

/// Gathers the charts of a run, frame by frame.
pub struct ChartRecords<K: ChartKind> {
    profiles: FrameProfiles<K>,
    /// Values of the curves of all charts, frame by frame.
    values: Vec<Vec<f64>>,
    workers: Vec<BTreeMap<u64, LoadOfWorker>>,
}

impl<K: ChartKind> Default for ChartRecords<K> {
    fn default() -> Self {
        let (profiles, values, workers) = (FrameProfiles::default(), Vec::new(), Vec::new());
        Self { profiles, values, workers }
    }
}

impl<K: ChartKind> ChartRecords<K> {
    /// Reads all frames of the run that `head` describes.
    ///
    /// # Errors
    /// A file that cannot be read, or a damaged line.
    pub fn read(folder: &Path, head: &RunHead) -> Result<Charts> {
        let mut records = Self::default();
        for frame in steps_jsonl::read_if_any(folder)? {
            records.add(&frame?);
        }
        Ok(records.charts(head))
    }

    fn add(&mut self, frame: &FrameRecord<K>) {
        // Frame 0 has no step.
        if frame.steps.is_empty() {
            return;
        }
        self.profiles.add(frame);
        let sums = FrameSums::new(frame);
        let curves = K::CHARTS.iter().filter_map(ChartLine::curve);
        self.values.push(curves.map(|curve| sums.value(curve)).collect());
        self.workers.push(K::workers(frame));
    }

    fn charts(self, head: &RunHead) -> Charts {
        let profile = self.profiles.of_run(head);
        let mut charts = vec![phases(&profile)];
        charts.extend(profile.look.charts.iter().map(|chart| of_columns(&profile, chart)));
        let mut columns = 0..;
        for line in K::CHARTS {
            match line {
                ChartLine::Chart { title, unit } => {
                    let (title, curves) = ((*title).to_owned(), Vec::new());
                    charts.push(Chart { title, unit, stacked: false, curves });
                }
                ChartLine::Curve(curve) => {
                    let column = columns.next().unwrap_or_default();
                    let curve = curve.drawn(self.values.iter().map(|row| row[column]));
                    charts.last_mut().into_iter().for_each(|chart| chart.add(curve.clone()));
                }
            }
        }
        charts.retain(|chart| !chart.curves.is_empty());
        let maps = processors(&profile).into_iter().chain(workers(&self.workers)).collect();
        Charts { frames: profile.frames.iter().map(|it| it.frame).collect(), charts, maps }
    }
}

impl CurveOf {
    fn drawn(&self, values: impl Iterator<Item = f64>) -> Curve {
        let mut sum = 0.0;
        let values = values.map(|value| {
            sum += if value.is_finite() { value } else { 0.0 };
            let value = if self.take == Take::SoFar { sum } else { value };
            value.is_finite().then_some(value)
        });
        Curve { label: self.label.to_owned(), color: self.color, values: values.collect() }
    }
}

impl Chart {
    /// Adds a curve, if any of its values is known.
    fn add(&mut self, curve: Curve) {
        if curve.values.iter().any(Option::is_some) {
            self.curves.push(curve);
        }
    }
}

/// The reports of the steps of a frame, combined.
struct FrameSums<K: ChartKind> {
    all: K::Report,
    of_first: K::Report,
    steps: f64,
    others: Vec<(&'static str, f64)>,
}

impl<K: ChartKind> FrameSums<K> {
    fn new(frame: &FrameRecord<K>) -> Self {
        let (mut all, mut of_first, mut steps) = (K::Report::default(), K::Report::default(), 0.0);
        for step in &frame.steps {
            all.add(&step.report);
            if step.rank == 0 {
                of_first.add(&step.report);
                steps += 1.0;
            }
        }
        Self { all, of_first, steps, others: K::of_frame(frame) }
    }

    /// The value of a curve. NaN if it is not known.
    fn value(&self, curve: &CurveOf) -> f64 {
        if let Some((_, value)) = self.others.iter().find(|(name, _)| *name == curve.value) {
            return *value;
        }
        let (mut report, count) = match curve.take {
            Take::Whole | Take::SoFar => (self.all, 1.0),
            Take::AStep => (self.all, self.steps),
            Take::Same => (self.of_first, 1.0),
            Take::SameAStep => (self.of_first, self.steps),
        };
        let found = report.entries().find(|entry| entry.name == curve.value);
        let value = found.map_or(f64::NAN, |entry| match entry.cell {
            Cell::Count(count) => *count as f64,
            Cell::Measure(measure) if entry.join.knows(*measure) => *measure,
            // A sum that was never measured is 0.
            Cell::Measure(measure) if *measure == 0.0 => 0.0,
            _ => f64::NAN,
        });
        value / count
    }
}

/// The times of the phases, averaged over the ranks.
fn phases(profile: &Profile) -> Chart {
    let curves = profile.phases.iter().enumerate().map(|(at, row)| Curve {
        label: row.name.to_owned(),
        color: (profile.look.color)(at),
        values: profile.frames.iter().map(|frame| Some(frame.seconds[at])).collect(),
    });
    let title = "Time of the phases".to_owned();
    Chart { title, unit: "s a frame, mean of the ranks", stacked: true, curves: curves.collect() }
}

/// The shares of time in which processors worked.
fn processors(profile: &Profile) -> Option<HeatMap> {
    let rows = profile.processors.iter().map(|one| profile.name_of(one)).collect();
    let share = |rank, thread| {
        let of_frame = profile.frames.iter().map(move |frame| {
            let mut processors = frame.processors.iter();
            let one = processors.find(|one| (one.rank, one.thread) == (rank, thread))?;
            profile.share(one)
        });
        of_frame.collect()
    };
    let values = profile.processors.iter().map(|one| share(one.rank, one.thread)).collect();
    let title = profile.look.heat_map.to_owned();
    (!profile.processors.is_empty()).then_some(HeatMap { title, rows, values })
}

/// A chart of columns of the profile.
fn of_columns(profile: &Profile, chart: &ColumnChart) -> Chart {
    let curves = chart.columns.iter().map(|&(label, color, column)| {
        let value = |frame: &FrameProfile| {
            let sum = profile.sum(frame, column);
            let whole = profile.length_s(frame) * frame.processors.len() as f64;
            let value = if chart.is_share { 100.0 * sum / whole } else { sum };
            value.is_finite().then_some(value)
        };
        Curve { label: label.to_owned(), color, values: profile.frames.iter().map(value).collect() }
    });
    let unit = if chart.is_share { "% of their time" } else { "a frame" };
    let (title, stacked) = (chart.title.to_owned(), chart.is_share);
    Chart { title, unit, stacked, curves: curves.collect() }
}

/// The loads of each worker, as shares of the largest.
fn workers(frames: &[BTreeMap<u64, LoadOfWorker>]) -> Vec<HeatMap> {
    let Some(last) = frames.iter().flat_map(BTreeMap::keys).max() else { return Vec::new() };
    let map = |(which, name): (usize, &str)| {
        let share = |frame: &BTreeMap<u64, LoadOfWorker>, worker| {
            let most = frame.values().map(|load| load[which]).fold(0.0, f64::max);
            let own = frame.get(&worker)?;
            (most > 0.0).then(|| own[which] / most)
        };
        let row = |worker| frames.iter().map(|frame| share(frame, worker)).collect();
        HeatMap {
            title: format!("{name} of each worker, as a share of the largest, %"),
            rows: (0..=*last).map(|worker| worker.to_string()).collect(),
            values: (0..=*last).map(row).collect(),
        }
    };
    ["Time", "Contacts", "Active bodies"].into_iter().enumerate().map(map).collect()
}

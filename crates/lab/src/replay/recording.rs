//! Recordings that `cloth-sim SCENE --record-tasks FILE` has written, and their times.

use std::io::{BufReader, Read};
use std::path::Path;

use cloth_collision::stealing::ProcessorUse;
use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_sim::program::run::recording::{
    Header, NAME, RecordedSearch, RecordedStep, RecordedTrees, VERSION,
};
use cloth_step::Phase;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

/// Its length until the slowest rank was done, s.
pub fn length_s(search: &RecordedSearch) -> f64 {
    search.uses.iter().map(|usage| usage.length_s).fold(0.0, f64::max)
}

/// Time that all processors spent executing tests, s.
pub fn busy_s(search: &RecordedSearch) -> f64 {
    search.uses.iter().map(|usage| usage.busy_s).sum()
}

/// Whether the processors of `step` ran during all searches, except at most the share `part` of
/// each. The model does not know the time in which other programs had the cores.
pub fn ran_except(step: &RecordedStep, part: f64) -> bool {
    let ran = |usage: &ProcessorUse| usage.busy_s + usage.scheduling_s + usage.waiting_s;
    let mut uses = step.searches.iter().flat_map(|search| &search.uses);
    uses.all(|usage| ran(usage) >= (1.0 - part) * usage.length_s)
}

/// Seconds of a phase on its slowest rank.
pub fn seconds(step: &RecordedStep, phase: Phase) -> f64 {
    step.seconds.iter().map(|seconds| seconds[phase as usize]).fold(0.0, f64::max)
}

/// Length of all searches, s.
pub fn searched_s(step: &RecordedStep) -> f64 {
    step.searches.iter().map(length_s).sum()
}

/// The collision phase on the slowest rank, s. This is less than the sum over the phases of
/// their slowest ranks, because a slow rank makes the others wait in a later phase.
pub fn phase_s(step: &RecordedStep) -> f64 {
    let phases = || Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling());
    let of_rank = |seconds: &Vec<f64>| phases().map(|&phase| seconds[phase as usize]).sum();
    step.seconds.iter().map(of_rank).fold(0.0, f64::max)
}

/// How each processor spent all searches.
pub fn uses(step: &RecordedStep) -> Vec<ProcessorUse> {
    let mut sums = Vec::new();
    for search in &step.searches {
        sums.resize(search.uses.len(), ProcessorUse::default());
        sums.iter_mut().zip(&search.uses).for_each(|(sum, usage)| sum.add(usage));
    }
    sums
}

/// Time of the tests above the roots, s: the test phase without its searches.
pub fn above_s(step: &RecordedStep) -> f64 {
    (seconds(step, Phase::Tests) - searched_s(step)).max(0.0)
}

/// Whether both are the same step of the same simulation. Then they have the same tests.
fn is_same(step: &RecordedStep, other: &RecordedStep) -> bool {
    let hashes = |step: &RecordedStep| {
        let executed = step.searches.iter().map(|search| search.trees.executed);
        Vec::from_iter(executed.map(|executed| (executed.tests, executed.hash)))
    };
    step.step == other.step && hashes(step) == hashes(other)
}

/// Keeps the faster of two measurements. With several processors one measurement is kept as a
/// whole, because they share tests differently each time.
fn keep_faster(search: &mut RecordedSearch, other: RecordedSearch) {
    let is_faster = length_s(&other) < length_s(search);
    match (&mut search.uses[..], &other.uses[..]) {
        ([usage], [other]) => {
            usage.length_s = usage.length_s.min(other.length_s);
            usage.busy_s = usage.busy_s.min(other.busy_s);
        }
        _ if is_faster => search.uses = other.uses,
        _ => {}
    }
}

/// A recording in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The data that all steps share.
    pub header: Header,
    /// The steps by rising number. There are fewer than the header says, if the run ended early, or
    /// the file was cut off or damaged.
    pub steps: Vec<RecordedStep>,
}

impl Recording {
    /// Reads the file `path`. Reads only the whole steps, if it was cut off or damaged.
    ///
    /// # Errors
    /// When the file does not exist, is no recording, comes from another version, or has no whole
    /// step.
    pub fn read(path: &Path) -> Result<Self> {
        let again = "record it again: cloth-sim SCENE --record-tasks FILE";
        let fail = |cause: &str| Error::file(path, cause, again);
        let file = input::open(path, u64::MAX).map_err(|cause| Error::file(path, cause, again))?;
        let mut file = BufReader::new(file);
        let mut name = vec![0; NAME.len() + VERSION.len()];
        let named = file.read_exact(&mut name).is_ok() && name.starts_with(NAME.as_bytes());
        if !named {
            return Err(fail("the file is no recording of test trees"));
        }
        if !name.ends_with(VERSION.as_bytes()) {
            return Err(fail("another version of the program wrote this recording"));
        }
        let header: Header = read_piece(&mut file)
            .flatten()
            .ok_or_else(|| fail("its header is damaged or was cut off"))?;
        if header.phases != Header::phase_names() {
            return Err(fail("another version of the program wrote this recording"));
        }
        let mut steps = Vec::new();
        while let Some(Some(step)) = read_piece::<RecordedStep>(&mut file)
            && fits(&step, &header)
            && steps.last().is_none_or(|last: &RecordedStep| last.step < step.step)
        {
            steps.push(step);
        }
        match steps.is_empty() {
            true => Err(fail("the recording holds no whole step")),
            false => Ok(Self { header, steps }),
        }
    }

    /// Whether it was made on one rank of one thread.
    pub fn is_of_one_processor(&self) -> bool {
        self.header.ranks * self.header.threads == 1
    }

    /// Whether it was made on several ranks of one thread each.
    pub fn is_of_ranks(&self) -> bool {
        self.header.ranks > 1 && self.header.threads == 1
    }

    /// The step of this recording that is the same as `step` of another recording.
    pub fn counterpart(&self, step: &RecordedStep) -> Option<&RecordedStep> {
        let found = self.steps.binary_search_by_key(&step.step, |step| step.step).ok()?;
        self.steps.get(found).filter(|own| is_same(own, step))
    }

    /// Whether both have the same steps on the same number of processors.
    pub fn repeats(&self, other: &Self) -> bool {
        let hashes = |recording: &Self| {
            let searches = recording.steps.iter().flat_map(|step| &step.searches);
            Vec::from_iter(searches.map(|search| search.trees.executed.hash))
        };
        let counts = |recording: &Self| {
            Vec::from_iter(recording.steps.iter().map(|step| (step.step, step.searches.len())))
        };
        self.header == other.header
            && counts(self) == counts(other)
            && hashes(self) == hashes(other)
    }

    /// Keeps each search, and each phase of a step, from the recording in which it was faster.
    /// `other` repeats this recording.
    pub fn keep_fastest(&mut self, other: Self) {
        for (step, other) in self.steps.iter_mut().zip(other.steps) {
            let above_s = above_s(step).min(above_s(&other));
            for (search, other) in step.searches.iter_mut().zip(other.searches) {
                keep_faster(search, other);
            }
            let tests_s = above_s + searched_s(step);
            for (seconds, other) in step.seconds.iter_mut().zip(other.seconds) {
                seconds.iter_mut().zip(other).for_each(|(s, other)| *s = s.min(other));
                seconds[Phase::Tests as usize] = tests_s;
            }
        }
    }
}

fn fits(step: &RecordedStep, header: &Header) -> bool {
    step.seconds.len() == header.ranks
        && step.seconds.iter().all(|seconds| seconds.len() == header.phases.len())
        && step.searches.iter().all(|search| owners_below(&search.trees, header.patches.len()))
}

/// The next piece. `None` at the end of the file, `Some(None)` if the piece is damaged.
fn read_piece<T: DeserializeOwned>(file: &mut impl Read) -> Option<Option<T>> {
    let mut head = Vec::new();
    let read = file.take(16).read_to_end(&mut head);
    if read.is_ok() && head.is_empty() {
        return None;
    }
    Some(rest_of_piece(file, &head))
}

fn rest_of_piece<T: DeserializeOwned>(file: &mut impl Read, head: &[u8]) -> Option<T> {
    let (length, hash) = head.split_first_chunk::<8>()?;
    let (length, hash) = (u64::from_le_bytes(*length), u64::from_le_bytes(hash.try_into().ok()?));
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    let whole = bytes.len() as u64 == length && xxh3_64(&bytes) == hash;
    whole.then(|| postcard::from_bytes(&bytes).ok())?
}

/// True if all patches of the roots have numbers below `patches`.
fn owners_below(trees: &RecordedTrees, patches: usize) -> bool {
    trees.roots.iter().all(|&(patch, _)| (patch as usize) < patches)
}

#[cfg(test)]
mod tests {
    use cloth_collision::stealing::StealingSettings;
    use cloth_core::partition::PatchGraph;
    use cloth_sim::program::run::recording::TreeWriter;

    use super::*;

    fn recording() -> Recording {
        let header = Header {
            scene: "small".to_owned(),
            ranks: 1,
            threads: 1,
            steps_per_frame: 4,
            steps: 2,
            collision: StealingSettings::default(),
            patches: PatchGraph::default(),
            vertices: 12,
            phases: Header::phase_names(),
        };
        let search = RecordedSearch { trees: RecordedTrees::default(), uses: vec![] };
        let step = |step| RecordedStep {
            step,
            searches: vec![search.clone(); 2],
            seconds: vec![vec![0.5; Phase::ALL.len()]],
            solves: 1,
            impulse_rounds: 0,
            collisions: 3,
            fail_safe_passes: 1,
        };
        Recording { header, steps: vec![step(4), step(8)] }
    }

    #[test]
    fn a_recording_is_read_back_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks");
        let written = recording();
        let mut writer = TreeWriter::create(&path, &written.header).unwrap();
        written.steps.iter().for_each(|step| writer.step(step).unwrap());
        assert_eq!(Recording::read(&path).unwrap(), written);

        let bytes = std::fs::read(&path).unwrap();
        let refusal = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Recording::read(&path).unwrap_err().to_string()
        };
        assert!(refusal(b"frame").contains("no recording"));
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let cut = Recording::read(&path).unwrap();
        assert_eq!(cut.steps, written.steps[..1]);
        let mut damaged = bytes.clone();
        damaged[60] ^= 4;
        assert!(refusal(&damaged).contains("damaged"));
        let mut newer = bytes;
        newer[NAME.len()] += 1;
        assert!(refusal(&newer).contains("version"));
    }
}

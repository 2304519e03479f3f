//! The subcommand `convert`: writes the frames of a run in further formats.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_scene::spec::VertexField;
use serde_json::json;

use crate::engine::Frame;
use crate::program::check::Record;
use crate::program::cli::Arguments;
use crate::program::output::fields::{STRAIN, VELOCITY, neighbours, strain, velocity};
use crate::program::output::formats::{Formats, Sinks, Source};
use crate::program::output::{Lock, RunFiles, RunHead, names};
use crate::program::print::{self, ResultFormat};
use crate::program::run::Content;
use crate::program::words::{plural, significant};

/// Converts the frames of a run, and says what was written.
///
/// # Errors
/// A folder that is no run, or that another process writes. Formats that the run has already, or
/// that cannot hold it. A frame that cannot be read. A file that would be replaced and is not of
/// the run, or cannot be written.
pub fn convert(arguments: &ConvertArguments) -> Result<()> {
    let ConvertArguments { folder, to, quiet, result } = arguments;
    // 1. The run and the formats.
    let formats = Formats::named(to, "--to")?;
    let record = Record::read(folder)?;
    refuse_own(&formats, &record)?;
    if let Some((mesh, fault)) = record.meshes.first() {
        return Err(Error::file(folder.join(mesh), fault, "repeat the run"));
    }
    let source = record.source()?;
    let mut content = Content::new(&as_run(folder), &record.scene, folder)?;
    let cloths = Cloths::take(&mut content);
    let objects = content.frame_objects(&record.scene);
    formats.check(&objects)?;
    // 2. The new files, in the record of the run before they are there.
    let (_lock, _) = Lock::acquire(folder)?;
    let mut head = RunHead::read(folder)?;
    let mut files = RunFiles::default();
    formats.add_files(&mut files, &objects);
    refuse_others(folder, &files, &head.files)?;
    head.files.add_all(&files);
    head.end(folder)?;
    // 3. The frames.
    let first = record.frames.start;
    let mut sinks = formats.sinks(folder, &objects, &(first..first))?;
    let fields = formats.hold_fields() && !record.scene.is_divided();
    let mut reader = Reader { record: &record, source: &*source, read: VecDeque::new() };
    for number in record.frames.clone() {
        let mut frame = reader.frame(number)?;
        if fields {
            reader.add_fields(number, &mut frame, &cloths)?;
        }
        sinks.frame(number, &frame).map_err(|(file, cause)| failed(folder, &file, cause))?;
    }
    let last = record.frames.end.saturating_sub(1);
    sinks.finish(last).map_err(|(file, cause)| failed(folder, &file, cause))?;
    if *quiet {
        return Ok(());
    }
    let value = json!({
        "folder": folder,
        "first_frame": first,
        "last_frame": last,
        "formats": sinks.times(),
    });
    result.print(&value, || say(&record, &formats, &sinks))
}

/// The arguments of a run of the scene in `folder`.
fn as_run(folder: &Path) -> Arguments {
    Arguments::of(folder.join(names::SCENE))
}

/// Refuses formats that the run writes itself.
fn refuse_own(formats: &Formats, record: &Record) -> Result<()> {
    let own = record.scene.output.format_names();
    let is_own = |name: &&str| own.iter().any(|own| own == name);
    match formats.all().map(|format| format.name()).find(is_own) {
        None => Ok(()),
        Some(name) => {
            let cause = format!("the frames of the run have the format {name} already");
            Err(Error::input("--to", cause, "leave it out"))
        }
    }
}

/// Refuses to replace a file that the run does not list.
fn refuse_others(folder: &Path, new: &RunFiles, listed: &RunFiles) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|cause| failed(folder, "", cause))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_replaced = new.hold(names::whole(&name), u64::MAX);
        let is_own = listed.hold(names::whole(&name), u64::MAX)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_replaced && !is_own {
            let cause = "this file is not of the run, and would be replaced";
            return Err(Error::file(entry.path(), cause, "move it away"));
        }
    }
    Ok(())
}

fn failed(folder: &Path, file: &str, cause: std::io::Error) -> Error {
    Error::file(folder.join(file), cause, "make room, and convert again")
}

/// The cloths at rest.
struct Cloths {
    edges: Vec<[u32; 2]>,
    rest_lengths: Vec<f64>,
    vertices: usize,
}

impl Cloths {
    fn take(content: &mut Content) -> Self {
        let mut all = Self { edges: Vec::new(), rest_lengths: Vec::new(), vertices: 0 };
        for cloth in content.take_setup().map_or(Vec::new(), |setup| setup.cloths) {
            let first = all.vertices as u32;
            all.edges.extend(cloth.topology.edges.iter().map(|edge| edge.map(|it| it + first)));
            all.rest_lengths.extend(cloth.rest_lengths());
            all.vertices += cloth.rest.len();
        }
        all
    }

    /// The positions of the vertices of cloth in `frame`, m. None if it has fewer vertices.
    fn positions(&self, frame: &Frame) -> Option<Vec<Vec3>> {
        let mut positions = frame.surfaces.concat();
        (positions.len() >= self.vertices).then(|| {
            positions.truncate(self.vertices);
            positions
        })
    }
}

/// Reads frames, each of them once.
struct Reader<'a> {
    record: &'a Record,
    source: &'a dyn Source,
    /// The last three frames with their numbers.
    read: VecDeque<(u64, Frame)>,
}

impl Reader<'_> {
    fn frame(&mut self, number: u64) -> Result<Frame> {
        if let Some((_, frame)) = self.read.iter().find(|(known, _)| *known == number) {
            return Ok(frame.clone());
        }
        let mut frame = self.record.frame(self.source, number)?;
        frame.time_s = number as f64 / self.record.scene.frames_per_second;
        if self.read.len() == 3 {
            self.read.pop_front();
        }
        self.read.push_back((number, frame.clone()));
        Ok(frame)
    }

    /// Adds the fields that `frame` lacks and that follow from positions.
    fn add_fields(&mut self, number: u64, frame: &mut Frame, cloths: &Cloths) -> Result<()> {
        let lacks = |frame: &Frame, name: &str| frame.fields.iter().all(|it| it.name != name);
        let beside = neighbours(number, &self.record.frames);
        if let Some([before, after]) = beside.filter(|_| lacks(frame, VELOCITY)) {
            let seconds = (after - before) as f64 / self.record.scene.frames_per_second;
            let at = [self.frame(before)?, self.frame(after)?];
            if let [Some(before), Some(after)] = at.map(|frame| cloths.positions(&frame)) {
                frame.fields.push(velocity(&before, &after, seconds));
            }
        }
        let is_asked = self.record.scene.output.fields.contains(&VertexField::Strain);
        if is_asked && lacks(frame, STRAIN) {
            let x = cloths.positions(frame);
            frame.fields.extend(x.map(|x| strain(&cloths.edges, &cloths.rest_lengths, &x)));
        }
        Ok(())
    }
}

/// Prints what was written and how to see it.
fn say(record: &Record, formats: &Formats, sinks: &Sinks) -> Result<()> {
    let frames = plural(record.frames.clone().count(), "frame");
    for (format, time) in formats.all().zip(sinks.times()) {
        let (name, seconds) = (format.name(), significant(time.seconds));
        print::line(format!("{name}: {frames} in {seconds} s; to see: {}", format.to_see()))?;
    }
    Ok(())
}

/// Arguments of `convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArguments {
    /// The run folder. The new files are beside its frames.
    pub folder: PathBuf,

    /// One or several formats.
    #[arg(long, value_name = "obj,vtp,pc2,usd", value_delimiter = ',', required = true)]
    pub to: Vec<String>,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

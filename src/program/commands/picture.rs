//! The subcommand `picture`: a frame as a PNG file, or a GIF file that moves.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use serde_json::json;

use crate::program::output::{is_of_another, run_files, write_whole};
use crate::program::picture::{
    GifFile, OpenRun, Palette, PictureArguments, Sequence, ShownScene, files,
};
use crate::program::print;

/// What to do about a file that cannot be written.
const ELSEWHERE: &str = "choose another file with --output";

/// The palette of a GIF file is fitted to so many of its pictures.
const FITTED: usize = 8;

/// Draws a frame of a run, or all.
///
/// # Errors
/// A folder that is no run or has no frame. Frames or colours that the run does not have. A file
/// that cannot be written.
pub fn picture(arguments: &PictureArguments) -> Result<()> {
    let mut run = OpenRun::open(&arguments.folder)?;
    let mut sequence = Sequence::new(arguments, &run.record)?;
    let path = path(arguments, &sequence)?;
    let mut numbers = Vec::from_iter(sequence.shots.iter().map(|shot| shot.frame));
    numbers.dedup();
    let (frames, faults) = run.frames(&numbers)?;
    let mut scene = ShownScene::new(&run, frames, arguments)?;
    sequence.keep(&scene.numbers());
    write(&mut scene, &sequence, arguments, &path)?;
    if arguments.output.is_none() {
        run_files::list_drawn(&arguments.folder, std::slice::from_ref(&path))?;
    }
    let legend = scene.legend();
    let value = json!({
        "picture": path,
        "frames": scene.numbers(),
        "left_out": faults,
        "colours": legend,
    });
    if arguments.quiet {
        return Ok(());
    }
    arguments.result.print(&value, || {
        faults.iter().try_for_each(print::line)?;
        legend.iter().try_for_each(print::line)?;
        print::line(path.display())
    })
}

/// The file that is written.
fn path(arguments: &PictureArguments, sequence: &Sequence) -> Result<PathBuf> {
    let default = || arguments.folder.join(&sequence.name);
    let path = arguments.output.clone().unwrap_or_else(default);
    let (ending, other) = if sequence.moves { ("gif", "png") } else { ("png", "gif") };
    let own = path.extension().map(|it| it.to_ascii_lowercase()).unwrap_or_default();
    if own != ending {
        let what = if sequence.moves { "pictures that move" } else { "a picture of one frame" };
        let remedy = match own == other {
            true if sequence.moves => "end the name with .gif, or leave out what makes it move",
            true => "end the name with .png, or add --turntable or --animation",
            false if sequence.moves => "end the name with .gif",
            false => "end the name with .png",
        };
        let cause = format!("a file of {what} is named *.{ending}");
        return Err(Error::file(&path, cause, remedy));
    }
    let is_other = || is_of_another(&path, files::MARK, files::MARK_WITHIN);
    if !arguments.overwrite && is_other() {
        let cause = "it exists, and is no picture of this program";
        let remedy = "choose another file with --output, or replace it with --overwrite";
        return Err(Error::file(&path, cause, remedy));
    }
    Ok(path)
}

/// Draws all pictures of a sequence into the file at `path`.
fn write(
    scene: &mut ShownScene,
    sequence: &Sequence,
    arguments: &PictureArguments,
    path: &Path,
) -> Result<()> {
    let (size, count) = (arguments.pixels(), sequence.shots.len() as u64);
    let bar = print::counter(arguments.quiet, Some(count), "pictures drawn: {pos} of {len}");
    let distance = scene.distance(sequence, size);
    let written = write_whole(path, |file| {
        let mut out = BufWriter::new(file);
        match sequence.moves {
            true => write_gif(scene, sequence, distance, size, &mut out, || bar.inc(1))?,
            false => {
                let pictures =
                    sequence.shots.iter().filter_map(|it| scene.draw(it, distance, size));
                pictures.take(1).try_for_each(|it| files::write_png(&mut out, &it))?;
            }
        }
        out.flush()
    });
    bar.finish_and_clear();
    written.map_err(|cause| Error::file(path, cause, ELSEWHERE))
}

fn write_gif(
    scene: &mut ShownScene,
    sequence: &Sequence,
    distance: f64,
    size: [u32; 2],
    out: &mut dyn Write,
    done: impl Fn(),
) -> io::Result<()> {
    let every = sequence.shots.len().div_ceil(FITTED).max(1);
    let some = sequence.shots.iter().step_by(every);
    let palette = Palette::new(some.filter_map(|shot| scene.draw(shot, distance, size)));
    let mut file = GifFile::begin(out, size, palette)?;
    for shot in &sequence.shots {
        if let Some(picture) = scene.draw(shot, distance, size) {
            file.add(&picture, shot.delay_cs)?;
        }
        done();
    }
    file.end()
}

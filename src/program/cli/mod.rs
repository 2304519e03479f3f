//! The command line.

mod examples;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};

use crate::program::commands::check::CheckArguments;
use crate::program::commands::compare::CompareArguments;
use crate::program::commands::convert::ConvertArguments;
use crate::program::commands::mesh::MeshArguments;
use crate::program::commands::new::NewArguments;
use crate::program::commands::view::ViewArguments;
use crate::program::output::names;
use crate::program::picture::PictureArguments;
use crate::program::print::ResultFormat;
use crate::program::profile::ProfileArguments;
use crate::program::run::Show;
use crate::program::run::recording::RecordingArguments;

/// Simulates cloth, or many rigid bodies, on many processors. Reads a scene (RON) and writes
/// frames (OBJ for cloth, VTK for rigid bodies).
///
/// A rank is one of the parallel parts of a run. By default ranks are threads of one process.
/// Under `mpirun` they are processes; build with `--features mpi` for that. The frames have the
/// same bits for any number of ranks and threads.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "cloth-sim",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  \
        cloth-sim new my_scene --template garment\n  \
        cloth-sim scenes/tablecloth.ron --frames 5\n  \
        cloth-sim scenes/tablecloth.ron --ranks 2 --threads 1 --overwrite\n  \
        cloth-sim check out/tablecloth\n  \
        cloth-sim resume out/tablecloth --ranks 2\n\n\
        Ctrl-C, SIGTERM, SIGUSR1 or a closed terminal ends a run after its step. All frames so far are whole, and \
        `resume` goes on after this step. A second Ctrl-C or SIGTERM ends it at once."
)]
pub struct CommandLine {
    /// A subcommand. Without one the program runs a scene.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The run of a scene. `None` if there is a subcommand.
    #[command(flatten)]
    pub run: Option<Arguments>,

    /// How to compute it.
    #[command(flatten)]
    pub computing: Computing,
}

/// What the program does besides running scenes. Write `./check` for a scene file with the name
/// of a subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Writes a commented scene to begin with.
    #[command(after_long_help = examples::NEW)]
    New(NewArguments),
    /// Goes on with a run that ended early, or computes more frames: the bits of a run in one go.
    #[command(after_long_help = examples::RESUME)]
    Resume(ResumeArguments),
    /// Says what the run of a scene will take, from its first steps: about a second of them. Writes
    /// nothing.
    #[command(after_long_help = examples::INFO)]
    Info(InfoArguments),
    /// Verifies the frames of a finished run: intersections, strain, overlaps, lost bodies, finite
    /// values.
    #[command(after_long_help = examples::CHECK)]
    Check(CheckArguments),
    /// Says whether two runs have the same states and frames, or where they differ first and most.
    #[command(after_long_help = examples::COMPARE)]
    Compare(CompareArguments),
    /// Writes the frames of a finished or interrupted run in further formats. See docs/frames.md.
    #[command(after_long_help = examples::CONVERT)]
    Convert(ConvertArguments),
    /// Says how good the triangles of a mesh are for cloth, and makes better or smaller ones. See
    /// docs/meshes.md.
    #[command(after_long_help = examples::MESH)]
    Mesh(MeshArguments),
    /// Says how busy each processor was in a run, or in two runs, and writes tables. `view` draws
    /// them. See docs/profiling.md.
    #[command(after_long_help = examples::PROFILE)]
    Profile(ProfileArguments),
    /// Prints completions of the command line for a shell, to be stored where the shell looks for
    /// them. Try: source <(cloth-sim completions bash)
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual as roff. Try: cloth-sim man | man -l -
    Man,
    /// Writes a run as one page and opens it in the browser: 3D playback and charts. The page needs
    /// no network and no other file. See docs/view.md.
    #[command(after_long_help = examples::VIEW)]
    View(ViewArguments),
    /// Draws a frame of a run as a PNG file, or a GIF file: around a frame, or of all frames. Needs
    /// no display and no other program. See docs/view.md.
    #[command(after_long_help = examples::PICTURE)]
    Picture(PictureArguments),
}

/// Arguments of `info`: those of the run.
#[derive(Debug, Clone, Args)]
pub struct InfoArguments {
    /// The scene.
    pub scene: PathBuf,

    /// Number of frames [default: that of the scene].
    #[arg(long, value_name = "N", value_parser = frames, allow_negative_numbers = true)]
    pub frames: Option<u32>,

    /// Change a field of the scene, e.g. contact.distance_m=0.002. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Cut each cloth triangle into K x K triangles [default: the scene's `refine`].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub refine: Option<u32>,

    /// Number of ranks, as threads of this process [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,

    /// Threads of each rank [default: the cores that this process may use, divided by its ranks].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// How it is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// Arguments of `resume`.
#[derive(Debug, Clone, Args)]
pub struct ResumeArguments {
    /// The run folder. The run goes on after its newest checkpoint.
    pub folder: PathBuf,

    /// Go on until frame N, also beyond the last one of the scene [default: the last one].
    #[arg(long, value_name = "N", value_parser = frames, allow_negative_numbers = true)]
    pub frames: Option<u32>,

    /// Begin a new run with the state at frame N, in a folder of its own. It may have other
    /// settings. Frame N must have a checkpoint: see --checkpoint-every and --keep-checkpoints.
    #[arg(long, value_name = "N")]
    pub from_frame: Option<u32>,

    /// The scene of the new run [default: the scene of the run].
    #[arg(long, value_name = "FILE", requires = "from_frame")]
    pub scene: Option<PathBuf>,

    /// Change a field of the scene of the new run. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "from_frame")]
    pub overrides: Vec<String>,

    /// The folder of the new run [default: the folder of the run, with `_from_N` at its end].
    #[arg(long, value_name = "DIR", requires = "from_frame")]
    pub out: Option<PathBuf>,

    /// Remove the files of an earlier run in the folder of the new one.
    #[arg(long, requires = "from_frame")]
    pub overwrite: bool,

    /// How to compute the run. This may differ from before, because frames have the same bits.
    #[command(flatten)]
    pub computing: Computing,
}

/// The frame of an earlier run with which a new one begins.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The folder of the earlier run.
    pub folder: PathBuf,
    /// The frame.
    pub frame: u32,
}

/// How a run is computed, saved and shown. Nothing here changes a frame.
#[derive(Debug, Clone, Default, Args)]
pub struct Computing {
    /// Number of ranks, as threads of this process. Not allowed under mpirun [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,

    /// Threads of each rank [default: the cores that this process may use, divided by its ranks].
    /// All ranks together should have no more threads than there are cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// Allow more than four threads for each core (ranks times threads). Such runs are very slow.
    #[arg(long)]
    pub oversubscribe: bool,

    /// Save the state after every N-th frame, for `cloth-sim resume`; 0: never [default: as often
    /// as possible in less than 1 % of the time of the run].
    #[arg(long, value_name = "N")]
    pub checkpoint_every: Option<u32>,

    /// Number of checkpoints that are kept, at least 2 [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub keep_checkpoints: Option<u32>,

    /// Save the state and end after this time, e.g. 3h or 90min. The exit code is 124.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub stop_after: Option<Duration>,

    /// -v: print the time of each part of the set-up, and at the end what each phase and each
    /// processor did. -vv: also print a line for each step.
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    /// Print only errors.
    #[arg(short, long, conflicts_with_all = ["verbose", "json"])]
    pub quiet: bool,

    /// How the result is printed: `run.json`, with the folder, the last frame and times.
    #[command(flatten)]
    pub result: ResultFormat,
}

impl Computing {
    /// How much of the run the user wants to see.
    pub fn show(&self) -> Show {
        let Self { quiet, verbose, result, .. } = *self;
        Show { quiet, json: result.json, details: verbose > 0, steps: verbose > 1 }
    }
}

/// The run of a scene.
// If a group of arguments holds another group, clap ignores its own arguments. So the one that a
// run needs is named.
#[derive(Debug, Clone, Default, Args)]
#[group(args = ["scene"])]
pub struct Arguments {
    /// The scene to simulate. See docs/scene.md.
    pub scene: PathBuf,

    /// Folder for the frames and all other files of the run [default: out/<scene name>]. If the
    /// run would replace a file in the folder, it is refused.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Remove the files of an earlier run and the pictures of it, as listed in the `run.json` of
    /// the folder. All other files stay. If this run would replace one of these, it is refused.
    #[arg(long)]
    pub overwrite: bool,

    /// Compute N frames, fewer or more than the scene has. Frame 0, the start, does not count.
    #[arg(long, value_name = "N", value_parser = frames, allow_negative_numbers = true)]
    pub frames: Option<u32>,

    /// Change a field of the scene, e.g. contact.distance_m=0.002. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Cut each cloth triangle into K x K triangles [default: the scene's `refine`].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub refine: Option<u32>,

    /// The recording of test trees.
    #[command(flatten)]
    pub recording: RecordingArguments,

    /// How to compute it.
    #[arg(skip)]
    pub computing: Computing,

    /// Whether the run in the folder `out` goes on. Then `scene` is the scene in that folder.
    #[arg(skip)]
    pub resumes: bool,

    /// The frame of another run with which this one begins.
    #[arg(skip)]
    pub origin: Option<Origin>,
}

impl Arguments {
    /// The run of `scene` without any option.
    pub fn of(scene: PathBuf) -> Self {
        Self { scene, ..Self::default() }
    }
}

impl From<InfoArguments> for Arguments {
    fn from(arguments: InfoArguments) -> Self {
        let InfoArguments { scene, frames, overrides, refine, ranks, threads, .. } = arguments;
        let computing = Computing { ranks, threads, ..Computing::default() };
        Self { frames, overrides, refine, computing, ..Self::of(scene) }
    }
}

impl From<ResumeArguments> for Arguments {
    /// The run that goes on, or the new one.
    fn from(arguments: ResumeArguments) -> Self {
        let ResumeArguments { folder, frames, from_frame, .. } = arguments;
        let beside = |frame| PathBuf::from(format!("{}_from_{frame}", folder.display()));
        let out = arguments.out.or_else(|| from_frame.map(beside));
        let scene = arguments.scene.unwrap_or_else(|| folder.join(names::SCENE));
        Self {
            out: Some(out.unwrap_or_else(|| folder.clone())),
            overwrite: arguments.overwrite,
            frames,
            overrides: arguments.overrides,
            computing: arguments.computing,
            resumes: from_frame.is_none(),
            origin: from_frame.map(|frame| Origin { folder, frame }),
            ..Self::of(scene)
        }
    }
}

/// The subcommand that the user probably meant by `first`, the first argument. `None` if it may be
/// a scene.
pub fn meant_subcommand(first: &str) -> Option<String> {
    if !is_unknown(first) {
        return None;
    }
    let command = CommandLine::command();
    let names = command.get_subcommands().map(|it| it.get_name().to_owned());
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&first.to_lowercase(), name);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&nearest) > 0.6).then_some(nearest)
}

/// The scene that the user probably meant to run by `words`, the name of the program included: its
/// first argument is no file and no subcommand, such as `run`, and a scene follows.
pub fn meant_scene(words: &[OsString]) -> Option<String> {
    let words = Vec::from_iter(words.iter().skip(1).map(|word| word.to_string_lossy()));
    let (first, rest) = words.split_first()?;
    let scene = rest.iter().find(|word| word.ends_with(".ron"));
    scene.filter(|_| is_unknown(first)).map(ToString::to_string)
}

/// Whether a first argument is no option, no subcommand, and cannot be a scene.
fn is_unknown(first: &str) -> bool {
    let may_be_scene = first.contains(['.', '/']) || Path::new(first).exists();
    let is_subcommand = || CommandLine::command().find_subcommand(first).is_some();
    !first.starts_with('-') && !may_be_scene && !is_subcommand()
}

/// A number of frames.
fn frames(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        let what = if text.parse::<u64>().is_ok() { "is too large for it" } else { "is not" };
        format!("it is a whole number from 0 up, and `{text}` {what}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_scene_is_a_run() {
        let line = CommandLine::parse_from(["cloth-sim", "a.ron", "--frames", "3"]);
        assert!(line.command.is_none() && line.run.is_some_and(|run| run.frames == Some(3)));
    }

    #[test]
    fn a_subcommand_with_a_slip_is_no_scene() {
        for (first, meant) in [("chekc", Some("check")), ("Profile", Some("profile"))] {
            assert_eq!(meant_subcommand(first).as_deref(), meant);
        }
        for first in ["check", "-q", "chekc.ron", "./chekc", "tablecloth", "src"] {
            assert_eq!(meant_subcommand(first), None, "{first}");
        }
    }
}

//! The command line.

use std::path::PathBuf;

use crate::program::replay::model::Network;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use cloth_sim::verify::PairKind;

/// Simulates cloth on many processors: a RON scene in, OBJ frames out.
///
/// The frames are the same, bit for bit, for any number of ranks and threads.
/// Start it under `mpirun` (built with `--features mpi`) to use several processes.
#[derive(Debug, Clone, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  cloth-sim scenes/tablecloth.ron --frames 5\n  cloth-sim check out/tablecloth"
)]
pub struct CommandLine {
    /// What to do other than run a scene.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The run of a scene; absent only beside a subcommand.
    #[command(flatten)]
    pub run: Option<Arguments>,
}

/// What the program does besides running scenes (a scene file of such a name is
/// given as `./check`).
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Verifies the frames of a finished run: intersections, strain, finite values.
    Check(CheckArguments),
    /// Draws how busy each processor was in a run, or compares two runs (see docs/profiling.md).
    Profile(ProfileArguments),
    /// Models recorded collision phases on more processors than the machine has (see docs/profiling.md).
    Replay(ReplayArguments),
    /// Runs continuous collision queries whose truth is known; fails if any is missed.
    CcdQueries(CcdQueriesArguments),
}

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArguments {
    /// The run folder.
    pub folder: PathBuf,

    /// Threads [default: the cores this process may use].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// Fail too where an edge is stretched or compressed by more than this share of its rest length.
    #[arg(long, value_name = "SHARE")]
    pub max_strain: Option<f64>,

    /// Say nothing but errors; the exit code tells.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `profile`.
#[derive(Debug, Clone, Args)]
pub struct ProfileArguments {
    /// The run folder.
    pub run: PathBuf,

    /// Another run of as many frames to compare with.
    #[arg(value_name = "RUN")]
    pub other: Option<PathBuf>,

    /// Folder for the pictures [default: that of the (first) run].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayArguments {
    /// Files of --record-tasks; the first is replayed. Costs of tests are fitted to all that were
    /// made with one rank and one thread, and to those with several ranks what ranks do not divide.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Numbers of processors, each a rank of its own.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4,12,64,256,1024",
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub processors: Vec<u32>,

    /// Time that a message takes: a number with ns, us, ms or s.
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = time,
          allow_hyphen_values = true)]
    pub latency: f64,

    /// Bytes that a processor sends in a second: a number with MB/s or GB/s.
    #[arg(long, value_name = "RATE", default_value = "10GB/s", value_parser = rate,
          allow_hyphen_values = true)]
    pub bandwidth: f64,

    /// Processor time of a poll, and of sending or receiving a message.
    #[arg(long, value_name = "TIME", default_value = "200ns", value_parser = time,
          allow_hyphen_values = true)]
    pub overhead: f64,

    /// Override how tests are shared out, e.g. collision.b=4 (repeatable).
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Write a row for each number of processors and step.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Draw the curve, and the utilization of each processor with stealing off and on, into this folder.
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,

    /// Processors in the picture of the utilization.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub plot_processors: u32,
}

impl ReplayArguments {
    /// How the processors that are asked about are connected.
    pub fn network(&self) -> Network {
        Network { latency_s: self.latency, bandwidth: self.bandwidth, overhead_s: self.overhead }
    }
}

/// The longest time of a message, s, and the least bandwidth, bytes a second, that a replay
/// takes: with others the virtual clock of a search could run over.
const LONGEST_S: f64 = 1.0;
const SLOWEST: f64 = 1e6;

/// Seconds.
fn time(text: &str) -> Result<f64, String> {
    let in_a_second = [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)];
    let seconds = with_unit(text, &in_a_second).map(|(number, unit)| number / unit);
    seconds
        .filter(|seconds| (0.0..=LONGEST_S).contains(seconds))
        .ok_or_else(|| "write a number with ns, us, ms or s, such as 2us, from 0 to 1s".to_owned())
}

/// Bytes in a second.
fn rate(text: &str) -> Result<f64, String> {
    let bytes = with_unit(text, &[("MB/s", 1e6), ("GB/s", 1e9)]);
    let bytes = bytes.map(|(number, unit)| number * unit);
    bytes.filter(|bytes| bytes.is_finite() && *bytes >= SLOWEST).ok_or_else(|| {
        "write a number with MB/s or GB/s, such as 10GB/s, of at least 1MB/s".to_owned()
    })
}

/// The number before one of the units, and how large that is.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))?;
    Some((number.trim().parse().ok()?, unit))
}

/// Arguments of `ccd-queries`.
#[derive(Debug, Clone, Args)]
pub struct CcdQueriesArguments {
    /// CSV files: eight rows a query; x, y, z as numerator and denominator, then the truth.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What the first four rows of a query are: a vertex and a face, or two edges.
    #[arg(long)]
    pub kind: QueryKind,
}

/// The kind of all queries of a file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum QueryKind {
    /// A vertex and a face's vertices.
    VertexFace,
    /// The vertices of one edge, then of the other.
    EdgeEdge,
}

impl From<QueryKind> for PairKind {
    fn from(kind: QueryKind) -> Self {
        match kind {
            QueryKind::VertexFace => Self::VertexFace,
            QueryKind::EdgeEdge => Self::EdgeEdge,
        }
    }
}

/// The run of a scene.
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    /// The scene to simulate (see docs/scene.md).
    pub scene: PathBuf,

    /// Folder for frames, scene.ron and run.json [default: out/<scene name>].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace the frames of an earlier run in the folder.
    #[arg(long)]
    pub overwrite: bool,

    /// In-process ranks (under mpirun the launcher decides) [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,

    /// Threads of each rank [default: the cores this process may use, shared by its ranks].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// Stop after this many frames.
    #[arg(long, value_name = "N")]
    pub frames: Option<u32>,

    /// Note who executes which task in this step, for `cloth-sim profile` to draw.
    #[arg(long, value_name = "STEP")]
    pub time_line: Option<u64>,

    /// Override a field of the scene, e.g. contact.distance_m=0.002 (repeatable).
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Cut each cloth triangle into K^2.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub refine: u32,

    /// Store the test trees of some steps, for `cloth-sim replay` (see docs/profiling.md);
    /// replaces FILE only with --overwrite.
    #[arg(long, value_name = "FILE")]
    pub record_tasks: Option<PathBuf>,

    /// Store every STEPS-th step [default: the last one of each frame].
    #[arg(long, value_name = "STEPS", requires = "record_tasks", value_parser = clap::value_parser!(u64).range(1..))]
    pub record_every: Option<u64>,

    /// Say more (-v: every step, -vv: everything).
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    /// Say nothing but errors.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_nothing_is_said_of_is_that_of_shared_memory() {
        let line = CommandLine::parse_from(["cloth-sim", "replay", "tasks"]);
        let Some(Command::Replay(arguments)) = line.command else { panic!("another command") };
        assert_eq!(arguments.network(), Network::SHARED_MEMORY);
    }
}

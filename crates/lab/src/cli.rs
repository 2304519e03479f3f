//! The command line of the laboratory.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use cloth_core::partition::methods::Method;
use cloth_sim::verify::PairKind;

use crate::examples;
use crate::replay::model::Network;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "cloth-lab", version, about = "Instruments for work on cloth-sim itself")]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: LabCommand,
}

/// The subcommands.
#[derive(Debug, Clone, Subcommand)]
pub enum LabCommand {
    /// Divides the cloth of a scene among ranks by each method. Measures the divisions.
    /// See crates/lab/README.md.
    #[command(after_long_help = examples::PARTITION)]
    Partition(PartitionArguments),
    /// Models the collision phase on more processors than the machine has. See
    /// crates/lab/README.md.
    #[command(after_long_help = examples::REPLAY)]
    Replay(ReplayArguments),
    /// Tests continuous collision detection on queries with known answers. Fails if it misses a
    /// collision.
    #[command(after_long_help = examples::CCD_QUERIES)]
    CcdQueries(CcdQueriesArguments),
}

/// Arguments of `partition`.
#[derive(Debug, Clone, Args)]
pub struct PartitionArguments {
    /// A scene, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    pub source: PathBuf,

    /// Numbers of ranks [default: 2,4,8,16,32, as far as there are enough patches].
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Vec<u32>,

    /// Methods, by their names in a scene.
    #[arg(long = "method", value_name = "LIST", value_delimiter = ',', default_value = "all",
          value_parser = methods_by_name(), ignore_case = true)]
    pub methods: Vec<Methods>,

    /// Divide the cloth with its positions in frame N of a run [default: at its start].
    #[arg(long, value_name = "N")]
    pub frame: Option<u64>,

    /// Change a field of the scene, e.g. patch_vertices=128. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Cut each cloth triangle into K x K triangles [default: the scene's `refine`].
    #[arg(long, value_name = "K", conflicts_with = "frame",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub refine: Option<u32>,

    /// Folder for the tables [default: out/<scene name>_partition; for a run, next to
    /// its folder].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace the tables of an earlier call. Other files stay.
    #[arg(long)]
    pub overwrite: bool,
}

/// The methods that a name given to --method stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Methods {
    /// All methods.
    All,
    /// One of them.
    One(Method),
}

fn methods_by_name() -> impl TypedValueParser<Value = Methods> {
    let names = Method::ALL.map(|method| method.name());
    PossibleValuesParser::new(names.into_iter().chain(["all"])).map(|text| {
        let named = |method: &Method| method.name().eq_ignore_ascii_case(&text);
        Method::ALL.into_iter().find(named).map_or(Methods::All, Methods::One)
    })
}

/// Arguments of `replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayArguments {
    /// Recordings, made by a run with --record-tasks. The first one is replayed, and must come
    /// from one rank with one thread. All recordings of one rank with one thread are used to fit
    /// the costs of tests. Recordings of several ranks show the work that every rank repeats.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Numbers of processors to model. Each processor is one rank.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4,12,64,256,1024",
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub processors: Vec<u32>,

    /// Time that a message takes. A number with ns, us, ms or s.
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = time,
          allow_hyphen_values = true)]
    pub latency: f64,

    /// Data that a processor sends in a second. A number with MB/s or GB/s.
    #[arg(long, value_name = "RATE", default_value = "10GB/s", value_parser = rate,
          allow_hyphen_values = true)]
    pub bandwidth: f64,

    /// Processor time to look for messages, to send one, or to receive one. A number with ns, us,
    /// ms or s.
    #[arg(long, value_name = "TIME", default_value = "200ns", value_parser = time,
          allow_hyphen_values = true)]
    pub overhead: f64,

    /// Change a field of the recorded `collision`, e.g. collision.b=4. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,

    /// Write a table with a row for each number of processors and each step.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

impl ReplayArguments {
    /// The network between the modelled processors.
    pub fn network(&self) -> Network {
        Network { latency_s: self.latency, bandwidth: self.bandwidth, overhead_s: self.overhead }
    }
}

/// The longest time of a message, s. Longer times could overflow the virtual clock of a search.
const LONGEST_S: f64 = 1.0;
/// The smallest bandwidth, bytes a second, for the same reason.
const SLOWEST: f64 = 1e6;

/// A time with its unit, in seconds.
fn time(text: &str) -> Result<f64, String> {
    let in_a_second = [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)];
    let seconds = with_unit(text, &in_a_second).map(|(number, unit)| number / unit);
    seconds
        .filter(|seconds| (0.0..=LONGEST_S).contains(seconds))
        .ok_or_else(|| "write a number with ns, us, ms or s, such as 2us, from 0 to 1s".to_owned())
}

/// A bandwidth with its unit, in bytes a second.
fn rate(text: &str) -> Result<f64, String> {
    let bytes = with_unit(text, &[("MB/s", 1e6), ("GB/s", 1e9)]);
    let bytes = bytes.map(|(number, unit)| number * unit);
    bytes.filter(|bytes| bytes.is_finite() && *bytes >= SLOWEST).ok_or_else(|| {
        "write a number with MB/s or GB/s, such as 10GB/s, of at least 1MB/s".to_owned()
    })
}

/// The number before one of the units, and the size of that unit.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))?;
    Some((number.trim().parse().ok()?, unit))
}

/// Arguments of `ccd-queries`.
#[derive(Debug, Clone, Args)]
pub struct CcdQueriesArguments {
    /// CSV files. A query has eight rows. A row has x, y and z, each as numerator and denominator,
    /// and the known answer (0 or 1).
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The kind of all queries.
    #[arg(long)]
    pub kind: QueryKind,
}

/// The kind of all queries of a file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum QueryKind {
    /// A vertex, then the three vertices of a face.
    VertexFace,
    /// The two vertices of one edge, then those of the other.
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn the_default_network_is_shared_memory() {
        let line = CommandLine::parse_from(["cloth-lab", "replay", "tasks"]);
        let LabCommand::Replay(arguments) = line.command else { panic!("another command") };
        assert_eq!(arguments.network(), Network::SHARED_MEMORY);
    }
}

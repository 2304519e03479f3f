//! The subcommand `ccd-queries`: runs the continuous test on queries with known answers.
//!
//! The files have the form of the public Sample-Queries set (Wang et al. 2021, A Large Scale
//! Benchmark and an Inclusion-Based Algorithm for Continuous Collision Detection). A query has
//! eight rows: its four points at the start, then at the end. A row has seven columns: x, y and z,
//! each as numerator and denominator, and the known answer (0 or 1).

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_core::math::Vec3;
use cloth_sim::verify::{PairKind, time_of_impact};
use csv::{ReaderBuilder, StringRecord, Trim};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use crate::cli::CcdQueriesArguments;
use cloth_sim::program::print;
use cloth_sim::program::words::plural;

/// Rows of a query.
const ROWS: usize = 8;
/// How many false negatives of a file are listed.
const LISTED: usize = 10;
const FORM: &str = "write eight rows for each query: its four points at the start, then at the end. \
     A row has seven columns: x, y, z, each as numerator and denominator (integers), then the \
     known answer (0 or 1)";

/// A query of a file.
struct Query {
    line: u64,
    x0: [Vec3; 4],
    x1: [Vec3; 4],
    meets: bool,
    /// True if all its coordinates are doubles.
    exact: bool,
}

/// The results of some queries.
#[derive(Default)]
struct Counts {
    queries: usize,
    meet: usize,
    false_negatives: usize,
    false_positives: usize,
    time: Duration,
}

/// Runs every query of every file and prints the counts.
///
/// # Errors
/// A file that cannot be read or has another form. Any false negative.
pub fn ccd_queries(arguments: &CcdQueriesArguments) -> Result<()> {
    let kind = arguments.kind.into();
    let mut all = Counts::default();
    for file in &arguments.files {
        let queries = read(file)?;
        let inexact = queries.iter().filter(|query| !query.exact).count();
        if inexact > 0 {
            print::line(format_args!(
                "{}: rounded the coordinates of {}, so the known answer may be wrong there",
                file.display(),
                plural(inexact, "query"),
            ))?;
        }
        let counts = run(kind, &queries, file);
        print::line(format_args!("{}: {counts}", file.display()))?;
        all.add(&counts);
    }
    if arguments.files.len() > 1 {
        print::line(format_args!("all: {all}"))?;
    }
    match all.false_negatives {
        0 => Ok(()),
        missed => Err(Error::input(
            "ccd-queries",
            format!("{} in {}", plural(missed, "false negative"), plural(all.queries, "query")),
            "report this as a bug, if the answers in the file are right",
        )),
    }
}

/// Answers the queries of `file`, with a minimum separation of zero.
fn run(kind: PairKind, queries: &[Query], file: &Path) -> Counts {
    let start = Instant::now();
    let answers: Vec<bool> = queries
        .iter()
        .map(|query| black_box(time_of_impact(kind, &query.x0, &query.x1, 0.0)).is_some())
        .collect();
    let mut counts = Counts { queries: queries.len(), time: start.elapsed(), ..Counts::default() };
    for (query, answer) in queries.iter().zip(answers) {
        counts.meet += usize::from(query.meets);
        counts.false_positives += usize::from(answer && !query.meets);
        counts.false_negatives += usize::from(query.meets && !answer);
        if query.meets && !answer && counts.false_negatives <= LISTED {
            print::message(format_args!("false negative: {}:{}", file.display(), query.line));
        }
    }
    counts
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.meet += other.meet;
        self.false_negatives += other.false_negatives;
        self.false_positives += other.false_positives;
        self.time += other.time;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { queries, meet, false_negatives, false_positives, time } = self;
        let ns = time.as_secs_f64() * 1e9 / *queries as f64;
        write!(
            f,
            "{}, {meet} of them collide: {}, {}, {ns:.0} ns a query",
            plural(*queries, "query"),
            plural(*false_negatives, "false negative"),
            plural(*false_positives, "false positive"),
        )
    }
}

/// A row of a file.
struct Row {
    line: u64,
    x: Vec3,
    meets: bool,
    exact: bool,
}

fn read(file: &Path) -> Result<Vec<Query>> {
    let opened = input::open(file, input::DATA_LIMIT)
        .map_err(|cause| Error::file(file, cause, "give a CSV file of queries"))?;
    let mut form = ReaderBuilder::new();
    let mut reader = form.has_headers(false).flexible(true).trim(Trim::All).from_reader(opened);
    let mut queries = Vec::new();
    let mut rows = Vec::with_capacity(ROWS);
    for record in reader.records() {
        let record = record.map_err(|cause| Error::file(file, cause, FORM))?;
        rows.push(row(&record, file)?);
        if rows.len() == ROWS {
            queries.push(query(&rows, file)?);
            rows.clear();
        }
    }
    match rows.first() {
        Some(first) => {
            let cause = format!("the last query has {} of {ROWS} rows", rows.len());
            Err(malformed(file, first.line, cause))
        }
        None if queries.is_empty() => Err(Error::file(file, "it holds no query", FORM)),
        None => Ok(queries),
    }
}

fn query(rows: &[Row], file: &Path) -> Result<Query> {
    let first = &rows[0];
    if let Some(other) = rows.iter().find(|row| row.meets != first.meets) {
        let cause = "this row has another answer than the first row of its query";
        return Err(malformed(file, other.line, cause));
    }
    Ok(Query {
        line: first.line,
        x0: std::array::from_fn(|a| rows[a].x),
        x1: std::array::from_fn(|a| rows[4 + a].x),
        meets: first.meets,
        exact: rows.iter().all(|row| row.exact),
    })
}

fn row(record: &StringRecord, file: &Path) -> Result<Row> {
    let line = record.position().map_or(0, csv::Position::line);
    if record.len() != 7 {
        return Err(malformed(file, line, format!("{} columns instead of 7", record.len())));
    }
    let (mut x, mut exact) = (Vec3::zeros(), true);
    for axis in 0..3 {
        let (value, is_exact) = fraction(&record[2 * axis], &record[2 * axis + 1])
            .map_err(|cause| malformed(file, line, cause))?;
        x[axis] = value;
        exact &= is_exact;
    }
    let meets = match &record[6] {
        "0" => false,
        "1" => true,
        other => return Err(malformed(file, line, format!("the answer is {other:?}, not 0 or 1"))),
    };
    Ok(Row { line, x, meets, exact })
}

/// The double nearest to a fraction of integers of any size, and whether it is exact.
fn fraction(numerator: &str, denominator: &str) -> std::result::Result<(f64, bool), String> {
    let written = format!("{numerator}/{denominator}");
    let (Ok(n), Ok(d)) = (numerator.parse(), denominator.parse()) else {
        return Err(format!("{written} is no fraction of integers"));
    };
    // Not reduced to lowest terms, because the common divisor of large numbers takes long.
    let ratio = BigRational::new_raw(n, d);
    if ratio.denom().is_zero() {
        return Err(format!("{written} divides by zero"));
    }
    let value = ratio.to_f64().filter(|value| value.is_finite());
    let value = value.ok_or_else(|| format!("{written} is too large for a double"))?;
    let back = BigRational::from_float(value);
    let exact =
        back.is_some_and(|back| back.numer() * ratio.denom() == back.denom() * ratio.numer());
    Ok((value, exact))
}

fn malformed(file: &Path, line: u64, cause: impl Into<String>) -> Error {
    Error::input(format!("{}:{line}", file.display()), cause, FORM)
}

//! Writes continuous collision queries with known answers, in the CSV form that
//! `cloth-sim ccd-queries` reads. Half of the pairs meet.
//!
//! `cargo run --release --example ccd_queries -- vertex-face 10000 > queries.csv`

#[path = "../tests/common/queries.rs"]
#[allow(dead_code)] // the tests use all of it
mod queries;

use std::io::Write;
use std::process::ExitCode;

use cloth_collision::collision::PairKind;
use num_rational::BigRational;
use queries::{Draw, MEETINGS, Query, Truth, meeting, parted, passing};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let kind = match arguments.first().map(String::as_str) {
        Some("vertex-face") => PairKind::VertexFace,
        Some("edge-edge") => PairKind::EdgeEdge,
        _ => return usage(),
    };
    let Some(Ok(count)) = arguments.get(1).map(|count| count.parse::<usize>()) else {
        return usage();
    };
    let mut draw = Draw(7);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for number in 0..count {
        let way = MEETINGS[number / 2 % MEETINGS.len()];
        let query = match number % 4 {
            0 | 2 => meeting(kind, way, true, &mut draw),
            1 => parted(kind, &mut draw),
            _ => passing(kind, &mut draw),
        };
        if write(&mut out, &query).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: ccd_queries vertex-face|edge-edge COUNT");
    ExitCode::from(2)
}

/// Eight rows: the points at the start, then those at the end.
fn write(out: &mut impl Write, query: &Query) -> std::io::Result<()> {
    let meets = i32::from(matches!(query.truth, Truth::Meets { .. }));
    for x in query.x0.iter().chain(&query.x1) {
        for c in x.iter() {
            let ratio = BigRational::from_float(*c).unwrap_or_default();
            write!(out, "{},{},", ratio.numer(), ratio.denom())?;
        }
        writeln!(out, "{meets}")?;
    }
    Ok(())
}

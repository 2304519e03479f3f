//! Room `collision`: continuous tests against queries whose answer is known by construction. No
//! impact is missed or reported late. `-- --nocapture` prints counts.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cloth_collision::collision::PairKind;
use cloth_collision::collision::ccd::time_of_impact;
use common::finish_within;
use common::queries::{Draw, MEETINGS, Query, Truth, meeting, parted, passing};
use num_rational::{BigRational, Ratio};
use num_traits::Zero;

const KINDS: [PairKind; 2] = [PairKind::VertexFace, PairKind::EdgeEdge];

/// Queries for each kind of pair and each way to meet or to pass.
const QUERIES: usize = 4000;

fn big(ratio: Ratio<i64>) -> BigRational {
    BigRational::new((*ratio.numer()).into(), (*ratio.denom()).into())
}

fn float(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

fn report(query: &Query, separation_m: f64) -> Option<f64> {
    time_of_impact(query.kind, &query.x0, &query.x1, separation_m)
}

#[test]
fn no_pair_that_meets_is_missed_or_reported_late() {
    for (kind, way) in KINDS.into_iter().flat_map(|kind| MEETINGS.map(|way| (kind, way))) {
        let mut draw = Draw(kind as u64);
        for number in 0..QUERIES {
            let query = meeting(kind, way, number % 2 == 0, &mut draw);
            let Truth::Meets { time, distance_m, .. } = query.truth else { unreachable!() };
            let time = big(time);
            for separation_m in [distance_m, distance_m + 1e-9, 1.5 * distance_m + 1e-3] {
                let found = report(&query, separation_m);
                assert!(
                    found.is_some_and(|found| (0.0..1.0).contains(&found) && float(found) <= time),
                    "{kind:?} {way:?} {number}: {found:?} within {separation_m}, truly at {time}: {:?} {:?}",
                    query.x0,
                    query.x1
                );
            }
        }
    }
}

#[test]
fn the_truth_holds_for_the_numbers_given_to_the_test() {
    for (kind, way) in KINDS.into_iter().flat_map(|kind| MEETINGS.map(|way| (kind, way))) {
        let mut draw = Draw(1);
        for number in 0..100 {
            let query = meeting(kind, way, number % 2 == 0, &mut draw);
            let Truth::Meets { time, weights, distance_m } = query.truth else { unreachable!() };
            let mut squared = -float(distance_m) * float(distance_m);
            for axis in 0..3 {
                let offset: BigRational = (0..4)
                    .map(|a| {
                        let [from, to] = [query.x0, query.x1].map(|x| float(x[a][axis]));
                        big(weights[a]) * (from.clone() + big(time) * (to - from))
                    })
                    .sum();
                squared += offset.clone() * offset;
            }
            assert!(squared.is_zero(), "{kind:?} {way:?} {number}");
        }
    }
}

#[test]
fn pairs_that_pass_are_seldom_reported() {
    for kind in KINDS {
        let mut draw = Draw(2);
        let mut count = |name, query: fn(PairKind, &mut Draw) -> Query| {
            // The separation is 0, half, and nine tenths of the known gap.
            let mut reported = [0; 3];
            for _ in 0..QUERIES {
                let query = query(kind, &mut draw);
                let Truth::Apart { gap_m } = query.truth else { unreachable!() };
                for (reported, part) in reported.iter_mut().zip([0.0, 0.5, 0.9]) {
                    *reported += usize::from(report(&query, part * gap_m).is_some());
                }
            }
            println!("{kind:?} {name}: {reported:?} of {QUERIES} reported within 0, 0.5, 0.9 gaps");
            // A test that reports every query would also never miss one.
            assert!(reported[1] < QUERIES / 20);
        };
        count("between two planes", parted);
        count("at random", passing);
    }
}

// --- the command ---------------------------------------------------------------

fn sample(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("ccd_{kind}.csv"))
}

fn run(kind: &str, files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    finish_within(
        std::time::Duration::from_secs(60),
        command.args(["ccd-queries", "--kind", kind]).args(files),
    )
}

#[test]
fn the_command_counts_what_a_file_holds() {
    for kind in ["vertex-face", "edge-edge"] {
        let output = run(kind, &[&sample(kind), &sample(kind)]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("48 queries, 24 of them collide"), "{said}");
        assert!(said.contains("96 queries, 48 of them collide: 0 false negatives"), "{said}");
    }
}

/// Eight rows; the first one is `first`.
fn query_with(first: &str) -> String {
    format!("{first}\n{}", "1,3,0,1,0,1,0\n".repeat(7))
}

#[test]
fn a_pair_said_to_meet_that_does_not_ends_with_1() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    // The vertex stays 1 m above the face's plane; the file says that it meets the face.
    let vertex = "0,1,0,1,1,1,1\n";
    let face = "0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,1,1,0,1,1\n";
    std::fs::write(&file, format!("{vertex}{face}{vertex}{face}")).expect("a file is written");
    let output = run("vertex-face", &[file.path()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1 false negative") && said.contains(":1"), "{said}");
}

#[test]
fn malformed_files_are_refused_with_file_line_cause_and_remedy() {
    let big = "9".repeat(400);
    let cases = [
        (query_with("0,1,0,1,0,1"), ":1", "6 columns"),
        (query_with("0,1,0,0,0,1,0"), ":1", "0/0"),
        (query_with("0.5,1,0,1,0,1,0"), ":1", "0.5"),
        (query_with(&format!("{big},1,0,1,0,1,0")), ":1", "double"),
        (query_with("0,1,0,1,0,1,2"), ":1", "\"2\""),
        (query_with("0,1,0,1,0,1,1"), ":2", "another answer"),
        (query_with("0,1,0,1,0,1,0") + "0,1,0,1,0,1,0\n", ":9", "1 of 8 rows"),
        (String::new(), "", "no query"),
    ];
    for (text, line, cause) in cases {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(&file, &text).expect("a file is written");
        let output = run("vertex-face", &[file.path()]);
        let said = String::from_utf8_lossy(&output.stderr);
        let place = format!("{}{line}", file.path().display());
        assert_eq!(output.status.code(), Some(1), "{said}");
        for word in [&*place, cause, "help: "] {
            assert!(said.contains(word), "wanted {word:?} in: {said}");
        }
    }
    let missing = run("edge-edge", &[Path::new("no/such.csv")]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no/such.csv"));
}

#[test]
fn fractions_beyond_64_bits_are_rounded_once() {
    // 2^80 / 3 and 2^80 / (3 * 2^60): neither is a double. The first of 8 points shows it.
    let rows = "1208925819614629174706176,3,1,1208925819614629174706176,-1,7,0\n".repeat(8);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, rows).expect("a file is written");
    let said = String::from_utf8_lossy(&run("edge-edge", &[file.path()]).stdout).into_owned();
    assert!(said.contains("rounded the coordinates of 1 query"), "{said}");
}

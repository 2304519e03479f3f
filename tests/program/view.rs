//! `cloth-sim view`: the page holds the run, as its files have it, and loads nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::run::{BINARY, finish, frames_of, run_of_tests};
use crate::page::{RunPage, arrays, expect_positions, numbers};
use serde_json::Value;

fn view(arguments: &[&str]) -> Output {
    finish(Command::new(&*BINARY).arg("view").arg("--no-open").args(arguments))
}

fn page(run: &Path, more: &[&str]) -> RunPage {
    let file = run.join("page.html");
    let run = run.to_str().expect("UTF-8");
    let output = view(&[&[run, "--output", file.to_str().expect("UTF-8")], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    RunPage::parse(std::fs::read_to_string(file).expect("the page is there"))
}

/// The first `count` vertices of an OBJ file.
fn vertices(file: &Path, count: usize) -> Vec<[f64; 3]> {
    let text = std::fs::read_to_string(file).expect("a frame");
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    let numbers = lines.map(|line| line.split_whitespace().map(|it| it.parse().expect("a number")));
    let vertices = numbers.map(|it| Vec::from_iter(it).try_into().expect("three numbers"));
    vertices.take(count).collect()
}

/// The centres of the bodies among cloth in a frame, in the order of the file.
fn centres(run: &Path, frame: u64) -> Vec<[f64; 3]> {
    let file = run.join(format!("poses_{frame:04}.csv"));
    let text = std::fs::read_to_string(file).expect("poses are there");
    let cells = text.lines().skip(1).map(|line| Vec::from_iter(line.split(',')));
    cells.map(|row| [1, 2, 3].map(|at| row[at].parse().expect("a number"))).collect()
}

/// A field of every step of a frame of `steps.jsonl`.
fn of_steps(frame: &Value, field: &str) -> Vec<f64> {
    let steps = frame["steps"].as_array().expect("steps");
    steps.iter().filter_map(|step| step[field].as_f64()).collect()
}

fn expect_equal(found: &[f64], expected: impl IntoIterator<Item = f64>) {
    let expected = Vec::from_iter(expected);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} {expected}");
    }
}

#[test]
fn a_page_of_cloth_and_bodies_has_the_numbers_of_the_run() {
    let (_folder, run) = run_of_tests("among_cloth.ron", &["--frames", "4"]);
    let page = page(&run, &[]);
    for word in ["src=\"", "href=\"http", "@import", "url(http"] {
        assert!(!page.html.contains(word), "{word}");
    }
    assert_eq!(page.numbers(), [0, 1, 2, 3, 4]);
    let still = &page.run["still"];
    let cloth = &still["objects"][0];
    assert_eq!((&cloth["name"], &cloth["fabric"]), (&"sheet".into(), &"cotton".into()));
    let count = cloth["vertices"].as_u64().expect("a number") as usize;
    let lines = frames_of(&run);
    for (frame, line) in page.frames.iter().zip(&lines) {
        let number = frame["number"].as_u64().expect("a number");
        let arrays = arrays(frame);
        let written = vertices(&run.join(format!("frame_{number:04}.obj")), count);
        expect_positions(frame, &arrays["positions"], &written);
        let centres = centres(&run, number);
        assert_eq!(still["bodies"]["count"], centres.len());
        expect_positions(frame, &arrays["centres"], &centres);
        // The largest strain is that of the record.
        let largest = |list: [f64; 2]| list[0].abs().max(list[1].abs());
        let recorded = [0, 1].map(|i| line["strain"][i]["strain"].as_f64().expect("a number"));
        let shown = numbers(&frame["ranges"]["strain"]).try_into().expect("two numbers");
        assert!((largest(shown) - largest(recorded)).abs() < 1e-9, "{shown:?} {recorded:?}");
    }
    let rank_0 = |frame: &Value| {
        let steps = frame["steps"].as_array().expect("steps").iter();
        let own = steps.filter(|step| step["rank"] == 0);
        own.map(|step| step["cg_iterations"].as_f64().expect("a number")).sum::<f64>()
    };
    let lines = &lines[1..];
    let sum =
        |field: &'static str| lines.iter().map(move |it| of_steps(it, field).iter().sum::<f64>());
    let steps = lines.iter().map(|it| of_steps(it, "step").len() as f64 / 2.0);
    let a_step =
        |sums: Vec<f64>| Vec::from_iter(sums.iter().zip(steps.clone()).map(|(a, b)| a / b));
    expect_equal(&page.curve("Contacts", "near pairs"), a_step(sum("proximity_pairs").collect()));
    let iterations = page.curve("Iterations of conjugate gradients", "iterations");
    expect_equal(&iterations, a_step(lines.iter().map(rank_0).collect()));
    expect_equal(&page.curve("Time of the phases", "solve"), sum("solve_s").map(|it| it / 2.0));
    // Rank 0 alone writes energies.
    let last = lines.iter().map(|it| *of_steps(it, "internal_j").last().expect("an energy"));
    expect_equal(&page.curve("Balance of energy", "kinetic and elastic"), last);
}

#[test]
fn a_page_has_the_maps_of_cloth_and_says_what_the_scene_sets() {
    let (_folder, run) = run_of_tests("maps.ron", &["--frames", "1"]);
    let page = page(&run, &["--limit-mb", "9"]);
    let still = &page.run["still"];
    let ranges = [("density", [1.0, 30.0]), ("friction", [0.5, 2.0]), ("thickness", [1.0, 2.0])];
    for (name, range) in ranges {
        assert_eq!(numbers(&still["ranges"][name]), range, "{name}");
    }
    // The hem, whose faces all have the largest factor, is at the end of the banner.
    let density = &arrays(&still["surfaces"])["density"];
    assert_eq!((density.len(), density[0], density[129]), (130 + 81, 0.0, 255.0));
    let rows = page.run["sections"].to_string();
    for row in [
        r#"["Friction","changes over time"]"#,
        r#"["Maps","banner: density, stiffness, bending, friction, thickness"]"#,
        r#"["Strain limit","banner 3 %"]"#,
        r#"["Contact distance","1 mm; wool 3 mm"]"#,
    ] {
        assert!(rows.contains(row), "{row}: {rows}");
    }
}

#[test]
fn a_page_of_bodies_has_poses_ranks_and_energies() {
    let (_folder, run) = run_of_tests("bodies.ron", &[]);
    let page = page(&run, &[]);
    let lines = frames_of(&run);
    let energy =
        |field: &'static str| lines[1..].iter().map(move |it| it[field].as_f64().expect("J"));
    expect_equal(&page.curve("Balance of energy", "potential"), energy("potential_j"));
    expect_equal(&page.curve("Balance of energy", "rotation"), energy("rotation_j"));
    let moving = page.run["still"]["bodies"]["count"].as_u64().expect("a number") as usize;
    for (frame, line) in page.frames.iter().zip(&lines) {
        let number = frame["number"].as_u64().expect("a number");
        let file = std::fs::read(run.join(format!("frame_{number:04}.vtp"))).expect("a frame");
        let points = crate::common::vtp::Frame::parse(&file).array("Points").clone();
        let real = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let centre = |body: &Vec<u8>| [0, 8, 16].map(|at| real(&body[at..at + 8]));
        let arrays = arrays(frame);
        let here = arrays["body_rank"].iter().filter(|&&rank| rank < 65535.0).count();
        assert_eq!(here, points.len(), "bodies of frame {number}: {}", line["bodies"]);
        if here == moving {
            let centres = Vec::from_iter(points.iter().map(centre));
            expect_positions(frame, &arrays["centres"], &centres);
        }
    }
    assert!(page.frames.len() == 5 && arrays(&page.frames[0])["body_rank"].contains(&1.0));
}

#[test]
fn a_run_that_was_killed_is_shown_as_far_as_it_came() {
    let (_folder, run) = run_of_tests("among_cloth.ron", &["--frames", "4"]);
    let head = std::fs::read_to_string(run.join("run.json")).expect("run.json");
    let killed = head.replace("\"status\":\"complete\"", "\"status\":\"running\"");
    std::fs::write(run.join("run.json"), killed).expect("run.json is written");
    let steps = std::fs::read_to_string(run.join("steps.jsonl")).expect("steps.jsonl");
    let kept = String::from_iter(steps.lines().take(4).map(|line| format!("{line}\n")));
    std::fs::write(run.join("steps.jsonl"), kept + "{\"frame\":4,")
        .expect("steps.jsonl is written");
    std::fs::remove_file(run.join("poses_0003.csv")).expect("poses are removed");
    let page = page(&run, &[]);
    // Frame 3 has lost its poses.
    assert_eq!(page.numbers(), [0, 1, 2]);
    let warnings = page.run["warnings"].to_string();
    assert!(warnings.contains("the run was killed, frames 0 to 3 whole"), "{warnings}");
}

#[test]
fn a_page_that_would_be_too_large_has_fewer_frames_then_fewer_faces() {
    let (_folder, run) = run_of_tests("among_cloth.ron", &["--frames", "4", "--refine", "3"]);
    let whole = page(&run, &[]);
    let bytes = |page: &RunPage| page.html.len() as f64;
    let frame_bytes: usize = whole.frames.iter().map(|frame| frame.to_string().len()).sum();
    let limit_mb = (bytes(&whole) - 0.5 * frame_bytes as f64) / 1e6;
    let small = page(&run, &["--limit-mb", &limit_mb.to_string()]);
    assert!(bytes(&small) < 1.05e6 * limit_mb, "{} of {limit_mb} MB", bytes(&small));
    let notes = small.run["notes"].to_string();
    assert!(notes.contains("faces are thinned"), "{notes}");
    let vertices = |page: &RunPage| page.run["still"]["objects"][0]["vertices"].as_u64();
    assert!(vertices(&small) < vertices(&whole));
    assert_eq!(*small.numbers().last().expect("a frame"), 4, "the last frame is always shown");
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let said = |arguments: &[&str]| {
        let output = view(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&[&path("missing")]).contains("there is no such folder"));
    assert!(said(&[&path("")]).contains("it has no run.json"));
    std::fs::write(path("run.json"), "{\"format\": 1}").expect("a file");
    assert!(said(&[&path("")]).contains("format 1, but this version knows"));
    let (_other, run) = run_of_tests("bodies.ron", &["--frames", "1"]);
    let run = run.to_str().expect("UTF-8");
    let text = said(&[run, "--output", &path("no/page.html")]);
    assert!(text.contains("page.html") && text.contains("--output"), "{text}");
    // The page in the run folder belongs to the run.
    assert!(view(&[run]).status.success());
    let head = std::fs::read_to_string(Path::new(run).join("run.json")).expect("run.json");
    assert!(head.contains("view.html"), "{head}");
}

/// The answer to a request for `path`, from `host`.
fn ask(address: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server answers");
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn has_status(answer: &str, status: &str) -> bool {
    answer.split_whitespace().nth(1) == Some(status)
}

#[test]
fn a_live_page_gets_further_frames_from_this_machine_alone() {
    let (_folder, run) = run_of_tests("bodies.ron", &["--frames", "2"]);
    let mut command = Command::new(&*BINARY);
    command.args(["view", "--live", "--no-open"]).arg(&run).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the server starts");
    let mut line = String::new();
    let stdout = server.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("its address");
    let address = line.split('/').nth(2).unwrap_or_default().to_owned();
    let answers =
        ["/", "/frames?after=1", "/frames?after=x", "/no"].map(|it| ask(&address, it, &address));
    let stranger = ask(&address, "/", "example.org:80");
    server.kill().and_then(|()| server.wait()).expect("the server ends");
    let [page, frames, bad, none] = answers;
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    assert!(page.contains("id=\"run\"") && page.contains("<canvas"));
    let frames: Value =
        serde_json::from_str(&frames[frames.find("\r\n\r\n").expect("a body")..]).expect("JSON");
    assert_eq!((&frames["is_live"], &frames["frames"][0]["number"]), (&false.into(), &2.into()));
    assert!(frames["charts"]["charts"].is_array());
    assert!(has_status(&bad, "400") && has_status(&none, "404"));
    assert!(has_status(&stranger, "403"), "{stranger}");
}

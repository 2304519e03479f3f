//! Sewing: threads that close seams, and welds (rooms `bodies`, `step`, `scene`, `program/check`).

use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::common::poses::run_text;
use crate::common::run::{BINARY, Start, assert_says, finish, frames_of, simulate as run};
use crate::physics::{cloth, scene, settle, simulate};
use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::bodies::seam::{Seam, Stitch};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::step::Counter;

const LENGTH_M: f64 = 0.6;
const WIDTH_M: f64 = 0.03;
const RIGIDITY: f64 = 1e-3;
const COLUMNS: u32 = 60;
const ROWS: u32 = 3;
const GAP_M: f64 = 0.002;

/// A strip that is flat at rest and starts as an arc of `angle` (rad) about z.
fn strip(angle: f64) -> ClothSetup {
    let mesh = sheet(LENGTH_M, WIDTH_M, COLUMNS, ROWS, Diagonal::Alternating);
    let mut strip = cloth(mesh, Material::isotropic(0.2, 2000.0, 0.0, RIGIDITY));
    let radius = LENGTH_M / angle;
    for x in &mut strip.positions {
        let (sin, cos) = (x.x / radius).sin_cos();
        *x = Vec3::new(radius * sin, -radius * cos, x.z);
    }
    strip
}

/// The strip with a seam of its two ends.
fn sewn(angle: f64, welds: bool) -> Setup {
    let strip = strip(angle);
    let ends = |side: f64| {
        let at = |x: &Vec3| (x.x - side * 0.5 * LENGTH_M).abs() < 1e-9;
        let mut vertices = crate::physics::vertices_where(&strip.rest, at);
        vertices.sort_by(|&a, &b| strip.rest[a as usize].z.total_cmp(&strip.rest[b as usize].z));
        vertices
    };
    let place = |vertex: u32| strip.positions[vertex as usize];
    let stitch = |(a, b): (u32, u32)| Stitch {
        vertices: [a, b],
        start_m: (place(a) - place(b)).norm(),
        share_m: WIDTH_M / f64::from(ROWS),
    };
    let seam = Seam {
        stitches: ends(-1.0).into_iter().zip(ends(1.0)).map(stitch).collect(),
        close_s: 0.4,
        gap_m: GAP_M,
        stiffness_n_per_m2: 2e5,
        most_n_per_m: 50.0,
        welds,
    };
    Setup { cloths: vec![strip], seams: vec![seam], ..Setup::default() }
}

/// With threads the ends turn freely: the strip is the elastica whose ends meet (Love 1927, section
/// 263), of the modulus `2 E(k) = K(k)`, with an energy of 14.05 D w / l. Welded it is a circle, of
/// 2 pi^2 D w / l.
#[test]
fn a_strip_closes_to_a_drop_and_welds_to_a_circle() {
    for (welds, factor) in [(false, 14.05), (true, 2.0 * PI * PI)] {
        let mut setup = sewn(0.8 * TAU, welds);
        setup.cloths[0].material.mass_damping_per_s = 6.0;
        let mut scene = scene(0.004);
        scene.gravity_m_per_s2 = [0.0; 3];
        scene.contact.distance_m = GAP_M;
        let (energy_j, x) = simulate(&scene, setup, |simulation| {
            simulation.run(150, |_, _| Ok(()))?;
            settle(simulation, 2e-4, 30.0)?;
            Ok((simulation.total_energy()?, simulation.positions().to_vec()))
        });
        let expected = factor * RIGIDITY * WIDTH_M / LENGTH_M;
        assert!((energy_j / expected - 1.0).abs() < 0.02, "{welds}: {energy_j} for {expected} J");
        if welds {
            // Both ends are at the same place.
            let once = Vec::from_iter(x.iter().zip(0..).filter(|(_, i)| i % (COLUMNS + 1) != 0));
            let centre = once.iter().map(|(x, _)| **x).sum::<Vec3>() / once.len() as f64;
            let radius = |x: &Vec3| (x - centre).xy().norm() * TAU / LENGTH_M;
            assert!(x.iter().all(|x| (radius(x) - 1.0).abs() < 0.01));
        }
    }
}

#[test]
fn threads_and_welds_keep_momentum() {
    let mut setup = sewn(0.7 * TAU, true);
    setup.cloths[0].loads.start.velocity = Vec3::new(0.3, -0.2, 0.5);
    setup.cloths[0].loads.start.angular_velocity = Vec3::new(0.0, 0.0, 2.0);
    let masses =
        cloth_sim::bodies::cloth::ClothModel::new(&setup.cloths, &[], Default::default(), 0.01)
            .masses;
    let mut scene = scene(0.004);
    scene.gravity_m_per_s2 = [0.0; 3];
    scene.solver.relative_residual = 1e-12;
    // No contact: impulses between cloth and cloth drift.
    scene.contact.distance_m = 0.5 * GAP_M;
    // The changes of momentum of all steps without a repair, whose surroundings do not give way.
    let changes = simulate(&scene, setup, |simulation| {
        let momentum = |masses: &[f64], v: &[Vec3]| -> Vec3 {
            masses.iter().zip(v).map(|(mass, v)| v * *mass).sum()
        };
        let (mut last, mut welds, mut changes) =
            (momentum(&masses, simulation.velocities()), 0, Vec::new());
        simulation.run(150, |simulation, report| {
            welds += report.get(Counter::Welds);
            let next = momentum(&simulation.model().cloth.masses, simulation.velocities());
            if report.get(Counter::Repairs) == 0 {
                changes.push((next - last).norm() / last.norm());
            }
            assert!(report.get(Counter::Welds) == 0 || report.get(Counter::Repairs) == 0);
            last = next;
            Ok(())
        })?;
        assert_eq!(welds, u64::from(ROWS) + 1);
        Ok(changes)
    });
    assert!(changes.len() > 140 && changes.iter().all(|&it| it < 1e-8), "{changes:?}");
}

/// Two panels on both sides of a ball, as OBJ text. Lines connect their sides and their tops.
fn panels(cells: u32) -> String {
    let mut obj = "o tunic\n".to_owned();
    let side = cells + 1;
    let all = || (0..side).flat_map(move |row| (0..side).map(move |column| (row, column)));
    for z in [0.2, -0.2] {
        for (row, column) in all() {
            let at = |it: u32| 0.5 * (f64::from(it) / f64::from(cells) - 0.5);
            writeln!(obj, "v {} {} {z}", at(column), at(row)).expect("a string");
        }
    }
    for (panel, (row, column)) in
        [0, 1].into_iter().flat_map(|panel| all().map(move |it| (panel, it)))
    {
        if row < cells && column < cells {
            let a = panel * side * side + row * side + column + 1;
            let quad = [a, a + 1, a + side + 1, a + side];
            let [a, b, c, d] = if panel == 0 { quad } else { [quad[0], quad[3], quad[2], quad[1]] };
            writeln!(obj, "f {a} {b} {c} {d}").expect("a string");
        }
    }
    for (row, column) in all() {
        let is_sewn = column == 0 || column == cells || row == cells;
        if is_sewn {
            let a = row * side + column + 1;
            writeln!(obj, "l {a} {}", a + side * side).expect("a string");
        }
    }
    obj
}

fn tunic(seams: &str, frames: u32) -> String {
    format!(
        r#"(frames: {frames}, steps_per_frame: 8, gravity_m_per_s2: (0, -1, 0), contact: (distance_m: 0.004),
            cloths: [(name: "tunic", shape: Mesh("tunic.obj"), material: Fabric("cotton"))],
            seams: [{seams}], obstacles: [(shape: Sphere(radius_m: 0.1))])"#
    )
}

const LINES: &str = r#"(stitches: Lines("tunic"), close_s: 0.3)"#;

fn write(folder: &Path, scene: &str) {
    std::fs::write(folder.join("tunic.obj"), panels(14)).expect("a mesh");
    std::fs::write(folder.join("tunic.ron"), scene).expect("a scene");
}

#[test]
fn a_tunic_is_sewn_on_a_ball_with_the_same_bits_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    write(folder.path(), &tunic(LINES, 14));
    let start = |start, out: &str, more: &[&str]| run(start, &at("tunic.ron"), &at(out), more);
    let expected = start(Start::Threads(1, 1), "one", &[]);
    let welds = |frame: &serde_json::Value| {
        let steps = frame["steps"].as_array().expect("steps").iter();
        steps.filter_map(|step| step["welds"].as_u64()).max().unwrap_or(0)
    };
    let per_frame = Vec::from_iter(frames_of(&at("one")).iter().map(welds));
    assert!(per_frame[..8].iter().all(|&count| count == 0), "{per_frame:?}");
    assert!(per_frame.iter().sum::<u64>() >= 38, "{per_frame:?}");
    let checked = finish(Command::new(&*BINARY).args(["check"]).arg(at("one")));
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success() && said.contains("none is open"), "{said}");
    for (ranks, threads) in [(3, 1), (8, 2)] {
        let name = format!("on_{ranks}");
        assert_eq!(start(Start::Threads(ranks, threads), &name, &[]), expected, "{name}");
    }
    // It goes on from before the welds and from behind them.
    for frames in [6, 11] {
        let (name, less) = (format!("of_{frames}"), format!("frames={frames}"));
        start(Start::Threads(2, 1), &name, &["--set", &less]);
        let mut resume = Command::new(&*BINARY);
        resume.arg("resume").arg(at(&name)).args([
            "--oversubscribe",
            "--ranks",
            "3",
            "--frames",
            "14",
        ]);
        assert!(finish(&mut resume).status.success());
        assert_eq!(crate::common::run::Frames::read(&at(&name)), expected, "{name}");
    }
}

#[test]
fn a_seam_that_is_too_weak_is_a_fault_with_its_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let weak = r#"(stitches: Lines("tunic"), close_s: 0.2, most_n_per_m: 0.01)"#;
    std::fs::write(folder.path().join("tunic.obj"), panels(6)).expect("a mesh");
    std::fs::write(folder.path().join("tunic.ron"), tunic(weak, 6)).expect("a scene");
    let command = |words: &[&str]| finish(Command::new(&*BINARY).current_dir(&folder).args(words));
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let summary = said(&command(&["tunic.ron", "--out", "out"]));
    assert!(summary.contains("19 not welded: threads pull with their largest force"), "{summary}");
    // Before their time is over, open stitches are no fault.
    let early = command(&["tunic.ron", "--out", "early", "--frames", "4"]);
    assert!(said(&early).contains("19 not welded: the time to close"), "{}", said(&early));
    let checked = command(&["check", "early"]);
    let warning = "warning: 1 of 1 seam open in frame 4, before their time to close is over: ";
    assert!(checked.status.success() && said(&checked).contains(warning), "{}", said(&checked));
    let checked = command(&["check", "out"]);
    assert_says(&checked, &["are open although the time to close (close_s) is over"]);
    let words = ["warning: 1 of 1 seam open in frame 6: 19 of 19 stitches", "not welded: 19"];
    assert!(words.iter().all(|it| said(&checked).contains(it)), "{}", said(&checked));
}

#[test]
fn lines_that_are_no_seams_are_warned_of_by_their_vertices() {
    let folder = tempfile::tempdir().expect("a folder");
    // In the middle of both panels, across the tunic, along an edge. Two lines exchange their ends.
    let mesh = panels(6).replace("l 15 64\n", "l 15 71\n").replace("l 22 71\n", "l 22 64\n");
    let mesh = mesh + "l 25 74\nl 1 98\nl 1 2\n";
    std::fs::write(folder.path().join("tunic.obj"), mesh).expect("a mesh");
    std::fs::write(folder.path().join("tunic.ron"), tunic(LINES, 0)).expect("a scene");
    let said = finish(Command::new(&*BINARY).current_dir(&folder).arg("tunic.ron"));
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    for (kind, ends) in [
        ("with no end on the boundary", "1 in all: vertices (24, 73)"),
        ("longer than half of the mesh", "3 in all: vertices (0, 97), (14, 70), (21, 63)"),
        ("along edges of faces, which would collapse", "1 in all: vertices (0, 1)"),
    ] {
        let expected = format!("lines of `tunic` {kind}, {ends}, from 0;");
        assert!(said.contains(&expected), "{said}");
    }
    assert!(
        said.contains("threads cross, such as [14, 70] and [21, 63] (vertices from 0), 1 in all"),
        "{said}"
    );
}

#[test]
fn seams_that_fit_nothing_are_refused() {
    let between = |first: &str, second: &str| {
        format!("(stitches: Between(first: ({first}), second: ({second})))")
    };
    let left = r#"cloth: "tunic", select: Box(min_m: (-1, -1, 0), max_m: (-0.249, 1, 1))"#;
    let half = r#"cloth: "tunic", select: Box(min_m: (-1, 0, -1), max_m: (-0.249, 1, 0))"#;
    let both = r#"cloth: "tunic", select: Box(min_m: (-1, -1, -1), max_m: (-0.249, 1, 1))"#;
    for (seams, words) in [
        (
            r#"(stitches: Lines("tunik"))"#.to_owned(),
            &["seams[0].stitches", "did you mean `tunic`"][..],
        ),
        (between(left, half), &["seams[0].stitches", "15 vertices of boundary meet"]),
        (between(left, both), &["seams[0].stitches.second.select", "more than one stretch"]),
        (
            r#"(stitches: Pairs(first: "tunic", second: "tunic", vertices: [(0, 450)]))"#
                .to_owned(),
            &["seams[0].stitches.vertices", "vertex 450, but `tunic` has 450"],
        ),
        (
            r#"(stitches: Pairs(first: "tunic", second: "tunic", vertices: [(3, 3)]))"#.to_owned(),
            &["seams[0].stitches", "sews vertex 3 to itself"],
        ),
        (
            r#"(stitches: Lines("tunic"), gap_m: 0.001)"#.to_owned(),
            &["seams[0].gap_m", "contacts would hold the seam open"],
        ),
        // A band with half a turn has no front.
        (
            r#"(stitches: Pairs(first: "tunic", second: "tunic", vertices: [(0, 224), (15, 209)]))"#
                .to_owned(),
            &["seams[0].stitches", "neighbouring threads cross, such as [0, 224] and [15, 209] (vertices from 0), 1 in all"],
        ),
        // The left edge of one panel is sewn to the right edge of the other.
        (
            r#"(stitches: Pairs(first: "tunic", second: "tunic", vertices: [(0, 239), (15, 254)]))"#
                .to_owned(),
            &["seams[0].stitches", "fronts of its two sides look in opposite directions"],
        ),
        (
            r#"(stitches: Lines("tunic"), gap_m: 0.5, weld: true)"#.to_owned(),
            &["seams[0].gap_m", "would become one at once"],
        ),
        (r#"(stitches: Lines("tunic"), close_s: 0)"#.to_owned(), &["seams[0].close_s"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "");
        assert_says(&run_text(&tunic(&seams, 1), folder.path()), words);
    }
}

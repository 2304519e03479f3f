//! Garments as they are made: flat cloth and sewing patterns (rooms `scene`, `bodies`).

use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;

use crate::common::poses::run_text;
use crate::common::run::assert_says;

/// A strip of 10 cm as OBJ text, bent to half a cylinder about z, or flat.
fn strip(is_bent: bool) -> String {
    let (columns, rows, length) = (24, 4, 0.1);
    let mut obj = "o strip\n".to_owned();
    for (row, column) in (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column))) {
        let s = length * f64::from(column) / f64::from(columns);
        let (sin, cos) = (s * PI / length).sin_cos();
        let r = length / PI;
        let [x, y] = if is_bent { [-r * cos, r * sin] } else { [s, 0.0] };
        writeln!(obj, "v {x} {y} {}", 0.005 * f64::from(row)).expect("a string");
    }
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let a = row * (columns + 1) + column + 1;
        let b = a + columns + 1;
        writeln!(obj, "f {a} {b} {} {}", b + 1, a + 1).expect("a string");
    }
    obj
}

fn scene(rest: &str) -> String {
    format!(
        r#"(gravity_m_per_s2: (0, 0, 0), frames: 25, frames_per_second: 25, steps_per_frame: 10, cloths: [(
            shape: Mesh("strip.obj"), rest: {rest}, damping: (mass_per_s: 4, stiffness_s: 0.01),
            material: Isotropic(density_kg_per_m2: 0.1, modulus_n_per_m: 300, poisson_ratio: 0, rigidity_n_m: 2e-5))])"#
    )
}

/// The distance of the ends of the strip in a frame, m.
fn chord(run: &Path, frame: u32) -> f64 {
    let text = std::fs::read_to_string(run.join(format!("frame_{frame:04}.obj"))).expect("a frame");
    let places =
        Vec::from_iter(text.lines().filter_map(|line| line.strip_prefix("v ")).map(|line| {
            Vec::from_iter(line.split(' ').map(|number| number.parse::<f64>().expect("a number")))
        }));
    let squares = (0..3).map(|axis| (places[24][axis] - places[0][axis]).powi(2));
    squares.sum::<f64>().sqrt()
}

#[test]
fn a_bent_strip_stays_bent_or_opens_as_its_rest_shape_says() {
    for (rest, expected) in [
        ("Shape", 0.2 / PI),
        ("Flat", 0.1),
        (r#"Obj("pattern.obj")"#, 0.1),
        (r#"Obj("longer.obj")"#, 0.12),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: String| {
            std::fs::write(folder.path().join(name), text).expect("a file");
        };
        write("strip.obj", strip(true));
        write("pattern.obj", strip(false));
        // A pattern whose places along x are 1.2 times as far apart.
        let longer = strip(false).lines().fold(String::new(), |mut text, line| {
            match line.strip_prefix("v ").and_then(|place| place.split_once(' ')) {
                Some((x, rest)) => {
                    let x = 1.2 * x.parse::<f64>().expect("a number");
                    writeln!(text, "v {x} {rest}").expect("a string");
                }
                None => writeln!(text, "{line}").expect("a string"),
            }
            text
        });
        write("longer.obj", longer);
        let said = run_text(&scene(rest), folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let out = folder.path().join("out");
        let found = chord(&out, 25);
        assert!((found - expected).abs() < 0.01 * expected, "{rest}: {found}, not {expected} m");
        // The run folder has all that the scene names.
        let again = std::process::Command::new(&*crate::common::run::BINARY)
            .args(["--frames", "1", "--quiet", "--out"])
            .arg(folder.path().join("again"))
            .arg(out.join("scene.ron"))
            .output()
            .expect("a run");
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    }
}

#[test]
fn patterns_that_are_not_those_of_the_cloth() {
    let shorter = strip(false).lines().take(220).collect::<Vec<_>>().join("\n") + "\n";
    let of_triangles = strip(false).replacen("f 1 26 27 2\n", "f 1 26 27\n", 1);
    let flat_polygon = strip(false).replacen("f 1 26 27 2\n", "f 1 2 3 4\n", 1);
    for (pattern, words) in [
        (shorter.as_str(), &["cloths[0].rest", "pattern.obj", "the cloth has 96"][..]),
        (&of_triangles, &["cloths[0].rest", "polygon 1 has 3 corners, but 4 in the cloth"]),
        (&flat_polygon, &["cloths[0].rest", "polygon 1 has no area"]),
        ("v 0 0 nan\nf 1 1 1\n", &["pattern.obj"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("strip.obj"), strip(true)).expect("a file");
        std::fs::write(folder.path().join("pattern.obj"), pattern).expect("a file");
        assert_says(&run_text(&scene(r#"Obj("pattern.obj")"#), folder.path()), words);
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("strip.obj"), strip(true)).expect("a file");
    assert_says(&run_text(&scene(r#"Obj("none.obj")"#), folder.path()), &["none.obj"]);
}

/// A flat sheet with a fold across its middle takes the angle of the fold, its fronts (up) together.
#[test]
fn a_sheet_folds_as_its_rest_angle_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = r#"(gravity_m_per_s2: (0, 0, 0), frames: 30, steps_per_frame: 10, cloths: [(
        shape: Sheet(width_m: 0.2, length_m: 0.1, columns: 16, rows: 8), damping: (mass_per_s: 8, stiffness_s: 0.01),
        folds: [(select: Box(min_m: (-0.001, -1, -1), max_m: (0.001, 1, 1)), angle_deg: 60)],
        material: Isotropic(density_kg_per_m2: 0.1, modulus_n_per_m: 300, poisson_ratio: 0, rigidity_n_m: 5e-5))])"#;
    let said = run_text(scene, folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let text = std::fs::read_to_string(folder.path().join("out/frame_0030.obj")).expect("a frame");
    let places =
        Vec::from_iter(text.lines().filter_map(|line| line.strip_prefix("v ")).map(|line| {
            Vec::from_iter(line.split(' ').map(|number| number.parse::<f64>().expect("a number")))
        }));
    let at = |vertex: usize| [places[vertex][0], places[vertex][1]];
    // The middle row: both ends and the fold.
    let [left, fold, right] = [4 * 17, 4 * 17 + 8, 4 * 17 + 16].map(at);
    let slope = |end: [f64; 2]| (end[1] - fold[1]).atan2((end[0] - fold[0]).abs()).to_degrees();
    for end in [left, right] {
        assert!((slope(end) - 30.0).abs() < 0.5, "{} degrees", slope(end));
    }
}

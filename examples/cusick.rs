//! Validation run: Cusick's drape test of all fabrics of the library.
//!
//! `cargo run --release --example cusick` prints the table of `notebook/validation.md`; names of fabrics
//! choose rows, and `converged` prints one fabric on other meshes and with another step. With
//! `--drapes FOLDER`, `tools/draw_drapes.py` finds the first drape of each fabric there.

#[path = "../tests/common/cusick.rs"]
mod cusick;
#[path = "../tests/common/flat_meshes.rs"]
mod flat_meshes;
#[path = "../tests/common/physics.rs"]
mod physics;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cusick::{Drape, Specimen, fabric};

/// Starts of each fabric.
const STARTS: u32 = 5;
/// Free rings of triangles: edges of 5.7 mm.
const OVERHANG: u32 = 10;
const STEP_S: f64 = 0.01;

/// Fabrics, and the drape coefficient and folds of their sources.
const FABRICS: [(&str, &str); 7] = [
    ("cotton", "48 to 72"),
    ("cotton_broadcloth", "82.9, 2 folds"),
    ("denim", "79.8, a twill"),
    ("polyester_faille", "28.3, 7 folds"),
    ("tablecloth", ""),
    ("white_dots", ""),
    ("wool_tropical", "49.8, 5 folds"),
];

fn main() -> std::io::Result<()> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut folder = None;
    if let Some(at) = names.iter().position(|it| it == "--drapes") {
        folder = names.drain(at..(at + 2).min(names.len())).nth(1).map(PathBuf::from);
    }
    if names.iter().any(|it| it == "converged") {
        converged();
        return Ok(());
    }
    println!("| fabric | drape coefficient, % | folds | source |\n|---|---|---|---|");
    for (name, source) in FABRICS {
        if names.is_empty() || names.iter().any(|it| it == name) {
            let first = row(name, &Specimen::rings(OVERHANG), STEP_S, STARTS, source);
            if let Some(folder) = &folder {
                write(folder, name, &first)?;
            }
        }
    }
    Ok(())
}

/// One fabric on a finer mesh, on random triangles, and with another step.
fn converged() {
    println!("| wool_tropical | drape coefficient, % | folds | |\n|---|---|---|---|");
    for (specimen, step_s, note) in [
        (Specimen::rings(OVERHANG), STEP_S, ""),
        (Specimen::rings(2 * OVERHANG), STEP_S, "twice as fine"),
        (Specimen::rings(OVERHANG), 0.4 * STEP_S, "steps of 4 ms"),
        (Specimen::random(OVERHANG, 1), STEP_S, "random triangles"),
    ] {
        row("wool_tropical", &specimen, step_s, 2, note);
    }
}

/// Prints mean and spread of `starts` starts. Returns the first drape.
fn row(name: &str, specimen: &Specimen, step_s: f64, starts: u32, note: &str) -> Drape {
    let drapes: Vec<Drape> =
        (1..=starts).map(|start| specimen.drape(fabric(name), start, step_s)).collect();
    let values: Vec<f64> = drapes.iter().map(Drape::coefficient).collect();
    let mean = values.iter().sum::<f64>() / f64::from(starts);
    let spread = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    let mut folds: Vec<usize> = drapes.iter().map(Drape::folds).collect();
    folds.sort_unstable();
    let seconds = drapes.iter().map(|drape| drape.seconds).fold(0.0, f64::max);
    eprintln!("{name}: {values:.1?}, at rest after {seconds:.1} s at the latest");
    println!("| {name} | {mean:.1} +- {spread:.1} | {folds:?} | {note} |");
    drapes.into_iter().next().expect("there is a start")
}

/// Writes a drape as `FOLDER/NAME.obj`, its coefficient in the first line.
fn write(folder: &Path, name: &str, drape: &Drape) -> std::io::Result<()> {
    let mut text = format!("# {:.0}\n", drape.coefficient());
    for p in &drape.positions {
        let _ = writeln!(text, "v {:.5} {:.5} {:.5}", p.x, p.y, p.z);
    }
    for [a, b, c] in &drape.faces {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{name}.obj")), text)
}

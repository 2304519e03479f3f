//! What a finished run says: its energies, and whether `check` finds it clear.

use std::path::Path;
use std::process::Command;

use super::run::BINARY;

/// The `fields` of the energy in `run.json`, J.
pub fn energies<const N: usize>(run: &Path, fields: [&str; N]) -> [f64; N] {
    let text = std::fs::read_to_string(run.join("run.json")).expect("run.json");
    let head: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    fields.map(|field| head["energy"][field].as_f64().expect("a number"))
}

/// Energy that no work explains, J, as a share of work, lift and the largest internal energy.
pub fn unexplained(run: &Path) -> f64 {
    let scale = energies(run, ["absolute_work_j", "lift_j", "largest_internal_j"]);
    energies(run, ["unexplained_j"])[0] / scale.iter().sum::<f64>()
}

/// `cloth-sim check` finds no intersection. It may find that energy rises.
pub fn assert_clear(run: &Path) {
    let said = Command::new(&*BINARY).arg("check").arg(run).output().expect("it runs");
    let said = String::from_utf8_lossy(&said.stdout);
    assert!(said.contains("no fault in"), "{said}");
}

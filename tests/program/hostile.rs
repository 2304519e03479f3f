//! The short version of `tools/hostile.py`: the program refuses broken input of every kind with a
//! clear error.

use std::path::Path;
use std::process::Command;

#[test]
fn broken_input_of_every_kind_is_refused_without_harm() {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/hostile.py");
    if !cfg!(target_os = "linux") || Command::new("python3").arg("--version").output().is_err() {
        println!("left out: the tool needs Linux and python3");
        return;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile_faults");
    let mut command = Command::new("python3");
    command.arg(tool).args(["--runs", "60", "--binary", env!("CARGO_BIN_EXE_cloth-sim")]);
    let output = command.arg("--keep").arg(&kept).output().expect("the tool starts");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

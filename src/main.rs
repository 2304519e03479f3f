//! The command-line program; what it computes is in the library.

mod program;

fn main() -> std::process::ExitCode {
    cloth_sim::ranks::report_panics_once();
    program::main(std::env::args_os()).into()
}

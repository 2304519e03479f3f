//! The command-line program; what it does is in the library.

fn main() -> std::process::ExitCode {
    cloth_sim::ranks::report_panics_once();
    cloth_sim::program::main(std::env::args_os()).into()
}

//! The command-line program; what it computes is in the library.

mod program;

fn main() -> std::process::ExitCode {
    program::main()
}

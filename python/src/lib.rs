//! The Python module `cloth_sim`: scenes, simulations and run folders of cloth-sim, and the command
//! `cloth-sim`.
//!
//! | module | |
//! |---|---|
//! | [`scene`] | `Scene` |
//! | [`set_up`] | from a scene to its ranks, and what stays the same in a simulation |
//! | [`ranks`] | threads, one for each rank, that do what Python asks for |
//! | [`rank`] | what one rank does |
//! | [`simulation`] | `Simulation` |
//! | [`frames`] | the frames of a run folder |
//! | [`arguments`], [`saved`] | what Python gives: numbers, arrays; saved states |
//! | [`arrays`], [`bodies`], [`error`] | numpy arrays; frames as dictionaries of them; exceptions |
//!
//! `python/cloth_sim/` has what is written in Python, and the types for readers and checkers.

mod arguments;
mod arrays;
mod bodies;
mod error;
mod frames;
mod rank;
mod ranks;
mod saved;
mod scene;
mod set_up;
mod simulation;

/// The compiled part of `cloth_sim`.
#[pyo3::pymodule]
mod _core {
    use std::ffi::OsString;
    use std::io::Write;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::error::{Error, in_python};
    #[pymodule_export]
    use crate::frames::Frames;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::simulation::Simulation;

    /// The version of the program.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Runs the command line `words`, the name of the program included. Returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
        py.detach(|| {
            let code = cloth_sim::program::main(words.into_iter());
            // Python does not flush the standard output of Rust.
            let _ = std::io::stdout().flush();
            code
        })
    }
}

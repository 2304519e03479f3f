//! The interface to the recording of test trees, which is in the laboratory. Without the cargo
//! feature `lab` a run records nothing.

#[cfg(feature = "lab")]
pub use crate::program::lab::replay::recording::of_run::{
    RecordedStep, RecordingArguments, StepRecorder, TreeWriter,
};

#[cfg(not(feature = "lab"))]
mod nothing;
#[cfg(not(feature = "lab"))]
pub use nothing::{RecordedStep, RecordingArguments, StepRecorder, TreeWriter};

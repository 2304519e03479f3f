//! The linear system of a step: its rows, and what joints, attachments and seams add to it.

pub(crate) mod attachments;
pub(crate) mod followers;
pub(crate) mod joints;
pub(crate) mod rows;
pub(crate) mod seams;
pub mod system;
pub(crate) mod turned;

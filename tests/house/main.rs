//! The house: names in the code, links and commands in the documentation.

mod docs;
mod names;

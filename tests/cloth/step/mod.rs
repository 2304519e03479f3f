//! One rank's simulation: what a caller may do between steps, and what outlives a step.

mod between_steps;
mod energy_rises;

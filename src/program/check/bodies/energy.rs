//! Did energy rise without work?
//!
//! In a scene without keyframes and motors contacts and joints only take energy, or store it as
//! springs. What contacts give back by pushing overlapping bodies apart is small. A frame is at
//! fault if its energy is above that of an earlier frame by more than a share of the energy that
//! was there to be lost: the largest kinetic energy of the frames before it, or the largest fall of
//! potential energy.

use crate::program::check::bodies::folder::BodyRun;
use crate::program::check::bodies::frame::{BodyCheck, Energy};

/// The share.
const ALLOWED: f64 = 0.02;

/// Energies are rounded by less than this share.
const ROUNDING: f64 = 1e-9;

/// A rise of energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// The frame after it.
    pub frame: u64,
    /// The earlier frame.
    pub since: u64,
    /// How much, J.
    pub rise_j: f64,
    /// How much is allowed, J.
    pub limit_j: f64,
}

/// The frames whose energy is too high. None in a scene in which something else adds energy.
pub fn rises(run: &BodyRun, frames: &[BodyCheck]) -> Vec<Rise> {
    if run.source_of_energy().is_none() { rises_of(frames) } else { Vec::new() }
}

fn rises_of(frames: &[BodyCheck]) -> Vec<Rise> {
    let mut rises = Vec::new();
    let mut so_far: Option<SoFar> = None;
    for frame in frames {
        let Some(energy) = frame.energy else { continue };
        // A body that leaves takes its energy along, which may be below 0.
        if frame.gone.count > 0 {
            so_far = None;
        }
        let known = so_far.get_or_insert_with(|| SoFar::new(frame.frame, energy));
        known.add_fall(energy);
        let rise_j = energy.sum() - known.lowest.sum();
        let rounding_j = ROUNDING * (energy.kinetic_j + energy.potential_j.abs());
        let limit_j = ALLOWED * known.available_j + rounding_j;
        if rise_j > limit_j {
            rises.push(Rise { frame: frame.frame, since: known.lowest_frame, rise_j, limit_j });
        }
        known.add(frame.frame, energy);
    }
    rises
}

struct SoFar {
    lowest: Energy,
    lowest_frame: u64,
    highest_potential_j: f64,
    /// What was there to be lost, J.
    available_j: f64,
}

impl SoFar {
    fn new(frame: u64, energy: Energy) -> Self {
        let Energy { kinetic_j, potential_j } = energy;
        Self {
            lowest: energy,
            lowest_frame: frame,
            highest_potential_j: potential_j,
            available_j: kinetic_j,
        }
    }

    fn add(&mut self, frame: u64, energy: Energy) {
        if energy.sum() < self.lowest.sum() {
            (self.lowest, self.lowest_frame) = (energy, frame);
        }
        self.available_j = self.available_j.max(energy.kinetic_j);
    }

    fn add_fall(&mut self, energy: Energy) {
        self.highest_potential_j = self.highest_potential_j.max(energy.potential_j);
        let fall_j = self.highest_potential_j - energy.potential_j;
        self.available_j = self.available_j.max(fall_j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame((frame, kinetic_j, potential_j): (u64, f64, f64)) -> BodyCheck {
        let energy = Some(Energy { kinetic_j, potential_j });
        BodyCheck { frame, energy, ..BodyCheck::default() }
    }

    #[test]
    fn energy_may_be_lost_but_not_won() {
        // A fall from rest with an impact, and rounding.
        let fall = [(0, 0.0, -5.0), (1, 4.0 + 1e-12, -9.0), (2, 1.0, -9.0), (3, 0.0, -9.0)];
        assert_eq!(rises_of(&fall.map(frame)), []);
        // Little is won by pushing bodies apart, then much.
        let piles = [(4, 0.05, -9.0), (5, 0.2, -9.0)];
        let all = Vec::from_iter(fall.into_iter().chain(piles).map(frame));
        let [rise] = rises_of(&all)[..] else { panic!("one frame is at fault") };
        assert_eq!((rise.frame, rise.since), (5, 3));
        assert!((rise.rise_j - 0.2).abs() < 1e-12 && (rise.limit_j - 0.08).abs() < 1e-3);
        // Who leaves takes along what was below 0.
        let mut left = all;
        left[5].gone.count = 1;
        assert_eq!(rises_of(&left), []);
    }
}

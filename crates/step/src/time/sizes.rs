//! How large the steps of a run are.

use serde::{Deserialize, Serialize};

/// Steps from one frame to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number of steps, or Adaptive(at_most: 64, error_m: 1e-4)"
)]
pub enum StepsPerFrame {
    /// So many steps of the same size.
    Equal(u32),
    /// The run chooses them.
    Chosen(Choice),
}

/// How a run chooses the sizes of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Choice {
    /// As large as the error of positions, contacts and turning edges allow. The sizes are a frame
    /// divided by powers of two.
    Adaptive {
        /// Most steps from one frame to the next, a power of two. Trouble may divide these.
        at_most: u32,
        /// Fewest steps from one frame to the next, a power of two.
        #[serde(default = "four")]
        at_least: u32,
        /// The estimated error of positions that a step may have, m: a root mean square over the
        /// vertices of a patch, the largest of all patches.
        error_m: f64,
    },
}

fn four() -> u32 {
    4
}

impl StepsPerFrame {
    /// Most steps from one frame to the next.
    pub fn at_most(self) -> u32 {
        match self {
            Self::Equal(steps) => steps,
            Self::Chosen(Choice::Adaptive { at_most, .. }) => at_most,
        }
    }

    /// Fewest steps from one frame to the next.
    pub fn at_least(self) -> u32 {
        match self {
            Self::Equal(steps) => steps,
            Self::Chosen(Choice::Adaptive { at_least, .. }) => at_least,
        }
    }

    /// The error of positions that a step may have, m, if it decides on the size.
    pub fn error_m(self) -> Option<f64> {
        match self {
            Self::Equal(_) => None,
            Self::Chosen(Choice::Adaptive { error_m, .. }) => Some(error_m),
        }
    }
}

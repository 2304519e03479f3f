//! What the run has recorded of its steps: energy that rose without work, and joints that opened.

use std::path::Path;

use cloth_core::error::Result;
use cloth_step::EnergyRise;

use crate::program::output::cloth_record::ClothFrameRecord;
use crate::program::output::energy_balance::EnergyBalance;
use crate::program::output::steps_jsonl;

/// What rose without work: in single steps, and in sum.
#[derive(Debug, Clone, Default)]
pub struct Rises {
    /// Steps whose energy rose by more than their limit.
    pub steps: Vec<StepRise>,
    /// The balance of all steps.
    pub balance: EnergyBalance,
    /// The widest gap of a joint. None in a scene without joints.
    pub joint: Option<JointGap>,
}

/// How far a joint was open at the end of a step.
#[derive(Debug, Clone, Copy)]
pub struct JointGap {
    /// The step, from 1.
    pub step: u64,
    /// The frame that it leads to.
    pub frame: u64,
    /// Distance of its two points beyond what its kind allows, m.
    pub gap_m: f64,
}

/// A step whose energy rose by more than its limit without work.
#[derive(Debug, Clone, Copy)]
pub struct StepRise {
    /// The step, from 1.
    pub step: u64,
    /// The frame that it leads to.
    pub frame: u64,
    /// How much, and where.
    pub rise: EnergyRise,
}

impl Rises {
    /// Those of the run in `folder` with steps of `step_s` (s), whose `lift_j` (J) lifts every
    /// cloth by its own size. A run without a record of its steps has none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path, step_s: f64, lift_j: f64) -> Result<Self> {
        let balance = EnergyBalance::new(lift_j);
        let mut rises = Self { steps: Vec::new(), balance, joint: None };
        for frame in steps_jsonl::read_if_any::<ClothFrameRecord>(folder)? {
            let frame = frame?;
            for step in frame.steps.iter().filter(|step| step.rank == 0) {
                rises.balance.add(step.step, step_s, &step.report);
                let rise = step.report.energy_rise().filter(EnergyRise::is_fault);
                let of_step = |rise| StepRise { step: step.step, frame: frame.frame, rise };
                rises.steps.extend(rise.map(of_step));
                let gap_m = step.report.joint_gap_m;
                if gap_m >= 0.0 && rises.joint.is_none_or(|widest| gap_m > widest.gap_m) {
                    rises.joint = Some(JointGap { step: step.step, frame: frame.frame, gap_m });
                }
            }
        }
        Ok(rises)
    }

    /// What is wrong, in a line. None if nothing is.
    pub fn fault(&self) -> Option<String> {
        match self.steps.len() {
            0 if self.balance.is_fault() => Some("energy rose without work in sum".to_owned()),
            0 => None,
            1 => Some("energy rose without work in 1 step".to_owned()),
            count => Some(format!("energy rose without work in {count} steps")),
        }
    }
}

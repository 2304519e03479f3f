//! What the run has recorded of its steps: energy that rose without work, and joints that opened.

use cloth_core::error::Result;
use cloth_step::EnergyRise;

use crate::program::check::surfaces::CheckedRun;
use crate::program::output::{ClothFrameRecord, EnergyBalance, steps_jsonl};

/// What the run has recorded of its steps.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Steps whose energy rose by more than their limit without work: how much, and where.
    pub rises: Vec<AtStep<EnergyRise>>,
    /// The balance of the energy of all steps.
    pub balance: EnergyBalance,
    /// The widest gap of a joint, m: the distance of its two points beyond what its kind allows.
    /// None in a scene without joints.
    pub joint_gap_m: Option<AtStep<f64>>,
}

/// Something at the end of a step.
#[derive(Debug, Clone, Copy)]
pub struct AtStep<T> {
    /// The step, from 1.
    pub step: u64,
    /// The frame that it leads to.
    pub frame: u64,
    /// What.
    pub what: T,
}

impl Recorded {
    /// Reads the record of `run`. It is empty if there is none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(run: &CheckedRun) -> Result<Self> {
        let step_s = run.record.scene.step_s();
        let balance = EnergyBalance::new(run.record.lift_j);
        let mut all = Self { balance, ..Self::default() };
        for record in steps_jsonl::read_if_any::<ClothFrameRecord>(&run.record.folder)? {
            let record = record?;
            for (step, report) in record.reports_of(0) {
                all.balance.add(step, step_s, report);
                let rise = report.energy_rise().filter(EnergyRise::is_fault);
                all.rises.extend(rise.map(|what| AtStep { step, frame: record.frame, what }));
                let what = report.joint_gap_m;
                if what >= 0.0 && all.joint_gap_m.is_none_or(|widest| what > widest.what) {
                    all.joint_gap_m = Some(AtStep { step, frame: record.frame, what });
                }
            }
        }
        Ok(all)
    }
}

//! The balance of energy over the steps of a run, for `run.json` (docs/methods.md, section 12). A
//! small gain in every step is a fault too. So the sums are compared with limits, over the whole
//! run and over each window of a tenth of a second.

use std::collections::VecDeque;

use cloth_step::{EnergyRise, Measure, StepReport};
use serde::{Deserialize, Serialize};

/// The largest sum of rises without work, as a fraction of the sum of the energies that are
/// worked, lifted and stored.
const LIMIT_SHARE: f64 = 0.01;

/// A smaller sum is rounding, J.
const NOISE_J: f64 = 1e-9;

/// The length of a window, s.
const WINDOW_S: f64 = 0.1;

/// The balance of energy over the steps of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EnergyBalance {
    /// Work of pins, handles, moving obstacles, wind and loads, J.
    pub work_j: f64,
    /// Sum of the absolute values of the work of single steps, J.
    pub absolute_work_j: f64,
    /// The energy of lifting every cloth and body by its own size, J.
    pub lift_j: f64,
    /// The largest kinetic and elastic energy, J.
    pub largest_internal_j: f64,
    /// Sum of the rises of single steps beyond the work, J.
    pub unexplained_j: f64,
    /// The largest rise of a single step, J.
    pub largest_rise_j: f64,
    /// The step of the largest rise, from 1; 0 if there is none.
    pub largest_rise_step: u64,
    /// Number of steps whose rise is above its limit.
    pub faults: u64,
    /// The window whose gain is the largest fraction of its limit.
    pub worst_window: Option<Window>,
    #[serde(skip)]
    recent: VecDeque<StepEnergy>,
}

/// A tenth of a second of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Its end, s.
    pub end_s: f64,
    /// Sum of the rises beyond the work, J.
    pub unexplained_j: f64,
    /// The largest sum that is no fault, J.
    pub limit_j: f64,
    /// The step of its largest rise, from 1.
    pub step: u64,
    /// Where that step gained most, m.
    pub at_m: [f64; 3],
}

impl Window {
    /// Whether its energy rose too much.
    pub fn is_fault(&self) -> bool {
        self.unexplained_j > self.limit_j
    }

    fn share(&self) -> f64 {
        self.unexplained_j / self.limit_j
    }
}

/// The energy of a step.
#[derive(Debug, Clone, PartialEq)]
struct StepEnergy {
    step: u64,
    end_s: f64,
    work_j: f64,
    internal_j: f64,
    unexplained_j: f64,
    at_m: [f64; 3],
}

impl EnergyBalance {
    /// The balance before the first step. `lift_j` (J) is the energy of lifting every cloth and
    /// body by its own size.
    pub fn new(lift_j: f64) -> Self {
        Self { lift_j, ..Self::default() }
    }

    /// Adds a step of `step_s` (s). `report` is that of rank 0.
    pub fn add(&mut self, step: u64, step_s: f64, report: &StepReport) {
        let rise = report.energy_rise();
        let of_step = StepEnergy {
            step,
            end_s: step as f64 * step_s,
            work_j: report.measured(Measure::Work).abs(),
            internal_j: if report.internal_j.is_finite() { report.internal_j } else { 0.0 },
            unexplained_j: report.measured(Measure::UnexplainedRise),
            at_m: rise.map_or([0.0; 3], |rise| rise.at_m),
        };
        self.work_j += report.measured(Measure::Work);
        self.absolute_work_j += of_step.work_j;
        self.largest_internal_j = self.largest_internal_j.max(of_step.internal_j);
        self.unexplained_j += of_step.unexplained_j;
        self.faults += u64::from(rise.as_ref().is_some_and(EnergyRise::is_fault));
        if of_step.unexplained_j > self.largest_rise_j {
            (self.largest_rise_j, self.largest_rise_step) = (of_step.unexplained_j, step);
        }
        self.add_to_window(of_step);
    }

    fn add_to_window(&mut self, of_step: StepEnergy) {
        let begin_s = of_step.end_s - WINDOW_S;
        while self.recent.front().is_some_and(|first| first.end_s <= begin_s) {
            self.recent.pop_front();
        }
        let rose = of_step.unexplained_j > 0.0;
        let end_s = of_step.end_s;
        self.recent.push_back(of_step);
        let by_rise =
            |a: &&StepEnergy, b: &&StepEnergy| a.unexplained_j.total_cmp(&b.unexplained_j);
        let Some(worst) = self.recent.iter().max_by(by_rise).filter(|_| rose) else { return };
        let work_j: f64 = self.recent.iter().map(|it| it.work_j).sum();
        let internal_j = self.recent.iter().map(|it| it.internal_j).fold(0.0, f64::max);
        let window = Window {
            end_s,
            unexplained_j: self.recent.iter().map(|it| it.unexplained_j).sum(),
            limit_j: limit_j(work_j, self.lift_j, internal_j),
            step: worst.step,
            at_m: worst.at_m,
        };
        if self.worst_window.is_none_or(|worst| window.share() > worst.share()) {
            self.worst_window = Some(window);
        }
    }

    /// The largest sum of rises of the run that is no fault, J.
    pub fn limit_j(&self) -> f64 {
        limit_j(self.absolute_work_j, self.lift_j, self.largest_internal_j)
    }

    /// The sum of rises, divided by the sum of the energies that are worked, lifted and stored.
    pub fn share(&self) -> f64 {
        LIMIT_SHARE * self.unexplained_j / self.limit_j()
    }

    /// Whether the energy of the run, or of a window of it, rose too much without work.
    pub fn is_fault(&self) -> bool {
        self.unexplained_j > self.limit_j()
            || self.worst_window.as_ref().is_some_and(Window::is_fault)
    }

    /// The sum of rises without work, in words: how much, when and where.
    pub fn gain(&self) -> String {
        let (sum_j, limit_j) = (self.unexplained_j, self.limit_j());
        let sum = format!(
            "energy has risen by {sum_j:.2e} J without work in sum (limit {limit_j:.2e} J)"
        );
        let Some(window) = &self.worst_window else { return sum };
        let ([x, y, z], end_s) = (window.at_m, window.end_s);
        format!(
            "{sum}, by {:.2e} J (limit {:.2e} J) in the {WINDOW_S} s before {end_s:.3} s, most in step {} at \
             ({x:.3}, {y:.3}, {z:.3}) m",
            window.unexplained_j, window.limit_j, window.step
        )
    }
}

fn limit_j(work_j: f64, lift_j: f64, internal_j: f64) -> f64 {
    (LIMIT_SHARE * (work_j + lift_j + internal_j)).max(NOISE_J)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_S: f64 = 4e-3;

    /// A step with this work and rise (J).
    fn report(work_j: f64, rise_j: f64) -> StepReport {
        let mut report = StepReport::default();
        report.measure(Measure::Work, work_j);
        report.measure(Measure::UnexplainedRise, rise_j);
        report.internal_j = 0.5;
        report
    }

    #[test]
    fn many_small_rises_are_a_fault_of_the_run() {
        let mut balance = EnergyBalance::new(1.0);
        (1..=250).for_each(|step| balance.add(step, STEP_S, &report(0.0, 5e-5)));
        assert!((balance.unexplained_j - 0.0125).abs() < 1e-12 && balance.limit_j() == 0.015);
        assert!(!balance.is_fault());
        (251..=310).for_each(|step| balance.add(step, STEP_S, &report(0.0, 5e-5)));
        assert!(balance.is_fault());
        assert_eq!(balance.faults, 0);
    }

    #[test]
    fn much_work_elsewhere_does_not_hide_a_window() {
        let mut balance = EnergyBalance::new(1.0);
        (1..=100).for_each(|step| balance.add(step, STEP_S, &report(1.0, 0.0)));
        (101..=200).for_each(|step| {
            let rise_j = if (120..130).contains(&step) { 2e-3 } else { 0.0 };
            balance.add(step, STEP_S, &report(0.0, rise_j));
        });
        let window = balance.worst_window.unwrap();
        assert!(balance.unexplained_j < balance.limit_j() && balance.is_fault());
        assert!((window.unexplained_j - 0.02).abs() < 1e-12 && (120..130).contains(&window.step));
    }
}

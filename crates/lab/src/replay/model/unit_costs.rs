//! The cost of each kind of test, from measured times of whole searches.
//!
//! A clock around each single test would change its time. So the costs are fitted: they best
//! explain the times of whole searches, given the number of tests of each kind in them.

use nalgebra::{DMatrix, DVector};

use crate::replay::recording::busy_s;
use crate::replay::trees::{Amounts, Item, all_amounts, amounts};
use cloth_sim::program::run::recording::{Kind, RecordedSearch};

/// Searches below this time have the same weight, s.
const SHORTEST_S: f64 = 20e-6;

/// The tests of a search, and the processor time that it took.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The number of each [`Item`].
    pub amounts: Amounts,
    /// Processor time, s.
    pub seconds: f64,
}

impl Sample {
    /// The sample of a measured search; `None` if it had no test.
    pub fn of(search: &RecordedSearch) -> Option<Self> {
        let mut amounts = all_amounts(&search.trees);
        let tasks: u64 = search.uses.iter().map(|usage| usage.tasks_executed).sum();
        amounts[Item::Task as usize] = tasks as f64;
        (!search.trees.roots.is_empty()).then(|| Self { amounts, seconds: busy_s(search) })
    }
}

/// Seconds of each [`Item`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitCosts(pub Amounts);

impl UnitCosts {
    /// Fits costs to samples by least squares. No cost is negative. Each squared error is divided
    /// by the time of its sample. So an error counts as much as one twice as large in a search
    /// four times as long. `None` without samples.
    ///
    /// It solves the least squares of each subset of the items, and takes the best solution
    /// without a negative cost. This is exact, and with few items simpler than an active-set
    /// method.
    pub fn fit(samples: &[Sample]) -> Option<Self> {
        let weight = |sample: &Sample| 1.0 / sample.seconds.max(SHORTEST_S).sqrt();
        let rows = DMatrix::from_fn(samples.len(), Item::ALL.len(), |row, item| {
            samples[row].amounts[item] * weight(&samples[row])
        });
        let right = DVector::from_iterator(
            samples.len(),
            samples.iter().map(|sample| sample.seconds * weight(sample)),
        );
        let sets = 1..1_u32 << Item::ALL.len();
        let fits = sets.filter_map(|set| least_squares(&rows, &right, set));
        let best = fits.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Self(best.0))
    }

    /// Time of these amounts, s.
    pub fn seconds(&self, amounts: &Amounts) -> f64 {
        self.0.iter().zip(amounts).map(|(cost, amount)| cost * amount).sum()
    }

    /// Time of a test of this kind, ps.
    pub fn of_kind(&self, kind: Kind) -> u64 {
        picoseconds(self.seconds(&amounts(kind)))
    }

    /// Time of a task without its tests, ps.
    pub fn of_task(&self) -> u64 {
        picoseconds(self.0[Item::Task as usize])
    }
}

/// Rounded to picoseconds, so that a sum of times does not depend on the order.
pub fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}

/// Solves `rows` x = `right` by least squares. Items outside `set` have x = 0. Returns x and the
/// sum of squares; none if an x is negative.
fn least_squares(rows: &DMatrix<f64>, right: &DVector<f64>, set: u32) -> Option<(Amounts, f64)> {
    let items = Vec::from_iter((0..Item::ALL.len()).filter(|item| set >> item & 1 == 1));
    let part = rows.select_columns(&items);
    let scale = Vec::from_iter(part.column_iter().map(|column| column.norm()));
    if scale.contains(&0.0) {
        return None;
    }
    let scaled = DMatrix::from_fn(part.nrows(), part.ncols(), |i, j| part[(i, j)] / scale[j]);
    let solution = (scaled.transpose() * &scaled).cholesky()?.solve(&(scaled.transpose() * right));
    if solution.iter().any(|&x| x < 0.0) {
        return None;
    }
    let mut costs = Amounts::default();
    for (place, &item) in items.iter().enumerate() {
        costs[item] = solution[place] / scale[place];
    }
    Some((costs, (scaled * solution - right).norm_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_found_again_and_none_is_negative() {
        let costs = UnitCosts([0.0, 40e-9, 100e-9, 20e-9, 1e-6]);
        let sample = |i: usize| {
            let amounts = std::array::from_fn(|item| ((i * 7 + 3) * (item + 2) % 23) as f64 * 1e3);
            Sample { amounts, seconds: costs.seconds(&amounts) }
        };
        let samples = Vec::from_iter((0..22).map(sample));
        let found = UnitCosts::fit(&samples).unwrap();
        for (found, cost) in found.0.iter().zip(costs.0) {
            assert!((found - cost).abs() < 1e-12, "{found} {cost}");
        }
        // A cost that would be negative becomes zero. The others are fitted without it.
        let odd = samples.iter().map(|sample| Sample {
            seconds: sample.seconds - 5e-9 * sample.amounts[Item::Unchanged as usize],
            ..*sample
        });
        let found = UnitCosts::fit(&Vec::from_iter(odd)).unwrap();
        assert!(found.0.iter().all(|&cost| cost >= 0.0));
        assert_eq!(found.0[Item::Unchanged as usize], 0.0);
        assert_eq!(UnitCosts::fit(&[]), None);
    }
}

//! The least change of a velocity that meets linear constraints: a quadratic program in six
//! unknowns, by the dual active-set method of Goldfarb & Idnani (1983).
//!
//! A row `a . y >= b` pushes with a multiplier, and the solution is `y = sum of multiplier * a`:
//!
//! ```text
//! min |y|^2 / 2   with   multiplier in [low, high], and
//!     a . y  = b   where   low < multiplier < high
//!     a . y >= b   where   multiplier = low
//!     a . y <= b   where   multiplier = high
//! ```
//!
//! A contact has the bounds `[0, infinity)`. Friction has `[-r, r]`: it stops the slip, or pushes
//! with its largest multiplier. These are the conditions of optimality, so any `y` that meets them
//! is the solution.
//!
//! The method begins with `y = 0`. Again and again it takes the row that is violated most, and
//! changes its multiplier until the row is met. The multipliers of the active rows (at most six,
//! linearly independent) change with it, so that these rows stay met. An active row whose
//! multiplier reaches a bound leaves. Every step raises the dual function, so no set of active
//! rows returns.

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

/// Unknowns: angular and linear velocity, scaled by the square root of the mass matrix.
pub const UNKNOWNS: usize = 6;

/// A vector of the unknowns.
pub type Vec6 = [f64; UNKNOWNS];

/// Up to this number of rows nothing is allocated.
const INLINE: usize = 24;

/// A row counts as met within this fraction of the largest `|b| / |a|` of all rows.
const TOLERANCE: f64 = 1e-12;

/// A row depends on the active rows if its part perpendicular to them is shorter than this
/// fraction of the row.
const DEPENDENT: f64 = 1e-7;

/// A constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintRow {
    /// Its direction.
    pub a: Vec6,
    /// Its offset.
    pub b: f64,
    /// Least multiplier, at most 0.
    pub low: f64,
    /// Largest multiplier, at least 0.
    pub high: f64,
}

/// The part of a row along an active row is rounding if it is shorter than this fraction of the
/// row.
const NO_SHARE: f64 = 1e-12;

/// How a solve ended, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All rows are met.
    Solved,
    /// The limit of iterations was reached, because rounding made the method cycle.
    Unfinished,
    /// No `y` meets all rows.
    Infeasible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowState {
    /// Not taken yet; its multiplier is 0.
    Idle,
    /// Met exactly.
    Active,
    /// At its least multiplier.
    Low,
    /// At its largest multiplier.
    High,
}

/// The event that ends a move of a multiplier.
enum MoveEnd {
    /// The row is met.
    Met(Split),
    /// The multiplier reaches its bound.
    Own,
    /// The multiplier of an active row reaches its bound.
    Other(usize),
}

/// The rows of a problem, and the least change that meets them.
pub struct Program {
    rows: SmallVec<[ConstraintRow; INLINE]>,
    y: Vec6,
    multipliers: SmallVec<[f64; INLINE]>,
    states: SmallVec<[RowState; INLINE]>,
    /// 1 / length of each row; 0 for a row of length 0.
    scales: SmallVec<[f64; INLINE]>,
    basis: Basis,
    tolerance: f64,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            rows: SmallVec::new(),
            y: [0.0; UNKNOWNS],
            multipliers: SmallVec::new(),
            states: SmallVec::new(),
            scales: SmallVec::new(),
            basis: Basis::default(),
            tolerance: 0.0,
        }
    }
}

impl Program {
    /// Adds a row. If the other rows are solved, [`Program::solve`] goes on from their solution.
    pub fn add(&mut self, row: ConstraintRow) {
        let length = norm(&row.a);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        self.tolerance = self.tolerance.max(TOLERANCE * (row.b.abs() * scale));
        self.rows.push(row);
        self.scales.push(scale);
        self.multipliers.push(0.0);
        self.states.push(RowState::Idle);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The multiplier of a row.
    pub fn multiplier(&self, row: usize) -> f64 {
        self.multipliers[row]
    }

    /// The least change: the sum of all rows times their multipliers.
    pub fn change(&self) -> Vec6 {
        let mut y = [0.0; UNKNOWNS];
        for (row, &multiplier) in self.rows.iter().zip(&self.multipliers) {
            add_scaled(&mut y, multiplier, &row.a);
        }
        y
    }

    /// Solves for all rows. Their order changes the result only by rounding.
    pub fn solve(&mut self) -> Outcome {
        let mut moves = 20 * (self.rows.len() + 2);
        while let Some((row, sign)) = self.most_violated() {
            loop {
                if moves == 0 {
                    return Outcome::Unfinished;
                }
                moves -= 1;
                match self.push(row, sign) {
                    None => return Outcome::Infeasible,
                    Some(MoveEnd::Other(active)) => self.leave(active),
                    Some(MoveEnd::Own) => {
                        let ConstraintRow { low, high, .. } = self.rows[row];
                        (self.states[row], self.multipliers[row]) =
                            if sign > 0.0 { (RowState::High, high) } else { (RowState::Low, low) };
                        break;
                    }
                    Some(MoveEnd::Met(split)) => {
                        self.states[row] = RowState::Active;
                        self.basis.add(row, &split);
                        break;
                    }
                }
            }
        }
        Outcome::Solved
    }

    /// The row that is violated most, and the sign of the change that its multiplier needs.
    fn most_violated(&self) -> Option<(usize, f64)> {
        let (mut worst, mut found) = (self.tolerance, None);
        let rows = self.rows.iter().zip(&self.states).zip(&self.scales).enumerate();
        for (i, ((row, state), scale)) in rows {
            let missing = row.b - dot(&row.a, &self.y);
            let violation = missing.abs() * scale;
            if violation <= worst {
                continue;
            }
            let can = match state {
                RowState::Active => false,
                RowState::Low => missing > 0.0,
                RowState::High => missing < 0.0,
                RowState::Idle if missing > 0.0 => row.high > 0.0,
                RowState::Idle => row.low < 0.0,
            };
            if can {
                (worst, found) = (violation, Some((i, missing.signum())));
            }
        }
        found
    }

    /// Moves the multiplier of `row` until something ends the move. `None` if nothing does.
    fn push(&mut self, row: usize, sign: f64) -> Option<MoveEnd> {
        let ConstraintRow { a, b, low, high } = self.rows[row];
        let split = self.basis.split(&a);
        let shares = self.basis.shares(split.along);
        let mut end = MoveEnd::Own;
        let mut length =
            if sign > 0.0 { high - self.multipliers[row] } else { self.multipliers[row] - low };
        for (&active, share) in self.basis.rows().iter().zip(shares) {
            let rate = -sign * share;
            if share.abs() * self.scales[row] <= NO_SHARE * self.scales[active] {
                continue;
            }
            let bound = if rate > 0.0 { self.rows[active].high } else { self.rows[active].low };
            let until = (bound - self.multipliers[active]) / rate;
            if until < length {
                (length, end) = (until.max(0.0), MoveEnd::Other(active));
            }
        }
        let across = split.across;
        if split.square.sqrt() * self.scales[row] > DEPENDENT {
            let until = (b - dot(&a, &self.y)) * sign / split.square;
            if until <= length {
                (length, end) = (until.max(0.0), MoveEnd::Met(split));
            }
        }
        if length == f64::INFINITY {
            return None;
        }
        for (&active, share) in self.basis.rows().iter().zip(shares) {
            self.multipliers[active] -= sign * length * share;
        }
        self.multipliers[row] += sign * length;
        add_scaled(&mut self.y, sign * length, &across);
        Some(end)
    }

    /// An active row leaves at the bound that its multiplier reached.
    fn leave(&mut self, row: usize) {
        let ConstraintRow { low, high, .. } = self.rows[row];
        let multiplier = &mut self.multipliers[row];
        let at_low = (*multiplier - low).abs() <= (high - *multiplier).abs();
        *multiplier = if at_low { low } else { high };
        self.states[row] = if at_low { RowState::Low } else { RowState::High };
        self.basis.remove(row, &self.rows);
    }
}

/// The active rows as `Q R`: an orthonormal basis, and an upper triangle.
#[derive(Default)]
struct Basis {
    count: usize,
    rows: [usize; UNKNOWNS],
    q: [Vec6; UNKNOWNS],
    /// Column `j` is row `j` of the active ones in terms of `q`.
    r: [Vec6; UNKNOWNS],
}

/// A row, split into a part perpendicular to the active rows and a part along them.
struct Split {
    /// The part perpendicular to them.
    across: Vec6,
    /// The square of the length of `across`.
    square: f64,
    /// The rest in terms of `q`.
    along: Vec6,
}

impl Basis {
    fn rows(&self) -> &[usize] {
        &self.rows[..self.count]
    }

    /// The coefficients of the active rows in the part `along` of a row.
    fn shares(&self, mut along: Vec6) -> Vec6 {
        for j in (0..self.count).rev() {
            along[j] /= self.r[j][j];
            for i in 0..j {
                along[i] -= self.r[j][i] * along[j];
            }
        }
        along
    }

    /// Gram-Schmidt. It is repeated if most of the row was removed, because then much of the rest
    /// is rounding.
    fn split(&self, a: &Vec6) -> Split {
        let (mut across, mut along) = (*a, [0.0; UNKNOWNS]);
        let mut before = dot(a, a);
        loop {
            for (q, along) in self.q[..self.count].iter().zip(&mut along) {
                let part = dot(q, &across);
                *along += part;
                add_scaled(&mut across, -part, q);
            }
            let square = dot(&across, &across);
            // Twice is enough (Kahan, Parlett). A part that is still so short is rounding.
            if self.count == 0 || 2.0 * square > before || before < 0.0 {
                return Split { across, square, along };
            }
            before = -1.0;
        }
    }

    fn add(&mut self, row: usize, split: &Split) {
        let (place, length) = (self.count, split.square.sqrt());
        self.q[place] = split.across.map(|x| x / length);
        self.r[place] = split.along;
        self.r[place][place] = length;
        self.rows[place] = row;
        self.count += 1;
    }

    fn remove(&mut self, row: usize, rows: &[ConstraintRow]) {
        let Some(place) = self.rows().iter().position(|&active| active == row) else { return };
        let (later, end) = (self.rows, self.count);
        self.count = place;
        for &row in &later[place + 1..end] {
            self.add(row, &self.split(&rows[row].a));
        }
    }
}

/// The product of two vectors.
pub fn dot(a: &Vec6, b: &Vec6) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

/// `y += factor * a`.
pub fn add_scaled(y: &mut Vec6, factor: f64, a: &Vec6) {
    for (y, a) in y.iter_mut().zip(a) {
        *y += factor * a;
    }
}

fn norm(a: &Vec6) -> f64 {
    dot(a, a).sqrt()
}

use super::*;
use crate::mix;

fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn random_row(seed: u64, low: f64, high: f64) -> ConstraintRow {
    let a = std::array::from_fn(|i| random(100 * seed + i as u64));
    ConstraintRow { a, b: random(100 * seed + 50), low, high }
}

#[derive(Debug)]
struct Solution {
    y: Vec6,
    multipliers: Vec<f64>,
    outcome: Outcome,
}

fn solve(rows: &[ConstraintRow]) -> Solution {
    let mut program = Program::default();
    // Friction is added to a solution for the normals, as the response does it.
    for is_normal in [true, false] {
        rows.iter().filter(|row| (row.low == 0.0) == is_normal).for_each(|row| program.add(*row));
        program.solve();
    }
    let outcome = program.solve();
    let place = |row: &ConstraintRow| program.rows.iter().position(|other| other == row).unwrap();
    let multipliers = rows.iter().map(|row| program.multiplier(place(row))).collect();
    Solution { y: program.change(), multipliers, outcome }
}

fn is_optimal(rows: &[ConstraintRow], solution: &Solution, tolerance: f64) -> bool {
    rows.iter().zip(&solution.multipliers).all(|(row, &multiplier)| {
        let missing = row.b - dot(&row.a, &solution.y);
        let inside = row.low <= multiplier && multiplier <= row.high;
        let met = match () {
            () if row.low == row.high => true,
            () if multiplier == row.low => missing <= tolerance,
            () if multiplier == row.high => missing >= -tolerance,
            () => missing.abs() <= tolerance,
        };
        inside && met
    })
}

/// The best of all subsets of rows taken as equalities.
fn brute_force(rows: &[ConstraintRow]) -> Option<Vec6> {
    let subset = |mask: u32| {
        let mut basis = Basis::default();
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
            let split = basis.split(&row.a);
            if split.square.sqrt() < 1e-9 {
                return None;
            }
            basis.add(i, &split);
        }
        // R^T w = b, y = Q w.
        let mut y = [0.0; UNKNOWNS];
        let mut w = [0.0; UNKNOWNS];
        for (place, &i) in basis.rows().iter().enumerate() {
            let known: f64 = (0..place).map(|k| basis.r[place][k] * w[k]).sum();
            w[place] = (rows[i].b - known) / basis.r[place][place];
            add_scaled(&mut y, w[place], &basis.q[place]);
        }
        rows.iter().all(|row| dot(&row.a, &y) >= row.b - 1e-9).then_some(y)
    };
    let masks = (0..1u32 << rows.len()).filter(|mask| mask.count_ones() <= 6);
    masks.filter_map(subset).min_by(|a, b| norm(a).total_cmp(&norm(b)))
}

#[test]
fn agrees_with_the_best_of_all_active_sets() {
    let (mut solved, mut infeasible) = (0, 0);
    for seed in 0..600 {
        let count = 1 + seed % 9;
        let mut rows: Vec<ConstraintRow> =
            (0..count).map(|i| random_row(1000 * seed + i, 0.0, f64::INFINITY)).collect();
        if seed % 3 == 0 && count > 2 {
            // Opposite rows: often no solution. Equal ones: dependent.
            rows[1].a = rows[0].a.map(|x| -x);
            rows[2] = rows[0];
        }
        let found = solve(&rows);
        match brute_force(&rows) {
            Some(best) => {
                assert_eq!(found.outcome, Outcome::Solved, "seed {seed}");
                let error: Vec6 = std::array::from_fn(|i| found.y[i] - best[i]);
                assert!(norm(&error) < 1e-7 * (1.0 + norm(&best)), "seed {seed}: {error:?}");
                assert!(is_optimal(&rows, &found, 1e-9 * (1.0 + norm(&best))), "seed {seed}");
                solved += 1;
            }
            None => {
                assert_eq!(found.outcome, Outcome::Infeasible, "seed {seed}");
                infeasible += 1;
            }
        }
    }
    assert!(solved > 300 && infeasible > 30, "{solved} {infeasible}");
}

#[test]
fn bounded_multipliers_meet_the_conditions_of_optimality() {
    let (mut saturated, mut sticking) = (0, 0);
    for seed in 0..2000 {
        let mut rows = Vec::new();
        for i in 0..1 + seed % 4 {
            rows.push(random_row(1000 * seed + i, 0.0, f64::INFINITY));
            let reach = 0.3 * (1.0 + random(1000 * seed + i + 500));
            rows.push(random_row(1000 * seed + i + 20, -reach, reach));
            rows.push(random_row(1000 * seed + i + 40, -reach, reach));
        }
        let found = solve(&rows);
        if found.outcome == Outcome::Infeasible {
            continue;
        }
        assert_eq!(found.outcome, Outcome::Solved, "seed {seed}");
        assert!(is_optimal(&rows, &found, 1e-9 * (1.0 + norm(&found.y))), "seed {seed}");
        for (row, multiplier) in rows.iter().zip(&found.multipliers).filter(|(r, _)| r.low < 0.0) {
            if multiplier.abs() < row.high { sticking += 1 } else { saturated += 1 }
        }
    }
    assert!(saturated > 500 && sticking > 500, "{saturated} {sticking}");
}

#[test]
fn rows_at_right_angles_do_not_disturb_each_other() {
    // Directions of few whole numbers are often exactly orthogonal, dependent or equal.
    for seed in 0..3000 {
        let whole = |k: u64| (2.9 * random(k)).trunc();
        let mut rows = Vec::new();
        for i in 0..2 + seed % 6 {
            let own = 1000 * seed + 100 * i;
            let a: Vec6 = std::array::from_fn(|k| whole(own + k as u64));
            let reach = if i % 2 == 0 { f64::INFINITY } else { whole(own + 50).abs() };
            let low = if i % 2 == 0 { 0.0 } else { -reach };
            rows.push(ConstraintRow { a, b: whole(own + 60), low, high: reach });
        }
        let found = solve(&rows);
        if found.outcome == Outcome::Solved {
            let is_zero = |row: &ConstraintRow| norm(&row.a) == 0.0;
            let rows_left = rows.iter().zip(&found.multipliers).filter(|(row, _)| !is_zero(row));
            let (rows, multipliers) = rows_left.map(|(row, &m)| (*row, m)).unzip();
            let found = Solution { multipliers, ..found };
            let rows: Vec<ConstraintRow> = rows;
            assert!(is_optimal(&rows, &found, 1e-9), "seed {seed}: {rows:?} {found:?}");
        } else {
            assert_eq!(found.outcome, Outcome::Infeasible, "seed {seed}");
        }
    }
}

#[test]
fn four_corners_of_a_resting_plate_are_met_by_a_translation() {
    let corner = |x: f64, z: f64| ConstraintRow {
        a: [-z, 0.0, x, 0.0, 1.0, 0.0],
        b: 0.1,
        low: 0.0,
        high: f64::INFINITY,
    };
    let rows = [corner(1.0, 1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)];
    let found = solve(&rows);
    assert_eq!(found.outcome, Outcome::Solved);
    assert!((found.y[4] - 0.1).abs() < 1e-14 && norm(&found.y) < 0.1 + 1e-14);
}

use proptest::prelude::*;

use super::order::mix;
use super::transport::Transport;
use super::*;
use crate::partition::measures::load_index;

fn random(k: u64) -> f64 {
    (mix(k) >> 11) as f64 / (1u64 << 53) as f64
}

fn cloud(count: u64, seed: u64) -> Vec<Vec3> {
    let x = |k: u64| random(seed << 32 | k);
    (0..count).map(|k| Vec3::new(x(3 * k), x(3 * k + 1), x(3 * k + 2))).collect()
}

/// Points that are near each other are adjacent, as batches want them.
fn sorted(mut points: Vec<Vec3>) -> Vec<Vec3> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// `T_rb` by equation 14, with `p_b` from the column sums.
fn coupling(points: &[Vec3], work: &[f64], diagram: &Diagram, epsilon: f64) -> Vec<Vec<f64>> {
    let sites = 0..diagram.sites.len();
    let column = |(x, work): (&Vec3, &f64)| -> Vec<f64> {
        let exponents: Vec<f64> =
            sites.clone().map(|r| -diagram.power_distance(r, x) / epsilon).collect();
        let largest = exponents.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = exponents.iter().map(|e| libm::exp(e - largest)).sum();
        exponents.iter().map(|e| work * libm::exp(e - largest) / sum).collect()
    };
    points.iter().zip(work).map(column).collect()
}

fn start(sites: Vec<Vec3>) -> Diagram {
    Diagram { potentials: vec![0.0; sites.len()], sites }
}

#[test]
fn two_points_and_two_sites_couple_as_known() {
    let places = [Vec3::zeros(), Vec3::x()];
    let (work, shares) = ([0.5; 2], [0.5; 2]);
    for domain in [Domain::Plain, Domain::Log] {
        let mut diagram = start(places.to_vec());
        let mut transport = Transport::new(&places, &work, &Threads::INLINE);
        let solve = transport.solve(&mut diagram, &shares, 1.0, (domain, 1e-14, 100));
        assert!(solve.deviation < 1e-14);
        let coupling = coupling(&places, &work, &diagram, 1.0);
        let expected = [[0.365_529_29, 0.134_470_71], [0.134_470_71, 0.365_529_29]];
        for (own, known) in coupling.iter().flatten().zip(expected.as_flattened()) {
            assert!((own - known).abs() < 5e-9, "{own} {known}");
        }
    }
}

/// Equations 8 and 9, or 11 and 12, as they are written; returns the potentials of the sites.
fn literal(points: &[Vec3], work: &[f64], sites: &[Vec3], epsilon: f64, log: bool) -> Vec<f64> {
    let share = work.iter().sum::<f64>() / sites.len() as f64;
    let cost = |r: usize, b: usize| (sites[r] - points[b]).norm_squared();
    let smooth_min = |values: Vec<f64>| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = values.iter().map(|y| libm::exp((least - y) / epsilon)).sum();
        least - epsilon * libm::log(sum)
    };
    let (rows, columns) = (0..sites.len(), 0..points.len());
    let mut p_r = vec![0.0; sites.len()];
    let mut p_b = vec![0.0; points.len()];
    for iteration in 0..12 {
        // Ours begins with the columns.
        if iteration > 0 {
            for r in rows.clone() {
                p_r[r] = if log {
                    let y = columns.clone().map(|b| cost(r, b) - p_r[r] - p_b[b]).collect();
                    p_r[r] + epsilon * libm::log(share) + smooth_min(y)
                } else {
                    let k =
                        |b: usize| libm::exp(-cost(r, b) / epsilon) * libm::exp(p_b[b] / epsilon);
                    epsilon * libm::log(share / columns.clone().map(k).sum::<f64>())
                };
            }
        }
        for b in columns.clone() {
            p_b[b] = if log {
                let y = rows.clone().map(|r| cost(r, b) - p_r[r] - p_b[b]).collect();
                p_b[b] + epsilon * libm::log(work[b]) + smooth_min(y)
            } else {
                let k = |r: usize| libm::exp(-cost(r, b) / epsilon) * libm::exp(p_r[r] / epsilon);
                epsilon * libm::log(work[b] / rows.clone().map(k).sum::<f64>())
            };
        }
    }
    p_r
}

#[test]
fn both_domains_iterate_as_the_equations_of_the_paper() {
    let points = sorted(cloud(300, 1));
    let work: Vec<f64> = (0..300).map(|k| 0.5 + random(k)).collect();
    let sites = cloud(7, 2);
    let shares = [work.iter().sum::<f64>() / 7.0; 7];
    for (epsilon, domains) in
        [(0.1, &[Domain::Plain, Domain::Log][..]), (0.002, &[Domain::Log][..])]
    {
        let expected = literal(&points, &work, &sites, epsilon, true);
        for &domain in domains {
            let mut diagram = start(sites.clone());
            let mut transport = Transport::new(&points, &work, &Threads::INLINE);
            transport.solve(&mut diagram, &shares, epsilon, (domain, 0.0, 12));
            for (own, known) in diagram.potentials.iter().zip(&expected) {
                assert!((own - known).abs() < 1e-12, "{domain:?} {epsilon}: {own} {known}");
            }
        }
    }
    let plain = literal(&points, &work, &sites, 0.1, false);
    let log = literal(&points, &work, &sites, 0.1, true);
    assert!(plain.iter().zip(&log).all(|(a, b)| (a - b).abs() < 1e-13));
}

#[test]
fn the_cost_falls_to_that_of_the_best_transport_as_epsilon_falls() {
    // Eight points, two for each of four sites: 8! / 2^4 transports.
    let (points, sites) = (sorted(cloud(8, 3)), cloud(4, 4));
    let cost = |r: usize, b: usize| (sites[r] - points[b]).norm_squared();
    let mut least = f64::INFINITY;
    for code in 0..4usize.pow(8) {
        let site = |b: usize| code >> (2 * b) & 3;
        let fair = (0..4).all(|r| (0..8).filter(|&b| site(b) == r).count() == 2);
        if fair {
            least = least.min((0..8).map(|b| cost(site(b), b)).sum());
        }
    }
    let mut diagram = start(sites.clone());
    let mut last = f64::INFINITY;
    for step in 0..14 {
        let epsilon = 0.5 * 0.5_f64.powi(step);
        let mut transport = Transport::new(&points, &[1.0; 8], &Threads::INLINE);
        let shares = [2.0; 4];
        transport.solve(&mut diagram, &shares, epsilon, (Domain::Log, 1e-9, 100_000));
        let coupling = coupling(&points, &[1.0; 8], &diagram, epsilon);
        let terms = (0..8).flat_map(|b| (0..4).map(move |r| (r, b)));
        let total: f64 = terms.map(|(r, b)| coupling[b][r] * cost(r, b)).sum();
        assert!(total <= last + 1e-8 && total >= least - 1e-8, "{total} {last} {least}");
        last = total;
    }
    assert!(last - least < 1e-6, "{last} {least}");
}

#[test]
fn newton_steps_find_the_same_potentials() {
    let points = sorted(cloud(3000, 5));
    let work = vec![1.0; 3000];
    let sites = cloud(20, 6);
    let shares = [150.0; 20];
    let epsilon = 0.01;
    let mut slow = start(sites.clone());
    let mut transport = Transport::new(&points, &work, &Threads::INLINE);
    transport.solve(&mut slow, &shares, epsilon, (Domain::Log, 1e-12, 100_000));
    let mut fast = start(sites);
    transport.solve(&mut fast, &shares, epsilon, (Domain::Log, 1e-12, 10));
    let newton = transport.newton(&mut fast, &shares, epsilon, (1e-12, 30));
    assert!(newton.deviation < 1e-12, "{newton:?}");
    for r in 1..20 {
        // Potentials are fixed up to a common constant.
        let difference = |d: &Diagram| d.potentials[r] - d.potentials[0];
        assert!((difference(&slow) - difference(&fast)).abs() < 1e-12);
    }
}

#[test]
fn a_site_far_from_all_points_gets_its_share() {
    let points = sorted(cloud(500, 7));
    let mut sites = cloud(3, 8);
    sites.push(Vec3::repeat(50.0));
    let shares = [125.0; 4];
    let mut diagram = start(sites);
    let mut transport = Transport::new(&points, &vec![1.0; 500], &Threads::INLINE);
    let solve = transport.solve(&mut diagram, &shares, 1.0, (Domain::Log, 1e-6, 5000));
    assert!(solve.deviation < 1e-6, "{solve:?}");
}

fn settings(threads: usize) -> PowerSettings {
    PowerSettings { threads, coarse_points: 5000, ..PowerSettings::default() }
}

#[test]
fn the_partition_is_the_same_for_any_number_of_threads_and_is_that_of_the_cells() {
    let points = cloud(40_000, 9);
    let weights: Vec<f64> = points.iter().map(|x| 0.1 + x.x).collect();
    let problem = WeightedPoints::new(&points, &weights);
    let mut first = Power::new(settings(1)).unwrap();
    let expected = first.partition(&problem, 13).unwrap();
    assert!(load_index(&expected, &weights, 13) < 0.01);
    for threads in [2, 3] {
        let mut power = Power::new(settings(threads)).unwrap();
        assert_eq!(power.partition(&problem, 13).unwrap(), expected);
        assert_eq!(power.diagram(), first.diagram());
        assert_eq!(power.rounds(), first.rounds());
    }
    // Brute force over all sites, without cubes and spheres.
    for (x, &part) in points.iter().zip(&expected) {
        assert_eq!(first.diagram().site_of(x), part);
    }
}

#[test]
fn lloyd_rounds_converge_to_equal_loads() {
    // Figure 5, with a fifth of its cells. The default takes its wider offsets from round 5 on.
    for parts in [2, 8, 16] {
        let side = (2000.0 * parts as f64).cbrt() as i32;
        let cell = |i: i32| [i % side, i / side % side, i / (side * side)];
        let points: Vec<Vec3> =
            (0..side * side * side).map(|i| Vec3::from(cell(i).map(f64::from))).collect();
        let weights = vec![1.0; points.len()];
        let problem = WeightedPoints { spacing_m: 1.0, ..WeightedPoints::new(&points, &weights) };
        let endless =
            PowerSettings { load_tolerance: 1e-9, threads: 2, ..PowerSettings::default() };
        let published = PowerSettings {
            starts: 0,
            offset: 1.0,
            newton_steps: 0,
            iterations: 500,
            overflow: 1e-12,
            far_limit: f64::INFINITY,
            ..endless.clone()
        };
        for (settings, rounds) in [(published, 6), (endless, 8)] {
            let mut power = Power::new(settings).unwrap();
            power.partition(&problem, parts).unwrap();
            let loads: Vec<f64> = power.rounds().iter().map(|round| round.load_index).collect();
            let best = |count: usize| loads[..count].iter().copied().fold(1.0, f64::min);
            assert!(best(rounds) < 0.01 && best(loads.len()) < 0.004, "{parts}: {loads:?}");
        }
    }
}

#[test]
fn what_still_serves_is_kept_and_new_points_go_to_the_nearest_site() {
    let points = cloud(5000, 10);
    let weights = vec![1.0; 5000];
    let mut power = Power::new(settings(1)).unwrap();
    let before = power.partition(&WeightedPoints::new(&points, &weights), 6).unwrap();
    let fewer = &points[..4990];
    let problem = WeightedPoints::new(fewer, &weights[..4990]);
    assert_eq!(power.partition(&problem, 6).unwrap(), before[..4990]);
    let sites = power.diagram().sites.clone();
    assert_eq!(power.extend(&sites), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn bad_problems_are_refused_and_odd_ones_answered() {
    let points = cloud(20, 11);
    let weights = vec![1.0; 20];
    let mut power = Power::new(settings(1)).unwrap();
    let mut answer = |points: &[Vec3], weights: &[f64], parts: usize| {
        let answer = power.partition(&WeightedPoints::new(points, weights), parts);
        answer.map_err(|error| error.to_string())
    };
    assert!(answer(&points, &weights, 0).unwrap_err().contains("0 parts"));
    assert!(answer(&points, &weights[1..], 3).unwrap_err().contains("19 weights"));
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut weights = weights.clone();
        weights[7] = bad;
        assert!(answer(&points, &weights, 3).unwrap_err().contains("point 7 has the weight"));
    }
    assert!(answer(&points, &[0.0; 20], 3).unwrap_err().contains("no point has any work"));
    assert!(answer(&[points[0]; 20], &weights, 3).unwrap_err().contains("all points are at"));
    let mut nowhere = points.clone();
    nowhere[3].y = f64::NAN;
    assert!(answer(&nowhere, &weights, 3).unwrap_err().contains("point 3 is at"));
    assert_eq!(answer(&points[..3], &weights[..3], 5).unwrap(), [0, 1, 2]);
    assert_eq!(answer(&[], &[], 5).unwrap(), [0; 0]);
    assert_eq!(answer(&points, &weights, 1).unwrap(), [0; 20]);
    // Some points without work.
    let mut some = weights.clone();
    some[..10].fill(0.0);
    let part_of = answer(&points, &some, 2).unwrap();
    assert!(load_index(&part_of, &some, 2) < 0.21, "{part_of:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cloud_is_divided_by_the_cells(
        count in 2u64..400, parts in 1usize..12, seed in 0u64..1000, flat in 0usize..4, twins in 1u64..4,
    ) {
        // Clouds, sheets, lines with points at one place, and work that differs by 10^6.
        let points: Vec<Vec3> = (0..count)
            .map(|k| {
                let mut x = cloud(1, seed << 10 | (k / twins))[0];
                (0..flat.min(2)).for_each(|axis| x[axis] = 0.25);
                x
            })
            .collect();
        prop_assume!(points.iter().any(|x| *x != points[0]));
        let weights: Vec<f64> =
            (0..count).map(|k| libm::exp(14.0 * random(seed ^ k << 20))).collect();
        let problem = WeightedPoints::new(&points, &weights);
        let mut power = Power::new(settings(1)).unwrap();
        let part_of = power.partition(&problem, parts).unwrap();
        prop_assert_eq!(part_of.len(), points.len());
        prop_assert!(part_of.iter().all(|&part| (part as usize) < parts));
        if parts > 1 && points.len() > parts {
            for (x, &part) in points.iter().zip(&part_of) {
                prop_assert_eq!(power.diagram().site_of(x), part);
            }
        }
    }
}

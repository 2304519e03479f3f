use nalgebra::UnitQuaternion;

use super::*;
use crate::{BodyState, Twist};
use cloth_core::mix;

fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64
}

fn cloud(count: u64, extent: Vec3, radius: impl Fn(u64) -> f64) -> Vec<Ball> {
    let point = |k: u64| Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2));
    let centre = |k| (point(k) - Vec3::repeat(0.5)).component_mul(&extent);
    (0..count).map(|k| Ball { centre: centre(k), radius: radius(k) }).collect()
}

/// All pairs of overlapping balls, by comparing each ball with each: the oracle.
fn brute_force(balls: &[Ball], movable: usize) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in balls.iter().enumerate().take(movable) {
        for (j, b) in balls.iter().enumerate().skip(i + 1) {
            let reach = a.radius + b.radius;
            if (b.centre - a.centre).norm_squared() <= reach * reach {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

fn agrees(broad: &mut Broad, bounds: &[Ball], movable: usize) -> usize {
    let mut expected = brute_force(bounds, movable);
    expected.sort_unstable();
    for threads in [1, 3] {
        let mut pairs = Vec::new();
        broad.pairs(bounds, movable, &Threads::new(threads).unwrap(), &mut pairs);
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        assert_eq!(pairs, expected);
    }
    expected.len()
}

#[test]
fn pairs_are_those_of_brute_force_for_all_sizes_and_spaces() {
    let mut broad = Broad::default();
    let size = |k: u64| 0.02 * libm::exp2(6.0 * random(k + 1_000_000));
    let clouds = [
        cloud(2000, Vec3::repeat(1.0), |_| 0.03),
        cloud(2000, Vec3::repeat(1.0), size),
        cloud(1500, Vec3::new(30.0, 0.5, 1.0), |_| 0.1),
        cloud(1500, Vec3::repeat(1e6), |_| 1.0),
        cloud(300, Vec3::repeat(0.1), |_| 0.05),
        cloud(1, Vec3::repeat(1.0), |_| 0.05),
        Vec::new(),
    ];
    let mut found = 0;
    for bounds in clouds {
        found += agrees(&mut broad, &bounds, bounds.len());
        found += agrees(&mut broad, &bounds, bounds.len() / 2);
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn one_body_far_away_and_one_very_large_body_lose_no_pair() {
    let mut bounds = cloud(1000, Vec3::repeat(1.0), |_| 0.03);
    bounds.push(Ball { centre: Vec3::repeat(1e9), radius: 0.03 });
    bounds.push(Ball { centre: Vec3::new(0.0, -50.0, 0.0), radius: 50.0 });
    bounds.push(Ball { centre: Vec3::zeros(), radius: 1e-12 });
    assert!(agrees(&mut Broad::default(), &bounds, bounds.len()) > 500);
}

#[test]
fn touching_bodies_on_the_borders_of_cells_are_a_pair() {
    let row = (0..64).map(|k| Ball { centre: Vec3::x() * f64::from(k), radius: 0.5 });
    let bounds: Vec<_> = row.collect();
    assert_eq!(agrees(&mut Broad::default(), &bounds, bounds.len()), 63);
}

/// Where body `k` goes.
fn direction(k: u64) -> Vec3 {
    Vec3::from([0, 1, 2].map(|axis| random(3 * k + axis + 7000) - 0.5))
}

/// The state of body `k`. In every tenth state the velocity is opposite to the true motion.
fn flying((bound, k): (&Bound, u64)) -> BodyState {
    let linear = direction(k) * if k % 10 == 0 { -1.0 } else { 1.0 };
    BodyState {
        position: bound.centre,
        rotation: UnitQuaternion::identity(),
        twist: Twist { linear, ..Twist::ZERO },
    }
}

/// Compares the pairs of [`Candidates`] with those of brute force, and returns their number.
fn follows(
    candidates: &mut Candidates,
    bodies: &[Bound],
    states: &[BodyState],
    images: &[(ImageKey, Bound)],
    fixed: &[Bound],
) -> usize {
    let keys: Vec<_> = images.iter().map(|(key, _)| *key).collect();
    let others: Vec<_> = images.iter().map(|(_, bound)| *bound).chain(fixed.to_vec()).collect();
    let all: Vec<_> = bodies.iter().chain(&others).map(Bound::swept).collect();
    let mut expected = brute_force(&all, bodies.len() + images.len());
    expected.sort_unstable();
    let now = Now { bodies, states, others: &others, images: &keys };
    let mut pairs = Vec::new();
    candidates.pairs(&now, &Threads::new(2).unwrap(), &mut pairs);
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    assert_eq!(pairs, expected);
    expected.len()
}

#[test]
fn balls_that_approach_are_a_pair_as_soon_as_they_touch() {
    // The balls are looked up before their enlarged balls touch, and then approach slowly.
    for gap in [0.51, 0.6, 0.9] {
        let mut candidates = Candidates::default();
        for step in 0..100u32 {
            let x = 1.0 + 0.5 * gap - 0.005 * f64::from(step);
            let body = |x| Bound { centre: Vec3::x() * x, radius: 1.0, travel: 0.0 };
            let bodies = [body(-x), body(x)];
            let states = bodies.each_ref().map(|bound| flying((bound, 1)));
            let found = follows(&mut candidates, &bodies, &states, &[], &[]);
            assert_eq!(found > 0, x <= 1.0);
        }
        assert_eq!(candidates.rebuilds(), 1);
    }
}

#[test]
fn kept_pairs_are_those_of_brute_force_while_bodies_move_come_go_and_swap() {
    for (count, size, speed) in
        [(600, 0.0, 0.002), (600, 3.0, 0.002), (60, 5.0, 0.02), (5, 0.0, 0.02)]
    {
        let radius = |k: u64| 0.03 * libm::exp2(size * random(k + 1_000_000));
        let bound = |Ball { centre, radius }| Bound { centre, radius, travel: 0.0 };
        let mut bodies: Vec<_> =
            cloud(count, Vec3::repeat(1.0), radius).into_iter().map(bound).collect();
        let fixed = cloud(4, Vec3::repeat(1.0), |k| 0.02 + 0.1 * k as f64);
        let fixed: Vec<_> = fixed.into_iter().map(bound).collect();
        let mut candidates = Candidates::default();
        let mut found = 0;
        for step in 0..300u64 {
            for (body, k) in bodies.iter_mut().zip(0..) {
                // Some bodies rest, some are fast.
                let speed = speed * 4.0 * random(k + 5) * random(k + 6);
                body.centre += direction(k) * speed;
                // Most bodies go no further than last time, some are suddenly fast.
                body.travel = speed * if random(step * 7919 + k) < 0.02 { 10.0 } else { 1.0 };
            }
            let draw = |k: u64| (random(step * 10 + k) * bodies.len() as f64) as usize;
            let (a, b, c) = (draw(0), draw(1), draw(2));
            match step % 7 {
                0 => bodies.swap(a, b),
                1 => drop(bodies.swap_remove(a)),
                2 => bodies.push(Bound { radius: bodies[c].radius * 0.9, ..bodies[a] }),
                3 => bodies[b].centre = bodies[c].centre + Vec3::repeat(0.01),
                _ => {}
            }
            let shifted = bodies.iter().zip(0..).filter(|(body, _)| body.centre.x > 0.4);
            let images: Vec<_> = shifted
                .map(|(body, place)| {
                    let centre = body.centre - Vec3::x();
                    ((place, [-1, 0, 0]), Bound { centre, ..*body })
                })
                .collect();
            let states: Vec<_> = bodies.iter().zip(0..).map(flying).collect();
            found += follows(&mut candidates, &bodies, &states, &images, &fixed);
        }
        let rebuilds = candidates.rebuilds();
        assert!(rebuilds < 150 && (count < 100 || found > 10_000), "{count}: {rebuilds} {found}");
    }
}

//! Gases of balls: elastic balls keep their energy, others cool as Haff's law says.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::{Shape, Sphere};

use crate::BOTH;
use crate::scene::{Response, Scene, random_numbers, surface};

/// A gas of `side^3` balls in a box of walls.
pub fn gas(response: Response, side: u32, restitution: f64, fill: f64) -> Scene {
    let radius = 0.1;
    let edge = (4.0 / 3.0 * std::f64::consts::PI / fill).cbrt() * radius * f64::from(side);
    let wall = |axis: usize, upper: bool, id: u64| {
        let mut normal = Vec3::zeros();
        normal[axis] = if upper { -1.0 } else { 1.0 };
        let point = if upper { Vec3::repeat(edge) } else { Vec3::zeros() };
        FixedBody::half_space(id, 0, point, normal)
    };
    let id = u64::from(side).pow(3);
    let walls = (0..3).flat_map(|axis| [false, true].map(|upper| (axis, upper))).zip(id..);
    let walls = walls.map(|((axis, upper), id)| wall(axis, upper, id)).collect();
    let mut world =
        Scene::new(1e-3, surface(restitution, 0.0), Vec3::zeros(), response).with_fixed(walls);
    let spacing = edge / f64::from(side);
    let mut random = random_numbers();
    for k in 0..side.pow(3) {
        let cell =
            Vec3::new(f64::from(k % side), f64::from(k / side % side), f64::from(k / side / side));
        let shape = Shape::Sphere(Sphere { radius_m: radius });
        let body = world.add(shape, (cell + Vec3::repeat(0.5)) * spacing);
        body.state.twist.linear = Vec3::new(random(), random(), random());
    }
    world
}

#[test]
fn an_elastic_gas_keeps_its_energy() {
    // FFD solves for each body alone. If three movable bodies meet in a step, it does not keep
    // energy: at a filling of 0.3 the gas loses a third of it. Sweeps only converge, so their
    // error there is larger than rounding.
    for (response, fill) in [(BOTH[0], 0.01), (BOTH[1], 0.1)] {
        let mut world = gas(response, 6, 1.0, fill);
        let before = world.energy();
        let mut contacts = 0;
        let mut worst: f64 = 0.0;
        for _ in 0..10_000 {
            world.step();
            contacts += world.contacts.len();
            worst = worst.max((world.energy() / before - 1.0).abs());
        }
        println!("{response:?} gas: energy off by {worst:e}, {contacts} contacts");
        let limit = if response == Response::Ffd { 1e-3 } else { 1e-10 };
        assert!(contacts > 1000 && worst < limit, "{response:?}: {worst:e}");
    }
}

/// Haff (1983): if a gas loses a share of its energy in each impact, the energy falls with
/// `(1 + t / tau)^-2`.
#[test]
fn an_inelastic_gas_cools_by_haffs_law() {
    for (response, name) in [(Response::Ffd, "FFD"), (Response::Nonsmooth { sweeps: 10 }, "NSCD")] {
        let mut world = gas(response, 8, 0.7, 0.1);
        world.settings.step_s = 4e-3;
        let mut cooling = Vec::new();
        for _ in 0..100 {
            cooling.push((world.time_s, world.energy()));
            world.run(150);
        }
        let (exponent, tau) = decay(&cooling);
        let end = cooling.last().expect("a state").1 / cooling[0].1;
        println!("{name} cools with exponent {exponent:.3}, tau {tau:.3} s, to {end:.2e}");
        assert!(end < 2e-3, "{name}: {end}");
        assert!((exponent + 2.0).abs() < 0.1, "{name}: {exponent}");
    }
}

/// The exponent `a` and the time `tau` of the law `(1 + t / tau)^a` that is nearest to the
/// energies, in logarithms.
fn decay(cooling: &[(f64, f64)]) -> (f64, f64) {
    let fit = |tau: f64| {
        let (mut xx, mut xy, mut x, mut y) = (0.0, 0.0, 0.0, 0.0);
        let n = cooling.len() as f64;
        let points = cooling.iter().map(|(t, e)| (libm::log(1.0 + t / tau), libm::log(*e)));
        for (a, b) in points.clone() {
            (xx, xy, x, y) = (xx + a * a, xy + a * b, x + a, y + b);
        }
        let exponent = (n * xy - x * y) / (n * xx - x * x);
        let offset = (y - exponent * x) / n;
        let error: f64 = points.map(|(a, b)| (b - offset - exponent * a).powi(2)).sum();
        (error, exponent)
    };
    let taus = (0..400).map(|k| 0.05 * libm::pow(1000.0, f64::from(k) / 400.0));
    let best = taus.min_by(|a, b| fit(*a).0.total_cmp(&fit(*b).0)).expect("a time");
    (fit(best).1, best)
}

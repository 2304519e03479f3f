//! The same bits on any number of ranks, for any division and both synchronisations.

mod compounds;
mod fast;
mod joints;
mod saved;

use std::sync::Arc;

use nalgebra::UnitQuaternion;

use super::*;
use crate::constraint::ContactSettings;
use crate::constraint::joint::Joints;
use crate::domain::{Cells, Domain, Grid, Subdomains};
use crate::material::Material;
use crate::shape::{Capsule, Cuboid, Sphere};
use crate::simulation::shared_out;
use crate::solid::MassProperties;
use crate::totals::Totals;
use crate::{Census, FixedBodies, FixedBody, Materials, Solids, Surface, Synchronisation};
use cloth_core::partition::methods::power::Diagram;
use cloth_core::ranks::in_process;
use cloth_core::{Vec3, mix};

fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64
}

fn random_vector(k: u64) -> Vec3 {
    Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2)) - Vec3::repeat(0.5)
}

fn body(solids: &Solids, id: u64, shape: Shape, position: Vec3, velocity: Vec3) -> Body {
    let MassProperties { mass, inertia } = solids.mass_properties(&shape, 1000.0);
    let twist = Twist { angular: random_vector(id + 31) * 4.0, linear: velocity };
    let rotation = UnitQuaternion::from_scaled_axis(random_vector(id + 77) * 3.0);
    let state = BodyState { position, rotation, twist };
    Body { id, shape, material: 0, mass, inertia, state, load: Load::NONE }
}

/// Two directions are periodic; along y there is a floor.
fn domain() -> Domain {
    Domain::new(Vec3::new(0.0, -0.5, 0.0), Vec3::new(3.0, 2.5, 3.0), [true, false, true]).unwrap()
}

fn model(subdomains: Subdomains, method: Synchronisation, response: Response) -> RigidModel {
    let surface = Surface { restitution: 0.4, friction: 0.5, rolling: 0.0 };
    let gravity = Vec3::new(0.5, -9.81, 0.25);
    let contacts = ContactSettings { step_s: 4e-3, gravity, penetration_correction: 0.1 };
    let shape = Shape::Box(Cuboid::of_half(Vec3::new(0.4, 0.3, 0.4)));
    let fixed = vec![
        FixedBody::half_space(1_000_000, 0, Vec3::zeros(), Vec3::y()),
        FixedBody::immovable(1_000_001, 0, shape, Vec3::new(1.4, 0.0, 0.3)),
    ];
    RigidModel {
        settings: RigidSettings { contacts, margin_m: 0.01, synchronisation: method, response },
        subdomains: Arc::new(subdomains),
        fixed: FixedBodies::new(fixed),
        materials: Materials::new(&[Material { density: 1000.0, surface }], &[]).unwrap(),
        solids: Solids::default(),
        joints: Joints::default(),
    }
}

/// Spheres, boxes and capsules that fall on the floor, on a lattice with some overlaps.
fn heap() -> Vec<Body> {
    let solids = Solids::default();
    let one = |id: u64| {
        let place = Vec3::new((id % 7) as f64, (id / 49) as f64, (id / 7 % 7) as f64);
        let position = Vec3::new(0.05, 0.3, 0.07) + place * 0.42 + random_vector(id) * 0.05;
        let size = 0.08 + 0.06 * random(id + 5);
        let shape = match id % 3 {
            0 => Shape::Sphere(Sphere { radius_m: size }),
            1 => Shape::Box(Cuboid::of_half(Vec3::new(size, 0.8 * size, 0.9 * size))),
            _ => Shape::Capsule(Capsule { radius_m: 0.8 * size, length_m: 2.0 * 0.4 * size }),
        };
        body(&solids, id, shape, position, random_vector(id + 9) * 2.0)
    };
    (0..4 * 49).map(one).collect()
}

#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    /// The census after each step.
    census: Vec<Census>,
    /// Numbers of contacts, constraints and stopped bodies of each step.
    counts: Vec<[i64; 3]>,
    totals: Totals,
}

fn run(model: &RigidModel, ranks: usize, threads: usize, bodies: &[Body], steps: u32) -> Outcome {
    let model = Arc::new(model.clone());
    let results = in_process::run(ranks, |world| {
        let rank_of = shared_out(model.subdomains.count(), ranks);
        let bodies = bodies.iter().copied();
        let mut simulation = RigidSimulation::new(model.clone(), rank_of, bodies, world, threads)?;
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        for _ in 0..steps {
            let report = simulation.step()?;
            simulation.check_copies()?;
            let own = [report.contacts, report.constraints, report.stopped];
            let mut sums = own.map(|count| count as i64);
            world.all_reduce_sum(&mut sums)?;
            counts.push(sums);
            all.push(Census { copies: 0, ..simulation.census()? });
        }
        Ok(Outcome { census: all, counts, totals: simulation.totals()? })
    });
    results.unwrap().swap_remove(0)
}

fn grid(counts: [u32; 3]) -> Subdomains {
    Subdomains::Grid(Grid::new(domain(), counts).unwrap())
}

fn power_cells(count: u64) -> Subdomains {
    let domain = domain();
    let site = |k: u64| {
        let part = random_vector(k + 4000) + Vec3::repeat(0.5);
        domain.low() + part.component_mul(domain.period())
    };
    let diagram = Diagram {
        sites: (0..count).map(site).collect(),
        potentials: (0..count).map(|k| 0.1 * random(k + 5000)).collect(),
    };
    Subdomains::Cells(Cells::new(domain, diagram, 2.0).unwrap())
}

#[test]
fn bodies_have_the_same_bits_on_any_ranks_division_and_synchronisation() {
    use Synchronisation::{NextNeighbour, ShadowOwner};
    let bodies = heap();
    for response in Response::OF_EACH_KIND {
        let serial = run(&model(grid([1, 1, 1]), ShadowOwner, response), 1, 1, &bodies, 120);
        let contacts: i64 = serial.counts.iter().map(|counts| counts[0]).sum();
        assert!(contacts > 2000, "{contacts} contacts");
        assert!(serial.census.iter().all(|census| census.bodies == 196));
        for (subdomains, method, ranks, threads) in [
            (grid([3, 3, 3]), NextNeighbour, 1, 1),
            (grid([2, 1, 1]), NextNeighbour, 2, 2),
            (grid([3, 2, 3]), ShadowOwner, 3, 1),
            (grid([3, 3, 3]), NextNeighbour, 8, 1),
            (grid([4, 3, 5]), ShadowOwner, 8, 2),
            (power_cells(12), ShadowOwner, 8, 1),
            (power_cells(4), ShadowOwner, 3, 1),
        ] {
            let model = model(subdomains, method, response);
            let outcome = run(&model, ranks, threads, &bodies, 120);
            let first = (0..120).find(|&k| outcome.census[k] != serial.census[k]);
            assert_eq!(
                first, None,
                "{response:?} {method:?} {ranks} ranks: first step that differs"
            );
            assert_eq!(outcome, serial, "{response:?} {method:?} on {ranks} ranks");
        }
    }
}

#[test]
fn a_contact_on_borders_of_subdomains_and_periods_is_treated_once() {
    let periodic = Domain::new(Vec3::repeat(-0.7), Vec3::repeat(2.3), [true; 3]).unwrap();
    let solids = Solids::default();
    // Contact points are at multiples of 0.5 from the corner: on borders, edges and corners.
    let sphere = |id: u64| {
        let place = Vec3::new((id % 6) as f64, (id / 6 % 6) as f64, (id / 36) as f64);
        let position = Vec3::repeat(-0.45) + place * 0.5;
        let shape = Shape::Sphere(Sphere { radius_m: 0.25 + 1e-9 });
        body(&solids, id, shape, position, Vec3::zeros())
    };
    let bodies: Vec<_> = (0..216).map(sphere).collect();
    for (counts, ranks) in [([1, 1, 1], 1), ([2, 2, 2], 8), ([3, 3, 3], 8), ([4, 2, 3], 3)] {
        let subdomains = Subdomains::Grid(Grid::new(periodic, counts).unwrap());
        let mut model = model(subdomains, Synchronisation::NextNeighbour, Response::Ffd);
        model.fixed = FixedBodies::default();
        let outcome = run(&model, ranks, 1, &bodies, 1);
        assert_eq!(outcome.counts[0][0], 3 * 216, "{counts:?}");
    }
}

#[test]
fn one_large_sphere_among_small_ones_has_the_same_bits_on_any_ranks() {
    let mut bodies = heap();
    let velocity = Vec3::new(1.0, -2.0, 0.5);
    bodies.retain(|body| (body.state.position - Vec3::new(1.5, 1.2, 1.6)).norm() > 1.3);
    let shape = Shape::Sphere(Sphere { radius_m: 1.05 });
    bodies.push(body(&Solids::default(), 500, shape, Vec3::new(1.5, 1.2, 1.6), velocity));
    for response in Response::OF_EACH_KIND {
        let of = |counts| model(grid(counts), Synchronisation::ShadowOwner, response);
        let serial = run(&of([1, 1, 1]), 1, 1, &bodies, 60);
        for (counts, ranks) in [([3, 3, 3], 8), ([6, 5, 6], 3)] {
            assert_eq!(run(&of(counts), ranks, 1, &bodies, 60), serial, "{response:?} {counts:?}");
        }
    }
    let next = model(grid([3, 3, 3]), Synchronisation::NextNeighbour, Response::Ffd);
    let refused = in_process::run(1, |world| {
        let bodies = bodies.iter().copied();
        RigidSimulation::new(Arc::new(next.clone()), vec![0; 27], bodies, world, 1).map(|_| ())
    });
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("radius 1.05 m") && error.contains("ShadowOwner"), "{error}");
}

/// The hash of all states after some steps. In each, the owner of a body sets `force` (N) of its id
/// on it, with a small torque.
fn pushed(
    model: RigidModel,
    ranks: usize,
    bodies: &[Body],
    force: impl Fn(BodyId) -> Vec3 + Sync,
) -> u64 {
    let model = Arc::new(model);
    let results = in_process::run(ranks, |world| {
        let rank_of = shared_out(model.subdomains.count(), ranks);
        let all = bodies.iter().copied();
        let mut simulation = RigidSimulation::new(model.clone(), rank_of, all, world, 1)?;
        for _ in 0..5 {
            for body in bodies {
                let population = simulation.population();
                let place = population.place(body.id).filter(|&at| at < population.own_count());
                if place.is_some() {
                    let force = force(body.id);
                    assert!(simulation.push(body.id, force, force * 0.01));
                }
            }
            simulation.step()?;
        }
        simulation.census()
    });
    results.unwrap()[0].states
}

#[test]
fn forces_of_the_user_act_once_on_any_ranks() {
    let model = |counts| model(grid(counts), Synchronisation::ShadowOwner, Response::Ffd);
    let run = |counts, ranks| pushed(model(counts), ranks, &heap(), |id| random_vector(id) * 300.0);
    let serial = run([1, 1, 1], 1);
    assert_eq!(run([3, 3, 3], 8), serial);
    assert_eq!(run([3, 2, 2], 3), serial);
}

/// The way in which two balls bounce depends on the force on each of them. The rank of the contact
/// owns one ball and has a copy of the other, which was there before the force.
#[test]
fn a_copy_that_is_pushed_bounces_as_its_owner_does() {
    use Synchronisation::{NextNeighbour, ShadowOwner};
    let ball = |id: u64, x: f64, speed: f64| {
        let shape = Shape::Sphere(Sphere { radius_m: 0.2 });
        body(&Solids::default(), id, shape, Vec3::new(x, 1.2, 1.0), Vec3::x() * speed)
    };
    for (positions, speeds) in [([1.44, 1.85], [2.0, 0.0]), ([1.15, 1.56], [0.0, -2.0])] {
        let bodies = [0, 1].map(|id| ball(id as u64, positions[id], speeds[id]));
        let force = |id: BodyId| Vec3::x() * (if id == 0 { 3000.0 } else { -3000.0 });
        for response in Response::OF_EACH_KIND {
            let run = |counts, method, ranks| {
                pushed(model(grid(counts), method, response), ranks, &bodies, force)
            };
            let serial = run([1, 1, 1], ShadowOwner, 1);
            assert_eq!(run([2, 1, 1], NextNeighbour, 2), serial, "{response:?}");
            assert_eq!(run([2, 1, 1], ShadowOwner, 2), serial, "{response:?}");
        }
    }
}

#[test]
fn a_new_division_in_the_run_changes_no_bit() {
    let bodies = heap();
    let divisions =
        [grid([3, 3, 3]), power_cells(8), power_cells(3), grid([1, 1, 1])].map(Arc::new);
    let run = |response: Response, ranks: usize, redivides: bool| {
        let model = Arc::new(model(grid([1; 3]), Synchronisation::ShadowOwner, response));
        let results = in_process::run(ranks, |world| {
            let all = bodies.iter().copied();
            let mut simulation = RigidSimulation::new(model.clone(), vec![0], all, world, 1)?;
            let mut migrated = 0;
            for division in &divisions {
                if redivides {
                    let rank_of = shared_out(division.count(), ranks);
                    simulation.redivide(division.clone(), rank_of)?;
                }
                for _ in 0..20 {
                    migrated += simulation.step()?.traffic.migrated;
                }
                simulation.check_copies()?;
            }
            Ok((simulation.census()?, migrated))
        });
        let results = results.unwrap();
        (results[0].0.states, results.iter().map(|(_, migrated)| migrated).sum::<u64>())
    };
    for response in Response::OF_EACH_KIND {
        let (expected, _) = run(response, 1, false);
        let (states, migrated) = run(response, 5, true);
        assert_eq!(states, expected, "{response:?}");
        assert!(migrated > 300, "{migrated}");
    }
}

#[test]
fn a_body_deep_in_another_is_treated_once() {
    let solids = Solids::default();
    let sphere = |id, radius, y: f64| {
        body(
            &solids,
            id,
            Shape::Sphere(Sphere { radius_m: radius }),
            Vec3::new(2.0, y, 2.0),
            Vec3::zeros(),
        )
    };
    let half = Shape::Box(Cuboid::of_half(Vec3::repeat(0.06)));
    for (bodies, counts) in [
        (vec![sphere(0, 0.7, 1.0), sphere(1, 0.05, 1.36)], 3..16),
        (vec![sphere(0, 0.1, -0.34)], 11..12),
        (vec![body(&solids, 0, half, Vec3::new(2.6, -0.34, 2.2), Vec3::zeros())], 11..12),
    ] {
        for response in Response::OF_EACH_KIND {
            let run = |n: u32| {
                let model = model(grid([1, n, 1]), Synchronisation::ShadowOwner, response);
                run(&model, n as usize, 1, &bodies, 2).census
            };
            let expected = run(1);
            for n in counts.clone() {
                assert_eq!(run(n), expected, "{response:?} {n}");
            }
        }
    }
}

#[test]
fn a_body_that_is_deleted_before_a_new_division_is_gone() {
    let bodies = heap();
    let model = Arc::new(model(grid([3; 3]), Synchronisation::ShadowOwner, Response::Ffd));
    let division = Arc::new(power_cells(3));
    let left = in_process::run(2, |world| {
        let bodies = bodies.iter().copied();
        let mut simulation =
            RigidSimulation::new(model.clone(), shared_out(27, 2), bodies, world, 1)?;
        let is_own = simulation.delete(5);
        simulation.redivide(division.clone(), shared_out(3, 2))?;
        simulation.step()?;
        Ok((is_own, simulation.census()?.bodies))
    });
    let left = left.unwrap();
    assert!(left[0].0 != left[1].0);
    assert_eq!(left[0].1, bodies.len() as u64 - 1);
}

#[test]
fn a_body_outside_the_domain_is_named() {
    let model = Arc::new(model(grid([1; 3]), Synchronisation::ShadowOwner, Response::Ffd));
    let shape = Shape::Sphere(Sphere { radius_m: 0.1 });
    let body = body(&Solids::default(), 42, shape, Vec3::new(1.0, 5.0, 1.0), Vec3::zeros());
    let result = in_process::run(1, |world| {
        RigidSimulation::new(model.clone(), vec![0], [body], world, 1).map(|_| ())
    });
    let error = result.unwrap_err().to_string();
    assert!(error.contains("body 42: its centre (1, 5, 1) is outside the domain"), "{error}");
}

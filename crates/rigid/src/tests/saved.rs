//! A saved state goes on as the simulation that it was taken from, bit by bit.

use super::*;
use crate::constraint::joint::{Joint, JointFrame, JointSettings, Second};
use crate::state::records::Records;
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_bodies::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_core::{Error, Result, World};

use Synchronisation::{NextNeighbour, ShadowOwner};

/// Number of steps before the first state is saved.
const BEFORE: u64 = 25;
const STEPS: u64 = 20;

/// A floor, and a paddle that keyframes move through the heap.
fn stirred(subdomains: Subdomains, method: Synchronisation, response: Response) -> Arc<RigidModel> {
    let mut model = model(subdomains, method, response);
    let key = |time_s: f64, angle_deg: f64| Keyframe {
        time_s,
        translation: Vec3::new(3.0, 0.0, 1.0) * time_s,
        axis: Vec3::y(),
        angle_deg,
    };
    let center = Vec3::new(0.5, 0.4, 1.5);
    let keyframes = vec![key(0.0, 0.0), key(0.1, 60.0), key(0.3, 100.0)];
    let shape = Shape::Box(Cuboid::of_half(Vec3::new(0.05, 0.3, 0.4)));
    let mut paddle = FixedBody::immovable(1_000_002, 0, shape, center);
    paddle.motion = Some(KeyframedMotion { center, keyframes });
    let fixed = model.fixed.bodies().iter().cloned().chain([paddle]);
    model.fixed = FixedBodies::new(fixed.collect());
    Arc::new(model)
}

/// The heap, and further bodies: some turn so fast that their radius limits how far ahead their
/// contacts are found, and two, smaller than all others, leave the domain.
fn lively_heap() -> Vec<Body> {
    let mut bodies = heap();
    for body in &mut bodies {
        let x = &mut body.state.position;
        // Dense, and across the corner of the periods.
        *x = domain()
            .wrap(&(Vec3::new(2.3, 0.0, 2.2) + Vec3::new(0.6, 0.62, 0.6).component_mul(x)))
            .0;
        if body.id % 5 == 1 {
            body.state.twist.angular *= 25.0;
        }
    }
    for (id, radius, y) in [(700, 0.05, 2.4), (701, 0.06, 2.2)] {
        let (shape, place) = (Shape::Sphere(Sphere { radius_m: radius }), Vec3::new(1.5, y, 1.5));
        bodies.push(body(&Solids::default(), id, shape, place, Vec3::new(0.5, 3.0, 0.5)));
    }
    bodies
}

fn divisions() -> [Subdomains; 5] {
    [grid([1; 3]), grid([3, 2, 2]), power_cells(3), grid([2, 2, 3]), power_cells(7)]
}

/// What a caller does before step `k`. It sets forces on bodies, some of them by ranks that hold a
/// copy, and two forces on some bodies. It deletes a body.
fn disturb(simulation: &mut RigidSimulation, k: u64) {
    let region = simulation.region().clone();
    let population = simulation.population();
    let (mut forces, mut deleted) = (Vec::new(), Vec::new());
    for (place, body) in population.bodies().iter().enumerate() {
        for side in [-1.0, 1.0].into_iter().filter(|_| body.id < 700 && body.id % 7 == k % 7) {
            let point = body.state.position + Vec3::new(0.05, 0.0, 0.05) * side;
            let (point, _) = region.subdomains().domain().wrap(&point);
            if region.has(region.subdomains().owner(&point)) {
                forces.push((body.id, random_vector(body.id + k) * 90.0 * (side + 3.0)));
            }
        }
        if body.id == 3 * k && place < population.own_count() {
            deleted.push(body.id);
        }
    }
    for (id, force) in forces {
        assert!(simulation.push(id, force, force * 0.01));
    }
    assert!(deleted.into_iter().all(|id| simulation.delete(id)));
}

/// Sums over all ranks of what a step did.
fn counts(report: &RigidReport, world: &dyn World) -> Result<[i64; 4]> {
    let RigidReport { contacts, constraints, stopped, traffic, .. } = *report;
    let mut sums = [contacts, constraints, stopped, traffic.left].map(|count| count as i64);
    world.all_reduce_sum(&mut sums)?;
    Ok(sums)
}

/// The state before each step, and what the step did.
struct Undisturbed {
    states: Vec<Vec<u8>>,
    hashes: Vec<u64>,
    counts: Vec<[i64; 4]>,
}

fn undisturbed(model: &Arc<RigidModel>) -> Undisturbed {
    let results = in_process::run(1, |world| {
        let mut simulation = RigidSimulation::new(model.clone(), vec![0], lively_heap(), world, 1)?;
        let (mut states, mut hashes, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..BEFORE + STEPS {
            disturb(&mut simulation, k);
            if k >= BEFORE {
                states.push(simulation.save()?);
                hashes.push(simulation.hash()?);
            }
            let report = simulation.step()?;
            if k >= BEFORE {
                all.push(counts(&report, world)?);
            }
        }
        assert_eq!(simulation.steps(), BEFORE + STEPS);
        Ok(Undisturbed { states, hashes, counts: all })
    });
    results.unwrap().swap_remove(0)
}

fn assert_same(saved: &[u8], expected: &[u8], when: &str) {
    let [a, b] = [saved, expected].map(|bytes| Records::decode(bytes).unwrap());
    assert_eq!((a.head, &a.deleted, &a.forces), (b.head, &b.deleted, &b.forces), "{when}");
    let differs = a.bodies.iter().zip(&b.bodies).find(|(a, b)| a != b);
    assert!(differs.is_none() && a.bodies.len() == b.bodies.len(), "{when}: {differs:?}");
    let differs = a.impulses.iter().zip(&b.impulses).find(|(a, b)| a != b);
    assert!(differs.is_none() && a.impulses.len() == b.impulses.len(), "{when}: {differs:?}");
    assert!(saved == expected, "{when}");
}

/// Goes on from the state before step `from`, and compares all later states. A new division every
/// few steps must change nothing.
fn follow(
    simulation: &mut RigidSimulation,
    world: &dyn World,
    expected: &Undisturbed,
    from: usize,
    divisions: &[Arc<Subdomains>],
) -> Result<()> {
    simulation.restore(&expected.states[from])?;
    simulation.check_copies()?;
    for k in from..STEPS as usize {
        if k > from {
            disturb(simulation, BEFORE + k as u64);
        }
        if k % 4 == 3 && !divisions.is_empty() {
            let division = divisions[k / 4 % divisions.len()].clone();
            let rank_of = shared_out(division.count(), world.size());
            simulation.redivide(division, rank_of)?;
        }
        let (saved, hash) = (simulation.save()?, simulation.hash()?);
        if world.rank() == 0 {
            assert_same(&saved, &expected.states[k], &format!("before step {k} of {from}"));
        } else {
            assert!(saved.is_empty());
        }
        assert_eq!(hash, expected.hashes[k], "before step {k} of {from}");
        let report = simulation.step()?;
        assert_eq!(counts(&report, world)?, expected.counts[k], "step {k} of {from}");
    }
    Ok(())
}

#[test]
fn a_state_of_any_step_goes_on_alike_on_any_ranks() {
    for response in Response::OF_EACH_KIND {
        let expected = undisturbed(&stirred(grid([1; 3]), ShadowOwner, response));
        let sum = |of: usize| expected.counts.iter().map(|counts| counts[of]).sum::<i64>();
        let [contacts, gone] = [sum(0), sum(3)];
        assert!(contacts > 300 && gone > 0, "{contacts} contacts, {gone} left");
        let all = divisions().map(Arc::new);
        for (ranks, method) in [(1, ShadowOwner), (2, NextNeighbour), (3, ShadowOwner)] {
            let which = if method == NextNeighbour { 3..4 } else { 0..all.len() };
            in_process::run(ranks, |world| {
                let start = |from: usize, bodies: Vec<Body>| {
                    let subdomains = (*all[which.clone()][from % which.len()]).clone();
                    let rank_of = shared_out(subdomains.count(), ranks);
                    let model = stirred(subdomains, method, response);
                    RigidSimulation::new(model, rank_of, bodies, world, 1)
                };
                let mut used = start(0, lively_heap())?;
                for from in 0..STEPS as usize {
                    // A new simulation without bodies, and a simulation that has run already.
                    follow(&mut start(from, Vec::new())?, world, &expected, from, &[])?;
                    follow(&mut used, world, &expected, from, &all[which.clone()])?;
                }
                Ok(())
            })
            .unwrap();
        }
    }
}

/// Three balls and a box on a floor, with kept impulses, a force, and one body that is to be
/// deleted. A joint holds two of the balls together.
fn small() -> (Arc<RigidModel>, Vec<u8>) {
    let mut model = model(grid([1; 3]), ShadowOwner, Response::Nonsmooth { sweeps: 10 });
    let frame = |y: f64| JointFrame { point: Vec3::y() * y, rotation: UnitQuaternion::identity() };
    let joint = Joint {
        first: 1,
        second: Second::Movable(3),
        frames: [frame(-0.1), frame(0.1)],
        settings: JointSettings { collide: true, ..JointSettings::new(JointKind::Ball) },
    };
    model.joints = Joints::new(vec![joint], |_| 0);
    let model = Arc::new(model);
    let solids = Solids::default();
    let ball = |id: u64, x: f64, y: f64| {
        let shape = Shape::Sphere(Sphere { radius_m: 0.1 });
        body(&solids, id, shape, Vec3::new(x, y, 2.0), Vec3::zeros())
    };
    let mut bodies = vec![ball(3, 1.0, 0.1), ball(1, 1.0, 0.3), ball(7, 2.0, 0.1)];
    let shape = Shape::Box(Cuboid::of_half(Vec3::new(0.2, 0.1, 0.2)));
    bodies.push(body(&solids, 5, shape, Vec3::new(0.5, 0.1, 1.0), Vec3::zeros()));
    for body in &mut bodies {
        (body.state.twist, body.state.rotation) = (Twist::ZERO, UnitQuaternion::identity());
    }
    let bytes = in_process::run(1, |world| {
        let bodies = bodies.clone();
        let mut simulation = RigidSimulation::new(model.clone(), vec![0], bodies, world, 1)?;
        for _ in 0..10 {
            simulation.step()?;
        }
        assert!(simulation.push(5, Vec3::x(), Vec3::zeros()));
        assert!(simulation.push(5, Vec3::y(), Vec3::zeros()));
        assert!(simulation.delete(7));
        simulation.save()
    });
    (model, bytes.unwrap().swap_remove(0))
}

/// The lengths of the five lists of a saved state.
fn lengths(bytes: &[u8]) -> [u64; 5] {
    let of = |k: usize| bytes[40 + 8 * k..48 + 8 * k].try_into().unwrap();
    [0, 1, 2, 3, 4].map(|k| u64::from_le_bytes(of(k)))
}

#[test]
fn each_bit_of_a_saved_state_counts() {
    let (model, bytes) = small();
    let [bodies, deleted, forces, impulses, joints] = lengths(&bytes);
    assert_eq!((bodies, deleted, forces, joints), (4, 1, 2, 1));
    assert!(impulses >= 3, "{impulses} impulses");
    let tried = in_process::run(1, |world| {
        let mut simulation = RigidSimulation::new(model.clone(), vec![0], [], world, 1)?;
        simulation.restore(&bytes)?;
        let hash = simulation.hash()?;
        let (mut restored, mut refused) = (0, 0);
        let mut flipped = bytes.clone();
        for bit in 0..8 * bytes.len() {
            flipped[bit / 8] ^= 1 << (bit % 8);
            match simulation.restore(&flipped) {
                Ok(()) => {
                    restored += 1;
                    assert_ne!(simulation.hash()?, hash, "bit {bit}");
                    assert!(simulation.save()? == flipped, "bit {bit}");
                    // It may fail, but it ends.
                    _ = simulation.step();
                }
                Err(error) => {
                    refused += 1;
                    assert!(matches!(error, Error::Input { .. }), "bit {bit}: {error}");
                }
            }
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
        simulation.restore(&bytes)?;
        assert_eq!(simulation.hash()?, hash);
        Ok([restored, refused])
    });
    let [restored, refused] = tried.unwrap()[0];
    assert!(restored > 5000 && refused > 500, "{restored} restored, {refused} refused");
}

#[test]
fn damaged_bytes_are_refused_and_change_nothing() {
    let (model, bytes) = small();
    let more = [&bytes[..], &[0; 8]].concat();
    let mut huge = Vec::new();
    for list in 0..5 {
        for count in [u64::MAX, u64::MAX / 184, 1 << 40, 0] {
            let mut bytes = bytes.clone();
            bytes[40 + 8 * list..48 + 8 * list].copy_from_slice(&count.to_le_bytes());
            huge.push(bytes);
        }
    }
    let cut = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    // The joint holds body 3, which is missing here.
    let bodies = Vec::from_iter(heap().into_iter().filter(|body| body.id != 3));
    in_process::run(1, |world| {
        let bodies = bodies.clone();
        let mut simulation = RigidSimulation::new(model.clone(), vec![0], bodies, world, 1)?;
        simulation.step()?;
        let hash = simulation.hash()?;
        for damaged in cut.clone().chain([more.clone()]).chain(huge.clone()) {
            let error = simulation.restore(&damaged).unwrap_err().to_string();
            assert!(error.contains("saved state of rigid bodies"), "{error}");
        }
        assert_eq!(simulation.hash()?, hash);
        simulation.step()?;
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_state_of_bodies_that_the_model_has_not_is_refused() {
    let (model, bytes) = small();
    let short = Domain::new(Vec3::zeros(), Vec3::repeat(1.5), [false; 3]).unwrap();
    let mut smaller = (*model).clone();
    smaller.subdomains = Arc::new(Subdomains::Grid(Grid::new(short, [1; 3]).unwrap()));
    let refused = in_process::run(1, |world| {
        let model = Arc::new(smaller.clone());
        RigidSimulation::new(model, vec![0], [], world, 1)?.restore(&bytes)
    });
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("body 1") && error.contains("outside the domain"), "{error}");
}

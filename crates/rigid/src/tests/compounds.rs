//! Compounds: a body of two halves moves as one, rings stay linked, and bits do not depend on
//! ranks.

use std::f64::consts::TAU;

use super::*;
use crate::Solid;
use crate::solid::Frame;

/// Advances bodies on one rank. Returns their states after `steps` steps.
fn advance(model: RigidModel, bodies: &[Body], steps: u32) -> Vec<BodyState> {
    let ranks = vec![0; model.subdomains.count()];
    let bodies = bodies.iter().copied();
    let alone = in_process::alone();
    let mut simulation = RigidSimulation::new(Arc::new(model), ranks, bodies, alone, 1).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let population = simulation.population();
    let place = |id| population.place(id).unwrap();
    (0..population.bodies().len() as u64)
        .map(|id| population.bodies().states()[place(id)])
        .collect()
}

fn one_grid(response: Response) -> RigidModel {
    model(grid([1, 1, 1]), Synchronisation::ShadowOwner, response)
}

/// A ring of ten capsules about the z axis.
fn ring(radius: f64, tube: f64) -> (Solid, Frame) {
    let half = radius * (TAU / 20.0).sin();
    let shape = Shape::Capsule(Capsule { radius_m: tube, length_m: 2.0 * half });
    let part = |k: u32| {
        let rotation = UnitQuaternion::from_scaled_axis(Vec3::z() * (TAU * f64::from(k) / 10.0));
        let origin = rotation * Vec3::x() * (radius * (TAU / 20.0).cos());
        (shape, Frame { origin, rotation })
    };
    Solid::compound(&Vec::from_iter((0..10).map(part)), Solids::default(), "ring").unwrap()
}

/// The corners of the polygon inside a ring.
fn polygon(radius: f64, position: &Vec3, rotation: &UnitQuaternion<f64>) -> Vec<Vec3> {
    let corner = |k: u32| {
        let (sine, cosine) = (TAU * (f64::from(k) + 0.5) / 10.0).sin_cos();
        position + rotation * Vec3::new(radius * cosine, radius * sine, 0.0)
    };
    (0..10).map(corner).collect()
}

#[test]
fn two_halves_bounce_as_the_whole_box_does() {
    let half = Vec3::new(0.2, 0.1, 0.15);
    let part = |x: f64| {
        let shape = Shape::Box(Cuboid::of_half(Vec3::new(0.1, 0.1, 0.15)));
        let origin = Vec3::new(x, 0.0, 0.0);
        (shape, Frame { origin, ..Frame::INPUT })
    };
    for response in Response::OF_EACH_KIND {
        let mut model = one_grid(response);
        model.settings.contacts.step_s = 1e-3;
        let parts = [part(0.0), part(0.2)];
        let (halves, frame) = Solid::compound(&parts, Solids::default(), "").unwrap();
        assert!((frame.origin - Vec3::new(0.1, 0.0, 0.0)).norm() < 1e-15);
        let halves = Shape::Solid(model.solids.add(halves));
        let at = |id, shape, x| {
            body(&model.solids, id, shape, Vec3::new(x, 0.7, 1.5), Vec3::new(0.3, -1.0, 0.0))
        };
        let mut bodies = [at(0, Shape::Box(Cuboid::of_half(half)), 0.75), at(1, halves, 2.25)];
        let start = bodies[0].state;
        bodies[1].state.twist = start.twist;
        bodies[1].state.rotation = start.rotation * frame.rotation;
        for steps in [300, 600] {
            let mut highest = model.clone();
            highest.fixed =
                FixedBodies::new(vec![FixedBody::half_space(9, 0, Vec3::zeros(), Vec3::y())]);
            let states = advance(highest, &bodies, steps);
            let apart = states[1].position - states[0].position - Vec3::new(1.5, 0.0, 0.0);
            let turned =
                (states[1].rotation * frame.rotation.inverse()).angle_to(&states[0].rotation);
            println!(
                "{response:?} {steps}: {:e} m, {turned:e} rad, {:?}",
                apart.norm(),
                states[0].twist
            );
            assert!(apart.norm() < 1e-6 && turned < 1e-5, "{response:?}: {apart:?} {turned}");
        }
    }
}

#[test]
fn a_ring_that_falls_stays_in_the_ring_that_holds_it() {
    let (radius, tube) = (0.3, 0.04);
    let (solid, frame) = ring(radius, tube);
    for response in Response::OF_EACH_KIND {
        let mut model = one_grid(response);
        model.settings.contacts.step_s = 1e-3;
        let shape = Shape::Solid(model.solids.add(solid.clone()));
        let middle = Vec3::new(1.5, 1.6, 1.5);
        let mut held = FixedBody::immovable(9, 0, shape, middle + frame.origin);
        held.rotation = frame.rotation;
        model.fixed = FixedBodies::new(vec![held]);
        // The ring that falls lies in the plane across, and its top is in the middle of the other.
        let place = middle - Vec3::y() * radius;
        let turn = UnitQuaternion::from_scaled_axis(Vec3::y() * (TAU / 4.0));
        let mut falling = body(&model.solids, 0, shape, place, Vec3::new(0.4, -0.5, 0.3));
        falling.state.rotation = turn * frame.rotation;
        let corners = polygon(radius, &Vec3::zeros(), &UnitQuaternion::identity());
        for steps in [500, 2000] {
            let state = advance(model.clone(), &[falling], steps)[0];
            let rotation = state.rotation * frame.rotation.inverse();
            let chain = polygon(radius, &(state.position - middle), &rotation);
            // How often the falling ring goes through the disc of the other one, upwards minus
            // downwards.
            let mut through: i32 = 0;
            for (i, a) in chain.iter().enumerate() {
                let b = chain[(i + 1) % 10];
                if (a.z <= 0.0) == (b.z <= 0.0) {
                    continue;
                }
                let x = a + (b - a) * (a.z / (a.z - b.z));
                let is_left = |k: usize| {
                    (corners[(k + 1) % 10] - corners[k]).cross(&(x - corners[k])).z > 0.0
                };
                if (0..10).all(is_left) {
                    through += if b.z > 0.0 { 1 } else { -1 };
                }
            }
            println!(
                "{response:?} {steps}: {through} {:?} {:?}",
                state.position - middle,
                state.twist
            );
            assert_eq!(through.abs(), 1, "{response:?}: {state:?}");
            // It hangs: neither falls nor is thrown out.
            let lowest = -2.0 * radius;
            assert!((state.position - middle).y > lowest - 0.1 * tube, "{response:?}: {state:?}");
        }
    }
}

#[test]
fn compounds_have_the_same_bits_on_any_ranks() {
    let mut solids = Solids::default();
    let (ring, _) = ring(0.1, 0.03);
    let ring = Shape::Solid(solids.add(ring));
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 0.06 } else { -0.06 };
        Vec3::new(side(0), side(1), side(2))
    };
    let mut hulls = Solids::default();
    let (hull, own) = Solid::hull(&Vec::from_iter((0..7).map(corner)), 0.0, "").unwrap();
    let ball = Frame { origin: Vec3::new(0.1, 0.02, 0.0), ..Frame::INPUT };
    let parts =
        [(Shape::Solid(hulls.add(hull)), own), (Shape::Sphere(Sphere { radius_m: 0.05 }), ball)];
    let club = Shape::Solid(solids.add(Solid::compound(&parts, hulls, "").unwrap().0));
    let mut bodies = heap();
    for body in bodies.iter_mut().filter(|body| body.id.is_multiple_of(2)) {
        body.shape = if body.id.is_multiple_of(4) { ring } else { club };
        let MassProperties { mass, inertia } = solids.mass_properties(&body.shape, 1000.0);
        (body.mass, body.inertia) = (mass, inertia);
    }
    for response in Response::OF_EACH_KIND {
        let of = |counts, method| {
            let mut model = model(grid(counts), method, response);
            model.solids = solids.clone();
            model
        };
        let serial = run(&of([1, 1, 1], Synchronisation::ShadowOwner), 1, 1, &bodies, 120);
        let contacts: i64 = serial.counts.iter().map(|counts| counts[0]).sum();
        assert!(contacts > 1000, "{contacts} contacts");
        for (counts, method, ranks, threads) in [
            ([3, 2, 3], Synchronisation::NextNeighbour, 3, 2),
            ([4, 3, 5], Synchronisation::ShadowOwner, 3, 1),
        ] {
            let outcome = run(&of(counts, method), ranks, threads, &bodies, 120);
            assert_eq!(outcome, serial, "{response:?} {method:?}");
        }
    }
}

//! Joints have the same bits on any division, and across a restart.

use super::*;
use crate::FixedBodies;
use crate::constraint::joint::{Joint, JointFrame, JointSettings, Motor, Second, axes_along};
use cloth_bodies::bodies::joints::kind::JointKind;

use Synchronisation::{NextNeighbour, ShadowOwner};

const RESPONSE: Response = Response::Nonsmooth { sweeps: 12 };

/// Settings of all kinds, some with limits, a motor or compliance.
fn settings(id: u64) -> JointSettings {
    use JointKind::{Ball, Distance, Fixed, Hinge, Slider};
    let kind = [Ball, Hinge, Slider, Fixed, Distance][(id % 5) as usize];
    let mut settings = JointSettings::new(kind);
    match kind {
        Hinge => settings.motor = Some(Motor { speed: 3.0, most: 0.5 }),
        Slider => settings.range = [-0.05, 0.05],
        Distance => settings.range = [0.3, 0.5],
        Fixed if id.is_multiple_of(2) => {
            (settings.turn_compliance, settings.turn_damping) = (1e-3, 1.0)
        }
        Ball | Fixed => {}
    }
    settings.collide = id.is_multiple_of(3);
    settings
}

/// Joins bodies of the heap to their neighbours along x, some across the border of the period, some
/// to the fixed box or to space.
fn jointed(mut model: RigidModel, bodies: &[Body]) -> RigidModel {
    let period = Vec3::x() * domain().period().x;
    let joint = |body: &Body| {
        let (id, at) = (body.id, body.id % 7);
        let turn = axes_along(&(random_vector(id) + Vec3::x()));
        let (partner, shift) = match at {
            0 | 1 | 3 | 5 => (id + 1, Vec3::zeros()),
            6 => (id - 6, period),
            _ => return None,
        };
        let settings = settings(id / 7 + at);
        let (second, mut state) = match id {
            0 => (Second::Fixed(1), *model.fixed.state_at(1)),
            98 => (Second::Space, *model.fixed.state_at(FixedBodies::SPACE)),
            _ => (Second::Movable(partner), bodies[partner as usize].state),
        };
        state.position += shift;
        let middle = body.state.position + Vec3::new(0.2, 0.02, -0.03);
        let points = match settings.kind {
            JointKind::Distance if id != 98 => [body.state.position, state.position],
            _ => [middle; 2],
        };
        let frames = [
            JointFrame::of((&body.state.position, &body.state.rotation), &points[0], &turn),
            JointFrame::of((&state.position, &state.rotation), &points[1], &turn),
        ];
        Some(Joint { first: id, second, frames, settings })
    };
    let joints = bodies.iter().filter_map(joint).collect();
    let fixed = model.fixed.clone();
    model.joints = Joints::new(joints, |place| fixed.id(place));
    model.settings.margin_m = 0.05;
    model
}

#[test]
fn joints_have_the_same_bits_on_any_ranks_division_and_synchronisation() {
    let bodies = heap();
    let of = |subdomains, method| jointed(model(subdomains, method, RESPONSE), &bodies);
    let serial = run(&of(grid([1, 1, 1]), ShadowOwner), 1, 1, &bodies, 60);
    for (subdomains, method, ranks, threads) in [
        (grid([3, 3, 3]), NextNeighbour, 1, 1),
        (grid([2, 1, 1]), NextNeighbour, 2, 2),
        (grid([3, 2, 3]), ShadowOwner, 3, 1),
        (grid([4, 3, 5]), ShadowOwner, 8, 2),
        (power_cells(12), ShadowOwner, 8, 1),
    ] {
        let outcome = run(&of(subdomains, method), ranks, threads, &bodies, 60);
        let first = (0..60).find(|&k| outcome.census[k] != serial.census[k]);
        assert_eq!(first, None, "{method:?} {ranks} ranks: first step that differs");
        assert_eq!(outcome, serial, "{method:?} on {ranks} ranks");
    }
}

#[test]
fn joints_go_on_alike_from_a_saved_state_and_in_a_new_division() {
    let bodies = heap();
    let model = Arc::new(jointed(model(grid([1; 3]), ShadowOwner, RESPONSE), &bodies));
    let results = in_process::run(3, |world| {
        let begin = || RigidSimulation::new(model.clone(), vec![0], bodies.clone(), world, 1);
        let mut simulation = begin()?;
        let mut other = begin()?;
        for k in 0..30 {
            simulation.step()?;
            if k == 9 {
                let division = Arc::new(power_cells(7));
                simulation.redivide(division.clone(), shared_out(division.count(), 3))?;
            }
            if k == 19 {
                let saved = cloth_core::ranks::message::all_gather_v(world, &simulation.save()?)?;
                other.restore(&saved)?;
                assert_eq!(other.hash()?, simulation.hash()?);
            }
            if k >= 20 {
                other.step()?;
                assert_eq!(other.hash()?, simulation.hash()?, "step {k}");
            }
        }
        let mut alone = begin()?;
        (0..30).try_for_each(|_| alone.step().map(|_| ()))?;
        assert_eq!(alone.hash()?, simulation.hash()?);
        alone.widest_gap()
    });
    let (gap, _) = results.unwrap()[0].unwrap();
    assert!(gap < 0.01, "{gap}");
}

//! The energy of compliant joints that turn far, in scenes without cloth, by the real binary.

use crate::common::poses::{folder, run_scene};
use crate::common::run::{frames_of, steps_of};

/// A box on a compliant joint of this `kind` with space, in `frames` steps of `step_ms`, with the
/// angular velocity `spin` (rad/s). Returns the energies (J) and the sum of what no work explains.
fn swings(kind: &str, spin: &str, frames: u32, step_ms: u32) -> (Vec<f64>, f64) {
    let rate = 1000 / step_ms;
    let scene = format!(
        r#"(frames: {frames}, frames_per_second: {rate}, steps_per_frame: 1, engine: Contact,
        gravity_m_per_s2: (0, 0, 0), output: (energy: true), bodies: [
            (name: "b", shape: Box(size_m: (0.08, 0.18, 0.04)), material: "oak",
             arrangement: At([(0, 0, 0)]), angular_velocity_rad_per_s: ({spin}))],
        joints: [(kind: {kind}, bodies: Pair("b", "space"), compliance_rad_per_n_m: 0.5)],
        materials: [(name: "oak", density_kg_per_m3: 1000, friction: 0)])"#
    );
    let folder = folder();
    let run = run_scene(&scene, folder.path());
    let frames = frames_of(&run);
    let steps = steps_of(&frames);
    let all = |name: &str| steps.iter().filter_map(|it| it[name].as_f64()).collect::<Vec<_>>();
    (all("energy_j"), all("unexplained_rise_j").iter().sum())
}

/// It swings up to 109 degrees, and tumbles about all axes. With a torque that has no potential it
/// gained 26.9 J beside its 3.6 J.
#[test]
fn a_box_that_swings_far_on_a_soft_joint_gains_nothing() {
    // The energy of a hinge is no longer convex beyond a quarter turn, where a step may gain a little.
    for (kind, share) in [
        ("Fixed", 1e-6),
        ("Slider(axis: (0, 0, 1), limits_m: (-1, 1))", 1e-6),
        ("Hinge(axis: (0, 0, 1))", 0.01),
    ] {
        for (frames, step_ms) in [(3000, 1), (500, 4)] {
            let (energies, rises) = swings(kind, "60, 40, 20", frames, step_ms);
            assert!(rises < share * energies[0], "{kind}, {step_ms} ms: {rises} J");
            let highest = energies.iter().copied().fold(0.0, f64::max);
            assert!(highest < 1.001 * energies[0], "{kind}, {step_ms} ms: {highest} J");
        }
    }
}

/// At 170 rad/s about one axis it turns through half a turn, where the torque changes sign.
#[test]
fn a_box_that_turns_over_on_a_soft_joint_gains_nothing() {
    let (energies, rises) = swings("Fixed", "170, 0, 0", 500, 1);
    assert!(rises < 1e-3 * energies[0], "{rises} J of {} J", energies[0]);
}

//! The engine `Rapier`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::rigid::{BodyId, BodyState};
use cloth_sim::workers::WorkerSimulation;

use crate::common::run::{BINARY, Start, assert_says, finish};
use crate::heap;
use crate::place::{Place, REFERENCE};
use crate::steps::{simulation, simulation_in};

const RAPIER: &str = "Workers(count: 1, engines: [Rapier])";

/// A scene with `steps` steps in 40 ms.
fn scene(steps: u32, bodies: &str, joints: &str, more: &str) -> String {
    format!(
        r#"Scene(frames: 1, frames_per_second: 25, steps_per_frame: {steps}, bodies: [{bodies}],
            joints: [{joints}], parallel: {RAPIER}, domain: (min_m: (-9, 0, -9), max_m: (9, 9, 9)),
            {more})"#
    )
}

/// Materials that leave friction and restitution out.
const PLAIN: &str = r#"materials: [(name: "oak", density_kg_per_m3: 1000)]"#;

fn ball(name: &str, at: &str, more: &str) -> String {
    format!(
        r#"(name: "{name}", shape: Sphere(radius_m: 0.1), material: "oak",
            arrangement: At([({at})]), {more}),"#
    )
}

fn states(of: &WorkerSimulation) -> BTreeMap<BodyId, BodyState> {
    of.whole().population().bodies().iter().map(|body| (body.id, body.state)).collect()
}

/// The bodies after some seconds.
fn after(text: &str, seconds: f64) -> BTreeMap<BodyId, BodyState> {
    let world = in_process::alone();
    let mut of = simulation(text, &*world);
    while of.time_s() < seconds - 1e-9 {
        of.step().expect("a step");
    }
    states(&of)
}

/// Each of the 30 substeps changes the velocity first.
#[test]
fn free_fall_is_that_of_its_integrator() {
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    for steps in [20, 40] {
        let h = 0.04 / f64::from(steps);
        let flies = "velocity: Constant(m_per_s: (1, 2, 0)), angular_velocity_rad_per_s: (3, 4, 5)";
        let text = scene(steps, &ball("ball", "0, 5, 0", flies), "", PLAIN);
        let state = after(&text, 1.0)[&0];
        let parabola = Vec3::new(0.0, 5.0, 0.0) + Vec3::new(1.0, 2.0, 0.0) + 0.5 * gravity;
        let off = state.position - parabola - gravity * h / 60.0;
        assert!(off.norm() < 1e-10, "h = {h}: {off:?}");
        let velocity = Vec3::new(1.0, 2.0, 0.0) + gravity;
        assert!((state.twist.linear - velocity).norm() < 1e-10);
        assert!((state.twist.angular - Vec3::new(3.0, 4.0, 5.0)).norm() < 1e-10);
    }
}

/// The load of a step acts in this step alone.
#[test]
fn a_push_acts_once() {
    let weightless = format!("{PLAIN}, gravity_m_per_s2: (0, 0, 0)");
    let world = in_process::alone();
    let mut of = simulation(&scene(20, &ball("ball", "0, 5, 0", ""), "", &weightless), &*world);
    let body = of.whole().population().bodies().at(0);
    assert!(of.whole_mut().push(0, Vec3::x() * body.mass, Vec3::y() * body.inertia.y));
    for _ in 0..2 {
        of.step().expect("a step");
        let twist = states(&of)[&0].twist;
        assert!((twist.linear - Vec3::x() * 2e-3).norm() < 1e-12, "{twist:?}");
        assert!((twist.angular - Vec3::y() * 2e-3).norm() < 1e-12, "{twist:?}");
    }
}

#[test]
fn a_ball_falls_and_rests_on_the_floor() {
    let state = after(&scene(20, &ball("ball", "0, 0.5, 0", ""), "", PLAIN), 2.0)[&0];
    println!("{state:?}");
    assert!((state.position - Vec3::new(0.0, 0.1, 0.0)).norm() < 1e-3, "{:?}", state.position);
    assert!(state.twist.linear.norm() < 1e-3);
}

/// Three boxes slide or stay on a slope of 30 degrees as their pair of materials says: its own
/// value counts, not the mean.
#[test]
fn friction_is_that_of_the_pair() {
    let slider = |name: &str, z: f64| {
        format!(
            r#"(name: "{name}", shape: Box(size_m: (0.2, 0.1, 0.2)), material: "{name}",
                arrangement: At([(-0.025, 1.0433, {z})]),
                orientation: Turned(axis: (0, 0, 1), angle_deg: 30)),"#
        )
    };
    let ramp = r#"(name: "ramp", shape: Box(size_m: (4, 2, 4)), material: "stone",
        arrangement: At([(0.5, 0.134, 0)]), motion: Immovable,
        orientation: Turned(axis: (0, 0, 1), angle_deg: 30)),"#;
    let bodies =
        [slider("rough", -1.0), slider("mean", 0.0), slider("smooth", 1.0), ramp.into()].concat();
    let more = r#"materials: [
            (name: "rough", density_kg_per_m3: 700), (name: "mean", density_kg_per_m3: 700),
            (name: "smooth", density_kg_per_m3: 700, friction: 1),
            (name: "stone", density_kg_per_m3: 700, friction: 0.5),
        ], material_pairs: [
            (materials: ("rough", "stone"), friction: 0.8, restitution: 0),
            (materials: ("smooth", "stone"), friction: 0, restitution: 0),
        ]"#;
    let text = scene(40, &bodies, "", more).replace("min_m: (-9, 0,", "min_m: (-9, -9,");
    let end = after(&text, 0.5);
    let speeds = [0, 1, 2].map(|id| end[&id].twist.linear.norm());
    let slide = |friction: f64| 9.81 * 0.5 * (0.5 - friction * 3_f64.sqrt() / 2.0);
    let expected = [0.0, slide(0.25), slide(0.0)];
    println!("{speeds:?} {expected:?}");
    for (speed, expected) in speeds.iter().zip(expected) {
        assert!((speed - expected).abs() < 0.02 * 2.45, "{speeds:?} {expected:?}");
    }
}

/// An impact shares out momentum by the masses of the scene.
#[test]
fn masses_are_those_of_the_scene() {
    let bodies = ball("left", "-0.2, 5, 0", "velocity: Constant(m_per_s: (1, 0, 0))")
        + &ball("right", "0.2, 5, 0", "sizes: Constant(2)");
    let more = r#"gravity_m_per_s2: (0, 0, 0),
        materials: [(name: "oak", density_kg_per_m3: 1000, restitution: 1)]"#;
    let end = after(&scene(40, &bodies, "", more), 0.4);
    let speeds = [0, 1].map(|id| end[&id].twist.linear.x);
    println!("{speeds:?}");
    assert!((speeds[0] + 8.0 * speeds[1] - 1.0).abs() < 1e-9, "{speeds:?}");
    assert!((speeds[1] - speeds[0] - 1.0).abs() < 0.02, "{speeds:?}");
}

/// A body on a joint to space, 1 m from it or in it, without gravity unless `more` has some.
fn on_joint(joint: &str, more: &str) -> String {
    let body = r#"(name: "body", shape: Box(size_m: (0.2, 0.2, 0.2)), material: "oak",
        arrangement: At([(0, 5, 0)])),"#;
    let joint = format!(r#"(bodies: Pair("body", "space"), {joint}),"#);
    scene(40, body, &joint, &format!("{PLAIN}, {more}"))
}

#[test]
fn motors_drive_by_their_force_up_to_their_speed() {
    let weightless = "gravity_m_per_s2: (0, 0, 0)";
    let wheel = "kind: Hinge(axis: (0, 0, 1), motor: (speed_deg_per_s: 360, torque_n_m: 0.5))";
    let text = on_joint(wheel, weightless);
    // 8 kg and 0.2 m: 0.0533 kg m^2, 9.375 rad/s^2.
    let spin = |seconds: f64| after(&text, seconds)[&0].twist.angular.z;
    let (early, late) = (spin(0.4), spin(1.2));
    println!("{early} {late}");
    assert!((early - 3.75).abs() < 0.01, "{early}");
    assert!((late - std::f64::consts::TAU).abs() < 1e-4, "{late}");
    let lift = "kind: Slider(axis: (0, 1, 0), limits_m: (-1, 2), \
                motor: (speed_m_per_s: 1, force_n: 100))";
    let state = after(&on_joint(lift, ""), 1.0)[&0];
    println!("{state:?}");
    assert!((state.twist.linear.y - 1.0).abs() < 1e-4, "it lifts 78 N: {state:?}");
}

#[test]
fn limits_hold() {
    for (joint, at) in [
        ("kind: Slider(axis: (0, 1, 0), limits_m: (-0.5, 2))", Vec3::new(0.0, 4.5, 0.0)),
        // The arm turns from the horizontal down to its limit.
        (
            "kind: Hinge(axis: (0, 0, 1), limits_deg: (-30, 10)), at_m: (-1, 5, 0)",
            Vec3::new(-1.0 + 0.75_f64.sqrt(), 4.5, 0.0),
        ),
        ("kind: Distance(to_m: (0, 5.5, 0), max_m: 1), at_m: (0, 5, 0)", Vec3::new(0.0, 4.5, 0.0)),
        ("kind: Distance(to_m: (0, 6, 0)), at_m: (0, 5, 0)", Vec3::new(0.0, 5.0, 0.0)),
        ("kind: Fixed, at_m: (-1, 5, 0)", Vec3::new(0.0, 5.0, 0.0)),
        ("kind: Ball, at_m: (0, 5.3, 0)", Vec3::new(0.0, 5.0, 0.0)),
    ] {
        let state = after(&on_joint(joint, ""), 2.0)[&0];
        println!("{joint}: {:?}", state.position);
        assert!((state.position - at).norm() < 1e-3, "{joint}: {:?}", state.position);
    }
}

/// A spring with a damper comes to rest where its force is the weight.
#[test]
fn joints_give_way_as_their_compliance_says() {
    let soft = "compliance_m_per_n: 1e-3, damping_n_s_per_m: 100";
    let turning = "compliance_rad_per_n_m: 1e-4, damping_n_m_s_per_rad: 1000";
    let weight = 8.0 * 9.81;
    for (joint, at) in [
        (format!("kind: Ball, {soft}"), 5.0 - weight * 1e-3),
        (format!("kind: Fixed, {soft}"), 5.0 - weight * 1e-3),
        (format!("kind: Distance(to_m: (0, 6, 0)), {soft}"), 5.0 - weight * 1e-3),
        // The arm has 1 m.
        (format!("kind: Fixed, at_m: (-1, 5, 0), {turning}"), 5.0 - weight * 1e-4),
    ] {
        let state = after(&on_joint(&joint, "response: Nonsmooth(sweeps: 300)"), 2.0)[&0];
        println!("{joint}: {}", state.position.y);
        assert!((state.position.y - at).abs() < 0.01 * (5.0 - at), "{joint}: {:?}", state.position);
    }
}

#[test]
fn a_body_with_keyframes_carries_a_ball() {
    let lift = r#"(name: "lift", shape: Box(size_m: (1, 0.2, 1)), material: "oak",
        arrangement: At([(0, 0.5, 0)]), motion: Keyframed(keyframes: [
            (time_s: 0), (time_s: 1, translation_m: (1, 0.5, 0)),
        ])),"#;
    let more = r#"materials: [(name: "oak", density_kg_per_m3: 1000, friction: 1)]"#;
    let boxed = r#"(name: "box", shape: Box(size_m: (0.2, 0.2, 0.2)), material: "oak",
        arrangement: At([(0, 0.7, 0)])),"#;
    let state = after(&scene(20, &(boxed.to_owned() + lift), "", more), 0.9)[&0];
    println!("{state:?}");
    assert!((state.position.y - 1.15).abs() < 2e-3, "{state:?}");
    assert!((state.twist.linear - Vec3::new(1.0, 0.5, 0.0)).norm() < 0.01, "{state:?}");
}

/// Two engines in one scene: frames do not depend on ranks, threads and transport.
#[test]
fn frames_do_not_depend_on_ranks() {
    let groups = r#"division: Groups([["balls"], ["boxes"]])"#;
    for (place, parallel, most) in [
        (Place::new(&heap("")), RAPIER.to_owned(), 1),
        (Place::new(&heap("")), format!("Workers(count: 2, engines: [Rapier, Own], {groups})"), 2),
        (Place::new(&heap("")), "Workers(count: 3, engines: [Own, Rapier, Rapier])".into(), 3),
        (Place::of_tests("joints.ron"), "Workers(count: 3, engines: [Own, Rapier, Own])".into(), 3),
    ] {
        let reference = place.run(REFERENCE, &parallel, &[]);
        let own = place.run(REFERENCE, &format!("Workers(count: {most})"), &[]);
        assert!(own.hashes != reference.hashes, "{parallel}");
        let threads = [(1, 2), (2, 1), (2, 2), (3, 1)];
        let threads = threads.map(|(ranks, threads)| (ranks, Start::Threads(ranks, threads)));
        let mpi = [2, 3].map(|ranks| (ranks, Start::Mpi(ranks)));
        let mpi = mpi.into_iter().filter(|_| cfg!(feature = "mpi"));
        for (_, start) in threads.into_iter().chain(mpi).filter(|(ranks, _)| *ranks <= most) {
            assert!(place.run(start, &parallel, &[]) == reference, "{start:?} {parallel}");
        }
    }
}

/// Balls of one engine come to lie on boxes of the other, and both have what touches.
#[test]
fn two_engines_share_bodies() {
    let place = Place::new(&heap(""));
    let groups = r#"Groups([["balls"], ["boxes"]])"#;
    let parallel = format!("Workers(count: 2, engines: [Rapier, Own], division: {groups})");
    place.run(REFERENCE, &parallel, &[]);
    let shared = place.workers(5).iter().filter(|row| row.2.len() == 2).count();
    assert!(shared > 0, "balls lie on boxes");
    let checked = finish(Command::new(&*BINARY).arg("check").arg(place.folder()));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// The gaps of both engines are compared with those of one worker with either.
#[test]
fn a_bridge_of_two_engines_stays_together() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/bridge");
    let text = fs::read_to_string(home.join("two_way_bridge.ron")).expect("the scene");
    let end = |parallel: &str| {
        let text = text.replacen("Scene(", &format!("Scene(parallel: {parallel}, "), 1);
        let world = in_process::alone();
        let mut bridge = simulation_in(&home, &text, &*world);
        let mut gap: f64 = 0.0;
        for _ in 0..500 {
            gap = gap.max(bridge.step().expect("a step").joint_gap_m);
        }
        (gap, states(&bridge))
    };
    let (_, reference) = end("Workers(count: 1)");
    for (parallel, most_gap, most_off) in [
        (RAPIER, 1e-3, 1e-3),
        ("Workers(count: 2, engines: [Own, Rapier])", 1e-2, 1e-2),
        ("Workers(count: 2, engines: [Own])", 1e-2, 1e-2),
    ] {
        let (gap, states) = end(parallel);
        let off = |id: &BodyId| (states[id].position - reference[id].position).norm();
        let off = reference.keys().map(off).fold(0.0, f64::max);
        println!("{parallel}: widest joint {gap:.2e} m, farthest body {off:.2e} m");
        assert!(gap < most_gap && off < most_off, "{parallel}: {gap} {off}");
    }
}

#[test]
fn what_it_cannot_have_is_refused() {
    let refused = |text: String, words: &[&str]| {
        let place = Place::new(&text);
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
        fs::write(place.home.path().join("wedge.obj"), obj).expect("a mesh is written");
        place.assert_refused(REFERENCE, RAPIER, words);
    };
    let mesh = |motion: &str| {
        let mesh = format!(
            r#"(name: "wedge", shape: Mesh("wedge.obj"), material: "oak", motion: {motion},
                arrangement: At([(0, 5, 0)])),"#
        );
        scene(20, &(ball("ball", "3, 5, 3", "") + &mesh), "", PLAIN)
    };
    let words = ["bad.ron: bodies[1].shape", "`wedge` is a closed mesh", "`Hull`", "`Compound`"];
    refused(mesh("Free"), &words);
    refused(mesh("Immovable"), &words);
    let rope = "kind: Distance(to_m: (0, 6, 0), max_m: 2)";
    let words = ["bad.ron: joints[0].compliance_m_per_n", "no ropes that give way", "[Own]"];
    refused(on_joint(&format!("{rope}, compliance_m_per_n: 1e-3"), ""), &words);
    let words = ["bad.ron: joints[0].kind.min_m", "no least distance", "[Own]"];
    refused(on_joint("kind: Distance(to_m: (0, 6, 0), min_m: 0.5)", ""), &words);
}

/// What Rapier remembers is not saved: its runs have no checkpoints, and begin again.
#[test]
fn a_run_makes_no_checkpoints() {
    let place = Place::new(&heap(""));
    let asked = finish(&mut place.command(REFERENCE, RAPIER, &["--checkpoint-every", "1"]));
    assert_says(&asked, &["--checkpoint-every", "no checkpoints", "leave it out"]);
    let whole = place.run(REFERENCE, RAPIER, &[]);
    place.run(REFERENCE, RAPIER, &["--frames", "2"]);
    let output = place.resume(&["--frames", "5", "--ranks", "1", "--threads", "1"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(place.outcome() == whole);
    let world = in_process::alone();
    let of = simulation(&heap(&format!("parallel: {RAPIER}")), &*world);
    assert!(of.save().expect_err("nothing is saved").to_string().contains("cannot be saved"));
}

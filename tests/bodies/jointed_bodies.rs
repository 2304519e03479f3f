//! Joints of rigid bodies in scenes of cloth, by the real binary: closed forms and momentum.

use std::f64::consts::PI;

use crate::common::poses::{Poses, folder, poses, run_text};
use crate::common::run::{frames_of, steps_of};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

type Vec3 = Vector3<f64>;

const G: f64 = 9.81;

/// A scene of `bodies` of 500 kg/m^3 and `joints`. A small cloth lies aside.
fn scene(bodies: &str, joints: &str, fields: &str) -> String {
    format!(
        r#"(cloths: [(shape: Sheet(width_m: 0.02, length_m: 0.02, columns: 2, rows: 2),
            transform: (translation_m: (0, 50, 0)), material: Fabric("cotton"),
            pins: [(select: Box(min_m: (-1, 49, -1), max_m: (1, 51, 1)))])],
        bodies: [{bodies}], joints: [{joints}],
        materials: [(name: "oak", density_kg_per_m3: 500, friction: 0.3)], {fields})"#
    )
}

/// A box of sizes `size` (m) at `at` (m), with more `fields`.
fn block(name: &str, size: [f64; 3], at: [f64; 3], fields: &str) -> String {
    let [[a, b, c], [x, y, z]] = [size, at];
    format!(
        r#"(name: "{name}", shape: Box(size_m: ({a}, {b}, {c})), material: "oak",
        arrangement: At([({x}, {y}, {z})]), {fields}),"#
    )
}

/// The poses in all frames up to the `last` one of a scene. Its energy must not rise by more than
/// `share` of all that moves.
fn run(text: &str, last: u64, share: f64) -> Vec<Poses> {
    let folder = folder();
    let said = run_text(text, folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let out = folder.path().join("out");
    let steps = frames_of(&out);
    let sum = |name: &str| steps_of(&steps).iter().filter_map(|it| it[name].as_f64()).sum::<f64>();
    let moved = sum("work_j").abs().max(1e-3);
    assert!(sum("unexplained_rise_j") <= share * moved, "{} J", sum("unexplained_rise_j"));
    (0..=last).map(|frame| poses(&out, frame)).collect()
}

fn vector(of: &[f64]) -> Vec3 {
    Vec3::from_column_slice(of)
}

fn rotation(pose: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(pose[3], pose[4], pose[5], pose[6]))
}

/// A point of the frame of a body in space, m.
fn at(pose: &[f64], own: Vec3) -> Vec3 {
    vector(&pose[..3]) + rotation(pose) * own
}

#[test]
fn a_rod_swings_in_the_period_of_a_pendulum() {
    // It hangs on a ball joint at its upper end, turned by 0.1 rad about a horizontal axis that is not
    // one of the coordinates.
    let (axis, angle) = (Vec3::new(0.6, 0.0, 0.8), 0.1_f64);
    let turn = UnitQuaternion::from_scaled_axis(axis * angle);
    let end = turn * Vec3::new(0.0, 0.1, 0.0);
    let degrees = angle.to_degrees();
    let turned = format!("orientation: Turned(axis: (0.6, 0, 0.8), angle_deg: {degrees}),");
    let rod = block("rod", [0.02, 0.2, 0.02], [0.0; 3], &turned);
    let joint = format!(
        r#"(kind: Ball, bodies: Pair("rod", "space"), at_m: ({}, {}, {}))"#,
        end.x, end.y, end.z
    );
    let fields =
        "frames: 60, frames_per_second: 50, steps_per_frame: 20, gravity_m_per_s2: (0, -9.81, 0)";
    let frames = run(&scene(&rod, &joint, fields), 60, 0.0);
    // J / (m g l), with the moment of inertia about the end, and the series of the period.
    let length = (0.04 / 12.0 + 0.0004 / 12.0 + 0.01) / (G * 0.1);
    let period = 2.0 * PI * length.sqrt() * (1.0 + angle * angle / 16.0);
    let angles =
        Vec::from_iter(frames.iter().map(|it| rotation(&it["rod"]).scaled_axis().dot(&axis)));
    let turns = angles.windows(2).enumerate().filter(|(_, pair)| pair[0] * pair[1] < 0.0);
    let zeros =
        Vec::from_iter(turns.map(|(k, pair)| (k as f64 + pair[0] / (pair[0] - pair[1])) * 0.02));
    let found = 2.0 * (zeros[2] - zeros[0]) / 2.0;
    assert!((found / period - 1.0).abs() < 1e-3, "{found} instead of {period} s");
    for pose in frames.iter().map(|it| &it["rod"]) {
        assert!((at(pose, Vec3::new(0.0, 0.1, 0.0)) - end).norm() < 1e-6, "{pose:?}");
    }
}

/// A chain of `links` of 5 cm from (0, 1, 0) with the `slopes` (rad) in the vertical plane at `plane`
/// (rad) about y, hung up at its start, and at its end if `is_closed`. Returns the ends of the links.
fn chain(slopes: &[f64], plane: f64, is_closed: bool) -> (String, String, Vec<Vec3>) {
    let along = Vec3::new(plane.cos(), 0.0, -plane.sin());
    let (mut ends, mut bodies, mut joints) = (vec![Vec3::y()], String::new(), String::new());
    for (k, slope) in slopes.iter().enumerate() {
        let [from, way] = [ends[k], (along * slope.cos() + Vec3::y() * slope.sin()) * 0.05];
        let turn = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), plane)
            * UnitQuaternion::from_axis_angle(&Vec3::z_axis(), *slope);
        let (axis, angle) =
            turn.axis_angle().map_or((Vec3::y(), 0.0), |(a, b)| (a.into_inner(), b));
        let (angle, middle) = (angle.to_degrees(), from + way / 2.0);
        let turned = format!(
            "orientation: Turned(axis: ({}, {}, {}), angle_deg: {angle}),",
            axis.x, axis.y, axis.z
        );
        bodies += &block(&format!("l{k}"), [0.04, 0.008, 0.008], middle.into(), &turned);
        let before = if k == 0 { "space".to_owned() } else { format!("l{}", k - 1) };
        joints += &ball(&format!("l{k}"), &before, from);
        ends.push(from + way);
    }
    if is_closed {
        joints += &ball(&format!("l{}", slopes.len() - 1), "space", ends[slopes.len()]);
    }
    (bodies, joints, ends)
}

fn ball(first: &str, second: &str, at: Vec3) -> String {
    let Vec3 { data, .. } = at;
    let [x, y, z] = data.0[0];
    format!(r#"(kind: Ball, bodies: Pair("{first}", "{second}"), at_m: ({x}, {y}, {z})),"#)
}

/// Between held ends without slack its forces are hundreds of times its weight. They open its joints,
/// which is no error, and their arms turn with its links.
#[test]
fn a_taut_chain_neither_gains_energy_nor_needs_repairs() {
    let (bodies, joints, _) = chain(&[0.0; 60], 0.4, true);
    let fields = "frames: 25, steps_per_frame: 10, gravity_m_per_s2: (0, -9.81, 0)";
    let folder = folder();
    let said = run_text(&scene(&bodies, &joints, fields), folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let frames = frames_of(&folder.path().join("out"));
    let steps = steps_of(&frames);
    let sum = |name: &str| steps.iter().filter_map(|it| it[name].as_f64()).sum::<f64>();
    assert!(sum("unexplained_rise_j") < 1e-5, "{} J", sum("unexplained_rise_j"));
    assert_eq!((steps.len(), sum("repairs"), sum("redone_steps")), (250, 0.0, 0.0));
}

#[test]
fn a_chain_in_the_catenary_of_its_links_stays_there() {
    // The slope of link i is that of the forces at its middle.
    let slopes = Vec::from_iter((0..30).map(|i| (0.08 * (f64::from(i) - 14.5)).atan()));
    let (bodies, joints, ends) = chain(&slopes, 0.7, true);
    let fields =
        "frames: 10, frames_per_second: 10, steps_per_frame: 25, gravity_m_per_s2: (0, -9.81, 0)";
    let frames = run(&scene(&bodies, &joints, fields), 10, 1e-3);
    for (k, ends) in ends.windows(2).enumerate() {
        let pose = &frames[10][&format!("l{k}")];
        for (end, x) in ends.iter().zip([-0.025, 0.025]) {
            let off = (at(pose, Vec3::new(x, 0.0, 0.0)) - end).norm();
            assert!(off < 2e-5, "link {k} is off by {off} m");
        }
        assert!(vector(&pose[7..10]).norm() < 1e-4, "link {k}: {pose:?}");
    }
}

#[test]
fn a_chain_carries_a_hundred_times_its_link_and_takes_no_more_iterations() {
    for steps in [4, 40] {
        let (mut bodies, mut joints, ends) = chain(&[0.0; 15], 0.4, false);
        let last = ends[15] + Vec3::new(0.4_f64.cos(), 0.0, -0.4_f64.sin()) * 0.1;
        bodies += &block("load", [0.064, 0.04, 0.1], last.into(), "");
        joints += &ball("load", "l14", ends[15]);
        let fields =
            format!("frames: 12, steps_per_frame: {steps}, gravity_m_per_s2: (0, -9.81, 0)");
        let folder = folder();
        let said = run_text(&scene(&bodies, &joints, &fields), folder.path());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let frames = frames_of(&folder.path().join("out"));
        let steps = steps_of(&frames);
        let number = |step: &&serde_json::Value, name: &str| step[name].as_f64().expect("a number");
        let gap = steps.iter().map(|step| number(step, "joint_gap_m")).fold(0.0, f64::max);
        assert!(gap < 1e-4, "{gap} m");
        let sum = |name: &str| steps.iter().map(|step| number(step, name)).sum::<f64>();
        let solves = sum("solves") + sum("repairs");
        assert!(sum("cg_iterations") <= 2.0 * solves, "{} in {solves}", sum("cg_iterations"));
    }
}

#[test]
fn limits_motors_drives_and_springs_hold_as_they_say() {
    let rod = |name: &str, x: f64| block(name, [0.2, 0.02, 0.02], [x + 0.1, 0.0, 0.0], "");
    let cube = |name: &str, x: f64| block(name, [0.05; 3], [x, 0.0, 0.0], "");
    let names = ["limit", "motor", "drive", "screw"];
    let mut bodies: String = (0..).zip(names).map(|(k, name)| rod(name, f64::from(k))).collect();
    bodies += &(cube("slider", 4.0) + &cube("rope", 5.0) + &cube("spring", 6.0));
    let hinge = |x: f64, name: &str, more: &str| {
        format!(
            r#"(kind: Hinge(axis: (0, 0, 1), {more}), bodies: Pair("{name}", "space"), at_m: ({x}, 0, 0)),"#
        )
    };
    let joints = hinge(0.0, "limit", "limits_deg: (-30, 90)")
        + &hinge(1.0, "motor", "motor: (speed_deg_per_s: 90, torque_n_m: 1)")
        + &hinge(
            2.0,
            "drive",
            "drive: (stiffness_n_m_per_rad: 5, damping_n_m_s_per_rad: 0.3, keyframes: [(time_s: 0, angle_deg: 0), \
             (time_s: 0.5, angle_deg: 60)])",
        )
        + &hinge(
            3.0,
            "screw",
            "drive: (stiffness_n_m_per_rad: 5, damping_n_m_s_per_rad: 0.3, keyframes: [(time_s: 0, angle_deg: 0), \
             (time_s: 0.5, angle_deg: 720)])",
        )
        .replace("axis: (0, 0, 1)", "axis: (0, 1, 0)")
        + r#"(kind: Slider(axis: (1, -1, 0), limits_m: (-0.1, 5)), bodies: Pair("slider", "space")),
        (kind: Distance(to_m: (5, 0.5, 0), max_m: 0.6), bodies: Pair("rope", "space")),
        (kind: Ball, bodies: Pair("spring", "space"), compliance_m_per_n: 0.01, damping_n_s_per_m: 2),"#;
    let (mass_of_rod, mass_of_cube) = (0.04, 0.0625);
    for steps in [4, 10, 40] {
        let step_s = 0.04 / f64::from(steps);
        let fields =
            format!("frames: 25, steps_per_frame: {steps}, gravity_m_per_s2: (0, -9.81, 0)");
        let frames = run(&scene(&bodies, &joints, &fields), 25, 1e-2);
        let angle = |name: &str, frame: usize| {
            rotation(&frames[frame][name]).scaled_axis().dot(&Vec3::z()).to_degrees()
        };
        let place = |name: &str, frame: usize| vector(&frames[frame][name][..3]);
        assert!((angle("limit", 25) + 30.0).abs() < 0.01, "{}", angle("limit", 25));
        assert!(vector(&frames[25]["limit"][10..13]).norm() < 1e-6, "{:?}", frames[25]["limit"]);
        let speed = (angle("motor", 25) - angle("motor", 20)) / 0.2;
        assert!((speed - 90.0).abs() < 1.0, "{speed}");
        let aim = (0..50).fold(1.0_f64, |turn, _| {
            60.0_f64.to_radians() - mass_of_rod * G * 0.1 * turn.cos() / 5.0
        });
        assert!((angle("drive", 25) - aim.to_degrees()).abs() < 0.1, "{}", angle("drive", 25));
        // After two turns the screw stands where it began.
        let turned = rotation(&frames[25]["screw"]).angle().to_degrees();
        assert!(turned < 0.1 && frames[25]["screw"][11].abs() < 0.1, "{:?}", frames[25]["screw"]);
        // The slope of 45 degrees, with the velocity of the end of each step.
        let way = (place("slider", 10) - place("slider", 0)).norm();
        let free = 0.5 * G * 0.5_f64.sqrt() * 0.4 * (0.4 + step_s);
        assert!((way / free - 1.0).abs() < 1e-4, "{way} instead of {free}");
        assert!((place("rope", 25).y + 0.1).abs() < 1e-5, "{}", place("rope", 25).y);
        let sag = mass_of_cube * G * 0.01;
        assert!((place("spring", 25).y + sag).abs() < 0.01 * sag, "{}", place("spring", 25).y);
    }
}

#[test]
fn a_motor_exerts_no_more_than_its_torque() {
    // Without gravity: angular acceleration torque / J until the speed of 10 turns a second.
    let wheel = block("wheel", [0.2, 0.2, 0.02], [0.0; 3], "");
    let joint = r#"(kind: Hinge(axis: (0, 0, 1), motor: (speed_deg_per_s: 3600, torque_n_m: 0.02)),
        bodies: Pair("wheel", "space"))"#;
    let fields =
        "frames: 10, frames_per_second: 10, steps_per_frame: 100, gravity_m_per_s2: (0, 0, 0)";
    let frames = run(&scene(&wheel, joint, fields), 10, 1e-6);
    let inertia = 0.4 * (0.04 + 0.04) / 12.0;
    for (k, frame) in frames.iter().enumerate() {
        let expected = 0.02 / inertia * 0.1 * k as f64;
        let found = frame["wheel"][12];
        assert!((found - expected).abs() <= 0.02 * expected, "{found} instead of {expected} rad/s");
    }
}

#[test]
fn a_brake_that_is_too_weak_lets_a_rod_fall_by_the_rest() {
    let rod = block("rod", [0.2, 0.02, 0.02], [0.1, 0.0, 0.0], "");
    let joint = r#"(kind: Hinge(axis: (0, 0, 1), motor: (speed_deg_per_s: 0, torque_n_m: 0.02)),
        bodies: Pair("rod", "space"), at_m: (0, 0, 0))"#;
    let fields =
        "frames: 10, frames_per_second: 50, steps_per_frame: 20, gravity_m_per_s2: (0, -9.81, 0)";
    let frames = run(&scene(&rod, joint, fields), 10, 1e-3);
    let (mass, inertia) = (0.04, 0.04 * (0.04 / 3.0 + 0.0004 / 12.0));
    let pose = &frames[10]["rod"];
    let angle = -rotation(pose).scaled_axis().z;
    let expected = mass * G * 0.1 * angle.sin() - 0.02 * angle;
    let found = 0.5 * inertia * pose[12] * pose[12];
    assert!(angle > 0.3 && (found / expected - 1.0).abs() < 0.05, "{angle}: {found}, {expected} J");
}

#[test]
fn an_arm_on_a_crank_gets_its_energy_from_the_crank() {
    let crank = block(
        "crank",
        [0.02, 0.1, 0.02],
        [0.0; 3],
        "motion: Keyframed(keyframes: [(), (time_s: 1, axis: (0, 0.6, 0.8), angle_deg: 720)])",
    );
    let bodies = crank + &block("arm", [0.02, 0.08, 0.02], [0.0, 0.1, 0.0], "");
    let joint = r#"(kind: Ball, bodies: Pair("arm", "crank"), at_m: (0, 0.055, 0))"#;
    for steps in [8, 20, 40] {
        let fields =
            format!("frames: 25, steps_per_frame: {steps}, gravity_m_per_s2: (0, -9.81, 0)");
        let frames = run(&scene(&bodies, joint, &fields), 25, 1e-2);
        // It goes around with the crank, which turns twice a second.
        assert!(vector(&frames[20]["arm"][7..10]).norm() > 0.3, "{:?}", frames[20]["arm"]);
    }
}

#[test]
fn bodies_that_only_joints_hold_keep_their_momentum_and_stay_together() {
    let spin =
        "angular_velocity_rad_per_s: (3, -2, 5), velocity: Constant(m_per_s: (0.3, 1, -0.2)),";
    let bodies = block("a", [0.1, 0.06, 0.08], [0.0; 3], spin)
        + &block("b", [0.1, 0.05, 0.08], [0.12, 0.01, 0.02], "")
        + &block("c", [0.04, 0.2, 0.04], [0.2, 0.15, 0.0], "");
    let joints = r#"(kind: Fixed, bodies: Pair("a", "b")),
        (kind: Hinge(axis: (1, 2, -1)), bodies: Pair("c", "b"), at_m: (0.2, 0.05, 0.01))"#;
    let fields = "frames: 20, frames_per_second: 20, steps_per_frame: 50, gravity_m_per_s2: (0, 0, 0), \
        solver: (relative_residual: 1e-12)";
    let frames = run(&scene(&bodies, joints, fields), 20, 1e-3);
    let sizes = [("a", [0.1, 0.06, 0.08]), ("b", [0.1, 0.05, 0.08]), ("c", [0.04, 0.2, 0.04])];
    let momentum = |frame: &Poses| {
        let of =
            |(name, [x, y, z]): (&str, [f64; 3])| vector(&frame[name][7..10]) * (500.0 * x * y * z);
        sizes.map(of).iter().sum::<Vec3>()
    };
    let (start, end) = (momentum(&frames[0]), momentum(&frames[20]));
    assert!((end - start).norm() < 1e-9 * start.norm(), "{start:?} {end:?}");
    let held = |frame: &Poses| rotation(&frame["a"]).inverse() * rotation(&frame["b"]);
    assert!(held(&frames[20]).angle_to(&held(&frames[0])) < 1e-4);
}

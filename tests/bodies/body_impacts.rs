//! Impacts of bodies in the step of cloth: momentum, Coulomb's bound, slow and plastic impacts; and
//! skin that gives way to bodies.

use crate::common::poses::{folder, poses, run_scene};
use crate::common::run::{Start, simulate};

/// A scene of `bodies` of oak with `friction` and `restitution`, in 0.16 s of steps of `step_ms`.
fn scene(step_ms: u32, gravity: f64, [friction, restitution]: [f64; 2], bodies: &str) -> String {
    let per_second = 1000 / step_ms;
    format!(
        r#"(frames: {}, frames_per_second: {per_second}, steps_per_frame: 1, engine: Contact,
        gravity_m_per_s2: (0, {gravity}, 0), bodies: [{bodies}],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: {friction},
            restitution: {restitution})])"#,
        160 / step_ms
    )
}

fn ball(name: &str, x: f64, velocity: &str) -> String {
    format!(
        r#"(name: "{name}", shape: Sphere(radius_m: 0.03), material: "oak",
        arrangement: At([({x}, 0.034, 0)]), velocity: Constant(m_per_s: {velocity})),"#
    )
}

/// The third ball is hit in a step in which the first two already touch. Repairs of a part of them
/// gained a third of the momentum.
#[test]
fn a_row_of_balls_keeps_its_momentum() {
    let row = [("a", -0.1, "(1, 0, 0)"), ("b", 0.0611, "(0, 0, 0)"), ("c", 0.1222, "(0, 0, 0)")];
    let row = row.map(|(name, x, velocity)| ball(name, x, velocity)).concat();
    for step_ms in [1, 4, 10] {
        for restitution in [0.0, 0.5, 1.0] {
            let folder = folder();
            let run = run_scene(&scene(step_ms, 0.0, [0.2, restitution], &row), folder.path());
            let end = poses(&run, u64::from(160 / step_ms));
            let sum: f64 = end.values().map(|pose| pose[7]).sum();
            assert!((sum - 1.0).abs() < 2e-5, "{step_ms} ms, {restitution}: {sum} m/s in all");
        }
    }
}

/// A capsule that falls straight on a floor without friction turns, and does not slide.
#[test]
fn without_friction_nothing_pushes_sideways() {
    let bodies = r#"(name: "pin", shape: Capsule(radius_m: 0.02, length_m: 0.2), material: "oak",
            orientation: Turned(axis: (0, 0, 1), angle_deg: 30), arrangement: At([(0, 0.2, 0)]),
            velocity: Constant(m_per_s: (0, -2, 0))),
        (name: "floor", shape: HalfSpace, material: "oak", motion: Immovable)"#;
    for step_ms in [1, 4, 10] {
        let folder = folder();
        let run = run_scene(&scene(step_ms, -9.81, [0.0, 0.5], bodies), folder.path());
        let pin = &poses(&run, u64::from(160 / step_ms))["pin"];
        assert!(pin[12].abs() > 1.0, "{step_ms} ms: it turns, {} rad/s", pin[12]);
        let side = pin[7].hypot(pin[9]);
        assert!(side < 1e-4, "{step_ms} ms: {side} m/s sideways");
    }
}

/// The way of a slow ball in a step is less than the contact distance.
#[test]
fn slow_balls_give_back_their_share_and_no_more() {
    let speeds: Vec<f64> = (0..24).map(|i| 0.05 + 0.06 * f64::from(i)).collect();
    let place = |(i, speed): (usize, &f64)| {
        ball(&format!("b{i}"), 0.1 * i as f64, &format!("(0, {}, 0)", -speed))
    };
    let mut balls: String = speeds.iter().enumerate().map(place).collect();
    balls.push_str(r#"(name: "floor", shape: HalfSpace, material: "oak", motion: Immovable)"#);
    for share in [0.0, 0.3] {
        let folder = folder();
        let run = run_scene(&scene(1, 0.0, [0.4, share], &balls), folder.path());
        let end = poses(&run, 160);
        for (i, speed) in speeds.iter().enumerate() {
            let given = end[&format!("b{i}")][8] / speed;
            assert!((given - share).abs() < 2e-3, "{share}, {speed} m/s: {given}");
        }
    }
}

/// A scene of `bodies` between two slabs whose skin gives way. The upper one comes down by 6 cm, to
/// 4 cm above the lower one, and goes up again.
fn press(frames: u32, steps: u32, restitution: f64, bodies: &str) -> String {
    let slab = |name: &str, y: f64, motion: &str| {
        format!(
            r#"(name: "{name}", shape: Box(size_m: (0.4, 0.1, 0.4), edge_m: 0.02), touch: "oak",
            transform: (translation_m: (0, {y}, 0)), on_pinch: Yield(){motion}),"#
        )
    };
    let falls = ", motion: (keyframes: [(), (time_s: 0.16, translation_m: (0, -0.06, 0)),
        (time_s: 0.32, translation_m: (0, -0.06, 0)), (time_s: 0.48)])";
    format!(
        r#"(frames: {frames}, frames_per_second: 50, steps_per_frame: {steps}, engine: Contact,
        obstacles: [{}{}], bodies: [{bodies}],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4,
            restitution: {restitution})])"#,
        slab("press", -0.05, ""),
        slab("top", 0.15, falls)
    )
}

/// Skin that returned while bodies were between its parts had no room there. Repairs threw it by more
/// than a metre.
#[test]
fn skin_gives_way_to_stacked_boxes_and_comes_back() {
    let boxes = r#"(name: "box", shape: Box(size_m: (0.04, 0.03, 0.04)), material: "oak",
        arrangement: At([(0, 0.017, 0), (0, 0.048, 0)]))"#;
    for steps in [20, 5, 2] {
        let folder = folder();
        let run = run_scene(&press(28, steps, 0.0, boxes), folder.path());
        let frames = std::fs::read_to_string(run.join("steps.jsonl")).expect("steps.jsonl");
        let frames = frames.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
        let frames: Vec<serde_json::Value> = frames.collect();
        let offsets_m = |frame: &serde_json::Value| {
            let skins = frame["yielded"].as_array().map_or(&[][..], |it| it);
            skins.iter().filter_map(|it| it["largest_offset_m"].as_f64()).sum::<f64>()
        };
        // The boxes are higher by 2 cm than the room of the slabs, surfaces keep some distance, and soft
        // skin overshoots.
        let largest_m = frames.iter().map(offsets_m).fold(0.0, f64::max);
        assert!((0.02..0.05).contains(&largest_m), "{steps}: {largest_m}");
        assert_eq!(offsets_m(&frames[27]), 0.0, "{steps}: all is back");
        assert!(frames.iter().all(|frame| frame["waiting"].is_null()), "{steps}");
        let risen_j = frames.iter().flat_map(|it| it["steps"].as_array()).flatten();
        let risen_j: f64 = risen_j.filter_map(|it| it["unexplained_rise_j"].as_f64()).sum();
        assert!(risen_j < 2e-3, "{steps}: {risen_j} J");
    }
}

/// Where skin gives way between bodies, a rank does not see all contacts of a pair of surfaces.
#[test]
fn skin_between_bodies_has_the_same_bits_on_any_number_of_ranks() {
    let bodies = r#"(name: "ball", shape: Sphere(radius_m: 0.03), material: "oak",
             arrangement: Grid(count: (3, 1, 3), origin_m: (-0.1, 0.0321, -0.1), spacing_m: 0.1),
             velocity: Random(max_m_per_s: 1)),
            (name: "pin", shape: Capsule(radius_m: 0.02, length_m: 0.02), material: "oak",
             arrangement: Grid(count: (2, 1, 2), origin_m: (-0.05, 0.0325, -0.05), spacing_m: 0.1),
             velocity: Constant(m_per_s: (0, -1, 0)))"#;
    let folder = folder();
    let file = folder.path().join("press.ron");
    std::fs::write(&file, press(10, 5, 0.5, bodies)).expect("a scene is written");
    let [one, three] = ["one", "three"].map(|name| folder.path().join(name));
    let expected = simulate(Start::Threads(1, 1), &file, &one, &[]);
    assert_eq!(simulate(Start::Threads(3, 1), &file, &three, &[]), expected);
}

/// From 32 bodies on, several share a patch.
#[test]
fn many_bodies_on_cloth_have_the_same_bits_on_any_number_of_ranks() {
    let scene = r#"(frames: 4, frames_per_second: 50, steps_per_frame: 5, patch_vertices: 40,
        cloths: [(shape: Sheet(width_m: 0.6, length_m: 0.6, columns: 12, rows: 12),
            material: Fabric("cotton"), pins: [(select: Box(min_m: (-1, -1, -1), max_m: (-0.29, 1, 1))),
                (select: Box(min_m: (0.29, -1, -1), max_m: (1, 1, 1)))])],
        bodies: [(name: "box", shape: Box(size_m: (0.05, 0.05, 0.05)), material: "oak",
            arrangement: Grid(count: (5, 2, 4), origin_m: (-0.2, 0.04, -0.15), spacing_m: 0.09),
            velocity: Constant(m_per_s: (0, -1, 0)))],
        materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4)])"#;
    let folder = folder();
    let file = folder.path().join("boxes.ron");
    std::fs::write(&file, scene).expect("a scene is written");
    let run = |ranks: usize, threads: usize| {
        simulate(
            Start::Threads(ranks, threads),
            &file,
            &folder.path().join(format!("{ranks}")),
            &[],
        )
    };
    let expected = run(1, 1);
    assert_eq!(run(3, 1), expected);
    assert_eq!(run(2, 2), expected);
}

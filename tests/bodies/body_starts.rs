//! How scenes of bodies alone by contacts (`engine: Contact`) start: what is refused, and what a
//! ball that nearly lies says.

use std::process::Command;

use crate::common::poses::{folder, run_scene, run_text};
use crate::common::run::{BINARY, assert_says, finish};

/// A scene of `bodies` of wood, with more `fields`.
fn scene(bodies: &str, fields: &str) -> String {
    format!(
        r#"(frames: 2, frames_per_second: 50, steps_per_frame: 5, engine: Contact,
        bodies: [{bodies}], materials: [(name: "wood", density_kg_per_m3: 700, friction: 0.4)],
        {fields})"#
    )
}

/// A body of this `shape` at the height `y` (m), with more `fields`.
fn body(name: &str, shape: &str, y: f64, fields: &str) -> String {
    format!(
        r#"(name: "{name}", shape: {shape}, material: "wood", arrangement: At([(0, {y}, 0)]),
        {fields}), "#
    )
}

const BALL: &str = "Sphere(radius_m: 0.03)";
const CAPSULE: &str = "Capsule(radius_m: 0.02, length_m: 0.03)";
const BOX: &str = "Box(size_m: (0.05, 0.05, 0.05))";
const FIXED: &str = "motion: Immovable";

#[test]
fn bodies_inside_of_others_or_below_a_floor_are_refused() {
    let small = [BALL, CAPSULE, BOX].map(|shape| body("small", shape, 0.1, ""));
    let big = [
        body("big", "Box(size_m: (0.15, 0.15, 0.15))", 0.1, ""),
        body("big", "Sphere(radius_m: 0.2)", 0.1, FIXED),
    ];
    for (small, big) in small.iter().flat_map(|small| big.iter().map(move |big| (small, big))) {
        let folder = folder();
        let said = run_text(&scene(&format!("{small}{big}"), ""), folder.path());
        assert_says(&said, &["`small` is inside of `big`", "move the objects apart"]);
    }
    let floor = body("floor", "HalfSpace", 0.0, FIXED);
    for shape in [BALL, CAPSULE, BOX] {
        let bodies = body("low", shape, -0.3, "") + &floor;
        let said = run_text(&scene(&bodies, ""), folder().path());
        assert_says(&said, &["`low` starts below the half-space `floor`", "move it above"]);
        // A joint may hang it there, as it does not collide with the floor.
        let joint = r#"joints: [(kind: Ball, bodies: Pair("low", "floor"))]"#;
        run_scene(&scene(&bodies, joint), folder().path());
    }
    let cloth = r#"cloths: [(shape: Sheet(width_m: 0.1, length_m: 0.1, columns: 2, rows: 2),
        transform: (translation_m: (0, 1, 0)), material: Fabric("cotton"))]"#;
    let bodies = format!("{}{}", small[0], big[0]);
    let among = scene(&bodies, cloth).replace("engine: Contact,", "");
    assert_says(&run_text(&among, folder().path()), &["`small` is inside of `big`"]);
    // A scene may ask for it all the same.
    let allowed = "contact: (dirty_start: Allow)";
    run_scene(&scene(&bodies, allowed), folder().path());
}

#[test]
fn a_body_that_is_lost_in_the_smallest_gap_is_refused() {
    let tiny = body("tiny", "Box(size_m: (1e-30, 1e-30, 1e-30))", 0.01, "");
    let said = run_text(&scene(&tiny, ""), folder().path());
    assert_says(&said, &["bodies[0].shape", "contact.clearance_m", "make it larger"]);
    let small = body("small", "Box(size_m: (1e-4, 1e-4, 1e-4))", 0.01, "");
    run_scene(&scene(&small, ""), folder().path());
}

/// The first contact takes up a share of its weight times the way. Its size is that of the ball, not
/// of the one vertex at its centre.
#[test]
fn a_ball_let_go_just_above_a_floor_passes_the_check() {
    for y in [0.0312, 0.0316, 0.032] {
        let folder = folder();
        let bodies = body("ball", BALL, y, "") + &body("floor", "HalfSpace", 0.0, FIXED);
        let run = run_scene(&scene(&bodies, ""), folder.path());
        let said = finish(Command::new(&*BINARY).arg("check").arg(run));
        assert!(said.status.success(), "{y}: {}", String::from_utf8_lossy(&said.stdout));
    }
}

#[test]
fn what_leaves_a_body_no_room_is_named_without_cloth() {
    let bodies = body("ball", BALL, 0.0312, "") + &body("floor", "HalfSpace", 0.0, FIXED);
    let press = |on_pinch: &str| {
        format!(
            r#"obstacles: [(name: "press", shape: Box(size_m: (0.2, 0.02, 0.2)),
            transform: (translation_m: (0, 0.08, 0)),
            motion: (keyframes: [(), (time_s: 0.04, translation_m: (0, -0.03, 0))]))],
            contact: (on_pinch: {on_pinch})"#
        )
    };
    let said = run_text(&scene(&bodies, &press("Stop")), folder().path());
    assert_says(&said, &["no room for `ball`", "beside `press`", "on_pinch: Hold"]);
    let said = run_text(&scene(&bodies, &press("Hold")), folder().path());
    let text = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success() && text.contains("`press` waits: no room at ("), "{text}");
}

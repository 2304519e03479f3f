//! Bounds of the fields of a scene.

use crate::error::Error;
use crate::scene::load::{MINIMAL, parse};

/// The smallest scene with `from` replaced by `to` is refused at the field `path`.
fn assert_refused(from: &str, to: &str, path: &str) {
    let text = MINIMAL.replace(from, to);
    assert_ne!(text, MINIMAL, "{from} is in the scene");
    match parse(&text, "s.ron").unwrap().validate() {
        Err(Error::Input { place, .. }) => assert!(place.starts_with(path), "{to}: {place}"),
        other => panic!("{to}: {other:?}"),
    }
}

#[test]
fn fields_of_a_scene_out_of_bounds_are_named() {
    for (field, path) in [
        ("contact: (distance_m: 0)", "contact.distance_m"),
        ("contact: (distance_m: -1e-3)", "contact.distance_m"),
        ("contact: (distance_m: 1e-3, clearance_m: 2e-4)", "contact.clearance_m"),
        ("frames_per_second: 0", "frames_per_second"),
        ("frames_per_second: -25", "frames_per_second"),
        ("frames_per_second: NaN", "frames_per_second"),
        ("steps_per_frame: 0", "steps_per_frame"),
        ("gravity_m_per_s2: (0, inf, 0)", "gravity_m_per_s2"),
        ("solver: (relative_residual: 0)", "solver.relative_residual"),
        ("solver: (relative_residual: 1)", "solver.relative_residual"),
        ("name: \"a\\n\"", "name"),
        ("patch_vertices: 0", "patch_vertices"),
        ("partition: (load_tolerance: 0)", "partition.load_tolerance"),
        ("collision: (b: 0)", "collision.b"),
        ("collision: (polling_interval_us: -1)", "collision.polling_interval_us"),
        ("collision: (polling_interval_us: 2e6)", "collision.polling_interval_us"),
    ] {
        assert_refused("cloths:", &format!("{field}, cloths:"), path);
    }
}

#[test]
fn fields_of_bodies_out_of_bounds_are_named() {
    let end = "pins: [(select: Nearest((0, 0, 0)), start_s: 1, end_s: 1)], material";
    for (from, to, path) in [
        ("0.2", "0", "cloths[0].material"),
        ("0.2", "-0.2", "cloths[0].material"),
        ("500", "-500", "cloths[0].material"),
        ("poisson_ratio: 0.3", "poisson_ratio: 1", "cloths[0].material"),
        ("1e-5", "-1", "cloths[0].material"),
        ("material", end, "cloths[0].pins[0].end_s"),
        ("radius_m: 0.3)", "radius_m: NaN)", "obstacles[0].shape.radius_m"),
        ("0.3))", "0.3), motion: (keyframes: []))", "obstacles[0].motion.keyframes"),
    ] {
        assert_refused(from, to, path);
    }
    let empty = "Scene(cloths: [])";
    assert_refused(MINIMAL, empty, "cloths");
}

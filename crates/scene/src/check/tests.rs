//! Bounds of the fields of a scene.

use crate::load::{MINIMAL, parse};
use cloth_core::error::Error;

/// The smallest scene with `from` replaced by `to` is refused at the field `path`.
fn assert_refused(from: &str, to: &str, path: &str) {
    let text = MINIMAL.replace(from, to);
    assert_ne!(text, MINIMAL, "{from} is in the scene");
    match parse(&text, "s.ron").unwrap().validate() {
        Err(Error::Input { place, .. }) => {
            assert!(place.to_string().starts_with(path), "{to}: {place}")
        }
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
        ("steps_per_frame: Adaptive(at_most: 40, error_m: 1e-4)", "steps_per_frame.at_most"),
        ("steps_per_frame: Adaptive(at_most: 0, error_m: 1e-4)", "steps_per_frame.at_most"),
        ("steps_per_frame: Adaptive(at_most: 8, at_least: 16, error_m: 1e-4)", "steps_per_frame"),
        ("steps_per_frame: Adaptive(at_most: 8, error_m: -1e-4)", "steps_per_frame.error_m"),
        ("steps_per_frame: Adaptive(at_most: 8, error_m: NaN)", "steps_per_frame.error_m"),
        ("gravity_m_per_s2: (0, inf, 0)", "gravity_m_per_s2"),
        ("solver: (relative_residual: 0)", "solver.relative_residual"),
        ("solver: (relative_residual: 1)", "solver.relative_residual"),
        ("solver: (relative_residual: 1e-30)", "solver.relative_residual"),
        ("frames: 4294967295", "frames"),
        ("steps_per_frame: 1000000000", "steps_per_frame"),
        ("frames_per_second: 1e9", "frames_per_second"),
        ("refine: 65", "refine"),
        ("contact: (distance_m: 1e-3, clearance_m: 1e-30)", "contact.clearance_m"),
        ("name: \"a\\n\"", "name"),
        ("patch_vertices: 0", "patch_vertices"),
        ("materials: [(name: \"a\", distance_m: -1e-3)]", "materials[0].distance_m"),
        ("materials: [(name: \"a\", distance_m: NaN)]", "materials[0].distance_m"),
        ("materials: [(name: \"a\", distance_m: 9e-5)]", "materials[0].distance_m"),
        (
            "materials: [(name: \"a\")], material_pairs: \
             [(materials: (\"a\", \"a\"), friction: 0, distance_m: 9e-5)]",
            "material_pairs[0].distance_m",
        ),
        ("apart: [(\"a\", \"b\"), (\"b\", \"a\")]", "apart[1]"),
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

/// A scene of rigid bodies for the tests of bounds.
const BODIES: &str = r#"(
    materials: [(name: "a", density_kg_per_m3: 1000, friction: 0.3)],
    domain: (min_m: (-1, -2, -3), max_m: (1, 2, 3)),
    bodies: [
        (shape: Box(size_m: (0.1, 0.2, 0.3)), material: "a", velocity: Constant(m_per_s: (300, 0, 0)),
         arrangement: Grid(count: (2, 1, 1), origin_m: (0, 0.5, 0), spacing_m: 0.4)),
        (shape: Capsule(radius_m: 0.01, length_m: 0.02), material: "a", arrangement: At([(0, 1, 0)]),
         motion: Keyframed(center_m: (0, 0.6, 0), keyframes: [(), (time_s: 1, translation_m: (0, 0.7, 0))])),
        (shape: Sphere(radius_m: 0.03), material: "a", velocity: Random(max_m_per_s: 9),
         sizes: Uniform(min: 0.5, max: 2),
         arrangement: Random(count: 3, min_m: (0, 0, 0), max_m: (0.7, 0.7, 0.7))),
    ],
)"#;

/// Numbers that end no run, or the memory, or leave no digits.
const BEYOND: [&str; 4] = ["1e30", "-1e30", "1e300", "-inf"];

/// Each number of `text` that `fields` name is refused at its field beyond its bound.
fn assert_bounded(text: &str, fields: &[(&str, &str)]) {
    parse(text, "s.ron").unwrap().validate().unwrap();
    for (number, path) in fields {
        let before = number.trim_end_matches(|c: char| c.is_ascii_digit() || "-.e".contains(c));
        for beyond in BEYOND {
            let to = format!("{before}{beyond}");
            let changed = text.replacen(number, &to, 1);
            assert_ne!(changed, text, "{number} is in the scene");
            match parse(&changed, "s.ron").unwrap().validate() {
                Err(Error::Input { place, .. }) => {
                    assert!(place.to_string().contains(path), "{to}: {place}")
                }
                other => panic!("{to}: {other:?}"),
            }
        }
    }
}

#[test]
fn every_number_of_cloth_has_a_bound() {
    let motion = "motion: (center_m: (3, 0, 0), keyframes: [(), (time_s: 4, angle_deg: 5, \
                  translation_m: (1000, 0, 0))])";
    let pins = format!("pins: [(select: Nearest((6, 0, 0)), start_s: -7, end_s: 8, {motion})]");
    let cloth = "damping: (mass_per_s: 11, stiffness_s: 12), \
                 transform: (scale: 13, angle_deg: 14, translation_m: (1000, 0, 0))";
    let scene = "air: (normal_drag_n_s_per_m3: 0.1, tangential_drag_n_s_per_m3: 0.2, \
                 wind: [(time_s: 15, velocity_m_per_s: (16, 0, 0))]), \
                 contact: (friction_obstacle: 0.17, friction_cloth: 0.18), frames_per_second: 25, ";
    let text = MINIMAL
        .replace("cloths:", &format!("{scene} cloths:"))
        .replace("material:", &format!("{pins}, {cloth}, material:"))
        .replace("radius_m: 0.3)", &format!("radius_m: 0.3), {motion}"));
    assert_bounded(
        &text,
        &[
            ("normal_drag_n_s_per_m3: 0.1", "air.normal_drag_n_s_per_m3"),
            ("tangential_drag_n_s_per_m3: 0.2", "air.tangential_drag_n_s_per_m3"),
            ("time_s: 15", "air.wind[0].time_s"),
            ("velocity_m_per_s: (16", "air.wind[0].velocity_m_per_s"),
            ("friction_obstacle: 0.17", "contact.friction_obstacle"),
            ("friction_cloth: 0.18", "contact.friction_cloth"),
            ("frames_per_second: 25", "frames_per_second"),
            ("width_m: 1", "cloths[0].shape.width_m"),
            ("density_kg_per_m2: 0.2", "cloths[0].material.density_kg_per_m2"),
            ("modulus_n_per_m: 500", "cloths[0].material.modulus_n_per_m"),
            ("rigidity_n_m: 1e-5", "cloths[0].material.rigidity_n_m"),
            ("mass_per_s: 11", "cloths[0].damping.mass_per_s"),
            ("stiffness_s: 12", "cloths[0].damping.stiffness_s"),
            ("scale: 13", "cloths[0].transform.scale"),
            ("angle_deg: 14", "cloths[0].transform.angle_deg"),
            ("13, angle_deg: 14, translation_m: (1000", "cloths[0].transform.translation_m"),
            ("select: Nearest((6", "cloths[0].pins[0].select"),
            ("start_s: -7", "cloths[0].pins[0].start_s"),
            ("end_s: 8", "cloths[0].pins[0].end_s"),
            ("center_m: (3", "cloths[0].pins[0].motion.center_m"),
            ("time_s: 4", "cloths[0].pins[0].motion.keyframes[1].time_s"),
            ("angle_deg: 5", "cloths[0].pins[0].motion.keyframes[1].angle_deg"),
            ("translation_m: (1000", "cloths[0].pins[0].motion.keyframes[1].translation_m"),
            ("radius_m: 0.3", "obstacles[0].shape.radius_m"),
        ],
    );
}

#[test]
fn every_number_of_rigid_bodies_has_a_bound() {
    assert_bounded(
        BODIES,
        &[
            ("density_kg_per_m3: 1000", "materials[0].density_kg_per_m3"),
            ("friction: 0.3", "materials[0].friction"),
            ("min_m: (-1", "domain.min_m"),
            ("max_m: (1", "domain.m"),
            ("size_m: (0.1", "bodies[0].shape.size_m"),
            ("m_per_s: (300", "bodies[0].velocity.m_per_s"),
            ("origin_m: (0", "bodies[0].arrangement.origin_m"),
            ("spacing_m: 0.4", "bodies[0].arrangement.spacing_m"),
            ("radius_m: 0.01", "bodies[1].shape.radius_m"),
            ("length_m: 0.02", "bodies[1].shape.length_m"),
            ("arrangement: At([(0", "bodies[1].arrangement[0]"),
            ("center_m: (0", "bodies[1].motion.center_m"),
            ("translation_m: (0", "bodies[1].motion.keyframes[1].translation_m"),
            ("max_m_per_s: 9", "bodies[2].velocity.max_m_per_s"),
            ("min: 0.5", "bodies[2].sizes.min"),
            ("max: 2", "bodies[2].sizes.max"),
            ("count: 3, min_m: (0", "bodies[2].arrangement.min_m"),
        ],
    );
}

/// A cloth with every load, for the tests of bounds.
const LOADS: &str = r#"(
    friction_keyframes: [(time_s: 47, factor: 48)],
    gravity_keyframes: [(time_s: 31, gravity_m_per_s2: (32, 0, 0))],
    air: (density_kg_per_m3: 1.25, normal_drag_coefficient: 0.34, tangential_drag_coefficient: 0.35),
    cloths: [(
        shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2), material: Fabric("cotton"),
        forces: [(select: Nearest((36, 0, 0)), force_n: (37, 0, 0), amplitude: [(time_s: 38, factor: 39)])],
        pressures: [(side: Front, pressure_pa: 40, amplitude: [(time_s: 41, factor: 42)])],
        masses: [(select: Nearest((43, 0, 0)), mass_kg: 44)],
        velocity_m_per_s: (45, 0, 0), angular_velocity_rad_per_s: (46, 0, 0),
    )],
)"#;

#[test]
fn every_number_of_a_load_has_a_bound() {
    assert_bounded(
        LOADS,
        &[
            ("time_s: 47", "friction_keyframes[0].time_s"),
            ("factor: 48", "friction_keyframes[0].factor"),
            ("time_s: 31", "gravity_keyframes[0].time_s"),
            ("gravity_m_per_s2: (32", "gravity_keyframes[0].gravity_m_per_s2"),
            ("density_kg_per_m3: 1.25", "air.density_kg_per_m3"),
            ("normal_drag_coefficient: 0.34", "air.normal_drag_coefficient"),
            ("tangential_drag_coefficient: 0.35", "air.tangential_drag_coefficient"),
            ("select: Nearest((36", "cloths[0].forces[0].select"),
            ("force_n: (37", "cloths[0].forces[0].force_n"),
            ("time_s: 38", "cloths[0].forces[0].amplitude[0].time_s"),
            ("factor: 39", "cloths[0].forces[0].amplitude[0].factor"),
            ("pressure_pa: 40", "cloths[0].pressures[0].pressure_pa"),
            ("time_s: 41", "cloths[0].pressures[0].amplitude[0].time_s"),
            ("factor: 42", "cloths[0].pressures[0].amplitude[0].factor"),
            ("select: Nearest((43", "cloths[0].masses[0].select"),
            ("mass_kg: 44", "cloths[0].masses[0].mass_kg"),
            ("velocity_m_per_s: (45", "cloths[0].velocity_m_per_s"),
            ("angular_velocity_rad_per_s: (46", "cloths[0].angular_velocity_rad_per_s"),
        ],
    );
}

#[test]
fn loads_that_cannot_be_are_named() {
    let refused = |from: &str, to: &str, path: &str, what: &str| {
        let text = LOADS.replace(from, to);
        assert_ne!(text, LOADS, "{from} is in the scene");
        let error = parse(&text, "s.ron").unwrap().validate().unwrap_err().to_string();
        assert!(error.contains(path) && error.contains(what), "{to}: {error}");
    };
    let box_m = "Box(min_m: (1, 0, 0), max_m: (0, 1, 1))";
    for (from, to, path, what) in [
        ("force_n: (37, 0, 0)", "force_n: (0, NaN, 0)", "cloths[0].forces[0].force_n", "NaN"),
        ("pressure_pa: 40", "pressure_pa: NaN", "cloths[0].pressures[0].pressure_pa", "NaN"),
        ("mass_kg: 44", "mass_kg: -0.1", "cloths[0].masses[0].mass_kg", "-0.1 is not positive"),
        ("mass_kg: 44", "mass_kg: 0", "cloths[0].masses[0].mass_kg", "0 is not positive"),
        ("Nearest((43, 0, 0))", box_m, "cloths[0].masses[0].select.min_m", "swap"),
        (
            "density_kg_per_m3: 1.25",
            "density_kg_per_m3: 0",
            "air.density_kg_per_m3",
            "not positive",
        ),
        (
            "normal_drag_coefficient: 0.34",
            "normal_drag_coefficient: -1",
            "air.normal_drag_coefficient",
            "negative",
        ),
        (
            "(time_s: 38, factor: 39)",
            "(time_s: 1, factor: 1), (time_s: 1, factor: 2)",
            "cloths[0].forces[0].amplitude[1].time_s",
            "not after the key before it",
        ),
        (
            "air: (",
            "gravity_m_per_s2: (0, -1, 0), air: (",
            "gravity_keyframes",
            "the keys take its place",
        ),
    ] {
        refused(from, to, path, what);
    }
    let keys = "gravity_keyframes: [(gravity_m_per_s2: (0, -1, 0))], materials:";
    let text = BODIES.replace("materials:", keys);
    let error = parse(&text, "s.ron").unwrap().validate().unwrap_err().to_string();
    assert!(error.contains("gravity of rigid bodies is constant"), "{error}");
}

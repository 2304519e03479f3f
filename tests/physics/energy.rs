//! The energy watch: the work explains the energy that correct scenes gain.

use std::path::Path;

use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::scene::{self, Scene};
use cloth_sim::step::{Counter, Measure, lift_j};

use crate::physics::*;

/// The balance of a run, J.
#[derive(Debug, Default)]
struct Balance {
    /// The largest strain of an edge at the end (length over rest length, minus 1).
    strain: f64,
    /// Energy at the end minus energy at the start.
    gain: f64,
    work: f64,
    /// Rises of all steps, and the largest one.
    unexplained: f64,
    largest: f64,
    faults: usize,
    /// Steps made smaller because of fast obstacles.
    fast: u64,
    /// The energy of lifting each cloth by its size.
    lift: f64,
}

/// Runs `steps` steps of 1 ms of a sheet of 0.2 m with `pins` in a scene with these `fields`.
fn balance(pins: &str, fields: &str, steps: u64) -> Balance {
    let cloth = format!(
        r#"shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 10, rows: 10),
        transform: (translation_m: (0, 0.002, 0)), material: Fabric("cotton"), {pins}"#
    );
    balance_of(&cloth, &format!("steps_per_frame: 40, {fields}"), steps)
}

/// Runs `steps` steps of a `cloth` in a scene with these `fields`.
fn balance_of(cloth: &str, fields: &str, steps: u64) -> Balance {
    balance_of_all(&format!("({cloth})"), fields, steps)
}

/// Runs `steps` steps of some `cloths` in a scene with these `fields`.
fn balance_of_all(cloths: &str, fields: &str, steps: u64) -> Balance {
    let text = format!("(cloths: [{cloths}], {fields})");
    let parsed = scene::parse(&text, "energy.ron").expect("a scene");
    let scene: Scene = scene::complete(parsed, Path::new("energy.ron")).expect("a sound scene");
    let setup = scene::build(&scene, Path::new(".")).expect("sound bodies");
    simulate(&scene, setup, |simulation| {
        let before = simulation.total_energy()?;
        let mut balance = Balance::default();
        simulation.run(steps, |_, report| {
            let rise = report.measured(Measure::UnexplainedRise);
            balance.work += report.measured(Measure::Work);
            balance.unexplained += rise;
            balance.largest = balance.largest.max(rise);
            balance.fast += report.get(Counter::Fast);
            balance.faults += usize::from(report.energy_rise().is_some_and(|rise| rise.is_fault()));
            Ok(())
        })?;
        balance.gain = simulation.total_energy()? - before;
        let (model, x) = (simulation.model(), simulation.positions());
        balance.lift = lift_j(model);
        let length = |x: &[Vec3], [a, b]: [u32; 2]| (x[a as usize] - x[b as usize]).norm();
        let strains = model.edges.iter().map(|&edge| length(x, edge) / length(&model.rest, edge));
        balance.strain = strains.fold(0.0, f64::max) - 1.0;
        println!("{balance:?}");
        Ok(balance)
    })
}

const TABLE: &str = "obstacles: [(shape: Plane(width_m: 1, length_m: 1))]";

#[test]
fn handles_do_the_work_that_lifts_cloth() {
    let pins = "pins: [(select: Box(min_m: (-1, -1, -1), max_m: (-0.099, 1, 1)), motion: (
        keyframes: [(time_s: 0), (time_s: 0.3, translation_m: (0.1, 0.3, 0))]))]";
    let lifted = balance(pins, "", 350);
    assert!(lifted.gain > 0.003 && lifted.work > lifted.gain, "{lifted:?}");
    assert!(lifted.unexplained < 1e-3 * lifted.gain, "{lifted:?}");
}

#[test]
fn moving_obstacles_do_the_work_that_lifts_cloth() {
    let lift = "obstacles: [(shape: Plane(width_m: 1, length_m: 1), motion: (
        keyframes: [(time_s: 0), (time_s: 0.05), (time_s: 0.3, translation_m: (0.05, 0.2, 0))]))]";
    let lifted = balance("", lift, 350);
    assert!(lifted.gain > 0.003 && lifted.work > lifted.gain, "{lifted:?}");
    assert!(lifted.unexplained < 1e-3 * lifted.gain, "{lifted:?}");
}

#[test]
fn wind_does_the_work_that_blows_cloth_away() {
    let air = "gravity_m_per_s2: (0, 0, 0), air: (normal_drag_n_s_per_m3: 1,
        tangential_drag_n_s_per_m3: 0.1, wind: [(velocity_m_per_s: (2, 3, 1))])";
    let blown = balance("", air, 100);
    assert!(blown.gain > 1e-3 && blown.work > blown.gain, "{blown:?}");
    assert!(blown.unexplained < 1e-3 * blown.gain, "{blown:?}");
}

#[test]
fn cloth_that_falls_and_rests_gains_nothing() {
    let resting = balance("", TABLE, 400);
    assert!(resting.gain < 0.0 && resting.work == 0.0, "{resting:?}");
    // Contacts push surfaces apart that came too near.
    assert!(resting.unexplained < -0.05 * resting.gain, "{resting:?}");
}

#[test]
fn cloth_that_is_pressed_swept_and_let_go_raises_no_alarm() {
    let press = "obstacles: [
        (shape: Plane(width_m: 1, length_m: 1)),
        (shape: Sphere(radius_m: 0.05), transform: (translation_m: (0, 0.1, 0)), motion: (keyframes: [
            (time_s: 0), (time_s: 0.1, translation_m: (0, -0.0493, 0)), (time_s: 0.15, translation_m: (0, -0.0493, 0)),
            (time_s: 0.25)])),
        (shape: Box(size_m: (0.02, 0.05, 0.4)), transform: (translation_m: (-0.2, 0.0255, 0)), motion: (keyframes: [
            (time_s: 0.25), (time_s: 0.45, translation_m: (0.2, 0, 0))])),
        ], contact: (friction_obstacle: 0.5, friction_cloth: 0.3, on_pinch: Hold)";
    let pressed = balance("", press, 500);
    assert!(pressed.work > 1e-4 && pressed.faults == 0, "{pressed:?}");
}

/// A sheet is stretched by 2 to 300 % in 0.1 s, turned and askew, and held for 0.15 s. Where the
/// matrix lacks the stiffness of stretched cloth against spin, its energy rises without end.
#[test]
fn stretched_cloth_that_is_held_gains_nothing() {
    let isotropic = "Isotropic(density_kg_per_m2: 0.11, modulus_n_per_m: 500, poisson_ratio: 0.3,
        rigidity_n_m: 1.86e-6)";
    let [cotton, white_dots, denim] =
        ["cotton", "white_dots", "denim"].map(|name| format!("Fabric(\"{name}\")"));
    let fabrics: [&str; 4] = [&cotton, &white_dots, &denim, isotropic];
    let steps = [(40, 250), (10, 63), (5, 32)];
    for (number, fabric) in fabrics.into_iter().enumerate() {
        for strain in [0.02, 0.1, 0.5, 3.0] {
            let pulled_m = 0.2 * strain;
            let cloth = format!(
                r#"shape: Sheet(width_m: 0.2, length_m: 0.15, columns: 10, rows: 7, diagonal: Alternating),
                transform: (axis: (1, 0, 0), angle_deg: {number}7), material: {fabric},
                pins: [
                    (select: Box(min_m: (-0.101, -1, -1), max_m: (-0.099, 1, 1))),
                    (select: Box(min_m: (0.099, -1, -1), max_m: (0.101, 1, 1)), motion: (keyframes: [
                        (time_s: 0), (time_s: 0.1, translation_m: ({pulled_m}, 0.01, 0))])),
                ]"#
            );
            for (steps_per_frame, count) in steps {
                let fields = format!("frames_per_second: 25, steps_per_frame: {steps_per_frame}");
                let held = balance_of(&cloth, &fields, count);
                let name = format!("{fabric}, {strain}, {steps_per_frame}: {held:?}");
                assert!(held.work > 0.0 && held.gain < held.work, "{name}");
                // Stretched by half or more, `white_dots` crumples: it resists shear a hundred
                // times less than tension. Its folds touch, and contacts under such load gain: 4 to
                // 27 % with residuals from 1e-3 to 1e-9, in no order. `polyester_faille` by 300 %
                // gains 3 % at 1 ms and 41 % at 8 ms.
                let crumples = fabric == white_dots && strain >= 0.5;
                let bound = if crumples { 0.3 } else { 1e-6 };
                assert!(held.unexplained < bound * held.work && held.faults == 0, "{name}");
            }
        }
    }
}

/// A free sheet turns in its plane at 30 rad/s for 0.2 s. It loses no energy at 1 ms, where masses
/// keep it stable. Larger steps brake it, but it never gains energy.
#[test]
fn a_sheet_that_turns_in_its_plane_is_braked_only_in_large_steps() {
    for (h, bound) in [(1e-3, 0.01), (4e-3, 0.8)] {
        let mut scene = scene(h);
        scene.gravity_m_per_s2 = [0.0; 3];
        let sheet = sheet(0.2, 0.2, 10, 10, Diagonal::Same);
        let cloth = cloth(sheet, Material::isotropic(0.2, 500.0, 0.3, 1e-5));
        let lost = simulate(&scene, alone(cloth), |simulation| {
            let x = simulation.positions().to_vec();
            let v: Vec<Vec3> = x.iter().map(|x| Vec3::y().cross(x) * 30.0).collect();
            simulation.set_motion(&x, &v)?;
            let before = simulation.total_energy()?;
            simulation.run((0.2 / h) as u64, |_, _| Ok(()))?;
            Ok(1.0 - simulation.total_energy()? / before)
        });
        println!("{h} s: loses {:.2} %", 100.0 * lost);
        assert!((-1e-3..bound).contains(&lost), "{h} s: {lost}");
    }
}

/// One to four layers of different fabrics between two plates, askew: the upper plate comes down to
/// a gap of 0.1 to 2.5 contact distances a layer, or waits, and then moves sideways. All cases
/// together rise by 0.28 % of their lift, the worst one by 1.2 %; with a residual of 1e-6 by 0.18 and
/// 0.85 %.
#[test]
fn layers_between_plates_gain_nothing_at_any_gap() {
    let fabrics = ["cotton", "denim", "white_dots", "tablecloth"];
    let (mut unexplained, mut lift) = (0.0, 0.0);
    for layers in 1..=4 {
        for gaps in [0.1, 0.5, 1.0, 1.5, 2.5] {
            let cloths: String = (0..layers)
                .map(|layer| {
                    let (fabric, angle, up) =
                        (fabrics[layer], 7 + 11 * layer, 1.1e-3 * (layer + 1) as f64);
                    format!(
                        r#"(shape: Sheet(width_m: 0.1, length_m: 0.1, columns: 6, rows: 6),
                        transform: (angle_deg: {angle}, translation_m: (0, {up}, 0)),
                        material: Fabric("{fabric}")),"#
                    )
                })
                .collect();
            let start = 1.1e-3 * (layers + 1) as f64 + 2e-3;
            let down = gaps * 1e-3 * (layers + 1) as f64 - start;
            let fields = format!(
                "steps_per_frame: 10, obstacles: [
                    (shape: Plane(width_m: 0.3, length_m: 0.3)),
                    (shape: Box(size_m: (0.06, 0.02, 0.05)),
                     transform: (angle_deg: 20, translation_m: (0.01, {}, 0)),
                     motion: (keyframes: [(time_s: 0), (time_s: 0.1, translation_m: (0, {down}, 0)),
                        (time_s: 0.2, translation_m: (0.03, {down}, 0.01))]))]",
                start + 0.01
            );
            let pressed = balance_of_all(&cloths, &fields, 60);
            let name = format!("{layers} layers, {gaps}: {pressed:?}");
            assert!(pressed.faults == 0 && pressed.strain < 0.03, "{name}");
            assert!(pressed.unexplained < 0.02 * pressed.lift, "{name}");
            unexplained += pressed.unexplained;
            lift += pressed.lift;
        }
    }
    assert!(unexplained < 0.004 * lift, "{unexplained} of {lift} J");
}

/// A ball of 4 cm passes a sheet with edges of 2 cm that hangs from its upper edge, `aside_m` from
/// its middle.
fn hit_by_a_ball(speed: f64, steps_per_frame: u32, aside_m: f64) -> Balance {
    let cloth = r#"shape: Sheet(width_m: 0.4, length_m: 0.4, columns: 20, rows: 20),
        transform: (axis: (1, 0, 0.1), angle_deg: 90), material: Fabric("tablecloth"),
        pins: [(select: Box(min_m: (-1, 0.15, -1), max_m: (1, 1, 1)))]"#;
    let until = 0.3 / speed;
    let fields = format!(
        "steps_per_frame: {steps_per_frame}, obstacles: [(
            shape: Sphere(radius_m: 0.04), transform: (translation_m: ({aside_m}, -0.02, -0.15)),
            motion: (keyframes: [(time_s: 0), (time_s: {until}, translation_m: (0, 0.01, 0.3))]))]"
    );
    let steps = (until * 25.0 * f64::from(steps_per_frame)).ceil();
    let hit = balance_of(cloth, &fields, steps as u64);
    assert!(
        hit.faults == 0 && hit.unexplained < 0.01 * (hit.work + hit.lift),
        "{speed} m/s: {hit:?}"
    );
    hit
}

/// In a step of 4 ms the ball moves by 0.2, 5, 20 and 60 edges. Its work depends on where it hits,
/// and is small where it waits for room. Of 41 places 0.5 mm apart the medians are 1.2, 1.1 and 1.0
/// of the work in small steps, with a residual of 1e-6 too.
#[test]
fn an_obstacle_that_approaches_fast_makes_the_step_smaller_and_does_its_true_work() {
    assert_eq!(hit_by_a_ball(1.0, 10, 0.02).fast, 0);
    let mut fewer = 0;
    for speed in [25.0, 100.0, 300.0] {
        let fine = hit_by_a_ball(speed, 160, 0.02).work;
        let places: [f64; 9] = std::array::from_fn(|k| 0.01 + 0.0025 * k as f64);
        let hits = places.map(|aside_m| hit_by_a_ball(speed, 10, aside_m));
        let mut halvings = hits.each_ref().map(|hit| hit.fast);
        halvings.sort_unstable();
        println!("{speed} m/s: steps made smaller {halvings:?} times");
        assert!(halvings[0] > 0 && halvings[4] > fewer, "{speed} m/s: {hits:?}");
        fewer = halvings[4];
        let mut works = hits.map(|hit| hit.work / fine);
        works.sort_by(f64::total_cmp);
        println!("{speed} m/s: {works:.2?} of the work in small steps");
        assert!((works[4] - 1.0).abs() < 0.4, "{speed} m/s: {works:?}");
    }
}

/// A force that lifts a free sheet works with its path, and all work becomes energy but what the
/// method loses: `F a h^2 n / 2` of `n` steps.
#[test]
fn a_force_works_with_its_path() {
    let force =
        "forces: [(select: Box(min_m: (-1, -1, -1), max_m: (1, 1, 1)), force_n: (0, 0.2, 0))]";
    let lifted = balance(force, "", 200);
    // 0.2 N on 6 g: cotton has 472.6 kg/m^3 and is 0.318 mm thick.
    let (mass, h, steps) = (472.6 * 0.318e-3 * 0.04, 1e-3, 200.0);
    let path = (0.2 / mass - G) * h * h * 0.5 * steps * (steps + 1.0);
    assert!((lifted.work / (0.2 * path) - 1.0).abs() < 1e-6, "{} {}", lifted.work, 0.2 * path);
    assert!(lifted.gain < lifted.work && lifted.gain > 0.98 * lifted.work);
    assert_eq!((lifted.unexplained < 1e-9, lifted.faults), (true, 0));
}

/// A force with an amplitude on a pinned sheet, pressure in a box, wind with quadratic drag, gravity
/// that turns round, a load on a pin that moves: the work explains all energy.
#[test]
fn the_work_of_every_load_is_counted() {
    let all = "select: Box(min_m: (-1, -1, -1), max_m: (1, 1, 1))";
    let pulled = format!(
        "pins: [(select: Vertices([0, 10]))], masses: [(select: Vertices([115]), mass_kg: 0.002)],
        forces: [({all}, force_n: (0, 0, 0.1), amplitude: [(factor: 0), (time_s: 0.1, factor: 1),
        (time_s: 0.2, factor: -1)])]"
    );
    let turning = "gravity_keyframes: [(gravity_m_per_s2: (0, -9.81, 0)),
        (time_s: 0.15, gravity_m_per_s2: (9.81, 0, 0)), (time_s: 0.3, gravity_m_per_s2: (0, 9.81, 0))]";
    let wind = "air: (normal_drag_coefficient: 1.5, tangential_drag_coefficient: 0.1,
        wind: [(velocity_m_per_s: (2, 3, 1))])";
    let led = "pins: [(select: Vertices([0]), motion: (keyframes: [(), (time_s: 0.2,
        translation_m: (0, 0.1, 0))]))], forces: [(select: Vertices([0]), force_n: (0, 5, 0))]";
    let pinned = "pins: [(select: Vertices([0, 10]))]";
    for (name, cloth, fields) in [
        ("force", pulled.as_str(), ""),
        ("gravity", pinned, turning),
        ("wind", pinned, wind),
        ("load on a pin", led, ""),
    ] {
        println!("{name}");
        let found = balance(cloth, fields, 300);
        assert!(found.work.abs() > 1e-3, "{name}");
        assert!(found.unexplained < 1e-3 * found.work.abs() && found.faults == 0, "{name}");
    }
    let cushion = "shape: Box(size_m: (0.2, 0.04, 0.2), edge_m: 0.02), material: Fabric(\"cotton\"),
        pressures: [(side: Back, pressure_pa: 200, amplitude: [(factor: 0), (time_s: 0.1, factor: 1)])]";
    let found = balance_of(cushion, "gravity_m_per_s2: (0, 0, 0), steps_per_frame: 40", 300);
    assert!(found.work > 0.01 && found.unexplained < 1e-3 * found.work && found.faults == 0);
}

//! Contact that differs from pair to pair: distances of materials, factors from place to place, objects
//! that are kept apart.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::bodies::Setup;
use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::scene::{self, Scene};
use cloth_sim::step::{Model, Simulation};

use crate::physics::*;

/// Two square sheets above each other over a floor, `low` of 12 cm at 2 cm and `high` of 10 cm at 3 cm,
/// with more `fields` of the scene. `low`, `high` and the floor touch with `of`.
fn sheets(of: [&str; 3], fields: &str) -> (Scene, Setup) {
    let touch = of.map(|name| match name {
        "" => String::new(),
        _ => format!("touch: \"{name}\","),
    });
    let cloth = |name: &str, size_m: f64, y: f64, touch: &str| {
        format!(
            r#"(name: "{name}", {touch} shape: Sheet(width_m: {size_m}, length_m: {size_m}, columns: 6, rows: 6),
                transform: (translation_m: (0.003, {y}, 0.002)), damping: (mass_per_s: 5),
                material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 500, poisson_ratio: 0.3,
                                    rigidity_n_m: 1e-5))"#
        )
    };
    let (low, high) = (cloth("low", 0.12, 0.02, &touch[0]), cloth("high", 0.1, 0.03, &touch[1]));
    let floor = &touch[2];
    let text = format!(
        r#"(frames_per_second: 500, steps_per_frame: 1, cloths: [{low}, {high}],
            obstacles: [(name: "floor", {floor} shape: Plane(width_m: 1, length_m: 1, edge_m: 0.1))],
            {fields})"#
    );
    let scene = scene::parse(&text, "pairs.ron").expect("the scene is sound");
    let setup = scene::build(&scene, Path::new(".")).expect("the scene is sound");
    (scene, setup)
}

/// Positions of all vertices after `steps` on each of `ranks`, m.
fn after(scene: &Scene, setup: Setup, steps: usize, ranks: usize) -> Vec<Vec<Vec3>> {
    let model = Model::new(scene.settings(), setup, |build| build(ranks)).expect("sound");
    let model = Arc::new(model);
    let run = |world: &dyn cloth_sim::ranks::World| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        (0..steps).try_for_each(|_| simulation.step().map(drop))?;
        Ok(simulation.positions().to_vec())
    };
    in_process::run(ranks, run).expect("the run succeeds")
}

/// Mean heights of `low` and `high` after 0.6 s, mm.
fn heights(of: [&str; 3], fields: &str) -> [f64; 2] {
    let (scene, setup) = sheets(of, fields);
    let x = after(&scene, setup, 300, 1).remove(0);
    let mean = |x: &[Vec3]| 1e3 * x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64;
    [mean(&x[..49]), mean(&x[49..])]
}

const MATERIALS: &str = r#"materials: [(name: "wool", distance_m: 0.003, friction: 0.3), (name: "wood", friction: 0.3)]"#;

/// Halves of both sides make the distance: 1.5 and 1.5 mm of wool and wool, 1.5 and 0.5 mm of wool and a
/// surface without a distance.
#[test]
fn layers_rest_at_the_distances_of_their_materials_and_pairs() {
    let pair =
        r#"material_pairs: [(materials: ("wood", "wool"), friction: 0.3, distance_m: 0.0026)]"#;
    let with_pair = format!("{MATERIALS}, {pair}");
    for (of, fields, [low, high]) in [
        (["", "", ""], MATERIALS, [1.0, 2.0]),
        (["wool", "wool", ""], MATERIALS, [2.0, 5.0]),
        (["wool", "wool", "wood"], MATERIALS, [2.0, 5.0]),
        (["wool", "wool", "wood"], &with_pair, [2.6, 5.6]),
        (["wool", "", "wool"], MATERIALS, [3.0, 5.0]),
    ] {
        let found = heights(of, fields);
        println!("{of:?}: {found:.4?} mm, expected {low} and {high} mm");
        assert!((found[0] - low).abs() < 0.02 && (found[1] - high).abs() < 0.03, "{of:?}");
    }
}

/// Sheets that fall through each other come to rest in the same place. The floor holds both.
#[test]
fn what_is_kept_apart_passes_and_all_else_collides() {
    let found = heights(["", "", ""], r#"apart: [("high", "low"), ("low", "low")]"#);
    println!("{found:.4?} mm");
    assert!(found.iter().all(|height| (height - 1.0).abs() < 0.02), "{found:?}");
}

/// `low` and `high` touch with wool of 3 mm, or with wool of 1.5 mm and the factor 2.
#[test]
fn alike_factors_are_a_setting_bit_for_bit() {
    let run = |distance: f64, friction: f64, factor: f64| {
        let fields = format!(
            r#"materials: [(name: "wool", distance_m: {distance}, friction: {friction})],
               contact: (friction_obstacle: {friction}, friction_cloth: 0), gravity_m_per_s2: (4, -9, 0)"#
        );
        let (scene, mut setup) = sheets(["wool", "wool", ""], &fields);
        for cloth in setup.cloths.iter_mut().filter(|_| factor != 1.0) {
            cloth.factors.distance = vec![factor; cloth.positions.len()];
        }
        // The other cloth, from which it is kept apart, has none.
        if factor != 1.0 {
            setup.cloths[0].factors.friction = vec![factor; 49];
        }
        setup.kept_apart = vec![["low".to_owned(), "high".to_owned()]];
        setup.cloths.truncate(1);
        setup.touch.materials.remove(1);
        after(&scene, setup, 150, 1).remove(0)
    };
    let [set, of_factors] = [run(0.003, 0.2, 1.0), run(0.0015, 0.1, 2.0)];
    assert!(set.iter().any(|x| x.x.abs() > 0.08), "nothing slides");
    assert_eq!(set, of_factors);
}

/// On the floor, each vertex of `low` lies as high as its factor says: its own half of the distance is
/// multiplied.
#[test]
fn a_factor_that_rises_along_a_sheet_makes_it_a_wedge() {
    let (scene, mut setup) = sheets(["", "", ""], "");
    setup.cloths.truncate(1);
    let low = &mut setup.cloths[0];
    let factor = |x: &Vec3| 1.0 + (x.x + 0.06) / 0.12;
    low.factors.distance = low.rest.iter().map(factor).collect();
    let expected = Vec::from_iter(low.factors.distance.iter().map(|of| 5e-4 + 5e-4 * of));
    let x = after(&scene, setup, 300, 1).remove(0);
    let off = x.iter().zip(expected).map(|(x, expected)| (x.y - expected).abs());
    let worst = off.fold(0.0, f64::max);
    println!("off by at most {:.2} um", 1e6 * worst);
    assert!(worst < 2e-5);
}

/// a = g (sin - mu cos) with the mean of the factors over the mass of a sheet, whose rear holds it back.
#[test]
fn friction_from_place_to_place_slows_a_sheet_as_its_mean_does() {
    let (slope_deg, friction) = (25.0, 0.3);
    let mut scene = crate::physics::scene(1e-3);
    scene.contact.friction_obstacle = friction;
    let mut setup = crate::contact::incline(slope_deg, scene.contact.distance_m);
    let cloth = &mut setup.cloths[0];
    let factor = |x: &Vec3| 1.4 - 8.0 * x.x + 30.0 * x.x * x.x;
    cloth.factors.friction = cloth.rest.iter().map(factor).collect();
    let (mut masses, mut sum) = (0.0, 0.0);
    for (face, rest) in cloth.faces.iter().zip(&cloth.rest_planes) {
        masses += 3.0 * rest.area();
        sum += face.map(|v| cloth.factors.friction[v as usize]).iter().sum::<f64>() * rest.area();
    }
    let angle = f64::to_radians(slope_deg);
    let along = Vec3::new(angle.cos(), -angle.sin(), 0.0);
    let places = simulate(&scene, setup, |simulation| {
        let mut places = Vec::new();
        for time in [0.1, 0.2, 0.3] {
            while simulation.time_s() < time - 1e-9 {
                simulation.step()?;
            }
            let x = simulation.positions();
            places.push(x.iter().map(|x| x.dot(&along)).sum::<f64>() / x.len() as f64);
        }
        Ok(places)
    });
    crate::contact::check_slide([1e-3, slope_deg, friction * sum / masses, 0.004], places);
}

#[test]
fn bits_do_not_depend_on_ranks() {
    let pair =
        r#"material_pairs: [(materials: ("wood", "wool"), friction: 0.4, distance_m: 0.0026)]"#;
    let fields = format!(
        r#"{MATERIALS}, {pair}, apart: [("high", "high")], patch_vertices: 8, gravity_m_per_s2: (3, -9, 1)"#
    );
    let run = |ranks| {
        let (scene, mut setup) = sheets(["wool", "", "wood"], &fields);
        for cloth in &mut setup.cloths {
            let factors = Vec::from_iter(cloth.rest.iter().map(|x| 1.0 + 5.0 * x.x.abs()));
            (cloth.factors.friction, cloth.factors.distance) = (factors.clone(), factors);
        }
        after(&scene, setup, 80, ranks)
    };
    let one = run(1).remove(0);
    assert!(run(3).iter().all(|other| *other == one));
}

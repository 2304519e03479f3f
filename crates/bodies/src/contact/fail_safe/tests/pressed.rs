//! Sheets that are pressed on a floor.

use super::*;

/// `layers` sheets over a floor, the lowest `up_m` over it, the others 2.1 mm apart.
fn stack(layers: u32, up_m: f64) -> TestScene {
    let mut scene = TestScene::default();
    let (faces, flat) = sheet(3);
    for layer in 0..layers {
        let up = (0.0021 * f64::from(layer) + up_m) * Vec3::y();
        let x: Vec<_> = flat.iter().map(|x| x * (1.0 + 0.01 * f64::from(layer)) + up).collect();
        scene.add(&faces, &x, &x, false, false);
    }
    let floor: Vec<_> = sheet(2).1.iter().map(|x| 8.0 * x).collect();
    scene.add(&sheet(2).0, &floor, &floor, true, false);
    scene
}

#[test]
fn pressed_sheets_stay_delta_apart_for_a_thousand_steps() {
    let mut scene = stack(3, 0.002);
    let (mut slid, mut intended) = (0.0, 0.0);
    for step in 0..1000 {
        let wind = 2e-5 * Vec3::new(libm::cos(0.01 * f64::from(step)), 0.0, 0.3);
        for v in 0..27 {
            let swirl = 1e-5 * Vec3::new(scene.x0[v].z, 0.0, -scene.x0[v].x);
            scene.x1[v] = scene.x0[v] - 1e-4 * Vec3::y() + wind + swirl;
        }
        let (report, x1) = scene.run();
        assert_eq!((&report.conflict, report.too_near), (&None, None));
        slid += (x1[0] - scene.x0[0]).xz().norm();
        intended += (scene.x1[0] - scene.x0[0]).xz().norm();
        scene.x0 = x1;
    }
    let (distance, pair) = scene.nearest(&scene.x0);
    assert!(distance >= DELTA_M * (1.0 - 1e-6), "{pair:?} at {distance:e}");
    assert!(distance <= DELTA_M * (1.0 + 1e-3));
    // Oblique planes do not hold back sheets that move along together.
    assert!(slid > 0.95 * intended, "{slid} of {intended}");
}

#[test]
fn a_pressed_sheet_slides_on_over_the_floor() {
    let mut scene = stack(1, 0.0016);
    let (start, step) = (scene.x0.clone(), Vec3::new(2e-4, -1e-3, 1e-4));
    for _ in 0..50 {
        for v in 0..9 {
            scene.x1[v] = scene.x0[v] + step;
        }
        scene.x0 = scene.run().1;
    }
    for (end, start) in scene.x0.iter().zip(&start).take(9) {
        let way = end - start;
        assert!((way - Vec3::new(0.01, -6e-4, 0.005)).norm() < 1e-8, "{way}");
    }
}

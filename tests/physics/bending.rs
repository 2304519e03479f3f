//! Bending on irregular meshes against closed forms. `examples/bending.rs` prints many more cases.

use cloth_sim::bodies::cloth::locking::Locking;
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material};
use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::math::{Vec2, Vec3};
use cloth_sim::mesh::relax::relax;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::mesh::{Mesh, SurfaceMesh};

use crate::bends::{
    ELASTICAS, cylinder_ratio, flat_cloth, free_frequencies, hanging, small_drop_error,
    supported_deflection, supported_frequencies,
};
use crate::flat_meshes::{FlatMesh, Look};
use crate::physics::{G, alone, cloth, hold, mean, scene, simulate, vertices_where};

const LENGTH: f64 = 0.4;
const WIDTH: f64 = 0.04;

#[test]
fn cylinders_have_the_energy_of_plates_on_any_mesh() {
    let warp_stiff = BendingStiffness { d11: 3e-5, d12: 4e-6, d22: 1e-5, d66: 6e-6 };
    for look in [
        Look::Alternating,
        Look::Random,
        Look::Stretched(4.0, 0.0),
        Look::Stretched(8.0, 45.0),
        Look::Obtuse(158.0),
        Look::Valences,
        Look::Graded,
    ] {
        let mesh = FlatMesh::rectangle(LENGTH, WIDTH, 40, look, 11);
        for d in [BendingStiffness::isotropic(1e-5, 0.3), warp_stiff] {
            for degrees in [0.0, 30.0, 90.0] {
                let ratio = cylinder_ratio(&mesh, d, degrees);
                assert!((ratio - 1.0).abs() < 0.005, "{look:?}, {degrees} degrees: {ratio}");
            }
        }
    }
}

/// Relative error of H/L of a strip with `along` long edges in its length.
fn strip_error(look: Look, along: u32, elastica: (f64, f64)) -> f64 {
    let mesh = FlatMesh::rectangle(LENGTH, WIDTH, along, look, 1);
    let found = hanging(&mesh, LENGTH, 2000.0, elastica);
    println!(
        "strip of {look:?}, {along} edges, Gamma {}, H/L: {:+.3} %, membrane {:.2} %",
        elastica.0,
        100.0 * found.error,
        100.0 * found.membrane_share,
    );
    assert!(found.membrane_share < 0.01, "membranes lock");
    found.error
}

#[test]
fn strips_of_irregular_triangles_are_elasticas() {
    let [one, two, ten, _] = ELASTICAS;
    for (look, elastica) in [(Look::Alternating, one), (Look::Random, ten), (Look::Valences, two)] {
        assert!(strip_error(look, 40, elastica).abs() < 0.01);
    }
}

/// Where membranes take no part.
#[test]
fn small_drops_of_strips_are_right_on_any_mesh() {
    for look in [
        Look::Random,
        Look::Stretched(4.0, 0.0),
        Look::Stretched(8.0, 0.0),
        Look::Stretched(4.0, 45.0),
        Look::Stretched(4.0, 90.0),
        Look::Obtuse(144.0),
        Look::Valences,
    ] {
        for held in [false, true] {
            let error = |along| {
                let width = if along == 40 { WIDTH } else { 0.5 * WIDTH };
                let mesh = FlatMesh::rectangle(LENGTH, width, along, look, 1);
                small_drop_error(&mesh, LENGTH, held)
            };
            let coarse = error(40);
            println!("small drop, {look:?}, held {held}: {:+.3} %", 100.0 * coarse);
            assert!(coarse.abs() < 0.01);
            if look == Look::Random {
                let fine = error(80);
                println!("refined {:+.3} %", 100.0 * fine);
                assert!(fine.abs() < 0.005);
            }
        }
    }
}

#[test]
fn plates_converge_on_random_triangles() {
    let d = BendingStiffness::isotropic(1.0, 0.3);
    let errors = |n: u32| {
        let mesh = FlatMesh::rectangle(1.0, 1.0, n, Look::Random, 1);
        let (found, rigid) = free_frequencies(&mesh, d, 4);
        assert!(rigid < 1e-8, "a rigid motion costs energy: {rigid}");
        let exact = [13.468_2, 19.596_1, 24.270_2, 34.800_9];
        let centre = supported_deflection(&mesh, d) / 0.004_062_35 - 1.0;
        let errors = found.iter().zip(exact).map(|(w, exact)| w / exact - 1.0);
        errors.chain([centre]).map(f64::abs).collect::<Vec<f64>>()
    };
    let (coarse, fine) = (errors(14), errors(28));
    println!("free plate, four frequencies, and supported plate: {coarse:.4?}, refined {fine:.4?}");
    for (coarse, fine) in coarse.iter().zip(&fine) {
        assert!(*fine < 0.01 && *fine < 0.4 * coarse, "{coarse}, refined {fine}");
    }
}

#[test]
fn orthotropic_plates_have_the_frequencies_of_closed_forms() {
    let d = BendingStiffness { d11: 5.0, d12: 0.4, d22: 1.0, d66: 0.3 };
    for look in [Look::Alternating, Look::Random, Look::Stretched(2.0, 45.0)] {
        let worst = |n: u32| {
            let ratios = supported_frequencies(&FlatMesh::rectangle(1.0, 0.7, n, look, 1), d, 4);
            ratios.iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (worst(14), worst(28));
        println!("orthotropic plate of {look:?}, worst of four: {coarse:.4}, refined {fine:.4}");
        assert!(fine < 0.02 && fine < 0.5 * coarse, "{look:?}: {coarse}, refined {fine}");
    }
}

/// Thin cloth of long triangles: the prediction knows without a run that it locks, and relaxed
/// triangles do not.
#[test]
fn long_triangles_lock_as_predicted_and_relaxed_ones_do_not() {
    let [_, _, ten, _] = ELASTICAS;
    let found = |mesh: &FlatMesh| {
        let cloth = flat_cloth(mesh, thin_cloth(ten));
        let locking = Locking::new(&cloth).expect("the cloth is stiff");
        // About the radius of the third next to the clamp.
        let predicted = locking.excess_along(Vec2::x(), 0.15 * LENGTH).mean;
        let measured = hanging(mesh, LENGTH, thin_cloth(ten).membrane.c11, ten).error;
        println!("{} triangles: {predicted:.4} predicted, {measured:+.4} of H/L", mesh.faces.len());
        (predicted, measured)
    };
    let mesh = FlatMesh::rectangle(LENGTH, WIDTH, 20, Look::Stretched(2.0, 0.0), 1);
    let (predicted, error) = found(&mesh);
    assert!(predicted > 0.1 && error < -0.03, "long triangles lock");
    let (predicted, error) = found(&relaxed(&mesh));
    assert!(predicted < 0.03 && error.abs() < 0.015, "relaxed triangles do not");
}

/// Without Poisson's ratio, with an effective thickness of 1 mm.
fn thin_cloth((gamma, _): (f64, f64)) -> Material {
    let rigidity = 0.2 * G * LENGTH.powi(3) / gamma;
    Material::isotropic(0.2, 12.0 * rigidity / 1e-6, 0.0, rigidity)
}

fn relaxed(mesh: &FlatMesh) -> FlatMesh {
    let positions = mesh.points.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect();
    let surface = SurfaceMesh::from_mesh(Mesh { positions, faces: mesh.faces.clone() });
    let (better, _) = relax(&surface.expect("a sound mesh")).expect("a sound mesh stays sound");
    let points = better.document.positions.iter().map(|p| [p.x, p.y]).collect();
    FlatMesh { points, faces: better.faces }
}

/// Two rows of pins hold the slope of a strip, wherever they turn it. One row alone is a hinge.
#[test]
fn rows_of_pins_clamp_an_elastica_until_one_row_is_left() {
    for cells in [1, 2] {
        let mut cloth = cloth(
            sheet(0.105, 0.02, 21 * cells, 4 * cells, Diagonal::Alternating),
            Material { mass_damping_per_s: 8.0, ..Material::isotropic(0.3, 10_000.0, 0.0, 1e-3) },
        );
        let line = -0.0475;
        let ends = vertices_where(&cloth.rest, |p| p.x > 0.0524);
        hold(&mut cloth, |p| (p.x - line).abs() < 1e-6);
        hold(&mut cloth, |p| p.x < line - 1e-6);
        let key = |time_s, angle_deg| Keyframe {
            time_s,
            translation: Vec3::zeros(),
            axis: Vec3::y(),
            angle_deg,
        };
        let motion = KeyframedMotion {
            center: Vec3::zeros(),
            keyframes: vec![key(0.0, 0.0), key(0.2, 30.0)],
        };
        cloth.pins.iter_mut().for_each(|pin| pin.motion = Some(motion.clone()));
        cloth.pins[1].end_s = 2.0;
        let (clamped, hinged) = simulate(&scene(4e-3), alone(cloth), |simulation| {
            let tip = |x: &[Vec3]| {
                let along =
                    |v: usize| Vec3::new(libm::cos(30_f64.to_radians()), 0.0, -0.5).dot(&x[v]);
                [mean(&ends, along) - line, mean(&ends, |v| x[v].y)]
            };
            let mut clamped = [0.0; 2];
            while simulation.time_s() < 2.5 {
                if simulation.time_s() < 2.0 {
                    clamped = tip(simulation.positions());
                }
                simulation.step()?;
            }
            Ok((clamped, tip(simulation.positions())))
        });
        println!("clamped {clamped:?}, hinged {hinged:?}");
        let square = f64::from(cells * cells);
        for (found, exact) in clamped.iter().zip([0.093_373, -0.033_430]) {
            assert!((found / exact - 1.0).abs() < 0.004 / square, "{found} instead of {exact} m");
        }
        assert!(hinged[1] < -0.08, "{hinged:?}");
    }
}

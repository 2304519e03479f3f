//! Validation run: bending on meshes that are random, stretched, graded, obtuse and flipped.
//!
//! `cargo run --release --features internals --example bending` prints the tables of
//! `notebook/validation.md`: strips under their own weight through the real step, the energy of a
//! cylinder, and plates.

use std::path::Path;

#[path = "../tests/common/bends.rs"]
mod bends;
#[path = "../tests/common/flat_meshes.rs"]
mod flat_meshes;
#[path = "../tests/common/physics.rs"]
mod physics;

use bends::{
    ELASTICAS, cylinder_ratio, free_frequencies, hanging, hinged, predicted_error,
    small_drop_error, supported_deflection, supported_frequencies,
};
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material};
use cloth_sim::mesh::{Faces, SurfaceMesh};
use flat_meshes::{FlatMesh, Look};

const LENGTH: f64 = 0.4;
const WIDTH: f64 = 0.04;

const LOOKS: [Look; 17] = [
    Look::Alternating,
    Look::Random,
    Look::Even,
    Look::Stretched(2.0, 0.0),
    Look::Stretched(3.0, 0.0),
    Look::Stretched(4.0, 0.0),
    Look::Stretched(8.0, 0.0),
    Look::Stretched(2.0, 90.0),
    Look::Stretched(4.0, 90.0),
    Look::Stretched(8.0, 90.0),
    Look::Stretched(2.0, 45.0),
    Look::Stretched(4.0, 45.0),
    Look::Stretched(8.0, 45.0),
    Look::Obtuse(144.0),
    Look::Obtuse(158.0),
    Look::Valences,
    Look::Graded,
];

const ORTHOTROPIC_LOOKS: [Look; 5] = [
    Look::Alternating,
    Look::Random,
    Look::Stretched(2.0, 0.0),
    Look::Stretched(2.0, 45.0),
    Look::Valences,
];
/// Five times as stiff along warp as along weft, and softer in twist than in both.
const WARP_STIFF: BendingStiffness = BendingStiffness { d11: 5.0, d12: 0.4, d22: 1.0, d66: 0.3 };

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| arguments.is_empty() || arguments.iter().any(|it| it == name);
    if named("meshes") {
        meshes();
    }
    for file in arguments.iter().filter(|it| it.ends_with(".obj")) {
        flat_file(file);
    }
    if named("plates") {
        plates();
    }
    let (steep, others): (Vec<Look>, Vec<Look>) =
        LOOKS.iter().partition(|look| matches!(look, Look::Stretched(8.0, _)));
    if named("strips") {
        strips(40, &others, &ELASTICAS);
    }
    // A step takes 1,000 iterations or more.
    if arguments.iter().any(|it| it == "steep") {
        strips(40, &steep, &ELASTICAS);
    }
    if named("fine") {
        strips(80, &[Look::Alternating, Look::Random, Look::Valences], &ELASTICAS);
    }
    if named("thickness") {
        thickness();
    }
}

/// The energy of cylinders, and what S looks like.
fn meshes() {
    println!(
        "| mesh | triangles | valences | cylinder at 0, 30, 90 | entries a row | widest bound |"
    );
    println!("|---|---|---|---|---|---|");
    let d = BendingStiffness::isotropic(1.0, 0.3);
    for look in LOOKS {
        for seed in [11, 12, 13] {
            let mesh = FlatMesh::rectangle(LENGTH, WIDTH, 40, look, seed);
            let ratios = [0.0, 30.0, 90.0].map(|degrees| cylinder_ratio(&mesh, d, degrees));
            let cloth = bends::flat_cloth(&mesh, Material::isotropic(0.2, 500.0, 0.0, 1e-5));
            let sheet = hinged(&cloth, d);
            let entries = sheet.stiffness[0].entries() as f64 / sheet.stiffness[0].count() as f64;
            let own = |e| sheet.stiffness[0].entry(e, e).unwrap_or(1.0);
            let bounds = (0..).zip(&sheet.hinges).map(|(e, hinge)| hinge.stiffness_bound / own(e));
            let widest = bounds.fold(0.0, f64::max);
            let drop = match mesh.points.len() < 2000 {
                true => format!("{:+.3} %", 100.0 * small_drop_error(&mesh, LENGTH, false)),
                false => String::new(),
            };
            println!(
                "| {look:?} {seed} | {} | {:?} | {ratios:.5?} | {drop} | {entries:.1} | {widest:.2} |",
                mesh.faces.len(),
                mesh.valences()
            );
        }
    }
}

/// The energy of cylinders on the mesh of an OBJ file that lies in a plane z, for example a piece of
/// a garment.
fn flat_file(file: &str) {
    let mesh = SurfaceMesh::read(Path::new(file), Faces::Manifold).expect("the mesh is sound");
    let points = mesh.document.positions.iter().map(|p| [p.x, p.y]).collect();
    let mesh = FlatMesh { points, faces: mesh.faces };
    let d = BendingStiffness::isotropic(1.0, 0.3);
    let ratios = [0.0, 30.0, 60.0, 90.0].map(|degrees| cylinder_ratio(&mesh, d, degrees));
    println!("| {file} | {} | {:?} | {ratios:.5?} |", mesh.faces.len(), mesh.valences());
}

/// Strips under their own weight, at Gamma 1, 2, 10 and 100.
fn strips(along: u32, looks: &[Look], elasticas: &[(f64, f64)]) {
    let (seeds, modulus) = ([1], 2000.0);
    println!(
        "| mesh, {along} long edges | error of H/L, % (membranes over bending, %; predicted) |"
    );
    println!("|---|---|");
    for &look in looks {
        for seed in seeds {
            let mesh = FlatMesh::rectangle(LENGTH, WIDTH, along, look, seed);
            print!("| {look:?} {seed} |");
            for &elastica in elasticas {
                let found = hanging(&mesh, LENGTH, modulus, elastica);
                let predicted = predicted_error(&mesh, LENGTH, modulus, elastica);
                let shares = [found.error, found.membrane_share, predicted].map(|it| 100.0 * it);
                print!(" {:+.3} ({:.2}; {:+.3})", shares[0], shares[1], shares[2]);
            }
            println!(" |");
        }
    }
}

/// Strips at Gamma 2 whose effective thickness `sqrt(12 D / (E t))` is 0.5 and 20 mm.
fn thickness() {
    println!("| mesh, Gamma 2 | thickness 0.5 mm, 20 mm: error of H/L, % (membrane energy, %) |");
    println!("|---|---|");
    let rigidity = 0.2 * physics::G * LENGTH.powi(3) / 2.0;
    for look in [
        Look::Random,
        Look::Stretched(4.0, 0.0),
        Look::Stretched(4.0, 90.0),
        Look::Stretched(4.0, 45.0),
        Look::Valences,
    ] {
        let mesh = FlatMesh::rectangle(LENGTH, WIDTH, 40, look, 1);
        print!("| {look:?} |");
        for thickness in [5e-4, 2e-2] {
            let modulus = 12.0 * rigidity / (thickness * thickness);
            let found = hanging(&mesh, LENGTH, modulus, ELASTICAS[1]);
            print!(" {:+.3} ({:.2})", 100.0 * found.error, 100.0 * found.membrane_share);
        }
        println!(" |");
    }
}

/// Frequencies of a free square plate with nu = 0.3, and the deflection of a supported one.
fn plates() {
    const EXACT: [f64; 4] = [13.468_2, 19.596_1, 24.270_2, 34.800_9];
    let d = BendingStiffness::isotropic(1.0, 0.3);
    println!("| plate, random | n | errors, % |");
    println!("|---|---|---|");
    for n in [8, 16, 32] {
        for seed in [1, 2] {
            let mesh = FlatMesh::rectangle(1.0, 1.0, n, Look::Random, seed);
            let (found, rigid) = free_frequencies(&mesh, d, 4);
            let errors: Vec<f64> =
                found.iter().zip(EXACT).map(|(w, exact)| 100.0 * (w / exact - 1.0)).collect();
            println!("| free, four frequencies | {n} | {errors:+.2?} (rigid {rigid:.0e}) |");
            let error = 100.0 * (supported_deflection(&mesh, d) / 0.004_062_35 - 1.0);
            println!("| simply supported, centre | {n} | {error:+.2} |");
        }
    }
    orthotropic_plates();
}

/// Frequencies of a simply supported rectangle that is five times as stiff along as across.
fn orthotropic_plates() {
    println!("| simply supported, orthotropic | n | errors of four frequencies, % |");
    println!("|---|---|---|");
    for look in ORTHOTROPIC_LOOKS {
        for n in [8, 16, 32] {
            let mesh = FlatMesh::rectangle(1.0, 0.7, n, look, 1);
            let found = supported_frequencies(&mesh, WARP_STIFF, 4);
            let errors: Vec<f64> = found.iter().map(|ratio| 100.0 * (ratio - 1.0)).collect();
            println!("| {look:?} | {n} | {errors:+.2?} |");
        }
    }
}

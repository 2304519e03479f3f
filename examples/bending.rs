//! Validation run: bending on meshes that are random, stretched, graded, obtuse and flipped.
//!
//! `cargo run --release --features internals --example bending` prints the tables of
//! `docs/validation.md`: strips under their own weight through the real step, the energy of a
//! cylinder, and plates.

#[path = "../tests/common/bends.rs"]
mod bends;
#[path = "../tests/common/flat_meshes.rs"]
mod flat_meshes;
#[path = "../tests/common/physics.rs"]
mod physics;

use bends::{
    ELASTICAS, cylinder_ratio, free_frequencies, hanging, hinged, small_drop_error,
    supported_deflection,
};
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material};
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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| arguments.is_empty() || arguments.iter().any(|it| it == name);
    if named("meshes") {
        meshes();
    }
    if named("plates") {
        plates();
    }
    if named("strips") {
        strips(40, &LOOKS, &ELASTICAS);
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
            let entries = sheet.stiffness.entries() as f64 / sheet.stiffness.count() as f64;
            let own = |e| sheet.stiffness.entry(e, e).unwrap_or(1.0);
            let bounds = (0..).zip(&sheet.hinges).map(|(e, hinge)| hinge.stiffness_bound / own(e));
            let widest = bounds.fold(0.0, f64::max);
            let drop = match mesh.points.len() < 1500 {
                true => format!("{:+.3} %", 100.0 * small_drop_error(&mesh, LENGTH)),
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

/// Strips under their own weight, at Gamma 1, 2, 10 and 100.
fn strips(along: u32, looks: &[Look], elasticas: &[(f64, f64)]) {
    let (seeds, modulus) = ([1], 2000.0);
    println!("| mesh, {along} long edges | error of H/L, % (membrane energy over bending's, %) |");
    println!("|---|---|");
    for &look in looks {
        for seed in seeds {
            let mesh = FlatMesh::rectangle(LENGTH, WIDTH, along, look, seed);
            print!("| {look:?} {seed} |");
            for &elastica in elasticas {
                let found = hanging(&mesh, LENGTH, modulus, elastica);
                print!(" {:+.3} ({:.2})", 100.0 * found.error, 100.0 * found.membrane_share);
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
}

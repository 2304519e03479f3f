//! Cloth at rest against closed forms, through the real step.

use std::path::Path;

use cloth_sim::bodies::cloth::elements::bending::BendingFactors;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::{AirDrag, ClothModel};
use cloth_sim::ids::NONE;
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::scene;

use crate::physics::*;

/// Mass per area of all strips, kg/m^2.
const DENSITY: f64 = 0.2;

/// Prints the computed and the exact value; returns the relative error.
fn error(what: &str, found: f64, exact: f64) -> f64 {
    let error = found / exact - 1.0;
    println!("{what}: {found:.6}, exact {exact:.6}, {:+.3} %", 100.0 * error);
    error
}

/// dL = s g L^2 / (2 E t), with nu = 0.
#[test]
fn a_hanging_strip_stretches_by_its_own_weight() {
    let (length, modulus) = (0.5, 100.0);
    let material =
        Material { mass_damping_per_s: 12.0, ..Material::isotropic(DENSITY, modulus, 0.0, 1e-6) };
    let mut cloth = cloth(strip(30, 4, length / 30.0, Cut::Rising), material);
    hold(&mut cloth, |p| p.x < 1e-9);
    cloth.positions.iter_mut().for_each(|p| *p = Vec3::new(0.0, -p.x, p.z)); // hangs
    let end = vertices_where(&cloth.rest, |p| p.x > length - 1e-9);
    let stretch = simulate(&statics(0.01), alone(cloth), |simulation| {
        settle(simulation, 1e-5, 20.0)?;
        Ok(mean(&end, |v| -simulation.positions()[v].y) - length)
    });
    let exact = DENSITY * G * length * length / (2.0 * modulus);
    assert!(error("hanging strip, dL in m", stretch, exact).abs() < 0.01);
}

/// Relative error of H/L, the tip's drop over the length, for a strip of `along` x `across` cells
/// that bends under its own weight. Its first two columns are held; L counts from the second.
fn cantilever_error(along: u32, across: u32, cut: Cut, (gamma, exact): (f64, f64)) -> f64 {
    let cell = 0.4 / f64::from(along);
    let length = (f64::from(along) - 1.0) * cell;
    let rigidity = DENSITY * G * length.powi(3) / gamma;
    // Roughly the first frequency of the strip, as a beam and as a pendulum.
    let first = (G / length * (12.4 / gamma + 1.45)).sqrt();
    let material = Material {
        mass_damping_per_s: 2.0 * first,
        ..Material::isotropic(DENSITY, 2000.0, 0.0, rigidity)
    };
    let mut cloth = cloth(strip(along, across, cell, cut), material);
    hold(&mut cloth, |p| p.x < 1.5 * cell);
    let end = vertices_where(&cloth.rest, |p| p.x > (f64::from(along) - 0.5) * cell);
    let drop = simulate(&statics(0.008), alone(cloth), |simulation| {
        settle(simulation, 1e-5, 20.0)?;
        Ok(mean(&end, |v| -simulation.positions()[v].y) / length)
    });
    error(&format!("cantilever, Gamma {gamma}, {across} x {along}, {cut:?}, H/L"), drop, exact)
}

/// Gamma and H/L of the elastica.
const CANTILEVER: [(f64, f64); 3] = [(1.0, 0.12347), (10.0, 0.70020), (100.0, 0.93752)];

#[test]
fn cantilevers_on_regular_meshes_are_elasticas() {
    for exact in CANTILEVER {
        for cut in [Cut::Rising, Cut::Falling, Cut::Equilateral] {
            assert!(cantilever_error(40, 4, cut, exact).abs() < 0.002);
        }
    }
}

#[test]
fn cantilevers_on_jittered_meshes_are_elasticas() {
    for exact in CANTILEVER {
        assert!(cantilever_error(40, 4, Cut::Jittered(0.2, 1), exact).abs() < 0.002);
    }
}

#[test]
fn cantilevers_come_closer_as_the_mesh_is_refined() {
    let exact = CANTILEVER[0];
    let jittered = [1, 2, 3].map(|seed| Cut::Jittered(0.2, seed));
    for cuts in [&[Cut::Rising][..], &[Cut::Equilateral], &jittered] {
        let mean = |k: u32| {
            let errors = cuts.iter().map(|&cut| cantilever_error(40 * k, 4 * k, cut, exact).abs());
            errors.sum::<f64>() / cuts.len() as f64
        };
        let (coarse, fine) = (mean(1), mean(2));
        println!("{cuts:?}: {:.3} %, refined {:.3} %", 100.0 * coarse, 100.0 * fine);
        assert!(fine < 0.5 * coarse);
    }
}

/// The bending energy of cloth wound around a cylinder equals that of the smooth plate, D / (2
/// r^2) per area. Only faces with three neighbours count: the others have free edges.
#[test]
fn the_tablecloth_around_a_cylinder_has_the_energy_of_a_plate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/tablecloth.ron");
    let scene = scene::load(&path).expect("the scene is sound");
    let folder = path.parent().expect("a folder");
    let cloths = scene::build(&scene, folder).expect("the mesh is sound").cloths;
    let (rest, rigidity) = (&cloths[0].rest, cloths[0].material.bending.d11);
    let elements = ClothModel::new(&cloths, &[], AirDrag::default(), scene.step_s()).elements;
    let (membrane, bending) = (&elements.membrane, &elements.bending.sheet);
    let planes: Vec<_> = cloths[0].rest_planes.iter().map(|plane| [plane.x1, plane.x2]).collect();
    let stiffness = cloths[0].material.bending;
    let factors = BendingFactors::new(&cloths[0].topology, &planes, |_| stiffness, &[]);
    let radius = 0.5;
    for degrees in [0.0, 30.0, 90.0] {
        let turn = rotation(Vec3::y(), degrees);
        let wind = |p: &Vec3| {
            let flat = turn * p;
            let angle = flat.x / radius;
            Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), flat.z)
        };
        let angles = bending.angles(&rest.iter().map(wind).collect::<Vec<Vec3>>());
        let (mut energy, mut area) = (0.0, 0.0);
        for (face, hinges) in bending.face_hinges.iter().enumerate() {
            if !hinges.contains(&NONE) {
                energy += factors.face_energy(face as u32, &angles);
                area += membrane.triangles[face].area;
            }
        }
        assert!(area > 3.0);
        let exact = 0.5 * rigidity * area / (radius * radius);
        let name = format!("tablecloth around a cylinder at {degrees} degrees, ratio of energies");
        assert!(error(&name, energy / exact, 1.0).abs() < 0.01);
    }
}

/// Length over span, sag over span, horizontal tension over weight per length and span.
const CATENARY: [(f64, f64, f64); 3] =
    [(1.05, 0.13930, 0.91964), (1.2, 0.29234, 0.46954), (1.5, 0.50263, 0.30824)];

#[test]
fn a_limp_strip_between_two_supports_is_a_catenary() {
    const SPAN: f64 = 0.4;
    const ALONG: u32 = 60;
    let modulus = 1e4;
    let material = Material {
        mass_damping_per_s: 2.0 * (G / SPAN).sqrt(),
        ..Material::isotropic(DENSITY, modulus, 0.0, 1e-9)
    };
    for (ratio, sag, tension) in CATENARY {
        let length = ratio * SPAN;
        let cell = length / f64::from(ALONG);
        let mut cloth = cloth(strip(ALONG, 2, cell, Cut::Rising), material);
        hold(&mut cloth, |p| p.x < 1e-9 || p.x > length - 1e-9);
        // It starts as a circular arc: chord = 2 r sin(length / 2 r).
        let half_angle = bisect(1e-3, 3.0, |half| half.sin() - half / ratio);
        let radius = 0.5 * length / half_angle;
        for p in &mut cloth.positions {
            let angle = p.x / radius - half_angle;
            *p = Vec3::new(radius * angle.sin(), radius * (half_angle.cos() - angle.cos()), p.z);
        }
        let column = |k| vertices_where(&cloth.rest, |p| (p.x - f64::from(k) * cell).abs() < 1e-9);
        let (middle, next) = (column(ALONG / 2), column(ALONG / 2 + 1));
        let (middle, next) = simulate(&statics(0.01), alone(cloth), |simulation| {
            settle(simulation, 1e-5, 20.0)?;
            let x = simulation.positions();
            let place = |column: &[u32]| Vec3::from([0, 1, 2].map(|k| mean(column, |v| x[v][k])));
            Ok((place(&middle), place(&next)))
        });
        let name = format!("catenary of length/span {ratio}");
        assert!(error(&format!("{name}, sag/span"), -middle.y / SPAN, sag).abs() < 0.01);
        let force = modulus * ((next - middle).norm() / cell - 1.0);
        let found = force / (DENSITY * G * SPAN);
        assert!(error(&format!("{name}, tension"), found, tension).abs() < 0.01);
    }
}

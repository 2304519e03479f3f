//! Strips and plates of any mesh against closed forms of bending.
#![allow(dead_code)] // each program uses a part of it

use cloth_sim::bodies::cloth::elements::bending::{
    BendingFactors, HingedSheet, hinge_angle_and_gradient,
};
use cloth_sim::bodies::cloth::elements::membrane::MembraneTriangle;
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material};
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::ids::NONE;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use nalgebra::{DMatrix, DVector};

use super::flat_meshes::FlatMesh;
use super::physics::{G, alone, cloth, hold, mean, settle, simulate, statics, vertices_where};

/// Mass per area, kg/m^2.
const DENSITY: f64 = 0.2;
/// `Gamma = s g L^3 / D` and H/L, the tip's drop over the length, of the elastica.
pub const ELASTICAS: [(f64, f64); 4] =
    [(1.0, 0.123_471), (2.0, 0.238_507), (10.0, 0.700_20), (100.0, 0.937_524)];

/// What a strip that hangs from its clamp has come to.
pub struct Hanging {
    /// Relative error of H/L.
    pub error: f64,
    /// Energy of membranes over that of bending.
    pub membrane_share: f64,
}

/// The flat cloth in the plane y = 0, fronts up and warp along x.
pub fn flat_cloth(mesh: &FlatMesh, material: Material) -> ClothSetup {
    let positions = mesh.points.iter().map(|&[x, y]| Vec3::new(x, 0.0, -y)).collect();
    cloth(Mesh { positions, faces: mesh.faces.clone() }, material)
}

/// The hinges of a cloth.
pub fn hinged(cloth: &ClothSetup, d: BendingStiffness) -> HingedSheet {
    let planes: Vec<_> = cloth.rest_planes.iter().map(|plane| [plane.x1, plane.x2]).collect();
    HingedSheet::new(&cloth.faces, &cloth.topology, &planes, &cloth.rest, |_| d)
}

/// A strip of `length` (m) that bends under its own weight, through the real step. The mesh is
/// doubled: its line x = 0 is held, and the mirror image keeps the strip level there. So the length
/// is that of the mesh. `modulus` is `E t`, N/m.
pub fn hanging(mesh: &FlatMesh, length: f64, modulus: f64, elastica: (f64, f64)) -> Hanging {
    let (gamma, exact) = elastica;
    let rigidity = DENSITY * G * length.powi(3) / gamma;
    // Roughly the first frequency of the strip, as a beam and as a pendulum.
    let first = (G / length * (12.4 / gamma + 1.45)).sqrt();
    let material = Material {
        mass_damping_per_s: 2.0 * first,
        ..Material::isotropic(DENSITY, modulus, 0.0, rigidity)
    };
    let mut cloth = flat_cloth(&mesh.doubled(), material);
    hold(&mut cloth, |p| p.x == 0.0);
    let ends = vertices_where(&cloth.rest, |p| p.x.abs() > length * (1.0 - 1e-9));
    let x = simulate(&statics(0.008), alone(cloth.clone()), |simulation| {
        settle(simulation, 1e-5, 30.0)?;
        Ok(simulation.positions().to_vec())
    });
    let drop = -mean(&ends, |v| x[v].y) / length;
    let membrane: f64 = cloth
        .faces
        .iter()
        .zip(&cloth.rest_planes)
        .map(|(&face, plane)| {
            let triangle = MembraneTriangle::new(face, plane.x1, plane.x2);
            triangle.energy(&cloth.material.membrane, face.map(|v| x[v as usize]))
        })
        .sum();
    let bending = hinged(&cloth, cloth.material.bending).energy(&x);
    Hanging { error: drop / exact - 1.0, membrane_share: membrane / bending }
}

/// Energy of a mesh wound around a cylinder, over that of the smooth plate. The cylinder's direction
/// of curvature is at `degrees` to the warp. Faces at the boundary do not count: they have free
/// edges.
pub fn cylinder_ratio(mesh: &FlatMesh, d: BendingStiffness, degrees: f64) -> f64 {
    let radius = 0.5;
    let cloth = flat_cloth(mesh, Material::isotropic(DENSITY, 500.0, 0.0, 1e-5));
    let (c, s) = (degrees.to_radians().cos(), degrees.to_radians().sin());
    let wind = |p: &Vec3| {
        let (flat, across) = (c * p.x - s * p.z, -s * p.x - c * p.z);
        let angle = flat / radius;
        let (x, y) = (radius * angle.sin(), radius * (1.0 - angle.cos()));
        Vec3::new(c * x - s * across, y, -s * x - c * across)
    };
    let x: Vec<Vec3> = cloth.rest.iter().map(wind).collect();
    let planes: Vec<_> = cloth.rest_planes.iter().map(|plane| [plane.x1, plane.x2]).collect();
    let factors = BendingFactors::new(&cloth.topology, &planes, |_| d);
    let sheet = hinged(&cloth, d);
    let angles = sheet.angles(&x);
    let k = Vec3::new(c * c, s * s, 2.0 * c * s) / radius;
    let density =
        0.5 * (d.d11 * k.x * k.x + 2.0 * d.d12 * k.x * k.y + d.d22 * k.y * k.y + d.d66 * k.z * k.z);
    let (mut energy, mut exact) = (0.0, 0.0);
    for (face, hinges) in sheet.face_hinges.iter().enumerate() {
        if !hinges.contains(&NONE) {
            energy += factors.face_energy(face as u32, &angles);
            exact += density * cloth.rest_planes[face].area();
        }
    }
    energy / exact
}

/// The stiffness of a flat plate against deflections of its vertices (N/m), and the share of the
/// area of each vertex (m^2).
pub fn plate(mesh: &FlatMesh, d: BendingStiffness) -> (DMatrix<f64>, DVector<f64>) {
    let own: Vec<usize> = (0..mesh.points.len()).collect();
    plate_of(mesh, d, &own)
}

/// The same for plates in which several vertices have one deflection: its number is `place`.
fn plate_of(mesh: &FlatMesh, d: BendingStiffness, place: &[usize]) -> (DMatrix<f64>, DVector<f64>) {
    let cloth = flat_cloth(mesh, Material::isotropic(DENSITY, 500.0, 0.0, 1e-5));
    let sheet = hinged(&cloth, d);
    let n = place.iter().max().map_or(0, |last| last + 1);
    let lift: Vec<[(usize, f64); 4]> = (sheet.hinges.iter())
        .map(|hinge| {
            let at = hinge.vertices.map(|v| cloth.rest[v as usize]);
            let gradient = hinge_angle_and_gradient(at).1;
            [0, 1, 2, 3].map(|i| (place[hinge.vertices[i] as usize], gradient[i].y))
        })
        .collect();
    let mut k = DMatrix::zeros(n, n);
    for (e, lift_e) in lift.iter().enumerate() {
        for (f, s) in sheet.stiffness.row(e as u32) {
            for (a, lift_a) in lift_e {
                for (b, lift_b) in &lift[f as usize] {
                    k[(*a, *b)] += s * lift_a * lift_b;
                }
            }
        }
    }
    let mut areas = DVector::zeros(n);
    for (face, plane) in cloth.faces.iter().zip(&cloth.rest_planes) {
        face.iter().for_each(|&v| areas[place[v as usize]] += plane.area() / 3.0);
    }
    (k, areas)
}

/// Relative error of the small drop of a strip's end under its own weight, `s g L^4 / (8 D)`. The
/// strip is clamped as in [`hanging`].
pub fn small_drop_error(mesh: &FlatMesh, length: f64) -> f64 {
    let doubled = mesh.doubled();
    let mut place: Vec<usize> = (0..mesh.points.len()).collect();
    place.extend((0..mesh.points.len()).filter(|&v| mesh.points[v][0] != 0.0));
    let (k, areas) = plate_of(&doubled, BendingStiffness::isotropic(1.0, 0.0), &place);
    let free: Vec<usize> = (0..areas.len()).filter(|&v| mesh.points[v][0] != 0.0).collect();
    let reduced = DMatrix::from_fn(free.len(), free.len(), |i, j| k[(free[i], free[j])]);
    let load = DVector::from_fn(free.len(), |i, _| areas[free[i]]);
    let w = reduced.cholesky().expect("positive definite").solve(&load);
    let is_end = |&i: &usize| mesh.points[free[i]][0] > length * (1.0 - 1e-9);
    let ends: Vec<f64> = (0..free.len()).filter(is_end).map(|i| w[i]).collect();
    let drop = ends.iter().sum::<f64>() / ends.len() as f64;
    drop / (length.powi(4) / 8.0) - 1.0
}

/// The lowest frequencies `w a^2 sqrt(s / D)` of a free plate after its three rigid motions, and the
/// largest of these over the first one.
pub fn free_frequencies(mesh: &FlatMesh, d: BendingStiffness, count: usize) -> (Vec<f64>, f64) {
    let (mut k, areas) = plate(mesh, d);
    for a in 0..areas.len() {
        for b in 0..areas.len() {
            k[(a, b)] /= (areas[a] * areas[b]).sqrt();
        }
    }
    let mut squares: Vec<f64> = k.symmetric_eigenvalues().iter().map(|l| l / d.d11).collect();
    squares.sort_by(f64::total_cmp);
    let rigid = squares[..3].iter().fold(0.0_f64, |most, l| most.max(l.abs())) / squares[3];
    (squares[3..3 + count].iter().map(|l| l.sqrt()).collect(), rigid)
}

/// The deflection of the middle of a unit square plate whose sides are simply supported, under a
/// pressure of 1, times D.
pub fn supported_deflection(mesh: &FlatMesh, d: BendingStiffness) -> f64 {
    let (k, areas) = plate(mesh, d);
    let is_free = |&v: &usize| {
        let [x, y] = mesh.points[v];
        x > 1e-9 && x < 1.0 - 1e-9 && y.abs() < 0.5 - 1e-9
    };
    let free: Vec<usize> = (0..areas.len()).filter(is_free).collect();
    let reduced = DMatrix::from_fn(free.len(), free.len(), |i, j| k[(free[i], free[j])]);
    let load = DVector::from_fn(free.len(), |i, _| areas[free[i]]);
    let w = reduced.cholesky().expect("positive definite").solve(&load);
    // A parabola through the vertices near the middle, by least squares.
    let near = |v: usize| {
        let [x, y] = mesh.points[v];
        (x - 0.5).powi(2) + y * y < 0.03
    };
    let chosen: Vec<usize> = (0..free.len()).filter(|&i| near(free[i])).collect();
    let terms = |x: f64, y: f64| [1.0, x, y, x * x, x * y, y * y];
    let basis = DMatrix::from_fn(chosen.len(), 6, |i, k| {
        let [x, y] = mesh.points[free[chosen[i]]];
        terms(x - 0.5, y)[k]
    });
    let heights = DVector::from_fn(chosen.len(), |i, _| w[chosen[i]]);
    let normal = basis.transpose() * &basis;
    let fit = normal.cholesky().expect("enough vertices").solve(&(basis.transpose() * heights));
    fit[0] * d.d11
}

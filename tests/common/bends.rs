//! Strips and plates of any mesh against closed forms of bending.
#![allow(dead_code)] // each program uses a part of it

use std::f64::consts::PI;

use cloth_sim::bodies::cloth::elements::bending::{
    BendingFactors, HingedSheet, hinge_angle_and_gradient,
};
use cloth_sim::bodies::cloth::elements::membrane::MembraneTriangle;
use cloth_sim::bodies::cloth::locking::Locking;
use cloth_sim::bodies::cloth::material::{BendingStiffness, Material};
use cloth_sim::bodies::cloth::setup::ClothSetup;
use cloth_sim::ids::NONE;
use cloth_sim::math::{Vec2, Vec3};
use cloth_sim::mesh::Mesh;
use nalgebra::{DMatrix, DVector};

use super::flat_meshes::FlatMesh;
use super::physics::{
    G, alone, bisect, cloth, hold, mean, settle, simulate, statics, vertices_where,
};

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

/// Places at equal distances on an elastica of length 1 that starts level and sinks under its own
/// weight, by shooting: the moment m (in D / L) falls by `m' = -Gamma (1 - s) cos(angle)` to zero at
/// the end, and bends the strip by `angle' = curvature(m)`. Places are along and down.
fn sunk(gamma: f64, curvature: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    const PARTS: u32 = 1000;
    let h = 1.0 / f64::from(PARTS);
    let rate = |s: f64, [angle, moment, _, _]: [f64; 4]| {
        let (sine, cosine) = angle.sin_cos();
        [curvature(moment), -gamma * (1.0 - s) * cosine, cosine, sine]
    };
    let shoot = |moment: f64| {
        let mut places = vec![[0.0, 0.0]];
        let mut at = [0.0, moment, 0.0, 0.0];
        for i in 0..PARTS {
            let s = f64::from(i) * h;
            let moved = |k: [f64; 4], by: f64| [0, 1, 2, 3].map(|i| at[i] + by * k[i]);
            let k1 = rate(s, at);
            let k2 = rate(s + 0.5 * h, moved(k1, 0.5 * h));
            let k3 = rate(s + 0.5 * h, moved(k2, 0.5 * h));
            let k4 = rate(s + h, moved(k3, h));
            at = [0, 1, 2, 3].map(|i| at[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
            places.push([at[2], at[3]]);
        }
        (at[1], places)
    };
    shoot(bisect(0.5 * gamma, 0.0, |moment| shoot(moment).0)).1
}

/// The error of H/L that [`Locking`] predicts for the strip of [`hanging`]: that of an elastica whose
/// energy has the predicted excess at each curvature.
pub fn predicted_error(mesh: &FlatMesh, length: f64, modulus: f64, elastica: (f64, f64)) -> f64 {
    let (gamma, exact) = elastica;
    let rigidity = DENSITY * G * length.powi(3) / gamma;
    let cloth = flat_cloth(mesh, Material::isotropic(DENSITY, modulus, 0.0, rigidity));
    let locking = Locking::new(&cloth).expect("the cloth is stiff");
    let energy = |curvature: f64| {
        let excess = locking.excess_along(Vec2::x(), length / curvature).mean;
        0.5 * curvature * curvature * (1.0 + excess)
    };
    // Moments, and the curvatures to which they bend the strip.
    let mut known = vec![[0.0, 0.0]];
    let (mut low, mut energy_low) = (0.0, 0.0);
    for high in (0..60).map(|i| 0.05 * 1.13_f64.powi(i)) {
        let energy_high = energy(high);
        known.push([(energy_high - energy_low) / (high - low), 0.5 * (low + high)]);
        (low, energy_low) = (high, energy_high);
    }
    let curvature = |moment: f64| {
        let at = known.partition_point(|&[known, _]| known < moment.abs());
        let [[m1, k1], [m2, k2]] = [known[at.max(1) - 1], known[at.clamp(1, known.len() - 1)]];
        (k1 + (k2 - k1) * (moment.abs() - m1) / (m2 - m1)).copysign(moment)
    };
    sunk(gamma, curvature)[1000][1] / exact - 1.0
}

/// The strip of [`hanging`]: doubled, and held at the line x = 0.
fn hanging_cloth(mesh: &FlatMesh, length: f64, modulus: f64, gamma: f64) -> ClothSetup {
    let rigidity = DENSITY * G * length.powi(3) / gamma;
    // Roughly the first frequency of the strip, as a beam and as a pendulum.
    let first = (G / length * (12.4 / gamma + 1.45)).sqrt();
    let material = Material {
        mass_damping_per_s: 2.0 * first,
        ..Material::isotropic(DENSITY, modulus, 0.0, rigidity)
    };
    let mut cloth = flat_cloth(&mesh.doubled(), material);
    hold(&mut cloth, |p| p.x == 0.0);
    cloth
}

/// A strip of `length` (m) that bends under its own weight, through the real step. The mesh is
/// doubled: its line x = 0 is held, and the mirror image keeps the strip level there. So the length
/// is that of the mesh. `modulus` is `E t`, N/m.
///
/// It starts as the elastica, and stops where it is at rest itself. Steps grow with the root of
/// Gamma, so bending has the same share of the matrix: larger ones take the solver longer than they
/// save, and strips that lock creep.
pub fn hanging(mesh: &FlatMesh, length: f64, modulus: f64, elastica: (f64, f64)) -> Hanging {
    let (gamma, exact) = elastica;
    let mut cloth = hanging_cloth(mesh, length, modulus, gamma);
    let start = sunk(gamma, |moment| moment);
    for p in &mut cloth.positions {
        let at = p.x.abs() / length * (start.len() - 1) as f64;
        let part = (at as usize).min(start.len() - 2);
        let [x, y] = [0, 1]
            .map(|k| start[part][k] + (at - part as f64) * (start[part + 1][k] - start[part][k]));
        *p = Vec3::new((x * length).copysign(p.x), -y * length, p.z);
    }
    let ends = vertices_where(&cloth.rest, |p| p.x.abs() > length * (1.0 - 1e-9));
    let mut scene = statics(0.001 * gamma.sqrt());
    scene.solver.relative_residual = 1e-5;
    let x = simulate(&scene, alone(cloth.clone()), |simulation| {
        settle(simulation, 1e-5, 60.0)?;
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
    let factors = BendingFactors::new(&cloth.topology, &planes, |_| d, &[]);
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
    plate_of(mesh, d, &own, Vec::new())
}

/// The same for plates in which several vertices have one deflection: its number is `place`. Faces
/// may be `held`.
fn plate_of(
    mesh: &FlatMesh,
    d: BendingStiffness,
    place: &[usize],
    held: Vec<bool>,
) -> (DMatrix<f64>, DVector<f64>) {
    let cloth = flat_cloth(mesh, Material::isotropic(DENSITY, 500.0, 0.0, 1e-5));
    let ClothSetup { faces, topology, rest, .. } = &cloth;
    let planes: Vec<_> = cloth.rest_planes.iter().map(|plane| [plane.x1, plane.x2]).collect();
    let sheet = HingedSheet::with_clamps(faces, topology, &planes, rest, |_| d, &[held]);
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
        for (f, s) in sheet.stiffness[0].row(e as u32) {
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
/// strip is clamped as in [`hanging`], or its mirror image is `held`.
pub fn small_drop_error(mesh: &FlatMesh, length: f64, held: bool) -> f64 {
    let doubled = mesh.doubled();
    let mut place: Vec<usize> = (0..mesh.points.len()).collect();
    let at_clamp = mesh.points.iter().position(|p| p[0] == 0.0).expect("a line that is held");
    let beyond = (0..mesh.points.len()).filter(|&v| mesh.points[v][0] != 0.0);
    place.extend(beyond.map(|vertex| if held { at_clamp } else { vertex }));
    let held = (0..doubled.faces.len()).map(|face| held && face >= mesh.faces.len()).collect();
    let (k, areas) = plate_of(&doubled, BendingStiffness::isotropic(1.0, 0.0), &place, held);
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

/// The lowest frequencies of a plate whose sides are simply supported, over the exact ones: `w^2 s =
/// pi^4 (D11 (m/a)^4 + 2 (D12 + 2 D66) (m n / (a b))^2 + D22 (n/b)^4)`, `a` along warp.
pub fn supported_frequencies(mesh: &FlatMesh, d: BendingStiffness, count: usize) -> Vec<f64> {
    let (k, areas) = plate(mesh, d);
    let size = |axis: usize| {
        let places = mesh.points.iter().map(|p| p[axis]);
        (places.clone().fold(f64::INFINITY, f64::min), places.fold(f64::NEG_INFINITY, f64::max))
    };
    let (x, y) = (size(0), size(1));
    let is_free = |&v: &usize| {
        let within = |at: f64, (low, high): (f64, f64)| at > low + 1e-9 && at < high - 1e-9;
        within(mesh.points[v][0], x) && within(mesh.points[v][1], y)
    };
    let free: Vec<usize> = (0..areas.len()).filter(is_free).collect();
    let reduced = DMatrix::from_fn(free.len(), free.len(), |i, j| {
        k[(free[i], free[j])] / (areas[free[i]] * areas[free[j]]).sqrt()
    });
    let mut found: Vec<f64> = reduced.symmetric_eigenvalues().iter().copied().collect();
    let wave = |m: u32, (low, high): (f64, f64)| f64::from(m) * PI / (high - low);
    let exactly = |m: u32, n: u32| {
        let (p, q) = (wave(m, x).powi(2), wave(n, y).powi(2));
        d.d11 * p * p + 2.0 * (d.d12 + 2.0 * d.d66) * p * q + d.d22 * q * q
    };
    let mut exact: Vec<f64> = (1..=count as u32)
        .flat_map(|m| (1..=count as u32).map(move |n| (m, n)))
        .map(|(m, n)| exactly(m, n))
        .collect();
    found.sort_by(f64::total_cmp);
    exact.sort_by(f64::total_cmp);
    (0..count).map(|i| (found[i] / exact[i]).sqrt()).collect()
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

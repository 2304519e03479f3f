//! Element kernels against closed forms and finite differences.

use cloth_sim::cloth::bending::{hinge_angle_and_gradient, hinge_angles_and_gradients};
use cloth_sim::cloth::membrane::rest_coordinates;
use cloth_sim::cloth::{
    Bending, BendingStiffness, BendingTreatment, MembraneStiffness, MembraneTriangle, StepTerms,
};
use cloth_sim::ids::NONE;
use cloth_sim::math::{Mat3, Vec2, Vec3, rotation};
use cloth_sim::mesh::Topology;
use nalgebra::SMatrix;
use proptest::prelude::*;

/// A flat sheet in the xy plane, warp along x.
struct Sheet {
    x: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

#[derive(Clone, Copy)]
enum Diagonals {
    Rising,
    Falling,
}

impl Sheet {
    /// `nx` by `ny` cells of size `cell`, inner vertices moved at random by up to
    /// `jitter` of a cell in each direction.
    fn grid(nx: u32, ny: u32, cell: f64, diagonals: Diagonals, jitter: f64) -> Self {
        let mut random = Random(1);
        let mut x = Vec::new();
        for j in 0..=ny {
            for i in 0..=nx {
                let inner = i > 0 && i < nx && j > 0 && j < ny;
                let size = if inner { jitter } else { 0.0 };
                let (dx, dy) = (size * random.signed(), size * random.signed());
                x.push(Vec3::new(f64::from(i) + dx, f64::from(j) + dy, 0.0) * cell);
            }
        }
        let mut faces = Vec::new();
        for j in 0..ny {
            for i in 0..nx {
                let a = j * (nx + 1) + i;
                let (b, c, d) = (a + 1, a + nx + 2, a + nx + 1);
                faces.extend(match diagonals {
                    Diagonals::Rising => [[a, b, c], [a, c, d]],
                    Diagonals::Falling => [[a, b, d], [b, c, d]],
                });
            }
        }
        Self { x, faces }
    }

    fn corners(&self, face: usize) -> [Vec3; 3] {
        self.faces[face].map(|v| self.x[v as usize])
    }

    fn in_plane(&self) -> Vec<[Vec2; 2]> {
        (0..self.faces.len()).map(|f| rest_coordinates(self.corners(f), Vec3::x())).collect()
    }

    fn membrane(&self) -> Vec<MembraneTriangle> {
        let in_plane = self.in_plane();
        self.faces.iter().zip(in_plane).map(|(&f, [a, b])| MembraneTriangle::new(f, a, b)).collect()
    }

    fn topology(&self) -> Topology {
        Topology::new(&self.faces).unwrap()
    }

    fn bending(&self, stiffness: BendingStiffness) -> Bending {
        Bending::new(&self.faces, &self.topology(), &self.in_plane(), &self.x, |_| stiffness)
    }

    fn area(&self) -> f64 {
        self.membrane().iter().map(|t| t.area).sum()
    }
}

/// A linear congruential generator is random enough for meshes.
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

fn interwoven() -> MembraneStiffness {
    MembraneStiffness::new(500.0, 1500.0, 0.2, 40.0)
}

fn irregular_triangle() -> MembraneTriangle {
    MembraneTriangle::new([0, 1, 2], Vec2::new(0.02, 0.003), Vec2::new(0.005, 0.015))
}

/// The nine-by-nine matrix of a triangle's blocks.
fn dense(terms: &StepTerms<3>) -> SMatrix<f64, 9, 9> {
    let mut matrix = SMatrix::<f64, 9, 9>::zeros();
    let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    for (&(a, b), block) in places.iter().zip(&terms.blocks) {
        matrix.fixed_view_mut::<3, 3>(3 * b, 3 * a).copy_from(&block.transpose());
        matrix.fixed_view_mut::<3, 3>(3 * a, 3 * b).copy_from(block);
    }
    matrix
}

/// Central difference of a function of positions along every coordinate.
fn difference<T: std::ops::Sub<Output = T> + std::ops::Div<f64, Output = T>, const N: usize>(
    x: [Vec3; N],
    step: f64,
    of: impl Fn([Vec3; N]) -> T,
) -> Vec<T> {
    let mut slopes = Vec::new();
    for a in 0..N {
        for k in 0..3 {
            let mut ends = [x, x];
            ends[0][a][k] += step;
            ends[1][a][k] -= step;
            slopes.push((of(ends[0]) - of(ends[1])) / (2.0 * step));
        }
    }
    slopes
}

fn stacked(forces: [Vec3; 3]) -> SMatrix<f64, 9, 1> {
    SMatrix::from_iterator(forces.iter().flat_map(|f| f.iter().copied()))
}

fn triangle_in_space() -> impl Strategy<Value = [Vec3; 3]> {
    let coordinate = -0.03..0.03;
    prop::array::uniform9(coordinate).prop_map(|c| {
        [Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]), Vec3::new(c[6], c[7], c[8])]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn orthotropic_cloth_exerts_no_net_force_or_torque_on_itself(x in triangle_in_space()) {
        let forces = irregular_triangle().forces(&interwoven(), x);
        let size: f64 = forces.iter().map(|f| f.norm()).sum();
        let force: Vec3 = forces.iter().sum();
        let torque: Vec3 = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
        prop_assert!(force.norm() <= 1e-12 * size);
        prop_assert!(torque.norm() <= 1e-12 * size * 0.06);
    }

    #[test]
    fn membrane_forces_are_the_energy_gradient(x in triangle_in_space()) {
        let (triangle, c) = (irregular_triangle(), interwoven());
        let area = 0.5 * (x[1] - x[0]).cross(&(x[2] - x[0])).norm();
        prop_assume!(area > 0.1 * triangle.area);
        let forces = stacked(triangle.forces(&c, x));
        let slopes = difference(x, 1e-7, |x| triangle.energy(&c, x));
        for (force, slope) in forces.iter().zip(slopes) {
            prop_assert!((force + slope).abs() < 1e-6 * forces.norm(), "{force} {slope}");
        }
    }

    #[test]
    fn membrane_blocks_are_positive_semidefinite(x in triangle_in_space()) {
        let v = [Vec3::zeros(); 3];
        let terms = irregular_triangle().step_terms(&interwoven(), x, v, 1e-2, 1e-3);
        let eigenvalues = dense(&terms).symmetric_eigenvalues();
        prop_assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max());
    }

    #[test]
    fn rigid_motion_is_not_damped(x in triangle_in_space(), spin in triangle_in_space()) {
        let v = x.map(|x| spin[0].cross(&x) * 100.0 + spin[1]);
        let at = |beta| irregular_triangle().step_terms(&interwoven(), x, v, 1e-3, beta);
        let (free, damped) = (stacked(at(0.0).rhs), stacked(at(1.0).rhs));
        // One second of damping against any straining motion of this speed.
        let size = dense(&at(1.0)).norm() * stacked(v).norm();
        prop_assert!((free - damped).norm() <= 1e-13 * size);
    }
}

#[test]
fn stiffness_is_the_derivative_of_forces_at_rest_in_any_pose() {
    let (triangle, c) = (irregular_triangle(), interwoven());
    let turn = rotation(Vec3::new(1.0, 2.0, -0.5), 70.0);
    let rest = [[0.0, 0.0], [0.02, 0.003], [0.005, 0.015]];
    let x = rest.map(|[x, y]| turn * Vec3::new(x, y, 0.0));
    let stiffness = dense(&triangle.step_terms(&c, x, [Vec3::zeros(); 3], 1.0, 0.0));
    for (i, slope) in
        difference(x, 1e-8, |x| stacked(triangle.forces(&c, x))).into_iter().enumerate()
    {
        assert!((slope + stiffness.column(i)).norm() < 1e-6 * stiffness.norm());
    }
}

#[test]
fn tension_holds_out_of_plane_and_enters_with_its_exact_stiffness() {
    let (triangle, c) = (irregular_triangle(), interwoven());
    let x = [[0.0, 0.0], [0.022, 0.0034], [0.0057, 0.017]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let stiffness = dense(&triangle.step_terms(&c, x, [Vec3::zeros(); 3], 1.0, 0.0));
    let slopes = difference(x, 1e-8, |x| stacked(triangle.forces(&c, x)));
    for i in [2, 5, 8] {
        assert!(slopes[i][i] < -1.0, "taut: {}", slopes[i][i]);
        assert!((slopes[i] + stiffness.column(i)).norm() < 1e-5 * slopes[i].norm());
    }
}

#[test]
fn right_hand_side_holds_the_force_and_the_matrix_times_velocity() {
    let (triangle, c) = (irregular_triangle(), interwoven());
    let mut random = Random(3);
    let x = [0, 1, 2].map(|_| random.vector() * 0.02);
    let v = [0, 1, 2].map(|_| random.vector());
    let (h, beta) = (1e-3, 5e-4);
    let terms = triangle.step_terms(&c, x, v, h, beta);
    // (h beta + h^2) K + h^2 geometric = blocks, so blocks times v over h is hD + hK.
    let expected = stacked(triangle.forces(&c, x)) * h - dense(&terms) * stacked(v);
    assert!((stacked(terms.rhs) - expected).norm() < 1e-12 * expected.norm());
}

#[test]
fn a_batch_gives_the_bits_of_its_elements() {
    let other = MembraneTriangle::new([2, 1, 3], Vec2::new(0.01, 0.0), Vec2::new(0.0, 0.02));
    let triangles = [irregular_triangle(), other];
    let mut random = Random(7);
    let mut corners = || std::array::from_fn(|_| random.vector() * 0.02);
    let (x, v) = ([corners(), [Vec3::x(); 3]], [corners(), corners()]); // the second collapsed
    let c = interwoven();
    let pair = MembraneTriangle::step_terms_of(triangles.each_ref(), &c, x, v, 1e-3, 1e-4);
    for i in 0..2 {
        assert_eq!(pair[i], triangles[i].step_terms(&c, x[i], v[i], 1e-3, 1e-4));
    }
    let hinges = [0, 1].map(|_| [0, 1, 2, 3].map(|_| random.vector()));
    assert_eq!(hinge_angles_and_gradients(hinges), hinges.map(hinge_angle_and_gradient));
}

#[test]
fn hinge_angle_is_positive_where_faces_fold_towards_their_front() {
    let folded = |degrees: f64| {
        let (s, c) = degrees.to_radians().sin_cos();
        [Vec3::zeros(), Vec3::y(), -Vec3::x(), Vec3::new(c, 0.3, s)] // fronts up
    };
    for degrees in [-179.0, -90.0, -1e-6, 0.0, 1e-6, 30.0, 90.0, 179.0] {
        let (angle, gradient) = hinge_angle_and_gradient(folded(degrees));
        assert!((angle.to_degrees() - degrees).abs() < 1e-12);
        let slopes = difference(folded(degrees), 1e-6, |x| hinge_angle_and_gradient(x).0);
        let exact = gradient.iter().flat_map(|g| g.iter().copied());
        assert!(exact.zip(slopes).all(|(g, slope)| (g - slope).abs() < 1e-8));
    }
}

#[test]
fn patch_under_uniform_tension_is_in_equilibrium_at_its_exact_strain() {
    let sheet = Sheet::grid(7, 5, 0.03, Diagonals::Rising, 0.25);
    let (modulus, nu, tension) = (500.0, 0.3, 20.0);
    let c = MembraneStiffness::isotropic(modulus, nu);
    let strain = tension / modulus;
    let x: Vec<Vec3> = sheet
        .x
        .iter()
        .map(|x| Vec3::new(x.x * (1.0 + strain), x.y * (1.0 - nu * strain), 0.0))
        .collect();
    let mut forces = vec![Vec3::zeros(); x.len()];
    for triangle in sheet.membrane() {
        let at = triangle.vertices.map(|v| x[v as usize]);
        for (v, force) in triangle.vertices.into_iter().zip(triangle.forces(&c, at)) {
            forces[v as usize] += force;
        }
    }
    let (width, height) = (7.0 * 0.03, 5.0 * 0.03);
    for (rest, force) in sheet.x.iter().zip(&forces) {
        let side = f64::from(rest.x > width - 1e-9) - f64::from(rest.x < 1e-9);
        let at_corner = rest.y < 1e-9 || rest.y > height - 1e-9;
        let share = if at_corner { 0.5 } else { 1.0 } * 0.03;
        // The traction is per rest length, so it is the tension itself.
        assert!((force + Vec3::x() * (side * share * tension)).norm() < 1e-12, "{rest} {force}");
    }
}

#[test]
fn collapsed_triangles_stay_finite() {
    let (triangle, c) = (irregular_triangle(), interwoven());
    let point = Vec3::new(0.1, 0.2, 0.3);
    let along = Vec3::new(0.01, 0.02, -0.01);
    for x in [
        [point; 3],
        [point, point, point + along],
        [point, point + along, point + along * 3.0],
        [point, point + along, point + along + Vec3::x() * 1e-17],
        [Vec3::zeros(), Vec3::x() * 1e-160, Vec3::y() * 1e-160],
    ] {
        let v = [along, -along, point];
        let terms = triangle.step_terms(&c, x, v, 1e-3, 1e-3);
        let size = dense(&terms).norm() + stacked(terms.rhs).norm();
        assert!(size < 1e3, "{size} at {x:?}");
        assert!(stacked(triangle.forces(&c, x)).norm() < 1e3);
        let (angle, gradient) = hinge_angle_and_gradient([x[0], x[1], x[2], point]);
        assert!(angle.is_finite() && gradient.iter().all(|g| g.norm().is_finite()));
    }
}

#[test]
fn warp_is_the_first_axis_of_rest_coordinates() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::new(0.0, 0.0, -1.0)]; // front up
    let [a, b] = rest_coordinates(corners, Vec3::new(0.0, 5.0, -2.0));
    assert!((a - Vec2::new(0.0, -1.0)).norm() < 1e-15 && (b - Vec2::x()).norm() < 1e-15);
    let [a, _] = rest_coordinates(corners, Vec3::y());
    assert!((a - Vec2::x()).norm() < 1e-15, "warp without projection");
}

/// The sheet wound around a cylinder, its direction at `degrees` to the warp.
fn wound(sheet: &Sheet, radius: f64, degrees: f64) -> Vec<Vec3> {
    let turn = rotation(Vec3::z(), degrees);
    let round = |x: &Vec3| {
        let flat = turn.transpose() * x;
        let angle = flat.x / radius;
        let (height, across) = (radius * (1.0 - angle.cos()), radius * angle.sin());
        Vec3::new(across, flat.y, height)
    };
    sheet.x.iter().map(round).collect()
}

/// Energy of a sheet wound around a cylinder over that of the smooth plate, over
/// the faces with three hinges, since others leave their edges free.
fn cylinder_energy_ratio(sheet: &Sheet, d: BendingStiffness, degrees: f64) -> f64 {
    let radius = 0.5;
    let bending = sheet.bending(d);
    let x = wound(sheet, radius, degrees);
    let (c, s) = (degrees.to_radians().cos(), degrees.to_radians().sin());
    let k = Vec3::new(c * c, s * s, 2.0 * c * s) / radius;
    let density =
        0.5 * (d.d11 * k.x * k.x + 2.0 * d.d12 * k.x * k.y + d.d22 * k.y * k.y + d.d66 * k.z * k.z);
    let (mut energy, mut area) = (0.0, 0.0);
    for (face, triangle) in sheet.membrane().iter().enumerate() {
        if bending.triangles[face].hinges.iter().all(|&h| h != NONE) {
            energy += bending.face_energy(face as u32, &x);
            area += triangle.area;
        }
    }
    assert!(area > 0.9 * sheet.area());
    energy / (density * area)
}

#[test]
fn cylinder_energy_is_that_of_the_plate_on_any_mesh() {
    let warp_stiff = BendingStiffness { d11: 3e-5, d12: 4e-6, d22: 1e-5, d66: 6e-6 };
    for d in [BendingStiffness::isotropic(1e-5, 0.3), warp_stiff] {
        for degrees in [0.0, 30.0, 90.0] {
            for (diagonals, jitter) in
                [(Diagonals::Rising, 0.0), (Diagonals::Falling, 0.0), (Diagonals::Rising, 0.2)]
            {
                let sheet = Sheet::grid(60, 60, 1.0 / 60.0, diagonals, jitter);
                let ratio = cylinder_energy_ratio(&sheet, d, degrees);
                assert!((ratio - 1.0).abs() < 0.01, "{degrees} degrees, jitter {jitter}: {ratio}");
            }
        }
    }
}

#[test]
fn bending_forces_are_the_energy_gradient_and_leave_momentum_alone() {
    let sheet = Sheet::grid(3, 3, 0.01, Diagonals::Falling, 0.2);
    let bending = sheet.bending(BendingStiffness { d11: 3e-5, d12: 4e-6, d22: 1e-5, d66: 6e-6 });
    let mut random = Random(9);
    let mut x: Vec<Vec3> = sheet.x.iter().map(|x| x + random.vector() * 0.003).collect();
    let forces = bending.forces(&x);
    let size: f64 = forces.iter().map(|f| f.norm()).sum();
    for v in 0..x.len() {
        for k in 0..3 {
            let at = x[v][k];
            x[v][k] = at + 1e-8;
            let above = bending.energy(&x);
            x[v][k] = at - 1e-8;
            let slope = (above - bending.energy(&x)) / 2e-8;
            x[v][k] = at;
            assert!((forces[v][k] + slope).abs() < 1e-7 * size, "{} {slope}", forces[v][k]);
        }
    }
    let torque: Vec3 = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
    assert!(forces.iter().sum::<Vec3>().norm() < 1e-13 * size);
    assert!(torque.norm() < 1e-13 * size);
}

#[test]
fn curved_rest_shape_is_free_of_bending() {
    let flat = Sheet::grid(6, 6, 0.02, Diagonals::Rising, 0.2);
    let curved = Sheet { x: wound(&flat, 0.03, 20.0), faces: flat.faces };
    let bending = curved.bending(BendingStiffness::isotropic(1e-5, 0.3));
    assert!(bending.hinges.iter().any(|hinge| hinge.rest_angle > 0.3));
    assert_eq!(bending.energy(&curved.x), 0.0);
}

#[test]
fn explicit_ratio_bounds_the_stiffest_bending_mode() {
    let sheet = Sheet::grid(12, 12, 0.01, Diagonals::Rising, 0.2);
    let (d, masses, h, beta) = (1e-5, vec![2e-5; sheet.x.len()], 1e-3, 2e-4);
    let bending = sheet.bending(BendingStiffness::isotropic(d, 0.3));
    // Power iteration on M^-1 K by differences of forces about the flat sheet.
    let mut random = Random(5);
    let mut mode: Vec<Vec3> = sheet.x.iter().map(|_| Vec3::z() * random.signed()).collect();
    let mut eigenvalue = 0.0;
    for _ in 0..200 {
        let norm = mode.iter().map(|m| m.norm_squared()).sum::<f64>().sqrt();
        let x: Vec<Vec3> = sheet.x.iter().zip(&mode).map(|(x, m)| x + m * (1e-6 / norm)).collect();
        mode = bending.forces(&x).iter().map(|f| -f / (1e-6 * masses[0])).collect();
        eigenvalue = mode.iter().map(|m| m.norm_squared()).sum::<f64>().sqrt();
    }
    let stability = 0.25 * (h * h + 2.0 * h * beta) * eigenvalue;
    let ratio = bending.explicit_ratio(&sheet.x, &masses, h, beta);
    assert!(stability <= ratio && ratio < 5.0 * stability, "mode {stability}, bound {ratio}");
    assert_eq!(bending.treatment(&sheet.x, &masses, 1e-5, 0.0), BendingTreatment::Explicit);
    assert_eq!(bending.treatment(&sheet.x, &masses, 0.1, 0.0), BendingTreatment::DiagonalHinges);
}

#[test]
fn stiffness_bound_of_hinges_covers_every_triangle() {
    let sheet = Sheet::grid(9, 9, 0.01, Diagonals::Rising, 0.25);
    let bending = sheet.bending(BendingStiffness { d11: 3e-5, d12: 4e-6, d22: 1e-5, d66: 6e-6 });
    // The sum of all M against the sum of all d_h, as one dense matrix each.
    let n = bending.hinges.len();
    let mut gap = nalgebra::DMatrix::<f64>::zeros(n, n);
    for (h, hinge) in bending.hinges.iter().enumerate() {
        gap[(h, h)] += hinge.stiffness_bound;
    }
    for triangle in &bending.triangles {
        let [m00, m01, m02, m11, m12, m22] = triangle.m;
        let m = Mat3::new(m00, m01, m02, m01, m11, m12, m02, m12, m22);
        for (i, &a) in triangle.hinges.iter().enumerate() {
            for (j, &b) in triangle.hinges.iter().enumerate() {
                if a != NONE && b != NONE {
                    gap[(a as usize, b as usize)] -= m[(i, j)];
                }
            }
        }
    }
    let eigenvalues = gap.symmetric_eigenvalues();
    assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max());
}

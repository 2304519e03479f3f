//! Membrane elements: triangles.

use cloth_sim::bodies::cloth::assembly::Stability;
use cloth_sim::bodies::cloth::elements::membrane::{Fabric, MembraneTriangle, StepTerms};
use cloth_sim::bodies::cloth::material::MembraneStiffness;
use cloth_sim::bodies::cloth::setup::RestTriangle;
use cloth_sim::math::{Vec2, Vec3, rotation};
use cloth_sim::step::{Integrator, Scheme};
use nalgebra::SMatrix;
use proptest::prelude::*;

use crate::elements::sheet::{Diagonals, Sheet};
use crate::elements::{Random, collapsed_triangles, difference};

fn interwoven() -> MembraneStiffness {
    MembraneStiffness::new(500.0, 1500.0, 0.2, 40.0)
}

/// Interwoven cloth of 0.2 kg/m^2.
fn fabric(damping_s: f64) -> Fabric {
    Fabric { stiffness: interwoven(), damping_s, density_kg_per_m2: 0.2, size_n_per_m: 1e-9 }
}

fn irregular_triangle() -> MembraneTriangle {
    MembraneTriangle::new([0, 1, 2], Vec2::new(0.02, 0.003), Vec2::new(0.005, 0.015))
}

/// The nine-by-nine matrix of a triangle's blocks.
fn dense(terms: &StepTerms) -> SMatrix<f64, 9, 9> {
    let mut matrix = SMatrix::<f64, 9, 9>::zeros();
    for ((a, b), block) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(&terms.blocks) {
        for (row, column, block) in [(a, b, *block), (b, a, block.transpose())] {
            matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(&block.matrix());
            let mut diagonal = matrix.fixed_view_mut::<3, 3>(3 * row, 3 * row);
            diagonal -= block.matrix();
        }
    }
    matrix
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
        let terms = irregular_triangle().step_terms(&fabric(1e-3), x, v, [1e-2; 2], Stability::EULER);
        let eigenvalues = dense(&terms).symmetric_eigenvalues();
        prop_assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max());
    }

    /// A linear mode is stable if its true stiffness is at most that of the matrix over the scheme's
    /// least share, and the scheme's masses over the squared step. (With Euler it is at most twice
    /// that of the matrix and four masses.)
    #[test]
    fn no_motion_is_stiffer_than_a_stable_step_allows(
        gradient in prop::array::uniform6(-4.0..4.0f64),
        of in prop_oneof![
            Just(interwoven()),
            Just(MembraneStiffness::isotropic(500.0, 0.3)),
            Just(MembraneStiffness::isotropic(5e4, 0.45)),
            Just(MembraneStiffness::new(300.0, 8000.0, 0.02, 2.0)),
        ],
        h in prop_oneof![Just(0.3e-3), Just(1e-3), Just(4e-3), Just(1e-2), Just(1.0)],
        integrator in prop_oneof![Just(Integrator::Euler), Just(Integrator::Bdf2)],
    ) {
        let [a, b, c, d, e, f] = gradient;
        let (first, second) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
        let rest = [[0.0, 0.0], [0.02, 0.003], [0.005, 0.015]];
        let x = rest.map(|[x, y]| first * x + second * y);
        // Near a line the true stiffness has no bound.
        prop_assume!(first.cross(&second).norm() > 0.02 * (first.norm() + second.norm()).powi(2));
        let triangle = irregular_triangle();
        let fabric = Fabric { stiffness: of, damping_s: 0.0, density_kg_per_m2: 0.15, size_n_per_m: 1e-9 };
        let stability = Scheme::new(integrator, h).stability();
        let terms = triangle.step_terms(&fabric, x, [Vec3::zeros(); 3], [h; 2], stability);
        let mut excess = -dense(&terms) / (stability.least_share * h * h);
        let slopes = difference(x, 1e-8, |x| stacked(triangle.forces(&of, x)));
        for (i, slope) in slopes.into_iter().enumerate() {
            let column = excess.column(i) - slope;
            excess.set_column(i, &column);
        }
        let size = excess.norm();
        let mass = 0.15 * triangle.area / 3.0;
        excess -= SMatrix::identity() * (stability.by_mass * mass / (h * h));
        let largest = (0.5 * (excess + excess.transpose())).symmetric_eigenvalues().max();
        prop_assert!(largest < 1e-6 * size, "{largest:e} of {size:e}");
    }

    #[test]
    fn rigid_motion_is_not_damped(x in triangle_in_space(), spin in triangle_in_space()) {
        let v = x.map(|x| spin[0].cross(&x) * 100.0 + spin[1]);
        let at = |beta| irregular_triangle().step_terms(&fabric(beta), x, v, [1e-3; 2], Stability::EULER);
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
    let stiffness = dense(&triangle.step_terms(
        &fabric(0.0),
        x,
        [Vec3::zeros(); 3],
        [1.0; 2],
        Stability::EULER,
    ));
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
    let stiffness = dense(&triangle.step_terms(
        &fabric(0.0),
        x,
        [Vec3::zeros(); 3],
        [1.0; 2],
        Stability::EULER,
    ));
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
    let terms = triangle.step_terms(&fabric(beta), x, v, [h; 2], Stability::EULER);
    // (h beta + h^2) K + h^2 geometric = blocks, so blocks times v over h is hD + hK.
    let expected = stacked(triangle.forces(&c, x)) * h - dense(&terms) * stacked(v);
    assert!((stacked(terms.rhs) - expected).norm() < 1e-12 * expected.norm());
}

#[test]
fn a_batch_gives_the_bits_of_its_triangles() {
    let other = MembraneTriangle::new([2, 1, 3], Vec2::new(0.01, 0.0), Vec2::new(0.0, 0.02));
    let triangles = [irregular_triangle(), other];
    let mut random = Random(7);
    let mut corners = || std::array::from_fn(|_| random.vector() * 0.02);
    let (x, v) = ([corners(), [Vec3::x(); 3]], [corners(), corners()]); // the second collapsed
    let of = fabric(1e-4);
    let pair = MembraneTriangle::step_terms_of(
        triangles.each_ref(),
        &of,
        x,
        v,
        [1e-3; 2],
        Stability::EULER,
    );
    for i in 0..2 {
        assert_eq!(
            pair.of(i),
            triangles[i].step_terms(&of, x[i], v[i], [1e-3; 2], Stability::EULER)
        );
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
    let v = [Vec3::new(0.01, 0.02, -0.01), Vec3::new(-0.01, -0.02, 0.01), Vec3::x()];
    for x in collapsed_triangles() {
        let terms = triangle.step_terms(&fabric(1e-3), x, v, [1e-3; 2], Stability::EULER);
        let size = dense(&terms).norm() + stacked(terms.rhs).norm();
        assert!(size < 1e3, "{size} at {x:?}");
        assert!(stacked(triangle.forces(&c, x)).norm() < 1e3);
    }
}

#[test]
fn warp_is_the_first_axis_of_a_rest_triangle() {
    let (e1, e2) = (Vec3::x(), Vec3::new(0.0, 0.0, -1.0)); // front up
    let RestTriangle { x1, x2 } = RestTriangle::along(e1, e2, Vec3::new(0.0, 5.0, -2.0));
    assert!((x1 - Vec2::new(0.0, -1.0)).norm() < 1e-15 && (x2 - Vec2::x()).norm() < 1e-15);
    let RestTriangle { x1, .. } = RestTriangle::along(e1, e2, Vec3::y());
    assert!((x1 - Vec2::y()).norm() < 1e-15, "the next axis, z, in place of the normal");
}

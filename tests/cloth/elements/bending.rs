//! Bending elements: hinges, and the bending energy of triangles.

use cloth_sim::bodies::cloth::elements::bending::{
    BendingTreatment, HingedSheet, hinge_angle, hinge_angle_and_gradient,
    hinge_angles_and_gradients,
};
use cloth_sim::bodies::cloth::material::BendingStiffness;
use cloth_sim::bodies::cloth::setup::RestTriangle;
use cloth_sim::ids::NONE;
use cloth_sim::math::{Vec2, Vec3, rotation};
use cloth_sim::mesh::Topology;

use crate::elements::sheet::{Diagonals, Sheet};
use crate::elements::{Random, collapsed_triangles, difference};

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
fn a_batch_gives_the_bits_of_its_hinges() {
    let mut random = Random(8);
    let hinges = [0, 1].map(|_| [0, 1, 2, 3].map(|_| random.vector()));
    assert_eq!(hinge_angles_and_gradients(hinges), hinges.map(hinge_angle_and_gradient));
    for hinge in hinges {
        assert!((hinge_angle(hinge) - hinge_angle_and_gradient(hinge).0).abs() < 1e-14);
    }
}

#[test]
fn collapsed_hinges_stay_finite() {
    for [a, b, c] in collapsed_triangles() {
        let (angle, gradient) = hinge_angle_and_gradient([a, b, c, Vec3::new(0.1, 0.2, 0.3)]);
        assert!(angle.is_finite() && gradient.iter().all(|g| g.norm().is_finite()));
    }
}

/// The sheet wound around a cylinder whose direction is at `degrees` to the warp.
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

/// Ratio of the energy of a sheet wound around a cylinder to that of the smooth plate. Only
/// faces with three hinges count: the others have free edges.
fn cylinder_energy_ratio(sheet: &Sheet, d: BendingStiffness, degrees: f64) -> f64 {
    let radius = 0.5;
    let (bending, factors) = (sheet.bending(d), sheet.bending_factors(d));
    let angles = bending.angles(&wound(sheet, radius, degrees));
    let (c, s) = (degrees.to_radians().cos(), degrees.to_radians().sin());
    let k = Vec3::new(c * c, s * s, 2.0 * c * s) / radius;
    let density =
        0.5 * (d.d11 * k.x * k.x + 2.0 * d.d12 * k.x * k.y + d.d22 * k.y * k.y + d.d66 * k.z * k.z);
    let (mut energy, mut area) = (0.0, 0.0);
    for (face, triangle) in sheet.membrane().iter().enumerate() {
        if bending.face_hinges[face].iter().all(|&h| h != NONE) {
            energy += factors.face_energy(face as u32, &angles);
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

/// A closed surface, an open one with a needle, and a triangle pair, each with material axes that
/// differ from face to face and are mirrored on every second one.
#[test]
fn curved_sheets_of_any_axes_exert_no_force_or_torque_on_themselves() {
    let mut random = Random(17);
    let octahedron =
        [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]];
    let corners = [Vec3::z(), Vec3::x(), Vec3::y(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let closed = (corners.map(|c| c + random.vector() * 0.3).to_vec(), octahedron.to_vec());
    let tetrahedron = (corners[..4].to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]);
    let needle =
        vec![Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 1e-3, 1e-4), Vec3::new(0.4, 0.7, 0.2)];
    let needle = (needle, vec![[0, 1, 2], [1, 3, 2], [3, 0, 2]]);
    for (rest, faces) in [closed, tetrahedron, needle] {
        let plane = |(number, face): (usize, &[u32; 3])| {
            let [a, b, c] = face.map(|v| rest[v as usize]);
            let RestTriangle { x1, x2 } = RestTriangle::along(b - a, c - a, random.vector());
            [x1, x2].map(|x| if number % 2 == 0 { x } else { Vec2::new(x.x, -x.y) })
        };
        let planes: Vec<_> = faces.iter().enumerate().map(plane).collect();
        let topology = Topology::new(&faces).unwrap();
        let d = |face: u32| match face {
            2 => BendingStiffness::ZERO,
            _ => BendingStiffness { d11: 3.0 + f64::from(face), d12: 0.4, d22: 1.0, d66: 0.6 },
        };
        let bending = HingedSheet::new(&faces, &topology, &planes, &rest, d);
        assert_eq!(bending.energy(&rest), 0.0);
        let mut x: Vec<Vec3> = rest.iter().map(|x| x + random.vector() * 1e-4).collect();
        let forces = bending.forces(&x);
        let size: f64 = forces.iter().map(|f| f.norm()).sum();
        assert!(size.is_finite() && size > 0.0);
        let torque: Vec3 = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
        assert!(forces.iter().sum::<Vec3>().norm() < 1e-12 * size);
        assert!(torque.norm() < 1e-12 * size);
        let at = x[0].x;
        x[0].x = at + 1e-9;
        let above = bending.energy(&x);
        x[0].x = at - 1e-9;
        let slope = (above - bending.energy(&x)) / 2e-9;
        assert!((forces[0].x + slope).abs() < 1e-5 * size, "{} {slope}", forces[0].x);
    }
}

#[test]
fn collapsed_triangles_leave_the_stiffness_finite() {
    let faces = [[0, 1, 2], [2, 1, 3], [3, 1, 4]];
    let topology = Topology::new(&faces).unwrap();
    let sound = [Vec2::new(1.0, 0.0), Vec2::new(0.3, 0.9)];
    for [a, b, c] in collapsed_triangles() {
        let flat = |x: Vec3| Vec2::new(x.x, x.y);
        let planes = [sound, [flat(b - a), flat(c - a)], sound];
        let d = |_| BendingStiffness::isotropic(1.0, 0.3);
        let bending = HingedSheet::new(&faces, &topology, &planes, &[Vec3::x(); 5], d);
        for hinge in 0..bending.hinges.len() as u32 {
            assert!(bending.stiffness[0].row(hinge).all(|(_, s)| s.is_finite()));
            assert!(bending.hinges[hinge as usize].stiffness_bound.is_finite());
        }
    }
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
    let ratios = bending.explicit_ratios(&sheet.x, &masses, h, beta);
    let ratio = ratios.into_iter().fold(0.0, f64::max);
    assert!(stability <= ratio && ratio < 5.0 * stability, "mode {stability}, bound {ratio}");
    // Masses that differ: heavy vertices on the left, so that hinges there may be explicit.
    let masses: Vec<f64> = sheet.x.iter().map(|x| if x.x < 0.06 { 2e-2 } else { 2e-5 }).collect();
    let implicit = |h: f64| {
        let treatments = bending.treatments(&sheet.x, &masses, h, 0.0);
        treatments.iter().filter(|&&it| it == BendingTreatment::Implicit).count()
    };
    let all = bending.hinges.len();
    assert_eq!([implicit(1e-5), implicit(1.0)], [0, all]);
    assert!((all / 4..3 * all / 4).contains(&implicit(0.01)), "{} of {all}", implicit(0.01));
}

#[test]
fn stiffness_bound_of_hinges_covers_the_matrix() {
    let d = BendingStiffness { d11: 3e-5, d12: 4e-6, d22: 1e-5, d66: 6e-6 };
    let narrow = Sheet::grid(9, 9, 0.01, Diagonals::Rising, 0.25);
    let mut wide = Sheet::grid(9, 9, 0.01, Diagonals::Alternating, 0.25);
    wide.x.iter_mut().for_each(|x| x.x *= 6.0);
    for bending in [narrow.bending(d), wide.bending(d)] {
        // The diagonal of bounds less S, as one dense matrix.
        let n = bending.hinges.len();
        let mut gap = nalgebra::DMatrix::<f64>::zeros(n, n);
        for (h, hinge) in bending.hinges.iter().enumerate() {
            bending.stiffness[0].row(h as u32).for_each(|(f, s)| gap[(h, f as usize)] -= s);
            gap[(h, h)] += hinge.stiffness_bound;
        }
        assert_eq!(gap, gap.transpose());
        let eigenvalues = gap.symmetric_eigenvalues();
        assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max());
    }
}

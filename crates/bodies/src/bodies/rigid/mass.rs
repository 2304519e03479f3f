//! The mass of a body inside a closed surface.
//!
//! Volume, centre and moments are sums over tetrahedra from one point to each triangle (divergence
//! theorem). They are exact for any such point.

use std::collections::BTreeMap;

use nalgebra::{Quaternion, Rotation3, Unit, UnitQuaternion};

use cloth_core::mesh::Mesh;
use cloth_core::mesh::doubled::{Doubled, WELD};
use cloth_core::{Error, Mat3, Result, Vec3};

/// Mass and principal moments of inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia, kg m^2.
    pub inertia: Vec3,
}

impl MassProperties {
    /// Those of a body that is `factor` times as large, of the same density.
    pub fn scaled(&self, factor: f64) -> Self {
        let volume = factor * factor * factor;
        let inertia = self.inertia * (volume * factor * factor);
        Self { mass: self.mass * volume, inertia }
    }
}

/// The own frame of a solid, in the coordinates of the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Centre of mass, m.
    pub origin: Vec3,
    /// Rotation from the own frame to the input coordinates.
    pub rotation: UnitQuaternion<f64>,
}

impl Frame {
    /// The frame of the input coordinates themselves.
    pub const INPUT: Self = Self {
        origin: Vec3::new(0.0, 0.0, 0.0),
        rotation: Unit::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
    };

    /// A frame given in the coordinates of this one, in the coordinates of the input.
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            origin: self.origin + self.rotation.transform_vector(&inner.origin),
            rotation: self.rotation * inner.rotation,
        }
    }

    /// A point of the input coordinates (m) in this frame.
    pub fn to_own(self, x: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(x - self.origin))
    }
}

/// Checks that every edge has exactly two faces, of consistent orientation.
///
/// # Errors
/// When an edge has not, or when there is no face. `at` names the input.
pub fn check_closed(mesh: &Mesh, at: &str) -> Result<()> {
    let mut edges = BTreeMap::new();
    for &[a, b, c] in &mesh.faces {
        for edge in [(a, b), (b, c), (c, a)] {
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    let bad = edges.iter().find(|((a, b), count)| **count != 1 || edges.get(&(*b, *a)) != Some(&1));
    let Some(((a, b), _)) = bad else {
        if mesh.faces.is_empty() {
            return Err(Error::input(at, "the mesh has no faces", "give a closed surface"));
        }
        return Ok(());
    };
    let cause = format!(
        "the surface is not closed: the edge from vertex {a} to vertex {b} does not have two faces that turn alike"
    );
    match Doubled::new(&mesh.positions, None).describe(0) {
        Some(said) => Err(Error::input(at, format!("{cause}; {said}"), WELD)),
        None => Err(Error::input(at, cause, "close the surface and weld its vertices")),
    }
}

/// Volume (m^3), principal moments of inertia (kg m^2) at density 1 kg/m^3, and the own frame.
///
/// # Errors
/// When the surface encloses no volume. `at` names the input.
pub fn integrals(points: &[Vec3], faces: &[[u32; 3]], at: &str) -> Result<(f64, Vec3, Frame)> {
    let apex = points[faces[0][0] as usize];
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize] - apex);
        let six = a.dot(&b.cross(&c));
        let sum = a + b + c;
        volume += six / 6.0;
        first += sum * (six / 24.0);
        let squares =
            sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += squares * (six / 120.0);
    }
    let size = points.iter().map(|x| (x - apex).norm()).fold(0.0, f64::max);
    if volume <= 1e-12 * size * size * size {
        let cause = format!("the surface encloses {volume} m^3");
        let remedy = "let its faces turn counter-clockwise seen from outside, around a volume";
        return Err(Error::input(at, cause, remedy));
    }
    let centre = first / volume;
    let about_centre = second - centre * centre.transpose() * volume;
    let inertia = Mat3::from_diagonal_element(about_centre.trace()) - about_centre;
    let (moments, rotation) = principal(&inertia);
    Ok((volume, moments, Frame { origin: apex + centre, rotation }))
}

/// The principal moments of an inertia (kg m^2), and the rotation from the principal axes. The
/// method is Jacobi's for eigenvalues (Golub & Van Loan 2013, section 8.5).
pub fn principal(matrix: &Mat3) -> (Vec3, UnitQuaternion<f64>) {
    let (mut a, mut axes) = (*matrix, Mat3::identity());
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[(p, q)].abs() <= 1e-15 * a.trace().abs() {
                continue;
            }
            let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut turn = Mat3::identity();
            (turn[(p, p)], turn[(q, q)]) = (c, c);
            (turn[(p, q)], turn[(q, p)]) = (t * c, -t * c);
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    let axes = Rotation3::from_matrix_unchecked(axes);
    (a.diagonal(), UnitQuaternion::from_rotation_matrix(&axes))
}

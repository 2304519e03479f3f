//! A cloth made ready: mesh, fabric and pins in SI units, with nothing left to look up.

use crate::bodies::keyframes::Motion;
use crate::math::{Mat3, Vec2, Vec3};
use crate::mesh::{ObjDocument, Topology};

/// One cloth.
#[derive(Debug, Clone, PartialEq)]
pub struct ClothSetup {
    /// Its name, unique in the scene.
    pub name: String,
    /// Polygons, seams and groups that are written out with every frame.
    pub document: ObjDocument,
    /// Triangles, counter-clockwise seen from the front.
    pub faces: Vec<[u32; 3]>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
    /// Rest shape, m; the rest angles between faces come from it.
    pub rest: Vec<Vec3>,
    /// Each face's rest lengths and warp direction; its mass comes from it too.
    pub rest_planes: Vec<RestTriangle>,
    /// Positions at t = 0, m.
    pub positions: Vec<Vec3>,
    /// The fabric.
    pub material: Material,
    /// Vertices that are held or led, first come first served.
    pub pins: Vec<Pin>,
}

/// A face at rest in its own plane: corner 0 is the origin, the first axis is
/// the warp direction, and the face is counter-clockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestTriangle {
    /// Corner 1, m.
    pub x1: Vec2,
    /// Corner 2, m.
    pub x2: Vec2,
}

/// A fabric: orthotropic in plane stress; warp is the first material axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// Young's modulus along warp times thickness, N/m.
    pub warp_n_per_m: f64,
    /// Young's modulus along weft times thickness, N/m.
    pub weft_n_per_m: f64,
    /// Contraction along weft per stretch along warp (the major Poisson ratio).
    pub poisson_ratio: f64,
    /// Shear modulus times thickness, N/m.
    pub shear_n_per_m: f64,
    /// Flexural rigidities.
    pub bending: Bending,
    /// Rayleigh damping proportional to mass, 1/s.
    pub mass_damping_per_s: f64,
    /// Rayleigh damping proportional to stiffness, s.
    pub stiffness_damping_s: f64,
}

/// Orthotropic flexural rigidities, N m: moments = D curvatures, with the twist
/// as engineering twist (twice the mixed second derivative).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bending {
    /// D11, curvature along warp.
    pub warp_n_m: f64,
    /// D22, curvature along weft.
    pub weft_n_m: f64,
    /// D12, between both curvatures.
    pub coupling_n_m: f64,
    /// D66, twist.
    pub twist_n_m: f64,
}

impl Material {
    /// Isotropic fabric: Young's modulus times thickness `modulus` (N/m),
    /// flexural rigidity `rigidity` (N m), no damping.
    pub const fn isotropic(density: f64, modulus: f64, poisson_ratio: f64, rigidity: f64) -> Self {
        Self {
            density_kg_per_m2: density,
            warp_n_per_m: modulus,
            weft_n_per_m: modulus,
            poisson_ratio,
            shear_n_per_m: modulus / (2.0 * (1.0 + poisson_ratio)),
            bending: Bending {
                warp_n_m: rigidity,
                weft_n_m: rigidity,
                coupling_n_m: poisson_ratio * rigidity,
                twist_n_m: 0.5 * (1.0 - poisson_ratio) * rigidity,
            },
            mass_damping_per_s: 0.0,
            stiffness_damping_s: 0.0,
        }
    }

    /// Stiffness C of the membrane in N/m: stress resultants (warp, weft, shear)
    /// from strains (warp, weft, engineering shear).
    pub fn membrane(&self) -> Mat3 {
        let minor = self.poisson_ratio * self.weft_n_per_m / self.warp_n_per_m;
        let scale = 1.0 / (1.0 - self.poisson_ratio * minor);
        let coupling = scale * self.poisson_ratio * self.weft_n_per_m;
        Mat3::new(
            scale * self.warp_n_per_m,
            coupling,
            0.0,
            coupling,
            scale * self.weft_n_per_m,
            0.0,
            0.0,
            0.0,
            self.shear_n_per_m,
        )
    }
}

impl Bending {
    /// Stiffness D in N m: moments (warp, weft, twist) from curvatures (warp,
    /// weft, engineering twist).
    pub fn matrix(&self) -> Mat3 {
        let Self { warp_n_m, weft_n_m, coupling_n_m, twist_n_m } = *self;
        Mat3::new(warp_n_m, coupling_n_m, 0.0, coupling_n_m, weft_n_m, 0.0, 0.0, 0.0, twist_n_m)
    }
}

/// Vertices that do not move freely from `start_s` (included) to `end_s` (excluded).
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// When it takes hold, s.
    pub start_s: f64,
    /// When it lets go, s; may be infinite.
    pub end_s: f64,
    /// The motion that the vertices follow from where they are at `start_s`
    /// ([`Motion::since`]); without one they stay there.
    pub motion: Option<Motion>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotropic_membrane_is_plane_stress() {
        let c = Material::isotropic(0.2, 500.0, 0.3, 1e-5).membrane();
        let e = 500.0 / (1.0 - 0.09);
        assert!(
            (c - Mat3::new(e, 0.3 * e, 0.0, 0.3 * e, e, 0.0, 0.0, 0.0, 0.35 * e)).norm() < 1e-10
        );
    }
}

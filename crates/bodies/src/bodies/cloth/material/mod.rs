//! Materials of cloth: what a scene may say, and the numbers that the elements use.
//!
//! A new kind of material is one file with its settings and how they become a [`Material`], and
//! one line of the list below. A new fabric is one line of the library in `fabric.rs`.

mod fabric;
mod stiffness;

use serde::Serialize;

use cloth_core::choice::deserialize_choice;
use cloth_core::{Error, Result, bounds};
pub use stiffness::{BendingStiffness, MembraneStiffness};

/// What the elements need to know about a fabric. It is orthotropic in plane stress, and warp is
/// the first material axis. All stiffnesses are resultants: per length, not per area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// Stiffness in the plane.
    pub membrane: MembraneStiffness,
    /// Stiffness against curvature.
    pub bending: BendingStiffness,
    /// Rayleigh damping proportional to mass, 1/s.
    pub mass_damping_per_s: f64,
    /// Rayleigh damping proportional to stiffness, s.
    pub stiffness_damping_s: f64,
    /// The largest principal strain, if it has a limit.
    pub strain_limit: Option<f64>,
}

impl Material {
    /// A fabric without damping; `density` in kg/m^2.
    pub const fn new(density: f64, membrane: MembraneStiffness, bending: BendingStiffness) -> Self {
        Self {
            density_kg_per_m2: density,
            membrane,
            bending,
            mass_damping_per_s: 0.0,
            stiffness_damping_s: 0.0,
            strain_limit: None,
        }
    }

    /// A fabric that is the same in all directions, without damping: mass per area `density`
    /// (kg/m^2), Young's modulus times thickness `modulus` (N/m), flexural rigidity `rigidity`
    /// (N m).
    pub const fn isotropic(density: f64, modulus: f64, poisson_ratio: f64, rigidity: f64) -> Self {
        let membrane = MembraneStiffness::isotropic(modulus, poisson_ratio);
        let bending = BendingStiffness::isotropic(rigidity, poisson_ratio);
        Self::new(density, membrane, bending)
    }
}

/// The settings of one kind of material.
pub trait MaterialKind {
    /// Checks the settings and works out the material, without damping.
    ///
    /// # Errors
    /// The first field that is out of bounds, or a stiffness that is not positive definite.
    /// `at` is the path of the material in the scene.
    fn resolve(&self, at: &str) -> Result<Material>;
}

/// Makes the enum of all materials from the list of their files.
macro_rules! materials {
    ($($(#[$doc:meta])* $Kind:ident($file:ident::$Settings:ident),)+) => {
        $(mod $file; pub use $file::$Settings;)+

        /// A material as a scene gives it.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(rename = "Material")]
        pub enum MaterialSpec {
            /// A fabric of the library, by its name.
            Fabric(String),
            $($(#[$doc])* $Kind($Settings),)+
        }

        deserialize_choice!(MaterialSpec, "Material", [Fabric], [], [$($Kind),+]);

        impl MaterialSpec {
            /// The names of all kinds, as in a scene.
            pub const NAMES: &'static [&'static str] = &["Fabric", $(stringify!($Kind)),+];

            /// The material of these settings. Errors as for [`MaterialKind::resolve`].
            pub fn resolve(&self, at: &str) -> Result<Material> {
                match self {
                    Self::Fabric(name) => fabric::fabric(name, at),
                    $(Self::$Kind(settings) => settings.resolve(at),)+
                }
            }
        }
    };
}

materials! {
    /// The same in all directions.
    Isotropic(isotropic::Isotropic),
    /// Different along warp and weft.
    Orthotropic(orthotropic::Orthotropic),
}

/// Stretching must cost energy: checks Poisson's ratio against the moduli along warp and weft.
fn check_poisson_ratio(at: &str, poisson_ratio: f64, warp: f64, weft: f64) -> Result<()> {
    let at = format!("{at}.poisson_ratio");
    bounds::finite(&at, poisson_ratio)?;
    let limit = (warp / weft).sqrt();
    if poisson_ratio.abs() < limit {
        return Ok(());
    }
    let cause = format!(
        "with Poisson's ratio {} stretching would release energy",
        bounds::shown(poisson_ratio)
    );
    Err(Error::input(at, cause, format!("choose it between -{limit:.3} and {limit:.3}")))
}

/// Bending must cost energy. A limp fabric, whose rigidities are all zero, is allowed too.
fn check_bending(at: &str, bending: &BendingStiffness) -> Result<()> {
    if *bending == BendingStiffness::ZERO || bending.is_positive_definite() {
        return Ok(());
    }
    let cause =
        "the flexural rigidities are not positive definite: some bending would release energy";
    let remedy = "make all of them positive with coupling^2 < warp * weft, or all zero";
    Err(Error::input(at, cause, remedy))
}

//! Materials of bodies, and the surface properties of each pair of materials.

use crate::MaterialId;
use cloth_core::{Error, Result, bounds};

/// A material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Density, kg/m^3.
    pub density: f64,
    /// The surface against the same material. Two different materials have the mean of their
    /// surfaces, unless the table gives the pair a surface of its own.
    pub surface: Surface,
}

/// The properties of two surfaces in contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Coefficient of restitution, 0 to 1: the share of the normal speed after an impact.
    pub restitution: f64,
    /// Coefficient of friction (Coulomb), 0 or above.
    pub friction: f64,
    /// Lever arm of the rolling resistance, m, 0 or above: a contact resists relative rotation by a
    /// torque of at most this arm times its normal force.
    pub rolling: f64,
}

/// All materials of a scene, with the surface of each pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Materials {
    densities: Vec<f64>,
    /// The surface of materials `a` and `b` at `a * count + b`.
    surfaces: Vec<Surface>,
}

impl Materials {
    /// The table of `materials`. `pairs` gives some pairs a surface of their own instead of the
    /// mean.
    ///
    /// # Errors
    /// When a number is outside its bounds, or a pair names a material that is not there.
    pub fn new(
        materials: &[Material],
        pairs: &[(MaterialId, MaterialId, Surface)],
    ) -> Result<Self> {
        for (i, material) in materials.iter().enumerate() {
            let at = format!("materials[{i}]");
            bounds::positive(&format!("{at}.density_kg_per_m3"), material.density)?;
            material.surface.check(&at)?;
        }
        let mean = |a: &Material, b: &Material| Surface {
            restitution: 0.5 * (a.surface.restitution + b.surface.restitution),
            friction: 0.5 * (a.surface.friction + b.surface.friction),
            rolling: 0.5 * (a.surface.rolling + b.surface.rolling),
        };
        let surfaces = materials.iter().flat_map(|a| materials.iter().map(move |b| mean(a, b)));
        let mut table = Self {
            densities: materials.iter().map(|material| material.density).collect(),
            surfaces: surfaces.collect(),
        };
        for (i, &(a, b, surface)) in pairs.iter().enumerate() {
            let at = format!("pairs[{i}]");
            surface.check(&at)?;
            let count = materials.len();
            if usize::from(a.max(b)) >= count {
                let cause = format!("material {} is not one of {count}", a.max(b));
                return Err(Error::input(at, cause, "name materials of the scene"));
            }
            for (a, b) in [(a, b), (b, a)] {
                table.surfaces[usize::from(a) * count + usize::from(b)] = surface;
            }
        }
        Ok(table)
    }

    /// Number of materials.
    pub fn count(&self) -> usize {
        self.densities.len()
    }

    /// The density of a material, kg/m^3.
    pub fn density(&self, material: MaterialId) -> f64 {
        self.densities[usize::from(material)]
    }

    /// True if some pair of materials resists rolling.
    pub fn resist_rolling(&self) -> bool {
        self.surfaces.iter().any(|surface| surface.rolling > 0.0)
    }

    /// Fails if some pair of materials resists rolling. `who` knows nothing of it.
    ///
    /// # Errors
    /// With `remedy`.
    pub fn refuse_rolling(&self, who: &str, remedy: &str) -> Result<()> {
        if !self.resist_rolling() {
            return Ok(());
        }
        let cause = format!("{who} has no rolling resistance");
        Err(Error::input("materials.rolling_m", cause, format!("{remedy}, or leave it out")))
    }

    /// The surface of two materials, in either order.
    pub fn surface(&self, a: MaterialId, b: MaterialId) -> Surface {
        self.surfaces[usize::from(a) * self.densities.len() + usize::from(b)]
    }
}

impl Surface {
    fn check(&self, at: &str) -> Result<()> {
        bounds::not_negative(&format!("{at}.friction"), self.friction, bounds::FRICTION)?;
        bounds::not_negative(&format!("{at}.rolling_m"), self.rolling, bounds::LENGTH)?;
        bounds::not_negative(&format!("{at}.restitution"), self.restitution, bounds::FACTOR)?;
        if self.restitution <= 1.0 {
            return Ok(());
        }
        let cause = format!("{} is above 1", self.restitution);
        let remedy = "an impact gives back at most all of its speed: write 0 to 1";
        Err(Error::input(format!("{at}.restitution"), cause, remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_its_own_surface_or_the_mean_in_either_order() {
        let material = |restitution, friction| Material {
            density: 1000.0,
            surface: Surface { restitution, friction, rolling: 0.0 },
        };
        let own = Surface { restitution: 1.0, friction: 0.0, rolling: 0.0 };
        let materials = [material(0.2, 0.4), material(0.6, 0.8), material(0.0, 0.1)];
        let table = Materials::new(&materials, &[(2, 0, own)]).unwrap();
        assert_eq!(table.surface(0, 2), own);
        assert_eq!(table.surface(2, 0), own);
        let mean = table.surface(1, 0);
        assert!((mean.restitution - 0.4).abs() < 1e-15 && (mean.friction - 0.6).abs() < 1e-15);
        assert_eq!(table.surface(0, 1), mean);
    }

    #[test]
    fn numbers_outside_their_bounds_are_refused() {
        let material = |density, restitution, friction| Material {
            density,
            surface: Surface { restitution, friction, rolling: 0.0 },
        };
        for bad in [
            material(0.0, 0.5, 0.5),
            material(f64::NAN, 0.5, 0.5),
            material(1.0, 1.5, 0.5),
            material(1.0, 0.5, -0.1),
        ] {
            assert!(Materials::new(&[bad], &[]).is_err(), "{bad:?}");
        }
        let good = material(1.0, 0.5, 0.5);
        assert!(Materials::new(&[good], &[(0, 1, good.surface)]).is_err());
    }
}

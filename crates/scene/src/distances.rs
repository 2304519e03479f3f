//! Contact distances of materials, and of pairs of them.

use crate::spec::Scene;
use cloth_bodies::bodies::Setup;
use cloth_core::bounds::{MOST_CLEARANCE, shown};
use cloth_core::error::{Error, Result};

impl Scene {
    /// Checks the contact distances of materials against the clearance. Before: they are positive.
    ///
    /// # Errors
    /// The first one that is too small.
    pub(super) fn validate_distances(&self) -> Result<()> {
        let materials = self.materials.iter().enumerate();
        let materials = materials.map(|(i, it)| (format!("materials[{i}]"), it.distance_m));
        let pairs = self.material_pairs.iter().enumerate();
        let pairs = pairs.map(|(i, it)| (format!("material_pairs[{i}]"), it.distance_m));
        for (at, distance_m) in materials.chain(pairs) {
            let Some(distance_m) = distance_m else { continue };
            self.check_clearance(&format!("{at}.distance_m"), distance_m)?;
        }
        Ok(())
    }

    /// Fails if the clearance leaves no room below `distance_m` (m), which `at` gives.
    fn check_clearance(&self, at: &str, distance_m: f64) -> Result<()> {
        let clearance_m = self.contact.clearance_m;
        if clearance_m <= MOST_CLEARANCE * distance_m {
            return Ok(());
        }
        let cause = format!(
            "a contact distance of {} m leaves no room above contact.clearance_m, {}",
            shown(distance_m),
            shown(clearance_m)
        );
        let remedy = "make it at least ten times the clearance, or lower `contact.clearance_m`";
        Err(Error::input(at, cause, remedy))
    }

    /// Fails if factors of a cloth of `setup` make one of its contact distances too small.
    ///
    /// # Errors
    /// The first cloth.
    pub(super) fn check_factors(&self, setup: &Setup, table: &DistanceTable) -> Result<()> {
        let least = |factors: &[f64]| factors.iter().copied().fold(1.0, f64::min);
        let cloths = setup.cloths.iter().zip(&self.cloths);
        let mut sides = Vec::new();
        for (built, cloth) in cloths {
            sides.push((self.material(cloth.touch.as_deref()), least(&built.factors.distance)));
        }
        let others = (0..self.materials.len() as u16).map(|material| (Some(material), 1.0));
        let all = Vec::from_iter(sides.iter().copied().chain(others).chain([(None, 1.0)]));
        for (number, &(a, of_a)) in sides.iter().enumerate().filter(|(_, side)| side.1 < 1.0) {
            let with = |&(b, of_b): &(_, f64)| {
                let [first, second] = table.parts(a, b);
                first * of_a + second * of_b
            };
            let distance_m = all.iter().map(with).fold(f64::INFINITY, f64::min);
            self.check_clearance(&format!("cloths[{number}]"), distance_m)?;
        }
        Ok(())
    }

    /// The largest contact distance of the scene and of its materials, m.
    pub fn largest_distance_m(&self) -> f64 {
        let materials = self.materials.iter().filter_map(|it| it.distance_m);
        let pairs = self.material_pairs.iter().filter_map(|it| it.distance_m);
        materials.chain(pairs).fold(self.contact.distance_m, f64::max)
    }

    /// The number of the material `name`, if it is known.
    pub(super) fn material(&self, name: Option<&str>) -> Option<u16> {
        let number = self.materials.iter().position(|it| Some(it.name.as_str()) == name)?;
        u16::try_from(number).ok()
    }
}

/// The part of each material in the contact distance from each other one. The last is that of surfaces
/// without a material.
pub(super) struct DistanceTable {
    /// In row `a` and column `b` the part of `a`, m.
    parts: Vec<Vec<f64>>,
    /// Whether any material or pair has a distance of its own.
    pub has_own: bool,
}

impl DistanceTable {
    /// That of `scene`.
    ///
    /// # Errors
    /// A pair with an unknown material.
    pub fn new(scene: &Scene) -> Result<Self> {
        let of_scene = scene.contact.distance_m;
        let of_materials = scene.materials.iter().map(|it| it.distance_m.unwrap_or(of_scene));
        let halves = Vec::from_iter(of_materials.chain([of_scene]).map(|distance| 0.5 * distance));
        let mut parts = Vec::from_iter(halves.iter().map(|&half| vec![half; halves.len()]));
        for pair in &scene.material_pairs {
            let Some(distance_m) = pair.distance_m else { continue };
            let number = |name| scene.material_number("material_pairs", name).map(usize::from);
            let (a, b) = (number(&pair.materials.0)?, number(&pair.materials.1)?);
            (parts[a][b], parts[b][a]) = (0.5 * distance_m, 0.5 * distance_m);
        }
        let materials = scene.materials.iter().map(|it| it.distance_m);
        let mut all = materials.chain(scene.material_pairs.iter().map(|it| it.distance_m));
        Ok(Self { parts, has_own: all.any(|it| it.is_some()) })
    }

    /// The parts of surfaces of the materials `a` and `b` in the distance between them, m.
    pub fn parts(&self, a: Option<u16>, b: Option<u16>) -> [f64; 2] {
        let [a, b] = [a, b].map(|it| it.map_or(self.parts.len() - 1, usize::from));
        [self.parts[a][b], self.parts[b][a]]
    }

    /// The distance between surfaces of the materials `a` and `b`, m.
    pub fn between_m(&self, a: Option<u16>, b: Option<u16>) -> f64 {
        let [first, second] = self.parts(a, b);
        first + second
    }

    /// The largest distance of a surface of the material `a` from any other, m.
    pub fn most_m(&self, a: u16) -> f64 {
        let others = (0..self.parts.len() as u16 - 1).map(Some).chain([None]);
        others.map(|b| self.between_m(Some(a), b)).fold(0.0, f64::max)
    }

    /// All parts. Empty if no material has a distance of its own.
    pub fn into_parts(self) -> Vec<Vec<f64>> {
        if self.has_own { self.parts } else { Vec::new() }
    }
}

//! The materials of surfaces in a scene of cloth, which give their friction, restitution and contact
//! distance.

use crate::bodies::among_cloth::BodyMaterials;
use crate::bodies::materials;
use crate::distances::DistanceTable;
use crate::spec::Scene;
use cloth_bodies::contact::Touch;
use cloth_core::error::{Error, Result};
use cloth_rigid::material::Surface;

impl Scene {
    /// Checks that the scene has the materials that its surfaces name.
    ///
    /// # Errors
    /// The first name that is unknown.
    pub(super) fn validate_touch(&self) -> Result<()> {
        let named = self.named_materials().collect::<Result<Vec<_>>>()?;
        for number in named.into_iter().take(self.cloths.len()).flatten() {
            self.refuse_restitution(number)?;
        }
        Ok(())
    }

    /// Fails if the material `number`, which a cloth touches with, gives speed back.
    fn refuse_restitution(&self, number: u16) -> Result<()> {
        let material = &self.materials[usize::from(number)];
        let pairs = self.material_pairs.iter().enumerate();
        let mut pairs = pairs.filter(|(_, it)| {
            let (a, b) = &it.materials;
            it.restitution > 0.0 && (*a == material.name || *b == material.name)
        });
        let at = match (material.restitution > 0.0, pairs.next()) {
            (true, _) => format!("materials[{number}].restitution"),
            (false, Some((pair, _))) => format!("material_pairs[{pair}].restitution"),
            (false, None) => return Ok(()),
        };
        let cause = format!("cloth has no restitution, and one touches with `{}`", material.name);
        Err(Error::input(at, cause, "leave it out, or give the cloth a material of its own"))
    }

    /// The materials of cloths, then of obstacles.
    fn named_materials(&self) -> impl Iterator<Item = Result<Option<u16>>> {
        let cloths = self.cloths.iter().enumerate().map(|(i, it)| ("cloths", i, &it.touch));
        let obstacles = self.obstacles.iter().enumerate();
        let obstacles = obstacles.map(|(i, it)| ("obstacles", i, &it.touch));
        cloths.chain(obstacles).map(|(list, i, touch)| {
            let number = |name| self.material_number(&format!("{list}[{i}].touch"), name);
            touch.as_ref().map(|name| number(name)).transpose()
        })
    }
}

/// The materials of all surfaces of a checked `scene`: cloths, `bodies`, obstacles.
///
/// # Errors
/// None that a checked scene can cause.
pub(super) fn touch(
    scene: &Scene,
    bodies: &BodyMaterials,
    distances: DistanceTable,
) -> Result<Touch> {
    let mut named = scene.named_materials().collect::<Result<Vec<_>>>()?;
    let obstacles = named.split_off(scene.cloths.len());
    let some = |materials: &[u16]| Vec::from_iter(materials.iter().copied().map(Some));
    let all = [named, some(&bodies.free), obstacles, some(&bodies.fixed)].concat();
    if all.iter().all(Option::is_none) {
        return Ok(Touch::default());
    }
    let table = materials(scene)?;
    let numbers = || 0..table.count() as u16;
    let rows = |of: fn(&Surface) -> f64| {
        let row = |a| numbers().map(|b| of(&table.surface(a, b))).collect();
        numbers().map(row).collect::<Vec<Vec<_>>>()
    };
    let mut restitution = rows(|surface| surface.restitution);
    if restitution.iter().flatten().all(|&share| share == 0.0) {
        restitution.clear();
    }
    Ok(Touch {
        materials: all,
        coefficients: rows(|surface| surface.friction),
        restitution,
        distances: distances.into_parts(),
    })
}

//! The materials of surfaces in a scene of cloth, which give their friction.

use crate::contact::Touch;
use crate::error::Result;
use crate::scene::bodies::among_cloth::BodyMaterials;
use crate::scene::bodies::materials;
use crate::scene::spec::Scene;

impl Scene {
    /// Checks that the scene has the materials that its surfaces name.
    ///
    /// # Errors
    /// The first name that is unknown.
    pub(super) fn validate_touch(&self) -> Result<()> {
        self.named_materials().try_for_each(|it| it.map(|_| ()))
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
pub(super) fn touch(scene: &Scene, bodies: &BodyMaterials) -> Result<Touch> {
    let mut named = scene.named_materials().collect::<Result<Vec<_>>>()?;
    let obstacles = named.split_off(scene.cloths.len());
    let some = |materials: &[u16]| Vec::from_iter(materials.iter().copied().map(Some));
    let all = [named, some(&bodies.free), obstacles, some(&bodies.fixed)].concat();
    if all.iter().all(Option::is_none) {
        return Ok(Touch::default());
    }
    let table = materials(scene)?;
    let numbers = || 0..table.count() as u16;
    let row = |a| numbers().map(|b| table.surface(a, b).friction).collect();
    Ok(Touch { materials: all, coefficients: numbers().map(row).collect() })
}

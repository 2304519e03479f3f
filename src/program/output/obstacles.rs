//! What a run of cloth writes once: the obstacles that stand still.

use std::borrow::Cow;
use std::path::Path;

use cloth_bodies::bodies::Documents;
use cloth_bodies::bodies::prescribed::ObstacleSetup;
use cloth_core::error::Result;
use cloth_scene::spec::Digits;

use crate::program::output::formats::obj::objects::write_file;
use crate::program::output::{Object, names};

/// The file of [`write`], if there are such obstacles.
pub fn file(documents: &Documents) -> Option<&'static str> {
    documents.obstacles.iter().any(ObstacleSetup::is_fixed).then_some(names::OBSTACLES)
}

/// Writes the obstacles that stand still into `folder`. They are in no frame.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(folder: &Path, documents: &Documents, digits: Digits) -> Result<()> {
    write_file(&folder.join(names::OBSTACLES), &still(documents), digits)
}

/// The obstacles that stand still.
pub fn still(documents: &Documents) -> Vec<Object<'_>> {
    let at_the_start = |obstacle: &ObstacleSetup| {
        let mut positions = vec![Default::default(); obstacle.shape.len()];
        obstacle.positions_at(0.0, &mut positions);
        positions
    };
    let fixed = documents.obstacles.iter().filter(|obstacle| obstacle.is_fixed());
    let objects = fixed.map(|obstacle| Object {
        name: obstacle.name.clone(),
        document: Cow::Borrowed(&obstacle.document),
        positions: at_the_start(obstacle),
    });
    objects.collect()
}

//! The cloths and obstacles of a scene, ready for the simulation.

use crate::bodies::cloth::setup::ClothSetup;
use crate::bodies::prescribed::ObstacleSetup;
use crate::mesh::ObjDocument;

/// The cloths and obstacles of a scene, in the order of the scene. Bodies of few nodes are not part
/// of it: no scene describes them yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Setup {
    /// The cloths.
    pub cloths: Vec<ClothSetup>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
}

impl Setup {
    /// Takes out what frames are written from: names, documents and obstacles. Only the simulation
    /// needs the rest, which is most of the memory.
    pub fn take_documents(&mut self) -> Documents {
        let cloths = self.cloths.iter_mut();
        Documents {
            cloths: cloths
                .map(|cloth| (cloth.name.clone(), std::mem::take(&mut cloth.document)))
                .collect(),
            obstacles: self.obstacles.clone(),
        }
    }
}

/// What the frames are written from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Documents {
    /// Name and mesh of each cloth.
    pub cloths: Vec<(String, ObjDocument)>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
}

//! The cloths, rigid bodies and obstacles of a scene, ready for the simulation.

use crate::bodies::Body as _;
use crate::bodies::cloth::setup::ClothSetup;
use crate::bodies::prescribed::ObstacleSetup;
use crate::bodies::rigid::RigidBody;
use crate::contact::Touch;
use crate::mesh::ObjDocument;

/// The cloths, rigid bodies and obstacles of a scene, in the order of the scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Setup {
    /// The cloths.
    pub cloths: Vec<ClothSetup>,
    /// The rigid bodies.
    pub bodies: Vec<RigidBody>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
    /// The materials of their surfaces, which give friction: cloths, bodies, obstacles.
    pub touch: Touch,
}

impl Setup {
    /// Takes out what frames are written from: names, documents, bodies and obstacles. Only the simulation
    /// needs the rest, which is most of the memory.
    pub fn take_documents(&mut self) -> Documents {
        let cloths = self.cloths.iter_mut();
        Documents {
            cloths: cloths
                .map(|cloth| (cloth.name.clone(), std::mem::take(&mut cloth.document)))
                .collect(),
            bodies: self
                .bodies
                .iter()
                .map(|body| (body.name().to_owned(), body.document()))
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
    /// Name and surface of each rigid body.
    pub bodies: Vec<(String, ObjDocument)>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
}

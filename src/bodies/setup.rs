//! The cloths, rigid bodies and obstacles of a scene, ready for the simulation.

use crate::bodies::Body as _;
use crate::bodies::attachment::Attachment;
use crate::bodies::cloth::setup::ClothSetup;
use crate::bodies::joints::body_joint::{BodyJoint, Second};
use crate::bodies::prescribed::ObstacleSetup;
use crate::bodies::rigid::RigidBody;
use crate::bodies::seam::Seam;
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
    /// What holds rigid bodies to each other, to obstacles, and to places.
    pub joints: Vec<BodyJoint>,
    /// What holds cloth to rigid bodies, by rising vertex.
    pub attachments: Vec<Attachment>,
    /// What holds cloth to cloth.
    pub seams: Vec<Seam>,
    /// The materials of their surfaces, which give friction: cloths, bodies, obstacles.
    pub touch: Touch,
}

impl Setup {
    /// The pairs of objects that a joint connects and that do not collide therefore, by their places
    /// among the `names` of all objects.
    pub fn apart(&self, names: &[String]) -> impl Iterator<Item = [usize; 2]> {
        let place = |name: &str| names.iter().position(|it| it == name);
        let joints = self.joints.iter().filter(|joint| !joint.settings.collide);
        joints.filter_map(move |joint| {
            let second = match joint.second {
                Second::Body(number) => self.bodies[number].name(),
                Second::Obstacle(number) => &self.obstacles[number].name,
                Second::Space => return None,
            };
            Some([place(self.bodies[joint.first].name())?, place(second)?])
        })
    }

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

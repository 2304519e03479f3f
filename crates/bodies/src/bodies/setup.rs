//! The cloths, rigid bodies and obstacles of a scene, ready for the simulation.

use std::collections::HashMap;

use crate::bodies::Body as _;
use crate::bodies::body::Attachment;
use crate::bodies::cloth::setup::{ClothSetup, Factors};
use crate::bodies::joints::body_joint::{BodyJoint, Second};
use crate::bodies::prescribed::ObstacleSetup;
use crate::bodies::rigid::RigidBody;
use crate::bodies::seam::Seam;
use crate::contact::Touch;
use cloth_core::mesh::ObjDocument;

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
    /// The materials of their surfaces, which give friction and contact distances: cloths, bodies,
    /// obstacles.
    pub touch: Touch,
    /// Pairs of objects that do not collide, by their names. A pair of one name is a cloth with itself.
    pub kept_apart: Vec<[String; 2]>,
}

impl Setup {
    /// The pairs of objects that do not collide, because a joint connects them or the scene keeps them
    /// apart, by their places among the `names` of all objects.
    pub fn apart(&self, names: &[String]) -> Vec<[usize; 2]> {
        let places: HashMap<_, _> = names.iter().map(String::as_str).zip(0..).collect();
        let joints = self.joints.iter().filter(|joint| !joint.settings.collide);
        let jointed = joints.filter_map(|joint| {
            let second = match joint.second {
                Second::Body(number) => self.bodies[number].name(),
                Second::Obstacle(number) => &self.obstacles[number].name,
                Second::Space => return None,
            };
            Some([self.bodies[joint.first].name(), second])
        });
        let of_scene = self.kept_apart.iter().map(|pair| pair.each_ref().map(String::as_str));
        let pairs = jointed.chain(of_scene);
        let places = pairs.filter_map(|[a, b]| Some([*places.get(a)?, *places.get(b)?]));
        places.collect()
    }

    /// A factor for each vertex of all cloths. Empty if every one is 1.
    pub fn vertex_factors(&self, of: impl Fn(&Factors) -> &Vec<f64>) -> Vec<f64> {
        if self.cloths.iter().all(|cloth| of(&cloth.factors).is_empty()) {
            return Vec::new();
        }
        let all = self.cloths.iter().flat_map(|cloth| match of(&cloth.factors) {
            none if none.is_empty() => vec![1.0; cloth.positions.len()],
            some => some.clone(),
        });
        all.collect()
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

//! What all frames of a run share.

use std::borrow::Cow;

use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_rigid::solid::Solids;
use cloth_scene::spec::Digits;

use crate::program::output::Materials;

/// What all frames of a run share.
#[derive(Debug, Clone, Default)]
pub struct FrameObjects<'a> {
    /// Name and mesh of each surface, in the order of
    /// [`Frame::surfaces`](crate::engine::Frame).
    pub surfaces: Vec<(Cow<'a, str>, &'a ObjDocument)>,
    /// Names of the rigid bodies among cloth, in the order of their surfaces.
    pub posed: Vec<String>,
    /// Number of cloths. Their surfaces come first, then those of the bodies.
    pub cloths: usize,
    /// What stands still. It is in no frame.
    pub still: Vec<Object<'a>>,
    /// The materials of the meshes.
    pub materials: Option<&'a Materials>,
    /// The bodies, in a scene of rigid bodies.
    pub bodies: Option<FrameBodies<'a>>,
    /// How exactly formats of text write numbers.
    pub digits: Digits,
    /// Frames per second.
    pub frames_per_second: f64,
}

/// What all frames of a scene of rigid bodies share.
#[derive(Debug, Clone, Copy)]
pub struct FrameBodies<'a> {
    /// Number of bodies in the first frame.
    pub count: usize,
    /// The hulls and closed meshes among their shapes.
    pub solids: &'a Solids,
}

/// A mesh at a place.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    /// Its name.
    pub name: String,
    /// Its faces.
    pub document: Cow<'a, ObjDocument>,
    /// Positions of its vertices, m.
    pub positions: Vec<Vec3>,
}

//! What all frames of a run share.

use std::borrow::Cow;

use cloth_sim::mesh::ObjDocument;
use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;

/// What all frames of a run share.
#[derive(Debug, Clone, Default)]
pub struct FrameObjects<'a> {
    /// Name and mesh of each surface, in the order of [`Frame::surfaces`](cloth_sim::engine::Frame).
    pub surfaces: Vec<(Cow<'a, str>, &'a ObjDocument)>,
    /// Names of the rigid bodies among cloth, in the order of their surfaces.
    pub posed: Vec<String>,
    /// The bodies, in a scene of rigid bodies.
    pub bodies: Option<FrameBodies<'a>>,
    /// How exactly formats of text write numbers.
    pub digits: Digits,
}

/// What all frames of a scene of rigid bodies share.
#[derive(Debug, Clone, Copy)]
pub struct FrameBodies<'a> {
    /// Number of bodies in the first frame.
    pub count: usize,
    /// The hulls and closed meshes among their shapes.
    pub solids: &'a Solids,
}

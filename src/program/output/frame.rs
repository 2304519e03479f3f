//! A frame: what a run shows at one time.

use cloth_sim::math::Vec3;
use cloth_sim::mesh::ObjDocument;
use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;

use crate::program::output::bodies::BodyRow;

/// What a run shows at one time. Nothing in it depends on ranks, except the owners of bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Time since the start, s.
    pub time_s: f64,
    /// Positions of the vertices of each surface, m: cloths, then moving obstacles.
    pub surfaces: Vec<Vec<Vec3>>,
    /// Movable bodies and those that keyframes move, by rising id.
    pub bodies: Vec<BodyRow>,
    /// Further values of the vertices.
    pub fields: Vec<Field>,
}

/// Values of the vertices of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Numbers of a vertex.
    pub components: usize,
    /// The numbers of each vertex, in the order of the surfaces. The last surfaces may have none.
    pub values: Vec<f64>,
}

/// What all frames of a run share.
#[derive(Debug, Clone)]
pub struct FrameObjects<'a> {
    /// Name and mesh of each surface, in the order of [`Frame::surfaces`].
    pub surfaces: Vec<(&'a str, &'a ObjDocument)>,
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

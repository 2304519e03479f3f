//! OBJ files: what a mesh file says beyond triangles, kept for the frames.

use crate::math::{Vec2, Vec3};

/// One corner of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corner {
    /// Its vertex, from 0.
    pub vertex: u32,
    /// Its texture coordinate, from 0, or [`crate::ids::NONE`].
    pub texcoord: u32,
}

/// A run of polygons with one object, group and material name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Name of the object (`o`) it belongs to, if the file names one.
    pub object: Option<String>,
    /// Name of the group (`g`), if the file names one.
    pub name: Option<String>,
    /// Name of its material (`usemtl`).
    pub material: Option<String>,
    /// One past its last polygon; it begins where the group before it ends.
    pub end: u32,
}

/// An OBJ file: polygons, seams, groups and names in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObjDocument {
    /// Vertex positions, in the file's own unit.
    pub positions: Vec<Vec3>,
    /// Texture coordinates.
    pub texcoords: Vec<Vec2>,
    /// Corners of all polygons, one after the other.
    pub corners: Vec<Corner>,
    /// Where each polygon ends in `corners`.
    pub polygon_ends: Vec<u32>,
    /// The runs of polygons.
    pub groups: Vec<Group>,
}

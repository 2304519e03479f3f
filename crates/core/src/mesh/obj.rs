//! OBJ documents: polygons, seams, groups, smoothing and names of a mesh file. Frames are written
//! with them.

use std::path::PathBuf;

use crate::{NONE, Vec2, Vec3};

/// The name that Blender writes for "no material".
pub const NO_MATERIAL: &str = "None";

/// One corner of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corner {
    /// The vertex, counted from 0.
    pub vertex: u32,
    /// The texture coordinate, counted from 0, or [`NONE`].
    pub texcoord: u32,
}

/// Consecutive polygons with the same object, group, material and smoothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// Name of the object (`o`), if the file gives one.
    pub object: Option<String>,
    /// Name of the group (`g`), if the file gives one.
    pub name: Option<String>,
    /// Name of the material (`usemtl`), if the file gives one.
    pub material: Option<String>,
    /// Number of the smoothing group (`s`), 0 for faceted. None where the file has not said it.
    pub smoothing: Option<u32>,
    /// One past the last polygon. The first polygon follows the group before.
    pub end: u32,
}

/// An OBJ file: polygons, seams, groups, smoothing and names in the order of the file. Normals are
/// left out, because deformation makes them wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObjDocument {
    /// Vertex positions, in the file's own unit.
    pub positions: Vec<Vec3>,
    /// Colours of vertices: red, green and blue. Empty unless all vertices have one. Frames have none.
    pub colours: Vec<Vec3>,
    /// Texture coordinates.
    pub texcoords: Vec<Vec2>,
    /// Corners of all polygons, one after the other.
    pub corners: Vec<Corner>,
    /// One past each polygon's last place in `corners`.
    pub polygon_ends: Vec<u32>,
    /// Groups of consecutive polygons, in order.
    pub groups: Vec<Group>,
    /// Lines between vertices (`l`), such as the sewing edges of a modeller. Frames have none.
    pub lines: Vec<[u32; 2]>,
    /// The files that describe its materials (`mtllib`).
    pub libraries: Vec<PathBuf>,
}

impl ObjDocument {
    /// Triangles without texture coordinates, in one group without a name.
    pub fn from_triangles(positions: Vec<Vec3>, faces: &[[u32; 3]]) -> Self {
        let corner = |&vertex| Corner { vertex, texcoord: NONE };
        let end = faces.len() as u32;
        Self {
            positions,
            colours: Vec::new(),
            texcoords: Vec::new(),
            corners: faces.iter().flatten().map(corner).collect(),
            polygon_ends: (1..=end).map(|face| 3 * face).collect(),
            groups: vec![Group { object: None, name: None, material: None, smoothing: None, end }],
            lines: Vec::new(),
            libraries: Vec::new(),
        }
    }

    /// Makes all polygons smooth, unless the document says which are.
    pub fn smooth_by_default(&mut self) {
        if self.groups.iter().all(|group| group.smoothing.is_none()) {
            self.groups.iter_mut().for_each(|group| group.smoothing = Some(1));
        }
    }

    /// The places of polygon `polygon` in `corners`.
    pub fn polygon(&self, polygon: usize) -> std::ops::Range<usize> {
        let start = if polygon == 0 { 0 } else { self.polygon_ends[polygon - 1] };
        start as usize..self.polygon_ends[polygon] as usize
    }

    /// The polygons of each group.
    pub fn group_polygons(&self) -> impl Iterator<Item = (&Group, std::ops::Range<usize>)> {
        let mut start = 0;
        self.groups.iter().map(move |group| {
            let polygons = start..group.end as usize;
            start = polygons.end;
            (group, polygons)
        })
    }
}

//! The integer types with which this program numbers things.

/// A vertex in the mesh's own numbering: cloth after cloth in scene order, then the bodies of
/// few nodes, then obstacle after obstacle. It never changes, whatever the partition.
pub type VertexId = u32;

/// A triangle of one object, in the order of its mesh.
pub type FaceId = u32;

/// A patch of cloth vertices: the unit of ownership (see [`crate::partition`]).
pub type PatchId = u32;

/// Stands where an optional id is absent (the missing face of a boundary edge).
pub const NONE: u32 = u32::MAX;

/// A node: three unknowns of the linear system, a velocity. A cloth vertex has the node of its own
/// number; nodes of other bodies follow; a prescribed body has none.
pub type NodeId = u32;

//! Which vertices and nodes belong to which body.

use std::ops::Range;
use std::sync::Arc;

use crate::bodies::body::Body;
use crate::ids::{NodeId, VertexId};

/// Vertices are numbered cloth after cloth, then body after body, then obstacle after obstacle.
/// Nodes are numbered in the same order: a cloth vertex has the node of its own number, and the
/// nodes of bodies follow. A prescribed vertex has no node. Its known velocity is stored behind
/// those of the nodes, so one number names any velocity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbering {
    cloth: u32,
    bodies: Vec<BodyRange>,
    nodes: u32,
    /// The first prescribed vertex.
    prescribed: u32,
    vertices: u32,
}

/// Vertices and nodes of one body of few nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRange {
    /// Its vertices.
    pub vertices: Range<VertexId>,
    /// Its nodes.
    pub nodes: Range<NodeId>,
}

/// What moves a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The node of a cloth vertex. For a prescribed vertex the number of its known velocity, which
    /// is at least the number of nodes.
    Own(NodeId),
    /// The nodes of this body.
    Body(usize),
}

impl Numbering {
    /// Numbers `cloth` vertices of cloth, then the `bodies` of few nodes, then `prescribed`
    /// vertices of obstacles.
    pub fn new(cloth: usize, bodies: &[Arc<dyn Body>], prescribed: usize) -> Self {
        let (mut vertex, mut node) = (cloth as u32, cloth as u32);
        let ranges = bodies.iter().map(|body| {
            let vertices = vertex..vertex + body.vertex_count() as u32;
            let nodes = node..node + body.node_count() as u32;
            (vertex, node) = (vertices.end, nodes.end);
            BodyRange { vertices, nodes }
        });
        let bodies = ranges.collect();
        let vertices = vertex + prescribed as u32;
        Self { cloth: cloth as u32, bodies, nodes: node, prescribed: vertex, vertices }
    }

    /// Number of cloth vertices, and of their nodes.
    pub fn cloth(&self) -> usize {
        self.cloth as usize
    }

    /// Vertices and nodes of each body of few nodes.
    pub fn bodies(&self) -> &[BodyRange] {
        &self.bodies
    }

    /// The nodes that move a vertex. That of a prescribed one is the number of its known velocity,
    /// which is at least the number of nodes.
    pub fn nodes_of(&self, vertex: VertexId) -> Range<NodeId> {
        match self.place(vertex) {
            Place::Own(node) => node..node + 1,
            Place::Body(body) => self.bodies[body].nodes.clone(),
        }
    }

    /// Number of nodes. Each has three unknowns in the linear system.
    pub fn nodes(&self) -> usize {
        self.nodes as usize
    }

    /// Number of vertices that are not prescribed. They come first.
    pub fn free_vertices(&self) -> usize {
        self.prescribed as usize
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices as usize
    }

    /// Number of velocities: of nodes, then of prescribed vertices.
    pub fn velocities(&self) -> usize {
        (self.nodes + self.vertices - self.prescribed) as usize
    }

    /// What moves `vertex`.
    #[inline]
    pub fn place(&self, vertex: VertexId) -> Place {
        if vertex < self.cloth {
            Place::Own(vertex)
        } else if vertex >= self.prescribed {
            Place::Own(vertex - self.prescribed + self.nodes)
        } else {
            Place::Body(self.bodies.partition_point(|body| body.vertices.end <= vertex))
        }
    }

    /// Whether `node` is of cloth, or the first one of its body.
    pub fn is_first(&self, node: NodeId) -> bool {
        self.body_of_node(node).is_none_or(|body| self.bodies[body].nodes.start == node)
    }

    /// The body that `node` belongs to. None for a node of cloth.
    pub fn body_of_node(&self, node: NodeId) -> Option<usize> {
        let inside = self.cloth <= node && node < self.nodes;
        inside.then(|| self.bodies.partition_point(|body| body.nodes.end <= node))
    }
}

//! Which vertices and nodes belong to which body.

use std::ops::Range;
use std::sync::Arc;

use crate::bodies::body::Body;
use cloth_core::{NodeId, VertexId};

/// Vertices are numbered cloth after cloth, then body after body, then obstacle after obstacle.
/// Nodes are numbered in the same order: a cloth vertex has the node of its own number, the nodes
/// of bodies follow, then one for each vertex of an obstacle that yields. Another prescribed vertex
/// has no node. Its known velocity is stored behind those of the nodes, so one number names any
/// velocity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbering {
    cloth: u32,
    bodies: Vec<BodyRange>,
    /// The body of each vertex and of each node of bodies. Contacts ask for it many times a step.
    body_of_vertex: Vec<u32>,
    body_of_node: Vec<u32>,
    /// Vertices and nodes of each obstacle that yields.
    skins: Vec<BodyRange>,
    nodes: u32,
    /// The first prescribed vertex.
    prescribed: u32,
    vertices: u32,
}

/// Vertices and nodes of one body of few nodes, or of the skin of an obstacle.
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
    /// The node of a vertex of cloth or skin. For a vertex without a node the number of its known
    /// velocity, which is at least the number of nodes.
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
        let bodies = Vec::from_iter(ranges);
        let of_each = |range: fn(&BodyRange) -> &Range<u32>| {
            let numbered = (0..).zip(&bodies);
            numbered.flat_map(|(body, it)| range(it).clone().map(move |_| body)).collect()
        };
        Self {
            cloth: cloth as u32,
            body_of_vertex: of_each(|it| &it.vertices),
            body_of_node: of_each(|it| &it.nodes),
            bodies,
            skins: Vec::new(),
            nodes: node,
            prescribed: vertex,
            vertices: vertex + prescribed as u32,
        }
    }

    /// A numbering with a node for each vertex of the obstacles with these rising `ranges` of
    /// vertices, which yield.
    pub fn with_skins(mut self, ranges: impl Iterator<Item = Range<VertexId>>) -> Self {
        for vertices in ranges {
            let nodes = self.nodes..self.nodes + vertices.len() as u32;
            self.nodes = nodes.end;
            self.skins.push(BodyRange { vertices, nodes });
        }
        self
    }

    /// Vertices and nodes of each obstacle that yields.
    pub fn skins(&self) -> &[BodyRange] {
        &self.skins
    }

    /// The vertex of skin that has this `node`.
    pub fn skin_vertex(&self, node: NodeId) -> Option<VertexId> {
        let skin = self.skins.iter().find(|skin| skin.nodes.contains(&node))?;
        Some(node - skin.nodes.start + skin.vertices.start)
    }

    /// Number of first vertices among which all are that have a node.
    pub fn vertices_with_nodes(&self) -> usize {
        self.skins.last().map_or(self.prescribed, |skin| skin.vertices.end) as usize
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

    /// Number of vertices that belong to no obstacle. They come first.
    pub fn free_vertices(&self) -> usize {
        self.prescribed as usize
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices as usize
    }

    /// Number of velocities: of nodes, then of prescribed vertices.
    pub fn velocities(&self) -> usize {
        let skins = self.skins.iter().map(|skin| skin.vertices.len() as u32).sum::<u32>();
        (self.nodes + self.vertices - self.prescribed - skins) as usize
    }

    /// What moves `vertex`.
    #[inline]
    pub fn place(&self, vertex: VertexId) -> Place {
        if vertex < self.cloth {
            Place::Own(vertex)
        } else if vertex >= self.prescribed {
            Place::Own(self.velocity_of_obstacle(vertex))
        } else {
            Place::Body(self.body_of_vertex[(vertex - self.cloth) as usize] as usize)
        }
    }

    fn velocity_of_obstacle(&self, vertex: VertexId) -> NodeId {
        let mut known = vertex - self.prescribed + self.nodes;
        for BodyRange { vertices, nodes } in &self.skins {
            if vertices.contains(&vertex) {
                return vertex - vertices.start + nodes.start;
            }
            if vertices.end <= vertex {
                known -= vertices.len() as u32;
            }
        }
        known
    }

    /// Whether `node` is of cloth or skin, or the first one of its body.
    pub fn is_first(&self, node: NodeId) -> bool {
        self.body_of_node(node).is_none_or(|body| self.bodies[body].nodes.start == node)
    }

    /// The nodes of all bodies of few nodes.
    pub fn nodes_of_bodies(&self) -> Range<usize> {
        self.cloth as usize..self.cloth as usize + self.body_of_node.len()
    }

    /// The body that `node` belongs to. None for a node of cloth or skin.
    #[inline]
    pub fn body_of_node(&self, node: NodeId) -> Option<usize> {
        let place = node.checked_sub(self.cloth)?;
        self.body_of_node.get(place as usize).map(|&body| body as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skins_have_nodes_and_other_obstacles_known_velocities() {
        let numbering = Numbering::new(4, &[], 10).with_skins([6..8, 10..13].into_iter());
        let velocity = |vertex| match numbering.place(vertex) {
            Place::Own(velocity) => velocity,
            Place::Body(_) => NodeId::MAX,
        };
        let expected = [0, 1, 2, 3, 9, 10, 4, 5, 11, 12, 6, 7, 8, 13];
        assert_eq!(Vec::from_iter((0..14).map(velocity)), expected);
        assert_eq!((numbering.nodes(), numbering.velocities()), (9, 14));
        assert_eq!((numbering.free_vertices(), numbering.vertices_with_nodes()), (4, 13));
        let vertices = Vec::from_iter((0..10).filter_map(|node| numbering.skin_vertex(node)));
        assert_eq!(vertices, [6, 7, 10, 11, 12]);
        assert!((0..10).all(|node| numbering.body_of_node(node).is_none()));
    }
}

//! Finds intersections and near pairs of surfaces at one instant.
//!
//! It checks starts and finished frames. It shares bounds and hierarchies with the collision
//! phase. Its traversal and its tests are its own, so it checks the phase independently.

mod predicate;
mod start;

use std::collections::BTreeSet;

use crate::collision::bvh::Node;
use crate::collision::dop::{Dop18, near};
use crate::collision::leaves::LeafId;
use crate::collision::narrow::closest;
use crate::collision::pair::Pair;
use crate::collision::surface::{Moves, Surface, Surfaces};
use cloth_core::{Threads, Vec3, VertexId};
pub use predicate::edge_meets_face;
pub use start::{ProblemKind, StartProblem, start_state};

/// An edge that meets a face with which it shares no vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// The edge, lower vertex first.
    pub edge: [VertexId; 2],
    /// The face's corners, rising.
    pub face: [VertexId; 3],
    /// The objects of the edge and of the face, by their place among the surfaces.
    pub objects: [u32; 2],
    /// Approximate place, m.
    pub place: Vec3,
}

/// All intersections of `surfaces` whose vertices are at `x` (all vertices, finite, m), by
/// rising edge and face. [`Moves::meets`] says which surfaces are tested. The edges of each are
/// tested against the faces of the other. Exact: see [`edge_meets_face`].
pub fn intersections(threads: &Threads, surfaces: &Surfaces, x: &[Vec3]) -> Vec<Intersection> {
    let still = Still::new(threads, surfaces, x, 0.0, |_| true);
    let mut found = Vec::new();
    still.for_leaf_pairs(|first, second| still.edges_in_faces(first, second, &mut found));
    found.sort_unstable_by_key(|found| (found.edge, found.face));
    found
}

/// The vertices of all intersections of `surfaces` and of all elementary pairs nearer than `delta_m`,
/// with vertices at `x` (all vertices, finite, m).
pub fn troubled(
    threads: &Threads,
    surfaces: &Surfaces,
    x: &[Vec3],
    delta_m: f64,
) -> BTreeSet<VertexId> {
    let (meeting, near) =
        Still::new(threads, surfaces, x, delta_m, |_| true).troubles(delta_m, usize::MAX);
    let meeting = meeting.iter().flat_map(|found| found.edge.into_iter().chain(found.face));
    meeting.chain(near.iter().flat_map(|found| found.pair.vertices)).collect()
}

/// For each of the `obstacles` (by their place among the surfaces) the vertices of cloth whose
/// vertex, edges or faces meet it or are nearer to it than `radius_m`, rising. Cloth that is kept
/// apart from it is left out. All vertices are at `x` (finite, m).
pub fn touching(
    threads: &Threads,
    surfaces: &Surfaces,
    x: &[Vec3],
    obstacles: &[u32],
    radius_m: f64,
) -> Vec<Vec<VertexId>> {
    let deforms = |object: u32| surfaces.list[object as usize].moves == Moves::Deforms;
    let wanted = |object| deforms(object) || obstacles.contains(&object);
    let still = Still::new(threads, surfaces, x, radius_m, wanted);
    let cloths = || (0..surfaces.list.len() as u32).filter(|&object| deforms(object));
    let touch = |&obstacle: &u32| {
        let (mut meeting, mut near) = (Vec::new(), Vec::new());
        for cloth in cloths().filter(|&cloth| !surfaces.are_excluded(cloth, obstacle)) {
            still.for_pairs_of(cloth, obstacle, &mut |first, second| {
                still.edges_in_faces(first, second, &mut meeting);
                still.near_pairs(first, second, radius_m, &mut near);
            });
        }
        let of_meeting = meeting.iter().flat_map(|found| found.edge.into_iter().chain(found.face));
        let of_near = near.iter().flat_map(|found| found.pair.vertices);
        let own = surfaces.list[obstacle as usize].vertices();
        let vertices =
            of_meeting.chain(of_near).filter(|&vertex| !own.contains(&(vertex as usize)));
        let mut vertices = Vec::from_iter(vertices);
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    };
    obstacles.iter().map(touch).collect()
}

/// The elementary pairs that are nearer than `radius_m`, rising: of a prescribed surface and any
/// other from which it is not kept apart, and of two bodies. All vertices are at `x` (m).
pub fn near_pairs(threads: &Threads, surfaces: &Surfaces, x: &[Vec3], radius_m: f64) -> Vec<Pair> {
    let still = Still::new(threads, surfaces, x, radius_m, |_| true);
    let mut near = Vec::new();
    for (second, of_second) in (0..).zip(&surfaces.list) {
        for (first, of_first) in (0..second).zip(&surfaces.list) {
            let are_bodies = of_first.moves == Moves::Rigid && of_second.moves == Moves::Rigid;
            let is_one_prescribed = (of_first.moves == Moves::Prescribed)
                != (of_second.moves == Moves::Prescribed)
                && !surfaces.are_excluded(first, second);
            if are_bodies || is_one_prescribed {
                still.for_pairs_of(first, second, &mut |first, second| {
                    still.near_pairs(first, second, radius_m, &mut near);
                });
            }
        }
    }
    let mut pairs = Vec::from_iter(near.into_iter().map(|found| found.pair));
    pairs.sort_unstable();
    pairs
}

/// Surfaces at one instant, with their hierarchies refitted.
struct Still<'a> {
    surfaces: &'a Surfaces,
    x: &'a [Vec3],
    /// Bounds of all vertices. Those of obstacles are not grown; all others by the radius.
    vertices: Vec<Dop18>,
    /// Bounds of the nodes of each object's hierarchy.
    nodes: Vec<Vec<Dop18>>,
}

/// A leaf of an object's hierarchy.
#[derive(Clone, Copy)]
struct LeafOf<'a> {
    object: u32,
    surface: &'a Surface,
    leaf: LeafId,
    bounds: &'a Dop18,
}

/// An elementary pair that is too near.
struct NearPair {
    pair: Pair,
    objects: [u32; 2],
    distance_m: f64,
    place: Vec3,
}

impl<'a> Still<'a> {
    /// Only the objects that are `wanted` can be visited.
    fn new(
        threads: &Threads,
        surfaces: &'a Surfaces,
        x: &'a [Vec3],
        radius_m: f64,
        wanted: impl Fn(u32) -> bool,
    ) -> Self {
        let mut vertices = Vec::with_capacity(x.len());
        let mut nodes = Vec::with_capacity(surfaces.list.len());
        for (object, surface) in (0..).zip(&surfaces.list) {
            if !wanted(object) {
                vertices.resize(surface.vertices().end, Dop18::EMPTY);
                nodes.push(Vec::new());
                continue;
            }
            let radius = if surface.moves == Moves::Prescribed { 0.0 } else { radius_m };
            let radius = radius + surface.radius_m;
            vertices.extend(x[surface.vertices()].iter().map(|x| Dop18::swept(x, x, radius)));
            let mut bounds = vec![Dop18::EMPTY; surface.hierarchy.nodes().len()];
            surface.hierarchy.refit(threads, &surface.leaves, &vertices, &mut bounds);
            nodes.push(bounds);
        }
        Self { surfaces, x, vertices, nodes }
    }

    /// Visits once each pair of leaves whose bounds overlap, and each leaf with itself, of surfaces that
    /// meet.
    fn for_leaf_pairs(&self, mut visit: impl FnMut(LeafOf, LeafOf)) {
        for (second, of_second) in (0..).zip(&self.surfaces.list) {
            for (first, of_first) in (0..=second).zip(&self.surfaces.list) {
                if of_first.moves.meets(of_second.moves, first == second)
                    && !self.surfaces.are_excluded(first, second)
                {
                    self.for_pairs_of(first, second, &mut visit);
                }
            }
        }
    }

    /// Visits once each pair of leaves of two objects whose bounds overlap.
    fn for_pairs_of(&self, first: u32, second: u32, visit: &mut impl FnMut(LeafOf, LeafOf)) {
        let root = |object: u32| self.surfaces.list[object as usize].hierarchy.root();
        if let Some((root1, root2)) = root(first).zip(root(second)) {
            self.descend((first, root1), (second, root2), visit);
        }
    }

    /// Visits the pairs of leaves below two nodes. A node is given with its object.
    fn descend(&self, a: (u32, u32), b: (u32, u32), visit: &mut impl FnMut(LeafOf, LeafOf)) {
        let node = |(object, node): (u32, u32)| {
            self.surfaces.list[object as usize].hierarchy.nodes()[node as usize]
        };
        let child = |at| match node(at) {
            Node::Top(child) | Node::Inner(child) => Some(child),
            Node::Leaf(_) => None,
        };
        let bounds = |(object, node): (u32, u32)| &self.nodes[object as usize][node as usize];
        let leaf = |(object, node): (u32, u32), leaf| LeafOf {
            object,
            surface: &self.surfaces.list[object as usize],
            leaf,
            bounds: bounds((object, node)),
        };
        if let Some(child) = child(a).filter(|_| a == b) {
            let (low, high) = ((a.0, child), (a.0, child + 1));
            self.descend(low, low, visit);
            self.descend(high, high, visit);
            self.descend(low, high, visit);
            return;
        }
        if !bounds(a).overlaps(bounds(b)) {
            return;
        }
        match (child(a), child(b)) {
            (Some(child), other) if other.is_none() || bounds(a).size() >= bounds(b).size() => {
                self.descend((a.0, child), b, visit);
                self.descend((a.0, child + 1), b, visit);
            }
            (_, Some(child)) => {
                self.descend(a, (b.0, child), visit);
                self.descend(a, (b.0, child + 1), visit);
            }
            _ => {
                if let (Node::Leaf(leaf1), Node::Leaf(leaf2)) = (node(a), node(b)) {
                    visit(leaf(a, leaf1), leaf(b, leaf2));
                }
            }
        }
    }

    /// All intersections, and all pairs nearer than `delta_m`; ends when it has `most` of them.
    fn troubles(&self, delta_m: f64, most: usize) -> (Vec<Intersection>, Vec<NearPair>) {
        let (mut meeting, mut near) = (Vec::new(), Vec::new());
        self.for_leaf_pairs(|first, second| {
            if meeting.len() + near.len() < most {
                self.edges_in_faces(first, second, &mut meeting);
                self.near_pairs(first, second, delta_m, &mut near);
            }
        });
        (meeting, near)
    }

    /// Tests the edges of each of two leaves against the faces of the other. A round surface has
    /// neither: a surface that it meets is nearer to it than zero.
    fn edges_in_faces(&self, first: LeafOf, second: LeafOf, found: &mut Vec<Intersection>) {
        if first.surface.leaves.is_round || second.surface.leaves.is_round {
            return;
        }
        for (edges, areas) in sides(first, second) {
            let near = edges.surface.leaves.edges.of(edges.leaf).iter();
            for &edge in near.filter(|edge| self.bounds(*edge).overlaps(areas.bounds)) {
                for &face in areas.surface.leaves.faces.of(areas.leaf) {
                    if edge.iter().any(|vertex| face.contains(vertex))
                        || !self.bounds(&edge).overlaps(&self.bounds(&face))
                    {
                        continue;
                    }
                    let (ends, corners) =
                        (edge.map(|v| self.x[v as usize]), face.map(|v| self.x[v as usize]));
                    if edge_meets_face(ends, corners) {
                        let objects = [edges.object, areas.object];
                        let place = meet(ends, corners);
                        found.push(Intersection { edge, face, objects, place });
                    }
                }
            }
        }
    }

    /// The bounds of a primitive.
    fn bounds(&self, primitive: &[VertexId]) -> Dop18 {
        let of_vertices = primitive.iter().map(|&vertex| &self.vertices[vertex as usize]);
        of_vertices.fold(Dop18::EMPTY, |all, bounds| all.union(bounds))
    }

    /// Finds the elementary pairs of two leaves that are nearer than `delta_m`.
    fn near_pairs(&self, first: LeafOf, second: LeafOf, delta_m: f64, found: &mut Vec<NearPair>) {
        let mut add = |pair: Pair| {
            if pair.shares_a_vertex() || !near(&pair, &self.vertices) {
                return;
            }
            let x = pair.gather(self.x);
            let closest = closest(pair.kind(), x);
            let distance_m = closest.distance - self.surfaces.radii().of_pair(&pair);
            if distance_m < delta_m {
                let side = closest.weights.iter().zip(x).take(pair.first_side());
                let place = side.map(|(&weight, x)| weight * x).sum();
                let objects = [first.object, second.object];
                found.push(NearPair { pair, objects, distance_m, place });
            }
        };
        let meet = |points: &LeafOf, areas: &LeafOf| {
            points.surface.leaves.meet_faces_of(&areas.surface.leaves)
        };
        for (points, areas) in sides(first, second).filter(|(points, areas)| meet(points, areas)) {
            for &[vertex] in points.surface.leaves.vertices.of(points.leaf) {
                for &face in areas.surface.leaves.faces.of(areas.leaf) {
                    add(Pair::vertex_face(vertex, face));
                }
            }
        }
        for &edge in first.surface.leaves.edges.of(first.leaf) {
            for &other in second.surface.leaves.edges.of(second.leaf) {
                if !first.is(&second) || edge < other {
                    add(Pair::edge_edge(edge, other));
                }
            }
        }
    }
}

impl LeafOf<'_> {
    fn is(&self, other: &Self) -> bool {
        (self.object, self.leaf) == (other.object, other.leaf)
    }
}

/// Two leaves in both orders, or a leaf with itself once.
fn sides<'a>(
    first: LeafOf<'a>,
    second: LeafOf<'a>,
) -> impl Iterator<Item = (LeafOf<'a>, LeafOf<'a>)> {
    let once = 2 - usize::from(first.is(&second));
    [(first, second), (second, first)].into_iter().take(once)
}

/// The approximate place where an edge meets a face: on the face's plane, or at the middle of
/// an edge that lies in the plane.
fn meet([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(&(c - a));
    let (above, below) = (normal.dot(&(p - a)), normal.dot(&(q - a)));
    let along = above / (above - below);
    let along = if (0.0..=1.0).contains(&along) { along } else { 0.5 };
    p + (q - p) * along
}

#[cfg(test)]
mod tests;

//! Bounding volume hierarchies: binary trees of 18-DOPs over the faces of one object. A tree is
//! built once over the rest shape and refitted every step.
//!
//! A hierarchy depends on the mesh and its patches alone. It is the same on all ranks, so a
//! node's number names it everywhere. A cloth's hierarchy is a tree over its patches; each leaf
//! of that tree is the root of one patch's subtree. The subtrees of a rank's patches are its
//! part of the cloth (Thomaszewski & Blochinger 2007, section 4.2).

use crate::collision::dop::Dop18;
use crate::collision::leaves::{ByLeaf, LeafId, Leaves};
use cloth_core::{ByPatch, FaceId, NONE, PatchId, Threads, Vec3};

/// Most faces of a leaf.
pub const LEAF_FACES: usize = 8;

/// A node of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Bounds of at most [`LEAF_FACES`] faces.
    Leaf(LeafId),
    /// Bounds of two children within one part: the node of this number and the next one.
    Inner(u32),
    /// Bounds of two children, the node of this number and the next one. Each covers one part
    /// or more.
    Top(u32),
}

/// The shape of a binary tree over the faces of one object.
///
/// Layout: first the tree over the parts, then, part after part, the nodes below its root.
/// Siblings are neighbours and children come after their parent, so one backward sweep refits
/// a part.
#[derive(Debug, Clone, Default)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// For each node of the tree over the parts: the patch whose root it is, or [`NONE`].
    patches: Vec<PatchId>,
    /// Start of the nodes below each part's root; one more than parts.
    offsets: Vec<u32>,
    /// The patch of each part, or [`NONE`].
    part_patches: Vec<PatchId>,
    /// The faces of each leaf, rising.
    faces: ByLeaf<FaceId>,
}

impl Hierarchy {
    /// Builds the tree top-down over `faces`. A node is split near the median of its faces'
    /// centroids along their longest extent, so that all leaves of a part but one are full; ties
    /// go by number. The tree over the parts is split
    /// in the same way, at the means of their centroids. `rest` are the rest positions (m).
    /// `parts` is the patch of each vertex and the number of patches; a face belongs to the patch
    /// of its lowest vertex. Without `parts` the object is one part. Time n log n.
    pub fn new(faces: &[[u32; 3]], rest: &[Vec3], parts: Option<(&[PatchId], usize)>) -> Self {
        let centroid = |face: &[u32; 3]| face.map(|v| rest[v as usize]).iter().sum::<Vec3>() / 3.0;
        let centroids: Vec<Vec3> = faces.iter().map(centroid).collect();
        let mut members = members(faces, parts);
        let centres: Vec<Vec3> = members.iter().map(|part| mean(part, &centroids)).collect();
        let mut filled: Vec<u32> =
            (0..members.len() as u32).filter(|&part| !members[part as usize].is_empty()).collect();
        if filled.is_empty() {
            return Self::default();
        }

        // Each leaf of the tree over the parts names a part and becomes its root.
        let mut nodes = vec![Node::Leaf(NONE)];
        grow(&mut nodes, 0, &mut filled, &centres, 1, &mut |parts| parts[0]);
        let mut of_leaves = ByLeaf::default();
        let mut add_leaf = |faces: &mut [FaceId]| {
            faces.sort_unstable();
            of_leaves.push(faces.iter().copied())
        };
        let mut offsets = vec![nodes.len() as u32];
        let mut patches = vec![NONE; nodes.len()];
        let mut part_patches = Vec::new();
        for (root, patch) in patches.iter_mut().enumerate() {
            match nodes[root] {
                Node::Leaf(part) => {
                    *patch = if parts.is_some() { part } else { NONE };
                    let faces = &mut members[part as usize];
                    grow(&mut nodes, root, faces, &centroids, LEAF_FACES, &mut add_leaf);
                    offsets.push(nodes.len() as u32);
                    part_patches.push(*patch);
                }
                Node::Inner(child) | Node::Top(child) => nodes[root] = Node::Top(child),
            }
        }
        Self { nodes, patches, offsets, part_patches, faces: of_leaves }
    }

    /// The faces of each leaf.
    pub fn faces(&self) -> &ByLeaf<FaceId> {
        &self.faces
    }

    /// The nodes, each before its children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Root of the whole tree; none if there are no faces.
    pub fn root(&self) -> Option<u32> {
        (!self.nodes.is_empty()).then_some(0)
    }

    /// The patch whose subtree has this node. None for nodes above the patches and for obstacles.
    pub fn patch(&self, node: u32) -> Option<PatchId> {
        let patch = match self.patches.get(node as usize) {
            Some(&patch) => patch,
            None => self.part_patches[self.offsets.partition_point(|&first| first <= node) - 1],
        };
        (patch != NONE).then_some(patch)
    }

    /// Computes the `bounds`, one for each node, from the bounds of the `vertices` that `leaves`
    /// name. Handles the parts in parallel.
    pub fn refit(
        &self,
        threads: &Threads,
        leaves: &Leaves,
        vertices: &[Dop18],
        bounds: &mut [Dop18],
    ) {
        let Some(&top) = self.offsets.first() else { return };
        let below = ByPatch::new(&mut bounds[top as usize..], &self.offsets);
        threads.for_each_patch(below, 1, |part, below| {
            let first = self.offsets[part] as usize;
            for at in (0..below.data.len()).rev() {
                let node = self.nodes[first + at];
                below.data[at] = bound(node, leaves, vertices, first, below.data);
            }
        });
        for at in (0..top as usize).rev() {
            bounds[at] = bound(self.nodes[at], leaves, vertices, 0, bounds);
        }
    }

    /// Like [`Hierarchy::refit`], after the bounds of the `changed_vertices` have changed.
    /// Notes in `changed_nodes` the nodes above them. There is an entry of `changed_vertices` for
    /// each of the `vertices`, and one of `changed_nodes` for each node.
    pub fn refit_changed(
        &self,
        leaves: &Leaves,
        vertices: &[Dop18],
        changed_vertices: &[bool],
        bounds: &mut [Dop18],
        changed_nodes: &mut [bool],
    ) {
        for (at, &node) in self.nodes.iter().enumerate().rev() {
            changed_nodes[at] = match node {
                Node::Leaf(leaf) => {
                    let mut corners = leaves.corners.of(leaf).iter();
                    corners.any(|&vertex| changed_vertices[vertex as usize])
                }
                Node::Inner(child) | Node::Top(child) => {
                    changed_nodes[child as usize] | changed_nodes[child as usize + 1]
                }
            };
            if changed_nodes[at] {
                bounds[at] = bound(node, leaves, vertices, 0, bounds);
            }
        }
    }
}

/// Bounds of one node; `bounds` begin with node `first`.
#[inline(always)]
fn bound(node: Node, leaves: &Leaves, vertices: &[Dop18], first: usize, bounds: &[Dop18]) -> Dop18 {
    match node {
        Node::Leaf(leaf) => {
            let corners = leaves.corners.of(leaf).iter();
            corners.fold(Dop18::EMPTY, |all, &vertex| all.union(&vertices[vertex as usize]))
        }
        Node::Inner(child) | Node::Top(child) => {
            let children = &bounds[child as usize - first..][..2];
            children[0].union(&children[1])
        }
    }
}

/// The faces of each part, rising.
fn members(faces: &[[u32; 3]], parts: Option<(&[PatchId], usize)>) -> Vec<Vec<FaceId>> {
    let mut members = vec![Vec::new(); parts.map_or(1, |(_, count)| count)];
    for (number, face) in faces.iter().enumerate() {
        let lowest = face[0].min(face[1]).min(face[2]);
        let part = parts.map_or(0, |(patch_of, _)| patch_of[lowest as usize] as usize);
        members[part].push(number as FaceId);
    }
    members
}

fn mean(faces: &[FaceId], centroids: &[Vec3]) -> Vec3 {
    let sum: Vec3 = faces.iter().map(|&face| centroids[face as usize]).sum();
    sum / faces.len().max(1) as f64
}

/// Turns node `at` into the root of a tree over `items`, which lie at `points`. Appends the
/// nodes below it. Each leaf has at most `most` items; `leaf` names it.
fn grow(
    nodes: &mut Vec<Node>,
    at: usize,
    items: &mut [u32],
    points: &[Vec3],
    most: usize,
    leaf: &mut impl FnMut(&mut [u32]) -> u32,
) {
    if items.len() <= most {
        nodes[at] = Node::Leaf(leaf(items));
        return;
    }
    let axis = longest_axis(items, points);
    let half = items.len().div_ceil(most) / 2 * most;
    items.select_nth_unstable_by(half, |&a, &b| {
        let along = |item: u32| points[item as usize][axis];
        along(a).total_cmp(&along(b)).then(a.cmp(&b))
    });
    let child = nodes.len();
    nodes[at] = Node::Inner(child as u32);
    nodes.extend([Node::Leaf(NONE); 2]);
    let (low, high) = items.split_at_mut(half);
    grow(nodes, child, low, points, most, leaf);
    grow(nodes, child + 1, high, points, most, leaf);
}

fn longest_axis(items: &[u32], points: &[Vec3]) -> usize {
    let (mut low, mut high) = (points[items[0] as usize], points[items[0] as usize]);
    for &item in items {
        low = low.inf(&points[item as usize]);
        high = high.sup(&points[item as usize]);
    }
    let extent = high - low;
    (1..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::surface::{Moves, Surface};
    use cloth_core::mesh::Topology;

    /// A strip of `count` squares along x, 1 m each, two triangles a square.
    fn strip(count: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let rest = (0..2 * count + 2).map(|v| Vec3::new((v / 2) as f64, (v % 2) as f64, 0.0));
        let faces = (0..count).flat_map(|i| {
            let v = 2 * i;
            [[v, v + 2, v + 1], [v + 1, v + 2, v + 3]]
        });
        (faces.collect(), rest.collect())
    }

    fn faces_below(hierarchy: &Hierarchy, node: u32, found: &mut Vec<u32>) {
        match hierarchy.nodes()[node as usize] {
            Node::Leaf(leaf) => found.extend(hierarchy.faces().of(leaf)),
            Node::Inner(child) | Node::Top(child) => {
                assert!(child > node);
                faces_below(hierarchy, child, found);
                faces_below(hierarchy, child + 1, found);
            }
        }
    }

    #[test]
    fn every_face_is_in_one_leaf_among_the_nodes_of_its_patch() {
        let (faces, rest) = strip(40);
        let patch_of: Vec<u32> =
            (0..rest.len() as u32).map(|vertex| [4, 1, 2][vertex as usize / 28]).collect();
        let hierarchy = Hierarchy::new(&faces, &rest, Some((&patch_of, 6)));
        for (at, node) in hierarchy.nodes().iter().enumerate() {
            let mut below = Vec::new();
            faces_below(&hierarchy, at as u32, &mut below);
            let mut patches = below.iter().map(|&face| patch_of[faces[face as usize][0] as usize]);
            match hierarchy.patch(at as u32) {
                Some(patch) => assert!(patches.all(|of| of == patch)),
                None => assert!(matches!(node, Node::Top(_))),
            }
        }
        let tops = hierarchy.nodes().iter().filter(|node| matches!(node, Node::Top(_)));
        assert_eq!(tops.count(), 2);
        let mut whole = Vec::new();
        faces_below(&hierarchy, hierarchy.root().unwrap(), &mut whole);
        whole.sort_unstable();
        assert!(whole.iter().copied().eq(0..faces.len() as u32));
        // All leaves of a part but one are full.
        let leaves: Vec<usize> = hierarchy.faces().lists().map(<[u32]>::len).collect();
        assert!(leaves.iter().filter(|&&count| count < LEAF_FACES).count() <= 3, "{leaves:?}");
        assert_eq!(hierarchy.nodes().len(), 2 * leaves.len() - 1);
        assert_eq!(hierarchy.patch(0), None);
        assert_eq!(Hierarchy::new(&faces, &rest, None).patch(0), None);
        assert_eq!(Hierarchy::new(&[], &[], None).root(), None);
    }

    #[test]
    fn refitted_bounds_are_those_of_the_faces_below_on_any_number_of_threads() {
        let (faces, rest) = strip(40);
        let patch_of: Vec<u32> = (0..rest.len() as u32).map(|vertex| vertex / 17).collect();
        let topology = Topology::new(&faces).unwrap();
        let parts = Some((patch_of.as_slice(), 5));
        let surface = Surface::new(0, &faces, &topology, &rest, parts, Moves::Deforms);
        let hierarchy = &surface.hierarchy;
        let vertices: Vec<Dop18> = rest.iter().map(|x| Dop18::swept(x, &(x * 1.1), 0.01)).collect();
        for count in [1, 2] {
            let mut bounds = vec![Dop18::EMPTY; hierarchy.nodes().len()];
            let threads = Threads::new(count).unwrap();
            hierarchy.refit(&threads, &surface.leaves, &vertices, &mut bounds);
            for node in 0..bounds.len() as u32 {
                let mut below = Vec::new();
                faces_below(hierarchy, node, &mut below);
                let corners = below.iter().flat_map(|&face| faces[face as usize]);
                let expected =
                    corners.fold(Dop18::EMPTY, |all, v| all.union(&vertices[v as usize]));
                assert_eq!(bounds[node as usize], expected);
            }
        }
    }
}

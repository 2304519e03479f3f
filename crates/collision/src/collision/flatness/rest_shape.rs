//! Data about a rest shape for culling, computed once.

use crate::collision::bvh::Node;
use crate::collision::dop::Dop18;
use crate::collision::elementary::NearPrimitives;
use crate::collision::flatness::{Flatness, MIN_FACES};
use crate::collision::narrow::closest;
use crate::collision::screen::Pace;
use crate::collision::search::traversal::Traversal;
use crate::collision::surface::Surface;
use crate::collision::sweep::Sweep;
use crate::collision::test::{Test, TestCounters, TestTrees};
use cloth_core::{Threads, Vec2, Vec3, VertexId};

/// `surface` with data for culling its flat regions. It has none if its rest shape is not nearly
/// flat. For a cloth; `rest` are the positions (m) that its hierarchy was built with.
pub fn with_culling(mut surface: Surface, rest: &[Vec3]) -> Surface {
    surface.flatness = in_plane(&surface, rest).map(|rest| {
        let (offsets, vertices) = vertices_below(&surface, MIN_FACES);
        Flatness {
            first_vertex: surface.first_vertex,
            extent: rest.iter().fold(0.0, |largest, u| u.norm().max(largest)),
            distances: distances(&surface, &rest),
            rest,
            offsets,
            vertices,
        }
    });
    surface
}

/// Rest positions in the plane perpendicular to the mean normal (m). None if the normal of a
/// face deviates from the mean by 60 degrees or more.
fn in_plane(surface: &Surface, rest: &[Vec3]) -> Option<Vec<Vec2>> {
    let local = |vertex: VertexId| rest[(vertex - surface.first_vertex) as usize];
    let area = |face: &[VertexId; 3]| {
        let [a, b, c] = face.map(local);
        (b - a).cross(&(c - a))
    };
    let normal = surface.faces.iter().map(area).sum::<Vec3>().try_normalize(0.0)?;
    let lies_flat = |area: Vec3| area.dot(&normal) > 0.5 * area.norm();
    if !surface.faces.iter().map(area).all(lies_flat) {
        return None;
    }
    let first = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
    let second = normal.cross(&first);
    let centre = rest.iter().sum::<Vec3>() / rest.len() as f64;
    Some(
        rest.iter().map(|x| x - centre).map(|x| Vec2::new(x.dot(&first), x.dot(&second))).collect(),
    )
}

/// The vertices below each node of at least `min_faces` faces: the start of each node's
/// vertices, and the list of all. The first few vertices of a node are spread over all of it,
/// however many are taken.
fn vertices_below(surface: &Surface, min_faces: usize) -> (Vec<u32>, Vec<VertexId>) {
    let nodes = surface.hierarchy.nodes();
    let mut below: Vec<(usize, Vec<VertexId>)> = vec![(0, Vec::new()); nodes.len()];
    for at in (0..nodes.len()).rev() {
        below[at] = match nodes[at] {
            Node::Leaf(leaf) => {
                let corners = surface.leaves.corners.of(leaf).to_vec();
                (surface.leaves.faces.of(leaf).len(), corners)
            }
            Node::Inner(child) | Node::Top(child) => {
                let (first, second) = (&below[child as usize], &below[child as usize + 1]);
                let mut all = [first.1.as_slice(), &second.1].concat();
                all.sort_unstable();
                all.dedup();
                (first.0 + second.0, all)
            }
        };
    }
    let (mut offsets, mut vertices) = (vec![0], Vec::new());
    for (faces, below) in below {
        if faces >= min_faces {
            vertices.extend(spread(below.len()).map(|at| below[at]));
        }
        offsets.push(vertices.len() as u32);
    }
    (offsets, vertices)
}

/// The numbers below `count`, in steps of about `count` over the golden ratio.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    let coprime = |step: &usize| {
        let (mut a, mut b) = (*step, count);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    let step = (count * 5 / 8..=count).find(coprime).unwrap_or(1);
    (0..count).map(move |at| at * step % count)
}

/// For each node the least distance (m) between two primitives below it without a common
/// vertex, at most three quarters of a mean edge. The hierarchy itself finds it. `rest` is the
/// result of [`in_plane`].
fn distances(surface: &Surface, rest: &[Vec2]) -> Vec<f32> {
    let mut x = vec![Vec3::zeros(); surface.vertices().end];
    for (x, u) in x[surface.vertices()].iter_mut().zip(rest) {
        *x = Vec3::new(u.x, u.y, 0.0);
    }
    let most = 0.75 * mean_edge(surface, &x);
    let swept = |x: &Vec3| Dop18::swept(x, x, 0.5 * most);
    let vertices: Vec<Dop18> = x.iter().map(swept).collect();
    let nodes = surface.hierarchy.nodes();
    let mut bounds = vec![Dop18::EMPTY; nodes.len()];
    surface.hierarchy.refit(&Threads::INLINE, &surface.leaves, &vertices, &mut bounds);
    let bounds = [bounds];
    let surfaces = std::slice::from_ref(surface);
    let trees = TestTrees { surfaces, bounds: &bounds, sweep: None, changed: None };

    let sweep = Sweep { x0: &x, x1: &x, radius: most, radii: Default::default() };
    let traversal =
        Traversal { trees, sweep: &sweep, pace: Pace::Common, vertices: &vertices, sought: None };
    let mut distances = vec![most; nodes.len()];
    let (mut stack, mut near) = (Vec::new(), NearPrimitives::default());
    for at in (0..nodes.len()).rev() {
        let (first, second, below) = match nodes[at] {
            Node::Leaf(_) => (at as u32, at as u32, most),
            Node::Inner(child) | Node::Top(child) => {
                let [low, high] = [child, child + 1].map(|child| distances[child as usize]);
                (child, child + 1, low.min(high))
            }
        };
        let mut least = below;
        stack.push(Test { obj1: 0, dop1: first, obj2: 0, dop2: second });
        trees.traverse(&mut stack, &mut TestCounters::default(), |test, leaf1, leaf2| {
            traversal.overlapping_pairs(test, [leaf1, leaf2], &mut near, |pair| {
                least = least.min(closest(pair.kind(), pair.gather(&x)).distance);
            });
        });
        distances[at] = least;
    }
    // Rounded down by more than the computation can have rounded up.
    distances.iter().map(|distance| (distance * (1.0 - 1e-6)) as f32).collect()
}

fn mean_edge(surface: &Surface, x: &[Vec3]) -> f64 {
    let lengths = surface.faces.iter().flat_map(|face| {
        let [a, b, c] = face.map(|vertex| x[vertex as usize]);
        [(b - a).norm(), (c - b).norm(), (a - c).norm()]
    });
    lengths.sum::<f64>() / (3 * surface.faces.len()) as f64
}

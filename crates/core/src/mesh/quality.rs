//! What a mesh looks like, in numbers.

use crate::mesh::SurfaceMesh;
use crate::{FaceId, NONE, Vec3};

/// A value and where it is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// The face that has it.
    pub face: FaceId,
}

/// Sizes and shapes of a mesh whose edges each belong to one or two faces. Lengths are in the unit of
/// its positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Width, height and depth of the box around it.
    pub size: Vec3,
    /// The area of all triangles.
    pub area: f64,
    /// The shortest, the median and the longest edge.
    pub edges: [f64; 3],
    /// The least angle of a triangle, degrees.
    pub least_angle: Extreme,
    /// The largest angle of a triangle, degrees.
    pub largest_angle: Extreme,
    /// The largest ratio of a triangle's longest side to the height over it. An equilateral triangle
    /// has 1.15.
    pub largest_ratio: Extreme,
    /// How many inner vertices have three edges, four, and so on. The last number counts all with
    /// twelve or more.
    pub valences: [usize; 10],
    /// Parts that do not hang together.
    pub components: usize,
    /// Closed lines of edges with one face.
    pub boundary_loops: usize,
}

impl Quality {
    /// Measures `mesh`.
    pub fn new(mesh: &SurfaceMesh) -> Self {
        let points = &mesh.document.positions;
        let (low, high) = bounds(points);
        let mut lengths: Vec<f64> = (mesh.topology.edges.iter())
            .map(|&[a, b]| (points[b as usize] - points[a as usize]).norm())
            .collect();
        lengths.sort_unstable_by(f64::total_cmp);
        let edge = |at: usize| lengths.get(at).copied().unwrap_or(0.0);
        let mut quality = Self {
            size: high - low,
            area: 0.0,
            edges: [edge(0), edge(lengths.len() / 2), edge(lengths.len().saturating_sub(1))],
            least_angle: Extreme { value: f64::INFINITY, face: 0 },
            largest_angle: Extreme { value: 0.0, face: 0 },
            largest_ratio: Extreme { value: 0.0, face: 0 },
            valences: valences(mesh),
            components: pieces(points.len(), mesh.topology.edges.iter().copied()),
            boundary_loops: pieces(points.len(), boundary(mesh)),
        };
        for (face, corners) in (0..).zip(&mesh.faces) {
            quality.add(face, corners.map(|vertex| points[vertex as usize]));
        }
        quality
    }

    fn add(&mut self, face: FaceId, corners: [Vec3; 3]) {
        let sides = [0, 1, 2].map(|i: usize| corners[(i + 2) % 3] - corners[(i + 1) % 3]);
        let twice = sides[0].cross(&sides[1]).norm();
        let longest = sides.iter().map(Vec3::norm).fold(0.0, f64::max);
        self.area += 0.5 * twice;
        for i in 0..3 {
            let cosine = -sides[(i + 1) % 3].dot(&sides[(i + 2) % 3]);
            let value = libm::atan2(twice, cosine).to_degrees();
            if value < self.least_angle.value {
                self.least_angle = Extreme { value, face };
            }
            if value > self.largest_angle.value {
                self.largest_angle = Extreme { value, face };
            }
        }
        let value = longest * longest / twice;
        if value > self.largest_ratio.value {
            self.largest_ratio = Extreme { value, face };
        }
    }
}

/// The lowest and the highest corner of the box around `points`; two zeros if there are none.
pub fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)))
}

/// The ends of the edges with one face.
fn boundary(mesh: &SurfaceMesh) -> impl Iterator<Item = [u32; 2]> {
    let edges = mesh.topology.edges.iter().zip(&mesh.topology.edge_faces);
    edges.filter(|(_, faces)| faces[1] == NONE).map(|(&ends, _)| ends)
}

fn valences(mesh: &SurfaceMesh) -> [usize; 10] {
    let mut counts = vec![(0, true); mesh.document.positions.len()];
    for vertex in mesh.topology.edges.iter().flatten() {
        counts[*vertex as usize].0 += 1;
    }
    for vertex in boundary(mesh).flatten() {
        counts[vertex as usize].1 = false;
    }
    let mut valences = [0; 10];
    for (count, _) in counts.into_iter().filter(|&(count, is_inner)| is_inner && count >= 3) {
        valences[(count - 3).min(9)] += 1;
    }
    valences
}

/// How many connected parts `edges` between `vertices` vertices have. A vertex without an edge is no
/// part.
fn pieces(vertices: usize, edges: impl Iterator<Item = [u32; 2]>) -> usize {
    let mut above: Vec<u32> = (0..vertices as u32).collect();
    let mut is_used = vec![false; vertices];
    let mut joined = 0;
    fn top(above: &mut [u32], mut vertex: u32) -> u32 {
        while above[vertex as usize] != vertex {
            above[vertex as usize] = above[above[vertex as usize] as usize];
            vertex = above[vertex as usize];
        }
        vertex
    }
    for [a, b] in edges {
        let tops = [a, b].map(|end| top(&mut above, end));
        above[tops[0] as usize] = tops[1];
        joined += usize::from(tops[0] != tops[1]);
        is_used[a as usize] = true;
        is_used[b as usize] = true;
    }
    is_used.into_iter().filter(|&used| used).count() - joined
}

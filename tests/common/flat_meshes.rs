//! Irregular meshes of rectangles, the same on every machine.
#![allow(dead_code)] // each program uses a part of it

use std::collections::HashMap;

use cloth_sim::mesh::Topology;
use robust::{Coord, incircle, orient2d};

use super::physics::Random;

type Point = [f64; 2];

/// A triangulated rectangle.
#[derive(Clone)]
pub struct FlatMesh {
    /// Vertices, m.
    pub points: Vec<Point>,
    /// Triangles, counter-clockwise.
    pub faces: Vec<[u32; 3]>,
}

/// How triangles look in a rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    /// A grid whose diagonals alternate as on a chess board.
    Alternating,
    /// Delaunay, of points that keep 0.35 of an edge from each other.
    Random,
    /// Delaunay, of points that keep 0.75 of an edge from each other.
    Even,
    /// `Random`, stretched by a ratio in a direction in degrees from the length. The long edges
    /// have the length asked for.
    Stretched(f64, f64),
    /// `Even`, with edges from the length asked for at the start to a tenth of it at the end.
    Graded,
    /// Rows of triangles with this largest angle, degrees, moved a little.
    Obtuse(f64),
    /// `Random` with many edges flipped, and vertices of valence 3 in some triangles.
    Valences,
}

impl FlatMesh {
    /// The rectangle from (0, -width / 2) to (length, width / 2), with `along` long edges in its
    /// length.
    pub fn rectangle(length: f64, width: f64, along: u32, look: Look, seed: u64) -> Self {
        let edge = length / f64::from(along);
        let mut random = Random(seed);
        let rectangle = Rectangle { length, width };
        match look {
            Look::Alternating => rectangle.alternating(along),
            Look::Random => rectangle.random(&Metric::even(edge), 0.35, &mut random),
            Look::Even => rectangle.random(&Metric::even(edge), 0.75, &mut random),
            Look::Stretched(ratio, degrees) => {
                let metric = Metric { ratio, degrees, ..Metric::even(edge) };
                rectangle.random(&metric, 0.35, &mut random)
            }
            Look::Graded => {
                let metric = Metric { taper: 0.9 / length, ..Metric::even(edge) };
                rectangle.random(&metric, 0.75, &mut random)
            }
            Look::Obtuse(degrees) => rectangle.obtuse(along, degrees, &mut random),
            Look::Valences => {
                let mut mesh = rectangle.random(&Metric::even(edge), 0.35, &mut random);
                mesh.add_centres(edge, &mut random);
                mesh.flip_edges(&mut random);
                mesh
            }
        }
    }

    /// The mesh and its mirror image at the line x = 0.
    pub fn doubled(&self) -> Self {
        let mut mirrored: Vec<u32> = Vec::new();
        let mut points = self.points.clone();
        for (vertex, &[x, y]) in self.points.iter().enumerate() {
            mirrored.push(if x == 0.0 { vertex as u32 } else { points.len() as u32 });
            if x != 0.0 {
                points.push([-x, y]);
            }
        }
        let mirror = |&[a, b, c]: &[u32; 3]| [a, c, b].map(|v| mirrored[v as usize]);
        let faces = self.faces.iter().copied().chain(self.faces.iter().map(mirror)).collect();
        Self { points, faces }
    }

    /// The least and the largest number of edges of an inner vertex.
    pub fn valences(&self) -> [usize; 2] {
        let topology = Topology::new(&self.faces).expect("the mesh is manifold");
        let mut counts = vec![(0, true); self.points.len()];
        for (edge, faces) in topology.edges.iter().zip(&topology.edge_faces) {
            for &vertex in edge {
                let (count, is_inner) = &mut counts[vertex as usize];
                *count += 1;
                *is_inner &= faces[1] != u32::MAX;
            }
        }
        let inner = counts.iter().filter(|(_, is_inner)| *is_inner).map(|(count, _)| *count);
        [inner.clone().min().unwrap_or(0), inner.max().unwrap_or(0)]
    }

    /// Puts a vertex into one triangle of five, if that is not too small.
    fn add_centres(&mut self, edge: f64, random: &mut Random) {
        for face in 0..self.faces.len() {
            let corners = self.faces[face];
            let [a, b, c] = corners.map(|v| self.points[v as usize]);
            if random.signed() < 0.6 || doubled_area([a, b, c]) < 0.5 * edge * edge {
                continue;
            }
            let centre = self.points.len() as u32;
            self.points.push([(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0]);
            self.faces[face] = [corners[0], corners[1], centre];
            self.faces.push([corners[1], corners[2], centre]);
            self.faces.push([corners[2], corners[0], centre]);
        }
    }

    /// Flips edges at random, where both new triangles have at least a quarter of the smaller old
    /// area and no vertex falls below three edges or gets more than twelve.
    fn flip_edges(&mut self, random: &mut Random) {
        let mut valence = vec![0_i32; self.points.len()];
        self.faces.iter().flatten().for_each(|&v| valence[v as usize] += 1);
        for _ in 0..4 {
            let mut across: HashMap<[u32; 2], usize> = HashMap::new();
            for (face, &[a, b, c]) in self.faces.iter().enumerate() {
                across.extend([([a, b], face), ([b, c], face), ([c, a], face)]);
            }
            for low in 0..self.faces.len() {
                let [a, b, c] = self.faces[low];
                let Some(&high) = across.get(&[b, a]) else { continue };
                let apex = self.faces[high].into_iter().find(|&v| v != a && v != b);
                let (Some(d), true) = (apex, random.signed() > 0.0) else { continue };
                if across.get(&[a, b]) != Some(&low) || !self.faces[high].contains(&a) {
                    continue;
                }
                let area = |face: [u32; 3]| doubled_area(face.map(|v| self.points[v as usize]));
                let least = 0.25 * area([a, b, c]).min(area([b, a, d]));
                let fits = area([c, d, b]) > least && area([d, c, a]) > least;
                let [va, vb, vc, vd] = [a, b, c, d].map(|v| valence[v as usize]);
                if fits && va.min(vb) > 4 && vc.max(vd) < 12 {
                    (self.faces[low], self.faces[high]) = ([c, d, b], [d, c, a]);
                    [[b, c], [c, a], [a, d], [d, b], [a, b]].iter().for_each(|&[p, q]| {
                        across.remove(&[p, q]);
                        across.remove(&[q, p]);
                    });
                    for (vertex, change) in [(a, -1), (b, -1), (c, 1), (d, 1)] {
                        valence[vertex as usize] += change;
                    }
                }
            }
        }
    }
}

/// Distances that edges should have.
struct Metric {
    edge: f64,
    ratio: f64,
    degrees: f64,
    /// By which part of it an edge shrinks in a metre along x.
    taper: f64,
}

impl Metric {
    fn even(edge: f64) -> Self {
        Self { edge, ratio: 1.0, degrees: 0.0, taper: 0.0 }
    }

    /// The point with the long direction compressed to the short one.
    fn map(&self, [x, y]: Point) -> Point {
        let (sine, cosine) =
            (libm::sin(self.degrees.to_radians()), libm::cos(self.degrees.to_radians()));
        [(cosine * x + sine * y) / self.ratio, cosine * y - sine * x]
    }

    /// The edge at x in the compressed plane.
    fn size(&self, x: f64) -> f64 {
        self.edge / self.ratio * (1.0 - self.taper * x)
    }
}

struct Rectangle {
    length: f64,
    width: f64,
}

impl Rectangle {
    fn alternating(&self, along: u32) -> FlatMesh {
        let cell = self.length / f64::from(along);
        let across = (self.width / cell).round().max(1.0) as u32;
        let place = |j: u32, i: u32| {
            let y = f64::from(j) / f64::from(across) - 0.5;
            [f64::from(i) * cell, y * self.width]
        };
        let points = (0..=across).flat_map(|j| (0..=along).map(move |i| place(j, i))).collect();
        let mut faces = Vec::new();
        for j in 0..across {
            for i in 0..along {
                let a = j * (along + 1) + i;
                let (b, c, d) = (a + 1, a + along + 2, a + along + 1);
                faces.extend(match (i + j) % 2 {
                    0 => [[a, b, c], [a, c, d]],
                    _ => [[a, b, d], [b, c, d]],
                });
            }
        }
        FlatMesh { points, faces }
    }

    /// Points at random that keep `apart` of an edge from each other, and their Delaunay
    /// triangles in the metric.
    fn random(&self, metric: &Metric, apart: f64, random: &mut Random) -> FlatMesh {
        let mut points = self.boundary(metric);
        let cells = self.length * self.width / (metric.edge * metric.edge / metric.ratio);
        let dense = if metric.taper > 0.0 { 10.0 } else { 1.0 };
        let most = if apart > 0.5 { f64::INFINITY } else { points.len() as f64 + dense * cells };
        let mut failures = 0;
        while failures < 3000 && (points.len() as f64) < most {
            let x = 0.5 * self.length * (1.0 + random.signed());
            let y = 0.5 * self.width * random.signed();
            let size = metric.size(x);
            let p = metric.map([x, y]);
            let is_far = points.iter().all(|&q| {
                let q = metric.map(q);
                (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2) > (apart * size).powi(2)
            });
            let margin = 0.3 * size * metric.ratio.min(1.5);
            let inside = x.min(self.length - x) > margin && 0.5 * self.width - y.abs() > 0.3 * size;
            failures += 1;
            if is_far && inside {
                points.push([x, y]);
                failures = 0;
            }
        }
        let mapped: Vec<Point> = points.iter().map(|&p| metric.map(p)).collect();
        let mut faces = delaunay(&mapped);
        // Three vertices of one side make no triangle.
        let least = 1e-6 * metric.edge * metric.edge / metric.ratio;
        faces.retain(|face| doubled_area(face.map(|v| points[v as usize])) > least * 0.01);
        FlatMesh { points, faces }
    }

    /// Corners and points between them on the four sides.
    fn boundary(&self, metric: &Metric) -> Vec<Point> {
        let (length, half) = (self.length, 0.5 * self.width);
        // The length of an edge in direction (dx, dy) at x.
        let step = |x: f64, d: Point| {
            let [u, v] = metric.map(d);
            metric.size(x) / (u * u + v * v).sqrt()
        };
        let mut ends = Vec::new();
        let mut x = 0.0;
        while x < length {
            ends.push(x);
            x += step(x, [1.0, 0.0]);
        }
        let stretch = if length - ends[ends.len() - 1] < 0.5 * step(length, [1.0, 0.0]) {
            length / ends.pop().unwrap_or(length)
        } else {
            length / x.min(2.0 * length)
        };
        let mut points = vec![[length, -half], [length, half]];
        for x in ends.into_iter().map(|x| x * stretch).filter(|&x| x < length * (1.0 - 1e-9)) {
            points.extend([[x, -half], [x, half]]);
        }
        for x in [0.0, length] {
            let count = (self.width / step(x, [0.0, 1.0])).round().max(1.0);
            points
                .extend((1..count as u32).map(|j| [x, (f64::from(j) / count - 0.5) * self.width]));
        }
        points
    }

    /// Rows of isosceles triangles along x, every second row moved by half of one.
    fn obtuse(&self, along: u32, degrees: f64, random: &mut Random) -> FlatMesh {
        let edge = self.length / f64::from(along);
        let height = 0.5 * edge / libm::tan((0.5 * degrees).to_radians());
        let rows = (self.width / height).round().max(1.0) as u32;
        let height = self.width / f64::from(rows);
        let (mut points, mut starts) = (Vec::new(), Vec::new());
        for j in 0..=rows {
            starts.push(points.len() as u32);
            let y = f64::from(j) * height - 0.5 * self.width;
            let count = along + j % 2;
            for i in 0..=count {
                let shift = if j % 2 == 1 && i > 0 && i < count { -0.5 } else { 0.0 };
                let x = (f64::from(i) + shift).min(f64::from(along)) * edge;
                let inner = j > 0 && j < rows && i > 0 && i < count;
                let size = if inner { 0.08 } else { 0.0 };
                let moved = [size * edge * random.signed(), size * height * random.signed()];
                points.push([x + moved[0], y + moved[1]]);
            }
        }
        let mut faces = Vec::new();
        for j in 0..rows {
            let (low, high) = (starts[j as usize], starts[j as usize + 1]);
            for i in 0..along {
                if j % 2 == 0 {
                    faces.extend([
                        [low + i, low + i + 1, high + i + 1],
                        [low + i, high + i + 1, high + i],
                    ]);
                } else {
                    faces.extend([
                        [low + i, low + i + 1, high + i],
                        [low + i + 1, high + i + 1, high + i],
                    ]);
                }
            }
            match j % 2 {
                0 => faces.push([low + along, high + along + 1, high + along]),
                _ => faces.push([low + along, low + along + 1, high + along]),
            }
        }
        FlatMesh { points, faces }
    }
}

fn doubled_area([a, b, c]: [Point; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Delaunay triangles by insertion (Bowyer 1981; Watson 1981), with exact predicates.
fn delaunay(points: &[Point]) -> Vec<[u32; 3]> {
    let count = points.len();
    let mut all = points.to_vec();
    let size = points.iter().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
    all.extend([[-3e6 * size, -3e6 * size], [3e6 * size, -3e6 * size], [0.0, 4e6 * size]]);
    let at = |v: u32| Coord { x: all[v as usize][0], y: all[v as usize][1] };
    let super_triangle = [0, 1, 2].map(|k| (count + k) as u32);
    let mut faces = vec![super_triangle];
    for vertex in 0..count as u32 {
        let p = at(vertex);
        let is_hit = |face: &[u32; 3]| {
            let [a, b, c] = face.map(at);
            incircle(a, b, c, p) > 0.0
        };
        let (hit, kept): (Vec<_>, Vec<_>) = faces.into_iter().partition(is_hit);
        faces = kept;
        let mut sides: HashMap<[u32; 2], bool> = HashMap::new();
        for [a, b, c] in &hit {
            for side in [[*a, *b], [*b, *c], [*c, *a]] {
                if sides.remove(&[side[1], side[0]]).is_none() {
                    sides.insert(side, true);
                }
            }
        }
        let mut sides: Vec<[u32; 2]> = sides.into_keys().collect();
        sides.sort_unstable();
        let new = sides.into_iter().filter(|&[a, b]| orient2d(at(a), at(b), p) > 0.0);
        faces.extend(new.map(|[a, b]| [a, b, vertex]));
    }
    faces.retain(|face| face.iter().all(|&v| (v as usize) < count));
    faces
}

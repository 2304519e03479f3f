//! Some triangles around one, and what they cost when they are wound around a cylinder.

use nalgebra::{DMatrix, DVector, SMatrix};

use crate::bodies::cloth::elements::bending::{
    beside, corner_opposite, counter_clockwise, edge_stiffness,
};
use crate::bodies::cloth::material::{Material, MembraneStiffness};
use crate::bodies::cloth::setup::ClothSetup;
use cloth_core::{FaceId, Mat3, NONE, Vec2, Vec3};

/// Edges between the middle of a patch and its farthest triangles. With 5 (36 vertices) the excess is
/// 0.6 to 1.2 times that of whole meshes of 200 to 1,000 vertices, on five kinds of triangles, from
/// 0.01 % of excess up to wrinkled sheets. With 3 (17 vertices) it is 0.3 to 1.3 times as large.
const STEPS: u32 = 5;

/// Triangles in one plane. Its axes are those of the material in the middle triangle.
pub(super) struct Patch {
    /// Places of the vertices, m.
    points: Vec<Vec2>,
    /// Nearest first.
    triangles: Vec<Triangle>,
    /// How many triangles count: the middle one and its neighbours.
    counted: usize,
}

struct Triangle {
    face: FaceId,
    /// Places of its vertices in the patch.
    vertices: [usize; 3],
    corners: [Vec2; 3],
    /// Gradients of the corners' shape functions, 1/m.
    gradients: [Vec2; 3],
    area: f64,
    /// The triangle across the edge opposite to each corner, and its corner opposite to this edge.
    across: [Option<(usize, usize)>; 3],
}

impl Patch {
    /// The triangles within [`STEPS`] edges of `face`, unfolded as the rest shape is. Each keeps its
    /// shape beside the one that reached it first.
    pub fn around(cloth: &ClothSetup, face: FaceId) -> Self {
        let (topology, shape) = (&cloth.topology, |face: FaceId| {
            let plane = &cloth.rest_planes[face as usize];
            counter_clockwise([plane.x1, plane.x2])
        });
        let mut placed = vec![(face, shape(face))];
        let (mut ring, mut counted) = (0, 1);
        for step in 0..STEPS {
            let next = placed.len();
            for at in ring..next {
                let (near, corners) = placed[at];
                for corner in 0..3 {
                    let far = topology.across(near, corner);
                    if far == NONE || placed.iter().any(|&(known, _)| known == far) {
                        continue;
                    }
                    let edge = topology.face_edges[near as usize][corner];
                    let ends = [1, 2].map(|next| corners[(corner + next) % 3]);
                    let apex = corner_opposite(topology, far, edge);
                    placed.push((far, beside(ends, shape(far), apex)));
                }
            }
            ring = next;
            if step == 0 {
                counted = placed.len();
            }
        }
        let mut patch = Self { points: Vec::new(), triangles: Vec::new(), counted };
        let mut numbers = Vec::new();
        for &(face, corners) in &placed {
            let vertices = [0, 1, 2].map(|corner| {
                let vertex = cloth.faces[face as usize][corner];
                let known = numbers.iter().position(|&known| known == vertex);
                known.unwrap_or_else(|| {
                    numbers.push(vertex);
                    patch.points.push(corners[corner]);
                    numbers.len() - 1
                })
            });
            let across = [0, 1, 2].map(|corner| {
                let far = topology.across(face, corner);
                let at = placed.iter().position(|&(known, _)| known == far)?;
                let edge = topology.face_edges[face as usize][corner];
                Some((at, corner_opposite(topology, far, edge)))
            });
            patch.triangles.push(Triangle::new(face, vertices, corners, across));
        }
        patch
    }

    /// The middle one.
    pub fn face(&self) -> FaceId {
        self.triangles[0].face
    }

    /// Winds the patch around a cylinder. The direction of its `curvature` (1/m) is `along`. Gives
    /// the least energy of strain and wrinkles and the energy of bending (J), both of the triangles
    /// that count.
    ///
    /// Vertices move by u in the surface and by w across it, and the edge with the component a along
    /// the curvature k asks for the squared length `d . e . d = -k^2 a^4 / 24 + k a^2 (w_i + w_j) / 2`
    /// of the strain e, beside that of u. Wrinkles cost the energy of Morley's plates whose edges share
    /// the angle of two triangles half and half. They may not flatten the patch: the work of its
    /// moments on w is zero.
    pub fn energies(&self, material: &Material, along: Vec2, curvature: f64) -> [f64; 2] {
        let size = 3 * self.points.len();
        let mut matrix = DMatrix::zeros(size, size);
        // The forces of the chords, and the moments of the cylinder on w.
        let mut loads = DMatrix::zeros(size, 2);
        let cylinder = |vertex: usize| 0.5 * self.points[vertex].dot(&along).powi(2);
        let stiffness = of_membrane(&material.membrane);
        let wound: Vec<Wound> = (self.triangles.iter())
            .map(|triangle| Wound::new(triangle, along, curvature))
            .collect();
        let bent: Vec<Bent> =
            self.triangles.iter().map(|it| Bent::new(self, it, material)).collect();
        for (triangle, wound) in self.triangles.iter().zip(&wound) {
            let of_strain = wound.strain_of_motion.transpose() * stiffness * triangle.area;
            let (block, force) = (of_strain * wound.strain_of_motion, of_strain * wound.strain);
            let row = |i: usize| 3 * triangle.vertices[i / 3] + i % 3;
            for i in 0..9 {
                loads[(row(i), 0)] -= force[i];
                (0..9).for_each(|j| matrix[(row(i), row(j))] += block[(i, j)]);
            }
        }
        for bent in &bent {
            let moments = bent.plate * bent.rotation(cylinder);
            for (a, by_a) in &bent.rotations {
                loads[(3 * a + 2, 1)] += by_a.dot(&moments);
                for (b, by_b) in &bent.rotations {
                    matrix[(3 * a + 2, 3 * b + 2)] += by_a.dot(&(bent.plate * by_b));
                }
            }
        }
        // Six rigid motions are free.
        let least = 1e-10 * matrix.trace() / size as f64;
        (0..size).for_each(|i| matrix[(i, i)] += least);
        let motion = matrix.cholesky().map_or(DVector::zeros(size), |it| {
            let moved = it.solve(&loads);
            let (free, flattening) = (moved.column(0), moved.column(1));
            let work = loads.column(1).dot(&flattening);
            let share = if work > 0.0 { loads.column(1).dot(&free) / work } else { 0.0 };
            free - flattening * share
        });
        let (mut extra, mut exact) = (0.0, 0.0);
        let density = bending_density(material, along) * curvature * curvature;
        for ((triangle, wound), bent) in
            self.triangles.iter().zip(&wound).zip(&bent).take(self.counted)
        {
            let of_face =
                SMatrix::<f64, 9, 1>::from_fn(|i, _| motion[3 * triangle.vertices[i / 3] + i % 3]);
            let strain = wound.strain + wound.strain_of_motion * of_face;
            let rotation = bent.rotation(|vertex| motion[3 * vertex + 2]);
            extra += 0.5 * triangle.area * strain.dot(&(stiffness * strain));
            extra += 0.5 * rotation.dot(&(bent.plate * rotation));
            exact += density * triangle.area;
        }
        [extra, exact]
    }
}

impl Triangle {
    fn new(
        face: FaceId,
        vertices: [usize; 3],
        corners: [Vec2; 3],
        across: [Option<(usize, usize)>; 3],
    ) -> Self {
        let twice = (corners[1] - corners[0]).perp(&(corners[2] - corners[0]));
        let gradients = [0, 1, 2].map(|i: usize| {
            let edge = corners[(i + 2) % 3] - corners[(i + 1) % 3];
            Vec2::new(-edge.y, edge.x) / twice
        });
        Self { face, vertices, corners, gradients, area: 0.5 * twice, across }
    }

    /// The slope away from the triangle across the edge opposite to `corner`, for a unit of w at each
    /// corner, 1/m.
    fn slopes(&self, corner: usize) -> [f64; 3] {
        let outward = -self.gradients[corner].normalize();
        self.gradients.map(|gradient| gradient.dot(&outward))
    }
}

/// The strain `(e11, e22, 2 e12)` of a triangle on the cylinder.
struct Wound {
    /// Where its vertices lie on the cylinder.
    strain: Vec3,
    /// For a unit motion (u, w) of each corner, 1/m.
    strain_of_motion: SMatrix<f64, 3, 9>,
}

impl Wound {
    fn new(triangle: &Triangle, along: Vec2, curvature: f64) -> Self {
        let gradients = &triangle.gradients;
        let mut strain = Vec3::zeros();
        let mut by_motion = SMatrix::<f64, 3, 9>::zeros();
        for (corner, g) in gradients.iter().enumerate() {
            by_motion.set_column(3 * corner, &Vec3::new(g.x, 0.0, g.y));
            by_motion.set_column(3 * corner + 1, &Vec3::new(0.0, g.y, g.x));
        }
        for opposite in 0..3 {
            let [i, j] = [(opposite + 1) % 3, (opposite + 2) % 3];
            let (g, h) = (gradients[i], gradients[j]);
            // The strain that makes d . e . d one on this edge, and zero on the others.
            let unit = -Vec3::new(g.x * h.x, g.y * h.y, g.x * h.y + g.y * h.x);
            let turned =
                curvature * along.dot(&(triangle.corners[j] - triangle.corners[i])).powi(2);
            strain -= unit * (turned * turned / 24.0);
            for end in [i, j] {
                let mut column = by_motion.column_mut(3 * end + 2);
                column += unit * (0.5 * turned);
            }
        }
        Self { strain, strain_of_motion: by_motion }
    }
}

/// The plate of a triangle.
struct Bent {
    /// Its stiffness in the rotations of its edges, N m.
    plate: Mat3,
    /// The rotations for a unit of w at each vertex around, 1/m.
    rotations: Vec<(usize, Vec3)>,
}

impl Bent {
    fn new(patch: &Patch, triangle: &Triangle, material: &Material) -> Self {
        let [a, b, c] = triangle.corners;
        let is_free = triangle.across.map(|across| across.is_none());
        let plate = edge_stiffness([b - a, c - a], is_free, material.bending);
        let mut rotations: Vec<(usize, Vec3)> = Vec::with_capacity(6);
        let mut add = |triangle: &Triangle, corner: usize, edge: usize| {
            for (&vertex, slope) in triangle.vertices.iter().zip(triangle.slopes(corner)) {
                let known = rotations.iter().position(|&(known, _)| known == vertex);
                let at = known.unwrap_or_else(|| {
                    rotations.push((vertex, Vec3::zeros()));
                    rotations.len() - 1
                });
                rotations[at].1[edge] += 0.5 * slope;
            }
        };
        for (edge, &across) in triangle.across.iter().enumerate() {
            if let Some((other, corner)) = across {
                add(triangle, edge, edge);
                add(&patch.triangles[other], corner, edge);
            }
        }
        Self { plate, rotations }
    }

    /// The rotations of the edges where each vertex has moved by `w`.
    fn rotation(&self, w: impl Fn(usize) -> f64) -> Vec3 {
        self.rotations.iter().map(|(vertex, unit)| unit * w(*vertex)).sum()
    }
}

fn of_membrane(c: &MembraneStiffness) -> Mat3 {
    Mat3::new(c.c11, c.c12, 0.0, c.c12, c.c22, 0.0, 0.0, 0.0, c.c33)
}

/// The energy of bending (J/m^2) at a curvature of 1/m whose direction is `along`.
fn bending_density(material: &Material, along: Vec2) -> f64 {
    let d = &material.bending;
    let k = Vec3::new(along.x * along.x, along.y * along.y, 2.0 * along.x * along.y);
    0.5 * (d.d11 * k.x * k.x + 2.0 * d.d12 * k.x * k.y + d.d22 * k.y * k.y + d.d66 * k.z * k.z)
}

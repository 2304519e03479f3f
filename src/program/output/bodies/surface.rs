//! Surfaces of bodies as triangles, for OBJ files.

use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{self, ShapeKind};
use cloth_sim::mesh::{Mesh, ObjDocument};
use cloth_sim::rigid::body::BodyState;
use cloth_sim::rigid::shape::Shape;
use cloth_sim::rigid::solid::{Geometry, Solid, Solids};

/// Length of the edges on a ball of radius 1. A ball has 180 triangles.
const EDGE: f64 = 0.37;

/// The surfaces of all shapes of a scene, in sizes that are scaled for each body.
pub struct Surfaces {
    /// Radius 1.
    ball: ObjDocument,
    /// Half edges of 1.
    cuboid: ObjDocument,
    /// Radius 1, its segment from -1 to 1.
    capsule: ObjDocument,
    /// In their own frames, m.
    solids: Vec<ObjDocument>,
}

impl Surfaces {
    /// Those of a scene with these `solids`.
    pub fn new(solids: &Solids) -> Self {
        let edge_m = Some(EDGE);
        let ball = shapes::Sphere { radius_m: 1.0, edge_m }.mesh();
        let capsule = shapes::Capsule { radius_m: 1.0, length_m: 2.0, edge_m }.mesh();
        let cuboid = shapes::Cuboid { size_m: [2.0; 3], edge_m: None }.mesh();
        Self {
            ball: round(ball, |_| Vec3::zeros()),
            cuboid: document(cuboid),
            capsule: round(capsule, core),
            solids: solids.all().iter().map(|solid| document(mesh(solid))).collect(),
        }
    }

    /// The faces of a shape, with other positions.
    pub fn document(&self, shape: &Shape) -> &ObjDocument {
        match shape {
            Shape::Sphere { .. } => &self.ball,
            Shape::Box { .. } => &self.cuboid,
            Shape::Capsule { .. } => &self.capsule,
            Shape::Solid(id) => &self.solids[*id as usize],
        }
    }

    /// The solids in their own frames, by their places.
    pub fn solids(&self) -> &[ObjDocument] {
        &self.solids
    }

    /// The positions of the vertices of a shape in `state`, m.
    pub fn positions(&self, shape: &Shape, state: &BodyState) -> Vec<Vec3> {
        let own = |x: &Vec3| match *shape {
            Shape::Sphere { radius } => x * radius,
            Shape::Box { half } => x.component_mul(&half),
            Shape::Capsule { half_length, radius } => {
                let core = core(*x);
                core * half_length + (x - core) * radius
            }
            Shape::Solid(_) => *x,
        };
        let place = |x| state.rotation.transform_vector(&own(x)) + state.position;
        self.document(shape).positions.iter().map(place).collect()
    }
}

/// The nearest point of the segment from -1 to 1 on the y axis.
fn core(x: Vec3) -> Vec3 {
    Vec3::new(0.0, x.y.clamp(-1.0, 1.0), 0.0)
}

/// A smooth surface whose vertices are at the distance 1 from their core points. (Meshes of
/// obstacles lie outside of the shape; bodies that touch would overlap.)
fn round(mut mesh: Mesh, core: impl Fn(Vec3) -> Vec3) -> ObjDocument {
    for x in &mut mesh.positions {
        let core = core(*x);
        *x = core + (*x - core).normalize();
    }
    let mut document = document(mesh);
    document.smooth_by_default();
    document
}

fn document(mesh: Mesh) -> ObjDocument {
    ObjDocument::from_triangles(mesh.positions, &mesh.faces)
}

/// The surface of a solid in its own frame.
fn mesh(solid: &Solid) -> Mesh {
    match &solid.geometry {
        Geometry::Mesh(closed) => closed.mesh().clone(),
        Geometry::Hull(hull) => {
            let fan = |face: &[u32]| {
                let first = face[0];
                Vec::from_iter(face[1..].windows(2).map(move |two| [first, two[0], two[1]]))
            };
            Mesh { positions: hull.vertices.clone(), faces: hull.faces().flat_map(fan).collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use cloth_sim::rigid::body::Twist;
    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn vertices_lie_on_the_shapes() {
        let surfaces = Surfaces::new(&Solids::default());
        let at = Vec3::new(1.0, 2.0, 3.0);
        let rotation = UnitQuaternion::identity();
        let state = BodyState { position: at, rotation, twist: Twist::ZERO };
        for x in surfaces.positions(&Shape::Sphere { radius: 0.2 }, &state) {
            assert!(((x - at).norm() - 0.2).abs() < 1e-12);
        }
        let capsule = Shape::Capsule { half_length: 3.0, radius: 0.5 };
        for x in surfaces.positions(&capsule, &state) {
            let x = x - at;
            let on_segment = Vec3::new(0.0, x.y.clamp(-3.0, 3.0), 0.0);
            assert!(((x - on_segment).norm() - 0.5).abs() < 1e-12, "{x:?}");
        }
        let half = Vec3::new(0.1, 0.2, 0.3);
        for x in surfaces.positions(&Shape::Box { half }, &state) {
            assert!(((x - at).abs() - half).norm() < 1e-12);
        }
    }
}

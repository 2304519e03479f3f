//! Surfaces of bodies as triangles, for OBJ files.

use std::collections::BTreeMap;

use cloth_sim::math::Vec3;
use cloth_sim::mesh::{Mesh, ObjDocument};
use cloth_sim::rigid::body::BodyState;
use cloth_sim::rigid::shape::Shape;
use cloth_sim::rigid::solid::{Geometry, Solid, Solids};

/// The surfaces of all shapes of a scene, in sizes that are stretched for each body.
pub struct Surfaces {
    /// Of each kind, by its number.
    kinds: BTreeMap<u32, ObjDocument>,
    /// In their own frames, m.
    solids: Vec<ObjDocument>,
}

impl Surfaces {
    /// Those of a scene with these `solids`.
    pub fn new(solids: &Solids) -> Self {
        let solids = solids.all().iter().map(mesh);
        let document = |mesh: Mesh| ObjDocument::from_triangles(mesh.positions, &mesh.faces);
        Self { kinds: Shape::surfaces().collect(), solids: solids.map(document).collect() }
    }

    /// The faces of a shape, with other positions.
    pub fn document(&self, shape: &Shape) -> &ObjDocument {
        match shape.solid() {
            Some(id) => &self.solids[id as usize],
            None => &self.kinds[&shape.number()],
        }
    }

    /// The solids in their own frames, by their places.
    pub fn solids(&self) -> &[ObjDocument] {
        &self.solids
    }

    /// The positions of the vertices of a shape in `state`, m.
    pub fn positions(&self, shape: &Shape, state: &BodyState) -> Vec<Vec3> {
        let place = |x| state.rotation.transform_vector(&shape.stretch(x)) + state.position;
        self.document(shape).positions.iter().map(place).collect()
    }
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
    use cloth_sim::rigid::shape::{Capsule, Cuboid, Sphere};
    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn vertices_lie_on_the_shapes() {
        let surfaces = Surfaces::new(&Solids::default());
        let at = Vec3::new(1.0, 2.0, 3.0);
        let rotation = UnitQuaternion::identity();
        let state = BodyState { position: at, rotation, twist: Twist::ZERO };
        for x in surfaces.positions(&Shape::Sphere(Sphere { radius_m: 0.2 }), &state) {
            assert!(((x - at).norm() - 0.2).abs() < 1e-12);
        }
        let capsule = Shape::Capsule(Capsule { radius_m: 0.5, length_m: 2.0 * 3.0 });
        for x in surfaces.positions(&capsule, &state) {
            let x = x - at;
            let on_segment = Vec3::new(0.0, x.y.clamp(-3.0, 3.0), 0.0);
            assert!(((x - on_segment).norm() - 0.5).abs() < 1e-12, "{x:?}");
        }
        let half = Vec3::new(0.1, 0.2, 0.3);
        for x in surfaces.positions(&Shape::Box(Cuboid::of_half(half)), &state) {
            assert!(((x - at).abs() - half).norm() < 1e-12);
        }
    }
}

//! Surfaces of bodies as triangles: for frames, and for bodies among cloth.

use std::collections::BTreeMap;

use crate::solid::{Frame, Geometry};
use crate::{BodyState, Shape, Solid, Solids};
use cloth_core::Vec3;
use cloth_core::mesh::{Mesh, ObjDocument};

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
        let kinds = Shape::surfaces().collect();
        let document = |solid| {
            let mesh = mesh(solid, &kinds);
            ObjDocument::from_triangles(mesh.positions, &mesh.faces)
        };
        let solids = solids.all().iter().map(document).collect();
        Self { kinds, solids }
    }

    /// The faces of a shape, with other positions.
    pub fn document(&self, shape: &Shape) -> &ObjDocument {
        match shape.solid() {
            Some(id) => &self.solids[id as usize],
            None => &self.kinds[&shape.number()],
        }
    }

    /// The triangles of a shape.
    pub fn faces(&self, shape: &Shape) -> Vec<[u32; 3]> {
        triangles(self.document(shape)).faces
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

/// The surface of a solid in its own frame. That of a compound is those of its parts, which come
/// from `kinds`.
fn mesh(solid: &Solid, kinds: &BTreeMap<u32, ObjDocument>) -> Mesh {
    match &solid.geometry {
        Geometry::Mesh(closed) => closed.mesh().clone(),
        Geometry::Hull(hull) => {
            let fan = |face: &[u32]| {
                let first = face[0];
                Vec::from_iter(face[1..].windows(2).map(move |two| [first, two[0], two[1]]))
            };
            Mesh { positions: hull.vertices.clone(), faces: hull.faces().flat_map(fan).collect() }
        }
        Geometry::Compound(compound) => {
            let mut all = Mesh { positions: Vec::new(), faces: Vec::new() };
            for part in compound.parts() {
                let own = match part.shape.solid() {
                    Some(id) => mesh(compound.hulls().get(id), kinds),
                    None => triangles(&kinds[&part.shape.number()]),
                };
                let Frame { origin, rotation } = &part.frame;
                let place = |x| rotation.transform_vector(&part.shape.stretch(x)) + origin;
                let start = all.positions.len() as u32;
                all.positions.extend(own.positions.iter().map(place));
                all.faces.extend(own.faces.iter().map(|face| face.map(|v| v + start)));
            }
            all
        }
    }
}

/// The triangles of a document that has no other polygons.
fn triangles(document: &ObjDocument) -> Mesh {
    let faces = document.corners.chunks_exact(3).map(|face| [0, 1, 2].map(|i| face[i].vertex));
    Mesh { positions: document.positions.clone(), faces: faces.collect() }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::Twist;
    use crate::shape::{Capsule, Cuboid, Sphere};

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

    #[test]
    fn the_surface_of_a_compound_is_that_of_its_parts() {
        let mut solids = Solids::default();
        let ball = Shape::Sphere(Sphere { radius_m: 0.2 });
        let cuboid = Shape::Box(Cuboid { size_m: [0.2, 0.4, 0.6] });
        let at = |x: f64| Frame { origin: Vec3::new(x, 0.0, 0.0), ..Frame::INPUT };
        let parts = [(ball, at(0.0)), (cuboid, at(1.0))];
        let (solid, frame) = Solid::compound(&parts, Solids::default(), "").unwrap();
        let shape = Shape::Solid(solids.add(solid));
        let surfaces = Surfaces::new(&solids);
        let count = |part: &Shape| {
            let document = surfaces.document(part);
            (document.positions.len(), document.corners.len())
        };
        let (balls, boxes, all) = (count(&ball), count(&cuboid), count(&shape));
        assert_eq!(all, (balls.0 + boxes.0, balls.1 + boxes.1));
        let state =
            BodyState { position: frame.origin, rotation: frame.rotation, twist: Twist::ZERO };
        let positions = surfaces.positions(&shape, &state);
        let (round, flat) = positions.split_at(balls.0);
        assert!(round.iter().all(|x| (x.norm() - 0.2).abs() < 1e-12));
        let half = Vec3::new(0.1, 0.2, 0.3);
        assert!(flat.iter().all(|x| ((x - Vec3::x()).abs() - half).norm() < 1e-12));
    }
}

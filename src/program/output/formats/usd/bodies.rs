//! Rigid bodies as instances of prototypes.
//!
//! A prototype has the half-width 1 along each axis, and an instance scales it. A solid is as large
//! as it is. A capsule has no prototype, because its caps stay round: it is a cylinder and two
//! balls.

use std::io;

use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_rigid::FrameBody;
use cloth_rigid::shape::{Capsule, Cylinder, Shape, Sphere};
use cloth_rigid::solid::Solids;
use cloth_rigid::surfaces::Surfaces;

use crate::engine::Frame;
use crate::program::output::formats::usd::{Layer, MaterialPaths, mesh};

/// The prim with all bodies.
pub const BODIES: &str = "bodies";

/// The number of an instance is that of its body. The balls of a capsule add one and two times this
/// number.
const NEXT_PART: u64 = 1 << 40;

/// The prototypes: kinds of shapes by rising numbers, then solids.
pub struct Prototypes {
    kinds: Vec<(u32, ObjDocument)>,
    solids: Vec<ObjDocument>,
}

/// An instance of a prototype.
struct Instance {
    id: u64,
    prototype: u64,
    position: Vec3,
    scale: [f64; 3],
    /// A unit quaternion: w, x, y, z.
    orientation: [f64; 4],
}

impl Prototypes {
    /// The prototypes of a scene with these `solids`.
    pub fn new(solids: &Solids) -> Self {
        let capsule = Shape::Capsule(Capsule { radius_m: 1.0, length_m: 1.0 }).number();
        let drawn = Shape::surfaces().filter(|(number, _)| *number != capsule);
        let mut kinds = Vec::from_iter(drawn);
        kinds.sort_by_key(|(number, _)| *number);
        Self { kinds, solids: Surfaces::new(solids).solids().to_vec() }
    }

    /// Writes the prim of the bodies, without any body.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn write(&self, layer: &mut Layer, parent: &str) -> io::Result<()> {
        layer.open(&format!("def PointInstancer \"{BODIES}\""), '{');
        let names = (0..self.kinds.len() + self.solids.len()).map(|it| format!("prototype_{it}"));
        let names = Vec::from_iter(names);
        let path = |name: &String| format!("<{parent}/{BODIES}/Prototypes/{name}>");
        let paths = Vec::from_iter(names.iter().map(path));
        layer.line(&format!("rel prototypes = [{}]", paths.join(", ")));
        layer.open("over \"Prototypes\"", '{');
        let documents = self.kinds.iter().map(|(_, it)| it).chain(&self.solids);
        for (name, document) in names.iter().zip(documents) {
            let (positions, none) = (Some(&*document.positions), MaterialPaths::default());
            mesh::write(layer, name, document, positions, &none)?;
        }
        layer.close('}');
        layer.close('}');
        Ok(())
    }

    /// Writes the bodies of `frame`, which has this `number`. Half-spaces are left out, because
    /// they are infinite.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn write_frame(&self, layer: &mut Layer, number: u64, frame: &Frame) -> io::Result<()> {
        let all = Vec::from_iter(frame.bodies.iter().flat_map(|body| self.instances(body)));
        layer.open(&format!("over \"{BODIES}\""), '{');
        layer.integers_at("int64[] ids", number, all.iter().map(|it| it.id))?;
        layer.integers_at("int[] protoIndices", number, all.iter().map(|it| it.prototype))?;
        let positions = all.iter().map(|it| it.position.into());
        layer.vectors_at("point3f[] positions", number, positions)?;
        layer.vectors_at("float3[] scales", number, all.iter().map(|it| it.scale))?;
        // Newer readers take the second one. The first one has half precision.
        let orientations = || all.iter().map(|it| it.orientation);
        layer.vectors_at("quath[] orientations", number, orientations())?;
        layer.vectors_at("quatf[] orientationsf", number, orientations())?;
        layer.close('}');
        Ok(())
    }

    /// The instances of a body.
    fn instances(&self, body: &FrameBody) -> Vec<Instance> {
        let [x, y, z, w] = body.rotation;
        let (centre, orientation) = (Vec3::from(body.position), [w, x, y, z]);
        let instance = |part: u64, number: u32, position, scale| {
            let place = self.kinds.iter().position(|(kind, _)| *kind == number);
            let (id, prototype) = (body.id + part * NEXT_PART, place.unwrap_or_default() as u64);
            Instance { id, prototype, position, scale, orientation }
        };
        match body.shape() {
            None => Vec::new(),
            Some(Shape::Solid(solid)) => {
                let prototype = self.kinds.len() as u64 + u64::from(solid);
                let (id, position, scale) = (body.id, centre, [1.0; 3]);
                vec![Instance { id, prototype, position, scale, orientation }]
            }
            Some(Shape::Capsule(capsule)) => {
                let (radius, half_length) = (capsule.radius_m, 0.5 * capsule.length_m);
                let axis = body.state().rotation.transform_vector(&(Vec3::y() * half_length));
                let cylinder = Cylinder { radius_m: radius, length_m: capsule.length_m };
                let cylinder = Shape::Cylinder(cylinder).number();
                let ball = Shape::Sphere(Sphere { radius_m: radius }).number();
                vec![
                    instance(0, cylinder, centre, [radius, half_length, radius]),
                    instance(1, ball, centre + axis, [radius; 3]),
                    instance(2, ball, centre - axis, [radius; 3]),
                ]
            }
            Some(shape) => {
                let axes = Shape::axes(shape.number()).unwrap_or([0, 1, 2]);
                vec![instance(0, shape.number(), centre, axes.map(|place| body.size[place]))]
            }
        }
    }
}

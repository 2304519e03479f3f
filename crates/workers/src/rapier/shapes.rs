//! Vectors, states, shapes and surfaces, from and to Rapier.

use nalgebra::{Quaternion, Unit};
use rapier3d_f64::math::{Pose, Rotation, Vector};
use rapier3d_f64::prelude::{
    ActiveHooks, ColliderHandle, ContactModificationContext, PhysicsHooks, RigidBody, SharedShape,
};

use cloth_core::{Error, Place, Result, Vec3};
use cloth_rigid::solid::Geometry;
use cloth_rigid::{
    Body, BodyId, BodyState, FixedBody, FixedShape, MaterialId, Materials, RigidModel, Shape,
    Solids, Surface, Twist,
};

/// The shapes of a body, in its own frame.
pub type Shapes = Vec<(Pose, SharedShape)>;

/// The shapes of a movable body.
///
/// # Errors
/// If it is a closed mesh.
pub fn of_movable(model: &RigidModel, body: &Body) -> Result<Shapes> {
    made(&body.shape, &model.solids, body.id)
}

/// The shapes of a fixed body.
///
/// # Errors
/// As for [`of_movable`].
pub fn of_fixed(model: &RigidModel, body: &FixedBody) -> Result<Shapes> {
    match &body.shape {
        FixedShape::HalfSpace => Ok(vec![(Pose::IDENTITY, SharedShape::halfspace(Vector::Y))]),
        FixedShape::Shape(shape) => made(shape, &model.solids, body.id),
    }
}

fn made(shape: &Shape, solids: &Solids, id: BodyId) -> Result<Shapes> {
    let made = match shape {
        Shape::Sphere(sphere) => SharedShape::ball(sphere.radius_m),
        Shape::Box(cuboid) => {
            let half = cuboid.half();
            SharedShape::cuboid(half.x, half.y, half.z)
        }
        Shape::Capsule(capsule) => SharedShape::capsule_y(capsule.half_length(), capsule.radius_m),
        Shape::Cylinder(it) => SharedShape::cylinder(0.5 * it.length_m, it.radius_m),
        Shape::Solid(solid) => return of_solid(&solids.get(*solid).geometry, id),
    };
    Ok(vec![(Pose::IDENTITY, made)])
}

fn of_solid(geometry: &Geometry, id: BodyId) -> Result<Shapes> {
    let refused = |cause| Error::input(Place::Body(id), cause, "write `engines: [Own]`");
    match geometry {
        Geometry::Hull(hull) => {
            let points: Vec<Vector> = hull.vertices.iter().map(vector).collect();
            let hull = SharedShape::convex_hull(&points);
            let hull = hull.ok_or_else(|| refused("`Rapier` finds no convex hull"))?;
            Ok(vec![(Pose::IDENTITY, hull)])
        }
        Geometry::Compound(compound) => {
            let mut all = Vec::new();
            for part in compound.parts() {
                let frame = pose(&part.frame.origin, &part.frame.rotation);
                let shapes = made(&part.shape, compound.hulls(), id)?;
                all.extend(shapes.into_iter().map(|(own, shape)| (frame * own, shape)));
            }
            Ok(all)
        }
        Geometry::Mesh(_) => Err(refused("`Rapier` has no closed meshes")),
    }
}

/// The surface of two materials. Rapier knows their mean; pairs of a scene may differ from it.
pub struct Surfaces<'a>(pub &'a Materials);

/// Whether Rapier must ask [`Surfaces`]: then it keeps no contacts of bodies that hardly move.
pub fn hooks(materials: &Materials) -> ActiveHooks {
    let count = materials.count() as MaterialId;
    let is_mean = |a, b| {
        let [own, other] = [a, b].map(|material| materials.surface(material, material));
        let mean = Surface {
            restitution: 0.5 * (own.restitution + other.restitution),
            friction: 0.5 * (own.friction + other.friction),
            rolling: 0.0,
        };
        materials.surface(a, b) == mean
    };
    let all_mean = (0..count).all(|a| (0..a).all(|b| is_mean(a, b)));
    if all_mean { ActiveHooks::empty() } else { ActiveHooks::MODIFY_SOLVER_CONTACTS }
}

impl PhysicsHooks for Surfaces<'_> {
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext) {
        let colliders = context.colliders;
        let material = |it: ColliderHandle| colliders[it].user_data as MaterialId;
        let surface = self.0.surface(material(context.collider1), material(context.collider2));
        if let Some(contacts) = context.rigid_mut() {
            *contacts.friction = surface.friction;
            *contacts.restitution = surface.restitution;
        }
    }
}

/// A vector.
pub fn vector(vector: &Vec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

/// A point and a rotation.
pub fn pose(point: &Vec3, rotation: &Quaternion<f64>) -> Pose {
    let Quaternion { coords } = rotation;
    Pose::from_parts(vector(point), Rotation::from_xyzw(coords.x, coords.y, coords.z, coords.w))
}

/// The pose of a state.
pub fn pose_of(state: &BodyState) -> Pose {
    pose(&state.position, &state.rotation)
}

/// The state of a body.
pub fn state_of(body: &RigidBody) -> BodyState {
    let Pose { translation, rotation, .. } = body.position();
    let of = |vector: Vector| Vec3::new(vector.x, vector.y, vector.z);
    let rotation = Quaternion::new(rotation.w, rotation.x, rotation.y, rotation.z);
    BodyState {
        position: of(*translation),
        rotation: Unit::new_unchecked(rotation),
        twist: Twist { angular: of(body.angvel()), linear: of(body.linvel()) },
    }
}

//! Shapes and surfaces, as Rapier has them.

use rapier3d_f64::math::{Pose, Vector};
use rapier3d_f64::prelude::{
    ActiveHooks, ColliderHandle, ContactModificationContext, PhysicsHooks, SharedShape,
};

use crate::rapier::convert::{pose, vector};
use cloth_core::{Error, Place, Result};
use cloth_rigid::solid::Geometry;
use cloth_rigid::{
    Body, BodyId, FixedBody, FixedShape, MaterialId, Materials, RigidModel, Shape, Solids, Surface,
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

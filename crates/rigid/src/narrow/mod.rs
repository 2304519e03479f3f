//! Narrow phase: the contacts of two bodies.
//!
//! | module | |
//! |---|---|
//! | [`round`] | spheres and capsules: closed forms |
//! | [`half_space`] | anything on a plane: closed forms |
//! | [`convex`], [`manifold`] | boxes and hulls: the plane of least overlap, and clipping |
//! | [`closed_mesh`] | closed meshes, and hulls with faces that are nearly one: their features |
//! | [`compound`] | compounds: their parts |
//! | [`general`] | any other convex shapes, by their support functions |
//! | [`detector`] | all contacts of a rank: bounds, broad phase, narrow phase |
//!
//! The project has its own narrow phase, because contacts must be a function of two poses: a body
//! that migrates takes no contact manifold along. `parry3d-f64` gives the same bits on every
//! machine only with its feature `enhanced-determinism`. Its manifolds of convex bodies depend on
//! the manifold of the step before, from which it starts GJK and keeps points. Its stateless
//! queries give one point.
//!
//! Bodies count as touching up to the largest gap that the caller gives. With 0 only overlaps
//! count.

pub mod closed_mesh;
pub mod compound;
pub mod convex;
pub mod detector;
pub mod general;
pub mod half_space;
pub mod manifold;
pub mod round;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;

pub use self::detector::Detector;
use crate::narrow::closed_mesh::features::{Faceted, PlacedMesh};
use crate::narrow::closed_mesh::solids;
use crate::narrow::compound::Piece;
use crate::narrow::convex::Convex;
use crate::narrow::general::Core;
use crate::solid::Geometry;
use crate::{Placed, Shape, Solids};
use cloth_core::Vec3;

/// A polytope or a closed mesh in space.
#[allow(clippy::large_enum_variant)] // it lives on the stack while one pair is tested
enum Flat<'a> {
    Convex(Convex<'a>),
    Mesh(PlacedMesh<'a>),
}

impl<'a> Flat<'a> {
    /// `None` if the body is neither a box, a hull nor a mesh.
    fn new(body: &'a Placed, solids: &'a Solids) -> Option<Self> {
        match body.shape {
            Shape::Box(cuboid) => Some(Self::Convex(Convex::cuboid(body, &cuboid.half()))),
            Shape::Solid(id) => match &solids.get(*id).geometry {
                Geometry::Hull(hull) => Some(Self::Convex(hull.placed(body))),
                Geometry::Mesh(mesh) => Some(Self::Mesh(PlacedMesh { placed: body, mesh })),
                Geometry::Compound(_) => None,
            },
            _ => None,
        }
    }

    fn as_faceted(&self) -> &dyn Faceted {
        match self {
            Self::Convex(convex) => convex,
            Self::Mesh(mesh) => mesh,
        }
    }
}

/// Writes to `touches` the points at which the surfaces of two bodies are at most `gap` (m) apart.
pub fn touch(first: &Placed, second: &Placed, solids: &Solids, gap: f64, touches: &mut Touches) {
    touch_of_tables([first, second], [solids; 2], gap, touches);
}

/// [`touch`] where the solids of the two bodies are in two tables.
fn touch_of_tables(bodies: [&Placed; 2], tables: [&Solids; 2], gap: f64, touches: &mut Touches) {
    use Shape::{Box, Capsule, Solid, Sphere};
    touches.clear();
    let [first, second] = bodies;
    match (first.shape, second.shape) {
        (Sphere(own), Sphere(other)) => {
            let (x, y) = (&first.position, &second.position);
            round::spheres(x, own.radius_m, y, other.radius_m, gap, touches);
        }
        (Sphere(own), Box(other)) => {
            let half = other.half();
            round::sphere_and_box(&first.position, own.radius_m, second, &half, gap, touches);
        }
        (Sphere(own), Capsule(other)) => {
            let segment = second.segment(other.half_length());
            let nearest = round::nearest(&segment, &first.position);
            round::spheres(&first.position, own.radius_m, &nearest, other.radius_m, gap, touches);
        }
        (Capsule(own), Capsule(other)) => {
            let segments = [first.segment(own.half_length()), second.segment(other.half_length())];
            round::capsules(&segments, [own.radius_m, other.radius_m], gap, touches);
        }
        (own, other) if tables[0].compound(own).or(tables[1].compound(other)).is_some() => {
            touch_parts(bodies, tables, gap, touches);
        }
        (
            Sphere(_) | Capsule(_) | Box(_) | Solid(_),
            Sphere(_) | Capsule(_) | Box(_) | Solid(_),
        ) => touch_flat(bodies, tables, gap, touches),
        _ => touch_general(bodies, tables, gap, touches),
    }
}

/// [`touch`] if at least one body is a compound. Each pair of parts adds its touches.
fn touch_parts(bodies: [&Placed; 2], tables: [&Solids; 2], gap: f64, touches: &mut Touches) {
    let [first, second] = [0, 1].map(|i| Piece::new(*bodies[i], tables[i]));
    let mut found = Touches::new();
    for own in first.near(second.ball(), gap) {
        for other in second.near(own.ball(), gap) {
            let tables = [own.solids, other.solids];
            touch_of_tables([&own.placed, &other.placed], tables, gap, &mut found);
            compound::add(&found, own.reach.min(other.reach), touches);
        }
    }
}

/// [`touch`] if at least one body is a box, a hull or a mesh, or if the first body is a capsule
/// and the second a sphere.
fn touch_flat(bodies: [&Placed; 2], tables: [&Solids; 2], gap: f64, touches: &mut Touches) {
    let [first, second] = bodies;
    match (Flat::new(first, tables[0]), Flat::new(second, tables[1])) {
        (None, Some(other)) => match (first.shape, &other) {
            (Shape::Sphere(own), Flat::Convex(other)) => {
                manifold::sphere(&first.position, own.radius_m, other, gap, touches);
            }
            (Shape::Sphere(own), Flat::Mesh(other)) => {
                closed_mesh::sphere(&first.position, own.radius_m, other, gap, touches);
            }
            (Shape::Capsule(own), Flat::Convex(other)) => {
                let segment = first.segment(own.half_length());
                manifold::capsule(&segment, own.radius_m, other, gap, touches);
            }
            (Shape::Capsule(own), Flat::Mesh(other)) => {
                let segment = first.segment(own.half_length());
                closed_mesh::capsule(&segment, own.radius_m, other, gap, touches);
            }
            _ => {}
        },
        (Some(Flat::Convex(own)), Some(Flat::Convex(other)))
            if !own.topology.is_gentle && !other.topology.is_gentle =>
        {
            manifold::polytopes(&own, &other, gap, touches);
        }
        (Some(own), Some(other)) => {
            let bounds = [0, 1].map(|i| (bodies[i].position, tables[i].reach(bodies[i].shape)));
            let (own, other) = (own.as_faceted(), other.as_faceted());
            solids::solids(own, other, bounds, gap, touches);
        }
        // The second body is a sphere or a capsule. The routines take it as the first one.
        (_, None) => {
            touch_of_tables([second, first], [tables[1], tables[0]], gap, touches);
            touches.iter_mut().for_each(|touch| touch.normal = -touch.normal);
        }
    }
}

/// [`touch`] if at least one body has a shape without routines of its own.
fn touch_general(bodies: [&Placed; 2], tables: [&Solids; 2], gap: f64, touches: &mut Touches) {
    let [first, second] = [0, 1].map(|i| Core::Body(bodies[i], tables[i]));
    match [0, 1].map(|i| Flat::new(bodies[i], tables[i])) {
        [_, Some(Flat::Mesh(mesh))] => closed_mesh::convex(&first, &mesh, gap, touches),
        [Some(Flat::Mesh(mesh)), _] => {
            closed_mesh::convex(&second, &mesh, gap, touches);
            touches.iter_mut().for_each(|touch| touch.normal = -touch.normal);
        }
        _ => general::touch(&first, &second, gap, touches),
    }
}

/// A contact point of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Half way between the two surfaces, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Signed distance of the surfaces along the normal, m: below 0 if they overlap.
    pub gap: f64,
}

/// The contact points of two bodies. Their order depends on these two bodies alone.
pub type Touches = SmallVec<[Touch; 8]>;

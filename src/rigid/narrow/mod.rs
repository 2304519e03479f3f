//! Narrow phase: where two bodies touch.
//!
//! | module | |
//! |---|---|
//! | [`touches`] | where two bodies touch |
//! | [`round`] | spheres and capsules: closed forms |
//! | [`half_space`] | anything on a plane: closed forms |
//! | [`convex`], [`manifold`] | boxes and hulls: the plane of least overlap, and clipping |
//! | [`closed_mesh`] | closed meshes: samples |
//! | [`detector`] | all contacts of a rank: bounds, broad phase, narrow phase |
//!
//! All of it is our own. `parry3d-f64` gives the same bits on every machine only with its feature
//! `enhanced-determinism`, its manifolds of convex bodies depend on the manifold of the step before
//! (they warm-start GJK and keep what still fits), and its stateless queries give one point. Here
//! contacts must be a function of two poses, because a body that migrates takes no manifold along.
//!
//! Surfaces touch up to a gap that the caller gives: 0 for overlaps alone.

pub mod closed_mesh;
pub mod convex;
pub mod detector;
pub mod half_space;
pub mod manifold;
pub mod round;
#[cfg(test)]
mod tests;
pub mod touches;

pub use self::detector::Detector;
pub use self::touches::{Touch, Touches};
use crate::rigid::body::Placed;
use crate::rigid::narrow::closed_mesh::PlacedMesh;
use crate::rigid::narrow::convex::Convex;
use crate::rigid::shape::Shape;
use crate::rigid::solid::{Geometry, Solids};

/// A polytope or a closed mesh in space.
#[allow(clippy::large_enum_variant)] // it lives on the stack while one pair is tested
enum Flat<'a> {
    Convex(Convex<'a>),
    Mesh(PlacedMesh<'a>),
}

impl<'a> Flat<'a> {
    /// `None` if the body is round.
    fn new(body: &'a Placed, solids: &'a Solids) -> Option<Self> {
        match body.shape {
            Shape::Sphere { .. } | Shape::Capsule { .. } => None,
            Shape::Box { half } => Some(Self::Convex(Convex::cuboid(body, half))),
            Shape::Solid(id) => Some(match &solids.get(*id).geometry {
                Geometry::Hull(hull) => Self::Convex(hull.placed(body)),
                Geometry::Mesh(mesh) => Self::Mesh(PlacedMesh { placed: body, mesh }),
            }),
        }
    }

    fn as_sampled(&self) -> &dyn closed_mesh::Sampled {
        match self {
            Self::Convex(convex) => convex,
            Self::Mesh(mesh) => mesh,
        }
    }
}

/// Writes to `touches` where two bodies come nearer to each other than `gap` (m).
pub fn touch(first: &Placed, second: &Placed, solids: &Solids, gap: f64, touches: &mut Touches) {
    use Shape::{Box, Capsule, Sphere};
    touches.clear();
    match (first.shape, second.shape) {
        (&Sphere { radius }, &Sphere { radius: other }) => {
            round::spheres(&first.position, radius, &second.position, other, gap, touches);
        }
        (&Sphere { radius }, &Box { half }) => {
            round::sphere_and_box(&first.position, radius, second, &half, gap, touches);
        }
        (&Sphere { radius }, &Capsule { half_length, radius: other }) => {
            let nearest = round::nearest(&second.segment(half_length), &first.position);
            round::spheres(&first.position, radius, &nearest, other, gap, touches);
        }
        (&Capsule { half_length, radius }, &Capsule { half_length: l, radius: r }) => {
            let segments = [first.segment(half_length), second.segment(l)];
            round::capsules(&segments, [radius, r], gap, touches);
        }
        _ => touch_flat(first, second, solids, gap, touches),
    }
}

/// As [`touch`], where at least one body is a polytope or a closed mesh, or the first is a capsule.
fn touch_flat(first: &Placed, second: &Placed, solids: &Solids, gap: f64, touches: &mut Touches) {
    match (Flat::new(first, solids), Flat::new(second, solids)) {
        (None, Some(other)) => match (first.shape, &other) {
            (&Shape::Sphere { radius }, Flat::Convex(other)) => {
                manifold::sphere(&first.position, radius, other, gap, touches);
            }
            (&Shape::Sphere { radius }, Flat::Mesh(other)) => {
                closed_mesh::sphere(&first.position, radius, other, gap, touches);
            }
            (&Shape::Capsule { half_length, radius }, Flat::Convex(other)) => {
                manifold::capsule(&first.segment(half_length), radius, other, gap, touches);
            }
            (&Shape::Capsule { half_length, radius }, Flat::Mesh(other)) => {
                closed_mesh::capsule(&first.segment(half_length), radius, other, gap, touches);
            }
            _ => {}
        },
        (Some(Flat::Convex(own)), Some(Flat::Convex(other))) => {
            manifold::polytopes(&own, &other, gap, touches);
        }
        (Some(own), Some(other)) => {
            let bound = |body: &Placed| (body.position, solids.reach(body.shape));
            let (own, other) = (own.as_sampled(), other.as_sampled());
            closed_mesh::solids(own, other, [bound(first), bound(second)], gap, touches);
        }
        // The second body is round, and the first is not, or is a capsule on a sphere.
        (_, None) => {
            touch(second, first, solids, gap, touches);
            touches.iter_mut().for_each(|touch| touch.normal = -touch.normal);
        }
    }
}

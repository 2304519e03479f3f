//! A cloth that is ready for the simulation: mesh, fabric and pins in SI units.

use crate::bodies::cloth::material::Material;
use crate::bodies::cloth::pins::{Follow, PinSprings};
use crate::bodies::prescribed::KeyframedMotion;
use crate::bodies::timed::AmplitudeKey;
use cloth_core::mesh::{ObjDocument, Topology};
use cloth_core::{Mat2, Vec2, Vec3};

/// One cloth.
#[derive(Debug, Clone, PartialEq)]
pub struct ClothSetup {
    /// Its name, unique in the scene.
    pub name: String,
    /// Polygons, seams and groups that are written out with every frame.
    pub document: ObjDocument,
    /// Triangles, counter-clockwise seen from the front.
    pub faces: Vec<[u32; 3]>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
    /// Rest shape, m. The rest angles between faces come from it, unless the cloth is flat at rest.
    pub rest: Vec<Vec3>,
    /// Whether it is flat at rest: the rest angles are zero, as those of a sewing pattern.
    pub is_flat: bool,
    /// Edges that are folded at rest, lower vertex first, sorted, and their angles (rad), positive if the
    /// fronts turn towards each other.
    pub folds: Vec<([u32; 2], f64)>,
    /// Vertices that others have become, rising. The rest positions of their faces are not all at them.
    pub sewn: Vec<u32>,
    /// Each face's rest lengths and warp direction. Its mass comes from them too.
    pub rest_planes: Vec<RestTriangle>,
    /// Positions at t = 0, m.
    pub positions: Vec<Vec3>,
    /// The fabric.
    pub material: Material,
    /// What multiplies its settings from place to place.
    pub factors: Factors,
    /// Pinned vertices. If two pins hold a vertex, the first one in the list counts.
    pub pins: Vec<Pin>,
    /// What acts on it.
    pub loads: LoadSetup,
}

/// What multiplies settings of a cloth from place to place. A list is empty if all its factors are 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Factors {
    /// Of the mass per area: a factor for each face, positive.
    pub density: Vec<f64>,
    /// Of the stiffness of the membrane: a factor for each face, positive.
    pub stiffness: Vec<f64>,
    /// Of the flexural rigidity: a factor for each face, not negative.
    pub bending: Vec<f64>,
    /// Of Coulomb's coefficients: a factor for each vertex, not negative.
    pub friction: Vec<f64>,
    /// Of the contact distance: a factor for each vertex, positive.
    pub distance: Vec<f64>,
}

impl ClothSetup {
    /// The rest length of each edge of the topology, from the rest triangle of its lower face, m.
    pub fn rest_lengths(&self) -> impl Iterator<Item = f64> {
        (0..self.topology.edges.len()).map(|edge| {
            let face = self.topology.edge_faces[edge][0] as usize;
            let rest = &self.rest_planes[face];
            let [opposite_0, opposite_1, _] =
                self.topology.face_edges[face].map(|e| e as usize == edge);
            match (opposite_0, opposite_1) {
                (true, _) => (rest.x2 - rest.x1).norm(),
                (_, true) => rest.x2.norm(),
                _ => rest.x1.norm(),
            }
        })
    }
}

/// A face at rest in its own plane. Corner 0 is the origin, the first axis is the warp
/// direction, and the corners are in counter-clockwise order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestTriangle {
    /// Corner 1, m.
    pub x1: Vec2,
    /// Corner 2, m.
    pub x2: Vec2,
}

impl RestTriangle {
    /// The face with the edges `e1` and `e2` at corner 0 (m). Its warp direction is the projection
    /// of `axis`. If `axis` is almost parallel to its normal, the next axis in cyclic order of the
    /// coordinates takes its place.
    pub fn along(e1: Vec3, e2: Vec3, axis: Vec3) -> Self {
        Self::with_warp(e1, e2, in_plane(axis, e1.cross(&e2).normalize()))
    }

    /// [`Self::along`] with a `warp` direction of any length in the plane of the face.
    pub fn with_warp(e1: Vec3, e2: Vec3, warp: Vec3) -> Self {
        let warp = warp.normalize();
        let weft = e1.cross(&e2).normalize().cross(&warp);
        let flat = |edge: Vec3| Vec2::new(edge.dot(&warp), edge.dot(&weft));
        Self { x1: flat(e1), x2: flat(e2) }
    }

    /// Its area, m^2.
    pub fn area(&self) -> f64 {
        0.5 * Mat2::from_columns(&[self.x1, self.x2]).determinant().abs()
    }
}

/// The part of `axis` in the plane at right angles to `normal`. If `axis` is almost parallel to
/// `normal`, the next axis in cyclic order of the coordinates takes its place.
fn in_plane(axis: Vec3, normal: Vec3) -> Vec3 {
    let project = |axis: Vec3| axis - normal * normal.dot(&axis);
    let next = Vec3::new(axis.z, axis.x, axis.y);
    let fits = |axis: &Vec3| project(*axis).norm() > 1e-3 * axis.norm();
    // An axis (1, 1, 1) is its own successor.
    project([axis, next, Vec3::x(), Vec3::y()].into_iter().find(fits).unwrap_or(Vec3::z()))
}

/// Vertices that do not move freely from `start_s` (included) to `end_s` (excluded).
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// When it takes hold, s.
    pub start_s: f64,
    /// When it lets go, s. May be infinite.
    pub end_s: f64,
    /// The motion that the vertices follow from their positions at `start_s`
    /// ([`KeyframedMotion::since`]). Without one they stay there.
    pub motion: Option<KeyframedMotion>,
    /// The obstacle that they follow instead. Then they are held from the start.
    pub follow: Option<Follow>,
    /// The springs that draw them there. Without them they are held exactly.
    pub springs: Option<PinSprings>,
}

/// The loads of a cloth, and how it moves at t = 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadSetup {
    /// Forces on groups of vertices.
    pub forces: Vec<Force>,
    /// Pressures on its faces.
    pub pressures: Vec<Pressure>,
    /// Masses beside that of the fabric.
    pub masses: Vec<ExtraMass>,
    /// How it moves at t = 0.
    pub start: StartMotion,
}

/// A force that some vertices share ([`crate::bodies::cloth::loads::shares`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// The sum of the forces on all of them, N.
    pub force_n: Vec3,
    /// Its factor over time, by ascending time. Always 1 without keys.
    pub amplitude: Vec<AmplitudeKey>,
}

/// A pressure on some faces.
#[derive(Debug, Clone, PartialEq)]
pub struct Pressure {
    /// Faces of its cloth, rising.
    pub faces: Vec<u32>,
    /// Force per present area along the front normal, Pa. Pressure on the front is negative.
    pub pressure_pa: f64,
    /// Its factor over time, by ascending time. Always 1 without keys.
    pub amplitude: Vec<AmplitudeKey>,
}

/// A mass that some vertices share, as a [`Force`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExtraMass {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// Its sum, kg.
    pub mass_kg: f64,
}

/// How a cloth moves at t = 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StartMotion {
    /// Velocity of its centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular velocity about its centre of mass, rad/s.
    pub angular_velocity: Vec3,
}

//! Shapes of movable bodies: all that follows from a shape alone. Where two shapes touch is for
//! `rigid::narrow`.
//!
//! A new convex shape is one file here with its settings, which implement [`ShapeKind`]; one line
//! of the list below; and its description in `docs/scene.md`. Scenes, frames, saved states and the
//! narrow phase take it from there.

mod surface;
#[cfg(test)]
mod tests;

use serde::Serialize;
use smallvec::SmallVec;

use crate::bounds;
use crate::choice::deserialize_choice;
use crate::error::Result;
use crate::math::Vec3;
use crate::mesh::ObjDocument;
use crate::rigid::mass::MassProperties;

/// A convex hull or closed mesh in the table that all ranks share.
pub type SolidId = u32;

/// A point, the ends of an edge, or the corners of a face in their order around it, m.
pub type Feature = SmallVec<[Vec3; 8]>;

/// Edges and faces touch others of this sine of the angle between them along their whole extent.
pub const ALONG: f64 = 0.05;

/// The bits of a shape: its number, and its sizes.
pub type ShapeWords = [u64; 4];

/// The number of a convex hull or closed mesh in frames and saved states.
pub const SOLID: u32 = 3;

/// The number of a half-space in frames. It is no shape of a movable body.
pub const HALF_SPACE: u32 = 4;

/// The settings of one kind of shape. The body's own frame has its origin in the centre of mass,
/// and its axes are the principal axes of inertia. Methods without a unit are in m.
pub trait ShapeKind: Copy {
    /// The place in [`Self::sizes`] of half the width along each own axis. Caps are left out.
    const AXES: [usize; 3];

    /// Whether a rotation leaves it where it is.
    const IS_BALL: bool = false;

    /// Checks every setting.
    ///
    /// # Errors
    /// The first field that is out of bounds. `at` is the path of the shape in the scene.
    fn check(&self, at: &str) -> Result<()>;

    /// Up to three lengths that describe it; 0 for those that it does not need.
    fn sizes(&self) -> [f64; 3];

    /// The shape with these sizes.
    fn of_sizes(sizes: [f64; 3]) -> Self;

    /// The radius of the sphere about the origin that holds it.
    fn reach(&self) -> f64;

    /// Half of the smallest width.
    fn half_width(&self) -> f64;

    /// Mass and moments with `density` (kg/m^3).
    fn mass_properties(&self, density: f64) -> MassProperties;

    /// The same shape, as large as the sphere of radius `reach` holds.
    fn with_reach(&self, reach: f64) -> Self {
        let factor = reach / self.reach();
        Self::of_sizes(self.sizes().map(|size| size * factor))
    }

    /// How far the shape reaches beyond its core, of which the two methods below speak.
    fn margin(&self) -> f64 {
        0.0
    }

    /// The farthest point of the core along a direction of any length but 0.
    fn support(&self, direction: &Vec3) -> Vec3;

    /// The part of the core that lies across a direction, at its far end: a point, an edge or a
    /// face. An angle whose sine is below [`ALONG`] counts as none.
    fn feature(&self, direction: &Vec3) -> Feature {
        Feature::from_iter([self.support(direction)])
    }

    /// The triangles that frames show, of a shape whose sizes are 1.
    fn surface() -> ObjDocument;

    /// Where a vertex of [`Self::surface`] is on this shape.
    fn stretch(&self, vertex: &Vec3) -> Vec3 {
        let sizes = self.sizes();
        vertex.component_mul(&Vec3::from(Self::AXES.map(|place| sizes[place])))
    }
}

/// Makes the enums of all shapes from the list of their files. The number of a shape stands in
/// frames and saved states, so it never changes.
macro_rules! shapes {
    ($($(#[$doc:meta])* $number:literal => $Kind:ident($file:ident::$Settings:ident),)+) => {
        $(mod $file; pub use $file::$Settings;)+

        /// The geometry of a body in its own frame.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Shape {
            $($(#[$doc])* $Kind($Settings),)+
            /// A convex hull or closed mesh.
            Solid(SolidId),
        }

        /// The geometry of a body as a scene gives it.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub enum BodyShape {
            $($(#[$doc])* $Kind($Settings),)+
            /// The convex hull of the vertices of an OBJ file.
            Hull(String),
            /// The volume within the closed surface of an OBJ file.
            Mesh(String),
            /// All points below a plane; `y` is up before it is turned. Immovable.
            HalfSpace,
        }

        deserialize_choice!(BodyShape, "BodyShape", [Hull, Mesh], [HalfSpace], [$($Kind),+]);

        $(impl From<$Settings> for Shape {
            fn from(shape: $Settings) -> Self {
                Self::$Kind(shape)
            }
        })+

        impl BodyShape {
            /// The names of all choices, as in a scene.
            pub const NAMES: &'static [&'static str] =
                &[$(stringify!($Kind),)+ "Hull", "Mesh", "HalfSpace"];

            /// The name of this choice, as in a scene.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Kind(_) => stringify!($Kind),)+
                    Self::Hull(_) => "Hull",
                    Self::Mesh(_) => "Mesh",
                    Self::HalfSpace => "HalfSpace",
                }
            }

            /// The shape, unless it is in a file or a half-space.
            pub fn of_settings(&self) -> Option<Shape> {
                match *self {
                    $(Self::$Kind(shape) => Some(Shape::$Kind(shape)),)+
                    Self::Hull(_) | Self::Mesh(_) | Self::HalfSpace => None,
                }
            }

            /// Checks every setting. Errors as for [`ShapeKind::check`].
            pub fn check(&self, at: &str) -> Result<()> {
                match self {
                    $(Self::$Kind(shape) => shape.check(at),)+
                    Self::Hull(_) | Self::Mesh(_) | Self::HalfSpace => Ok(()),
                }
            }
        }

        impl Shape {
            /// The numbers of all kinds, in the order of the list.
            pub const NUMBERS: &'static [u32] = &[$($number),+];

            /// The number of its kind.
            pub fn number(&self) -> u32 {
                match self {
                    $(Self::$Kind(_) => $number,)+
                    Self::Solid(_) => SOLID,
                }
            }

            /// [`ShapeKind::AXES`] of the kind with this number. None if there is no such kind.
            pub fn axes(number: u32) -> Option<[usize; 3]> {
                match number {
                    $($number => Some($Settings::AXES),)+
                    SOLID => Some([0; 3]),
                    _ => None,
                }
            }

            /// The shape of this number and these sizes (m), or this solid. None if there is no
            /// such kind.
            pub fn of_number(number: u32, sizes: [f64; 3], solid: SolidId) -> Option<Self> {
                match number {
                    $($number => Some(Self::$Kind($Settings::of_sizes(sizes))),)+
                    SOLID => Some(Self::Solid(solid)),
                    _ => None,
                }
            }

            /// Whether a rotation leaves it where it is.
            #[inline]
            pub fn is_ball(&self) -> bool {
                match self {
                    $(Self::$Kind(_) => $Settings::IS_BALL,)+
                    Self::Solid(_) => false,
                }
            }

            /// [`ShapeKind::sizes`], m; of a solid, `of_solid` says.
            pub fn sizes(&self, of_solid: impl FnOnce(SolidId) -> [f64; 3]) -> [f64; 3] {
                match self {
                    $(Self::$Kind(shape) => shape.sizes(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::reach`], m; of a solid, `of_solid` says.
            #[inline]
            pub fn reach(&self, of_solid: impl FnOnce(SolidId) -> f64) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.reach(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::half_width`], m; of a solid, `of_solid` says.
            pub fn half_width(&self, of_solid: impl FnOnce(SolidId) -> f64) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.half_width(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::mass_properties`] with `density` (kg/m^3); of a solid, `of_solid` says.
            pub fn mass_properties(
                &self,
                density: f64,
                of_solid: impl FnOnce(SolidId) -> MassProperties,
            ) -> MassProperties {
                match self {
                    $(Self::$Kind(shape) => shape.mass_properties(density),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::with_reach`], m. A solid is not scaled.
            pub fn with_reach(&self, reach: f64) -> Self {
                match self {
                    $(Self::$Kind(shape) => Self::$Kind(shape.with_reach(reach)),)+
                    Self::Solid(_) => *self,
                }
            }

            /// [`ShapeKind::margin`], m.
            pub fn margin(&self) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.margin(),)+
                    Self::Solid(_) => 0.0,
                }
            }

            /// [`ShapeKind::support`], m; of a solid, `of_solid` says.
            pub fn support(
                &self,
                direction: &Vec3,
                of_solid: impl FnOnce(SolidId) -> Vec3,
            ) -> Vec3 {
                match self {
                    $(Self::$Kind(shape) => shape.support(direction),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::feature`], m; of a solid, `of_solid` says.
            pub fn feature(
                &self,
                direction: &Vec3,
                of_solid: impl FnOnce(SolidId) -> Feature,
            ) -> Feature {
                match self {
                    $(Self::$Kind(shape) => shape.feature(direction),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// The number and the [`ShapeKind::surface`] of each kind.
            pub fn surfaces() -> impl Iterator<Item = (u32, ObjDocument)> {
                [$(($number, $Settings::surface())),+].into_iter()
            }

            /// [`ShapeKind::stretch`], m. The vertices of a solid stay.
            pub fn stretch(&self, vertex: &Vec3) -> Vec3 {
                match self {
                    $(Self::$Kind(shape) => shape.stretch(vertex),)+
                    Self::Solid(_) => *vertex,
                }
            }
        }
    };
}

shapes! {
    /// A ball.
    0 => Sphere(sphere::Sphere),
    /// A cuboid.
    1 => Box(cuboid::Cuboid),
    /// All points near a segment of the y axis.
    2 => Capsule(capsule::Capsule),
    /// A cylinder about the y axis.
    5 => Cylinder(cylinder::Cylinder),
}

impl Shape {
    /// Its place in the table of solids, if it is in there.
    #[inline]
    pub fn solid(&self) -> Option<SolidId> {
        if let Self::Solid(id) = self { Some(*id) } else { None }
    }

    /// How far from the centre rotation moves its surface, if a ball of this radius (m) holds it,
    /// m. That of a sphere stays where it is.
    #[inline]
    pub fn swing(&self, radius: f64) -> f64 {
        if self.is_ball() { 0.0 } else { radius }
    }

    /// Its bits.
    pub fn words(&self) -> ShapeWords {
        let [a, b, c] = self.sizes(|id| [f64::from(id), 0.0, 0.0]).map(f64::to_bits);
        [u64::from(self.number()), a, b, c]
    }

    /// The shape with these bits, if there is one.
    pub fn of_words(words: &ShapeWords) -> Option<Self> {
        let [number, sizes @ ..] = *words;
        let sizes = sizes.map(f64::from_bits);
        let shape = Self::of_number(number as u32, sizes, sizes[0] as u32)?;
        // A size that the shape has not is 0, and the number of a solid is whole.
        (shape.words() == *words).then_some(shape)
    }
}

/// Checks a length in m.
fn check_length(at: &str, field: &str, value: f64) -> Result<()> {
    bounds::positive_within(&format!("{at}.{field}"), value, bounds::LENGTH)
}

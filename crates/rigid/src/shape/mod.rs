//! Shapes of movable bodies: everything that depends on one shape alone. `rigid::narrow` finds
//! where two shapes touch.
//!
//! A new convex shape needs three things: a file here whose settings implement [`ShapeKind`], a
//! line of the list below, and a description in `docs/scene.md`. Scenes, frames, saved states and
//! the narrow phase then support it.

mod part;
mod surface;
#[cfg(test)]
mod tests;

use serde::Serialize;
use smallvec::SmallVec;

pub use self::part::{MOST_PARTS, PartSpec};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::choice::deserialize_choice;
use cloth_core::mesh::ObjDocument;
use cloth_core::{Result, Vec3, bounds};

/// Index of a convex hull, closed mesh or compound in the table of solids, which all ranks share.
pub type SolidId = u32;

/// A point, the two ends of an edge, or the corners of a face in order around it, m.
pub type Feature = SmallVec<[Vec3; 8]>;

/// Edges and faces count as parallel if the sine of the angle between them is below this.
pub const ALONG: f64 = 0.05;

/// A shape as bits: the number of its kind, then its sizes, or the id of a solid.
pub type ShapeWords = [u64; 4];

/// The number of a convex hull, closed mesh or compound in frames and saved states.
pub const SOLID: u32 = 3;

/// The number of a half-space in frames. A movable body cannot be a half-space.
pub const HALF_SPACE: u32 = 4;

/// The settings of one kind of shape. The own frame of a body has its origin at the centre of mass
/// and the principal axes of inertia as axes. Lengths are in m.
pub trait ShapeKind: Copy {
    /// For each own axis, the index in [`Self::sizes`] of the half-width along it, without caps.
    const AXES: [usize; 3];

    /// True if every rotation about the centre maps the shape to itself.
    const IS_BALL: bool = false;

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first field that is out of bounds. `at` is the path of the shape in the scene.
    fn check(&self, at: &str) -> Result<()>;

    /// The lengths that define the shape, m. Unused entries are 0.
    fn sizes(&self) -> [f64; 3];

    /// The shape with these sizes, m. The inverse of [`Self::sizes`].
    fn of_sizes(sizes: [f64; 3]) -> Self;

    /// The radius of the smallest sphere about the origin that contains the shape, m.
    fn reach(&self) -> f64;

    /// The distance of the farthest point of the shape from the point `from` of its own frame, or
    /// more, m.
    fn farthest(&self, from: &Vec3) -> f64 {
        from.norm() + self.reach()
    }

    /// Half of the smallest width, m.
    fn half_width(&self) -> f64;

    /// Mass (kg) and principal moments of inertia (kg m^2) at `density` (kg/m^3).
    fn mass_properties(&self, density: f64) -> MassProperties;

    /// The shape scaled to the given `reach`, m. Proportions do not change.
    fn with_reach(&self, reach: f64) -> Self {
        let factor = reach / self.reach();
        Self::of_sizes(self.sizes().map(|size| size * factor))
    }

    /// The shape is all points within this distance (m) of its core. [`Self::support`] and
    /// [`Self::feature`] describe the core.
    fn margin(&self) -> f64 {
        0.0
    }

    /// The support function: the point of the core that is farthest along `direction`, m. The
    /// direction may have any length but 0.
    fn support(&self, direction: &Vec3) -> Vec3;

    /// The vertex, edge or face of the core that is farthest along `direction`, m. An edge or face
    /// counts if the sine of its angle to the plane across the direction is below [`ALONG`].
    fn feature(&self, direction: &Vec3) -> Feature {
        Feature::from_iter([self.support(direction)])
    }

    /// The triangles that frames show, for a shape whose sizes are all 1.
    fn surface() -> ObjDocument;

    /// Maps a vertex of [`Self::surface`] to this shape, m.
    fn stretch(&self, vertex: &Vec3) -> Vec3 {
        let sizes = self.sizes();
        vertex.component_mul(&Vec3::from(Self::AXES.map(|place| sizes[place])))
    }
}

/// Makes the enums of all shapes from the list below. Frames and saved states contain the number
/// of a shape, so it never changes.
macro_rules! shapes {
    ($($(#[$doc:meta])* $number:literal => $Kind:ident($file:ident::$Settings:ident),)+) => {
        $(mod $file; pub use $file::$Settings;)+

        /// The geometry of a body in its own frame.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Shape {
            $($(#[$doc])* $Kind($Settings),)+
            /// A convex hull, closed mesh or compound.
            Solid(SolidId),
        }

        /// The geometry of a body as a scene gives it.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub enum BodyShape {
            $($(#[$doc])* $Kind($Settings),)+
            /// The convex hull of the vertices of an OBJ file.
            Hull(String),
            /// The volume inside the closed surface of an OBJ file.
            Mesh(String),
            /// Several convex parts that move as one.
            Compound(Vec<PartSpec>),
            /// All points below a plane. Its normal is `y` before rotation. Immovable.
            HalfSpace,
        }

        deserialize_choice!(
            BodyShape, "BodyShape", [Hull, Mesh, Compound], [HalfSpace], [$($Kind),+]
        );

        $(impl From<$Settings> for Shape {
            fn from(shape: $Settings) -> Self {
                Self::$Kind(shape)
            }
        })+

        impl BodyShape {
            /// The names of all choices, as in a scene.
            pub const NAMES: &'static [&'static str] =
                &[$(stringify!($Kind),)+ "Hull", "Mesh", "Compound", "HalfSpace"];

            /// The name of this choice, as in a scene.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Kind(_) => stringify!($Kind),)+
                    Self::Hull(_) => "Hull",
                    Self::Mesh(_) => "Mesh",
                    Self::Compound(_) => "Compound",
                    Self::HalfSpace => "HalfSpace",
                }
            }

            /// The shape. `None` for a hull or mesh, which is in a file, for a compound and for a
            /// half-space.
            pub fn of_settings(&self) -> Option<Shape> {
                match *self {
                    $(Self::$Kind(shape) => Some(Shape::$Kind(shape)),)+
                    Self::Hull(_) | Self::Mesh(_) | Self::Compound(_) | Self::HalfSpace => None,
                }
            }

            /// Checks every setting.
            ///
            /// # Errors
            /// As [`ShapeKind::check`]. Parts may be of convex shapes alone.
            pub fn check(&self, at: &str) -> Result<()> {
                match self {
                    $(Self::$Kind(shape) => shape.check(at),)+
                    Self::Compound(parts) => part::check(parts, at),
                    Self::Hull(_) | Self::Mesh(_) | Self::HalfSpace => Ok(()),
                }
            }
        }

        impl Shape {
            /// The numbers of all kinds but [`SOLID`], in the order of the list.
            pub const NUMBERS: &'static [u32] = &[$($number),+];

            /// The number of the shape's kind.
            pub fn number(&self) -> u32 {
                match self {
                    $(Self::$Kind(_) => $number,)+
                    Self::Solid(_) => SOLID,
                }
            }

            /// [`ShapeKind::AXES`] of the kind with this number. `None` if there is no such kind.
            pub fn axes(number: u32) -> Option<[usize; 3]> {
                match number {
                    $($number => Some($Settings::AXES),)+
                    SOLID => Some([0; 3]),
                    _ => None,
                }
            }

            /// The shape with this number and these sizes (m), or the given solid if the number is
            /// [`SOLID`]. `None` if there is no such kind.
            pub fn of_number(number: u32, sizes: [f64; 3], solid: SolidId) -> Option<Self> {
                match number {
                    $($number => Some(Self::$Kind($Settings::of_sizes(sizes))),)+
                    SOLID => Some(Self::Solid(solid)),
                    _ => None,
                }
            }

            /// [`ShapeKind::IS_BALL`].
            #[inline]
            pub fn is_ball(&self) -> bool {
                match self {
                    $(Self::$Kind(_) => $Settings::IS_BALL,)+
                    Self::Solid(_) => false,
                }
            }

            /// [`ShapeKind::sizes`], m. `of_solid` gives those of a solid.
            pub fn sizes(&self, of_solid: impl FnOnce(SolidId) -> [f64; 3]) -> [f64; 3] {
                match self {
                    $(Self::$Kind(shape) => shape.sizes(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::reach`], m. `of_solid` gives that of a solid.
            #[inline]
            pub fn reach(&self, of_solid: impl FnOnce(SolidId) -> f64) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.reach(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::farthest`], m. `of_solid` gives that of a solid.
            pub fn farthest(&self, from: &Vec3, of_solid: impl FnOnce(SolidId) -> f64) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.farthest(from),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::half_width`], m. `of_solid` gives that of a solid.
            pub fn half_width(&self, of_solid: impl FnOnce(SolidId) -> f64) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.half_width(),)+
                    Self::Solid(id) => of_solid(*id),
                }
            }

            /// [`ShapeKind::mass_properties`] at `density` (kg/m^3). `of_solid` gives those of a
            /// solid.
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

            /// [`ShapeKind::with_reach`], m. A solid keeps its size.
            pub fn with_reach(&self, reach: f64) -> Self {
                match self {
                    $(Self::$Kind(shape) => Self::$Kind(shape.with_reach(reach)),)+
                    Self::Solid(_) => *self,
                }
            }

            /// [`ShapeKind::margin`], m. It is 0 for a solid.
            pub fn margin(&self) -> f64 {
                match self {
                    $(Self::$Kind(shape) => shape.margin(),)+
                    Self::Solid(_) => 0.0,
                }
            }

            /// [`ShapeKind::support`], m. `of_solid` gives that of a solid.
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

            /// [`ShapeKind::feature`], m. `of_solid` gives that of a solid.
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

            /// The number and the [`ShapeKind::surface`] of each kind but [`SOLID`].
            pub fn surfaces() -> impl Iterator<Item = (u32, ObjDocument)> {
                [$(($number, $Settings::surface())),+].into_iter()
            }

            /// [`ShapeKind::stretch`], m. The vertices of a solid do not change.
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
    /// All points within a radius of a segment of the y axis.
    2 => Capsule(capsule::Capsule),
    /// A cylinder about the y axis.
    5 => Cylinder(cylinder::Cylinder),
}

impl Shape {
    /// The index of a solid in the table of solids. `None` for any other shape.
    #[inline]
    pub fn solid(&self) -> Option<SolidId> {
        if let Self::Solid(id) = self { Some(*id) } else { None }
    }

    /// The largest distance from the centre at which rotation moves the surface, m. `radius` (m) is
    /// that of the ball that contains the shape. Rotation does not move the surface of a ball.
    #[inline]
    pub fn swing(&self, radius: f64) -> f64 {
        if self.is_ball() { 0.0 } else { radius }
    }

    /// The shape as bits.
    pub fn words(&self) -> ShapeWords {
        let [a, b, c] = self.sizes(|id| [f64::from(id), 0.0, 0.0]).map(f64::to_bits);
        [u64::from(self.number()), a, b, c]
    }

    /// The shape with these bits. `None` if no shape has them.
    pub fn of_words(words: &ShapeWords) -> Option<Self> {
        let [number, sizes @ ..] = *words;
        let sizes = sizes.map(f64::from_bits);
        let shape = Self::of_number(number as u32, sizes, sizes[0] as u32)?;
        // This refuses unused sizes that are not 0, and ids of solids that are not whole numbers.
        (shape.words() == *words).then_some(shape)
    }
}

/// Fails unless the length `value` (m) is positive and within the bounds of lengths.
fn check_length(at: &str, field: &str, value: f64) -> Result<()> {
    bounds::positive_within(&format!("{at}.{field}"), value, bounds::LENGTH)
}

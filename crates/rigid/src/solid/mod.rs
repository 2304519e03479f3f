//! Convex hulls, closed meshes and compounds of several parts. All ranks share the table of them.
//!
//! The own frame of a solid has its origin at the centre of mass and the principal axes of inertia
//! as axes. [`cloth_bodies::bodies::rigid`] has the integrals over a hull or mesh.

mod compound;
mod crossings;
mod features;
mod flat;
mod hull;
mod surface;
#[cfg(test)]
mod tests;

pub use self::compound::{Compound, Part};
pub use self::features::Features;
pub use self::surface::{ClosedMesh, Nearest};
use crate::narrow::convex::{Convex, Edge, Plane, Topology};
use crate::shape::Feature;
use crate::{Placed, Shape, SolidId};
pub use cloth_bodies::bodies::rigid::{Frame, MassProperties};
use cloth_bodies::bodies::rigid::{check_closed, integrals};
use cloth_core::mesh::Mesh;
use cloth_core::{Result, Vec3};

/// All solids of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solids {
    solids: Vec<Solid>,
}

/// A solid in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// The hull, mesh or parts, in the own frame.
    pub geometry: Geometry,
    /// Volume, m^3.
    pub volume: f64,
    /// Principal moments of inertia at density 1 kg/m^3, kg m^2.
    pub moments: Vec3,
    /// Radius of a sphere about the centre of mass that contains the solid, m. Mostly it is the
    /// smallest one.
    pub reach: f64,
}

/// The geometry of a solid.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A convex hull.
    Hull(Hull),
    /// A closed surface of triangles.
    Mesh(Box<ClosedMesh>),
    /// Several parts that move as one.
    Compound(Compound),
}

/// A convex polytope in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    planes: Vec<Plane>,
    face_starts: Vec<u32>,
    face_vertices: Vec<u32>,
    edges: Vec<Edge>,
    is_gentle: bool,
}

impl Solids {
    /// Adds a solid and returns its id.
    pub fn add(&mut self, solid: Solid) -> SolidId {
        self.solids.push(solid);
        self.solids.len() as SolidId - 1
    }

    /// Replaces a solid by one in each of the balls with the radii `reaches` (m). Returns them with
    /// these radii; the first one has the id of the replaced solid.
    pub fn resize(&mut self, id: SolidId, reaches: &[f64]) -> Vec<(f64, SolidId)> {
        let solid = self.get(id).clone();
        let add = |(place, &reach): (usize, &f64)| {
            let scaled = solid.scaled(reach);
            if place > 0 {
                return (reach, self.add(scaled));
            }
            self.solids[id as usize] = scaled;
            (reach, id)
        };
        reaches.iter().enumerate().map(add).collect()
    }

    /// All solids, indexed by id.
    pub fn all(&self) -> &[Solid] {
        &self.solids
    }

    /// The solid with this id. Panics if there is none.
    pub fn get(&self, id: SolidId) -> &Solid {
        &self.solids[id as usize]
    }

    /// The solid of a shape that has parts.
    #[inline]
    pub fn compound(&self, shape: &Shape) -> Option<&Compound> {
        match &self.get(shape.solid()?).geometry {
            Geometry::Compound(compound) => Some(compound),
            Geometry::Hull(_) | Geometry::Mesh(_) => None,
        }
    }

    /// The radius of a sphere about the centre of mass that contains `shape`, m.
    #[inline]
    pub fn reach(&self, shape: &Shape) -> f64 {
        shape.reach(|id| self.get(id).reach)
    }

    /// Half of the smallest width of `shape`, m. For a solid it is a lower bound, for a compound
    /// that of its thinnest part.
    pub fn half_width(&self, shape: &Shape) -> f64 {
        // A solid of width w in a ball of radius r has at most the volume pi r^2 w.
        let width =
            |solid: &Solid| solid.volume / (std::f64::consts::TAU * solid.reach * solid.reach);
        shape.half_width(|id| match &self.get(id).geometry {
            Geometry::Compound(compound) => compound.half_width(),
            Geometry::Hull(_) | Geometry::Mesh(_) => width(self.get(id)),
        })
    }

    /// Mass (kg) and principal moments of inertia (kg m^2) of `shape` at `density` (kg/m^3).
    pub fn mass_properties(&self, shape: &Shape, density: f64) -> MassProperties {
        shape.mass_properties(density, |id| {
            let solid = self.get(id);
            MassProperties { mass: density * solid.volume, inertia: solid.moments * density }
        })
    }
}

impl Solid {
    /// The convex hull of `points` (m), and its own frame. No coordinate is off by more than
    /// `rounding` (m): triangles that may be flat are one face.
    ///
    /// # Errors
    /// When the points do not span a volume. `at` names the input.
    pub fn hull(points: &[Vec3], rounding: f64, at: &str) -> Result<(Self, Frame)> {
        let triangles = hull::triangles(points, at)?;
        let (volume, moments, frame) = integrals(points, &triangles, at)?;
        let own: Vec<Vec3> = points.iter().map(|x| frame.to_own(x)).collect();
        let hull = Hull::new(&own, &triangles, flat::limit(&own, rounding));
        let reach = farthest(&hull.vertices);
        Ok((Self { geometry: Geometry::Hull(hull), volume, moments, reach }, frame))
    }

    /// The solid inside a closed mesh (positions in m), and its own frame. `rounding` is that of
    /// [`Solid::hull`].
    ///
    /// # Errors
    /// When the mesh has no faces or encloses no volume, or when an edge does not have exactly two
    /// faces of consistent orientation. `at` names the input.
    pub fn mesh(mesh: &Mesh, rounding: f64, at: &str) -> Result<(Self, Frame)> {
        check_closed(mesh, at)?;
        let (volume, moments, frame) = integrals(&mesh.positions, &mesh.faces, at)?;
        let positions: Vec<Vec3> = mesh.positions.iter().map(|x| frame.to_own(x)).collect();
        let limit = flat::limit(&positions, rounding);
        let closed = ClosedMesh::new(Mesh { positions, faces: mesh.faces.clone() }, limit);
        let reach = farthest(&closed.mesh().positions);
        Ok((Self { geometry: Geometry::Mesh(Box::new(closed)), volume, moments, reach }, frame))
    }

    /// The solid, scaled about its centre of mass to fill a ball of radius `reach` (m).
    fn scaled(&self, reach: f64) -> Self {
        let factor = reach / self.reach;
        let properties = MassProperties { mass: self.volume, inertia: self.moments };
        let MassProperties { mass: volume, inertia: moments } = properties.scaled(factor);
        let geometry = match &self.geometry {
            Geometry::Hull(hull) => Geometry::Hull(hull.scaled(factor)),
            Geometry::Mesh(closed) => Geometry::Mesh(Box::new(closed.scaled(factor))),
            Geometry::Compound(compound) => Geometry::Compound(compound.scaled(factor)),
        };
        Self { geometry, volume, moments, reach }
    }

    /// The support function of a hull or mesh: the corner that is farthest along `direction`, m.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        let farther = |best: Vec3, x: &Vec3| {
            if direction.dot(x) > direction.dot(&best) { *x } else { best }
        };
        let Some((first, others)) = self.vertices().split_first() else { return Vec3::zeros() };
        others.iter().fold(*first, farther)
    }

    /// The feature in a direction, see [`ShapeKind::feature`](crate::shape::ShapeKind::feature), m.
    /// A closed mesh gives one corner.
    pub fn feature(&self, direction: &Vec3) -> Feature {
        match &self.geometry {
            Geometry::Hull(hull) => hull.feature(direction, self.support(direction)),
            Geometry::Mesh(_) | Geometry::Compound(_) => {
                Feature::from_iter([self.support(direction)])
            }
        }
    }

    /// The corners of a hull or mesh in its own frame, m. A compound has none of its own.
    pub fn vertices(&self) -> &[Vec3] {
        match &self.geometry {
            Geometry::Hull(hull) => &hull.vertices,
            Geometry::Mesh(closed) => &closed.mesh().positions,
            Geometry::Compound(_) => &[],
        }
    }

    /// Calls `visit` with each corner of a hull or mesh in its own frame, m. Vertices amid a flat
    /// face or a straight edge of a mesh are none.
    pub fn each_corner(&self, visit: impl FnMut(&Vec3)) {
        let is_corner = |v: u32| match &self.geometry {
            Geometry::Mesh(closed) => closed.features().is_corner(v),
            Geometry::Hull(_) | Geometry::Compound(_) => true,
        };
        let corners = self.vertices().iter().zip(0..).filter(|it| is_corner(it.1));
        corners.map(|it| it.0).for_each(visit);
    }

    /// A measure of the memory that the solid takes: its corners, and those of its parts. A part
    /// without corners counts as one.
    pub fn corners(&self) -> usize {
        match &self.geometry {
            Geometry::Compound(compound) => {
                let of_hulls = compound.hulls().all().iter().map(|hull| hull.vertices().len());
                compound.parts().len() + of_hulls.sum::<usize>()
            }
            Geometry::Hull(_) | Geometry::Mesh(_) => self.vertices().len(),
        }
    }
}

impl Hull {
    /// The hull at the pose of `body`.
    pub fn placed(&self, body: &Placed) -> Convex<'_> {
        let plane = |plane: &Plane| {
            let normal = body.rotation.transform_vector(&plane.normal);
            Plane { normal, offset: plane.offset + normal.dot(&body.position) }
        };
        Convex {
            vertices: self.vertices.iter().map(|x| body.to_space(x)).collect(),
            planes: self.planes.iter().map(plane).collect(),
            centre: body.position,
            topology: Topology {
                face_starts: &self.face_starts,
                face_vertices: &self.face_vertices,
                edges: &self.edges,
                is_gentle: self.is_gentle,
            },
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.vertices.iter_mut().for_each(|x| *x *= factor);
        scaled.planes.iter_mut().for_each(|plane| plane.offset *= factor);
        scaled
    }

    /// The vertices of each face in order around it, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        self.face_starts.windows(2).map(|two| &self.face_vertices[two[0] as usize..two[1] as usize])
    }
}

fn farthest(points: &[Vec3]) -> f64 {
    points.iter().map(|x| x.norm()).fold(0.0, f64::max)
}

//! A scene made ready for the simulation: meshes, materials, pins and motions in
//! SI units, with nothing left to look up.

use crate::math::{Mat3, Vec2, Vec3, rotation};
use crate::mesh::{ObjDocument, Topology};

/// All objects of a scene, in scene order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Setup {
    /// The cloths.
    pub cloths: Vec<ClothSetup>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
}

impl Setup {
    /// Takes out what frames are written from: names, documents and obstacles.
    /// What stays is what the simulation is made of, most of the memory.
    pub fn take_documents(&mut self) -> Documents {
        let cloths = self.cloths.iter_mut();
        Documents {
            cloths: cloths
                .map(|cloth| (cloth.name.clone(), std::mem::take(&mut cloth.document)))
                .collect(),
            obstacles: self.obstacles.clone(),
        }
    }
}

/// What frames are written from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Documents {
    /// Name and mesh of each cloth.
    pub cloths: Vec<(String, ObjDocument)>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
}

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
    /// Rest shape, m; the rest angles between faces come from it.
    pub rest: Vec<Vec3>,
    /// Each face's rest lengths and warp direction; its mass comes from it too.
    pub rest_planes: Vec<RestTriangle>,
    /// Positions at t = 0, m.
    pub positions: Vec<Vec3>,
    /// The fabric.
    pub material: Material,
    /// Vertices that are held or led, first come first served.
    pub pins: Vec<Pin>,
}

/// A face at rest in its own plane: corner 0 is the origin, the first axis is
/// the warp direction, and the face is counter-clockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestTriangle {
    /// Corner 1, m.
    pub x1: Vec2,
    /// Corner 2, m.
    pub x2: Vec2,
}

/// A fabric: orthotropic in plane stress; warp is the first material axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// Young's modulus along warp times thickness, N/m.
    pub warp_n_per_m: f64,
    /// Young's modulus along weft times thickness, N/m.
    pub weft_n_per_m: f64,
    /// Contraction along weft per stretch along warp (the major Poisson ratio).
    pub poisson_ratio: f64,
    /// Shear modulus times thickness, N/m.
    pub shear_n_per_m: f64,
    /// Flexural rigidities.
    pub bending: Bending,
    /// Rayleigh damping proportional to mass, 1/s.
    pub mass_damping_per_s: f64,
    /// Rayleigh damping proportional to stiffness, s.
    pub stiffness_damping_s: f64,
}

/// Orthotropic flexural rigidities, N m: moments = D curvatures, with the twist
/// as engineering twist (twice the mixed second derivative).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bending {
    /// D11, curvature along warp.
    pub warp_n_m: f64,
    /// D22, curvature along weft.
    pub weft_n_m: f64,
    /// D12, between both curvatures.
    pub coupling_n_m: f64,
    /// D66, twist.
    pub twist_n_m: f64,
}

impl Material {
    /// Isotropic fabric: Young's modulus times thickness `modulus` (N/m),
    /// flexural rigidity `rigidity` (N m), no damping.
    pub const fn isotropic(density: f64, modulus: f64, poisson_ratio: f64, rigidity: f64) -> Self {
        Self {
            density_kg_per_m2: density,
            warp_n_per_m: modulus,
            weft_n_per_m: modulus,
            poisson_ratio,
            shear_n_per_m: modulus / (2.0 * (1.0 + poisson_ratio)),
            bending: Bending {
                warp_n_m: rigidity,
                weft_n_m: rigidity,
                coupling_n_m: poisson_ratio * rigidity,
                twist_n_m: 0.5 * (1.0 - poisson_ratio) * rigidity,
            },
            mass_damping_per_s: 0.0,
            stiffness_damping_s: 0.0,
        }
    }

    /// Stiffness C of the membrane in N/m: stress resultants (warp, weft, shear)
    /// from strains (warp, weft, engineering shear).
    pub fn membrane(&self) -> Mat3 {
        let minor = self.poisson_ratio * self.weft_n_per_m / self.warp_n_per_m;
        let scale = 1.0 / (1.0 - self.poisson_ratio * minor);
        let coupling = scale * self.poisson_ratio * self.weft_n_per_m;
        Mat3::new(
            scale * self.warp_n_per_m,
            coupling,
            0.0,
            coupling,
            scale * self.weft_n_per_m,
            0.0,
            0.0,
            0.0,
            self.shear_n_per_m,
        )
    }
}

impl Bending {
    /// Stiffness D in N m: moments (warp, weft, twist) from curvatures (warp,
    /// weft, engineering twist).
    pub fn matrix(&self) -> Mat3 {
        let Self { warp_n_m, weft_n_m, coupling_n_m, twist_n_m } = *self;
        Mat3::new(warp_n_m, coupling_n_m, 0.0, coupling_n_m, weft_n_m, 0.0, 0.0, 0.0, twist_n_m)
    }
}

/// Vertices that do not move freely from `start_s` (included) to `end_s` (excluded).
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// When it takes hold, s.
    pub start_s: f64,
    /// When it lets go, s; may be infinite.
    pub end_s: f64,
    /// The motion that the vertices follow from where they are at `start_s`
    /// ([`Motion::since`]); without one they stay there.
    pub motion: Option<Motion>,
}

/// An obstacle: a surface that moves as told.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleSetup {
    /// Its name, unique in the scene.
    pub name: String,
    /// Polygons, seams and groups that are written out.
    pub document: ObjDocument,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
    /// Its mesh in its own coordinates.
    pub shape: Vec<Vec3>,
    /// From its own coordinates to the scene, m.
    pub placement: Transform,
    /// How it moves from there.
    pub motion: Option<Motion>,
}

impl ObstacleSetup {
    /// True if it never moves.
    pub fn is_fixed(&self) -> bool {
        self.motion.as_ref().is_none_or(Motion::is_constant)
    }

    /// Positions at `time_s` in m, into `out` (as long as `shape`).
    pub fn positions_at(&self, time_s: f64, out: &mut [Vec3]) {
        debug_assert_eq!(out.len(), self.shape.len());
        let motion = self.motion.as_ref().map(|motion| motion.at(time_s));
        for (position, &local) in out.iter_mut().zip(&self.shape) {
            let placed = self.placement.apply(local);
            *position = motion.as_ref().map_or(placed, |motion| motion.apply(placed));
        }
    }
}

/// Scales, then rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Uniform factor, positive.
    pub scale: f64,
    /// A rotation.
    pub rotation: Mat3,
    /// Added last, m.
    pub translation: Vec3,
}

impl Transform {
    /// The image of `point`.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * (self.scale * point) + self.translation
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self { scale: 1.0, rotation: Mat3::identity(), translation: Vec3::zeros() }
    }
}

/// Rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rigid {
    /// A rotation.
    pub rotation: Mat3,
    /// Added last, m.
    pub translation: Vec3,
}

impl Rigid {
    /// The image of `point`.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.translation
    }

    /// What undoes it.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// `first`, then `self`.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            rotation: self.rotation * first.rotation,
            translation: self.apply(first.translation),
        }
    }
}

/// A rigid motion by keyframes, about a centre that the translation carries along.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Centre of the rotations at translation zero, m.
    pub center: Vec3,
    /// In ascending order of time, at least one; constant before the first and
    /// after the last.
    pub keyframes: Vec<Keyframe>,
}

/// Where a motion is at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// When, s.
    pub time_s: f64,
    /// Displacement of the centre, m.
    pub translation: Vec3,
    /// Axis of the rotation (any length).
    pub axis: Vec3,
    /// Angle in degrees, may exceed 360.
    pub angle_deg: f64,
}

impl Keyframe {
    /// Unit axis times angle, in degrees.
    fn turn(&self) -> Vec3 {
        let length = self.axis.norm();
        if length == 0.0 { Vec3::zeros() } else { self.axis * (self.angle_deg / length) }
    }
}

impl Motion {
    /// True if it is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.keyframes.len() < 2
    }

    /// The motion at `time_s`, applied to positions where nothing has moved yet.
    ///
    /// Between keyframes the translation and the vector axis times angle are
    /// interpolated linearly, so that about one axis the angle runs evenly.
    pub fn at(&self, time_s: f64) -> Rigid {
        let (translation, turn) = self.interpolate(time_s);
        let rotation = rotation(turn, turn.norm());
        Rigid { rotation, translation: self.center + translation - rotation * self.center }
    }

    /// The motion from `start_s` to `time_s`, applied to positions at `start_s`.
    pub fn since(&self, start_s: f64, time_s: f64) -> Rigid {
        self.at(time_s).after(&self.at(start_s).inverse())
    }

    fn interpolate(&self, time_s: f64) -> (Vec3, Vec3) {
        let next = self.keyframes.partition_point(|key| key.time_s <= time_s);
        let (Some(low), Some(high)) =
            (self.keyframes.get(next.saturating_sub(1)), self.keyframes.get(next))
        else {
            return self
                .keyframes
                .last()
                .map_or((Vec3::zeros(), Vec3::zeros()), |key| (key.translation, key.turn()));
        };
        if next == 0 {
            return (high.translation, high.turn());
        }
        let weight = (time_s - low.time_s) / (high.time_s - low.time_s);
        (
            low.translation + (high.translation - low.translation) * weight,
            low.turn() + (high.turn() - low.turn()) * weight,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time_s: f64, translation: Vec3, angle_deg: f64) -> Keyframe {
        Keyframe { time_s, translation, axis: Vec3::new(0.0, 3.0, 0.0), angle_deg }
    }

    #[test]
    fn motion_turns_about_its_centre_beyond_a_full_turn_and_holds_at_its_ends() {
        let motion = Motion {
            center: Vec3::new(1.0, 0.0, 0.0),
            keyframes: vec![
                key(1.0, Vec3::zeros(), 0.0),
                key(3.0, Vec3::new(0.0, 2.0, 0.0), 900.0),
            ],
        };
        let point = Vec3::new(2.0, 0.0, 0.0);
        assert_eq!(motion.at(0.0).apply(point), point);
        // Half way: 450 degrees, a quarter turn, and 1 m up.
        let half = motion.at(2.0).apply(point);
        assert!((half - Vec3::new(1.0, 1.0, -1.0)).norm() < 1e-14);
        let end = motion.at(7.0).apply(point);
        assert!((end - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-14);
        assert!((motion.since(2.0, 7.0).apply(half) - end).norm() < 1e-14);
    }

    #[test]
    fn isotropic_membrane_is_plane_stress() {
        let c = Material::isotropic(0.2, 500.0, 0.3, 1e-5).membrane();
        let e = 500.0 / (1.0 - 0.09);
        assert!(
            (c - Mat3::new(e, 0.3 * e, 0.0, 0.3 * e, e, 0.0, 0.0, 0.0, 0.35 * e)).norm() < 1e-10
        );
    }
}

//! Builds the model of a scene of rigid bodies, and makes the bodies of each rank.

use std::path::Path;

use nalgebra::UnitQuaternion;

use crate::bodies::check::WALLS;
use crate::bodies::resolve::{self, Geometry};
use crate::bodies::setup::{Group, Movement, RigidSetup};
use crate::bodies::spec::*;
use crate::bodies::{joints, read};
use crate::spec::{MotionSpec, Scene};
use cloth_core::bounds;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_rigid::RigidSettings;
use cloth_rigid::body::{BodyId, MaterialId};
use cloth_rigid::constraint::ContactSettings;
use cloth_rigid::constraint::joint::Joints;
use cloth_rigid::domain::Domain;
use cloth_rigid::fixed::{FixedBodies, FixedBody, FixedShape};
use cloth_rigid::generate::{Form, Generator, Lattice, Placement, Start, Velocities};
use cloth_rigid::material::Materials;
use cloth_rigid::shape::Sphere;
use cloth_rigid::solid::Solids;

/// Fraction of an overlap that a step removes.
const OVERLAP_CORRECTION: f64 = 0.2;
/// The margin of shadow copies, in radii of the ball that holds the smallest body.
const MARGIN: f64 = 0.1;

/// The largest number of bodies. Their places have 32 bits.
const MOST_BODIES: u64 = u32::MAX as u64;

/// Reads the files of the rigid bodies of a checked `scene`, and builds the setup that all ranks
/// share. Paths are relative to `scene_dir`.
///
/// # Errors
/// A file that is missing or unsound, a surface that is not closed, bodies that do not fit into
/// their places or are outside the domain.
pub fn build_bodies(scene: &Scene, scene_dir: &Path) -> Result<RigidSetup> {
    let spec = &scene.domain;
    let periodic = spec.borders.map(|border| border == Border::Periodic);
    let domain = Domain::new(spec.min_m.into(), spec.max_m.into(), periodic)?;
    let mut builder = Builder::of(scene, scene_dir, Some(&domain))?;
    builder.walls(&domain)?;
    let mut setup = builder.finish(domain);
    joints::add(&mut setup, scene, scene_dir)?;
    Ok(setup)
}

/// The largest number of corners of a hull, mesh or compound, in all its sizes together. A corner takes up to
/// 0.6 kB.
const MOST_CORNERS: usize = 200_000;

/// Fails if a file has velocities of bodies that forces do not move.
fn check_velocities(generator: &Generator, bodies: &Bodies, at: &str) -> Result<()> {
    let Placement::Listed(starts) = &generator.placement else { return Ok(()) };
    let is_free = bodies.motion == BodyMotion::Free;
    let is_still = |start: &Start| start.velocity.is_none() && start.spin.is_none();
    if is_free || starts.iter().all(is_still) {
        return Ok(());
    }
    let cause = "the file has velocities, but bodies that forces do not move have none";
    let remedy = "leave out its columns `vx`, `vy`, `vz` and `wx`, `wy`, `wz`";
    Err(Error::input(format!("{at}.arrangement"), cause, remedy))
}

/// Fails if a file has sizes of half-spaces.
fn check_sizes(generator: &Generator, shape: &FixedShape, at: &str) -> Result<()> {
    let is_scaled = *shape != FixedShape::HalfSpace;
    let Placement::Listed(starts) = &generator.placement else { return Ok(()) };
    if is_scaled || starts.iter().all(|start| start.size.is_none()) {
        return Ok(());
    }
    let cause = "the file has sizes, but a half-space has none";
    Err(Error::input(format!("{at}.arrangement"), cause, "leave out its column `size`"))
}

/// What the entries of `bodies` become, one after the other.
pub(super) struct Builder<'a> {
    scene: &'a Scene,
    scene_dir: &'a Path,
    /// Where the centres of free bodies must be, if somewhere.
    domain: Option<&'a Domain>,
    materials: Materials,
    next_id: BodyId,
    /// All groups, by rising ids.
    pub groups: Vec<Group>,
    /// What makes the free bodies.
    pub generators: Vec<Generator>,
    /// Of each generator, the rotation from the own frame of its bodies to the shape as it was given.
    pub shape_rotations: Vec<UnitQuaternion<f64>>,
    /// Bodies that forces do not move.
    pub fixed: Vec<FixedBody>,
    /// Hulls and meshes.
    pub solids: Solids,
}

impl<'a> Builder<'a> {
    /// Builds all entries of `scene`. If there is a `domain`, the free bodies must be in it.
    ///
    /// # Errors
    /// As for [`build_bodies`].
    pub(super) fn of(
        scene: &'a Scene,
        scene_dir: &'a Path,
        domain: Option<&'a Domain>,
    ) -> Result<Self> {
        let mut builder = Self {
            scene,
            scene_dir,
            domain,
            materials: resolve::materials(scene)?,
            next_id: 0,
            groups: Vec::new(),
            generators: Vec::new(),
            shape_rotations: Vec::new(),
            fixed: Vec::new(),
            solids: Solids::default(),
        };
        for (i, bodies) in scene.bodies.iter().enumerate() {
            builder.group(bodies, &format!("bodies[{i}]"))?;
        }
        Ok(builder)
    }

    fn group(&mut self, bodies: &Bodies, at: &str) -> Result<()> {
        let material = self.scene.material_number(&format!("{at}.material"), &bodies.material)?;
        let at_shape = format!("{at}.shape");
        let Geometry { shape, frame } =
            resolve::read_shape(&bodies.shape, self.scene_dir, &mut self.solids, &at_shape)?;
        let mut generator = self.generator(bodies, &shape, material, at)?;
        generator.check(at)?;
        let reach = self.reach(&shape);
        bounds::positive(&at_shape, reach)?;
        check_sizes(&generator, &shape, at)?;
        check_velocities(&generator, bodies, at)?;
        let (first_id, count) = (self.next_id, generator.count());
        if count > MOST_BODIES - first_id {
            let cause = format!("with these {count} bodies the scene has more than {MOST_BODIES}");
            return Err(Error::input(format!("{at}.arrangement"), cause, "ask for fewer"));
        }
        self.resize_solid(&mut generator, at)?;
        let name = bodies.name.clone().unwrap_or_else(|| at.to_owned());
        let movement = match bodies.motion {
            BodyMotion::Free => Movement::Free,
            BodyMotion::Immovable => Movement::Immovable,
            BodyMotion::Keyframed { .. } => Movement::Keyframed,
        };
        self.groups.push(Group { name, first_id, count, movement });
        self.next_id += count;
        if movement == Movement::Free {
            self.check_inside(&generator, at)?;
            self.generators.push(generator.turned(&frame.rotation));
            self.shape_rotations.push(frame.rotation);
            return Ok(());
        }
        let motion = bodies.motion_spec().as_ref().map(MotionSpec::resolve);
        for body in (0..count).map(|number| generator.body(number)) {
            let (id, place, turn) = (body.id, body.state.position, body.state.rotation);
            let shape = match shape {
                FixedShape::HalfSpace => FixedShape::HalfSpace,
                FixedShape::Shape(_) => FixedShape::Shape(body.shape),
            };
            let origin = frame.origin * (self.reach(&shape) / reach);
            let position = place + turn.transform_vector(&origin);
            let (rotation, motion) = (turn * frame.rotation, motion.clone());
            self.fixed.push(FixedBody { id, shape, material, position, rotation, motion });
        }
        Ok(())
    }

    /// The generator of the bodies of a group. A half-space gets the form of a sphere.
    fn generator(
        &self,
        bodies: &Bodies,
        shape: &FixedShape,
        material: MaterialId,
        at: &str,
    ) -> Result<Generator> {
        let form = match shape {
            FixedShape::HalfSpace => Form::from(Sphere { radius_m: 1.0 }),
            FixedShape::Shape(shape) => Form::new(*shape, &self.solids),
        };
        let reach = self.reach(shape);
        Ok(Generator {
            seed: self.scene.seed.wrapping_add(self.groups.len() as u64),
            first_id: self.next_id,
            placement: self.placement(&bodies.arrangement, reach, at)?,
            sizes: bodies.sizes.of_reach(reach),
            form,
            rotation: bodies.orientation.resolve(),
            velocities: match bodies.velocity {
                Velocity::Constant { m_per_s } => Velocities::Constant(m_per_s.into()),
                Velocity::Random { max_m_per_s } => Velocities::Random { most: max_m_per_s },
            },
            spin: bodies.angular_velocity_rad_per_s.into(),
            material,
            density: self.materials.density(material),
        })
    }

    fn placement(&self, arrangement: &Arrangement, reach: f64, at: &str) -> Result<Placement> {
        let lattice = |counts: [u32; 3], origin: [f64; 3], spacing: f64| Lattice {
            origin: origin.into(),
            spacing,
            counts,
        };
        Ok(match arrangement {
            Arrangement::At(places) => {
                Placement::Listed(places.iter().map(|&place| Start::at(place.into())).collect())
            }
            &Arrangement::Grid { count, origin_m, spacing_m } => {
                Placement::Grid(lattice(count, origin_m, spacing_m))
            }
            &Arrangement::Hexagonal { count, origin_m, spacing_m } => {
                Placement::Hexagonal(lattice(count, origin_m, spacing_m))
            }
            &Arrangement::Random { count, min_m, max_m } => {
                Placement::Random { count, low: min_m.into(), high: max_m.into() }
            }
            Arrangement::File(path) => {
                let starts = read::starts(&self.scene_dir.join(path), reach, self.scene.step_s())?;
                if starts.is_empty() {
                    let cause = format!("{path} has no body");
                    return Err(Error::input(format!("{at}.arrangement"), cause, "add a line"));
                }
                Placement::Listed(starts.into())
            }
        })
    }

    /// The radius of the ball that holds a shape, m. It is 1 m for a half-space.
    fn reach(&self, shape: &FixedShape) -> f64 {
        match shape {
            FixedShape::HalfSpace => 1.0,
            FixedShape::Shape(shape) => self.solids.reach(shape),
        }
    }

    /// Makes a solid for each size of a hull, mesh or compound. Bodies of the same size share it.
    ///
    /// # Errors
    /// If so many sizes would take too much memory.
    fn resize_solid(&mut self, generator: &mut Generator, at: &str) -> Result<()> {
        let Some(solid) = generator.form.solid() else { return Ok(()) };
        let corners = self.solids.get(solid).corners();
        let most = (MOST_CORNERS / corners).max(1);
        let Some(sizes) = generator.different_sizes(most) else {
            let cause = format!(
                "there are more than {most} different sizes, each with a copy of {corners} corners"
            );
            let remedy = format!(
                "write `sizes: Constant(..)`, or at most {most} different values of `size` in a file"
            );
            return Err(Error::input(format!("{at}.sizes"), cause, remedy));
        };
        generator.form = generator.form.clone().of_sizes(self.solids.resize(solid, &sizes));
        Ok(())
    }

    /// Fails if a centre is outside the domain: nobody would own it.
    fn check_inside(&self, generator: &Generator, at: &str) -> Result<()> {
        let Some(domain) = self.domain else { return Ok(()) };
        let (low, high) = (domain.low(), domain.high());
        let outside = generator
            .outermost()
            .find(|(_, x)| (0..3).any(|axis| !(low[axis] <= x[axis] && x[axis] <= high[axis])));
        let Some((number, x)) = outside else { return Ok(()) };
        let text = |x: &Vec3| format!("({}, {}, {})", x.x, x.y, x.z);
        let what = match number {
            Some(number) => format!("body {number} at {} m", text(&x)),
            None => format!("the corner {} m of its box", text(&x)),
        };
        let cause =
            format!("{what} is outside the domain, which is from {} to {}", text(low), text(high));
        Err(Error::input(format!("{at}.arrangement"), cause, "move it, or make the domain larger"))
    }

    fn walls(&mut self, domain: &Domain) -> Result<()> {
        let spec = &self.scene.domain;
        let material = match &spec.wall_material {
            Some(name) => self.scene.material_number("domain.wall_material", name)?,
            None => 0,
        };
        for (axis, border) in spec.borders.iter().enumerate() {
            let has_wall = match border {
                Border::Wall => [true, true],
                Border::Floor => [true, false],
                Border::Periodic | Border::Open => [false, false],
            };
            let sides = [(*domain.low(), 1.0), (*domain.high(), -1.0)];
            for (upper, (point, sign)) in sides.into_iter().enumerate().filter(|it| has_wall[it.0])
            {
                let normal = Vec3::ith(axis, sign);
                let (first_id, name) = (self.next_id, WALLS[2 * axis + upper].to_owned());
                self.fixed.push(FixedBody::half_space(first_id, material, point, normal));
                let movement = Movement::Immovable;
                self.groups.push(Group { name, first_id, count: 1, movement });
                self.next_id += 1;
            }
        }
        Ok(())
    }

    fn finish(self, domain: Domain) -> RigidSetup {
        let radii = self.generators.iter().map(|it| it.extent()[0]);
        let smallest = radii.fold(f64::INFINITY, f64::min);
        let settings = RigidSettings {
            contacts: ContactSettings {
                step_s: self.scene.step_s(),
                gravity: self.scene.gravity_m_per_s2.into(),
                penetration_correction: OVERLAP_CORRECTION,
            },
            margin_m: MARGIN * smallest,
            synchronisation: self.scene.synchronisation,
            response: self.scene.response,
        };
        RigidSetup {
            groups: self.groups,
            settings,
            domain,
            spec: self.scene.domain.clone(),
            fixed: FixedBodies::new(self.fixed),
            materials: self.materials,
            solids: self.solids,
            joints: Joints::default(),
            parallel: self.scene.parallel.clone(),
            generators: self.generators,
        }
    }
}

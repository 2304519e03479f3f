//! Rigid bodies in the step of cloth, with cloth or alone: what their fields may say there, and what
//! becomes of them. The step moves the free ones, and the others are obstacles.

use std::collections::HashSet;
use std::path::Path;

use crate::bodies::build::Builder;
use crate::bodies::joints::Joinable;
use crate::bodies::joints::among_cloth::joints;
use crate::bodies::setup::name_of;
use crate::bodies::spec::{DomainSpec, Parallel};
use crate::distances::DistanceTable;
use crate::spec::Scene;
use cloth_bodies::bodies::joints::body_joint::Second;
use cloth_bodies::bodies::prescribed::{Motion, ObstacleSetup, Transform};
use cloth_bodies::bodies::rigid::{Frame, MassProperties, RigidBody};
use cloth_bodies::bodies::{Body as _, Setup};
use cloth_bodies::contact::settings::DirtyStart;
use cloth_core::bounds::{LENGTH, within};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::{Plane, ShapeKind as _};
use cloth_core::mesh::{Mesh, ObjDocument, Topology};
use cloth_rigid::Shape;
use cloth_rigid::body::{Body, BodyState, MaterialId};
use cloth_rigid::fixed::{FixedBodies, FixedBody, FixedShape};
use cloth_rigid::surfaces::Surfaces;

/// The largest number of bodies. Every rank has all of them.
const MOST: f64 = 5000.0;

/// With more bodies than this that forces move, a run warns.
pub(crate) const MANY: usize = 300;

/// Half of the side of a half-space, in diagonals of the box around all that may fall on it.
const HALF_SIDE: f64 = 2.0;
/// The same in a scene without cloth, where bodies roll and slide far.
const HALF_SIDE_ALONE: f64 = 20.0;

impl Scene {
    /// Checks what concerns rigid bodies in a scene of cloth, and materials of surfaces.
    ///
    /// # Errors
    /// The first field that is out of bounds, or has no meaning beside cloth.
    pub(crate) fn validate_bodies_among_cloth(&self) -> Result<()> {
        let has_bodies = !self.bodies.is_empty();
        let are_divided = [
            ("domain", has_bodies && self.domain != DomainSpec::default()),
            ("synchronisation", has_bodies && self.synchronisation != Default::default()),
            ("response", has_bodies && self.response != Default::default()),
            ("parallel", self.parallel != Parallel::default()),
        ];
        if let Some((field, _)) = are_divided.into_iter().find(|(_, is_given)| *is_given) {
            return Err(self.refused_division(field));
        }
        if !self.joints.is_empty() && !has_bodies {
            let cause = "joints hold bodies together, and the scene has none";
            return Err(Error::input("joints", cause, "add `bodies`, or leave out the joints"));
        }
        if self.output.forces {
            let cause = "forces are written in scenes of bodies alone";
            return Err(Error::input("output.forces", cause, "leave it out"));
        }
        self.validate_materials()?;
        let materials = self.materials.iter().enumerate();
        let materials = materials.map(|(i, it)| ("materials", i, it.rolling_m));
        let pairs = self.material_pairs.iter().enumerate();
        let pairs = pairs.map(|(i, it)| ("material_pairs", i, it.rolling_m));
        if let Some((list, i, _)) = materials.chain(pairs).find(|it| it.2 != 0.0) {
            let cause = "the step of cloth knows no rolling resistance";
            return Err(Error::input(format!("{list}[{i}].rolling_m"), cause, "leave it out"));
        }
        self.validate_entries()?;
        if self.has_bodies_alone() {
            self.expect_free()?;
        }
        check_count(self.bodies.iter().map(|bodies| bodies.arrangement.count()).sum())
    }

    /// The error of a `field` that divides rigid bodies, in a scene that does not.
    fn refused_division(&self, field: &str) -> Error {
        let (cause, remedy) = match (self.bodies.is_empty(), self.cloths.is_empty()) {
            (true, _) => (
                "workers are for rigid bodies, and the scene has none",
                "leave it out: ranks share cloth by patches",
            ),
            (false, false) => (
                "this is for scenes of bodies alone: beside cloth, bodies are part of the step \
                 of cloth, on all ranks, in a space without borders",
                "leave it out: ranks share cloth by patches",
            ),
            (false, true) => (
                "with `engine: Contact`, bodies are on all ranks, in a space without borders",
                "leave it out; write a floor and walls as bodies, such as \
                 `(shape: HalfSpace, motion: Immovable, ..)`",
            ),
        };
        Error::input(field, cause, remedy)
    }
}

/// The materials of bodies, in the order of the surfaces that [`add`] adds.
#[derive(Default)]
pub(crate) struct BodyMaterials {
    /// Of the free bodies.
    pub free: Vec<MaterialId>,
    /// Of the bodies that are obstacles.
    pub fixed: Vec<MaterialId>,
}

/// Adds the bodies of a checked `scene` to `setup`, which has its cloths and obstacles: free ones
/// as rigid bodies, the others as obstacles. Paths are relative to `scene_dir`.
///
/// # Errors
/// A file that is missing or unsound, a surface that is not closed, too many bodies.
pub(crate) fn add(
    scene: &Scene,
    scene_dir: &Path,
    distances: &DistanceTable,
    setup: &mut Setup,
) -> Result<BodyMaterials> {
    if scene.bodies.is_empty() {
        return Ok(BodyMaterials::default());
    }
    let made = Builder::of(scene, scene_dir, None)?;
    let listed = made.generators.iter().map(|generator| generator.count() as f64);
    check_count(listed.sum::<f64>() + made.fixed.len() as f64)?;
    let surfaces = Surfaces::new(&made.solids);
    let mut materials = BodyMaterials::default();
    for (generator, shape_rotation) in made.generators.iter().zip(&made.shape_rotations) {
        for body in (0..generator.count()).map(|number| generator.body(number)) {
            let entry = made.groups.partition_point(|group| group.first_id <= body.id) - 1;
            let at = format!("bodies[{entry}].shape.radius_m");
            check_radius(at, &body.shape, distances.most_m(body.material))?;
            let diameter_m = 2.0 * made.solids.reach(&body.shape);
            check_diameter(entry, diameter_m, scene.contact.clearance_m)?;
            let rigid = rigid_body(&name_of(&made.groups, body.id), &body, &surfaces);
            setup.bodies.push(rigid.of_shape(*shape_rotation));
            materials.free.push(body.material);
        }
    }
    let (corners, half_side) = (corners(setup), half_side(scene));
    for body in &made.fixed {
        let name = name_of(&made.groups, body.id);
        setup.obstacles.push(obstacle(name, body, &surfaces, (corners, half_side)));
        materials.fixed.push(body.material);
    }
    check_built(setup)?;
    let fixed = FixedBodies::new(made.fixed);
    let joinable = Joinable { groups: &made.groups, generators: &made.generators, fixed: &fixed };
    setup.joints = joints(scene, scene_dir, &joinable, setup)?;
    match scene.contact.dirty_start {
        DirtyStart::Refuse => check_above(setup, &fixed)?,
        DirtyStart::Allow => {}
    }
    Ok(materials)
}

fn check_count(count: f64) -> Result<()> {
    if count <= MOST {
        return Ok(());
    }
    let cause = format!("{count} bodies are too many, because every rank has all");
    let remedy = format!("ask for at most {MOST}, or leave out the cloths and `engine: Contact`");
    Err(Error::input("bodies", cause, remedy))
}

/// Fails if a body of entry `entry` is so small that it is lost in the smallest gap.
fn check_diameter(entry: usize, diameter_m: f64, clearance_m: f64) -> Result<()> {
    if diameter_m >= clearance_m {
        return Ok(());
    }
    let cause = format!(
        "a body of {diameter_m:.2e} m across is smaller than contact.clearance_m, {clearance_m} m"
    );
    let remedy = "make it larger, or lower `contact.clearance_m` and `contact.distance_m`";
    Err(Error::input(format!("bodies[{entry}].shape"), cause, remedy))
}

/// Fails if a body starts too far away to compute with, or two surfaces have the same name.
fn check_built(setup: &Setup) -> Result<()> {
    let [low, high] = corners(setup);
    within("bodies", low.amax().max(high.amax()), LENGTH)?;
    let cloths = setup.cloths.iter().map(|cloth| cloth.name.as_str());
    let obstacles = setup.obstacles.iter().map(|obstacle| obstacle.name.as_str());
    let mut known = HashSet::new();
    for name in cloths.chain(setup.bodies.iter().map(|body| body.name())).chain(obstacles) {
        if !known.insert(name) {
            let cause = format!("two objects have the name `{name}`");
            return Err(Error::input("bodies", cause, "give each its own name"));
        }
    }
    Ok(())
}

/// The surface of a shape in its own frame, m.
fn own_mesh(shape: &Shape, surfaces: &Surfaces) -> Mesh {
    let positions = surfaces.positions(shape, &BodyState::AT_REST);
    Mesh { positions, faces: surfaces.faces(shape) }
}

fn rigid_body(name: &str, body: &Body, surfaces: &Surfaces) -> RigidBody {
    let BodyState { position, rotation, twist } = body.state;
    let properties = MassProperties { mass: body.mass, inertia: body.inertia };
    let frame = Frame { origin: position, rotation };
    let rigid = RigidBody::with_mass(name, own_mesh(&body.shape, surfaces), properties, frame)
        .moving(twist.linear, twist.angular);
    match axis(&body.shape) {
        Some(ends) => rigid.round(ends, body.shape.margin()),
        None => rigid,
    }
}

/// The centre of a ball, or the ends of the axis of a capsule, in its own frame (m). None for any
/// other shape.
fn axis(shape: &Shape) -> Option<Vec<Vec3>> {
    match shape {
        Shape::Sphere(_) => Some(vec![Vec3::zeros()]),
        Shape::Capsule(capsule) => {
            let end = Vec3::y() * capsule.half_length();
            Some(vec![end, -end])
        }
        _ => None,
    }
}

/// Fails if a round body is so small that contacts would not keep it off what it touches.
fn check_radius(at: String, shape: &Shape, distance_m: f64) -> Result<()> {
    let radius_m = shape.margin();
    if axis(shape).is_none() || radius_m >= distance_m {
        return Ok(());
    }
    let cause =
        format!("the radius of {radius_m} m is less than the contact distance of {distance_m} m");
    let remedy = "make it larger, or lower `contact.distance_m`, or that of its material";
    Err(Error::input(at, cause, remedy))
}

/// Fails if a body of `setup` starts below a half-space. The last obstacles are the `fixed` bodies.
fn check_above(setup: &Setup, fixed: &FixedBodies) -> Result<()> {
    let first = setup.obstacles.len() - fixed.bodies().len();
    for (place, _) in (0..).zip(fixed.bodies()).filter(|(_, it)| it.shape == FixedShape::HalfSpace)
    {
        let (BodyState { position, rotation, .. }, obstacle) =
            (fixed.state_at(place), first + place as usize);
        let normal = rotation * Vec3::y();
        let is_held = |body: usize| {
            let joints = setup.joints.iter().filter(|joint| !joint.settings.collide);
            let mut seconds = joints.filter(|joint| joint.first == body).map(|joint| joint.second);
            seconds.any(|second| second == Second::Obstacle(obstacle))
        };
        let is_below = |&(number, body): &(usize, &RigidBody)| {
            let mut x = vec![Vec3::zeros(); body.vertex_count()];
            body.place(&body.start().0, &mut x);
            x.iter().all(|x| normal.dot(&(x - position)) < -body.radius_m()) && !is_held(number)
        };
        if let Some((_, body)) = setup.bodies.iter().enumerate().find(is_below) {
            let floor = &setup.obstacles[obstacle].name;
            let cause = format!("`{}` starts below the half-space `{floor}`", body.name());
            let remedy = "move it above, turn the half-space over, or go on with \
                          contact.dirty_start: Allow";
            return Err(Error::input("bodies", cause, remedy));
        }
    }
    Ok(())
}

/// Half of the side of half-spaces of `scene`, in diagonals.
fn half_side(scene: &Scene) -> f64 {
    if scene.has_bodies_alone() { HALF_SIDE_ALONE } else { HALF_SIDE }
}

/// The obstacle of a body that forces do not move. The square of a half-space is about the box
/// between `corners` (m), and has `half_side` diagonals of it.
fn obstacle(
    name: String,
    body: &FixedBody,
    surfaces: &Surfaces,
    (corners, half_side): ([Vec3; 2], f64),
) -> ObstacleSetup {
    let rotation = body.rotation.to_rotation_matrix().into_inner();
    let (mesh, translation) = match &body.shape {
        FixedShape::Shape(shape) => (own_mesh(shape, surfaces), body.position),
        FixedShape::HalfSpace => square(body.position, rotation * Vec3::y(), corners, half_side),
    };
    ObstacleSetup {
        name,
        document: ObjDocument::from_triangles(mesh.positions.clone(), &mesh.faces),
        topology: Topology::of_any(&mesh.faces),
        shape: mesh.positions,
        faces: mesh.faces,
        placement: Transform { rotation, translation, ..Transform::default() },
        motion: body.motion.clone().map(Motion::Keyframes),
        yields: None,
    }
}

/// A square in the plane through `point` (m) across `normal`, and its middle, which is below the
/// middle of the box between `corners` (m). Half of its side has `half_side` diagonals.
fn square(point: Vec3, normal: Vec3, [low, high]: [Vec3; 2], half_side: f64) -> (Mesh, Vec3) {
    let middle = 0.5 * (low + high);
    let foot = middle - normal * normal.dot(&(middle - point));
    let side = 2.0 * half_side * ((high - low).norm() + (middle - foot).norm());
    (Plane { width_m: side, length_m: side, edge_m: None }.mesh(), foot)
}

/// The corners of the box around all cloths and bodies at the start, m.
fn corners(setup: &Setup) -> [Vec3; 2] {
    let mut corners = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    let mut grow = |x: &Vec3| corners = [corners[0].inf(x), corners[1].sup(x)];
    setup.cloths.iter().flat_map(|cloth| &cloth.positions).for_each(&mut grow);
    for body in &setup.bodies {
        body.shown(&body.start().0).iter().for_each(&mut grow);
    }
    corners
}

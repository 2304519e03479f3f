//! The objects of a run, and the triangles of a frame.

use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::{ShapeKind, Sphere};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::program::picture::creases::{creased, smooth};
use crate::program::picture::modes::homes;
use crate::program::picture::{
    Camera, Colouring, Look, Model, Pose, ShadedSurface, Vertex, colours, joints,
};
use crate::program::view::bodies::ABSENT;
use crate::program::view::{Bounds, FrameBlock, JointHead, ObjectHead, Role, ShapeHead, Still};

/// Cosines of the angles between faces at which a crease is seen: 0.6 and 0.5 radians.
const OF_OBSTACLES: f64 = 0.825;
const OF_BODIES: f64 = 0.878;
/// Every edge is a crease.
const ALL: f64 = 1.0 - 1e-9;

/// An obstacle that moves and has fewer faces than this is mostly a box, which has edges.
const FEW: usize = 100;

/// A cloth or an obstacle.
pub struct Object {
    /// What a page says of it.
    pub head: ObjectHead,
    faces: Vec<[u32; 3]>,
    /// Its first vertex among all that move.
    first: usize,
    /// Its surface, if it stands still.
    standing: Option<ShadedSurface>,
    /// The box around it, if it stands still.
    pub around: Option<Bounds>,
}

/// The objects of a run, and the shapes of its bodies.
pub struct Parts {
    /// Cloths and obstacles.
    pub objects: Vec<Object>,
    /// Whether obstacles are drawn as glass.
    pub is_glass: bool,
    still: Still,
    shapes: Vec<ShadedSurface>,
}

impl Parts {
    /// The objects of a run.
    pub fn new(still: Still) -> Self {
        let count = still.bodies.count;
        let shapes = still.shapes.iter().map(|it| surface_of(it, count)).collect();
        Self { objects: objects(&still), is_glass: false, still, shapes }
    }

    /// Obstacles that stand still and are no walls, with the boxes around them.
    pub fn standing(&self) -> impl Iterator<Item = &Bounds> {
        let standing = self.objects.iter().filter(|it| it.head.role == Role::Obstacle);
        standing.filter_map(|it| it.around.as_ref())
    }

    /// Whether the run has bodies.
    pub fn has_bodies(&self) -> bool {
        self.still.bodies.count > 0
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.still.joints.len()
    }

    /// Where joints hold to what stands still.
    pub fn anchors(&self) -> impl Iterator<Item = Vec3> {
        let is_still = |it: &&JointHead| it.bodies[1].is_none();
        self.still.joints.iter().filter(is_still).filter_map(|it| it.points[1].map(Vec3::from))
    }

    /// Adds the joints of `frame` as `camera` sees them.
    pub fn add_joints(&self, frame: &FrameBlock, camera: &Camera, model: &mut Model) {
        let poses = poses(frame);
        joints::add(&self.still.joints, |body| *poses.get(body)?, camera, model);
    }

    /// The largest distance of a vertex of a body from its centre, m.
    pub fn largest_body(&self) -> f64 {
        let reach = |it: &ShadedSurface| it.positions.iter().map(Vec3::norm).fold(0.0, f64::max);
        let reaches = Vec::from_iter(self.shapes.iter().map(reach));
        let sizes = self.bodies().map(|(shape, scale)| scale.max() * reaches[shape]);
        sizes.fold(0.0, f64::max)
    }

    /// The shape of each body and its factors along x, y and z.
    fn bodies(&self) -> impl Iterator<Item = (usize, Vec3)> {
        let each = &self.still.bodies.of_each;
        let scales = each.f32("scale").chunks_exact(3);
        let scales = scales.map(|it| Vec3::new(it[0].into(), it[1].into(), it[2].into()));
        // A run without a shape has no body that is seen.
        let shapes = each.u16("shape").iter().filter(|_| !self.shapes.is_empty());
        shapes.map(|&it| usize::from(it)).zip(scales)
    }

    /// The triangles of `frame`.
    pub fn model(&self, frame: &FrameBlock, colouring: &Colouring) -> Model {
        let mut model = Model::default();
        let moving = frame.bounds.positions(frame.arrays.u16("positions"));
        for object in &self.objects {
            self.add_object(object, &moving, frame, colouring, &mut model);
        }
        self.add_bodies(frame, colouring, &mut model);
        model
    }

    fn add_object(
        &self,
        object: &Object,
        moving: &[Vec3],
        frame: &FrameBlock,
        colouring: &Colouring,
        model: &mut Model,
    ) {
        let Object { head, faces, first, standing, .. } = object;
        let is_cloth = head.role == Role::Cloth;
        let own = || moving[*first..*first + head.vertices].to_vec();
        let moved = match standing {
            Some(_) => None,
            None if !is_cloth && faces.len() < FEW => Some(creased(&own(), faces, ALL)),
            None => Some(smooth(own(), faces.clone())),
        };
        let Some(surface) = standing.as_ref().or(moved.as_ref()) else { return };
        let look = match head.role {
            Role::Cloth => Look::Cloth,
            Role::Wall => Look::Wall,
            Role::Obstacle if self.is_glass => Look::Glass,
            Role::Obstacle => Look::Solid,
        };
        let plain = colours::hex(colours::OBSTACLE);
        let colours = match is_cloth {
            true => colouring.of_cloth(frame, head, *first),
            false => vec![plain; surface.positions.len()],
        };
        let vertices = surface.positions.iter().zip(&surface.normals).zip(colours);
        let vertex = |((&position, &normal), colour)| Vertex { position, normal, colour };
        model.add(vertices.map(vertex), &surface.faces, look);
    }

    /// Adds all bodies that are in the frame.
    fn add_bodies(&self, frame: &FrameBlock, colouring: &Colouring, model: &mut Model) {
        let poses = poses(frame);
        let colours = colouring.of_bodies(frame, poses.len());
        for ((shape, scale), (pose, &colour)) in self.bodies().zip(poses.iter().zip(&colours)) {
            let Some(Pose { centre, turn }) = pose.filter(|_| scale.max() > 0.0) else { continue };
            let surface = &self.shapes[shape];
            let vertex = |(x, normal): (&Vec3, &Vec3)| Vertex {
                position: centre + turn * x.component_mul(&scale),
                // Of a surface that is stretched, normals are stretched by the inverse.
                normal: (turn * normal.component_div(&scale))
                    .try_normalize(0.0)
                    .unwrap_or_default(),
                colour,
            };
            let pairs = surface.positions.iter().zip(&surface.normals);
            model.add(pairs.map(vertex), &surface.faces, Look::Solid);
        }
    }
}

/// The pose of each body; none of a body that is not in the frame.
fn poses(frame: &FrameBlock) -> Vec<Option<Pose>> {
    let centres = frame.bounds.positions(frame.arrays.u16("centres"));
    let (turns, homes, count) = (frame.arrays.u16("turns"), homes(frame), centres.len());
    let pose = |(body, centre)| {
        let part = |at: usize| f64::from(turns[at * count + body]) / 32767.5 - 1.0;
        let turn = Quaternion::new(part(3), part(0), part(1), part(2));
        let is_here = homes.get(body) != Some(&ABSENT);
        let turn = UnitQuaternion::from_quaternion(turn);
        is_here.then_some(Pose { centre, turn })
    };
    centres.into_iter().enumerate().map(pose).collect()
}

fn objects(still: &Still) -> Vec<Object> {
    let fixed = positions(still.surfaces.f32("fixed"));
    let all_faces = faces(still.surfaces.u32("faces"));
    let (mut face, mut moving, mut standing) = (0, 0, 0);
    let object = |head: &ObjectHead| {
        let faces = all_faces[face..face + head.faces].to_vec();
        face += head.faces;
        let count = if head.moves { &mut moving } else { &mut standing };
        let first = *count;
        *count += head.vertices;
        let own = (!head.moves).then(|| &fixed[first..*count]);
        Object {
            head: head.clone(),
            standing: own.map(|own| creased(own, &faces, OF_OBSTACLES)),
            around: own.filter(|own| !own.is_empty()).map(|own| Bounds::around(own.iter())),
            faces,
            first,
        }
    };
    still.objects.iter().map(object).collect()
}

/// A shape of bodies. Balls of many bodies have fewer triangles.
fn surface_of(shape: &ShapeHead, count: usize) -> ShadedSurface {
    if shape.is_ball {
        let edge_m = match count {
            ..300 => 0.16,
            300..2000 => 0.28,
            2000..20_000 => 0.56,
            _ => 1.2,
        };
        let mesh = Sphere { radius_m: 1.0, edge_m: Some(edge_m) }.mesh();
        let normals = Vec::from_iter(mesh.positions.iter().map(Vec3::normalize));
        return ShadedSurface { positions: normals.clone(), normals, faces: mesh.faces };
    }
    let positions = positions(shape.surface.f32("positions"));
    creased(&positions, &faces(shape.surface.u32("faces")), OF_BODIES)
}

fn positions(numbers: &[f32]) -> Vec<Vec3> {
    let position = |x: &[f32]| Vec3::new(x[0].into(), x[1].into(), x[2].into());
    numbers.chunks_exact(3).map(position).collect()
}

fn faces(corners: &[u32]) -> Vec<[u32; 3]> {
    corners.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect()
}

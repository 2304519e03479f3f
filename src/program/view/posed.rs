//! Rigid bodies among cloth in a page: shapes, and their poses in each frame.

use cloth_bodies::bodies::BodyPose;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

use crate::program::check::surfaces::CheckedRun;
use crate::program::output::tables;
use crate::program::view::stage::place_of;
use crate::program::view::{Arrays, BodiesHead, Bounds, FrameBlock, ShapeHead};

/// Shapes count as the same if no vertex differs by more than this, m.
const SAME_M: f64 = 1e-6;

/// The rigid bodies among the cloths of a run.
pub struct Posed {
    /// Each shape in its own frame (m), and its faces.
    shapes: Vec<(Vec<Vec3>, Vec<[u32; 3]>)>,
    /// Of each body, its shape.
    shape: Vec<u16>,
    /// The names of the groups.
    groups: Vec<String>,
    /// Of each body, its group.
    group: Vec<u16>,
}

impl Posed {
    /// Reads the shapes of the `count` bodies from the first frame that has poses.
    ///
    /// # Errors
    /// A run without such a frame.
    pub fn read(run: &CheckedRun, count: usize) -> Result<Self> {
        let record = &run.record;
        let mut fault = "it has no frame".to_owned();
        for number in record.frames.clone() {
            let poses = tables::read_poses(&record.folder, number);
            match poses.and_then(|poses| Ok((run.frame(number)?.surfaces, poses))) {
                Ok((surfaces, poses)) if poses.len() == count => {
                    return Ok(Self::of(run, &surfaces, &poses));
                }
                Ok(_) => fault = format!("frame {number} has another number of bodies"),
                Err(why) => fault = why,
            }
        }
        let cause = format!("no frame has the poses of the bodies: {fault}");
        Err(Error::file(&record.folder, cause, "repeat the run"))
    }

    fn of(run: &CheckedRun, surfaces: &[Vec<Vec3>], poses: &[BodyPose]) -> Self {
        let cloths = run.record.scene.cloths.len();
        let mut all =
            Self { shapes: Vec::new(), shape: Vec::new(), groups: Vec::new(), group: Vec::new() };
        for (at, pose) in (cloths..).zip(poses) {
            let surface = &run.surfaces.list[at];
            let back = pose.rotation.inverse();
            let own = surfaces[at].iter().map(|x| back.transform_vector(&(x - pose.centre)));
            let faces = surface.faces.iter().map(|it| it.map(|v| v - surface.first_vertex));
            let own: (Vec<Vec3>, Vec<[u32; 3]>) = (own.collect(), faces.collect());
            all.shape.push(place_of(&mut all.shapes, own, |(a, of_a), (b, of_b)| {
                of_a == of_b && a.iter().zip(b).all(|(a, b)| (a - b).amax() < SAME_M)
            }));
            let name = &run.objects[at].name;
            let group = name.split_once('[').map_or(name.as_str(), |(group, _)| group);
            all.group.push(place_of(&mut all.groups, group.to_owned(), String::eq));
        }
        all
    }

    /// Number of bodies.
    pub fn count(&self) -> usize {
        self.shape.len()
    }

    /// What stays the same of `bodies`, if there are any.
    pub fn heads(bodies: Option<&Self>) -> (Vec<ShapeHead>, BodiesHead) {
        let mut of_each = Arrays::default();
        let Some(Self { shapes, shape, groups, group }) = bodies else {
            let none = BodiesHead { groups: Vec::new(), count: 0, of_each };
            return (Vec::new(), none);
        };
        let heads = shapes.iter().map(|(own, faces)| ShapeHead::new(false, own, faces));
        of_each.add_u16("shape", shape.clone());
        of_each.add_u16("group", group.clone());
        of_each.add_f32("scale", vec![1.0; 3 * shape.len()]);
        let (groups, count) = (groups.clone(), shape.len());
        (heads.collect(), BodiesHead { groups, count, of_each })
    }

    /// Adds the `poses` of all bodies to `frame`.
    ///
    /// # Errors
    /// Another number of poses.
    pub fn add(
        &self,
        poses: &[BodyPose],
        bounds: &Bounds,
        frame: &mut FrameBlock,
    ) -> std::result::Result<(), String> {
        if poses.len() != self.count() {
            return Err(format!("{} poses of {} bodies", poses.len(), self.count()));
        }
        let centres = Vec::from_iter(poses.iter().map(|pose| pose.centre));
        frame.arrays.add_u16("centres", bounds.shares(&centres));
        let turns = poses.iter().map(|pose| <[f64; 4]>::from(pose.rotation.coords));
        frame.arrays.add_u16("turns", in_16_bits(turns));
        let speeds = Vec::from_iter(poses.iter().map(|pose| pose.velocity.norm()));
        frame.add_values("body_speed", &speeds);
        Ok(())
    }
}

/// The components x, y, z and w of unit quaternions: all x, then all y, all z and all w. 0 stands
/// for -1, and 65535 for 1.
pub fn in_16_bits(turns: impl Iterator<Item = [f64; 4]> + Clone) -> Vec<u16> {
    let half = f64::from(u16::MAX) / 2.0;
    // The conversion saturates.
    let share = |number: f64| ((number + 1.0) * half).round() as u16;
    let component = |at: usize| turns.clone().map(move |turn| share(turn[at]));
    (0..4).flat_map(component).collect()
}

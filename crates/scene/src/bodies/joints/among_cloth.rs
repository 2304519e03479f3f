//! Joints in a scene of cloth.

use std::path::Path;

use crate::bodies::joints::check::Listed;
use crate::bodies::joints::joinable::Joinable;
use crate::bodies::joints::spec::{DriveKeyframe, HingeDrive};
use crate::spec::Scene;
use cloth_bodies::bodies::joints::JointFrame;
use cloth_bodies::bodies::joints::body_joint::{BodyJoint, Drive, DriveKey, Second};
use cloth_bodies::bodies::prescribed::Motion;
use cloth_bodies::bodies::{Body as _, BodyPose, Setup};
use cloth_core::error::{Error, Result};
use cloth_rigid::body::{BodyId, BodyState};
use cloth_rigid::constraint::joint;

/// The joints of `scene`. The last obstacles of `setup` are the fixed bodies of `bodies`. Paths are
/// relative to `scene_dir`.
///
/// # Errors
/// As for [`Joinable::joints`].
pub(crate) fn joints(
    scene: &Scene,
    scene_dir: &Path,
    bodies: &Joinable,
    setup: &Setup,
) -> Result<Vec<BodyJoint>> {
    let free = bodies.generators.iter().flat_map(|it| (0..it.count()).map(|n| it.first_id + n));
    let free = Vec::from_iter(free);
    let all = bodies.joints(scene, scene_dir)?;
    all.iter().map(|listed| joint(listed, scene, &free, bodies, setup)).collect()
}

fn joint(
    listed: &Listed,
    scene: &Scene,
    free: &[BodyId],
    bodies: &Joinable,
    setup: &Setup,
) -> Result<BodyJoint> {
    let Listed { joint, at, spec } = listed;
    let number = |id: BodyId| {
        free.binary_search(&id).map_err(|_| Error::internal(at, format!("body {id} is unknown")))
    };
    let first = number(joint.first)?;
    let first_frame = on_body(setup, first, &joint.frames[0], bodies, joint.first)?;
    let (second, second_frame) = match joint.second {
        joint::Second::Movable(id) => {
            let number = number(id)?;
            (Second::Body(number), on_body(setup, number, &joint.frames[1], bodies, id)?)
        }
        joint::Second::Space => (Second::Space, joint.frames[1]),
        joint::Second::Fixed(place) => {
            let state = bodies.fixed.state_at(place);
            let obstacle = setup.obstacles.len() - bodies.fixed.bodies().len() + place as usize;
            on_obstacle(setup, obstacle, &joint.frames[1], state)
        }
    };
    let drive = scene.joints[*spec].kind.drive().map(HingeDrive::resolve);
    Ok(BodyJoint {
        first,
        second,
        frames: [first_frame, second_frame],
        settings: joint.settings,
        drive,
    })
}

/// A frame on a body of few nodes, relative to its pose, from that in the own frame of body `id`.
fn on_body(
    setup: &Setup,
    number: usize,
    frame: &JointFrame,
    bodies: &Joinable,
    id: BodyId,
) -> Result<JointFrame> {
    let state =
        bodies.start_of(id).ok_or_else(|| Error::internal("joints", "a joint of no body"))?;
    let (point, rotation) = frame.at(&state.position, &state.rotation);
    let (coordinates, u) = setup.bodies[number].start();
    let pose = setup.bodies[number].pose(&coordinates, &u).unwrap_or(BodyPose::AT_REST);
    Ok(JointFrame::of((&pose.centre, &pose.rotation), &point, &rotation))
}

/// The second body and its frame in the scene before any motion, if it is obstacle `number`, which
/// is in this `state` at t = 0.
fn on_obstacle(
    setup: &Setup,
    number: usize,
    frame: &JointFrame,
    state: &BodyState,
) -> (Second, JointFrame) {
    let (point, rotation) = frame.at(&state.position, &state.rotation);
    let Some(Motion::Keyframes(motion)) = &setup.obstacles[number].motion else {
        return (Second::Obstacle(number), JointFrame { point, rotation });
    };
    let back = motion.at(0.0).inverse();
    let frame = BodyJoint::moved(&JointFrame { point, rotation }, &back);
    (Second::Obstacle(number), frame)
}

impl HingeDrive {
    fn resolve(&self) -> Drive {
        let key = |key: &DriveKeyframe| DriveKey {
            time_s: key.time_s,
            angle: key.angle_deg.to_radians(),
        };
        Drive {
            stiffness: self.stiffness_n_m_per_rad,
            damping: self.damping_n_m_s_per_rad,
            keys: self.keyframes.iter().map(key).collect(),
        }
    }
}

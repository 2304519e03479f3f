//! `poses_<frame>.csv`: the rigid bodies among cloth, beside the frame: a row for each.
//!
//! | column | |
//! |---|---|
//! | `body` | its name |
//! | `x`, `y`, `z` | centre of mass, m |
//! | `qw`, `qx`, `qy`, `qz` | rotation of its shape, a unit quaternion |
//! | `vx`, `vy`, `vz` | velocity of the centre of mass, m/s |
//! | `wx`, `wy`, `wz` | angular velocity, rad/s |
//!
//! Numbers have as many digits as the same `f64` needs.

use std::io::{self, Write};

use cloth_sim::bodies::BodyPose;

/// Writes the poses of the bodies with these `names`.
///
/// # Errors
/// The errors of `out`.
pub fn write(names: &[String], poses: &[BodyPose], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record([
        "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
    ])?;
    for (name, pose) in names.iter().zip(poses) {
        let BodyPose { centre, rotation: q, velocity, angular_velocity } = pose;
        let place = centre.iter().copied().chain([q.w, q.i, q.j, q.k]);
        let numbers = place.chain(velocity.iter().chain(angular_velocity.iter()).copied());
        let numbers = numbers.map(|number| format!("{number:?}"));
        table.write_record(std::iter::once(name.clone()).chain(numbers))?;
    }
    table.flush()
}

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
use std::path::Path;

use cloth_bodies::bodies::BodyPose;
use cloth_core::input;
use nalgebra::{Quaternion, Unit};

use crate::program::output::names;

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

/// Reads the poses beside frame `number` in `folder`, in the order of the file.
///
/// # Errors
/// A file that is missing or damaged. The message names it.
pub fn read(folder: &Path, number: u64) -> Result<Vec<BodyPose>, String> {
    let file = names::beside(names::POSES, number);
    let bytes = input::read(&folder.join(&file), input::DATA_LIMIT)
        .map_err(|cause| format!("{file}: {cause}"))?;
    let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize();
    let pose = |row: csv::Result<(String, [f64; 13])>| {
        let (_, [x, y, z, w, i, j, k, velocity @ .., p, q, r]) =
            row.map_err(|cause| format!("{file}: {cause}"))?;
        Ok(BodyPose {
            centre: [x, y, z].into(),
            rotation: Unit::new_unchecked(Quaternion::new(w, i, j, k)),
            velocity: velocity.into(),
            angular_velocity: [p, q, r].into(),
        })
    };
    rows.map(pose).collect()
}

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec3;
    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn poses_are_read_back_as_they_were_written() {
        let pose = BodyPose {
            centre: Vec3::new(0.1, -2.0, 1e-300),
            rotation: UnitQuaternion::from_scaled_axis(Vec3::new(0.3, 0.2, -0.1)),
            velocity: Vec3::new(1.0 / 3.0, 0.0, 5.0),
            angular_velocity: Vec3::new(7.0, 8.0, 9.5),
        };
        let folder = tempfile::tempdir().unwrap();
        let mut file = Vec::new();
        write(&["plate[0]".to_owned()], &[pose], &mut file).unwrap();
        let path = folder.path().join(names::beside(names::POSES, 3));
        std::fs::write(&path, &file).unwrap();
        assert_eq!(read(folder.path(), 3).unwrap(), [pose]);
        std::fs::write(&path, &file[..file.len() - 20]).unwrap();
        let error = read(folder.path(), 3).unwrap_err();
        assert!(error.contains("poses_0003.csv"), "{error}");
    }
}

//! Tables of a run: one of its partition, and others beside its frames, a file for each frame.
//!
//! | file | a row for each | |
//! |---|---|---|
//! | `partition.csv` | vertex of cloth | its patch, and the rank of the patch at the start |
//! | `owners_<frame>.csv` | run of ids with the same owner | `first_id,last_id,rank` |
//! | `workers_<frame>.csv` | movable body | home and workers in the step before the frame |
//! | `contacts_<frame>.csv`, `joints_<frame>.csv` | contact, joint | the mean forces of the step before the frame |
//! | `poses_<frame>.csv` | rigid body among cloth | name; centre of mass, m; rotation of its shape, a unit quaternion; its velocity, m/s; its angular velocity, rad/s |
//!
//! Owners depend on the number of ranks and the division, so they are no part of the frame. An id
//! between two rows is of no body. Bodies that keyframes move are not in the table. Workers and
//! forces depend on the scene alone, not on ranks. The last two columns of workers are lists with
//! `;` between their entries: `7,0,0;2,0.4;0.6`. Points, normals and gaps are those of the middle
//! of the step. Forces act on the first body, and the opposite ones on the second. Numbers of poses
//! have as many digits as the same `f64` needs.

use std::io::{self, Write};
use std::path::Path;

use cloth_bodies::bodies::BodyPose;
use cloth_core::error;
use cloth_core::input;
use cloth_core::partition::Partition;
use cloth_rigid::simulation::{ContactForce, JointForce};
use cloth_rigid::{BodyId, FrameBody};
use cloth_workers::report::Share;
use nalgebra::{Quaternion, Unit};
use serde::de::DeserializeOwned;

use crate::program::output::{names, not_written, write_whole};

/// Writes patch and rank of the first `count` vertices, those of cloth, into `folder`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_partition(folder: &Path, partition: &Partition, count: usize) -> error::Result<()> {
    let file = folder.join(names::PARTITION);
    let write = |out: &mut dyn Write| {
        let mut table = csv::Writer::from_writer(out);
        table.write_record(["vertex", "patch", "rank"])?;
        for (vertex, &patch) in partition.patches.of_vertex[..count].iter().enumerate() {
            table.serialize((vertex, patch, partition.rank_of_patch[patch as usize]))?;
        }
        table.flush()
    };
    write_whole(&file, write).map_err(|cause| not_written(&file, cause))
}

/// Writes the owners of `rows`, which are in the order of ids.
///
/// # Errors
/// The errors of `out`.
pub fn write_owners(rows: &[FrameBody], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["first_id", "last_id", "rank"])?;
    let movable = Vec::from_iter(rows.iter().filter(|row| row.fixed == 0));
    for run in movable.chunk_by(|a, b| a.owner == b.owner && a.id + 1 == b.id) {
        if let [first, ..] = run {
            table.serialize((first.id, first.id + run.len() as u64 - 1, first.owner))?;
        }
    }
    table.flush()
}

/// Writes the workers of `rows`, which are in the order of ids. `shares` has what each worker said,
/// in the same order. The owner of a body is its home.
///
/// # Errors
/// The errors of `out`.
pub fn write_workers(rows: &[FrameBody], shares: &[Share], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["id", "home", "workers", "weights"])?;
    let mut shares = shares.chunk_by(|a, b| a.id == b.id).peekable();
    for row in rows.iter().filter(|row| row.fixed == 0) {
        let of_row = shares.next_if(|of_body| of_body[0].id == row.id).unwrap_or(&[]);
        let list = |entry: fn(&Share) -> String| Vec::from_iter(of_row.iter().map(entry)).join(";");
        let (workers, weights) =
            (list(|it| it.worker.to_string()), list(|it| it.weight.to_string()));
        table.serialize((row.id, row.owner, workers, weights))?;
    }
    table.flush()
}

/// Writes a row for each contact.
///
/// # Errors
/// The errors of `out`.
pub fn write_contacts(contacts: &[ContactForce], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let head =
        "first,second,x_m,y_m,z_m,normal_x,normal_y,normal_z,force_x_n,force_y_n,force_z_n,gap_m";
    table.write_record(head.split(','))?;
    for ContactForce { bodies, point, normal, force, gap, .. } in contacts {
        table.serialize((bodies, [point, normal, force].map(|it| [it.x, it.y, it.z]), gap))?;
    }
    table.flush()
}

/// Writes a row for each joint. Space has no number.
///
/// # Errors
/// The errors of `out`.
pub fn write_joints(joints: &[JointForce], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let head =
        "joint,first,second,force_x_n,force_y_n,force_z_n,torque_x_n_m,torque_y_n_m,torque_z_n_m";
    table.write_record(head.split(','))?;
    for JointForce { joint, bodies: [first, second], force, torque } in joints {
        let second = (*second != BodyId::MAX).then_some(second);
        table.serialize((joint, first, second, [force, torque].map(|it| [it.x, it.y, it.z])))?;
    }
    table.flush()
}

/// Writes the poses of the bodies with these `names`.
///
/// # Errors
/// The errors of `out`.
pub fn write_poses(names: &[String], poses: &[BodyPose], out: &mut dyn Write) -> io::Result<()> {
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
pub fn read_poses(folder: &Path, number: u64) -> Result<Vec<BodyPose>, String> {
    let pose = |(_, numbers): (String, [f64; 13])| {
        let [x, y, z, w, i, j, k, velocity @ .., p, q, r] = numbers;
        BodyPose {
            centre: [x, y, z].into(),
            rotation: Unit::new_unchecked(Quaternion::new(w, i, j, k)),
            velocity: velocity.into(),
            angular_velocity: [p, q, r].into(),
        }
    };
    let rows = read_rows(folder, &names::beside(names::POSES, number))?;
    Ok(rows.into_iter().map(pose).collect())
}

/// Reads the rows of the table `file` in `folder`.
///
/// # Errors
/// A file that is missing or damaged. The message names it.
pub fn read_rows<R: DeserializeOwned>(folder: &Path, file: &str) -> Result<Vec<R>, String> {
    let bytes = input::read(&folder.join(file), input::DATA_LIMIT)
        .map_err(|cause| format!("{file}: {cause}"))?;
    let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize();
    rows.collect::<csv::Result<_>>().map_err(|cause| format!("{file}: {cause}"))
}

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec3;
    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn a_row_holds_ids_without_gaps_of_one_owner() {
        let row = |(id, owner, fixed)| FrameBody { id, owner, fixed, ..FrameBody::default() };
        let bodies = [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 0, 0), (5, 0, 0), (6, 0, 1), (7, 0, 0)];
        let mut file = Vec::new();
        write_owners(&bodies.map(row), &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert_eq!(text, "first_id,last_id,rank\n0,1,0\n2,2,1\n3,3,0\n5,5,0\n7,7,0\n");
    }

    #[test]
    fn a_row_has_home_workers_and_weights_of_a_body() {
        let row = |(id, owner, fixed)| FrameBody { id, owner, fixed, ..FrameBody::default() };
        let bodies = [(0, 1, 0), (2, 0, 0), (3, 0, 1), (5, 2, 0)].map(row);
        let share = |(id, worker, weight)| Share { id, worker, weight };
        let shares = [(0, 1, 1.0), (2, 0, 0.4), (2, 2, 0.6), (5, 2, 1.0)].map(share);
        let mut file = Vec::new();
        write_workers(&bodies, &shares, &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert_eq!(text, "id,home,workers,weights\n0,1,1,1\n2,0,0;2,0.4;0.6\n5,2,2,1\n");
    }

    #[test]
    fn a_row_has_bodies_place_and_force() {
        let [point, normal, force] =
            [Vec3::new(0.5, 0.0, -1.0), Vec3::y(), Vec3::new(0.0, 9.5, 1e-9)];
        let contact = ContactForce {
            bodies: [3, 7],
            feature: 0,
            arm: Vec3::zeros(),
            point,
            normal,
            gap: -1e-5,
            force,
        };
        let joint = JointForce { joint: 2, bodies: [3, BodyId::MAX], force, torque: normal };
        let (mut contacts, mut joints) = (Vec::new(), Vec::new());
        write_contacts(&[contact], &mut contacts).unwrap();
        write_joints(&[joint], &mut joints).unwrap();
        let row =
            |file: Vec<u8>| String::from_utf8(file).unwrap().lines().nth(1).unwrap().to_owned();
        assert_eq!(row(contacts), "3,7,0.5,0.0,-1.0,0.0,1.0,0.0,0.0,9.5,1e-9,-0.00001");
        assert_eq!(row(joints), "2,3,,0.0,9.5,1e-9,0.0,1.0,0.0");
    }

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
        write_poses(&["plate[0]".to_owned()], &[pose], &mut file).unwrap();
        let path = folder.path().join(names::beside(names::POSES, 3));
        std::fs::write(&path, &file).unwrap();
        assert_eq!(read_poses(folder.path(), 3).unwrap(), [pose]);
        std::fs::write(&path, &file[..file.len() - 20]).unwrap();
        let error = read_poses(folder.path(), 3).unwrap_err();
        assert!(error.contains("poses_0003.csv"), "{error}");
    }
}

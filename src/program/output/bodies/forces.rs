//! `contacts_<frame>.csv` and `joints_<frame>.csv`: the mean forces of the step before a frame.
//! They depend on the scene alone, not on ranks.
//!
//! Points, normals and gaps are those of the middle of the step. Forces act on the first body, and
//! the opposite ones on the second.

use std::io::{self, Write};

use cloth_rigid::BodyId;
use cloth_rigid::simulation::{ContactForce, JointForce};

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

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec3;

    use super::*;

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
}

//! Frames as dictionaries of arrays.

use bytemuck::cast_slice;
use cloth_sim::engine::Frame;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::simulation::StepForces;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{array, table};

/// The surfaces of `frame` by their `names`.
pub fn surfaces<'py>(
    py: Python<'py>,
    names: &[String],
    frame: &Frame,
) -> PyResult<Bound<'py, PyDict>> {
    let surfaces = PyDict::new(py);
    for (name, positions) in names.iter().zip(&frame.surfaces) {
        surfaces.set_item(name, array(py, positions)?)?;
    }
    Ok(surfaces)
}

/// The state of a body.
struct Pose {
    id: u64,
    position: Vec3,
    /// x, y, z, w.
    rotation: [f64; 4],
    velocity: Vec3,
    angular_velocity: Vec3,
}

/// The rigid bodies of `frame`, alone or among cloth.
pub fn bodies<'py>(py: Python<'py>, frame: &Frame) -> PyResult<Bound<'py, PyDict>> {
    let alone = frame.bodies.iter().map(|body| Pose {
        id: body.id,
        position: body.position.into(),
        rotation: body.rotation,
        velocity: body.velocity.into(),
        angular_velocity: body.angular_velocity.into(),
    });
    let among_cloth = (0..).zip(&frame.poses).map(|(id, pose)| Pose {
        id,
        position: pose.centre,
        rotation: pose.rotation.coords.into(),
        velocity: pose.velocity,
        angular_velocity: pose.angular_velocity,
    });
    let poses = Vec::from_iter(alone.chain(among_cloth));
    let ids = Vec::from_iter(poses.iter().map(|pose| pose.id));
    let rotations = Vec::from_iter(poses.iter().map(|pose| pose.rotation));
    let column = |of: fn(&Pose) -> Vec3| Vec::from_iter(poses.iter().map(of));
    let bodies = PyDict::new(py);
    bodies.set_item("id", PyArray1::from_vec(py, ids))?;
    bodies.set_item("position", array(py, &column(|pose| pose.position))?)?;
    bodies.set_item("rotation", table(py, cast_slice::<_, f64>(&rotations), 4)?)?;
    bodies.set_item("velocity", array(py, &column(|pose| pose.velocity))?)?;
    bodies.set_item("angular_velocity", array(py, &column(|pose| pose.angular_velocity))?)?;
    Ok(bodies)
}

/// The forces of contacts and joints.
pub fn forces<'py>(py: Python<'py>, forces: &StepForces) -> PyResult<Bound<'py, PyDict>> {
    let StepForces { contacts, joints } = forces;
    let of_contacts = |of: fn(&cloth_sim::rigid::simulation::ContactForce) -> Vec3| {
        array(py, &Vec::from_iter(contacts.iter().map(of)))
    };
    let of_joints = |of: fn(&cloth_sim::rigid::simulation::JointForce) -> Vec3| {
        array(py, &Vec::from_iter(joints.iter().map(of)))
    };
    let pairs = Vec::from_iter(contacts.iter().map(|contact| contact.bodies));
    let numbers = Vec::from_iter(joints.iter().map(|joint| joint.joint));
    let by_name = PyDict::new(py);
    by_name.set_item("contact_bodies", table(py, cast_slice::<_, u64>(&pairs), 2)?)?;
    by_name.set_item("contact_point", of_contacts(|it| it.point)?)?;
    by_name.set_item("contact_normal", of_contacts(|it| it.normal)?)?;
    by_name.set_item("contact_force", of_contacts(|it| it.force)?)?;
    by_name.set_item("joint", PyArray1::from_vec(py, numbers))?;
    by_name.set_item("joint_force", of_joints(|it| it.force)?)?;
    by_name.set_item("joint_torque", of_joints(|it| it.torque)?)?;
    Ok(by_name)
}

//! Checks of a body before a simulation takes it.

use crate::body::Body;
use crate::simulation::RigidModel;
use crate::sync::limits::SizeRange;
use cloth_core::bounds;
use cloth_core::error::{Error, Result};

/// Largest difference of the length of a quaternion from 1.
const MOST_OFF: f64 = 1e-6;

/// The size of a body, after all checks.
///
/// # Errors
/// If the body is outside the domain, if a size, the mass or a moment of inertia is not above 0, if
/// a number is not finite, if the rotation is no unit quaternion, or if the model lacks the body's
/// material or solid.
pub(super) fn size(model: &RigidModel, body: &Body) -> Result<SizeRange> {
    let at = format!("body {}", body.id);
    check_tables(model, body, &at)?;
    let largest_radius = model.radius(body);
    let least_half_width = model.solids.half_width(&body.shape);
    for number in [largest_radius, least_half_width, body.mass] {
        bounds::positive(&at, number)?;
    }
    body.inertia.iter().try_for_each(|&moment| bounds::positive(&at, moment))?;
    let (x, twist) = (&body.state.position, &body.state.twist);
    for vector in [x, &twist.angular, &twist.linear] {
        bounds::finite(&at, *vector)?;
    }
    let length = body.state.rotation.norm();
    if (length - 1.0).abs().partial_cmp(&MOST_OFF) != Some(std::cmp::Ordering::Less) {
        let cause = format!("its rotation is a quaternion of length {length}");
        return Err(Error::input(at, cause, "give a unit quaternion"));
    }
    let domain = model.subdomains.domain();
    let is_inside =
        (0..3).all(|axis| domain.low()[axis] <= x[axis] && x[axis] <= domain.high()[axis]);
    if is_inside {
        return Ok(SizeRange { largest_radius, least_half_width });
    }
    let [x, y, z] = (*x).into();
    let cause = format!("its centre ({x}, {y}, {z}) is outside the domain");
    Err(Error::input(at, cause, "move it, or make the domain larger"))
}

fn check_tables(model: &RigidModel, body: &Body, at: &str) -> Result<()> {
    let materials = model.materials.count();
    if usize::from(body.material) >= materials {
        let cause = format!("its material {} is not one of {materials}", body.material);
        return Err(Error::input(at, cause, "name a material of the model"));
    }
    let solids = model.solids.all().len();
    match body.shape.solid().filter(|&solid| solid as usize >= solids) {
        Some(solid) => {
            let cause = format!("its solid {solid} is not one of {solids}");
            Err(Error::input(at, cause, "name a solid of the model"))
        }
        None => Ok(()),
    }
}

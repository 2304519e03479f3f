//! Energy and momentum of all bodies, with the same bits for any number of ranks.

use crate::{Body, Population};
use cloth_core::{ExactSums, Result, Vec3, World};

/// Sums over all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    /// Kinetic energy of the centres of mass, J.
    pub translation_j: f64,
    /// Kinetic energy of rotation, J.
    pub rotation_j: f64,
    /// Potential energy in gravity, J; 0 at the origin.
    pub potential_j: f64,
    /// Momentum, kg m/s.
    pub momentum: Vec3,
    /// Angular momentum about the origin, kg m^2/s. It is not conserved when a body crosses a
    /// periodic border.
    pub angular_momentum: Vec3,
}

impl Totals {
    /// The sums over the own bodies of all ranks. `gravity` is in m/s^2. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn of(world: &dyn World, population: &Population, gravity: &Vec3) -> Result<Self> {
        let mut sums = ExactSums::<9>::default();
        population.own().iter().for_each(|body| sums.add(summands(&body, gravity)));
        let [translation_j, rotation_j, potential_j, px, py, pz, lx, ly, lz] =
            sums.all_reduce(world)?;
        let (momentum, angular_momentum) = (Vec3::new(px, py, pz), Vec3::new(lx, ly, lz));
        Ok(Self { translation_j, rotation_j, potential_j, momentum, angular_momentum })
    }

    /// Kinetic and potential energy, J.
    pub fn energy_j(&self) -> f64 {
        self.translation_j + self.rotation_j + self.potential_j
    }
}

fn summands(body: &Body, gravity: &Vec3) -> [f64; 9] {
    let (x, rotation, twist) = (&body.state.position, &body.state.rotation, &body.state.twist);
    let omega = rotation.inverse_transform_vector(&twist.angular);
    let spin = body.inertia.component_mul(&omega);
    let momentum = twist.linear * body.mass;
    let angular = rotation.transform_vector(&spin) + x.cross(&momentum);
    let translation = 0.5 * momentum.dot(&twist.linear);
    let (rotation, potential) = (0.5 * omega.dot(&spin), -body.mass * gravity.dot(x));
    let (p, l) = (momentum, angular);
    [translation, rotation, potential, p.x, p.y, p.z, l.x, l.y, l.z]
}

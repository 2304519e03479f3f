//! Bodies by their numbers.
//!
//! Everything about a body follows from its number and its generator. So bodies are the same on any
//! number of ranks. A rank makes all bodies of a list, and of others those near its subdomains.

mod settings;
mod shuffle;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::UnitQuaternion;

pub use crate::generate::settings::{Form, Lattice, Placement, Sizes, Start, Velocities};
use crate::generate::shuffle::{GOLDEN, Shuffle};
use crate::{Body, BodyId, BodyState, Load, MaterialId, Twist};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::{Error, Result, Vec3, bounds, mix};

/// Makes bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Generator {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The id of the first body.
    pub first_id: BodyId,
    /// Where bodies are at the start.
    pub placement: Placement,
    /// Radii of the balls that hold the bodies.
    pub sizes: Sizes,
    /// Their shape.
    pub form: Form,
    /// The rotation of bodies from their own frame to space. `None` if it is random. As for the
    /// angular velocity, a body of a list may have its own.
    pub rotation: Option<UnitQuaternion<f64>>,
    /// Velocities at the start.
    pub velocities: Velocities,
    /// The angular velocity of bodies at the start, rad/s.
    pub spin: Vec3,
    /// The material of all bodies.
    pub material: MaterialId,
    /// The density of the material, kg/m^3.
    pub density: f64,
}

/// What a random number is for.
#[derive(Clone, Copy)]
enum Use {
    Size,
    Place,
    Velocity,
    Rotation,
}

impl Generator {
    /// Checks all measures, and that random bodies fit. `at` is the path of the generator.
    ///
    /// # Errors
    /// A size or density that is not positive, sizes in the wrong order, a box that is too small
    /// for the number of bodies, or a mass or moment of inertia that is zero or not finite.
    pub fn check(&self, at: &str) -> Result<()> {
        let [low, high] = self.sizes.range();
        bounds::positive(&format!("{at}.sizes"), low)?;
        bounds::positive(&format!("{at}.sizes"), high)?;
        bounds::positive(&format!("{at}.density"), self.density)?;
        if low > high {
            let cause = format!("{low} m is above {high} m");
            return Err(Error::input(format!("{at}.sizes"), cause, "write the smaller size first"));
        }
        if let Placement::Random { count, .. } = self.placement {
            let room =
                self.most_cells().iter().fold(1u64, |cells, &along| cells.saturating_mul(along));
            if count > room {
                let cause = format!(
                    "{count} bodies of up to {high} m radius do not fit: there are {room} cells of their \
                     diameter"
                );
                let remedy = "make the box larger, or ask for fewer or smaller bodies";
                return Err(Error::input(format!("{at}.arrangement"), cause, remedy));
            }
        }
        for size in self.extent() {
            let MassProperties { mass, inertia } = self.form.mass_properties(size, self.density);
            if !(mass > 0.0 && inertia.min() > 0.0 && (mass + inertia.sum()).is_finite()) {
                let cause = format!(
                    "a body in a ball of {size} m has a mass of {mass} kg: its mass or moments of \
                     inertia are zero or not finite"
                );
                let remedy = "lengths are in metres and densities in kg/m^3";
                return Err(Error::input(format!("{at}.shape"), cause, remedy));
            }
        }
        Ok(())
    }

    /// Number of bodies.
    pub fn count(&self) -> u64 {
        match &self.placement {
            Placement::Grid(lattice) | Placement::Hexagonal(lattice) => {
                lattice.counts.iter().fold(1, |all: u64, &count| all.saturating_mul(count.into()))
            }
            Placement::Random { count, .. } => *count,
            Placement::Listed(starts) => starts.len() as u64,
        }
    }

    /// The smallest and the largest radius of the balls that hold bodies, m.
    pub fn extent(&self) -> [f64; 2] {
        let range = self.sizes.range();
        let Placement::Listed(starts) = &self.placement else { return range };
        let sizes = starts.iter().map(|start| start.size.map_or(range, |size| [size; 2]));
        sizes.fold([f64::INFINITY, 0.0], |[a, b], [c, d]| [a.min(c), b.max(d)])
    }

    /// The different radii of the balls that hold bodies (m), in rising order. `None` if there are
    /// more than `most`.
    pub fn different_sizes(&self, most: usize) -> Option<Vec<f64>> {
        let [low, high] = self.sizes.range();
        let are_alike = low == high && !matches!(self.placement, Placement::Listed(_));
        let numbers = if are_alike { 0..1 } else { 0..self.count() };
        // The bits of positive numbers are in the order of the numbers.
        let mut bits = BTreeSet::new();
        for number in numbers {
            bits.insert(self.size(number).to_bits());
            if bits.len() > most {
                return None;
            }
        }
        Some(bits.into_iter().map(f64::from_bits).collect())
    }

    /// The generator, where given rotations turn another frame of the shape. `own` is the rotation
    /// from the bodies' own frame to that one. Random rotations stay as they are.
    pub fn turned(mut self, own: &UnitQuaternion<f64>) -> Self {
        self.rotation = self.rotation.map(|turn| turn * own);
        if let Placement::Listed(starts) = &mut self.placement {
            for start in Arc::make_mut(starts) {
                start.rotation = start.rotation.map(|turn| turn * own);
            }
        }
        self
    }

    /// Body number `number`, from 0.
    pub fn body(&self, number: u64) -> Body {
        let size = self.size(number);
        let shape = self.form.shape(size);
        let MassProperties { mass, inertia } = self.form.mass_properties(size, self.density);
        let spin = self.listed(number).and_then(|start| start.spin).unwrap_or(self.spin);
        let twist = Twist { angular: spin, linear: self.velocity(number) };
        let (position, rotation) = (self.position(number, size), self.rotation(number));
        Body {
            id: self.first_id + number,
            shape,
            material: self.material,
            mass,
            inertia,
            state: BodyState { position, rotation, twist },
            load: Load::NONE,
        }
    }

    /// Points (m) whose box contains the centres of all bodies: centres of bodies, with their
    /// numbers, or two corners of the box of random bodies.
    pub fn outermost(&self) -> impl Iterator<Item = (Option<u64>, Vec3)> {
        let numbers = match &self.placement {
            Placement::Grid(lattice) | Placement::Hexagonal(lattice) => lattice.outermost(),
            Placement::Listed(starts) => (0..starts.len() as u64).collect(),
            Placement::Random { .. } => Vec::new(),
        };
        let corners = match self.placement {
            Placement::Random { low, high, .. } => vec![low, high],
            _ => Vec::new(),
        };
        let bodies = numbers.into_iter().map(|number| (Some(number), self.body(number)));
        let bodies = bodies.map(|(number, body)| (number, body.state.position));
        bodies.chain(corners.into_iter().map(|corner| (None, corner)))
    }

    /// The numbers of all bodies whose centres are in the box between two corners (m), and of some
    /// others. For a list these are all numbers. Otherwise the work is proportional to the size of
    /// the box.
    pub fn numbers_within(&self, low: &Vec3, high: &Vec3) -> Vec<u64> {
        let (origin, step, counts) = match &self.placement {
            Placement::Grid(lattice) => {
                (lattice.origin, Vec3::repeat(lattice.spacing), lattice.counts.map(u64::from))
            }
            Placement::Hexagonal(lattice) => {
                (lattice.origin, lattice.hexagonal_steps(), lattice.counts.map(u64::from))
            }
            Placement::Random { low, .. } => (*low, self.cell_size(), self.cells()),
            Placement::Listed(starts) => return (0..starts.len() as u64).collect(),
        };
        // One more cell on each side, because rows of a packing are shifted, and random bodies are
        // anywhere in their cells.
        let range = |axis: usize| {
            let first = ((low[axis] - origin[axis]) / step[axis]).floor() - 1.0;
            let last = ((high[axis] - origin[axis]) / step[axis]).ceil() + 1.0;
            first.max(0.0) as u64..counts[axis].min((last.max(-1.0) as u64).saturating_add(1))
        };
        let shuffle = self.shuffle();
        let mut numbers = Vec::new();
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let cell = x + counts[0] * (y + counts[1] * z);
                    let number = match &self.placement {
                        Placement::Random { .. } => shuffle.number(cell),
                        _ => cell,
                    };
                    numbers.push(number);
                }
            }
        }
        numbers.retain(|&number| number < self.count());
        numbers
    }

    fn size(&self, number: u64) -> f64 {
        if let Some(Start { size: Some(size), .. }) = self.listed(number) {
            return *size;
        }
        match self.sizes {
            Sizes::Constant(radius) => radius,
            Sizes::Uniform { low, high } => low + (high - low) * self.uniform(number, Use::Size, 0),
        }
    }

    fn listed(&self, number: u64) -> Option<&Start> {
        match &self.placement {
            Placement::Listed(starts) => starts.get(number as usize),
            _ => None,
        }
    }

    fn velocity(&self, number: u64) -> Vec3 {
        if let Some(Start { velocity: Some(velocity), .. }) = self.listed(number) {
            return *velocity;
        }
        match self.velocities {
            Velocities::Constant(velocity) => velocity,
            Velocities::Random { most } => {
                let [speed, height, angle] =
                    [0, 1, 2].map(|k| self.uniform(number, Use::Velocity, k));
                let (height, angle) = (2.0 * height - 1.0, std::f64::consts::TAU * angle);
                let across = (1.0 - height * height).max(0.0).sqrt();
                let direction = [across * libm::cos(angle), height, across * libm::sin(angle)];
                Vec3::from(direction) * (most * speed)
            }
        }
    }

    /// The given rotation, or else a random one, all equally likely (Shoemake 1992).
    fn rotation(&self, number: u64) -> UnitQuaternion<f64> {
        let listed = self.listed(number).and_then(|start| start.rotation);
        if let Some(rotation) = listed.or(self.rotation) {
            return rotation;
        }
        let [u, v, w] = [0, 1, 2].map(|k| self.uniform(number, Use::Rotation, k));
        let (v, w) = (std::f64::consts::TAU * v, std::f64::consts::TAU * w);
        let (low, high) = ((1.0 - u).sqrt(), u.sqrt());
        UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(
            high * libm::cos(w),
            low * libm::sin(v),
            low * libm::cos(v),
            high * libm::sin(w),
        ))
    }

    fn position(&self, number: u64, size: f64) -> Vec3 {
        match &self.placement {
            Placement::Grid(lattice) => {
                let [x, y, z] = lattice.place(number);
                lattice.origin + Vec3::new(x, y, z) * lattice.spacing
            }
            Placement::Hexagonal(lattice) => lattice.hexagonal(number),
            Placement::Listed(starts) => starts[number as usize].position,
            Placement::Random { low, .. } => {
                let [along_x, along_y, _] = self.cells();
                let cell = self.shuffle().cell(number);
                let place = [cell % along_x, cell / along_x % along_y, cell / (along_x * along_y)];
                let step = self.cell_size();
                Vec3::from_fn(|axis, _| {
                    let room = step[axis] - 2.0 * size;
                    let part = self.uniform(number, Use::Place, axis as u64);
                    low[axis] + place[axis] as f64 * step[axis] + size + room.max(0.0) * part
                })
            }
        }
    }

    /// Number of cells along each axis. There are about [`SPARE_CELLS`] cells for each body, but
    /// fewer if the largest body would not fit into a cell.
    fn cells(&self) -> [u64; 3] {
        let Placement::Random { low, high, count } = &self.placement else { return [0; 3] };
        let (extent, most) = (high - low, self.most_cells());
        if most.contains(&0) {
            return most;
        }
        let mut side = libm::cbrt(extent.product() / (SPARE_CELLS * *count as f64));
        loop {
            let cells = [0, 1, 2].map(|axis| most[axis].min((extent[axis] / side) as u64).max(1));
            let total = cells.iter().fold(1u64, |total, &along| total.saturating_mul(along));
            if total >= *count || cells == most {
                return cells;
            }
            // Rounding to whole numbers left too few cells.
            side *= 0.9;
        }
    }

    /// The largest number of cells along each axis for which the largest body fits into a cell.
    fn most_cells(&self) -> [u64; 3] {
        let Placement::Random { low, high, .. } = &self.placement else { return [0; 3] };
        let diameter = 2.0 * self.sizes.range()[1];
        [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / diameter).max(0.0) as u64)
    }

    fn cell_size(&self) -> Vec3 {
        let Placement::Random { low, high, .. } = &self.placement else { return Vec3::zeros() };
        let cells = self.cells();
        Vec3::from_fn(|axis, _| (high[axis] - low[axis]) / cells[axis].max(1) as f64)
    }

    fn shuffle(&self) -> Shuffle {
        Shuffle::new(self.cells().iter().product(), self.seed)
    }

    /// A random number in `0..1`.
    fn uniform(&self, number: u64, purpose: Use, k: u64) -> f64 {
        let draw = mix(number.wrapping_add(mix(self.seed.wrapping_add(GOLDEN))));
        let bits = mix(draw.wrapping_add(GOLDEN.wrapping_mul(4 * k + purpose as u64 + 1)));
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Number of cells for each random body, if there is space.
const SPARE_CELLS: f64 = 2.0;

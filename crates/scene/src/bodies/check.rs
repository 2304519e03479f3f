//! Checks every number and name of the rigid bodies of a scene.

use crate::bodies::spec::*;
use crate::load::stem_of;
use crate::spec::{MotionSpec, Scene};
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::settings::Check;
use cloth_rigid::Response;

/// Names of the walls of the domain: lower and upper border across x, y, z.
pub(super) const WALLS: [&str; 6] =
    ["wall_left", "wall_right", "wall_floor", "wall_ceiling", "wall_back", "wall_front"];

/// What joints call a place that does not move.
pub(super) const SPACE: &str = "space";

/// The largest turn at the start in a step, rad.
const MOST_TURN: f64 = std::f64::consts::FRAC_PI_2;

impl Scene {
    /// Checks what concerns rigid bodies.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its full path.
    pub(crate) fn validate_bodies(&self) -> Result<()> {
        if !self.obstacles.is_empty() {
            return Err(Error::input(
                "obstacles",
                "obstacles are for cloth",
                "write them as `bodies` with `motion: Immovable` or `Keyframed(..)`",
            ));
        }
        if !self.seams.is_empty() {
            let cause = "seams hold cloth together, and the scene has none";
            return Err(Error::input("seams", cause, "add `cloths`, or leave out the seams"));
        }
        self.validate_materials()?;
        self.refuse_contact_settings()?;
        self.domain.check("domain")?;
        if let Some(material) = &self.domain.wall_material {
            self.material_number("domain.wall_material", material)?;
        }
        self.response.check("response")?;
        self.check_forces()?;
        self.validate_entries()?;
        self.expect_free()
    }

    /// Fails if the scene sets what only the step of cloth knows.
    fn refuse_contact_settings(&self) -> Result<()> {
        let materials = self.materials.iter().map(|it| it.distance_m);
        let pairs = self.material_pairs.iter().map(|it| it.distance_m);
        let [material, pair] = [materials.collect::<Vec<_>>(), pairs.collect()]
            .map(|all| all.iter().position(Option::is_some));
        let at = match (material, pair, self.apart.is_empty()) {
            (Some(i), _, _) => format!("materials[{i}].distance_m"),
            (_, Some(i), _) => format!("material_pairs[{i}].distance_m"),
            (_, _, false) => "apart".to_owned(),
            _ => return Ok(()),
        };
        let cause = "this is for scenes with cloth or `engine: Contact`; in others all bodies touch, \
                     without a distance";
        Err(Error::input(at, cause, "leave it out, or set `engine: Contact`"))
    }

    /// Fails if forces move no body.
    pub(super) fn expect_free(&self) -> Result<()> {
        if self.bodies.iter().any(|bodies| bodies.motion == BodyMotion::Free) {
            return Ok(());
        }
        let cause = "no body moves by forces, so there is nothing to simulate";
        Err(Error::input("bodies", cause, "add some whose `motion` is `Free`"))
    }

    /// Checks the entries of `bodies`.
    pub(super) fn validate_entries(&self) -> Result<()> {
        for (i, bodies) in self.bodies.iter().enumerate() {
            let at = format!("bodies[{i}]");
            bodies.check(&at)?;
            let number = self.material_number(&format!("{at}.material"), &bodies.material)?;
            let density = self.materials[usize::from(number)].density_kg_per_m3;
            if density.is_none() && bodies.motion == BodyMotion::Free {
                let cause =
                    format!("`{}` is the material of {at} and has no density", bodies.material);
                let at = format!("materials[{number}].density_kg_per_m3");
                return Err(Error::input(at, cause, "add it: forces move bodies by their mass"));
            }
            let at = format!("{at}.angular_velocity_rad_per_s");
            check_turn(&at, &bodies.angular_velocity_rad_per_s.into(), self.largest_step_s())?;
        }
        Ok(())
    }

    /// Fails if forces are asked for that nobody knows.
    fn check_forces(&self) -> Result<()> {
        let has_rapier = self.parallel.settings().is_some_and(|it| it.has_rapier());
        let (who, remedy) = match self.response {
            _ if !self.output.forces => return Ok(()),
            Response::Ffd => ("the response `Ffd`", "use `response: Nonsmooth(sweeps: 30)`"),
            Response::Nonsmooth { .. } if has_rapier => ("`Rapier`", "write `engines: [Own]`"),
            Response::Nonsmooth { .. } => return Ok(()),
        };
        let cause = format!("{who} knows no forces");
        Err(Error::input("output.forces", cause, format!("{remedy}, or leave it out")))
    }

    pub(super) fn validate_materials(&self) -> Result<()> {
        self.materials.check("materials")?;
        self.material_pairs.check("material_pairs")?;
        for (i, material) in self.materials.iter().enumerate() {
            let at = format!("materials[{i}]");
            if self.materials[..i].iter().any(|other| other.name == material.name) {
                let cause = format!("two materials have the name `{}`", material.name);
                return Err(Error::input(at, cause, "give each material its own name"));
            }
        }
        for (i, pair) in self.material_pairs.iter().enumerate() {
            let at = format!("material_pairs[{i}]");
            let (first, second) = &pair.materials;
            for name in [first, second] {
                self.material_number(&format!("{at}.materials"), name)?;
            }
            let is_same = |other: &MaterialPair| {
                let (a, b) = &other.materials;
                (a, b) == (first, second) || (a, b) == (second, first)
            };
            if self.material_pairs[..i].iter().any(is_same) {
                let cause = format!("the pair `{first}`, `{second}` is listed twice");
                return Err(Error::input(at, cause, "write each pair once"));
            }
        }
        Ok(())
    }

    /// The number of the material `name`.
    ///
    /// # Errors
    /// If there is none; `at` is the field that names it.
    pub(crate) fn material_number(&self, at: &str, name: &str) -> Result<u16> {
        let number = self.materials.iter().position(|material| material.name == name);
        number.and_then(|number| u16::try_from(number).ok()).ok_or_else(|| {
            let known: Vec<&str> = self.materials.iter().map(|it| it.name.as_str()).collect();
            let remedy = match known.is_empty() {
                true => "add it to `materials`".to_owned(),
                false => did_you_mean(name, &known),
            };
            Error::input(at, format!("there is no material `{name}`"), remedy)
        })
    }
}

/// Fails if `spin` (rad/s) turns a body by more than a quarter turn in a step of `step_s` (s).
pub(crate) fn check_turn(at: &str, spin: &Vec3, step_s: f64) -> Result<()> {
    let turn = spin.norm() * step_s;
    if turn <= MOST_TURN {
        return Ok(());
    }
    let cause = format!("this is a turn by {turn:.3e} rad in a time step");
    let remedy = "allowed is a quarter turn: choose a smaller velocity, or more steps_per_frame";
    Err(Error::input(at, cause, remedy))
}

/// A share of a speed.
pub(super) fn restitution(at: &str, value: f64) -> Result<()> {
    not_negative(at, value, FACTOR)?;
    if value <= 1.0 {
        return Ok(());
    }
    let cause = format!("{value} is above 1");
    Err(Error::input(at, cause, "an impact gives back at most all of its speed: write 0 to 1"))
}

/// Fails unless a box has an extent.
fn check_corners(at: &str, min_m: &[f64; 3], max_m: &[f64; 3]) -> Result<()> {
    for (min, max) in min_m.iter().zip(max_m) {
        if min >= max {
            let cause = format!("{max} is not above {min}");
            return Err(Error::input(format!("{at}.max_m"), cause, "give the box an extent"));
        }
    }
    Ok(())
}

impl DomainSpec {
    pub(super) fn check_extent(&self, at: &str) -> Result<()> {
        check_corners(at, &self.min_m, &self.max_m)
    }
}

impl Check for Division {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Grid(x, y, z) = *self else { return Ok(()) };
        for count in [x, y, z] {
            at_least_one(at, count)?;
        }
        let all: f64 = [x, y, z].map(f64::from).iter().product();
        if all <= MOST_SUBDOMAINS {
            return Ok(());
        }
        let cause = format!("{} subdomains are too many", shown(all));
        let remedy = format!("choose at most {MOST_SUBDOMAINS}; a few for each rank are enough");
        Err(Error::input(at, cause, remedy))
    }
}

impl Check for Orientation {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Turned { axis, angle_deg } = *self else { return Ok(()) };
        direction(&format!("{at}.axis"), axis)?;
        within(&format!("{at}.angle_deg"), angle_deg, ANGLE)
    }
}

impl Check for Velocity {
    fn check(&self, at: &str) -> Result<()> {
        match *self {
            Self::Constant { m_per_s } => within(&format!("{at}.m_per_s"), m_per_s, SPEED),
            Self::Random { max_m_per_s } => {
                not_negative(&format!("{at}.max_m_per_s"), max_m_per_s, SPEED)
            }
        }
    }
}

impl Bodies {
    pub(super) fn check_kind(&self, at: &str) -> Result<()> {
        self.shape.check(&format!("{at}.shape"))?;
        if self.motion != BodyMotion::Free {
            self.check_rest(at)?;
        }
        let taken = match self.name.as_deref() {
            Some(SPACE) => Some("the name of what does not move, for joints"),
            Some(name) if WALLS.contains(&name) => Some("the name of a wall of the domain"),
            _ => None,
        };
        if let Some((name, what)) = self.name.as_ref().zip(taken) {
            let cause = format!("`{name}` is {what}");
            return Err(Error::input(format!("{at}.name"), cause, "choose another name"));
        }
        let is_scaled = self.sizes != Sizes::default();
        match (&self.shape, &self.motion) {
            (BodyShape::HalfSpace, BodyMotion::Free) => Err(Error::input(
                format!("{at}.motion"),
                "a half-space has no mass and cannot move by forces",
                "write `motion: Immovable` or `Keyframed(..)`",
            )),
            (BodyShape::HalfSpace, _) if is_scaled => Err(Error::input(
                format!("{at}.sizes"),
                "a half-space has no size",
                "leave `sizes` out",
            )),
            _ => self.motion_spec().check(&format!("{at}.motion")),
        }
    }

    /// Fails if bodies that forces do not move have a velocity.
    fn check_rest(&self, at: &str) -> Result<()> {
        let field = if self.velocity != Velocity::default() {
            "velocity"
        } else if self.angular_velocity_rad_per_s != [0.0; 3] {
            "angular_velocity_rad_per_s"
        } else {
            return Ok(());
        };
        let cause = "bodies that forces do not move cannot have a velocity at the start";
        Err(Error::input(format!("{at}.{field}"), cause, "leave it out, or write keyframes"))
    }

    /// The paths of its files.
    pub(crate) fn paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let places = match &mut self.arrangement {
            Arrangement::File(path) => Some(path),
            _ => None,
        };
        shape_paths_mut(&mut self.shape).into_iter().chain(places)
    }

    /// The keyframes of a body that follows some.
    pub(crate) fn motion_spec(&self) -> Option<MotionSpec> {
        match &self.motion {
            BodyMotion::Keyframed { center_m, keyframes } => {
                Some(MotionSpec { center_m: *center_m, keyframes: keyframes.clone() })
            }
            _ => None,
        }
    }
}

/// The paths of the files of `shape`.
fn shape_paths_mut(shape: &mut BodyShape) -> Vec<&mut String> {
    match shape {
        BodyShape::Hull(path) | BodyShape::Mesh(path) => vec![path],
        BodyShape::Compound(parts) => {
            parts.iter_mut().flat_map(|part| shape_paths_mut(&mut part.shape)).collect()
        }
        _ => Vec::new(),
    }
}

/// The name of bodies of this shape, unless the scene gives one.
pub(crate) fn base_name(shape: &BodyShape) -> String {
    match shape {
        BodyShape::Hull(path) | BodyShape::Mesh(path) => stem_of(path),
        BodyShape::HalfSpace => "half_space".to_owned(),
        kind => kind.name().to_lowercase(),
    }
}

impl Check for Arrangement {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::At(places) if places.is_empty() => {
                Err(Error::input(at, "the list has no place", "add one, or leave out the entry"))
            }
            Self::At(places) => places
                .iter()
                .enumerate()
                .try_for_each(|(i, place)| within(&format!("{at}[{i}]"), *place, LENGTH)),
            Self::Grid { count, origin_m, spacing_m }
            | Self::Hexagonal { count, origin_m, spacing_m } => {
                count.iter().try_for_each(|&n| at_least_one(&format!("{at}.count"), n))?;
                within(&format!("{at}.origin_m"), *origin_m, LENGTH)?;
                positive_within(&format!("{at}.spacing_m"), *spacing_m, LENGTH)
            }
            Self::Random { count, min_m, max_m } => {
                at_least_one(&format!("{at}.count"), *count)?;
                within(&format!("{at}.min_m"), *min_m, LENGTH)?;
                within(&format!("{at}.max_m"), *max_m, LENGTH)?;
                check_corners(at, min_m, max_m)
            }
            Self::File(_) => Ok(()),
        }
    }
}

impl Arrangement {
    /// Number of bodies; 0 of a file, which is not read yet.
    pub fn count(&self) -> f64 {
        match self {
            Self::At(places) => places.len() as f64,
            Self::Grid { count, .. } | Self::Hexagonal { count, .. } => {
                count.iter().map(|&along| f64::from(along)).product()
            }
            Self::Random { count, .. } => *count as f64,
            Self::File(_) => 0.0,
        }
    }
}

impl Check for Sizes {
    fn check(&self, at: &str) -> Result<()> {
        match *self {
            Self::Constant(factor) => positive_within(at, factor, FACTOR),
            Self::Uniform { min, max } => {
                positive_within(&format!("{at}.min"), min, FACTOR)?;
                positive_within(&format!("{at}.max"), max, FACTOR)?;
                if min <= max {
                    return Ok(());
                }
                let cause = format!("{min} is above {max}");
                Err(Error::input(format!("{at}.min"), cause, "write the smaller factor as `min`"))
            }
        }
    }
}

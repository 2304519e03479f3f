//! Builds the pins of a cloth.

use std::path::Path;

use crate::bodies::cloth::pins::{Follow, PinSprings};
use crate::bodies::cloth::setup::Pin;
use crate::bodies::prescribed::{ObstacleSetup, SurfacePoint};
use crate::bounds::did_you_mean;
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::scene::maps::InFile;
use crate::scene::select::Candidates;
use crate::scene::spec::{Cloth, MotionSpec, PinSpec};

/// The pins of `cloth`, whose path in the scene is `at`.
///
/// # Errors
/// A selection without a vertex, an obstacle that cannot be followed, weights that are no factors.
pub(super) fn build_pins(
    cloth: &Cloth,
    in_file: &InFile,
    candidates: &Candidates,
    at: &str,
    obstacles: &[ObstacleSetup],
    scene_dir: &Path,
) -> Result<Vec<Pin>> {
    let pin = |(i, pin): (usize, &PinSpec)| {
        let at = format!("{at}.pins[{i}]");
        let vertices = candidates.select(&pin.select, &format!("{at}.select"))?;
        let follow = pin.follow.as_ref().map(|name| {
            let places = vertices.iter().map(|&vertex| candidates.positions[vertex as usize]);
            follow(name, places, obstacles, &format!("{at}.follow"))
        });
        let weights = pin.weights.as_ref();
        let weights = weights
            .map(|from| in_file.factors(from, candidates, &format!("{at}.weights"), scene_dir));
        let weights = weights.transpose()?;
        let springs = pin.stiffness_n_per_m.map(|stiffness| {
            let weight = |vertex: &u32| weights.as_ref().map_or(1.0, |it| it[*vertex as usize]);
            PinSprings {
                stiffness_n_per_m: vertices.iter().map(|it| stiffness * weight(it)).collect(),
                strength: pin.strength.clone(),
            }
        });
        Ok(Pin {
            follow: follow.transpose()?,
            springs,
            vertices,
            start_s: pin.start_s,
            end_s: pin.end_s.unwrap_or(f64::INFINITY),
            motion: pin.motion.as_ref().map(MotionSpec::resolve),
        })
    };
    cloth.pins.iter().enumerate().map(pin).collect()
}

/// How vertices at `places` (m) go with the obstacle `name`, from where both are at the start.
fn follow(
    name: &str,
    places: impl Iterator<Item = Vec3>,
    obstacles: &[ObstacleSetup],
    at: &str,
) -> Result<Follow> {
    let Some(number) = obstacles.iter().position(|obstacle| obstacle.name == name) else {
        let names = Vec::from_iter(obstacles.iter().map(|obstacle| obstacle.name.as_str()));
        let cause = format!("there is no obstacle `{name}`");
        let remedy = match names.is_empty() {
            true => "the scene has no obstacles; add one, or leave out `follow`".to_owned(),
            false => did_you_mean(name, &names),
        };
        return Err(Error::input(at, cause, remedy));
    };
    let obstacle = &obstacles[number];
    let mut x = vec![Vec3::zeros(); obstacle.shape.len()];
    obstacle.positions_at(0.0, &mut x);
    let points = places.map(|place| SurfacePoint::nearest(place, &obstacle.faces, &x));
    let points = points.collect::<Option<Vec<_>>>().ok_or_else(|| {
        let cause = format!("the obstacle `{name}` has no triangle with an area");
        Error::input(at, cause, "follow another one")
    })?;
    Ok(Follow { obstacle: number, points })
}

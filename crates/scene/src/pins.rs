//! Builds the pins of a cloth.

use std::path::Path;

use crate::maps::InFile;
use crate::select::Candidates;
use crate::spec::{Cloth, MotionSpec, PinSpec, Scene};
use cloth_bodies::bodies::cloth::pins::{Follow, PinSprings};
use cloth_bodies::bodies::cloth::setup::Pin;
use cloth_bodies::bodies::prescribed::SurfacePoint;
use cloth_bodies::bodies::{Body as _, Setup};
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

/// The pins of `cloth`, whose path in the scene is `at`. What they follow is not built yet: see [`follow`].
///
/// # Errors
/// A selection without a vertex, weights that are no factors.
pub(super) fn build_pins(
    cloth: &Cloth,
    in_file: &InFile,
    candidates: &Candidates,
    at: &str,
    scene_dir: &Path,
) -> Result<Vec<Pin>> {
    let pin = |(i, pin): (usize, &PinSpec)| {
        let at = format!("{at}.pins[{i}]");
        let vertices = candidates.select(&pin.select, &format!("{at}.select"))?;
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
            follow: None,
            springs,
            vertices,
            start_s: pin.start_s,
            end_s: pin.end_s.unwrap_or(f64::INFINITY),
            motion: pin.motion.as_ref().map(MotionSpec::resolve),
        })
    };
    cloth.pins.iter().enumerate().map(pin).collect()
}

/// Lets the pins of `setup` follow the obstacles that the `scene` names, among them bodies that no force
/// moves, from where both are at the start.
///
/// # Errors
/// A name that no obstacle has, an obstacle that cannot be followed.
pub(super) fn follow(scene: &Scene, setup: &mut Setup) -> Result<()> {
    for (i, cloth) in scene.cloths.iter().enumerate() {
        for (j, pin) in cloth.pins.iter().enumerate() {
            let Some(name) = &pin.follow else { continue };
            let Setup { cloths, .. } = &*setup;
            let places = cloths[i].pins[j].vertices.iter();
            let places = places.map(|&vertex| cloths[i].positions[vertex as usize]);
            let followed = followed(name, places, setup, &format!("cloths[{i}].pins[{j}].follow"))?;
            setup.cloths[i].pins[j].follow = Some(followed);
        }
    }
    Ok(())
}

/// How vertices at `places` (m) go with the obstacle `name`.
fn followed(
    name: &str,
    places: impl Iterator<Item = Vec3>,
    Setup { obstacles, bodies, .. }: &Setup,
    at: &str,
) -> Result<Follow> {
    let Some(number) = obstacles.iter().position(|obstacle| obstacle.name == name) else {
        if bodies.iter().any(|body| body.name() == name) {
            let cause = format!("forces move `{name}`, and pins follow what is prescribed");
            let remedy = "write `attach` of the cloth instead, see docs/scene.md";
            return Err(Error::input(at, cause, remedy));
        }
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

//! Builds the obstacles of a checked scene of cloth.

use std::path::Path;

use crate::samples;
use crate::spec::{Obstacle, PinchSpec, Scene};
use crate::surfaces::{check_places, surface};
use cloth_bodies::bodies::prescribed::{Motion, ObstacleSetup, Yielding};
use cloth_bodies::contact::settings::OnPinch;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::mesh::shapes::{Shape, ShapeKind};
use cloth_core::mesh::{Faces, SurfaceMesh};

/// The obstacles of a `scene` in `scene_dir`, in their order.
///
/// # Errors
/// As for [`crate::build()`].
pub(super) fn build_obstacles(scene: &Scene, scene_dir: &Path) -> Result<Vec<ObstacleSetup>> {
    // Many obstacles often have one shape, which is read or generated once.
    let mut last: Option<(&Shape, SurfaceMesh)> = None;
    let mut built = Vec::with_capacity(scene.obstacles.len());
    for (i, obstacle) in scene.obstacles.iter().enumerate() {
        let (shape, at) = (&obstacle.shape, format!("obstacles[{i}]"));
        let mesh = match last.take().filter(|(known, _)| *known == shape) {
            Some((_, mesh)) => mesh,
            None => obstacle_surface(shape, &at, scene_dir)?,
        };
        let mut setup = build_obstacle(obstacle, mesh.clone(), &at, scene_dir)?;
        setup.yields = yields(obstacle, &setup, scene.contact.on_pinch);
        built.push(setup);
        last = Some((shape, mesh));
    }
    Ok(built)
}

fn obstacle_surface(shape: &Shape, at: &str, scene_dir: &Path) -> Result<SurfaceMesh> {
    let mut surface = surface(shape, Faces::Any, at, scene_dir)?;
    if shape.generated().is_some_and(ShapeKind::is_round) {
        surface.document.smooth_by_default();
    }
    Ok(surface)
}

fn build_obstacle(
    obstacle: &Obstacle,
    mut surface: SurfaceMesh,
    at: &str,
    scene_dir: &Path,
) -> Result<ObstacleSetup> {
    for name in &obstacle.without {
        leave_out(&mut surface, name, &format!("{at}.without"))?;
    }
    let keyframes = obstacle.motion.as_ref().map(|motion| Motion::Keyframes(motion.resolve()));
    let samples = obstacle.samples.as_ref().map(|it| samples::read(it, &surface, at, scene_dir));
    let samples = samples.transpose()?.map(Motion::Samples);
    let setup = ObstacleSetup {
        name: obstacle.name.clone().unwrap_or_else(|| at.to_owned()),
        faces: surface.faces,
        topology: surface.topology,
        shape: surface.document.positions.clone(),
        document: surface.document,
        placement: obstacle.transform.resolve(),
        motion: keyframes.or(samples),
        yields: None,
    };
    check_places(setup.placed(), at)?;
    Ok(setup)
}

/// How the skin of an obstacle gives way: as it says itself, or, if it deforms, as the scene says.
fn yields(obstacle: &Obstacle, setup: &ObstacleSetup, on_pinch: OnPinch) -> Option<Yielding> {
    let deforms = matches!(setup.motion, Some(Motion::Samples(_))) && !setup.is_fixed();
    let by_default = deforms && on_pinch == OnPinch::Yield;
    let own = obstacle.on_pinch.map(|PinchSpec::Yield(yielding)| yielding);
    own.or_else(|| by_default.then(Yielding::default))
}

/// Takes the faces of the group `name` off a surface. Its polygons stay, so that frames show them.
fn leave_out(surface: &mut SurfaceMesh, name: &str, at: &str) -> Result<()> {
    let document = &surface.document;
    let mut stays = vec![true; document.polygon_ends.len()];
    for (group, polygons) in document.group_polygons() {
        if group.name.as_deref() == Some(name) {
            stays[polygons].fill(false);
        }
    }
    if stays.iter().all(|&stays| stays) {
        let known = Vec::from_iter(document.groups.iter().filter_map(|it| it.name.as_deref()));
        let cause = format!("the mesh has no group `{name}` with faces");
        return Err(Error::input(at, cause, did_you_mean(name, &known)));
    }
    surface.keep_polygons(&stays);
    if surface.faces.is_empty() {
        let remedy = "leave out fewer groups, or the obstacle";
        return Err(Error::input(at, "it leaves the obstacle no face", remedy));
    }
    Ok(())
}

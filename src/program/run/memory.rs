//! Refuses a scene that cannot fit into memory. Otherwise the system would end the process.

use std::fs::read_to_string;

use cloth_bodies::bodies::{Body as _, Setup};
use cloth_core::error::{Error, Place, Result};
use cloth_core::mesh::shapes::{Shape, ShapeKind};
use cloth_scene::Scene;

/// Least memory of a triangle of cloth, bytes. A run takes somewhat more.
const CLOTH: f64 = 1500.0;
/// Least memory of a triangle of an obstacle, bytes.
const OBSTACLE: f64 = 350.0;
/// Least memory of a rigid body on rank 0, which writes the frames, bytes.
const RIGID: f64 = 200.0;

/// Checks the generated shapes of `scene`, before their meshes are built and refined.
///
/// # Errors
/// When they do not fit into the memory that this process may take.
pub fn check_shapes(scene: &Scene) -> Result<()> {
    let triangles = |shape: &Shape| shape.generated().map_or(0.0, ShapeKind::triangles);
    let cloths: f64 = scene.cloths.iter().map(|cloth| triangles(&cloth.shape)).sum();
    let obstacles = scene.obstacles.iter().map(|obstacle| triangles(&obstacle.shape));
    check(cloths, obstacles.sum())
}

/// Checks that cloths of `triangles` triangles can be refined, before they are.
///
/// # Errors
/// The errors of [`check_shapes`].
pub fn check_refined(triangles: usize, refine: u32) -> Result<()> {
    let parts = f64::from(refine).powi(2);
    let (coarse, fine) = (triangles as f64, parts * triangles as f64);
    let what = format!(
        "each of {coarse:.0} triangles of cloth becomes {parts:.0}: {fine:.0} triangles and about \
         {:.0} vertices",
        0.5 * fine
    );
    fits(CLOTH * fine, Place::Refinement, &what, |free| {
        match (free / (CLOTH * coarse)).sqrt().floor() {
            ..1.0 => "choose a coarser mesh".to_owned(),
            most => format!("choose at most {most:.0}"),
        }
    })
}

/// Checks the rigid bodies of `scene`, before they are built.
///
/// # Errors
/// The errors of [`check_shapes`].
pub fn check_rigid(scene: &Scene) -> Result<()> {
    for (i, bodies) in scene.bodies.iter().enumerate() {
        let count = bodies.arrangement.count();
        let (place, what) = (format!("bodies[{i}].arrangement"), format!("{count:.0} bodies"));
        let remedy = |_| "ask for fewer, or use a machine with more memory".to_owned();
        fits(RIGID * count, place, &what, remedy)?;
    }
    Ok(())
}

/// Checks the bodies of a scene.
///
/// # Errors
/// The errors of [`check_shapes`].
pub fn check_bodies(setup: &Setup) -> Result<()> {
    let cloths: usize = setup.cloths.iter().map(|cloth| cloth.faces.len()).sum();
    let obstacles: usize = setup.obstacles.iter().map(|obstacle| obstacle.faces.len()).sum();
    let bodies: usize = setup.bodies.iter().map(|body| body.faces().len()).sum();
    check(cloths as f64, (bodies + obstacles) as f64)
}

/// Checks that a mesh of so many `triangles` can be made, before it is. `place` is the argument
/// that asks for it.
///
/// # Errors
/// The errors of [`check_shapes`].
pub fn check_mesh(place: &str, triangles: f64) -> Result<()> {
    let what = format!("{triangles:.0} triangles");
    fits(OBSTACLE * triangles, place, &what, |_| "choose fewer cells or longer edges".to_owned())
}

fn check(cloth_triangles: f64, obstacle_triangles: f64) -> Result<()> {
    let bytes = CLOTH * cloth_triangles + OBSTACLE * obstacle_triangles;
    // The sum of no numbers is -0.
    let [cloths, others] = [cloth_triangles, obstacle_triangles].map(f64::abs);
    let what = format!("{cloths:.0} triangles of cloth and {others:.0} of obstacles and bodies");
    let remedy = |_| "choose coarser meshes or longer edges (edge_m)".to_owned();
    fits(bytes, "the meshes of the scene", &what, remedy)
}

/// Refuses what needs more `bytes` than are free. `remedy` is called with the free bytes.
fn fits(
    bytes: f64,
    place: impl Into<Place>,
    what: &str,
    remedy: impl Fn(f64) -> String,
) -> Result<()> {
    let Some(free) = available().filter(|&free| bytes > free) else { return Ok(()) };
    let [needed, there] = [bytes, free].map(|bytes| bytes / f64::from(1 << 30));
    let cause = format!(
        "{what} need about {needed:.2} GiB of memory or more, and there are {there:.2} GiB"
    );
    Err(Error::input(place, cause, remedy(free)))
}

/// The most memory that this process has had, bytes. `None` if the system does not say.
pub fn peak() -> Option<f64> {
    number("/proc/self/status", "VmHWM:").map(|kib| 1024.0 * kib)
}

/// The number behind `name` in a file of the system.
fn number(file: &str, name: &str) -> Option<f64> {
    let text = read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Memory that this process may still take, bytes. `None` if the system does not say.
fn available() -> Option<f64> {
    let free = number("/proc/meminfo", "MemAvailable:").map(|kib| 1024.0 * kib);
    let limit = number("/proc/self/limits", "Max address space");
    [free, limit].into_iter().flatten().reduce(f64::min)
}

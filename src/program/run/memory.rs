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
/// As for [`check_shapes`].
pub fn check_refined(triangles: usize, refine: u32) -> Result<()> {
    let parts = f64::from(refine).powi(2);
    let (coarse, fine) = (triangles as f64, parts * triangles as f64);
    let Some(free) = available().filter(|&free| CLOTH * fine > free) else { return Ok(()) };
    let cause = format!(
        "each of {coarse:.0} triangles of cloth becomes {parts:.0}: {fine:.0} triangles and about \
         {:.0} vertices need {}",
        0.5 * fine,
        more_than(CLOTH * fine, free)
    );
    let most = (free / (CLOTH * coarse)).sqrt().floor();
    let remedy = match most {
        ..1.0 => "choose a coarser mesh".to_owned(),
        most => format!("choose at most {most:.0}"),
    };
    Err(Error::input(Place::Refinement, cause, remedy))
}

/// Checks the rigid bodies of `scene`, before they are built.
///
/// # Errors
/// As for [`check_shapes`].
pub fn check_rigid(scene: &Scene) -> Result<()> {
    for (i, bodies) in scene.bodies.iter().enumerate() {
        let count = bodies.arrangement.count();
        let Some(free) = available().filter(|&free| RIGID * count > free) else { continue };
        let cause = format!("{count:.0} bodies need {}", more_than(RIGID * count, free));
        let remedy = "ask for fewer, or use a machine with more memory";
        return Err(Error::input(format!("bodies[{i}].arrangement"), cause, remedy));
    }
    Ok(())
}

/// Checks the bodies of a scene.
///
/// # Errors
/// As for [`check_shapes`].
pub fn check_bodies(setup: &Setup) -> Result<()> {
    let cloths: usize = setup.cloths.iter().map(|cloth| cloth.faces.len()).sum();
    let obstacles: usize = setup.obstacles.iter().map(|obstacle| obstacle.faces.len()).sum();
    let bodies: usize = setup.bodies.iter().map(|body| body.faces().len()).sum();
    check(cloths as f64, (bodies + obstacles) as f64)
}

/// Checks that a mesh of so many `triangles` can be made, before it is. `place` is the argument that
/// asks for it.
///
/// # Errors
/// As for [`check_shapes`].
pub fn check_mesh(place: &str, triangles: f64) -> Result<()> {
    let bytes = OBSTACLE * triangles;
    let Some(free) = available().filter(|&free| bytes > free) else { return Ok(()) };
    let cause = format!("{triangles:.0} triangles need {}", more_than(bytes, free));
    Err(Error::input(place, cause, "choose fewer cells or longer edges"))
}

fn check(cloth_triangles: f64, obstacle_triangles: f64) -> Result<()> {
    let bytes = CLOTH * cloth_triangles + OBSTACLE * obstacle_triangles;
    let Some(free) = available().filter(|&free| bytes > free) else { return Ok(()) };
    // The sum of no numbers is -0.
    let [cloths, others] = [cloth_triangles, obstacle_triangles].map(f64::abs);
    let cause = format!(
        "{cloths:.0} triangles of cloth and {others:.0} of obstacles and bodies need {}",
        more_than(bytes, free)
    );
    Err(Error::input(
        "the meshes of the scene",
        cause,
        "choose coarser meshes or longer edges (edge_m)",
    ))
}

/// States that `bytes` are more than the `free` bytes.
fn more_than(bytes: f64, free: f64) -> String {
    let gib = |bytes: f64| bytes / f64::from(1 << 30);
    let (needed, free) = (gib(bytes), gib(free));
    format!("about {needed:.2} GiB of memory or more, and there are {free:.2} GiB")
}

/// The most memory that this process has had, bytes. `None` if the system does not tell.
pub fn peak() -> Option<f64> {
    number("/proc/self/status", "VmHWM:").map(|kib| 1024.0 * kib)
}

/// The number behind `name` in a file of the system.
fn number(file: &str, name: &str) -> Option<f64> {
    let text = read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Memory that this process may still take, bytes. `None` if the system does not tell.
fn available() -> Option<f64> {
    let free = number("/proc/meminfo", "MemAvailable:").map(|kib| 1024.0 * kib);
    let limit = number("/proc/self/limits", "Max address space");
    [free, limit].into_iter().flatten().reduce(f64::min)
}

//! Refuses a scene that cannot fit into memory. Otherwise the system would end the process.

use std::fs::read_to_string;

use cloth_sim::bodies::Setup;
use cloth_sim::error::{Error, Result};
use cloth_sim::mesh::shapes::{Shape, ShapeKind};
use cloth_sim::scene::Scene;

/// Least memory of a triangle of a cloth and of an obstacle, bytes. A run takes somewhat more.
const CLOTH: f64 = 1500.0;
const OBSTACLE: f64 = 350.0;

/// Checks the generated shapes of `scene`, before there are meshes.
///
/// # Errors
/// When they do not fit into the memory that this process may take.
pub fn check_shapes(scene: &Scene) -> Result<()> {
    let triangles = |shape: &Shape| shape.generated().map_or(0.0, ShapeKind::triangles);
    let cloths: f64 = scene.cloths.iter().map(|cloth| triangles(&cloth.shape)).sum();
    let obstacles = scene.obstacles.iter().map(|obstacle| triangles(&obstacle.shape));
    check(f64::from(scene.refine).powi(2) * cloths, obstacles.sum())
}

/// Checks the bodies of a scene.
///
/// # Errors
/// As for [`check_shapes`].
pub fn check_bodies(setup: &Setup) -> Result<()> {
    let cloths: usize = setup.cloths.iter().map(|cloth| cloth.faces.len()).sum();
    let obstacles: usize = setup.obstacles.iter().map(|obstacle| obstacle.faces.len()).sum();
    check(cloths as f64, obstacles as f64)
}

fn check(cloth_triangles: f64, obstacle_triangles: f64) -> Result<()> {
    let bytes = CLOTH * cloth_triangles + OBSTACLE * obstacle_triangles;
    let Some(free) = available().filter(|&free| bytes > free) else { return Ok(()) };
    let gib = |bytes: f64| bytes / f64::from(1 << 30);
    let cause = format!(
        "{cloth_triangles:.0} triangles of cloth and {obstacle_triangles:.0} of obstacles need about \
         {:.2} GiB of memory or more, and there are {:.2} GiB",
        gib(bytes),
        gib(free)
    );
    Err(Error::input(
        "the meshes of the scene",
        cause,
        "choose coarser meshes or longer edges (edge_m)",
    ))
}

/// Memory that this process may still take, bytes. `None` where the system does not say it.
fn available() -> Option<f64> {
    let number = |file: &str, name: &str| -> Option<f64> {
        let text = read_to_string(file).ok()?;
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let free = number("/proc/meminfo", "MemAvailable:").map(|kib| 1024.0 * kib);
    let limit = number("/proc/self/limits", "Max address space");
    [free, limit].into_iter().flatten().reduce(f64::min)
}

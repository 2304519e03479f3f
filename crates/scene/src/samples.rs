//! Obstacles that deform: what their samples may be.

use std::path::Path;
use std::sync::Arc;

use crate::spec::{SamplesSpec, Scene, check_speed};
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::prescribed::{Motion, ObstacleSetup, SampledMotion};
use cloth_core::bounds::{LENGTH, TIME, within};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::normal;
use cloth_core::mesh::{PointCache, SurfaceMesh};

/// A triangle has collapsed if a sample leaves less than this part of the area it has in the shape.
const COLLAPSED: f64 = 1e-6;

/// The largest distance of the first sample from the shape without a warning, in sizes of the shape.
const FAR: f64 = 0.5;

/// Reads the motion of `spec` for an obstacle `at` this place of the scene, with this `surface`.
///
/// # Errors
/// A file that is not a sound point cache, or is not one of this surface.
pub(super) fn read(
    spec: &SamplesSpec,
    surface: &SurfaceMesh,
    at: &str,
    scene_dir: &Path,
) -> Result<SampledMotion> {
    let path = scene_dir.join(&spec.file);
    let cache = PointCache::read(&path)?;
    let vertices = surface.document.positions.len();
    if cache.points() != vertices {
        let cause = format!(
            "it has {} points in a sample, and the shape of {at} has {vertices} vertices",
            cache.points()
        );
        return Err(Error::file(path, cause, "export it from the same mesh"));
    }
    let sample_s = cache.frames_per_sample() / spec.frames_per_second;
    let motion = SampledMotion {
        cache: Arc::new(cache),
        start_s: spec.start_s,
        sample_s,
        interpolation: spec.interpolation,
    };
    within(&format!("{at}.samples"), motion.end_s(), TIME)?;
    match first_collapse(&motion, surface) {
        None => Ok(motion),
        Some((sample, face)) => {
            let cause = format!("triangle {face} of the shape has no area in sample {sample}");
            Err(Error::file(path, cause, "mend the animation there, or leave the triangle out"))
        }
    }
}

/// The first sample in which a triangle has collapsed, and the triangle.
fn first_collapse(motion: &SampledMotion, surface: &SurfaceMesh) -> Option<(usize, usize)> {
    let areas = |x: &[Vec3]| {
        let area = |face: &[u32; 3]| normal(face.map(|vertex| x[vertex as usize])).norm();
        Vec::from_iter(surface.faces.iter().map(area))
    };
    let shape = areas(&surface.document.positions);
    (0..motion.cache.samples()).find_map(|sample| {
        let now = areas(&Vec::from_iter(motion.cache.sample(sample)));
        let collapsed = |(now, shape): (&f64, &f64)| *now <= COLLAPSED * shape;
        now.iter().zip(&shape).position(collapsed).map(|face| (sample, face))
    })
}

/// The warnings about the samples of `scene`, whose obstacles are those of `setup`.
///
/// # Errors
/// A motion that goes too far or too fast to compute with.
pub(super) fn sample_warnings(scene: &Scene, setup: &Setup) -> Result<Vec<String>> {
    let (mut warnings, end_s) = (Vec::new(), f64::from(scene.frames) / scene.frames_per_second);
    for (i, (obstacle, built)) in scene.obstacles.iter().zip(&setup.obstacles).enumerate() {
        let (Some(spec), Some(Motion::Samples(motion))) = (&obstacle.samples, &built.motion) else {
            continue;
        };
        let at = format!("obstacles[{i}].samples");
        let places = (0..motion.cache.samples()).flat_map(|sample| motion.cache.sample(sample));
        let farthest = places.map(|x| built.placement.apply(x).amax()).fold(0.0, f64::max);
        within(&at, farthest, LENGTH)?;
        let (speed, sample) = motion.largest_speed();
        check_speed(&format!("{at}: sample {sample}"), speed * built.placement.scale)?;
        // Both are rounded.
        if motion.end_s() < end_s * (1.0 - 1e-9) && !built.is_fixed() {
            warnings.push(format!(
                "{at}: the last sample of `{}` is that of {:.3} s, and the run ends at {end_s:.3} s; `{}` \
                 stands still from then on",
                spec.file,
                motion.end_s(),
                built.name
            ));
        }
        if is_far(motion, built) {
            warnings.push(format!(
                "{at}: the first sample of `{}` is far from the shape of `{}`; are the axes and the unit of \
                 both the same?",
                spec.file, built.name
            ));
        }
    }
    Ok(warnings)
}

/// Whether a vertex of the first sample is far from its place in the shape.
fn is_far(motion: &SampledMotion, built: &ObstacleSetup) -> bool {
    let first = built.shape.first().copied().unwrap_or_default();
    let low = built.shape.iter().fold(first, |low, x| low.inf(x));
    let high = built.shape.iter().fold(first, |high, x| high.sup(x));
    let ways = motion.cache.sample(0).zip(&built.shape).map(|(x, shape)| (x - shape).norm());
    ways.fold(0.0, f64::max) > FAR * (high - low).norm()
}

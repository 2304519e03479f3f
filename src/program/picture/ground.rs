//! What is behind everything: a light background, and a grid on the ground with the shadow of the
//! scene. It looks as in the page (`page/stage.js`, `page/style.css`).

use cloth_core::math::Vec3;

use crate::program::picture::{Axes, Camera, Lights};
use crate::program::view::Bounds;

/// The background in the middle and in the corners, encoded.
const MIDDLE: [f64; 3] = [1.0, 1.0, 1.0];
const CORNER: [f64; 3] = [211.0 / 255.0, 217.0 / 255.0, 224.0 / 255.0];

/// Where the background is lightest, as shares of width and height.
const LIGHTEST: [f64; 2] = [0.5, 0.35];

/// How dark a shadow is, 0 to 1.
const SHADOW: f64 = 0.22;

/// The grey of lines of the grid, encoded, and how dark every fifth line and the others are.
const LINE: f64 = 0.58;
const FIFTH: f64 = 0.42;
const OTHER: f64 = 0.16;

/// The ground of a scene.
#[derive(Debug, Clone)]
pub struct Ground {
    axes: Axes,
    /// A point of it, below the middle of the scene, m.
    middle: Vec3,
    /// The distance of lines, m.
    cell_m: f64,
    /// The grid fades to this distance, m.
    reach_m: f64,
}

impl Ground {
    /// The ground of the scene in a box, at this `level` (m) along the axis that points up; by
    /// default just below the box.
    pub fn new(axes: Axes, around: &Bounds, level: Option<f64>) -> Self {
        let (centre, radius) = (around.centre(), around.radius());
        let half = 0.5 * (around.high - around.low).dot(&axes.up).abs();
        let level = level.unwrap_or_else(|| centre.dot(&axes.up) - half - 0.004 * radius);
        let middle = centre + (level - centre.dot(&axes.up)) * axes.up;
        Self { axes, middle, cell_m: round_length(0.2 * radius), reach_m: 4.0 * radius }
    }

    /// The encoded colour of the background at a pixel, with the ground if it is not None.
    pub fn background(
        ground: Option<&Self>,
        camera: &Camera,
        lights: &Lights,
        [column, row]: [u32; 2],
    ) -> Vec3 {
        let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
        let [width, height] = camera.size.map(f64::from);
        // An ellipse through the corners that are farthest from the lightest point.
        let across = (x / width - LIGHTEST[0]) / (1.0 - LIGHTEST[0]);
        let along = (y / height - LIGHTEST[1]) / (1.0 - LIGHTEST[1]);
        let share = (0.5 * (across * across + along * along)).sqrt().min(1.0);
        let sky = Vec3::from(MIDDLE).lerp(&Vec3::from(CORNER), share);
        ground.map_or(sky, |it| it.over(sky, camera, lights, x, y))
    }

    /// The ground over `sky`, which is what is seen beyond it.
    fn over(&self, sky: Vec3, camera: &Camera, lights: &Lights, x: f64, y: f64) -> Vec3 {
        let Some(here) = self.hit(camera, x, y) else { return sky };
        let away = here - self.middle;
        let fade = (1.0 - away.norm() / self.reach_m).max(0.0);
        if fade == 0.0 {
            return sky;
        }
        let dark = SHADOW * (1.0 - lights.reaches(&here, &self.axes.up));
        let beside = [self.hit(camera, x + 1.0, y), self.hit(camera, x, y + 1.0)];
        let steps = beside.map(|it| it.unwrap_or(here) - here);
        let weight = fade * fade.sqrt() * self.lines(&away, &steps);
        (sky * (1.0 - dark)).lerp(&Vec3::repeat(LINE), weight)
    }

    /// Where the view at a column and a row (pixels) meets the ground from above, m.
    fn hit(&self, camera: &Camera, x: f64, y: f64) -> Option<Vec3> {
        let (ray, height) = (camera.ray(x, y), self.axes.up.dot(&(camera.eye - self.middle)));
        let falls = -ray.dot(&self.axes.up);
        (height > 0.0 && falls > 1e-6).then(|| camera.eye + height / falls * ray)
    }

    /// How dark the lines are at a place `away` from the middle, if the next pixels are `steps`
    /// farther (m).
    fn lines(&self, away: &Vec3, steps: &[Vec3; 2]) -> f64 {
        let mut most: f64 = 0.0;
        for axis in [&self.axes.right, &self.axes.front] {
            let pixel = steps.iter().map(|step| step.dot(axis).abs()).sum::<f64>();
            let place = away.dot(axis) / self.cell_m;
            let line = place.round();
            // A line is one pixel wide. Where lines are nearer to each other, they are lighter.
            let width = pixel / self.cell_m;
            let covered = (1.0 - (place - line).abs() / width.max(1e-9)).max(0.0) / width.max(1.0);
            let dark = if line % 5.0 == 0.0 { FIFTH } else { OTHER };
            most = most.max(covered * dark);
        }
        most
    }
}

/// The largest of 1, 2 or 5 times a power of ten that is at most `length`.
fn round_length(length: f64) -> f64 {
    let power = libm::pow(10.0, libm::log10(length).floor());
    let fits = [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= length);
    power * fits.unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round() {
        for (length, round) in [(0.3, 0.2), (7.0, 5.0), (1.99, 1.0), (0.051, 0.05)] {
            assert!((round_length(length) - round).abs() < 1e-12, "{length}");
        }
    }
}

//! The camera: where it stands, and where a point is in the picture.

use cloth_core::math::Vec3;

use crate::program::view::Bounds;

/// The angle of view from the lower to the upper border, degrees.
const VIEW_DEG: f64 = 35.0;

/// Free space around the scene: the factor of the distance.
const MARGIN: f64 = 1.03;

/// The least distance that is drawn, as a share of the distance to the middle of the scene.
const NEAREST: f64 = 0.01;

/// Directions of a scene, as seen from the front. All have length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axes {
    /// To the right.
    pub right: Vec3,
    /// Up.
    pub up: Vec3,
    /// To the viewer.
    pub front: Vec3,
}

impl Axes {
    /// The directions of a scene in which the coordinate axis `up` (with a sign) points up.
    pub fn new(up: Vec3) -> Self {
        let right = if up.x == 0.0 { Vec3::x() } else { Vec3::new(0.0, -up.x, 0.0) };
        Self { right, up, front: right.cross(&up) }
    }

    /// The direction with these parts.
    pub fn direction(&self, right: f64, up: f64, front: f64) -> Vec3 {
        (right * self.right + up * self.up + front * self.front).normalize()
    }

    /// The scene seen from `azimuth_deg` to the right of the front and `elevation_deg` above: the
    /// right and upper side of the picture, and the direction to the viewer.
    pub fn seen_from(&self, [azimuth_deg, elevation_deg]: [f64; 2]) -> Self {
        let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
        let (sin, cos) = (libm::sin(azimuth), libm::cos(azimuth));
        let ahead = sin * self.right + cos * self.front;
        let right = cos * self.right - sin * self.front;
        let front = libm::cos(elevation) * ahead + libm::sin(elevation) * self.up;
        Self { right, up: front.cross(&right), front }
    }
}

/// The distance from the middle of the box `around` a scene at which the nearest corner touches the
/// border of a picture of `size` (pixels) that is seen along `axes`, m.
pub fn distance(around: &Bounds, axes: &Axes, size: [u32; 2]) -> f64 {
    let slope = libm::tan(0.5 * VIEW_DEG.to_radians());
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let half = 0.5 * (around.high - around.low);
    let corner = |number: usize| {
        let sign = |bit: usize| if number & bit != 0 { 1.0 } else { -1.0 };
        let corner = Vec3::new(sign(1), sign(2), sign(4)).component_mul(&half);
        let across = axes.up.dot(&corner).abs().max(axes.right.dot(&corner).abs() / aspect);
        across / slope + axes.front.dot(&corner)
    };
    MARGIN * (0..8).map(corner).fold(1e-3, f64::max)
}

/// A camera in perspective.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Where it stands, m.
    pub eye: Vec3,
    /// The directions of the picture.
    pub axes: Axes,
    /// Width and height of the picture, pixels.
    pub size: [u32; 2],
    /// The length of a part of the picture at distance 1, pixels.
    pub focus: f64,
    /// What is nearer is not drawn, m.
    pub nearest_m: f64,
}

impl Camera {
    /// The camera that looks along `axes` at the middle of a box from a `distance` (m).
    pub fn new(middle: Vec3, axes: Axes, distance: f64, size: [u32; 2]) -> Self {
        let focus = 0.5 * f64::from(size[1]) / libm::tan(0.5 * VIEW_DEG.to_radians());
        let eye = middle + distance * axes.front;
        Self { eye, axes, size, focus, nearest_m: NEAREST * distance }
    }

    /// The camera of a picture with `factor` times as many pixels along each side.
    pub fn finer(&self, factor: u32) -> Self {
        let size = self.size.map(|pixels| pixels * factor);
        Self { size, focus: self.focus * f64::from(factor), ..self.clone() }
    }

    /// The distance of a point (m) along the view, m.
    pub fn depth(&self, x: &Vec3) -> f64 {
        self.axes.front.dot(&(self.eye - x))
    }

    /// The column and the row of a point (m) before the camera in pixels, and the inverse of its
    /// depth, 1/m.
    pub fn project(&self, x: &Vec3) -> Vec3 {
        let (away, nearness) = (x - self.eye, 1.0 / self.depth(x));
        let [width, height] = self.size.map(f64::from);
        let column = 0.5 * width + self.focus * nearness * self.axes.right.dot(&away);
        let row = 0.5 * height - self.focus * nearness * self.axes.up.dot(&away);
        Vec3::new(column, row, nearness)
    }

    /// The direction of what is seen at a column and a row (pixels). Its depth is 1.
    pub fn ray(&self, column: f64, row: f64) -> Vec3 {
        let [width, height] = self.size.map(f64::from);
        let (right, up) = ((column - 0.5 * width) / self.focus, (0.5 * height - row) / self.focus);
        right * self.axes.right + up * self.axes.up - self.axes.front
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_fills_the_picture_from_every_side() {
        let around = Bounds { low: Vec3::new(-1.0, 0.0, 2.0), high: Vec3::new(3.0, 1.0, 2.5) };
        let size = [640, 360];
        for up in [Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z(), Vec3::x(), -Vec3::x()] {
            for from in [[0.0, 0.0], [26.6, 20.6], [-130.0, -15.0], [0.0, 90.0]] {
                let axes = Axes::new(up).seen_from(from);
                let distance = distance(&around, &axes, size);
                let camera = Camera::new(around.centre(), axes, distance, size);
                let corners = (0..8).map(|bits| {
                    let pick = |axis: usize| [&around.low, &around.high][bits >> axis & 1][axis];
                    camera.project(&Vec3::new(pick(0), pick(1), pick(2)))
                });
                let share = |x: Vec3| {
                    let [width, height] = size.map(f64::from);
                    (x.x / width - 0.5).abs().max((x.y / height - 0.5).abs())
                };
                let most = corners.map(share).fold(0.0, f64::max);
                assert!((0.45..0.5).contains(&most), "{most} from {from:?}, up {up}");
            }
        }
    }

    #[test]
    fn rays_go_through_the_points_that_are_seen() {
        let axes = Axes::new(Vec3::z()).seen_from([40.0, 10.0]);
        let camera = Camera::new(Vec3::new(1.0, 2.0, 3.0), axes, 5.0, [200, 100]);
        let point = Vec3::new(0.5, 2.5, 2.0);
        let seen = camera.project(&point);
        let back = camera.eye + camera.ray(seen.x, seen.y) / seen.z;
        assert!((back - point).norm() < 1e-12, "{back}");
    }
}

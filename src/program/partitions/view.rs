//! A surface seen from far away: orthographic projection, faces drawn from back to front.

use cloth_sim::ids::VertexId;
use cloth_sim::math::Vec3;
use plotters::style::RGBColor;
use resvg::tiny_skia::{
    FillRule, FilterQuality, Paint, PathBuilder, Pixmap, PixmapPaint, Transform,
};

/// Directions to the viewer, from above. The one that shows most of the surface is taken; another
/// one than the first must show clearly more.
const DIRECTIONS: [[f64; 3]; 4] =
    [[1.0, 1.3, 2.0], [2.0, 1.3, -1.0], [-1.0, 1.3, -2.0], [-2.0, 1.3, 1.0]];
const CLEARLY: f64 = 1.1;

/// Lines of a picture are drawn as this many lines and then joined, so that edges are smooth.
const FINE: u32 = 2;

/// Free space around the surface, a part of the picture.
const MARGIN: f64 = 0.03;

/// Light of a face that is seen edge-on. One that faces the viewer has 1.
const DIM: f64 = 0.62;

/// Faces from back to front.
pub struct View {
    faces: Vec<SeenFace>,
    low: [f64; 2],
    high: [f64; 2],
}

struct SeenFace {
    vertices: [VertexId; 3],
    /// To the right and upwards, m.
    corners: [[f64; 2]; 3],
    /// Sum over its corners of the way towards the viewer, m.
    near: f64,
    light: f64,
}

impl View {
    /// The surface of `faces` with vertices at `positions` (m).
    pub fn new(positions: &[Vec3], faces: &[[VertexId; 3]]) -> Self {
        let corners = |face: &[VertexId; 3]| face.map(|vertex| positions[vertex as usize]);
        let areas = Vec::from_iter(faces.iter().map(|face| {
            let [a, b, c] = corners(face);
            0.5 * (b - a).cross(&(c - a))
        }));
        let viewer = direction(&areas);
        let right = Vec3::y().cross(&viewer).normalize();
        let up = viewer.cross(&right);
        let mut view =
            Self { faces: Vec::new(), low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
        for (face, area) in faces.iter().zip(&areas) {
            let [a, b, c] = corners(face);
            let corners = [a, b, c].map(|x| [right.dot(&x), up.dot(&x)]);
            for corner in &corners {
                for axis in 0..2 {
                    view.low[axis] = view.low[axis].min(corner[axis]);
                    view.high[axis] = view.high[axis].max(corner[axis]);
                }
            }
            let facing = area.dot(&viewer).abs() / area.norm().max(f64::MIN_POSITIVE);
            view.faces.push(SeenFace {
                vertices: *face,
                corners,
                near: viewer.dot(&(a + b + c)),
                light: DIM + (1.0 - DIM) * facing.min(1.0),
            });
        }
        view.faces.sort_by(|a, b| a.near.total_cmp(&b.near));
        view
    }

    /// Draws the surface as large as it fits into `width` x `height` pixels. `color` is that of a
    /// face. `None` if there is no pixel.
    pub fn draw(
        &self,
        (width, height): (u32, u32),
        color: impl Fn(&[VertexId; 3]) -> RGBColor,
    ) -> Option<Pixmap> {
        let fine = (FINE * width, FINE * height);
        let mut pixels = Pixmap::new(fine.0, fine.1)?;
        let fit = self.fit(fine);
        for face in &self.faces {
            let RGBColor(r, g, b) = color(&face.vertices);
            let [r, g, b] = [r, g, b].map(|part| (face.light * f64::from(part)).round() as u8);
            let mut paint = Paint { anti_alias: false, ..Paint::default() };
            paint.set_color_rgba8(r, g, b, 255);
            let [a, b, c] = face.corners.map(&fit);
            let mut path = PathBuilder::new();
            path.move_to(a.0, a.1);
            path.line_to(b.0, b.1);
            path.line_to(c.0, c.1);
            path.close();
            // A face that is seen edge-on may have no path.
            if let Some(path) = path.finish() {
                pixels.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
            }
        }
        let mut smooth = Pixmap::new(width, height)?;
        let paint = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
        let scale = 1.0 / FINE as f32;
        let smaller = Transform::from_scale(scale, scale);
        smooth.draw_pixmap(0, 0, pixels.as_ref(), &paint, smaller, None);
        Some(smooth)
    }

    /// From m to pixels, downwards.
    fn fit(&self, (width, height): (u32, u32)) -> impl Fn([f64; 2]) -> (f32, f32) {
        let (low, high) = (self.low, self.high);
        let size = [f64::from(width), f64::from(height)];
        let scale = |axis: usize| {
            let length = (high[axis] - low[axis]).max(f64::MIN_POSITIVE);
            size[axis] * (1.0 - 2.0 * MARGIN) / length
        };
        let scale = scale(0).min(scale(1));
        let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
        move |[x, y]| {
            let right = 0.5 * size[0] + scale * (x - middle[0]);
            let down = 0.5 * size[1] - scale * (y - middle[1]);
            (right as f32, down as f32)
        }
    }
}

/// The direction from which most of the surface is seen. `areas` are normals as long as their faces
/// are large, m^2.
fn direction(areas: &[Vec3]) -> Vec3 {
    let seen = |viewer: &Vec3| areas.iter().map(|area| area.dot(viewer).abs()).sum::<f64>();
    let [first, others @ ..] = DIRECTIONS.map(|direction| Vec3::from(direction).normalize());
    let mut best = (first, CLEARLY * seen(&first));
    for viewer in others {
        let area = seen(&viewer);
        if area > best.1 {
            best = (viewer, area);
        }
    }
    best.0
}

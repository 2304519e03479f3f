//! A surface seen from far away: orthographic projection, the nearest face in each pixel.
//!
//! Drawing faces from back to front would not do: layers that lie on each other would show through
//! each other, because their distance is far smaller than a face.

use cloth_sim::ids::VertexId;
use cloth_sim::math::Vec3;
use plotters::style::RGBColor;

use crate::program::raster::cover;

/// Directions to the viewer, from above. The one that shows most of the surface is taken. The
/// first is preferred, unless another one shows clearly more.
const DIRECTIONS: [[f64; 3]; 4] =
    [[1.0, 1.3, 2.0], [2.0, 1.3, -1.0], [-1.0, 1.3, -2.0], [-2.0, 1.3, 1.0]];
const CLEARLY: f64 = 1.1;

/// Free space around the surface, as a fraction of the picture.
const MARGIN: f64 = 0.03;

/// Light of a face that is seen edge-on. A face towards the viewer has 1.
const DIM: f64 = 0.66;

/// Colours of pixels, row by row: red, green and blue.
pub struct Image {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// Its rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[[u8; 3]]> {
        self.pixels.chunks_exact(self.width)
    }

    /// The image of half its width and height: a pixel is the mean of four.
    fn halved(&self) -> Self {
        let width = self.width / 2;
        let mean = |at: usize| {
            let corner = 2 * (at / width) * self.width + 2 * (at % width);
            let four = [0, 1, self.width, self.width + 1].map(|step| self.pixels[corner + step]);
            let channel = |c: usize| four.iter().map(|color| u32::from(color[c])).sum::<u32>();
            [0, 1, 2].map(|c| ((channel(c) + 2) / 4) as u8)
        };
        Self { width, pixels: (0..self.pixels.len() / 4).map(mean).collect() }
    }
}

/// A surface as the viewer sees it.
pub struct View {
    faces: Vec<SeenFace>,
    /// The least and largest corner, m.
    low: [f64; 2],
    high: [f64; 2],
}

struct SeenFace {
    vertices: [VertexId; 3],
    /// Coordinates to the right, upwards, and towards the viewer, m.
    corners: [Vec3; 3],
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
        let seen = |x: Vec3| Vec3::new(right.dot(&x), up.dot(&x), viewer.dot(&x));
        let face = |(face, area): (&[VertexId; 3], &Vec3)| {
            let facing = area.dot(&viewer).abs() / area.norm().max(f64::MIN_POSITIVE);
            let light = DIM + (1.0 - DIM) * facing.min(1.0);
            SeenFace { vertices: *face, corners: corners(face).map(seen), light }
        };
        let faces: Vec<_> = faces.iter().zip(&areas).map(face).collect();
        let all = || faces.iter().flat_map(|face| face.corners);
        let low = all().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = all().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        Self { low: [low.x, low.y], high: [high.x, high.y], faces }
    }

    /// Height over width.
    pub fn aspect(&self) -> f64 {
        let [width, height] = [0, 1].map(|axis| self.high[axis] - self.low[axis]);
        height / width.max(f64::MIN_POSITIVE)
    }

    /// Draws the surface on white, as large as `width` x `height` pixels (each at least 1) allow.
    /// `color` gives the colour of a face.
    pub fn draw(
        &self,
        (width, height): (u32, u32),
        color: impl Fn(&[VertexId; 3]) -> RGBColor,
    ) -> Image {
        // Edges are smooth, because a pixel is the mean of four.
        let fine = (2 * width, 2 * height);
        let count = fine.0 as usize * fine.1 as usize;
        let mut image = Image { width: fine.0 as usize, pixels: vec![[255; 3]; count] };
        let mut nearest = vec![f64::NEG_INFINITY; count];
        let fit = self.fit(fine);
        for face in &self.faces {
            let RGBColor(r, g, b) = color(&face.vertices);
            let ink = [r, g, b].map(|part| (face.light * f64::from(part)).round() as u8);
            cover(face.corners.map(&fit), fine.0, 0..fine.1, |it| {
                if it.nearness > nearest[it.place] {
                    nearest[it.place] = it.nearness;
                    image.pixels[it.place] = ink;
                }
            });
        }
        image.halved()
    }

    /// Converts m to pixels: to the right, downwards, and towards the viewer.
    fn fit(&self, (width, height): (u32, u32)) -> impl Fn(Vec3) -> Vec3 {
        let size = [f64::from(width), f64::from(height)];
        let scale = |axis: usize| {
            let length = (self.high[axis] - self.low[axis]).max(f64::MIN_POSITIVE);
            size[axis] * (1.0 - 2.0 * MARGIN) / length
        };
        let scale = scale(0).min(scale(1));
        let middle = [0, 1].map(|axis| 0.5 * (self.low[axis] + self.high[axis]));
        move |x| {
            let right = 0.5 * size[0] + scale * (x.x - middle[0]);
            let down = 0.5 * size[1] - scale * (x.y - middle[1]);
            Vec3::new(right, down, scale * x.z)
        }
    }
}

/// The direction from which most of the surface is seen. `areas` are the normals of the faces,
/// with the area as length, m^2.
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

#[cfg(test)]
mod tests {
    use super::*;

    const RED: RGBColor = RGBColor(255, 0, 0);
    const BLUE: RGBColor = RGBColor(0, 0, 255);

    /// Draws two triangles, the first one `gap` m above the second one. Returns the colour of the
    /// one that hides a part of the other.
    fn color_on_top(gap: f64) -> RGBColor {
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
        let triangle = |height: f64| corners.map(|(x, z)| Vec3::new(x, height, z));
        // The lower one is larger and reaches nearer to the viewer.
        let lower = triangle(0.0).map(|x| 3.0 * x - Vec3::new(0.5, 0.0, 0.5));
        let positions = [triangle(gap), lower].concat();
        let view = View::new(&positions, &[[0, 1, 2], [3, 4, 5]]);
        let color = |face: &[u32; 3]| if face[0] == 0 { RED } else { BLUE };
        let image = view.draw((120, 80), color);
        // Pixels inside of a triangle have one colour channel.
        let inked = image.pixels.iter().filter(|[r, g, b]| *g == 0 && (*r == 0 || *b == 0));
        let red = inked.clone().filter(|[r, ..]| *r > 0).count();
        assert!((50..inked.count() / 2).contains(&red) || red == 0, "{red}");
        if red > 0 { RED } else { BLUE }
    }

    #[test]
    fn the_upper_one_of_two_layers_is_seen_however_near_they_are() {
        assert_eq!([1e-1, 1e-3, 1e-6].map(color_on_top), [RED; 3]);
        assert_eq!(color_on_top(-1e-3), BLUE);
    }
}

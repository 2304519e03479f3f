//! A picture by a depth buffer: first the nearest triangle at each sample, then its light.
//!
//! A pixel has two by two samples. A triangle is shaded once for each pixel that it has samples
//! of. Bands of rows are drawn in parallel. Each has the same pixels for any number of threads.

use std::ops::Range;

use cloth_core::math::Vec3;
use rayon::prelude::*;

use crate::program::picture::raster::{Covered, cover};
use crate::program::picture::{Camera, Encoding, Ground, Lights, Look, Model, Triangle, Vertex};

/// Samples along each side of a pixel.
const FINER: u32 = 2;

/// Rows of pixels of a band.
const BAND: u32 = 16;

/// The light of the back of cloth.
const BACK: f64 = 0.78;

/// How much glass and marks hide.
const GLASS: f64 = 0.22;
const MARK: f64 = 0.9;

/// A picture: red, green and blue of each pixel, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// The bytes.
    pub pixels: Vec<u8>,
}

/// The nearest triangle at a sample.
#[derive(Clone, Copy)]
struct Hit {
    nearness: f64,
    /// None where there is none.
    triangle: Option<u32>,
    weights: [f64; 2],
}

/// What a picture is drawn of.
pub struct Painter<'a> {
    /// What stands behind everything.
    pub ground: Option<&'a Ground>,
    /// The lights, with the shadow of the model.
    pub lights: &'a Lights,
    /// Encodes light.
    pub encoding: &'a Encoding,
}

/// A model as a camera sees it.
struct Scenery<'a> {
    painter: &'a Painter<'a>,
    camera: &'a Camera,
    model: &'a Model,
    /// Of each vertex the column and row in samples, and the inverse of the depth, 1/m.
    places: Vec<Vec3>,
}

impl Painter<'_> {
    /// Draws `model`.
    pub fn draw(&self, model: &Model, camera: &Camera) -> Picture {
        let model = model.before(camera);
        let fine = camera.finer(FINER);
        let project = |it: &Vertex| fine.project(&it.position);
        let places = model.vertices.iter().map(project).collect();
        let scenery = Scenery { painter: self, camera, model: &model, places };
        let row_bytes = 3 * camera.size[0] as usize;
        let mut pixels = vec![0; row_bytes * camera.size[1] as usize];
        let bands = pixels.par_chunks_mut(BAND as usize * row_bytes).enumerate();
        bands.for_each(|(number, band)| scenery.draw_band(number as u32 * BAND, band));
        Picture { size: camera.size, pixels }
    }
}

impl Scenery<'_> {
    /// Draws the rows of `band`, which begin with row `first`.
    fn draw_band(&self, first: u32, band: &mut [u8]) {
        let width = self.camera.size[0];
        let count = (band.len() / (3 * width as usize)) as u32;
        let nothing = Hit { nearness: 0.0, triangle: None, weights: [0.0; 2] };
        let mut hits = vec![nothing; (FINER * FINER * width * count) as usize];
        let rows = first..first + count;
        let is_opaque = |look| !matches!(look, Look::Glass | Look::Mark);
        self.each_covered(&rows, is_opaque, |triangle, it| {
            let hit = &mut hits[it.place];
            if it.nearness > hit.nearness {
                let Covered { nearness, weights, .. } = it;
                *hit = Hit { nearness, triangle: Some(triangle), weights };
            }
        });
        let mut colours = self.colours(first, count, &hits);
        self.each_covered(
            &rows,
            |look| look == Look::Glass,
            |triangle, it| {
                if it.nearness > hits[it.place].nearness {
                    let glass = self.shade(triangle, it.weights);
                    colours[it.place] = colours[it.place].lerp(&glass, GLASS);
                }
            },
        );
        self.each_covered(
            &rows,
            |look| look == Look::Mark,
            |triangle, it| {
                let mark = self.shade(triangle, it.weights);
                colours[it.place] = colours[it.place].lerp(&mark, MARK);
            },
        );
        for (at, pixel) in band.chunks_exact_mut(3).enumerate() {
            let four = self.samples(at).map(|sample| colours[sample]);
            let mean = four.iter().sum::<Vec3>() / f64::from(FINER * FINER);
            (0..3).for_each(|channel| pixel[channel] = (255.0 * mean[channel] + 0.5) as u8);
        }
    }

    /// The places of the samples of pixel `at` of a band.
    fn samples(&self, at: usize) -> [usize; 4] {
        let (width, finer) = (self.camera.size[0] as usize, FINER as usize);
        let first = at / width * finer * finer * width + at % width * finer;
        [first, first + 1, first + finer * width, first + finer * width + 1]
    }

    /// The encoded colour of each sample, without glass.
    fn colours(&self, first: u32, rows: u32, hits: &[Hit]) -> Vec<Vec3> {
        let Self { painter, camera, .. } = self;
        let width = camera.size[0];
        let mut colours = vec![Vec3::zeros(); hits.len()];
        for at in 0..(width * rows) as usize {
            let samples = self.samples(at);
            for (number, &sample) in samples.iter().enumerate() {
                let hit = hits[sample];
                let before = &samples[..number];
                let known = before.iter().find(|&&it| hits[it].triangle == hit.triangle);
                colours[sample] = match (known, hit.triangle) {
                    (Some(&known), _) => colours[known],
                    (None, Some(triangle)) => self.shade(triangle, hit.weights),
                    (None, None) => {
                        let place = [at as u32 % width, first + at as u32 / width];
                        Ground::background(painter.ground, camera, painter.lights, place)
                    }
                };
            }
        }
        colours
    }

    /// Calls `each` with every triangle whose look is `drawn`, and every sample of these rows of
    /// pixels that it covers.
    fn each_covered(
        &self,
        rows: &Range<u32>,
        drawn: impl Fn(Look) -> bool,
        mut each: impl FnMut(u32, Covered),
    ) {
        let samples = FINER * rows.start..FINER * rows.end;
        let [low, high] = [samples.start, samples.end].map(f64::from);
        for (triangle, number) in self.model.triangles.iter().zip(0..) {
            let corners = triangle.corners.map(|vertex| self.places[vertex as usize]);
            let is_beside =
                corners.iter().all(|it| it.y < low) || corners.iter().all(|it| it.y > high);
            let is_hidden = triangle.look == Look::Wall && !is_front(&corners);
            if !is_beside && !is_hidden && drawn(triangle.look) {
                let width = FINER * self.camera.size[0];
                cover(corners, width, samples.clone(), |it| each(number, it));
            }
        }
    }

    /// The encoded colour of a triangle at a place of the picture: `weights` of its second and
    /// third corner there.
    fn shade(&self, number: u32, [v, w]: [f64; 2]) -> Vec3 {
        let Triangle { corners, look } = self.model.triangles[number as usize];
        let places = corners.map(|vertex| self.places[vertex as usize]);
        // In space, weights are those of the picture times the nearness.
        let near = [(1.0 - v - w) * places[0].z, v * places[1].z, w * places[2].z];
        let sum = near.iter().sum::<f64>();
        let [a, b, c] = corners.map(|vertex| &self.model.vertices[vertex as usize]);
        let [u, v, w] = near.map(|it| it / sum);
        let position = u * a.position + v * b.position + w * c.position;
        let mut normal = u * a.normal + v * b.normal + w * c.normal;
        let mut colour = u * a.colour + v * b.colour + w * c.colour;
        if look == Look::Mark {
            return self.painter.encoding.encode(colour);
        }
        if !is_front(&places) {
            normal = -normal;
            if look == Look::Cloth {
                colour *= BACK;
            }
        }
        let normal = normal.try_normalize(0.0).unwrap_or(self.camera.axes.front);
        self.painter.encoding.encode(self.painter.lights.shade(&colour, &position, &normal))
    }
}

/// Whether the front of a triangle is seen: its corners, with rows downwards, go around clockwise.
fn is_front([a, b, c]: &[Vec3; 3]) -> bool {
    (b.x - a.x) * (c.y - a.y) < (b.y - a.y) * (c.x - a.x)
}

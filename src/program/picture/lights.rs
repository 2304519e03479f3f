//! Lights, and the shadow of the main one. They are those of the page (`page/stage.js`).

use std::f64::consts::FRAC_1_PI;

use cloth_core::math::Vec3;

use crate::program::picture::colours::hex;
use crate::program::picture::raster::cover;
use crate::program::picture::{Axes, Look, Model};
use crate::program::view::Bounds;

/// Places along each side of the shadow map.
const SIDE: u32 = 2048;

/// A point is lit if what hides it is nearer to the light by less than this, as a share of the
/// radius of the scene. So a surface does not hide itself.
const BIAS: f64 = 0.004;

/// Points are moved off their surface by this before, as a share of the radius.
const OFFSET: f64 = 0.005;

/// A light from one direction.
#[derive(Debug, Clone)]
struct Lamp {
    /// To the light.
    direction: Vec3,
    /// Light that a white surface sends back if it faces the lamp.
    strength: Vec3,
}

/// The lights of a scene.
#[derive(Debug, Clone)]
pub struct Lights {
    up: Vec3,
    sky: Vec3,
    floor: Vec3,
    main: Lamp,
    fill: Lamp,
    shadow: ShadowMap,
}

/// How near what faces the main light is to it, in a square across its direction.
#[derive(Debug, Clone)]
struct ShadowMap {
    /// The middle of the scene, m.
    centre: Vec3,
    /// Directions across the light, and the one to it.
    across: [Vec3; 2],
    to_light: Vec3,
    /// Places of the map of a length of 1 m.
    scale: f64,
    radius_m: f64,
    /// Distances towards the light from the middle of the scene, m; row by row.
    nearest: Vec<f32>,
}

impl Lights {
    /// The lights of a scene in this box. Nothing casts a shadow yet.
    pub fn new(axes: &Axes, around: &Bounds) -> Self {
        let lamp = |direction: [f64; 3], colour, strength: f64| {
            let [right, up, front] = direction;
            let strength = strength * FRAC_1_PI * hex(colour);
            Lamp { direction: axes.direction(right, up, front), strength }
        };
        let main = lamp([-0.6, 1.15, 0.75], "#fff2df", 2.5);
        Self {
            up: axes.up,
            sky: 1.15 * FRAC_1_PI * hex("#f3f7ff"),
            floor: 1.15 * FRAC_1_PI * hex("#77747a"),
            fill: lamp([1.0, 0.3, -0.5], "#d7e5ff", 0.55),
            shadow: ShadowMap::new(main.direction, axes.right, around),
            main,
        }
    }

    /// Lets `model` cast its shadow.
    pub fn cast(&mut self, model: &Model) {
        self.shadow.fill(model);
    }

    /// The share of the main light that reaches a point (m) of a surface with this unit `normal`.
    pub fn reaches(&self, x: &Vec3, normal: &Vec3) -> f64 {
        self.shadow.lit(&(x + OFFSET * self.shadow.radius_m * normal))
    }

    /// The light from a point (m) of a surface with this `colour` and unit `normal`, which points
    /// to the viewer's side (Lambert).
    pub fn shade(&self, colour: &Vec3, x: &Vec3, normal: &Vec3) -> Vec3 {
        let share = 0.5 + 0.5 * normal.dot(&self.up);
        let mut light = self.floor.lerp(&self.sky, share);
        light += normal.dot(&self.fill.direction).max(0.0) * self.fill.strength;
        let facing = normal.dot(&self.main.direction);
        if facing > 0.0 {
            light += facing * self.reaches(x, normal) * self.main.strength;
        }
        light.component_mul(colour)
    }
}

impl ShadowMap {
    fn new(to_light: Vec3, right: Vec3, around: &Bounds) -> Self {
        let first = to_light.cross(&right).normalize();
        let radius_m = around.radius();
        Self {
            centre: around.centre(),
            across: [first, to_light.cross(&first)],
            to_light,
            scale: f64::from(SIDE) / (2.5 * radius_m),
            radius_m,
            nearest: Vec::new(),
        }
    }

    /// Where a point (m) is in the map: column, row, and the distance towards the light, m.
    fn place(&self, x: &Vec3) -> Vec3 {
        let away = x - self.centre;
        let [column, row] = self.across.map(|axis| self.scale * axis.dot(&away));
        let middle = 0.5 * f64::from(SIDE);
        Vec3::new(middle + column, middle + row, self.to_light.dot(&away))
    }

    fn fill(&mut self, model: &Model) {
        let mut nearest = vec![f32::NEG_INFINITY; (SIDE * SIDE) as usize];
        let places = Vec::from_iter(model.vertices.iter().map(|it| self.place(&it.position)));
        for triangle in &model.triangles {
            if matches!(triangle.look, Look::Wall | Look::Glass | Look::Mark) {
                continue;
            }
            let corners = triangle.corners.map(|vertex| places[vertex as usize]);
            cover(corners, SIDE, 0..SIDE, |it| {
                let known = &mut nearest[it.place];
                *known = known.max(it.nearness as f32);
            });
        }
        self.nearest = nearest;
    }

    /// The share of light at a point (m): the mean over three by three places, so that edges of
    /// shadows are soft.
    fn lit(&self, x: &Vec3) -> f64 {
        let place = self.place(x);
        let inside = 2.0..f64::from(SIDE) - 2.0;
        if self.nearest.is_empty() || !inside.contains(&place.x) || !inside.contains(&place.y) {
            return 1.0;
        }
        let limit = place.z + BIAS * self.radius_m;
        let (column, row) = (place.x - 0.5, place.y - 0.5);
        let weights = |part: f64| [1.0 - part, 1.0, 1.0, part].map(|it| it / 3.0);
        let (of_column, of_row) = (weights(column.fract()), weights(row.fract()));
        let first = (row as usize - 1) * SIDE as usize + column as usize - 1;
        let mut lit = 0.0;
        for (i, of_row) in of_row.iter().enumerate() {
            let own = &self.nearest[first + i * SIDE as usize..][..4];
            let is_lit = own.iter().zip(&of_column).filter(|(near, _)| f64::from(**near) < limit);
            lit += of_row * is_lit.map(|(_, weight)| weight).sum::<f64>();
        }
        lit.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::picture::model::Vertex;

    #[test]
    fn a_roof_hides_the_light_below_it_and_not_its_own() {
        let axes = Axes::new(Vec3::z());
        let around = Bounds { low: Vec3::repeat(-1.0), high: Vec3::repeat(1.0) };
        let mut lights = Lights::new(&axes, &around);
        let corners = [[-1.0, -1.0, 0.5], [1.0, -1.0, 0.5], [1.0, 1.0, 0.5], [-1.0, 1.0, 0.5]];
        let vertex = |x| Vertex { position: Vec3::from(x), normal: Vec3::z(), colour: Vec3::x() };
        let mut model = Model::default();
        model.add(corners.map(vertex).into_iter(), &[[0, 1, 2], [0, 2, 3]], Look::Solid);
        lights.cast(&model);
        let middle = 0.3 * lights.main.direction;
        assert_eq!(lights.reaches(&middle, &Vec3::z()), 0.0);
        for lit in [Vec3::new(0.0, 0.0, 0.5), Vec3::new(-1.0, -1.0, -1.0), Vec3::new(0.0, 0.0, 0.9)]
        {
            assert!(lights.reaches(&lit, &Vec3::z()) > 0.999, "{lit}");
        }
        let [front, back] = [Vec3::z(), -Vec3::z()]
            .map(|it| lights.shade(&Vec3::repeat(1.0), &Vec3::new(0.0, 0.0, 0.5), &it).x);
        assert!(front > 2.0 * back && front < 1.2, "{front} {back}");
    }
}

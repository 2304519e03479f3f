//! Coulomb's coefficients of friction, and shares of restitution.

use crate::contact::factors::{of_sides, surface_of};
use crate::contact::settings::ContactSettings;
use cloth_collision::collision::Pair;
use cloth_core::VertexId;

/// Coulomb's coefficients, and shares of restitution. Where both surfaces have a material, the pair of
/// materials counts, otherwise a setting of the scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Friction {
    /// Between cloth and cloth.
    pub cloth: f64,
    /// Between all other pairs.
    pub obstacle: f64,
    /// Vertices below this number are cloth.
    pub cloth_vertices: VertexId,
    /// The number after the last vertex of each surface.
    pub ends: Vec<VertexId>,
    /// The materials of surfaces.
    pub touch: Touch,
    /// A factor for each vertex of cloth. Empty if all are 1.
    pub factors: Vec<f64>,
}

/// The materials of surfaces, and what each pair of materials has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Touch {
    /// The material of each surface. Empty if no surface has one.
    pub materials: Vec<Option<u16>>,
    /// The coefficient of the materials `a` and `b`, in row `a` and column `b`.
    pub coefficients: Vec<Vec<f64>>,
    /// Their shares of restitution, in the same form. Empty if no pair has one.
    pub restitution: Vec<Vec<f64>>,
    /// The part of the material `a` in the contact distance from `b`, m, in the same form. The last row
    /// and column are those of surfaces without a material. Empty if all have the distance of the scene.
    pub distances: Vec<Vec<f64>>,
}

impl Friction {
    /// Those of `settings` and of the materials `touch` of surfaces, whose last vertices are before
    /// `ends`. Vertices below `cloth_vertices` are cloth, with these `factors`.
    pub fn new(
        settings: &ContactSettings,
        cloth_vertices: VertexId,
        ends: Vec<VertexId>,
        touch: Touch,
        factors: Vec<f64>,
    ) -> Self {
        let ContactSettings { friction_cloth, friction_obstacle, .. } = *settings;
        let (cloth, obstacle) = (friction_cloth, friction_obstacle);
        Self { cloth, obstacle, cloth_vertices, ends, touch, factors }
    }

    /// The coefficient of `pair` at the points with the weights `at`.
    pub fn of(&self, pair: &Pair, at: &[f64; 4]) -> f64 {
        let both_cloth = pair.vertices.iter().all(|&vertex| vertex < self.cloth_vertices);
        let of_surfaces = self
            .of_materials(pair, &self.touch.coefficients)
            .unwrap_or(if both_cloth { self.cloth } else { self.obstacle });
        if self.factors.is_empty() {
            return of_surfaces;
        }
        let [first, second] = of_sides(&self.factors, pair, Some(at));
        // Cloths have the mean, as materials do; the other side of a cloth has the factor 1.
        of_surfaces * if both_cloth { 0.5 * (first + second) } else { first * second }
    }

    /// The surfaces of the first and the second side of `pair`, by their numbers.
    pub fn surfaces(&self, pair: &Pair) -> [usize; 2] {
        // The first vertex is of the first side, the last one of the second.
        let [first, .., second] = pair.vertices;
        [first, second].map(|vertex| surface_of(&self.ends, vertex))
    }

    /// The share of its speed that an impact of `pair` gives back. `None` where cloth takes part.
    pub fn restitution(&self, pair: &Pair) -> Option<f64> {
        let share = || self.of_materials(pair, &self.touch.restitution).unwrap_or(0.0);
        (!self.has_cloth(pair)).then(share)
    }

    /// Whether cloth takes part in `pair`.
    pub fn has_cloth(&self, pair: &Pair) -> bool {
        pair.vertices.iter().any(|&vertex| vertex < self.cloth_vertices)
    }

    /// What `table` has for `pair`, if both surfaces have a material.
    fn of_materials(&self, pair: &Pair, table: &[Vec<f64>]) -> Option<f64> {
        if self.touch.materials.is_empty() || table.is_empty() {
            return None;
        }
        let surfaces = self.surfaces(pair);
        let [a, b] = surfaces.map(|surface| self.touch.materials[surface].map(usize::from));
        Some(table[a?][b?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_the_coefficient_of_its_materials_or_of_the_scene() {
        let touch = Touch {
            materials: vec![Some(0), None, Some(1)],
            coefficients: vec![vec![0.1, 0.2], vec![0.2, 0.3]],
            restitution: vec![vec![0.5, 0.6], vec![0.6, 0.7]],
            distances: Vec::new(),
        };
        let settings =
            ContactSettings { friction_cloth: 0.8, friction_obstacle: 0.9, ..Default::default() };
        let mut friction = Friction::new(&settings, 20, vec![10, 20, 30], touch, Vec::new());
        let at = [1.0, -0.5, -0.25, -0.25];
        let of = |vertex, face| friction.of(&Pair::vertex_face(vertex, face), &at);
        assert_eq!(of(0, [7, 8, 9]), 0.1);
        assert_eq!(of(25, [7, 8, 9]), 0.2);
        assert_eq!(of(20, [21, 22, 23]), 0.3);
        assert_eq!(of(0, [10, 11, 12]), 0.8);
        assert_eq!(of(10, [25, 26, 27]), 0.9);
        assert_eq!(friction.of(&Pair::edge_edge([28, 29], [8, 9]), &at), 0.2);
        let restitution = |vertex, face| friction.restitution(&Pair::vertex_face(vertex, face));
        assert_eq!(restitution(20, [21, 22, 23]), Some(0.7));
        assert_eq!(restitution(25, [7, 8, 9]), None);
        friction.factors = (0..20).map(|vertex| if vertex == 7 { 4.0 } else { 2.0 }).collect();
        assert_eq!(friction.of(&Pair::vertex_face(0, [7, 8, 9]), &at), 0.1 * (0.5 * (2.0 + 3.0)));
        assert_eq!(friction.of(&Pair::vertex_face(20, [21, 22, 23]), &at), 0.3);
        let ends = vec![10, 20, 30];
        let plain = Friction::new(&settings, 20, ends, Touch::default(), Vec::new());
        assert_eq!(plain.of(&Pair::vertex_face(25, [7, 8, 9]), &at), 0.9);
    }
}

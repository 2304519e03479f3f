//! Values of the vertices of cloth: how near it comes to other surfaces in a frame, and what maps
//! multiply its settings by. Run folders do not record the contacts of cloth, so the page shows
//! gaps.

use std::collections::HashMap;

use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::{ClothSetup, Factors};
use cloth_core::math::Vec3;
use cloth_core::mesh::nearest_point;

/// A cell of the grid: its place along each axis.
type Place = [i32; 3];

/// The triangles of a frame in a grid of cubes.
pub struct Gaps<'a> {
    positions: &'a [Vec3],
    faces: &'a [[u32; 3]],
    cell_m: f64,
    reach_m: f64,
    cells: HashMap<Place, Vec<u32>>,
}

impl<'a> Gaps<'a> {
    /// The grid of `faces` over `positions` (m). Gaps are sought up to `reach_m` (m, above 0). All
    /// positions are finite.
    pub fn new(positions: &'a [Vec3], faces: &'a [[u32; 3]], reach_m: f64) -> Self {
        let extent = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
            (a.sup(&b).sup(&c) - a.inf(&b).inf(&c)).max()
        };
        // A mean triangle lies in a few cells.
        let mean = faces.iter().map(extent).sum::<f64>() / faces.len().max(1) as f64;
        let cell_m = mean.max(2.0 * reach_m);
        Self { positions, faces, cell_m, reach_m, cells: HashMap::new() }
    }

    /// Enters the triangles that come near one of the `sought` places (m).
    pub fn enter(&mut self, sought: impl Iterator<Item = Vec3>) {
        for x in sought {
            self.cells.entry(self.place(&x)).or_default();
        }
        for (number, face) in (0..).zip(self.faces) {
            let [a, b, c] = face.map(|vertex| self.positions[vertex as usize]);
            let reach = Vec3::repeat(self.reach_m);
            let low = self.place(&(a.inf(&b).inf(&c) - reach));
            let high = self.place(&(a.sup(&b).sup(&c) + reach));
            let size = (0..3).map(|axis| i64::from(high[axis]) - i64::from(low[axis]) + 1);
            // A triangle larger than all that is sought visits the cells instead of its own box.
            if size.fold(1, i64::saturating_mul) > self.cells.len() as i64 {
                let is_in = |place: &Place| (0..3).all(|i| (low[i]..=high[i]).contains(&place[i]));
                let inside = self.cells.iter_mut().filter(|(place, _)| is_in(place));
                inside.for_each(|(_, cell)| cell.push(number));
                continue;
            }
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        if let Some(cell) = self.cells.get_mut(&[x, y, z]) {
                            cell.push(number);
                        }
                    }
                }
            }
        }
    }

    /// The distance of `vertex` from the nearest triangle that has none of its `own` vertices (the
    /// vertex and its neighbours in the mesh) and whose first vertex can `meet` it, m. At most the
    /// reach.
    pub fn of(&self, vertex: u32, own: &[u32], meet: impl Fn(u32, u32) -> bool) -> f64 {
        let x = self.positions[vertex as usize];
        let Some(cell) = self.cells.get(&self.place(&x)) else { return self.reach_m };
        let mut least = self.reach_m;
        for &number in cell {
            let face = self.faces[number as usize];
            let is_near = |corner: &u32| *corner == vertex || own.contains(corner);
            if face.iter().any(is_near) || !meet(vertex, face[0]) {
                continue;
            }
            let corners = face.map(|corner| self.positions[corner as usize]);
            let gap = (nearest_point(&corners, x) - x).norm();
            // A comparison with NaN, of a triangle without area, is false.
            if gap < least {
                least = gap;
            }
        }
        least
    }

    fn place(&self, x: &Vec3) -> Place {
        [0, 1, 2].map(|axis| (x[axis] / self.cell_m).floor() as i32)
    }
}

/// The settings, as a page names them.
const SETTINGS: [&str; 5] = ["density", "stiffness", "bending", "friction", "thickness"];

/// The factors of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedSetting {
    /// Its name.
    pub name: &'static str,
    /// The factor of each vertex of all cloth; 1 where it has no map.
    pub factors: Vec<f64>,
}

/// The settings that differ from place to place.
pub fn mapped_settings(setup: &Setup) -> Vec<MappedSetting> {
    let mut all = SETTINGS.map(|name| MappedSetting { name, factors: Vec::new() });
    for cloth in &setup.cloths {
        all.iter_mut().zip(of_cloth(cloth)).for_each(|(all, own)| all.factors.extend(own));
    }
    let differs = |it: &MappedSetting| it.factors.iter().any(|&factor| factor != 1.0);
    all.into_iter().filter(differs).collect()
}

fn of_cloth(cloth: &ClothSetup) -> [Vec<f64>; 5] {
    let Factors { density, stiffness, bending, friction, distance } = &cloth.factors;
    let [density, stiffness, bending] = [density, stiffness, bending].map(|it| means(cloth, it));
    let [friction, distance] = [friction, distance].map(|it| match it.is_empty() {
        true => vec![1.0; cloth.positions.len()],
        false => it.clone(),
    });
    [density, stiffness, bending, friction, distance]
}

/// Of each vertex the mean of the `factors` of its faces.
fn means(cloth: &ClothSetup, factors: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); cloth.positions.len()];
    for (face, factor) in cloth.faces.iter().zip(factors) {
        for &vertex in face {
            let (sum, count) = &mut sums[vertex as usize];
            *sum += factor;
            *count += 1.0;
        }
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_those_of_all_triangles() {
        // A strip of triangles over a floor of two large ones.
        let strip =
            |i: u32| Vec3::new(0.1 * f64::from(i / 2), 0.003 * f64::from(i), f64::from(i % 2));
        let mut positions = Vec::from_iter((0..20).map(strip));
        positions.extend(
            [[-9.0, -9.0], [-9.0, 9.0], [9.0, 9.0], [9.0, -9.0]].map(|[x, z]| Vec3::new(x, 0.0, z)),
        );
        let mut faces = Vec::from_iter((0..18).map(|i| [i, i + 1, i + 2]));
        faces.extend([[20, 21, 22], [20, 22, 23]]);
        let mut gaps = Gaps::new(&positions, &faces, 0.02);
        gaps.enter(positions[..20].iter().copied());
        for vertex in 0_u32..20 {
            let own = Vec::from_iter(
                (0..20).filter(|&other| other != vertex && vertex.abs_diff(other) <= 2),
            );
            let height = 0.003 * f64::from(vertex);
            let all = gaps.of(vertex, &own, |_, _| true);
            assert!((all - height.min(0.02)).abs() < 1e-12, "{vertex}");
            assert_eq!(gaps.of(vertex, &own, |_, face| face < 20), 0.02, "{vertex}");
        }
    }
}

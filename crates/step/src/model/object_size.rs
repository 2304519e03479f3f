//! The sizes of the objects of a model, for people who look at a scene before it runs.

use serde::Serialize;

use crate::model::Model;
use cloth_collision::collision::Surface;
use cloth_collision::collision::surface::Moves;
use cloth_core::math::Vec3;

/// An object as it starts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectSize {
    /// Its name.
    pub name: String,
    /// `cloth`, `body` or `obstacle`.
    pub kind: &'static str,
    /// Number of its vertices.
    pub vertices: usize,
    /// Number of its triangles.
    pub triangles: usize,
    /// Mass of a cloth, kg.
    pub mass_kg: Option<f64>,
    /// The shortest, the median and the longest edge of a cloth at the start, m.
    pub edges_m: Option<[f64; 3]>,
}

impl Model {
    /// Its cloths, bodies and obstacles.
    pub fn object_sizes(&self) -> Vec<ObjectSize> {
        let surfaces = self.surfaces.list.iter().zip(&self.names);
        let size = |(surface, name): (&Surface, &String)| {
            let vertices = surface.vertices();
            let (kind, mass_kg) = match surface.moves {
                Moves::Deforms if vertices.end <= self.cloth.masses.len() => {
                    ("cloth", Some(self.cloth.masses[vertices].iter().sum()))
                }
                Moves::Rigid => ("body", None),
                _ => ("obstacle", None),
            };
            ObjectSize {
                name: name.clone(),
                kind,
                vertices: surface.vertex_count,
                triangles: surface.faces.len(),
                mass_kg,
                edges_m: mass_kg.map(|_: f64| edges(&surface.faces, &self.initial)),
            }
        };
        surfaces.map(size).collect()
    }
}

/// The shortest, the median and the longest edge of `faces` with vertices at `x` (m).
fn edges(faces: &[[u32; 3]], x: &[Vec3]) -> [f64; 3] {
    let at = |vertex: u32| x[vertex as usize];
    let sides = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut lengths = Vec::from_iter(sides.map(|[a, b]| (at(a) - at(b)).norm()));
    lengths.sort_by(f64::total_cmp);
    let of = |place: usize| lengths.get(place).copied().unwrap_or(0.0);
    [of(0), of(lengths.len() / 2), of(lengths.len().saturating_sub(1))]
}

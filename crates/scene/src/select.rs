//! The vertices that a pin or a load selects.

use std::collections::HashSet;

use crate::spec::Select;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::SurfaceMesh;

/// The vertices of one cloth, for a pin or a load to choose from.
pub(super) struct Candidates<'a> {
    pub(super) surface: &'a SurfaceMesh,
    /// Positions at the start, m.
    pub(super) positions: &'a [Vec3],
    /// The old vertices that each vertex lies between after refinement. An old vertex has itself
    /// three times.
    pub(super) origins: &'a [[u32; 3]],
}

impl Candidates<'_> {
    /// The chosen vertices, sorted. `at` is the path of the choice in the scene.
    ///
    /// # Errors
    /// A choice without a vertex, or a vertex that does not exist.
    pub(super) fn select(&self, choice: &Select, at: &str) -> Result<Vec<u32>> {
        match choice {
            Select::Vertices(list) => self.listed(list, at),
            Select::Box { min_m, max_m } => self.in_box(*min_m, *max_m, at),
            Select::Nearest(point) => Ok(self.nearest((*point).into())),
            Select::Group(name) => self.of_group(name, at),
        }
    }

    fn all(&self) -> std::ops::Range<u32> {
        0..self.positions.len() as u32
    }

    fn listed(&self, list: &[u32], at: &str) -> Result<Vec<u32>> {
        let is_old = |origin: &&[u32; 3]| origin[0] == origin[1] && origin[1] == origin[2];
        let count = self.origins.iter().filter(is_old).count();
        if let Some(missing) = list.iter().find(|&&vertex| vertex as usize >= count) {
            let cause = format!("it names vertex {missing}, but the cloth has {count}");
            return Err(Error::input(at, cause, format!("choose from 0 to {}", count - 1)));
        }
        if list.is_empty() {
            return Err(Error::input(at, "it names no vertex", "list at least one"));
        }
        let listed: HashSet<u32> = list.iter().copied().collect();
        let chosen =
            |&v: &u32| self.origins[v as usize].iter().all(|origin| listed.contains(origin));
        Ok(self.all().filter(chosen).collect())
    }

    fn in_box(&self, min_m: [f64; 3], max_m: [f64; 3], at: &str) -> Result<Vec<u32>> {
        let inside = |&vertex: &u32| {
            (0..3).all(|i| (min_m[i]..=max_m[i]).contains(&self.positions[vertex as usize][i]))
        };
        let chosen: Vec<u32> = self.all().filter(inside).collect();
        if chosen.is_empty() {
            let (low, high) = extent(self.positions);
            let cause = "it names no vertex: none lies in its box";
            let remedy = format!("the cloth starts between {low} and {high}; move the box");
            return Err(Error::input(at, cause, remedy));
        }
        Ok(chosen)
    }

    fn nearest(&self, point: Vec3) -> Vec<u32> {
        let distance = |&vertex: &u32| (self.positions[vertex as usize] - point).norm_squared();
        let nearest = self.all().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.into_iter().collect()
    }

    fn of_group(&self, name: &str, at: &str) -> Result<Vec<u32>> {
        let document = &self.surface.document;
        let mut chosen = Vec::new();
        for (group, polygons) in document.group_polygons() {
            if group.name.as_deref() == Some(name) {
                let corners =
                    polygons.flat_map(|polygon| &document.corners[document.polygon(polygon)]);
                chosen.extend(corners.map(|corner| corner.vertex));
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.is_empty() {
            let mut known =
                Vec::from_iter(document.groups.iter().filter_map(|g| g.name.as_deref()));
            known.sort_unstable();
            known.dedup();
            let remedy = match known.is_empty() {
                true => "the mesh has no groups; select by Vertices, Box or Nearest".to_owned(),
                false => did_you_mean(name, &known),
            };
            let cause = format!("it names no vertex: the mesh has no group `{name}`");
            return Err(Error::input(at, cause, remedy));
        }
        Ok(chosen)
    }
}

/// Lower and upper corner of all positions, as text for a message.
fn extent(positions: &[Vec3]) -> (String, String) {
    let first = positions.first().copied().unwrap_or_default();
    let low = positions.iter().fold(first, |low, p| low.inf(p));
    let high = positions.iter().fold(first, |high, p| high.sup(p));
    let text = |v: Vec3| format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z);
    (text(low), text(high))
}

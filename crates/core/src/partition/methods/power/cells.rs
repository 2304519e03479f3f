//! Power cells as convex polytopes.
//!
//! The cell of site `r` is where its power distance is least: the intersection of the half-spaces
//! `2 (x_s - x_r) . x <= |x_s|^2 - p_s - |x_r|^2 + p_r` of all other sites `s`, within given
//! bounds.

use crate::Vec3;
use crate::partition::methods::power::diagram::Diagram;

/// A cell: the part of space that a site owns. It may be empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PowerCell {
    faces: Vec<Face>,
}

/// A face of a cell.
#[derive(Debug, Clone, PartialEq)]
struct Face {
    /// The cell on the other side; `None` at the bounds.
    neighbour: Option<u32>,
    plane: Plane,
    /// Corners around the face, m.
    corners: Vec<Vec3>,
}

/// The half-space `normal . x <= offset`; the normal has length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plane {
    normal: Vec3,
    offset: f64,
}

impl Plane {
    /// How far `x` is outside, m.
    fn height(&self, x: &Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

impl Diagram {
    /// The cells of all sites within the box between two corners (m). Time: the square of the
    /// number of sites.
    pub fn cells(&self, bounds: [Vec3; 2]) -> Vec<PowerCell> {
        (0..self.sites.len()).map(|site| self.cell(site, bounds)).collect()
    }

    fn cell(&self, site: usize, bounds: [Vec3; 2]) -> PowerCell {
        let mut cell = PowerCell::of_box(bounds);
        for other in (0..self.sites.len()).filter(|&other| other != site) {
            match self.border(site, other) {
                Some(plane) => cell.clip(plane, other as u32),
                // Two sites at one place: the larger potential has the whole cell. Of equal
                // potentials the first site has it.
                None => {
                    let (own, others) = (self.potentials[site], self.potentials[other]);
                    if own < others || (own == others && other < site) {
                        return PowerCell::default();
                    }
                }
            }
        }
        cell
    }

    /// The half-space where `site` is nearer than `other`; `None` if they are at one place.
    fn border(&self, site: usize, other: usize) -> Option<Plane> {
        let apart = self.sites[other] - self.sites[site];
        let distance = apart.norm();
        if distance == 0.0 {
            return None;
        }
        let normal = apart / distance;
        // Computed relative to the own site, to keep digits.
        let own = (distance * distance + self.potentials[site] - self.potentials[other])
            / (2.0 * distance);
        Some(Plane { normal, offset: normal.dot(&self.sites[site]) + own })
    }
}

impl PowerCell {
    /// True if no point belongs to the cell.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// The sites whose cells touch this one, rising.
    pub fn neighbours(&self) -> Vec<u32> {
        let mut neighbours: Vec<u32> =
            self.faces.iter().filter_map(|face| face.neighbour).collect();
        neighbours.sort_unstable();
        neighbours
    }

    /// True if `point` is in the cell or on its border.
    pub fn contains(&self, point: &Vec3) -> bool {
        !self.is_empty() && self.faces.iter().all(|face| face.plane.height(point) <= 0.0)
    }

    /// True if the sphere and the cell have a point in common.
    pub fn overlaps(&self, centre: &Vec3, radius: f64) -> bool {
        self.distance(centre) <= radius
    }

    /// The distance of `point` from the cell, m: 0 inside, infinite if the cell is empty.
    pub fn distance(&self, point: &Vec3) -> f64 {
        if self.contains(point) {
            return 0.0;
        }
        // The nearest point is on a face that sees `point`.
        let facing = self.faces.iter().filter(|face| face.plane.height(point) > 0.0);
        facing.map(|face| face.distance(point)).fold(f64::INFINITY, f64::min)
    }

    /// The volume, m^3.
    pub fn volume(&self) -> f64 {
        let Some(apex) = self.faces.first().map(|face| face.corners[0]) else { return 0.0 };
        let below = |face: &Face| -face.plane.height(&apex) * face.area() / 3.0;
        self.faces.iter().map(below).sum()
    }

    /// The corners of each face, in order around it, with the cell on its other side.
    pub fn faces(&self) -> impl Iterator<Item = (Option<u32>, &[Vec3])> {
        self.faces.iter().map(|face| (face.neighbour, &face.corners[..]))
    }

    fn of_box([low, high]: [Vec3; 2]) -> Self {
        if !(0..3).all(|axis| low[axis] < high[axis]) {
            return Self::default();
        }
        let face = |axis: usize, upper: bool| {
            let mut normal = Vec3::zeros();
            normal[axis] = if upper { 1.0 } else { -1.0 };
            let offset = if upper { high[axis] } else { -low[axis] };
            let corner = |[u, v]: [bool; 2]| {
                let mut x = if upper { high } else { low };
                let [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
                x[second] = if u { high[second] } else { low[second] };
                x[third] = if v { high[third] } else { low[third] };
                x
            };
            let around = [[false, false], [true, false], [true, true], [false, true]];
            let corners = around.map(corner).to_vec();
            Face { neighbour: None, plane: Plane { normal, offset }, corners }
        };
        Self { faces: (0..3).flat_map(|axis| [face(axis, false), face(axis, true)]).collect() }
    }

    /// Cuts the cell at `plane`. The part beyond it belongs to `neighbour`.
    fn clip(&mut self, plane: Plane, neighbour: u32) {
        let corners = || self.faces.iter().flat_map(|face| &face.corners);
        if corners().all(|x| plane.height(x) <= 0.0) {
            return;
        }
        if corners().all(|x| plane.height(x) >= 0.0) {
            self.faces.clear();
            return;
        }
        let mut cut = Vec::new();
        for face in &mut self.faces {
            face.clip(&plane, &mut cut);
        }
        self.faces.retain(|face| face.corners.len() >= 3);
        let corners = around(cut, &plane.normal);
        if corners.len() >= 3 {
            self.faces.push(Face { neighbour: Some(neighbour), plane, corners });
        }
    }
}

impl Face {
    /// Cuts the face at `plane`, and adds the points on the plane to `cut`.
    fn clip(&mut self, plane: &Plane, cut: &mut Vec<Vec3>) {
        let heights: Vec<f64> = self.corners.iter().map(|x| plane.height(x)).collect();
        let mut kept = Vec::with_capacity(self.corners.len() + 1);
        for (i, (&x, &height)) in self.corners.iter().zip(&heights).enumerate() {
            let next = (i + 1) % self.corners.len();
            if height <= 0.0 {
                kept.push(x);
            }
            if height == 0.0 {
                cut.push(x);
            }
            if (height < 0.0 && heights[next] > 0.0) || (height > 0.0 && heights[next] < 0.0) {
                // Both faces of an edge must get the same bits, so the computation starts at the
                // inner corner.
                let (inner, outer) = if height < 0.0 { (i, next) } else { (next, i) };
                let part = heights[inner] / (heights[inner] - heights[outer]);
                let crossing =
                    self.corners[inner] + (self.corners[outer] - self.corners[inner]) * part;
                kept.push(crossing);
                cut.push(crossing);
            }
        }
        self.corners = kept;
    }

    fn area(&self) -> f64 {
        let first = self.corners[0];
        let sum = self.corners.windows(2).map(|two| (two[0] - first).cross(&(two[1] - first)));
        sum.sum::<Vec3>().norm() * 0.5
    }

    /// The distance of `point` from the face, m.
    fn distance(&self, point: &Vec3) -> f64 {
        let height = self.plane.height(point);
        let foot = point - self.plane.normal * height;
        let count = self.corners.len();
        let edges = || (0..count).map(|i| (self.corners[i], self.corners[(i + 1) % count]));
        let side = |(a, b): (Vec3, Vec3)| (b - a).cross(&(foot - a)).dot(&self.plane.normal);
        let inside = edges().all(|edge| side(edge) >= 0.0) || edges().all(|edge| side(edge) <= 0.0);
        if inside {
            return height.abs();
        }
        let to_edge = |(a, b): (Vec3, Vec3)| {
            let along = b - a;
            let length = along.norm_squared();
            let t =
                if length > 0.0 { (along.dot(&(point - a)) / length).clamp(0.0, 1.0) } else { 0.0 };
            (point - (a + along * t)).norm()
        };
        edges().map(to_edge).fold(f64::INFINITY, f64::min)
    }
}

/// Points of a convex polygon in order around it, each once.
fn around(mut points: Vec<Vec3>, normal: &Vec3) -> Vec<Vec3> {
    if points.is_empty() {
        return points;
    }
    let centre = points.iter().sum::<Vec3>() / points.len() as f64;
    let far =
        |a: &Vec3, b: &Vec3| (a - centre).norm_squared().total_cmp(&(b - centre).norm_squared());
    let first = points.iter().copied().max_by(far).unwrap_or(centre) - centre;
    let second = normal.cross(&first);
    let angle = |x: &Vec3| libm::atan2((x - centre).dot(&second), (x - centre).dot(&first));
    points.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::methods::power::order::mix;

    fn random(k: u64) -> f64 {
        (mix(k) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn random_point(k: u64) -> Vec3 {
        Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2))
    }

    const BOX: [Vec3; 2] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 1.0, 1.0)];

    fn diagram(sites: u64) -> Diagram {
        Diagram {
            sites: (0..sites).map(random_point).collect(),
            potentials: (0..sites).map(|k| 0.05 * random(k + 1000)).collect(),
        }
    }

    #[test]
    fn cells_fill_the_box_and_hold_the_points_of_their_site() {
        for sites in [1, 2, 7, 40] {
            let diagram = diagram(sites);
            let cells = diagram.cells(BOX);
            let volume: f64 = cells.iter().map(PowerCell::volume).sum();
            assert!((volume - 1.0).abs() < 1e-10, "{sites} sites: {volume}");
            for k in 0..2000 {
                let x = random_point(k + 5000);
                let owner = diagram.site_of(&x);
                for (cell, site) in cells.iter().zip(0..) {
                    assert_eq!(cell.contains(&x), site == owner, "{x:?}");
                }
            }
        }
    }

    #[test]
    fn neighbours_know_each_other() {
        let cells = diagram(40).cells(BOX);
        for (cell, site) in cells.iter().zip(0..) {
            for other in cell.neighbours() {
                assert!(cells[other as usize].neighbours().contains(&site), "{site} and {other}");
            }
        }
        let row = Diagram {
            sites: (0..4).map(|k| Vec3::new(0.2 * f64::from(k), 0.5, 0.5)).collect(),
            potentials: vec![0.0; 4],
        };
        let neighbours: Vec<_> = row.cells(BOX).iter().map(PowerCell::neighbours).collect();
        assert_eq!(neighbours, [vec![1], vec![0, 2], vec![1, 3], vec![2]]);
    }

    #[test]
    fn the_distance_is_that_of_the_nearest_point() {
        let diagram = diagram(12);
        for (site, cell) in diagram.cells(BOX).iter().enumerate() {
            for k in 0..100 {
                let x = random_point(k + 9000) * 3.0 - Vec3::repeat(1.0);
                let distance = cell.distance(&x);
                if cell.is_empty() {
                    assert_eq!(distance, f64::INFINITY);
                    continue;
                }
                let expected = (x - projection(&diagram, site, &x)).norm();
                assert!((distance - expected).abs() < 1e-6, "{distance} {expected}");
                assert!(cell.overlaps(&x, distance + 1e-9));
                assert!(distance == 0.0 || !cell.overlaps(&x, distance - 1e-9));
            }
        }
    }

    /// The nearest point of a cell by Dykstra's alternating projections on its half-spaces.
    fn projection(diagram: &Diagram, site: usize, x: &Vec3) -> Vec3 {
        let mut planes: Vec<Plane> = (0..diagram.sites.len())
            .filter(|&other| other != site)
            .filter_map(|other| diagram.border(site, other))
            .collect();
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut normal = Vec3::zeros();
                normal[axis] = sign;
                planes.push(Plane { normal, offset: f64::max(sign, 0.0) });
            }
        }
        let mut corrections = vec![Vec3::zeros(); planes.len()];
        let mut x = *x;
        for _ in 0..20_000 {
            for (plane, correction) in planes.iter().zip(&mut corrections) {
                let from = x + *correction;
                x = from - plane.normal * plane.height(&from).max(0.0);
                *correction = from - x;
            }
        }
        x
    }
}

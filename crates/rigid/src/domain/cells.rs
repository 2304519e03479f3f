//! Subdomains as cells of a power diagram.
//!
//! A point belongs to the site with the smallest power distance. If several sites are equally near,
//! the first one has the point. Only this rule decides on owners. The polytopes only tell which
//! cells are near each other.
//!
//! A ball does not reach into cell `r` if the whole ball is nearer to some site `s`. This is so if
//! `h_r - h_s > 2 radius |x_r - x_s|` at its centre, with power distances `h`. At the corners of a
//! cell, some balls that only come near also count as reaching into it, so their bodies get a copy
//! that is not needed. All ranks hold all sites, 32 bytes each.

use crate::domain::{Division, Domain, Image, SubdomainId};
use cloth_core::partition::methods::power::Diagram;
use cloth_core::{Error, Result, Vec3};

/// Number of bins for each cell.
const BINS: f64 = 8.0;

/// The cells of a power diagram within the domain. They are infinite beyond open borders.
#[derive(Debug, Clone)]
pub struct Cells {
    domain: Domain,
    diagram: Diagram,
    cells: Vec<Cell>,
    bins: Bins,
}

/// The borders and the shape of one cell.
#[derive(Debug, Clone)]
struct Cell {
    /// The borders to the cells beyond its faces.
    borders: Vec<Border>,
    /// Corners, m. There are none if the cell is empty.
    corners: Vec<Vec3>,
}

#[derive(Debug, Clone, Copy)]
struct Border {
    other: SubdomainId,
    /// Twice the distance between the sites, m.
    twice_apart: f64,
}

impl Cells {
    /// The cells of `diagram`. No body may reach further than `margin` (m) beyond the domain.
    ///
    /// # Errors
    /// If there is no site, or if a site or a potential is not finite or is missing.
    pub fn new(domain: Domain, diagram: Diagram, margin: f64) -> Result<Self> {
        let is_finite = diagram.sites.iter().flatten().chain(&diagram.potentials);
        let fits = diagram.sites.len() == diagram.potentials.len() && !diagram.sites.is_empty();
        if !fits || !is_finite.clone().all(|value| value.is_finite()) {
            let cause = "the power diagram has no sites, or one that is not finite";
            return Err(Error::internal("power cells of bodies", cause));
        }
        let mut bounds = [*domain.low(), *domain.high()];
        for axis in (0..3).filter(|&axis| !domain.periodic()[axis]) {
            bounds[0][axis] -= margin;
            bounds[1][axis] += margin;
        }
        let polytopes = diagram.cells(bounds);
        let cell = |site: usize| Cell {
            borders: borders(&diagram, site, &polytopes[site].neighbours()),
            corners: polytopes[site].faces().flat_map(|(_, corners)| corners).copied().collect(),
        };
        let cells = (0..polytopes.len()).map(cell).collect();
        let bins = Bins::new(&domain, &diagram);
        Ok(Self { domain, diagram, cells, bins })
    }

    /// True if a plane proves that cell `b`, shifted by `image`, is further than `reach` (m) from
    /// cell `a`.
    fn are_apart(&self, a: u32, b: u32, image: Image, reach: f64) -> bool {
        if b < a {
            // One order of the cells gives both the same rounding, and so the same answer.
            return self.are_apart(b, a, image.map(|periods| -periods), reach);
        }
        let [first, second] = [a, b].map(|cell| &self.cells[cell as usize]);
        if first.corners.is_empty() || second.corners.is_empty() {
            return true;
        }
        let shift = self.domain.shifted(&Vec3::zeros(), image);
        let separates = |direction: &Vec3| {
            let [low_a, high_a] = extent(&first.corners, direction);
            let [low_b, high_b] = extent(&second.corners, direction);
            let shift = shift.dot(direction);
            (low_b + shift - high_a).max(low_a - high_b - shift) > reach
        };
        let site = |cell: u32| self.diagram.sites[cell as usize];
        let across = |from: u32, border: &Border| (site(border.other) - site(from)).normalize();
        (0..3).any(|axis| separates(&Vec3::ith(axis, 1.0)))
            || first.borders.iter().any(|border| separates(&across(a, border)))
            || second.borders.iter().any(|border| separates(&across(b, border)))
    }
}

impl Division for Cells {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self) -> usize {
        self.cells.len()
    }

    fn owner(&self, point: &Vec3) -> SubdomainId {
        match self.bins.sites_near(&self.domain, point) {
            Some(sites) => self.diagram.nearest(sites.iter().copied(), point),
            None => self.diagram.site_of(point),
        }
    }

    fn overlaps(&self, subdomain: SubdomainId, centre: &Vec3, radius: f64) -> bool {
        let own = self.diagram.power_distance(subdomain as usize, centre);
        self.cells[subdomain as usize].borders.iter().all(|border| {
            let others = self.diagram.power_distance(border.other as usize, centre);
            own - others <= border.twice_apart * radius
        })
    }

    fn depth(&self, subdomain: SubdomainId, x: &Vec3) -> f64 {
        let own = self.diagram.power_distance(subdomain as usize, x);
        let depths = self.cells[subdomain as usize].borders.iter().map(|border| {
            (self.diagram.power_distance(border.other as usize, x) - own) / border.twice_apart
        });
        depths.fold(self.domain.depth(x, true), f64::min)
    }

    fn neighbours(&self, subdomain: SubdomainId, reach: f64) -> Result<Vec<u32>> {
        if reach > self.smallest_edge() {
            let cause =
                format!("a reach of {reach} m passes a whole cell of {} m", self.smallest_edge());
            return Err(Error::input("domain.method", cause, "divide it into fewer subdomains"));
        }
        let images = every_image(&self.domain);
        let others = (0..self.count() as u32).filter(|&other| other != subdomain);
        let is_near = |&other: &u32| {
            images.iter().any(|&image| !self.are_apart(subdomain, other, image, reach))
        };
        Ok(others.filter(is_near).collect())
    }

    fn bounds(&self, subdomain: SubdomainId) -> [Vec3; 2] {
        let corners = &self.cells[subdomain as usize].corners;
        // A cell without corners has infinite bounds: only power distances decide on its points.
        let mut bounds = [Vec3::repeat(f64::NEG_INFINITY), Vec3::repeat(f64::INFINITY)];
        for axis in (0..3).filter(|_| !corners.is_empty()) {
            let [low, high] = extent(corners, &Vec3::ith(axis, 1.0));
            let is_open = !self.domain.periodic()[axis];
            // A cell at an open border extends beyond it.
            let is_last = [low <= self.domain.low()[axis], high >= self.domain.high()[axis]];
            let slack = 1e-9 * self.domain.period()[axis];
            bounds[0][axis] = if is_open && is_last[0] { f64::NEG_INFINITY } else { low - slack };
            bounds[1][axis] = if is_open && is_last[1] { f64::INFINITY } else { high + slack };
        }
        bounds
    }

    fn smallest_edge(&self) -> f64 {
        let mut smallest = f64::INFINITY;
        for cell in self.cells.iter().filter(|cell| !cell.corners.is_empty()) {
            for axis in 0..3 {
                let [low, high] = extent(&cell.corners, &Vec3::ith(axis, 1.0));
                let [first, last] = [self.domain.low()[axis], self.domain.high()[axis]];
                smallest = smallest.min(high.min(last) - low.max(first));
            }
        }
        smallest
    }
}

/// The borders of a cell to its neighbours `others`. Without neighbours, the borders to all other
/// cells: only power distances then decide on its points.
fn borders(diagram: &Diagram, site: usize, others: &[u32]) -> Vec<Border> {
    let apart = |other: u32| (diagram.sites[other as usize] - diagram.sites[site]).norm();
    let border = |other: u32| Border { other, twice_apart: 2.0 * apart(other) };
    match others {
        [] => (0..diagram.sites.len() as u32).filter(|&s| s as usize != site).map(border).collect(),
        others => others.iter().map(|&other| border(other)).collect(),
    }
}

/// The smallest and the largest coordinate of `points` along a direction, m.
fn extent(points: &[Vec3], direction: &Vec3) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
        let along = point.dot(direction);
        [low.min(along), high.max(along)]
    })
}

/// All images of the domain that touch it, and the domain itself.
fn every_image(domain: &Domain) -> Vec<Image> {
    let mut images = vec![[0; 3]];
    for axis in (0..3).filter(|&axis| domain.periodic()[axis]) {
        for before in 0..images.len() {
            for periods in [-1, 1] {
                let mut image = images[before];
                image[axis] = periods;
                images.push(image);
            }
        }
    }
    images
}

/// Small boxes that fill the domain. Each bin lists the sites that may own a point in it.
#[derive(Debug, Clone)]
struct Bins {
    counts: [usize; 3],
    /// Bin `k` has `sites[offsets[k]..offsets[k + 1]]`, rising.
    offsets: Vec<u32>,
    sites: Vec<SubdomainId>,
}

impl Bins {
    fn new(domain: &Domain, diagram: &Diagram) -> Self {
        let count = diagram.sites.len() as u32;
        let along = libm::cbrt(BINS * f64::from(count)).ceil() as usize;
        let counts = [along; 3];
        let size = Vec3::from_fn(|axis, _| domain.period()[axis] / counts[axis] as f64);
        // The radius is larger than half the diagonal, because rounding may put a point into a
        // neighbouring bin.
        let radius = size.norm() * 0.51;
        let (mut offsets, mut sites, mut near) = (vec![0], Vec::new(), Vec::new());
        for bin in 0..counts.iter().product() {
            let place = [bin % along, bin / along % along, bin / (along * along)];
            let centre =
                domain.low() + Vec3::from_fn(|axis, _| (place[axis] as f64 + 0.5) * size[axis]);
            diagram.within(0..count, &centre, radius, 0.0, &mut near);
            sites.extend_from_slice(&near);
            offsets.push(sites.len() as u32);
        }
        Self { counts, offsets, sites }
    }

    /// The sites that may own a point (m). None if the point is outside the domain.
    fn sites_near(&self, domain: &Domain, point: &Vec3) -> Option<&[SubdomainId]> {
        let mut bin = 0;
        for axis in (0..3).rev() {
            let part = (point[axis] - domain.low()[axis]) / domain.period()[axis];
            if !(0.0..=1.0).contains(&part) {
                return None;
            }
            let place = ((part * self.counts[axis] as f64) as usize).min(self.counts[axis] - 1);
            bin = bin * self.counts[axis] + place;
        }
        Some(&self.sites[self.offsets[bin] as usize..self.offsets[bin + 1] as usize])
    }
}

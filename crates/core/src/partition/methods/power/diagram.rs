//! A power diagram. It tells which site has a point.

use crate::Vec3;

/// Sites with their potentials. A point `x` belongs to the site `r` with the least
/// `|x - x_r|^2 - p_r`, its power distance; of equal sites, to the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagram {
    /// Positions of the sites, m.
    pub sites: Vec<Vec3>,
    /// Their potentials `p_r`, m^2. A larger potential gives a larger cell.
    pub potentials: Vec<f64>,
}

impl Diagram {
    /// The power distance of `point` from `site`, m^2.
    #[inline(always)]
    pub fn power_distance(&self, site: usize, point: &Vec3) -> f64 {
        (point - self.sites[site]).norm_squared() - self.potentials[site]
    }

    /// The site that has `point`.
    pub fn site_of(&self, point: &Vec3) -> u32 {
        self.nearest(0..self.sites.len() as u32, point)
    }

    /// The same, if only the `sites` can have the point.
    pub fn nearest(&self, sites: impl IntoIterator<Item = u32>, point: &Vec3) -> u32 {
        let mut best = (f64::INFINITY, 0);
        for site in sites {
            let distance = self.power_distance(site as usize, point);
            if distance < best.0 {
                best = (distance, site);
            }
        }
        best.1
    }

    /// Stores in `sites` all of the `candidates` whose power distance is at most `slack` (m^2)
    /// above the least one at some point of the sphere. Both lists are rising.
    ///
    /// The difference of two power distances is linear in the point. With the nearest site `s` of
    /// the centre `c`, site `r` is left out if
    /// `h_r(c) - h_s(c) > slack + 2 radius |x_r - x_s|`.
    pub fn within(
        &self,
        candidates: impl Iterator<Item = u32> + Clone,
        centre: &Vec3,
        radius: f64,
        slack: f64,
        sites: &mut Vec<u32>,
    ) {
        let nearest = self.nearest(candidates.clone(), centre) as usize;
        let least = self.power_distance(nearest, centre);
        sites.clear();
        for r in candidates {
            let excess = self.power_distance(r as usize, centre) - least;
            let apart = (self.sites[r as usize] - self.sites[nearest]).norm_squared();
            // excess <= slack + 2 radius sqrt(apart), without the root. The rounding of both sides
            // is far below the allowance.
            let beyond = excess - slack - 1e-9 * excess.abs();
            if beyond <= 0.0 || beyond * beyond <= 4.000_001 * radius * radius * apart {
                sites.push(r);
            }
        }
    }
}

//! The domain and its division into subdomains.
//!
//! The domain is a box. Each pair of opposite borders is periodic or open. Walls are fixed bodies
//! that stand at open borders. [`Subdomains`] divide the domain. The subdomains of a rank are its
//! [`Region`]. A rank may have none.
//!
//! | module | |
//! |---|---|
//! | [`bounds`] | the box, its periods and the images of a body |
//! | [`grid`] | `px x py x pz` boxes |
//! | [`cells`] | power cells |
//! | [`region`] | the subdomains of one rank, and the ranks around them |
//!
//! # What is the same on all ranks
//!
//! Every function of this module depends only on its arguments and the division, so all ranks get
//! the same bits. A point is in exactly one subdomain ([`Division::owner`]): boxes are half-open,
//! and if several cells are equally near, the first one has the point.
//!
//! # Periods
//!
//! Only the owner wraps the position of a body into the domain, at the beginning of a
//! synchronisation. Copies hold these bits. An *image* of a body is given by three integers, and
//! its position is `position + image * period`. Each rank finds the images that reach into its
//! region from the position alone ([`Region::images`]). Images are never sent. So a body near a
//! periodic border has the same images on any number of ranks, also on one rank.

pub mod bounds;
pub mod cells;
pub mod grid;
pub mod region;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use smallvec::SmallVec;

pub use self::bounds::{Domain, Image, Images};
pub use self::cells::Cells;
pub use self::grid::Grid;
pub use self::region::Region;
use cloth_core::{Result, Vec3};

/// Up to this many subdomains are tested one by one.
const FEW: usize = 8;

/// The number of a subdomain, from 0.
pub type SubdomainId = u32;

/// A division of the domain.
#[derive(Debug, Clone)]
pub enum Subdomains {
    /// Boxes of one size.
    Grid(Grid),
    /// Cells of a power diagram.
    Cells(Cells),
}

/// What a division of the domain must tell.
pub trait Division {
    /// Number of subdomains.
    fn count(&self) -> usize;

    /// The domain.
    fn domain(&self) -> &Domain;

    /// The subdomain that contains a point (m) of the domain. A point beyond an open border belongs
    /// to a subdomain at this border.
    fn owner(&self, point: &Vec3) -> SubdomainId;

    /// True if a ball (m) reaches into a subdomain. Images of the ball do not count. The result may
    /// also be true for a ball that only comes near. It is always true for the subdomain of the
    /// centre.
    fn overlaps(&self, subdomain: SubdomainId, centre: &Vec3, radius: f64) -> bool;

    /// The distance of a point (m) from the borders of a subdomain, m. It is below 0 outside. A
    /// ball about the point with a smaller radius reaches into no other subdomain, and no image of
    /// it reaches into this subdomain. Open borders of the domain do not count, because subdomains
    /// extend beyond them.
    fn depth(&self, subdomain: SubdomainId, x: &Vec3) -> f64;

    /// The other subdomains within `reach` (m) of a given one, also across periodic borders,
    /// rising. The list may contain subdomains that are further away.
    ///
    /// # Errors
    /// If `reach` is larger than [`Self::smallest_edge`], because it could then pass a whole
    /// subdomain.
    fn neighbours(&self, subdomain: SubdomainId, reach: f64) -> Result<Vec<SubdomainId>>;

    /// The lower and the upper corner of a box that contains a subdomain, m. It is infinite at open
    /// borders.
    fn bounds(&self, subdomain: SubdomainId) -> [Vec3; 2];

    /// The smallest extent of a subdomain along any axis, m.
    fn smallest_edge(&self) -> f64;
}

impl Deref for Subdomains {
    type Target = dyn Division;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Grid(grid) => grid,
            Self::Cells(cells) => cells,
        }
    }
}

impl Subdomains {
    /// True if one of the `images` of a ball reaches into a subdomain.
    pub fn touches(&self, subdomain: SubdomainId, images: &Images, radius: f64) -> bool {
        images.iter().any(|(_, centre)| self.overlaps(subdomain, centre, radius))
    }

    /// The subdomains of the rising list `among` that a ball (m) reaches into. Images of the ball
    /// do not count. In a grid, the work hardly grows with the length of the list.
    pub fn reached(
        &self,
        among: &[SubdomainId],
        centre: &Vec3,
        radius: f64,
    ) -> SmallVec<[SubdomainId; 8]> {
        let overlaps = |&subdomain: &u32| self.overlaps(subdomain, centre, radius);
        match self {
            Self::Grid(grid) if among.len() > FEW => {
                let is_among = |subdomain: &u32| among.binary_search(subdomain).is_ok();
                grid.around(centre, radius).filter(is_among).filter(overlaps).collect()
            }
            _ => among.iter().copied().filter(overlaps).collect(),
        }
    }
}

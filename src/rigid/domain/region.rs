//! The subdomains of one rank, and the ranks around them.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::rigid::domain::{Image, Images, SubdomainId, Subdomains};

/// Ranks, rising.
pub type Ranks = SmallVec<[u32; 4]>;

/// What one rank knows of the division: its own subdomains and their neighbours.
#[derive(Debug, Clone)]
pub struct Region {
    rank: u32,
    subdomains: Arc<Subdomains>,
    /// The rank of each subdomain.
    rank_of: Arc<Vec<u32>>,
    /// Subdomains of this rank, rising.
    own: Vec<SubdomainId>,
    /// Neighbouring subdomains of other ranks, by rank.
    around: Vec<(u32, SubdomainId)>,
    /// The ranks that these belong to, rising.
    neighbours: Vec<u32>,
}

impl Region {
    /// The region of `rank` if `rank_of` says who has each subdomain. Subdomains that come nearer
    /// than `reach` (m) to an own one are around it.
    ///
    /// # Errors
    /// If `reach` is larger than the smallest subdomain.
    pub fn new(
        rank: usize,
        subdomains: Arc<Subdomains>,
        rank_of: Arc<Vec<u32>>,
        reach: f64,
    ) -> Result<Self> {
        if rank_of.len() != subdomains.count() {
            let cause =
                format!("{} ranks given for {} subdomains", rank_of.len(), subdomains.count());
            return Err(Error::internal("region of a rank", cause));
        }
        let rank = rank as u32;
        let own: Vec<_> =
            (0..rank_of.len() as u32).filter(|&s| rank_of[s as usize] == rank).collect();
        let mut around = Vec::new();
        for &subdomain in &own {
            let others = subdomains.neighbours(subdomain, reach)?.into_iter();
            around.extend(others.map(|other| (rank_of[other as usize], other)));
        }
        around.retain(|&(other, _)| other != rank);
        around.sort_unstable();
        around.dedup();
        let mut neighbours: Vec<u32> = around.iter().map(|&(other, _)| other).collect();
        neighbours.dedup();
        Ok(Self { rank, subdomains, rank_of, own, around, neighbours })
    }

    /// This rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The division of the domain.
    pub fn subdomains(&self) -> &Subdomains {
        &self.subdomains
    }

    /// The subdomains of this rank, rising.
    pub fn own(&self) -> &[SubdomainId] {
        &self.own
    }

    /// The ranks with subdomains around those of this rank, rising.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// The rank of a subdomain.
    pub fn rank_of(&self, subdomain: SubdomainId) -> u32 {
        self.rank_of[subdomain as usize]
    }

    /// True if a subdomain is one of this rank.
    pub fn has(&self, subdomain: SubdomainId) -> bool {
        self.rank_of(subdomain) == self.rank
    }

    /// True if all subdomains are of this rank.
    pub fn has_all(&self) -> bool {
        self.own.len() == self.rank_of.len()
    }

    /// True if a ball, an image of which is in each of `images`, reaches into this region.
    pub fn touches(&self, images: &Images, radius: f64) -> bool {
        self.own.iter().any(|&own| self.subdomains.touches(own, images, radius))
    }

    /// The neighbouring ranks whose subdomains the ball reaches into, rising.
    pub fn touched_neighbours(&self, images: &Images, radius: f64) -> Ranks {
        let mut ranks = Ranks::new();
        for &(rank, subdomain) in &self.around {
            let is_new = ranks.last() != Some(&rank);
            if is_new && self.subdomains.touches(subdomain, images, radius) {
                ranks.push(rank);
            }
        }
        ranks
    }

    /// Calls `found` for each image of a ball that reaches into this region.
    pub fn images(&self, centre: &Vec3, radius: f64, mut found: impl FnMut(Image, Vec3)) {
        for (image, centre) in self.subdomains.domain().images(centre, radius) {
            let reaches = |&own: &u32| self.subdomains.overlaps(own, &centre, radius);
            if self.own.iter().any(reaches) {
                found(image, centre);
            }
        }
    }
}

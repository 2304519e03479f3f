//! The subdomains of one rank, and the ranks around them.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::domain::{Image, Images, SubdomainId, Subdomains};
use cloth_core::{Error, Result, Vec3};

/// A list of ranks. Where its order matters, it is rising.
pub type Ranks = SmallVec<[u32; 4]>;

/// One rank's part of the division: its own subdomains and their neighbours.
#[derive(Debug, Clone)]
pub struct Region {
    rank: u32,
    subdomains: Arc<Subdomains>,
    /// The rank of each subdomain.
    rank_of: Arc<Vec<u32>>,
    /// Subdomains of this rank, rising.
    own: Vec<SubdomainId>,
    /// Neighbouring subdomains of other ranks, rising.
    around: Vec<SubdomainId>,
    /// The ranks of `around`, rising.
    neighbours: Vec<u32>,
}

impl Region {
    /// The region of `rank`. `rank_of` has the rank of each subdomain. Subdomains of other ranks
    /// within `reach` (m) of an own subdomain are neighbours.
    ///
    /// # Errors
    /// If `reach` is larger than the smallest edge of a subdomain, or if `rank_of` does not have
    /// one rank for each subdomain.
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
            around.extend(subdomains.neighbours(subdomain, reach)?);
        }
        around.retain(|&other| rank_of[other as usize] != rank);
        around.sort_unstable();
        around.dedup();
        let mut neighbours: Vec<u32> =
            around.iter().map(|&other| rank_of[other as usize]).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        Ok(Self { rank, subdomains, rank_of, own, around, neighbours })
    }

    /// The region of the same rank and division with another `reach` (m).
    ///
    /// # Errors
    /// The errors of [`Region::new`].
    pub fn with_reach(&self, reach: f64) -> Result<Self> {
        Self::new(self.rank as usize, self.subdomains.clone(), self.rank_of.clone(), reach)
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

    /// The ranks of the neighbouring subdomains, rising.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// The rank of a subdomain.
    pub fn rank_of(&self, subdomain: SubdomainId) -> u32 {
        self.rank_of[subdomain as usize]
    }

    /// True if a subdomain belongs to this rank.
    pub fn has(&self, subdomain: SubdomainId) -> bool {
        self.rank_of(subdomain) == self.rank
    }

    /// True if this rank has all subdomains.
    pub fn has_all(&self) -> bool {
        self.own.len() == self.rank_of.len()
    }

    /// True if one of the `images` of a ball reaches into this region.
    pub fn touches(&self, images: &Images, radius: f64) -> bool {
        images.iter().any(|(_, centre)| self.reaches(centre, radius))
    }

    /// The neighbouring ranks whose subdomains one of the `images` of a ball reaches into, rising.
    pub fn touched_neighbours(&self, images: &Images, radius: f64) -> Ranks {
        let mut ranks = Ranks::new();
        for (_, centre) in images {
            let reached = self.subdomains.reached(&self.around, centre, radius);
            ranks.extend(reached.into_iter().map(|subdomain| self.rank_of(subdomain)));
        }
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Calls `found` with each image of a ball (m) that reaches into this region, and with its
    /// centre. The ball itself is left out.
    pub fn images(&self, centre: &Vec3, radius: f64, mut found: impl FnMut(Image, Vec3)) {
        for (image, centre) in self.subdomains.domain().images(centre, radius) {
            if image != [0; 3] && self.reaches(&centre, radius) {
                found(image, centre);
            }
        }
    }

    /// True if a ball (m) reaches into this region. Images of the ball do not count.
    fn reaches(&self, centre: &Vec3, radius: f64) -> bool {
        match &self.own[..] {
            [] => false,
            &[own] => self.subdomains.overlaps(own, centre, radius),
            own => !self.subdomains.reached(own, centre, radius).is_empty(),
        }
    }
}

//! Subdomains for a number of ranks, and the bodies of each rank.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::bodies::RigidSetup;
use crate::bodies::spec::Division;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_rigid::balance::{Balancer, SAMPLE};
use cloth_rigid::domain::{Domain, Grid, Subdomains};
use cloth_rigid::generate::{Generator, Placement};
use cloth_rigid::horizon::Horizon;
use cloth_rigid::simulation::overlap::Overlap;
use cloth_rigid::simulation::shared_out;
use cloth_rigid::{Body, RigidModel};

/// A start is refused if two bodies overlap by more than this fraction of the smaller one.
const MOST_OVERLAP: f64 = 0.01;

/// A division of the domain among ranks.
#[derive(Debug, Clone)]
pub struct Divided {
    /// The subdomains.
    pub subdomains: Arc<Subdomains>,
    /// The rank of each.
    pub rank_of: Vec<u32>,
}

impl Divided {
    /// The undivided domain of one rank.
    ///
    /// # Errors
    /// If the domain has no extent.
    pub fn whole(domain: Domain) -> Result<Self> {
        let subdomains = Arc::new(Subdomains::Grid(Grid::new(domain, [1; 3])?));
        Ok(Self { subdomains, rank_of: vec![0] })
    }
}

impl RigidSetup {
    /// Divides the domain among `ranks`, as the scene says. All ranks get the same.
    ///
    /// # Errors
    /// If the domain cannot be divided in this way.
    pub fn divide(&self, ranks: usize, balancer: &mut Balancer) -> Result<Divided> {
        if let Division::Grid(x, y, z) = self.spec.method {
            let subdomains = Arc::new(Subdomains::Grid(Grid::new(self.domain, [x, y, z])?));
            let rank_of = shared_out(subdomains.count(), ranks);
            return Ok(Divided { subdomains, rank_of });
        }
        let points = self.sample();
        let work = vec![1.0; points.len()];
        let outreach = self.outreach();
        let cells = balancer.divide(&self.domain, outreach, &points, &work, ranks)?;
        Ok(Divided { subdomains: Arc::new(cells), rank_of: (0..ranks as u32).collect() })
    }

    /// The largest distance that a body can reach beyond the domain, m.
    fn outreach(&self) -> f64 {
        // No body moves by more than its reach at once.
        let reach = self.largest_reach();
        let travel = Horizon::new(&self.settings.contacts, reach).most_travel();
        2.0 * reach + travel + self.settings.margin_m
    }

    /// Positions at the start of a sample of all bodies, m.
    fn sample(&self) -> Vec<Vec3> {
        let stride = (self.body_count() / SAMPLE + 1) as usize;
        let positions = |generator: &Generator| {
            let numbers = (0..generator.count()).step_by(stride);
            let positions = numbers.map(|number| generator.body(number).state.position);
            Vec::from_iter(positions)
        };
        self.generators.iter().flat_map(positions).collect()
    }

    /// The model for a division.
    pub fn model(&self, divided: &Divided) -> RigidModel {
        RigidModel {
            settings: self.settings,
            subdomains: divided.subdomains.clone(),
            fixed: self.fixed.clone(),
            materials: self.materials.clone(),
            solids: self.solids.clone(),
            joints: self.joints.clone(),
        }
    }

    /// The bodies in the subdomains of `rank`. No rank makes the bodies of all ranks, except those
    /// of lists.
    pub fn bodies_of(&self, rank: usize, divided: &Divided) -> Vec<Body> {
        let Divided { subdomains, rank_of } = divided;
        let owner = |body: &Body| subdomains.owner(&self.domain.wrap(&body.state.position).0);
        let mut bodies = Vec::new();
        for generator in &self.generators {
            let made = |number| generator.body(number);
            if let Placement::Listed(starts) = &generator.placement {
                let is_own = |body: &Body| rank_of[owner(body) as usize] as usize == rank;
                bodies.extend((0..starts.len() as u64).map(made).filter(is_own));
                continue;
            }
            let own = (0..).zip(rank_of).filter(|&(_, &of)| of as usize == rank);
            for (subdomain, _) in own {
                let boxes = self.boxes(subdomains.bounds(subdomain));
                let numbers =
                    boxes.iter().flat_map(|[low, high]| generator.numbers_within(low, high));
                let numbers = BTreeSet::from_iter(numbers);
                let is_own = |body: &Body| owner(body) == subdomain;
                bodies.extend(numbers.into_iter().map(made).filter(is_own));
            }
        }
        bodies
    }

    /// The boxes (m) whose bodies may belong to a subdomain with these corners. A body on the
    /// upper border of a period belongs to the lower border.
    fn boxes(&self, corners: [Vec3; 2]) -> Vec<[Vec3; 2]> {
        let mut boxes = vec![corners];
        let (low, high, periodic) = (self.domain.low(), self.domain.high(), self.domain.periodic());
        for axis in (0..3).filter(|&axis| periodic[axis] && corners[0][axis] <= low[axis]) {
            for k in 0..boxes.len() {
                let mut border = boxes[k];
                border.iter_mut().for_each(|corner| corner[axis] = high[axis]);
                boxes.push(border);
            }
        }
        boxes
    }

    /// Refuses a start in which bodies overlap.
    ///
    /// # Errors
    /// If `deepest` is too deep: which bodies, how deep and where.
    pub fn check_start(&self, deepest: Option<&Overlap>) -> Result<()> {
        let Some(overlap) = deepest.filter(|overlap| overlap.share > MOST_OVERLAP) else {
            return Ok(());
        };
        let Overlap { bodies, depth, share, point } = overlap;
        let [first, second] = bodies.map(|id| self.name_of(id));
        let cause = format!(
            "at the start {first} overlaps {second} by {depth:.3e} m, {:.0} % of the smaller one's half \
             width, at ({:.4}, {:.4}, {:.4}) m",
            100.0 * share,
            point.x,
            point.y,
            point.z
        );
        Err(Error::input("bodies", cause, "move them apart, or make them smaller"))
    }
}

//! Bodies fly straight ahead on several ranks, and are compared with the same bodies in one list.

mod gas;
mod network;
mod single;

use std::sync::Arc;

use super::*;
use crate::domain::{Cells, Domain, Grid, Subdomains};
use crate::horizon::Horizon;
use crate::shape::Sphere;
use crate::{Body, BodyId, BodyState, Load, Shape, Twist};
use cloth_core::{Vec3, mix};

/// A random number in `0..1`.
fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64
}

fn random_vector(k: u64) -> Vec3 {
    Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2))
}

/// A sphere that moves by `velocity` in a step.
fn sphere(id: u64, radius: f64, position: Vec3, velocity: Vec3) -> Body {
    let twist = Twist { angular: Vec3::zeros(), linear: velocity };
    Body {
        id,
        shape: Shape::Sphere(Sphere { radius_m: radius }),
        material: 0,
        mass: 1.0,
        inertia: Vec3::repeat(1.0),
        state: BodyState { position, rotation: Default::default(), twist },
        load: Load::NONE,
    }
}

fn radius(body: &Body) -> f64 {
    match body.shape {
        Shape::Sphere(Sphere { radius_m: radius }) => radius,
        _ => panic!("these tests have spheres"),
    }
}

fn fly(states: &mut [BodyState]) {
    states.iter_mut().for_each(|state| state.position += state.twist.linear);
}

/// Moves all bodies of the list as the owners do on ranks.
fn fly_serially(bodies: &mut Vec<Body>, domain: &Domain) {
    for Body { state, .. } in &mut *bodies {
        state.position = domain.wrap(&(state.position + state.twist.linear)).0;
    }
    bodies.retain(|body| domain.contains(&body.state.position));
}

/// How subdomains are shared among ranks.
#[derive(Debug, Clone)]
struct Setup {
    subdomains: Arc<Subdomains>,
    rank_of: Arc<Vec<u32>>,
    method: Synchronisation,
    limits: Limits,
}

/// One rank of a test.
struct Peer {
    synchroniser: Synchroniser,
    population: Population,
}

impl Setup {
    fn grid(domain: Domain, counts: [u32; 3], ranks: u32, method: Synchronisation) -> Self {
        Self::new(Subdomains::Grid(Grid::new(domain, counts).unwrap()), ranks, method)
    }

    /// Adjacent subdomains belong to one rank.
    fn new(subdomains: Subdomains, ranks: u32, method: Synchronisation) -> Self {
        let count = subdomains.count() as u32;
        let rank_of = (0..count).map(|s| s * ranks / count).collect();
        let horizon = Horizon { step_s: 0.25, most_m: 0.0625, slack_m: 0.03125 };
        let limits = Limits {
            largest_radius: 0.25,
            least_half_width: 0.25,
            motion_per_radius: 1.0,
            motion: 0.25,
            travel: horizon.most_travel(),
            margin: 0.0625,
            horizon,
            growth: f64::INFINITY,
        };
        Self { subdomains: Arc::new(subdomains), rank_of: Arc::new(rank_of), method, limits }
    }

    /// The rank with its own bodies of the list `bodies`. It is not synchronised yet.
    fn peer(&self, rank: usize, bodies: &[Body]) -> Result<Peer> {
        let reach = self.limits.reach(self.method, &self.subdomains)?;
        let region = Region::new(rank, self.subdomains.clone(), self.rank_of.clone(), reach)?;
        let mut population = Population::default();
        for body in bodies {
            let home = self.subdomains.owner(&body.state.position);
            if region.has(home) {
                population.insert(*body, radius(body), home, rank as u32)?;
            }
        }
        let synchroniser = Synchroniser::new(self.method, region, self.limits);
        Ok(Peer { synchroniser, population })
    }
}

impl Peer {
    /// Fails unless this rank has exactly the own bodies and copies that it should have, with the
    /// same bits as in the list.
    fn compare(&self, all: &[Body]) {
        let region = self.synchroniser.region();
        let limits = self.synchroniser.limits();
        let (mut own, mut copies) = (0, 0);
        for body in all {
            let place = self.population.place(body.id);
            let known = place.map(|place| self.population.bodies().at(place));
            let centre = &body.state.position;
            let reach = limits.held(&limits.horizon.bound(&body.state, 0.0, radius(body)));
            let images = region.subdomains().domain().images(centre, reach);
            if region.has(region.subdomains().owner(centre)) {
                assert!(place < Some(self.population.own_count()));
                assert_eq!(known.as_ref(), Some(body), "own body on rank {}", region.rank());
                own += 1;
            } else if region.touches(&images, reach) {
                assert!(place >= Some(self.population.own_count()));
                assert_eq!(known.as_ref(), Some(body), "copy on rank {}", region.rank());
                copies += 1;
            }
        }
        let counts = (self.population.own().len(), self.population.copies().len());
        assert_eq!(counts, (own, copies), "on rank {}", region.rank());
    }
}

/// Bodies at random positions. They fly at 20 to 99 % of the largest allowed speed.
fn gas(domain: &Domain, count: u64, limits: &Limits) -> Vec<Body> {
    let body = |id: u64| {
        let radius = limits.motion + (limits.largest_radius - limits.motion) * random(id + 777);
        let position = domain.low() + random_vector(2 * id).component_mul(domain.period());
        let direction = (random_vector(2 * id + 1) - Vec3::repeat(0.5)).normalize();
        sphere(id, radius, position, direction * (0.2 + 0.79 * random(id + 999)) * limits.motion)
    };
    (0..count).map(body).collect()
}

fn periodic_box(edge: f64) -> Domain {
    Domain::new(Vec3::zeros(), Vec3::repeat(edge), [true; 3]).unwrap()
}

/// Power cells with random sites.
fn power_cells(domain: Domain, count: u64) -> Subdomains {
    use cloth_core::partition::methods::power::Diagram;
    let site = |k: u64| domain.low() + random_vector(k + 4000).component_mul(domain.period());
    let diagram = Diagram {
        sites: (0..count).map(site).collect(),
        potentials: (0..count).map(|k| 0.3 * random(k + 5000)).collect(),
    };
    Subdomains::Cells(Cells::new(domain, diagram, 2.0).unwrap())
}

//! Skins: the surfaces of obstacles that yield.
//!
//! Each vertex of a skin has a node. It is prescribed, as if it had none, until it is released
//! (`release.rs`). A released vertex has mass, and a spring draws it to its place in the animation
//! ([`Yielding`], which has the symbols). Skin meets cloth and bodies, and no other prescribed surface.

use std::iter::zip;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use cloth_bodies::bodies::Numbering;
use cloth_bodies::bodies::prescribed::{ObstacleSetup, Yielding};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

/// The skin of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The number of the obstacle.
    pub obstacle: usize,
    /// How it yields.
    pub law: Yielding,
    /// The mass of each of its vertices if it is released, kg.
    pub(crate) masses: Vec<f64>,
    /// Its faces around each of its vertices, counted from 0.
    pub(crate) fans: Vec<Vec<[VertexId; 3]>>,
}

impl Skin {
    /// The skins of `obstacles`, and the `numbering` with their nodes.
    pub(crate) fn all(obstacles: &[ObstacleSetup], numbering: Numbering) -> (Vec<Self>, Numbering) {
        let (mut skins, mut ranges) = (Vec::new(), Vec::<Range<VertexId>>::new());
        let mut end = numbering.free_vertices() as VertexId;
        for (number, obstacle) in obstacles.iter().enumerate() {
            let first = end;
            end += obstacle.shape.len() as VertexId;
            if let Some(law) = obstacle.yields {
                let masses = law.masses(&obstacle.faces, &Vec::from_iter(obstacle.placed()));
                let mut fans = vec![Vec::new(); masses.len()];
                for face in &obstacle.faces {
                    face.iter().for_each(|&corner| fans[corner as usize].push(*face));
                }
                skins.push(Self { obstacle: number, law, masses, fans });
                ranges.push(first..end);
            }
        }
        (skins, numbering.with_skins(ranges.into_iter()))
    }

    /// The places of the vertices of all `skins` at t = 0, m.
    pub(crate) fn start_places(skins: &[Self], obstacles: &[ObstacleSetup]) -> Vec<Vec3> {
        let places = skins.iter().flat_map(|skin| {
            let obstacle = &obstacles[skin.obstacle];
            let mut x = vec![Vec3::zeros(); obstacle.shape.len()];
            obstacle.positions_at(0.0, &mut x);
            x
        });
        places.collect()
    }
}

/// A vertex of skin that gives way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReleasedVertex {
    /// Its number.
    pub vertex: VertexId,
    /// Where it is, m.
    pub x: Vec3,
    /// How fast its place in the animation moved in the last step, m/s.
    pub carrier: Vec3,
    /// Whether it returns: its spring moves it, and no contact.
    pub returns: bool,
}

/// The vertices of skin that give way. Part of the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Released {
    /// By rising vertex.
    vertices: Vec<ReleasedVertex>,
}

/// Where the animation has a released vertex in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrier {
    /// At the end, m.
    pub end: Vec3,
    /// Its mean velocity, m/s.
    pub velocity: Vec3,
}

/// A pinned vertex that goes with skin which gives way.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    /// Its number.
    pub vertex: VertexId,
    /// Its group, and its place there.
    pub pin: [usize; 2],
    /// From its foot to itself in the animation, at the start of the step and at its end, m.
    pub arms: [Vec3; 2],
    /// The normal at its foot in the animation, towards it.
    pub outwards: Vec3,
    /// Its foot in the animation at the end of the step, m.
    pub foot: Vec3,
}

impl Released {
    pub(crate) fn new(mut vertices: Vec<ReleasedVertex>) -> Self {
        vertices.sort_unstable_by_key(|it| it.vertex);
        Self { vertices }
    }

    /// All of them, by rising vertex.
    pub fn vertices(&self) -> &[ReleasedVertex] {
        &self.vertices
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// `vertex`, if it is one of them.
    pub(crate) fn get(&self, vertex: VertexId) -> Option<&ReleasedVertex> {
        let place = self.vertices.binary_search_by_key(&vertex, |it| it.vertex).ok()?;
        self.vertices.get(place)
    }

    /// Whether all are vertices of skin.
    pub(crate) fn fits(&self, numbering: &Numbering) -> bool {
        let is_skin =
            |it: &ReleasedVertex| numbering.skins().iter().any(|s| s.vertices.contains(&it.vertex));
        self.vertices.iter().all(is_skin) && self.vertices.is_sorted_by_key(|it| it.vertex)
    }

    /// Puts them to their places among the vertices at `x` (m).
    pub fn place(&self, x: &mut [Vec3]) {
        self.vertices.iter().for_each(|it| x[it.vertex as usize] = it.x);
    }

    /// A step has ended at `x` (m), with these `carriers`.
    pub(crate) fn advance(&mut self, x: &[Vec3], carriers: &[Carrier]) {
        for (it, carrier) in zip(&mut self.vertices, carriers) {
            (it.x, it.carrier) = (x[it.vertex as usize], carrier.velocity);
        }
    }
}

/// An obstacle whose skin gives way.
#[derive(Debug, Clone, PartialEq)]
pub struct YieldingObstacle {
    /// Its name.
    pub name: String,
    /// Number of its vertices that are released.
    pub vertices: usize,
    /// The furthest that one of them is from its place in the animation, m.
    pub largest_offset_m: f64,
}

//! What is the same on all ranks. It is built once per process and shared read-only.

mod flesh;
pub(crate) mod object_size;
pub mod settings;
pub(crate) mod sewing;
pub mod skin;
mod surfaces;

use std::iter::zip;
use std::sync::Arc;

use crate::model::settings::StepSettings;
use crate::model::sewing::Sewing;
use crate::model::skin::Skin;
use crate::time::clock::Clock;
use cloth_bodies::bodies::body::Attachment;
use cloth_bodies::bodies::cloth::ClothModel;
use cloth_bodies::bodies::cloth::pins::PinGroup;
use cloth_bodies::bodies::cloth::setup::{ClothSetup, Factors};
use cloth_bodies::bodies::joints::body_joint::{BodyJoint, Second};
use cloth_bodies::bodies::prescribed::{ObstacleSetup, PrescribedPose};
use cloth_bodies::bodies::seam::Seam;
use cloth_bodies::bodies::timed::factor;
use cloth_bodies::bodies::timed::value_at;
use cloth_bodies::bodies::{Body, Numbering, Setup};
use cloth_bodies::contact::{Distances, Friction};
use cloth_collision::collision::{Surface, Surfaces};
use cloth_core::error::Result;
use cloth_core::ids::{NodeId, VertexId};
use cloth_core::math::Vec3;
use cloth_core::partition::{Graph, Partition, Patches};

/// Elements, hierarchies, partition and settings of a scene.
pub struct Model {
    /// What the scene says beside its bodies.
    pub settings: StepSettings,
    /// Ticks and seconds.
    pub clock: Clock,
    /// Elements of all cloths.
    pub cloth: ClothModel,
    /// Positions of all cloth vertices at t = 0, m.
    pub initial: Vec<Vec3>,
    /// Rest positions of all cloth vertices, each cloth in its own coordinates, m.
    pub rest: Vec<Vec3>,
    /// The number after the last vertex of each cloth.
    pub cloth_ends: Vec<VertexId>,
    /// The edges of all cloths.
    pub edges: Vec<[VertexId; 2]>,
    /// Their lengths at rest, m.
    pub rest_lengths: Vec<f64>,
    /// The mean length of the edges of each cloth at rest, m.
    pub mean_edges_m: Vec<f64>,
    /// The shortest edge at rest of each vertex, m.
    pub shortest_edges: Vec<f64>,
    /// Names of all surfaces: cloths, bodies, obstacles.
    pub names: Vec<String>,
    /// Bodies of few nodes.
    pub bodies: Vec<Arc<dyn Body>>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
    /// The joints of bodies.
    pub joints: Vec<BodyJoint>,
    /// What holds cloth to bodies, by rising vertex.
    pub attachments: Vec<Attachment>,
    /// What holds cloth to cloth.
    pub seams: Vec<Seam>,
    /// What welding needs. None if no seam welds.
    pub(crate) sewing: Option<Sewing>,
    /// Those that yield, by rising number.
    pub skins: Vec<Skin>,
    /// Coulomb's coefficients.
    pub friction: Friction,
    /// Contact distances.
    pub distances: Distances,
    /// Which vertices and nodes belong to which cloth, body or obstacle.
    pub numbering: Numbering,
    /// The surfaces of all bodies, in the order of `names`.
    pub surfaces: Surfaces,
    /// Which nodes the system matrix couples.
    pub graph: Graph,
    /// Patches and their ranks.
    pub partition: Partition,
}

/// The most bodies without joints that share a patch. 343 boxes in a hammock take 22 % fewer
/// instructions with 16, 21 % with 8 (notebook/performance.md).
const BODIES_PER_GROUP: usize = 16;

/// Groups of bodies without joints that are left for ranks to share. With fewer than twice as many
/// bodies each has a patch of its own.
const LEAST_GROUPS: usize = 16;

impl Model {
    /// Prepares `setup` for simulation. `partition` gets a function that makes the partition for a
    /// number of ranks. Under MPI one rank calls it, because it calls METIS, and sends the others
    /// the result.
    ///
    /// # Errors
    /// When the mesh cannot be partitioned.
    pub fn new(
        settings: StepSettings,
        setup: Setup,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Self> {
        Self::with_bodies(settings, setup, Vec::new(), partition)
    }

    /// The same with `more` bodies of few nodes than the rigid ones of `setup`.
    ///
    /// # Errors
    /// When the mesh cannot be partitioned, or the faces of a body are no surface.
    pub fn with_bodies(
        settings: StepSettings,
        setup: Setup,
        more: Vec<Arc<dyn Body>>,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Self> {
        let sewing = Sewing::new(&setup);
        let rigid = setup.bodies.iter().map(|body| Arc::new(body.clone()) as Arc<dyn Body>);
        let further = more.len();
        let bodies: Vec<_> = rigid.chain(more).collect();
        let clock = Clock::new(settings.frames_per_second, settings.steps_per_frame);
        let longest_step_s = clock.seconds(clock.largest());
        let (cloths, attached, drag) = (&setup.cloths, &setup.attachments, settings.air.drag());
        let cloth = ClothModel::new(cloths, attached, drag, longest_step_s);
        let prescribed = setup.obstacles.iter().map(|obstacle| obstacle.shape.len()).sum();
        let numbering = Numbering::new(cloth.vertex_count(), &bodies, prescribed);
        let (skins, numbering) = Skin::all(&setup.obstacles, numbering);
        let graph = coupling_graph(&cloth, &numbering, &setup.obstacles, &skins);
        let of_bodies = numbering.bodies().iter().chain(numbering.skins());
        let of_bodies = of_bodies.map(|body| body.nodes.clone());
        let ranges: Vec<_> = cloth.ranges.iter().cloned().chain(of_bodies).collect();
        let rest: Vec<Vec3> = setup.cloths.iter().flat_map(|c| c.rest.iter().copied()).collect();
        let partition = partition(&|ranks| {
            let size = settings.patch_vertices as usize;
            let patches = Patches::with_rest_shapes(&graph, &ranges, size, &rest)?;
            let patches = patches.merged(&of_one_patch(&setup.joints, &numbering));
            let cloths = setup.cloths.iter().flat_map(|cloth| cloth.positions.iter().copied());
            let mut positions = node_positions(cloths, &bodies, |body| bodies[body].start().0);
            positions.extend(Skin::start_places(&skins, &setup.obstacles));
            Partition::with_method(
                &graph,
                Arc::new(patches),
                ranks,
                &settings.partition,
                &positions,
            )
        })?;
        let (mut surfaces, shortest_edges) =
            surfaces::build(&setup, &bodies, &numbering, &partition.patches)?;
        let names = names(&setup, &bodies);
        surfaces.exclude(setup.apart(&names).into_iter());
        let kind = |it: &Surface| (it.moves, it.vertices().end as VertexId);
        let kinds = Vec::from_iter(surfaces.list.iter().map(kind));
        let ends = kinds.iter().map(|&(_, end)| end).collect();
        let mut touch = setup.touch.clone();
        if !touch.materials.is_empty() {
            // Further bodies have no material.
            let place = setup.cloths.len() + setup.bodies.len();
            touch.materials.splice(place..place, vec![None; further]);
        }
        let cloth_vertices = numbering.cloth() as VertexId;
        let factors = |of: fn(&Factors) -> &Vec<f64>| setup.vertex_factors(of);
        let scene_m = settings.contact.distance_m;
        let distances = Distances::new(scene_m, &touch, factors(|it| &it.distance), &kinds);
        let of_friction = factors(|it| &it.friction);
        Ok(Self {
            friction: Friction::new(&settings.contact, cloth_vertices, ends, touch, of_friction),
            distances,
            surfaces,
            rest,
            cloth_ends: cloth.ranges.iter().map(|range| range.end).collect(),
            edges: edges(&setup, &cloth),
            rest_lengths: setup.cloths.iter().flat_map(ClothSetup::rest_lengths).collect(),
            mean_edges_m: setup.cloths.iter().map(mean_edge_m).collect(),
            shortest_edges,
            names,
            skins,
            initial: setup.cloths.iter().flat_map(|c| c.positions.iter().copied()).collect(),
            obstacles: setup.obstacles,
            joints: setup.joints,
            attachments: setup.attachments,
            seams: setup.seams,
            sewing,
            bodies,
            numbering,
            settings,
            clock,
            cloth,
            graph,
            partition,
        })
    }

    /// Gravity at `time_s` (s), m/s^2.
    pub fn gravity(&self, time_s: f64) -> Vec3 {
        let keyed = value_at(&self.settings.gravity_keyframes, time_s);
        keyed.unwrap_or_else(|| self.settings.gravity_m_per_s2.into())
    }

    /// What coefficients of friction are multiplied by at `time_s` (s).
    pub fn friction_factor(&self, time_s: f64) -> f64 {
        factor(&self.settings.friction_keyframes, time_s)
    }

    /// Whether gravity changes in time. Then it has no potential.
    pub fn has_keyed_gravity(&self) -> bool {
        !self.settings.gravity_keyframes.is_empty()
    }

    /// The gravity whose potential is part of the energy, m/s^2: zero if gravity changes in time.
    pub fn constant_gravity(&self) -> Vec3 {
        if self.has_keyed_gravity() { Vec3::zeros() } else { self.gravity(0.0) }
    }

    /// The largest gravity of all times, m/s^2.
    pub fn largest_gravity(&self) -> Vec3 {
        let keys = self.settings.gravity_keyframes.iter().map(|key| self.gravity(key.time_s));
        let largest = keys.max_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared()));
        largest.unwrap_or_else(|| self.gravity(0.0))
    }

    /// Velocity of the air at `time_s` (s), m/s.
    pub fn wind(&self, time_s: f64) -> Vec3 {
        self.settings.air.velocity(time_s)
    }

    /// The place of an obstacle among the surfaces.
    pub fn object_of_obstacle(&self, number: usize) -> usize {
        self.surfaces.list.len() - self.obstacles.len() + number
    }

    /// The number of the obstacle that a vertex belongs to.
    pub fn obstacle_of(&self, vertex: VertexId) -> Option<usize> {
        let obstacles = &self.surfaces.list[self.object_of_obstacle(0)..];
        obstacles.iter().position(|surface| surface.vertices().contains(&(vertex as usize)))
    }

    /// Writes the positions (m) of all obstacle vertices to `out`. `pose` tells where each
    /// obstacle is on its way, by its number. Fixed obstacles are written only if `also_fixed`.
    pub fn place_obstacles(
        &self,
        also_fixed: bool,
        out: &mut [Vec3],
        pose: impl Fn(usize, &ObstacleSetup) -> Option<PrescribedPose>,
    ) {
        let mut first = 0;
        for (number, obstacle) in self.obstacles.iter().enumerate() {
            let end = first + obstacle.shape.len();
            if also_fixed || !obstacle.is_fixed() {
                obstacle.positions_in(pose(number, obstacle).as_ref(), &mut out[first..end]);
            }
            first = end;
        }
    }

    /// The name of a prescribed body: obstacles are numbered first, then groups of pins.
    pub(crate) fn prescribed_name(&self, number: usize) -> String {
        let Some(group) = number.checked_sub(self.obstacles.len()) else {
            return format!("`{}`", self.obstacles[number].name);
        };
        let cloth_of = |group: usize| {
            let first = self.cloth.pins.groups[group].vertices.first();
            first.map(|&vertex| self.cloth_ends.partition_point(|&end| end <= vertex))
        };
        let cloth = cloth_of(group);
        let place = (0..group).filter(|&before| cloth_of(before) == cloth).count();
        let name = cloth.and_then(|cloth| self.names.get(cloth));
        format!("pins[{place}] of `{}`", name.map_or("", String::as_str))
    }

    /// The number of the prescribed body that a prescribed vertex belongs to at `time_s` (s).
    pub(crate) fn prescribed_body(&self, vertex: VertexId, time_s: f64) -> Option<usize> {
        if vertex as usize >= self.numbering.free_vertices() {
            return self.obstacle_of(vertex);
        }
        let holds = |pins: &PinGroup| pins.holds(time_s) && pins.vertices.contains(&vertex);
        let group = self.cloth.pins.groups.iter().position(holds);
        group.map(|group| self.obstacles.len() + group)
    }
}

/// The names of all surfaces: cloths, bodies, obstacles.
fn names(setup: &Setup, bodies: &[Arc<dyn Body>]) -> Vec<String> {
    let cloths = setup.cloths.iter().map(|cloth| cloth.name.clone());
    let bodies = bodies.iter().map(|body| body.name().to_owned());
    cloths.chain(bodies).chain(setup.obstacles.iter().map(|it| it.name.clone())).collect()
}

/// Positions of all nodes, m. `cloths` are the positions of cloth vertices, and `coordinates`
/// gives those of each body, by its number. Nodes of a body are at the mean of its vertices.
pub(crate) fn node_positions(
    cloths: impl Iterator<Item = Vec3>,
    bodies: &[Arc<dyn Body>],
    coordinates: impl Fn(usize) -> Vec<f64>,
) -> Vec<Vec3> {
    let mut positions: Vec<Vec3> = cloths.collect();
    for (number, body) in bodies.iter().enumerate() {
        let mut vertices = vec![Vec3::zeros(); body.vertex_count()];
        body.place(&coordinates(number), &mut vertices);
        let mean = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
        positions.extend(std::iter::repeat_n(mean, body.node_count()));
    }
    positions
}

/// Pairs of bodies that share a patch, by the first node of each: those that a joint connects, and
/// groups of rigid bodies without joints, if there are many. The rows of one body cost less than the loops
/// over patches.
fn of_one_patch(joints: &[BodyJoint], numbering: &Numbering) -> Vec<[NodeId; 2]> {
    let node = |body: usize| numbering.bodies()[body].nodes.start;
    let mut is_jointed = vec![false; numbering.bodies().len()];
    let mut pairs = Vec::new();
    for joint in joints {
        is_jointed[joint.first] = true;
        if let Second::Body(second) = joint.second {
            is_jointed[second] = true;
            pairs.push([node(joint.first), node(second)]);
        }
    }
    let is_lone = |&body: &usize| !is_jointed[body] && numbering.bodies()[body].nodes.len() == 2;
    let lone = Vec::from_iter((0..is_jointed.len()).filter(is_lone));
    let size = (lone.len() / LEAST_GROUPS).clamp(1, BODIES_PER_GROUP);
    for group in lone.chunks(size) {
        pairs.extend(group.windows(2).map(|pair| [node(pair[0]), node(pair[1])]));
    }
    pairs
}

fn edges(setup: &Setup, cloth: &ClothModel) -> Vec<[VertexId; 2]> {
    let of_cloth = setup.cloths.iter().zip(&cloth.ranges).flat_map(|(setup, range)| {
        setup.topology.edges.iter().map(|edge| edge.map(|vertex| range.start + vertex))
    });
    of_cloth.collect()
}

fn mean_edge_m(cloth: &ClothSetup) -> f64 {
    if !cloth.sewn.is_empty() {
        return cloth.rest_lengths().sum::<f64>() / cloth.topology.edges.len() as f64;
    }
    let edges = &cloth.topology.edges;
    let length = |&[a, b]: &[VertexId; 2]| (cloth.rest[a as usize] - cloth.rest[b as usize]).norm();
    edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64
}

/// The nodes that elements of cloth couple, those of each body, and those of each face of a skin.
fn coupling_graph(
    cloth: &ClothModel,
    numbering: &Numbering,
    obstacles: &[ObstacleSetup],
    skins: &[Skin],
) -> Graph {
    let bodies: Vec<Vec<NodeId>> =
        numbering.bodies().iter().map(|body| body.nodes.clone().collect()).collect();
    let of_bodies = bodies.iter().map(Vec::as_slice);
    let of_skins = zip(skins, numbering.skins()).flat_map(|(skin, range)| {
        let faces = obstacles[skin.obstacle].faces.iter();
        faces.map(|face| face.map(|vertex| vertex + range.nodes.start))
    });
    let of_skins = Vec::from_iter(of_skins);
    let of_skins = of_skins.iter().map(|face| &face[..]);
    let cliques = cloth.couplings().chain(of_bodies).chain(of_skins);
    Graph::from_cliques(numbering.nodes(), cliques)
}

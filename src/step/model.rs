//! What all ranks know alike: built once per process and shared read-only.

use std::sync::Arc;

use crate::bodies::Setup;
use crate::bodies::cloth::{AirDrag, ClothModel};
use crate::bodies::prescribed::ObstacleSetup;
use crate::collision::{Surface, Surfaces};
use crate::error::Result;
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::partition::{Graph, Partition, Patches};
use crate::step::clock::{Clock, TICKS_PER_STEP};
use crate::step::settings::Settings;

/// Elements, hierarchies, partition and settings of a scene.
pub struct Model {
    /// What the scene says beside its bodies.
    pub settings: Settings,
    /// Ticks and seconds.
    pub clock: Clock,
    /// Elements of all cloths.
    pub cloth: ClothModel,
    /// Positions of all cloth vertices at t = 0, m.
    pub initial: Vec<Vec3>,
    /// Rest positions of all cloth vertices, each cloth in its own coordinates, m.
    pub rest: Vec<Vec3>,
    /// Where the vertices of each cloth end.
    pub cloth_ends: Vec<VertexId>,
    /// The edges of all cloths.
    pub edges: Vec<[VertexId; 2]>,
    /// The shortest edge at rest of each cloth vertex, m.
    pub shortest_edges: Vec<f64>,
    /// Names of all objects: cloths, then obstacles.
    pub names: Vec<String>,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSetup>,
    /// Every object as collision sees it: cloths, then obstacles.
    pub surfaces: Surfaces,
    /// Which vertices the system matrix couples.
    pub graph: Graph,
    /// Patches and their ranks.
    pub partition: Partition,
}

impl Model {
    /// Prepares `setup` for simulation. `partition` turns the coupling graph and
    /// the patches' maker into a partition: one rank calls METIS, the others are told.
    ///
    /// # Errors
    /// When the mesh cannot be partitioned.
    pub fn new(
        settings: Settings,
        setup: Setup,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Self> {
        let clock = Clock::new(settings.frames_per_second, settings.steps_per_frame);
        let air = AirDrag {
            normal: settings.air.normal_drag_n_s_per_m3,
            tangential: settings.air.tangential_drag_n_s_per_m3,
        };
        let cloth = ClothModel::new(&setup.cloths, air, clock.seconds(TICKS_PER_STEP));
        let graph = Graph::from_cliques(cloth.vertex_count(), cloth.couplings());
        let partition = partition(&|ranks| {
            let patches = Patches::new(&graph, &cloth.ranges, settings.patch_vertices as usize)?;
            Partition::new(&graph, Arc::new(patches), ranks)
        })?;
        Ok(Self {
            surfaces: surfaces(&setup, &cloth, &partition.patches, settings.contact.culling),
            rest: setup.cloths.iter().flat_map(|c| c.rest.iter().copied()).collect(),
            cloth_ends: cloth.ranges.iter().map(|range| range.end).collect(),
            edges: edges(&setup, &cloth),
            shortest_edges: shortest_edges(&setup),
            names: (setup.cloths.iter().map(|cloth| cloth.name.clone()))
                .chain(setup.obstacles.iter().map(|obstacle| obstacle.name.clone()))
                .collect(),
            initial: setup.cloths.iter().flat_map(|c| c.positions.iter().copied()).collect(),
            obstacles: setup.obstacles,
            settings,
            clock,
            cloth,
            graph,
            partition,
        })
    }

    /// Gravity, m/s^2.
    pub fn gravity(&self) -> Vec3 {
        Vec3::from(self.settings.gravity_m_per_s2)
    }

    /// Velocity of the air at `time_s`, m/s.
    pub fn wind(&self, time_s: f64) -> Vec3 {
        self.settings.air.velocity(time_s)
    }

    /// Number of vertices of all objects.
    pub fn all_vertices(&self) -> usize {
        self.cloth.vertex_count() + self.obstacles.iter().map(|o| o.shape.len()).sum::<usize>()
    }

    /// Positions of all obstacle vertices at `time_s` into `out`; those of fixed
    /// obstacles only if `also_fixed`.
    pub fn place_obstacles(&self, time_s: f64, also_fixed: bool, out: &mut [Vec3]) {
        let mut first = 0;
        for obstacle in &self.obstacles {
            let end = first + obstacle.shape.len();
            if also_fixed || !obstacle.is_fixed() {
                obstacle.positions_at(time_s, &mut out[first..end]);
            }
            first = end;
        }
    }
}

fn edges(setup: &Setup, cloth: &ClothModel) -> Vec<[VertexId; 2]> {
    let of_cloth = setup.cloths.iter().zip(&cloth.ranges).flat_map(|(setup, range)| {
        setup.topology.edges.iter().map(|edge| edge.map(|vertex| range.start + vertex))
    });
    of_cloth.collect()
}

/// The shortest edge at rest of each cloth vertex, m.
fn shortest_edges(setup: &Setup) -> Vec<f64> {
    let mut all = Vec::new();
    for cloth in &setup.cloths {
        let mut shortest = vec![f64::INFINITY; cloth.rest.len()];
        for &[a, b] in &cloth.topology.edges {
            let length = (cloth.rest[b as usize] - cloth.rest[a as usize]).norm();
            for vertex in [a, b] {
                shortest[vertex as usize] = length.min(shortest[vertex as usize]);
            }
        }
        all.append(&mut shortest);
    }
    all
}

fn surfaces(setup: &Setup, cloth: &ClothModel, patches: &Patches, culling: bool) -> Surfaces {
    let mut list = Vec::new();
    let mut first = 0;
    for (index, setup) in setup.cloths.iter().enumerate() {
        let range = &cloth.ranges[index];
        let of_vertex = &patches.of_vertex[range.start as usize..range.end as usize];
        let parts = Some((of_vertex, patches.len()));
        let (faces, topology, rest) = (&setup.faces, &setup.topology, &setup.rest);
        let surface = Surface::new(first, faces, topology, rest, parts, false);
        list.push(if culling { surface.with_culling(rest) } else { surface });
        first = range.end;
    }
    for obstacle in &setup.obstacles {
        let (faces, topology) = (&obstacle.faces, &obstacle.topology);
        list.push(Surface::new(first, faces, topology, &obstacle.shape, None, true));
        first += obstacle.shape.len() as u32;
    }
    Surfaces { list }
}

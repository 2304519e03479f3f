//! A frame: what an engine shows at one time.

use cloth_bodies::bodies::BodyPose;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_rigid::simulation::StepForces;
use cloth_rigid::{FrameBody, RigidSimulation};
use cloth_step::Simulation;
use cloth_workers::WorkerSimulation;
use cloth_workers::report::Share;

/// What an engine shows at one time. Only the owners of bodies depend on the number of ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Time since the start, s.
    pub time_s: f64,
    /// Positions of the vertices of each surface, m: cloths, rigid bodies among cloth, then moving
    /// obstacles.
    pub surfaces: Vec<Vec<Vec3>>,
    /// Movable bodies, and bodies that keyframes move, by rising id.
    pub bodies: Vec<FrameBody>,
    /// What workers said about the movable bodies in the last step, by rising body and worker. None
    /// without workers.
    pub shares: Option<Vec<Share>>,
    /// The forces on bodies in the last step, if somebody asked for them.
    pub forces: Option<StepForces>,
    /// The poses of rigid bodies among cloth, in the order of the surfaces.
    pub poses: Vec<BodyPose>,
    /// Further values of the vertices.
    pub fields: Vec<Field>,
}

/// Values of the vertices of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Field {
    /// Its name: letters, digits and `_`.
    pub name: String,
    /// Whether a vertex has a number or a vector.
    pub kind: FieldKind,
    /// The numbers of all vertices, in the order of the surfaces. The list may be shorter than the
    /// vertices: the last surfaces then have no values.
    pub values: Vec<f64>,
}

/// The kind of value that a field has at a vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    #[default]
    Scalar,
    /// A vector of three numbers.
    Vector,
}

impl Field {
    /// A field with a vector for each vertex.
    pub fn of_vectors(name: &str, vectors: &[Vec3]) -> Self {
        let values = vectors.iter().flat_map(|vector| [vector.x, vector.y, vector.z]).collect();
        Self { name: name.to_owned(), kind: FieldKind::Vector, values }
    }
}

/// The frame of cloths, rigid bodies and moving obstacles, with the velocities of the cloths (m/s).
/// It is empty on ranks other than 0.
pub(super) fn of_cloth(simulation: &Simulation) -> Result<Frame> {
    if simulation.rank() != 0 {
        return Ok(Frame::default());
    }
    let model = simulation.model();
    let (mut surfaces, mut start) = (Vec::new(), 0);
    for &end in &model.cloth_ends {
        surfaces.push(simulation.positions()[start..end as usize].to_vec());
        start = end as usize;
    }
    for (body, coordinates) in model.bodies.iter().zip(&simulation.state().coordinates) {
        surfaces.push(body.shown(coordinates));
    }
    let mut first = model.numbering.free_vertices();
    for (obstacle, pose) in model.obstacles.iter().zip(simulation.obstacle_poses()) {
        let own = first..first + obstacle.shape.len();
        first = own.end;
        if !obstacle.is_fixed() {
            let mut positions = vec![Vec3::zeros(); obstacle.shape.len()];
            obstacle.positions_in(pose.as_ref(), &mut positions);
            let released = simulation.state().released.vertices().iter();
            for it in released.filter(|it| own.contains(&(it.vertex as usize))) {
                positions[it.vertex as usize - own.start] = it.x;
            }
            surfaces.push(positions);
        }
    }
    let fields = vec![Field::of_vectors("velocity", simulation.velocities())];
    let poses = simulation.state().body_poses(model);
    Ok(Frame { time_s: simulation.time_s(), surfaces, poses, fields, ..Frame::default() })
}

/// The frame of the bodies of all ranks. It has no bodies on ranks other than 0. Collective.
pub(super) fn of_bodies(simulation: &RigidSimulation) -> Result<Frame> {
    let (bodies, forces) = (simulation.frame_bodies()?, simulation.forces()?);
    Ok(Frame { time_s: simulation.time_s(), bodies, forces, ..Frame::default() })
}

/// The frame of a simulation by workers, as [`of_bodies`] makes it.
pub(super) fn of_workers(simulation: &WorkerSimulation) -> Result<Frame> {
    let bodies = simulation.frame_bodies()?;
    let shares = (simulation.rank() == 0).then(|| simulation.shares());
    // All ranks have all bodies.
    let forces = simulation.whole().forces()?;
    Ok(Frame { time_s: simulation.time_s(), bodies, shares, forces, ..Frame::default() })
}

//! What a step knows before its solve.

use crate::model::Model;
use crate::model::skin::{Carrier, Follower};
use crate::state::waiting::Course;
use cloth_bodies::bodies::cloth::assembly::Target;
use cloth_bodies::bodies::cloth::pins::Draw;
use cloth_bodies::bodies::prescribed::PrescribedPose;
use cloth_core::math::Vec3;

/// The start of a step, and its end as predicted and prescribed. Numbers are those of
/// [`crate::state::motion::StepMotion`]. It does not change until the step ends.
pub(crate) struct StepStart {
    /// Positions at the start, m.
    pub x0: Vec<Vec3>,
    /// Positions at the end as predicted before the solve, m.
    pub predicted: Vec<Vec3>,
    /// Velocities of all nodes at the start, m/s. After them the mean velocities of obstacle
    /// vertices over the step.
    pub u0: Vec<Vec3>,
    /// The change of velocities in this step if the last step's accelerations continue, m/s.
    pub last_changes: Vec<Vec3>,
    /// Inverse masses of cloth vertices, 1/kg; 0 if pinned.
    pub inverse_masses: Vec<f64>,
    /// Coordinates of each body at the start.
    pub coordinates: Vec<Vec<f64>>,
    /// The forces of [`crate::State::joint_forces`] at the start of the step, N.
    pub joint_forces: Vec<Vec3>,
    /// Vertices that move as prescribed: obstacles, pins and handles.
    pub prescribed: Vec<bool>,
    /// Where each prescribed body ends: obstacles, then groups of pins.
    pub courses: Vec<Course>,
    /// Where each obstacle is on its way at the start of the step, and at its end.
    pub obstacle_ways: Vec<[Option<PrescribedPose>; 2]>,
    /// Pinned vertices and where they are at the end, by rising vertex.
    pub targets: Vec<Target>,
    /// Those that go with skin which gives way instead, by rising vertex.
    pub followers: Vec<Follower>,
    /// Where the animation has the released vertices of skin at the end, and how fast it goes, in the
    /// order of the state.
    pub carriers: Vec<Carrier>,
    /// Where the animation has the vertices of obstacles at the end, m. Empty if none is released.
    pub animated: Vec<Vec3>,
    /// Gravity in this step, m/s^2.
    pub gravity: Vec3,
    /// The change of velocity by gravity in this step, m/s.
    pub fall: Vec3,
    /// The loads on cloth vertices in this step, N; empty if there are none.
    pub loads: Vec<Vec3>,
    /// The forces on cloth vertices that the caller adds in this whole step, N; empty if there are
    /// none.
    pub pushes: Vec<Vec3>,
    /// What the springs of pins do to cloth vertices in this step; empty if there are none.
    pub draws: Vec<Draw>,
}

impl StepStart {
    /// Before the first step of `model`. Obstacles are where they are at 0 s.
    pub fn new(model: &Model) -> Self {
        let numbering = &model.numbering;
        let mut x = vec![Vec3::zeros(); numbering.vertices()];
        model.place_obstacles(true, &mut x[numbering.free_vertices()..], |_, it| it.pose_at(0.0));
        let mut prescribed = vec![true; x.len()];
        prescribed[..numbering.free_vertices()].fill(false);
        Self {
            predicted: x.clone(),
            x0: x,
            u0: vec![Vec3::zeros(); numbering.velocities()],
            last_changes: Vec::new(),
            inverse_masses: vec![0.0; numbering.cloth()],
            coordinates: Vec::new(),
            joint_forces: Vec::new(),
            prescribed,
            courses: Vec::new(),
            obstacle_ways: Vec::new(),
            targets: Vec::new(),
            followers: Vec::new(),
            carriers: Vec::new(),
            animated: Vec::new(),
            gravity: Vec3::zeros(),
            fall: Vec3::zeros(),
            loads: Vec::new(),
            pushes: Vec::new(),
            draws: Vec::new(),
        }
    }
}

//! The bodies that a frame shows.

use crate::frame_body::FrameBody;
use crate::shape::Shape;
use crate::simulation::RigidSimulation;
use cloth_core::error::Result;
use cloth_core::ranks::message;

impl RigidSimulation<'_> {
    /// The movable bodies of all ranks and the bodies that keyframes move, by rising id, on rank 0.
    /// Other ranks get an empty list. All groups are 0, because only a scene knows the groups.
    /// All ranks call it.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn frame_bodies(&self) -> Result<Vec<FrameBody>> {
        let reach = |shape: &Shape| self.model.solids.reach(shape);
        let owner = self.world.rank() as u32;
        let own = self.population().own().iter();
        let own = Vec::from_iter(own.map(|body| FrameBody::of(&body, 0, owner, reach)));
        let mut bodies = message::gather_v(&*self.world, 0, &own)?;
        if owner == 0 {
            let times = [self.time_s(), self.model.settings.contacts.step_s];
            let moving = self.model.fixed.bodies().iter().filter(|body| body.motion.is_some());
            bodies.extend(moving.map(|body| FrameBody::of_fixed(body, times, 0, reach)));
            bodies.sort_unstable_by_key(|body| body.id);
        }
        Ok(bodies)
    }
}

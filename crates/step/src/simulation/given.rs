//! Positions, velocities and forces that a caller gives.

use crate::report::StepReport;
use crate::simulation::Simulation;
use crate::watch::energy_of;
use cloth_collision::candidates::SearchObserver;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

impl Simulation<'_> {
    /// Sets positions (m) and velocities (m/s) of all cloth vertices. Every rank must give the
    /// same. Pins and memories of contacts stay as they are. Positions that change are checked as
    /// by [`Simulation::check_state`], because a step from surfaces that cross may take minutes.
    /// Without the fail-safe surfaces may cross in any state, and nothing is checked.
    ///
    /// # Errors
    /// When there is not one position and one velocity for each cloth vertex, or surfaces would
    /// cross or be nearer than the clearance. Then nothing changes. A number that is not finite is
    /// an error of the next step.
    pub fn set_motion(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<()> {
        let cloth = self.model.numbering.cloth();
        for (place, vectors) in [("positions", positions), ("velocities", velocities)] {
            check_count(place, vectors, cloth)?;
        }
        let before = self.state.positions.clone();
        self.state.positions.copy_from_slice(positions);
        let is_finite = positions.iter().all(|x| x.iter().all(|x| x.is_finite()));
        if is_finite
            && positions != before
            && let Err(error) = self.check_state_at("positions")
        {
            self.state.positions = before;
            return Err(error);
        }
        self.state.set_velocities(&self.model, velocities);
        self.state.energy = None;
        Ok(())
    }

    /// Measures the energy of a state of another model. What changed with the model is no rise.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn measure_energy(&mut self) -> Result<()> {
        let Self { model, rank, state, stages, .. } = self;
        let now = energy_of(model, rank, state, &mut stages.system)?;
        if let Some(energy) = &mut state.energy {
            (energy.total_j, energy.internal_j) = (now.total_j, now.internal_j);
        }
        Ok(())
    }

    /// One whole step like [`Simulation::step_observed`], in which `forces` (N, one for each cloth vertex) act
    /// besides those of the scene. Their work counts as that of loads. They end with the step, so
    /// they are not part of the state. Every rank must give the same. Collective.
    ///
    /// # Errors
    /// When there is not one force for each cloth vertex or a force is not finite; then nothing
    /// changes. Else as for [`Simulation::step_observed`].
    pub fn step_under(
        &mut self,
        forces: &[Vec3],
        observer: &mut dyn SearchObserver,
    ) -> Result<StepReport> {
        check_count("forces", forces, self.model.numbering.cloth())?;
        if let Some(at) = forces.iter().position(|force| !force.iter().all(|x| x.is_finite())) {
            let cause = format!("the force on vertex {at} is not finite");
            return Err(Error::input("forces", cause, "give finite forces, in N"));
        }
        let mut pushes = forces.to_vec();
        for &[vertex, of] in self.model.welded_vertices() {
            let push = std::mem::take(&mut pushes[vertex as usize]);
            pushes[of as usize] += push;
        }
        self.stages.motion.start.pushes = pushes;
        let report = self.step_observed(observer);
        self.stages.motion.start.pushes = Vec::new();
        report
    }
}

/// Refuses `vectors` of another number than that of the vertices of `cloth`.
fn check_count(place: &str, vectors: &[Vec3], cloth: usize) -> Result<()> {
    if vectors.len() == cloth {
        return Ok(());
    }
    let cause = format!("{} vectors for {cloth} cloth vertices", vectors.len());
    Err(Error::input(place, cause, "give one for each cloth vertex"))
}

impl Simulation<'_> {
    /// Number of active contacts of each cloth vertex in the last step, on rank 0. Other ranks get
    /// an empty list. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn contact_counts(&self) -> Result<Vec<u32>> {
        let mut counts = vec![0_u32; self.model.numbering.cloth()];
        for vertex in self.state.contacts.iter().flat_map(|contact| contact.pair.vertices) {
            if let Some(count) = counts.get_mut(vertex as usize) {
                *count += 1;
            }
        }
        // A rank has all contacts of its own vertices, and only some of those of others.
        let known = |&vertex: &u32| Some([vertex, *counts.get(vertex as usize)?]);
        let own = Vec::from_iter(self.rank.layout.own.iter().filter_map(known));
        let all = message::gather_v(&*self.rank.world, 0, &own)?;
        if self.rank() != 0 {
            return Ok(Vec::new());
        }
        let mut counts = vec![0; counts.len()];
        all.into_iter().for_each(|[vertex, count]| counts[vertex as usize] = count);
        Ok(counts)
    }
}

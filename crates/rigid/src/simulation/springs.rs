//! Springs across ranks. A spring is a joint between two bodies that gives way to forces.
//!
//! The rank of the first point treats a joint, so it must know the second body. The margin of
//! copies covers what a joint is stretched by in the middle of a step. The response leaves the
//! bodies no other force until then, so the rank that treats a spring foresees it. If the largest
//! stretch is above the margin, all ranks make their margin larger. Results do not depend on the
//! margin. One rank alone knows all bodies, and needs none of this.

use crate::constraint::joint::Second;
use crate::constraint::joint::active::ActiveJoint;
use crate::motion::drift;
use crate::simulation::RigidSimulation;
use crate::simulation::joints::wider;
use crate::sync::Limits;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

/// A new margin is larger than the stretch by this factor, so that it seldom changes.
const ROOM: f64 = 1.25;

/// The part of a period by which a spring may be stretched. At a half it would change its side.
const MOST_OF_PERIOD: f64 = 0.45;

impl RigidSimulation<'_> {
    /// Whether ranks must look for springs. It is the same on all ranks.
    fn looks_for_springs(&self) -> bool {
        self.world.size() > 1 && self.model.joints.has_springs()
    }

    /// The spring of this rank that will be stretched most in the middle of the next step (m, with
    /// its number). Before: the response has changed velocities, and nothing has moved since.
    pub(super) fn foreseen_stretch(&self) -> Option<(f64, u32)> {
        let (bodies, twists) = (self.state.population.bodies(), self.solver.twists());
        if !self.looks_for_springs() || twists.is_empty() {
            return None;
        }
        let h = self.model.settings.contacts.step_s;
        let stretch = |active: &ActiveJoint| {
            let number = active.ends.number;
            let joint = &self.model.joints.all()[number as usize];
            if !joint.is_spring() {
                return None;
            }
            let (states, inertias) = active.movers(&bodies, &self.fixed, |place| twists[place]);
            let later = joint.pose_after_step(&states, inertias, h);
            Some((joint.stretch(&later), number))
        };
        self.joints.iter().filter_map(stretch).reduce(wider)
    }

    /// Makes the margin of copies as large as springs need it. `own` is the result of
    /// [`Self::foreseen_stretch`]. All ranks call it after a step.
    ///
    /// # Errors
    /// If copies cannot reach so far, or a rank fails.
    pub(super) fn hold_springs(&mut self, own: Option<(f64, u32)>) -> Result<()> {
        if !self.looks_for_springs() {
            return Ok(());
        }
        let most = self.widest_of_all(own)?;
        let margin = self.synchroniser.limits().margin;
        let Some((stretch, number)) = most.filter(|&(stretch, _)| stretch > margin) else {
            return Ok(());
        };
        let method = self.model.settings.synchronisation;
        let limits = Limits { margin: ROOM * stretch, ..*self.synchroniser.limits() };
        let subdomains = self.region().subdomains();
        let limits = limits.within(method, subdomains);
        let region = limits.reach(method, subdomains).and_then(|it| self.region().with_reach(it));
        let region = region.map_err(|error| self.too_long(number, stretch, &error))?;
        self.move_to(region, limits)
    }

    /// As [`Self::hold_springs`], before the first step. Each rank knows its own bodies alone, so
    /// all ranks tell where the springs are.
    ///
    /// # Errors
    /// As [`Self::hold_springs`].
    pub(super) fn hold_springs_at_start(&mut self) -> Result<()> {
        if !self.looks_for_springs() {
            return Ok(());
        }
        let (all, population) = (self.model.joints.all(), &self.state.population);
        let half_s = 0.5 * self.model.settings.contacts.step_s;
        let mut own = Vec::new();
        for (joint, number) in all.iter().zip(0u32..).filter(|(joint, _)| joint.is_spring()) {
            let Second::Movable(second) = joint.second else { continue };
            for (id, side) in [joint.first, second].into_iter().zip(0u32..) {
                let place = population.place(id).filter(|&place| place < population.own_count());
                let Some(place) = place else { continue };
                let mut state = population.bodies().states()[place];
                drift(&mut state, half_s);
                let (end, _) = joint.frames[side as usize].at(&state.position, &state.rotation);
                own.push([number.into(), side.into(), end.x, end.y, end.z]);
            }
        }
        let mut ends = vec![[None; 2]; all.len()];
        for [number, side, x, y, z] in message::all_gather_v(&*self.world, &own)? {
            ends[number as usize][side as usize] = Some(Vec3::new(x, y, z));
        }
        let stretch = |(ends, number): (&[Option<Vec3>; 2], u32)| {
            let apart = ends[0]? - ends[1]?;
            let apart = apart - self.nearest_image(&apart);
            Some((apart.norm() - all[number as usize].most_apart(), number))
        };
        let most = ends.iter().zip(0..).filter_map(stretch).reduce(wider);
        self.hold_springs(most)
    }

    /// Fails if the ends of a spring are so far `apart` (m) that an image of one may be nearer.
    pub(super) fn check_image(&self, number: u32, apart: &Vec3) -> Result<()> {
        let domain = self.region().subdomains().domain();
        let (periodic, period) = (domain.periodic(), domain.period());
        let is_long = |axis: usize| apart[axis].abs() > MOST_OF_PERIOD * period[axis];
        let Some(axis) = (0..3).find(|&axis| periodic[axis] && is_long(axis)) else {
            return Ok(());
        };
        let cause = format!(
            "its ends are {} m apart along a period of {} m: beyond half of it, it would pull the \
             other way",
            apart[axis].abs(),
            period[axis]
        );
        Err(Error::input(self.name(number), cause, "use a smaller compliance, or a larger domain"))
    }

    /// The error for a spring that is stretched by so much (m) that copies cannot reach as far.
    fn too_long(&self, number: u32, stretch: f64, error: &Error) -> Error {
        let cause = match error {
            Error::Input { cause, .. } => cause.clone(),
            other => other.to_string(),
        };
        let cause = format!(
            "it is stretched by {stretch:.3e} m, so copies of bodies must reach {:.3e} m further \
             than their surfaces, and {cause}",
            ROOM * stretch
        );
        let remedy = "use `synchronisation: ShadowOwner`, fewer ranks, `parallel: Workers`, or a \
                      smaller compliance; in a periodic domain a larger domain";
        Error::input(self.name(number), cause, remedy)
    }

    fn name(&self, number: u32) -> String {
        self.model.joints.all()[number as usize].name(number)
    }
}

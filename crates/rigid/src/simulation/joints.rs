//! The joints of a rank in one step, and springs across ranks. A spring is a joint between two
//! bodies that gives way to forces.
//!
//! The rank of the first point treats a joint, so it must know the second body. The margin of
//! copies covers what a joint is stretched by in the middle of a step. The response leaves the
//! bodies no other force until then, so the rank that treats a spring foresees it. If the largest
//! stretch is above the margin, all ranks make their margin larger. Results do not depend on the
//! margin. One rank alone knows all bodies, and needs none of this.

use crate::constraint::joint::{ActiveJoint, Joint, Second};
use crate::constraint::{Ends, Partner};
use crate::motion::drift;
use crate::sync::Limits;
use crate::{BodyState, FixedBodies, RigidSimulation};
use cloth_core::{Error, Result, Vec3, message};

impl RigidSimulation<'_> {
    /// After: `joints` has the joints whose first points are in the subdomains of this rank.
    ///
    /// # Errors
    /// If a joint has come apart, or a spring reaches half around the domain.
    pub(super) fn find_joints(&mut self) -> Result<()> {
        let mut found = std::mem::take(&mut self.joints);
        found.clear();
        if !self.model.joints.is_empty() {
            let bodies = self.state.population.bodies();
            for place in 0..bodies.len() {
                for number in self.model.joints.of_first(bodies.id(place)) {
                    found.extend(self.joint_at(place, number)?);
                }
            }
        }
        self.joints = found;
        Ok(())
    }

    /// The joint of this number, whose first body is at `place`. None if another rank treats it, if
    /// its second body has left the domain, or if it does nothing.
    fn joint_at(&self, place: usize, number: u32) -> Result<Option<ActiveJoint>> {
        let joint = &self.model.joints.all()[number as usize];
        let first = self.state.population.bodies().states()[place];
        let (point, _) = joint.frames[0].at(&first.position, &first.rotation);
        let region = self.synchroniser.region();
        let (wrapped, _) = region.subdomains().domain().wrap(&point);
        if !region.has_all() && !region.has(region.subdomains().owner(&wrapped)) {
            return Ok(None);
        }
        // A rank knows all second bodies of its joints, unless they have left the domain.
        let Some((second, mut state)) = self.second_of(joint) else { return Ok(None) };
        let (other, _) = joint.frames[1].at(&state.position, &state.rotation);
        let shift = self.nearest_image(&(point - other));
        state.position += shift;
        let ends = Ends { first: place as u32, second, shift, number, point };
        let active = ActiveJoint::new(joint, ends, &[first, state]);
        let apart = point - other - shift;
        if joint.is_spring() {
            self.check_image(number, &apart)?;
            return Ok(Some(active));
        }
        let most = joint.most_apart() + self.model.settings.margin_m;
        match joint.second {
            Second::Movable(_) if apart.norm() > most => too_far(joint, number, most),
            _ => Ok(Some(active)),
        }
    }

    /// The second body of a joint, and its state. None if this rank does not know it.
    fn second_of(&self, joint: &Joint) -> Option<(Partner, BodyState)> {
        let population = &self.state.population;
        Some(match joint.second {
            Second::Movable(id) => {
                let place = population.place(id)?;
                (Partner::Movable(place as u32), population.bodies().states()[place])
            }
            Second::Fixed(place) => (Partner::Fixed(place), *self.fixed.state_at(place)),
            Second::Space => {
                let place = FixedBodies::SPACE;
                (Partner::Fixed(place), *self.fixed.state_at(place))
            }
        })
    }

    /// The shift by whole periods that makes `apart` (m) shortest, m.
    pub(super) fn nearest_image(&self, apart: &Vec3) -> Vec3 {
        let domain = self.synchroniser.region().subdomains().domain();
        let (periodic, period) = (domain.periodic(), domain.period());
        Vec3::from_fn(|axis, _| match periodic[axis] {
            true => period[axis] * (apart[axis] / period[axis]).round(),
            false => 0.0,
        })
    }

    /// The largest distance by which a joint is open, m, with its number. None without joints. It
    /// is that of the middle of the last step. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn widest_gap(&self) -> Result<Option<(f64, u32)>> {
        let own = self.joints.iter().map(|joint| (joint.gap(), joint.ends.number));
        self.widest_of_all(own.reduce(wider))
    }

    /// The widest joint of all ranks (m, with its number), from that of this rank. All ranks call
    /// it.
    pub(super) fn widest_of_all(&self, own: Option<(f64, u32)>) -> Result<Option<(f64, u32)>> {
        let own = Vec::from_iter(own.map(|(gap, number)| [gap, number.into()]));
        let all = message::all_gather_v(&*self.world, &own)?;
        Ok(all.into_iter().map(|[gap, number]| (gap, number as u32)).reduce(wider))
    }
}

/// The wider of two joints (m, with their numbers).
pub(super) fn wider(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    match a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)) {
        std::cmp::Ordering::Less => b,
        _ => a,
    }
}

/// A distance without an upper limit does nothing if its bodies are far from each other. All other
/// joints that are no springs hold their bodies near each other, or have come apart. `most` is the
/// largest distance of their points, m.
fn too_far(joint: &Joint, number: u32, most: f64) -> Result<Option<ActiveJoint>> {
    if joint.ends_nearby() {
        return Ok(None);
    }
    let cause = format!("its two points are more than {most:.3e} m apart: it has come apart");
    let remedy = "use more `steps_per_frame` or more `sweeps`, or a smaller compliance; at the start \
                  let its bodies move alike";
    Err(Error::input(joint.name(number), cause, remedy))
}

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

    /// [`Self::hold_springs`] before the first step. Each rank knows its own bodies alone, so
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

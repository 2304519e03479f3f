//! The joints of a rank in one step.

use crate::body::BodyState;
use crate::constraint::joint::active::ActiveJoint;
use crate::constraint::joint::{Joint, Second};
use crate::constraint::pair::{Ends, Partner};
use crate::fixed::FixedBodies;
use crate::simulation::RigidSimulation;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

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

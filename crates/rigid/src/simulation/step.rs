//! One step: algorithm 2 of Iglberger & Rüde (2009) with its four communications.
//!
//! This file corrects the printed algorithm in two places. First, a body gets the force of the
//! whole step before its contacts are found; as printed, a body in lasting contact gets half of it.
//! Second, `r` is the velocity after the response minus the velocity before it (line 25).
//!
//! A rank exchanges messages only with its neighbours and with the ranks that hold or own the same
//! bodies. Only the response and springs have messages to all ranks.

use std::time::Instant;

use crate::constraint::joint::ActiveJoint;
use crate::motion::{accelerate, drift, precess};
use crate::narrow::detector::{BodyImages, ImageOf, Surroundings};
use crate::solver::{Answered, StepParts};
use crate::state::State;
use crate::{Phase, RigidReport, RigidSimulation};
use cloth_core::{Error, Place, Result, Vec3};

impl RigidSimulation<'_> {
    /// Advances all bodies by one step. All ranks call it.
    ///
    /// Before and after: all shadow copies are equal to the bodies of their owners.
    ///
    /// # Errors
    /// If a body moves too far or passes through another one, or a rank fails.
    pub fn step(&mut self) -> Result<RigidReport> {
        let mut report = RigidReport::default();
        self.timed(&mut report, Phase::Forces, |this, _| this.sum_forces())?;
        self.timed(&mut report, Phase::Motion, |this, _| this.first_half())?;
        self.timed(&mut report, Phase::Synchronisation, |this, _| this.synchronise())?;
        self.timed(&mut report, Phase::Contacts, |this, _| this.find_constraints())?;
        self.timed(&mut report, Phase::Contacts, |this, _| this.check_passed())?;
        self.timed(&mut report, Phase::Response, |this, report| this.respond(report))?;
        let stretch = self.foreseen_stretch();
        self.timed(&mut report, Phase::Motion, |this, _| this.second_half())?;
        self.timed(&mut report, Phase::Synchronisation, |this, _| this.synchronise())?;
        self.timed(&mut report, Phase::Synchronisation, |this, _| this.hold_springs(stretch))?;
        report.bodies = self.state.population.own_count() as u64;
        report.copies = self.state.population.copies().len() as u64;
        report.contacts = self.contacts.len() as u64;
        report.joints = self.joints.len() as u64;
        let gaps = self.joints.iter().map(ActiveJoint::gap);
        report.joint_gap_m = gaps.fold(report.joint_gap_m, f64::max);
        report.traffic = self.synchroniser.take_traffic();
        Ok(report)
    }

    fn timed(
        &mut self,
        report: &mut RigidReport,
        phase: Phase,
        work: impl FnOnce(&mut Self, &mut RigidReport) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        work(self, report)?;
        report.seconds[phase as usize] += start.elapsed().as_secs_f64();
        report.waited_s[phase as usize] += self.synchroniser.take_waited_s();
        Ok(())
    }

    /// Communication 1. After: the load of each own body is the sum of all forces on it. No place
    /// of a body is in use any more, so own bodies may be sorted.
    pub(super) fn sum_forces(&mut self) -> Result<()> {
        let State { forces, population, .. } = &mut self.state;
        forces.sum(&mut self.synchroniser, &*self.world, population)?;
        self.sort_in_space();
        Ok(())
    }

    /// Before: copies have the state of the start of the step. After: own bodies have the positions
    /// of the middle of the step, and half of the gyroscopic term and the forces of the whole step
    /// have changed their velocities.
    pub(super) fn first_half(&mut self) -> Result<()> {
        let settings = self.model.settings.contacts;
        let h = settings.step_s;
        let fall = settings.gravity * h;
        self.synchroniser.advance(
            &mut self.state.population,
            &self.threads,
            |place, state, rest| {
                drift(state, 0.5 * h);
                if rest.falls() {
                    state.twist.linear += fall;
                } else {
                    let mut body = rest.with(place, state);
                    accelerate(&mut body, &settings.gravity, h);
                    state.twist = body.state.twist;
                }
            },
        );
        self.fixed.advance(self.state.time_s, h);
        Ok(())
    }

    /// Communications 2 and 4. After: each body is owned by the rank of its subdomain, and all
    /// copies are equal to the bodies of their owners.
    pub(super) fn synchronise(&mut self) -> Result<()> {
        self.synchroniser.synchronise(&*self.world, &mut self.state.population)
    }

    /// After: this rank has the contacts and joints whose points are in its subdomains.
    fn find_constraints(&mut self) -> Result<()> {
        self.find_contacts()?;
        self.find_joints()
    }

    /// All bodies that this rank knows.
    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            bodies: self.state.population.bodies(),
            fixed: &self.fixed,
            solids: &self.model.solids,
            joints: &self.model.joints,
            horizon: &self.synchroniser.limits().horizon,
            treated: self.treated.as_deref(),
        }
    }

    /// The images that [`Self::find_images`] found.
    fn body_images(&self) -> BodyImages<'_> {
        BodyImages { list: &self.images, period: *self.region().subdomains().domain().period() }
    }

    /// After: `contacts` has the contacts whose points are in the subdomains of this rank.
    pub(super) fn find_contacts(&mut self) -> Result<()> {
        self.find_images();
        let mut detector = std::mem::take(&mut self.detector);
        let mut contacts = std::mem::take(&mut self.contacts);
        let region = self.synchroniser.region();
        let domain = region.subdomains().domain();
        // A contact has a point at each image of its first body. The image whose point is in the
        // domain decides: the owner of that point treats the contact.
        let is_ours = |image: [i8; 3], point: &Vec3| {
            let (wrapped, back) = domain.wrap(point);
            (0..3).all(|axis| image[axis] + back[axis] == 0)
                && (region.has_all() || region.has(region.subdomains().owner(&wrapped)))
        };
        let (world, images, threads) = (self.surroundings(), self.body_images(), &self.threads);
        let bounds = self.state.population.bounds();
        detector.contacts_of_images(&world, bounds, &images, threads, is_ours, &mut contacts);
        (self.detector, self.contacts) = (detector, contacts);
        self.find_deepest();
        Ok(())
    }

    /// Before: contacts were found in the middle of a step.
    ///
    /// # Errors
    /// If two bodies passed through each other since the search for contacts before.
    pub(super) fn check_passed(&self) -> Result<()> {
        let limits = self.synchroniser.limits();
        if !limits.may_pass() {
            return Ok(());
        }
        let h = self.model.settings.contacts.step_s;
        // The first search is half a step after the start.
        let since_s = if self.state.steps == 0 { 0.5 * h } else { h };
        let (world, images, threads) = (self.surroundings(), self.body_images(), &self.threads);
        let bounds = self.state.population.bounds();
        let least_m = limits.least_half_width;
        match self.detector.passed(&world, bounds, &images, threads, since_s, least_m) {
            None => Ok(()),
            Some([first, second]) => Err(Error::input(
                Place::Body(first),
                format!(
                    "passed through body {second} in a step: one of them was hit, and moved by \
                     more than half of their widths"
                ),
                "raise `steps_per_frame`, or use slower or thicker bodies",
            )),
        }
    }

    /// Lists the images that reach into this region across periodic borders.
    fn find_images(&mut self) {
        self.images.clear();
        let region = self.synchroniser.region();
        if !region.subdomains().domain().periodic().contains(&true) {
            return;
        }
        let Self { synchroniser, state: State { population, .. }, images, .. } = self;
        let (region, limits) = (synchroniser.region(), synchroniser.limits());
        let copies = population.own_count()..population.len();
        for place in population.near_borders().chain(copies) {
            let bound = &population.bounds()[place];
            region.images(&bound.centre, limits.held(bound), |image, centre| {
                images.push(ImageOf { place: place as u32, image, centre });
            });
        }
        images.sort_unstable_by_key(|of| (of.place, of.image));
    }

    /// Communication 3. After: the response has changed the velocities of own bodies.
    fn respond(&mut self, report: &mut RigidReport) -> Result<()> {
        let State { population, impulses, joint_impulses, .. } = &mut self.state;
        let solved = self.solver.solve(&mut StepParts {
            world: &*self.world,
            threads: &self.threads,
            settings: &self.model.settings.contacts,
            materials: &self.model.materials,
            fixed: &self.fixed,
            contacts: &self.contacts,
            joints: &self.joints,
            all_joints: &self.model.joints,
            synchroniser: &mut self.synchroniser,
            population,
            impulses,
            joint_impulses,
        })?;
        (report.constraints, report.stopped) = (solved.constraints, solved.stopped);
        report.sweeps = solved.sweeps;
        report.residual_m_s = self.solver.residual_m_s(&Answered {
            threads: &self.threads,
            fixed: &self.fixed,
            contacts: &self.contacts,
            joints: &self.joints,
            twists: None,
            counts: &|_| true,
        });
        self.note();
        Ok(())
    }

    /// After: own bodies have the other half of the gyroscopic term, and are at the end of the
    /// step. No forces act on them.
    fn second_half(&mut self) -> Result<()> {
        let h = self.model.settings.contacts.step_s;
        self.state.population.clear_loads();
        self.synchroniser.advance(
            &mut self.state.population,
            &self.threads,
            |place, state, rest| {
                if !rest.falls() {
                    precess(state, rest.inertia(place), 0.5 * h);
                }
                drift(state, 0.5 * h);
            },
        );
        self.state.time_s += h;
        self.state.steps += 1;
        Ok(())
    }
}

/// Number of rebuilds of the broad phase from one sorting to the next. Between two rebuilds a body
/// moves by a small part of its radius.
const REBUILDS: u64 = 32;

impl RigidSimulation<'_> {
    /// Sorts own bodies by the cells of the broad phase, once in [`REBUILDS`] rebuilds. Places
    /// change, so no place may be in use.
    pub(super) fn sort_in_space(&mut self) {
        let rebuilds = self.detector.broad.rebuilds();
        if rebuilds < self.next_sort {
            return;
        }
        self.next_sort = rebuilds + REBUILDS;
        let own = self.state.population.own_count() as u32;
        // The order lacks own bodies that came after the last rebuild. It is then used another
        // time.
        let order: Vec<u32> =
            self.detector.broad.spatial_order().filter(|&entry| entry < own).collect();
        if order.len() as u32 == own {
            self.synchroniser.reorder(&mut self.state.population, &order);
            self.detector.broad.forget();
        }
    }
}

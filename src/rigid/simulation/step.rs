//! One step: algorithm 2 of Iglberger & Rüde (2009) with its four communications.
//!
//! Two corrections of the printed algorithm. A body gets the force of the whole step before its
//! contacts are looked at; as printed, one in lasting contact gets half of it. And `r` is the
//! velocity after the response minus that before (line 25).
//!
//! Messages go to ranks that hold or own the same bodies, and to neighbours; a rank waits for these
//! alone. Nothing in a step is sent to or summed over all ranks.

use std::time::Instant;

use crate::error::Result;
use crate::math::Vec3;
use crate::rigid::motion::{accelerate, drift};
use crate::rigid::narrow::detector::{BodyImages, ImageOf, Surroundings};
use crate::rigid::report::{Phase, RigidReport};
use crate::rigid::simulation::RigidSimulation;
use crate::rigid::solver::StepParts;
use crate::rigid::state::State;

impl RigidSimulation<'_> {
    /// Advances all bodies by one step. All ranks call it.
    ///
    /// Before and after: all copies are those of their owners.
    ///
    /// # Errors
    /// If a body moves too far, or a rank fails.
    pub fn step(&mut self) -> Result<RigidReport> {
        let mut report = RigidReport::default();
        self.timed(&mut report, Phase::Forces, |this, _| this.sum_forces())?;
        self.timed(&mut report, Phase::Motion, |this, _| this.first_half())?;
        self.timed(&mut report, Phase::Synchronisation, |this, _| this.synchronise())?;
        self.timed(&mut report, Phase::Contacts, |this, _| this.find_contacts())?;
        self.timed(&mut report, Phase::Response, |this, report| this.respond(report))?;
        self.timed(&mut report, Phase::Motion, |this, _| this.second_half())?;
        self.timed(&mut report, Phase::Synchronisation, |this, _| this.synchronise())?;
        report.bodies = self.state.population.own_count() as u64;
        report.copies = self.state.population.copies().len() as u64;
        report.contacts = self.contacts.len() as u64;
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

    /// Communication 1. After: own bodies have the sums of all forces. No place is remembered, so
    /// that bodies may be sorted.
    fn sum_forces(&mut self) -> Result<()> {
        let State { forces, population, .. } = &mut self.state;
        forces.sum(&mut self.synchroniser, &*self.world, population)?;
        self.sort_in_space();
        Ok(())
    }

    /// Before: copies are those of the state before. After: own bodies are in the middle of the
    /// step, with the velocities that the forces of the whole step give them.
    fn first_half(&mut self) -> Result<()> {
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

    /// Communications 2 and 4. After: copies are those of their owners, who are those of the
    /// subdomains.
    fn synchronise(&mut self) -> Result<()> {
        self.synchroniser.synchronise(&*self.world, &mut self.state.population)
    }

    /// After: each contact is known to one rank, the one whose subdomain has its point.
    pub(super) fn find_contacts(&mut self) -> Result<()> {
        self.find_images();
        let region = self.synchroniser.region();
        let domain = region.subdomains().domain();
        let world = Surroundings {
            bodies: self.state.population.bodies(),
            fixed: &self.fixed,
            solids: &self.model.solids,
            horizon: &self.synchroniser.limits().horizon,
        };
        let images = BodyImages { list: &self.images, period: *domain.period() };
        // A contact at an image of its first body is ours where that image's point is in the
        // domain.
        let is_ours = |image: [i8; 3], point: &Vec3| {
            let (wrapped, back) = domain.wrap(point);
            (0..3).all(|axis| image[axis] + back[axis] == 0)
                && (region.has_all() || region.has(region.subdomains().owner(&wrapped)))
        };
        let Self { detector, threads, contacts, .. } = self;
        let bounds = self.state.population.bounds();
        detector.contacts_of_images(&world, bounds, &images, threads, is_ours, contacts);
        self.find_deepest();
        Ok(())
    }

    /// Lists the images of bodies that reach into this region across periodic borders.
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

    /// Communication 3. After: own bodies have their velocities after the response.
    fn respond(&mut self, report: &mut RigidReport) -> Result<()> {
        let State { population, impulses, .. } = &mut self.state;
        let solved = self.solver.solve(&mut StepParts {
            world: &*self.world,
            threads: &self.threads,
            settings: &self.model.settings.contacts,
            materials: &self.model.materials,
            fixed: &self.fixed,
            contacts: &self.contacts,
            synchroniser: &mut self.synchroniser,
            population,
            impulses,
        })?;
        (report.constraints, report.stopped) = (solved.constraints, solved.stopped);
        Ok(())
    }

    /// After: own bodies are at the end of the step, and no forces act on them.
    fn second_half(&mut self) -> Result<()> {
        let h = self.model.settings.contacts.step_s;
        self.state.population.clear_loads();
        self.synchroniser.advance(&mut self.state.population, &self.threads, |_, state, _| {
            drift(state, 0.5 * h);
        });
        self.state.time_s += h;
        self.state.steps += 1;
        Ok(())
    }
}

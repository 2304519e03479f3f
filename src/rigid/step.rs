//! One step: algorithm 2 of Iglberger & Rüde (2009) with its four communications.
//!
//! Two corrections of the printed algorithm. A body gets the force of the whole step before its
//! contacts are looked at; as printed, one in lasting contact gets half of it. And `r` is the
//! velocity after the response minus that before (line 25).
//!
//! Messages go to ranks that hold or own the same bodies, and to neighbours; a rank waits for these
//! alone. Nothing in a step is sent to or summed over all ranks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};

use crate::error::Result;
use crate::math::Vec3;
use crate::rigid::body::{Body, Twist};
use crate::rigid::broad::Bound;
use crate::rigid::contact::{Bodies, Constraint, Partner, Side};
use crate::rigid::motion::{Mobility, accelerate, drift};
use crate::rigid::narrow::detector::{ImageOf, Images, Surroundings};
use crate::rigid::report::{Phase, RigidReport};
use crate::rigid::response::nonsmooth::{Impulse, Joint, Sweeper};
use crate::rigid::response::qp::Outcome;
use crate::rigid::response::{ByBody, ffd};
use crate::rigid::simulation::{Response, RigidSimulation};
use crate::threads::EachPatch;

/// Bodies or contacts that a thread takes at once.
const GRAIN: usize = 256;

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
        report.bodies = self.population.own_count() as u64;
        report.copies = self.population.copies().len() as u64;
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

    /// Communication 1. After: own bodies have the sums of all forces. No place is remembered, so that
    /// bodies may be sorted.
    fn sum_forces(&mut self) -> Result<()> {
        self.forces.sum(&mut self.synchroniser, self.world, &mut self.population)?;
        self.sort_in_space();
        Ok(())
    }

    /// Before: copies are those of the state before. After: own bodies are in the middle of the
    /// step, with the velocities that the forces of the whole step give them.
    fn first_half(&mut self) -> Result<()> {
        let settings = self.model.settings.contacts;
        let h = settings.step_s;
        self.synchroniser.advance(&mut self.population, &self.threads, |body| {
            drift(&mut body.state, 0.5 * h);
            accelerate(body, &settings.gravity, h);
        });
        self.fixed.advance(self.time_s, h);
        Ok(())
    }

    /// Communications 2 and 4. After: copies are those of their owners, who are those of the
    /// subdomains.
    fn synchronise(&mut self) -> Result<()> {
        self.synchroniser.synchronise(self.world, &mut self.population)
    }

    /// After: each contact is known to one rank, the one whose subdomain has its point.
    pub(super) fn find_contacts(&mut self) -> Result<()> {
        self.find_images();
        let region = self.synchroniser.region();
        let domain = region.subdomains().domain();
        let world = Surroundings {
            bodies: self.population.bodies(),
            fixed: &self.fixed,
            solids: &self.model.solids,
        };
        let images = Images { list: &self.images, period: *domain.period() };
        // A contact at an image of its first body is ours where that image's point is in the domain.
        let is_ours = |image: [i8; 3], point: &Vec3| {
            let (wrapped, back) = domain.wrap(point);
            (0..3).all(|axis| image[axis] + back[axis] == 0)
                && (region.has_all() || region.has(region.subdomains().owner(&wrapped)))
        };
        let Self { detector, threads, contacts, .. } = self;
        let bounds = self.population.bounds();
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
        let margin = self.synchroniser.limits().margin;
        let Self { population, images, .. } = self;
        let copies = population.own_count()..population.len();
        for place in population.near_borders().chain(copies) {
            let Bound { centre, radius } = &population.bounds()[place];
            region.images(centre, radius + margin, |image, centre| {
                if image != [0; 3] {
                    images.push(ImageOf { place: place as u32, image, centre });
                }
            });
        }
        images.sort_unstable_by_key(|of| (of.place, of.image));
    }

    fn respond(&mut self, report: &mut RigidReport) -> Result<()> {
        match self.model.settings.response {
            Response::Ffd => self.respond_ffd(report),
            Response::Nonsmooth { sweeps } => self.respond_nonsmooth(sweeps as usize, report),
        }
    }

    /// After: own bodies are at the end of the step, and no forces act on them.
    fn second_half(&mut self) -> Result<()> {
        let h = self.model.settings.contacts.step_s;
        self.synchroniser.advance(&mut self.population, &self.threads, |body| {
            drift(&mut body.state, 0.5 * h);
            if body.force != Vec3::zeros() || body.torque != Vec3::zeros() {
                (body.force, body.torque) = (Vec3::zeros(), Vec3::zeros());
            }
        });
        self.time_s += h;
        Ok(())
    }
}

/// The buffers of fast frictional dynamics.
#[derive(Debug, Default)]
pub(super) struct Ffd {
    found: Vec<(u32, Constraint)>,
    received: Vec<(u32, Constraint)>,
    by_body: ByBody<Constraint>,
}

impl RigidSimulation<'_> {
    /// Communication 3. After: own bodies have their velocities after the response.
    fn respond_ffd(&mut self, report: &mut RigidReport) -> Result<()> {
        let Self { model, threads, population, fixed, contacts, ffd: buffers, .. } = self;
        let settings = &model.settings.contacts;
        let (movable, materials) = (population.bodies(), &model.materials);
        let bodies = Bodies { movable, fixed, materials };
        buffers.found.clear();
        threads.collect(contacts, GRAIN, &mut buffers.found, |contacts, found| {
            for contact in contacts {
                let Some((first, second)) = bodies.constraints(contact, settings) else { continue };
                found.push((contact.first, first));
                if let (Some(second), Partner::Movable(place)) = (second, contact.second) {
                    found.push((place, second));
                }
            }
        });

        let Ffd { found, received, by_body } = buffers;
        received.clear();
        self.synchroniser.to_owners(self.world, population, found, received)?;
        by_body.clear();
        received.iter().for_each(|&(place, constraint)| by_body.push(place, constraint));
        by_body.order(population.own_count());
        report.constraints = received.len() as u64;

        let stopped = AtomicU64::new(0);
        threads.for_each_patch(EachPatch(population.own_mut()), GRAIN, |place, own| {
            let (body, constraints) = (&mut own.0[0], by_body.of(place));
            if constraints.len() > 0 {
                let response = ffd::respond(body, constraints);
                body.state.twist = response.twist;
                if response.outcome != Outcome::Solved {
                    stopped.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        report.stopped = stopped.into_inner();
        Ok(())
    }
}

/// The buffers of non-smooth contact dynamics.
#[derive(Debug, Default)]
pub(super) struct Nonsmooth {
    joints: Vec<Joint>,
    /// The changes of momentum that this rank's contacts make, with the places of the bodies.
    made: Vec<(u32, Impulse)>,
    received: Vec<(u32, Impulse)>,
    /// Those on own bodies.
    by_body: ByBody<Impulse>,
    /// Number of contacts of each body, copies too.
    counts: Vec<u32>,
    /// Velocity of each body, copies too.
    twists: Vec<Twist>,
    /// Own bodies with contacts.
    sweepers: Vec<(u32, Mobility, Sweeper)>,
}

/// A velocity as it is sent.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SentTwist {
    angular: Vec3,
    linear: Vec3,
}

impl RigidSimulation<'_> {
    /// Communication 3: once to find who touches whom, then twice a sweep, to the owners and back.
    /// After: own bodies have their velocities after the response.
    fn respond_nonsmooth(&mut self, sweeps: usize, report: &mut RigidReport) -> Result<()> {
        self.announce_contacts()?;
        self.make_joints();
        for sweep in 0..sweeps {
            self.sweep(sweep)?;
            if sweep + 1 < sweeps {
                self.spread_velocities(sweep + 1)?;
            }
        }
        for (place, _, sweeper) in &self.nonsmooth.sweepers {
            self.population.own_mut()[*place as usize].state.twist = sweeper.twist();
        }
        report.constraints = self.nonsmooth.by_body.len() as u64;
        Ok(())
    }

    /// After: all ranks that know a body have the number of its contacts, and its owner knows them.
    fn announce_contacts(&mut self) -> Result<()> {
        let Self { synchroniser, world, population, contacts, nonsmooth: buffers, .. } = self;
        let Nonsmooth { made, received, by_body, counts, .. } = buffers;
        let bodies = population.bodies();
        made.clear();
        for contact in &*contacts {
            let first = bodies[contact.first as usize].id;
            let (place, second) = match contact.second {
                Partner::Movable(place) => (Some(place), bodies[place as usize].id),
                Partner::Fixed(place) => (None, self.fixed.bodies()[place as usize].id),
            };
            let [own, other] = Joint::announcements(contact, [first, second]);
            made.push((contact.first, own));
            made.extend(place.map(|place| (place, other)));
        }
        received.clear();
        synchroniser.to_owners(*world, population, made, received)?;
        by_body.clear();
        received.iter().for_each(|&(place, impulse)| by_body.push(place, impulse));
        by_body.order(population.own_count());

        counts.clear();
        counts.extend((0..population.own_count()).map(|place| by_body.of(place).len() as u32));
        counts.resize(population.len(), 0);
        let count = |place| Some(by_body.of(place).len() as u32).filter(|&count| count > 0);
        synchroniser.to_copies(*world, population, count, |place, count| {
            counts[place as usize] = count;
        })
    }

    fn make_joints(&mut self) {
        let Self { model, threads, population, fixed, contacts, nonsmooth: buffers, .. } = self;
        let Nonsmooth { joints, by_body, counts, twists, sweepers, .. } = buffers;
        let (movable, materials) = (population.bodies(), &model.materials);
        let bodies = Bodies { movable, fixed, materials };
        joints.clear();
        threads.collect(contacts, GRAIN, joints, |contacts, joints| {
            joints.extend(contacts.iter().map(|contact| {
                let sides: [Side; 2] = bodies.sides(contact, &model.settings.contacts);
                let surface = materials.surface(sides[0].material, sides[1].material);
                let second = match contact.second {
                    Partner::Movable(place) => counts[place as usize],
                    Partner::Fixed(_) => 0,
                };
                let counts = [counts[contact.first as usize], second];
                Joint::new(contact, &sides, &surface, counts, &model.settings.contacts)
            }));
        });
        twists.clear();
        twists.extend(movable.iter().map(|body| body.state.twist));
        let has_contacts = |&(place, _): &(usize, &Body)| by_body.of(place).len() > 0;
        let own = population.own().iter().enumerate().filter(has_contacts);
        sweepers.clear();
        sweepers.extend(own.map(|(place, body)| {
            (place as u32, Mobility::of(body), Sweeper::new(body.state.twist))
        }));
    }

    /// Before: `twists` are those for this sweep. After: the velocities of own bodies have the
    /// changes of this sweep.
    fn sweep(&mut self, sweep: usize) -> Result<()> {
        let Self { synchroniser, world, population, fixed, contacts, nonsmooth: buffers, .. } =
            self;
        let Nonsmooth { joints, made, received, by_body, twists, sweepers, .. } = buffers;
        made.clear();
        for (joint, contact) in joints.iter_mut().zip(&*contacts) {
            let (place, second) = match contact.second {
                Partner::Movable(place) => (Some(place), &twists[place as usize]),
                Partner::Fixed(place) => (None, &fixed.states()[place as usize].twist),
            };
            let [own, other] = joint.sweep([&twists[contact.first as usize], second], sweep);
            made.push((contact.first, own));
            made.extend(place.map(|place| (place, other)));
        }
        received.clear();
        synchroniser.to_owners(*world, population, made, received)?;
        // In the order of the announcements: own ones, then by sender.
        for (item, (_, impulse)) in by_body.items_mut().iter_mut().zip(&*received) {
            *item = *impulse;
        }
        self.threads.for_each_patch(EachPatch(sweepers), GRAIN, |_, own| {
            let (place, mobility, sweeper) = &mut own.0[0];
            sweeper.add(mobility, by_body.of(*place as usize));
        });
        Ok(())
    }

    /// After: `twists` are those for sweep `sweep`, also of copies.
    fn spread_velocities(&mut self, sweep: usize) -> Result<()> {
        let Self { synchroniser, world, population, nonsmooth: buffers, .. } = self;
        let Nonsmooth { counts, twists, sweepers, .. } = buffers;
        for (place, _, sweeper) in &*sweepers {
            twists[*place as usize] = sweeper.extrapolated(sweep);
        }
        let own = &twists[..population.own_count()];
        let sent = |place: usize| {
            let Twist { angular, linear } = own[place];
            (counts[place] > 0).then_some(SentTwist { angular, linear })
        };
        let mut arrived = Vec::new();
        synchroniser.to_copies(*world, population, sent, |place, twist| {
            arrived.push((place, twist));
        })?;
        for (place, SentTwist { angular, linear }) in arrived {
            twists[place as usize] = Twist { angular, linear };
        }
        Ok(())
    }
}

//! The work on cloths and bodies in a step, from outside of their elements (symbols as in
//! [`super`]).

use std::iter::zip;

use crate::contacts::active::ContactStage;
use crate::solve::system::{StepSystem, SystemTerms};
use crate::state::bdf2::Base;
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use cloth_bodies::bodies::cloth::energy::Blown;
use cloth_bodies::contact::{ContactSpring, Term};
use cloth_core::error::Result;
use cloth_core::ids::NodeId;
use cloth_core::math::Vec3;
use cloth_core::ranks::ExactSums;

/// One rank's work in an attempt, J. Sums over ranks are exact.
#[derive(Default)]
pub(super) struct WorkSums {
    /// Work of pins, wind and loads.
    plain: ExactSums<1>,
    /// Work on free nodes, each with its bound.
    on_free: ExactSums<1>,
    /// Work of prescribed vertices through their contacts, and of impulses and the fail-safe.
    through_contacts: ExactSums<1>,
}

impl WorkSums {
    /// Adds them to the sums from number `first` on.
    pub fn add_to<const N: usize>(&self, sums: &mut ExactSums<N>, first: usize) {
        sums.add_to(first, &self.plain);
        sums.add_to(first + 1, &self.on_free);
        sums.add_to(first + 2, &self.through_contacts);
    }

    /// The total work, from the sums over all ranks, J.
    pub fn total_j([plain, on_free, through_contacts]: [f64; 3]) -> f64 {
        plain + on_free.min(through_contacts.max(0.0))
    }
}

/// Measures the work of attempts.
#[derive(Default)]
pub(super) struct WorkMeter {
    /// The impulses that own nodes get from outside of the elements in an attempt, N s.
    impulses: Vec<Vec3>,
    /// Changes of their velocities, m/s.
    changes: Vec<Vec3>,
    /// The sum of the impulses of contacts on each body, N s.
    pushes: Vec<f64>,
}

impl WorkMeter {
    /// The work in an attempt: this rank's share. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn measure(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        contacts: &ContactStage,
        system: &mut StepSystem,
    ) -> Result<WorkSums> {
        let Context { model, rank, span, .. } = *here;
        let mut sums = WorkSums::default();
        let speed = prescribed_speed(here, motion);
        if speed > 0.0 {
            if here.region.is_some() {
                self.find_impulses_anew(here, motion, contacts.springs(), system);
            } else {
                self.find_impulses(here, motion, contacts.springs(), system)?;
            }
            self.find_pushes(here, motion, contacts.springs());
            self.add_nodes(here, motion, speed, &mut sums);
            for spring in contacts.own_springs(here) {
                sums.through_contacts.add([work_of_prescribed(here, motion, spring)]);
            }
            for spring in contacts.springs_of_followers(here, motion) {
                sums.through_contacts.add([work_on_follower(here, motion, spring)]);
            }
        }
        add_loads(here, motion, &mut sums.plain);
        for (joint, springs) in zip(&model.joints, motion.exerted_by_joints(span.scheme)) {
            for spring in springs {
                let first = spring.spring.sides.terms().first();
                if first.is_some_and(|term| rank.layout.own_index(term.node).is_some()) {
                    sums.plain.add([spring.work_j(&joint.settings, span.scheme.step_s())]);
                }
            }
        }
        // Still air only brakes.
        let (wind, drag) = (model.wind(span.t1_s), model.settings.air.drag());
        if wind != Vec3::zeros() && drag.is_some() {
            let h = span.scheme.step_s();
            let (v0, v1) = (motion.inertial(), &motion.u1);
            let blown = Blown { drag, wind, x0: &motion.start.x0, v0, v1, h };
            let works = system.cloth().works_of_air(&rank.threads, &model.cloth, blown);
            works.iter().for_each(|&work| sums.plain.add([work]));
        }
        Ok(sums)
    }

    /// Adds the work on each own node. Prescribed bodies move at most at `speed` (m/s).
    fn add_nodes(&self, here: &Context, motion: &StepMotion, speed: f64, sums: &mut WorkSums) {
        let Context { model, rank, span, .. } = *here;
        // The sum of each patch has the same bits on any number of ranks.
        for rows in rank.layout.patch_offsets.windows(2) {
            let [mut of_pins, mut on_free, mut after_solve] = [0.0; 3];
            let first = rank.layout.own.get(rows[0] as usize).copied();
            if first.is_some_and(|node| model.numbering.body_of_node(node).is_some()) {
                for row in rows[0]..rows[1] {
                    let node = rank.layout.own[row as usize];
                    if let Some(body) = model.numbering.body_of_node(node)
                        && model.numbering.is_first(node)
                    {
                        let works = self.works_on_body(here, motion, body, speed, row);
                        on_free += works[0];
                        after_solve += works[1];
                    }
                }
                sums.on_free.add([on_free]);
                sums.through_contacts.add([after_solve]);
                continue;
            }
            // Skin is outside of the balance.
            if first.is_some_and(|node| node as usize >= model.numbering.cloth()) {
                continue;
            }
            for row in rows[0] as usize..rows[1] as usize {
                let node = rank.layout.own[row] as usize;
                let (p, v) = (self.impulses[row], motion.u1[node]);
                if motion.start.prescribed[node] {
                    let change = (v - motion.start.u0[node]) * model.cloth.masses[node];
                    of_pins += span.scheme.reaction(p, change).dot(&v);
                    continue;
                }
                let work = |p: Vec3| p.dot(&v).min(p.norm() * speed).max(0.0);
                on_free += work(p);
                after_solve += work((v - motion.solved_velocity(node)) * model.cloth.masses[node]);
            }
            sums.plain.add([of_pins]);
            sums.on_free.add([on_free]);
            sums.through_contacts.add([after_solve]);
        }
    }

    /// The work on `body`, whose first node has this `row`, and the part of it that came after the
    /// solve, J. The forces of contacts bound the work of the solve, also that of their torques.
    /// Impulses and the fail-safe have no arms here, so their work on a body has no bound.
    fn works_on_body(
        &self,
        here: &Context,
        motion: &StepMotion,
        body: usize,
        speed: f64,
        row: u32,
    ) -> [f64; 2] {
        let model = here.model;
        let nodes = model.numbering.bodies()[body].nodes.clone().zip(row as usize..);
        let of_bodies = motion.body_terms(model);
        let [mut all, mut after_solve] = [0.0; 2];
        for (node, row) in nodes {
            let v = motion.u1[node as usize];
            all += self.impulses[row].dot(&v);
            if let Some(terms) = of_bodies.of(node) {
                let change = v - motion.solved_velocity(node as usize);
                after_solve += (terms.mass[0] * change).dot(&v);
            }
        }
        let most = if after_solve == 0.0 { self.pushes[body] * speed } else { f64::INFINITY };
        [all.min(most).max(0.0), after_solve.max(0.0)]
    }

    /// Finds the sum of the impulses of contacts on each body. Before: `springs` include all that
    /// push a body of this rank.
    fn find_pushes(&mut self, here: &Context, motion: &StepMotion, springs: &[ContactSpring]) {
        let numbering = &here.model.numbering;
        self.pushes.clear();
        self.pushes.resize(here.model.bodies.len(), 0.0);
        if self.pushes.is_empty() {
            return;
        }
        let h = here.span.scheme.step_s();
        for spring in springs {
            let velocity = spring.sides.velocity(|node| motion.u1[node as usize]);
            let impulse = spring.force(velocity, h).norm() * h;
            let (terms, middle) = (spring.sides.terms(), spring.sides.first_side());
            for first in [terms.first(), terms.get(middle)].into_iter().flatten() {
                if let Some(body) = numbering.body_of_node(first.node) {
                    self.pushes[body] += impulse;
                }
            }
        }
    }

    /// Finds the impulse that each own node gets from outside of the elements. Collective.
    fn find_impulses(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        springs: &[ContactSpring],
        system: &mut StepSystem,
    ) -> Result<()> {
        let (rank, layout) = (here.rank, &here.rank.layout);
        let base = motion.about().u;
        let change = |node: NodeId| motion.u1[node as usize] - base[node as usize];
        if motion.start.targets.is_empty() && motion.ends_as_solved() {
            // The solve left no residual.
            self.impulses.clear();
            self.impulses.resize(layout.own.len(), Vec3::zeros());
        } else {
            self.changes.clear();
            self.changes.extend(layout.own.iter().map(|&node| change(node)));
            system.residuals(&*rank.world, &rank.threads, &self.changes, &mut self.impulses)?;
        }
        self.add_forces(here, springs, |spring| {
            let velocity = spring.sides.velocity(|node| motion.u1[node as usize]);
            spring.force(velocity, here.span.scheme.step_s())
        });
        Ok(())
    }

    /// Adds the impulses of a force on the first side of each contact (N).
    fn add_forces(
        &mut self,
        here: &Context,
        springs: &[ContactSpring],
        force: impl Fn(&ContactSpring) -> Vec3,
    ) {
        let (layout, h) = (&here.rank.layout, here.span.scheme.step_s());
        for spring in springs {
            let force = force(spring);
            for term in spring.sides.terms() {
                if let Some(row) = layout.own_index(term.node) {
                    self.impulses[row as usize] += term.jacobian.transpose_times(&force, h);
                }
            }
        }
    }

    /// The same after a repair. Then no system holds for all rows at once, so the forces are taken
    /// at the end of the step.
    fn find_impulses_anew(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        springs: &[ContactSpring],
        system: &mut StepSystem,
    ) {
        let Context { model, rank, span, .. } = *here;
        let v = motion.in_forces(&motion.u1, span.scheme);
        let end = Base { x: &motion.x1, u: &motion.u1, v: &v };
        let terms = SystemTerms {
            scheme: span.scheme,
            inputs: &motion.inputs(model, span, end, 0.0),
            first_changes: &motion.start.last_changes,
            prescribed: &motion.prescribed_changes(end, span.scheme),
            bodies: motion.body_terms(model),
            contacts: &[],
            joints: &Vec::from_iter(motion.exerted_by_joints(span.scheme)),
            region: None,
        };
        system.assemble(&rank.threads, model, &rank.layout, &terms);
        let (_, rhs) = system.system();
        self.impulses.clear();
        self.impulses.extend(rhs.iter().map(|rhs| -rhs));
        let late_share = span.scheme.late_share();
        if late_share > 0.0 {
            self.add_forces(here, springs, |spring| spring.lasting * late_share);
        }
    }
}

/// The work (J) that the prescribed vertices of a contact do through it, at the velocities that the
/// solve found.
fn work_of_prescribed(here: &Context, motion: &StepMotion, spring: &ContactSpring) -> f64 {
    let numbering = &here.model.numbering;
    let is_prescribed = |node: usize| match node < numbering.cloth() {
        true => motion.start.prescribed[node],
        false => numbering.body_of_node(node as NodeId).is_none(),
    };
    let velocity = |node: NodeId| motion.solved_velocity(node as usize);
    let force = spring.force(spring.sides.velocity(velocity), here.span.scheme.step_s());
    let prescribed = spring.sides.terms().iter().filter(|it| is_prescribed(it.node as usize));
    let work = |term: &Term| {
        let p = term.jacobian.transpose_times(&force, here.span.scheme.step_s());
        -p.dot(&velocity(term.node))
    };
    prescribed.map(work).sum()
}

/// The work (J) that a spring does on its follower, at the velocities that the solve found.
fn work_on_follower(here: &Context, motion: &StepMotion, spring: &ContactSpring) -> f64 {
    let (h, terms) = (here.span.scheme.step_s(), spring.sides.terms());
    let velocity = |node: NodeId| motion.solved_velocity(node as usize);
    let force = spring.force(spring.sides.velocity(velocity), h);
    terms.first().map_or(0.0, |term| force.dot(&velocity(term.node)) * h)
}

/// The fastest speed of pins and obstacles, skin included, m/s.
fn prescribed_speed(here: &Context, motion: &StepMotion) -> f64 {
    let pinned = motion.start.targets.iter().map(|&(vertex, _)| vertex as usize);
    let prescribed = pinned.chain(here.model.numbering.free_vertices()..motion.start.x0.len());
    let paths = prescribed.map(|vertex| motion.x1[vertex] - motion.start.x0[vertex]);
    here.span.scheme.speed(paths.map(|path| path.norm_squared()).fold(0.0, f64::max).sqrt())
}

/// Adds the work (J) on the cloth vertices that this rank owns.
pub(super) fn add_loads(here: &Context, motion: &StepMotion, sums: &mut ExactSums<1>) {
    let Context { model, rank, .. } = *here;
    let is_keyed = model.has_keyed_gravity();
    if motion.start.loads.is_empty() && motion.start.draws.is_empty() && !is_keyed {
        return;
    }
    let work = |vertex: usize| {
        let path = motion.x1[vertex] - motion.start.x0[vertex];
        let mut load = motion.start.loads.get(vertex).map_or(0.0, |load| load.dot(&path));
        if let Some(draw) = motion.start.draws.get(vertex) {
            load += draw.work_j(motion.start.x0[vertex], motion.x1[vertex]);
        }
        let weight = model.cloth.masses[vertex] * motion.start.gravity.dot(&path);
        if is_keyed { load + weight } else { load }
    };
    // The sum of each patch has the same bits on any number of ranks.
    for rows in rank.layout.patch_offsets.windows(2) {
        let nodes = rank.layout.own[rows[0] as usize..rows[1] as usize].iter();
        let vertices = nodes.map(|&node| node as usize);
        sums.add([vertices.filter(|&it| it < model.numbering.cloth()).map(work).sum()]);
    }
}

/// The work (J) of gravity on bodies that end at `coordinates`. Every rank knows all of them.
pub(super) fn work_on_bodies(here: &Context, motion: &StepMotion, coordinates: &[Vec<f64>]) -> f64 {
    let model = here.model;
    let work = |number: usize| {
        let (body, nodes) = (&model.bodies[number], &model.numbering.bodies()[number].nodes);
        let u = &motion.u1[nodes.start as usize..nodes.end as usize];
        let [from, to] = [&motion.start.coordinates[number], &coordinates[number]].map(|at| {
            body.energy(at, u, &motion.start.gravity) - body.energy(at, u, &Vec3::zeros())
        });
        from - to
    };
    (0..model.bodies.len()).map(work).sum()
}

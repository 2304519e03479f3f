//! Bodies that the program's own step advances, on one rank.

use std::sync::Arc;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
pub use cloth_sim::rigid::Response;
use cloth_sim::rigid::Synchronisation;
use cloth_sim::rigid::body::{Body, BodyState, Load, Twist};
use cloth_sim::rigid::constraint::joint::Joints;
use cloth_sim::rigid::constraint::joint::{Joint, JointFrame, JointSettings, Second};
use cloth_sim::rigid::constraint::{Contact, ContactSettings};
use cloth_sim::rigid::domain::{Domain, Grid, Subdomains};
use cloth_sim::rigid::fixed::{FixedBodies, FixedBody};
use cloth_sim::rigid::material::{Material, Materials, Surface};
use cloth_sim::rigid::shape::Shape;
use cloth_sim::rigid::simulation::{RigidModel, RigidSettings, RigidSimulation};
use cloth_sim::rigid::solid::{MassProperties, Solids};
use nalgebra::UnitQuaternion;

pub const GRAVITY: f64 = 9.81;
pub const DENSITY: f64 = 1000.0;

/// Half of the domain's edge, m. No body moves so far.
const FAR: f64 = 1e3;

/// A scene and its present state.
pub struct Scene {
    /// The bodies in the order in which they were added. Tests may change them before the first
    /// step.
    pub bodies: Vec<Body>,
    pub fixed: FixedBodies,
    materials: Materials,
    pub solids: Solids,
    joints: Vec<Joint>,
    /// Changes after the first step have no effect.
    pub settings: ContactSettings,
    response: Response,
    pub time_s: f64,
    /// The contacts of the last step.
    pub contacts: Vec<Contact>,
    /// Bodies that stopped because their constraints contradict each other.
    pub stopped: u64,
    pub threads: usize,
    /// Set from the first step on.
    simulation: Option<RigidSimulation<'static>>,
}

impl Scene {
    pub fn new(step_s: f64, surface: Surface, gravity: Vec3, response: Response) -> Self {
        let material = Material { density: DENSITY, surface };
        Self {
            bodies: Vec::new(),
            fixed: FixedBodies::default(),
            materials: Materials::new(&[material], &[]).expect("a material"),
            solids: Solids::default(),
            joints: Vec::new(),
            settings: ContactSettings { step_s, gravity, penetration_correction: 0.2 },
            response,
            time_s: 0.0,
            contacts: Vec::new(),
            stopped: 0,
            threads: 1,
            simulation: None,
        }
    }

    /// Replaces the fixed bodies. After a step this forgets the impulses of the last step.
    pub fn with_fixed(mut self, fixed: Vec<FixedBody>) -> Self {
        self.fixed = FixedBodies::new(fixed);
        self.simulation = None;
        self
    }

    pub fn add(&mut self, shape: Shape, position: Vec3) -> &mut Body {
        self.bodies.push(body(&self.solids, self.bodies.len() as u64, shape, position));
        self.bodies.last_mut().expect("a body")
    }

    /// Joins a body to another one, or to space, at `point` (m) with the x axis `axis`, in their
    /// present states.
    pub fn join(
        &mut self,
        first: u64,
        second: Option<u64>,
        point: Vec3,
        axis: Vec3,
        settings: JointSettings,
    ) {
        self.join_points(first, second, [point; 2], axis, settings);
    }

    /// As [`Self::join`], with a point on each body.
    pub fn join_points(
        &mut self,
        first: u64,
        second: Option<u64>,
        points: [Vec3; 2],
        axis: Vec3,
        settings: JointSettings,
    ) {
        let turn = UnitQuaternion::rotation_between(&Vec3::x(), &axis).expect("an axis");
        let state = |id: u64| self.bodies[id as usize].state;
        let space = *self.fixed.state_at(FixedBodies::SPACE);
        let states = [state(first), second.map_or(space, state)];
        let frames = [0, 1]
            .map(|i| JointFrame::of((&states[i].position, &states[i].rotation), &points[i], &turn));
        let second = second.map_or(Second::Space, Second::Movable);
        self.joints.push(Joint { first, second, frames, settings });
    }

    pub fn run(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// One step of the program. The first one begins with the bodies as they are.
    pub fn step(&mut self) {
        self.try_step().expect("a step");
    }

    /// As [`Self::step`], with the message of a step that fails.
    pub fn try_step(&mut self) -> Result<(), String> {
        let mut simulation = self.simulation.take().unwrap_or_else(|| self.begin());
        for body in &self.bodies {
            let now = state_of(&simulation, body.id).expect("no body was added");
            assert!(now == body.state, "body {} was changed between two steps", body.id);
        }
        let report = simulation.step().map_err(|error| error.to_string())?;
        assert_eq!(report.bodies, self.bodies.len() as u64, "bodies left the domain");
        for body in &mut self.bodies {
            body.state = state_of(&simulation, body.id).expect("the body");
        }
        self.contacts.clear();
        self.contacts.extend_from_slice(simulation.contacts());
        self.stopped += report.stopped;
        self.time_s = simulation.time_s();
        self.simulation = Some(simulation);
        Ok(())
    }

    /// Keeps these bodies. The simulation deletes the others.
    pub fn retain(&mut self, keep: impl Fn(&Body) -> bool) {
        if let Some(simulation) = &mut self.simulation {
            for body in self.bodies.iter().filter(|body| !keep(body)) {
                assert!(simulation.delete(body.id));
            }
        }
        self.bodies.retain(keep);
    }

    /// The simulation that begins with these bodies.
    fn begin(&self) -> RigidSimulation<'static> {
        let (low, high) = (Vec3::repeat(-FAR), Vec3::repeat(FAR));
        let domain = Domain::new(low, high, [false; 3]).expect("a domain");
        let settings = RigidSettings {
            contacts: self.settings,
            margin_m: 1e-3,
            synchronisation: Synchronisation::ShadowOwner,
            response: self.response,
        };
        let model = RigidModel {
            settings,
            subdomains: Arc::new(Subdomains::Grid(Grid::new(domain, [1; 3]).expect("a grid"))),
            fixed: self.fixed.clone(),
            materials: self.materials.clone(),
            solids: self.solids.clone(),
            joints: Joints::new(self.joints.clone(), |place| self.fixed.id(place)),
        };
        let bodies = self.bodies.iter().copied();
        let mut simulation = RigidSimulation::new(
            Arc::new(model),
            vec![0],
            bodies,
            in_process::alone(),
            self.threads,
        )
        .expect("a simulation");
        simulation.set_time(self.time_s);
        simulation.note_forces();
        simulation
    }

    /// The sum of the contact forces on movable bodies by fixed ones in the last step, N.
    pub fn support(&self) -> Vec3 {
        let simulation = self.simulation.as_ref().expect("a step");
        let is_fixed = |id: u64| self.fixed.bodies().iter().any(|body| body.id == id);
        let forces = simulation.forces().expect("no rank fails").expect("noted");
        let on_movable = forces.contacts.iter().filter(|it| is_fixed(it.bodies[1]));
        on_movable.map(|it| it.force).sum()
    }

    /// The largest distance by which a joint was open in the middle of the last step, m.
    pub fn widest_gap(&self) -> f64 {
        let simulation = self.simulation.as_ref().expect("a step");
        simulation.widest_gap().expect("no rank fails").map_or(0.0, |(gap, _)| gap)
    }

    pub fn energy(&self) -> f64 {
        self.bodies.iter().map(energy).sum()
    }

    pub fn momentum(&self) -> Vec3 {
        self.bodies.iter().map(|body| body.state.twist.linear * body.mass).sum()
    }
}

fn state_of(simulation: &RigidSimulation, id: u64) -> Option<BodyState> {
    let population = simulation.population();
    population.place(id).map(|place| population.bodies().states()[place])
}

/// Kinetic energy, J.
pub fn energy(body: &Body) -> f64 {
    let twist = &body.state.twist;
    let own = body.state.rotation.inverse_transform_vector(&twist.angular);
    0.5 * (body.mass * twist.linear.norm_squared() + own.dot(&body.inertia.component_mul(&own)))
}

/// Angular momentum about the origin, N m s.
pub fn angular_momentum(world: &Scene) -> Vec3 {
    let of = |body: &Body| {
        let own = body.state.rotation.inverse_transform_vector(&body.state.twist.angular);
        let spin = body.state.rotation.transform_vector(&body.inertia.component_mul(&own));
        body.state.position.cross(&(body.state.twist.linear * body.mass)) + spin
    };
    world.bodies.iter().map(of).sum()
}

/// A body of [`DENSITY`] at rest.
pub fn body(solids: &Solids, id: u64, shape: Shape, position: Vec3) -> Body {
    let MassProperties { mass, inertia } = solids.mass_properties(&shape, DENSITY);
    let rotation = UnitQuaternion::identity();
    let state = BodyState { position, rotation, twist: Twist::ZERO };
    Body { id, shape, material: 0, mass, inertia, state, load: Load::NONE }
}

pub fn surface(restitution: f64, friction: f64) -> Surface {
    Surface { restitution, friction, rolling: 0.0 }
}

pub fn down() -> Vec3 {
    Vec3::new(0.0, -GRAVITY, 0.0)
}

/// Numbers between -1 and 1.
pub fn random_numbers() -> impl FnMut() -> f64 {
    let mut k = 0u64;
    move || {
        k = k.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(3));
        (cloth_sim::math::mix(k) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

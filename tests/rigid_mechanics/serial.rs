//! Algorithm 2 of Iglberger & Rüde (2009) with one subdomain and no messages.

use std::collections::HashMap;

use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::{Body, Load, Shape, State, Twist};
use cloth_sim::rigid::contact::{Bodies, Constraint, Contact, ContactSettings, Partner};
use cloth_sim::rigid::fixed::{FixedBodies, FixedBody};
use cloth_sim::rigid::horizon::Horizon;
use cloth_sim::rigid::material::{Material, Materials, Surface};
use cloth_sim::rigid::motion::{Mobility, accelerate, drift};
use cloth_sim::rigid::narrow::detector::{Detector, Surroundings};
use cloth_sim::rigid::response::nonsmooth::{Joint, driven, momentum, nearest};
use cloth_sim::rigid::response::qp::Outcome;
use cloth_sim::rigid::response::{ByBody, ffd};
use cloth_sim::rigid::solid::{MassProperties, Solids};
use cloth_sim::rigid::table::BodyTable;
use cloth_sim::threads::Threads;
use nalgebra::UnitQuaternion;

pub const GRAVITY: f64 = 9.81;
pub const DENSITY: f64 = 1000.0;

/// How contacts are answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Response {
    Ffd,
    Nonsmooth { sweeps: usize },
}

/// A scene and where it is.
pub struct Serial {
    pub bodies: Vec<Body>,
    pub fixed: FixedBodies,
    pub materials: Materials,
    pub solids: Solids,
    pub settings: ContactSettings,
    pub response: Response,
    pub time_s: f64,
    pub contacts: Vec<Contact>,
    /// Bodies that stopped because their constraints contradict each other.
    pub stopped: usize,
    pub threads: Threads,
    pub detector: Detector,
    pub by_body: ByBody<Constraint>,
    /// Arms and impulses of the last step, by the ids of the two bodies.
    pub kept: HashMap<(u64, u64), Vec<(Vec3, Vec3)>>,
}

impl Serial {
    pub fn new(step_s: f64, surface: Surface, gravity: Vec3, response: Response) -> Self {
        let material = Material { density: DENSITY, surface };
        Self {
            bodies: Vec::new(),
            fixed: FixedBodies::default(),
            materials: Materials::new(&[material], &[]).expect("a material"),
            solids: Solids::default(),
            settings: ContactSettings { step_s, gravity, penetration_correction: 0.2 },
            response,
            time_s: 0.0,
            contacts: Vec::new(),
            stopped: 0,
            threads: Threads::INLINE,
            detector: Detector::default(),
            by_body: ByBody::default(),
            kept: HashMap::new(),
        }
    }

    pub fn with_fixed(mut self, fixed: Vec<FixedBody>) -> Self {
        self.fixed = FixedBodies::new(fixed);
        self
    }

    pub fn add(&mut self, shape: Shape, position: Vec3) -> &mut Body {
        self.bodies.push(body(&self.solids, self.bodies.len() as u64, shape, position));
        self.bodies.last_mut().expect("a body")
    }

    pub fn run(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    pub fn step(&mut self) {
        let h = self.settings.step_s;
        for body in &mut self.bodies {
            drift(&mut body.state, 0.5 * h);
            accelerate(body, &self.settings.gravity, h);
        }
        self.fixed.advance(self.time_s, h);
        let half = self.bodies.iter().map(|body| self.solids.half_width(&body.shape));
        let motion = 0.5 * half.fold(f64::INFINITY, f64::min);
        let table = self.table();
        let world = Surroundings {
            bodies: table.bodies(),
            fixed: &self.fixed,
            solids: &self.solids,
            horizon: &Horizon::new(&self.settings, motion),
        };
        self.detector.contacts(&world, &self.threads, |_| true, &mut self.contacts);
        match self.response {
            Response::Ffd => self.respond_ffd(),
            Response::Nonsmooth { sweeps } => self.respond_nonsmooth(sweeps),
        }
        self.bodies.iter_mut().for_each(|body| drift(&mut body.state, 0.5 * h));
        self.time_s += h;
    }

    pub fn table(&self) -> BodyTable {
        self.bodies.iter().copied().collect()
    }

    fn respond_ffd(&mut self) {
        let table = self.table();
        let (movable, fixed, materials) = (table.bodies(), &self.fixed, &self.materials);
        let refer = Bodies { movable, fixed, materials };
        self.by_body.clear();
        for contact in &self.contacts {
            let Some((first, second)) = refer.constraints(contact, &self.settings) else {
                continue;
            };
            self.by_body.push(contact.first, first);
            if let (Some(second), Partner::Movable(place)) = (second, contact.second) {
                self.by_body.push(place, second);
            }
        }
        self.by_body.order(self.bodies.len());
        for (place, body) in self.bodies.iter_mut().enumerate() {
            let constraints = self.by_body.of(place);
            if constraints.len() > 0 {
                let response = ffd::respond(body, constraints);
                body.state.twist = response.twist;
                self.stopped += usize::from(response.outcome == Outcome::Infeasible);
            }
        }
    }

    fn respond_nonsmooth(&mut self, sweeps: usize) {
        let table = self.table();
        let (movable, fixed, materials) = (table.bodies(), &self.fixed, &self.materials);
        let refer = Bodies { movable, fixed, materials };
        let settings = &self.settings;
        // Impulses of the last step are taken in this order.
        self.contacts.sort_by_key(|contact| {
            let [first, second] = refer.sides(contact, settings);
            (first.id, second.id, contact.feature)
        });
        let sides: Vec<_> = self.contacts.iter().map(|c| refer.sides(c, settings)).collect();
        let places: Vec<[Option<u32>; 2]> = self.contacts.iter().map(places).collect();
        // (partner, feature), joint and side of each contact, by body.
        let mut of = vec![Vec::<((u64, u32), usize, usize)>::new(); self.bodies.len()];
        for (j, (contact, sides)) in self.contacts.iter().zip(&sides).enumerate() {
            for i in 0..2 {
                if let Some(place) = places[j][i] {
                    of[place as usize].push(((sides[1 - i].id, contact.feature), j, i));
                }
            }
        }
        of.iter_mut().for_each(|own| own.sort());
        let count = |place: &Option<u32>| place.map_or(0, |p| of[p as usize].len() as u32);
        let mut joints = Vec::new();
        for (j, (contact, sides)) in self.contacts.iter().zip(&sides).enumerate() {
            let surface = self.materials.surface(sides[0].material, sides[1].material);
            let counts = [count(&places[j][0]), count(&places[j][1])];
            let kept = self.kept.entry((sides[0].id, sides[1].id)).or_default();
            let arm = contact.point - sides[0].centre;
            let found = nearest(kept.iter().map(|(arm, _)| Some(*arm)), &arm);
            let start = found.map_or(Vec3::zeros(), |at| kept.remove(at).1);
            joints.push(Joint::new(contact, sides, &surface, counts, &start, settings));
        }
        let mobilities: Vec<_> = self.bodies.iter().map(Mobility::of).collect();
        let driven = |joints: &[Joint], place: usize, weight: f64| {
            let body = &self.bodies[place];
            let impulses = of[place].iter().map(|&(_, j, i)| {
                let impulse = joints[j].extrapolated(weight);
                (joints[j].arms()[i], if i == 0 { impulse } else { -impulse })
            });
            driven(&body.state.twist, &mobilities[place], impulses)
        };
        let all = |joints: &[Joint], weight: f64| -> Vec<Twist> {
            (0..self.bodies.len()).map(|place| driven(joints, place, weight)).collect()
        };
        for sweep in 0..sweeps {
            let twists = all(&joints, momentum(sweep));
            for ((joint, sides), places) in joints.iter_mut().zip(&sides).zip(&places) {
                let twist = |i: usize| match places[i] {
                    Some(place) => &twists[place as usize],
                    None => &sides[i].twist,
                };
                joint.sweep([twist(0), twist(1)], momentum(sweep));
            }
        }
        let twists = all(&joints, 0.0);
        self.kept.clear();
        for ((joint, sides), contact) in joints.iter().zip(&sides).zip(&self.contacts) {
            let first = contact.first as usize;
            let way = twists[first].linear.norm() * settings.step_s;
            let is_slow = way <= self.solids.reach(&self.bodies[first].shape);
            if is_slow && *joint.impulse() != Vec3::zeros() {
                let kept = self.kept.entry((sides[0].id, sides[1].id)).or_default();
                kept.push((joint.arms()[0], *joint.impulse()));
            }
        }
        for (body, twist) in self.bodies.iter_mut().zip(twists) {
            body.state.twist = twist;
        }
    }

    pub fn energy(&self) -> f64 {
        self.bodies.iter().map(energy).sum()
    }

    pub fn momentum(&self) -> Vec3 {
        self.bodies.iter().map(|body| body.state.twist.linear * body.mass).sum()
    }
}

/// The places of a contact's movable bodies.
fn places(contact: &Contact) -> [Option<u32>; 2] {
    let second = match contact.second {
        Partner::Movable(place) => Some(place),
        Partner::Fixed(_) => None,
    };
    [Some(contact.first), second]
}

/// Kinetic energy, J.
pub fn energy(body: &Body) -> f64 {
    let twist = &body.state.twist;
    let own = body.state.rotation.inverse_transform_vector(&twist.angular);
    0.5 * (body.mass * twist.linear.norm_squared() + own.dot(&body.inertia.component_mul(&own)))
}

/// A body of [`DENSITY`] at rest.
pub fn body(solids: &Solids, id: u64, shape: Shape, position: Vec3) -> Body {
    let MassProperties { mass, inertia } = solids.mass_properties(&shape, DENSITY);
    let rotation = UnitQuaternion::identity();
    let state = State { position, rotation, twist: Twist::ZERO };
    Body { id, shape, material: 0, mass, inertia, state, load: Load::NONE }
}

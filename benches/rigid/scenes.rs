//! The scenarios: those of Iglberger & Rüde 2009 and of the paper on shadow owners (Eibl & Rüde).

use std::sync::Arc;

use cloth_sim::math::Vec3;
use cloth_sim::rigid::Synchronisation;
use cloth_sim::rigid::body::Body;
use cloth_sim::rigid::constraint::ContactSettings;
use cloth_sim::rigid::constraint::joint::Joints;
use cloth_sim::rigid::domain::{Domain, Grid, Subdomains};
use cloth_sim::rigid::fixed::{FixedBodies, FixedBody};
use cloth_sim::rigid::generate::{Form, Generator, Lattice, Placement, Sizes, Velocities};
use cloth_sim::rigid::material::{Material, Materials, Surface};
use cloth_sim::rigid::shape::{Cuboid, Shape, Sphere};
use cloth_sim::rigid::solid::{MassProperties, Solids};
use cloth_sim::rigid::{Response, RigidModel, RigidSettings};

/// A scenario: bodies in a domain, and how they meet.
#[derive(Debug, Clone)]
pub struct Scene {
    pub name: &'static str,
    pub domain: Domain,
    pub fixed: Vec<FixedBody>,
    pub generators: Vec<Generator>,
    /// Spheres are so much smaller than their generators make them.
    pub shrink: f64,
    /// A body of its own beside those of the generators.
    pub large: Option<Body>,
    pub surface: Surface,
    pub gravity: Vec3,
    pub step_s: f64,
    pub margin_m: f64,
    pub response: Response,
}

/// Density of all bodies, kg/m^3.
pub const DENSITY: f64 = 1000.0;

const SMOOTH: Surface = Surface { restitution: 1.0, friction: 0.0, rolling: 0.0 };
const ROUGH: Surface = Surface { restitution: 0.2, friction: 0.4, rolling: 0.0 };

fn spheres(placement: Placement, radius: f64, speed: f64) -> Generator {
    Generator {
        seed: 1,
        first_id: 0,
        placement,
        sizes: Sizes::Constant(radius),
        form: Sphere { radius_m: radius }.into(),
        rotation: Some(nalgebra::UnitQuaternion::identity()),
        spin: Vec3::zeros(),
        velocities: Velocities::Random { most: speed },
        material: 0,
        density: DENSITY,
    }
}

fn cube(edge: f64, periodic: [bool; 3]) -> Domain {
    Domain::new(Vec3::zeros(), Vec3::repeat(edge), periodic).expect("a box")
}

fn shrunk(mut body: Body, factor: f64) -> Body {
    if let Shape::Sphere(Sphere { radius_m: radius }) = &mut body.shape {
        *radius *= factor;
        body.mass *= factor.powi(3);
        body.inertia *= factor.powi(5);
    }
    body
}

impl Scene {
    fn new(name: &'static str, domain: Domain, generators: Vec<Generator>) -> Self {
        let radius = generators[0].sizes.range()[1];
        Self {
            name,
            domain,
            fixed: Vec::new(),
            generators,
            shrink: 1.0,
            large: None,
            surface: SMOOTH,
            gravity: Vec3::zeros(),
            step_s: 1e-4,
            margin_m: 0.1 * radius,
            response: Response::Ffd,
        }
    }

    /// `count` elastic spheres of 1 cm radius in random cells of a periodic box. They fill 13 % of
    /// it and are up to 1 m/s fast.
    pub fn gas(count: u64) -> Self {
        // Half of the cells have a sphere, which has room in it: no two touch at the start.
        let (radius, room) = (0.01, 1.25);
        let along = (2.0 * count as f64).cbrt().ceil();
        let edge = along * 2.0 * radius * room * (1.0 + 1e-9);
        let (low, high) = (Vec3::zeros(), Vec3::repeat(edge));
        let placement = Placement::Random { count, low, high };
        let mut scene =
            Self::new("gas", cube(edge, [true; 3]), vec![spheres(placement, radius * room, 1.0)]);
        (scene.shrink, scene.margin_m) = (1.0 / room, 0.1 * radius);
        scene
    }

    /// Spheres of 1 m radius on a cubic lattice with 5 m between neighbours, in a periodic box (of
    /// the paper: a closed one). They fill 3 % of it and are up to 10 m/s fast.
    pub fn sparse(counts: [u32; 3]) -> Self {
        let spacing = 5.0;
        let high = Vec3::from(counts.map(f64::from)) * spacing;
        let lattice = Lattice { origin: Vec3::repeat(0.5 * spacing), spacing, counts };
        let domain = Domain::new(Vec3::zeros(), high, [true; 3]).expect("a box");
        let mut scene =
            Self::new("sparse", domain, vec![spheres(Placement::Grid(lattice), 1.0, 10.0)]);
        scene.step_s = 0.01;
        scene
    }

    /// Spheres of 1 m radius in hexagonal close packing on a ramp of 30 degrees, periodic along the
    /// ramp. They start down the ramp at 1 m/s.
    pub fn dense(counts: [u32; 3]) -> Self {
        // A little further than two radii: at the start nothing overlaps.
        let spacing = 2.0 * (1.0 + 1e-4);
        let steps = Vec3::new(1.0, (2.0_f64 / 3.0).sqrt(), 0.75_f64.sqrt()) * spacing;
        let extent = Vec3::from(counts.map(f64::from)).component_mul(&steps);
        let lattice = Lattice { origin: Vec3::new(0.01, 1.0, 0.01), spacing, counts };
        let high = Vec3::new(extent.x, extent.y + 20.0, extent.z);
        let domain = Domain::new(Vec3::zeros(), high, [true, false, true]).expect("a box");
        let mut generator = spheres(Placement::Hexagonal(lattice), 1.0, 0.0);
        generator.velocities = Velocities::Constant(Vec3::x());
        let mut scene = Self::new("dense", domain, vec![generator]);
        scene.gravity = Vec3::new(0.5, -0.75_f64.sqrt(), 0.0) * 9.81;
        scene.surface = ROUGH;
        scene.step_s = 2e-3;
        scene.fixed = vec![FixedBody::half_space(u64::MAX, 0, Vec3::zeros(), Vec3::y())];
        scene
    }

    /// One sphere of 30 m radius in the middle of 80 x 80 x 80 m of spheres of 1 m radius.
    pub fn large() -> Self {
        let mut scene = Self::sparse([16, 16, 16]);
        scene.name = "large";
        let shape = Shape::Sphere(Sphere { radius_m: 30.0 });
        let MassProperties { mass, inertia } = Solids::default().mass_properties(&shape, DENSITY);
        let mut body = scene.generators[0].body(0);
        (body.id, body.shape, body.mass, body.inertia) = (1 << 40, shape, mass, inertia);
        body.state.position = Vec3::repeat(40.0);
        scene.large = Some(body);
        scene
    }

    /// About `count` spheres of 5 cm radius and cubes with edges of 6.4 cm, half of each, fall into
    /// a well with four walls (figure 2 of Iglberger & Rüde has a well of fixed boxes).
    pub fn well(count: u64) -> Self {
        let (size, spacing) = (0.05, 0.12);
        let along = ((count as f64 / 2.0).cbrt().ceil() as u32).max(4);
        let layers = (count as u32).div_ceil(along * along);
        let width = f64::from(along) * spacing;
        let height = (f64::from(layers) + 2.0) * spacing;
        let high = Vec3::new(width, height, width);
        let domain = Domain::new(Vec3::zeros(), high, [false; 3]).expect("a box");
        // Every second layer is of boxes.
        let layer = |form, sizes, first: u32, seed| {
            let counts = [along, 1, along];
            let height = (f64::from(first) + 0.75) * spacing;
            let origin = Vec3::new(0.5 * spacing, height, 0.5 * spacing);
            let lattice = Lattice { origin, spacing, counts };
            let mut generator = spheres(Placement::Grid(lattice), sizes, 0.3);
            (generator.form, generator.seed) = (form, seed);
            generator.first_id = u64::from(first * along * along);
            generator
        };
        let ball = Sphere { radius_m: 1.0 };
        let cube = Cuboid { size_m: [1.0; 3] };
        let generators = (0..layers).map(|first| match first % 2 {
            0 => layer(Form::from(ball), size, first, 7),
            _ => layer(Form::from(cube), 1.1 * size, first, 9),
        });
        let mut scene = Self::new("well", domain, generators.collect());
        scene.gravity = Vec3::new(0.0, -9.81, 0.0);
        scene.surface = ROUGH;
        scene.step_s = 1e-3;
        let walls = [
            (Vec3::zeros(), Vec3::y()),
            (Vec3::zeros(), Vec3::x()),
            (Vec3::zeros(), Vec3::z()),
            (high, -Vec3::x()),
            (high, -Vec3::z()),
        ];
        let wall = |(k, (point, normal))| FixedBody::half_space(u64::MAX - k, 0, point, normal);
        scene.fixed = (0..).zip(walls).map(wall).collect();
        scene
    }

    /// All bodies. Those that the large one covers are left out.
    pub fn bodies(&self) -> impl Iterator<Item = Body> {
        let is_free = |body: &Body| {
            self.large
                .as_ref()
                .is_none_or(|large| (body.state.position - large.state.position).norm() > 31.01)
        };
        let all = self.generators.iter().flat_map(|of| (0..of.count()).map(|k| of.body(k)));
        all.map(|body| shrunk(body, self.shrink)).filter(is_free).chain(self.large)
    }

    /// The model on a grid of subdomains.
    pub fn model(&self, counts: [u32; 3], synchronisation: Synchronisation) -> Arc<RigidModel> {
        let contacts = ContactSettings {
            step_s: self.step_s,
            gravity: self.gravity,
            penetration_correction: 0.2,
        };
        let grid = Grid::new(self.domain, counts).expect("a grid");
        let material = Material { density: DENSITY, surface: self.surface };
        Arc::new(RigidModel {
            settings: RigidSettings {
                contacts,
                margin_m: self.margin_m,
                synchronisation,
                response: self.response,
            },
            subdomains: Arc::new(Subdomains::Grid(grid)),
            fixed: FixedBodies::new(self.fixed.clone()),
            materials: Materials::new(&[material], &[]).expect("a material"),
            solids: Solids::default(),
            joints: Joints::default(),
        })
    }
}

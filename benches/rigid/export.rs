//! Bodies of a scene for other programs, and what those made of them.

use std::fmt::Write as _;
use std::path::Path;

use cloth_sim::rigid::body::Body;

use cloth_sim::rigid::shape::{Shape, Sphere};

use crate::plan::Plan;
use crate::scenes::{DENSITY, Scene};

/// Writes `bodies.csv` and `lammps.data` into the folder `out`.
pub fn export(plan: &Plan) {
    let scene = plan.scene(plan.get("count", 100_000));
    let folder = Path::new(plan.text("out", "out/rigid_peers"));
    std::fs::create_dir_all(folder).expect("folder");
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect(name);
    write("bodies.csv", table(&scene));
    if let Some(data) = lammps(&scene) {
        write("lammps.data", data);
    }
}

/// A row for each body: 0 and the radius of a sphere, or 1 and the half edges of a box; its centre;
/// its velocity. The head has the domain, the step and the gravity.
fn table(scene: &Scene) -> String {
    let (high, gravity) = (scene.domain.high(), scene.gravity);
    let mut text = format!(
        "{} {} {} {} {} {} {} {DENSITY} {} {}\n",
        high.x,
        high.y,
        high.z,
        scene.step_s,
        gravity.x,
        gravity.y,
        gravity.z,
        scene.surface.restitution,
        scene.surface.friction
    );
    for body in scene.bodies() {
        let (kind, size) = match body.shape {
            Shape::Sphere(Sphere { radius_m: radius }) => (0, radius),
            Shape::Box(cuboid) => (1, cuboid.half().x),
            _ => panic!("other programs get spheres and cubes"),
        };
        let (x, v) = (body.state.position, body.state.twist.linear);
        let row = format!("{kind} {size} {} {} {} {} {} {}", x.x, x.y, x.z, v.x, v.y, v.z);
        writeln!(text, "{row}").expect("text");
    }
    text
}

/// The spheres of a scene as LAMMPS reads them. `None` if there are other shapes.
fn lammps(scene: &Scene) -> Option<String> {
    let (low, high) = (scene.domain.low(), scene.domain.high());
    let (mut atoms, mut velocities) = (String::new(), String::new());
    let mut count = 0;
    for Body { shape, state, .. } in scene.bodies() {
        let Shape::Sphere(Sphere { radius_m: radius }) = shape else { return None };
        count += 1;
        let (x, v) = (state.position, state.twist.linear);
        let diameter = 2.0 * radius;
        writeln!(atoms, "{count} 1 {diameter} {DENSITY} {} {} {}", x.x, x.y, x.z).expect("text");
        writeln!(velocities, "{count} {} {} {} 0 0 0", v.x, v.y, v.z).expect("text");
    }
    let mut text = format!("{}\n\n{count} atoms\n1 atom types\n", scene.name);
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        writeln!(text, "{} {} {name}lo {name}hi", low[axis], high[axis]).expect("text");
    }
    Some(format!("{text}\nAtoms # sphere\n\n{atoms}\nVelocities\n\n{velocities}"))
}

//! Rigid bodies and weights on cloth against closed forms, in scenes as a user writes them: with the
//! solver, steps and contacts that ship, turned against the axes. `rigid_body` has momentum and
//! plates without a load, `bodies_among_cloth` friction of single bodies.

mod common;
#[path = "common/physics.rs"]
mod physics;

use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use cloth_collision::collision::narrow::closest;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::rigid::RigidBody;
use cloth_sim::bodies::{Body, Setup};
use cloth_sim::math::{Vec3, rotation};
use cloth_sim::mesh::shapes::{Cuboid, Diagonal, ShapeKind, sheet};
use cloth_sim::ranks::{World, in_process};
use cloth_sim::step::{Model, Simulation};
use common::ends::{assert_clear, energies, unexplained};
use common::poses::{poses, run_scene};
use common::run::frames_of;
use physics::{G, bisect};

/// The positions of the vertices of the first object in a frame, m.
fn first_object(run: &Path, frame: u64) -> Vec<Vec3> {
    let text = std::fs::read_to_string(run.join(format!("frame_{frame:04}.obj"))).expect("a frame");
    let of_first = text.lines().skip_while(|line| !line.starts_with("o ")).skip(1);
    let places = of_first.take_while(|line| !line.starts_with("o ")).filter_map(|line| {
        let mut x = line.strip_prefix("v ")?.split(' ').map(|x| x.parse().expect("a number"));
        Some(Vec3::from_fn(|_, _| x.next().expect("three numbers")))
    });
    places.collect()
}

/// The lowest point (m, below the ends) of a strip of `length` (m) and `weight` (N/m) between two
/// points that are `span` (m) apart, under a rod of `radius` (m) and the weight `load` (N). The strip
/// gets longer by `1 / stiffness` a newton. From the rod on, which it touches up to the angle `phi`,
/// it is an elastic catenary.
fn sag(length: f64, span: f64, weight: f64, load: f64, radius: f64, stiffness: f64) -> f64 {
    let half = |phi: f64| {
        let v0 = 0.5 * load + weight * radius * phi;
        let h = v0 / phi.tan();
        let free = 0.5 * length - radius * phi / (1.0 + h / phi.cos() / stiffness);
        let v1 = v0 + weight * free;
        let (a, b) = (v0 / h, v1 / h);
        let x = h * free / stiffness + h / weight * (b.asinh() - a.asinh());
        let y = (v1 * v1 - v0 * v0) / (2.0 * weight * stiffness)
            + h / weight * (b.hypot(1.0) - a.hypot(1.0));
        (x + radius * phi.sin(), y + radius * (1.0 - phi.cos()))
    };
    let phi = bisect(0.01, 0.5 * PI - 0.01, |phi| half(phi).0 - 0.5 * span);
    half(phi).1
}

#[test]
fn a_strip_under_a_rod_hangs_in_two_catenaries() {
    let (length, width, radius, gap) = (0.6, 0.04, 0.003, 0.001);
    for (span, mass, turn_deg, steps) in
        [(0.5, 0.01, 0.0, 20), (0.4, 0.03, 30.0, 20), (0.5, 0.03, 70.0, 5), (0.4, 0.01, 0.0, 2)]
    {
        let (sin, cos) = f64::to_radians(turn_deg).sin_cos();
        let ends = [0, 60].map(|end| Vec::from_iter((0..5).map(|row| 61 * row + end)));
        let pins = ends.iter().zip([0.5, -0.5]).map(|(vertices, sign)| {
            let key = |(time_s, share): (f64, f64)| {
                let way = sign * share * (length - span);
                let [x, z] = [way * cos, -way * sin];
                format!("(time_s: {time_s}, translation_m: ({x}, 0, {z}))")
            };
            let keys = [(0.0, 0.0), (0.3, 0.2), (0.6, 0.8), (0.9, 1.0)].map(key).join(", ");
            format!("(select: Vertices({vertices:?}), motion: (keyframes: [{keys}]))")
        });
        let pins = Vec::from_iter(pins).join(", ");
        let height = radius + 1.05 * gap;
        let density = mass / (PI * radius * radius * 0.05);
        let scene = format!(
            r#"(frames: 150, frames_per_second: 50, steps_per_frame: {steps},
            cloths: [(name: "strip", touch: "steel",
                shape: Sheet(width_m: {length}, length_m: {width}, columns: 60, rows: 4),
                transform: (axis: (0, 1, 0), angle_deg: {turn_deg}), material: Isotropic(
                    density_kg_per_m2: 0.2, modulus_n_per_m: 2000, poisson_ratio: 0, rigidity_n_m: 1e-7),
                damping: (mass_per_s: 4, stiffness_s: 0.002), pins: [{pins}])],
            bodies: [(name: "rod", shape: Cylinder(radius_m: {radius}, length_m: 0.05),
                material: "steel", arrangement: At([(0, {height}, 0)]),
                orientation: Turned(axis: ({cos}, 0, {}), angle_deg: 90))],
            materials: [(name: "steel", density_kg_per_m3: {density}, friction: 0.3)])"#,
            -sin
        );
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_scene(&scene, folder.path());
        let lowest = first_object(&run, 150).iter().map(|x| x.y).fold(0.0, f64::min);
        let exact = sag(length, span, 0.2 * width * G, mass * G, radius + gap, 2000.0 * width);
        let error = -lowest / exact - 1.0;
        println!(
            "span {span}, {mass} kg, {turn_deg} degrees, {steps} steps: {exact:.5} m, {error:+.5}"
        );
        assert!(error.abs() < 0.005);
    }
}

/// A strip over a cylinder of radius `r` (m): `light` and `heavy` (m) hang down. As an OBJ file, whose
/// texture coordinates are metres over 10, and the vertices of both ends.
fn draped(r: f64, [light, heavy]: [f64; 2], turn_deg: f64) -> (String, [Vec<usize>; 2]) {
    let length = light + PI * r + heavy;
    let columns = (length / 0.006).round() as usize;
    let turn = rotation(Vec3::y(), turn_deg);
    let (mut obj, mut uv) = ("o strip\n".to_owned(), String::new());
    for row in 0..=4 {
        for column in 0..=columns {
            let s = length * column as f64 / columns as f64;
            let (angle, z) = ((s - light) / r, 0.0075 * (f64::from(row) - 2.0));
            let x = turn
                * match angle {
                    _ if angle < 0.0 => Vec3::new(-r, s - light, z),
                    _ if angle < PI => Vec3::new(-r * angle.cos(), r * angle.sin(), z),
                    _ => Vec3::new(r, light + PI * r - s, z),
                };
            writeln!(obj, "v {} {} {}", x.x, x.y, x.z).expect("a string");
            writeln!(uv, "vt {} {}", s / 10.0, z / 10.0 + 0.5).expect("a string");
        }
    }
    obj += &uv;
    let at = |row: usize, column: usize| row * (columns + 1) + column + 1;
    for (row, column) in (0..4).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let [a, b] = [at(row, column), at(row + 1, column)];
        for [a, b, c] in [[a, b, b + 1], [a, b + 1, a + 1]] {
            writeln!(obj, "f {a}/{a} {b}/{b} {c}/{c}").expect("a string");
        }
    }
    (obj, [0, columns].map(|column| Vec::from_iter((0..5).map(|row| at(row, column) - 1))))
}

/// The acceleration (m/s^2) of a strip of `lambda` (kg/m) over a cylinder, at rest: `masses` (kg) pull
/// at its light and heavy end, which hang down by `ends` (m). Along the cylinder `dT = mu N + w r cos +
/// lambda r a`, so that `T` is linear in `a`. 0 if friction holds it.
fn capstan(r: f64, ends: [f64; 2], masses: [f64; 2], friction: f64, lambda: f64) -> f64 {
    let [light, heavy] = [0, 1].map(|end| masses[end] + lambda * ends[end]);
    let (steps, mut at_rest, mut per_a) = (4000, light * G, light);
    let step = PI / f64::from(steps);
    for i in 0..steps {
        let angle = (f64::from(i) + 0.5) * step;
        let normal = at_rest + lambda * G * r * angle.sin();
        at_rest += step * (friction * normal + lambda * G * r * angle.cos());
        per_a += step * (friction * per_a + lambda * r);
    }
    ((heavy * G - at_rest) / (heavy + per_a)).max(0.0)
}

/// The fields of a strip whose `ends` (m) hang down and carry `masses` (kg), and the bodies of its scene.
/// The end that is heavy hangs at `side` (x and z, m), the other one opposite.
fn weights(
    vertices: [&[usize]; 2],
    ends: [f64; 2],
    masses: [f64; 2],
    side: [f64; 2],
    are_boxes: bool,
) -> (String, String) {
    let select = vertices.map(|it| format!("select: Vertices({it:?})"));
    if !are_boxes {
        let pins = select.clone().map(|it| format!("({it}, end_s: 0.3)")).join(", ");
        let masses = [0, 1].map(|end| format!("({}, mass_kg: {})", select[end], masses[end]));
        return (format!("pins: [{pins}], masses: [{}]", masses.join(", ")), String::new());
    }
    let attach = [0, 1].map(|end| format!(r#"({}, to: "box {end}")"#, select[end]));
    let edge = 0.02_f64;
    let places = [-1.0, 1.0].map(|sign| side.map(|it| sign * it));
    let boxes = [0, 1].map(|end| {
        let ([x, z], y) = (places[end], -ends[end] - edge / 2.0 - 0.003);
        format!(
            r#"(name: "box {end}", shape: Box(size_m: ({edge}, {edge}, {edge})), material: "{end}",
                arrangement: At([({x}, {y}, {z})]))"#
        )
    });
    let materials = [0, 1].map(|end| {
        format!(
            r#"(name: "{end}", density_kg_per_m3: {}, friction: 0.3)"#,
            masses[end] / edge.powi(3)
        )
    });
    let bodies = format!("bodies: [{}], materials: [{}],", boxes.join(", "), materials.join(", "));
    (format!("attach: [{}]", attach.join(", ")), bodies)
}

/// How fast weights on both ends of a strip over a cylinder speed up, at 1 ms. The curved way brakes it
/// by about `2 h v / r` times its tension, without friction too: 0.6 % of g on average here. The weights
/// are masses of the vertices at the ends, which pins hold at first, or boxes that hang on them.
#[test]
fn weights_over_a_cylinder_speed_up_as_the_capstan_equation_says() {
    for (friction, ratio, turn_deg, are_boxes) in [
        (0.0, 1.3, 25.0, false),
        (0.0, 1.3, 25.0, true),
        (0.3, 0.9 * f64::exp(0.3 * PI), 0.0, false),
        (0.3, 0.9 * f64::exp(0.3 * PI), 25.0, true),
        (0.3, 1.1 * f64::exp(0.3 * PI), 25.0, false),
    ] {
        let (r, ends, masses) = (0.051, [0.3, 0.05], [0.02, 0.02 * ratio]);
        let (obj, [light, heavy]) = draped(r, ends, turn_deg);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("strip.obj"), obj).expect("a file");
        let (sin, cos) = f64::to_radians(turn_deg).sin_cos();
        let (of_ends, boxes) =
            weights([&light, &heavy], ends, masses, [r * cos, -r * sin], are_boxes);
        let scene = format!(
            r#"(frames: 25, frames_per_second: 50, steps_per_frame: 20, cloths: [(
                shape: Mesh("strip.obj"), rest: Uv(metres_per_unit: 10), material: Isotropic(
                    density_kg_per_m2: 0.1, modulus_n_per_m: 5000, poisson_ratio: 0, rigidity_n_m: 1e-7),
                damping: (stiffness_s: 0.002), {of_ends})], {boxes}
            obstacles: [(shape: Cylinder(radius_m: 0.05, length_m: 0.1, edge_m: 0.003),
                transform: (axis: ({cos}, 0, {}), angle_deg: 90))],
            contact: (friction_obstacle: {friction}))"#,
            -sin
        );
        let run = run_scene(&scene, folder.path());
        // Half of what one end rises and the other sinks: the strip stretches in the first moment.
        let place = |frame| {
            let x = first_object(&run, frame);
            0.5 * (x[light[2]].y - x[heavy[2]].y)
        };
        let released = if are_boxes { 2 } else { 15 };
        let [start, middle, end] = [0, 5, 10].map(|frames| place(released + frames));
        let (found, way) = ((end - 2.0 * middle + start) / 0.01, end - start);
        let exact = capstan(r, ends, masses, friction, 0.1 * 0.03);
        println!(
            "mu {friction}, boxes {are_boxes}: {found:.4} instead of {exact:.4} m/s^2, by {way:.5} m"
        );
        assert!((found - exact).abs() < 0.01 * G);
        assert!(exact > 0.0 || way.abs() < 1e-3, "it slips by {way} m");
    }
}

#[test]
fn the_contacts_of_a_box_at_rest_on_a_trampoline_carry_its_weight_and_nothing_else() {
    for step_s in [1e-3, 4e-3] {
        let mut cloth = physics::cloth(
            sheet(0.2, 0.2, 20, 20, Diagonal::Alternating),
            Material::isotropic(0.2, 500.0, 0.3, 1e-5),
        );
        physics::hold(&mut cloth, |x| x.x.abs().max(x.z.abs()) > 0.099);
        cloth.material.mass_damping_per_s = 30.0;
        cloth.material.stiffness_damping_s = 2e-3;
        let mut mesh = Cuboid { size_m: [0.04, 0.02, 0.05], edge_m: None }.mesh();
        let turn = rotation(Vec3::y(), 25.0);
        let centre = Vec3::new(0.004, 0.012, -0.003);
        mesh.positions.iter_mut().for_each(|x| *x = turn * *x + centre);
        let block = RigidBody::new("box", &mesh, 500.0).expect("a closed surface");
        let weight = block.mass_kg() * G;
        let vertices = block.vertex_count();
        let setup = Setup { cloths: vec![cloth], ..Setup::default() };
        let scene = physics::scene(step_s);
        let bodies = vec![Arc::new(block.clone()) as Arc<dyn Body>];
        let model = Model::with_bodies(scene.settings(), setup, bodies, |build| build(1)).unwrap();
        let model = Arc::new(model);
        let run = |world: &dyn World| {
            let mut simulation = Simulation::new(model.clone(), world, 1)?;
            while simulation.time_s() < 2.5 {
                simulation.step()?;
            }
            let mut of_block = vec![Vec3::zeros(); vertices];
            block.place(&simulation.state().coordinates[0], &mut of_block);
            let x = [simulation.positions(), &of_block].concat();
            // What the contacts do to the cloth: it lies on either side of them.
            let forces = simulation.state().contacts.iter().map(|contact| {
                let near = closest(contact.pair.kind(), contact.pair.gather(&x));
                let force = near.normal * contact.normal_force - Vec3::from(contact.friction_force);
                let all = contact.pair.vertices.iter().zip(near.weights);
                let of_cloth = all.filter(|it| (*it.0 as usize) < simulation.positions().len());
                force * of_cloth.map(|it| it.1).sum::<f64>()
            });
            Ok(forces.sum::<Vec3>())
        };
        let force = in_process::run(1, run).expect("it runs").remove(0);
        let error = (force / weight + Vec3::y()).norm();
        println!("{step_s} s: {error:.2e} of the weight");
        assert!(error < 1e-3, "{force} instead of {weight} N");
    }
}

/// Plates of 0.3 kg on a floor, turned against each other, all turned against the axes, and a cube on
/// top. They start farther from each other than contacts reach, and fall onto each other.
fn laden_plates(plates: u32, load_kg: f64, steps: u32) -> String {
    let (thick, drop, rise) = (0.01, 0.0011, 0.0111);
    let mut bodies = String::new();
    for k in 0..plates {
        let [x, y, z] = [0.0013 * f64::from(k), drop + 0.5 * thick, 0.0007 * f64::from(k)];
        write!(
            bodies,
            r#"(name: "plate {k}", shape: Box(size_m: (0.2, {thick}, 0.2)), material: "china",
            arrangement: At([({x}, {}, {z})]), orientation: Turned(axis: (0, 1, 0), angle_deg: {})),"#,
            y + rise * f64::from(k),
            17 + 3 * (k + 1)
        )
        .expect("a string");
    }
    let (top, density) = (drop + rise * f64::from(plates) + 0.05, load_kg / 1e-3);
    format!(
        r#"(frames: 10, frames_per_second: 10, steps_per_frame: {steps}, cloths: [(
            shape: Sheet(width_m: 0.02, length_m: 0.02, columns: 2, rows: 2),
            transform: (translation_m: (0, 9, 0)), material: Fabric("cotton"))],
        obstacles: [(shape: Box(size_m: (1, 0.04, 1)), touch: "china",
            transform: (axis: (0, 1, 0), angle_deg: 17, translation_m: (0, -0.02, 0)))],
        bodies: [{bodies} (name: "load", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "lead",
            arrangement: At([(0.014, {top}, 0.005)]), orientation: Turned(axis: (0, 1, 0), angle_deg: 23))],
        materials: [(name: "china", density_kg_per_m3: 750, friction: 0.3),
            (name: "lead", density_kg_per_m3: {density}, friction: 0.3)])"#
    )
}

/// Without damping of their contacts, 3 kg on five plates bounced for ever.
#[test]
fn plates_under_a_heavy_load_come_to_rest() {
    for (plates, load_kg, steps) in [(1, 30.0, 100), (5, 3.0, 100), (5, 30.0, 25), (5, 300.0, 100)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_scene(&laden_plates(plates, load_kg, steps), folder.path());
        let [middle, end] = [5, 10].map(|frame| poses(&run, frame));
        for (name, pose) in &end {
            let case = format!("{load_kg} kg on {plates}, {steps} steps, {name}: {pose:?}");
            let speed = pose[7..10].iter().fold(0.0, |sum: f64, x| sum.hypot(*x));
            let way = (0..3).map(|axis| pose[axis] - middle[name][axis]).fold(0.0, f64::hypot);
            assert!(speed < 1e-6 && way < 1e-5, "{case}");
        }
        let late = frames_of(&run).into_iter().filter(|it| it["frame"].as_u64() > Some(5));
        let steps = late.flat_map(|it| it["steps"].as_array().expect("steps").clone());
        let rise_j: f64 = steps.filter_map(|it| it["unexplained_rise_j"].as_f64()).sum();
        assert!(rise_j < 1e-4, "{load_kg} kg on {plates}: {rise_j} J in the second half");
    }
}

/// A steel block of 8.8 kg falls by 5 cm onto two cloths that lie on a table, all turned against each
/// other. The lower cloth knows what lies on the upper one: before, the block gained a quarter of its
/// energy at 1 ms, and bounced for seconds.
#[test]
fn a_block_that_falls_on_two_cloths_gains_nothing_and_stays_down() {
    for steps in [40, 10] {
        let cloth = |height_m: f64, turn_deg: f64| {
            format!(
                r#"(shape: Sheet(width_m: 0.4, length_m: 0.36, columns: 24, rows: 22),
                transform: (axis: (0, 1, 0), angle_deg: {turn_deg}, translation_m: (0.01, {height_m}, 0)),
                material: Fabric("tablecloth")),"#
            )
        };
        let scene = format!(
            r#"(frames: 8, steps_per_frame: {steps}, cloths: [{} {}],
            obstacles: [(shape: Box(size_m: (1, 0.04, 1)), transform: (translation_m: (0, -0.02, 0)))],
            bodies: [(name: "block", shape: Box(size_m: (0.15, 0.05, 0.15)), material: "steel",
                arrangement: At([(0.02, 0.0835, 0.01)]),
                orientation: Turned(axis: (0, 1, 0), angle_deg: 25))],
            materials: [(name: "steel", density_kg_per_m3: 7800, friction: 0.15)])"#,
            cloth(0.003, 15.0),
            cloth(0.006, 0.0)
        );
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_scene(&scene, folder.path());
        let [unexplained_j, largest_j] = energies(&run, ["unexplained_j", "largest_internal_j"]);
        assert!(
            unexplained_j < 0.02 * largest_j,
            "{steps} steps: {unexplained_j} of {largest_j} J"
        );
        let height_m = poses(&run, 8)["block"][1];
        assert!((0.0265..0.0285).contains(&height_m), "{steps} steps: {height_m} m high");
        assert_clear(&run);
    }
}

/// A ball flies at a sheet that is held above and below. It never passes, at steps in which it goes by
/// 0.08 to 0.6 m. The shot stretches the net to three times its length, and no energy comes from
/// nothing.
#[test]
fn a_net_stops_a_ball_and_a_shot() {
    for (speed, steps) in [(8.0, 4), (8.0, 10), (60.0, 4), (60.0, 10)] {
        let scene = format!(
            r#"(frames: 6, frames_per_second: 25, steps_per_frame: {steps}, cloths: [(
                shape: Sheet(width_m: 0.8, length_m: 0.8, columns: 30, rows: 30, diagonal: Alternating),
                transform: (axis: (1, 0.05, 0.1), angle_deg: 90), material: Fabric("white_dots"),
                pins: [(select: Box(min_m: (-1, 0.38, -1), max_m: (1, 1, 1))),
                    (select: Box(min_m: (-1, -1, -1), max_m: (1, -0.38, 1)))])],
            bodies: [(shape: Sphere(radius_m: 0.04), material: "rubber", name: "ball",
                arrangement: At([(0.06, -0.05, -0.3)]), velocity: Constant(m_per_s: (2, 3, {speed})),
                angular_velocity_rad_per_s: (10, 0, 20))],
            materials: [(name: "rubber", density_kg_per_m3: 400, friction: 0.4)])"#
        );
        let folder = tempfile::tempdir().expect("a folder");
        let run = run_scene(&scene, folder.path());
        let slowest = (1..=6).map(|frame| poses(&run, frame)["ball"][9]).fold(speed, f64::min);
        assert!(slowest < 0.0, "{speed} m/s, {steps} steps: it turns round, {slowest} m/s");
        assert_clear(&run);
        let share = unexplained(&run);
        assert!(share < 0.005, "{speed} m/s, {steps} steps: {share}");
    }
}

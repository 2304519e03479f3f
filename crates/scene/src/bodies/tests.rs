use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion};

use super::*;
use crate::Scene;
use crate::bodies::build::build_bodies;
use crate::load::{complete, parse};
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::ranks::in_process;
use cloth_rigid::balance::Balancer;
use cloth_rigid::fixed::FixedShape;
use cloth_rigid::shape::{Shape, Sphere};
use cloth_rigid::{Body, RigidSimulation};

const MATERIALS: &str = r#"materials: [(name: "glass", density_kg_per_m3: 2500, friction: 0.3)]"#;
const BALLS: &str = r#"shape: Sphere(radius_m: 0.1), material: "glass""#;

fn scene(fields: &str) -> Result<Scene> {
    let text = format!("Scene({MATERIALS}, {fields})");
    complete(parse(&text, "s.ron")?, Path::new("s.ron"))
}

fn setup(fields: &str, folder: &Path) -> Result<RigidSetup> {
    build_bodies(&scene(fields)?, folder)
}

fn message(fields: &str) -> String {
    setup(fields, Path::new(".")).unwrap_err().to_string()
}

/// All bodies on `ranks` ranks, each from the rank that makes it, by id.
fn made(setup: &RigidSetup, ranks: usize) -> Vec<Body> {
    let mut balancer = Balancer::new(setup.spec.repartition).unwrap();
    let divided = setup.divide(ranks, &mut balancer).unwrap();
    let mut bodies: Vec<Body> =
        (0..ranks).flat_map(|rank| setup.bodies_of(rank, &divided)).collect();
    bodies.sort_by_key(|body| body.id);
    bodies
}

const MIXED: &str = r#"seed: 3, bodies: [
    (shape: Sphere(radius_m: 0.02), material: "glass", sizes: Uniform(min: 0.5, max: 2),
        arrangement: Random(count: 300, min_m: (-0.9, -0.9, -0.9), max_m: (0.9, 0, 0.9))),
    (shape: Box(size_m: (0.4, 0.1, 0.1)), material: "glass", motion: Immovable, arrangement: At([(0, 0.9, 0)])),
    (shape: Capsule(radius_m: 0.02, length_m: 0.05), material: "glass", orientation: Random,
        velocity: Random(max_m_per_s: 2), arrangement: Hexagonal(count: (7, 3, 5), origin_m: (-0.5, 0.2, -0.4), spacing_m: 0.1)),
]"#;

#[test]
fn each_rank_makes_its_own_bodies_and_together_they_are_the_same() {
    let setup = setup(MIXED, Path::new(".")).unwrap();
    let all = made(&setup, 1);
    assert_eq!((all.len() as u64, setup.body_count()), (405, 405));
    assert!(all.iter().map(|body| body.id).eq((0..300).chain(301..406)));
    for ranks in [2, 3, 8] {
        assert_eq!(made(&setup, ranks), all, "{ranks} ranks");
    }
    assert_eq!(setup.name_of(7), "sphere[7]");
    assert_eq!(setup.name_of(300), "box");
    assert_eq!(setup.name_of(406), "wall_left");
    let box_shape = setup.fixed.bodies()[0].shape;
    let half = Vec3::new(0.2, 0.05, 0.05);
    let FixedShape::Shape(Shape::Box(built)) = box_shape else {
        panic!("{box_shape:?}");
    };
    assert!((built.half() - half).norm() < 1e-15);
}

#[test]
fn a_resolved_scene_of_bodies_loads_again_as_it_was() {
    let first = scene(&format!(
        "{MIXED}, response: Nonsmooth(sweeps: 20), synchronisation: ShadowOwner,
         domain: (method: Grid(2, 1, 3), borders: (Wall, Floor, Periodic), repartition: Never)"
    ));
    let first = first.unwrap();
    assert_eq!(first.output.format_names(), ["vtp"]);
    let again = parse(&first.to_ron().unwrap(), "s.ron").unwrap();
    assert_eq!(again, first);
}

#[test]
fn bodies_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let from = |name: &str| {
        let fields = format!(r#"bodies: [({BALLS}, arrangement: File("{name}"))]"#);
        setup(&fields, folder.path())
    };
    write("a.csv", "x, y,z,size,vx,vy,vz\n0,0.5,0,2,0,-1,0\n0.5,0,0,0.5,1,0,0\n");
    let bodies = made(&from("a.csv").unwrap(), 2);
    assert_eq!(bodies[0].shape, Shape::Sphere(Sphere { radius_m: 0.2 }));
    assert_eq!(bodies[1].state.twist.linear.x, 1.0);
    let margin_m = from("a.csv").unwrap().settings.margin_m;
    assert!((margin_m - 0.1 * 0.05).abs() < 1e-15, "of the smallest body: {margin_m}");
    write("a.obj", "v 0 0 0\nv 0 0 0.5\n");
    assert_eq!(made(&from("a.obj").unwrap(), 1).len(), 2);
    for (text, cause) in [
        ("", "b.csv:1: this is no CSV file with the columns x, y and z"),
        ("\u{1}\u{2}\n\u{3}", "b.csv:1: this is no CSV file"),
        ("x,y\n1,2\n", "b.csv:1: this is no CSV file"),
        ("x,x,y,z\n1,2,3,4\n", "b.csv:1: the column `x` occurs twice"),
        ("x,y,z\n1,2,nan\n", "b.csv:2: z: NaN is not a finite number"),
        ("x,y,z\n1e30,0,0\n", "x: 1e30 m is out of bounds"),
        ("x,y,z,vx,vy,vz\n0,0,0,0,-1e5,0\n", "vy: -100000 m/s is out of bounds"),
        ("x,y,z,size\n0,0,0,-1\n", "size: -1 is not positive"),
        ("x,y,z,radius\n0,0,0,1\n", "b.csv:1: the column `radius` is unknown"),
        ("x,y,z\n0,0,0\n0,oops,0\n", "b.csv:3"),
        ("x,y,z\n0,0,0\n\n\n0,inf,0", "b.csv:5"),
        ("x,y,z\r\n0,0,0\r\n\r\n0,oops,0\r\n", "b.csv:4: y: `oops` is no number"),
        ("x,y,z\r0,0,0\r0,oops,0\r", "b.csv:3: y: "),
        ("x,y,z\n0,0\n", "2 values instead of 3"),
        ("x,y,z\n", "no body"),
    ] {
        write("b.csv", text);
        let message = from("b.csv").unwrap_err().to_string();
        assert!(message.contains(cause), "{text}: {message}");
    }
}

#[test]
fn each_row_has_its_own_pose_size_and_spin() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let group = |more: &str| format!(r#"bodies: [({BALLS}, arrangement: File("a.csv"){more})]"#);
    let fields = group(
        ", orientation: Turned(axis: (1, 0, 0), angle_deg: 180), sizes: Constant(0.7),
         velocity: Constant(m_per_s: (1, 0, 0)), angular_velocity_rad_per_s: (4, 0, 0)",
    );
    write(
        "a.csv",
        "wx,wy,wz,x,y,z,qw,qx,qy,qz,size,vx,vy,vz\n\
         1,2,3,0.5,0,0,1e-200,0,0,1e-200,2,0,-1,0\n\
         0,0,-5,-0.5,0,0,0,0,3e300,0,0.5,0,0,7\n\
         ,,,0,0.5,0,,,,,,,,\n",
    );
    let bodies = made(&setup(&fields, folder.path()).unwrap(), 2);
    let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()];
    for (body, place, radius, turned, linear, angular) in [
        (&bodies[0], x * 0.5, 0.2, [y, -x, z], -y, Vec3::new(1.0, 2.0, 3.0)),
        (&bodies[1], x * -0.5, 0.05, [-x, y, -z], z * 7.0, z * -5.0),
        (&bodies[2], y * 0.5, 0.07, [x, -y, -z], x, x * 4.0),
    ] {
        let state = &body.state;
        assert_eq!((state.position, state.twist.linear), (place, linear));
        assert_eq!(state.twist.angular, angular);
        for (axis, expected) in [x, y, z].into_iter().zip(turned) {
            assert!((state.rotation.transform_vector(&axis) - expected).norm() < 1e-12);
        }
        let Shape::Sphere(Sphere { radius_m }) = body.shape else { panic!("{:?}", body.shape) };
        assert!((radius_m - radius).abs() < 1e-15);
        assert!((state.rotation.norm() - 1.0).abs() < 1e-15);
    }
    for (text, cause, remedy) in [
        (
            "x,y,z,wx\n0,0,0,1\n",
            "a.csv:1: the column `wy` is missing",
            "all of the columns wx,wy,wz",
        ),
        ("qw,x,y,z\n", "a.csv:1: the column `qx` is missing", "qw,qx,qy,qz, or none"),
        ("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n1,0,0,0,0,-0,0\n", "a.csv:3: qw,qx,qy,qz: ", "1,0,0,0"),
        ("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,inf,0\n", "a.csv:2: qy: inf is not", "finite number"),
        ("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,,0\n", "a.csv:2: qy: there is no", "qw,qx,qy,qz, or none"),
        ("x,y,z,wx,wy,wz\n0,0,0,NaN,0,0\n", "a.csv:2: wx: NaN is not", "finite number"),
        ("x,y,z,wx,wy,wz\n0,0,0,1,0,0\n0,1,0,0,1e5,0\n", "a.csv:3: wx,wy,wz: ", "a quarter turn"),
        ("x,y,z,wx,wy,wz\n0,0,0,1e200,1e200,0\n", "a.csv:2: wx,wy,wz: ", "a quarter turn"),
        ("x,y,z,size\n0,0,0,1e7\n", "a.csv:2: size: ", "smaller number"),
        ("x,y,z,size\n,,,1\n", "a.csv:2: x,y,z: the row has no place", "begin with"),
    ] {
        write("a.csv", text);
        let message = setup(&group(""), folder.path()).unwrap_err().to_string();
        assert!(message.contains(cause) && message.contains(remedy), "{text}: {message}");
    }
    write("a.csv", "x,y,z,wx,wy,wz\n0,0,0,1,0,0\n");
    let still = format!("{BALLS}, arrangement: File(\"a.csv\"), motion: Immovable");
    let message = setup(&format!("bodies: [({BALLS}), ({still})]"), folder.path()).unwrap_err();
    assert!(message.to_string().contains("leave out its columns `vx`"), "{message}");
}

#[test]
fn hulls_and_meshes_are_scaled_and_equal_sizes_share_a_solid() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let corners = [[0.1, 0.0, 0.0], [0.3, 0.0, 0.0], [0.1, 0.1, 0.0], [0.1, 0.0, 0.15]];
    let corners = corners.map(Vec3::from);
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    let lines = corners.map(|x| format!("v {} {} {}\n", x.x, x.y, x.z)).concat();
    write("a.obj", &format!("{lines}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    write(
        "a.csv",
        "x,y,z,size,qw,qx,qy,qz\n0,0,0,2,1,0,0,1\n0.5,0.5,0,0.5,1,0,0,0\n0,0.5,0,2,1,1,0,0\n",
    );
    let mass = 2500.0 * 0.2 * 0.1 * 0.15 / 6.0;
    for shape in ["Hull", "Mesh"] {
        let group = |more: &str| format!(r#"(shape: {shape}("a.obj"), material: "glass"{more})"#);
        let from_file = group(", arrangement: File(\"a.csv\")");
        let still = group(", arrangement: File(\"a.csv\"), motion: Immovable");
        let built = setup(&format!("bodies: [{from_file}, {still}]"), folder.path()).unwrap();
        assert_eq!(built.solids.all().len(), 4);
        let (bodies, fixed) = (made(&built, 1), built.fixed.bodies());
        assert_eq!(bodies[0].shape, bodies[2].shape);
        // Whether a corner of `shape` is at `x` (m).
        let is_there = |shape: &Shape, place: Vec3, own: UnitQuaternion<f64>, x: Vec3| {
            let corners = built.solids.get(shape.solid().unwrap()).vertices().iter();
            corners.map(|v| (own * v + place - x).norm()).fold(1.0, f64::min) < 1e-12
        };
        let turns = [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]];
        for (k, factor) in [2.0_f64, 0.5, 2.0].into_iter().enumerate() {
            let (body, state, fixed) = (&bodies[k], &bodies[k].state, &fixed[k]);
            assert!((body.mass / (mass * factor.powi(3)) - 1.0).abs() < 1e-12);
            let expected = built.solids.mass_properties(&body.shape, 2500.0);
            assert_eq!((body.mass, body.inertia), (expected.mass, expected.inertia));
            let inertia = bodies[1].inertia * (2.0 * factor).powi(5);
            assert!((body.inertia - inertia).norm() < 1e-12 * inertia.norm());
            let [x, z] = turns[k];
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(1.0, x, 0.0, z));
            let FixedShape::Shape(still) = fixed.shape else { panic!("{:?}", fixed.shape) };
            for corner in corners {
                let x = state.position + turn * ((corner - centre) * factor);
                assert!(is_there(&body.shape, state.position, state.rotation, x), "{shape} {k}");
                let x = state.position + turn * (corner * factor);
                assert!(is_there(&still, fixed.position, fixed.rotation, x), "{shape} {k}");
            }
        }
        let grid = "Grid(count: (300, 200, 1), origin_m: (-0.9, -0.9, 0), spacing_m: 0.005)";
        let many = |sizes: &str| {
            let group = group(&format!(", arrangement: {grid}, sizes: {sizes}"));
            setup(&format!("bodies: [{group}]"), folder.path())
        };
        let same = many("Constant(0.1)").unwrap();
        assert_eq!((same.solids.all().len(), same.body_count()), (1, 60_000));
        let error = many("Uniform(min: 0.1, max: 0.2)").unwrap_err().to_string();
        assert!(error.contains("bodies[0].sizes: there are more than 50000 different"), "{error}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (fields, place, cause) in [
        (
            r#"bodies: [(shape: Sphere(radius_m: 0), material: "glass")]"#,
            "radius_m",
            "not positive",
        ),
        (r#"bodies: [(shape: Sphere(radius_m: NaN), material: "glass")]"#, "radius_m", "NaN"),
        (r#"bodies: [(shape: Sphere(radius_m: 1), material: "gras")]"#, "material", "`glass`"),
        (r#"bodies: [(shape: HalfSpace, material: "glass")]"#, "motion", "no mass"),
        (r#"bodies: [(shape: Hull("none.obj"), material: "glass")]"#, "none.obj", ""),
        (&format!("bodies: [({BALLS}, arrangement: At([(3, 0, 0)]))]"), "bodies[0]", "outside"),
        (
            &format!(
                "bodies: [({BALLS}, arrangement: Grid(count: (3, 1, 1), origin_m: (0, 0, 0), spacing_m: 0.9))]"
            ),
            "arrangement",
            "body 2 at (1.8, 0, 0) m is outside",
        ),
        (
            &format!(
                "bodies: [({BALLS}, arrangement: Random(count: 2000, min_m: (-1, -1, -1), max_m: (1, 1, 1)))]"
            ),
            "bodies[0].arrangement",
            "there are 1000 cells",
        ),
        (
            &format!(
                "bodies: [({BALLS}, arrangement: Grid(count: (4000000, 4000000, 4000000), spacing_m: 1e-9,
                 origin_m: (0, 0, 0)))]"
            ),
            "arrangement",
            "more than 4294967295",
        ),
        ("bodies: []", "cloths, bodies", "neither"),
        (&format!("bodies: [({BALLS}, motion: Immovable)]"), "bodies", "nothing to simulate"),
        (&format!("bodies: [({BALLS}, arrangement: At([]))]"), "bodies[0].arrangement", "no place"),
        (
            &format!(
                "bodies: [({BALLS}, arrangement: Random(count: 0, min_m: (0, 0, 0), max_m: (1, 1, 1)))]"
            ),
            "bodies[0].arrangement.count",
            "0 is not positive",
        ),
        (&format!("bodies: [({BALLS})], domain: (method: Grid(0, 1, 1))"), "domain.method", "0"),
        (
            &format!("bodies: [({BALLS})], obstacles: [(shape: Sphere(radius_m: 1))]"),
            "obstacles",
            "",
        ),
        (
            &format!(
                "bodies: [({BALLS}), ({BALLS}, motion: Immovable, velocity: Constant(m_per_s: (5, 0, 0)))]"
            ),
            "bodies[1].velocity",
            "cannot have a velocity",
        ),
        (
            &format!("bodies: [({BALLS}, angular_velocity_rad_per_s: (0, 1e5, 0))]"),
            "bodies[0].angular_velocity_rad_per_s",
            "rad in a time step",
        ),
        (
            &format!("bodies: [({BALLS}, name: \"wall_floor\")]"),
            "bodies[0].name",
            "a wall of the domain",
        ),
        (&format!("bodies: [({BALLS}, name: \"space\")]"), "bodies[0].name", "for joints"),
        (
            &format!(
                "bodies: [({BALLS})], material_pairs: [(materials: (\"glass\", \"glass\"), restitution: 0, friction: 0), \
                 (materials: (\"glass\", \"glass\"), restitution: 0, friction: 0)]"
            ),
            "material_pairs[1]",
            "is listed twice",
        ),
        (
            r#"bodies: [(shape: Sphere(radius_m: 1e-120), material: "glass")]"#,
            "bodies[0].shape",
            "are zero or not finite",
        ),
        (
            &format!(
                "bodies: [({BALLS}, arrangement: Random(count: 1, min_m: (0, 0, 0), max_m: (1, 0, 1)))]"
            ),
            "bodies[0].arrangement.max_m",
            "0 is not above 0",
        ),
    ] {
        let message = message(fields);
        assert!(message.contains(place) && message.contains(cause), "{fields}: {message}");
    }
}

#[test]
fn a_body_on_the_upper_border_of_a_period_is_made_once_on_any_ranks() {
    for place in ["At([(1, 0.5, 1), (-0.5, 0, 1)])", "File(\"border.csv\")"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("border.csv"), "x,y,z\n1,0.5,1\n-0.5,0,1\n").unwrap();
        for method in ["Grid(2, 1, 3)", "PowerCells"] {
            let fields = format!(
                "bodies: [({BALLS}, arrangement: {place})],
                 domain: (borders: (Periodic, Wall, Periodic), method: {method})"
            );
            let setup = setup(&fields, folder.path()).unwrap();
            for ranks in [1, 2, 4, 8] {
                let ids = Vec::from_iter(made(&setup, ranks).iter().map(|body| body.id));
                assert_eq!(ids, [0, 1], "{method} {ranks}");
            }
        }
    }
}

#[test]
fn an_overlapping_start_names_both_bodies_and_how_deep_they_overlap() {
    let fields =
        format!("bodies: [({BALLS}, arrangement: At([(0, 0, 0), (0.5, 0, 0), (0.5, 0.15, 0)]))]");
    let setup = setup(&fields, Path::new(".")).unwrap();
    let messages = in_process::run(3, |world| {
        let mut balancer = Balancer::new(setup.spec.repartition)?;
        let divided = setup.divide(3, &mut balancer)?;
        let bodies = setup.bodies_of(world.rank(), &divided);
        let model = std::sync::Arc::new(setup.model(&divided));
        let mut simulation = RigidSimulation::new(model, divided.rank_of, bodies, world, 1)?;
        let deepest = simulation.deepest_overlap_now()?;
        Ok(setup.check_start(deepest.as_ref()).unwrap_err().to_string())
    });
    for message in messages.unwrap() {
        assert!(message.contains("sphere[1] overlaps sphere[2] by 5.000e-2 m, 50 %"), "{message}");
    }
}

//! From a checked scene to meshes, pins and motions.

use std::path::Path;

use crate::bodies::cloth::setup::{ClothSetup, Material, Pin};
use crate::bodies::keyframes::{Keyframe, Transform};
use crate::bodies::prescribed::ObstacleSetup;
use crate::bodies::{Setup, keyframes};
use crate::error::{Error, Result};
use crate::math::{Vec3, rotation};
use crate::mesh::{Surface, shapes};
use crate::scene::rest::rest_planes;
use crate::scene::spec::{Cloth, Motion, Obstacle, Placement, Scene, Select, Shape};

/// Reads and generates everything that `scene` names. Mesh paths are relative to
/// `scene_dir`; each triangle of a cloth is cut into `refine` x `refine`.
///
/// # Errors
/// A mesh that is missing or unsound, a pin that names no vertex, rest lengths
/// from texture coordinates that are absent.
pub fn build(scene: &Scene, scene_dir: &Path, refine: usize) -> Result<Setup> {
    let mut setup = Setup::default();
    for (i, cloth) in scene.cloths.iter().enumerate() {
        setup.cloths.push(build_cloth(cloth, &format!("cloths[{i}]"), scene_dir, refine)?);
    }
    for (i, obstacle) in scene.obstacles.iter().enumerate() {
        setup.obstacles.push(build_obstacle(obstacle, &format!("obstacles[{i}]"), scene_dir)?);
    }
    Ok(setup)
}

fn build_cloth(cloth: &Cloth, at: &str, scene_dir: &Path, refine: usize) -> Result<ClothSetup> {
    let coarse = surface(&cloth.shape, at, scene_dir)?;
    let k = u32::try_from(refine).unwrap_or(u32::MAX);
    let unrefined = (0..coarse.document.positions.len() as u32).map(|vertex| [vertex; 3]);
    let (surface, origins) = if k > 1 { coarse.refined(k)? } else { (coarse, unrefined.collect()) };
    let local = &surface.document.positions;
    let transform = cloth.transform.resolve();
    let rest: Vec<Vec3> = local.iter().map(|position| position * transform.scale).collect();
    let positions: Vec<Vec3> = local.iter().map(|position| transform.apply(*position)).collect();
    let rest_planes = rest_planes(cloth, &surface, &rest, at)?;
    let mut pins = Vec::new();
    for (i, pin) in cloth.pins.iter().enumerate() {
        let at = format!("{at}.pins[{i}].select");
        pins.push(Pin {
            vertices: select(&pin.select, &surface, &positions, &origins, &at)?,
            start_s: pin.start_s,
            end_s: pin.end_s.unwrap_or(f64::INFINITY),
            motion: pin.motion.as_ref().map(Motion::resolve),
        });
    }
    let material = Material {
        mass_damping_per_s: cloth.damping.mass_per_s,
        stiffness_damping_s: cloth.damping.stiffness_s,
        ..cloth.material.resolve(&format!("{at}.material"))?
    };
    Ok(ClothSetup {
        name: cloth.name.clone().unwrap_or_else(|| at.to_owned()),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        rest,
        rest_planes,
        positions,
        material,
        pins,
    })
}

fn build_obstacle(obstacle: &Obstacle, at: &str, scene_dir: &Path) -> Result<ObstacleSetup> {
    let surface = surface(&obstacle.shape, at, scene_dir)?;
    Ok(ObstacleSetup {
        name: obstacle.name.clone().unwrap_or_else(|| at.to_owned()),
        faces: surface.faces,
        topology: surface.topology,
        shape: surface.document.positions.clone(),
        document: surface.document,
        placement: obstacle.transform.resolve(),
        motion: obstacle.motion.as_ref().map(Motion::resolve),
    })
}

fn surface(shape: &Shape, at: &str, scene_dir: &Path) -> Result<Surface> {
    // Loading fills in the edges; a scene made by hand may lack them.
    let edge = |edge_m: Option<f64>, default: f64| edge_m.unwrap_or(default);
    let mesh = match *shape {
        Shape::Mesh(ref path) => {
            return Surface::read(&scene_dir.join(path)).map_err(|error| match error {
                Error::File { path, cause, .. } => {
                    let remedy = format!(
                        "check {at}.shape; a mesh's path is relative to the scene file's folder, {}",
                        scene_dir.display()
                    );
                    Error::file(path, cause, remedy)
                }
                other => other,
            });
        }
        Shape::Sheet { width_m, length_m, columns, rows, diagonal } => {
            shapes::sheet(width_m, length_m, columns, rows, diagonal)
        }
        Shape::Disc { radius_m, rings } => shapes::disc(radius_m, rings),
        Shape::Sphere { radius_m, edge_m } => {
            shapes::sphere(radius_m, edge(edge_m, radius_m / 12.0))
        }
        Shape::Box { size_m, edge_m } => {
            shapes::cuboid(size_m.into(), edge(edge_m, Vec3::from(size_m).max()))
        }
        Shape::Plane { width_m, length_m, edge_m } => {
            shapes::plane(width_m, length_m, edge(edge_m, width_m.max(length_m)))
        }
        Shape::Capsule { radius_m, length_m, edge_m } => {
            shapes::capsule(radius_m, length_m, edge(edge_m, radius_m / 12.0))
        }
        Shape::Cylinder { radius_m, length_m, edge_m } => {
            shapes::cylinder(radius_m, length_m, edge(edge_m, radius_m / 12.0))
        }
    };
    Surface::from_mesh(mesh).map_err(|error| match error {
        Error::Input { cause, .. } => Error::input(
            format!("{at}.shape"),
            format!("these sizes give no sound mesh: {cause}"),
            "choose sizes and edges of similar magnitude",
        ),
        other => other,
    })
}

impl Placement {
    fn resolve(&self) -> Transform {
        Transform {
            scale: self.scale,
            rotation: rotation(self.axis.into(), self.angle_deg),
            translation: self.translation_m.into(),
        }
    }
}

impl Motion {
    fn resolve(&self) -> keyframes::Motion {
        let keyframe = |key: &super::spec::Keyframe| Keyframe {
            time_s: key.time_s,
            translation: key.translation_m.into(),
            axis: key.axis.into(),
            angle_deg: key.angle_deg,
        };
        keyframes::Motion {
            center: self.center_m.into(),
            keyframes: self.keyframes.iter().map(keyframe).collect(),
        }
    }
}

/// The vertices that `choice` names, sorted; `origins` are those of refinement.
fn select(
    choice: &Select,
    surface: &Surface,
    positions: &[Vec3],
    origins: &[[u32; 3]],
    at: &str,
) -> Result<Vec<u32>> {
    let all = 0..positions.len() as u32;
    let nothing = |cause: String, remedy: String| Err(Error::input(at, cause, remedy));
    match choice {
        Select::Vertices(list) => {
            // The old vertices are those that lie at one old vertex.
            let count = origins
                .iter()
                .filter(|origin| origin[0] == origin[1] && origin[1] == origin[2])
                .count();
            if let Some(missing) = list.iter().find(|&&vertex| vertex as usize >= count) {
                let cause = format!("the pin names vertex {missing}, but the cloth has {count}");
                return nothing(cause, format!("choose from 0 to {}", count - 1));
            }
            if list.is_empty() {
                return nothing(
                    "the pin names no vertex".to_owned(),
                    "list at least one".to_owned(),
                );
            }
            let listed: std::collections::HashSet<u32> = list.iter().copied().collect();
            let chosen = |&v: &u32| origins[v as usize].iter().all(|old| listed.contains(old));
            Ok(all.filter(chosen).collect())
        }
        Select::Box { min_m, max_m } => {
            let inside = |&vertex: &u32| {
                (0..3).all(|i| (min_m[i]..=max_m[i]).contains(&positions[vertex as usize][i]))
            };
            let chosen: Vec<u32> = all.filter(inside).collect();
            if chosen.is_empty() {
                let (low, high) = bounds(positions);
                let cause = "the pin names no vertex: none lies in its box".to_owned();
                let remedy = format!("the cloth starts between {low} and {high}; move the box");
                return nothing(cause, remedy);
            }
            Ok(chosen)
        }
        Select::Nearest(point) => {
            let distance =
                |&vertex: &u32| (positions[vertex as usize] - Vec3::from(*point)).norm_squared();
            let nearest = all.min_by(|a, b| distance(a).total_cmp(&distance(b)));
            Ok(nearest.into_iter().collect())
        }
        Select::Group(name) => {
            let document = &surface.document;
            let mut chosen = Vec::new();
            for (group, polygons) in document.group_polygons() {
                if group.name.as_deref() == Some(name) {
                    let corners =
                        polygons.flat_map(|polygon| &document.corners[document.polygon(polygon)]);
                    chosen.extend(corners.map(|corner| corner.vertex));
                }
            }
            chosen.sort_unstable();
            chosen.dedup();
            if chosen.is_empty() {
                let known: Vec<&str> =
                    document.groups.iter().filter_map(|g| g.name.as_deref()).collect();
                let cause = format!("the pin names no vertex: the mesh has no group `{name}`");
                return nothing(cause, super::bounds::did_you_mean(name, &known));
            }
            Ok(chosen)
        }
    }
}

/// Lower and upper corner of all positions, for people.
fn bounds(positions: &[Vec3]) -> (String, String) {
    let first = positions.first().copied().unwrap_or_default();
    let low = positions.iter().fold(first, |low, p| low.inf(p));
    let high = positions.iter().fold(first, |high, p| high.sup(p));
    let text = |v: Vec3| format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z);
    (text(low), text(high))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::scene::load::parse;

    pub fn setup(cloth: &str, obj: &str, refine: usize) -> Result<Setup> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.obj"), obj).unwrap();
        let text = format!("(cloths: [(material: Fabric(\"cotton\"), {cloth})])");
        build(&parse(&text, "s.ron")?, folder.path(), refine)
    }

    /// Two unit squares in the plane z = 0 with a turned texture on the first.
    pub const SQUARES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n\
        vt 0 0\nvt 0 -1\nvt 1 -1\nvt 1 0\ng left\nf 1/1 2/2 3/3 4/4\ng right\nf 2 5 6 3\n";

    #[test]
    fn pins_name_vertices_also_when_refined() {
        let pins = "shape: Mesh(\"m.obj\"), transform: (translation_m: (0, 0, 3)), pins: [
            (select: Vertices([3, 0])), (select: Nearest((2.1, 1.2, 3))), (select: Group(\"right\")),
            (select: Box(min_m: (0.9, -1, 2), max_m: (1.1, 2, 4)), start_s: 1, end_s: 2)]";
        let chosen = |refine| {
            let built = setup(pins, SQUARES, refine).unwrap();
            built.cloths[0].pins.iter().map(|pin| pin.vertices.len()).collect::<Vec<_>>()
        };
        let built = setup(pins, SQUARES, 1).unwrap();
        let pins = &built.cloths[0].pins;
        assert_eq!((&pins[0].vertices[..], &pins[1].vertices[..]), (&[0, 3][..], &[5][..]));
        assert_eq!(
            (&pins[2].vertices[..], &pins[3].vertices[..]),
            (&[1, 2, 4, 5][..], &[1, 2][..])
        );
        assert_eq!((pins[0].end_s, pins[3].start_s, pins[3].end_s), (f64::INFINITY, 1.0, 2.0));
        assert_eq!(chosen(1), [2, 1, 4, 2]);
        assert_eq!(chosen(2), [3, 1, 9, 3]);
    }

    #[test]
    fn pins_and_meshes_that_name_nothing_are_refused() {
        for (cloth, place, cause) in [
            (
                "shape: Mesh(\"m.obj\"), pins: [(select: Vertices([6]))]",
                "cloths[0].pins[0].select",
                "vertex 6, but the cloth has 6",
            ),
            (
                "shape: Mesh(\"m.obj\"), pins: [(select: Vertices([]))]",
                "cloths[0].pins[0].select",
                "names no vertex",
            ),
            (
                "shape: Mesh(\"m.obj\"), pins: [(select: Group(\"lef\"))]",
                "cloths[0].pins[0].select",
                "did you mean `left`",
            ),
            (
                "shape: Mesh(\"m.obj\"), pins: [(select: Box(min_m: (5, 5, 5), max_m: (6, 6, 6)))]",
                "pins[0].select",
                "(2.0000, 1.0000, 0.0000)",
            ),
            ("shape: Mesh(\"none.obj\")", "none.obj", "check cloths[0].shape"),
        ] {
            let message = setup(cloth, SQUARES, 1).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{cloth}: {message}");
        }
    }

    #[test]
    fn the_scenes_of_the_project_build() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
        let built = |name: &str| {
            let scene = crate::scene::load::load(&folder.join(name)).unwrap();
            build(&scene, &folder, 1).unwrap()
        };
        let tablecloth = &built("tablecloth.ron").cloths[0];
        assert_eq!((tablecloth.name.as_str(), tablecloth.positions.len()), ("tablecloth", 14_033));
        // A disc of 1 m, seen from above, 1 cm above the sphere.
        let twice: f64 = tablecloth.rest_planes.iter().map(|plane| plane.x1.perp(&plane.x2)).sum();
        assert!((twice / std::f64::consts::TAU - 1.0).abs() < 1e-4);
        assert!(tablecloth.positions.iter().all(|p| (p.y - 1.0 / 3.0 - 0.01).abs() < 1e-15));
        assert!(tablecloth.faces.iter().all(|face| {
            let [a, b, c] = face.map(|vertex| tablecloth.positions[vertex as usize]);
            (b - a).cross(&(c - a)).y > 0.0
        }));
        assert_eq!(built("sheet.ron").cloths[0].pins[0].vertices, [0, 20]);
        let wind = built("wind.ron");
        assert_eq!(wind.cloths[0].pins[0].vertices.len(), 13);
        assert!(!wind.obstacles[0].is_fixed());
    }
}

//! Builds what a checked scene of cloth has: cloths with their materials, pins and loads, and what
//! they meet.

use std::path::Path;

use crate::apart::kept_apart;
use crate::attach::{Attached, attachments};
use crate::bodies::among_cloth;
use crate::distances::DistanceTable;
use crate::imperfection::add_imperfections;
use crate::loads::build_loads;
use crate::maps::{InFile, factors};
use crate::obstacles::build_obstacles;
use crate::pattern::Pattern;
use crate::pins::{build_pins, follow};
use crate::rest::rest_planes;
use crate::seams::{Sewn, seams};
use crate::select::Candidates;
use crate::spec::{Cloth, Polygons, Rest, Scene};
use crate::surfaces::{check_places, surface};
use crate::touch::touch;
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::material::Material;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_core::error::{Error, Result};
use cloth_core::ids::NONE;
use cloth_core::math::Vec3;
use cloth_core::mesh::triangulate::into_triangles;
use cloth_core::mesh::{Faces, SurfaceMesh};

/// Reads and generates the meshes of `scene` and builds its bodies. Mesh paths are relative to
/// `scene_dir`.
///
/// # Errors
/// A mesh that is missing or unsound, too many triangles after refinement, a pin or load without a
/// vertex,
/// rest lengths from texture coordinates that the mesh does not have, positions that are too far.
pub fn build(scene: &Scene, scene_dir: &Path) -> Result<Setup> {
    build_if(scene, scene_dir, |_| Ok(()))
}

/// As [`build`], if `may_refine` returns no error. It gets the number of all triangles of cloth
/// before they are refined.
///
/// # Errors
/// Those of [`build`] and of `may_refine`.
pub fn build_if(
    scene: &Scene,
    scene_dir: &Path,
    may_refine: impl FnOnce(usize) -> Result<()>,
) -> Result<Setup> {
    let mut setup = Setup::default();
    let (mut coarse, mut triangles) = (Vec::new(), 0);
    for (i, cloth) in scene.cloths.iter().enumerate() {
        let at = format!("cloths[{i}]");
        let surface = surface(&cloth.shape, Faces::Manifold, &at, scene_dir)?;
        triangles += surface.faces.len();
        coarse.push((cloth, at, surface));
    }
    may_refine(triangles)?;
    setup.obstacles = build_obstacles(scene, scene_dir)?;
    let (mut attached, mut sewn) = (Vec::new(), Vec::new());
    for (number, (cloth, at, surface)) in coarse.into_iter().enumerate() {
        let Built { setup: built, attached: lists, sewn: of_cloth } =
            build_cloth(scene, cloth, surface, &at, scene_dir)?;
        setup.cloths.push(built);
        sewn.push(of_cloth);
        let lists = lists.into_iter().enumerate();
        attached.extend(lists.map(|(entry, vertices)| Attached { cloth: number, entry, vertices }));
    }
    let distances = DistanceTable::new(scene)?;
    scene.check_factors(&setup, &distances)?;
    let bodies = among_cloth::add(scene, scene_dir, &distances, &mut setup)?;
    follow(scene, &mut setup)?;
    setup.attachments = attachments(scene, &setup, &attached)?;
    setup.seams = seams(scene, &setup, &sewn, &distances)?;
    add_imperfections(scene, &mut setup);
    setup.touch = touch(scene, &bodies, distances)?;
    setup.kept_apart = kept_apart(scene, &setup)?;
    if scene.output.polygons == Polygons::Triangles {
        let cloths = setup.cloths.iter_mut().map(|cloth| &mut cloth.document);
        let documents = cloths.chain(setup.obstacles.iter_mut().map(|it| &mut it.document));
        documents.for_each(|document| *document = into_triangles(std::mem::take(document)));
    }
    Ok(setup)
}

/// A cloth, and what holds it beside pins.
struct Built {
    setup: ClothSetup,
    /// The vertices that each of its entries of `attach` selects.
    attached: Vec<Vec<u32>>,
    sewn: Sewn,
}

fn build_cloth(
    scene: &Scene,
    cloth: &Cloth,
    mut coarse: SurfaceMesh,
    at: &str,
    scene_dir: &Path,
) -> Result<Built> {
    let refine = scene.refine;
    let in_file = InFile::new(&mut coarse, refine);
    let lines = std::mem::take(&mut coarse.document.lines);
    coarse.document.smooth_by_default();
    let pattern = match &cloth.rest {
        Rest::Obj(path) => {
            let pattern = Pattern::read(path, &cloth.shape, &coarse, at, scene_dir)?;
            Some(if refine > 1 { pattern.refined(refine) } else { pattern })
        }
        _ => None,
    };
    let unrefined = (0..coarse.document.positions.len() as u32).map(|vertex| [vertex; 3]);
    let (surface, origins) =
        if refine > 1 { coarse.refined(refine)? } else { (coarse, unrefined.collect()) };
    let local = &surface.document.positions;
    let transform = cloth.transform.resolve();
    let rest: Vec<Vec3> = local.iter().map(|position| position * transform.scale).collect();
    let positions: Vec<Vec3> = local.iter().map(|position| transform.apply(*position)).collect();
    check_places(positions.iter(), at)?;
    let rest_planes = rest_planes(cloth, &surface, &rest, pattern.as_ref(), at)?;
    let candidates = Candidates { surface: &surface, positions: &positions, origins: &origins };
    let pins = build_pins(cloth, &in_file, &candidates, at, scene_dir)?;
    let loads = build_loads(cloth, &candidates, at)?;
    let attached = cloth.attach.iter().enumerate();
    let attached = attached
        .map(|(i, it)| candidates.select(&it.select, &format!("{at}.attach[{i}].select")))
        .collect::<Result<_>>()?;
    let folds = build_folds(cloth, &candidates, at)?;
    let sewn = Sewn::new(scene, cloth.name.as_deref(), lines, &candidates)?;
    let mut material = Material {
        mass_damping_per_s: cloth.damping.mass_per_s,
        stiffness_damping_s: cloth.damping.stiffness_s,
        strain_limit: cloth.strain_limit,
        ..cloth.material.resolve(&format!("{at}.material"))?
    };
    let factors = factors(cloth, &in_file, &candidates, &mut material, at, scene_dir)?;
    let setup = ClothSetup {
        name: cloth.name.clone().unwrap_or_else(|| at.to_owned()),
        faces: surface.faces,
        topology: surface.topology,
        document: surface.document,
        rest,
        is_flat: cloth.rest != Rest::Shape,
        folds,
        sewn: Vec::new(),
        rest_planes,
        positions,
        material,
        factors,
        pins,
        loads,
    };
    Ok(Built { setup, attached, sewn })
}

/// The edges whose both ends a fold selects. The first fold of an edge counts.
fn build_folds(cloth: &Cloth, candidates: &Candidates, at: &str) -> Result<Vec<([u32; 2], f64)>> {
    let mut folds = Vec::new();
    for (i, fold) in cloth.folds.iter().enumerate() {
        let at = format!("{at}.folds[{i}].select");
        let chosen = candidates.select(&fold.select, &at)?;
        let topology = &candidates.surface.topology;
        let edges = topology.edges.iter().zip(&topology.edge_faces);
        let before = folds.len();
        folds.extend(edges.filter_map(|(&edge, faces)| {
            let is_chosen = edge.iter().all(|vertex| chosen.binary_search(vertex).is_ok());
            (is_chosen && faces[1] != NONE).then_some((edge, fold.angle_deg.to_radians()))
        }));
        if folds.len() == before {
            let cause = "it selects no edge between two faces";
            return Err(Error::input(at, cause, "select both ends of the edges of the fold"));
        }
    }
    folds.sort_by_key(|(edge, _)| *edge);
    folds.dedup_by_key(|(edge, _)| *edge);
    Ok(folds)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::load::parse;

    pub fn setup(cloth: &str, obj: &str, refine: u32) -> Result<Setup> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.obj"), obj).unwrap();
        let text = format!("(refine: {refine}, cloths: [(material: Fabric(\"cotton\"), {cloth})])");
        build(&parse(&text, "s.ron")?, folder.path())
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
            (
                "shape: Mesh(\"m.obj\"), transform: (scale: 9e5)",
                "cloths[0].transform",
                "1800000 m is out of bounds",
            ),
            (
                "shape: Disc(radius_m: 1, rings: 1), pins: [(select: Group(\"a\"))]",
                "cloths[0].pins[0].select",
                "the mesh has no groups; select by Vertices, Box or Nearest",
            ),
        ] {
            let message = setup(cloth, SQUARES, 1).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{cloth}: {message}");
        }
    }

    #[test]
    fn the_scenes_of_the_project_build() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let built = |name: &str| {
            let scene = crate::load::load(&folder.join(name)).unwrap();
            build(&scene, &folder).unwrap()
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

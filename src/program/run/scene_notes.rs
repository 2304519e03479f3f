//! What `info` says about the objects of a scene: their sizes, how fine they are beside the contact
//! distance, obstacles that are finer than all cloth, and lines of meshes that nothing sews.

use cloth_core::error::Result;
use cloth_core::mesh::shapes::Shape;
use cloth_core::mesh::{Faces, SurfaceMesh};
use cloth_scene::Scene;
use cloth_scene::spec::Stitches;
use cloth_step::ObjectSize;

use crate::program::run::Job;
use crate::program::words::{grouped, plural, plural_grouped, significant};

/// An obstacle with more triangles, and more than all cloth together, is worth a word.
const MANY: usize = 10_000;

/// The notes about the scene of `job`, with these `objects`.
///
/// # Errors
/// A mesh that cannot be read any more.
pub(super) fn notes(job: &Job, objects: &[ObjectSize]) -> Result<Vec<String>> {
    let mut notes = fine_obstacles(&job.scene, objects);
    notes.extend(unused_lines(job)?);
    Ok(notes)
}

/// Obstacles with more triangles than all cloth, and what makes them coarser.
fn fine_obstacles(scene: &Scene, objects: &[ObjectSize]) -> Vec<String> {
    let of = |kind: &'static str| objects.iter().filter(move |it| it.kind == kind);
    let of_cloth: usize = of("cloth").map(|it| it.triangles).sum();
    let fine = of("obstacle").filter(|it| it.triangles > MANY.max(of_cloth));
    let note = |it: &ObjectSize| {
        let triangles = grouped(it.triangles as u64);
        let than = grouped(of_cloth as u64);
        format!(
            "`{}` has {triangles} triangles, all cloth {than}; a coarser one is faster{}",
            it.name,
            coarser(scene, &it.name)
        )
    };
    fine.map(note).collect()
}

/// What makes the obstacle `name` coarser.
fn coarser(scene: &Scene, name: &str) -> String {
    let is_own = |name_of: &Option<String>| name_of.as_deref() == Some(name);
    let Some(place) = scene.obstacles.iter().position(|it| is_own(&it.name)) else {
        return String::new();
    };
    let edge_m = match &scene.obstacles[place].shape {
        Shape::Mesh(_) => return ": export its mesh with fewer faces".to_owned(),
        Shape::Sphere(it) => it.edge_m,
        Shape::Box(it) => it.edge_m,
        Shape::Plane(it) => it.edge_m,
        Shape::Capsule(it) => it.edge_m,
        Shape::Cylinder(it) => it.edge_m,
        Shape::Sheet(_) | Shape::Disc(_) | Shape::Tube(_) => None,
    };
    match edge_m {
        None => format!(": make the divisions of obstacles[{place}].shape fewer"),
        Some(edge_m) => {
            let twice = significant(2.0 * edge_m);
            format!("; --set 'obstacles[{place}].shape.edge_m={twice}' makes a quarter of them")
        }
    }
}

/// Meshes of cloth with lines that no seam names.
fn unused_lines(job: &Job) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for cloth in &job.scene.cloths {
        let (Shape::Mesh(path), Some(name)) = (&cloth.shape, &cloth.name) else { continue };
        let is_own = |stitches: &Stitches| matches!(stitches, Stitches::Lines(it) if it == name);
        if job.scene.seams.iter().any(|seam| is_own(&seam.stitches)) {
            continue;
        }
        let mesh = SurfaceMesh::read(&job.input.home.join(path), Faces::Manifold)?;
        let lines = mesh.document.lines.len();
        if lines > 0 {
            notes.push(format!(
                "the mesh of `{name}` has {} (`l`) that no seam sews; `seams: [(stitches: \
                 Lines(\"{name}\"))]` does",
                plural(lines, "line")
            ));
        }
    }
    Ok(notes)
}

/// Objects beyond this number are not listed for people.
const LISTED: usize = 8;

/// The line of an object, whose name is `width` wide.
fn line(of: &ObjectSize, width: usize) -> String {
    let vertices = plural_grouped(of.vertices as u64, "vertex");
    let mass = of.mass_kg.map(|it| format!(", {} kg", significant(it))).unwrap_or_default();
    let edges = of.edges_m.map(|it| it.map(|it| significant(1e3 * it)));
    let edges = edges.map_or(String::new(), |[shortest, median, longest]| {
        format!(", edges {median} mm ({shortest} to {longest})")
    });
    let triangles = match of.mass_kg {
        None => format!(", {}", plural_grouped(of.triangles as u64, "triangle")),
        Some(_) => String::new(),
    };
    let (name, kind) = (&of.name, of.kind);
    // A ball is a vertex, and a capsule an edge.
    if of.vertices <= 2 {
        return format!("  {name:<width$}  {kind}, round");
    }
    format!("  {name:<width$}  {kind}, {vertices}{triangles}{mass}{edges}")
}

/// For people: a line for each of the first objects, and what is unusual about their edges
/// beside the contact distance `distance_m` (m).
pub(super) fn lines(objects: &[ObjectSize], distance_m: f64) -> Vec<String> {
    let width = objects.iter().take(LISTED).map(|it| it.name.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::from_iter(objects.iter().take(LISTED).map(|it| line(it, width)));
    if objects.len() > LISTED {
        lines.push(format!("  and {} more", plural(objects.len() - LISTED, "object")));
    }
    let distance_mm = significant(1e3 * distance_m);
    lines.push(format!("  contact distance {distance_mm} mm"));
    let fine =
        |it: &&ObjectSize| it.edges_m.is_some_and(|[_, median, _]| median < 2.0 * distance_m);
    let note = |it: &ObjectSize| {
        [
            format!("  note: most edges of `{}` are shorter than two contact distances.", it.name),
            "        A smaller contact.distance_m lets it fold as finely as its mesh".to_owned(),
        ]
    };
    lines.extend(objects.iter().filter(fine).flat_map(note));
    lines
}

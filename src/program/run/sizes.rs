//! The objects of a scene of cloth, and how fine they are beside the contact distance.

use cloth_step::ObjectSize;

use crate::program::words::{plural, plural_grouped, significant};

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

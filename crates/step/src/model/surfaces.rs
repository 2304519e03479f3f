//! The surfaces of all bodies, for collision.

use std::sync::Arc;

use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_bodies::bodies::numbering::BodyRange;
use cloth_bodies::bodies::{Body, Numbering, Setup};
use cloth_collision::collision::{Moves, Surface, Surfaces, with_culling};
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::mesh::Topology;
use cloth_core::partition::Patches;

/// The surfaces of cloths, bodies and obstacles, and the length (m) of the shortest edge at each
/// vertex. Flat regions of cloth are culled.
///
/// # Errors
/// When the faces of a body are no surface.
pub(crate) fn build(
    setup: &Setup,
    bodies: &[Arc<dyn Body>],
    numbering: &Numbering,
    patches: &Patches,
) -> Result<(Surfaces, Vec<f64>)> {
    let (mut surfaces, mut shortest_edges) = (Vec::<Surface>::new(), Vec::new());
    let end = |surfaces: &[Surface]| surfaces.last().map_or(0, |it| it.vertices().end) as VertexId;
    for cloth in &setup.cloths {
        surfaces.push(cloth_surface(cloth, end(&surfaces), patches));
        add_shortest_edges(&cloth.topology, &cloth.rest, &mut shortest_edges);
    }
    for (body, range) in bodies.iter().zip(numbering.bodies()) {
        let body = body.as_ref();
        surfaces.push(match body.radius_m() {
            0.0 => body_surface(body, range, patches, &mut shortest_edges)?,
            radius_m => round_surface(body, radius_m, range, patches, &mut shortest_edges),
        });
    }
    for obstacle in &setup.obstacles {
        let first = end(&surfaces);
        let (faces, topology, shape) = (&obstacle.faces, &obstacle.topology, &obstacle.shape);
        let surface = Surface::new(first, faces, topology, shape, None, Moves::Prescribed);
        surfaces.push(surface);
        let placed = Vec::from_iter(obstacle.placed());
        add_shortest_edges(topology, &placed, &mut shortest_edges);
    }
    Ok((Surfaces::new(surfaces), shortest_edges))
}

/// Adds the length of the shortest edge at each vertex of a surface whose vertices lie at `x` (m).
fn add_shortest_edges(topology: &Topology, x: &[Vec3], all: &mut Vec<f64>) {
    let mut shortest = vec![f64::INFINITY; x.len()];
    for &[a, b] in &topology.edges {
        let length = (x[b as usize] - x[a as usize]).norm();
        for vertex in [a, b] {
            shortest[vertex as usize] = length.min(shortest[vertex as usize]);
        }
    }
    all.append(&mut shortest);
}

/// The surface of a cloth whose vertices begin at `first`.
fn cloth_surface(cloth: &ClothSetup, first: VertexId, patches: &Patches) -> Surface {
    let (faces, topology, rest) = (&cloth.faces, &cloth.topology, &cloth.rest);
    let of_vertex = &patches.of_vertex[first as usize..][..rest.len()];
    let parts = Some((of_vertex, patches.len()));
    let surface = Surface::new(first, faces, topology, rest, parts, Moves::Deforms);
    with_culling(surface, rest)
}

/// The surface of a body of triangles. All of it belongs to the patch of the body's nodes.
fn body_surface(
    body: &dyn Body,
    range: &BodyRange,
    patches: &Patches,
    shortest_edges: &mut Vec<f64>,
) -> Result<Surface> {
    let topology = Topology::new(body.faces()).map_err(|_| {
        let place = format!("the body `{}`", body.name());
        let cause = "an edge of its surface has more than two faces";
        Error::input(place, cause, "give it a surface that is a manifold")
    })?;
    let shape = vertices_at_start(body);
    add_shortest_edges(&topology, &shape, shortest_edges);
    let patch = patches.of_vertex[range.nodes.start as usize];
    let of_vertex = vec![patch; shape.len()];
    let parts = Some((of_vertex.as_slice(), patches.len()));
    let first = range.vertices.start;
    Ok(Surface::rigid(first, body.faces(), &topology, &shape, parts))
}

/// The surface of a round body. It belongs to the patch of its nodes. Its radius counts as an edge.
fn round_surface(
    body: &dyn Body,
    radius_m: f64,
    range: &BodyRange,
    patches: &Patches,
    shortest_edges: &mut Vec<f64>,
) -> Surface {
    let ends = vertices_at_start(body);
    shortest_edges.resize(shortest_edges.len() + ends.len(), radius_m);
    let of_vertex = vec![patches.of_vertex[range.nodes.start as usize]; ends.len()];
    let parts = Some((of_vertex.as_slice(), patches.len()));
    Surface::round(range.vertices.start, &ends, radius_m, parts, Moves::Rigid)
}

/// The vertices of a body at t = 0, m.
fn vertices_at_start(body: &dyn Body) -> Vec<Vec3> {
    let mut x = vec![Vec3::zeros(); body.vertex_count()];
    body.place(&body.start().0, &mut x);
    x
}

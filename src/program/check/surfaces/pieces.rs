//! The objects of a run: their triangles and rest lengths.

use cloth_bodies::bodies::{Body as _, Setup};
use cloth_core::error::Result;
use cloth_core::mesh::{Faces, ObjDocument, SurfaceMesh, Topology};

use crate::program::check::surfaces::Quad;
use crate::program::output::formats::Piece;

/// The triangles and rest lengths of one object.
pub struct PieceMesh {
    /// Triangles. Vertices are numbered in the object.
    pub faces: Vec<[u32; 3]>,
    /// The edges of the triangles.
    pub topology: Topology,
    /// The rest length of each edge, m. Empty for all but cloths.
    pub rest_lengths: Vec<f64>,
    /// Its quadrilaterals.
    pub quads: Vec<Quad>,
}

/// Triangulates the polygons of `piece`. Its lengths count as rest lengths, if it is a cloth.
///
/// # Errors
/// A mesh that is not sound.
pub fn mesh(piece: &Piece, is_cloth: bool) -> Result<PieceMesh> {
    let meet = if is_cloth { Faces::Manifold } else { Faces::Any };
    let SurfaceMesh { document, faces, topology, .. } =
        SurfaceMesh::new(piece.document.clone(), &piece.lines, meet)?;
    let length = |&[a, b]: &[u32; 2]| {
        (document.positions[a as usize] - document.positions[b as usize]).norm()
    };
    let edges = topology.edges.iter().filter(|_| is_cloth);
    let (rest_lengths, quads) = (edges.map(length).collect(), Quad::all(&document, &faces));
    Ok(PieceMesh { faces, topology, rest_lengths, quads })
}

/// Whether two documents have the same polygons.
fn same_polygons(one: &ObjDocument, other: &ObjDocument) -> bool {
    let vertices = |document: &ObjDocument| -> Vec<u32> {
        document.corners.iter().map(|corner| corner.vertex).collect()
    };
    one.polygon_ends == other.polygon_ends && vertices(one) == vertices(other)
}

/// The meshes of all pieces, from the scene, and the names of those that have other polygons in the
/// frames.
///
/// # Errors
/// A piece that has another number of vertices.
pub fn meshes_of_scene(
    setup: Setup,
    pieces: &[Piece],
) -> std::result::Result<(Vec<PieceMesh>, Vec<String>), String> {
    let (mut meshes, mut others) = (Vec::new(), Vec::new());
    let mut add = |name: &str, document: &ObjDocument, mesh: PieceMesh| {
        let piece = pieces.get(meshes.len()).map(|piece| &piece.document);
        let piece = piece.filter(|it| it.positions.len() == document.positions.len());
        meshes.push(mesh);
        let piece = piece.ok_or_else(|| format!("{name} has another number of vertices"))?;
        others.extend((!same_polygons(piece, document)).then(|| name.to_owned()));
        Ok::<(), String>(())
    };
    for cloth in setup.cloths {
        let rest_lengths = cloth.rest_lengths().collect();
        let (faces, topology) = (cloth.faces, cloth.topology);
        let quads = Quad::all(&cloth.document, &faces);
        add(&cloth.name, &cloth.document, PieceMesh { faces, topology, rest_lengths, quads })?;
    }
    for body in &setup.bodies {
        let faces = body.shown_faces().to_vec();
        let (topology, document) = (Topology::of_any(&faces), body.document());
        let mesh = PieceMesh { faces, topology, rest_lengths: Vec::new(), quads: Vec::new() };
        add(body.name(), &document, mesh)?;
    }
    let (fixed, moving): (Vec<_>, Vec<_>) =
        setup.obstacles.into_iter().partition(|obstacle| obstacle.is_fixed());
    for obstacle in moving.into_iter().chain(fixed) {
        let (faces, topology) = (obstacle.faces, obstacle.topology);
        let quads = Quad::all(&obstacle.document, &faces);
        let mesh = PieceMesh { faces, topology, rest_lengths: Vec::new(), quads };
        add(&obstacle.name, &obstacle.document, mesh)?;
    }
    Ok((meshes, others))
}

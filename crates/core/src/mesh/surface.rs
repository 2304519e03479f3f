//! A checked mesh of a surface: a document with its triangles and their edges.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::mesh::doubled::{doubled_faces, keep};
use crate::mesh::obj::{Corner, Group, ObjDocument};
use crate::mesh::obj_read::Lines;
use crate::mesh::refine::subdivide;
use crate::mesh::topology::{NonManifoldEdge, Topology};
use crate::mesh::triangulate::{cut_polygons, fans, regrouped};
use crate::mesh::{Mesh, obj_read};
use crate::{Error, NONE, Place, Result, Vec3};

/// How the faces of a mesh may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faces {
    /// As a manifold, consistently oriented, with every vertex at a face. Cloth needs it.
    Manifold,
    /// In any way. It is enough for an obstacle, which only prescribes where others cannot be.
    Any,
}

/// A mesh in two forms that share their vertices: a document for the frames, triangles for the
/// simulation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Triangles and quadrilaterals, seams and groups. Quadrilaterals are cut from their first to
    /// their third corner.
    pub document: ObjDocument,
    /// Its triangles. Each has vertices of its own: of copies only the first is here.
    pub faces: Vec<[u32; 3]>,
    /// Places of each triangle's corners in `document.corners`.
    pub face_corners: Vec<[u32; 3]>,
    /// The polygon of the file that each triangle is a part of.
    pub face_polygons: Vec<u32>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
}

impl SurfaceMesh {
    /// Reads the OBJ file at `path`, whose `faces` may meet so.
    ///
    /// # Errors
    /// As for [`obj_read::read`]. With its line: no faces, a degenerate face. Of a manifold also an
    /// edge that is not manifold or not consistently oriented, a vertex without a face.
    pub fn read(path: &Path, faces: Faces) -> Result<Self> {
        let (document, lines) = obj_read::read(path)?;
        Self::new(document, &lines, faces)
    }

    /// Triangulates and checks `document`, whose faces may `meet` so. Messages name its `lines`.
    ///
    /// # Errors
    /// As for [`SurfaceMesh::read`].
    pub fn new(document: ObjDocument, lines: &Lines, meet: Faces) -> Result<Self> {
        if document.polygon_ends.is_empty() {
            let remedy = "export the mesh with its faces (lines that begin with `f`)";
            return Err(Error::input(Place::line(&lines.file), "the mesh has no faces", remedy));
        }
        check_corners(&document, lines)?;
        let (document, origins) =
            cut_polygons(document).map_err(|polygon| degenerate(lines, polygon))?;
        let (mut face_corners, polygons) = fans(&document);
        let mut face_polygons =
            Vec::from_iter(polygons.iter().map(|&polygon| origins[polygon as usize]));
        let mut faces: Vec<[u32; 3]> = face_corners
            .iter()
            .map(|places| places.map(|place| document.corners[place as usize].vertex))
            .collect();
        for (face, &polygon) in faces.iter().zip(&face_polygons) {
            if is_degenerate(&document, face) {
                return Err(degenerate(lines, polygon as usize));
            }
        }
        let topology = match meet {
            Faces::Manifold => {
                let topology = Topology::new(&faces).map_err(|edge| {
                    let polygon = face_polygons[edge.face as usize];
                    twice(&document, &origins, lines).unwrap_or_else(|| {
                        non_manifold(lines, edge, lines.polygons[polygon as usize])
                    })
                })?;
                check_isolated(&document, lines)?;
                topology
            }
            Faces::Any => {
                let is_first = first_of_copies(&faces);
                keep(&mut faces, &is_first);
                keep(&mut face_corners, &is_first);
                keep(&mut face_polygons, &is_first);
                Topology::of_any(&faces)
            }
        };
        Ok(Self { document, faces, face_corners, face_polygons, topology })
    }

    /// Checks a generated mesh.
    ///
    /// # Errors
    /// As for [`SurfaceMesh::read`], without a line. Sizes of very different magnitude can give a
    /// degenerate face.
    pub fn from_mesh(mesh: Mesh) -> Result<Self> {
        let document = ObjDocument::from_triangles(mesh.positions, &mesh.faces);
        let lines = Lines {
            file: "generated mesh".to_owned(),
            vertices: (1..).take(document.positions.len()).collect(),
            polygons: (1..).take(mesh.faces.len()).collect(),
            ..Lines::default()
        };
        Self::new(document, &lines, Faces::Manifold)
    }

    /// Keeps only the triangles of the polygons of `document` that stay. The document stays as it is.
    pub fn keep_polygons(&mut self, stays: &[bool]) {
        let polygon_of = |place| self.document.polygon_ends.partition_point(|&end| end <= place);
        let stay = self.face_corners.iter().map(|corners| stays[polygon_of(corners[0])]);
        let stay = Vec::from_iter(stay);
        keep(&mut self.faces, &stay);
        keep(&mut self.face_corners, &stay);
        keep(&mut self.face_polygons, &stay);
        self.topology = Topology::of_any(&self.faces);
    }

    /// Cuts each triangle into `k` x `k`. Old vertices keep their numbers. Polygons become
    /// triangles, and seams, groups and names are kept. The second result gives the old vertices
    /// that each vertex lies between. An old vertex has itself three times.
    ///
    /// # Errors
    /// More than `u32::MAX` vertices or faces.
    pub fn refined(&self, k: u32) -> Result<(Self, Vec<[u32; 3]>)> {
        let old = &self.document;
        let too_many = || {
            let cause = format!("{} triangles cut into {k} x {k} are too many", self.faces.len());
            Error::input(Place::Refinement, cause, "choose a smaller factor")
        };
        let count = (self.faces.len() as u64).saturating_mul(u64::from(k) * u64::from(k));
        if count > u64::from(u32::MAX / 3) {
            return Err(too_many());
        }
        let fine = subdivide(&old.positions, &self.faces, k);
        // Faces without texture coordinates stay without.
        let textured = |face: &&[u32; 3]| face.iter().all(|&t| t != NONE);
        let texcoord = |&place: &u32| old.corners[place as usize].texcoord;
        let old_uv: Vec<[u32; 3]> = self
            .face_corners
            .iter()
            .map(|places| [0, 1, 2].map(|i| texcoord(&places[i])))
            .collect();
        let with_uv: Vec<[u32; 3]> = old_uv.iter().filter(textured).copied().collect();
        let fine_uv = subdivide(&old.texcoords, &with_uv, k);

        let mut document = ObjDocument::from_triangles(fine.points, &fine.faces);
        document.texcoords = fine_uv.points;
        let per_face = (k * k) as usize;
        let mut uv = fine_uv.faces.iter().flatten();
        for (corners, face) in document.corners.chunks_mut(3 * per_face).zip(&old_uv) {
            if textured(&face) {
                let set = |(corner, &texcoord): (&mut Corner, &u32)| corner.texcoord = texcoord;
                corners.iter_mut().zip(&mut uv).for_each(set);
            }
        }
        document.groups = self.groups_of_faces(per_face as u32);
        document.libraries = old.libraries.clone();
        let topology = Topology::new(&fine.faces).map_err(|_| too_many())?;
        let face_corners = (0..fine.faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
        let refined = Self {
            face_corners: face_corners.collect(),
            face_polygons: (0..fine.faces.len() as u32).collect(),
            faces: fine.faces,
            document,
            topology,
        };
        Ok((refined, fine.origins))
    }

    /// The document's groups when each triangle becomes `per_face` polygons.
    fn groups_of_faces(&self, per_face: u32) -> Vec<Group> {
        let mut groups = regrouped(&self.document.groups, &fans(&self.document).1);
        groups.iter_mut().for_each(|group| group.end *= per_face);
        groups
    }
}

/// Of each face whether no face before it has the same vertices. With a copy, each pair of a vertex
/// and this face would count twice.
fn first_of_copies(faces: &[[u32; 3]]) -> Vec<bool> {
    let sorted = |face: &[u32; 3]| {
        let mut face = *face;
        face.sort_unstable();
        face
    };
    let mut seen = HashSet::with_capacity(faces.len());
    faces.iter().map(|face| seen.insert(sorted(face))).collect()
}

fn check_corners(document: &ObjDocument, lines: &Lines) -> Result<()> {
    for (polygon, &line) in lines.polygons.iter().enumerate() {
        let mut vertices: Vec<u32> =
            document.corners[document.polygon(polygon)].iter().map(|c| c.vertex).collect();
        vertices.sort_unstable();
        if let Some(pair) = vertices.windows(2).find(|pair| pair[0] == pair[1]) {
            let cause = format!("degenerate face: it names vertex {} twice", pair[0] + 1);
            return Err(lines.error(line, cause, DEGENERATE));
        }
    }
    Ok(())
}

const DEGENERATE: &str =
    "remove degenerate faces in a modeller (Blender: Mesh > Clean Up > Degenerate Dissolve)";

fn degenerate(lines: &Lines, polygon: usize) -> Error {
    let cause = "degenerate face: it has no area, or it crosses itself";
    lines.error(lines.polygons[polygon], cause, DEGENERATE)
}

fn is_degenerate(document: &ObjDocument, face: &[u32; 3]) -> bool {
    has_no_area(face.map(|vertex| document.positions[vertex as usize]))
}

/// True if the height of a triangle over its longest edge is below 1e-8 of that edge.
pub fn has_no_area([a, b, c]: [Vec3; 3]) -> bool {
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    let twice_area = (b - a).cross(&(c - a)).norm();
    twice_area <= 1e-8 * longest || !twice_area.is_finite() || !longest.is_finite()
}

/// The error about faces that are there twice, where `origins` are the polygons of the file of which those
/// of `document` are parts. None if there are none.
fn twice(document: &ObjDocument, origins: &[u32], lines: &Lines) -> Option<Error> {
    let all = doubled_faces(document, origins);
    let [line, first] = all.first()?.map(|polygon| lines.polygons[polygon as usize]);
    let [face, other] = all.first()?.map(|polygon| polygon + 1);
    let more = match all.len() {
        1 => String::new(),
        count => format!(", and so on: {count} faces in all"),
    };
    let cause = format!("face {face} has the vertices of face {other} (line {first}){more}");
    let remedy = "`cloth-sim mesh FILE --weld --out NEW` leaves out what is there twice";
    Some(lines.error(line, cause, remedy))
}

fn non_manifold(lines: &Lines, edge: NonManifoldEdge, line: u32) -> Error {
    let [a, b] = edge.vertices.map(|vertex| vertex + 1);
    let [line_a, line_b] = edge.vertices.map(|vertex| lines.vertices[vertex as usize]);
    let ends = format!("between vertices {a} and {b} (lines {line_a} and {line_b})");
    if edge.flipped {
        let cause = format!("two faces at the edge {ends} disagree about which side is the front");
        let remedy =
            "make the orientation consistent (Blender: Mesh > Normals > Recalculate Outside)";
        lines.error(line, cause, remedy)
    } else {
        let cause = format!("non-manifold edge {ends}: more than two faces meet there");
        let remedy = "remove the extra faces (Blender: Select > All by Trait > Non Manifold)";
        lines.error(line, cause, remedy)
    }
}

fn check_isolated(document: &ObjDocument, lines: &Lines) -> Result<()> {
    let mut used = vec![false; document.positions.len()];
    for corner in &document.corners {
        used[corner.vertex as usize] = true;
    }
    let Some(vertex) = used.iter().position(|&used| !used) else {
        return Ok(());
    };
    let loose = || (0..).zip(&used).filter(|(_, used)| !**used).map(|(vertex, _): (u32, _)| vertex);
    let mut sewn = HashMap::<u32, usize>::new();
    document.lines.iter().flatten().for_each(|&end| *sewn.entry(end).or_default() += 1);
    let error = |vertex: u32, what: &str, remedy| {
        let cause = format!("isolated vertex: no face uses vertex {}{what}", vertex + 1);
        Err(lines.error(lines.vertices[vertex as usize], cause, remedy))
    };
    let Some(vertex) = loose().find(|vertex| sewn.contains_key(vertex)) else {
        let remedy = match document.lines.is_empty() {
            true => "remove loose vertices (Blender: Mesh > Clean Up > Delete Loose)",
            false => {
                "remove it (Blender: select it alone, X > Vertices; Delete Loose would delete the \
                      lines too)"
            }
        };
        return error(vertex as u32, "", remedy);
    };
    let count = loose().filter(|vertex| sewn.contains_key(vertex)).count();
    let more = if count == 1 { String::new() } else { format!("; {count} vertices are like this") };
    if sewn[&vertex] == 1 {
        let what = format!(", and a line (`l`) ends there{more}");
        let remedy = "let the line end at a vertex of a face, or remove it with this vertex";
        return error(vertex, &what, remedy);
    }
    let what = format!(", and a sewing line (`l`) goes through it{more}");
    let remedy = "let the line go straight from face to face: dissolve the vertex (Blender: X > Dissolve \
                  Vertices); Delete Loose would delete all sewing lines";
    error(vertex, &what, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(text: &str) -> Result<SurfaceMesh> {
        let (document, lines) = obj_read::parse(text.as_bytes(), "m.obj")?;
        SurfaceMesh::new(document, &lines, Faces::Manifold)
    }

    #[test]
    fn unsound_meshes_are_refused_with_their_line() {
        let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
        for (tail, place, cause) in [
            ("", "m.obj: ", "no faces"),
            ("f 1 2 3\nf 1 2 1\n", "m.obj:6", "names vertex 1 twice"),
            ("f 1 2 3 4\nv 0 2 0\nf 1 3 5\n", "m.obj:7", "no area"),
            (
                "f 1 2 3\nf 2 1 4\nv 5 5 5\nf 1 2 5\n",
                "m.obj:8",
                "non-manifold edge between vertices 1 and 2 (lines 1 and 2)",
            ),
            ("f 1 2 3\nf 1 2 4\n", "m.obj:6", "disagree about which side"),
            (
                "f 1 2 4\nf 1 2 3\nf 3 1 2\n",
                "m.obj:7",
                "face 3 has the vertices of face 2 (line 6)",
            ),
            (
                "f 1 2 3 4\nf 4 3 2 1\nf 3 4 1 2\n",
                "m.obj:6",
                "of face 1 (line 5), and so on: 2 faces",
            ),
            ("f 1 2 3\n", "m.obj:4", "isolated vertex: no face uses vertex 4"),
            ("f 1 2 3\nl 1 4 2\n", "m.obj:4", "vertex 4, and a sewing line (`l`) goes through it"),
            ("f 1 2 3\nl 1 4\n", "m.obj:4", "vertex 4, and a line (`l`) ends there"),
        ] {
            let message = surface(&format!("{head}{tail}")).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{tail}: {message}");
            assert!(message.contains("help: "));
        }
    }

    #[test]
    fn faces_that_meet_in_any_way_are_kept_once() {
        // A fin, a flipped neighbour, a copy of each orientation, a loose vertex.
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 5 5\nv 0 -1 0\n\
            f 1 2 3\nf 1 2 4\nf 2 3 1\nf 1 2 6\nf 4 2 1\n";
        let (document, lines) = obj_read::parse(text.as_bytes(), "m.obj").unwrap();
        let surface = SurfaceMesh::new(document.clone(), &lines, Faces::Any).unwrap();
        assert_eq!(surface.faces, [[0, 1, 2], [0, 1, 3], [0, 1, 5]]);
        assert_eq!(surface.face_polygons, [0, 1, 3]);
        assert_eq!(surface.face_corners, [[0, 1, 2], [3, 4, 5], [9, 10, 11]]);
        assert_eq!(surface.topology.edges.len(), 7);
        assert_eq!(surface.document, document, "all of it is written");
    }

    #[test]
    fn refinement_keeps_old_vertices_seams_groups_and_area() {
        // Two quads with a seam along their common edge, and a face without vt.
        let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 3 0 0\n\
            vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt .5 .5\nvt .6 .5\n\
            g a\nf 1/1 2/2 3/3 4/4\ng b\nf 2/1 5/2 6/5 3/6\nf 5 7 6\n";
        let coarse = surface(text).unwrap();
        let (fine, origins) = coarse.refined(3).unwrap();
        assert_eq!(fine.faces.len(), 9 * 5);
        assert_eq!(fine.document.positions[..7], coarse.document.positions[..]);
        // Euler: edges * (k - 1) + faces * (k - 1)(k - 2) / 2 new vertices.
        let new = coarse.topology.edges.len() * 2 + coarse.faces.len();
        assert_eq!(fine.document.positions.len(), 7 + new);
        assert_eq!(origins.len(), 7 + new);
        assert_eq!(fine.document.groups.iter().map(|g| g.end).collect::<Vec<_>>(), [18, 45]);
        let corner = fine.document.corners;
        assert!(corner[..36 * 3].iter().all(|c| c.texcoord != NONE));
        assert!(corner[36 * 3..].iter().all(|c| c.texcoord == NONE));
        // Six, two on each of nine texture edges, one in each of four triangles.
        assert_eq!(fine.document.texcoords.len(), 28);
        let area = |s: &SurfaceMesh| -> f64 {
            let p = &s.document.positions;
            let twice = |f: &[u32; 3]| {
                let [a, b, c] = f.map(|v| p[v as usize]);
                (b - a).cross(&(c - a)).z
            };
            s.faces.iter().map(twice).sum()
        };
        let (refined, _) = coarse.refined(3).unwrap();
        assert!((area(&refined) - area(&coarse)).abs() < 1e-12);
    }
}

//! The triangles around a hinge, unfolded into one plane.

use smallvec::SmallVec;

use cloth_core::mesh::Topology;
use cloth_core::{FaceId, NONE, Vec2};

/// The rest shapes of all triangles, and how they meet.
pub(super) struct RestSheet<'a> {
    /// Edges and adjacency.
    pub topology: &'a Topology,
    /// Corners 1 and 2 of each face relative to corner 0, m. The axes may be left-handed.
    pub in_plane: &'a [[Vec2; 2]],
    /// The hinge opposite to each corner, or [`NONE`] at a boundary edge.
    pub face_hinges: &'a [[u32; 3]],
    /// Which faces are held; empty if none is.
    pub held: &'a [bool],
}

/// A hinge in the plane: an edge and the apexes of its two triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kite {
    /// Which hinge it is.
    pub hinge: u32,
    /// Both ends of the edge. The first apex lies to the left of it, the second to the right.
    pub ends: [Vec2; 2],
    /// Both apexes.
    pub apexes: [Vec2; 2],
    /// Which of its triangles are held: not both.
    pub held: [bool; 2],
}

/// A triangle in the plane, counter-clockwise.
#[derive(Debug, Clone, Copy)]
struct Placed {
    face: FaceId,
    corners: [Vec2; 3],
}

/// The kites of the hinges around one hinge, ring after ring. Each is unfolded from the triangle
/// that reached it first, so lengths are those of the rest shape even where the sheet is curved.
pub(super) struct Unfolded<'a> {
    sheet: &'a RestSheet<'a>,
    faces: SmallVec<[Placed; 8]>,
    /// How many of the faces have all their kites.
    complete: usize,
    kites: SmallVec<[Kite; 16]>,
}

/// The corner of `face` that lies opposite to one of its edges.
pub(in crate::bodies::cloth) fn corner_opposite(
    topology: &Topology,
    face: FaceId,
    edge: u32,
) -> usize {
    topology.face_edges[face as usize].iter().position(|&e| e == edge).unwrap_or(0)
}

impl RestSheet<'_> {
    /// Whether a face is held.
    pub fn is_held(&self, face: FaceId) -> bool {
        self.held.get(face as usize).is_some_and(|is_held| *is_held)
    }

    /// The corners of a face, counter-clockwise.
    fn shape(&self, face: FaceId) -> [Vec2; 3] {
        counter_clockwise(self.in_plane[face as usize])
    }

    /// The face across the edge opposite to `corner` of `placed`, beside it in the plane, and its
    /// corner opposite to that edge.
    fn across(&self, placed: &Placed, corner: usize) -> Option<(Placed, usize)> {
        let face = self.topology.across(placed.face, corner);
        if face == NONE {
            return None;
        }
        let edge = self.topology.face_edges[placed.face as usize][corner];
        let apex = corner_opposite(self.topology, face, edge);
        let edge = [1, 2].map(|next| placed.corners[(corner + next) % 3]);
        Some((Placed { face, corners: beside(edge, self.shape(face), apex) }, apex))
    }
}

/// The corners of a triangle, whose corners 1 and 2 are given relative to corner 0.
pub(in crate::bodies::cloth) fn counter_clockwise([x1, x2]: [Vec2; 2]) -> [Vec2; 3] {
    // Texture coordinates may be mirrored.
    let side = if x1.perp(&x2) < 0.0 { -1.0 } else { 1.0 };
    [Vec2::zeros(), Vec2::new(x1.x, side * x1.y), Vec2::new(x2.x, side * x2.y)]
}

/// The triangle `own` to the right of an edge, with its corner `apex` opposite to it. The triangle
/// keeps its height and the place of its foot along the edge.
pub(in crate::bodies::cloth) fn beside(
    [start, end]: [Vec2; 2],
    own: [Vec2; 3],
    apex: usize,
) -> [Vec2; 3] {
    let along = own[(apex + 2) % 3] - own[(apex + 1) % 3];
    let to_apex = own[apex] - own[(apex + 1) % 3];
    let foot = along.dot(&to_apex) / along.norm_squared();
    let height = along.perp(&to_apex) / along.norm();
    let along = end - start;
    let outward = Vec2::new(along.y, -along.x) / along.norm();
    let mut corners = [Vec2::zeros(); 3];
    corners[apex] = end - along * foot + outward * height;
    corners[(apex + 1) % 3] = end;
    corners[(apex + 2) % 3] = start;
    corners
}

impl<'a> Unfolded<'a> {
    /// The hinge of `edge` and the other hinges of its two faces. The kite of `edge` is the first
    /// one, and its first apex belongs to the lower face.
    pub fn around(sheet: &'a RestSheet<'a>, edge: u32) -> Self {
        let [low, _] = sheet.topology.edge_faces[edge as usize];
        let mut unfolded =
            Self { sheet, faces: SmallVec::new(), complete: 0, kites: SmallVec::new() };
        let low = Placed { face: low, corners: sheet.shape(low) };
        unfolded.faces.push(low);
        unfolded.add_kite(low, corner_opposite(sheet.topology, low.face, edge));
        unfolded.grow();
        unfolded
    }

    /// The kites so far.
    pub fn kites(&self) -> &[Kite] {
        &self.kites
    }

    /// Adds the hinges of all faces that touch the present ones along an edge.
    pub fn grow(&mut self) {
        for at in self.complete..self.faces.len() {
            for corner in 0..3 {
                self.add_kite(self.faces[at], corner);
            }
            self.complete = at + 1;
        }
    }

    /// Adds the hinge opposite to `corner` of a face, and the face behind it, unless they are there.
    fn add_kite(&mut self, placed: Placed, corner: usize) {
        let hinge = self.sheet.face_hinges[placed.face as usize][corner];
        if hinge == NONE || self.kites.iter().any(|kite| kite.hinge == hinge) {
            return;
        }
        let Some((other, apex)) = self.sheet.across(&placed, corner) else { return };
        let held = [placed.face, other.face].map(|face| self.sheet.is_held(face));
        if held == [true; 2] {
            return;
        }
        self.kites.push(Kite {
            hinge,
            ends: [1, 2].map(|next| placed.corners[(corner + next) % 3]),
            apexes: [placed.corners[corner], other.corners[apex]],
            held,
        });
        if self.faces.iter().all(|face| face.face != other.face) {
            self.faces.push(other);
        }
    }
}

impl Kite {
    /// Length of the edge, m.
    pub fn length(&self) -> f64 {
        (self.ends[1] - self.ends[0]).norm()
    }

    /// The longest side squared over four times the area, of the worse triangle: 1 if it is half of
    /// a square, large if it is long or flat.
    pub fn width(&self) -> f64 {
        let [a, b] = self.ends;
        let of = |c: Vec2| {
            let sides = [b - a, c - a, c - b].map(|side| side.norm_squared());
            let longest = sides.into_iter().fold(0.0, f64::max);
            longest / (2.0 * (b - a).perp(&(c - a)).abs())
        };
        of(self.apexes[0]).max(of(self.apexes[1]))
    }
}

//! The matrix of all hinges, from the stiffness of triangles and the rotations of edges.

use smallvec::{SmallVec, smallvec};

use crate::bodies::cloth::elements::bending::fit::rotation_from_angles;
use crate::bodies::cloth::elements::bending::morley::edge_stiffness;
use crate::bodies::cloth::elements::bending::rows::HingeRows;
use crate::bodies::cloth::elements::bending::unfold::{RestSheet, Unfolded};
use crate::bodies::cloth::material::BendingStiffness;
use cloth_core::mesh::Topology;
use cloth_core::{FaceId, Mat3, NONE, Vec2, Vec3};

/// What the matrix of hinges is made of: `S = B^T diag(M_T) B`. The rows of B give the rotation of
/// each edge against each of its two triangles from the angles of all hinges.
pub struct BendingFactors {
    /// How far the tangent plane at each hinge leans, from the angles of the hinges around.
    leans: HingeRows,
    /// Morley's stiffness of each face, N m.
    plates: Vec<Mat3>,
    face_hinges: Vec<[u32; 3]>,
    /// The faces of each hinge, the lower one first.
    hinge_faces: Vec<[FaceId; 2]>,
}

impl BendingFactors {
    /// From the rest shape; the arguments are those of [`super::HingedSheet::with_clamps`].
    pub fn new(
        topology: &Topology,
        in_plane: &[[Vec2; 2]],
        stiffness: impl Fn(FaceId) -> BendingStiffness,
        held: &[bool],
    ) -> Self {
        let face_hinges = face_hinges(topology);
        let sheet = RestSheet { topology, in_plane, face_hinges: &face_hinges, held };
        let edges = (0..).zip(&topology.edge_faces);
        let interior = edges.filter(|(_, faces)| faces[1] != NONE);
        let mut leans = HingeRows::with_capacity(topology.edges.len(), 0);
        let mut hinge_faces = Vec::with_capacity(topology.edges.len());
        for (edge, &faces) in interior {
            hinge_faces.push(faces);
            let is_soft = faces.map(&stiffness) == [BendingStiffness::ZERO; 2];
            let own = hinge_faces.len() as u32 - 1;
            let lean = match faces.map(|face| sheet.is_held(face)) {
                _ if is_soft => SmallVec::new(),
                [true, true] => SmallVec::new(),
                // The held face is the tangent plane.
                [true, false] => smallvec![(own, -0.5)],
                [false, true] => smallvec![(own, 0.5)],
                [false, false] => rotation_from_angles(Unfolded::around(&sheet, edge)),
            };
            leans.push(lean.into_iter());
        }
        let plate = |(face, hinges): (usize, &[u32; 3])| match stiffness(face as FaceId) {
            BendingStiffness::ZERO => Mat3::zeros(),
            _ if sheet.is_held(face as FaceId) => Mat3::zeros(),
            d => edge_stiffness(in_plane[face], hinges.map(|hinge| hinge == NONE), d),
        };
        let plates = face_hinges.iter().enumerate().map(plate).collect();
        Self { leans, plates, face_hinges, hinge_faces }
    }

    /// Bending energy (J) of one face, at the angles (rad) of all hinges beyond their rest angles.
    pub fn face_energy(&self, face: FaceId, angles: &[f64]) -> f64 {
        let rotation = |hinge: u32| match self.hinge_faces.get(hinge as usize) {
            Some(faces) => {
                let lean = self.leans.times(hinge, angles);
                0.5 * angles[hinge as usize] + if faces[0] == face { lean } else { -lean }
            }
            None => 0.0,
        };
        let rotations = Vec3::from(self.face_hinges[face as usize].map(rotation));
        0.5 * rotations.dot(&(self.plates[face as usize] * rotations))
    }

    /// S, N m: symmetric to the bit, with rising columns.
    pub fn stiffness(&self) -> HingeRows {
        let leaning = self.leans.transposed();
        let hinges = self.hinge_faces.len();
        let mut stiffness = HingeRows::with_capacity(hinges, 16 * hinges);
        let mut place = vec![NONE; hinges];
        for hinge in 0..hinges as u32 {
            let mut row: Row = Row { entries: SmallVec::new(), place: &mut place };
            for (other, [low, high]) in self.moments_of(&leaning, hinge) {
                row.add(other, 0.5 * (low + high));
                for (column, lean) in self.leans.row(other) {
                    row.add(column, (low - high) * lean);
                }
            }
            stiffness.push(row.finish().into_iter());
        }
        stiffness.shrink_to_fit();
        stiffness.symmetrise();
        stiffness
    }

    /// The moments (N m) of the lower and the higher face on the hinges around, for a unit angle of
    /// `hinge`. `leaning` has the leans that depend on each hinge.
    fn moments_of(&self, leaning: &HingeRows, hinge: u32) -> SmallVec<[(u32, [f64; 2]); 32]> {
        let mut rotations: SmallVec<[(FaceId, Vec3); 16]> = SmallVec::new();
        let mut turn = |hinge: u32, angles: [f64; 2]| {
            for (face, angle) in self.hinge_faces[hinge as usize].into_iter().zip(angles) {
                let corner = self.face_hinges[face as usize].iter().position(|&h| h == hinge);
                let known = rotations.iter().position(|&(known, _)| known == face);
                let at = known.unwrap_or_else(|| {
                    rotations.push((face, Vec3::zeros()));
                    rotations.len() - 1
                });
                rotations[at].1[corner.unwrap_or(0)] += angle;
            }
        };
        turn(hinge, [0.5; 2]);
        leaning.row(hinge).for_each(|(other, lean)| turn(other, [lean, -lean]));
        let mut moments: SmallVec<[(u32, [f64; 2]); 32]> = SmallVec::new();
        for (face, rotation) in rotations {
            let plate = &self.plates[face as usize];
            let of_face = plate * rotation;
            for (corner, &other) in self.face_hinges[face as usize].iter().enumerate() {
                if other == NONE || plate[(corner, corner)] == 0.0 {
                    continue;
                }
                let side = usize::from(self.hinge_faces[other as usize][0] != face);
                let known = moments.iter().position(|&(known, _)| known == other);
                let at = known.unwrap_or_else(|| {
                    moments.push((other, [0.0; 2]));
                    moments.len() - 1
                });
                moments[at].1[side] += of_face[corner];
            }
        }
        moments
    }
}

/// A row in the making.
struct Row<'a> {
    entries: SmallVec<[(u32, f64); 64]>,
    /// Where each column stands among the entries, or [`NONE`].
    place: &'a mut [u32],
}

impl Row<'_> {
    fn add(&mut self, column: u32, value: f64) {
        let place = &mut self.place[column as usize];
        if *place == NONE {
            *place = self.entries.len() as u32;
            self.entries.push((column, 0.0));
        }
        self.entries[*place as usize].1 += value;
    }

    /// The entries by rising column.
    fn finish(mut self) -> SmallVec<[(u32, f64); 64]> {
        self.entries.iter().for_each(|&(column, _)| self.place[column as usize] = NONE);
        self.entries.sort_unstable_by_key(|&(column, _)| column);
        self.entries
    }
}

/// The hinge opposite to each corner of each face, or [`NONE`] at a boundary edge. Hinges are
/// numbered in the order of edges.
pub(super) fn face_hinges(topology: &Topology) -> Vec<[u32; 3]> {
    let mut next = 0;
    let number = |[_, high]: &[FaceId; 2]| match *high {
        NONE => NONE,
        _ => {
            next += 1;
            next - 1
        }
    };
    let of_edge: Vec<u32> = topology.edge_faces.iter().map(number).collect();
    topology.face_edges.iter().map(|edges| edges.map(|edge| of_edge[edge as usize])).collect()
}

//! Where a segment crosses a closed surface. Each crossing is found exactly once, whatever the
//! rounding.
//!
//! Space is sheared so that the segment becomes the third axis (Woop, Benthin & Wald 2013). The
//! line then crosses a triangle if the triangle's projection along that axis winds around the
//! origin. The test counts the edges that cross a ray from the origin. Both triangles of an edge
//! get the same bits. So a whole line has an even number of crossings: it enters as often as it
//! leaves.

use smallvec::SmallVec;

use crate::solid::ClosedMesh;
use cloth_core::Vec3;

/// Crossings coincide if their shares differ by at most this.
const SAME: f64 = 1e-9;

/// Where a segment crosses a triangle.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    /// Share of the segment's length.
    share: f64,
    leaves: bool,
}

/// Sheared coordinates in which a segment is the third axis.
struct Shear {
    start: Vec3,
    /// The axis along which the segment is longest, then the two others in cyclic order.
    axes: [usize; 3],
    /// The segment's signed length along the first of `axes`, m, and its slopes along the others.
    length: f64,
    slopes: [f64; 2],
}

impl ClosedMesh {
    /// The parts of a segment that are inside the surface, from and to, as shares of its length. A
    /// segment that does not cross the surface has none, even if it lies inside.
    pub fn inside(&self, segment: &[Vec3; 2]) -> SmallVec<[[f64; 2]; 2]> {
        let crossings = self.crossings(segment);
        let mut shares: SmallVec<[f64; 8]> = SmallVec::new();
        // At an edge of the surface a segment may leave and enter at one place, in either order.
        // Then it does not begin inside.
        let begins_inside = crossings.first().is_some_and(|first| {
            first.leaves && crossings.get(1).is_none_or(|next| next.share - first.share > SAME)
        });
        if begins_inside {
            shares.push(0.0);
        }
        shares.extend(crossings.iter().map(|crossing| crossing.share));
        if shares.len() % 2 == 1 {
            shares.push(1.0);
        }
        shares.chunks_exact(2).map(|two| [two[0], two[1]]).collect()
    }

    /// The crossings of a segment, sorted by share.
    fn crossings(&self, segment: &[Vec3; 2]) -> SmallVec<[Crossing; 8]> {
        let mut crossings = SmallVec::new();
        let Some(shear) = Shear::along(segment) else { return crossings };
        self.near_box(&segment[0].inf(&segment[1]), &segment[0].sup(&segment[1]), |face| {
            let crossing = shear.crossing(self.mesh().faces[face as usize], |v| {
                shear.seen(&self.mesh().positions[v as usize])
            });
            crossings.extend(crossing.filter(|it| (0.0..=1.0).contains(&it.share)));
        });
        crossings
            .sort_unstable_by(|a, b| a.share.total_cmp(&b.share).then(a.leaves.cmp(&b.leaves)));
        crossings
    }
}

impl Shear {
    /// `None` if the segment has no length.
    fn along(segment: &[Vec3; 2]) -> Option<Self> {
        let along = segment[1] - segment[0];
        let axis = along.iamax();
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        let length = along[axis];
        let slopes = [along[axes[1]] / length, along[axes[2]] / length];
        (length != 0.0).then_some(Self { start: segment[0], axes, length, slopes })
    }

    /// A point in sheared coordinates: two across the segment, m, and its share of the segment's
    /// length.
    fn seen(&self, x: &Vec3) -> [f64; 3] {
        let [z, u, v] = self.axes.map(|axis| x[axis] - self.start[axis]);
        [u - self.slopes[0] * z, v - self.slopes[1] * z, z / self.length]
    }

    /// Where the segment's line crosses a face. `seen` gives a vertex in sheared coordinates.
    fn crossing(&self, face: [u32; 3], seen: impl Fn(u32) -> [f64; 3]) -> Option<Crossing> {
        let corners = face.map(&seen);
        // Edges that cross the ray along the first coordinate upwards, minus those downwards.
        let mut upwards: i32 = 0;
        let mut weights = [0.0; 3];
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (p, q) = (corners[i], corners[j]);
            // The vertex with the lower number comes first, so both triangles get the same bits.
            let cross = if face[i] < face[j] { cross(p, q) } else { -cross(q, p) };
            weights[(i + 2) % 3] = cross;
            let (is_up, is_down) = (p[1] <= 0.0 && q[1] > 0.0, p[1] > 0.0 && q[1] <= 0.0);
            upwards += i32::from(is_up && cross > 0.0) - i32::from(is_down && cross < 0.0);
        }
        if upwards == 0 {
            return None;
        }
        let [low, high] = corners
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x[2]), b.max(x[2])]);
        let sum: f64 = weights.iter().sum();
        let share: f64 = corners.iter().zip(weights).map(|(x, weight)| x[2] * weight).sum();
        let share = if sum == 0.0 { 0.5 * (low + high) } else { share / sum };
        // The normal of a face that turns counter-clockwise points along the axis.
        let leaves = (upwards > 0) == (self.length > 0.0);
        Some(Crossing { share: share.clamp(low, high), leaves })
    }
}

fn cross(p: [f64; 3], q: [f64; 3]) -> f64 {
    p[0] * q[1] - p[1] * q[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::mesh::shapes::{Cuboid, ShapeKind};
    use cloth_core::mix;

    fn random(k: u64) -> f64 {
        (mix(k.wrapping_mul(0x9e37_79b9)) >> 11) as f64 / (1u64 << 51) as f64 - 2.0
    }

    fn random_point(k: u64) -> Vec3 {
        Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2))
    }

    /// A cube from -1 to 1.
    fn cube(edge_m: Option<f64>) -> ClosedMesh {
        let mut mesh = Cuboid { size_m: [2.0; 3], edge_m }.mesh();
        let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
        mesh.positions.iter_mut().for_each(|x| *x -= middle);
        ClosedMesh::new(mesh, 1e-9)
    }

    /// The part of a segment inside the cube, from the cube's six planes.
    fn clipped([a, b]: [Vec3; 2]) -> Option<[f64; 2]> {
        let (mut low, mut high): (f64, f64) = (0.0, 1.0);
        for axis in 0..3 {
            let along = b[axis] - a[axis];
            if along == 0.0 && a[axis].abs() > 1.0 {
                return None;
            }
            let ends = [-1.0, 1.0].map(|side| (side - a[axis]) / along);
            if along != 0.0 {
                low = low.max(ends[0].min(ends[1]));
                high = high.min(ends[0].max(ends[1]));
            }
        }
        (low < high).then_some([low, high])
    }

    #[test]
    fn segments_are_inside_a_cube_where_its_planes_say() {
        let cubes = [cube(None), cube(Some(0.3))];
        let diagonal = (0..200u64).map(|k| {
            // These segments go through the edge between two triangles of a side.
            let x = 0.009 * (k as f64 - 100.0);
            let way = if k % 2 == 0 { Vec3::y() } else { Vec3::new(0.3, 1.0, 0.3) };
            let middle = Vec3::new(x, 0.0, if k % 3 == 0 { -x } else { x });
            [middle - way * 3.0, middle + way * 3.0]
        });
        let any = (0..2000).map(|k| [random_point(k), random_point(k + 10_000)]);
        for segment in diagonal.chain(any) {
            for cube in &cubes {
                let found = cube.inside(&segment);
                if segment.iter().all(|x| x.abs().max() < 1.0) {
                    assert!(found.is_empty(), "{segment:?} {found:?}");
                    continue;
                }
                let Some(expected) = clipped(segment).filter(|[a, b]| b - a > 1e-9) else {
                    assert!(found.iter().all(|[a, b]| b - a < 1e-8), "{segment:?} {found:?}");
                    continue;
                };
                assert_eq!(found.len(), 1, "{segment:?} {found:?} {expected:?}");
                let off = (found[0][0] - expected[0]).abs() + (found[0][1] - expected[1]).abs();
                assert!(off < 1e-12, "{segment:?} {found:?} {expected:?}");
            }
        }
    }
}

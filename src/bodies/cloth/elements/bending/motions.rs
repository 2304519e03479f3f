//! The present angles of one rank's hinges, and the moments that follow from them.

use crate::bodies::cloth::elements::bending::hinge::{Hinge, hinge_angles_and_gradients};
use crate::bodies::cloth::elements::bending::sheet::HingedSheet;
use crate::bodies::cloth::rest::ByCloth;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::partition::Layout;
use crate::threads::{ByPatch, Threads};

/// How a hinge moves its vertices in the present state.
#[derive(Debug, Clone, Copy)]
pub(super) struct HingeMotion {
    /// Rate of the angle, rad/s.
    pub rate: f64,
    /// Derivative of the angle by its four vertices, rad/m.
    pub gradient: [Vec3; 4],
}

/// How the moment of a hinge depends on the angles: one row of the assembled `M`.
pub struct HingeMoment {
    /// The hinge's place among the rank's hinges.
    place: u32,
    /// Moment per own angle, N m.
    stiffness: f64,
    /// The places of the other hinges of both triangles, and the moment per their angle, N m.
    others: [(u32, f64); 4],
}

/// The hinges that the moments on a rank's rows depend on. A hinge that touches an own vertex
/// needs all hinges of its two triangles.
pub(super) struct HingeMotions {
    /// Rising hinge ids.
    ids: Vec<u32>,
    /// Where the chunks of parallel evaluation begin.
    chunks: Vec<u32>,
    /// The positions of all cloth vertices that the angles belong to, m. NaN before the first ones.
    x: Vec<Vec3>,
    /// Angle minus rest angle, rad.
    deviations: Vec<f64>,
    /// The same plus damping time times the rate of the angle, rad.
    bends: Vec<f64>,
    motions: Vec<HingeMotion>,
}

const HINGES_PER_CHUNK: usize = 256;

impl HingeMotions {
    /// Room for the hinges of `sheet` that the rank with `layout` needs.
    pub fn new(sheet: &HingedSheet, layout: &Layout) -> Self {
        let mut is_needed = vec![false; sheet.hinges.len()];
        let is_own = |hinge: &&Hinge| hinge.vertices.iter().any(|&v| layout.own_index(v).is_some());
        for face in sheet.hinges.iter().filter(is_own).flat_map(|hinge| hinge.faces) {
            let hinges = sheet.triangles[face as usize].hinges.into_iter();
            hinges.filter(|&it| it != NONE).for_each(|it| is_needed[it as usize] = true);
        }
        let mut ids: Vec<u32> = (0..)
            .zip(is_needed)
            .filter_map(|(hinge, is_needed)| is_needed.then_some(hinge))
            .collect();
        ids.shrink_to_fit();
        let count = ids.len() as u32;
        let mut chunks: Vec<u32> = (0..count).step_by(HINGES_PER_CHUNK).collect();
        chunks.push(count);
        let still = HingeMotion { rate: 0.0, gradient: [Vec3::zeros(); 4] };
        let vertices = sheet.hinges.iter().flat_map(|hinge| hinge.vertices);
        Self {
            x: vec![Vec3::repeat(f64::NAN); vertices.max().map_or(0, |last| last as usize + 1)],
            deviations: vec![0.0; ids.len()],
            bends: vec![0.0; ids.len()],
            motions: vec![still; ids.len()],
            ids,
            chunks,
        }
    }

    /// Angles and gradients at the positions `x` (m) of all cloth vertices.
    pub fn move_to(&mut self, threads: &Threads, sheet: &HingedSheet, x: &[Vec3]) {
        let x = &x[..self.x.len()];
        if self.x == x {
            return;
        }
        self.x.copy_from_slice(x);
        let (ids, chunks) = (&self.ids, &self.chunks);
        let slices =
            (ByPatch::new(&mut self.deviations, chunks), ByPatch::new(&mut self.motions, chunks));
        threads.for_each_patch(slices, 4, |chunk, (deviations, motions)| {
            let ids = &ids[chunks[chunk] as usize..][..deviations.data.len()];
            let (pairs, last) = ids.as_chunks::<2>();
            let (deviation_pairs, last_deviation) = deviations.data.as_chunks_mut::<2>();
            let (motion_pairs, last_motion) = motions.data.as_chunks_mut::<2>();
            let places = deviation_pairs.iter_mut().zip(motion_pairs);
            for (ids, (deviations, motions)) in pairs.iter().zip(places) {
                move_batch(ids, sheet, x, deviations, motions);
            }
            if let ([id], [deviation], [motion]) = (last, last_deviation, last_motion) {
                let deviation = std::array::from_mut(deviation);
                move_batch(&[*id], sheet, x, deviation, std::array::from_mut(motion));
            }
        });
    }

    /// Rates of the angles at the velocities `v` (m/s) of all cloth vertices; `damping` in s.
    pub fn begin(
        &mut self,
        threads: &Threads,
        sheet: &HingedSheet,
        damping: &ByCloth<f64>,
        v: &[Vec3],
    ) {
        let (ids, chunks, deviations) = (&self.ids, &self.chunks, &self.deviations);
        let slices =
            (ByPatch::new(&mut self.bends, chunks), ByPatch::new(&mut self.motions, chunks));
        threads.for_each_patch(slices, 4, |chunk, (bends, motions)| {
            let first = chunks[chunk] as usize;
            let hinges = ids[first..].iter().zip(&deviations[first..]);
            let places = bends.data.iter_mut().zip(motions.data);
            for ((&id, deviation), (bend, motion)) in hinges.zip(places) {
                let hinge = &sheet.hinges[id as usize];
                let [a, b, c, d] = hinge.vertices.map(|vertex| &v[vertex as usize]);
                let g = &motion.gradient;
                motion.rate = (g[0].dot(a) + g[1].dot(b)) + (g[2].dot(c) + g[3].dot(d));
                *bend = deviation + damping.of(hinge.faces[0]) * motion.rate;
            }
        });
    }

    /// What the moment of `hinge` depends on: its own angle and those of the other hinges of its
    /// two triangles.
    pub fn moment_of(&self, sheet: &HingedSheet, hinge: u32) -> HingeMoment {
        // A rank that needs all hinges has each at its own number.
        let place = |hinge: u32| match self.ids.get(hinge as usize) {
            Some(&id) if id == hinge => hinge,
            _ => self.ids.binary_search(&hinge).map_or(NONE, |at| at as u32),
        };
        let own = place(hinge);
        let mut moment = HingeMoment { place: own, stiffness: 0.0, others: [(own, 0.0); 4] };
        let mut others = moment.others.iter_mut();
        for face in sheet.hinges[hinge as usize].faces {
            let triangle = &sheet.triangles[face as usize];
            let corner = triangle.hinges.iter().position(|&h| h == hinge).unwrap_or(0);
            for (other, stiffness) in triangle.hinges.into_iter().zip(triangle.row(corner)) {
                if other == hinge {
                    moment.stiffness += stiffness;
                } else if let (Some(entry), true) = (others.next(), other != NONE) {
                    *entry = (place(other), stiffness);
                }
            }
        }
        moment
    }

    /// The present motion of a hinge.
    pub fn of(&self, hinge: &HingeMoment) -> &HingeMotion {
        &self.motions[hinge.place as usize]
    }

    /// The present moment of a hinge with its damping, N m.
    #[inline]
    pub fn moment(&self, hinge: &HingeMoment) -> f64 {
        hinge.of_angles(&self.bends)
    }

    /// A hinge's part of the energy, J. The sum over all hinges equals the sum of the triangles'
    /// energies.
    #[inline]
    pub fn energy(&self, hinge: &HingeMoment) -> f64 {
        0.5 * self.deviations[hinge.place as usize] * hinge.of_angles(&self.deviations)
    }
}

impl HingeMoment {
    /// The moment (N m) of all hinges' `angles` (rad).
    #[inline]
    fn of_angles(&self, angles: &[f64]) -> f64 {
        let mut moment = self.stiffness * angles[self.place as usize];
        for (place, stiffness) in self.others {
            moment += stiffness * angles[place as usize];
        }
        moment
    }
}

/// Angles and gradients of L hinges.
#[inline]
fn move_batch<const L: usize>(
    ids: &[u32; L],
    sheet: &HingedSheet,
    x: &[Vec3],
    deviations: &mut [f64; L],
    motions: &mut [HingeMotion; L],
) {
    // Loops: closures given to array functions are not always inlined.
    let mut hinges = [&sheet.hinges[ids[0] as usize]; L];
    let mut corners = [[Vec3::zeros(); 4]; L];
    for i in 0..L {
        hinges[i] = &sheet.hinges[ids[i] as usize];
        for (corner, &vertex) in corners[i].iter_mut().zip(&hinges[i].vertices) {
            *corner = x[vertex as usize];
        }
    }
    let batch = hinge_angles_and_gradients(corners);
    for i in 0..L {
        let (angle, gradient) = batch[i];
        deviations[i] = hinges[i].deviation(angle);
        motions[i].gradient = gradient;
    }
}

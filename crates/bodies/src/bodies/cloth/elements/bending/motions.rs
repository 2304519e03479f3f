//! The present angles of one rank's hinges, and the moments that follow from them.

use crate::bodies::cloth::elements::bending::hinge::{Hinge, hinge_angles_and_gradients};
use crate::bodies::cloth::elements::bending::rows::HingeRows;
use crate::bodies::cloth::elements::bending::sheet::HingedSheet;
use crate::bodies::cloth::rest::ByCloth;
use cloth_core::partition::Layout;
use cloth_core::{ByPatch, NONE, Threads, Vec3};

/// How a hinge moves its vertices in the present state.
#[derive(Debug, Clone, Copy)]
pub(super) struct HingeMotion {
    /// Rate of the angle, rad/s.
    pub rate: f64,
    /// Derivative of the angle by its four vertices, rad/m.
    pub gradient: [Vec3; 4],
}

/// The hinges that the moments on a rank's rows depend on. A hinge that touches an own vertex
/// needs all hinges of its row of S.
pub(super) struct HingeMotions {
    /// Rising hinge ids.
    ids: Vec<u32>,
    /// Where the chunks of parallel evaluation begin among the ids, and among all hinges.
    chunks: Vec<u32>,
    chunks_of_all: Vec<u32>,
    /// The positions of all cloth vertices that the angles belong to, m. NaN before the first ones.
    x: Vec<Vec3>,
    /// The number of the present set of held faces.
    clamps: usize,
    /// Angle minus rest angle of every hinge of the sheet, rad. Zero for those of other ranks.
    deviations: Vec<f64>,
    /// The angle plus damping time times the rate of the angle, rad. Empty if nothing is damped.
    bends: Vec<f64>,
    /// One of each id.
    motions: Vec<HingeMotion>,
    /// Which ids touch an own vertex. Their moments are known, those of the others are zero.
    is_own: Vec<bool>,
    /// Elastic moment of each id, N m.
    moments: Vec<f64>,
    /// Elastic and damping moment of each id, N m. Empty if nothing is damped.
    damped_moments: Vec<f64>,
}

const HINGES_PER_CHUNK: usize = 256;

impl HingeMotions {
    /// Room for the hinges of `sheet` that the rank with `layout` needs.
    pub fn new(sheet: &HingedSheet, layout: &Layout, is_damped: bool) -> Self {
        let mut is_needed = vec![false; sheet.hinges.len()];
        let is_own = |hinge: &Hinge| hinge.vertices.iter().any(|&v| layout.own_index(v).is_some());
        for (hinge, _) in (0..).zip(&sheet.hinges).filter(|(_, hinge)| is_own(hinge)) {
            is_needed[hinge as usize] = true;
            for stiffness in &sheet.stiffness {
                stiffness.columns(hinge).iter().for_each(|&it| is_needed[it as usize] = true);
            }
        }
        let mut ids: Vec<u32> = (0..)
            .zip(is_needed)
            .filter_map(|(hinge, is_needed)| is_needed.then_some(hinge))
            .collect();
        ids.shrink_to_fit();
        let count = ids.len() as u32;
        let mut chunks: Vec<u32> = (0..count).step_by(HINGES_PER_CHUNK).collect();
        chunks.push(count);
        let all = sheet.hinges.len();
        let first = |&chunk: &u32| ids.get(chunk as usize).map_or(all as u32, |&id| id);
        let mut chunks_of_all: Vec<u32> = chunks.iter().map(first).collect();
        chunks_of_all[0] = 0;
        let still = HingeMotion { rate: 0.0, gradient: [Vec3::zeros(); 4] };
        let vertices = sheet.hinges.iter().flat_map(|hinge| hinge.vertices);
        Self {
            x: vec![Vec3::repeat(f64::NAN); vertices.max().map_or(0, |last| last as usize + 1)],
            clamps: 0,
            deviations: vec![0.0; all],
            bends: vec![0.0; if is_damped { all } else { 0 }],
            is_own: ids.iter().map(|&hinge| is_own(&sheet.hinges[hinge as usize])).collect(),
            moments: vec![0.0; ids.len()],
            damped_moments: vec![0.0; if is_damped { ids.len() } else { 0 }],
            motions: vec![still; ids.len()],
            ids,
            chunks,
            chunks_of_all,
        }
    }

    /// Angles and gradients at the positions `x` (m) of all cloth vertices, and the moments with the
    /// set of held faces that has the number `clamps`.
    pub fn move_to(&mut self, threads: &Threads, sheet: &HingedSheet, x: &[Vec3], clamps: usize) {
        let x = &x[..self.x.len()];
        if self.x == x && self.clamps == clamps {
            return;
        }
        self.clamps = clamps;
        self.x.copy_from_slice(x);
        let (ids, chunks, firsts) = (&self.ids, &self.chunks, &self.chunks_of_all);
        let slices =
            (ByPatch::new(&mut self.deviations, firsts), ByPatch::new(&mut self.motions, chunks));
        threads.for_each_patch(slices, 4, |chunk, (deviations, motions)| {
            let ids = &ids[chunks[chunk] as usize..][..motions.data.len()];
            let first = firsts[chunk];
            let (pairs, last) = ids.as_chunks::<2>();
            let (motion_pairs, last_motion) = motions.data.as_chunks_mut::<2>();
            for (ids, motions) in pairs.iter().zip(motion_pairs) {
                move_batch(ids, first, sheet, x, deviations.data, motions);
            }
            if let ([id], [motion]) = (last, last_motion) {
                let motion = std::array::from_mut(motion);
                move_batch(&[*id], first, sheet, x, deviations.data, motion);
            }
        });
        let moments = ByPatch::new(&mut self.moments, chunks);
        let stiffness = &sheet.stiffness[clamps];
        add_up(threads, stiffness, &self.deviations, [ids, chunks], &self.is_own, moments);
    }

    /// Rates of the angles at the velocities `v` (m/s) of all cloth vertices; `damping` in s.
    pub fn begin(
        &mut self,
        threads: &Threads,
        sheet: &HingedSheet,
        damping: &ByCloth<f64>,
        v: &[Vec3],
    ) {
        let (ids, chunks) = (&self.ids, &self.chunks);
        threads.for_each_patch(ByPatch::new(&mut self.motions, chunks), 4, |chunk, motions| {
            let ids = ids[chunks[chunk] as usize..].iter();
            for (&id, motion) in ids.zip(motions.data) {
                let hinge = &sheet.hinges[id as usize];
                let [a, b, c, d] = hinge.vertices.map(|vertex| &v[vertex as usize]);
                let g = &motion.gradient;
                motion.rate = (g[0].dot(a) + g[1].dot(b)) + (g[2].dot(c) + g[3].dot(d));
            }
        });
        if self.bends.is_empty() {
            return;
        }
        let (firsts, deviations, motions) = (&self.chunks_of_all, &self.deviations, &self.motions);
        threads.for_each_patch(ByPatch::new(&mut self.bends, firsts), 4, |chunk, bends| {
            let range = chunks[chunk] as usize..chunks[chunk + 1] as usize;
            for (&id, motion) in ids[range.clone()].iter().zip(&motions[range]) {
                let damping = damping.of(sheet.hinges[id as usize].faces[0]);
                let bend = deviations[id as usize] + damping * motion.rate;
                bends.data[(id - firsts[chunk]) as usize] = bend;
            }
        });
        let moments = ByPatch::new(&mut self.damped_moments, chunks);
        let stiffness = &sheet.stiffness[self.clamps];
        add_up(threads, stiffness, &self.bends, [ids, chunks], &self.is_own, moments);
    }

    /// The place of a hinge among the rank's motions.
    pub fn place_of(&self, hinge: u32) -> u32 {
        // A rank that needs all hinges has each at its own number.
        match self.ids.get(hinge as usize) {
            Some(&id) if id == hinge => hinge,
            _ => self.ids.binary_search(&hinge).map_or(NONE, |at| at as u32),
        }
    }

    /// The present motion of the hinge at a place.
    pub fn of(&self, place: u32) -> &HingeMotion {
        &self.motions[place as usize]
    }

    /// The present moment of the hinge at a place with its damping, N m. The hinge touches an own
    /// vertex.
    #[inline]
    pub fn moment(&self, place: u32) -> f64 {
        let is_damped = !self.damped_moments.is_empty();
        let moments = if is_damped { &self.damped_moments } else { &self.moments };
        moments[place as usize]
    }

    /// A part of the energy, J, of the hinge at a place. The sum over all hinges is the energy of the
    /// sheet. The hinge touches an own vertex.
    #[inline]
    pub fn energy(&self, place: u32) -> f64 {
        let hinge = self.ids[place as usize];
        0.5 * self.deviations[hinge as usize] * self.moments[place as usize]
    }
}

/// The moments of a rank's own hinges from the `angles` of all hinges. A moment is one sum in the
/// order of its row, whatever thread or rank makes it.
fn add_up(
    threads: &Threads,
    stiffness: &HingeRows,
    angles: &[f64],
    [ids, chunks]: [&[u32]; 2],
    is_own: &[bool],
    moments: ByPatch<f64>,
) {
    threads.for_each_patch(moments, 4, |chunk, moments| {
        let first = chunks[chunk] as usize;
        let hinges = ids[first..].iter().zip(&is_own[first..]);
        for (moment, (&hinge, _)) in moments.data.iter_mut().zip(hinges).filter(|it| *it.1.1) {
            *moment = stiffness.times(hinge, angles);
        }
    });
}

/// Angles and gradients of L hinges. The first of `deviations` is that of hinge `first`.
#[inline]
fn move_batch<const L: usize>(
    ids: &[u32; L],
    first: u32,
    sheet: &HingedSheet,
    x: &[Vec3],
    deviations: &mut [f64],
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
        deviations[(ids[i] - first) as usize] = hinges[i].deviation(angle);
        motions[i].gradient = gradient;
    }
}

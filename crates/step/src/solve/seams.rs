//! What seams do in a step: a spring for each thread, and its energy.
//!
//! A thread that is stretched beyond its elastic range pulls with a constant force. Its spring has the
//! stiffness that gives this force at its present stretch, so that it cannot shoot over its end.

use crate::model::Model;
use crate::report::StepReport;
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use cloth_bodies::bodies::seam::{Seam, Stitch};
use cloth_bodies::contact::{ContactSpring, Sides};
use cloth_core::ids::VertexId;
use cloth_core::linear::Jacobian;
use cloth_core::math::{Mat3, Vec3};

/// Adds the springs of the threads that pull own nodes, for a solve about the base of `motion`.
pub(crate) fn add(here: &Context, motion: &StepMotion, springs: &mut Vec<ContactSpring>) {
    let is_own = |vertex: VertexId| here.rank.layout.own_index(vertex).is_some();
    for (seam, stitch) in stitches(here.model) {
        if stitch.vertices.into_iter().any(is_own) {
            springs.extend(spring(here, motion, seam, stitch));
        }
    }
}

/// The stitches of all seams.
fn stitches(model: &Model) -> impl Iterator<Item = (&Seam, &Stitch)> {
    model.seams.iter().flat_map(|seam| seam.stitches.iter().map(move |stitch| (seam, stitch)))
}

/// The spring of a thread. None if its vertices are at the same place.
fn spring(
    here: &Context,
    motion: &StepMotion,
    seam: &Seam,
    stitch: &Stitch,
) -> Option<ContactSpring> {
    let (span, base) = (here.span, motion.about().u);
    let end = |vertex: VertexId| {
        span.scheme.end(&motion.start.x0[vertex as usize], &base[vertex as usize])
    };
    let start = stitch.vertices.map(|vertex| motion.start.x0[vertex as usize]);
    let stretch_m = |[a, b]: [Vec3; 2], time_s| (a - b).norm() - seam.length_m(stitch, time_s);
    // Within the step the larger stretch counts, so that the force stays below its limit.
    let most_m = stretch_m(start, span.t1_s).abs();
    let pull = |ends: [Vec3; 2], time_s: f64| {
        let (way, stretch_m) = (ends[0] - ends[1], stretch_m(ends, time_s));
        let along = way.try_normalize(0.0)?;
        let k = seam.stiffness(stitch, stretch_m.abs().max(most_m));
        // Across, only a stretched thread is stiff.
        let across = (stretch_m / way.norm()).max(0.0);
        let stiffness = along * along.transpose() * (1.0 - across) + Mat3::identity() * across;
        Some((along * (-k * stretch_m), stiffness * k))
    };
    let (push, stiffness) = pull(stitch.vertices.map(end), span.t1_s)?;
    let [a, b] = stitch.vertices;
    let mut sides = Sides::default();
    sides.push(a, Jacobian::Weight(1.0));
    sides.end_first();
    sides.push(b, Jacobian::Weight(-1.0));
    let lasting = pull(start, span.t0_s).map_or(Vec3::zeros(), |(push, _)| push);
    let velocity = sides.velocity(|node| base[node as usize]);
    Some(ContactSpring { sides, stiffness, velocity, push, lasting })
}

/// The energy of all threads, as long as they are at `time_s` (s), if cloth is at `x` (m), J. Every
/// rank knows all vertices.
pub(crate) fn energy_j(model: &Model, x: &[Vec3], time_s: f64) -> f64 {
    let energy = |(seam, stitch): (&Seam, &Stitch)| {
        seam.energy_j(stitch, distance_m(stitch, x) - seam.length_m(stitch, time_s))
    };
    stitches(model).map(energy).sum()
}

/// The work that makes the threads shorter while cloth is at the start of `motion`, J.
pub(crate) fn work_j(here: &Context, motion: &StepMotion) -> f64 {
    let [before, after] = [here.span.t0_s, here.span.t1_s]
        .map(|time_s| energy_j(here.model, &motion.start.x0, time_s));
    after - before
}

/// Reports how far the thread that is stretched most is stretched at the end of the step.
pub(crate) fn note(here: &Context, motion: &StepMotion, report: &mut StepReport) {
    for (seam, stitch) in stitches(here.model) {
        let length_m = seam.length_m(stitch, here.span.t1_s);
        let stretch_m = (distance_m(stitch, &motion.x1) - length_m).max(0.0);
        report.seam_stretch_m = report.seam_stretch_m.max(stretch_m);
    }
}

fn distance_m(stitch: &Stitch, x: &[Vec3]) -> f64 {
    let [a, b] = stitch.vertices.map(|vertex| x[vertex as usize]);
    (a - b).norm()
}

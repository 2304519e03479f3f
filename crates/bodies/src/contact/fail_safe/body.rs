//! The motion of a body that all planes of its vertices allow.
//!
//! In a step of length `h` the velocities `u` of its nodes move a vertex by `h J u`, with `J` in the
//! middle of this very motion. That is exact, also if the body turns. Each plane requires
//! `n . h J u >= -room`. The body takes the velocities nearest to its intended ones, measured by its
//! masses: it *slides*. They are the solution of a quadratic program for the `J` of the last ones,
//! and of a few more, because `J` depends on `u`. If some plane is still violated, or a vertex has
//! left the places that are allowed, the body ends after a fraction of its motion, but keeps these
//! velocities.
//!
//! If no plane moves over its vertex's start, `u = 0` is allowed in each of these programs. So no
//! solution has more energy than the intended motion.

use std::iter::zip;

use crate::contact::fail_safe::plane::Bound;
use crate::contact::fail_safe::{Paths, WholeBody};
use cloth_collision::collision::Pair;
use cloth_core::linear::small_qp::{ConstraintRow, Outcome, Program, UNKNOWNS};
use cloth_core::{Mat3, Vec3};

/// The largest number of programs. A body that turns by `theta` has its planes met within
/// `r theta (theta / 2)^n` after `n` of them.
const MOST_PROGRAMS: usize = 12;

/// The smallest fraction above 0 of its motion that a body can keep.
const SMALLEST_FRACTION: f64 = 1.0 / 64.0;

/// Further bisections of the largest fraction.
const BISECTIONS: usize = 4;

/// A motion of a body.
#[derive(Clone)]
pub(super) struct Placed {
    /// The velocities of its nodes that take it there, m/s.
    pub way: Vec<Vec3>,
    /// Where its vertices end, m.
    pub ends: Vec<Vec3>,
}

impl Placed {
    fn new(body: &WholeBody, way: Vec<Vec3>) -> Self {
        let mut ends = vec![Vec3::zeros(); body.vertices.len()];
        body.motion.place(&way, &mut ends);
        Self { way, ends }
    }
}

/// The motion of `body` that the `bounds` of its vertices allow and that ends at places that its
/// vertices are `allowed`, and its velocities after it (m/s). None if they allow all of it, which ends
/// at `targets` (m). A slide ends `grain_m` (m) further from its planes than it must.
///
/// # Errors
/// A pair whose plane pushes the body and does not hold.
pub(super) fn shorten_body(
    body: &WholeBody,
    bounds: &[Bound],
    paths: &Paths,
    targets: &[Vec3],
    grain_m: f64,
    allowed: impl Fn(usize, &Vec3) -> bool,
) -> Result<Option<(Placed, Vec<Vec3>)>, Pair> {
    let x0 = &paths.x0[body.vertices.clone()];
    let violated = |ends: &[Vec3]| {
        bounds.iter().find(|bound| {
            let place = bound.vertex as usize - body.vertices.start;
            bound.slack(&(ends[place] - x0[place])) < 0.0
        })
    };
    if violated(targets).is_none() {
        return Ok(None);
    }
    let (mut slid, mut slides) = (Placed { way: body.u.to_vec(), ends: targets.to_vec() }, false);
    for _ in 0..MOST_PROGRAMS {
        let Some(way) = nearest(body, bounds, x0, &slid, grain_m) else { break };
        (slid, slides) = (Placed::new(body, way), true);
        if violated(&slid.ends).is_none() {
            break;
        }
    }
    let holds = |placed: &Placed| {
        let mut ends = zip(body.vertices.clone(), &placed.ends);
        violated(&placed.ends).is_none() && ends.all(|(v, end)| allowed(v, end))
    };
    if holds(&slid) {
        let u = slid.way.clone();
        return Ok(Some((slid, u)));
    }
    let part = |fraction: f64| Placed::new(body, body.u.iter().map(|u| u * fraction).collect());
    let (mut fraction, mut placed) = (0.5, part(0.5));
    while fraction > 0.0 && !holds(&placed) {
        fraction = if fraction > SMALLEST_FRACTION { 0.5 * fraction } else { 0.0 };
        placed = part(fraction);
    }
    if let Some(bound) = violated(&placed.ends) {
        return Err(bound.pair);
    }
    let mut more = 0.5 * fraction.max(SMALLEST_FRACTION);
    for _ in 0..BISECTIONS {
        let further = part(fraction + more);
        if holds(&further) {
            (fraction, placed) = (fraction + more, further);
        }
        more *= 0.5;
    }
    let u = if slides { slid.way } else { placed.way.clone() };
    Ok(Some((placed, u)))
}

/// The velocities (m/s) nearest to the intended ones that meet all bounds with the Jacobians of the
/// motion `placed`. None if there are none.
fn nearest(
    body: &WholeBody,
    bounds: &[Bound],
    x0: &[Vec3],
    placed: &Placed,
    grain_m: f64,
) -> Option<Vec<Vec3>> {
    let (h, middle) = (body.motion.step_s(), body.motion.middle(&placed.way));
    // The change of a node's velocity is `C y` with `C C^T` its inverse mass.
    let factor = |inverse: &Mat3| Some(inverse.cholesky()?.l());
    let factors = Vec::from_iter(body.inverse_masses.iter().take(body.u.len()).map(factor));
    let factors = factors.into_iter().collect::<Option<Vec<Mat3>>>()?;
    let mut program = Program::default();
    for bound in bounds {
        let place = bound.vertex as usize - body.vertices.start;
        let mean = (x0[place] + placed.ends[place]) * 0.5;
        let (mut a, mut approach) = ([0.0; UNKNOWNS], 0.0);
        for (node, (u, factor)) in zip(body.u, &factors).enumerate() {
            let jacobian = body.motion.jacobian(&middle, node, &mean);
            let push = jacobian.transpose_times(&bound.normal, 1.0);
            approach -= push.dot(u);
            a[3 * node..3 * node + 3].copy_from_slice((factor.transpose() * push).as_slice());
        }
        let b = approach + (grain_m - bound.room_m) / h;
        program.add(ConstraintRow { a, b, low: 0.0, high: f64::INFINITY });
    }
    if program.solve() != Outcome::Solved {
        return None;
    }
    let y = program.change();
    let change = |node: usize| Vec3::from_column_slice(&y[3 * node..3 * node + 3]);
    let slid = zip(body.u, &factors).enumerate();
    Some(slid.map(|(node, (u, factor))| u + factor * change(node)).collect())
}

//! Regularised optimal transport between points and sites: Sinkhorn iterations.
//!
//! Source: Wretborn 2026, section 4.1. `C_rb` is the squared distance of site `r` and point `b`,
//! `W_b` the work of the point, `L_r` the share of the site, `epsilon` the regularisation (m^2).
//! The coupling is `T_rb = q_r exp(-C_rb / epsilon) q_b` with row sums `L_r` and column sums `W_b`.
//! One iteration (eqs. 8 and 9) is, with `q_b` put in,
//!
//! ```text
//! T_rb = W_b q_r K_rb / sum_s q_s K_sb,   q_r <- q_r L_r / sum_b T_rb,   K = exp(-C / epsilon)
//! ```
//!
//! So an iteration is one pass over `K`. In the *plain* domain `K` is as above. In the *log*
//! domain the potentials `p_r = epsilon log q_r` are inside: `K_rb = exp((p_r - C_rb) / epsilon -
//! m_b)`, where `m_b` is the largest exponent of the point. `T` is the same, and nothing can
//! overflow. `q_r` then is only the change since `K` was made; `K` is made anew when a `q_r` is
//! far from 1. This equals eqs. 11 and 12 iterate for iterate, without an exponential in each
//! iteration. A point without work is no special case here (in eq. 12 it gives `log 0`).
//!
//! In the log domain, a batch of points leaves out the sites whose `T_rb` is small compared with
//! the tolerance.

use crate::partition::methods::power::batches::{Batch, Batches, LANES, Lanes, dot};
use crate::partition::methods::power::diagram::Diagram;
use crate::partition::methods::power::exp::exp;
use crate::{Threads, Vec3};

/// Each site that is left out loses at most this fraction of the tolerance of a point's work.
const NEGLIGIBLE: f64 = 1e-6;
/// Exponents this far below the largest one of a point are always left out.
const LEFT_OUT: f64 = 60.0;
/// `K` is made anew when the absolute logarithm of a `q_r` is above this.
const FAR: f64 = 15.0;

/// How exponentials are kept in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Equations 7 to 9.
    Plain,
    /// Equations 11, 12 and 14.
    Log,
}

/// The part of the coupling that a batch keeps.
#[derive(Debug, Clone, Default)]
pub(super) struct Kernel {
    /// The sites of the rows.
    pub sites: Vec<u32>,
    /// `K`, a row for each site.
    pub rows: Vec<Lanes>,
    /// Work of the batch that each site gets.
    pub loads: Vec<f64>,
    /// The sum of that work times its position.
    moments: Vec<Vec3>,
    /// The sites that get some work of the batch, for [`super::newton`].
    pub strong: Vec<u32>,
    /// A number for each pair of strong sites.
    pub products: Vec<f64>,
    /// Room for one number of the batch.
    value: f64,
}

/// The points and their coupling to sites.
pub(super) struct Transport<'a> {
    threads: &'a Threads,
    batches: Batches<Kernel>,
    /// The work of each site.
    loads: Vec<f64>,
    /// Exponents this far below the largest one of a point are left out.
    left_out: f64,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Solve {
    /// Sinkhorn iterations.
    pub iterations: u32,
    /// The largest relative deviation from a share (eq. 10).
    pub deviation: f64,
}

impl<'a> Transport<'a> {
    /// `points` with their `work`; adjacent points should be near each other.
    pub fn new(points: &[Vec3], work: &[f64], threads: &'a Threads) -> Self {
        let batches = Batches::new(points, work);
        Self { threads, batches, loads: Vec::new(), left_out: LEFT_OUT }
    }

    /// From now on, sites whose effect is far below a relative `tolerance` of the shares are left
    /// out.
    pub fn neglect(&mut self, tolerance: f64) {
        self.left_out = if tolerance > 0.0 {
            LEFT_OUT.min(-libm::log(NEGLIGIBLE * tolerance))
        } else {
            LEFT_OUT
        };
    }

    /// The work of each site in the last iteration.
    pub fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// The kernels of all batches.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.batches.batches.iter().map(|batch| &batch.own)
    }

    /// Calls `work` with every batch, in parallel.
    pub fn for_each(&mut self, work: impl Fn(&mut Batch<Kernel>) + Sync) {
        self.batches.for_each(self.threads, |_, batch| work(batch));
    }

    /// `Gamma`, the largest squared distance of a point from its nearest site, m^2 (eq. 16), and
    /// the mean of this squared distance over all work.
    pub fn distances(&mut self, sites: &[Vec3]) -> (f64, f64) {
        let diagram = Diagram { sites: sites.to_vec(), potentials: vec![0.0; sites.len()] };
        self.batches.for_each(self.threads, |_, batch| {
            let mut near = std::mem::take(&mut batch.own.sites);
            let all = 0..diagram.sites.len() as u32;
            diagram.within(all, &batch.centre, batch.radius, 0.0, &mut near);
            let mut least = [f64::INFINITY; LANES];
            for &site in &near {
                let costs = batch.costs(&diagram.sites[site as usize]);
                for lane in 0..LANES {
                    least[lane] = if costs[lane] < least[lane] { costs[lane] } else { least[lane] };
                }
            }
            batch.own.value = least.into_iter().fold(0.0, f64::max);
            batch.own.sites = near;
            batch.own.loads.clear();
            batch.own.loads.extend([dot(&least, &batch.work), batch.work.iter().sum()]);
        });
        let (mut gamma, mut sum, mut work) = (0.0, 0.0, 0.0);
        for Batch { own, .. } in &self.batches.batches {
            gamma = f64::max(gamma, own.value);
            sum += own.loads[0];
            work += own.loads[1];
        }
        (gamma, sum / work)
    }

    /// Finds the potentials with which each site gets its share, to a relative `tolerance`. Starts
    /// from the potentials of `diagram`, and ends after at most `most` iterations.
    pub fn solve(
        &mut self,
        diagram: &mut Diagram,
        shares: &[f64],
        epsilon: f64,
        (domain, tolerance, most): (Domain, f64, u32),
    ) -> Solve {
        let sites = diagram.sites.len();
        self.neglect(tolerance);
        let mut solve = Solve::default();
        let mut factors = self.build(domain, diagram, epsilon);
        loop {
            self.iterate(&factors);
            solve.iterations += 1;
            solve.deviation = deviation(&self.loads, shares);
            if solve.deviation < tolerance || solve.iterations >= most {
                break;
            }
            // Infinite if a site gets no work, or hardly any.
            let next = |factor: f64, share: f64, load: f64| factor * (share / load);
            let mut all = factors.iter().zip(shares).zip(&self.loads);
            if domain == Domain::Plain && !all.all(|((&q, &l), &t)| next(q, l, t).is_finite()) {
                return solve; // The caller goes on in the log domain, from the same potentials.
            }
            let mut far = false;
            for r in 0..sites {
                let factor = next(factors[r], shares[r], self.loads[r]);
                if factor.is_finite() {
                    factors[r] = factor;
                    far |= libm::log(factors[r]).abs() > FAR;
                } else {
                    absorb(diagram, &mut factors, epsilon);
                    diagram.potentials[r] = self.potential_of_lost(diagram, r, shares[r], epsilon);
                    far = true;
                }
            }
            if far && domain == Domain::Log {
                absorb(diagram, &mut factors, epsilon);
                factors = self.build(domain, diagram, epsilon);
            }
        }
        match domain {
            Domain::Log => absorb(diagram, &mut factors, epsilon),
            Domain::Plain => {
                for (p, q) in diagram.potentials.iter_mut().zip(&factors) {
                    *p = epsilon * libm::log(*q);
                }
            }
        }
        solve
    }

    /// Fills `K` of all batches; returns the factors `q_r` that belong to it.
    pub fn build(&mut self, domain: Domain, diagram: &Diagram, epsilon: f64) -> Vec<f64> {
        let inverse = 1.0 / epsilon;
        let slack = self.left_out * epsilon;
        self.batches.for_each(self.threads, |_, batch| match domain {
            Domain::Plain => batch.build_plain(diagram, inverse),
            Domain::Log => batch.build_log(diagram, inverse, slack),
        });
        match domain {
            Domain::Plain => diagram.potentials.iter().map(|p| libm::exp(p * inverse)).collect(),
            Domain::Log => vec![1.0; diagram.sites.len()],
        }
    }

    /// The work of each site, with the factors `q_r`. After: `loads` has it, with column sums
    /// `W_b`.
    pub fn iterate(&mut self, factors: &[f64]) {
        self.batches.for_each(self.threads, |_, batch| batch.iterate(factors));
        self.loads.clear();
        self.loads.resize(factors.len(), 0.0);
        // Summed in the order of the batches, for any number of threads.
        for Batch { own, .. } in &self.batches.batches {
            for (&site, load) in own.sites.iter().zip(&own.loads) {
                self.loads[site as usize] += load;
            }
        }
    }

    /// Equation 11 in full, for a site that is too far from all points to get any work.
    fn potential_of_lost(
        &mut self,
        diagram: &Diagram,
        lost: usize,
        share: f64,
        epsilon: f64,
    ) -> f64 {
        // p_r = epsilon (log L + min_b v_b - log sum exp(min - v)), v_b = C_rb / epsilon - log q_b.
        let inverse = 1.0 / epsilon;
        let mut values = Vec::with_capacity(self.batches.len);
        for batch in &self.batches.batches {
            let costs = batch.costs(&diagram.sites[lost]);
            for lane in 0..LANES {
                if batch.work[lane] > 0.0 {
                    let x = Vec3::from(batch.position.map(|axis| axis[lane]));
                    let exponent = |r| -diagram.power_distance(r, &x) * inverse;
                    let largest = (0..diagram.sites.len()).map(exponent).fold(f64::MIN, f64::max);
                    let sum: f64 =
                        (0..diagram.sites.len()).map(|r| exp(exponent(r) - largest)).sum();
                    let log_q = libm::log(batch.work[lane]) - largest - libm::log(sum);
                    values.push(costs[lane] * inverse - log_q);
                }
            }
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = values.iter().map(|value| exp(least - value)).sum();
        epsilon * (libm::log(share) + least - libm::log(sum))
    }

    /// The centre of the work of each site (eq. 6), from the coupling with the potentials of
    /// `diagram`. A site without work stays where it is.
    pub fn centres(&mut self, diagram: &Diagram, epsilon: f64) -> Centres {
        self.build(Domain::Log, diagram, epsilon);
        self.batches.for_each(self.threads, |_, batch| batch.moments(&diagram.sites));
        let mut loads = vec![0.0; diagram.sites.len()];
        let mut moments = vec![Vec3::zeros(); diagram.sites.len()];
        let mut spread = 0.0;
        for Batch { own, .. } in &self.batches.batches {
            spread += own.value;
            for ((&site, load), moment) in own.sites.iter().zip(&own.loads).zip(&own.moments) {
                loads[site as usize] += load;
                moments[site as usize] += moment;
            }
        }
        let mut sites = diagram.sites.clone();
        for ((site, moment), &load) in sites.iter_mut().zip(&moments).zip(&loads) {
            if load > 0.0 {
                *site += moment / load;
                spread -= moment.norm_squared() / load;
            }
        }
        Centres { sites, spread }
    }
}

/// The centres of the work of all sites.
pub(super) struct Centres {
    /// The centres, m.
    pub sites: Vec<Vec3>,
    /// The sum of all work times its squared distance from its centre.
    pub spread: f64,
}

/// The largest relative deviation of a load from its share (eq. 10); NaN if one is NaN.
pub(super) fn deviation(loads: &[f64], shares: &[f64]) -> f64 {
    let deviations = loads.iter().zip(shares).map(|(load, share)| load / share - 1.0);
    deviations.map(f64::abs).fold(0.0, nan_max)
}

/// The larger number; NaN if one is NaN.
fn nan_max(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Moves the factors into the potentials.
fn absorb(diagram: &mut Diagram, factors: &mut [f64], epsilon: f64) {
    for (p, q) in diagram.potentials.iter_mut().zip(factors) {
        *p += epsilon * libm::log(*q);
        *q = 1.0;
    }
}

impl Batch<Kernel> {
    fn build_plain(&mut self, diagram: &Diagram, inverse: f64) {
        self.own.sites.clear();
        self.own.sites.extend(0..diagram.sites.len() as u32);
        self.own.rows.clear();
        for site in &diagram.sites {
            let costs = self.costs(site);
            self.own.rows.push(std::array::from_fn(|lane| exp(-costs[lane] * inverse)));
        }
    }

    fn build_log(&mut self, diagram: &Diagram, inverse: f64, slack: f64) {
        let mut sites = std::mem::take(&mut self.own.sites);
        let all = 0..diagram.sites.len() as u32;
        diagram.within(all, &self.centre, self.radius, slack, &mut sites);
        let mut rows = std::mem::take(&mut self.own.rows);
        rows.clear();
        let mut largest: Lanes = [f64::MIN; LANES];
        for &site in &sites {
            let costs = self.costs(&diagram.sites[site as usize]);
            let potential = diagram.potentials[site as usize];
            let row: Lanes = std::array::from_fn(|lane| (potential - costs[lane]) * inverse);
            for lane in 0..LANES {
                largest[lane] = if row[lane] > largest[lane] { row[lane] } else { largest[lane] };
            }
            rows.push(row);
        }
        for row in &mut rows {
            for lane in 0..LANES {
                row[lane] = exp(row[lane] - largest[lane]);
            }
        }
        (self.own.sites, self.own.rows) = (sites, rows);
    }

    /// `W_b / sum_r q_r K_rb` of each point. Without `factors`, all `q_r` are 1.
    #[inline(always)]
    pub fn scales(&self, factors: Option<&[f64]>) -> Lanes {
        let mut sums: Lanes = [0.0; LANES];
        for (&site, row) in self.own.sites.iter().zip(&self.own.rows) {
            let factor = factors.map_or(1.0, |factors| factors[site as usize]);
            for lane in 0..LANES {
                sums[lane] += factor * row[lane];
            }
        }
        std::array::from_fn(|lane| self.work[lane] / sums[lane])
    }

    fn iterate(&mut self, factors: &[f64]) {
        let scales = self.scales(Some(factors));
        let Kernel { sites, rows, loads, .. } = &mut self.own;
        loads.clear();
        loads.extend(
            sites.iter().zip(rows).map(|(&site, row)| factors[site as usize] * dot(row, &scales)),
        );
    }

    /// The work of each site, its moment about the site, and the sum of the second moments.
    fn moments(&mut self, diagram_sites: &[Vec3]) {
        let scales = self.scales(None);
        let mut kernel = std::mem::take(&mut self.own);
        kernel.loads.clear();
        kernel.moments.clear();
        kernel.value = 0.0;
        for (&site, row) in kernel.sites.iter().zip(&kernel.rows) {
            let site = &diagram_sites[site as usize];
            let shares: Lanes = std::array::from_fn(|lane| row[lane] * scales[lane]);
            let [x, y, z] = [0, 1, 2].map(|axis: usize| -> Lanes {
                std::array::from_fn(|lane| self.position[axis][lane] - site[axis])
            });
            kernel.loads.push(shares.iter().sum());
            let moment = Vec3::new(dot(&shares, &x), dot(&shares, &y), dot(&shares, &z));
            kernel.moments.push(moment);
            kernel.value += dot(&shares, &self.costs(site));
        }
        self.own = kernel;
    }
}

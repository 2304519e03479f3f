//! The modelled time of a step with a rank for each worker, from a run on one rank of one thread.
//!
//! | part of a step | modelled as |
//! |---|---|
//! | workers | the slowest one. Rounds count as one: the slowest in each round may be another |
//! | search for contacts | a time for each body and joint; of the rest the largest share |
//! | motion, sets, weights, blending, joints between homes | as measured: all ranks do it alike |
//! | exchange | calls x latency + bytes / bandwidth |
//!
//! Calls and bytes follow from the constraints and rounds of the step: a gather of all ranks is two
//! calls, lengths and values, and each rank learns what the others have. Blocks of joints between
//! homes are small, and left out.

use cloth_core::report::Report;
use cloth_rigid::{Phase, RigidReport};
use cloth_workers::report::WorkerReport;
use cloth_workers::settings::Coupling;

/// What an exchange of all ranks costs.
#[derive(Debug)]
pub struct WorkersNetwork {
    /// What it connects.
    pub name: &'static str,
    /// Time of a call, s.
    pub latency_s: f64,
    /// Bytes that a rank learns in a second.
    pub bytes_per_s: f64,
}

/// Ranks as threads and as processes of one machine, and the network of the paper.
pub const NETWORKS: [WorkersNetwork; 3] = [
    WorkersNetwork { name: "threads", latency_s: 2e-6, bytes_per_s: 10e9 },
    WorkersNetwork { name: "processes", latency_s: 20e-6, bytes_per_s: 10e9 },
    WorkersNetwork { name: "a network", latency_s: 50e-6, bytes_per_s: 110e6 },
];

// The part of the search for contacts that all ranks do alike: the grid of all bodies, and all
// joints. Fitted to five scenes with two workers, on one rank and on two, within 0.2 ms of each.
const SEARCH_OF_BODY_S: f64 = 0.14e-6;
const SEARCH_OF_JOINT_S: f64 = 0.2e-6;

// Sizes of what ranks send each other, bytes.
const CONTACT: f64 = 96.0;
const STATE: f64 = 104.0;
const CONTACT_IMPULSE: f64 = 24.0;
const JOINT_IMPULSE: f64 = 64.0;
const KEPT_CONTACT: f64 = 64.0;
const KEPT_JOINT: f64 = 80.0;

/// The modelled time of a step in each of [`NETWORKS`], s.
pub fn modelled_s(
    report: &RigidReport,
    workers: &[WorkerReport],
    coupling: Coupling,
) -> [f64; NETWORKS.len()] {
    let seconds = workers.iter().map(|worker| worker.seconds);
    let contacts_s = report.seconds[Phase::Contacts as usize];
    let alike_s = report.total_s() - contacts_s - seconds.clone().sum::<f64>();
    let longest_s = seconds.fold(0.0, f64::max);
    let [bodies, joints] = [report.bodies, report.joints].map(|count| count as f64);
    let same_s = contacts_s.min(SEARCH_OF_BODY_S * bodies + SEARCH_OF_JOINT_S * joints);
    let search_s = same_s + (contacts_s - same_s) * largest_share(workers);
    let computed_s = alike_s + search_s + longest_s;
    if workers.len() < 2 {
        return [computed_s; NETWORKS.len()];
    }
    let [calls, bytes] = exchange(report, workers, coupling);
    let of_others = bytes * (1.0 - 1.0 / workers.len() as f64);
    NETWORKS.map(|network| computed_s + calls * network.latency_s + of_others / network.bytes_per_s)
}

/// The largest share of all contacts that one worker has; without any, of the bodies.
fn largest_share(workers: &[WorkerReport]) -> f64 {
    let share = |count: fn(&WorkerReport) -> u64| {
        let (most, sum) = (workers.iter().map(count).max(), workers.iter().map(count).sum::<u64>());
        most.filter(|&most| most > 0).map(|most| most as f64 / sum as f64)
    };
    share(|worker| worker.contacts).or_else(|| share(|worker| worker.home)).unwrap_or(1.0)
}

/// Calls and bytes of a step.
fn exchange(report: &RigidReport, workers: &[WorkerReport], coupling: Coupling) -> [f64; 2] {
    let [contacts, joints, rounds] = [report.contacts, report.joints, report.sweeps];
    let [contacts, joints, rounds] = [contacts, joints, rounds].map(|count| count as f64);
    let kept = KEPT_CONTACT * contacts + KEPT_JOINT * joints;
    let found = CONTACT * contacts + kept;
    let states =
        |count: fn(&WorkerReport) -> u64| STATE * workers.iter().map(count).sum::<u64>() as f64;
    match coupling {
        // Contacts, states, kept impulses of contacts and of joints.
        Coupling::States => [2.0 * 4.0, found + states(|worker| worker.active)],
        Coupling::Impulses => {
            let kinds = [contacts, joints].iter().filter(|&&count| count > 0.0).count() as f64;
            // Each round asks whether it is the last, and how far to go. With joints it also solves
            // them: their proposed impulses and right sides are gathered. So at the start, twice.
            let solves = if joints > 0.0 { 1.0 } else { 0.0 };
            let gathers = 4.0 + kinds + solves * (2.0 + kinds);
            let of_round = kinds + solves * (1.0 + kinds);
            let gathered = (1.0 + solves) * (1.0 + rounds);
            let impulses = CONTACT_IMPULSE * contacts + JOINT_IMPULSE * joints;
            let calls = 2.0 * (gathers + rounds * of_round) + 2.0 * rounds;
            [calls, found + gathered * impulses + states(|worker| worker.home)]
        }
    }
}

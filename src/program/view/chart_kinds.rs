//! The charts of each kind of run.

use std::collections::BTreeMap;

use crate::program::output::{Bodies, BodyFrameRecord, Cloth, ClothFrameRecord};
use crate::program::profile::Colour;
use crate::program::profile::frames::{BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION};
use crate::program::view::{ChartKind, ChartLine, CurveOf, LoadOfWorker, Take};

const fn chart(title: &'static str, unit: &'static str) -> ChartLine {
    ChartLine::Chart { title, unit }
}

const fn curve(label: &'static str, color: Colour, value: &'static str, take: Take) -> ChartLine {
    ChartLine::Curve(CurveOf { label, color, value, take })
}

impl ChartKind for Cloth {
    const CHARTS: &'static [ChartLine] = &[
        chart("Contacts", "a step"),
        curve("near pairs", BLUE, "proximity_pairs", Take::AStep),
        curve("predicted impacts", VERMILION, "predicted_impacts", Take::AStep),
        curve("collisions", ORANGE, "collisions", Take::AStep),
        chart("Iterations of conjugate gradients", "a step"),
        curve("iterations", BLUE, "cg_iterations", Take::SameAStep),
        chart("Balance of energy", "J"),
        curve("kinetic and elastic", BLUE, "internal_j", Take::Whole),
        curve("total", PURPLE, "energy_j", Take::Whole),
        curve("work so far", GREEN, "work_j", Take::SoFar),
        curve("rises without work so far", VERMILION, "unexplained_rise_j", Take::SoFar),
        chart("Repairs and redone steps", "a frame"),
        curve("repairs", BLUE, "repairs", Take::Same),
        curve("redone: solve failed", VERMILION, "halvings", Take::Same),
        curve("redone: edge turned", ORANGE, "turned_steps", Take::Same),
        curve("redone: fail-safe or energy", PURPLE, "redone_steps", Take::Same),
        curve("smaller: fast obstacle", GREEN, "fast_steps", Take::Same),
        curve("smaller: inaccurate", GREY, "inaccurate_steps", Take::Same),
        chart("Strain of edges at the frame", "%"),
        curve("largest", VERMILION, "strain_most", Take::Whole),
        curve("smallest", BLUE, "strain_least", Take::Whole),
        chart("Hierarchy tests", "a step"),
        curve("tests", BLUE, "tests", Take::AStep),
    ];

    fn of_frame(frame: &ClothFrameRecord) -> Vec<(&'static str, f64)> {
        let Some([most, least]) = &frame.part.strain else { return Vec::new() };
        vec![("strain_most", 100.0 * most.strain), ("strain_least", 100.0 * least.strain)]
    }
}

impl ChartKind for Bodies {
    const CHARTS: &'static [ChartLine] = &[
        chart("Contacts", "a step"),
        curve("contacts", BLUE, "contacts", Take::AStep),
        curve("stopped bodies", VERMILION, "stopped", Take::AStep),
        chart("Sweeps of the solver", "a step"),
        curve("sweeps", BLUE, "sweeps", Take::SameAStep),
        chart("Balance of energy", "J"),
        curve("translation", BLUE, "translation_j", Take::Whole),
        curve("rotation", ORANGE, "rotation_j", Take::Whole),
        curve("potential", GREEN, "potential_j", Take::Whole),
        curve("sum", PURPLE, "mechanical_j", Take::Whole),
        chart("Bodies and shadow copies at the frame", ""),
        curve("bodies", BLUE, "bodies", Take::Whole),
        curve("shadow copies", ORANGE, "shadow_copies", Take::Whole),
        chart("Widest joint", "m"),
        curve("gap", VERMILION, "joint_gap_m", Take::Whole),
        chart("Messages", "a step"),
        curve("messages", PURPLE, "messages", Take::AStep),
        curve("migrations", VERMILION, "migrated", Take::AStep),
        chart("Bytes sent", "a step"),
        curve("bytes", ORANGE, "bytes", Take::AStep),
        chart("Largest residual", "m/s"),
        curve("residual", VERMILION, "residual_m_s", Take::Whole),
    ];

    fn of_frame(frame: &BodyFrameRecord) -> Vec<(&'static str, f64)> {
        let (part, totals) = (&frame.part, &frame.part.totals);
        let last = frame.steps.iter().map(|step| step.step).max();
        let at_frame = frame.steps.iter().filter(|step| Some(step.step) == last);
        let copies: u64 = at_frame.map(|step| step.report.copies).sum();
        vec![
            ("translation_j", totals.translation_j),
            ("rotation_j", totals.rotation_j),
            ("potential_j", totals.potential_j),
            ("mechanical_j", totals.energy_j()),
            ("bodies", part.bodies as f64),
            ("shadow_copies", copies as f64),
        ]
    }

    fn workers(frame: &BodyFrameRecord) -> BTreeMap<u64, LoadOfWorker> {
        let mut loads = BTreeMap::<u64, LoadOfWorker>::new();
        for report in frame.steps.iter().flat_map(|step| &step.part.workers) {
            let load = loads.entry(report.worker).or_default();
            let step = [report.seconds, report.contacts as f64, report.active as f64];
            load.iter_mut().zip(step).for_each(|(sum, more)| *sum += more);
        }
        loads
    }
}

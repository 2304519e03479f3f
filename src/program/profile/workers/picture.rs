//! The picture of the workers of a run. It restates figures 10 to 14 of Kale & Kry 2024, see
//! docs/profiling.md.

use cloth_workers::report::WorkerReport;
use plotters::element::{PathElement, Rectangle};
use plotters::prelude::DrawingBackend;
use plotters::style::colors::colormaps::ViridisRGB;
use plotters::style::{BLACK, Color, RGBColor};

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::panel::{
    self, BLUE, Curve, GREEN, HEADING, ORANGE, PURPLE, TimeAxes, VERMILION, heading_line,
};
use crate::program::profile::workers::model::NETWORKS;
use crate::program::profile::workers::steps::{RunOfWorkers, StepsOfWorkers, quartiles};

const PANEL: u32 = 240;

/// Rows of two diagrams. The left ones of the first rows have a curve for each worker.
pub struct WorkersPicture<'a>(pub &'a RunOfWorkers);

impl Picture for WorkersPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1600, HEADING + self.rows() as u32 * PANEL)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let run = self.0;
        let (heading, below) = area.split_vertically(HEADING);
        heading_line(&heading, &format!("{}: {}, {:?}", run.scene, run.count(), run.coupling))?;
        let areas = below.split_evenly((self.rows(), 2));
        let [contacts, contacts_spread, active, active_spread, rest @ ..] = &areas[..] else {
            return Ok(());
        };
        let [shared, sweeps, times, speed_ups, rest @ ..] = rest else { return Ok(()) };
        self.each(contacts, "Contacts of each worker a step", |it| it.contacts as f64)?;
        self.spread(contacts_spread, "Contacts of a step over the run: quartiles and range", 0)?;
        self.each(active, "Active bodies of each worker", |it| it.active as f64)?;
        self.spread(active_spread, "Active bodies over the run: quartiles and range", 1)?;
        self.each(shared, "Shared bodies of each worker", |it| it.shared as f64)?;
        let rounds = |frame: &StepsOfWorkers| frame.a_step(frame.sweeps as f64);
        let title = "Most sweeps of a worker, or rounds, a step";
        self.curves(sweeps, title, vec![self.curve("sweeps", GREEN, rounds)])?;
        self.times(times)?;
        if run.is_serial {
            self.speed_ups(speed_ups)?;
        }
        for (place, (title, curve)) in rest.iter().zip(self.more()) {
            self.curves(place, title, vec![curve])?;
        }
        Ok(())
    }
}

impl WorkersPicture<'_> {
    fn rows(&self) -> usize {
        4 + self.more().len().div_ceil(2)
    }

    /// The diagrams of the last rows, for what the run has: joints, residuals, a changing number of
    /// workers. Their titles and curves.
    fn more(&self) -> Vec<(&'static str, Curve<'static>)> {
        let Self(run) = self;
        let gap = self.curve("of all states", BLUE, |it| 1e3 * it.joint_gap_m);
        let values = run.frames.iter().map(|it| it.residual_m_s).collect();
        let residual = Curve { label: "of all constraints", color: GREEN, values };
        let count = |it: &StepsOfWorkers| it.a_step(it.counts.iter().sum::<usize>() as f64);
        let count = self.curve("a step", BLUE, count);
        let has_joints = run.whole.workers.values().any(|worker| worker.sum.joints > 0);
        let all = [
            (has_joints, ("Widest joint, mm", gap)),
            (run.whole.residual_m_s.is_some(), ("Largest residual, m/s", residual)),
            (run.is_resized(), ("Workers", count)),
        ];
        all.into_iter().filter_map(|(is_known, diagram)| is_known.then_some(diagram)).collect()
    }

    /// A curve for each worker. The legend names a few.
    fn each<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        title: &str,
        value: fn(&WorkerReport) -> f64,
    ) -> Drawn<B> {
        let names = self.0.names();
        let every = panel::spacing(names.len(), 9.0);
        let numbers = self.0.whole.workers.keys();
        let curves = numbers.zip(&names).enumerate().map(|(at, (number, name))| {
            let label = if at % every == 0 { name.as_str() } else { "" };
            let of = |frame: &StepsOfWorkers| Some(frame.workers.get(number)?.mean(value));
            let values = self.0.frames.iter().map(of).collect();
            Curve { label, color: color(at, names.len()), values }
        });
        self.curves(area, title, curves.collect())
    }

    fn curve<'a>(
        &self,
        label: &'a str,
        color: RGBColor,
        value: impl Fn(&StepsOfWorkers) -> f64,
    ) -> Curve<'a> {
        Curve { label, color, values: self.0.frames.iter().map(|it| Some(value(it))).collect() }
    }

    fn curves<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        title: &str,
        curves: Vec<Curve>,
    ) -> Drawn<B> {
        panel::diagram(area, title, self.0.frames.len(), &curves)
    }

    /// A box for each worker: its quartiles, with a line from the least value to the largest.
    /// `which` of the values of each step.
    fn spread<B: DrawingBackend>(&self, area: &Area<B>, title: &str, which: usize) -> Drawn<B> {
        let spreads = self.0.each_step.values().map(|values| quartiles(&values[which]));
        let spreads = Vec::from_iter(spreads);
        let max = panel::above(spreads.iter().map(|it| it[4]));
        let mut chart = panel::columns(area, spreads.len(), max)?;
        panel::grid(&mut chart, 6, &panel::number)?;
        panel::title(area, title)?;
        let every = panel::spacing(spreads.len(), 16.0);
        let numbers = (1..=spreads.len()).step_by(every);
        let names = self.0.each_step.keys().step_by(every).map(|&number| number as usize);
        panel::horizontal_axis(area, &chart, numbers.zip(names), "worker")?;
        for (at, &[least, first, median, third, most]) in spreads.iter().enumerate() {
            let (x, ink) = (at as f64 + 1.0, color(at, spreads.len()));
            let line = |points: [(f64, f64); 2], ink: RGBColor| {
                PathElement::new(points.to_vec(), ink.stroke_width(2))
            };
            chart.draw_series([line([(x, least), (x, most)], ink)])?;
            chart.draw_series([Rectangle::new(
                [(x - 0.25, first), (x + 0.25, third)],
                ink.filled(),
            )])?;
            chart.draw_series([line([(x - 0.25, median), (x + 0.25, median)], BLACK)])?;
        }
        Ok(())
    }

    /// Measured and modelled times of a step.
    fn times<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let frames = &self.0.frames;
        let longest_s = frames.iter().map(|it| it.a_step(it.step_s)).fold(0.0, f64::max);
        let axes = TimeAxes {
            title: "Time, measured and modelled",
            of: "a step",
            frames: frames.len(),
            longest_s,
        };
        let (mut chart, per_s) = panel::time_axes(area, &axes)?;
        let mut curves = vec![
            self.curve("step, measured", BLUE, |it| per_s * it.a_step(it.step_s)),
            self.curve("slowest worker", ORANGE, |it| per_s * it.a_step(it.longest_s)),
        ];
        if self.0.is_serial {
            let modelled = |it: &StepsOfWorkers| per_s * it.a_step(it.modelled_s[1]);
            curves.push(self.curve("modelled, processes", VERMILION, modelled));
        }
        panel::curves(area, &mut chart, &curves)
    }

    /// The modelled speed-up against all workers one after the other.
    fn speed_ups<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let colors = [VERMILION, PURPLE, BLUE];
        let networks = NETWORKS.iter().zip(colors).enumerate();
        let curves = networks.map(|(at, (network, color))| {
            self.curve(network.name, color, |it| it.step_s / it.modelled_s[at])
        });
        self.curves(area, "Modelled speed-up against this run", curves.collect())
    }
}

/// The colour of the worker at place `at` of `count`.
fn color(at: usize, count: usize) -> RGBColor {
    let share = at as f64 / count.saturating_sub(1).max(1) as f64;
    // The brightest yellow can hardly be seen on white.
    ViridisRGB::get_color_normalized(0.9 * share, 0.0, 1.0)
}

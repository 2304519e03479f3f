//! The picture of one step: which processor executed which task, and when.

use crate::observe::{Origin, SearchSpan, TaskSpan};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use crate::program::output::timeline_json::TimeLine;
use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::panel::{
    self, BLUE, BOTTOM, GREEN, HEADING, LEFT, RIGHT, TOP, VERMILION, heading_line,
};
use crate::program::words::plural;

const WIDTH: u32 = 1200;
/// At most this many searches of a step are drawn.
const PANELS: usize = 4;
/// Searches below this share of the longest one are left out.
const SHORTEST: f64 = 0.05;
/// Narrower tasks get no bar of their own, pixels.
const NARROWEST: f64 = 3.0;
/// Width of the columns in which narrower tasks are added up, pixels.
const COLUMN: i32 = 2;

/// The colour of a processor without a task, while its rank is in the search.
const IDLE: RGBColor = RGBColor(222, 222, 222);
/// For each of [`ORIGINS`], the share of the time of a column.
type Shares = [f64; 3];
/// Opacity of the part of a bar in which the thread did not run.
const PALE: f64 = 0.35;
const ORIGINS: [(&str, RGBColor); 3] =
    [("top-level task", BLUE), ("cut off own stack", GREEN), ("stolen task", VERMILION)];

fn kind(origin: &Origin) -> usize {
    match origin {
        Origin::TopLevel => 0,
        Origin::Cut => 1,
        Origin::Stolen(_) => 2,
    }
}

/// The longest searches of the step, one below the other, in the order of time.
pub(super) struct StepPicture<'a> {
    line: &'a TimeLine,
    shown: Vec<SearchOfRanks<'a>>,
    searches: usize,
}

/// One search on all ranks.
struct SearchOfRanks<'a> {
    /// Its number in the step, from 1.
    number: usize,
    ranks: Vec<&'a SearchSpan>,
    /// The moment when the first rank began, s.
    begin_s: f64,
    /// From then until the last rank was done, s.
    length_s: f64,
}

impl<'a> SearchOfRanks<'a> {
    fn new(line: &'a TimeLine, index: usize) -> Self {
        let ranks = Vec::from_iter(line.ranks.iter().filter_map(|rank| rank.searches.get(index)));
        let begin_s = ranks.iter().map(|rank| rank.begin_s).fold(f64::INFINITY, f64::min);
        let end_s = ranks.iter().map(|rank| rank.end_s).fold(f64::NEG_INFINITY, f64::max);
        Self { number: index + 1, ranks, begin_s, length_s: (end_s - begin_s).max(1e-9) }
    }

    fn tasks(&self) -> impl Iterator<Item = (usize, &'a TaskSpan)> {
        let of_rank = |(rank, span): (usize, &&'a SearchSpan)| {
            let tasks: &'a [TaskSpan] = &span.tasks;
            tasks.iter().map(move |task| (rank, task))
        };
        self.ranks.iter().enumerate().flat_map(of_rank)
    }

    fn busy_s(&self) -> f64 {
        self.tasks().map(|(_, task)| task.busy_s).sum()
    }
}

impl<'a> StepPicture<'a> {
    /// The longest searches of `line`, at most [`PANELS`].
    pub(super) fn new(line: &'a TimeLine) -> Self {
        let searches = line.ranks.first().map_or(0, |rank| rank.searches.len());
        let all = (0..searches).map(|index| SearchOfRanks::new(line, index));
        let mut shown = Vec::from_iter(all.filter(|search| search.tasks().next().is_some()));
        shown.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
        shown.truncate(PANELS);
        let longest_s = shown.first().map_or(0.0, |search| search.length_s);
        shown.retain(|search| search.length_s >= SHORTEST * longest_s);
        shown.sort_by_key(|search| search.number);
        Self { line, shown, searches }
    }

    fn processors(&self) -> usize {
        self.line.ranks.len() * self.line.threads
    }

    /// Height of a processor's row, pixels.
    fn row(&self) -> i32 {
        (360 / self.processors().max(1) as i32).clamp(3, 64)
    }

    fn utilization(&self, search: &SearchOfRanks) -> f64 {
        search.busy_s() / (search.length_s * self.processors() as f64)
    }
}

impl Picture for StepPicture<'_> {
    fn size(&self) -> (u32, u32) {
        let panel = TOP + BOTTOM + self.row() * self.processors() as i32;
        (WIDTH, HEADING + panel.max(160) as u32 * self.shown.len().max(1) as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let TimeLine { scene, step, frame, threads, ranks, .. } = self.line;
        let (heading, rest) = area.split_vertically(HEADING);
        let (ranks, threads) = (plural(ranks.len(), "rank"), plural(*threads, "thread"));
        let left_out = match self.shown.len() {
            0 => "; nothing to test".to_owned(),
            1 if self.searches > 1 => format!("; the longest of {} searches", self.searches),
            shown if shown < self.searches => {
                format!("; the {shown} longest of {} searches", self.searches)
            }
            _ => String::new(),
        };
        let line = format!("{scene}, step {step} (frame {frame}): {ranks} x {threads}{left_out}");
        heading_line(&heading, &line)?;
        let panels = rest.split_evenly((self.shown.len().max(1), 1));
        for (i, (area, search)) in panels.iter().zip(&self.shown).enumerate() {
            self.panel(area, search)?;
            if i == 0 {
                legend(area)?;
            }
        }
        Ok(())
    }
}

impl StepPicture<'_> {
    fn panel<B: DrawingBackend>(&self, area: &Area<B>, search: &SearchOfRanks) -> Drawn<B> {
        let (unit, per_s) = panel::unit_of_time(search.length_s);
        let stolen = search.tasks().filter(|(_, task)| kind(&task.origin) == 2).count();
        let title = format!(
            "Search {} of {}: {:.3} {unit}, {}, {stolen} stolen; utilization {:.0} %",
            search.number,
            self.searches,
            per_s * search.length_s,
            plural(search.tasks().count(), "task"),
            100.0 * self.utilization(search),
        );
        panel::title(area, &title)?;
        let width = area.dim_in_pixel().0 as i32 - LEFT - RIGHT;
        let rows = TaskRows { search, row: self.row(), threads: self.line.threads, width };
        for rank in 0..self.line.ranks.len() {
            for thread in 0..self.line.threads {
                rows.draw(area, rank, thread, self.processors())?;
            }
        }
        rows.arrows(area)?;
        rows.axis(area, TOP + self.row() * self.processors() as i32)
    }
}

/// Upper and lower end of a bar, pixels.
#[derive(Clone, Copy)]
struct BarEnds {
    top: i32,
    bottom: i32,
}

/// The rows of a panel, one for each processor.
struct TaskRows<'a> {
    search: &'a SearchOfRanks<'a>,
    row: i32,
    threads: usize,
    width: i32,
}

impl TaskRows<'_> {
    /// The horizontal place of a time, pixels.
    fn x(&self, time_s: f64) -> f64 {
        let share = (time_s - self.search.begin_s) / self.search.length_s;
        f64::from(LEFT) + share.clamp(0.0, 1.0) * f64::from(self.width)
    }

    /// The bars of a processor.
    fn bar(&self, rank: usize, thread: usize) -> BarEnds {
        let top = TOP + self.row * (rank * self.threads + thread) as i32;
        let space = self.row * 2 / 9;
        BarEnds { top: top + space, bottom: top + self.row - space }
    }

    /// Draws the row of one processor.
    fn draw<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        rank: usize,
        thread: usize,
        processors: usize,
    ) -> Drawn<B> {
        let Some(span) = self.search.ranks.get(rank) else { return Ok(()) };
        let bar @ BarEnds { top, bottom } = self.bar(rank, thread);
        let number = rank * self.threads + thread;
        if number.is_multiple_of(panel::spacing(
            processors,
            f64::from(self.row * processors as i32) / 16.0,
        )) {
            let style = panel::text(15, BLACK, (HPos::Right, VPos::Center));
            let name = format!("{rank}.{thread}");
            area.draw(&Text::new(name, (LEFT - 8, (top + bottom) / 2), style))?;
        }
        let present = [(self.x(span.begin_s) as i32, top), (self.x(span.end_s) as i32, bottom)];
        area.draw(&Rectangle::new(present, IDLE.filled()))?;
        let own = span.tasks.iter().filter(|task| task.thread as usize == thread);
        let length = |task: &TaskSpan| self.x(task.end_s) - self.x(task.begin_s);
        let (wide, narrow): (Vec<_>, Vec<_>) = own.partition(|task| length(task) >= NARROWEST);
        self.columns(area, &narrow, bar)?;
        wide.iter().try_for_each(|task| self.wide_bar(area, task, bar))?;
        wide.iter().try_for_each(|task| {
            let x = self.x(task.end_s).round() as i32;
            area.draw(&PathElement::new([(x, top), (x, bottom)], WHITE))
        })
    }

    /// Draws the bar of a task. The part in which its thread did not run is pale.
    fn wide_bar<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        task: &TaskSpan,
        BarEnds { top, bottom }: BarEnds,
    ) -> Drawn<B> {
        let ran_s = task.begin_s + task.busy_s.min(task.end_s - task.begin_s);
        let [left, ran, right] =
            [task.begin_s, ran_s, task.end_s].map(|time_s| self.x(time_s).round() as i32);
        let color = ORIGINS[kind(&task.origin)].1;
        area.draw(&Rectangle::new([(left, top), (right, bottom)], color.mix(PALE).filled()))?;
        area.draw(&Rectangle::new([(left, top), (ran, bottom)], color.filled()))
    }

    /// Draws tasks that are too short for bars. Each column shows the share of its time that each
    /// kind of task took, one on the other.
    fn columns<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        tasks: &[&TaskSpan],
        BarEnds { top, bottom }: BarEnds,
    ) -> Drawn<B> {
        let heights = |shares: &Shares| {
            let mut sum = 0.0;
            shares.map(|share| {
                sum += share;
                bottom - (f64::from(bottom - top) * f64::min(sum, 1.0)).round() as i32
            })
        };
        let heights = Vec::from_iter(self.shares(tasks).iter().map(heights));
        let mut at = 0;
        for equal in heights.chunk_by(|a, b| a == b) {
            let (left, right) =
                (at as i32 * COLUMN + LEFT, (at + equal.len()) as i32 * COLUMN + LEFT);
            let right = right.min(LEFT + self.width);
            at += equal.len();
            let mut lower = bottom;
            for (upper, (_, color)) in equal[0].into_iter().zip(ORIGINS) {
                if upper < lower {
                    area.draw(&Rectangle::new([(left, upper), (right, lower)], color.filled()))?;
                }
                lower = upper;
            }
        }
        Ok(())
    }

    /// The shares of all columns.
    fn shares(&self, tasks: &[&TaskSpan]) -> Vec<Shares> {
        let mut shares = vec![Shares::default(); (self.width / COLUMN) as usize + 1];
        let column = f64::from(COLUMN);
        for task in tasks {
            let [left, right] = [task.begin_s, task.end_s].map(|t| self.x(t) - f64::from(LEFT));
            for at in (left / column) as usize..=(right / column) as usize {
                let begin = at as f64 * column;
                let part = right.min(begin + column) - left.max(begin);
                if let Some(shares) = shares.get_mut(at) {
                    shares[kind(&task.origin)] += part.max(0.0) / column;
                }
            }
        }
        shares
    }

    /// Draws an arrow for each steal: from the victim, when it handed over the task, to the thief,
    /// when it began the task.
    fn arrows<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        for (rank, task) in self.search.tasks() {
            let Origin::Stolen(steal) = task.origin else { continue };
            let victim = self.bar(steal.victim_rank as usize, steal.victim as usize);
            let thief = self.bar(rank, task.thread as usize);
            let (from, to) = if victim.top < thief.top {
                (victim.bottom, thief.top)
            } else {
                (victim.top, thief.bottom)
            };
            let from = (self.x(steal.handed_over_s).round() as i32, from);
            arrow(area, from, (self.x(task.begin_s).round() as i32, to))?;
        }
        Ok(())
    }

    /// Draws the axis of time, at `y`.
    fn axis<B: DrawingBackend>(&self, area: &Area<B>, y: i32) -> Drawn<B> {
        let (unit, per_s) = panel::unit_of_time(self.search.length_s);
        let (length, right) = (per_s * self.search.length_s, LEFT + self.width);
        area.draw(&PathElement::new([(LEFT, y), (right, y)], BLACK))?;
        let style = panel::text(15, BLACK, (HPos::Center, VPos::Top));
        let step = panel::step(length, 12.0);
        for i in 0..=(length / step) as i32 {
            let value = f64::from(i) * step;
            let x = self.x(self.search.begin_s + value / per_s).round() as i32;
            area.draw(&PathElement::new([(x, y), (x, y + 4)], BLACK))?;
            area.draw(&Text::new(panel::number(value), (x, y + 9), style.clone()))?;
        }
        let label = format!("{unit} since the first rank began this search");
        area.draw(&Text::new(label, ((LEFT + right) / 2, y + 26), style))
    }
}

fn arrow<B: DrawingBackend>(area: &Area<B>, from: (i32, i32), to: (i32, i32)) -> Drawn<B> {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let at = |along: f64, across: f64| {
        let (x, y) = (
            f64::from(to.0) - along * ux - across * uy,
            f64::from(to.1) - along * uy + across * ux,
        );
        (x.round() as i32, y.round() as i32)
    };
    area.draw(&PathElement::new([from, to], BLACK))?;
    area.draw(&Circle::new(from, 1, BLACK.filled()))?;
    area.draw(&Polygon::new([to, at(7.0, 3.0), at(7.0, -3.0)], BLACK.filled()))
}

fn legend<B: DrawingBackend>(area: &Area<B>) -> Drawn<B> {
    let over_idle = |part: u8, idle: u8| {
        (f64::from(idle) + PALE * (f64::from(part) - f64::from(idle))).round() as u8
    };
    let pale =
        RGBColor(over_idle(BLUE.0, IDLE.0), over_idle(BLUE.1, IDLE.1), over_idle(BLUE.2, IDLE.2));
    let others = [("paler: not running", pale), ("no task", IDLE)];
    panel::legend(area, ORIGINS.into_iter().chain(others))?;
    let left = area.dim_in_pixel().0 as i32 - RIGHT + 16;
    let y = TOP + 10 + 20 * (ORIGINS.len() as i32 + 2);
    arrow(area, (left - 4, y), (left + 16, y))?;
    let style = panel::text(15, BLACK, (HPos::Left, VPos::Center));
    area.draw(&Text::new("steal, to the thief", (left + 22, y), style))
}

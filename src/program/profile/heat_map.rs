//! The heat map: how busy each processor or rank was over the frames, as colours.

use plotters::element::{Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::colors::colormaps::ViridisRGB;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use crate::program::profile::canvas::{Area, Drawn};
use crate::program::profile::panel;
use crate::program::profile::panel::{BOTTOM, LEFT, RIGHT, TOP};

/// What a heat map shows.
pub(super) struct HeatMap<'a> {
    pub title: &'a str,
    /// The name of each row.
    pub names: Vec<String>,
    /// Names that are shown, if there is no room for all, are those of multiples of this.
    pub multiple: usize,
    /// The value of each row in each frame, 0 to 1. None where there was no work.
    pub frames: Vec<Vec<Option<f64>>>,
    /// What a cell without a value means.
    pub no_value: &'a str,
}

/// Cells without work.
const NO_WORK: RGBColor = RGBColor(222, 222, 222);

/// Height of a heat map of this many processors, pixels.
pub(super) fn height(processors: usize) -> u32 {
    (26 * processors as u32).clamp(150, 620) + (TOP + BOTTOM) as u32
}

/// The colour of a utilization: dark blue for 0, yellow for 1.
fn color(utilization: f64) -> RGBColor {
    ViridisRGB::get_color_normalized(utilization.clamp(0.0, 1.0), 0.0, 1.0)
}

/// Draws the heat map: frames to the right, rows downwards.
pub(super) fn draw<B: DrawingBackend>(area: &Area<B>, map: &HeatMap) -> Drawn<B> {
    let count = map.names.len();
    let chart = panel::columns(area, map.frames.len(), 1.0)?;
    panel::title(area, map.title)?;
    let height = area.dim_in_pixel().1 as i32 - TOP - BOTTOM;
    let row = |index: usize| TOP + (height * index as i32) / count.max(1) as i32;
    for (i, frame) in map.frames.iter().enumerate() {
        let [left, right] = [0.5, 1.5].map(|x| panel::column(area, &chart, i as f64 + x));
        for (j, &value) in frame.iter().enumerate() {
            cell(area, [(left, row(j)), (right, row(j + 1))], value)?;
        }
    }
    // As many names as there is room for.
    let style = panel::text(15, BLACK, (HPos::Right, VPos::Center));
    let every = match panel::spacing(count, f64::from(height) / 16.0) {
        1 => 1,
        some => some.next_multiple_of(map.multiple.max(1)),
    };
    for (j, name) in map.names.iter().enumerate().step_by(every) {
        let middle = (row(j) + row(j + 1)) / 2;
        area.draw(&Text::new(name.clone(), (LEFT - 8, middle), style.clone()))?;
    }
    panel::frame_numbers(area, &chart, map.frames.len())?;
    scale(area, height, map.no_value)
}

/// Draws one row in one frame, with its percentage where there is room.
fn cell<B: DrawingBackend>(
    area: &Area<B>,
    corners: [(i32, i32); 2],
    utilization: Option<f64>,
) -> Drawn<B> {
    let fill = utilization.map_or(NO_WORK, color);
    area.draw(&Rectangle::new(corners, fill.filled()))?;
    let [(left, top), (right, bottom)] = corners;
    let Some(value) = utilization.filter(|_| right - left >= 30 && bottom - top >= 16) else {
        return Ok(());
    };
    let ink = if value > 0.6 { BLACK } else { WHITE };
    let style = panel::text(14, ink, (HPos::Center, VPos::Center));
    let middle = ((left + right) / 2, (top + bottom) / 2);
    area.draw(&Text::new(format!("{:.0}", 100.0 * value), middle, style))
}

/// Draws the scale of colours, right of the axes.
fn scale<B: DrawingBackend>(area: &Area<B>, height: i32, no_value: &str) -> Drawn<B> {
    let left = area.dim_in_pixel().0 as i32 - RIGHT + 16;
    let right = left + 16;
    let (top, bottom) = (TOP + 8, TOP + height.min(260) - 24);
    let heading = panel::text(15, BLACK, (HPos::Left, VPos::Center));
    for y in (top..bottom).step_by(2) {
        let value = f64::from(bottom - 2 - y) / f64::from((bottom - 2 - top).max(1));
        area.draw(&Rectangle::new([(left, y), (right, y + 2)], color(value).filled()))?;
    }
    for percent in [0, 50, 100] {
        let y = bottom - (bottom - top) * percent / 100;
        let label = Text::new(format!("{percent} %"), (right + 8, y), heading.clone());
        area.draw(&label)?;
    }
    let y = bottom + 18;
    area.draw(&Rectangle::new([(left, y - 6), (right, y + 6)], NO_WORK.filled()))?;
    area.draw(&Text::new(no_value, (right + 8, y), heading))
}

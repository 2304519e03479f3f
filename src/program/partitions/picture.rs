//! Pictures of divisions: the cloth in the colours of the ranks.

use std::path::Path;

use cloth_sim::error::{Error, Result};
use plotters::element::Text;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{BLACK, RGBColor, WHITE};
use resvg::tiny_skia::Pixmap;

use crate::program::output::names;
use crate::program::partitions::view::View;
use crate::program::partitions::{DividedCloth, Division, palette};
use crate::program::profile::canvas::{self, Area, Drawn, Inset, Picture};
use crate::program::profile::panel::{self, RIGHT};
use crate::program::words::{grouped, plural};

/// Space for two lines above the cloth, pixels.
const ABOVE: u32 = 70;
/// The cloth in the picture of one division, pixels.
const CLOTH: (u32, u32) = (860, 700);
/// Rows of the legend. There are more ranks than rows if the last one says so.
const ROWS: usize = 33;

/// Least and largest width of a cloth in the overview, pixels. Its height follows from the view.
const TILES: (u32, u32) = (120, 320);
/// All columns of the overview, pixels.
const COLUMNS: u32 = 1600;
/// Space for the names of the methods, pixels.
const NAMES: u32 = 150;
const HEAD: u32 = 40;

/// The cloth coloured by `division`.
fn colored(view: &View, division: &Division, size: (u32, u32)) -> Result<Pixmap> {
    let color = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| division.rank_of_vertex[vertex as usize]);
        if a == b && b == c { palette::color(a as usize) } else { palette::BORDER }
    };
    view.draw(size, color).ok_or_else(|| Error::internal("picture", "it has no pixel"))
}

/// Draws one division as a PNG file into `folder`. Returns the name of the file.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(cloth: &DividedCloth, view: &View, of: &Division, folder: &Path) -> Result<String> {
    let file = names::partition_picture(of.method.name(), of.ranks.len());
    let pixels = colored(view, of, CLOTH)?;
    let inset = Inset { pixels, place: (0, ABOVE as i32) };
    let picture = DivisionPicture { name: &cloth.name, division: of };
    canvas::write_png(&picture, &[inset], &folder.join(&file))?;
    Ok(file)
}

/// Heading and legend of one division.
struct DivisionPicture<'a> {
    name: &'a str,
    division: &'a Division,
}

impl Picture for DivisionPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (CLOTH.0 + RIGHT as u32, ABOVE + CLOTH.1)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let Division { method, ranks, load_index, surface_index, cut, .. } = self.division;
        let heading = format!("{}: {}, {}", self.name, method.name(), plural(ranks.len(), "rank"));
        let measures = format!(
            "load index {load_index:.4}, surface index {surface_index:.4}, cut {}. \
             Colours: vertices of each rank; dark: faces with several owners",
            grouped(*cut)
        );
        for (line, size, y) in [(heading, 23, 12), (measures, 16, 44)] {
            let style = panel::text(size, BLACK, (HPos::Left, VPos::Top));
            area.draw(&Text::new(line, (20, y), style))?;
        }
        let (_, below) = area.split_vertically(ABOVE);
        let label = |(rank, vertices): (usize, usize)| {
            (format!("rank {rank}: {}", grouped(vertices as u64)), palette::color(rank))
        };
        let vertices = ranks.iter().map(|share| share.vertices).enumerate();
        let mut rows: Vec<(String, RGBColor)> = vertices.map(label).collect();
        if rows.len() > ROWS {
            let more = rows.len() - (ROWS - 1);
            rows.truncate(ROWS - 1);
            rows.push((format!("and {more} more"), WHITE));
        }
        panel::legend(&below, rows.iter().map(|(label, color)| (&label[..], *color)))
    }
}

/// Draws all divisions beside each other: a row for each method, a column for each number of ranks.
///
/// # Errors
/// When the file cannot be written.
pub fn draw_overview(
    cloth: &DividedCloth,
    view: &View,
    divisions: &[Division],
    folder: &Path,
) -> Result<String> {
    let overview = Overview::new(&cloth.name, view, divisions);
    let mut insets = Vec::new();
    for division in divisions {
        let pixels = colored(view, division, overview.tile)?;
        insets.push(Inset { pixels, place: overview.place(division) });
    }
    canvas::write_png(&overview, &insets, &folder.join(names::PARTITION_OVERVIEW))?;
    Ok(names::PARTITION_OVERVIEW.to_owned())
}

/// The texts of the overview.
struct Overview<'a> {
    name: &'a str,
    methods: Vec<&'static str>,
    ranks: Vec<usize>,
    divisions: &'a [Division],
    tile: (u32, u32),
}

impl<'a> Overview<'a> {
    fn new(name: &'a str, view: &View, divisions: &'a [Division]) -> Self {
        let mut ranks = Vec::from_iter(divisions.iter().map(|division| division.ranks.len()));
        ranks.dedup();
        let first =
            divisions.iter().filter(|division| Some(&division.ranks.len()) == ranks.first());
        let methods = Vec::from_iter(first.map(|division| division.method.name()));
        let width = (COLUMNS / ranks.len().max(1) as u32).clamp(TILES.0, TILES.1);
        let height = (view.aspect().clamp(0.3, 1.2) * f64::from(width)) as u32;
        Self { name, methods, ranks, divisions, tile: (width, height) }
    }

    /// Height of a row: the cloth and a line below it, pixels.
    fn row(&self) -> u32 {
        self.tile.1 + 30
    }

    /// The upper left corner of a division's cloth.
    fn place(&self, division: &Division) -> (i32, i32) {
        let column = self.ranks.iter().position(|&ranks| ranks == division.ranks.len());
        let row = self.methods.iter().position(|&name| name == division.method.name());
        let x = NAMES + self.tile.0 * column.unwrap_or(0) as u32;
        let y = 2 * HEAD + self.row() * row.unwrap_or(0) as u32;
        (x as i32, y as i32)
    }
}

impl Picture for Overview<'_> {
    fn size(&self) -> (u32, u32) {
        let (columns, rows) = (self.ranks.len() as u32, self.methods.len() as u32);
        (NAMES + self.tile.0 * columns, 2 * HEAD + self.row() * rows)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let center = (HPos::Center, VPos::Top);
        let heading = panel::text(23, BLACK, (HPos::Left, VPos::Top));
        let name = format!("{}, divided among ranks", self.name);
        area.draw(&Text::new(name, (20, 12), heading))?;
        let (width, height) = (self.tile.0 as i32, self.tile.1 as i32);
        for division in self.divisions {
            let (x, y) = self.place(division);
            let middle = x + width / 2;
            if y == 2 * HEAD as i32 {
                let ranks = plural(division.ranks.len(), "rank");
                let style = panel::text(18, BLACK, center);
                area.draw(&Text::new(ranks, (middle, HEAD as i32 + 12), style))?;
            }
            if x == NAMES as i32 {
                let style = panel::text(18, BLACK, (HPos::Left, VPos::Center));
                area.draw(&Text::new(division.method.name(), (20, y + height / 2), style))?;
            }
            let indices =
                format!("load {:.3}, surface {:.3}", division.load_index, division.surface_index);
            let style = panel::text(15, BLACK, center);
            area.draw(&Text::new(indices, (middle, y + height + 4), style))?;
        }
        Ok(())
    }
}

//! Pictures of divisions: the cloth in the colours of the ranks.

use std::path::Path;

use cloth_sim::error::{Error, Result};
use plotters::element::Text;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{BLACK, RGBColor, WHITE};

use crate::program::lab::partitions::view::{Image, View};
use crate::program::lab::partitions::{DividedCloth, Division, names, palette};
use crate::program::output::write_whole;
use crate::program::profile::canvas::{self, Area, Drawn, Picture};
use crate::program::profile::panel::{self, RIGHT};
use crate::program::profile::png;
use crate::program::words::{grouped, plural};

/// Space for two lines above the cloth, pixels.
const ABOVE: u32 = 70;
/// The cloth in the picture of one division, pixels.
const CLOTH: (u32, u32) = (860, 700);
/// Number of rows of the legend. If there are more ranks than rows, the last row says so.
const ROWS: usize = 33;

/// Width of a cloth in the overview, pixels. Its height follows from the view.
const TILE: u32 = 320;
/// Space left of the cloths, for the numbers of ranks, pixels.
const NAMES: u32 = 120;
/// Height of a line of text, with the space around it, pixels.
const HEAD: u32 = 40;

/// The cloth coloured by `division`.
fn colored(view: &View, division: &Division, size: (u32, u32)) -> Image {
    let color = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| division.rank_of_vertex[vertex as usize]);
        if a == b && b == c { palette::color(a as usize) } else { palette::BORDER }
    };
    view.draw(size, color)
}

/// A drawn part of a picture, and the place of its upper left corner, pixels.
struct Inset {
    image: Image,
    place: (u32, u32),
}

/// Writes `picture` with `insets` on it as the PNG file `path`, if the program has the feature
/// `png`. Insets are images that would be too large for an SVG file.
fn write(picture: &impl Picture, insets: &[Inset], path: &Path) -> Result<()> {
    let png = png::of_svg(&canvas::svg(picture, path)?, |width, pixels| {
        for Inset { image, place: (x, y) } in insets {
            for (row, colors) in (*y as usize..).zip(image.rows()) {
                let row = pixels[4 * (row * width + *x as usize)..].chunks_exact_mut(4);
                row.zip(colors).for_each(|(pixel, color)| pixel[..3].copy_from_slice(color));
            }
        }
    });
    let png = png.map_err(|cause| Error::internal(path.display().to_string(), cause))?;
    png.map_or(Ok(()), |png| write_whole(path, |out| out.write_all(&png)))
        .map_err(|cause| Error::file(path, cause, "free some space or choose another --out"))
}

/// Draws one division as a PNG file into `folder`.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(cloth: &DividedCloth, view: &View, of: &Division, folder: &Path) -> Result<()> {
    let file = names::picture(of.method.name(), of.ranks.len());
    let inset = Inset { image: colored(view, of, CLOTH), place: (0, ABOVE) };
    let picture = DivisionPicture { name: &cloth.name, division: of };
    write(&picture, &[inset], &folder.join(file))
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

/// Draws all divisions beside each other: a row for each number of ranks, a column for each method.
///
/// # Errors
/// When the file cannot be written.
pub fn draw_overview(
    cloth: &DividedCloth,
    view: &View,
    divisions: &[Division],
    folder: &Path,
) -> Result<()> {
    let overview = Overview::new(&cloth.name, view, divisions);
    let mut insets = Vec::new();
    for (index, division) in divisions.iter().enumerate() {
        let image = colored(view, division, overview.tile);
        insets.push(Inset { image, place: overview.place(index) });
    }
    write(&overview, &insets, &folder.join(names::OVERVIEW))
}

/// The texts of the overview.
struct Overview<'a> {
    name: &'a str,
    /// By number of ranks, then by method.
    divisions: &'a [Division],
    methods: usize,
    /// The size of a cloth, pixels.
    tile: (u32, u32),
}

impl<'a> Overview<'a> {
    fn new(name: &'a str, view: &View, divisions: &'a [Division]) -> Self {
        let ranks = |division: &Division| division.ranks.len();
        let first = divisions.chunk_by(|a, b| ranks(a) == ranks(b)).next();
        let height = (view.aspect().clamp(0.3, 1.2) * f64::from(TILE)) as u32;
        Self { name, divisions, methods: first.map_or(1, <[_]>::len), tile: (TILE, height) }
    }

    /// Height of a row: the cloth and a line below it, pixels.
    fn row(&self) -> u32 {
        self.tile.1 + HEAD
    }

    /// The upper left corner of a division's cloth.
    fn place(&self, index: usize) -> (u32, u32) {
        let (row, column) = ((index / self.methods) as u32, (index % self.methods) as u32);
        (NAMES + TILE * column, 2 * HEAD + self.row() * row)
    }
}

impl Picture for Overview<'_> {
    fn size(&self) -> (u32, u32) {
        let rows = self.divisions.len().div_ceil(self.methods);
        (NAMES + TILE * self.methods as u32, 2 * HEAD + self.row() * rows as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let write = |text: &str, size, anchor, place| {
            area.draw(&Text::new(text.to_owned(), place, panel::text(size, BLACK, anchor)))
        };
        let (left, center) = ((HPos::Left, VPos::Top), (HPos::Center, VPos::Top));
        write(&format!("{}, divided among ranks", self.name), 23, left, (20, 12))?;
        for (index, division) in self.divisions.iter().enumerate() {
            let (x, y) = self.place(index);
            let (x, y) = (x as i32, y as i32);
            let (middle, below) = (x + self.tile.0 as i32 / 2, y + self.tile.1 as i32);
            if index < self.methods {
                write(division.method.name(), 18, center, (middle, HEAD as i32 + 12))?;
            }
            if index % self.methods == 0 {
                let ranks = plural(division.ranks.len(), "rank");
                write(&ranks, 18, (HPos::Left, VPos::Center), (20, y + self.tile.1 as i32 / 2))?;
            }
            let indices =
                format!("load {:.3}, surface {:.3}", division.load_index, division.surface_index);
            write(&indices, 15, center, (middle, below + 4))?;
        }
        Ok(())
    }
}

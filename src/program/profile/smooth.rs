//! Smooth pixels: a picture drawn larger, then averaged.

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontFamily,
};

use plotters::style::{FontDesc, TextStyle};

/// How many times larger.
pub(super) const FACTOR: u32 = 2;

/// Draws on a backend that is [`FACTOR`] times as wide and as high.
pub(super) struct Enlarged<B>(pub B);

type Drawn<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

fn enlarged((x, y): BackendCoord) -> BackendCoord {
    (x * FACTOR as i32, y * FACTOR as i32)
}

/// A style whose strokes are wider.
struct Wide<'a, S>(&'a S);

impl<S: BackendStyle> BackendStyle for Wide<'_, S> {
    fn color(&self) -> BackendColor {
        self.0.color()
    }

    fn stroke_width(&self) -> u32 {
        self.0.stroke_width() * FACTOR
    }
}

impl<B: DrawingBackend> DrawingBackend for Enlarged<B> {
    type ErrorType = B::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.0.get_size();
        (width / FACTOR, height / FACTOR)
    }

    fn ensure_prepared(&mut self) -> Drawn<B> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<B> {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn<B> {
        let ((left, top), last) = (enlarged(point), FACTOR as i32 - 1);
        self.0.draw_rect((left, top), (left + last, top + last), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        style: &S,
    ) -> Drawn<B> {
        self.0.draw_line(enlarged(a), enlarged(b), &Wide(style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn<B> {
        self.0.draw_rect(enlarged(upper_left), enlarged(lower_right), &Wide(style), fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn<B> {
        self.0.draw_path(path.into_iter().map(enlarged), &Wide(style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn<B> {
        self.0.draw_circle(enlarged(center), radius * FACTOR, &Wide(style), fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn<B> {
        self.0.fill_polygon(corners.into_iter().map(enlarged), &Wide(style))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        position: BackendCoord,
    ) -> Drawn<B> {
        let (family, size) = (style.family(), style.size() * f64::from(FACTOR));
        let font = FontDesc::new(FontFamily::from(family.as_str()), size, style.style());
        let font = font.transform(style.transform());
        let style = TextStyle { font, color: style.color(), pos: style.anchor() };
        self.0.draw_text(text, &style, enlarged(position))
    }
}

/// The average of each square of `FACTOR^2` pixels; rows of `width` RGB pixels become
/// rows of `width / FACTOR`.
pub(super) fn averaged(pixels: &[u8], width: usize) -> Vec<u8> {
    let factor = FACTOR as usize;
    let mut averages = Vec::with_capacity(pixels.len() / (factor * factor));
    for rows in pixels.chunks_exact(3 * width * factor) {
        for left in (0..width).step_by(factor) {
            for channel in 0..3 {
                let squares = rows.chunks_exact(3 * width);
                let values =
                    squares.flat_map(|row| (0..factor).map(move |x| row[3 * (left + x) + channel]));
                let sum: u32 = values.map(u32::from).sum();
                averages.push((sum / (FACTOR * FACTOR)) as u8);
            }
        }
    }
    averages
}

#[cfg(test)]
mod tests {
    use super::averaged;

    #[test]
    fn squares_are_averaged_channel_by_channel() {
        let upper = [[4, 0, 8], [0, 0, 8], [9, 9, 9], [9, 9, 9]];
        let lower = [[0, 0, 8], [0, 4, 8], [9, 9, 9], [9, 9, 9]];
        let pixels = [upper, lower].as_flattened().as_flattened().to_vec();
        assert_eq!(averaged(&pixels, 4), [1, 1, 8, 9, 9, 9]);
    }
}

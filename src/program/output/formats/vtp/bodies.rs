//! Frames of rigid bodies: each body is a point with the values of the body.

use std::io::{self, Write};

use cloth_rigid::FrameBody;

use crate::engine::Frame;
use crate::program::output::formats::vtp::columns::{POINT_DATA, POINTS};
use crate::program::output::formats::vtp::layout::{
    self, END, INTEGER, write_array, write_integers,
};
use crate::program::output::formats::vtp::{ArrayHead, Cells, Column, Layout};

/// Writes the bodies of `frame` as a file.
///
/// # Errors
/// The errors of `out`.
pub fn write(frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
    let layout = layout(frame.bodies.len(), frame.time_s);
    out.write_all(layout.header().as_bytes())?;
    for (column, head) in columns().zip(&layout.arrays) {
        let rows = frame.bodies.iter();
        write_array(out, head.bytes, rows, |row, bytes| (column.put)(row, bytes))?;
    }
    for (head, numbers) in layout.cell_arrays().iter().zip(vertices(layout.points)) {
        write_integers(out, head.bytes, numbers)?;
    }
    out.write_all(END)
}

fn columns() -> impl Iterator<Item = &'static Column> {
    std::iter::once(&POINTS).chain(&POINT_DATA)
}

/// The layout of a frame of `count` bodies at `time_s` (s).
fn layout(count: usize, time_s: f64) -> Layout<'static> {
    let head = |column: &Column| ArrayHead {
        name: column.name,
        kind: column.kind,
        components: column.components,
        bytes: count * column.width(),
    };
    Layout { time_s, points: count, cells: Cells::Verts, arrays: columns().map(head).collect() }
}

/// The integers of [`Layout::cell_arrays`] for `count` cells, each a vertex at one point.
fn vertices(count: usize) -> [std::ops::Range<u64>; 2] {
    [0..count as u64, 1..count as u64 + 1]
}

/// Reads the frame of a file.
///
/// # Errors
/// When the file is not as [`write`] writes it. The message names the damaged part.
pub fn read(file: &[u8]) -> Result<Frame, String> {
    let layout = layout_of(file).ok_or("torn: its header is damaged")?;
    let (count, time_s) = (layout.points, layout.time_s);
    let mut rest = layout::arrays(file, &layout)?;
    let (mut rows, mut arrays) = (vec![FrameBody::default(); count], Vec::new());
    for (column, head) in columns().zip(&layout.arrays) {
        let bytes = rest.next(head)?;
        for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(column.width())) {
            (column.get)(row, bytes);
        }
        arrays.push((column, bytes));
    }
    check_dependent(&rows, &arrays)?;
    for (head, numbers) in layout.cell_arrays().iter().zip(vertices(count)) {
        let mut found = rest.next(head)?.chunks_exact(INTEGER).zip(numbers);
        if !found.all(|(it, number)| it == number.to_le_bytes()) {
            return Err(format!("torn: the array {} is damaged", head.name));
        }
    }
    Ok(Frame { time_s, bodies: rows, ..Frame::default() })
}

/// The layout of a file. None if its header is not the header of a frame of bodies.
fn layout_of(file: &[u8]) -> Option<Layout<'static>> {
    let text = layout::header_of(file)?;
    let (count, time_s) = layout::points_and_time(text)?;
    Some(layout(count, time_s)).filter(|layout| layout.header() == text)
}

/// Checks that each array equals what the rows would write. This matters for arrays that follow
/// from others, such as the radius from the size.
fn check_dependent(rows: &[FrameBody], arrays: &[(&Column, &[u8])]) -> Result<(), String> {
    let mut written = Vec::new();
    for (column, bytes) in arrays {
        for (row, bytes) in rows.iter().zip(bytes.chunks_exact(column.width())) {
            written.clear();
            (column.put)(row, &mut written);
            if written != bytes {
                let name = column.name;
                return Err(format!("the array {name} does not fit the others at body {}", row.id));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec3;
    use cloth_rigid::body::{Body, BodyState, Load, Twist};
    use cloth_rigid::shape::{Capsule, Cuboid, Shape, Sphere};
    use nalgebra::{Quaternion, UnitQuaternion};

    use super::*;

    /// Bodies of several kinds, with different numbers.
    fn rows() -> Vec<FrameBody> {
        let shapes = [
            Shape::Sphere(Sphere { radius_m: 0.1 }),
            Shape::Box(Cuboid::of_half(Vec3::new(0.1, 0.2, 1.0 / 3.0))),
            Shape::Capsule(Capsule { radius_m: 0.07, length_m: 2.0 * 0.3 }),
            Shape::Solid(5),
        ];
        let row = |(id, shape): (u64, Shape)| {
            let x = id as f64;
            let state = BodyState {
                position: Vec3::new(x / 7.0, -x, 1e-9),
                rotation: UnitQuaternion::new_normalize(Quaternion::new(1.0, x, 2.0, -3.0)),
                twist: Twist { angular: Vec3::new(x, 5.0, -0.1), linear: Vec3::new(1.0, x, 0.7) },
            };
            let body = Body {
                id: 3 * id + 1,
                shape,
                material: 2,
                mass: 1.0,
                inertia: Vec3::zeros(),
                state,
                load: Load::NONE,
            };
            FrameBody::of(&body, 4, 0, |_| 0.9)
        };
        (0..).zip(shapes).map(row).collect()
    }

    fn file(rows: Vec<FrameBody>) -> Vec<u8> {
        let mut file = Vec::new();
        let frame = Frame { time_s: 1.0 / 3.0, bodies: rows, ..Frame::default() };
        write(&frame, &mut file).unwrap();
        file
    }

    #[test]
    fn a_frame_comes_back_as_it_was_and_its_bytes_know_no_owner() {
        let written = file(rows());
        let back = read(&written).unwrap();
        assert_eq!(back, Frame { time_s: 1.0 / 3.0, bodies: rows(), ..Frame::default() });
        let mut of_others = rows();
        of_others.iter_mut().for_each(|row| row.owner = 7);
        assert_eq!(file(of_others), written);
        assert_eq!(read(&file(Vec::new())).unwrap().bodies, []);
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused() {
        let whole = file(rows());
        let last = whole.len() - 40..whole.len();
        for length in (0..whole.len()).step_by(29).chain(last) {
            assert!(read(&whole[..length]).unwrap_err().contains("torn"), "{length} bytes");
        }
        let text = String::from_utf8_lossy(&whole[..whole.len().min(8192)]).into_owned();
        for (from, to) in [("Points=\"4\"", "Points=\"5\""), ("Float64", "Float32"), ("_", " ")] {
            let place = text.find(from).unwrap();
            let mut other = whole.clone();
            other[place..place + from.len()].copy_from_slice(to.as_bytes());
            assert!(read(&other).is_err(), "{from}");
        }
        let mut many = whole.clone();
        many.extend(b"x");
        assert!(read(&many).is_err());
    }
}

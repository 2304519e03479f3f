//! The arrays of a frame of bodies. Each array holds one value of all bodies.

use cloth_rigid::FrameBody;
use cloth_rigid::shape::Shape;

use crate::program::output::formats::vtp::layout::{XYZ, array};

/// An array with one value of each body.
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// VTK's name of the type of its numbers.
    pub kind: &'static str,
    /// Bytes of one number.
    pub bytes: usize,
    /// Names of the components of a body's value. A single number has none.
    pub components: &'static [&'static str],
    /// Appends the value of a body, little-endian. The length is [`Self::width`].
    pub put: fn(&FrameBody, &mut Vec<u8>),
    /// Sets the value of a body from [`Self::width`] bytes.
    pub get: fn(&mut FrameBody, &[u8]),
}

impl Column {
    /// Bytes of the value of one body.
    pub fn width(&self) -> usize {
        self.bytes * self.components.len().max(1)
    }
}

/// The positions of the bodies, m.
pub const POINTS: Column = floats(
    "Points",
    XYZ,
    |row, out| put(&row.position, out),
    |row, bytes| row.position = get(bytes),
);

/// The point data. The shape must be read before the size, because reading the size needs it.
///
/// Sizes and quaternions have the form that VTK's glyphs need: `size` scales a shape of half-width
/// 1 along its own axes, and `orientation` begins with `w`.
pub const POINT_DATA: [Column; 11] = [
    Column {
        name: "id",
        kind: "UInt64",
        bytes: 8,
        components: &[],
        put: |row, out| out.extend(row.id.to_le_bytes()),
        get: |row, bytes| row.id = u64::from_le_bytes(array(bytes)),
    },
    small("shape", |row, out| out.push(row.shape as u8), |row, bytes| row.shape = bytes[0].into()),
    Column {
        name: "solid",
        kind: "Int32",
        bytes: 4,
        components: &[],
        // A body that is not a solid has -1.
        put: |row, out| out.extend(row.solid.to_le_bytes()),
        get: |row, bytes| row.solid = u32::from_le_bytes(array(bytes)),
    },
    number("material", |row, out| put_u32(row.material, out), |row, b| row.material = get_u32(b)),
    number("group", |row, out| put_u32(row.group, out), |row, b| row.group = get_u32(b)),
    small("fixed", |row, out| out.push(row.fixed as u8), |row, bytes| row.fixed = bytes[0].into()),
    // The radius follows from the size. It is written for programs that draw bodies as spheres.
    floats("radius", &[], |row, out| put(&[row.radius()], out), |_, _| {}),
    floats("size", XYZ, |row, out| put(&extents(row), out), |row, b| row.size = size(row, get(b))),
    floats(
        "orientation",
        &["w", "x", "y", "z"],
        |row, out| {
            let [x, y, z, w] = row.rotation;
            put(&[w, x, y, z], out);
        },
        |row, bytes| {
            let [w, x, y, z] = get(bytes);
            row.rotation = [x, y, z, w];
        },
    ),
    floats(
        "velocity",
        XYZ,
        |row, out| put(&row.velocity, out),
        |row, bytes| row.velocity = get(bytes),
    ),
    floats(
        "angular_velocity",
        XYZ,
        |row, out| put(&row.angular_velocity, out),
        |row, bytes| row.angular_velocity = get(bytes),
    ),
];

type Put = fn(&FrameBody, &mut Vec<u8>);
type Get = fn(&mut FrameBody, &[u8]);

const fn floats(
    name: &'static str,
    components: &'static [&'static str],
    put: Put,
    get: Get,
) -> Column {
    Column { name, kind: "Float64", bytes: 8, components, put, get }
}

const fn small(name: &'static str, put: Put, get: Get) -> Column {
    Column { name, kind: "UInt8", bytes: 1, components: &[], put, get }
}

const fn number(name: &'static str, put: Put, get: Get) -> Column {
    Column { name, kind: "UInt32", bytes: 4, components: &[], put, get }
}

/// The half-widths along the body's own axes, m. The caps of a capsule do not count.
fn extents(row: &FrameBody) -> [f64; 3] {
    Shape::axes(row.shape).map_or(row.size, |axes| axes.map(|place| row.size[place]))
}

/// The sizes of a row that has these [`extents`].
fn size(row: &FrameBody, extents: [f64; 3]) -> [f64; 3] {
    let Some(axes) = Shape::axes(row.shape) else { return extents };
    let mut size = [0.0; 3];
    axes.into_iter().zip(extents).for_each(|(place, extent)| size[place] = extent);
    size
}

fn put(values: &[f64], out: &mut Vec<u8>) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

fn get<const N: usize>(bytes: &[u8]) -> [f64; N] {
    std::array::from_fn(|i| f64::from_le_bytes(array(&bytes[8 * i..])))
}

fn put_u32(value: u32, out: &mut Vec<u8>) {
    out.extend(value.to_le_bytes());
}

fn get_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(array(bytes))
}

//! Meshes that deform: OBJ and PC2 files for tests.

use std::path::Path;

/// x, y, z, m.
pub type Point = [f64; 3];

/// The corners of a box of this size about the origin, and its quadrilaterals.
pub fn corners([x, y, z]: Point) -> Vec<Point> {
    let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let layer = |up: f64| signs.map(|[a, b]| [a * x / 2.0, up * y / 2.0, b * z / 2.0]);
    [layer(-1.0), layer(1.0)].concat()
}

/// The quadrilaterals of such a box, whose vertices begin after this number.
pub fn sides(after: usize) -> [String; 6] {
    let quads =
        [[1, 2, 3, 4], [5, 8, 7, 6], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 8, 4], [4, 8, 5, 1]];
    quads.map(|quad| {
        let [a, b, c, d] = quad.map(|vertex| vertex + after);
        format!("f {a} {b} {c} {d}\n")
    })
}

/// The OBJ text of `points` with these `faces`.
pub fn obj(points: &[Point], faces: &str) -> String {
    let vertices = points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    vertices.collect::<String>() + faces
}

/// A PC2 file of these samples.
pub fn pc2(samples: &[Vec<Point>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0\x01\0\0\0".to_vec();
    bytes.extend((samples[0].len() as u32).to_le_bytes());
    bytes.extend(0_f32.to_le_bytes());
    bytes.extend(1_f32.to_le_bytes());
    bytes.extend((samples.len() as u32).to_le_bytes());
    let numbers = samples.iter().flatten().flatten();
    bytes.extend(numbers.flat_map(|&x| (x as f32).to_le_bytes()));
    bytes
}

/// A folder with `NAME.obj`, a mesh of `shape`, and `NAME.pc2`: `samples` of its vertices, each moved
/// by a function of the number of the sample. `NAME_00.obj` and so on have the same samples.
pub fn folder_of(
    name: &str,
    shape: &[Point],
    faces: &str,
    samples: usize,
    moved: impl Fn(f64, Point) -> Point,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let sample = |number: usize| shape.iter().map(|&x| moved(number as f64, x)).collect();
    let samples = Vec::from_iter((0..samples).map(sample));
    write(at, &format!("{name}.obj"), obj(shape, faces));
    write(at, &format!("{name}.pc2"), pc2(&samples));
    for (number, sample) in samples.iter().enumerate() {
        write(at, &format!("{name}_{number:02}.obj"), obj(sample, faces));
    }
    folder
}

/// The same for a box of this size.
pub fn block(
    size: Point,
    samples: usize,
    moved: impl Fn(f64, Point) -> Point,
) -> tempfile::TempDir {
    folder_of("block", &corners(size), &sides(0).concat(), samples, moved)
}

/// Writes a file into `folder`.
pub fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), bytes).expect("a file is written");
}

/// The points of a box of this size about the origin whose edges are divided into so many cells, and
/// its quadrilaterals.
pub fn cells_of_box(size: Point, cells: [usize; 3]) -> (Vec<Point>, Vec<[usize; 4]>) {
    let (mut keys, mut quads) = (Vec::<[usize; 3]>::new(), Vec::new());
    for axis in 0..3 {
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        for (i, j) in (0..cells[a]).flat_map(|i| (0..cells[b]).map(move |j| (i, j))) {
            for side in [0, cells[axis]] {
                let mut quad = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[di, dj]| {
                    let mut key = [side; 3];
                    (key[a], key[b]) = (i + di, j + dj);
                    keys.iter().position(|it| *it == key).unwrap_or_else(|| {
                        keys.push(key);
                        keys.len() - 1
                    })
                });
                if side == 0 {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
    }
    let place =
        |key: &[usize; 3]| [0, 1, 2].map(|i| (key[i] as f64 / cells[i] as f64 - 0.5) * size[i]);
    (keys.iter().map(place).collect(), quads)
}

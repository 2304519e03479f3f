//! Splits an OBJ file of a run into the positions, which change from frame to frame, and the rest.

use cloth_core::math::Vec3;
use xxhash_rust::xxh3::Xxh3;

/// An OBJ file, split into positions and the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// All positions, m. A coordinate is NaN if its line holds no number there.
    pub positions: Vec<Vec3>,
    /// One past the last vertex of each object. An object ends where a vertex follows faces.
    pub ends: Vec<usize>,
    /// The hash of the rest of the file. It is equal for all frames of a run.
    pub rest: u64,
}

/// Splits the text of a file.
pub fn split(text: &[u8]) -> Split {
    let (mut positions, mut ends) = (Vec::new(), Vec::new());
    let mut rest = Xxh3::new();
    let mut after_faces = false;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if let Some(numbers) = line.strip_prefix(b"v ") {
            if std::mem::take(&mut after_faces) {
                ends.push(positions.len());
            }
            positions.push(position(numbers));
        } else {
            after_faces |= line.starts_with(b"f ");
            rest.update(line);
        }
    }
    ends.push(positions.len());
    Split { positions, ends, rest: rest.digest() }
}

fn position(numbers: &[u8]) -> Vec3 {
    let text = std::str::from_utf8(numbers).unwrap_or_default();
    let mut words = text.split_ascii_whitespace().map(|word| word.parse().unwrap_or(f64::NAN));
    let mut next = || words.next().unwrap_or(f64::NAN);
    Vec3::new(next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_end_with_their_vertices_and_frames_of_a_run_share_the_rest() {
        let text = "o a\nv 0 1 2\nv 3 4 x\nv 1 2 3\nvt 0 0\nf 1 2 3\no a.part\nf 3 2 1\no b\n\
            v 1e-3 -2 inf\nv 1 2\nv 1 1 1\nf 4 5 6\n";
        let first = split(text.as_bytes());
        assert_eq!(first.ends, [3, 6]);
        assert_eq!(first.positions[0], Vec3::new(0.0, 1.0, 2.0));
        assert_eq!(first.positions[3].x, 1e-3);
        let bad: Vec<bool> =
            first.positions.iter().map(|p| !p.iter().all(|c| c.is_finite())).collect();
        assert_eq!(bad, [false, true, false, true, true, false]);
        assert_eq!(split(text.replace("0 1 2", "7 8 9").as_bytes()).rest, first.rest);
        for torn in [&text[..text.len() - 1], &text[..text.len() - 8]] {
            assert_ne!(split(torn.as_bytes()).rest, first.rest);
        }
    }
}

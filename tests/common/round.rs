//! Distances of balls, capsules and cloth in a frame, by formulas of its own.

use std::path::Path;

use cloth_sim::math::Vec3;
use nalgebra::{Quaternion, UnitQuaternion};

use super::common::poses::{poses, read};

/// A ball or a capsule about its own y axis, m.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    pub half_length: f64,
    pub radius: f64,
}

/// The nearest points of two segments are at an end of one, or solve a system of two equations.
fn segments([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let mut least = f64::INFINITY;
    for (point, [from, to]) in [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])] {
        let way = to - from;
        let along = ((point - from).dot(&way) / way.norm_squared().max(1e-300)).clamp(0.0, 1.0);
        least = least.min((point - from - along * way).norm());
    }
    let (u, v, w) = (b - a, d - c, a - c);
    let det = u.norm_squared() * v.norm_squared() - u.dot(&v).powi(2);
    let s = (u.dot(&v) * v.dot(&w) - v.norm_squared() * u.dot(&w)) / det;
    let t = (u.norm_squared() * v.dot(&w) - u.dot(&v) * u.dot(&w)) / det;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        least = least.min((w + s * u - t * v).norm());
    }
    least
}

/// A segment that does not pass a triangle is nearest to it at an end, over its inside, or at an
/// edge.
pub fn from_triangle([a, b]: [Vec3; 2], [p, q, r]: [Vec3; 3]) -> f64 {
    let normal = (q - p).cross(&(r - p)).normalize();
    let is_over = |x: &Vec3| {
        [(p, q), (q, r), (r, p)]
            .iter()
            .all(|(from, to)| (to - from).cross(&(x - from)).dot(&normal) >= 0.0)
    };
    let [over_a, over_b] = [a, b].map(|x| normal.dot(&(x - p)));
    if over_a * over_b < 0.0 && is_over(&a.lerp(&b, over_a / (over_a - over_b))) {
        return 0.0;
    }
    let ends = [(a, over_a), (b, over_b)].into_iter().filter(|(x, _)| is_over(x));
    let edges = [[p, q], [q, r], [r, p]].into_iter().map(|edge| segments([a, b], edge));
    ends.map(|(_, height)| height.abs()).chain(edges).fold(f64::INFINITY, f64::min)
}

/// The vertices and faces of the cloths in a frame: of the objects that are no body.
fn cloths(run: &Path, frame: u64) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let text = read(&run.join(format!("frame_{frame:04}.obj")));
    let (mut x, mut faces, mut is_cloth) = (Vec::new(), Vec::new(), false);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("o") => is_cloth = !line.starts_with("o body_"),
            Some("v") => {
                let mut numbers = words.map(|word| word.parse::<f64>().expect("a number"));
                x.push(Vec3::from_fn(|_, _| numbers.next().expect("three numbers")));
            }
            Some("f") if is_cloth => {
                let number =
                    |word: &str| word.split('/').next().expect("a vertex").parse::<usize>();
                let corners = Vec::from_iter(words.map(|word| number(word).expect("a number") - 1));
                faces.extend(corners[1..].windows(2).map(|two| [corners[0], two[0], two[1]]));
            }
            _ => {}
        }
    }
    (x, faces)
}

/// The least distance (m) between balls, capsules and cloth in a frame. The `axes` are by the first
/// letters of the names of bodies.
pub fn lowest_distance(run: &Path, frame: u64, axes: &[(&str, Axis)]) -> f64 {
    let (x, faces) = cloths(run, frame);
    let placed = poses(run, frame).into_iter().map(|(name, pose)| {
        let axis = axes.iter().find(|(start, _)| name.starts_with(start)).expect("a shape").1;
        let turn =
            UnitQuaternion::new_normalize(Quaternion::new(pose[3], pose[4], pose[5], pose[6]));
        let centre = Vec3::from_column_slice(&pose[..3]);
        let along = turn.transform_vector(&(Vec3::y() * axis.half_length));
        ([centre + along, centre - along], axis.radius)
    });
    let placed = Vec::from_iter(placed);
    let mut least = f64::INFINITY;
    for (k, (ends, radius)) in placed.iter().enumerate() {
        for (others, other) in &placed[..k] {
            least = least.min(segments(*ends, *others) - radius - other);
        }
        for face in &faces {
            least = least.min(from_triangle(*ends, face.map(|vertex| x[vertex])) - radius);
        }
    }
    least
}

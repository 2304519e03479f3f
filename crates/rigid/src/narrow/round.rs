//! Contacts of spheres and capsules, and of a sphere and a box, in closed form.

use crate::Placed;
use crate::narrow::{Touch, Touches};
use cloth_core::Vec3;

/// Two capsules touch along a line, at two points, if the sine of the angle between their segments
/// is below this.
const PARALLEL: f64 = 1e-2;

/// They touch along a line only if, in addition, the extent of the shorter segment across the
/// longer one is below this fraction of the sum of their radii. Otherwise they may overlap where
/// they cross, and not at the ends of the line.
const ACROSS: f64 = 0.1;

/// The contact of two spheres with centres `x` and `y`, and radii `radius` and `other`, m. Here and
/// below `most` is the largest gap (m) at which bodies touch.
pub fn spheres(x: &Vec3, radius: f64, y: &Vec3, other: f64, most: f64, touches: &mut Touches) {
    let offset = x - y;
    let (square, reach) = (offset.norm_squared(), radius + other);
    if square > (reach + most) * (reach + most) {
        return;
    }
    let distance = square.sqrt();
    // Spheres with the same centre are pushed apart along an axis.
    let normal = if distance > 0.0 { offset / distance } else { Vec3::x() };
    let gap = (distance - reach).min(most);
    touches.push(Touch { point: y + normal * (other + 0.5 * gap), normal, gap });
}

/// The contact of a sphere and a box with half edges `half`, m.
pub fn sphere_and_box(
    centre: &Vec3,
    radius: f64,
    cuboid: &Placed,
    half: &Vec3,
    most: f64,
    touches: &mut Touches,
) {
    let own = cuboid.to_own(centre);
    let nearest = own.sup(&-half).inf(half);
    let offset = own - nearest;
    let square = offset.norm_squared();
    if square > (radius + most) * (radius + most) {
        return;
    }
    let (normal, height) = if square > 0.0 {
        let distance = square.sqrt();
        (offset / distance, distance)
    } else {
        // The centre is inside the box. The normal points out through the nearest face.
        let depths = half - own.abs();
        let axis = depths.imin();
        let mut normal = Vec3::zeros();
        normal[axis] = if own[axis] < 0.0 { -1.0 } else { 1.0 };
        (normal, -depths[axis])
    };
    let gap = (height - radius).min(most);
    let normal = cuboid.rotation.transform_vector(&normal);
    touches.push(Touch { point: centre - normal * (radius + 0.5 * gap), normal, gap });
}

/// The point of a segment nearest to `point`, m.
pub fn nearest(segment: &[Vec3; 2], point: &Vec3) -> Vec3 {
    let along = segment[1] - segment[0];
    let square = along.norm_squared();
    if square == 0.0 {
        return segment[0];
    }
    segment[0] + along * (along.dot(&(point - segment[0])) / square).clamp(0.0, 1.0)
}

/// The nearest points of two segments, m: on `a`, and on `b`.
pub fn nearest_of_segments(a: &[Vec3; 2], b: &[Vec3; 2]) -> [Vec3; 2] {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let determinant = uu * vv - uv * uv;
    let s = if determinant > 1e-12 * uu * vv {
        ((uv * v.dot(&w) - vv * u.dot(&w)) / determinant).clamp(0.0, 1.0)
    } else {
        0.0
    };
    // The nearest point of `b`, and then the nearest point of `a` to it. This is exact even if `s`
    // was clamped.
    let on_b = nearest(b, &(a[0] + u * s));
    let on_a = nearest(a, &on_b);
    [on_a, nearest(b, &on_a)]
}

/// The contacts of two capsules with these `segments` and `radii`, m.
pub fn capsules(segments: &[[Vec3; 2]; 2], radii: [f64; 2], most: f64, touches: &mut Touches) {
    let [a, b] = segments;
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    let sine_squared = u.cross(&v).norm_squared();
    // The square of the extent of the shorter segment across the longer one.
    let across = sine_squared / u.norm_squared().max(v.norm_squared());
    let wide = ACROSS * (radii[0] + radii[1]);
    if sine_squared < PARALLEL * PARALLEL * u.norm_squared() * v.norm_squared()
        && across < wide * wide
    {
        // The contacts are at the ends of the part of `b` that lies along `a`.
        let square = v.norm_squared();
        let place = |x: &Vec3| v.dot(&(x - b[0])) / square;
        let (s, t) = (place(&a[0]), place(&a[1]));
        let (low, high) = (s.min(t).max(0.0), s.max(t).min(1.0));
        if low < high {
            for place in [low, high] {
                let on_b = b[0] + v * place;
                spheres(&nearest(a, &on_b), radii[0], &on_b, radii[1], most, touches);
            }
            return;
        }
    }
    let [x, y] = nearest_of_segments(a, b);
    spheres(&x, radii[0], &y, radii[1], most, touches);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_capsules_that_cross_at_a_small_angle_touch() {
        for (half_length, sine) in
            [10.0, 50.0, 300.0].into_iter().flat_map(|l| [(l, 0.0099), (l, 1e-3)])
        {
            let along = Vec3::new(half_length, 0.0, 0.0);
            let sine: f64 = sine;
            let turned =
                Vec3::new(half_length * (1.0 - sine * sine).sqrt(), half_length * sine, 0.0);
            for distance in [1.0, 1.9, 1.99] {
                let up = Vec3::new(0.0, 0.0, distance);
                let mut touches = Touches::new();
                capsules(
                    &[[-along, along], [up - turned, up + turned]],
                    [1.0; 2],
                    0.0,
                    &mut touches,
                );
                let deepest = touches.iter().map(|touch| touch.gap).fold(0.0, f64::min);
                assert!(
                    (deepest - (distance - 2.0)).abs() < 0.01,
                    "{half_length} {sine} {touches:?}"
                );
            }
        }
    }
}

//! Continuous collision queries whose answer is known by construction.
//!
//! A query is drawn and solved in rational numbers. Its unit is a power of two. Only queries whose
//! eight points are exact in f64 are kept.

use cloth_collision::collision::PairKind;
use cloth_collision::collision::narrow::closest;
use cloth_sim::math::Vec3;
use nalgebra::{Matrix3, Vector3};
use num_rational::Ratio;

type Rational = Ratio<i128>;
type Point = Vector3<Rational>;

/// A pair in linear motion from `x0` to `x1` (m).
pub struct Query {
    pub kind: PairKind,
    pub x0: [Vec3; 4],
    pub x1: [Vec3; 4],
    pub truth: Truth,
}

/// The known answer for a pair's motion.
pub enum Truth {
    /// At `time` in [0, 1] the points with `weights` are exactly `distance_m` apart.
    Meets { time: Ratio<i64>, weights: [Ratio<i64>; 4], distance_m: f64 },
    /// The sides never come nearer than `gap_m`.
    Apart { gap_m: f64 },
}

/// Ways in which pairs meet.
#[derive(Debug, Clone, Copy)]
pub enum Meeting {
    /// No special position.
    Random,
    /// Edges without length, faces collapsed to a segment or a point.
    Collapsed,
    /// All points in one plane at all times.
    Coplanar,
    /// Parallel edges; a vertex that moves parallel to a face.
    Parallel,
    /// The sides graze each other, often at an end, an edge or a corner, or at time 0 or 1.
    Grazing,
    /// Nearly parallel edges, faces of nearly no area.
    Thin,
    /// Coordinates of 1 km, motions of 100 m, sizes of 1 mm.
    Far,
}

/// Every way to meet.
pub const MEETINGS: [Meeting; 7] = [
    Meeting::Random,
    Meeting::Collapsed,
    Meeting::Coplanar,
    Meeting::Parallel,
    Meeting::Grazing,
    Meeting::Thin,
    Meeting::Far,
];

/// Sequence of reproducible random numbers (SplitMix64, Steele et al. 2014).
pub struct Draw(pub u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from `low` to `high`, both included.
    fn integer(&mut self, low: i64, high: i64) -> i128 {
        i128::from(low) + i128::from(self.bits()) % i128::from(high - low + 1)
    }

    fn chance(&mut self, one_in: i64) -> bool {
        self.integer(1, one_in) == 1
    }

    /// A vector of integers up to `most`, times `grain`.
    fn vector(&mut self, most: i64, grain: i128) -> Point {
        Point::from_fn(|_, _| Rational::from(grain * self.integer(-most, most)))
    }

    /// `count` multiples of 1 / `parts` that sum to 1. Some are 0 if `few`.
    fn shares(&mut self, count: usize, parts: i128, few: bool) -> Vec<Rational> {
        let mut left = parts;
        let mut shares = vec![Rational::from(0); count];
        let first = self.integer(0, count as i64 - 1) as usize;
        for i in 1..count {
            let share = if few && self.chance(2) { 0 } else { self.integer(0, left as i64) };
            shares[(first + i) % count] = Rational::new(share, parts);
            left -= share;
        }
        shares[first] = Rational::new(left, parts);
        shares
    }

    /// A matrix of integers that turns and scales, and its scale.
    fn turn(&mut self) -> (Matrix3<Rational>, i128) {
        let (rows, scale): ([i128; 9], i128) = match self.integer(0, 2) {
            0 => ([1, 0, 0, 0, 1, 0, 0, 0, 1], 1),
            1 => ([2, -1, 2, 2, 2, -1, -1, 2, 2], 3),
            _ => ([2, 3, 6, 3, -6, 2, 6, 2, -3], 7),
        };
        (Matrix3::from_row_slice(&rows.map(Rational::from)), scale)
    }
}

/// A pair that meets; at a distance of 0 if `touching`.
pub fn meeting(kind: PairKind, way: Meeting, touching: bool, draw: &mut Draw) -> Query {
    std::iter::repeat_with(|| try_meeting(kind, way, touching, draw))
        .flatten()
        .next()
        .expect("an endless sequence")
}

fn try_meeting(kind: PairKind, way: Meeting, touching: bool, draw: &mut Draw) -> Option<Query> {
    // 1. Draw the time and the weights.
    let grazing = matches!(way, Meeting::Grazing);
    let periods = draw.integer(1, 12);
    let time = match draw.integer(0, 5) {
        0 if grazing => Rational::from(0),
        1 if grazing => Rational::from(1),
        _ => Rational::new(draw.integer(0, periods as i64), periods),
    };
    let parts = draw.integer(1, 12);
    let mut weights = draw.shares(first_side(kind), parts, grazing);
    weights.extend(draw.shares(4 - first_side(kind), parts, grazing).into_iter().map(|w| -w));

    // 2. Draw positions at that time and displacements, in multiples that keep them exact.
    let Shape { first_side, mut x, p, unit_m: unit } =
        Shape::new(kind, way, periods * parts, &weights, draw);
    let distance = if touching { 0 } else { draw.integer(0, 1 << 16) };

    // 3. Solve: shift the first side so that the points with these weights meet.
    let apart: Point = (0..4).fold(Point::from_element(0.into()), |sum, a| sum + x[a] * weights[a]);
    let shift = Point::new(0.into(), 0.into(), distance.into()) - apart;
    x[..first_side].iter_mut().for_each(|x| *x += shift);

    // 4. Turn, and go to both ends of the motion.
    let (turn, scale) = draw.turn();
    let after = |time: Rational| exact(time, &x, &p, &turn, unit);
    let truth = Truth::Meets {
        time: narrow(time),
        weights: std::array::from_fn(|a| narrow(weights[a])),
        distance_m: (distance * scale) as f64 * unit,
    };
    Some(Query { kind, x0: after(-time)?, x1: after(Rational::from(1) - time)?, truth })
}

/// Four points at the time of meeting and their displacements, in units.
struct Shape {
    first_side: usize,
    x: [Point; 4],
    p: [Point; 4],
    unit_m: f64,
}

impl Shape {
    /// Points and displacements, in multiples of `grain`, so that points with `weights` meet.
    fn new(
        kind: PairKind,
        way: Meeting,
        grain: i128,
        weights: &[Rational],
        draw: &mut Draw,
    ) -> Self {
        let speed = [1 << 10, 1 << 20, 1 << 26][draw.integer(0, 2) as usize];
        let mut shape = Self {
            first_side: first_side(kind),
            x: std::array::from_fn(|_| draw.vector(1 << 20, grain)),
            p: std::array::from_fn(|_| draw.vector(speed, grain)),
            unit_m: 2f64.powi(-20),
        };
        match way {
            Meeting::Random => {}
            Meeting::Collapsed => shape.collapse(draw),
            Meeting::Coplanar => {
                shape.x.iter_mut().chain(&mut shape.p).for_each(|v| v.z = 0.into())
            }
            Meeting::Parallel => shape.align(draw),
            Meeting::Grazing => shape.graze(grain, weights, draw),
            Meeting::Thin => shape.thin(grain, draw),
            Meeting::Far => shape.send_far(grain, draw),
        }
        shape
    }

    /// Puts vertices of a side on one place. They stay together or separate.
    fn collapse(&mut self, draw: &mut Draw) {
        let joins: &[(usize, usize)] = match (self.first_side, draw.integer(0, 2)) {
            (1, 0) => &[(2, 1)],
            (1, 1) => &[(3, 1), (2, 1)],
            (1, _) => &[(3, 2)],
            (_, 0) => &[(1, 0)],
            (_, 1) => &[(3, 2)],
            (_, _) => &[(1, 0), (3, 2)],
        };
        let stays = draw.chance(2);
        for &(a, b) in joins {
            self.x[a] = self.x[b];
            self.p[a] = if stays { self.p[b] } else { self.p[a] };
        }
    }

    /// Parallel edges, which may turn; or a vertex that moves along a face's plane.
    fn align(&mut self, draw: &mut Draw) {
        let Self { x, p, .. } = self;
        let [s, t] = [draw.integer(-3, 3), draw.integer(-3, 3)].map(Rational::from);
        if self.first_side == 1 {
            (p[2], p[3]) = (p[1], p[1]);
            p[0] = p[1] + (x[2] - x[1]) * s + (x[3] - x[1]) * t;
        } else {
            x[3] = x[2] + (x[1] - x[0]) * s;
            p[3] = if draw.chance(2) { p[2] + (p[1] - p[0]) * s } else { p[3] };
        }
    }

    /// The first side lies above z = 0, the second below; both move along this plane. The
    /// vertices with weight lie in it.
    fn graze(&mut self, grain: i128, weights: &[Rational], draw: &mut Draw) {
        for (a, weight) in weights.iter().enumerate() {
            let height = if *weight == 0.into() { draw.integer(0, 1 << 20) * grain } else { 0 };
            self.x[a].z = if a < self.first_side { height } else { -height }.into();
            self.p[a].z = 0.into();
        }
    }

    /// A face whose last vertex lies close to the line of an edge; or nearly parallel edges.
    fn thin(&mut self, grain: i128, draw: &mut Draw) {
        let shift = Rational::from(1 << draw.integer(10, 34));
        self.x = std::array::from_fn(|_| draw.vector(1 << 6, grain) * shift);
        self.p = std::array::from_fn(|_| draw.vector(1 << 6, grain) * shift);
        let x = &mut self.x;
        let (from, along) =
            if self.first_side == 1 { (x[1], x[2] - x[1]) } else { (x[2], x[1] - x[0]) };
        x[3] = from + along * Rational::from(draw.integer(-3, 3)) + draw.vector(1 << 3, grain);
        self.unit_m = 2f64.powi(-30);
    }

    fn send_far(&mut self, grain: i128, draw: &mut Draw) {
        let place = draw.vector(1 << 9, grain << 29);
        let shared = draw.vector(1 << 6, grain << 29);
        let own = if draw.chance(2) { grain << 10 } else { grain << 29 };
        self.x.iter_mut().for_each(|x| *x += place);
        self.p = std::array::from_fn(|_| shared + draw.vector(1 << 6, own));
        self.unit_m = 2f64.powi(-33);
    }
}

fn first_side(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

/// A pair that passes. The gap between two fixed planes separates its sides.
pub fn parted(kind: PairKind, draw: &mut Draw) -> Query {
    let first_side = first_side(kind);
    let widest = 1 << draw.integer(4, 18);
    let gap = draw.integer(1, widest);
    let (range, speed) = (1 << draw.integer(0, 20), 1 << draw.integer(10, 20));
    let end = |x: Point, speed: i64, below: bool, draw: &mut Draw| {
        let to = x + draw.vector(speed, 1);
        let height = draw.integer(0, range);
        Point::new(to.x, to.y, if below { -height } else { gap + height }.into())
    };
    let origin = Point::from_element(0.into());
    let x0: [Point; 4] = std::array::from_fn(|a| end(origin, 1 << 20, a >= first_side, draw));
    let x1: [Point; 4] = std::array::from_fn(|a| end(x0[a], speed, a >= first_side, draw));
    let p = std::array::from_fn(|a| x1[a] - x0[a]);
    let (turn, scale) = draw.turn();
    let unit = 2f64.powi(-20);
    let at = |time: i128| exact(time.into(), &x0, &p, &turn, unit).expect("integers of 30 bits");
    Query { kind, x0: at(0), x1: at(1), truth: Truth::Apart { gap_m: (gap * scale) as f64 * unit } }
}

/// A pair that moves at random and passes. In each 16th of the time some direction has a
/// positive gap, in integers, at both ends; so the gap is positive in between.
pub fn passing(kind: PairKind, draw: &mut Draw) -> Query {
    const PIECES: i128 = 16;
    let unit = 2f64.powi(-20);
    loop {
        let [x0, x1] = [(); 2].map(|()| [(); 4].map(|()| draw.vector(1 << 20, 1)));
        let at = |i: i128| -> [Point; 4] {
            std::array::from_fn(|a| x0[a] * Rational::from(PIECES - i) + x1[a] * Rational::from(i))
        };
        let gap =
            (0..PIECES).map(|i| gap_between(kind, &at(i), &at(i + 1))).fold(f64::MAX, f64::min);
        if gap > 0.0 {
            let points = |x: [Point; 4]| x.map(|x| x.map(|c| c.to_integer() as f64 * unit));
            let gap_m = gap / PIECES as f64 * unit;
            return Query { kind, x0: points(x0), x1: points(x1), truth: Truth::Apart { gap_m } };
        }
    }
}

/// Lower bound of the distance in a motion of integers from `x0` to `x1`.
fn gap_between(kind: PairKind, x0: &[Point; 4], x1: &[Point; 4]) -> f64 {
    let first_side = first_side(kind);
    let middle = std::array::from_fn(|a| (x0[a] + x1[a]).map(|c| c.to_integer() as f64));
    let direction = closest(kind, middle).normal.map(|n| Rational::from((n * 1048576.0) as i128));
    let least = |x: &[Point; 4]| {
        let along = x.each_ref().map(|x| x.dot(&direction).to_integer());
        let (first, second) = along.split_at(first_side);
        first.iter().min().unwrap() - second.iter().max().unwrap()
    };
    let squared = direction.dot(&direction).to_integer();
    // One part in 10^12 is far more than the rounding of these three operations.
    least(x0).min(least(x1)) as f64 / (squared as f64).sqrt() * (1.0 - 1e-12)
}

/// The turned positions `x + time p` (m); none if f64 cannot hold them.
fn exact(
    time: Rational,
    x: &[Point; 4],
    p: &[Point; 4],
    turn: &Matrix3<Rational>,
    unit: f64,
) -> Option<[Vec3; 4]> {
    let mut held = true;
    let points = std::array::from_fn(|a| {
        (turn * (x[a] + p[a] * time)).map(|c| {
            let rounded = c.to_integer() as f64;
            held &= c.is_integer() && rounded as i128 == c.to_integer();
            rounded * unit
        })
    });
    held.then_some(points)
}

fn narrow(ratio: Rational) -> Ratio<i64> {
    Ratio::new(*ratio.numer() as i64, *ratio.denom() as i64)
}

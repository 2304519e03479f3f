//! The domain: a box, its periods and the images of a body.

use smallvec::SmallVec;

use cloth_core::{Error, Result, Vec3, bounds};

/// The number of periods by which an image of a body is shifted along each axis. All three are zero
/// for the body itself.
pub type Image = [i8; 3];

/// Images of a ball, with their centres (m).
pub type Images = SmallVec<[(Image, Vec3); 8]>;

/// The box in which bodies live.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    low: Vec3,
    high: Vec3,
    periodic: [bool; 3],
    period: Vec3,
}

impl Domain {
    /// The box between two corners (m). The two borders across an axis are periodic if `periodic`
    /// is true for this axis, otherwise open.
    ///
    /// # Errors
    /// If a corner is not finite, or the box is empty.
    pub fn new(low: Vec3, high: Vec3, periodic: [bool; 3]) -> Result<Self> {
        bounds::finite("domain.min_m", low)?;
        bounds::finite("domain.max_m", high)?;
        for axis in 0..3 {
            if low[axis] >= high[axis] {
                let cause = format!("{} is not above {}", high[axis], low[axis]);
                return Err(Error::input("domain.max_m", cause, "give the box an extent"));
            }
        }
        Ok(Self { low, high, periodic, period: high - low })
    }

    /// The lower corner, m.
    pub fn low(&self) -> &Vec3 {
        &self.low
    }

    /// The upper corner, m.
    pub fn high(&self) -> &Vec3 {
        &self.high
    }

    /// For each axis, true if its borders are periodic.
    pub fn periodic(&self) -> [bool; 3] {
        self.periodic
    }

    /// The extent along each axis, m.
    pub fn period(&self) -> &Vec3 {
        &self.period
    }

    /// True unless a point (m) is beyond an open border. Points on a border belong to the domain.
    #[inline]
    pub fn contains(&self, x: &Vec3) -> bool {
        (0..3).all(|axis| {
            self.periodic[axis] || (self.low[axis] <= x[axis] && x[axis] <= self.high[axis])
        })
    }

    /// Wraps a point (m) into the domain along the periodic axes. The point must be at most one
    /// period outside. Returns the wrapped point and the image of it that is the given point: `x =
    /// wrapped + image * period`, except for rounding.
    ///
    /// Along a periodic axis `low <= wrapped < high`.
    pub fn wrap(&self, x: &Vec3) -> (Vec3, Image) {
        let (mut wrapped, mut image) = (*x, [0; 3]);
        if (0..3).all(|axis| self.low[axis] <= x[axis] && x[axis] < self.high[axis]) {
            return (wrapped, image);
        }
        for axis in (0..3).filter(|&axis| self.periodic[axis]) {
            let (low, high) = (self.low[axis], self.high[axis]);
            // Rounding may put the point on the upper border or beyond a border.
            if x[axis] < low {
                (wrapped[axis], image[axis]) = (x[axis] + self.period[axis], -1);
            } else if x[axis] >= high {
                (wrapped[axis], image[axis]) = (x[axis] - self.period[axis], 1);
            }
            wrapped[axis] = wrapped[axis].clamp(low, high.next_down());
        }
        (wrapped, image)
    }

    /// The position of an image of a wrapped point, m.
    pub fn shifted(&self, x: &Vec3, image: Image) -> Vec3 {
        // Adding zero could change the bits of -0.
        let shift = |axis: usize| match image[axis] {
            0 => x[axis],
            periods => x[axis] + f64::from(periods) * self.period[axis],
        };
        Vec3::new(shift(0), shift(1), shift(2))
    }

    /// The images of a ball that reach into the domain. The ball itself is the first one. Before:
    /// the radius (m) is below each period.
    pub fn images(&self, centre: &Vec3, radius: f64) -> Images {
        let mut images = Images::new();
        images.push(([0; 3], *centre));
        for axis in (0..3).filter(|&axis| self.periodic[axis]) {
            for (reaches, periods) in [
                (centre[axis] - radius <= self.low[axis], 1),
                (centre[axis] + radius >= self.high[axis], -1),
            ] {
                for before in 0..if reaches { images.len() } else { 0 } {
                    let mut image = images[before].0;
                    if image[axis] == 0 {
                        image[axis] = periods;
                        images.push((image, self.shifted(centre, image)));
                    }
                }
            }
        }
        images
    }

    /// The distance of a point (m) from the nearest border of one kind, m: periodic borders if
    /// `periodic` is true, otherwise open borders. It is below 0 outside, and infinite without such
    /// borders.
    pub fn depth(&self, x: &Vec3, periodic: bool) -> f64 {
        let axes = (0..3).filter(|&axis| self.periodic[axis] == periodic);
        let depths = axes.map(|axis| (x[axis] - self.low[axis]).min(self.high[axis] - x[axis]));
        depths.fold(f64::INFINITY, f64::min)
    }

    /// The smallest period, m; infinite without periodic borders.
    pub fn least_period(&self) -> f64 {
        let axes = (0..3).filter(|&axis| self.periodic[axis]);
        axes.map(|axis| self.period[axis]).fold(f64::INFINITY, f64::min)
    }

    /// Checks that a body of this radius (m, with travel and margin) does not touch an image of
    /// itself.
    ///
    /// # Errors
    /// If it does.
    pub fn check_radius(&self, radius: f64) -> Result<()> {
        for axis in (0..3).filter(|&axis| self.periodic[axis]) {
            let period = self.period[axis];
            if 2.0 * radius >= period {
                let diameter = 2.0 * radius;
                let cause = format!(
                    "a body of diameter {diameter} m (with its travel and margin) would touch itself \
                     across the periodic border: the period is {period} m"
                );
                return Err(Error::input("domain.borders", cause, "make the domain larger"));
            }
        }
        Ok(())
    }
}

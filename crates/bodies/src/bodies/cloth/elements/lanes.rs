//! The same arithmetic on L elements at once.
//!
//! Kernels written on lanes compile to vector instructions without any shuffling.
//! Lanes never mix, so the bits of an element do not depend on the others in its batch.

use std::ops::{Add, Mul, Neg, Sub};

use cloth_core::Vec3;

/// One number of each of L elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lanes<const L: usize>(pub [f64; L]);

impl<const L: usize> Lanes<L> {
    #[inline(always)]
    pub fn all(value: f64) -> Self {
        Self([value; L])
    }

    // A loop: closures given to array functions are not always inlined.
    #[inline(always)]
    pub fn gather(of: impl Fn(usize) -> f64) -> Self {
        let mut values = [0.0; L];
        for (i, value) in values.iter_mut().enumerate() {
            *value = of(i);
        }
        Self(values)
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self::gather(|i| self.0[i].sqrt())
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self::gather(|i| self.0[i].abs())
    }

    #[inline(always)]
    pub fn recip(self) -> Self {
        Self::gather(|i| 1.0 / self.0[i])
    }

    /// The larger one; `other` if self is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self::gather(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] })
    }

    /// The smaller one; `other` if self is NaN.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self::gather(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] })
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident) => {
        impl<const L: usize> $trait for Lanes<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::gather(|i| self.0[i].$method(other.0[i]))
            }
        }
    };
}
lanewise!(Add, add);
lanewise!(Sub, sub);
lanewise!(Mul, mul);

impl<const L: usize> Neg for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::gather(|i| -self.0[i])
    }
}

impl<const L: usize> Mul<f64> for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        Self::gather(|i| self.0[i] * factor)
    }
}

/// `[of(0), of(1), ...]`.
#[inline(always)]
pub(super) fn each<const L: usize, const N: usize>(
    of: impl Fn(usize) -> Lanes<L>,
) -> [Lanes<L>; N] {
    let mut values = [Lanes::all(0.0); N];
    for (i, value) in values.iter_mut().enumerate() {
        *value = of(i);
    }
    values
}

/// One vector in space of each of L elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LaneVec3<const L: usize>(pub [Lanes<L>; 3]);

impl<const L: usize> LaneVec3<L> {
    #[inline(always)]
    pub fn gather(of: impl Fn(usize) -> Vec3) -> Self {
        let mut vectors = Self([Lanes::all(0.0); 3]);
        for i in 0..L {
            vectors.set_lane(i, of(i));
        }
        vectors
    }

    #[inline(always)]
    pub fn lane(&self, i: usize) -> Vec3 {
        let [x, y, z] = self.0;
        Vec3::new(x.0[i], y.0[i], z.0[i])
    }

    #[inline(always)]
    pub fn set_lane(&mut self, i: usize, vector: Vec3) {
        for axis in 0..3 {
            self.0[axis].0[i] = vector[axis];
        }
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes<L> {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        ax * bx + ay * by + az * bz
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }
}

impl<const L: usize> Add for LaneVec3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ax + bx, ay + by, az + bz])
    }
}

impl<const L: usize> Sub for LaneVec3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ax - bx, ay - by, az - bz])
    }
}

impl<const L: usize> Mul<Lanes<L>> for LaneVec3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: Lanes<L>) -> Self {
        let [x, y, z] = self.0;
        Self([x * factor, y * factor, z * factor])
    }
}

impl<const L: usize> Neg for LaneVec3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.0;
        Self([-x, -y, -z])
    }
}

//! Convex bodies, and differences of two, by their support functions.

use crate::shape::Feature;
use crate::{Placed, Solids};
use cloth_core::Vec3;

/// A convex body in space: a core, and all points within a margin of it.
#[derive(Clone, Copy)]
pub enum Core<'a> {
    /// A body of a convex shape or a convex hull, but no closed mesh or compound.
    Body(&'a Placed<'a>, &'a Solids),
    /// A segment. A point is a segment with two equal ends.
    Segment(&'a [Vec3; 2]),
}

impl Core<'_> {
    /// The farthest point of the core along a direction of any length but 0, m.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        match self {
            Self::Body(body, solids) => {
                let own = body.rotation.inverse_transform_vector(direction);
                let point = body.shape.support(&own, |id| solids.get(id).support(&own));
                body.to_space(&point)
            }
            Self::Segment([a, b]) => {
                if direction.dot(&(b - a)) > 0.0 {
                    *b
                } else {
                    *a
                }
            }
        }
    }

    /// The point, edge or face of the core that is farthest along a direction and lies across it,
    /// m.
    pub fn feature(&self, direction: &Vec3) -> Feature {
        match self {
            Self::Body(body, solids) => {
                let own = body.rotation.inverse_transform_vector(direction);
                let feature = body.shape.feature(&own, |id| solids.get(id).feature(&own));
                feature.iter().map(|x| body.to_space(x)).collect()
            }
            Self::Segment(ends) => Feature::from_slice(&ends[..]),
        }
    }

    /// How far the body reaches beyond its core, m.
    pub fn margin(&self) -> f64 {
        match self {
            Self::Body(body, _) => body.shape.margin(),
            Self::Segment(_) => 0.0,
        }
    }

    /// A point of the core, m.
    pub fn centre(&self) -> Vec3 {
        match self {
            Self::Body(body, _) => body.position,
            Self::Segment([a, b]) => (a + b) * 0.5,
        }
    }

    /// The radius of the ball about the centre that holds the body, m.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Body(body, solids) => solids.reach(body.shape),
            Self::Segment([a, b]) => 0.5 * (b - a).norm(),
        }
    }
}

/// The Minkowski difference of two cores: all differences of a point of the first core and a point
/// of the second. The cores overlap if it contains the origin.
#[derive(Clone, Copy)]
pub struct Difference<'a> {
    pub first: &'a Core<'a>,
    pub second: &'a Core<'a>,
}

/// A point of the difference, m, and the points of the two cores that it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    pub apart: Vec3,
    pub points: [Vec3; 2],
}

impl Difference<'_> {
    /// The farthest point along a direction of any length but 0.
    pub fn support(&self, direction: &Vec3) -> Extreme {
        let points = [self.first.support(direction), self.second.support(&-direction)];
        Extreme { apart: points[0] - points[1], points }
    }

    /// The sum of the radii of the balls that hold the bodies, m. It is the scale of tolerances.
    pub fn size(&self) -> f64 {
        self.first.reach() + self.second.reach()
    }
}

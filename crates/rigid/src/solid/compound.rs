//! Compounds: bodies of several parts that move as one.
//!
//! Mass and inertia are the sums over the parts, so what two parts share counts twice.

use crate::solid::{Frame, Geometry};
use crate::{Placed, Shape, Solid, Solids};
use cloth_bodies::bodies::rigid::{MassProperties, principal};
use cloth_core::{Error, Mat3, Result, Vec3};

/// Convex parts in the own frame of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    parts: Vec<Part>,
    hulls: Solids,
}

/// A convex part of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its shape. A solid is one of the compound's own [`Compound::hulls`].
    pub shape: Shape,
    /// Its frame in the frame of the compound.
    pub frame: Frame,
    /// Radius of the ball about its origin that holds it, m.
    pub reach: f64,
}

impl Compound {
    /// The parts, in the order of the input.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The hulls that are parts.
    pub fn hulls(&self) -> &Solids {
        &self.hulls
    }

    /// Half of the smallest width of the thinnest part, m. For a hull it is a lower bound.
    pub fn half_width(&self) -> f64 {
        let widths = self.parts.iter().map(|part| self.hulls.half_width(&part.shape));
        widths.fold(f64::INFINITY, f64::min)
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        let part = |part: &Part| {
            let frame = Frame { origin: part.frame.origin * factor, ..part.frame };
            let reach = part.reach * factor;
            Part { shape: part.shape.with_reach(reach), frame, reach }
        };
        let hulls = self.hulls.all().iter().map(|hull| hull.scaled(hull.reach * factor));
        let hulls = Solids { solids: hulls.collect() };
        Self { parts: self.parts.iter().map(part).collect(), hulls }
    }
}

impl Part {
    /// The part in space, if its compound is `whole`.
    pub fn placed(&self, whole: &Placed) -> Placed<'_> {
        Placed {
            shape: &self.shape,
            position: whole.to_space(&self.frame.origin),
            rotation: whole.rotation * self.frame.rotation,
        }
    }
}

impl Solid {
    /// The compound of `parts`, convex shapes in these frames, and its own frame. A solid among
    /// them is one of `hulls`.
    ///
    /// # Errors
    /// When the parts have no mass, or a mass that is not finite. `at` names the input.
    pub fn compound(parts: &[(Shape, Frame)], hulls: Solids, at: &str) -> Result<(Self, Frame)> {
        let masses = parts.iter().map(|(shape, _)| hulls.mass_properties(shape, 1.0));
        let masses: Vec<MassProperties> = masses.collect();
        let volume: f64 = masses.iter().map(|it| it.mass).sum();
        if !(volume > 0.0 && volume.is_finite()) {
            let cause = format!("its parts have a volume of {volume} m^3");
            return Err(Error::input(at, cause, "give it parts of ordinary sizes"));
        }
        // All lengths are seen from the first part, so that parts far away are as exact.
        let start = parts[0].1.origin;
        let arms = parts.iter().map(|(_, frame)| frame.origin - start);
        let centre = arms.zip(&masses).map(|(arm, it)| arm * it.mass).sum::<Vec3>() / volume;
        let origin = start + centre;
        let mut inertia = Mat3::zeros();
        for ((_, frame), MassProperties { mass, inertia: moments }) in parts.iter().zip(&masses) {
            let turn = frame.rotation.to_rotation_matrix().into_inner();
            let arm = frame.origin - start - centre;
            inertia += turn * Mat3::from_diagonal(moments) * turn.transpose()
                + (Mat3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose()) * *mass;
        }
        let (moments, rotation) = principal(&inertia);
        let frame = Frame { origin, rotation };
        let part = |(shape, placed): &(Shape, Frame)| {
            let own = Frame {
                origin: frame.to_own(&placed.origin),
                rotation: rotation.inverse() * placed.rotation,
            };
            Part { shape: *shape, frame: own, reach: hulls.reach(shape) }
        };
        let parts: Vec<Part> = parts.iter().map(part).collect();
        let farthest = |part: &Part| {
            let centre = part.frame.to_own(&Vec3::zeros());
            let of_hull = |id| {
                let corners = hulls.get(id).vertices().iter();
                corners.map(|x| (x - centre).norm()).fold(0.0, f64::max)
            };
            part.shape.farthest(&centre, of_hull)
        };
        let reach = parts.iter().map(farthest).fold(0.0, f64::max);
        let geometry = Geometry::Compound(Compound { parts, hulls });
        Ok((Self { geometry, volume, moments, reach }, frame))
    }
}

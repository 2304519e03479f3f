//! Compounds touch where their parts touch. Only parts whose balls come near the other body are
//! looked at.

use smallvec::SmallVec;

use crate::narrow::{Touch, Touches};
use crate::solid::Part;
use crate::{Placed, Solids};
use cloth_core::Vec3;

/// Touches of two parts are one if their points are nearer to each other than this fraction of the
/// smaller reach, and the cosine of the angle between their normals is above [`ALIKE`]. Parts that
/// overlap, such as the links of a ring of capsules, touch others at common points.
const SAME: f64 = 1e-6;

/// See [`SAME`].
const ALIKE: f64 = 1.0 - 1e-9;

/// The parts of a body.
pub type Pieces<'a> = SmallVec<[Piece<'a>; 4]>;

/// A body or a part of one, with the table of its solids.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// Its shape in space.
    pub placed: Placed<'a>,
    /// The table that its shape refers to.
    pub solids: &'a Solids,
    /// Radius of the ball about its origin that holds it, m.
    pub reach: f64,
}

impl<'a> Piece<'a> {
    /// A whole body.
    pub fn new(placed: Placed<'a>, solids: &'a Solids) -> Self {
        Self { placed, solids, reach: solids.reach(placed.shape) }
    }

    /// The parts of a compound whose balls come within `gap` (m) of a ball, or the body itself. The
    /// ball has a centre and a radius, m.
    pub fn near(&self, (centre, radius): (Vec3, f64), gap: f64) -> Pieces<'a> {
        let own = self.placed.to_own(&centre);
        self.pieces(|part| {
            let most = part.reach + radius + gap;
            (part.frame.origin - own).norm_squared() <= most * most
        })
    }

    /// The parts of a compound, or the body itself.
    pub fn all(&self) -> Pieces<'a> {
        self.pieces(|_| true)
    }

    fn pieces(&self, is_wanted: impl Fn(&Part) -> bool) -> Pieces<'a> {
        let Some(compound) = self.solids.compound(self.placed.shape) else {
            return Pieces::from_iter([*self]);
        };
        let wanted = compound.parts().iter().filter(|part| is_wanted(part));
        let piece = |part: &'a Part| {
            let placed = part.placed(&self.placed);
            Self { placed, solids: compound.hulls(), reach: part.reach }
        };
        wanted.map(piece).collect()
    }

    /// The ball that holds it: centre and radius, m.
    pub fn ball(&self) -> (Vec3, f64) {
        (self.placed.position, self.reach)
    }
}

/// Adds to `touches` those of `found` that are not there yet. `reach` (m) is the smaller one of two
/// pieces. Of two touches that are the same, the deeper one stays.
pub fn add(found: &Touches, reach: f64, touches: &mut Touches) {
    let known = touches.len();
    for touch in found {
        let is_same = |other: &&mut Touch| {
            (other.point - touch.point).norm() < SAME * reach
                && other.normal.dot(&touch.normal) > ALIKE
        };
        match touches[..known].iter_mut().find(is_same) {
            Some(other) if other.gap <= touch.gap => {}
            Some(other) => *other = *touch,
            None => touches.push(*touch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::tests::{random_rotation, random_vector};
    use crate::narrow::{half_space, touch};
    use crate::shape::{Capsule, Cuboid, Cylinder, Sphere};
    use crate::solid::Frame;
    use crate::{BodyState, Shape, Solid, Twist};
    use cloth_core::Vec3;
    use cloth_core::mesh::shapes::{Cuboid as CuboidMesh, ShapeKind};

    #[test]
    fn a_compound_of_one_part_touches_as_the_part_does() {
        let cloud: Vec<Vec3> = (0..12).map(|k| random_vector(k + 500) * 0.5).collect();
        let mesh = CuboidMesh { size_m: [0.8, 0.6, 0.5], edge_m: Some(0.3) }.mesh();
        let mut solids = Solids::default();
        let hull = Shape::Solid(solids.add(Solid::hull(&cloud, 0.0, "").unwrap().0));
        let mesh = Shape::Solid(solids.add(Solid::mesh(&mesh, 0.0, "").unwrap().0));
        let shapes = [
            Shape::Sphere(Sphere { radius_m: 0.4 }),
            Shape::Capsule(Capsule { radius_m: 0.2, length_m: 0.6 }),
            Shape::Box(Cuboid { size_m: [0.5, 0.3, 0.8] }),
            Shape::Cylinder(Cylinder { radius_m: 0.3, length_m: 0.4 }),
            hull,
        ];
        let frame = Frame { origin: random_vector(1) * 3.0, rotation: random_rotation(2) };
        let compounds = shapes.map(|shape| {
            let hulls = solids.clone();
            let (solid, own) = Solid::compound(&[(shape, frame)], hulls, "").unwrap();
            assert!((solid.reach / solids.reach(&shape) - 1.0).abs() < 1e-9, "{shape:?}");
            (Shape::Solid(solids.add(solid)), own)
        });
        let (mut touching, mut resting) = (0, 0);
        for k in 0..4000u64 {
            let (i, j) = (k as usize % 5, k as usize / 5 % 6);
            // A body in the frame in which the part was given.
            let given = Frame { origin: random_vector(2 * k), rotation: random_rotation(k) };
            let at = |shape, frame: Frame| Placed {
                shape,
                position: frame.origin,
                rotation: frame.rotation,
            };
            let whole = at(&compounds[i].0, given.then(&compounds[i].1));
            let part = solids.compound(whole.shape).unwrap().parts()[0].placed(&whole);
            let expected = given.then(&frame);
            assert!((part.position - expected.origin).norm() < 1e-12 && *part.shape == shapes[i]);
            assert!(part.rotation.angle_to(&expected.rotation) < 1e-7);
            let near = Frame {
                origin: part.position + random_vector(2 * k + 1) * 0.6,
                rotation: random_rotation(k + 10_000),
            };
            let other = at(shapes.get(j).unwrap_or(&mesh), near);
            let (mut found, mut expected) = (Touches::new(), Touches::new());
            for [a, b, c, d] in [[&whole, &other, &part, &other], [&other, &whole, &other, &part]] {
                touch(a, b, &solids, 0.05, &mut found);
                touch(c, d, &solids, 0.05, &mut expected);
                touching += usize::from(!found.is_empty());
                assert_eq!(found, expected, "{k} {:?} {:?}", part.shape, other.shape);
            }
            let twist = Twist::ZERO;
            let plane = BodyState { position: near.origin, rotation: near.rotation, twist };
            half_space::touch(&whole, &plane, &solids, 0.05, &mut found);
            half_space::touch(&part, &plane, &solids, 0.05, &mut expected);
            resting += usize::from(!found.is_empty());
            assert_eq!(found, expected, "{k} {:?}", part.shape);
        }
        assert!(touching > 2000 && resting > 1000, "{touching} {resting}");
    }

    #[test]
    fn parts_that_share_a_point_have_one_touch_there() {
        // Two capsules that end in one ball, as in a ring.
        let shape = Shape::Capsule(Capsule { radius_m: 0.1, length_m: 1.0 });
        let part = |y: f64| (shape, Frame { origin: Vec3::y() * y, ..Frame::INPUT });
        let mut solids = Solids::default();
        let parts = [part(0.0), part(1.0)];
        let (solid, frame) = Solid::compound(&parts, Solids::default(), "").unwrap();
        let shape = Shape::Solid(solids.add(solid));
        let rod = Placed { shape: &shape, position: frame.origin, rotation: frame.rotation };
        let ball = Shape::Sphere(Sphere { radius_m: 0.1 });
        let position = Vec3::new(0.19, 0.5, 0.0);
        let ball = Placed { shape: &ball, position, rotation: Frame::INPUT.rotation };
        let mut touches = Touches::new();
        touch(&rod, &ball, &solids, 0.0, &mut touches);
        assert_eq!(touches.len(), 1, "{touches:?}");
        assert!((touches[0].gap + 0.01).abs() < 1e-12);
    }
}

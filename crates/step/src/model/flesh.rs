//! Flesh: what lies under a skin where the animation has it.
//!
//! A released vertex may recede into its flesh, and never stands out of it. Contacts push it along
//! its skin too, and a limb turns, so its offset could lead over a curve. Then it is drawn back to
//! the nearest place of the animated surface (docs/methods.md, section 8).

use crate::model::skin::Skin;
use cloth_core::ids::VertexId;
use cloth_core::math::{Mat3, Vec3};
use cloth_core::mesh::{nearest_point, normal, weights};

/// The share of its inverse mass that a vertex of flat skin has along the skin.
const ALONG: f64 = 0.01;

impl Skin {
    /// The place nearest to `x` (m) that is not outside of the skin, whose vertices the animation has
    /// at `animated` (m). The search goes downhill over the surface from `vertex`, so other parts of
    /// it that are near do not count.
    pub(crate) fn within(&self, vertex: usize, x: Vec3, animated: &[Vec3]) -> Vec3 {
        let places = |face: &[VertexId; 3]| face.map(|corner| animated[corner as usize]);
        let (mut at, mut last_m2) = (vertex, f64::INFINITY);
        let mut foot = (x, Vec3::zeros());
        loop {
            let nearest = |face: &[VertexId; 3]| {
                let point = nearest_point(&places(face), x);
                ((x - point).norm_squared(), point, *face)
            };
            let with_area = self.fans[at].iter().filter(|it| normal(places(it)) != Vec3::zeros());
            let found = with_area.map(nearest).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((m2, point, face)) = found.filter(|it| it.0 < last_m2) else { break };
            let shares = weights(&places(&face), point);
            let outwards = (0..3).map(|i| self.outwards(face[i] as usize, animated) * shares[i]);
            (last_m2, foot) = (m2, (point, outwards.sum()));
            let others = (0..3).filter(|&i| face[i] as usize != at);
            let next = others.max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
            at = next.map_or(at, |i| face[i] as usize);
        }
        if (x - foot.0).dot(&foot.1) > 0.0 { foot.0 } else { x }
    }

    /// Which share of its inverse mass a released vertex has in each direction: all of it along the
    /// normals of the skin around it, and little across them.
    pub(crate) fn softness(&self, vertex: usize, animated: &[Vec3]) -> Mat3 {
        let around = self.fans[vertex].iter().flatten().flat_map(|&it| &self.fans[it as usize]);
        let (mut sum, mut area) = (Mat3::zeros(), 0.0);
        for face in around {
            let normal = normal(face.map(|corner| animated[corner as usize]));
            if let Some(unit) = normal.try_normalize(0.0) {
                sum += unit * normal.transpose();
                area += normal.norm();
            }
        }
        match area > 0.0 {
            true => Mat3::from_diagonal_element(ALONG) + sum * ((1.0 - ALONG) / area),
            false => Mat3::identity(),
        }
    }

    /// The normal of the animated skin at a vertex.
    fn outwards(&self, vertex: usize, animated: &[Vec3]) -> Vec3 {
        let of_face = |face: &[VertexId; 3]| normal(face.map(|corner| animated[corner as usize]));
        let of_faces: Vec3 = self.fans[vertex].iter().map(of_face).sum();
        of_faces.try_normalize(0.0).unwrap_or_default()
    }
}

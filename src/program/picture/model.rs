//! The triangles of a picture.

use std::borrow::Cow;

use cloth_core::math::Vec3;

use crate::program::picture::Camera;

/// A vertex.
#[derive(Debug, Clone, Copy)]
pub struct Vertex {
    /// Where it is, m.
    pub position: Vec3,
    /// The unit normal of the surface there.
    pub normal: Vec3,
    /// Its linear colour.
    pub colour: Vec3,
}

/// How a triangle is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// From both sides; its back is a little darker.
    Cloth,
    /// From both sides.
    Solid,
    /// From its front alone. It casts no shadow.
    Wall,
    /// What is behind it shines through. It casts no shadow.
    Glass,
    /// Over everything, without light. It casts no shadow.
    Mark,
}

/// A triangle.
#[derive(Debug, Clone, Copy)]
pub struct Triangle {
    /// Its vertices.
    pub corners: [u32; 3],
    /// How it is drawn.
    pub look: Look,
}

/// All triangles of a picture.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The triangles.
    pub triangles: Vec<Triangle>,
}

impl Model {
    /// Adds triangles over vertices that are added too.
    pub fn add(&mut self, vertices: impl Iterator<Item = Vertex>, faces: &[[u32; 3]], look: Look) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        let triangle = |face: &[u32; 3]| Triangle { corners: face.map(|it| first + it), look };
        self.triangles.extend(faces.iter().map(triangle));
    }

    /// The part of the model that is before `camera`.
    pub fn before(&self, camera: &Camera) -> Cow<'_, Self> {
        let margin = |vertex: &Vertex| camera.depth(&vertex.position) - camera.nearest_m;
        let margins = Vec::from_iter(self.vertices.iter().map(margin));
        if margins.iter().all(|&it| it > 0.0) {
            return Cow::Borrowed(self);
        }
        let mut cut = Self { vertices: self.vertices.clone(), triangles: Vec::new() };
        for triangle in &self.triangles {
            let polygon = cut.clip(triangle.corners, &margins);
            for at in 2..polygon.len() {
                let corners = [polygon[0], polygon[at - 1], polygon[at]];
                cut.triangles.push(Triangle { corners, ..*triangle });
            }
        }
        // Vertices that no triangle has any more are not projected to a place.
        for (vertex, &margin) in cut.vertices.iter_mut().zip(&margins) {
            if margin <= 0.0 {
                vertex.position = camera.eye - camera.axes.front;
            }
        }
        Cow::Owned(cut)
    }

    /// The corners of the part of a triangle whose `margins` are above 0 (Sutherland & Hodgman
    /// 1974). New vertices are added.
    fn clip(&mut self, corners: [u32; 3], margins: &[f64]) -> Vec<u32> {
        let mut polygon = Vec::with_capacity(4);
        for at in 0..3 {
            let (a, b) = (corners[at] as usize, corners[(at + 1) % 3] as usize);
            if margins[a] > 0.0 {
                polygon.push(a as u32);
            }
            if (margins[a] > 0.0) != (margins[b] > 0.0) {
                polygon.push(self.vertices.len() as u32);
                let share = margins[a] / (margins[a] - margins[b]);
                let (a, b) = (self.vertices[a], self.vertices[b]);
                self.vertices.push(Vertex {
                    position: a.position.lerp(&b.position, share),
                    normal: a.normal.lerp(&b.normal, share),
                    colour: a.colour.lerp(&b.colour, share),
                });
            }
        }
        polygon
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::picture::camera::Axes;

    #[test]
    fn what_is_behind_the_camera_is_cut_off() {
        let axes = Axes::new(Vec3::y());
        let camera = Camera::new(Vec3::zeros(), axes, 1.0, [10, 10]);
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]].map(Vec3::from);
        let vertex = |position| Vertex { position, normal: Vec3::y(), colour: Vec3::x() };
        let mut model = Model::default();
        model.add(corners.map(vertex).into_iter(), &[[0, 1, 2]], Look::Solid);
        let cut = model.before(&camera);
        assert_eq!(cut.triangles.len(), 2);
        for corner in cut.triangles.iter().flat_map(|it| it.corners) {
            let depth = camera.depth(&cut.vertices[corner as usize].position);
            assert!(depth >= camera.nearest_m - 1e-12, "{depth}");
        }
        let front = Camera::new(Vec3::zeros(), axes, 9.0, [10, 10]);
        assert!(matches!(model.before(&front), Cow::Borrowed(_)));
    }
}

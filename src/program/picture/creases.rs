//! Normals of surfaces: smooth, except at creases.

use cloth_core::math::Vec3;

/// A surface with a normal at each vertex.
#[derive(Debug, Clone, Default)]
pub struct ShadedSurface {
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Unit normals; zero where the surface has no area.
    pub normals: Vec<Vec3>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
}

/// The surface with the mean normal at each vertex, weighted by area.
pub fn smooth(positions: Vec<Vec3>, faces: Vec<[u32; 3]>) -> ShadedSurface {
    let mut normals = vec![Vec3::zeros(); positions.len()];
    for face in &faces {
        let area = area(&positions, face);
        face.iter().for_each(|&vertex| normals[vertex as usize] += area);
    }
    normals.iter_mut().for_each(|it| *it = unit(*it));
    ShadedSurface { positions, normals, faces }
}

/// The surface with the mean normal of those faces at a vertex that differ by less than an angle
/// with this cosine. Vertices with several normals become several.
pub fn creased(positions: &[Vec3], faces: &[[u32; 3]], least_cosine: f64) -> ShadedSurface {
    let of_face = Vec::from_iter(faces.iter().map(|face| unit(area(positions, face))));
    let mut around = vec![Vec::new(); positions.len()];
    for (face, number) in faces.iter().zip(0..) {
        face.iter().for_each(|&vertex| around[vertex as usize].push(number));
    }
    let mut surface = ShadedSurface::default();
    // The new vertices of each vertex.
    let mut new = vec![Vec::<u32>::new(); positions.len()];
    for (face, own) in faces.iter().zip(&of_face) {
        surface.faces.push(face.map(|vertex| {
            let vertex = vertex as usize;
            let near = around[vertex].iter().map(|&it: &usize| of_face[it]);
            let near = near.filter(|other| other.dot(own) > least_cosine);
            let normal = unit(near.fold(Vec3::zeros(), |sum, other| sum + other));
            let known = new[vertex].iter().find(|&&it| surface.normals[it as usize] == normal);
            known.copied().unwrap_or_else(|| {
                let number = surface.positions.len() as u32;
                surface.positions.push(positions[vertex]);
                surface.normals.push(normal);
                new[vertex].push(number);
                number
            })
        }));
    }
    surface
}

/// The normal of a face with twice its area as length.
fn area(positions: &[Vec3], face: &[u32; 3]) -> Vec3 {
    let [a, b, c] = face.map(|vertex| positions[vertex as usize]);
    (b - a).cross(&(c - a))
}

fn unit(vector: Vec3) -> Vec3 {
    vector.try_normalize(0.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_strip_has_a_crease_only_if_it_is_sharp() {
        for (height, count) in [(0.1, 4), (5.0, 6)] {
            let x = [[0.0, 0.0], [1.0, height], [2.0, 0.0], [1.0, height]];
            let positions = [
                Vec3::new(x[0][0], x[0][1], 0.0),
                Vec3::new(x[1][0], x[1][1], -1.0),
                Vec3::new(x[2][0], x[2][1], 0.0),
                Vec3::new(x[3][0], x[3][1], 1.0),
            ];
            let faces = [[0, 3, 1], [1, 3, 2]];
            let surface = creased(&positions, &faces, 0.8);
            assert_eq!(surface.positions.len(), count);
            assert!(surface.normals.iter().all(|it| (it.norm() - 1.0).abs() < 1e-12));
        }
    }
}

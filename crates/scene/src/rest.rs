//! Rest lengths and warp directions of a cloth's faces.

use crate::pattern::Pattern;
use crate::spec::{Cloth, Rest};
use cloth_bodies::bodies::cloth::setup::RestTriangle;
use cloth_core::error::{Error, Result};
use cloth_core::ids::NONE;
use cloth_core::math::{Vec2, Vec3};
use cloth_core::mesh::SurfaceMesh;

/// The rest triangle of each face (m), from the shape, from the texture coordinates or from the
/// `pattern`. `rest` has the rest position (m) of each vertex. `at` is the path of the cloth in the
/// scene.
///
/// # Errors
/// A face without texture coordinates, or of no area in them, if the rest lengths come from them.
pub(super) fn rest_planes(
    cloth: &Cloth,
    surface: &SurfaceMesh,
    rest: &[Vec3],
    pattern: Option<&Pattern>,
    at: &str,
) -> Result<Vec<RestTriangle>> {
    let axis = Vec3::from(cloth.warp_axis);
    let mut planes = Vec::with_capacity(surface.faces.len());
    for (face, &vertices) in surface.faces.iter().enumerate() {
        let uv = texture_edges(surface, face);
        let [a, b, c] = vertices.map(|vertex| rest[vertex as usize]);
        planes.push(match (&cloth.rest, pattern) {
            (Rest::Uv { metres_per_unit }, _) => from_pattern(uv, *metres_per_unit)
                .ok_or_else(|| no_pattern(cloth, surface, face, at))?,
            (_, Some(pattern)) => {
                let [e1, e2] = pattern.edges(face);
                RestTriangle::along(e1, e2, axis)
            }
            _ => from_shape(b - a, c - a, uv, axis),
        });
    }
    Ok(planes)
}

/// Texture coordinates of corners 1 and 2 relative to corner 0. None if the face has no texture
/// coordinates or they enclose no area.
fn texture_edges(surface: &SurfaceMesh, face: usize) -> Option<[Vec2; 2]> {
    let corners = surface.face_corners[face];
    let texcoords = corners.map(|place| surface.document.corners[place as usize].texcoord);
    if texcoords.contains(&NONE) {
        return None;
    }
    let [a, b, c] = texcoords.map(|texcoord| surface.document.texcoords[texcoord as usize]);
    let edges = [b - a, c - a];
    let longest = edges[0].norm_squared().max(edges[1].norm_squared());
    (edges[0].perp(&edges[1]).abs() > 1e-8 * longest).then_some(edges)
}

/// From the edges `e1` and `e2` at corner 0 (m). The warp direction is the direction of growing
/// u. Without texture coordinates it is the projection of `axis`.
fn from_shape(e1: Vec3, e2: Vec3, uv: Option<[Vec2; 2]>, axis: Vec3) -> RestTriangle {
    match uv {
        // dx/du, times the (signed) area of the texture triangle.
        Some([uv1, uv2]) => {
            let warp = (e1 * uv2.y - e2 * uv1.y) * uv1.perp(&uv2).signum();
            RestTriangle::with_warp(e1, e2, warp)
        }
        None => RestTriangle::along(e1, e2, axis),
    }
}

/// From a piece of a sewing pattern. Mirrored pieces are mirrored back about the warp direction.
fn from_pattern(uv: Option<[Vec2; 2]>, metres_per_unit: f64) -> Option<RestTriangle> {
    let [x1, x2] = uv?.map(|edge| edge * metres_per_unit);
    let mirror = Vec2::new(1.0, x1.perp(&x2).signum());
    Some(RestTriangle { x1: x1.component_mul(&mirror), x2: x2.component_mul(&mirror) })
}

fn no_pattern(cloth: &Cloth, surface: &SurfaceMesh, face: usize, at: &str) -> Error {
    let polygon = surface.face_polygons[face] + 1;
    let name = cloth.name.as_deref().unwrap_or("the cloth");
    Error::input(
        format!("{at}.rest"),
        format!("polygon {polygon} of {name} has no texture coordinates, or they enclose no area"),
        "give the mesh its sewing pattern as texture coordinates, or write `rest: Shape`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::{SQUARES, setup};

    #[test]
    fn warp_follows_u_and_lengths_follow_the_shape() {
        let built = setup("shape: Mesh(\"m.obj\"), transform: (scale: 2)", SQUARES, 1).unwrap();
        let planes = &built.cloths[0].rest_planes;
        // First square: u grows along y, so warp is y and weft is -x.
        let [x1, x2] = [planes[0].x1, planes[0].x2];
        assert!(
            (x1 - Vec2::new(0.0, -2.0)).norm() < 1e-15
                && (x2 - Vec2::new(2.0, -2.0)).norm() < 1e-15
        );
        // Second: no texture, so warp is x.
        assert!((planes[2].x1 - Vec2::new(2.0, 0.0)).norm() < 1e-15);
        assert!(planes.iter().all(|plane| (plane.x1.perp(&plane.x2) - 4.0).abs() < 1e-12));
        assert_eq!(built.cloths[0].rest[5], Vec3::new(4.0, 2.0, 0.0));
    }

    #[test]
    fn patterns_give_lengths_and_need_texture() {
        let half = SQUARES.replace("\nf 2 5 6 3", "\nf 2/2 5/1 6/4 3/3");
        let built =
            setup("shape: Mesh(\"m.obj\"), rest: Uv(metres_per_unit: 0.5)", &half, 1).unwrap();
        let areas = built.cloths[0].rest_planes.iter().map(|plane| plane.x1.perp(&plane.x2));
        assert!(areas.into_iter().all(|twice| (twice - 0.25).abs() < 1e-15));
        let message = setup("shape: Mesh(\"m.obj\"), rest: Uv(metres_per_unit: 0.5)", SQUARES, 1)
            .unwrap_err()
            .to_string();
        assert!(message.contains("cloths[0].rest: polygon 2"), "{message}");
    }
}

//! A mesh of a layer: its polygons, texture coordinates and materials.

use std::collections::BTreeMap;
use std::io;

use cloth_core::ids::NONE;
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::quality::bounds;

use crate::program::output::formats::usd::Layer;

/// The paths of the prims of materials, by the names of the materials.
pub type MaterialPaths = BTreeMap<String, String>;

/// Writes the mesh `name`. Without `positions` (m), other layers have them.
///
/// # Errors
/// The errors of the output.
pub fn write(
    layer: &mut Layer,
    name: &str,
    document: &ObjDocument,
    positions: Option<&[Vec3]>,
    materials: &MaterialPaths,
) -> io::Result<()> {
    let bound = Bound::of(document, materials);
    begin(layer, "Mesh", name, matches!(bound, Bound::One(_)));
    layer.line("uniform token subdivisionScheme = \"none\"");
    layer.line("uniform bool doubleSided = 1");
    let ends = document.polygon_ends.iter();
    let starts = std::iter::once(&0).chain(ends.clone());
    layer.integers(
        "int[] faceVertexCounts = ",
        ends.zip(starts).map(|(end, start)| u64::from(end - start)),
        "",
    )?;
    let corners = document.corners.iter().map(|corner| u64::from(corner.vertex));
    layer.integers("int[] faceVertexIndices = ", corners, "")?;
    match positions {
        Some(positions) => {
            let points = positions.iter().map(|&x| <[f64; 3]>::from(x));
            layer.vectors("point3f[] points = ", points, "")?;
            layer.vectors("float3[] extent = ", extent(positions), "")?;
        }
        None => {
            layer.line("point3f[] points");
            layer.line("float3[] extent");
        }
    }
    texture(layer, document)?;
    match &bound {
        Bound::None => {}
        Bound::One(path) => layer.line(&binding(path)),
        Bound::Parts(parts) => {
            for (number, (path, faces)) in parts.iter().enumerate() {
                part(layer, number, path, faces)?;
            }
        }
    }
    layer.close('}');
    Ok(())
}

/// Begins a prim, which may have a material.
fn begin(layer: &mut Layer, kind: &str, name: &str, has_material: bool) {
    if has_material {
        layer.open(&format!("def {kind} \"{name}\""), '(');
        layer.line("prepend apiSchemas = [\"MaterialBindingAPI\"]");
        layer.close(')');
        layer.open("", '{');
    } else {
        layer.open(&format!("def {kind} \"{name}\""), '{');
    }
}

fn binding(path: &str) -> String {
    format!("rel material:binding = <{path}>")
}

/// The two corners of the box around `positions` (m).
pub fn extent(positions: &[Vec3]) -> [[f64; 3]; 2] {
    <[Vec3; 2]>::from(bounds(positions)).map(Into::into)
}

/// The texture coordinates. A corner without any gets the origin.
fn texture(layer: &mut Layer, document: &ObjDocument) -> io::Result<()> {
    if document.corners.iter().all(|corner| corner.texcoord == NONE) {
        return Ok(());
    }
    let count = document.texcoords.len() as u64;
    let origin = document.corners.iter().any(|corner| corner.texcoord == NONE);
    let all = document.texcoords.iter().map(|&uv| <[f64; 2]>::from(uv));
    let all = all.chain(origin.then_some([0.0, 0.0]));
    let of_corners = " (interpolation = \"faceVarying\")";
    layer.vectors("texCoord2f[] primvars:st = ", all, of_corners)?;
    let place = |texcoord: u32| if texcoord == NONE { count } else { u64::from(texcoord) };
    let places = document.corners.iter().map(|corner| place(corner.texcoord));
    layer.integers("int[] primvars:st:indices = ", places, "")
}

/// Writes the faces that have the material at `path`.
fn part(layer: &mut Layer, number: usize, path: &str, faces: &[u64]) -> io::Result<()> {
    begin(layer, "GeomSubset", &format!("part_{number}"), true);
    layer.line("uniform token elementType = \"face\"");
    layer.line("uniform token familyName = \"materialBind\"");
    layer.integers("int[] indices = ", faces.iter().copied(), "")?;
    layer.line(&binding(path));
    layer.close('}');
    Ok(())
}

/// The materials of a mesh.
enum Bound {
    None,
    /// All faces have this one.
    One(String),
    /// Faces by their materials.
    Parts(BTreeMap<String, Vec<u64>>),
}

impl Bound {
    fn of(document: &ObjDocument, materials: &MaterialPaths) -> Self {
        let mut parts = BTreeMap::<String, Vec<u64>>::new();
        for (group, polygons) in document.group_polygons() {
            let path = group.material.as_ref().and_then(|name| materials.get(name));
            if let Some(path) = path {
                parts.entry(path.clone()).or_default().extend(polygons.map(|it| it as u64));
            }
        }
        let faces = document.polygon_ends.len();
        match parts.first_key_value() {
            None => Self::None,
            Some((path, own)) if own.len() == faces => Self::One(path.clone()),
            Some(_) => Self::Parts(parts),
        }
    }
}

//! Materials of a layer, from the statements of an MTL file.

use crate::program::output::Materials;
use crate::program::output::formats::usd::{Layer, MaterialPaths, PrimNames};

/// The prim that holds all materials.
pub const SCOPE: &str = "Materials";

/// The places of the prims of `materials` in the prim at `parent`.
pub fn paths(materials: &Materials, parent: &str) -> MaterialPaths {
    let mut names = PrimNames::default();
    let path = |name: &str| format!("{parent}/{SCOPE}/{}", names.unique(name));
    let mut path = path;
    materials.statements().map(|(name, _)| (name.to_owned(), path(name))).collect()
}

/// Writes the materials at `paths`.
pub fn write(layer: &mut Layer, materials: &Materials, paths: &MaterialPaths) {
    if paths.is_empty() {
        return;
    }
    layer.open(&format!("def Scope \"{SCOPE}\""), '{');
    for (name, statements) in materials.statements() {
        if let Some(path) = paths.get(name) {
            material(layer, path, &Look::of(statements));
        }
    }
    layer.close('}');
}

fn material(layer: &mut Layer, path: &str, look: &Look) {
    let name = path.rsplit('/').next().unwrap_or_default();
    layer.open(&format!("def Material \"{name}\""), '{');
    layer.line(&format!("token outputs:surface.connect = <{path}/Surface.outputs:surface>"));
    layer.open("def Shader \"Surface\"", '{');
    layer.line("uniform token info:id = \"UsdPreviewSurface\"");
    let [r, g, b] = look.colour;
    layer.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"));
    if look.image.is_some() {
        layer.line(&format!("color3f inputs:diffuseColor.connect = <{path}/Image.outputs:rgb>"));
    }
    layer.line(&format!("float inputs:opacity = {}", look.opacity));
    layer.line("token outputs:surface");
    layer.close('}');
    if let Some(image) = &look.image {
        texture(layer, path, image);
    }
    layer.close('}');
}

/// Writes the shaders that read `image` at the texture coordinates `st`.
fn texture(layer: &mut Layer, path: &str, image: &str) {
    layer.open("def Shader \"Image\"", '{');
    layer.line("uniform token info:id = \"UsdUVTexture\"");
    layer.line(&format!("asset inputs:file = @./{image}@"));
    layer.line(&format!("float2 inputs:st.connect = <{path}/Coordinates.outputs:result>"));
    layer.line("token inputs:wrapS = \"repeat\"");
    layer.line("token inputs:wrapT = \"repeat\"");
    layer.line("float3 outputs:rgb");
    layer.close('}');
    layer.open("def Shader \"Coordinates\"", '{');
    layer.line("uniform token info:id = \"UsdPrimvarReader_float2\"");
    layer.line("string inputs:varname = \"st\"");
    layer.line("float2 outputs:result");
    layer.close('}');
}

/// The part of a material that layers hold.
#[derive(Debug, PartialEq)]
struct Look {
    /// Diffuse colour, from 0 to 1.
    colour: [f64; 3],
    /// 1 is opaque.
    opacity: f64,
    /// The file with the diffuse colour.
    image: Option<String>,
}

impl Look {
    /// The look that the statements of an MTL file describe.
    fn of(statements: &str) -> Self {
        let mut look = Self { colour: [0.8; 3], opacity: 1.0, image: None };
        for line in statements.lines() {
            let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            let numbers = rest.split_whitespace().map_while(|it| it.parse::<f64>().ok());
            let mut numbers = numbers.filter(|it| it.is_finite());
            match word {
                "Kd" => look.colour.iter_mut().zip(numbers).for_each(|(to, from)| *to = from),
                "d" => look.opacity = numbers.next().unwrap_or(look.opacity),
                "Tr" => look.opacity = numbers.next().map_or(look.opacity, |it| 1.0 - it),
                "map_Kd" => look.image = image(rest),
                _ => {}
            }
        }
        look
    }
}

/// The file that a statement names after its options. None if a path in a layer cannot hold it.
fn image(rest: &str) -> Option<String> {
    // The copies of images have no blank before their folder, and options have no slash.
    let start = rest.find('/').map(|slash| rest[..slash].rfind([' ', '\t']).map_or(0, |it| it + 1));
    let file = &rest[start.unwrap_or(0)..];
    (!file.is_empty() && !file.contains('@')).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_is_that_of_the_statements() {
        let text = "Kd 1 0.5 0\nTr 0.25\nNs 10\nmap_Kd -s 2 2 1 meshes/image_0_my wood.png\n";
        let image = Some("meshes/image_0_my wood.png".to_owned());
        assert_eq!(Look::of(text), Look { colour: [1.0, 0.5, 0.0], opacity: 0.75, image });
        assert_eq!(Look::of("Kd nan\nd\nmap_Kd a@b.png\nKd"), Look::of(""));
    }
}

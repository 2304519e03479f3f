//! USD as text (`.usda`): a layer for what stays the same, and a layer for each frame. Blender,
//! Houdini and other programs open `frames.usda`, which joins them as value clips.
//!
//! | file | content |
//! |---|---|
//! | `frames.usda` | the stage: units, rate and range of the frames; written after each frame |
//! | `scene.usda` | polygons, texture coordinates, materials, what stands still |
//! | `frame.0000.usda` | the positions of a frame. The time code is the number of the frame |
//!
//! Rejected: one file with all frames. A list of times ends within its block, so a frame could not
//! be added without a moment in which the file is torn.

mod bodies;
mod material;
mod mesh;
mod text;

pub use self::bodies::Prototypes;
pub use self::mesh::MaterialPaths;
pub use self::text::{Layer, PrimNames};

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use cloth_core::error::{Error, Result};

use crate::engine::Frame;
use crate::program::output::formats::{
    EachFrame, Format, Index, Sink, Source, WrittenRun, each_frame,
};
use crate::program::output::{FrameObjects, RunFiles, names, not_written, write_whole};

/// The name of the format.
pub const NAME: &str = "usd";

/// The stage.
const STAGE: &str = "frames.usda";
/// The layer of what stays the same.
const SCENE: &str = "scene.usda";
/// The layers of all frames. A template of value clips needs the dots.
const FRAMES: &str = "frame.*.usda";

/// The prim that holds all others.
const ROOT: &str = "World";
const ROOT_PATH: &str = "/World";

/// The format.
pub struct Usd;

impl Format for Usd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn file(&self, number: u64) -> String {
        names::numbered(FRAMES, number)
    }

    fn to_see(&self) -> &'static str {
        "import frames.usda into Blender, Houdini or another program that opens USD"
    }

    fn add_files(&self, files: &mut RunFiles, _: &FrameObjects) {
        files.add([STAGE, SCENE]);
        files.each_frame.push(FRAMES.to_owned());
    }

    fn is_readable(&self, _: bool) -> bool {
        false
    }

    fn last_frame(&self, folder: &Path) -> io::Result<Option<u64>> {
        each_frame::last(folder, FRAMES)
    }

    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>> {
        let content = Content::new(objects);
        let scene = folder.join(SCENE);
        write_whole(&scene, |out| content.write_scene(objects, out))
            .map_err(|cause| not_written(&scene, cause))?;
        let rate = objects.frames_per_second;
        let stage = Index::new(STAGE, kept, move |frames| stage(frames, rate)).begin(folder)?;
        let (folder, files) = (folder.to_owned(), FRAMES.to_owned());
        let encode = move |number: u64, frame: &Frame, out: &mut dyn Write| {
            content.write_frame(number, frame, out)
        };
        Ok(Box::new(EachFrame { folder, files, encode, index: Some(stage) }))
    }

    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>> {
        let cause = format!("frames of the format {NAME} are written, but not read");
        Err(Error::file(&run.folder, cause, "repeat the run with obj or vtp among its formats"))
    }
}

/// What a run shows.
enum Content {
    /// The names of the prims of all surfaces.
    Surfaces(Vec<String>),
    Bodies(Prototypes),
}

impl Content {
    fn new(objects: &FrameObjects) -> Self {
        match objects.bodies {
            Some(bodies) => Self::Bodies(Prototypes::new(bodies.solids)),
            None => {
                let mut names = prim_names();
                let surfaces = objects.surfaces.iter().map(|(name, _)| names.unique(name));
                Self::Surfaces(surfaces.collect())
            }
        }
    }

    /// Writes the layer of what stays the same.
    fn write_scene(&self, objects: &FrameObjects, out: &mut dyn Write) -> io::Result<()> {
        let mut names = prim_names();
        let mut layer = Layer::new(out);
        head(&mut layer, &[]);
        layer.open(&format!("def Xform \"{ROOT}\""), '{');
        let materials = objects.materials.map(|it| (it, material::paths(it, ROOT_PATH)));
        let (materials, paths) = materials.unzip();
        let paths = paths.unwrap_or_default();
        match self {
            Self::Bodies(prototypes) => prototypes.write(&mut layer, ROOT_PATH)?,
            Self::Surfaces(prims) => {
                for (prim, (_, document)) in prims.iter().zip(&objects.surfaces) {
                    names.unique(prim);
                    mesh::write(&mut layer, prim, document, None, &paths)?;
                }
            }
        }
        for still in &objects.still {
            let name = names.unique(&still.name);
            let positions = Some(&*still.positions);
            mesh::write(&mut layer, &name, &still.document, positions, &paths)?;
        }
        if let Some(materials) = materials {
            material::write(&mut layer, materials, &paths);
        }
        layer.close('}');
        layer.end()
    }

    /// Writes the layer of frame `number`.
    fn write_frame(&self, number: u64, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        let mut layer = Layer::new(out);
        layer.open(&format!("over \"{ROOT}\""), '{');
        match self {
            Self::Bodies(prototypes) => prototypes.write_frame(&mut layer, number, frame)?,
            Self::Surfaces(prims) => {
                for (prim, positions) in prims.iter().zip(&frame.surfaces) {
                    layer.open(&format!("over \"{prim}\""), '{');
                    let points = positions.iter().map(|&x| <[f64; 3]>::from(x));
                    layer.vectors_at("point3f[] points", number, points)?;
                    let extent = mesh::extent(positions);
                    layer.vectors_at("float3[] extent", number, extent)?;
                    layer.close('}');
                }
            }
        }
        layer.close('}');
        layer.end()
    }
}

/// The names of the prims in the root, of which the program needs some itself.
fn prim_names() -> PrimNames {
    let mut names = PrimNames::default();
    [material::SCOPE, bodies::BODIES].iter().for_each(|name| drop(names.unique(name)));
    names
}

/// Writes the metadata of a layer: units, and these `lines`.
fn head(layer: &mut Layer, lines: &[String]) {
    layer.open("", '(');
    layer.line(&format!("defaultPrim = \"{ROOT}\""));
    layer.line("metersPerUnit = 1");
    layer.line("upAxis = \"Y\"");
    lines.iter().for_each(|line| layer.line(line));
    layer.close(')');
}

/// The stage of a run that has these `frames`, of which there are `rate` in a second.
fn stage(frames: &Range<u64>, rate: f64) -> String {
    let (first, last) = (frames.start, frames.end.saturating_sub(1).max(frames.start));
    let mut text = Vec::new();
    let mut layer = Layer::new(&mut text);
    let times = [
        format!("startTimeCode = {first}"),
        format!("endTimeCode = {last}"),
        format!("timeCodesPerSecond = {rate}"),
        format!("framesPerSecond = {rate}"),
        format!("subLayers = [@./{SCENE}@]"),
    ];
    head(&mut layer, &times);
    layer.open(&format!("over \"{ROOT}\""), '(');
    layer.open("clips =", '{');
    layer.open("dictionary default =", '{');
    // The first frame has all attributes that the frames have.
    let manifest = names::numbered(FRAMES, first);
    let clips = [
        format!("string primPath = \"{ROOT_PATH}\""),
        format!("asset manifestAssetPath = @./{manifest}@"),
        format!("string templateAssetPath = \"./{}\"", FRAMES.replace('*', "####")),
        format!("double templateStartTime = {first}"),
        format!("double templateEndTime = {last}"),
        "double templateStride = 1".to_owned(),
    ];
    clips.iter().for_each(|line| layer.line(line));
    layer.close('}');
    layer.close('}');
    layer.close(')');
    layer.open("", '{');
    layer.close('}');
    // A text in memory takes all bytes.
    let _ = layer.end();
    String::from_utf8_lossy(&text).into_owned()
}

//! The subcommand `mesh`: what the triangles of a mesh are like, and better or smaller ones.

use std::path::{Path, PathBuf};

use clap::Args;
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_core::error::{Error, Result};
use cloth_core::mesh::doubled::{WeldCounts, weld};
use cloth_core::mesh::relax::relax;
use cloth_core::mesh::shapes::Shape;
use cloth_core::mesh::{Faces, Mesh, ObjDocument, SurfaceMesh, obj_read};
use cloth_scene::spec::Digits;
use serde::Serialize;

use crate::program::commands::described_mesh::DescribedMesh;
use crate::program::output::formats::obj::ObjText;
use crate::program::output::write_whole;
use crate::program::print::{self, ResultFormat};
use crate::program::run::memory;
use crate::program::words::plural_grouped;

/// Arguments of `mesh`.
#[derive(Debug, Clone, Args)]
pub struct MeshArguments {
    /// The mesh, an OBJ file in metres.
    #[arg(required_unless_present = "shape", conflicts_with = "shape")]
    pub file: Option<PathBuf>,

    /// Make a mesh, of a shape as in a scene, e.g. 'Disc(radius_m: 0.5, rings: 40)'.
    #[arg(long, value_name = "SHAPE", requires = "out")]
    pub shape: Option<String>,

    /// The fabric whose bends are judged. See docs/scene.md for the names.
    #[arg(long, value_name = "NAME", default_value = "cotton")]
    pub fabric: String,

    /// Join vertices that are nearer than METRES to each other, before all else. Faces that are
    /// there twice, or get no area, are left out [default: 1e-5 of the size of the mesh].
    #[arg(long, value_name = "METRES", requires = "out", value_parser = metres)]
    #[arg(num_args = 0..=1, require_equals = true, conflicts_with = "shape")]
    pub weld: Option<Option<f64>>,

    /// Make better triangles: flip edges and move inner vertices within the surface. Boundaries,
    /// creases (more than 25 degrees), borders of groups and seams stay.
    #[arg(long, requires = "out")]
    pub relax: bool,

    /// Cut each triangle into N x N triangles, after --relax.
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub refine: Option<u32>,

    /// Write the new mesh to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the file that --out names.
    #[arg(long, requires = "out")]
    pub overwrite: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// What is known of a mesh, and of the new one.
#[derive(Default, Serialize)]
struct MeshResult {
    /// The mesh, unless it is made or welded.
    mesh: Option<DescribedMesh>,
    welded: Option<WeldCounts>,
    relaxed: Option<Relaxed>,
    /// The mesh that was written.
    new: Option<DescribedMesh>,
}

/// What made triangles better.
#[derive(Serialize)]
struct Relaxed {
    flips: usize,
    moved_vertices: usize,
}

/// Prints what the mesh is like, changes it if asked to, and prints what the new one is like.
///
/// # Errors
/// A file that is missing, no mesh, or no mesh of a cloth; an unknown fabric; a file that is there
/// already or cannot be written.
pub fn mesh(arguments: &MeshArguments) -> Result<()> {
    let material = MaterialSpec::Fabric(arguments.fabric.clone());
    material.resolve("--fabric")?;
    let mut known = MeshResult::default();
    let surface = match (&arguments.shape, &arguments.file) {
        (Some(shape), _) => SurfaceMesh::from_mesh(made(shape)?)?,
        (None, file) => {
            let file = file.as_deref().unwrap_or(Path::new(""));
            if !file.exists() {
                return Err(Error::file(file, "there is no such file", "name an OBJ file"));
            }
            match arguments.weld {
                Some(distance_m) => {
                    // As it is, it may be none of a cloth.
                    let (mut document, mut lines) = obj_read::read(file)?;
                    known.welded = Some(weld(&mut document, &mut lines, distance_m));
                    SurfaceMesh::new(document, &lines, Faces::Manifold)?
                }
                None => {
                    let surface = SurfaceMesh::read(file, Faces::Manifold)?;
                    known.mesh = Some(DescribedMesh::new(file, &surface, &material)?);
                    surface
                }
            }
        }
    };
    if let Some(out) = &arguments.out {
        known.relaxed = change(arguments, surface, out)?;
        let new = SurfaceMesh::read(out, Faces::Manifold)?;
        known.new = Some(DescribedMesh::new(out, &new, &material)?);
    }
    arguments.result.print(&known, || known.say())
}

/// A distance.
fn metres(text: &str) -> std::result::Result<f64, String> {
    let metres = text.parse::<f64>().ok().filter(|it| *it > 0.0 && it.is_finite());
    metres.ok_or_else(|| format!("it is a distance above 0 in metres, and `{text}` is not"))
}

/// Writes the mesh that `arguments` ask for to `out`.
fn change(
    arguments: &MeshArguments,
    mut surface: SurfaceMesh,
    out: &Path,
) -> Result<Option<Relaxed>> {
    let MeshArguments { shape, weld, relax: relaxes, refine, .. } = arguments;
    if shape.is_none() && weld.is_none() && !relaxes && refine.is_none() {
        let remedy = "add --weld, --relax or --refine N";
        return Err(Error::input("--out", "nothing is changed, so nothing is written", remedy));
    }
    if out.exists() && !arguments.overwrite {
        return Err(Error::file(out, "it exists", "choose another name, or add --overwrite"));
    }
    let mut relaxed = None;
    if *relaxes {
        let (better, done) = relax(&surface)?;
        relaxed = Some(Relaxed { flips: done.flips, moved_vertices: done.moved });
        surface = better;
    }
    if let Some(k) = refine {
        if !surface.document.lines.is_empty() {
            print::message(
                "warning: the lines (`l`) of the mesh are lost, because --refine puts vertices between",
            );
        }
        surface = surface.refined(*k)?.0;
    }
    write(out, &mut surface.document)?;
    Ok(relaxed)
}

impl MeshResult {
    /// Prints the same for people.
    fn say(&self) -> Result<()> {
        self.mesh.iter().try_for_each(DescribedMesh::say)?;
        if let Some(WeldCounts { joined, left_out }) = &self.welded {
            let joined = plural_grouped(*joined as u64, "vertex");
            let left_out = plural_grouped(*left_out as u64, "face");
            print::line(format_args!(
                "welded: {joined} joined with another one, {left_out} left out"
            ))?;
        }
        if let Some(Relaxed { flips, moved_vertices }) = &self.relaxed {
            let flips = plural_grouped(*flips as u64, "flip");
            let moved = plural_grouped(*moved_vertices as u64, "vertex");
            print::line(format_args!("relaxed: {flips} of edges, {moved} moved"))?;
        }
        if self.mesh.is_some() && self.new.is_some() {
            print::line("")?;
        }
        self.new.iter().try_for_each(DescribedMesh::say)
    }
}

/// The mesh of a generated shape, written as in a scene.
fn made(shape: &str) -> Result<Mesh> {
    let remedy = "write a shape of docs/scene.md, such as 'Disc(radius_m: 0.5, rings: 40)'";
    let shape: Shape = cloth_scene::load::options()
        .from_str(shape)
        .map_err(|cause| Error::input("--shape", cause.code.to_string(), remedy))?;
    let Some(settings) = shape.generated() else {
        return Err(Error::input("--shape", "a mesh file is no shape to be made", remedy));
    };
    settings.check("--shape")?;
    memory::check_mesh("--shape", settings.triangles())?;
    Ok(settings.mesh())
}

/// Writes the mesh with all digits.
fn write(out: &Path, document: &mut ObjDocument) -> Result<()> {
    // The libraries of materials keep their places, which are given from the folder of the mesh.
    for library in &mut document.libraries {
        if library.parent() == out.parent() {
            *library = library.file_name().map(Into::into).unwrap_or_default();
        } else if let Ok(whole) = library.canonicalize() {
            *library = whole;
        }
    }
    let lines = document.lines.iter().map(|[a, b]| format!("l {} {}\n", a + 1, b + 1));
    let lines = lines.collect::<String>();
    let name = out.file_stem().map_or("mesh".into(), |stem| stem.to_string_lossy());
    let text = ObjText::new(&[(&name, document)], Digits::Exact);
    write_whole(out, |file| {
        text.write(&[&document.positions], file)?;
        file.write_all(lines.as_bytes())
    })
    .map_err(|cause| Error::file(out, cause, "choose another file with --out"))
}

//! The subcommand `mesh`: what the triangles of a mesh are like, and better or smaller ones.

use std::path::{Path, PathBuf};

use clap::Args;
use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::locking::{Locking, effective_thickness};
use cloth_sim::bodies::cloth::material::MaterialSpec;
use cloth_sim::error::{Error, Result};
use cloth_sim::ids::FaceId;
use cloth_sim::mesh::quality::{Extreme, Quality};
use cloth_sim::mesh::relax::relax;
use cloth_sim::mesh::shapes::Shape;
use cloth_sim::mesh::{Faces, Mesh, ObjDocument, SurfaceMesh};
use cloth_sim::scene::bends::{judged_radius, metres, percent};
use cloth_sim::scene::spec::Digits;
use cloth_sim::scene::{self, Scene};

use crate::program::output::formats::obj::text::ObjText;
use crate::program::output::write_whole;
use crate::program::print;
use crate::program::run::memory;
use crate::program::words::{grouped, plural};

/// Radii of bends that are shown, beside the one that warnings are about, m.
const RADII_M: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 1.0];

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
}

/// Prints what the mesh is like, changes it if asked to, and prints what the new one is like.
///
/// # Errors
/// A file that is missing, no mesh, or no mesh of a cloth; an unknown fabric; a file that is there
/// already or cannot be written.
pub fn mesh(arguments: &MeshArguments) -> Result<()> {
    let material = MaterialSpec::Fabric(arguments.fabric.clone());
    material.resolve("--fabric")?;
    let mut surface = match (&arguments.shape, &arguments.file) {
        (Some(shape), _) => SurfaceMesh::from_mesh(made(shape)?)?,
        (None, file) => read(file.as_deref().unwrap_or(Path::new("")), &material)?,
    };
    let Some(out) = &arguments.out else { return Ok(()) };
    if arguments.shape.is_none() && !arguments.relax && arguments.refine.is_none() {
        let remedy = "add --relax or --refine N";
        return Err(Error::input("--out", "nothing is changed, so nothing is written", remedy));
    }
    if out.exists() && !arguments.overwrite {
        return Err(Error::file(out, "it exists", "choose another name, or add --overwrite"));
    }
    if arguments.relax {
        let (better, done) = relax(&surface)?;
        let [flips, moved] = [done.flips, done.moved].map(|count| grouped(count as u64));
        print::line(format_args!("relaxed: {flips} flips of edges, {moved} vertices moved"))?;
        surface = better;
    }
    if let Some(k) = arguments.refine {
        surface = surface.refined(k)?.0;
    }
    write(out, &mut surface.document)?;
    if arguments.shape.is_none() {
        print::line("")?;
    }
    describe(out, &SurfaceMesh::read(out, Faces::Manifold)?, &material)
}

/// Reads a mesh and prints what it is like.
fn read(file: &Path, material: &MaterialSpec) -> Result<SurfaceMesh> {
    if !file.exists() {
        return Err(Error::file(file, "there is no such file", "name an OBJ file"));
    }
    let surface = SurfaceMesh::read(file, Faces::Manifold)?;
    describe(file, &surface, material)?;
    Ok(surface)
}

/// The mesh of a generated shape, written as in a scene.
fn made(shape: &str) -> Result<Mesh> {
    let remedy = "write a shape of docs/scene.md, such as 'Disc(radius_m: 0.5, rings: 40)'";
    let shape: Shape = scene::load::options()
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
    let name = out.file_stem().map_or("mesh".into(), |stem| stem.to_string_lossy());
    let text = ObjText::new(&[(&name, document)], Digits::Exact);
    write_whole(out, |file| text.write(&[&document.positions], file))
        .map_err(|cause| Error::file(out, cause, "choose another file with --out"))
}

/// Prints what a mesh is like, and how a cloth of `material` bends with it.
fn describe(file: &Path, surface: &SurfaceMesh, material: &MaterialSpec) -> Result<()> {
    let quality = Quality::new(surface);
    let at = |face: FaceId| surface.face_polygons[face as usize] + 1;
    let count = |items: usize| grouped(items as u64);
    let [width, height, depth] = [0, 1, 2].map(|axis| metres(quality.size[axis]));
    print::line(format_args!(
        "{}: {} vertices, {} triangles, {}, {}; {width} x {height} x {depth}, {:.4} m^2",
        file.display(),
        count(surface.document.positions.len()),
        count(surface.faces.len()),
        plural(quality.components, "part"),
        plural(quality.boundary_loops, "boundary loop"),
        quality.area,
    ))?;
    let [shortest, median, longest] = quality.edges.map(metres);
    print::line(format_args!("edges: {shortest} to {longest}, median {median}"))?;
    let Extreme { value: least, face: sharp } = quality.least_angle;
    let Extreme { value: largest, face: blunt } = quality.largest_angle;
    let Extreme { value: ratio, face: long } = quality.largest_ratio;
    print::line(format_args!(
        "triangles: angles {least:.1} degrees (face {}) to {largest:.1} degrees (face {}), longest side \
         over height up to {ratio:.1} (face {})",
        at(sharp),
        at(blunt),
        at(long),
    ))?;
    let valences = (3..).zip(quality.valences).filter(|&(_, vertices)| vertices > 0);
    let of_valence = |(edges, vertices)| {
        let more = if edges == 12 { " or more" } else { "" };
        format!("{edges}{more}: {}", count(vertices))
    };
    let listed: Vec<String> = valences.map(of_valence).collect();
    print::line(format_args!("edges of inner vertices: {}", listed.join(", ")))?;
    let distance = metres(0.5 * quality.edges[1]);
    print::line(format_args!("contact distance: at most {distance}, half of the median edge"))?;
    describe_bends(file, surface, &quality, material)
}

/// Prints how the bends of a cloth from `file` are wrong, and the warnings of a scene.
fn describe_bends(
    file: &Path,
    surface: &SurfaceMesh,
    quality: &Quality,
    material: &MaterialSpec,
) -> Result<()> {
    let text = "(cloths: [(shape: Mesh(\"\"), material: Fabric(\"\"))])";
    let mut scene: Scene = scene::parse(text, "mesh")?;
    scene.contact.distance_m = 0.1 * quality.edges[0];
    for cloth in &mut scene.cloths {
        cloth.shape = Shape::Mesh(file.display().to_string());
        cloth.material = material.clone();
        cloth.name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    let setup = scene::build(&scene, Path::new(""))?;
    bends(surface, &setup, quality.edges[1])?;
    for warning in scene::scale_warnings(&scene, &setup)? {
        print::message(format_args!("warning: {}", warning.trim_start_matches("cloths[0]: ")));
    }
    Ok(())
}

/// Prints what bends cost, for some radii.
fn bends(surface: &SurfaceMesh, setup: &Setup, median_edge_m: f64) -> Result<()> {
    let Some(cloth) = setup.cloths.first() else { return Ok(()) };
    let Some(locking) = Locking::new(cloth) else { return Ok(()) };
    let thickness = metres(effective_thickness(&cloth.material));
    print::line(format_args!(
        "bends (effective thickness {thickness}), energy that the cloth does not have:"
    ))?;
    let judged = judged_radius(cloth, median_edge_m);
    let mut radii = Vec::from(RADII_M);
    radii.retain(|&radius_m| metres(radius_m) != metres(judged));
    radii.push(judged);
    radii.sort_by(f64::total_cmp);
    for radius_m in radii {
        let excess = locking.excess(radius_m);
        let (radius, mean, worst) = (metres(radius_m), percent(excess.mean), percent(excess.worst));
        let face = surface.face_polygons[excess.worst_face as usize] + 1;
        let note = if radius_m == judged { "; warnings are about this bend" } else { "" };
        print::line(format_args!(
            "  radius {radius:>7}: {mean}, worst {worst} (face {face}){note}"
        ))?;
    }
    Ok(())
}

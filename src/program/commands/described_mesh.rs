//! What the triangles of a mesh are like, and how a cloth bends with them.

use std::path::{Path, PathBuf};

use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::locking::{Locking, effective_thickness};
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_core::error::Result;
use cloth_core::ids::FaceId;
use cloth_core::mesh::SurfaceMesh;
use cloth_core::mesh::doubled::{Doubled, WELD};
use cloth_core::mesh::quality::{Extreme, Quality};
use cloth_core::mesh::shapes::Shape;
use cloth_scene::Scene;
use cloth_scene::bends::{judged_radius, metres, percent};
use serde::Serialize;

use crate::program::print;
use crate::program::words::{grouped, plural, plural_grouped};

/// Radii of bends that are shown, beside the one that warnings are about, m.
const RADII_M: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 1.0];

/// What a mesh is like. Faces count from 1, as in its file.
#[derive(Debug, Serialize)]
pub struct DescribedMesh {
    file: PathBuf,
    vertices: usize,
    triangles: usize,
    /// Parts that do not hang together.
    parts: usize,
    /// Vertices at the place of another one.
    doubled_vertices: usize,
    boundary_loops: usize,
    size_m: [f64; 3],
    area_m2: f64,
    /// The shortest, the median and the longest edge.
    edges_m: [f64; 3],
    least_angle_deg: AtFace,
    largest_angle_deg: AtFace,
    /// The longest side over its height.
    largest_ratio: AtFace,
    inner_vertices: Vec<Valence>,
    effective_thickness_m: Option<f64>,
    bends: Vec<Bend>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct AtFace {
    value: f64,
    face: u32,
}

/// How many inner vertices have so many edges. The last number counts all with twelve or more.
#[derive(Debug, Serialize)]
struct Valence {
    edges: usize,
    vertices: usize,
}

/// Energy that a bend of the cloth does not have, as a share of what it has.
#[derive(Debug, Serialize)]
struct Bend {
    radius_m: f64,
    mean: f64,
    worst: f64,
    worst_face: u32,
    /// Whether warnings are about it.
    is_judged: bool,
}

impl DescribedMesh {
    /// What the mesh in `file` is like, and how a cloth of `material` bends with it.
    ///
    /// # Errors
    /// A mesh that is none of a cloth.
    pub fn new(file: &Path, surface: &SurfaceMesh, material: &MaterialSpec) -> Result<Self> {
        let quality = Quality::new(surface);
        let scene = scene_of(file, &quality, material)?;
        let setup = cloth_scene::build(&scene, Path::new(""))?;
        let warnings = cloth_scene::scale_warnings(&scene, &setup)?;
        let warnings = warnings.iter().map(|it| it.trim_start_matches("cloths[0]: ").to_owned());
        let doubled = Doubled::new(&surface.document.positions, None);
        let torn = doubled.describe(1).map(|said| {
            let parts = plural(quality.components, "part");
            format!("{said}, so the cloth is torn there, into {parts}; {WELD}")
        });
        let at = |Extreme { value, face }| AtFace { value, face: in_file(surface, face) };
        let valences = (3..).zip(quality.valences).filter(|&(_, vertices)| vertices > 0);
        let thickness = setup.cloths.first().map(|it| effective_thickness(&it.material));
        Ok(Self {
            file: file.to_owned(),
            vertices: surface.document.positions.len(),
            triangles: surface.faces.len(),
            parts: quality.components,
            doubled_vertices: doubled.pairs().count(),
            boundary_loops: quality.boundary_loops,
            size_m: quality.size.into(),
            area_m2: quality.area,
            edges_m: quality.edges,
            least_angle_deg: at(quality.least_angle),
            largest_angle_deg: at(quality.largest_angle),
            largest_ratio: at(quality.largest_ratio),
            inner_vertices: valences.map(|(edges, vertices)| Valence { edges, vertices }).collect(),
            effective_thickness_m: thickness,
            bends: bends(surface, &setup, quality.edges[1]),
            warnings: torn.into_iter().chain(warnings).collect(),
        })
    }

    /// Prints it for people.
    ///
    /// # Errors
    /// The errors of [`print::line`].
    pub fn say(&self) -> Result<()> {
        self.lines().iter().try_for_each(print::line)?;
        self.warnings.iter().for_each(|it| print::message(format_args!("warning: {it}")));
        Ok(())
    }

    fn lines(&self) -> Vec<String> {
        let count = |items: usize| grouped(items as u64);
        let [width, height, depth] = self.size_m.map(metres);
        let [shortest, median, longest] = self.edges_m.map(metres);
        let Self { least_angle_deg, largest_angle_deg, largest_ratio, .. } = self;
        let valences = self.inner_vertices.iter().map(|Valence { edges, vertices }| {
            let more = if *edges == 12 { " or more" } else { "" };
            format!("{edges}{more}: {}", count(*vertices))
        });
        let mut lines = vec![
            format!(
                "{}: {}, {}, {}, {}; {width} x {height} x {depth}, {:.4} m^2",
                self.file.display(),
                plural_grouped(self.vertices as u64, "vertex"),
                plural_grouped(self.triangles as u64, "triangle"),
                plural(self.parts, "part"),
                plural(self.boundary_loops, "boundary loop"),
                self.area_m2,
            ),
            format!("edges: {shortest} to {longest}, median {median}"),
            format!(
                "triangles: angles {:.1} degrees (face {}) to {:.1} degrees (face {}), longest side over \
                 height up to {:.1} (face {})",
                least_angle_deg.value,
                least_angle_deg.face,
                largest_angle_deg.value,
                largest_angle_deg.face,
                largest_ratio.value,
                largest_ratio.face,
            ),
            format!("edges of inner vertices: {}", Vec::from_iter(valences).join(", ")),
            format!(
                "contact distance: at most {}, half of the median edge",
                metres(0.5 * self.edges_m[1])
            ),
        ];
        if let Some(thickness_m) = self.effective_thickness_m.filter(|_| !self.bends.is_empty()) {
            let thickness = metres(thickness_m);
            lines.push(format!(
                "bends (effective thickness {thickness}), energy that the cloth does not have:"
            ));
        }
        lines.extend(self.bends.iter().map(Bend::line));
        lines
    }
}

impl Bend {
    fn line(&self) -> String {
        let Self { radius_m, mean, worst, worst_face, is_judged } = self;
        let (radius, mean, worst) = (metres(*radius_m), percent(*mean), percent(*worst));
        let note = if *is_judged { "; warnings are about this bend" } else { "" };
        format!("  radius {radius:>7}: {mean}, worst {worst} (face {worst_face}){note}")
    }
}

/// The number of the polygon of a face in the file.
fn in_file(surface: &SurfaceMesh, face: FaceId) -> u32 {
    surface.face_polygons[face as usize] + 1
}

/// A scene with a cloth of `file`.
fn scene_of(file: &Path, quality: &Quality, material: &MaterialSpec) -> Result<Scene> {
    let text = "(cloths: [(shape: Mesh(\"\"), material: Fabric(\"\"))])";
    let mut scene: Scene = cloth_scene::parse(text, "mesh")?;
    scene.contact.distance_m = 0.1 * quality.edges[0];
    for cloth in &mut scene.cloths {
        cloth.shape = Shape::Mesh(file.display().to_string());
        cloth.material = material.clone();
        cloth.name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    Ok(scene)
}

/// What bends cost, for some radii.
fn bends(surface: &SurfaceMesh, setup: &Setup, median_edge_m: f64) -> Vec<Bend> {
    let Some(cloth) = setup.cloths.first() else { return Vec::new() };
    let Some(locking) = Locking::new(cloth) else { return Vec::new() };
    let judged = judged_radius(cloth, median_edge_m);
    let mut radii = Vec::from(RADII_M);
    radii.retain(|&radius_m| metres(radius_m) != metres(judged));
    radii.push(judged);
    radii.sort_by(f64::total_cmp);
    let bend = |radius_m| {
        let excess = locking.excess(radius_m);
        let worst_face = in_file(surface, excess.worst_face);
        let (mean, worst, is_judged) = (excess.mean, excess.worst, radius_m == judged);
        Bend { radius_m, mean, worst, worst_face, is_judged }
    };
    radii.into_iter().map(bend).collect()
}

//! The cloth to be divided: that of a scene at its start, or in a frame of a run.

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::partition::methods::PartitionSettings;
use cloth_step::Model;

use crate::cli::PartitionArguments;
use crate::partitions::frame::lay_as_in_frame;
use cloth_sim::program::output::mesh_copies::input_meshes;
use cloth_sim::program::output::names;
use cloth_sim::program::output::run_json::RunHead;
use cloth_sim::program::overrides;
use cloth_sim::program::run::memory;
use cloth_sim::program::words::{grouped, plural};

/// The cloth, in the form in which a run divides it.
pub struct DividedCloth {
    /// The scene's name and the frame, in words.
    pub name: String,
    /// Couplings, patches and positions. Its own partition is for one rank.
    pub model: Model,
    /// The settings of the scene, except the method.
    pub settings: PartitionSettings,
    /// The files that were read.
    pub inputs: Vec<PathBuf>,
    /// The folder for tables, unless the user names one.
    pub default_out: PathBuf,
}

impl DividedCloth {
    /// Reads the scene or run that `arguments` name.
    ///
    /// # Errors
    /// No scene and no run, a frame that the run does not have, a mesh that cannot be divided.
    pub fn read(arguments: &PartitionArguments) -> Result<Self> {
        let PartitionArguments { source, frame, overrides, .. } = arguments;
        // 1. The scene.
        let is_run = source.is_dir();
        if is_run {
            RunHead::read(source)?;
        }
        check_frame(arguments, is_run)?;
        let file = if is_run { source.join(names::SCENE) } else { source.clone() };
        let mut scene = overrides::load(&file, overrides)?;
        if scene.cloths.is_empty() {
            let (place, cause) = (file.display().to_string(), "the scene has no cloth to divide");
            let remedy = "run it: rigid bodies are divided in space, see docs/rigid.md";
            return Err(Error::input(place, cause, remedy));
        }
        scene.refine = arguments.refine.unwrap_or(scene.refine);
        // 2. Its cloths, and where they lie.
        let home = file.parent().unwrap_or(Path::new("."));
        memory::check_shapes(&scene)?;
        let fits = |triangles| memory::check_refined(triangles, scene.refine);
        let mut setup = cloth_scene::build_if(&scene, home, fits)?;
        memory::check_bodies(&setup)?;
        let mut inputs = vec![file.clone()];
        inputs.extend(input_meshes(&scene, home)?.into_iter().map(|mesh| mesh.path));
        if let Some(frame) = *frame {
            lay_as_in_frame(&mut setup, source, frame)?;
        }
        // 3. Couplings and patches.
        let settings = scene.settings();
        let partition = settings.partition;
        let model = Model::new(settings, setup, |divide| divide(1))?;
        let name = match frame {
            Some(frame) => format!("{}, frame {frame}", scene.name),
            None => scene.name.clone(),
        };
        let default_out = default_out(&scene.name, is_run.then_some(source), *frame);
        Ok(Self { name, model, settings: partition, inputs, default_out })
    }

    /// "tablecloth: 14,033 vertices in 55 patches".
    pub fn describe(&self) -> String {
        let patches = &self.model.partition.patches;
        let vertices = grouped(patches.of_vertex.len() as u64);
        format!("{}: {vertices} vertices in {}", self.name, plural(patches.len(), "patch"))
    }

    /// The numbers of ranks among which the patches are divided, rising: the `wanted` ones, or
    /// usual ones.
    ///
    /// # Errors
    /// More ranks than patches.
    pub fn ranks(&self, wanted: &[u32]) -> Result<Vec<usize>> {
        let patches = self.model.partition.patches.len();
        let mut ranks = Vec::from_iter(wanted.iter().map(|&ranks| ranks as usize));
        if ranks.is_empty() {
            ranks = USUAL_RANKS.into_iter().filter(|&ranks| ranks <= patches.max(2)).collect();
        }
        ranks.sort_unstable();
        ranks.dedup();
        let Some(&most) = ranks.last().filter(|&&most| most > patches) else { return Ok(ranks) };
        let cause = format!(
            "{} cannot own a patch each: {} has {}",
            plural(most, "rank"),
            self.name,
            plural(patches, "patch")
        );
        let remedy = format!(
            "ask for at most {}, or for smaller patches with --set patch_vertices={}",
            plural(patches, "rank"),
            (self.model.settings.patch_vertices / 4).max(1)
        );
        Err(Error::input("--ranks", cause, remedy))
    }
}

/// The numbers of ranks, if the user asks for none.
const USUAL_RANKS: [usize; 5] = [2, 4, 8, 16, 32];

/// Checks what a frame needs: a run, and the meshes of that run.
fn check_frame(arguments: &PartitionArguments, is_run: bool) -> Result<()> {
    if arguments.frame.is_none() {
        return Ok(());
    }
    if !is_run {
        let cause = format!("{} is not the folder of a run", arguments.source.display());
        let remedy = "give the folder of a run, such as out/tablecloth, or leave --frame out";
        return Err(Error::input("--frame", cause, remedy));
    }
    let divides =
        |field: &str| field.starts_with("partition") || field.starts_with("patch_vertices");
    match arguments.overrides.iter().find(|field| !divides(field)) {
        None => Ok(()),
        Some(field) => Err(Error::input(
            format!("--set {field}"),
            "a frame has the meshes of its run",
            "with --frame, change only `patch_vertices` and fields of `partition`",
        )),
    }
}

/// `out/<scene name>_partition`, or beside the folder of the run.
fn default_out(scene: &str, run: Option<&PathBuf>, frame: Option<u64>) -> PathBuf {
    let folder = match run {
        None => Path::new("out").join(scene),
        // The path may not show the name, as in `.`.
        Some(run) => run.canonicalize().unwrap_or_else(|_| run.clone()),
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let frame = frame.map(|frame| format!("_frame_{frame:04}")).unwrap_or_default();
    folder.with_file_name(format!("{name}_partition{frame}"))
}

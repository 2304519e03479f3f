//! Which files a run will write, known before it begins.

use cloth_scene::Scene;

use crate::program::cli::Arguments;
use crate::program::output::formats::Formats;
use crate::program::output::{InputMesh, RunFiles, bodies, names, obstacles};
use crate::program::run::Content;

/// The files of a run that has `content`, frames of `formats` and copies of `meshes`. It makes no
/// checkpoints if `checkpoint_every` is 0. The tables of a profile come at its end.
pub fn of_run(
    arguments: &Arguments,
    content: &Content,
    checkpoint_every: Option<u32>,
    formats: &Formats,
    meshes: &[InputMesh],
    scene: &Scene,
) -> RunFiles {
    // What a run that goes on has copied is there.
    let copied = if arguments.resumes { &[] } else { meshes };
    let mut files = RunFiles::new(copied.iter().map(|mesh| mesh.copy.file.clone()));
    formats.add_files(&mut files, &content.frame_objects(scene));
    match content {
        Content::Cloth(cloth) => {
            files.add([names::PARTITION]);
            files.add(obstacles::file(&cloth.documents));
            let has_poses = !cloth.documents.bodies.is_empty();
            files.each_frame.extend(has_poses.then(|| names::all_beside(names::POSES)));
            files.add(cloth.materials.files().filter(|_| !arguments.resumes));
        }
        Content::Bodies(setup) => {
            let workers = setup.parallel.settings().map(|_| names::WORKERS);
            let forces = scene.output.forces.then_some([names::CONTACTS, names::JOINTS]);
            let tables =
                [names::OWNERS].into_iter().chain(workers).chain(forces.into_iter().flatten());
            files.each_frame.extend(tables.map(names::all_beside));
            let still = setup.fixed.bodies();
            files.add(bodies::obstacles::files(still, &setup.solids, &setup.domain));
        }
    }
    if checkpoint_every != Some(0) {
        files.at_steps = vec![names::CHECKPOINTS.to_owned()];
    }
    files
}

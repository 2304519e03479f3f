//! The copies of the input meshes in a run folder. With them the folder is complete in itself.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_core::mesh::point_cache::sequence;
use cloth_scene::Scene;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::program::output::{names, not_written, write_bytes};

/// A mesh file of the scene at the beginning of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputMesh {
    /// The path that the scene names, which may stand for several files.
    named: PathBuf,
    /// The path from which it was read.
    pub path: PathBuf,
    /// Its copy in the run folder.
    pub copy: MeshCopy,
}

/// A copy of a mesh file, as `run.json` names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshCopy {
    /// Its path in the run folder.
    pub file: String,
    /// The XXH3 hash of its bytes, as hexadecimal digits.
    pub hash: String,
}

impl MeshCopy {
    /// The reason why the copy in `folder` is not the mesh of the run. `None` if it is.
    pub fn fault(&self, folder: &Path) -> Option<String> {
        match input::read(&folder.join(&self.file), input::DATA_LIMIT) {
            Ok(bytes) if hash(&bytes) == self.hash => None,
            Ok(_) => Some("the mesh has changed since the run".to_owned()),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Some("missing".to_owned()),
            Err(cause) => Some(format!("cannot be read: {cause}")),
        }
    }
}

/// The mesh files of a scene, without duplicates.
///
/// # Errors
/// A file that cannot be read.
pub fn input_meshes(scene: &Scene, home: &Path) -> Result<Vec<InputMesh>> {
    let mut meshes = Vec::<InputMesh>::new();
    for named in scene.clone().mesh_paths_mut() {
        let named = home.join(named);
        if meshes.iter().any(|mesh| mesh.named == named) {
            continue;
        }
        // All files of a sequence have the same number.
        let number = meshes.len();
        for path in sequence::files(&named)? {
            let copy = names::mesh_copy(number, &name_of(&path));
            let file = format!("{}/{copy}", names::MESHES);
            let copy = MeshCopy { file, hash: hash(&read(&path)?) };
            meshes.push(InputMesh { named: named.clone(), path, copy });
        }
    }
    meshes.sort_by(|a, b| (&a.named, &a.path).cmp(&(&b.named, &b.path)));
    Ok(meshes)
}

/// Copies `meshes` into `folder`. Returns `scene`, read from `home`, with the paths of the copies.
///
/// # Errors
/// A file that has changed, or that cannot be read or written.
pub fn copy_into(folder: &Path, meshes: &[InputMesh], scene: &Scene, home: &Path) -> Result<Scene> {
    if !meshes.is_empty() {
        let copies = folder.join(names::MESHES);
        std::fs::create_dir_all(&copies).map_err(|cause| not_written(&copies, cause))?;
    }
    for mesh in meshes {
        let bytes = read(&mesh.path)?;
        if hash(&bytes) != mesh.copy.hash {
            let cause = "the mesh has changed while the run was set up";
            return Err(Error::file(&mesh.path, cause, "repeat the run"));
        }
        write_bytes(&folder.join(&mesh.copy.file), &bytes)?;
    }
    Ok(with_copies(scene, meshes, home))
}

/// `scene`, read from `home`, with the paths of the copies of `meshes`.
pub fn with_copies(scene: &Scene, meshes: &[InputMesh], home: &Path) -> Scene {
    let mut scene = scene.clone();
    for path in scene.mesh_paths_mut() {
        let original = home.join(&*path);
        if let Some(mesh) = meshes.iter().find(|mesh| mesh.named == original) {
            // The copy of a sequence has the pattern of its names.
            *path = mesh.copy.file.replace(&*name_of(&mesh.path), &name_of(&original));
        }
    }
    scene
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    input::read(path, input::DATA_LIMIT)
        .map_err(|cause| Error::file(path, cause, "check the path of this mesh"))
}

fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

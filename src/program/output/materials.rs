//! `materials.mtl`: the materials of the input meshes, for all frames of a run. The images that
//! they name are copied beside the copies of the meshes, so that the run folder can be moved.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use cloth_bodies::bodies::Documents;
use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_core::mesh::ObjDocument;

use crate::program::output::{names, not_written, write_bytes, write_whole};
use crate::program::words::free_name;

/// Beginnings of the first word of statements that end with the name of an image file.
const IMAGES: [&str; 6] = ["bump", "disp", "decal", "norm", "refl", "map_"];

/// The materials of all meshes of a run.
#[derive(Debug, Default)]
pub struct Materials {
    /// The new name of each material, by its library and its old name.
    renamed: HashMap<(PathBuf, String), String>,
    /// The statements of each material, by its new name.
    materials: BTreeMap<String, String>,
    /// The libraries that were read.
    libraries: Vec<PathBuf>,
    /// The images that the materials name, and the paths of their copies in the run folder.
    images: Vec<(PathBuf, String)>,
    /// Warnings about files that could not be read.
    pub warnings: Vec<String>,
}

impl Materials {
    /// Collects the materials of `documents`, which then name `materials.mtl` alone. If meshes
    /// have different materials of the same name, the later ones get another name.
    pub fn take(documents: &mut Documents) -> Self {
        let mut all = Self::default();
        let cloths = documents.cloths.iter_mut().map(|(_, document)| document);
        let obstacles = documents.obstacles.iter_mut().map(|obstacle| &mut obstacle.document);
        cloths.chain(obstacles).for_each(|document| all.take_of(document));
        all
    }

    fn take_of(&mut self, document: &mut ObjDocument) {
        let libraries = std::mem::take(&mut document.libraries);
        let libraries: Vec<PathBuf> = libraries.into_iter().map(place).collect();
        libraries.iter().for_each(|library| self.read(library));
        for name in document.groups.iter_mut().filter_map(|group| group.material.as_mut()) {
            let new = |library: &PathBuf| self.renamed.get(&(library.clone(), name.clone()));
            if let Some(new) = libraries.iter().find_map(new) {
                name.clone_from(new);
                document.libraries = vec![names::MATERIALS.into()];
            }
        }
    }

    /// Reads a library, unless it was read before.
    fn read(&mut self, library: &Path) {
        if self.libraries.iter().any(|known| known == library) {
            return;
        }
        self.libraries.push(library.to_owned());
        let bytes = match input::read(library, input::TEXT_LIMIT) {
            Ok(bytes) => bytes,
            Err(cause) => {
                return self.warn(format!(
                    "{}: {cause}; frames name the materials of this file (mtllib), but have no colours",
                    library.display()
                ));
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut material: Option<(String, String)> = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match (line.strip_prefix("newmtl "), &mut material) {
                (Some(name), _) => {
                    let next = (name.trim().to_owned(), String::new());
                    self.add(library, material.replace(next));
                }
                (None, Some((_, statements))) => {
                    *statements += &format!("{}\n", self.with_image(line, library));
                }
                (None, None) => {}
            }
        }
        self.add(library, material);
    }

    fn add(&mut self, library: &Path, material: Option<(String, String)>) {
        let Some((name, statements)) = material else { return };
        let is_free =
            |name: &str| self.materials.get(name).is_none_or(|known| *known == statements);
        let new = free_name(&name, '.', is_free);
        self.materials.insert(new.clone(), statements);
        self.renamed.entry((library.to_owned(), name)).or_insert(new);
    }

    /// The statement `line` of `library` with the path that its image will have.
    fn with_image(&mut self, line: &str, library: &Path) -> String {
        let first = line.split_whitespace().next().unwrap_or_default();
        if !IMAGES.iter().any(|word| first.to_ascii_lowercase().starts_with(word)) {
            return line.to_owned();
        }
        let folder = library.parent().unwrap_or(Path::new("."));
        // Options come first, and the name may have blanks. So the name is the longest end of the
        // line that is a file.
        let ends = line.match_indices([' ', '\t']).map(|(at, _)| line.split_at(at + 1));
        let files = ends.map(|(before, name)| (before, folder.join(name.replace('\\', "/"))));
        let Some((before, image)) = files.into_iter().find(|(_, file)| file.is_file()) else {
            self.warn(format!("{}: there is no image for `{line}`", library.display()));
            return line.to_owned();
        };
        if let Some((_, copy)) = self.images.iter().find(|(known, _)| *known == image) {
            return format!("{before}{copy}");
        }
        let copy = self.copy_of(&image);
        let statement = format!("{before}{copy}");
        self.images.push((image, copy));
        statement
    }

    /// The path that the copy of a new image gets. An image that is a copy itself keeps its name,
    /// so that a run that goes on names the copies that it has.
    fn copy_of(&self, image: &Path) -> String {
        let name = image.file_name().unwrap_or_default().to_string_lossy();
        let folder = image.parent().and_then(Path::file_name);
        let is_copy = names::is_image_copy(&name) && folder.is_some_and(|it| it == names::MESHES);
        let numbered = (self.images.len()..).map(|number| names::image_copy(number, &name));
        let possible = is_copy.then(|| name.to_string()).into_iter().chain(numbered);
        let mut paths = possible.map(|name| format!("{}/{name}", names::MESHES));
        let is_free = |path: &String| self.images.iter().all(|(_, copy)| copy != path);
        paths.find(is_free).unwrap_or_default()
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// The files that were read or will be copied.
    pub fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        self.libraries.iter().chain(self.images.iter().map(|(image, _)| image)).cloned()
    }

    /// The files that [`Self::write`] writes.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let images = self.images.iter().map(|(_, copy)| copy.clone());
        let library = (!self.materials.is_empty()).then(|| names::MATERIALS.to_owned());
        library.into_iter().chain(images)
    }

    /// The name and the statements of each material, by rising names.
    pub fn statements(&self) -> impl Iterator<Item = (&str, &str)> {
        self.materials.iter().map(|(name, statements)| (name.as_str(), statements.as_str()))
    }

    /// Writes the file and the images into `folder`, if there are materials.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        if self.materials.is_empty() {
            return Ok(());
        }
        let path = folder.join(names::MATERIALS);
        let text = self.materials.iter().map(|(name, it)| format!("newmtl {name}\n{it}\n"));
        write_bytes(&path, text.collect::<String>().as_bytes())?;
        let copies = folder.join(names::MESHES);
        fs::create_dir_all(&copies).map_err(|cause| not_written(&copies, cause))?;
        for (image, copy) in &self.images {
            let copy = folder.join(copy);
            copy_image(image, &copy).map_err(|cause| {
                Error::file(image, cause, format!("it is copied to {}", copy.display()))
            })?;
        }
        Ok(())
    }
}

/// The path of the library. A mesh in the `meshes` of a run folder is a copy, and its materials
/// are in the `materials.mtl` of that run.
fn place(library: PathBuf) -> PathBuf {
    let run = library.parent().and_then(Path::parent).map(|run| run.join(names::MATERIALS));
    match run {
        Some(of_run) if !library.exists() && of_run.is_file() => of_run,
        _ => library,
    }
}

fn copy_image(image: &Path, copy: &Path) -> io::Result<()> {
    let mut from = input::open(image, input::DATA_LIMIT)?;
    write_whole(copy, |out| io::copy(&mut from, out).map(drop))
}

#[cfg(test)]
mod tests {
    use cloth_core::mesh::obj_read;

    use super::*;

    fn document(folder: &Path, name: &str, library: &str) -> (String, ObjDocument) {
        let mesh = folder.join(name);
        fs::create_dir_all(mesh.parent().unwrap()).unwrap();
        fs::write(&mesh, "mtllib my colours.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")
            .unwrap();
        fs::write(mesh.with_file_name("my colours.mtl"), library).unwrap();
        (name.to_owned(), obj_read::read(&mesh).unwrap().0)
    }

    #[test]
    fn materials_of_all_meshes_become_one_file_with_their_images() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, out) = (folder.path(), folder.path().join("out"));
        let cloths = [
            ("a/m.obj", "newmtl red\nKd 1 0 0\nmap_Kd -s 2 2 1 my wood.png\n"),
            ("b/m.obj", "# other\nnewmtl red\nKd .5 0 0\nmap_Kd my wood.png\nbump none.png\n"),
            ("c/m.obj", "newmtl red\nKd 1 0 0\nmap_Kd -s 2 2 1 my wood.png\n"),
        ];
        let cloths = cloths.map(|(name, library)| document(folder, name, library));
        for at in ["a", "b"] {
            fs::write(folder.join(at).join("my wood.png"), at).unwrap();
        }
        fs::remove_file(folder.join("c/my colours.mtl")).unwrap();
        let mut documents = Documents { cloths: cloths.into(), ..Documents::default() };
        let materials = Materials::take(&mut documents);
        let material = |i: usize| documents.cloths[i].1.groups[0].material.as_deref();
        assert_eq!([0, 1, 2].map(material), [Some("red"), Some("red.2"), Some("red")]);
        assert_eq!(documents.cloths[1].1.libraries, [Path::new("materials.mtl")]);
        assert_eq!(materials.warnings.len(), 2, "{:?}", materials.warnings);

        fs::create_dir(&out).unwrap();
        materials.write(&out).unwrap();
        let text = fs::read_to_string(out.join("materials.mtl")).unwrap();
        let expected = "newmtl red\nKd 1 0 0\nmap_Kd -s 2 2 1 meshes/image_0_my wood.png\n\n\
            newmtl red.2\nKd .5 0 0\nmap_Kd meshes/image_1_my wood.png\nbump none.png\n\n";
        assert_eq!(text, expected);
        assert_eq!(fs::read(out.join("meshes/image_1_my wood.png")).unwrap(), b"b");

        // The copies keep their names when the folder is read again.
        let mesh = out.join("meshes/mesh_0_m.obj");
        fs::write(&mesh, "mtllib materials.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n")
            .unwrap();
        let cloths = vec![("m".to_owned(), obj_read::read(&mesh).unwrap().0)];
        let again = Materials::take(&mut Documents { cloths, ..Documents::default() });
        assert_eq!(Vec::from_iter(again.files()), Vec::from_iter(materials.files()));
    }
}

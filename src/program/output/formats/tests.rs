//! What all formats must do.

use std::fs;
use std::path::Path;

use crate::engine::{Field, FieldKind};
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj_read::parse;
use cloth_rigid::solid::Solids;

use super::set::Formats;
use super::*;
use crate::program::output::FrameBodies;
use cloth_rigid::FrameBody;

const FRAMES: u64 = 5;

fn meshes() -> [ObjDocument; 2] {
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    let (square, _) = parse(square.as_bytes(), "square").unwrap();
    let corners = vec![Vec3::x(), Vec3::y(), Vec3::z()];
    [square, ObjDocument::from_triangles(corners, &[[0, 1, 2]])]
}

fn objects(meshes: &[ObjDocument; 2]) -> FrameObjects<'_> {
    let surfaces = vec![("square".into(), &meshes[0]), ("triangle".into(), &meshes[1])];
    FrameObjects { surfaces, cloths: 2, frames_per_second: 25.0, ..FrameObjects::default() }
}

/// Frame `number` of surfaces that rise.
fn frame(number: u64) -> Frame {
    let rise = Vec3::new(0.0, 0.1 * number as f64, 1.0 / 3.0);
    let raised = |mesh: &ObjDocument| mesh.positions.iter().map(|x| x + rise).collect();
    let values = vec![number as f64; 12];
    let velocity = Field { name: "velocity".to_owned(), kind: FieldKind::Vector, values };
    Frame {
        time_s: 0.04 * number as f64,
        surfaces: meshes().iter().map(raised).collect(),
        fields: vec![velocity],
        ..Frame::default()
    }
}

fn write(format: &dyn Format, folder: &Path, kept: Range<u64>) {
    let meshes = meshes();
    let mut sink = format.sink(folder, &objects(&meshes), &kept).unwrap();
    for number in kept.end..FRAMES {
        sink.frame(number, &frame(number)).unwrap();
    }
    sink.finish().unwrap();
}

/// The files that `format` writes.
fn listed(format: &dyn Format, objects: &FrameObjects) -> RunFiles {
    let mut files = RunFiles::default();
    format.add_files(&mut files, objects);
    files
}

fn source(format: &dyn Format, folder: &Path) -> Box<dyn Source> {
    let run = WrittenRun {
        folder: folder.to_owned(),
        frames: 0..9,
        frame_s: 0.04,
        has_bodies: false,
        files: listed(format, &objects(&meshes())),
    };
    format.source(&run).unwrap()
}

/// The formats that can be read, for surfaces.
fn readable() -> impl Iterator<Item = &'static dyn Format> {
    ALL.into_iter().filter(|format| format.is_readable(false))
}

/// All files of a folder, by rising names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
    };
    let mut files = Vec::from_iter(entries.map(file));
    files.sort();
    files
}

#[test]
fn frames_come_back_and_files_are_those_that_the_format_names() {
    for format in ALL {
        let name = format.name();
        let folder = tempfile::tempdir().unwrap();
        write(format, folder.path(), 0..0);
        assert_eq!(format.last_frame(folder.path()).unwrap(), Some(FRAMES - 1), "{name}");
        let listed = listed(format, &objects(&meshes()));
        for (file, _) in files(folder.path()) {
            assert!(listed.hold(&file, FRAMES), "{name}: {file}");
        }
        if !format.is_readable(false) {
            continue;
        }
        let source = source(format, folder.path());
        assert_eq!(source.surfaces().list.len(), 2, "{name}");
        let ends = |mesh: &ObjDocument| (mesh.polygon_ends.clone(), mesh.corners.len());
        for (piece, mesh) in source.surfaces().list.iter().zip(&meshes()) {
            assert_eq!(ends(&piece.document), ends(mesh), "{name}");
        }
        for number in 0..FRAMES {
            let (back, written) = (source.frame(number).unwrap(), frame(number));
            assert!((back.time_s - written.time_s).abs() < 1e-12, "{name}");
            let pairs = back.surfaces.iter().flatten().zip(written.surfaces.iter().flatten());
            assert!(pairs.clone().all(|(a, b)| (a - b).norm() < 1e-6), "{name}");
            assert_eq!(pairs.count(), 7, "{name}");
        }
        assert_eq!(source.frame(FRAMES).unwrap_err(), "missing", "{name}");
    }
}

#[test]
fn a_run_that_goes_on_after_any_frame_has_the_same_files() {
    for format in ALL {
        let folder = tempfile::tempdir().unwrap();
        write(format, folder.path(), 0..0);
        let whole = files(folder.path());
        for kept in 0..FRAMES {
            write(format, folder.path(), 0..kept);
            assert!(files(folder.path()) == whole, "{}, after {kept} frames", format.name());
        }
    }
}

#[test]
fn a_frame_that_is_taken_back_is_gone() {
    for format in ALL {
        let (folder, meshes) = (tempfile::tempdir().unwrap(), meshes());
        let mut sink = format.sink(folder.path(), &objects(&meshes), &(0..0)).unwrap();
        (0..3).for_each(|number| sink.frame(number, &frame(number)).unwrap());
        sink.take_back(2);
        sink.finish().unwrap();
        assert_eq!(format.last_frame(folder.path()).unwrap(), Some(1), "{}", format.name());
        if !format.is_readable(false) {
            continue;
        }
        let source = source(format, folder.path());
        assert_eq!(source.frame(1).unwrap().surfaces[0].len(), 4, "{}", format.name());
        assert_eq!(source.frame(2).unwrap_err(), "missing", "{}", format.name());
    }
}

#[test]
fn a_file_that_is_cut_at_any_byte_loses_no_other_frame_and_is_no_panic() {
    for format in readable() {
        let folder = tempfile::tempdir().unwrap();
        write(format, folder.path(), 0..0);
        let path = folder.path().join(format.file(FRAMES - 1).replace('*', "triangle"));
        let whole = fs::read(&path).unwrap();
        let cut = whole.len() - 20..whole.len();
        for length in cut {
            fs::write(&path, &whole[..length]).unwrap();
            let source = source(format, folder.path());
            assert!(source.frame(FRAMES - 1).is_err(), "{} {length}", format.name());
            assert!(source.frame(FRAMES - 2).is_ok(), "{} {length}", format.name());
        }
    }
}

#[test]
fn formats_say_what_they_cannot_hold() {
    let solids = Solids::default();
    let error = |name: &str, count| {
        let bodies = Some(FrameBodies { count, solids: &solids });
        let objects = FrameObjects { bodies, ..FrameObjects::default() };
        let formats = Formats::named(&[name.to_owned()], "output.formats");
        formats.and_then(|formats| formats.check(&objects)).err().map(|it| it.to_string())
    };
    assert_eq!(error("vtp", 1_000_000), None);
    assert_eq!(error("obj", obj::LIMIT), None);
    let many = error("obj", obj::LIMIT + 1).unwrap();
    assert!(many.contains("5001 bodies") && many.contains("5000") && many.contains("vtp"));
    assert!(error("pc2", 1).unwrap().contains("rigid bodies"));
    assert!(error("vpt", 1).unwrap().contains("vtp"));
}

#[test]
fn a_frame_of_bodies_comes_back_or_the_format_says_what_it_lacks() {
    let (folder, solids) = (tempfile::tempdir().unwrap(), Solids::default());
    let rotation = [0.0, 0.0, 0.0, 1.0];
    let row = |id| FrameBody { id, size: [0.1, 0.0, 0.0], rotation, ..FrameBody::default() };
    let frame = Frame { time_s: 0.5, bodies: vec![row(0), row(3)], ..Frame::default() };
    let bodies = Some(FrameBodies { count: 2, solids: &solids });
    let objects = FrameObjects { bodies, ..FrameObjects::default() };
    let folder = folder.path().to_owned();
    let files = RunFiles::default();
    let run = WrittenRun { folder, frames: 0..1, frame_s: 1.0, has_bodies: true, files };
    for format in ALL.into_iter().filter(|format| format.is_readable(true)) {
        let back = format.check(&objects).and_then(|()| {
            let mut sink = format.sink(&run.folder, &objects, &(0..0))?;
            sink.frame(0, &frame).unwrap();
            assert!(run.folder.join(format.file(0)).exists());
            format.source(&run)
        });
        match back {
            Ok(source) => assert_eq!(source.frame(0).unwrap(), frame),
            Err(error) => assert!(error.to_string().contains("vtp"), "{error}"),
        }
    }
}

#[test]
fn the_page_of_frames_has_a_row_for_each_format() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/frames.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let rows = Vec::from_iter(rows.map(|(name, _)| name));
    assert_eq!(rows, ALL.map(Format::name));
}

#[test]
fn a_frame_that_one_format_cannot_write_is_in_no_other() {
    let (folder, meshes) = (tempfile::tempdir().unwrap(), meshes());
    let names = ALL.map(|format| format.name().to_owned());
    let formats = Formats::named(&names, "output.formats").unwrap();
    let mut sinks = formats.sinks(folder.path(), &objects(&meshes), &(0..0)).unwrap();
    sinks.frame(0, &frame(0)).unwrap();
    // A folder has the name of frame 1 of the last format.
    fs::create_dir_all(folder.path().join("frame.0001.usda/in")).unwrap();
    assert_eq!(sinks.frame(1, &frame(1)).unwrap_err().0, "frame.0001.usda");
    for format in readable() {
        assert_eq!(format.last_frame(folder.path()).unwrap(), Some(0), "{}", format.name());
    }
    let list = fs::read_to_string(folder.path().join("frames.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet").count(), 1);
}

//! `program/commands/mesh`: what `cloth-sim mesh` says about good, bad and broken meshes, and the
//! meshes that it writes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::run::{assert_says, finish, scene};
use cloth_sim::mesh::{Faces, SurfaceMesh};
use tempfile::TempDir;

fn mesh(arguments: &[&str]) -> Output {
    finish(Command::new(env!("CARGO_BIN_EXE_cloth-sim")).arg("mesh").args(arguments))
}

/// What a call that succeeds says on standard output and standard error.
fn said(arguments: &[&str]) -> [String; 2] {
    let output = mesh(arguments);
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into());
    assert!(output.status.success(), "{out}{err}");
    [out, err]
}

/// A sheet of 20 x 20 cells of 30 x 5 mm with texture coordinates, in a folder. Inner vertices lie up
/// to `askew` of a cell beside their places.
fn sheet(askew: f64) -> (TempDir, PathBuf) {
    let mut text = String::from("g left\n");
    let mut number = 1_u32;
    for j in 0..=20_u32 {
        for i in 0..=20_u32 {
            let mut shift = || {
                number = number.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                let inner = i % 20 != 0 && j % 20 != 0;
                if inner { askew * (f64::from(number >> 16) / 32_768.0 - 1.0) } else { 0.0 }
            };
            let [x, z] = [0.03 * (f64::from(i) + shift()), 0.005 * (f64::from(j) + shift())];
            text += &format!("v {x} 0 {z}\nvt {x} {z}\n");
        }
    }
    for (j, i) in (0..20).flat_map(|j| (0..20).map(move |i| (j, i))) {
        let [a, b] = [21 * j + i + 1, 21 * j + i + 22];
        text += &format!("f {a}/{a} {b}/{b} {}/{}\n", b + 1, b + 1);
        text += &format!("f {a}/{a} {}/{} {}/{}\n", b + 1, b + 1, a + 1, a + 1);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sheet.obj");
    std::fs::write(&file, text).expect("a mesh is written");
    (folder, file)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

#[test]
fn a_good_mesh_is_described_without_a_warning() {
    let file = scene("../meshes/tablecloth.obj");
    let [out, err] = said(&[text(&file)]);
    for part in
        ["14,033 vertices", "1 boundary loop", "median 16 mm", "6: 12,620", "warnings are about"]
    {
        assert!(out.contains(part), "`{part}` is not in {out}");
    }
    assert_eq!(err, "");
}

#[test]
fn a_bad_mesh_is_named_and_relaxed() {
    let (folder, file) = sheet(0.3);
    let [_, err] = said(&[text(&file), "--fabric", "tablecloth"]);
    for part in ["too much energy", "the worst is face", "sheet.obj --relax --out"] {
        assert!(err.contains(part), "`{part}` is not in {err}");
    }
    let better = folder.path().join("better.obj");
    let relax = [text(&file), "--fabric", "tablecloth", "--relax", "--out", text(&better)];
    let [out, err] = said(&relax);
    assert!(out.contains("relaxed: ") && err.matches("too much energy").count() == 1, "{out}{err}");
    assert_says(&mesh(&relax), &["better.obj: it exists", "--overwrite"]);
    said(&[&relax[..], &["--overwrite", "--refine", "2"]].concat());
    let finer = SurfaceMesh::read(&better, Faces::Manifold).expect("it is sound");
    assert_eq!(finer.faces.len(), 4 * 800);
    assert_eq!(finer.document.groups[0].name.as_deref(), Some("left"));
    for corner in &finer.document.corners {
        let at = finer.document.positions[corner.vertex as usize];
        let uv = finer.document.texcoords[corner.texcoord as usize];
        assert!((at.x - uv.x).abs() + (at.z - uv.y).abs() < 1e-12, "{uv} at {at}");
    }
}

/// A sheet of 8 x 8 quads, each with vertices of its own, up to 0.2 um away; one is there twice, in
/// reverse. Its corners are in two groups.
#[test]
fn a_mesh_of_doubled_vertices_is_named_and_welded() {
    let (folder, file) = sheet(0.0);
    let (mut text_of, mut places) = (String::from("g left\n"), 0_u32);
    for (j, i) in (0..8).flat_map(|j| (0..8).map(move |i| (j, i))) {
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v)| [i + u, j + v]);
        for [x, y] in corners {
            let off = 1e-7 * f64::from(places % 3);
            text_of += &format!("v {} {off} {}\n", 0.05 * f64::from(x) + off, 0.05 * f64::from(y));
            places += 1;
        }
        let a = places - 3;
        text_of += &format!("f {a} {} {} {}\n", a + 1, a + 2, a + 3);
    }
    let twice =
        text_of.clone() + "v 0 0 0\nv 0.05 0 0\nv 0.05 0 0.05\nv 0 0 0.05\nf 257 260 259 258\n";
    std::fs::write(&file, text_of + "l 1 256\n").expect("a mesh is written");
    let [out, err] = said(&[text(&file)]);
    assert!(out.contains("64 parts"), "{out}");
    assert!(
        err.contains("175 of 256 vertices are at the place of another one (5 at 2, 8 at 3, "),
        "{err}"
    );
    assert!(err.contains("into 64 parts; `cloth-sim mesh FILE --weld --out NEW`"), "{err}");
    let out_file = folder.path().join("whole.obj");
    let weld = [text(&file), "--weld", "--out", text(&out_file), "--overwrite"];
    let [out, err] = said(&weld);
    assert!(out.contains("81 vertices, 128 triangles, 1 part, 1 boundary loop"), "{out}");
    assert!(err.is_empty() && out.contains("welded: 175 vertices joined"), "{out}{err}");
    let whole = SurfaceMesh::read(&out_file, Faces::Manifold).expect("it is sound");
    assert_eq!(whole.document.groups[0].name.as_deref(), Some("left"));
    assert_eq!(whole.document.lines, [[0, 79]]);
    std::fs::write(&file, twice).expect("a mesh is written");
    let [out, _] = said(&weld);
    assert!(out.contains("81 vertices, 128 triangles") && out.contains("1 face left out"), "{out}");
}

#[test]
fn meshes_and_arguments_that_are_wrong_are_refused() {
    let (folder, file) = sheet(0.0);
    let broken = folder.path().join("broken.obj");
    let fan = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n";
    std::fs::write(&broken, fan).expect("a mesh is written");
    assert_says(&mesh(&[text(&broken)]), &["broken.obj:8", "non-manifold", "help: "]);
    assert_says(&mesh(&["no.obj"]), &["no.obj: there is no such file", "help: "]);
    assert_says(&mesh(&[text(&file), "--fabric", "coton"]), &["--fabric", "coton", "`cotton`"]);
    assert_eq!(mesh(&[text(&file), "--relax"]).status.code(), Some(2), "it needs --out");
    let none = mesh(&[text(&file), "--weld=0", "--out", "out.obj"]);
    assert_eq!(none.status.code(), Some(2), "a distance is above 0");
    let out = folder.path().join("out.obj");
    assert_says(&mesh(&[text(&file), "--out", text(&out)]), &["nothing is changed", "--relax"]);
    assert!(!out.exists());
}

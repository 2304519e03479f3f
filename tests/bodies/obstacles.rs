//! Rooms `mesh` and `contact`: cloth falls on obstacles whose meshes are not manifolds.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::run::finish;

/// A sheet falls for 0.2 s, which would take it 0.17 m below the obstacle.
const SCENE: &str = r#"(
    frames: 5, frames_per_second: 25, steps_per_frame: 20,
    cloths: [(
        name: "cloth",
        shape: Sheet(width_m: 0.4, length_m: 0.4, columns: 12, rows: 12),
        transform: (translation_m: (0, 0.06, 0)), material: Fabric("cotton"),
    )],
    obstacles: [(name: "scan", shape: Mesh("scan.obj"))],
)"#;

const CELLS: u32 = 8;

/// The vertices and the triangles, numbered from 1, of a square of 0.6 m.
fn square() -> (String, Vec<[u32; 3]>) {
    let row = CELLS + 1;
    let vertex = |v| [v % row, v / row].map(|k| f64::from(k) * 0.6 / f64::from(CELLS) - 0.3);
    let line = |[x, z]: [f64; 2]| format!("v {x} 0 {z}\n");
    let corners = (0..row * CELLS).filter(|v| v % row < CELLS).map(|v| v + 1);
    let faces = corners.flat_map(|v| [[v, v + row, v + 1], [v + 1, v + row, v + row + 1]]);
    ((0..row * row).map(vertex).map(line).collect(), faces.collect())
}

/// Runs the scene on a mesh of these `vertices` and `faces` and checks it. Returns the last
/// positions of the cloth, as they are written, and its heights, m.
fn fall(vertices: &str, faces: &[[u32; 3]]) -> (Vec<String>, Vec<f64>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let lines: String = faces.iter().map(|[a, b, c]| format!("f {a} {b} {c}\n")).collect();
    fs::write(at("scan.obj"), format!("{vertices}{lines}")).expect("a mesh is written");
    fs::write(at("scan.ron"), SCENE).expect("a scene is written");
    cloth_sim(&[&at("scan.ron"), Path::new("--out"), &at("out")]);
    cloth_sim(&[Path::new("check"), &at("out")]);
    let written = fs::read_to_string(at("out/obstacles.obj")).expect("obstacles are written");
    let count = written.lines().filter(|line| line.starts_with("f ")).count();
    assert_eq!(count, faces.len(), "all faces are written");
    let frame = fs::read_to_string(at("out/frame_0005.obj")).expect("a frame is written");
    let places: Vec<String> =
        frame.lines().filter(|line| line.starts_with("v ")).map(str::to_owned).collect();
    let height = |line: &String| line.split(' ').nth(2).and_then(|y| y.parse().ok());
    let heights = places.iter().filter_map(height).collect();
    (places, heights)
}

fn cloth_sim(arguments: &[&Path]) {
    let output = finish(Command::new(env!("CARGO_BIN_EXE_cloth-sim")).args(arguments));
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{said:?}");
}

fn lowest(heights: &[f64]) -> f64 {
    heights.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn cloth_rests_on_an_open_mesh_however_its_faces_are_turned_or_copied() {
    let (vertices, faces) = square();
    let (places, heights) = fall(&vertices, &faces);
    assert_eq!(heights.len(), 13 * 13);
    assert!((0.0..0.01).contains(&lowest(&heights)), "{}", lowest(&heights));
    // A face and its copies are one obstacle.
    let copies: Vec<_> =
        faces.iter().flat_map(|&[a, b, c]| [[a, b, c], [c, b, a], [b, c, a]]).collect();
    assert_eq!(fall(&vertices, &copies).0, places);
    // A surface has no front. A vertex that no face uses is none.
    let turn = |(number, &[a, b, c]): (usize, &[u32; 3])| {
        if number % 3 == 0 { [a, c, b] } else { [a, b, c] }
    };
    let flipped: Vec<_> = faces.iter().enumerate().map(turn).collect();
    let with_loose = format!("{vertices}v 0 0.03 0\n");
    let heights = fall(&with_loose, &flipped).1;
    assert!((0.0..0.01).contains(&lowest(&heights)), "{}", lowest(&heights));
}

#[test]
fn a_fin_at_an_edge_of_two_faces_holds_cloth() {
    let (mut vertices, mut faces) = square();
    // A fin of 5 cm along the middle row of edges, which have two faces each.
    let (row, middle) = (CELLS + 1, (CELLS + 1) * (CELLS / 2) + 1);
    for k in 0..row {
        vertices += &format!("v {} 0.05 0\n", f64::from(k) * 0.6 / f64::from(CELLS) - 0.3);
    }
    for k in 0..CELLS {
        let [low, high] = [middle + k, row * row + 1 + k];
        faces.extend([[low, low + 1, high], [high, low + 1, high + 1]]);
    }
    let heights = fall(&vertices, &faces).1;
    let highest = heights.iter().copied().fold(0.0, f64::max);
    assert!(highest > 0.05 && lowest(&heights) > 0.0, "{highest} {}", lowest(&heights));
    assert!(lowest(&heights) < 0.04, "{}", lowest(&heights));
}

//! A net of 6 by 5 rings, each linked through its neighbours: no ring passes through another,
//! however the rings are shared out. `tests/scenes/chain_net/` is
//! `tools/make_bodies.py chain_net --columns 6 --rows 5` with 25 frames.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::rigid::{Body, BodyState};
use cloth_sim::workers::WorkerSimulation;
use nalgebra::{Quaternion, UnitQuaternion};

use crate::steps::simulation_in;

type Ring = Vec<Vec3>;

/// The corners of the rings of a table of bodies.
fn rings(path: &Path) -> Vec<Ring> {
    let mut table = csv::Reader::from_path(path).expect("a table");
    let ring = |row: csv::Result<csv::StringRecord>| {
        let row = row.expect("a row");
        let value = |column: usize| row[column].parse().expect("a number");
        let [x, y, z, w, i, j, k] = [0, 1, 2, 3, 4, 5, 6].map(value);
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
        let corner = |angle: f64| turn * (0.4 * Vec3::new(angle.cos(), 0.0, angle.sin()));
        (0..10).map(|n| Vec3::new(x, y, z) + corner(f64::from(n) * PI / 5.0)).collect()
    };
    table.records().map(ring).collect()
}

fn edges(ring: &Ring) -> impl Iterator<Item = (&Vec3, &Vec3)> {
    ring.iter().zip(ring.iter().cycle().skip(1))
}

/// The Gauss linking number: how often `second` goes through the triangles between the centre of
/// `first` and its edges, forwards less backwards.
fn linking(first: &Ring, second: &Ring) -> i32 {
    let volume = |a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3| (b - a).cross(&(c - a)).dot(&(d - a));
    let centre = first.iter().sum::<Vec3>() / first.len() as f64;
    let mut sum = 0;
    for (a, b) in edges(second) {
        for (p, q) in edges(first) {
            let forwards = volume(&centre, p, q, b) > 0.0;
            let meets = forwards != (volume(&centre, p, q, a) > 0.0);
            let sides = [(&centre, p), (p, q), (q, &centre)];
            if meets && sides.iter().all(|(p, q)| (volume(a, b, p, q) > 0.0) == forwards) {
                sum += if forwards { 1 } else { -1 };
            }
        }
    }
    sum
}

/// Of each pair of rings.
fn links(rings: &[Ring]) -> Vec<i32> {
    let pairs = (0..rings.len()).flat_map(|n| (0..n).map(move |m| (n, m)));
    pairs.map(|(n, m)| linking(&rings[n], &rings[m])).collect()
}

#[test]
fn no_ring_passes_through_another() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/chain_net");
    let text = fs::read_to_string(home.join("chain_net.ron")).expect("a scene");
    let start = rings(&home.join("rings.csv"));
    let edges = rings(&home.join("edges.csv"));
    let known = links(&[&start[..], &edges[..]].concat());
    let linked = known.iter().filter(|number| number.abs() == 1).count();
    let others = known.iter().filter(|&&number| number == 0).count();
    // 5 pairs in each of 5 rows, 4 in each of 6 columns.
    assert_eq!([linked, others], [49, 30 * 29 / 2 - 49]);
    for parallel in ["count: 1", "count: 3", "count: 3, coupling: Impulses"] {
        let parallel = format!("parallel: Workers({parallel}), synchronisation");
        let world = in_process::alone();
        let text = text.replace("synchronisation", &parallel);
        let mut net = simulation_in(&home, &text, &*world);
        let states = |net: &WorkerSimulation| -> Vec<BodyState> {
            let mut bodies: Vec<Body> = net.whole().population().bodies().iter().collect();
            bodies.sort_by_key(|body| body.id);
            bodies.iter().take(start.len()).map(|body| body.state).collect()
        };
        let first = states(&net);
        for step in 1..=500 {
            net.step().expect("a step");
            if step % 10 == 0 {
                let moved = start.iter().zip(first.iter().zip(states(&net)));
                let moved = moved.map(|(ring, (from, to))| {
                    let turn = to.rotation * from.rotation.inverse();
                    ring.iter().map(|it| to.position + turn * (it - from.position)).collect()
                });
                let now: Vec<Ring> = moved.chain(edges.clone()).collect();
                assert!(links(&now) == known, "{parallel}: step {step}");
            }
        }
    }
}

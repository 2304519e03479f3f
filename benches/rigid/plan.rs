//! What the command line asks for.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::str::FromStr;

use cloth_sim::rigid::Response;
use cloth_sim::rigid::Synchronisation;

use crate::measure::{Measured, Run, measure};
use crate::scenes::Scene;

/// Values by their names.
#[derive(Debug)]
pub struct Plan {
    values: BTreeMap<String, String>,
}

impl Plan {
    /// Of arguments `name=value`.
    pub fn new(arguments: &[String]) -> Self {
        let pair = |argument: &String| {
            let (name, value) = argument.split_once('=').expect("name=value");
            (name.to_owned(), value.to_owned())
        };
        Self { values: arguments.iter().map(pair).collect() }
    }

    /// The value of a name, or `default`.
    pub fn get<T: FromStr>(&self, name: &str, default: T) -> T {
        let parse = |text: &String| text.parse().unwrap_or_else(|_| panic!("{name}={text}"));
        self.values.get(name).map_or(default, parse)
    }

    /// A text, or `default`.
    pub fn text<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.values.get(name).map_or(default, String::as_str)
    }

    /// Three numbers such as `2x1x1`.
    pub fn grid(&self) -> [u32; 3] {
        let text = self.text("grid", "1x1x1");
        let counts: Vec<u32> = text.split('x').filter_map(|part| part.parse().ok()).collect();
        counts.try_into().unwrap_or_else(|_| panic!("grid={text}"))
    }

    /// The method of synchronisation.
    pub fn synchronisation(&self) -> Synchronisation {
        match self.text("synchronisation", "next") {
            "next" => Synchronisation::NextNeighbour,
            "shadow" => Synchronisation::ShadowOwner,
            other => panic!("synchronisation={other} is neither next nor shadow"),
        }
    }

    /// A run on one rank, unless something else is asked for.
    pub fn run(&self, warm_up: u32, steps: u32) -> Run {
        Run {
            grid: self.grid(),
            ranks: self.get("ranks", 1),
            threads: self.get("threads", 1),
            synchronisation: self.synchronisation(),
            warm_up: self.get("warm_up", warm_up),
            steps: self.get("steps", steps),
        }
    }

    /// The scene that is asked for, with this many bodies or nearly.
    pub fn scene(&self, count: u64) -> Scene {
        let edge = |per_cell: f64| ((count as f64 / per_cell).cbrt().ceil() as u32).max(4);
        // Layers of the dense scene come in pairs, and there are half as many of them.
        let (all, half) = (edge(1.0), edge(4.0) * 2);
        let scene = match self.text("scene", "gas") {
            "gas" => Scene::gas(count),
            "sparse" => Scene::sparse([all; 3]),
            "dense" => Scene::dense([half, half / 2, half]),
            "well" => Scene::well(count),
            other => panic!("scene={other} is none of gas, sparse, dense, well"),
        };
        self.with_response(scene)
    }

    /// `scene` with the response that is asked for.
    pub fn with_response(&self, mut scene: Scene) -> Scene {
        scene.response = match self.text("response", "ffd") {
            "ffd" => Response::Ffd,
            sweeps => Response::Nonsmooth { sweeps: sweeps.parse().expect("ffd or sweeps") },
        };
        scene
    }

    /// The fastest of some runs.
    pub fn fastest(&self, scene: &Scene, run: &Run) -> Measured {
        let runs = (0..self.get("repeat", 1)).map(|_| measure(scene, run).expect("a run"));
        runs.max_by(|a, b| a.updates_per_s().total_cmp(&b.updates_per_s()))
            .expect("repeat=1 or more")
    }

    /// Appends a row to the file of `csv`, if there is one: the table's name, then names and
    /// values.
    pub fn record(&self, table: &str, row: &[(&str, String)]) {
        let Some(path) = self.values.get("csv") else { return };
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("csv");
        let cells: Vec<_> = row.iter().map(|(name, value)| format!("{name}={value}")).collect();
        writeln!(file, "{table},{}", cells.join(",")).expect("csv");
    }
}

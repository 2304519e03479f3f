//! Writes the linear system of one step in Matrix Market form, for other solvers:
//! `matrix.mtx` (`A = M + h D + h^2 K`, kg) and `rhs.mtx` (`b`, N s) of
//! `A (v1 - v0) = b`. Component c of vertex v is row `3 v + c`, counted from 0,
//! in the mesh's own numbering; numbers keep every bit.
//!
//! Rows of pinned vertices are written as assembled: the solver projects them
//! out, another one would let these vertices go. The tablecloth has none.
//!
//! `cargo run --release --example matrix_market -- [SCENE] [STEP] [FOLDER] [--set PATH=VALUE]...`

use std::fs::{File, create_dir_all};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use cloth_sim::comm::threads as ranks;
use cloth_sim::error::{Error, Result};
use cloth_sim::linalg::BlockCsr;
use cloth_sim::math::Vec3;
use cloth_sim::partition::Layout;
use cloth_sim::scene;
use cloth_sim::sim::{Model, Simulation};

#[derive(Parser)]
struct Arguments {
    #[arg(default_value = "scenes/tablecloth.ron")]
    scene: PathBuf,
    /// The step whose system is written, from 1.
    #[arg(default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    step: u64,
    #[arg(default_value = "out/matrix_market")]
    folder: PathBuf,
    /// Override a field of the scene, e.g. steps_per_frame=10 (repeatable).
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let scene = scene::load(&arguments.scene, &arguments.overrides)?;
    let home = arguments.scene.parent().unwrap_or(Path::new("."));
    let setup = scene::build(&scene, home, 1)?;
    let model = Arc::new(Model::new(scene, setup, |build| build(1))?);
    if !model.cloth.pins.groups.is_empty() {
        eprintln!("note: this scene has pins; their rows are written as if they were free");
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    ranks::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, threads)?;
        for _ in 0..arguments.step {
            simulation.step()?;
        }
        let (matrix, rhs) = simulation.integrator().system();
        write(&arguments.folder, simulation.layout(), matrix, rhs).map_err(|cause| {
            Error::file(&arguments.folder, cause, "free some space or choose another folder")
        })
    })?;
    println!("step {} of {}: {}", arguments.step, model.scene.name, arguments.folder.display());
    Ok(())
}

/// Writes the system of a single rank, which owns every vertex.
fn write(folder: &Path, layout: &Layout, matrix: &BlockCsr, rhs: &[Vec3]) -> io::Result<()> {
    create_dir_all(folder)?;
    let mut order: Vec<usize> = (0..matrix.rows()).collect();
    order.sort_unstable_by_key(|&row| layout.own[row]);

    let size = 3 * matrix.rows();
    let mut file = BufWriter::new(File::create(folder.join("matrix.mtx"))?);
    writeln!(file, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(file, "{size} {size} {}", 9 * matrix.len())?;
    let blocks = matrix.blocks();
    for &row in &order {
        for component in 0..3 {
            let Some(columns) = blocks.outer_view(row) else { continue };
            for (vertex, block) in columns.iter() {
                for (j, value) in block.row(component).iter().enumerate() {
                    let place = (3 * layout.own[row] as usize + component + 1, 3 * vertex + j + 1);
                    writeln!(file, "{} {} {value:e}", place.0, place.1)?;
                }
            }
        }
    }
    file.flush()?;

    let mut file = BufWriter::new(File::create(folder.join("rhs.mtx"))?);
    writeln!(file, "%%MatrixMarket matrix array real general")?;
    writeln!(file, "{size} 1")?;
    for value in order.iter().flat_map(|&row| rhs[row].iter()) {
        writeln!(file, "{value:e}")?;
    }
    file.flush()
}

//! Writes the linear system of one step in Matrix Market form, for other solvers:
//! `matrix.mtx` (`A = M + h D + h^2 K`, kg) and `rhs.mtx` (`b`, N s) of
//! `A (v1 - v0) = b`, and the `positions.mtx` (m) of the vertices at its start. Component c of vertex v is row `3 v + c`, counted from 0,
//! in the mesh's own numbering. The text keeps every bit of a number. The solver applies contacts
//! between cloth and cloth separately from its matrix; here they are added to it.
//!
//! Rows of pinned vertices are written as assembled. This solver projects them out; another
//! solver would let these vertices move. The tablecloth has no pins.
//!
//! `cargo run --release --example matrix_market -- [SCENE [STEP [FOLDER [STEPS_PER_FRAME]]]]`

use std::fs::{File, create_dir_all};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use cloth_core::linear::add_block;
use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::partition::Layout;
use cloth_sim::ranks::in_process as ranks;
use cloth_sim::scene;
use cloth_sim::step::{Counter, Model, Simulation, StepSystem, StepsPerFrame};
use sprs::CsMat;
use sprs::io::write_matrix_market;

struct Arguments {
    scene: PathBuf,
    /// The step whose system is written, from 1.
    step: u64,
    folder: PathBuf,
    /// Instead of the scene's.
    steps_per_frame: Option<StepsPerFrame>,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut words = std::env::args().skip(1);
        let mut next = |default: &str| words.next().unwrap_or(default.to_owned());
        let scene = next("scenes/tablecloth.ron").into();
        let step = positive(&next("400"))?;
        let folder = next("out/matrix_market").into();
        let steps_per_frame = words.next().map(|word| positive(&word)).transpose()?;
        let steps_per_frame = steps_per_frame.map(StepsPerFrame::Equal);
        Ok(Self { scene, step, folder, steps_per_frame })
    }
}

fn positive<T: FromStr + Default + PartialOrd>(word: &str) -> Result<T> {
    let number = word.parse().ok().filter(|number| *number > T::default());
    number.ok_or_else(|| Error::input(word, "not a number", "write a whole number from 1 on"))
}

fn main() -> Result<()> {
    let arguments = Arguments::read()?;
    let mut scene = scene::load(&arguments.scene)?;
    scene.steps_per_frame = arguments.steps_per_frame.unwrap_or(scene.steps_per_frame);
    let home = arguments.scene.parent().unwrap_or(Path::new("."));
    let setup = scene::build(&scene, home)?;
    let model = Arc::new(Model::new(scene.settings(), setup, |build| build(1))?);
    if !model.cloth.pins.groups.is_empty() {
        eprintln!("note: this scene has pins; their rows are written as if they were free");
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    ranks::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, threads)?;
        for _ in 1..arguments.step {
            simulation.step()?;
        }
        let positions = simulation.positions().to_vec();
        let repairs = simulation.step()?.get(Counter::Repairs);
        if repairs > 0 {
            eprintln!(
                "note: the step was repaired {repairs} times; the last repair is no whole system"
            );
        }
        let (layout, system) = (simulation.layout(), simulation.system());
        let folder = &arguments.folder;
        let rhs = system.system().1;
        let mut order: Vec<usize> = (0..rhs.len()).collect();
        order.sort_unstable_by_key(|&row| layout.own[row]);
        let written = create_dir_all(folder)
            .and_then(|()| write_matrix_market(folder.join("matrix.mtx"), &entries(layout, system)))
            .and_then(|()| write(&folder.join("rhs.mtx"), order.iter().map(|&row| &rhs[row])))
            .and_then(|()| write(&folder.join("positions.mtx"), positions.iter()));
        written
            .map_err(|cause| Error::file(folder, cause, "free some space or choose another folder"))
    })?;
    println!(
        "step {} of {}: {}",
        arguments.step,
        arguments.scene.display(),
        arguments.folder.display()
    );
    Ok(())
}

/// All entries of the system of a single rank, which owns every vertex.
fn entries(layout: &Layout, system: &StepSystem) -> CsMat<f64> {
    let mut entries = system.system().0.to_triplets();
    for (row, column, block) in system.couplings().blocks() {
        let [row, column] = [row, column].map(|local| layout.own[local as usize]);
        add_block(&mut entries, row, column, &block);
    }
    entries.to_csr()
}

/// Writes vectors as one column.
fn write<'a>(path: &Path, vectors: impl ExactSizeIterator<Item = &'a Vec3>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "%%MatrixMarket matrix array real general")?;
    writeln!(file, "{} 1", 3 * vectors.len())?;
    for value in vectors.flat_map(|vector| vector.iter()) {
        writeln!(file, "{value:e}")?;
    }
    file.flush()
}

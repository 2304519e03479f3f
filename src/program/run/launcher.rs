//! Whether this process is one rank of a job, or the whole run.

use std::time::Duration;

use cloth_core::error::{Error, Result};
use cloth_core::ranks::launch::{self, Launch};

use crate::program::cli::Arguments;
use crate::program::words::plural;

/// The launcher whose job this process is a rank of. `None` if this process is the whole run: a
/// shell started it, or a launcher started it alone.
pub fn job_of_several() -> Option<Launch> {
    Launch::find(launch::environment).filter(|launch| launch.size != Some(1))
}

/// Refuses `--ranks` under a launcher, and a launcher without MPI in this binary.
///
/// # Errors
/// What does not fit, and what to do.
pub fn check(launch: &Launch, arguments: &Arguments) -> Result<()> {
    if arguments.computing.ranks.is_some() {
        return Err(Error::input(
            "--ranks",
            format!("{} sets the number of ranks ({})", launch.launcher, launch.evidence()),
            "leave out --ranks, and give the number to the launcher (mpirun -n)",
        ));
    }
    if cfg!(feature = "mpi") {
        return Ok(());
    }
    Err(refused(
        launch,
        "this cloth-sim was built without MPI",
        "build it with `cargo build --release --features mpi`, or start one process \
         and use --ranks N",
    ))
}

/// Refuses a world of MPI that is not the one that was launched. Rank `rank` of `size` asks.
///
/// # Errors
/// Both numbers, and what to do.
#[cfg(feature = "mpi")]
pub fn check_world(launch: &Launch, rank: usize, size: usize) -> Result<()> {
    if launch.fits(rank, size) {
        return Ok(());
    }
    let library = cloth_mpi::library();
    let remedy = match launch.variable {
        "SLURM_STEP_NUM_TASKS" => {
            "choose the plugin of this library: srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH \
             (srun --mpi=list shows them), or use its mpirun"
                .to_owned()
        }
        _ => format!(
            "use the mpirun of {library}, or build cloth-sim with the MPI library of this launcher"
        ),
    };
    let ranks = plural(size, "rank");
    Err(refused(launch, &format!("the MPI library ({library}) knows of {ranks} only"), &remedy))
}

fn refused(launch: &Launch, but: &str, remedy: &str) -> Error {
    let count = launch.size.map_or("several processes".to_owned(), |n| plural(n, "process"));
    let cause = format!(
        "it started {count} ({}), but {but}, so each would run the whole scene",
        launch.evidence()
    );
    Error::input(launch.launcher, cause, remedy)
}

/// Whether this process prints an error that all processes of a job meet. The others wait a
/// moment: a launcher ends all when the first one fails, and that one should have printed.
pub fn prints_errors(launch: &Launch) -> bool {
    let is_first = launch.rank.is_none_or(|rank| rank == 0);
    if !is_first {
        std::thread::sleep(Duration::from_millis(500));
    }
    is_first
}

//! How this process was started, and where it runs.

use serde::{Deserialize, Serialize};

/// Variables in which launchers give the number of ranks: Open MPI; the PMI of MPICH, Intel MPI
/// and MVAPICH (Hydra); Slurm's `srun`. The last one is set by `srun` alone, so a batch script
/// does not look like a rank.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
/// A PMIx launcher gives the rank, but not the number of ranks.
const PMIX_RANK: &str = "PMIX_RANK";

/// Whether this process was started by an MPI launcher (`mpirun`, `mpiexec`,
/// `srun`), and on how many ranks: 0 if the launcher does not say. `variable`
/// looks up an environment variable (see [`environment`]).
pub fn launched_ranks(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let said = SIZES.iter().find_map(|name| variable(name)?.trim().parse().ok());
    said.or_else(|| variable(PMIX_RANK).map(|_| 0))
}

/// The process's own environment, for [`launched_ranks`].
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The machine and the cores of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostBinding {
    /// Name of the machine; empty if the system does not give it.
    pub host: String,
    /// Cores that the calling thread may use, for example `0-3,8`; empty if the system does
    /// not give them.
    pub cpus_allowed: String,
}

impl HostBinding {
    /// The machine and the cores of the calling thread.
    pub fn here() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let host = read("/proc/sys/kernel/hostname").trim().to_owned();
        let host = if host.is_empty() { environment("HOSTNAME").unwrap_or_default() } else { host };
        Self { host, cpus_allowed: cpus_allowed(&read("/proc/thread-self/status")).to_owned() }
    }
}

/// The list of cores in the text of `/proc/thread-self/status`.
fn cpus_allowed(status: &str) -> &str {
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched_with(variables: &[(&str, &str)]) -> Option<usize> {
        launched_ranks(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn every_launcher_is_recognised() {
        assert_eq!(launched_with(&[("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "1")]), Some(4));
        assert_eq!(launched_with(&[("PMI_RANK", "2"), ("PMI_SIZE", "3")]), Some(3));
        assert_eq!(launched_with(&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "8")]), Some(8));
        assert_eq!(launched_with(&[("PMIX_RANK", "0")]), Some(0));
    }

    #[test]
    fn a_shell_and_a_batch_script_are_no_launchers() {
        assert_eq!(launched_with(&[]), None);
        assert_eq!(launched_with(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), None);
    }

    #[test]
    fn cores_are_read_from_the_status_text() {
        let status = "Name:\trank 0\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n";
        assert_eq!(cpus_allowed(status), "0-3,8");
        assert_eq!(cpus_allowed(""), "");
    }
}

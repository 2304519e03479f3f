#!/usr/bin/env bash
# Solves the linear system of a tablecloth step to 1e-6 with PETSc and with this
# solver, for steps of 1, 4 and 10 ms. Prints the tables of docs/performance.md.
# Needs mpirun, pkg-config and PETSc (Debian: petsc-dev).
set -euo pipefail
cd "$(dirname "$0")/../.."

work=out/peers
mkdir -p "$work"
if ! petsc=$(pkg-config --cflags --libs petsc 2>/dev/null); then
    # Debian keeps the file where pkg-config does not look.
    found=$(find /usr/lib/petscdir -name petsc.pc 2>/dev/null | head -n 1)
    petsc=$(PKG_CONFIG_PATH=$(dirname "$found") pkg-config --cflags --libs petsc)
fi
# shellcheck disable=SC2086 # flags are words
mpicc -O2 benches/peers/petsc.c -o "$work/petsc" $petsc
cargo build --locked --release --features mpi --examples --bins

if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# Containers often forbid copies between processes; Open MPI would print a warning.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

for ranks in 1 2; do
    target/release/cloth-sim scenes/tablecloth.ron --ranks "$ranks" --frames 0 --quiet \
        --out "$work/partition_$ranks" --overwrite
done

# After 0.3 s the cloth lies on the sphere and its rim falls.
for milliseconds in 1 4 10; do
    steps=$((300 / milliseconds))
    system=$work/${milliseconds}ms
    target/release/examples/matrix_market scenes/tablecloth.ron "$steps" "$system" \
        "$((40 / milliseconds))" >/dev/null
    echo "step of $milliseconds ms, step $steps ($(nproc) cores, load$(uptime | sed 's/.*average//'))"
    echo "| solver | transport | ranks | threads | iterations | best, ms | median, ms | residual |"
    echo "|---|---|---|---|---|---|---|---|"
    for ranks in 1 2; do
        mpirun -n "$ranks" "$work/petsc" -folder "$system" \
            -partition "$work/partition_$ranks/partition.csv"
    done
    target/release/examples/peer_ours "$system"
    for ranks in 1 2; do
        mpirun -n "$ranks" target/release/examples/peer_ours "$system"
    done
    echo
done

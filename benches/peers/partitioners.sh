#!/usr/bin/env bash
# Divides the shapes of docs/partitioning.md with METIS, Scotch and Zoltan, and prints their measures.
# Needs mpicxx and the Debian packages libmetis-dev, libscotch-dev and libtrilinos-zoltan-dev:
#   apt-get install --no-install-recommends libmetis-dev libscotch-dev libtrilinos-zoltan-dev
# METIS sees no positions. ParMETIS has methods that do; Debian does not have it.
#
# partitioners.sh [cells per rank] [ranks], for example 20000 4,8
set -euo pipefail
cd "$(dirname "$0")/../.."

cells=${1:-20000}
ranks=${2:-2,4,8,16}
folder=out/partitioner_peers
mkdir -p "$folder"
mpicxx -O2 -std=c++17 -I/usr/include/scotch -I/usr/include/trilinos benches/peers/partitioners.cpp \
    -o "$folder/partitioners" -lmetis -lscotch -lscotcherr -ltrilinos_zoltan -lz -lm
cargo bench --quiet --bench partitioners -- export "$cells" "$ranks"

for count in ${ranks//,/ }; do
    for case in River Plume Waves turning-box splash; do
        for method in metis-kway metis-recursive scotch scotch-remap rcb hsfc; do
            # Nothing is mapped anew where nothing moves.
            case $case$method in River*remap | Plume*remap | Waves*remap) continue ;; esac
            "$folder/partitioners" "$method" "$count" "$folder/${case}_${count}"_*.cells
        done
    done
done
cargo bench --quiet --bench partitioners -- judge "$cells" "$ranks"

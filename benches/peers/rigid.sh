#!/usr/bin/env bash
# The same bodies with the same step in LAMMPS (a gas), in rapier3d (a well) and in this program, each on
# one core. Prints a table: updates of a body per second on a processor, and the quality beside them.
# Needs LAMMPS (Debian: apt-get install --no-install-recommends lammps) and crates.io.
#
# rigid.sh [bodies of the gas] [bodies of the well] [rounds]
set -euo pipefail
cd "$(dirname "$0")/../.."

gas=${1:-100000}
well=${2:-20000}
rounds=${3:-3}
steps=${STEPS:-200}
# Steps until the well has filled, and those that are measured.
fall=${FALL:-600}
filled=${FILLED:-50}
folder=out/rigid_peers
mkdir -p "$folder/gas" "$folder/well"
bench=${BENCH:-}
if [ -z "$bench" ]; then
    bench=$(cargo bench --no-run --bench rigid --message-format=json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\/rigid-[^"]*\)".*/\1/p')
fi
peer=$folder/target/release/rapier-well
cargo build --locked --release --manifest-path benches/peers/rapier/Cargo.toml \
    --target-dir "$folder/target"
"$bench" export scene=gas count="$gas" out="$folder/gas"
"$bench" export scene=well count="$well" out="$folder/well"

# Seconds on a processor of a command, in the system included.
seconds() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$folder/log" 2>&1; } 2>&1 | awk '{print $1 + $2}'
}

lammps() {
    lmp -in benches/peers/gas.lammps -log none -var data "$folder/gas/lammps.data" -var steps "$1"
}

echo "$(lmp -help | sed -n '2p'); rapier3d $(sed -n '/name = "rapier3d"/{n;s/[^0-9.]//gp}' \
    benches/peers/rapier/Cargo.lock); load$(uptime | sed 's/.*average//')"
echo "| gas of $gas spheres | bodies | 10^6 updates/s | deepest overlap/radius | energy |"
echo "|---|---|---|---|---|"
# In turn, so that all meet the same load.
for _ in $(seq "$rounds"); do
    idle=$(seconds lammps 0)
    busy=$(seconds lammps "$steps")
    energy=$(awk '/^ *Step/ {on = 1; next} /^Loop/ {on = 0}
        on {if (!first) first = $2; last = $2; if ($3 > deepest) deepest = $3}
        END {printf "%.4f | %.5f", deepest, last / first}' "$folder/log")
    awk -v n="$gas" -v s="$steps" -v a="$idle" -v b="$busy" -v e="$energy" \
        'BEGIN {printf "| LAMMPS | %d | %.2f | %s |\n", n, n * s / (b - a) * 1e-6, e}'
    "$bench" speed scene=gas count="$gas" warm_up=0 steps="$steps" |
        awk -F'|' '$2 ~ /gas/ {printf "| this | %d |%s|%s|%s|\n", $3, $5, $7, $8}'
done
echo
echo "| well of $well bodies, steps $fall to $((fall + filled)) | bodies | 10^6 updates/s | deepest overlap/radius | energy |"
echo "|---|---|---|---|---|"
for _ in $(seq "$rounds"); do
    "$peer" "$folder/well/bodies.csv" "$fall" "$filled"
    for response in ffd 10; do
        "$bench" speed scene=well count="$well" warm_up="$fall" steps="$filled" response=$response |
            awk -F'|' -v r="$response" \
                '$2 ~ /well/ {printf "| this, %s | %d |%s|%s|%s|\n", r, $3, $5, $7, $8}'
    done
done

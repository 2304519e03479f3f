#!/usr/bin/env bash
# Counts the instructions of a step (callgrind, one thread), beside those of benches/instructions.txt.
# Ten sheets on each other stand for cloth, grains that fall through an hourglass for bodies.
#
#     benches/instructions.sh            # prints them
#     benches/instructions.sh --write    # and stores them
#
# Instructions are no times, but they hardly vary from run to run. Needs valgrind and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
program=target/release/cloth-sim
stored=benches/instructions.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Instructions of a run of one frame of $2 steps, whose frame takes 1/$3 s.
of_run() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "scenes/$1.ron" \
        --set frames=1 --set "steps_per_frame=$2" --set "frames_per_second=$3" \
        --threads 1 --out "$folder/run" --overwrite --quiet --checkpoint-every 0 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# Set-up and output are the same in both runs, so their difference is eight steps.
of_step() {
    few=$(of_run "$1" 2 125)
    many=$(of_run "$1" 10 25)
    echo "$(((many - few) / 8))"
}

for scene in stack hourglass; do
    now=$(of_step "$scene")
    echo "$scene $now" >>"$folder/counts"
    before=$(sed -n "s/^$scene //p" "$stored" 2>/dev/null || true)
    echo "$scene: $now instructions a step${before:+, before $before ($((100 * now / before)) %)}"
done
if [ "${1:-}" = --write ]; then cp "$folder/counts" "$stored"; fi

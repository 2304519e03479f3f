#!/usr/bin/env python3
"""Measures a run beside busy processes against the same run alone.

    cargo build --release
    benches/beside_busy.py                                   # ranks, and threads
    benches/beside_busy.py --with 'mpirun -n 2' --flags ''   # MPI processes: cargo build --release --features mpi

The busy processes compute without pause, 0 to one for each core, then niced ones. The runs take
turns, so that a slow minute of the machine slows all of them. Medians are printed, in seconds and
as a ratio to the run alone.
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUSY = [sys.executable, "-c", "while True: pass"]


def seconds(command):
    """The wall time of a command."""
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def beside(command, busy, niced):
    """The wall time of a command beside `busy` processes."""
    before = ["nice", "-n", "19"] if niced else []
    # A shell's processes share its session, and so the scheduler's groups.
    others = [subprocess.Popen([*before, *BUSY]) for _ in range(busy)]
    try:
        time.sleep(0.2)
        return seconds(command)
    finally:
        for other in others:
            other.kill()
            other.wait()


def main():
    cores = os.cpu_count()
    both = [f"--ranks {cores} --threads 1", f"--ranks 1 --threads {cores}"]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--with", dest="launcher", default="", help="a launcher and its arguments")
    parser.add_argument("--flags", nargs="+", default=both, help="arguments of each kind of run")
    parser.add_argument("--scene", default="scenes/tablecloth.ron")
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    loads = [(busy, False) for busy in range(cores + 1)] + [(cores, True)]
    for flags in arguments.flags:
        command = [*shlex.split(arguments.launcher), arguments.program, arguments.scene]
        command += [*shlex.split(flags), "--frames", str(arguments.frames), "--quiet", "--overwrite"]
        command += ["--out", ROOT / "out" / "beside_busy"]
        times = {load: [] for load in loads}
        for _ in range(arguments.runs):
            for busy, niced in loads:
                times[busy, niced].append(beside(command, busy, niced))
        alone = statistics.median(times[0, False])
        print(" ".join(filter(None, [arguments.launcher, flags])))
        for (busy, niced), values in times.items():
            median, name = statistics.median(values), f"{busy} busy{', niced' if niced else ''}"
            spread = f"{min(values):.2f} to {max(values):.2f}"
            print(f"  {name:14} {median:6.2f} s  {median / alone:5.2f}   ({spread})", flush=True)


if __name__ == "__main__":
    main()

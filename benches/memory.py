#!/usr/bin/env python3
"""Measures memory and step time per vertex of the tablecloth, on one rank and one thread.

    cargo build --release
    benches/memory.py

It prints the table of docs/performance.md. Memory is the peak of resident memory
less that of the same program on a tiny scene, over the number of vertices. Time per
step and vertex is the median over the second half of the steps. The cloth starts
1 mm above the sphere, so that it is in contact from the first steps on. The fine
mesh runs twice. With the same step CG needs more iterations, because edges are
shorter. With a step that is smaller in proportion to the edges it needs as many.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "memory"
STEPS = 20
PHASES = ["predict", "refit", "tests", "contacts", "assembly", "solve", "all-gather", "response", "combination", "fail-safe", "advance"]
TINY = ["scenes/sheet.ron", "--frames", "1"]
TABLECLOTH = [
    "scenes/tablecloth.ron", "--frames", "1",
    "--set", f"steps_per_frame={STEPS}",
    "--set", "cloths[0].transform.translation_m=(0, 0.3343333, 0)",
]  # fmt: skip


def run(arguments):
    """Returns the peak of resident memory of a run in bytes, its vertices, and the steps of its last frame."""
    command = [ROOT / "target/release/cloth-sim", *arguments, "--threads", "1"]
    command += ["--out", OUT, "--overwrite", "--quiet"]
    process = subprocess.Popen(command, cwd=ROOT)
    peak = 0
    while process.poll() is None:
        # ru_maxrss would begin with the memory of this interpreter.
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        peak = max([peak] + [int(kb) for kb in re.findall(r"VmHWM:\s*(\d+) kB", status)])
        time.sleep(0.005)
    if process.returncode != 0:
        raise SystemExit(f"{command} failed")
    head = json.loads((OUT / "run.json").read_text())
    last = (OUT / "steps.jsonl").read_text().splitlines()[-1]
    return 1024 * peak, head["places"][0]["vertices"], json.loads(last)["steps"]


def median(steps, value):
    """Returns the median of `value` over the second half of the steps."""
    return statistics.median(value(step) for step in steps[len(steps) // 2 :])


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    baseline, *_ = run(TINY)
    load = os.getloadavg()[0]
    print(f"baseline {baseline / 1e6:.1f} MB, {os.cpu_count()} cores, load {load:.1f}")
    print("| vertices | step, ms | peak MB | KiB a vertex | ms a step | us a step and vertex"
          " | CG iterations | assembly, us a vertex | iteration, ns a vertex |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    for refine, per_ms in [(1, 1), (6, 1), (6, 6)]:
        size = ["--refine", str(refine), "--set", f"frames_per_second={1000 * per_ms / STEPS}"]
        peak, vertices, steps = run([*TABLECLOTH, *size])
        step = median(steps, lambda step: sum(step[f"{phase}_s"] for phase in PHASES))
        assembly = median(steps, lambda step: step["assembly_s"])
        iterations = median(steps, lambda step: step["cg_iterations"])
        iteration = median(steps, lambda step: step["solve_s"] / max(1, step["cg_iterations"]))
        print(f"| {vertices} | 1/{per_ms} | {peak / 1e6:.0f} | {(peak - baseline) / vertices / 1024:.2f}"
              f" | {1e3 * step:.1f} | {1e6 * step / vertices:.2f} | {iterations:.0f}"
              f" | {1e6 * assembly / vertices:.3f} | {1e9 * iteration / vertices:.2f} |")  # fmt: skip


if __name__ == "__main__":
    main()

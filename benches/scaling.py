#!/usr/bin/env python3
"""Measures both scenes of Thomaszewski & Blochinger 2007 on 1 to N processors of this machine (their figures 6 and 7).

    cargo build --release
    benches/scaling.py                        # whole runs, 1 to as many ranks, and threads, as there are cores
    benches/scaling.py --frames 5 --repeat 1  # a short trial
    benches/scaling.py --mpi                  # ranks as processes (cargo build --release --features mpi)
    benches/scaling.py --draw                 # draws out/scaling/runs.csv again

Every configuration runs once, then all run again in the opposite order, so that a disturbance of the machine hits all
of them. Each rank has one thread; threads belong to one rank. The script writes `runs.csv` (a row as each run ends),
draws `<scene>.png` and `.svg` if matplotlib is installed, and prints the table of docs/performance.md. It fails if runs
of a scene do not end in the same state, bit for bit.

total        time of the process from start to end, with reading, partitioning and output
physical     physical modelling: assembly, solve with its ghost exchange, position update; average over the ranks
collision    collision handling: all other phases of a step; average over the ranks
tests        the test part of collision handling, each step until its slowest rank is done
utilization  busy time of the processors in the test part, over its length times their number
in contact   utilization of each step, averaged over the steps with tests of a frame, then over the frames with contact
"""

import argparse
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ["tablecloth", "undulated_bar"]
PHYSICAL = ["assembly_s", "solve_s", "advance_s"]
COLLISION = ["predict_s", "refit_s", "tests_s", "contacts_s", "all-gather_s", "response_s", "combination_s", "fail-safe_s"]
TIMES = ["total", "physical", "collision", "tests"]
UTILIZATION = {"utilization": "of all test time", "in contact": "mean of frames with contact"}
COLORS = dict(zip(TIMES, ["#444444", "#0072b2", "#d55e00", "#009e73"]))


def command(chosen, scene, way, count):
    """Returns the command of one run."""
    run = [chosen.binary, ROOT / "scenes" / f"{scene}.ron", "--out", chosen.out / "run", "--overwrite", "--quiet"]
    run += ["--frames", str(chosen.frames)] if chosen.frames else []
    if way == "mpi ranks":
        mpirun = ["mpirun", "-n", str(count)]
        if os.geteuid() == 0:
            os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return [*mpirun, *run, "--threads", "1"]
    ranks, threads = (count, 1) if way == "ranks" else (1, count)
    return [*run, "--ranks", str(ranks), "--threads", str(threads)]


def measure(chosen, scene, way, count):
    """Executes one run; returns its row of the table of runs."""
    start = time.monotonic()
    run = [str(word) for word in command(chosen, scene, way, count)]
    if not chosen.binary.exists():
        sys.exit(f"{chosen.binary}: there is no such program; build it first: cargo build --release")
    if subprocess.run(run, cwd=ROOT).returncode != 0:
        sys.exit(f"failed: {' '.join(run)}")
    total = time.monotonic() - start
    head = json.loads((chosen.out / "run" / "run.json").read_text())
    frames = [json.loads(line) for line in (chosen.out / "run" / "steps.jsonl").open()]
    steps, ranks = [step for frame in frames for step in frame["steps"]], head["ranks"]

    def average(phases):
        return sum(step[phase] for step in steps for phase in phases) / ranks

    parts, used, in_contact = test_parts(frames, ranks * head["threads"])
    return {
        "scene": scene, "way": way, "processors": count, "total": total, "physical": average(PHYSICAL),
        "collision": average(COLLISION), "tests": sum(parts.values()), "utilization": used, "in contact": in_contact,
        "frames": len(frames) - 1, "state hash": frames[-1]["state_hash"],
        "load": os.getloadavg()[0],
    }  # fmt: skip


def test_parts(frames, processors):
    """Returns the length of the test part by step, utilization over all steps, and utilization in frames with contact."""
    busy, length, shares = {}, {}, []
    for frame in frames:
        tests, contacts = {}, 0
        for step in frame["steps"]:
            at, its = step["step"], step["processors"]
            length[at] = step["test_part_s"]
            busy[at] = busy.get(at, 0) + sum(one["busy_s"] for one in its)
            tests[at] = tests.get(at, 0) + sum(one["tests"] for one in its)
            contacts += step["proximity_pairs"] + step["predicted_impacts"]
        if contacts:
            shares.append(statistics.mean(busy[at] / (processors * length[at]) for at in tests if tests[at]))
    used = sum(busy.values()) / (processors * max(sum(length.values()), 1e-12))
    return length, used, statistics.mean(shares) if shares else float("nan")


def run_all(chosen):
    """Executes all runs and writes the table of runs as it grows; returns its rows."""
    ranks = "mpi ranks" if chosen.mpi else "ranks"
    ways = [(way, count) for way in (ranks, "threads") for count in chosen.processors]
    # One rank and one thread are the same run, unless mpirun starts the rank.
    ways = [(way, count) for way, count in ways if count > 1 or way == ranks or chosen.mpi]
    plan = [(scene, *way) for way in ways for scene in chosen.scenes]
    rows = []
    chosen.out.mkdir(parents=True, exist_ok=True)
    for repeat in range(chosen.repeat):
        for number, one in enumerate(plan if repeat % 2 == 0 else plan[::-1]):
            rows.append(measure(chosen, *one))
            # An earlier table stays until the first run has succeeded.
            with (chosen.out / "runs.csv").open("w" if len(rows) == 1 else "a", newline="") as file:
                table = csv.DictWriter(file, rows[0].keys())
                if len(rows) == 1:
                    table.writeheader()
                table.writerow(rows[-1])
            at = f"{repeat + 1}.{number + 1} of {chosen.repeat}.{len(plan)}"
            print(f"{at}: {one[0]}, {one[2]} {one[1]}: {rows[-1]['total']:.1f} s", file=sys.stderr)
    return rows


def read(path):
    """Returns the rows of an earlier table of runs."""
    if not path.exists():
        sys.exit(f"{path}: there is no such table; run this once without --draw")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["processors"] = int(row["processors"])
        row.update({name: float(row[name]) for name in [*TIMES, "utilization", "in contact", "load"]})
    return rows


def series(rows, scene, way):
    """Returns the runs of a scene by rising number of processors.

    Without a run on one thread, the run on one rank stands in.
    """
    of_scene = [row for row in rows if row["scene"] == scene]
    of_way = [row for row in of_scene if row["way"] == way]
    if not any(row["processors"] == 1 for row in of_way):
        of_way += [row for row in of_scene if row["processors"] == 1]
    counts = sorted({row["processors"] for row in of_way})
    return {count: [row for row in of_way if row["processors"] == count] for count in counts}


def best(runs, name):
    return min(run[name] for run in runs)


def median(runs, name):
    return statistics.median(run[name] for run in runs)


def print_table(rows, scenes, ways):
    loads = [row["load"] for row in rows]
    print(f"{os.cpu_count()} cores, load {min(loads):.1f} to {max(loads):.1f}; seconds, best / median; speed-up of the best\n")
    print("| scene | processors | " + " | ".join(TIMES) + " | speed-up: " + ", ".join(TIMES) + " | utilization, in contact, % |")
    print("|---|---|" + "---|" * (len(TIMES) + 2))
    for scene in scenes:
        for way in ways:
            runs = series(rows, scene, way)
            for count, of_count in runs.items():
                if of_count[0]["way"] != way:
                    continue
                name = f"{count} {way if count > 1 else way[:-1]}"
                times = [f"{best(of_count, time):.2f} / {median(of_count, time):.2f}" for time in TIMES]
                gains = [f"{best(runs[1], time) / best(of_count, time):.2f}" if 1 in runs else "-" for time in TIMES]
                shares = [100 * median(of_count, share) for share in ("utilization", "in contact")]
                used = ["-" if math.isnan(share) else f"{share:.0f}" for share in shares]
                print(f"| {scene} | {name} | {' | '.join(times)} | {', '.join(gains)} | {', '.join(used)} |")


def draw(rows, scene, ways, out):
    """Draws times, speed-up and utilization over the number of processors, a row of diagrams for each way."""
    from matplotlib import pyplot, ticker

    figure, rows_of_axes = pyplot.subplots(len(ways), 3, figsize=(13, 4 * len(ways)), squeeze=False)
    for way, (times, gains, used) in zip(ways, rows_of_axes):
        runs = series(rows, scene, way)
        counts = list(runs)
        for name, color in COLORS.items():
            line = [best(of_count, name) for of_count in runs.values()]
            middle = [median(of_count, name) for of_count in runs.values()]
            ideal = [line[0] * counts[0] / count for count in counts]
            times.plot(counts, line, "o-", color=color, label=name)
            times.plot(counts, middle, "_", color=color, markersize=10)
            times.plot(counts, ideal, ":", color=color, linewidth=1)
            gains.plot(counts, [line[0] * counts[0] / time for time in line], "o-", color=color, label=name)
        times.plot([], [], "_k", markersize=10, label="median")
        times.plot([], [], ":k", linewidth=1, label="ideal")
        times.set(title=f"{scene}: time, best", ylabel="s", yscale="log")
        # Room for the legend.
        times.set_ylim(bottom=0.6 * times.get_ylim()[0])
        times.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
        times.yaxis.set_major_formatter("{x:g}")
        times.yaxis.set_minor_formatter(ticker.NullFormatter())
        gains.plot(counts, counts, ":k", linewidth=1, label="ideal")
        gains.set(title="Speed-up of the best", ylim=(0, None))
        for name, color in [("utilization", "#009e73"), ("in contact", "#e69f00")]:
            values = [100 * median(of_count, name) for of_count in runs.values()]
            used.plot(counts, values, "o-", color=color, label=UTILIZATION[name])
        used.set(title="Utilization in the test part, median", ylabel="%", ylim=(0, 105))
        for axes in (times, gains, used):
            axes.set(xlabel=way, xticks=counts)
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8, **({"loc": "lower left", "ncols": 3} if axes is times else {}))
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(out / f"{scene}.{kind}", dpi=110)
        print(out / f"{scene}.{kind}", file=sys.stderr)
    pyplot.close(figure)


def positive(text):
    """Parses a number from 1 on."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}: give a number from 1 on")
    return int(text)


def processors(text):
    """Parses numbers of processors; returns them rising, with 1 among them."""
    return sorted({1, *map(positive, text.split(","))})


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    arguments.add_argument("--processors", type=processors, default=list(range(1, cores + 1)), metavar="1,2,4", help="numbers of ranks and of threads [1 to the number of cores]")
    arguments.add_argument("--scenes", nargs="+", default=SCENES, metavar="NAME", help=f"scenes/NAME.ron, also your own scenes [{' '.join(SCENES)}]")
    arguments.add_argument("--frames", type=positive, help="frames of each run [all of the scene]")
    arguments.add_argument("--repeat", type=positive, default=3, help="runs of each configuration [3]")
    arguments.add_argument("--mpi", action="store_true", help="run ranks under mpirun")
    arguments.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/cloth-sim")
    arguments.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "scaling", help="folder of the table and the pictures [out/scaling]")
    arguments.add_argument("--draw", action="store_true", help="run nothing; draw an earlier runs.csv again")
    chosen = arguments.parse_args()
    chosen.out, chosen.binary = chosen.out.resolve(), chosen.binary.resolve()
    rows = read(chosen.out / "runs.csv") if chosen.draw else run_all(chosen)
    scenes, ways = ([*dict.fromkeys(row[name] for row in rows)] for name in ("scene", "way"))
    print_table(rows, scenes, ways)
    for scene in scenes:
        if len({row["state hash"] for row in rows if row["scene"] == scene}) > 1:
            sys.exit(f"runs of {scene} differ: frames must not depend on the number of processors")
    try:
        import matplotlib
    except ImportError:
        print("no pictures: they need matplotlib (pip install matplotlib), then use --draw", file=sys.stderr)
        return
    matplotlib.use("Agg")
    for scene in scenes:
        draw(rows, scene, ways, chosen.out)


if __name__ == "__main__":
    main()

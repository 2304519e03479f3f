#!/usr/bin/env python3
"""Runs rough scenes at several time steps and prints a Markdown table of their balance of energy.

    cargo build --release
    pip install numpy ipctk
    tools/rough.py --out out/rough                                  # tests/scenes/rough
    tools/rough.py --out out/rough --scenes tear,hook --steps 10    # some of them, at 4 ms
    tools/rough.py --out out/all --all                              # and all other scenes with cloth
    tools/rough.py --out out/later --compare out/rough/rough.json   # before > after

A run takes one thread. Its numbers come from run.json, steps.jsonl and the frames, and are saved in OUT/rough.json
after each run; rows that are there already stay, unless their run is repeated.

end          how the run ended. `time` is a run that was ended after --timeout; what follows is up to its last frame
CPU          processor time, s. It depends less than wall time on what else the machine does
work         sum of |W| over all steps, J
rise         sum of the unexplained rises of all steps, J
share        rise over work + lift + largest internal energy. Lift raises each cloth by the diagonal of its box.
             Internal energy is total energy less that of the weight, at frames
window       largest rise within 0.1 s, J
faults       steps whose rise is a fault
strain       of the longest edge at a frame, against its rest length
held         steps of prescribed bodies that had to wait
crossings    intersections of all frames, with obstacles: by `cloth-sim check` / by ipctk
jump         largest way of a cloth vertex between two frames, mm

Without ipctk its count is `-`. Exit code 0 if all runs ended by themselves. Needs Linux (/proc).
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ROUGH = ROOT / "tests/scenes/rough"
OTHER = [ROOT / "scenes", ROOT / "tests/scenes"]
COUNTERS = {
    "CG": "cg_iterations", "solves": "solves", "repairs": "repairs", "halvings": "halvings", "held": "held_steps",
    "unresolved": "unresolved_collisions",
}
COLUMNS = [
    "scene", "steps", "end", "wall s", "CPU s", *COUNTERS, "work J", "rise J", "share %", "window J", "faults",
    "strain %", "jump mm", "crossings",
]
# Columns of which a comparison shows both values. It leaves out the others.
COMPARED = ["end", "CPU s", "CG", "repairs", "held", "unresolved", "work J", "rise J", "share %", "strain %", "jump mm",
            "crossings"]
# Length of a window of the balance, s.
WINDOW_S = 0.1
# How long a run may take to end by itself after SIGTERM, s.
PATIENCE_S = 60


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs and of rough.json")
    parser.add_argument("--scenes", type=lambda text: text.split(","), help="names, with commas between them [all]")
    parser.add_argument("--all", action="store_true", help="also the scenes of scenes/ and tests/scenes/")
    parser.add_argument("--steps", type=lambda text: text.split(","), default=["40", "10", "4"],
                        help="steps a frame, in this order; `own` is the scene's own number [40,10,4]")
    parser.add_argument("--timeout", type=float, default=150, metavar="S", help="processor time of a run, s [150]")
    parser.add_argument("--compare", type=Path, metavar="JSON", help="rough.json of an earlier version")
    parser.add_argument("--no-ipctk", action="store_true", help="leave out the second count, which may take longer")
    parser.add_argument("--no-run", action="store_true", help="print the table of what is in OUT/rough.json")
    return parser.parse_args()


# Scenes

def find_scenes(chosen):
    """Returns the paths of the scenes by name."""
    folders = [ROUGH] + (OTHER if chosen.all else [])
    paths = [path for folder in folders for path in sorted(folder.glob("*.ron"))]
    scenes = {}
    for path in paths:
        if re.search(r"^ *cloths:", path.read_text(), re.M):
            rough = path.parent == ROUGH
            scenes[path.stem if rough else str(path.relative_to(ROOT).with_suffix(""))] = path
    if chosen.scenes:
        unknown = [name for name in chosen.scenes if name not in scenes]
        if unknown:
            sys.exit(f"unknown scene `{unknown[0]}`; there are {', '.join(scenes)}")
        scenes = {name: scenes[name] for name in chosen.scenes}
    return scenes


# Runs

def processor_time(process):
    """Returns the processor time of a process, s."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(binary, scene, steps, folder, timeout):
    """Runs a scene. Returns how it ended, wall time and processor time (s)."""
    command = [binary, scene, "--out", folder, "--overwrite", "--threads", "1", "--quiet",
               "--set", "output.energy=true"]
    command += [] if steps == "own" else ["--set", f"steps_per_frame={steps}"]
    folder.parent.mkdir(parents=True, exist_ok=True)
    start, used, stopped = time.monotonic(), 0.0, None
    with open(folder.with_suffix(".log"), "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        # The process is left as a zombie until its time is read.
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            used = processor_time(process.pid)
            if used > timeout and stopped is None:
                stopped = time.monotonic()
                process.send_signal(signal.SIGTERM)
            if stopped and time.monotonic() > stopped + PATIENCE_S:
                process.kill()
            time.sleep(0.05)
        used = processor_time(process.pid)
        code = process.wait()
    end = "time" if stopped else "whole" if code == 0 else f"code {code}"
    return end, time.monotonic() - start, used


# Frames

def read_frame(path):
    """Returns positions (n x 3, m), polygons, and the objects as pairs of a name and the first vertex."""
    points, polygons, objects = [], [], []
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            points.append(rest.split()[:3])
        elif kind == "f":
            polygons.append([int(word.split("/")[0]) - 1 for word in rest.split()])
        elif kind == "o":
            objects.append((rest, len(points)))
    return np.array(points, dtype=float).reshape(-1, 3), polygons, objects


def densities(scene):
    """Returns kg/m^2 of each cloth of a run's scene.ron, by name."""
    fabrics = dict(re.findall(r"^\| (\w+) \| (0\.\d+) \|", (ROOT / "docs/scene.md").read_text(), re.M))
    cloths = scene.split("    cloths: [")[1].split("\n    ],")[0]
    found = re.findall(r'^ {12}name: "(.*)",|Fabric\("(.*)"\)|density_kg_per_m2: ([\d.e-]+)', cloths, re.M)
    names = [name for name, _, _ in found if name]
    values = [float(number or fabrics[fabric]) for name, fabric, number in found if not name]
    return dict(zip(names, values))


def masses(folder, cloth):
    """Returns kg of each of the `cloth` vertices, from the areas of frame 0."""
    points, polygons, objects = read_frame(folder / "frame_0000.obj")
    of_name = densities((folder / "scene.ron").read_text())
    density = np.full(cloth, next(iter(of_name.values())))
    for name, first in objects:
        density[first:] = of_name.get(name, density[0])
    mass = np.zeros(cloth)
    for polygon in (polygon for polygon in polygons if polygon[0] < cloth):
        sides = points[polygon[1:]] - points[polygon[0]]
        area = np.linalg.norm(np.cross(sides[:-1], sides[1:]).sum(axis=0)) / 2
        np.add.at(mass, polygon, area * density[polygon[0]] / len(polygon))
    return mass


def lift(folder, mass, points, gravity):
    """Returns the energy that lifts each object by the diagonal of its box at the start, J."""
    _, _, objects = read_frame(folder / "frame_0000.obj")
    starts = sorted({first for _, first in objects if first < len(mass)} | {0, len(mass)})
    ranges = [slice(a, b) for a, b in zip(starts, starts[1:])]
    return gravity * sum(mass[of].sum() * np.linalg.norm(np.ptp(points[of], axis=0)) for of in ranges)


def measure_frames(folder, energies):
    """Returns lift and the largest internal energy (J), and the largest jump (mm). `energies` are of frames."""
    cloth = len((folder / "partition.csv").read_text().splitlines()) - 1
    numbers = re.search(r"gravity_m_per_s2: \((.*)\)", (folder / "scene.ron").read_text())[1]
    gravity = np.array([float(number) for number in numbers.split(",")])
    mass = masses(folder, cloth)
    internal, jump, last = 0.0, 0.0, None
    for number, energy in enumerate(energies):
        points = read_frame(folder / f"frame_{number:04}.obj")[0][:cloth]
        if last is None:
            lift_j = lift(folder, mass, points, np.linalg.norm(gravity))
        else:
            jump = max(jump, np.linalg.norm(points - last, axis=1).max())
            internal = max(internal, energy + mass @ (points @ gravity))
        last = points
    return lift_j, internal, 1e3 * jump


# Measures

def largest_window(rises, length):
    """Returns the largest sum of `length` consecutive rises."""
    sums = np.concatenate([[0.0], np.cumsum(rises)])
    return max(sums[min(i + length, len(rises))] - sums[i] for i in range(len(rises))) if rises else 0.0


def checked(binary, folder):
    """Returns intersections of all frames by cloth-sim check, and the strain of the longest edge (%)."""
    output = subprocess.run([binary, "check", folder], capture_output=True, text=True).stdout
    rows = re.findall(r"^ +\d+ +(\d+) +(\S+) +\S+ +\S+$", output, re.M)
    return sum(int(count) for count, _ in rows), max((float(strain) for _, strain in rows), default=0.0)


def checked_by_ipctk(folder):
    """Returns intersections of all frames by tools/check_frames.py, None without ipctk."""
    script = ROOT / "tools/check_frames.py"
    output = subprocess.run([sys.executable, script, folder], capture_output=True, text=True).stdout
    counts = re.findall(r"^ +\d+ +(\d+)$", output, re.M)
    return sum(map(int, counts)) if counts else None


def is_fault(step):
    rise = step.get("energy_rise")
    return rise is not None and rise["unexplained_j"] > rise["limit_j"]


def measure(binary, folder, with_ipctk):
    """Returns the columns of a run that come from its files."""
    frames = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
    head = json.loads((folder / "run.json").read_text())
    steps = [step for frame in frames for step in frame["steps"]]
    rate = float(re.search(r"frames_per_second: ([\d.]+)", (folder / "scene.ron").read_text())[1])
    rises = [step.get("unexplained_rise_j", 0.0) for step in steps]
    work, rise = sum(abs(step.get("work_j", 0.0)) for step in steps), sum(rises)
    energies = [frame["steps"][-1]["energy_j"] if frame["steps"] else 0.0 for frame in frames]
    lift_j, internal_j, jump = measure_frames(folder, energies)
    crossings, strain = checked(binary, folder)
    scale = work + lift_j + internal_j
    return {
        **{column: sum(step[name] for step in steps) for column, name in COUNTERS.items()},
        "frames": len(frames) - 1, "work J": work, "rise J": rise, "lift J": lift_j, "internal J": internal_j,
        "share %": 100 * rise / scale if scale > 0 else 0.0,
        "window J": largest_window(rises, max(1, round(WINDOW_S * rate * head["steps_per_frame"]))),
        "faults": sum(is_fault(step) for step in steps), "strain %": strain, "jump mm": jump,
        "crossings": crossings, "ipctk": checked_by_ipctk(folder) if with_ipctk else None,
    }


# Tables

def cell(row, column):
    value = row.get(column)
    if column == "crossings" and value is not None:
        return f"{value}/{'-' if row['ipctk'] is None else row['ipctk']}"
    if column == "end" and value == "time":
        return f"time, {row.get('frames', 0)} frames"
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


def both(before, after, column):
    cells = [cell(row, column) for row in (before, after)]
    return cells[0] if cells[0] == cells[1] else " > ".join(cells)


def print_row(row, before):
    """Prints a row; with an earlier row `before`, the columns to compare."""
    cells = [cell(row, column) for column in COLUMNS]
    if before is not None:
        cells = cells[:2] + [both(before, row, column) for column in COMPARED]
    print("| " + " | ".join(cells) + " |", flush=True)


def read_rows(path):
    return {(row["scene"], row["steps"]): row for row in json.loads(path.read_text())} if path.exists() else {}


def main():
    chosen = arguments()
    scenes = find_scenes(chosen)
    if chosen.compare and not chosen.compare.exists():
        sys.exit(f"{chosen.compare}: no such file; give the rough.json of an earlier --out")
    if not chosen.no_run and not chosen.binary.exists():
        sys.exit(f"{chosen.binary}: no such file; build it, or name it with --binary")
    saved, earlier = chosen.out / "rough.json", read_rows(chosen.compare) if chosen.compare else None
    rows = read_rows(saved)
    columns = COLUMNS if earlier is None else COLUMNS[:2] + COMPARED
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    failed = False
    for steps in chosen.steps:
        for name, scene in scenes.items():
            key = (name, steps)
            if not chosen.no_run:
                folder = chosen.out / f"{name.replace('/', '_')}_{steps}"
                end, wall, used = run(chosen.binary, scene, steps, folder, chosen.timeout)
                rows[key] = {"scene": name, "steps": steps, "end": end, "wall s": wall, "CPU s": used}
                if (folder / "partition.csv").exists() and (folder / "steps.jsonl").exists():
                    rows[key] |= measure(chosen.binary, folder, not chosen.no_ipctk)
                saved.write_text(json.dumps(list(rows.values()), indent=1) + "\n")
            if key in rows:
                failed |= rows[key]["end"] != "whole"
                print_row(rows[key], earlier if earlier is None else earlier.get(key, {}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

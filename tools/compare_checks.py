#!/usr/bin/env python3
"""Compares `cloth-sim check` with check_frames.py, on a run and on broken copies of it.

    pip install numpy ipctk
    cargo build --release
    tools/compare_checks.py out/tablecloth --copies 3

Both must count the same intersections in every frame. In a copy, half of the frames
are broken, each in one way: a vertex is pulled aside; the cloth is folded over a
plane, jittered or pressed into its obstacles; a coordinate is not finite; or the
file is torn or missing. The exit code is 1 if they disagree in any frame.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FAULTS = ["pull", "fold", "jitter", "press", "not finite", "torn", "missing"]


def counts(command, folder):
    """Returns a checker's count for each frame, or '-' if it cannot judge the frame."""
    text = subprocess.run([*command, folder], capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines() if line.startswith(" ")]
    rows = [row for row in rows if row[0].isdigit()]
    return {int(row[0]): int(row[1]) if row[1].isdigit() else "-" for row in rows}


def spoil(path, fault, random):
    """Breaks one frame in the given way."""
    if fault == "missing":
        return path.unlink()
    lines = path.read_text().splitlines(keepends=True)
    if fault == "torn":
        return path.write_text("".join(lines[:random.integers(2, len(lines))]))
    places = [i for i, line in enumerate(lines) if line.startswith("v ")]
    x = np.array([lines[i].split()[1:4] for i in places], dtype=float)
    size = np.ptp(x, axis=0).max()
    vertex = random.integers(len(x))
    if fault == "pull":
        x[vertex] += random.normal(size=3) * 0.1 * size
    elif fault == "fold":
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        beyond = np.maximum((x - x[vertex]) @ normal, 0)
        x -= 2 * beyond[:, None] * normal
    elif fault == "jitter":
        x += random.normal(size=x.shape) * 0.5 * size / len(x) ** 0.5
    elif fault == "press":
        x[:, 1] -= random.random() * 0.2 * size
    else:
        x[vertex, random.integers(3)] = random.choice([np.nan, np.inf])
    for i, place in zip(places, x):
        lines[i] = "v {:.9g} {:.9g} {:.9g}\n".format(*place)
    path.write_text("".join(lines))


def compare(folder, program):
    """Prints both counts of each frame; returns in how many frames they differ."""
    ours = counts([program, "check"], folder)
    theirs = counts([sys.executable, HERE / "check_frames.py"], folder)
    differ = 0
    for frame in sorted(ours.keys() | theirs.keys()):
        pair = ours.get(frame), theirs.get(frame)
        differ += pair[0] != pair[1]
        print(f"{frame:5}  {pair[0]!s:>10}  {pair[1]!s:>10}" + "  DIFFER" * (pair[0] != pair[1]))
    return differ


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--copies", type=int, default=1, help="number of broken copies [1]")
    arguments.add_argument("--seed", type=int, default=0, help="seed of the faults [0]")
    arguments.add_argument("--program", default=HERE.parent / "target/release/cloth-sim")
    chosen = arguments.parse_args()

    print("frame   cloth-sim       ipctk")
    differ = compare(chosen.folder, chosen.program)
    random = np.random.default_rng(chosen.seed)
    for copy in range(chosen.copies):
        with tempfile.TemporaryDirectory() as place:
            broken = pathlib.Path(place) / "run"
            shutil.copytree(chosen.folder, broken)
            for path in sorted(broken.glob("frame_*.obj")):
                if random.random() < 0.5:
                    fault = random.choice(FAULTS)
                    print(f"copy {copy}: {path.name}: {fault}")
                    spoil(path, fault, random)
            differ += compare(broken, chosen.program)
    print(f"the two disagree on {differ} frames" if differ else "the two agree on every frame")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

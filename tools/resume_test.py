#!/usr/bin/env python3
"""Ends runs of cloth-sim at random moments, goes on with each of them, and compares their frames.

A run is ended by SIGKILL, SIGTERM, `--stop-after` or a full disk, once or several times. Each time it
goes on with another number of ranks and threads, in one process or under mpirun. At its end

- all frames have the bytes of an undisturbed run;
- `steps.jsonl` has the same frames with the same hashes of the state, and the same steps;
- `run.json` has the same balance of energy;
- no temporary file and no lock is left.

Prints a table. The exit code is 1 if there is a fault. Needs Linux, Python 3.9 and no other package. A
full disk needs root (a small tmpfs) and is left out without. `--mpi` needs a build with `--features mpi`.

    cargo build --release --features mpi
    tools/resume_test.py --mpi                # 30 moments for each of four ends, all scenes
    tools/resume_test.py --count 2 --scene gas
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A run that has not ended by then hangs, s.
LIMIT = 300
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
# Scene file, settings, and whether runs begin under mpirun.
SCENES = {
    "contacts": ("scenes/drop_knot.ron", ["frames=6", "steps_per_frame=10"], False),
    "all formats": (
        "scenes/drop_knot.ron",
        ["frames=6", "steps_per_frame=10", "output.formats=[\"obj\",\"vtp\",\"pc2\",\"usd\"]"],
        False,
    ),
    "pinch": ("scenes/pinch.ron", ["frames=8", "steps_per_frame=4", "frames_per_second=50"], False),
    "repartition": (
        "scenes/tablecloth.ron",
        ["frames=4", "steps_per_frame=4", "frames_per_second=100", "partition.repartition=Always"],
        False,
    ),
    "gas": ("scenes/granular_gas.ron", ["frames=5", "steps_per_frame=20"], False),
    "joints": ("tests/scenes/joints.ron", [], False),
    "well": ("scenes/well.ron", ["frames=3", "steps_per_frame=40"], False),
    "mpirun": ("scenes/drop_gear.ron", ["frames=6", "steps_per_frame=10"], True),
}
ENDS = ("SIGKILL", "SIGTERM", "stop-after", "full disk")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--count", type=int, default=30, help="moments for each end [30]")
    parser.add_argument("--scene", choices=SCENES, action="append", help="one of the scenes [all]")
    parser.add_argument("--mpi", action="store_true", help="some parts of a run are under mpirun")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments [1]")
    return parser.parse_args()


class Tester:
    def __init__(self, options, name, folder):
        self.options = options
        self.scene, self.settings, self.mpi_first = SCENES[name]
        self.folder = folder
        self.whole = folder / "whole"
        start = time.monotonic()
        done = self.wait(self.launch(self.begin(self.whole), 1, 2))
        if done.returncode != 0:
            sys.exit(f"{name}: the undisturbed run fails: {done.stderr}")
        self.seconds = time.monotonic() - start
        self.size = sum(file.stat().st_size for file in self.whole.rglob("*"))
        self.expected = result(self.whole)

    def begin(self, out):
        settings = [word for setting in self.settings for word in ("--set", setting)]
        return [str(ROOT / self.scene), "--out", str(out), *settings]

    def launch(self, words, ranks, threads, mpi=False, more=()):
        binary = str(self.options.binary)
        start = [binary, *words, "--ranks", str(ranks)]
        if mpi:
            start = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), binary, *words]
        return subprocess.Popen(
            [*start, "--threads", str(threads), "--oversubscribe", "--quiet", *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **MPI_ENVIRONMENT},
        )

    def wait(self, run):
        run.said = run.communicate(timeout=LIMIT)[1]
        return subprocess.CompletedProcess(run.args, run.returncode, "", run.said)

    def part(self, words, end, is_first=False):
        """A part of a run, ended by `end`."""
        ranks, threads = random.choice([(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
        mpi = self.options.mpi and (self.mpi_first if is_first else random.random() < 0.25)
        moment_s = random.uniform(0.05, 1.1) * self.seconds
        more = ["--stop-after", f"{round(1e3 * moment_s)}ms"] if end == "stop-after" else []
        run = self.launch(words, 3 if mpi and is_first else ranks, 1 if mpi else threads, mpi, more)
        if end in ("SIGKILL", "SIGTERM"):
            try:
                run.wait(timeout=moment_s)
            except subprocess.TimeoutExpired:
                self.send(run, getattr(signal, end), mpi)
        return self.wait(run)

    def send(self, run, sent, mpi):
        """Sends a signal. Under mpirun, SIGKILL hits a random rank."""
        target = run.pid
        while mpi and sent == signal.SIGKILL and target == run.pid and run.poll() is None:
            # Without mpirun itself the ranks would go on.
            target = random.choice(children(run.pid) or [run.pid])
        if run.poll() is not None:
            return
        try:
            os.kill(target, sent)
        except ProcessLookupError:
            pass

    def one(self, number, end):
        """Ends a run, goes on with it until it is complete. Returns the number of parts and faults."""
        out = self.folder / f"run_{number}_{end.replace(' ', '_')}"
        disk = Disk(out, random.uniform(0.05, 0.9) * self.size) if end == "full disk" else None
        folder = out / "run" if disk else out
        try:
            return self.complete(folder, end, disk)
        finally:
            if disk:
                disk.remove()
            shutil.rmtree(out, ignore_errors=True)

    def complete(self, folder, end, disk):
        ended = self.part(self.begin(folder), end, is_first=True)
        parts = 1
        while status(folder) != "complete":
            if disk:
                disk.grow()
            if not (folder / "scene.ron").exists():
                # It had not begun. A user starts it again.
                shutil.rmtree(folder, ignore_errors=True)
                ended = self.part(self.begin(folder), None)
            else:
                again = end if end != "full disk" and parts < 3 and random.random() < 0.5 else None
                ended = self.part(["resume", str(folder)], again)
            parts += 1
            if parts > 6:
                return parts, [f"the run does not end: {ended.stderr.strip()}"]
        return parts, [*self.differences(folder), *litter(folder)]

    def differences(self, folder):
        found, faults = result(folder), []
        for key, value in self.expected.items():
            if found.get(key) != value:
                faults.append(f"{key} is not that of the undisturbed run")
        more = found.keys() - self.expected.keys()
        return faults + [f"{key} is not in the undisturbed run" for key in sorted(more)]


class Disk:
    """A small file system."""

    def __init__(self, place, size):
        self.place = place
        place.mkdir()
        self.mount("-t", "tmpfs", "-o", f"size={round(size)}", "tmpfs")

    def mount(self, *words):
        subprocess.run(["mount", *words, str(self.place)], check=True)

    def grow(self):
        self.mount("-o", "remount,size=4g")

    def remove(self):
        subprocess.run(["umount", str(self.place)], check=True)


def children(parent):
    """The processes of cloth-sim below a process."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = entry.read_text().rsplit(")", 1)
        except OSError:
            continue
        if rest.split()[1] == str(parent):
            found += [int(entry.parent.name)] if "cloth-sim" in name else children(int(entry.parent.name))
    return found


def status(folder):
    try:
        return json.loads((folder / "run.json").read_text())["status"]
    except (OSError, ValueError):
        return "no run"


def result(folder):
    """What must not depend on how a run was computed: by name."""
    found = {}
    for frame in sorted([*folder.glob("frame*"), *folder.glob("scene.usda")]):
        found[frame.name] = hashlib.sha256(frame.read_bytes()).hexdigest()
    for line in (folder / "steps.jsonl").read_text().splitlines():
        record = json.loads(line)
        steps = sorted({step["step"] for step in record["steps"]})
        found[f"record of frame {record['frame']}"] = (record["state_hash"], steps)
    found["balance of energy"] = json.loads((folder / "run.json").read_text())["energy"]
    return found


def litter(folder):
    files = [*folder.glob("*.tmp"), *folder.glob("*.lock")]
    return [f"{file.name} is left" for file in files]


def main():
    options = arguments()
    random.seed(options.seed)
    faults = 0
    print(f"{'scene':<12} {'end':<10} {'runs':>5} {'parts':>6} {'faults':>7}")
    for name in options.scene or SCENES:
        with tempfile.TemporaryDirectory() as folder:
            tester = Tester(options, name, Path(folder))
            for end in ENDS:
                if end == "full disk" and os.geteuid() != 0:
                    continue
                rows = [tester.one(number, end) for number in range(options.count)]
                found = [fault for _, faults_of_run in rows for fault in faults_of_run]
                parts = sum(parts for parts, _ in rows)
                print(f"{name:<12} {end:<10} {len(rows):>5} {parts:>6} {len(found):>7}", flush=True)
                for fault in found[:5]:
                    print(f"    {fault}")
                faults += len(found)
    print("no fault" if faults == 0 else f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

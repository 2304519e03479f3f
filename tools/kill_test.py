#!/usr/bin/env python3
"""Ends runs of cloth-sim at random moments, and checks what is left of them. Needs Linux (/proc).

Sends SIGINT, SIGTERM, SIGHUP and SIGKILL to runs of the real binary, a part of them during set-up. Then:

- a run that another signal than SIGKILL has ended says so, by its words, its exit code and its run.json; or
  it has left no folder, if no frame was written yet;
- all frames that a run lists are whole, in all formats: `cloth-sim check` reads the OBJ files and finds no fault;
- no temporary file and no lock is left. After SIGKILL the next run with --overwrite recognises the
  lock as that of a dead process, and removes what is left.

Prints a table. The exit code is 1 if there is a fault. Needs Python 3.9 and no other package.

    cargo build --release
    tools/kill_test.py                       # 80 runs of two ranks in one process
    cargo build --release --features mpi
    tools/kill_test.py --mpirun --count 5    # 20 runs of two processes
"""

import argparse
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
# A run that has not ended by then hangs, s.
LIMIT = 120
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--scene", type=Path, default=ROOT / "scenes/tablecloth.ron")
    parser.add_argument("--count", type=int, default=20, help="runs for each signal [20]")
    parser.add_argument("--ranks", type=int, default=2, help="ranks, one thread each [2]")
    parser.add_argument("--mpirun", action="store_true", help="ranks are processes of mpirun")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments [1]")
    return parser.parse_args()


class Tester:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder

    def command(self, out):
        """A run that does not end by itself. Each of its frames is one step of 1 ms."""
        binary, ranks = str(self.options.binary), str(self.options.ranks)
        start = [binary, "--ranks", ranks]
        if self.options.mpirun:
            start = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks, binary]
        settings = ["frames_per_second=1000", "steps_per_frame=1", "frames=100000"]
        settings.append('output.formats=["obj", "vtp", "pc2", "usd"]')
        more = [word for setting in settings for word in ("--set", setting)]
        scene = str(self.options.scene)
        return [*start, scene, "--out", str(out), "--threads", "1", "--quiet", *more]

    def start(self, out):
        return subprocess.Popen(
            self.command(out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(MPI_ENVIRONMENT if self.options.mpirun else {})},
        )

    def set_up_s(self):
        """How long it takes until frame 0 is there, s."""
        out = self.folder / "set_up"
        start = time.monotonic()
        run = self.start(out)
        while not (out / "frame_0000.obj").exists():
            if run.poll() is not None or time.monotonic() - start > LIMIT:
                run.kill()
                sys.exit(f"the run does not begin: {run.communicate()[1]}")
            time.sleep(0.005)
        elapsed = time.monotonic() - start
        run.terminate()
        run.communicate(timeout=LIMIT)
        return elapsed

    def end(self, run, sent):
        """Sends the signal and waits. Under mpirun, SIGKILL hits a random rank."""
        target = run.pid
        if self.options.mpirun and sent == signal.SIGKILL:
            target = random.choice(children(run.pid) or [run.pid])
        try:
            os.kill(target, sent)
        except ProcessLookupError:
            pass
        return run.communicate(timeout=LIMIT)[1]

    def one(self, number, sent, moment_s):
        """Ends one run. Returns its row and its faults."""
        out = self.folder / f"{sent.name}_{number}"
        run = self.start(out)
        # Before it blocks its signals, it has only read its arguments.
        while not self.options.mpirun and not holds_signals(run):
            time.sleep(0.001)
        time.sleep(moment_s)
        said = self.end(run, sent)
        faults = []
        row = Row(out)
        if sent == signal.SIGKILL:
            faults += row.faults_of_killed(self)
        else:
            faults += row.faults_of_interrupted(said)
            code = 128 + sent
            if not self.options.mpirun and run.returncode != code:
                faults.append(f"exit code {run.returncode} instead of {code}")
        faults += row.faults_of_frames(self)
        if sent == signal.SIGKILL:
            faults += self.faults_of_next(out, row.locked)
        if "METIS" in said or "panicked" in said:
            faults.append(f"said: {said.strip()}")
        return row, faults

    def program(self, *words):
        command = [str(self.options.binary), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)

    def faults_of_next(self, out, locked):
        """The next run into the folder removes what a killed run has left."""
        scene = self.options.scene
        ended = self.program(scene, "--out", out, "--overwrite", "--frames", 0, "--quiet")
        faults = []
        if ended.returncode != 0:
            faults.append(f"the next run: {ended.stderr.strip()}")
        if locked and "takes the folder over" not in ended.stderr:
            faults.append("the next run does not say that the lock was stale")
        faults += [f"{name} is left after the next run" for name in litter(out)]
        if not (out / "run.json").exists() or status(out) != "complete":
            faults.append("the next run is not complete")
        return faults


class Row:
    """What a run has left."""

    def __init__(self, out):
        self.out = out
        self.exists = out.exists()
        self.locked = (out / "run.lock").exists()
        self.status = status(out) if self.exists else "no folder"
        self.frames = len(listed(out))

    def faults_of_interrupted(self, said):
        faults = [f"{name} is left" for name in litter(self.out)]
        if self.exists and self.status != "interrupted":
            faults.append(f"status {self.status}")
        words = "interrupted, no frame written"
        if self.exists:
            last = self.frames - 1
            words = "interrupted, " + (f"frames 0 to {last} whole" if last else "frame 0 whole")
        if words not in said:
            faults.append(f"`{words}` is not said, but: {said.strip()}")
        return faults

    def faults_of_killed(self, tester):
        if self.status in ("no folder", "no run.json", "running"):
            return []
        # A killed rank ends the others in order before they write.
        return [f"status {self.status}"]

    def faults_of_frames(self, tester):
        """Every listed frame is whole, by `cloth-sim check`."""
        if not self.exists or self.status == "no run.json":
            return []
        checked = tester.program("check", self.out)
        text = checked.stdout + checked.stderr
        if self.frames == 0:
            return [] if "no frame whole" in text else [f"check: {text.strip()}"]
        count = "1 frame" if self.frames == 1 else f"{self.frames} frames"
        cause = {"interrupted": "the run was interrupted", "running": "the run was killed"}
        words = [f"no fault in {count}", cause.get(self.status, "?")]
        faults = [f"check does not say `{word}`: {text.strip()}" for word in words if word not in text]
        return faults + self.faults_of_formats()

    def faults_of_formats(self):
        """Every listed frame is in the files of the formats that `check` does not read."""
        faults = []
        for number in range(self.frames):
            for name in (f"frame_{number:04}.vtp", f"frame.{number:04}.usda"):
                if not (self.out / name).exists():
                    faults.append(f"{name} is missing")
        last = re.search(r"endTimeCode = (\d+)", (self.out / "frames.usda").read_text())
        if not last or int(last[1]) < self.frames - 1:
            faults.append("frames.usda ends too early")
        if (self.out / "frames.pvd").read_text().count("<DataSet ") < self.frames:
            faults.append("frames.pvd lists too few frames")
        for path in self.out.glob("frames_*.pc2"):
            head = path.read_bytes()[:32]
            points, samples = struct.unpack("<I8xI", head[16:])
            if samples < self.frames or path.stat().st_size < 32 + 12 * points * samples:
                faults.append(f"{path.name} has too few frames")
        return faults


def holds_signals(run):
    """Whether the process has blocked SIGTERM, or has ended."""
    try:
        text = Path(f"/proc/{run.pid}/status").read_text()
    except FileNotFoundError:
        return True
    mask = re.search(r"SigBlk:\s*(\w+)", text)
    return mask is None or bool(int(mask[1], 16) & 1 << signal.SIGTERM - 1)


def status(out):
    try:
        return json.loads((out / "run.json").read_text())["status"]
    except FileNotFoundError:
        return "no run.json"
    except (ValueError, KeyError):
        return "torn run.json"


def listed(out):
    """The frames in steps.jsonl. A last line that is cut off does not count."""
    try:
        lines = (out / "steps.jsonl").read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [line for line in lines if line.endswith("\n")]


def litter(out):
    """Temporary files and locks, also in the folder of meshes."""
    files = out.rglob("*") if out.exists() else []
    return sorted(str(file.relative_to(out)) for file in files if file.suffix in (".tmp", ".lock"))


def children(process):
    found = subprocess.run(["pgrep", "-P", str(process), "cloth-sim"], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def span(numbers):
    return f"{min(numbers)} to {max(numbers)}" if numbers else "-"


def main():
    options = arguments()
    random.seed(options.seed)
    # The test may run under nohup, and what is ignored here is ignored in the runs.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(options, Path(folder))
        set_up_s = tester.set_up_s()
        print(f"{options.count} runs for each signal; frame 0 after {set_up_s:.2f} s\n")
        print("| signal  | runs | without a folder | interrupted | running | listed frames | faults |")
        print("|---------|-----:|-----------------:|------------:|--------:|--------------:|-------:|")
        all_faults = []
        for sent in SIGNALS:
            rows, count = [], 0
            for number in range(options.count):
                # mpirun needs a moment until it has started the ranks.
                first = 0.3 if options.mpirun else 0
                last = set_up_s if number % 2 == 0 else set_up_s + 3
                row, faults = tester.one(number, sent, random.uniform(first, last))
                rows.append(row)
                count += bool(faults)
                all_faults += [f"{row.out.name}: {fault}" for fault in faults]
            kinds = [row.status for row in rows]
            without = sum(kind in ("no folder", "no run.json") for kind in kinds)
            frames = span([row.frames for row in rows if row.frames])
            print(
                f"| {sent.name:7} | {len(rows):4} | {without:16} | {kinds.count('interrupted'):11} "
                f"| {kinds.count('running'):7} | {frames:>13} | {count:6} |",
                flush=True,
            )
        print(f"\n{len(all_faults)} faults")
        print("\n".join(all_faults))
    sys.exit(1 if all_faults else 0)


if __name__ == "__main__":
    main()

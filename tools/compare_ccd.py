#!/usr/bin/env python3
"""Runs the continuous tests of ipctk and cloth-sim on the same queries; prints a Markdown table.

    cargo build --release --bins --example ccd_queries
    for kind in vertex-face edge-edge; do
        target/release/examples/ccd_queries $kind 4000 > /tmp/$kind.csv
    done
    pip install ipctk numpy
    tools/compare_ccd.py --vertex-face /tmp/vertex-face.csv --edge-edge /tmp/edge-edge.csv

The files have the form of `cloth-sim ccd-queries`. ipctk runs with its defaults and
without a minimum distance. A query that takes it longer than 0.1 s is given up.
"""

import argparse
import csv
import os
import re
import signal
import subprocess
import sys
from fractions import Fraction
from itertools import islice
from pathlib import Path

import ipctk
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 0.1


def read(path):
    """Returns the queries of a file: eight points each (m), and whether they meet."""
    queries = []
    with open(path, newline="") as file:
        rows = csv.reader(file)
        while query := list(islice(rows, 8)):
            points = [
                [float(Fraction(int(row[i]), int(row[i + 1]))) for i in (0, 2, 4)] for row in query
            ]
            queries.append((list(np.array(points)), query[0][6] == "1"))
    return queries


def answers(test, queries):
    """Returns the answers of `test`: b"1", b"0", or b"?" if it took too long.

    A child process answers until its timer kills it. The signal of a timer ends
    compiled code too.
    """
    said = b""
    while len(said) < len(queries):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            for points, _ in queries[len(said) :]:
                signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
                os.write(writer, b"1" if test(*points)[0] else b"0")
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said += pipe.read()
        os.waitpid(child, 0)
        if len(said) < len(queries):
            said += b"?"
    return said


def count(test, queries):
    """Returns the numbers of false negatives, false positives and missing answers."""
    said = list(zip(answers(test, queries), (meets for _, meets in queries)))
    return said.count((ord("0"), True)), said.count((ord("1"), False)), sum(a == ord("?") for a, _ in said)


def ours(binary, kind, path):
    """Returns the same numbers for cloth-sim, read from its output."""
    command = [binary, "ccd-queries", "--kind", kind, path]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"(\d+) false negatives?, (\d+) false positives?", said)
    if not found:
        sys.exit(f"{' '.join(map(str, command))} printed no counts: {said}")
    return (*map(int, found.groups()), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vertex-face", type=Path, required=True)
    parser.add_argument("--edge-edge", type=Path, required=True)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/cloth-sim")
    arguments = parser.parse_args()
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    peers = {"ipctk, additive": ipctk.AdditiveCCD(), "ipctk, Tight Inclusion": ipctk.TightInclusionCCD()}

    print(f"ipctk {ipctk.__version__}\n")
    print("| kind | queries | meet | test | false negatives | false positives | no answer |")
    print("|---|---|---|---|---|---|---|")
    for kind, path in [("vertex-face", arguments.vertex_face), ("edge-edge", arguments.edge_edge)]:
        queries = read(path)
        meet = sum(meets for _, meets in queries)
        results = {"cloth-sim": ours(arguments.binary, kind, path)}
        for name, ccd in peers.items():
            test = ccd.point_triangle_ccd if kind == "vertex-face" else ccd.edge_edge_ccd
            results[name] = count(test, queries)
        for name, counts in results.items():
            print(f"| {kind} | {len(queries)} | {meet} | {name} | {' | '.join(map(str, counts))} |", flush=True)


if __name__ == "__main__":
    main()

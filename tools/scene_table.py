#!/usr/bin/env python3
"""Prints a Markdown table of finished runs from their run.json and steps.jsonl.

    python3 tools/scene_table.py out/tablecloth out/stack ...

Counts are sums over all ranks.

repaired     share of vertex-steps that a further solve of the same step covered
redone       solves of the whole system beyond one a step
truncated    share of vertex-steps that the fail-safe shortened
path lost    share of all motion that the fail-safe took away
above start  largest total energy less that after the first step (runs with --set output.energy=true only)
"""

import argparse
import json
from pathlib import Path

COLUMNS = [
    "scene", "vertices", "frames", "steps", "candidates a step", "contacts a step", "collisions", "rounds",
    "repaired", "truncated", "path lost", "redone", "pinches", "held", "above start, J",
]


def row(folder: Path) -> list[str]:
    """Returns the cells of one run."""
    run = json.loads((folder / "run.json").read_text())
    lines = [json.loads(line) for line in (folder / "steps.jsonl").open()]
    steps, ranks = [step for frame in lines for step in frame["steps"]], run["ranks"]
    first = [step for step in steps if step["rank"] == 0]

    def total(name, of=steps):
        return sum(step.get(name, 0) for step in of)

    vertices = sum(place["vertices"] for place in run["places"])
    count = max(len(first), 1)
    frames = len(lines) - 1
    energies = [step["energy_j"] for step in first if "energy_j" in step]
    above = f"{max(energies) - energies[0]:.2g}" if energies else "-"
    return [
        f"{run['scene']}" + ("" if run["status"] == "complete" else f" ({run['status']})"),
        f"{vertices:,}", f"{frames}", f"{count:,}",
        f"{total('candidate_pairs') / count:,.0f}",
        f"{(total('proximity_pairs') + total('predicted_impacts')) / count:,.0f}",
        f"{total('collisions'):,}", f"{total('impulse_rounds', first):,}",
        f"{total('repaired_nodes', first) / (count * vertices):.1e}",
        f"{total('truncated_vertices', first) / (count * vertices):.1e}",
        f"{total('path_lost_m') / max(total('path_m'), 1e-300):.1e}",
        f"{total('solves', first) - count}", f"{total('pinches', first)}", f"{total('held_steps', first)}",
        above,
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of finished runs")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for folder in parser.parse_args().folders:
        print("| " + " | ".join(row(folder)) + " |")

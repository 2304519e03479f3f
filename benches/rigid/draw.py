#!/usr/bin/env python3
"""Draws the tables of `cargo bench --bench rigid -- WHAT csv=FILE` beside the published ratios.

draw.py FILE FOLDER

The rows of FILE are the name of a table and then `name=value`. Writes a picture for each table that
FILE has: sizes, strong, weak, methods. Needs matplotlib.
"""

import sys
from collections import defaultdict
from pathlib import Path

from matplotlib import pyplot

# Iglberger & Rüde 2009: 1,000 steps with 15,625 spheres a process.
PUBLISHED_STRONG = [1.0, 390 / 266, 545 / 266]
# Eibl & Rüde 2018: shadow owners over next neighbours.
PUBLISHED_METHODS = {"sparse": 0.83, "dense": 0.9}


def read(path):
    """The rows of each table, the last ones of equal names."""
    tables = defaultdict(list)
    for line in Path(path).read_text().splitlines():
        name, *cells = line.split(",")
        tables[name].append(dict(cell.split("=", 1) for cell in cells))
    return tables


def lines(axes, rows, group, x, y):
    """One line for each value of `group`; later rows replace earlier ones."""
    for label in dict.fromkeys(row[group] for row in rows):
        points = {float(row[x]): float(row[y]) for row in rows if row[group] == label}
        axes.plot(sorted(points), [points[at] for at in sorted(points)], marker="o", label=label)


def sizes(axes, rows):
    lines(axes, rows, "scene", "bodies", "ns")
    axes.set(xscale="log", xlabel="bodies", ylabel="ns a body and step", ylim=(0, None))


def strong(axes, rows):
    for row in rows:
        row["ranks"] += " ranks"
    lines(axes, rows, "ranks", "dimensions", "ratio")
    axes.plot([1, 2, 3], PUBLISHED_STRONG, "k--", label="published")
    axes.set(xticks=[1, 2, 3], xlabel="dimensions that are cut", ylabel="time over 1D", ylim=(0, None))


def weak(axes, rows):
    lines(axes, rows, "method", "ranks", "messages")
    axes.set(xscale="log", xlabel="ranks", ylabel="messages a rank and step", ylim=(0, None))
    other = axes.twinx()
    for label in dict.fromkeys(row["method"] for row in rows):
        points = {float(row["ranks"]): float(row["bytes"]) / 1e3 for row in rows if row["method"] == label}
        other.plot(sorted(points), [points[at] for at in sorted(points)], "--", label=label)
    other.set(ylabel="kB a rank and step (dashed)", ylim=(0, None))


def methods(axes, rows):
    last = {row["scene"]: float(row["ratio"]) for row in rows if row["method"] == "shadow"}
    names = list(last)
    places = range(len(names))
    axes.bar([at - 0.2 for at in places], [last[name] for name in names], 0.4, label="this")
    published = [PUBLISHED_METHODS.get(name, 0) for name in names]
    axes.bar([at + 0.2 for at in places], published, 0.4, label="published")
    axes.set(xticks=list(places), xticklabels=names, ylabel="shadow owners over next neighbours")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tables, folder = read(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (sizes, strong, weak, methods):
        rows = tables.get(draw.__name__)
        if not rows:
            continue
        figure, axes = pyplot.subplots(figsize=(5, 3.5), layout="constrained")
        draw(axes, rows)
        axes.legend()
        path = folder / f"rigid_{draw.__name__}.svg"
        figure.savefig(path)
        pyplot.close(figure)
        print(path)


if __name__ == "__main__":
    main()

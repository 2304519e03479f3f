#!/usr/bin/env python3
"""Makes two panels and the lines that sew them of one flat panel: the pattern of a tunic.

    cloth-sim mesh --shape 'Sheet(width_m: 0.6, length_m: 0.9, columns: 42, rows: 64, diagonal: Alternating)' \\
        --out panel.obj
    python3 tools/make_tunic.py panel.obj --out tunic.obj

The panel lies in the plane y = 0, as `mesh` makes it. Its copies stand 24 cm before and behind the origin.
docs/garments.md sews them around a figure. For another panel, change the two functions.
"""

import argparse
from pathlib import Path


def place(x, z, depth):
    """Where a vertex of the flat panel stands, m. The upper edge is at 1.49 m."""
    return x, 1.04 - z, depth


def is_sewn(x, y):
    """Whether a vertex of the front is sewn to that of the back: both sides up to the sleeves, and the shoulders."""
    side = abs(x) > 0.299 and y < 1.17
    shoulder = abs(x) > 0.12 and y > 1.489
    return side or shoulder


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("panel", type=Path)
    arguments.add_argument("--out", type=Path, default=Path("tunic.obj"))
    arguments = arguments.parse_args()
    rows = [line.split() for line in arguments.panel.read_text().splitlines()]
    flat = [(float(row[1]), float(row[3])) for row in rows if row[:1] == ["v"]]
    faces = [[int(corner.split("/")[0]) for corner in row[1:]] for row in rows if row[:1] == ["f"]]
    count = len(flat)
    # The back is turned over, so that its front is outside too.
    faces += [[corner + count for corner in reversed(face)] for face in faces]
    front, back = ([place(x, z, depth) for x, z in flat] for depth in (0.24, -0.24))
    sewn = [vertex for vertex, (x, y, _) in enumerate(front, 1) if is_sewn(x, y)]
    lines = ["o tunic"]
    lines += ["v {:.6g} {:.6g} {}".format(*vertex) for vertex in front + back]
    lines += ["f " + " ".join(map(str, face)) for face in faces]
    lines += [f"l {vertex} {vertex + count}" for vertex in sewn]
    arguments.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

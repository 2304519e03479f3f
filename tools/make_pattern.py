#!/usr/bin/env python3
"""Makes a dress of two flat panels, before and behind a figure, as it is cut: meshes/pattern_dress.obj.

    python3 tools/make_pattern.py --out meshes

In metres and with y up. Lines (`l`) connect the vertices that are sewn: both sides up to the armholes, and the
shoulders. The front lies at z = 0.24, the back at z = -0.24.
"""

import argparse
from pathlib import Path

COLUMNS, ROWS = 40, 70
WIDTH, LENGTH = 0.62, 0.95
HEM, APART = 0.54, 0.24
ARMHOLE, NECKLINE = int(0.68 * ROWS), int(0.8 * ROWS)


def outline(column, row):
    """The place of a vertex in its panel, m. The skirt is wider than the top."""
    t = row / ROWS
    narrow = min(max((t - 0.35) / 0.3, 0.0), 1.0)
    return (2 * column / COLUMNS - 1) * 0.5 * WIDTH * (1 - 0.32 * narrow), HEM + LENGTH * t


def is_cut_out(column, row):
    """Whether a cell is in an armhole or in the neckline."""
    at_neck = row >= NECKLINE and 0.3 <= column / COLUMNS < 0.7
    at_arm = ARMHOLE <= row and (column < 0.08 * COLUMNS or column >= 0.92 * COLUMNS) and row < ROWS
    return at_neck or at_arm


def panel(z, first):
    """Returns the places, the faces, and the number of the vertex at each column and row."""
    cells = [(i, j) for j in range(ROWS) for i in range(COLUMNS) if not is_cut_out(i, j)]
    corners = [[(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)] for i, j in cells]
    used = sorted({corner for cell in corners for corner in cell}, key=lambda it: it[::-1])
    numbers = {corner: first + place for place, corner in enumerate(used)}
    faces = [[numbers[it] for it in (cell if z > 0 else cell[::-1])] for cell in corners]
    return [(*outline(*corner), z) for corner in used], faces, numbers


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, default=Path("meshes"))
    folder = arguments.parse_args().out
    places, faces, front = panel(APART, 1)
    more, others, back = panel(-APART, 1 + len(places))
    sides = [(column, row) for row in range(ARMHOLE + 1) for column in (0, COLUMNS)]
    shoulders = [(column, ROWS) for column in range(COLUMNS + 1)]
    lines = ["o dress"]
    lines += ["v {:.5f} {:.5f} {:.2f}".format(*place) for place in places + more]
    lines += ["f " + " ".join(map(str, face)) for face in faces + others]
    lines += [f"l {front[it]} {back[it]}" for it in sides + shoulders if it in front]
    (folder / "pattern_dress.obj").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
